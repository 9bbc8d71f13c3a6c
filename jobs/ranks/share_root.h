/* Secrets of a run that several ranks share: the root seed of ranks that encrypt together, and the key that opens a
 * sealed key. */
#ifndef HB_RANKS_SHARE_ROOT_H
#define HB_RANKS_SHARE_ROOT_H

#include "base/seed.h"
#include "mpi/group/group.h"

/* Gives all members the same fresh seed, drawn by the first of them. Collective among `members`, which agree on the
 * outcome. The seed crosses the network sealed to a key pair of each of the others (libsodium's crypto_box_seal), which
 * exists only during this call: a mere listener learns nothing. This does not protect against an attacker who changes
 * messages: ranks trust their launcher. The caller wipes *root, also after a failure. HB_ENOMEM, HB_ECOMM. */
hb_status hb_share_root(hb_group *members, hb_seed *root);
/* Gives all members the seed of the first of them, likewise. */
hb_status hb_share_seed(hb_group *members, hb_seed *seed);

#endif
