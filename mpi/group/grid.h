/* The ranks as a grid of groups x members. The members of a group share the limbs of every ciphertext; different groups
 * have different ciphertexts. Rank r is member r mod k of group r / k, so that members are neighbours, on one host
 * where they fit there. */
#ifndef HB_MPI_GROUP_GRID_H
#define HB_MPI_GROUP_GRID_H

#include "group.h"

/* The grid as one rank sees it: its row and its column. */
typedef struct hb_grid {
    hb_group *all;     /* borrowed */
    hb_group *members; /* of this rank's group: rank = member, size = k */
    /* the ranks with this rank's member number: rank = group, size = groups; work is divided over these */
    hb_group *peers;
} hb_grid;

/* Divides the ranks of `all` into groups of k members. Collective. HB_EUSAGE, the same on all ranks, unless k >= 1
 * divides their number; HB_ENOMEM and HB_ECOMM as hb_group_split. The caller closes the grid, also after a failure. */
hb_status hb_grid_open(hb_grid *grid, hb_group *all, uint32_t k);
/* Closes both parts of the grid, before `all` is closed. Collective. A zeroed grid is allowed. */
void hb_grid_close(hb_grid *grid);

#endif
