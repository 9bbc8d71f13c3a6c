/* The front end of packed rows. */
#include "row_ops.h"

#include "local.h"
#include "shape.h"

/* Rows are whole words, so that no two rows share one. */
static void check_packable(const hb_engine *e, hb_batch a)
{
    hb_require_shape(e, a);
    for (uint32_t l = 0; l < a.limbs; l++) {
        HB_ASSERT(e->ring->n * hb_residue_bits(&e->ring->moduli[a.ids[l]]) % 64 == 0);
    }
}

/* The last row, first + (count - 1) stride, is below `rows`; written so that nothing overflows. */
static void check_rows(hb_packed rows, size_t count)
{
    HB_ASSERT(rows.stride >= 1);
    HB_ASSERT(count == 0 || (rows.first < rows.rows && (count - 1) <= (rows.rows - 1 - rows.first) / rows.stride));
}

hb_status hb_pack(hb_engine *e, hb_packed to, hb_batch a)
{
    check_packable(e, a);
    check_rows(to, a.count);
    hb_local here;
    if (!hb_local_of(&here, e, a)) {
        return HB_OK;
    }
    return here.engine->ops->rows->pack(here.engine, to, hb_local_view(&here, a));
}

hb_status hb_unpack(hb_engine *e, hb_batch r, hb_packed from, size_t *out_of_range)
{
    check_packable(e, r);
    check_rows(from, r.count);
    /* It waits for the count of words that are out of range, so it is the engine's own where limbs are divided. */
    return e->ops->rows->unpack(e, r, from, out_of_range);
}

hb_status hb_digest_rows(hb_engine *e, uint8_t *digests, hb_packed rows, const uint16_t *ids, uint32_t limbs)
{
    /* A batch without data, made up to check the ids alone. */
    check_packable(e, (hb_batch){.ids = ids, .limbs = limbs, .stride = limbs * e->ring->n});
    return e->ops->rows->digest_rows(e, digests, rows, ids, limbs);
}

uint32_t hb_digest_place(const hb_engine *e, const uint16_t *ids, uint32_t limbs, uint32_t i)
{
    uint32_t before = 0;
    if (e->map == NULL || e->map->members == 1 || e->map->owner[ids[i]] == HB_EVERY_MEMBER) {
        return i;
    }
    for (uint32_t l = 0; l < limbs; l++) {
        const uint8_t owner = e->map->owner[ids[l]], own = e->map->owner[ids[i]];
        before += owner < own || (owner == own && l < i);
    }
    return before;
}
