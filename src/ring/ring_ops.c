/* The front end of the operations on polynomials over one basis. Shapes are checked here, once for all engines; then
 * operands are cut to the limbs that are here (local.h), and a member that has none of them does nothing. */
#include "ring_ops.h"

#include "local.h"
#include "permutation.h"
#include "shape.h"

hb_status hb_copy(hb_engine *e, hb_batch r, hb_batch a)
{
    hb_require_same_slices(e, r, a);
    HB_ASSERT(r.limbs == a.limbs);
    hb_require_ids(r.ids, a.ids, r.limbs);
    /* None of the limbs is here: this member has nothing to do, and no other waits for it. */
    hb_local here;
    if (!hb_local_of(&here, e, r)) {
        return HB_OK;
    }
    return here.engine->ops->ring->copy(here.engine, hb_local_view(&here, r), hb_local_view(&here, a));
}

hb_status hb_clear(hb_engine *e, hb_batch r)
{
    hb_require_slices(e, r);
    hb_local here;
    if (!hb_local_of(&here, e, r)) {
        return HB_OK;
    }
    return here.engine->ops->ring->clear(here.engine, hb_local_view(&here, r));
}

void hb_batch_wipe(hb_engine *e, hb_batch r)
{
    if (r.data != NULL) {
        /* No compiler sees through the table of operations. A device that fails here fails at the next hb_finish
         * too. */
        hb_status ignored = hb_clear(e, r);
        (void)ignored;
    }
}

/* Checks operands of operations with one operand. */
static void check_unary(const hb_engine *e, hb_batch r, hb_batch a)
{
    hb_require_same_limbs(e, r, a);
    HB_ASSERT(r.count == a.count);
}

/* Checks operands of operations with two: b of one polynomial serves the whole batch. */
static void check_binary(const hb_engine *e, hb_batch r, hb_batch a, hb_batch b)
{
    check_unary(e, r, a);
    hb_require_same_limbs(e, r, b);
    HB_ASSERT(b.count == r.count || b.count == 1);
}

/* A modulus without a root has no transform, and no table in any engine. */
static void check_roots(const hb_engine *e, hb_batch x)
{
    hb_require_shape(e, x);
    for (uint32_t l = 0; l < x.limbs; l++) {
        HB_ASSERT(e->ring->psi[x.ids[l]] != 0);
    }
}

hb_status hb_ntt(hb_engine *e, hb_batch x)
{
    hb_local here;
    check_roots(e, x);
    return hb_local_of(&here, e, x) ? here.engine->ops->ntt->ntt(here.engine, hb_local_view(&here, x)) : HB_OK;
}

/* Issues the inverse transform; factors are NULL for ones. */
static hb_status invert(hb_engine *e, hb_batch x, const uint64_t *factors)
{
    hb_local here;
    uint64_t storage[HB_MAX_LIMBS];
    if (!hb_local_of(&here, e, x)) {
        return HB_OK;
    }
    return here.engine->ops->ntt->intt(here.engine, hb_local_view(&here, x),
                                       factors != NULL ? hb_local_table(&here, factors, storage) : NULL);
}

hb_status hb_intt(hb_engine *e, hb_batch x)
{
    check_roots(e, x);
    return invert(e, x, NULL);
}

/* Shoup's quotients are right for canonical factors only. */
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
    return invert(e, x, factors);
}

hb_status hb_ntt_of(hb_engine *e, hb_batch r, hb_batch a)
{
    check_unary(e, r, a);
    check_roots(e, r);
    /* In place this is hb_ntt, which needs no second row. */
    HB_ASSERT(r.data != a.data || r.count == 0);
    hb_local here;
    if (!hb_local_of(&here, e, r)) {
        return HB_OK;
    }
    return here.engine->ops->ntt->ntt_of(here.engine, hb_local_view(&here, r), hb_local_view(&here, a));
}

hb_status hb_intt_of(hb_engine *e, hb_batch r, hb_batch a, const uint64_t *factors)
{
    check_unary(e, r, a);
    check_roots(e, r);
    HB_ASSERT(r.data != a.data || r.count == 0);
    hb_local here;
    uint64_t storage[HB_MAX_LIMBS];
    if (factors != NULL) {
        check_factors(e, r, factors);
    }
    if (!hb_local_of(&here, e, r)) {
        return HB_OK;
    }
    if (here.engine->ops->ntt->intt_of != NULL) {
        return here.engine->ops->ntt->intt_of(here.engine, hb_local_view(&here, r), hb_local_view(&here, a),
                                              factors != NULL ? hb_local_table(&here, factors, storage) : NULL);
    }
    HB_TRY(hb_copy(e, r, a));
    return invert(e, r, factors);
}

