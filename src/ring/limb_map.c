#include "limb_map.h"

#include <string.h>

/* Returns the digit of data limb i. */
static uint32_t digit_of(const hb_digit_list *digits, uint32_t i)
{
    const uint32_t count = hb_digit_list_at(digits, i + 1);
    return count > 0 ? count - 1 : 0;
}

/* Returns the owner of limb i of the chain. */
static uint32_t owner_in_chain(const hb_limb_lists *lists, uint32_t members, hb_limb_order order, uint32_t i)
{
    const uint32_t chain = lists->data + lists->special;
    const bool special = i >= lists->data;
    switch (order) {
    case HB_LIMBS_MIRRORED:
        return special ? members - 1 - (i - lists->data) % members : i % members;
    case HB_LIMBS_IN_RUNS: /* the first members have one more where runs do not come out even */
        for (uint32_t m = 0, end = 0; m < members; m++) {
            end += chain / members + (m < chain % members);
            if (i < end) {
                return m;
            }
        }
        return members - 1;
    case HB_LIMBS_BY_DIGITS:
        return (special ? lists->digits->count + i - lists->data : digit_of(lists->digits, i)) % members;
    case HB_LIMBS_IN_TURN:
    case HB_LIMB_ORDERS:
        break;
    }
    return i % members;
}

hb_limb_map hb_limb_map_deal(const hb_limb_lists *lists, uint32_t members, hb_limb_order order)
{
    hb_limb_map map = {.members = members};
    memset(map.owner, HB_EVERY_MEMBER, sizeof map.owner);
    for (uint32_t i = 0; i < lists->data + lists->special; i++) {
        map.owner[lists->ids[i]] = (uint8_t)owner_in_chain(lists, members, order, i);
    }
    for (uint32_t j = 0; j < lists->auxiliary; j++) {
        map.owner[lists->beside[j]] =
            (uint8_t)(order == HB_LIMBS_MIRRORED ? members - 1 - j % members : (lists->data + j) % members);
    }
    return map;
}

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

uint32_t hb_limb_map_fewest(const hb_limb_map *map, const uint16_t *ids, uint32_t limbs)
{
    uint32_t fewest = limbs;
    for (uint32_t member = 0; member < map->members; member++) {
        const uint32_t count = hb_limb_map_count(map, ids, limbs, member);
        fewest = count < fewest ? count : fewest;
    }
    return fewest;
}
