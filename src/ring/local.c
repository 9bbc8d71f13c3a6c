#include "local.h"

hb_local_limbs hb_local_limbs_of(const hb_limb_map *map, uint32_t member, const uint16_t *ids, uint32_t limbs)
{
    hb_local_limbs s = {.limbs = 0};
    for (uint32_t l = 0; l < limbs; l++) {
        /* In the order of the list, as memory has them. */
        if (hb_limb_map_has(map, ids[l], member)) {
            s.ids[s.limbs] = ids[l];
            s.at[s.limbs++] = (uint16_t)l;
        }
    }
    return s;
}

hb_local_limbs hb_local_limbs_here(const hb_engine *e, const uint16_t *ids, uint32_t limbs)
{
    return hb_local_limbs_of(e->map, e->member, ids, limbs);
}

void hb_local_limbs_pick(const hb_local_limbs *s, const uint64_t *table, uint64_t *picked)
{
    for (uint32_t i = 0; i < s->limbs; i++) {
        picked[i] = table[s->at[i]];
    }
}

bool hb_local_of(hb_local *x, hb_engine *e, hb_batch a)
{
    /* A GPU or a core by itself has all limbs, and is its own device. */
    x->divided = e->device != NULL;
    if (!x->divided) {
        x->engine = e;
        return true;
    }
    x->engine = e->device;
    x->own = hb_local_limbs_here(e, a.ids, a.limbs);
    return x->own.limbs > 0;
}

const uint64_t *hb_local_table(const hb_local *x, const uint64_t *table, uint64_t storage[HB_MAX_LIMBS])
{
    if (!x->divided) {
        return table;
    }
    /* Constants are for all limbs of a list; the device wants those of its limbs in a row. */
    hb_local_limbs_pick(&x->own, table, storage);
    return storage;
}

/* Returns how many of the limbs that are here stand before a place of the list. */
static uint32_t here_before(const hb_local_limbs *own, uint32_t place)
{
    uint32_t count = 0;
    while (count < own->limbs && own->at[count] < place) {
        count++;
    }
    return count;
}

const hb_limb_range *hb_local_ranges(const hb_local *x, const hb_limb_range *ranges, size_t count,
                                     hb_limb_range *storage)
{
    if (!x->divided) {
        return ranges;
    }
    for (size_t i = 0; i < count; i++) {
        const uint32_t first = here_before(&x->own, ranges[i].first);
        storage[i] = (hb_limb_range){first, here_before(&x->own, ranges[i].first + ranges[i].limbs) - first};
    }
    return storage;
}