hb_status hb_ntt_quotient(hb_engine *e, hb_batch r, hb_batch b, hb_batch a, hb_batch x, const uint64_t *factors,
                          const hb_permutation *by)
{
    check_unary(e, r, a);
    check_unary(e, r, x);
    check_roots(e, r);
    check_factors(e, r, factors);
    HB_ASSERT(b.data == NULL || b.count <= r.count);
    if (b.data != NULL) {
        hb_require_same_limbs(e, r, b);
        hb_require_apart(e, b, x);
    }
    hb_require_apart(e, a, x);
    if (by != NULL) {
        hb_require_apart(e, r, a);
        hb_require_apart(e, r, x);
        HB_ASSERT(b.data == NULL || b.data != r.data || r.count == 0);
    }
    hb_local here;
    uint64_t storage[HB_MAX_LIMBS];
    if (!hb_local_of(&here, e, r)) {
        return HB_OK;
    }
    /* The only permutations that an engine does at once are automorphisms. */
    if (here.engine->ops->ntt->ntt_quotient != NULL && (by == NULL || by->element != 0)) {
        return here.engine->ops->ntt->ntt_quotient(
            here.engine, hb_local_view(&here, r), hb_local_view(&here, b), hb_local_view(&here, a),
            hb_local_view(&here, x), hb_local_table(&here, factors, storage), by != NULL ? by->element : 1);
    }
    HB_TRY(hb_ntt(e, x));
    HB_TRY(hb_sub(e, x, a, x));
    HB_TRY(hb_scale(e, x, x, factors));
    HB_TRY(hb_add_leading(e, by != NULL ? x : r, x, b));
    return by != NULL ? hb_permute(e, r, x, by->map) : HB_OK;
}

hb_status hb_ntt_except(hb_engine *e, hb_batch x, uint32_t group, const hb_limb_range *done)
{
    check_roots(e, x);
    HB_ASSERT(group >= 1 && x.count % group == 0);
    for (uint32_t j = 0; j < group; j++) {
        HB_ASSERT(done[j].first <= x.limbs && done[j].limbs <= x.limbs - done[j].first);
    }
    hb_local here;
    if (!hb_local_of(&here, e, x)) {
        return HB_OK;
    }
    if (here.engine->ops->ntt->ntt_except != NULL && (!here.divided || group <= HB_MAX_LIMBS)) {
        hb_limb_range ranges[HB_MAX_LIMBS];
        return here.engine->ops->ntt->ntt_except(here.engine, hb_local_view(&here, x), group,
                                                 hb_local_ranges(&here, done, group, ranges));
    }
    for (uint32_t j = 0; x.count > 0 && j < group; j++) {
        const hb_batch part = hb_batch_of_groups(x, group, j);
        const uint32_t first = done[j].first, behind = first + done[j].limbs;
        if (first > 0) {
            HB_TRY(hb_ntt(e, hb_batch_limbs(e, part, 0, first)));
        }
        if (behind < x.limbs) {
            HB_TRY(hb_ntt(e, hb_batch_limbs(e, part, behind, x.limbs - behind)));
        }
    }
    return HB_OK;
}

hb_status hb_ntt_mul(hb_engine *e, hb_batch r, hb_batch a, hb_batch b)
{
    check_binary(e, r, a, b);
    check_roots(e, r);
    /* b is in NTT form and a in coefficient form, so b is not a; and r takes the transform of a before b is read. */
    hb_require_apart(e, b, r);
    hb_require_apart(e, b, a);
    hb_local here;
    if (!hb_local_of(&here, e, r)) {
        return HB_OK;
    }
    return here.engine->ops->ntt->ntt_mul(here.engine, hb_local_view(&here, r), hb_local_view(&here, a),
                                          hb_local_view(&here, b));
}

hb_status hb_add(hb_engine *e, hb_batch r, hb_batch a, hb_batch b)
{
    check_binary(e, r, a, b);
    hb_local here;
    if (!hb_local_of(&here, e, r)) {
        return HB_OK;
    }
    return here.engine->ops->ring->add(here.engine, hb_local_view(&here, r), hb_local_view(&here, a),
                                       hb_local_view(&here, b));
}

