/* Sums, integer factors and the ways down and up the levels (evaluator.h; semantics.md 6.1, 6.7, 9.14); the workspace.
 */
#include <stdlib.h>

#include "base/modarith.h"
#include "evaluator_private.h"

/* The limit of one workspace, where the batch would take more: enough to fill a GPU at every N, little beside the
 * memory of jobs there. */
#define MOST_WORK_BYTES ((size_t)1 << 30)

/* Words for as many ciphertexts as `bytes` hold, but for one at least and for `count` at most, beside `fixed`. */
static size_t words_for(size_t each, size_t fixed, size_t count, size_t bytes)
{
    const size_t fit = hb_larger(bytes / (each * sizeof(uint64_t)), 1);
    return fixed + each * (fit < count ? fit : count);
}

static size_t work_words(const hb_params *params, const hb_evaluator_requirements *requirements, size_t each,
                         size_t bytes)
{
    const uint32_t k = requirements->limbs;
    /* Plaintexts as factors; dropping a prime in place. */
    size_t words = words_for(hb_words_of(params, 1, params->ids, k), 0, requirements->count, bytes);
    if (each > 0) {
        words = hb_larger(words, words_for(each, 0, requirements->count, bytes));
    }
    if (requirements->switching) {
        words = hb_larger(words, words_for(hb_switch_words(params, k), 0, requirements->count, bytes));
    }
    if (requirements->hoisting) {
        words = hb_larger(
            words, words_for(hb_hoist_words(params, k), hb_hoist_key_words(params, k), requirements->count, bytes));
    }
    return words;
}

uint64_t hb_evaluator_work_bytes(const hb_params *params, const hb_evaluator_requirements *requirements, size_t each)
{
    return work_words(params, requirements, each, MOST_WORK_BYTES) * sizeof(uint64_t);
}

hb_status hb_evaluator_init(hb_evaluator *ev, hb_engine *engine, const hb_params *params,
                            const hb_evaluator_requirements *requirements, size_t each)
{
    const uint32_t k = requirements->limbs;
    const size_t best = engine->batch_bytes;
    void *work = NULL;
    HB_ASSERT(k >= 1 && k <= params->data_limbs && params->levels[k].basis.limbs == k && requirements->count >= 1);
    HB_ASSERT(requirements->switching || !requirements->hoisting);
    *ev = (hb_evaluator){.engine = engine,
                         .params = params,
                         .requirements = *requirements,
                         .progress = hb_op_progress_whole(requirements->observer)};
    if (requirements->switching) {
        HB_TRY(hb_params_require_switching(params));
    }
    ev->work_words = work_words(params, requirements, each, best > 0 ? best : MOST_WORK_BYTES);
    HB_TRY(hb_alloc(engine, ev->work_words * sizeof *ev->work, &work));
    ev->work = work;
    return HB_OK;
}

void hb_evaluator_clear(hb_evaluator *ev)
{
    hb_hoisted_clear(ev);
    hb_free(ev->engine, ev->work);
}

const hb_params *hb_evaluator_params(const hb_evaluator *evaluator)
{
    return evaluator->params;
}

/* r = a, or a, one polynomial, for all of r; nothing to do where they are the same. */
static hb_status copy_batch(hb_evaluator *ev, hb_batch r, hb_batch a)
{
    if (r.data == a.data) { /* also where nothing of it is here */
        HB_ASSERT(r.stride == a.stride && r.count == a.count);
        return HB_OK;
    }
    HB_TRY(hb_copy(ev->engine, hb_batch_slice(r, 0, a.count), a));
    /* One polynomial for all: each copy doubles the filled part. */
    for (size_t done = a.count; done < r.count; done *= 2) {
        const size_t more = r.count - done < done ? r.count - done : done;
        HB_TRY(hb_copy(ev->engine, hb_batch_slice(r, done, more), hb_batch_slice(r, 0, more)));
    }
    return HB_OK;
}

typedef hb_status (*binary)(hb_engine *e, hb_batch r, hb_batch a, hb_batch b);

/* A component of r where only b has one: 0 + b or 0 - b. b's may be one polynomial for all. */
static hb_status from_zero(hb_evaluator *ev, hb_batch r, hb_batch b, binary operation)
{
    HB_TRY(copy_batch(ev, r, b));
    return operation == hb_add ? HB_OK : hb_negate(ev->engine, r, r);
}

