/* The front end of the operations on polynomials: shapes are checked here, once for all engines. */
#include "engine.h"

#include <string.h>

#include "sample.h"

static void check_shape(const hb_engine *e, hb_batch a)
{
    HB_ASSERT(a.data != NULL || a.count == 0);
    HB_ASSERT(a.limbs >= 1 && a.limbs <= HB_MAX_LIMBS && a.ids != NULL);
    HB_ASSERT(a.stride >= a.limbs * e->ring->n);
    for (uint32_t l = 0; l < a.limbs; l++) {
        HB_ASSERT(a.ids[l] < e->ring->count);
    }
}

static void check_ids(const uint16_t *ids, const uint16_t *expected, uint32_t limbs)
{
    HB_ASSERT(memcmp(ids, expected, limbs * sizeof *ids) == 0);
}

static void check_same_limbs(const hb_engine *e, hb_batch r, hb_batch a)
{
    check_shape(e, r);
    check_shape(e, a);
    HB_ASSERT(r.limbs == a.limbs);
    check_ids(r.ids, a.ids, r.limbs);
}

static void check_unary(const hb_engine *e, hb_batch r, hb_batch a)
{
    check_same_limbs(e, r, a);
    HB_ASSERT(r.count == a.count);
}

static void check_binary(const hb_engine *e, hb_batch r, hb_batch a, hb_batch b)
{
    check_unary(e, r, a);
    check_same_limbs(e, r, b);
    HB_ASSERT(b.count == r.count || b.count == 1);
}

static void check_roots(const hb_engine *e, hb_batch x)
{
    check_shape(e, x);
    for (uint32_t l = 0; l < x.limbs; l++) {
        HB_ASSERT(e->ring->psi[x.ids[l]] != 0);
    }
}

/* Rows are whole words. */
static void check_packable(const hb_engine *e, hb_batch a)
{
    check_shape(e, a);
    for (uint32_t l = 0; l < a.limbs; l++) {
        HB_ASSERT(e->ring->n * hb_residue_bits(&e->ring->moduli[a.ids[l]]) % 64 == 0);
    }
}

hb_status hb_ntt(hb_engine *e, hb_batch x)
{
    check_roots(e, x);
    return e->ops->ntt(e, x);
}

hb_status hb_intt(hb_engine *e, hb_batch x)
{
    check_roots(e, x);
    return e->ops->intt(e, x);
}

hb_status hb_add(hb_engine *e, hb_batch r, hb_batch a, hb_batch b)
{
    check_binary(e, r, a, b);
    return e->ops->add(e, r, a, b);
}

hb_status hb_sub(hb_engine *e, hb_batch r, hb_batch a, hb_batch b)
{
    check_binary(e, r, a, b);
    return e->ops->sub(e, r, a, b);
}

hb_status hb_negate(hb_engine *e, hb_batch r, hb_batch a)
{
    check_unary(e, r, a);
    return e->ops->negate(e, r, a);
}

hb_status hb_mul(hb_engine *e, hb_batch r, hb_batch a, hb_batch b)
{
    check_binary(e, r, a, b);
    return e->ops->mul(e, r, a, b);
}

hb_status hb_scale(hb_engine *e, hb_batch r, hb_batch a, const uint64_t *factors)
{
    check_unary(e, r, a);
    for (uint32_t l = 0; l < r.limbs; l++) {
        HB_ASSERT(factors[l] < e->ring->moduli[r.ids[l]].value);
    }
    return e->ops->scale(e, r, a, factors);
}

hb_status hb_sample_uniform(hb_engine *e, hb_batch r, const hb_seed *seeds)
{
    check_shape(e, r);
    HB_ASSERT(seeds != NULL || r.count == 0);
    return e->ops->sample_uniform(e, r, seeds);
}

hb_status hb_mul_uniform(hb_engine *e, hb_batch r, const hb_seed *seeds, hb_batch b)
{
    check_same_limbs(e, r, b);
    HB_ASSERT(seeds != NULL || r.count == 0);
    HB_ASSERT((b.count == r.count || b.count == 1) && (r.data != b.data || r.count == 0));
    return e->ops->mul_uniform(e, r, seeds, b);
}

static uint64_t bound_of(hb_distribution distribution)
{
    switch (distribution) {
    case HB_TERNARY:
        return 1;
    case HB_GAUSSIAN:
        return HB_GAUSSIAN_BOUND;
    case HB_BINOMIAL:
        return HB_BINOMIAL_BOUND;
    }
    return UINT64_MAX; /* no modulus is above this */
}

