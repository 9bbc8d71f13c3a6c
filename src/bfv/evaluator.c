/* Products of ciphertexts by BEHZ, plaintexts as operands, the two rows of slots (evaluator.h; semantics.md 6.2, 6.3,
 * 6.5, 6.6, 6.10; constants: behz.h, level.h). */
#include "evaluator.h"

#include <stdlib.h>

#include "behz.h"
#include "level.h"
#include "rlwe/evaluator_build.h"
#include "rlwe/rotation.h"

/* An evaluator with the constants of products at each level. */
typedef struct bfv_evaluator {
    hb_evaluator rlwe;
    hb_behz *behz; /* [product_limbs + 1], of levels that exist; NULL without products */
} bfv_evaluator;

/* Returns the words of one ciphertext in the workspace of a product, at the level of k limbs. */
static size_t multiply_words(const hb_params *params, uint32_t k, uint32_t auxiliary, uint32_t components)
{
    return hb_words_of(params, components, params->ids, k) +
           hb_words_of(params, components, params->auxiliary_ids, auxiliary);
}

/* Returns the limbs of the highest level of products: those of bootstrapping have none, and the auxiliary base is made
 * for users'. */
static uint32_t product_limbs(const hb_params *params, const hb_evaluator_requirements *requirements)
{
    return requirements->limbs < params->fresh_limbs ? requirements->limbs : params->fresh_limbs;
}

/* Returns the words that both factors and the product of one ciphertext take at that level. */
static size_t widest_words(const hb_params *params, const hb_evaluator_requirements *requirements)
{
    return requirements->size > 0 ? multiply_words(params, product_limbs(params, requirements), params->auxiliary_limbs,
                                                   4 * requirements->size - 1)
                                  : 0;
}

uint64_t hb_bfv_evaluator_bytes(const hb_params *params, const hb_evaluator_requirements *requirements)
{
    return hb_evaluator_work_bytes(params, requirements, widest_words(params, requirements));
}

/* Makes the constants of all levels that exist, up to `limbs`. */
static hb_status open_behz(bfv_evaluator *ev, const hb_params *params, uint32_t limbs)
{
    ev->behz = calloc((size_t)limbs + 1, sizeof *ev->behz);
    if (ev->behz == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the constants of multiplication");
    }
    for (uint32_t k = 1; k <= limbs; k++) {
        if (params->levels[k].basis.limbs == k) {
            HB_TRY(hb_behz_init(&ev->behz[k], params, k));
        }
    }
    return HB_OK;
}

hb_status hb_bfv_evaluator_open(hb_engine *engine, const hb_params *params,
                                const hb_evaluator_requirements *requirements, hb_evaluator **out)
{
    *out = NULL;
    /* The auxiliary base was chosen for factors of this size. */
    HB_ASSERT(requirements->size <= HB_BEHZ_MOST_SIZE);
    bfv_evaluator *ev = calloc(1, sizeof *ev);
    if (ev == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for an evaluator");
    }
    hb_status st;
    HB_GOTO(hb_evaluator_init(&ev->rlwe, engine, params, requirements, widest_words(params, requirements)));
    /* Without products no constants of them are made. */
    if (requirements->size > 0) {
        HB_GOTO(open_behz(ev, params, product_limbs(params, requirements)));
    }
    *out = &ev->rlwe;
    return HB_OK;
done:
    hb_bfv_evaluator_close(&ev->rlwe);
    return st;
}

void hb_bfv_evaluator_close(hb_evaluator *evaluator)
{
    bfv_evaluator *ev = (bfv_evaluator *)evaluator; /* a struct begins where its first member does */
    if (ev == NULL) {
        return;
    }
    for (uint32_t k = 0; ev->behz != NULL && k <= product_limbs(evaluator->params, &evaluator->requirements); k++) {
        hb_behz_clear(&ev->behz[k]);
    }
    free(ev->behz);
    hb_evaluator_clear(evaluator);
    free(ev);
}

/* A factor in NTT form, in the level's limbs and in the auxiliary base; [size * count] polynomials each. */
typedef struct factor {
    hb_batch q, auxiliary;
} factor;

