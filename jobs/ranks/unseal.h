/* Sealed secret keys (io/keys/key_seal.h) in a job of several ranks. Only rank 0 gets the passphrase, and derives from
 * it the key that opens the file. The others get that key, sealed to each of them (share_root.h), and open the file
 * themselves. The process keeps it until it ends, so that reading the key again does not ask again. */
#ifndef HB_RANKS_UNSEAL_H
#define HB_RANKS_UNSEAL_H

#include "io/keys/key_seal.h"
#include "mpi/group/group.h"

/* Opens the key of a file on this rank, which gets the passphrase; does nothing where it is not sealed. On the terminal
 * a wrong passphrase may be given again, twice. Rank-local: for rank 0 of a job, and for commands of one rank. HB_EPERM
 * for a wrong passphrase; else as hb_passphrase_read and hb_keyfile_unseal. */
hb_status hb_unseal(hb_keyfile *key, const char *name);
/* Opens a secret of another kind that is sealed in this way: `open` restores it, or fails as hb_keyfile_unseal does.
 * Rank-local, as above. */
typedef hb_status (*hb_unsealer)(void *secret, const char *name, const hb_seed *with);
hb_status hb_unseal_by(const hb_key_seal_how *how, const char *name, hb_unsealer open, void *secret);
/* Opens a key only with what this process has opened or seals files with. HB_EDATA where the file needs something
 * else. */
hb_status hb_unseal_known(hb_keyfile *key, const char *name);
/* Does the same as hb_unseal on all ranks; rank 0 may have opened its key before. Collective; all agree on the outcome.
 * HB_EDATA where rank 0's key is not sealed and another rank's is. */
hb_status hb_unseal_all(hb_group *group, hb_keyfile *key, const char *name);

/* Gets a new passphrase for the key `name` at a cost, from `where`, or from the source of option --passphrase where
 * that is NULL, and keeps the derived key for hb_seal. Rank-local, as above. */
hb_status hb_seal_begin(const char *name, const char *where, hb_seal_cost cost);
/* Gives the others the key that rank 0 seals with. Collective. HB_ECOMM, HB_ENOMEM. */
hb_status hb_seal_share(hb_group *group);
/* Seals a key with it, or a secret of another kind. HB_ENOMEM. */
hb_status hb_seal(hb_keyfile *key);
typedef hb_status (*hb_sealer)(void *secret, const hb_key_seal_how *how, const hb_seed *with);
hb_status hb_seal_by(hb_sealer seal, void *secret);

/* Wipes all kept secrets. */
void hb_unseal_forget(void);

#endif