static void check_small(const hb_engine *e, hb_batch r, hb_distribution distribution, hb_draw draw)
{
    check_shape(e, r);
    HB_ASSERT(draw.seed != NULL);
    for (uint32_t l = 0; l < r.limbs; l++) {
        HB_ASSERT(e->ring->moduli[r.ids[l]].value > bound_of(distribution));
    }
}

hb_status hb_sample_small(hb_engine *e, hb_batch r, hb_distribution distribution, hb_draw draw)
{
    check_small(e, r, distribution, draw);
    return e->ops->sample_small(e, r, distribution, draw);
}

hb_status hb_add_small(hb_engine *e, hb_batch r, hb_distribution distribution, hb_draw draw, hb_sign sign)
{
    check_small(e, r, distribution, draw);
    return e->ops->add_small(e, r, distribution, draw, sign);
}

hb_status hb_gather(hb_engine *e, hb_batch r, hb_batch a, const uint32_t *map)
{
    check_unary(e, r, a);
    HB_ASSERT(map != NULL && (r.data != a.data || r.count == 0));
    return e->ops->gather(e, r, a, map);
}

hb_status hb_add_scaled_plain(hb_engine *e, hb_batch r, hb_batch plain, const hb_scale_plain *constants)
{
    check_shape(e, r);
    check_shape(e, plain);
    HB_ASSERT(plain.limbs == 1 && plain.ids[0] == constants->plain_id && plain.count == r.count);
    return e->ops->add_scaled_plain(e, r, plain, constants);
}

hb_status hb_base_convert(hb_engine *e, hb_batch r, hb_batch a, const hb_base_conversion *conversion)
{
    check_shape(e, r);
    check_shape(e, a);
    HB_ASSERT(a.limbs == conversion->from_limbs && r.limbs == conversion->to_limbs && r.count == a.count);
    HB_ASSERT(r.data != a.data || r.count == 0);
    check_ids(a.ids, conversion->from_ids, a.limbs);
    check_ids(r.ids, conversion->to_ids, r.limbs);
    return e->ops->base_convert(e, r, a, conversion);
}

hb_status hb_gamma_correct(hb_engine *e, hb_batch r, hb_batch a, const hb_gamma_correction *constants)
{
    check_shape(e, r);
    check_shape(e, a);
    HB_ASSERT(a.limbs == 2 && a.ids[0] == constants->plain_id && a.ids[1] == constants->gamma_id);
    HB_ASSERT(r.limbs == 1 && r.ids[0] == constants->plain_id && r.count == a.count);
    return e->ops->gamma_correct(e, r, a, constants);
}

hb_status hb_divide_round_last(hb_engine *e, hb_batch r, hb_batch a, const hb_drop_last *constants)
{
    check_shape(e, r);
    check_shape(e, a);
    HB_ASSERT(a.limbs == r.limbs + 1 && a.ids[r.limbs] == constants->last_id && r.count == a.count);
    check_ids(r.ids, a.ids, r.limbs);
    return e->ops->divide_round_last(e, r, a, constants);
}

static void check_garner(hb_batch a, const hb_garner *constants)
{
    HB_ASSERT(a.limbs == constants->basis->limbs);
    check_ids(a.ids, constants->basis->ids, a.limbs);
}

hb_status hb_garner_digits(hb_engine *e, hb_batch r, hb_batch a, const hb_garner *constants)
{
    check_unary(e, r, a);
    check_garner(a, constants);
    return e->ops->garner_digits(e, r, a, constants);
}

hb_status hb_infinity_norm(hb_engine *e, uint64_t *digits, hb_batch a, const hb_garner *constants)
{
    check_shape(e, a);
    check_garner(a, constants);
    return e->ops->infinity_norm(e, digits, a, constants);
}

hb_status hb_pack(hb_engine *e, hb_packed to, hb_batch a)
{
    check_packable(e, a);
    HB_ASSERT(a.count <= to.rows && to.first <= to.rows - a.count);
    return e->ops->pack(e, to, a);
}

hb_status hb_unpack(hb_engine *e, hb_batch r, hb_packed from, size_t *out_of_range)
{
    check_packable(e, r);
    HB_ASSERT(r.count <= from.rows && from.first <= from.rows - r.count);
    return e->ops->unpack(e, r, from, out_of_range);
}

hb_status hb_digest_rows(hb_engine *e, uint8_t *digests, hb_packed rows, const uint16_t *ids, uint32_t limbs)
{
    check_packable(e, (hb_batch){.ids = ids, .limbs = limbs, .stride = limbs * e->ring->n});
    return e->ops->digest_rows(e, digests, rows, ids, limbs);
}
