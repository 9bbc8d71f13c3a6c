/* Which member of a group of ranks holds which limb, where limbs are divided (divided/engine.h). Pure functions. */
#ifndef HB_RING_LIMB_MAP_H
#define HB_RING_LIMB_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "ring.h"

#define HB_EVERY_MEMBER UINT8_MAX

/* The owners of all limbs. Limbs of the chain and of the auxiliary base are assigned in turn: limb i of the chain
 * belongs to member i mod k, prime j of the auxiliary base to member (data limbs + j) mod k. So a product of
 * ciphertexts, which has both, is divided evenly. In any run of consecutive limbs of either the members follow one
 * another. Every member holds the limbs of moduli that are in neither. */
typedef struct hb_limb_map {
    uint32_t members;                  /* k; 1: nothing is divided */
    uint32_t most_limbs;               /* limbs of the longest list that an operation exchanges */
    uint8_t owner[HB_RING_MAX_MODULI]; /* by id: 0 .. k - 1, or HB_EVERY_MEMBER */
} hb_limb_map;

/* Returns whether `member` holds the limb. */
static inline bool hb_limb_map_has(const hb_limb_map *map, uint16_t id, uint32_t member)
{
    return map->owner[id] == member || map->owner[id] == HB_EVERY_MEMBER;
}

/* Return how many limbs of a list `member` holds, and how many the member holds that has most of them. */
uint32_t hb_limb_map_count(const hb_limb_map *map, const uint16_t *ids, uint32_t limbs, uint32_t member);
uint32_t hb_limb_map_most(const hb_limb_map *map, const uint16_t *ids, uint32_t limbs);

#endif
