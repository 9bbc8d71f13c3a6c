#include "unit_map.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { BITS = 64 }; /* of a word */
/* Words a message: below the size from which ranks of a host would read each other's memory (mpi/README.md). */
enum { MESSAGE = 64 };

/* One word even for no units, so that allocating never asks for nothing. */
static uint64_t words_of(uint64_t units)
{
    return units / BITS + 1;
}

hb_status hb_unit_map_init(hb_unit_map *map, uint64_t units)
{
    map->units = units;
    map->words = calloc((size_t)words_of(units), sizeof *map->words);
    return map->words != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a map of %" PRIu64 " units", units);
}

void hb_unit_map_clear(hb_unit_map *map)
{
    free(map->words);
    memset(map, 0, sizeof *map);
}

void hb_unit_map_add(hb_unit_map *map, uint64_t u)
{
    HB_ASSERT(u < map->units);
    map->words[u / BITS] |= (uint64_t)1 << u % BITS;
}

bool hb_unit_map_has(const hb_unit_map *map, uint64_t u)
{
    HB_ASSERT(u < map->units);
    return (map->words[u / BITS] >> u % BITS & 1) != 0;
}

uint64_t hb_unit_map_count(const hb_unit_map *map)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < words_of(map->units); i++) {
        count += (uint64_t)__builtin_popcountll(map->words[i]);
    }
    return count;
}

hb_status hb_unit_map_unite(hb_group *group, hb_unit_map *map)
{
    const uint64_t words = words_of(map->units);
    hb_status st = HB_OK;
    /* Bits of different ranks are different bits: their sum carries nothing and is the union. */
    for (uint64_t at = 0; at < words && st == HB_OK; at += MESSAGE) {
        const uint64_t left = words - at;
        st = hb_group_sum(group, map->words + at, left < MESSAGE ? (size_t)left : MESSAGE);
    }
    return hb_agree(group, st);
}

hb_status hb_unit_map_divide(const hb_unit_map *map, bool in, const hb_group *peers, const hb_header *header,
                             hb_units *mine)
{
    const uint64_t count = hb_unit_map_count(map), total = in ? count : map->units - count;
    const hb_share share = hb_partition(total, (uint32_t)peers->rank, (uint32_t)peers->size);
    *mine = (hb_units){.mine = {0, share.count}, .count = total};
    /* Its own share alone: a list of all units could be long. */
    mine->list = calloc((size_t)share.count + 1, sizeof *mine->list);
    if (mine->list == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a list of %" PRIu64 " units", share.count);
    }
    /* One way through all units finds the share, and counts the ciphertexts of all ranks. */
    uint64_t number = 0, first, ciphertexts;
    for (uint64_t u = 0; u < map->units; u++) {
        if (hb_unit_map_has(map, u) == in) {
            if (number >= share.first && number - share.first < share.count) {
                mine->list[number - share.first] = u;
            }
            number++;
            hb_header_unit_range(header, u, &first, &ciphertexts);
            mine->ciphertexts += ciphertexts;
        }
    }
    return HB_OK;
}
