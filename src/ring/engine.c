/* The front end of the operations on polynomials over one basis: shapes are checked here, once for all engines. */
#include "engine_private.h"

#include <string.h>

#include "base/sample.h"

void hb_require_slices(const hb_engine *e, hb_batch a)
{
    const size_t whole = e->ring->n, n = a.n != 0 ? a.n : whole, step = a.step != 0 ? a.step : whole;
    HB_ASSERT(a.limbs >= 1 && a.limbs <= HB_MAX_LIMBS && a.ids != NULL);
    for (uint32_t l = 0; l < a.limbs; l++) {
        HB_ASSERT(a.ids[l] < e->ring->count);
    }
    const uint32_t here = hb_limbs_here(e, a.ids, a.limbs);
    HB_ASSERT(n <= whole && (n == whole || n % HB_SLICE_WORDS == 0));
    if (a.places != NULL) {
        for (uint32_t l = 0; l < here; l++) {
            HB_ASSERT(a.places[l].data != NULL || a.count == 0);
            HB_ASSERT(a.places[l].stride % 2 == 0 && (a.places[l].stride >= n || a.count <= 1));
        }
        return;
    }
    HB_ASSERT(a.data != NULL || a.count == 0 || here == 0);
    HB_ASSERT(step >= n && step % 2 == 0 && (here == 0 || a.stride >= (here - 1) * step + n));
}

void hb_require_shape(const hb_engine *e, hb_batch a)
{
    HB_ASSERT(a.step == 0 && a.n == 0 && a.places == NULL);
    hb_require_slices(e, a);
}

void hb_require_apart(const hb_engine *e, hb_batch a, hb_batch b)
{
    const bool empty = a.count == 0 || hb_limbs_here(e, a.ids, a.limbs) == 0 || hb_limbs_here(e, b.ids, b.limbs) == 0;
    HB_ASSERT(empty || hb_batch_place(e, a, 0).data != hb_batch_place(e, b, 0).data);
}

void hb_require_ids(const uint16_t *ids, const uint16_t *expected, uint32_t limbs)
{
    HB_ASSERT(memcmp(ids, expected, limbs * sizeof *ids) == 0);
}

void hb_require_same_limbs(const hb_engine *e, hb_batch r, hb_batch a)
{
    hb_require_shape(e, r);
    hb_require_shape(e, a);
    HB_ASSERT(r.limbs == a.limbs);
    hb_require_ids(r.ids, a.ids, r.limbs);
}

void hb_require_unary(const hb_engine *e, hb_batch r, hb_batch a)
{
    hb_require_same_limbs(e, r, a);
    HB_ASSERT(r.count == a.count);
}

void hb_require_same_slices(const hb_engine *e, hb_batch r, hb_batch a)
{
    hb_require_slices(e, r);
    hb_require_slices(e, a);
    const size_t whole = e->ring->n;
    HB_ASSERT(r.count == a.count && (r.n != 0 ? r.n : whole) == (a.n != 0 ? a.n : whole));
}

hb_status hb_copy(hb_engine *e, hb_batch r, hb_batch a)
{
    hb_require_same_slices(e, r, a);
    HB_ASSERT(r.limbs == a.limbs);
    hb_require_ids(r.ids, a.ids, r.limbs);
    return e->ops->copy(e, r, a);
}

hb_status hb_clear(hb_engine *e, hb_batch r)
{
    hb_require_slices(e, r);
    return e->ops->clear(e, r);
}

static void check_binary(const hb_engine *e, hb_batch r, hb_batch a, hb_batch b)
{
    hb_require_unary(e, r, a);
    hb_require_same_limbs(e, r, b);
    HB_ASSERT(b.count == r.count || b.count == 1);
}