hb_status hb_add_leading(hb_engine *e, hb_batch r, hb_batch a, hb_batch b)
{
    const size_t with = b.data != NULL ? b.count : 0, without = r.count - with;
    if (with > 0) {
        HB_TRY(hb_add(e, hb_batch_slice(r, 0, with), hb_batch_slice(a, 0, with), b));
    }
    if (without == 0 || r.data == a.data) {
        return HB_OK;
    }
    return hb_copy(e, hb_batch_slice(r, with, without), hb_batch_slice(a, with, without));
}

hb_status hb_sub(hb_engine *e, hb_batch r, hb_batch a, hb_batch b)
{
    check_binary(e, r, a, b);
    hb_local here;
    if (!hb_local_of(&here, e, r)) {
        return HB_OK;
    }
    return here.engine->ops->ring->sub(here.engine, hb_local_view(&here, r), hb_local_view(&here, a),
                                       hb_local_view(&here, b));
}

hb_status hb_negate(hb_engine *e, hb_batch r, hb_batch a)
{
    check_unary(e, r, a);
    hb_local here;
    if (!hb_local_of(&here, e, r)) {
        return HB_OK;
    }
    return here.engine->ops->ring->negate(here.engine, hb_local_view(&here, r), hb_local_view(&here, a));
}

hb_status hb_mul(hb_engine *e, hb_batch r, hb_batch a, hb_batch b)
{
    check_binary(e, r, a, b);
    hb_local here;
    if (!hb_local_of(&here, e, r)) {
        return HB_OK;
    }
    return here.engine->ops->ring->mul(here.engine, hb_local_view(&here, r), hb_local_view(&here, a),
                                       hb_local_view(&here, b));
}

hb_status hb_scale(hb_engine *e, hb_batch r, hb_batch a, const uint64_t *factors)
{
    check_unary(e, r, a);
    check_factors(e, r, factors);
    hb_local here;
    uint64_t storage[HB_MAX_LIMBS];
    if (!hb_local_of(&here, e, r)) {
        return HB_OK;
    }
    return here.engine->ops->ring->scale(here.engine, hb_local_view(&here, r), hb_local_view(&here, a),
                                         hb_local_table(&here, factors, storage));
}

hb_status hb_permute(hb_engine *e, hb_batch r, hb_batch a, const uint32_t *map)
{
    check_unary(e, r, a);
    /* Words change places: a row cannot be its own result. */
    HB_ASSERT(map != NULL && (r.data != a.data || r.count == 0));
    hb_local here;
    if (!hb_local_of(&here, e, r)) {
        return HB_OK;
    }
    return here.engine->ops->ring->permute(here.engine, hb_local_view(&here, r), hb_local_view(&here, a), map);
}

hb_status hb_galois(hb_engine *e, hb_batch r, hb_batch a, uint32_t element)
{
    check_unary(e, r, a);
    /* Even elements are no automorphisms. */
    HB_ASSERT(element % 2 == 1 && element < 2 * e->ring->n && (r.data != a.data || r.count == 0));
    hb_local here;
    if (!hb_local_of(&here, e, r)) {
        return HB_OK;
    }
    return here.engine->ops->ring->galois(here.engine, hb_local_view(&here, r), hb_local_view(&here, a), element);
}

hb_status hb_ntt_decompose(hb_engine *e, hb_batch r, hb_batch a)
{
    hb_require_digits(e, r, a);
    check_roots(e, r);
    /* It exchanges where limbs are divided, so it is the engine's own even there. */
    return e->ops->ntt->ntt_decompose(e, r, a);
}

hb_status hb_ntt_decompose_known(hb_engine *e, hb_batch r, hb_batch a, hb_batch known)
{
    hb_require_digits(e, r, a);
    check_roots(e, r);
    check_unary(e, known, a);
    hb_require_apart(e, r, known);
    return e->ops->ntt->ntt_decompose_known != NULL ? e->ops->ntt->ntt_decompose_known(e, r, a, known)
                                                    : e->ops->ntt->ntt_decompose(e, r, a);
}

hb_status hb_count_zeros(hb_engine *e, uint64_t *zeros, hb_batch a)
{
    hb_require_shape(e, a);
    /* Likewise. */
    return e->ops->ring->count_zeros(e, zeros, a);
}
