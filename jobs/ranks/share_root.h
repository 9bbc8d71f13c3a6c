/* Secrets of a run that several ranks have: the root seed of those that encrypt together, what opens a sealed key. */
#ifndef HB_RANKS_SHARE_ROOT_H
#define HB_RANKS_SHARE_ROOT_H

#include "base/seed.h"
#include "mpi/group/group.h"

/* Gives all members the same fresh seed, drawn by the first of them. Collective among `members`, which agree on the
 * outcome. The seed crosses the network sealed to a key pair of each of the others (libsodium's crypto_box_seal), which
 * lives as long as this call, so that whoever only listens learns nothing. Against one who changes messages nothing
 * here helps: ranks trust their launcher. The caller wipes *root, also after a failure. HB_ENOMEM, HB_ECOMM. */
hb_status hb_share_root(hb_group *members, hb_seed *root);
/* Gives all members the seed that the first of them has, likewise. */
hb_status hb_share_seed(hb_group *members, hb_seed *seed);

#endif