static hb_status combine(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, hb_ciphertexts b, binary operation)
{
    HB_ASSERT(r.size == (a.size > b.size ? a.size : b.size));
    const size_t count = hb_ciphertexts_count(r);
    HB_ASSERT(hb_ciphertexts_count(a) == count);
    if (a.size == b.size && hb_ciphertexts_count(b) == count) {
        return operation(ev->engine, r.all, a.all, b.all);
    }
    for (uint32_t i = 0; i < r.size; i++) {
        const hb_batch to = hb_ciphertexts_component(r, i);
        if (i >= a.size) {
            HB_TRY(from_zero(ev, to, hb_ciphertexts_component(b, i), operation));
        } else if (i >= b.size) {
            HB_TRY(copy_batch(ev, to, hb_ciphertexts_component(a, i)));
        } else {
            HB_TRY(operation(ev->engine, to, hb_ciphertexts_component(a, i), hb_ciphertexts_component(b, i)));
        }
    }
    return HB_OK;
}

hb_status hb_evaluator_add(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, hb_ciphertexts b)
{
    return combine(ev, r, a, b, hb_add);
}

hb_status hb_evaluator_sub(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, hb_ciphertexts b)
{
    return combine(ev, r, a, b, hb_sub);
}

hb_status hb_evaluator_copy(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a)
{
    const size_t count = hb_ciphertexts_count(r), a_count = hb_ciphertexts_count(a);
    HB_ASSERT(r.size == a.size && (a_count == count || a_count == 1));
    if (a_count == count) {
        return copy_batch(ev, r.all, a.all);
    }
    for (uint32_t i = 0; i < r.size; i++) {
        HB_TRY(copy_batch(ev, hb_ciphertexts_component(r, i), hb_ciphertexts_component(a, i)));
    }
    return HB_OK;
}

hb_status hb_evaluator_negate(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a)
{
    HB_ASSERT(r.size == a.size);
    return hb_negate(ev->engine, r.all, a.all);
}

/* Halves are added to each other until one polynomial is left: modular sums do not depend on the order. */
static hb_status sum_component(hb_evaluator *ev, hb_batch r, hb_batch a, bool first)
{
    while (a.count > 1) {
        const size_t half = a.count / 2;
        const hb_batch low = hb_batch_slice(a, 0, half);
        HB_TRY(hb_add(ev->engine, low, low, hb_batch_slice(a, a.count - half, half)));
        a.count -= half;
    }
    return first ? copy_batch(ev, r, a) : hb_add(ev->engine, r, r, a);
}

hb_status hb_evaluator_sum(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, bool first)
{
    HB_ASSERT(r.size == a.size && hb_ciphertexts_count(r) == 1 && hb_ciphertexts_count(a) >= 1);
    for (uint32_t i = 0; i < a.size; i++) {
        HB_TRY(sum_component(ev, hb_ciphertexts_component(r, i), hb_ciphertexts_component(a, i), first));
    }
    return HB_OK;
}

hb_status hb_evaluator_multiply_integer(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, int64_t factor)
{
    uint64_t factors[HB_MAX_LIMBS];
    for (uint32_t l = 0; l < a.all.limbs; l++) {
        factors[l] = hb_mod_reduce_signed(factor, &ev->params->ring.moduli[a.all.ids[l]]);
    }
    HB_ASSERT(r.size == a.size);
    return hb_scale(ev->engine, r.all, a.all, factors);
}

hb_status hb_evaluator_multiply_polynomials(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, hb_batch polynomials,
                                            size_t first, size_t count)
{
    const binary multiply = ev->params->form == HB_NTT_FORM ? hb_mul : hb_ntt_mul;
    /* One polynomial serves all components of all ciphertexts in one call. */
    if (polynomials.count == 1 && count == hb_ciphertexts_count(r)) {
        return multiply(ev->engine, r.all, a.all, polynomials);
    }
    for (uint32_t i = 0; i < r.size; i++) {
        HB_TRY(multiply(ev->engine, hb_component_slice(r, i, first, count), hb_component_slice(a, i, first, count),
                        polynomials));
    }
    return HB_OK;
}

/* Where r begins as a does, its shorter rows would be written over polynomials that other threads of a device still
 * read: quotients pass through the workspace, batch after batch, each to where only polynomials already divided stood.
 * So do rows of a that nothing divides, without constants. */
static hb_status shorten_in_place(hb_evaluator *ev, hb_batch r, hb_batch a, const hb_drop_last *constants)
{
    const size_t step = hb_evaluator_fit(ev, 0, hb_words_of(ev->params, 1, r.ids, r.limbs), r.count);
    for (hb_chunk c = hb_chunks(r.count, step); hb_chunk_next(&c);) {
        hb_workspace workspace = hb_evaluator_workspace(ev);
        const hb_batch rows = hb_workspace_take(&workspace, ev, c.count, r.limbs, r.ids);
        const hb_batch from = hb_batch_slice(a, c.first, c.count);
        HB_TRY(constants != NULL ? hb_divide_round_last(ev->engine, rows, from, constants)
                                 : hb_copy(ev->engine, rows, from));
        HB_TRY(hb_copy(ev->engine, hb_batch_slice(r, c.first, c.count), rows));
    }
    return HB_OK;
}

