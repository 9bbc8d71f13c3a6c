/* Which member of a group of ranks holds which limb, where limbs are divided (divided/engine.h). Pure functions. */
#ifndef HB_RING_LIMB_MAP_H
#define HB_RING_LIMB_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "digit_list.h"
#include "ring.h"

#define HB_EVERY_MEMBER UINT8_MAX

/* The order in which limbs are dealt to k members. But for the mirrored one they all deal primes of the auxiliary base
 * alike: prime j belongs to member (data limbs + j) mod k. */
typedef enum hb_limb_order {
    /* Limb i of the chain belongs to member i mod k. In any run of consecutive limbs, or of primes of the auxiliary
     * base, the members follow one another. */
    HB_LIMBS_IN_TURN,
    /* Data limbs go round from the first member on, special and auxiliary primes from the last one back. So a member
     * that has one data limb more at some level has the fewest of the others: at every level no member has two limbs
     * more of a key, or of a product, than another. */
    HB_LIMBS_MIRRORED,
    /* The chain is cut into k runs of consecutive limbs. Levels that lose their last limbs leave the last members
     * without work. */
    HB_LIMBS_IN_RUNS,
    /* All data limbs of a digit of key switching belong to one member, digit j to member j mod k, and special primes go
     * round behind the last digit. */
    HB_LIMBS_BY_DIGITS,
    HB_LIMB_ORDERS /* their number */
} hb_limb_order;

/* The limbs that are dealt. */
typedef struct hb_limb_lists {
    const uint16_t *ids;         /* [data + special] of the chain */
    uint32_t data, special;      /* primes of the chain */
    const hb_digit_list *digits; /* of key switching, of all data primes; none: the data primes go as one digit */
    const uint16_t *beside;      /* [auxiliary] */
    uint32_t auxiliary;          /* primes of the auxiliary base */
} hb_limb_lists;

/* The owners of all limbs. Every member holds the limbs of moduli that are in no list. */
typedef struct hb_limb_map {
    uint32_t members;                  /* k; 1: nothing is divided */
    uint32_t most_limbs;               /* limbs of the longest list that an operation exchanges */
    uint8_t owner[HB_RING_MAX_MODULI]; /* by id: 0 .. k - 1, or HB_EVERY_MEMBER */
} hb_limb_map;

/* Returns a map of these limbs, dealt in that order to so many members, 1 or more. most_limbs is 0. */
hb_limb_map hb_limb_map_deal(const hb_limb_lists *lists, uint32_t members, hb_limb_order order);

/* Returns whether `member` holds the limb. */
static inline bool hb_limb_map_has(const hb_limb_map *map, uint16_t id, uint32_t member)
{
    return map->owner[id] == member || map->owner[id] == HB_EVERY_MEMBER;
}

/* Return how many limbs of a list `member` holds, and how many the members hold that have most and fewest of them. */
uint32_t hb_limb_map_count(const hb_limb_map *map, const uint16_t *ids, uint32_t limbs, uint32_t member);
uint32_t hb_limb_map_most(const hb_limb_map *map, const uint16_t *ids, uint32_t limbs);
uint32_t hb_limb_map_fewest(const hb_limb_map *map, const uint16_t *ids, uint32_t limbs);

#endif
