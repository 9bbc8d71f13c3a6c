/* Products of ciphertexts by BEHZ and plaintexts as operands (evaluator.h; semantics.md 6.2, 6.3, 6.5, 6.6; constants:
 * behz.h, level.h). */
#include "evaluator.h"

#include <stdlib.h>

#include "behz.h"
#include "level.h"
#include "rlwe/evaluator_build.h"

typedef struct bfv_evaluator {
    hb_evaluator rlwe;
    hb_behz *behz; /* [needs.limbs + 1], of levels that exist; NULL without products */
} bfv_evaluator;

/* Words of one ciphertext in the workspace of a product, at the level of k limbs. */
static size_t multiply_words(const hb_params *params, uint32_t k, uint32_t auxiliary, uint32_t components)
{
    return hb_words_of(params, components, params->ids, k) +
           hb_words_of(params, components, params->auxiliary_ids, auxiliary);
}

/* Of both factors and the product. */
static size_t widest_words(const hb_params *params, const hb_evaluator_needs *needs)
{
    return needs->size > 0 ? multiply_words(params, needs->limbs, params->auxiliary_limbs, 4 * needs->size - 1) : 0;
}

uint64_t hb_evaluator_bytes(const hb_params *params, const hb_evaluator_needs *needs)
{
    return hb_evaluator_work_bytes(params, needs, widest_words(params, needs));
}

static hb_status open_behz(bfv_evaluator *x, const hb_params *params, uint32_t limbs)
{
    x->behz = calloc((size_t)limbs + 1, sizeof *x->behz);
    if (x->behz == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the constants of multiplication");
    }
    for (uint32_t k = 1; k <= limbs; k++) {
        if (params->levels[k].basis.limbs == k) {
            HB_TRY(hb_behz_init(&x->behz[k], params, k));
        }
    }
    return HB_OK;
}

hb_status hb_evaluator_open(hb_engine *engine, const hb_params *params, const hb_evaluator_needs *needs,
                            hb_evaluator **out)
{
    *out = NULL;
    HB_ASSERT(needs->size <= HB_BEHZ_MOST_SIZE);
    bfv_evaluator *x = calloc(1, sizeof *x);
    if (x == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for an evaluator");
    }
    hb_status st;
    HB_GOTO(hb_evaluator_init(&x->rlwe, engine, params, needs, widest_words(params, needs)));
    if (needs->size > 0) {
        HB_GOTO(open_behz(x, params, needs->limbs));
    }
    *out = &x->rlwe;
    return HB_OK;
done:
    hb_evaluator_close(&x->rlwe);
    return st;
}

void hb_evaluator_close(hb_evaluator *evaluator)
{
    bfv_evaluator *x = (bfv_evaluator *)evaluator; /* a struct begins where its first member does */
    if (x == NULL) {
        return;
    }
    for (uint32_t k = 0; x->behz != NULL && k <= evaluator->needs.limbs; k++) {
        hb_behz_clear(&x->behz[k]);
    }
    free(x->behz);
    hb_evaluator_clear(evaluator);
    free(x);
}

/* A factor in NTT form: in the level's limbs and in the auxiliary base; [size * count] each. */
typedef struct factor {
    hb_batch q, auxiliary;
} factor;

static factor take_factor(hb_evaluator *x, hb_room *room, const hb_behz *behz, const hb_level *level,
                          size_t polynomials)
{
    const hb_batch q = hb_room_take(room, x, polynomials, level->basis.limbs, level->basis.ids);
    return (factor){q, hb_room_take(room, x, polynomials, behz->limbs, behz->ids)};
}

static factor slice_factor(factor f, size_t first, size_t polynomials)
{
    return (factor){hb_batch_slice(f.q, first, polynomials), hb_batch_slice(f.auxiliary, first, polynomials)};
}

/* Step 1, and the transforms of step 2 in the level's limbs. */
static hb_status lift(hb_evaluator *x, factor f, hb_ciphertexts a, size_t first, size_t count, const hb_behz *behz)
{
    const uint32_t runs = hb_component_runs(a, count);
    const size_t length = f.q.count / runs;
    for (uint32_t i = 0; i < runs; i++) {
        const hb_batch from = hb_component_run(a, i, first, count);
        HB_TRY(hb_base_convert(x->engine, hb_batch_slice(f.auxiliary, i * length, length), from, &behz->lift));
        HB_TRY(hb_ntt_of(x->engine, hb_batch_slice(f.q, i * length, length), from));
    }
    return HB_OK;
}

/* Step 2 in both bases, back in coefficient form as step 3 takes it. */
static hb_status multiply_factors(hb_evaluator *x, factor d, factor a, factor b, uint32_t a_size, uint32_t b_size,
                                  const hb_behz *behz)
{
    HB_TRY(hb_tensor(x->engine, d.q, a.q, b.q, a_size, b_size));
    HB_TRY(hb_tensor(x->engine, d.auxiliary, a.auxiliary, b.auxiliary, a_size, b_size));
    HB_TRY(hb_intt_scaled(x->engine, d.q, behz->factors));
    return hb_intt(x->engine, d.auxiliary);
}

