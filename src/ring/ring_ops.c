/* The front end of the operations on polynomials over one basis: shapes are checked here, once for all engines. */
#include "ring_ops.h"

#include "shape.h"

hb_status hb_copy(hb_engine *e, hb_batch r, hb_batch a)
{
    hb_require_same_slices(e, r, a);
    HB_ASSERT(r.limbs == a.limbs);
    hb_require_ids(r.ids, a.ids, r.limbs);
    return e->ops->ring->copy(e, r, a);
}

hb_status hb_clear(hb_engine *e, hb_batch r)
{
    hb_require_slices(e, r);
    return e->ops->ring->clear(e, r);
}

static void check_unary(const hb_engine *e, hb_batch r, hb_batch a)
{
    hb_require_same_limbs(e, r, a);
    HB_ASSERT(r.count == a.count);
}

static void check_binary(const hb_engine *e, hb_batch r, hb_batch a, hb_batch b)
{
    check_unary(e, r, a);
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
    return e->ops->ntt->ntt(e, x);
}

hb_status hb_intt(hb_engine *e, hb_batch x)
{
    check_roots(e, x);
    return e->ops->ntt->intt(e, x, NULL);
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
    return e->ops->ntt->intt(e, x, factors);
}

hb_status hb_ntt_of(hb_engine *e, hb_batch r, hb_batch a)
{
    check_unary(e, r, a);
    check_roots(e, r);
    HB_ASSERT(r.data != a.data || r.count == 0);
    return e->ops->ntt->ntt_of(e, r, a);
}

hb_status hb_ntt_mul(hb_engine *e, hb_batch r, hb_batch a, hb_batch b)
{
    check_binary(e, r, a, b);
    check_roots(e, r);
    hb_require_apart(e, b, r);
    hb_require_apart(e, b, a);
    return e->ops->ntt->ntt_mul(e, r, a, b);
}

hb_status hb_add(hb_engine *e, hb_batch r, hb_batch a, hb_batch b)
{
    check_binary(e, r, a, b);
    return e->ops->ring->add(e, r, a, b);
}

hb_status hb_sub(hb_engine *e, hb_batch r, hb_batch a, hb_batch b)
{
    check_binary(e, r, a, b);
    return e->ops->ring->sub(e, r, a, b);
}

hb_status hb_negate(hb_engine *e, hb_batch r, hb_batch a)
{
    check_unary(e, r, a);
    return e->ops->ring->negate(e, r, a);
}

hb_status hb_mul(hb_engine *e, hb_batch r, hb_batch a, hb_batch b)
{
    check_binary(e, r, a, b);
    return e->ops->ring->mul(e, r, a, b);
}

hb_status hb_scale(hb_engine *e, hb_batch r, hb_batch a, const uint64_t *factors)
{
    check_unary(e, r, a);
    check_factors(e, r, factors);
    return e->ops->ring->scale(e, r, a, factors);
}

hb_status hb_permute(hb_engine *e, hb_batch r, hb_batch a, const uint32_t *map)
{
    check_unary(e, r, a);
    HB_ASSERT(map != NULL && (r.data != a.data || r.count == 0));
    return e->ops->ring->permute(e, r, a, map);
}

hb_status hb_galois(hb_engine *e, hb_batch r, hb_batch a, uint32_t element)
{
    check_unary(e, r, a);
    HB_ASSERT(element % 2 == 1 && element < 2 * e->ring->n && (r.data != a.data || r.count == 0));
    return e->ops->ring->galois(e, r, a, element);
}

hb_status hb_ntt_spread(hb_engine *e, hb_batch r, hb_batch a)
{
    hb_require_digits(e, r, a);
    check_roots(e, r);
    return e->ops->ntt->ntt_spread(e, r, a);
}

hb_status hb_count_zeros(hb_engine *e, uint64_t *zeros, hb_batch a)
{
    hb_require_shape(e, a);
    return e->ops->ring->count_zeros(e, zeros, a);
}
