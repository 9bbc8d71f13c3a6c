/* Numbers that all ranks have to have alike: the largest or the least of all of them. */
#ifndef HB_RANKS_LEVEL_H
#define HB_RANKS_LEVEL_H

#include "mpi/group/group.h"

/* Make each of the numbers that of the rank where it is largest, or least: the same on all ranks. Reals are 0 or more.
 * The first takes up to 128 of them. Collective; HB_ECOMM, on all ranks. */
hb_status hb_level_largest(hb_group *group, double *reals, size_t count);
hb_status hb_level_least(hb_group *group, uint64_t *numbers, size_t count);

#endif
