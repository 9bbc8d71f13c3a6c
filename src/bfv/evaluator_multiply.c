/* Products of ciphertexts by BEHZ (evaluator.h; semantics.md 6.2, 6.3; constants: behz.h). */
#include "evaluator_private.h"

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
    const hb_behz *behz = &x->behz[a.all.limbs];
    const size_t count = hb_ciphertexts_count(a), b_count = hb_ciphertexts_count(b);
    const bool square = a.all.data == b.all.data && a.size == b.size && count == b_count;
    const bool one = !square && b_count == 1; /* b is lifted once */
    HB_ASSERT(r.size == a.size + b.size - 1 && hb_ciphertexts_count(r) == count);
    HB_ASSERT(a.size <= x->needs.size && b.size <= x->needs.size && (b_count == count || b_count == 1));
    const size_t a_words = hb_multiply_words(x->params, a.all.limbs, behz->limbs, a.size + r.size);
    const size_t b_words = square ? 0 : hb_multiply_words(x->params, a.all.limbs, behz->limbs, b.size);
    const size_t step = hb_evaluator_fit(x, one ? b_words : 0, a_words + (one ? 0 : b_words), count);
    for (size_t first = 0; first < count; first += step) {
        const size_t now = count - first < step ? count - first : step;
        const bool lift_b = !square && (!one || first == 0);
        const size_t b_polynomials = square ? 0 : b.size * (one ? 1 : now);
        hb_room room = hb_evaluator_room(x);
        /* b comes first, and the room for a is that of the first step: where b is one for all, it stays where it is.
         * Both are transformed together. */
        const factor both = take_factor(x, &room, behz, level, b_polynomials + a.size * (one ? step : now));
        const factor fb = slice_factor(both, 0, b_polynomials), fa = slice_factor(both, b_polynomials, a.size * now);
        const factor d = take_factor(x, &room, behz, level, r.size * now);
        HB_TRY(lift(x, fa, a, first, now, behz));
        if (lift_b) {
            HB_TRY(lift(x, fb, b, one ? 0 : first, one ? 1 : now, behz));
        }
        HB_TRY(
            hb_ntt(x->engine, lift_b ? slice_factor(both, 0, b_polynomials + a.size * now).auxiliary : fa.auxiliary));
        HB_TRY(multiply_factors(x, d, fa, square ? fa : fb, a.size, b.size, behz));
        HB_TRY(scale_down(x, r, d, first, now, behz));
    }
    return HB_OK;
}
