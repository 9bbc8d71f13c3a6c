/* Sealed secret keys (io/keys/key_seal.h) in a job of several ranks: rank 0 alone gets the passphrase and makes the key
 * of it that opens the file; the others get that, sealed to each of them (share_root.h), and open the file themselves.
 * What opened a key stays in this process until it ends, so that a key that is read again is not asked for again. */
#ifndef HB_RANKS_UNSEAL_H
#define HB_RANKS_UNSEAL_H

#include "io/keys/key_seal.h"
#include "mpi/group/group.h"

/* Opens the key of a file on this rank, which gets the passphrase; nothing where it is not sealed. Asked for on the
 * terminal, a wrong one may be given again, twice. Rank-local: for rank 0 of a job, and for commands of one rank.
 * HB_EPERM for a wrong one, and as hb_passphrase_read and hb_keyfile_unseal. */
hb_status hb_unseal(hb_keyfile *key, const char *name);
/* The same with what this process has opened a key with, or seals with, alone. HB_EDATA where that is of another one.
 * */
hb_status hb_unseal_known(hb_keyfile *key, const char *name);
/* The same as hb_unseal on all ranks, of which rank 0 may have opened its key before. Collective; all agree on the
 * outcome. HB_EDATA where rank 0's key is not sealed and another's is. */
hb_status hb_unseal_all(hb_group *group, hb_keyfile *key, const char *name);

/* Gets a new passphrase for the key `name` at a cost, from `where`, or as option --passphrase says where that is NULL,
 * and remembers what keys are sealed with from now on: hb_seal. Rank-local, as above. */
hb_status hb_seal_begin(const char *name, const char *where, hb_seal_cost cost);
/* Gives the others what rank 0 seals with. Collective. */
hb_status hb_seal_share(hb_group *group);
/* Seals a key with that. HB_ENOMEM. */
hb_status hb_seal(hb_keyfile *key);

/* Wipes what was remembered. */
void hb_unseal_forget(void);

#endif