/* Takes the memory of a factor from the workspace. */
static factor take_factor(hb_evaluator *ev, hb_workspace *workspace, const hb_behz *behz, const hb_level *level,
                          size_t polynomials)
{
    const hb_batch q = hb_workspace_take(workspace, ev, polynomials, level->basis.limbs, level->basis.ids);
    return (factor){q, hb_workspace_take(workspace, ev, polynomials, behz->limbs, behz->ids)};
}

static factor slice_factor(factor f, size_t first, size_t polynomials)
{
    return (factor){hb_batch_slice(f.q, first, polynomials), hb_batch_slice(f.auxiliary, first, polynomials)};
}

/* Does step 1 for ciphertexts first .. first + count - 1 of a, and the transforms of step 2 in the level's limbs. The
 * auxiliary limbs are left in coefficient form: the caller transforms those of both factors together. */
static hb_status lift(hb_evaluator *ev, factor f, hb_ciphertexts a, size_t first, size_t count, const hb_behz *behz)
{
    /* Components stand together where all ciphertexts are taken: then one call does them all. */
    const uint32_t runs = hb_component_runs(a, count);
    const size_t length = f.q.count / runs;
    for (uint32_t i = 0; i < runs; i++) {
        const hb_batch from = hb_component_run(a, i, first, count);
        HB_TRY(hb_base_convert(ev->engine, hb_batch_slice(f.auxiliary, i * length, length), from, &behz->lift));
        HB_TRY(hb_ntt_of(ev->engine, hb_batch_slice(f.q, i * length, length), from));
    }
    return HB_OK;
}

/* Does step 2 in both bases, and goes back to coefficient form as step 3 takes it. */
static hb_status multiply_factors(hb_evaluator *ev, factor d, factor a, factor b, uint32_t a_size, uint32_t b_size,
                                  const hb_behz *behz)
{
    HB_TRY(hb_tensor(ev->engine, d.q, a.q, b.q, a_size, b_size));
    HB_TRY(hb_tensor(ev->engine, d.auxiliary, a.auxiliary, b.auxiliary, a_size, b_size));
    /* The factor t / qhat_i of step 3 comes with the inverse transform. */
    HB_TRY(hb_intt_scaled(ev->engine, d.q, behz->factors));
    return hb_intt(ev->engine, d.auxiliary);
}

/* Does steps 3 to 5, into ciphertexts first .. first + count - 1 of r. */
static hb_status scale_down(hb_evaluator *ev, hb_ciphertexts r, factor d, size_t first, size_t count,
                            const hb_behz *behz)
{
    const uint32_t runs = hb_component_runs(r, count);
    const size_t length = d.q.count / runs;
    for (uint32_t i = 0; i < runs; i++) {
        HB_TRY(hb_base_convert_through(ev->engine, hb_component_run(r, i, first, count),
                                       hb_batch_slice(d.auxiliary, i * length, length),
                                       hb_batch_slice(d.q, i * length, length), &behz->floor, &behz->back));
    }
    return HB_OK;
}

hb_status hb_bfv_multiply(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, hb_ciphertexts b)
{
    const hb_level *level = hb_level_of(ev, a);
    const hb_behz *behz = &((const bfv_evaluator *)ev)->behz[a.all.limbs];
    const size_t count = hb_ciphertexts_count(a), b_count = hb_ciphertexts_count(b);
    const bool square = a.all.data == b.all.data && a.size == b.size && count == b_count;
    const bool one = !square && b_count == 1; /* b is lifted once */
    HB_ASSERT(r.size == a.size + b.size - 1 && hb_ciphertexts_count(r) == count);
    HB_ASSERT(a.all.limbs <= ev->params->fresh_limbs);
    HB_ASSERT(a.size <= ev->requirements.size && b.size <= ev->requirements.size && (b_count == count || b_count == 1));
    /* As many ciphertexts at a time as the workspace holds, with both factors and the product of each. */
    const size_t a_words = multiply_words(ev->params, a.all.limbs, behz->limbs, a.size + r.size);
    const size_t b_words = square ? 0 : multiply_words(ev->params, a.all.limbs, behz->limbs, b.size);
    const size_t step = hb_evaluator_fit(ev, one ? b_words : 0, a_words + (one ? 0 : b_words), count);
    for (hb_chunk c = hb_chunks(count, step); hb_chunk_next(&c);) {
        const bool lift_b = !square && (!one || c.first == 0);
        const size_t b_polynomials = square ? 0 : b.size * (one ? 1 : c.count);
        hb_workspace workspace = hb_evaluator_workspace(ev);
        /* b comes first, and the room for a is that of the first step: where b is one for all, it stays where it is.
         * Both are transformed together. */
        const factor both = take_factor(ev, &workspace, behz, level, b_polynomials + a.size * (one ? step : c.count));
        const factor fb = slice_factor(both, 0, b_polynomials),
                     fa = slice_factor(both, b_polynomials, a.size * c.count);
        const factor d = take_factor(ev, &workspace, behz, level, r.size * c.count);
        HB_TRY(lift(ev, fa, a, c.first, c.count, behz));
        if (lift_b) {
            HB_TRY(lift(ev, fb, b, one ? 0 : c.first, one ? 1 : c.count, behz));
        }
        HB_TRY(hb_ntt(ev->engine,
                      lift_b ? slice_factor(both, 0, b_polynomials + a.size * c.count).auxiliary : fa.auxiliary));
        HB_TRY(multiply_factors(ev, d, fa, square ? fa : fb, a.size, b.size, behz));
        HB_TRY(scale_down(ev, r, d, c.first, c.count, behz));
    }
    return HB_OK;
}