/* Steps 3 to 5, into ciphertexts first .. first + count of r. */
static hb_status scale_down(hb_evaluator *x, hb_ciphertexts r, factor d, size_t first, size_t count,
                            const hb_behz *behz)
{
    const uint32_t runs = hb_component_runs(r, count);
    const size_t length = d.q.count / runs;
    for (uint32_t i = 0; i < runs; i++) {
        HB_TRY(hb_base_convert_through(x->engine, hb_component_run(r, i, first, count),
                                       hb_batch_slice(d.auxiliary, i * length, length),
                                       hb_batch_slice(d.q, i * length, length), &behz->floor, &behz->back));
    }
    return HB_OK;
}

hb_status hb_evaluator_multiply(hb_evaluator *x, hb_ciphertexts r, hb_ciphertexts a, hb_ciphertexts b)
{
    const hb_level *level = hb_level_of(x, a);
    const hb_behz *behz = &((const bfv_evaluator *)x)->behz[a.all.limbs];
    const size_t count = hb_ciphertexts_count(a), b_count = hb_ciphertexts_count(b);
    const bool square = a.all.data == b.all.data && a.size == b.size && count == b_count;
    const bool one = !square && b_count == 1; /* b is lifted once */
    HB_ASSERT(r.size == a.size + b.size - 1 && hb_ciphertexts_count(r) == count);
    HB_ASSERT(a.size <= x->needs.size && b.size <= x->needs.size && (b_count == count || b_count == 1));
    const size_t a_words = multiply_words(x->params, a.all.limbs, behz->limbs, a.size + r.size);
    const size_t b_words = square ? 0 : multiply_words(x->params, a.all.limbs, behz->limbs, b.size);
    const size_t step = hb_evaluator_fit(x, one ? b_words : 0, a_words + (one ? 0 : b_words), count);
    for (hb_chunk c = hb_chunks(count, step); hb_chunk_next(&c);) {
        const bool lift_b = !square && (!one || c.first == 0);
        const size_t b_polynomials = square ? 0 : b.size * (one ? 1 : c.count);
        hb_room room = hb_evaluator_room(x);
        /* b comes first, and the room for a is that of the first step: where b is one for all, it stays where it is.
         * Both are transformed together. */
        const factor both = take_factor(x, &room, behz, level, b_polynomials + a.size * (one ? step : c.count));
        const factor fb = slice_factor(both, 0, b_polynomials),
                     fa = slice_factor(both, b_polynomials, a.size * c.count);
        const factor d = take_factor(x, &room, behz, level, r.size * c.count);
        HB_TRY(lift(x, fa, a, c.first, c.count, behz));
        if (lift_b) {
            HB_TRY(lift(x, fb, b, one ? 0 : c.first, one ? 1 : c.count, behz));
        }
        HB_TRY(hb_ntt(x->engine,
                      lift_b ? slice_factor(both, 0, b_polynomials + a.size * c.count).auxiliary : fa.auxiliary));
        HB_TRY(multiply_factors(x, d, fa, square ? fa : fb, a.size, b.size, behz));
        HB_TRY(scale_down(x, r, d, c.first, c.count, behz));
    }
    return HB_OK;
}

hb_status hb_evaluator_add_plain(hb_evaluator *x, hb_ciphertexts r, hb_batch plain, hb_sign sign)
{
    return hb_add_scaled_plain(x->engine, hb_ciphertexts_component(r, 0), plain,
                               &hb_bfv_level_of(x->params, r.all.limbs)->scale_plain, sign);
}

/* a's ciphertexts first .. first + count, transformed, times their plaintexts or the only one of all; r in NTT form. */
static hb_status multiply_lifted(hb_evaluator *x, hb_ciphertexts r, hb_ciphertexts a, hb_batch plain, size_t first,
                                 size_t count)
{
    const hb_bfv_level *level = hb_bfv_level_of(x->params, r.all.limbs);
    hb_room room = hb_evaluator_room(x);
    const hb_batch lifted = hb_room_take(&room, x, plain.count, r.all.limbs, r.all.ids);
    HB_TRY(hb_lift_plain(x->engine, lifted, plain, &level->plain_lift));
    HB_TRY(hb_ntt(x->engine, lifted));
    if (lifted.count == 1 && count == hb_ciphertexts_count(r)) {
        return hb_ntt_mul(x->engine, r.all, a.all, lifted);
    }
    for (uint32_t i = 0; i < r.size; i++) {
        HB_TRY(hb_ntt_mul(x->engine, hb_component_slice(r, i, first, count), hb_component_slice(a, i, first, count),
                          lifted));
    }
    return HB_OK;
}

hb_status hb_evaluator_multiply_plain(hb_evaluator *x, hb_ciphertexts r, hb_ciphertexts a, hb_batch plain)
{
    const size_t count = hb_ciphertexts_count(r);
    HB_ASSERT(r.size == a.size && (plain.count == count || plain.count == 1) && x->needs.plain_factors);
    const size_t fit = hb_evaluator_fit(x, 0, hb_words_of(x->params, 1, r.all.ids, r.all.limbs), count);
    const size_t step = plain.count == 1 ? count : fit;
    for (hb_chunk c = hb_chunks(count, step); hb_chunk_next(&c);) {
        const hb_batch factors = plain.count == 1 ? plain : hb_batch_slice(plain, c.first, c.count);
        HB_TRY(multiply_lifted(x, r, a, factors, c.first, c.count));
    }
    return hb_intt(x->engine, r.all);
}
