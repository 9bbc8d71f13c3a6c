/* A set of units, one bit each, that the ranks fill together and divide among them. */
#ifndef HB_BATCH_UNIT_MAP_H
#define HB_BATCH_UNIT_MAP_H

#include "ranks.h"

typedef struct hb_unit_map {
    uint64_t *words;
    uint64_t units;
} hb_unit_map;

/* Empty, of units 0 .. units - 1. HB_ENOMEM. Clear takes a zeroed struct. */
hb_status hb_unit_map_init(hb_unit_map *map, uint64_t units);
void hb_unit_map_clear(hb_unit_map *map);
void hb_unit_map_add(hb_unit_map *map, uint64_t u);
bool hb_unit_map_has(const hb_unit_map *map, uint64_t u);
uint64_t hb_unit_map_count(const hb_unit_map *map);

/* Collective: the map of every rank becomes the union of all. No two ranks may have added the same unit. */
hb_status hb_unit_map_unite(hb_group *group, hb_unit_map *map);
/* Of the units that are in the map (or, with `in` false, are not), this rank's contiguous share, divided over `peers`
 * (mpi/group/grid.h). The caller clears *mine. HB_ENOMEM. */
hb_status hb_unit_map_divide(const hb_unit_map *map, bool in, const hb_group *peers, const hb_header *header,
                             hb_units *mine);

#endif