hb_status hb_bfv_add_plain(hb_evaluator *ev, hb_ciphertexts r, hb_batch plain, hb_sign sign)
{
    /* Only the first component has the message. */
    return hb_add_scaled_plain(ev->engine, hb_ciphertexts_component(r, 0), plain,
                               &hb_bfv_level_of(ev->params, r.all.limbs)->scale_plain, sign);
}

/* Multiplies a's ciphertexts first .. first + count - 1, transformed, by their plaintexts or the only one of all; r
 * stays in NTT form. */
static hb_status multiply_lifted(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, hb_batch plain, size_t first,
                                 size_t count)
{
    const hb_bfv_level *level = hb_bfv_level_of(ev->params, r.all.limbs);
    hb_workspace workspace = hb_evaluator_workspace(ev);
    const hb_batch lifted = hb_workspace_take(&workspace, ev, plain.count, r.all.limbs, r.all.ids);
    HB_TRY(hb_lift_plain(ev->engine, lifted, plain, &level->plain_lift));
    HB_TRY(hb_ntt(ev->engine, lifted));
    return hb_evaluator_multiply_polynomials(ev, r, a, lifted, first, count);
}

hb_status hb_bfv_multiply_plain(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, hb_batch plain)
{
    const size_t count = hb_ciphertexts_count(r);
    HB_ASSERT(r.size == a.size && (plain.count == count || plain.count == 1) && ev->requirements.plain_factors);
    const size_t fit = hb_evaluator_fit(ev, 0, hb_words_of(ev->params, 1, r.all.ids, r.all.limbs), count);
    const size_t step = plain.count == 1 ? count : fit;
    for (hb_chunk c = hb_chunks(count, step); hb_chunk_next(&c);) {
        const hb_batch factors = plain.count == 1 ? plain : hb_batch_slice(plain, c.first, c.count);
        HB_TRY(multiply_lifted(ev, r, a, factors, c.first, c.count));
    }
    return hb_intt(ev->engine, r.all);
}

static hb_status swap(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_switch_keys *keys, bool add)
{
    const hb_switch_key *key = hb_rotation_key(ev, keys, hb_galois_swap(ev->params->ring.n), a.all.limbs);
    if (key == NULL) {
        return HB_FAIL(HB_EDATA, "there is no key to swap the rows");
    }
    return add ? hb_evaluator_galois_add(ev, r, a, key) : hb_evaluator_galois(ev, r, a, key);
}

hb_status hb_bfv_swap(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_switch_keys *keys)
{
    return swap(ev, r, a, keys, false);
}

hb_status hb_bfv_sum_slots(hb_evaluator *ev, hb_ciphertexts r, const hb_switch_keys *keys)
{
    HB_TRY(hb_sum_window(ev, r, (hb_rotation){HB_BFV_GENERATOR, 1}, (uint32_t)(ev->params->ring.n / 2), keys));
    return swap(ev, r, r, keys, true);
}