static void check_roots(const hb_engine *e, hb_batch x)
{
    hb_require_shape(e, x);
    for (uint32_t l = 0; l < x.limbs; l++) {
        HB_ASSERT(e->ring->psi[x.ids[l]] != 0);
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
    return e->ops->intt(e, x, NULL);
}

static void check_factors(const hb_engine *e, hb_batch r, const uint64_t *factors)
{
    for (uint32_t l = 0; l < r.limbs; l++) {
        HB_ASSERT(factors[l] < e->ring->moduli[r.ids[l]].value);
    }
}

hb_status hb_intt_scaled(hb_engine *e, hb_batch x, const uint64_t *factors)
{
    check_roots(e, x);
    check_factors(e, x, factors);
    return e->ops->intt(e, x, factors);
}

hb_status hb_ntt_of(hb_engine *e, hb_batch r, hb_batch a)
{
    hb_require_unary(e, r, a);
    check_roots(e, r);
    HB_ASSERT(r.data != a.data || r.count == 0);
    return e->ops->ntt_of(e, r, a);
}

hb_status hb_ntt_mul(hb_engine *e, hb_batch r, hb_batch a, hb_batch b)
{
    check_binary(e, r, a, b);
    check_roots(e, r);
    hb_require_apart(e, b, r);
    hb_require_apart(e, b, a);
    return e->ops->ntt_mul(e, r, a, b);
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
    hb_require_unary(e, r, a);
    return e->ops->negate(e, r, a);
}

hb_status hb_mul(hb_engine *e, hb_batch r, hb_batch a, hb_batch b)
{
    check_binary(e, r, a, b);
    return e->ops->mul(e, r, a, b);
}

hb_status hb_scale(hb_engine *e, hb_batch r, hb_batch a, const uint64_t *factors)
{
    hb_require_unary(e, r, a);
    check_factors(e, r, factors);
    return e->ops->scale(e, r, a, factors);
}

hb_status hb_sample_uniform(hb_engine *e, hb_batch r, const hb_seed *seeds)
{
    hb_require_shape(e, r);
    HB_ASSERT(seeds != NULL || r.count == 0);
    return e->ops->sample_uniform(e, r, seeds);
}

hb_status hb_mul_uniform(hb_engine *e, hb_batch r, const hb_seed *seeds, hb_batch b)
{
    hb_require_same_limbs(e, r, b);
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
    hb_require_shape(e, r);
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
    hb_require_unary(e, r, a);
    HB_ASSERT(map != NULL && (r.data != a.data || r.count == 0));
    return e->ops->gather(e, r, a, map);
}

hb_status hb_galois(hb_engine *e, hb_batch r, hb_batch a, uint32_t element)
{
    hb_require_unary(e, r, a);
    HB_ASSERT(element % 2 == 1 && element < 2 * e->ring->n && (r.data != a.data || r.count == 0));
    return e->ops->galois(e, r, a, element);
}

hb_status hb_tensor(hb_engine *e, hb_batch r, hb_batch a, hb_batch b, uint32_t a_size, uint32_t b_size)
{
    hb_require_same_limbs(e, r, a);
    hb_require_same_limbs(e, r, b);
    HB_ASSERT(a_size >= 1 && b_size >= 1 && (a_size <= HB_MAX_LIMBS || b_size <= HB_MAX_LIMBS));
    const size_t count = r.count / (a_size + b_size - 1);
    HB_ASSERT(r.count == (a_size + b_size - 1) * count && a.count == a_size * count);
    HB_ASSERT(b.count == b_size * count || b.count == b_size);
    HB_ASSERT((r.data != a.data && r.data != b.data) || r.count == 0);
    return e->ops->tensor(e, r, a, b, a_size, b_size);
}

static void check_spread(const hb_engine *e, hb_batch r, hb_batch a)
{
    hb_require_shape(e, r);
    hb_require_slices(e, a);
    HB_ASSERT(a.n == 0 && (a.step == 0 || a.places != NULL) && r.count == a.count * a.limbs);
    hb_require_apart(e, r, a);
}

hb_status hb_spread(hb_engine *e, hb_batch r, hb_batch a)
{
    check_spread(e, r, a);
    return e->ops->spread(e, r, a);
}

hb_status hb_ntt_spread(hb_engine *e, hb_batch r, hb_batch a)
{
    check_spread(e, r, a);
    check_roots(e, r);
    return e->ops->ntt_spread(e, r, a);
}

hb_status hb_key_products(hb_engine *e, hb_batch r, hb_batch digits, hb_batch key, uint32_t outputs, uint32_t row)
{
    hb_require_same_limbs(e, r, digits);
    hb_require_shape(e, key);
    HB_ASSERT(outputs > 0 && outputs % 2 == 0 && outputs <= row && r.count % outputs == 0);
    const size_t count = r.count / outputs, d = count > 0 ? digits.count / count : 0;
    HB_ASSERT(digits.count == d * count && d <= HB_MAX_LIMBS && row * d <= key.count);
    HB_ASSERT((r.data != digits.data && r.data != key.data) || r.count == 0);
    for (uint32_t l = 0, at = 0; l < r.limbs; l++, at++) {
        while (at < key.limbs && key.ids[at] < r.ids[l]) {
            at++;
        }
        HB_ASSERT(at < key.limbs && key.ids[at] == r.ids[l]);
    }
    return e->ops->key_products(e, r, digits, key, outputs, row);
}

hb_status hb_count_zeros(hb_engine *e, uint64_t *zeros, hb_batch a)
{
    hb_require_shape(e, a);
    return e->ops->count_zeros(e, zeros, a);
}
