#include "limb_map.h"

uint32_t hb_limb_map_count(const hb_limb_map *map, const uint16_t *ids, uint32_t limbs, uint32_t member)
{
    uint32_t count = 0;
    for (uint32_t l = 0; l < limbs; l++) {
        /* A limb that every member holds counts for each of them. */
        count += hb_limb_map_has(map, ids[l], member);
    }
    return count;
}

uint32_t hb_limb_map_most(const hb_limb_map *map, const uint16_t *ids, uint32_t limbs)
{
    uint32_t most = 0;
    for (uint32_t member = 0; member < map->members; member++) {
        /* Members differ by more than one where a list skips limbs, so each is counted. */
        const uint32_t count = hb_limb_map_count(map, ids, limbs, member);
        most = count > most ? count : most;
    }
    return most;
}