hb_status hb_evaluator_divide_multiple(hb_evaluator *ev, hb_batch r, hb_batch a, const uint64_t *factors)
{
    const hb_mod_down *rescale = &ev->params->levels[a.limbs].rescale;
    const size_t step = hb_evaluator_fit(ev, 0, hb_words_of(ev->params, 1, a.ids, a.limbs), r.count);
    for (hb_chunk c = hb_chunks(r.count, step); hb_chunk_next(&c);) {
        hb_workspace workspace = hb_evaluator_workspace(ev);
        const hb_batch dividend = hb_workspace_take(&workspace, ev, c.count, a.limbs, a.ids);
        const hb_batch to = hb_batch_slice(r, c.first, c.count);
        const hb_batch from = hb_batch_slice(a, c.first, c.count);
        if (factors == NULL && r.data != a.data) {
            /* Only the dropped limbs are transformed, in the place of the dividend. */
            const hb_batch dropped =
                hb_batch_on(ev->engine, dividend.data, c.count, rescale->dropped, a.ids + rescale->limbs);
            HB_TRY(hb_mod_down_kept(ev->engine, to, from, dropped, rescale));
            continue;
        }
        /* The dividend is destroyed. */
        HB_TRY(factors != NULL ? hb_scale(ev->engine, dividend, from, factors) : copy_batch(ev, dividend, from));
        HB_TRY(hb_mod_down_apply(ev->engine, to, (hb_batch){.data = NULL}, dividend, to, rescale, HB_NTT_FORM));
    }
    return HB_OK;
}

hb_status hb_evaluator_divide_total(hb_evaluator *ev, hb_ciphertexts r, size_t first, hb_batch total,
                                    const hb_mod_down *down)
{
    const size_t count = total.count / 2;
    const uint32_t runs = hb_component_runs(r, count);
    const size_t length = total.count / runs;
    HB_ASSERT(r.size == 2 && r.form == HB_NTT_FORM && r.all.limbs == down->limbs);
    for (uint32_t i = 0; i < runs; i++) {
        const hb_batch to = hb_component_run(r, i, first, count);
        HB_TRY(hb_mod_down_apply(ev->engine, to, (hb_batch){.data = NULL}, hb_batch_slice(total, i * length, length),
                                 to, down, HB_NTT_FORM));
    }
    return HB_OK;
}

hb_status hb_evaluator_mod_switch(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a)
{
    const hb_mod_down *rescale = &hb_level_of(ev, a)->rescale;
    HB_ASSERT(r.size == a.size && r.all.limbs == rescale->limbs && r.form == a.form);
    if (a.form == HB_NTT_FORM) {
        return hb_evaluator_divide_multiple(ev, r.all, a.all, NULL);
    }
    const hb_drop_last constants = hb_mod_down_last(rescale);
    return r.all.data == a.all.data ? shorten_in_place(ev, r.all, a.all, &constants)
                                    : hb_divide_round_last(ev->engine, r.all, a.all, &constants);
}

hb_status hb_evaluator_drop(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a)
{
    HB_ASSERT(r.size == a.size && r.all.limbs <= a.all.limbs && r.form == a.form);
    (void)hb_level_of(ev, r);
    const hb_batch leading = hb_batch_limbs(ev->engine, a.all, 0, r.all.limbs);
    return r.all.data == a.all.data && r.all.stride != a.all.stride ? shorten_in_place(ev, r.all, leading, NULL)
                                                                    : copy_batch(ev, r.all, leading);
}

hb_status hb_evaluator_extend(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a)
{
    const hb_ring *ring = &ev->params->ring;
    const uint32_t k = a.all.limbs;
    uint64_t factors[HB_MAX_LIMBS];
    HB_ASSERT(r.size == a.size && r.all.limbs >= k && r.form == a.form);
    (void)hb_level_of(ev, a);
    (void)hb_level_of(ev, r);
    if (r.all.limbs == k) {
        return copy_batch(ev, r.all, a.all);
    }
    for (uint32_t l = 0; l < k; l++) {
        const hb_modulus *q = &ring->moduli[a.all.ids[l]];
        factors[l] = 1;
        for (uint32_t i = k; i < r.all.limbs; i++) {
            factors[l] = hb_mod_mul(factors[l], hb_mod_reduce(ring->moduli[r.all.ids[i]].value, q), q);
        }
    }
    HB_TRY(hb_scale(ev->engine, hb_batch_limbs(ev->engine, r.all, 0, k), a.all, factors));
    return hb_clear(ev->engine, hb_batch_limbs(ev->engine, r.all, k, r.all.limbs - k));
}
