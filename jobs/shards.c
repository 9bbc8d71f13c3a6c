#include "shards.h"

#include <stdlib.h>
#include <string.h>

hb_status hb_shards_init(hb_shards *shards, const char *output, const hb_header *header, uint32_t ranks)
{
    const uint32_t count = hb_plan_parts_before(header, ranks, ranks);
    *shards = (hb_shards){.output = output, .header = header};
    shards->parts = calloc((size_t)count + 1, sizeof *shards->parts);
    shards->writer = calloc((size_t)count + 1, sizeof *shards->writer);
    if (shards->parts == NULL || shards->writer == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %u shards", count);
    }
    shards->count = count;
    hb_plan_layout(header, ranks, shards->parts);
    return HB_OK;
}

void hb_shards_clear(hb_shards *shards)
{
    for (uint32_t p = 0; p < shards->count; p++) {
        hb_shard_writer_close(shards->writer[p]);
    }
    free(shards->writer);
    free(shards->parts);
    memset(shards, 0, sizeof *shards);
}

hb_status hb_shards_ensure(hb_shards *shards, hb_share mine, hb_unit_map *stored)
{
    for (uint64_t p = mine.first; p < mine.first + mine.count; p++) {
        const hb_part part = shards->parts[p];
        HB_TRY(hb_shard_ensure(shards->output, shards->header, part.number, part.first_unit, part.units,
                               &shards->writer[p]));
        for (uint64_t u = part.first_unit; u < part.first_unit + part.units; u++) {
            if (hb_shard_sum(shards->writer[p], u) != NULL) {
                hb_unit_map_add(stored, u);
            }
        }
    }
    return HB_OK;
}

/* The part that holds unit u, from part p on. */
static uint32_t part_of(const hb_shards *shards, uint32_t p, uint64_t u)
{
    while (u - shards->parts[p].first_unit >= shards->parts[p].units) {
        p++;
        HB_ASSERT(p < shards->count);
    }
    return p;
}

hb_status hb_shards_open(hb_shards *shards, const hb_units *units)
{
    uint32_t p = 0;
    for (uint64_t i = 0; i < units->mine.count; i++) {
        p = part_of(shards, p, units->list[i]);
        const hb_part part = shards->parts[p];
        if (shards->writer[p] == NULL) {
            HB_TRY(hb_shard_join(shards->output, shards->header, part.number, part.first_unit, part.units,
                                 &shards->writer[p]));
        }
    }
    shards->current = 0;
    return HB_OK;
}

hb_status hb_shards_turn(hb_shards *shards, uint64_t u, hb_shard_writer **writer)
{
    const uint32_t p = part_of(shards, shards->current, u);
    if (p != shards->current) {
        HB_TRY(hb_shards_sync(shards));
        shards->current = p;
    }
    *writer = shards->writer[p];
    return HB_OK;
}

hb_status hb_shards_sync(hb_shards *shards)
{
    hb_shard_writer *writer = shards->count > 0 ? shards->writer[shards->current] : NULL;
    return writer != NULL ? hb_shard_sync(writer) : HB_OK;
}

hb_status hb_shards_finish(hb_shards *shards, hb_share mine)
{
    for (uint64_t p = mine.first; p < mine.first + mine.count; p++) {
        HB_TRY(hb_shard_finish(shards->writer[p]));
    }
    return HB_OK;
}
