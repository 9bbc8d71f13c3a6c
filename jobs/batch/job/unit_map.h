/* A set of units, one bit each. The ranks fill it together and divide its units among them. */
#ifndef HB_BATCH_JOB_UNIT_MAP_H
#define HB_BATCH_JOB_UNIT_MAP_H

#include "ranks.h"

/* The set; hb_unit_map_init makes it, hb_unit_map_clear frees it. */
typedef struct hb_unit_map {
    uint64_t *words; /* bit u % 64 of word u / 64: unit u is in it */
    uint64_t units;
} hb_unit_map;

/* Makes an empty set of units 0 .. units - 1. HB_ENOMEM. hb_unit_map_clear takes a zeroed struct. One thread at a time
 * adds. */
hb_status hb_unit_map_init(hb_unit_map *map, uint64_t units);
void hb_unit_map_clear(hb_unit_map *map);
void hb_unit_map_add(hb_unit_map *map, uint64_t u);
bool hb_unit_map_has(const hb_unit_map *map, uint64_t u);
uint64_t hb_unit_map_count(const hb_unit_map *map);

/* Makes the map of every rank the union of all. Collective. No two ranks may have added the same unit. */
hb_status hb_unit_map_unite(hb_group *group, hb_unit_map *map);
/* Returns in *mine this rank's contiguous share of the units that are in the map (or, with `in` false, are not),
 * divided over `peers` (mpi/group/grid.h). Rank-local. The caller clears *mine. HB_ENOMEM. */
hb_status hb_unit_map_divide(const hb_unit_map *map, bool in, const hb_group *peers, const hb_header *header,
                             hb_units *mine);

#endif
