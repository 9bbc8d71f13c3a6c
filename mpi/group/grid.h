/* Ranks as a grid of groups x members: the members of a group share the limbs of every ciphertext, different groups
 * have different ciphertexts. Rank r is member r mod k of group r / k, so that members are neighbours, on one host
 * where they fit there. */
#ifndef HB_MPI_GROUP_GRID_H
#define HB_MPI_GROUP_GRID_H

#include "group.h"

typedef struct hb_grid {
    hb_group *all;     /* borrowed */
    hb_group *members; /* of this rank's group: rank = member, size = k */
    hb_group *peers; /* those with this rank's member number: rank = group, size = groups; work is divided over these */
} hb_grid;

/* Collective. HB_EUSAGE, the same on all ranks, unless k divides their number, k >= 1. The caller closes, also after a
 * failure; a zeroed grid is allowed. */
hb_status hb_grid_open(hb_grid *grid, hb_group *all, uint32_t k);
/* Collective. */
void hb_grid_close(hb_grid *grid);

#endif
