/* The front end of the operations between bases, and between words and bytes. */
#include "engine_private.h"

static void check_plain(const hb_engine *e, hb_batch r, hb_batch plain, uint16_t plain_id)
{
    hb_require_shape(e, r);
    hb_require_shape(e, plain);
    HB_ASSERT(plain.limbs == 1 && plain.ids[0] == plain_id);
}

hb_status hb_add_scaled_plain(hb_engine *e, hb_batch r, hb_batch plain, const hb_scale_plain *constants, hb_sign sign)
{
    check_plain(e, r, plain, constants->plain_id);
    HB_ASSERT(plain.count == r.count || plain.count == 1);
    return e->ops->add_scaled_plain(e, r, plain, constants, sign);
}

hb_status hb_lift_plain(hb_engine *e, hb_batch r, hb_batch plain, const hb_plain_lift *constants)
{
    check_plain(e, r, plain, constants->plain_id);
    HB_ASSERT(plain.count == r.count && (r.data != plain.data || r.count == 0));
    return e->ops->lift_plain(e, r, plain, constants);
}

static void check_overflow(const hb_engine *e, const hb_overflow *v)
{
    if (v == NULL || v->inverses != NULL) {
        return;
    }
    HB_ASSERT(v->binary || v->id < e->ring->count);
    HB_ASSERT(v->half >= 1 && v->half <= (v->binary ? (uint64_t)1 << 32 : e->ring->moduli[v->id].value));
}

static void check_conversion(const hb_engine *e, hb_batch r, hb_batch a, const hb_base_conversion *conversion)
{
    hb_require_same_slices(e, r, a);
    HB_ASSERT(a.limbs == conversion->from_limbs && r.limbs == conversion->to_limbs);
    hb_require_ids(a.ids, conversion->from_ids, a.limbs);
    hb_require_ids(r.ids, conversion->to_ids, r.limbs);
    check_overflow(e, conversion->overflow);
}

hb_status hb_base_convert(hb_engine *e, hb_batch r, hb_batch a, const hb_base_conversion *conversion)
{
    check_conversion(e, r, a, conversion);
    hb_require_apart(e, r, a);
    return e->ops->base_convert(e, r, a, conversion);
}

hb_status hb_base_convert_through(hb_engine *e, hb_batch r, hb_batch via, hb_batch a, const hb_base_conversion *first,
                                  const hb_base_conversion *second)
{
    check_conversion(e, via, a, first);
    check_conversion(e, r, via, second);
    hb_require_apart(e, via, a);
    hb_require_apart(e, r, via);
    return e->ops->base_convert_through(e, r, via, a, first, second);
}

hb_status hb_gamma_correct(hb_engine *e, hb_batch r, hb_batch a, const hb_gamma_correction *constants)
{
    hb_require_shape(e, r);
    hb_require_shape(e, a);
    HB_ASSERT(a.limbs == 2 && a.ids[0] == constants->plain_id && a.ids[1] == constants->gamma_id);
    HB_ASSERT(r.limbs == 1 && r.ids[0] == constants->plain_id && r.count == a.count);
    return e->ops->gamma_correct(e, r, a, constants);
}

static hb_status divide(hb_engine *e, hb_batch r, hb_batch b, hb_batch a, const hb_drop_last *constants)
{
    hb_require_shape(e, r);
    hb_require_shape(e, a);
    HB_ASSERT(a.limbs == r.limbs + 1 && a.ids[r.limbs] == constants->last_id && r.count == a.count);
    hb_require_ids(r.ids, a.ids, r.limbs);
    return e->ops->divide_round(e, r, b, hb_batch_limbs(e, a, 0, r.limbs), hb_batch_limbs(e, a, r.limbs, 1), constants);
}

hb_status hb_divide_round_last(hb_engine *e, hb_batch r, hb_batch a, const hb_drop_last *constants)
{
    return divide(e, r, (hb_batch){.data = NULL}, a, constants);
}

hb_status hb_divide_round_add(hb_engine *e, hb_batch r, hb_batch b, hb_batch a, const hb_drop_last *constants)
{
    hb_require_same_limbs(e, r, b);
    HB_ASSERT(b.count <= r.count);
    return divide(e, r, b, a, constants);
}

static void check_garner(hb_batch a, const hb_garner *constants)
{
    HB_ASSERT(a.limbs == constants->basis->limbs);
    hb_require_ids(a.ids, constants->basis->ids, a.limbs);
}

hb_status hb_garner_digits(hb_engine *e, hb_batch r, hb_batch a, const hb_garner *constants)
{
    hb_require_same_slices(e, r, a);
    HB_ASSERT(r.limbs == a.limbs);
    hb_require_ids(r.ids, a.ids, r.limbs);
    check_garner(a, constants);
    return e->ops->garner_digits(e, r, a, constants);
}

hb_status hb_infinity_norm(hb_engine *e, uint64_t *digits, hb_batch a, const hb_garner *constants)
{
    hb_require_slices(e, a);
    check_garner(a, constants);
    return e->ops->infinity_norm(e, digits, a, constants);
}

/* Rows are whole words. */
static void check_packable(const hb_engine *e, hb_batch a)
{
    hb_require_shape(e, a);
    for (uint32_t l = 0; l < a.limbs; l++) {
        HB_ASSERT(e->ring->n * hb_residue_bits(&e->ring->moduli[a.ids[l]]) % 64 == 0);
    }
}

static void check_rows(hb_packed rows, size_t count)
{
    HB_ASSERT(rows.step >= 1);
    HB_ASSERT(count == 0 || (rows.first < rows.rows && (count - 1) <= (rows.rows - 1 - rows.first) / rows.step));
}

hb_status hb_pack(hb_engine *e, hb_packed to, hb_batch a)
{
    check_packable(e, a);
    check_rows(to, a.count);
    return e->ops->pack(e, to, a);
}

hb_status hb_unpack(hb_engine *e, hb_batch r, hb_packed from, size_t *out_of_range)
{
    check_packable(e, r);
    check_rows(from, r.count);
    return e->ops->unpack(e, r, from, out_of_range);
}

hb_status hb_digest_rows(hb_engine *e, uint8_t *digests, hb_packed rows, const uint16_t *ids, uint32_t limbs)
{
    check_packable(e, (hb_batch){.ids = ids, .limbs = limbs, .stride = limbs * e->ring->n});
    return e->ops->digest_rows(e, digests, rows, ids, limbs);
}
