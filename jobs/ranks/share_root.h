/* The root seed of a run, for ranks that encrypt together. */
#ifndef HB_RANKS_SHARE_ROOT_H
#define HB_RANKS_SHARE_ROOT_H

#include "base/seed.h"
#include "mpi/group/group.h"

/* Collective among `members`, which agree on the outcome: all get the same fresh seed, drawn by the first of them. It
 * crosses the network sealed to a key pair of each of the others, which lives as long as this call: who only listens
 * learns nothing. Against one who changes messages nothing here helps: ranks trust their launcher. The caller wipes
 * *root. HB_ECOMM. */
hb_status hb_share_root(hb_group *members, hb_seed *root);

#endif
