/* Products, plaintexts and numbers as operands, changes of level (evaluator.h; semantics.md 9.4 to 9.6). */
#include "evaluator.h"

#include <stdlib.h>

#include "base/modarith.h"
#include "evaluator_private.h"
#include "rlwe/evaluator_build.h"
#include "rlwe/rotation.h"

/* Polynomials that an evaluator keeps: 1 and X^(N/2), whose slots all are 1, and i. */
enum { UNIT_ONE, UNIT_I, UNITS };

typedef struct ckks_evaluator {
    hb_evaluator rlwe;
    hb_batch units; /* [UNITS][requirements.limbs], NTT form */
} ckks_evaluator;

static size_t units_words(const hb_params *params, const hb_evaluator_requirements *requirements)
{
    return hb_words_of(params, UNITS, params->ids, requirements->limbs);
}

uint64_t hb_ckks_evaluator_bytes(const hb_params *params, const hb_evaluator_requirements *requirements)
{
    return hb_evaluator_work_bytes(params, requirements, 0) + units_words(params, requirements) * sizeof(uint64_t);
}

/* Uploads a monomial, the same in every limb that is here, and transforms it. */
static hb_status make_unit(const ckks_evaluator *ev, uint64_t *words, uint32_t unit, size_t exponent)
{
    hb_engine *e = ev->rlwe.engine;
    const size_t n = ev->rlwe.params->ring.n;
    const hb_batch r = hb_batch_slice(ev->units, unit, 1);
    words[exponent] = 1;
    hb_status st = HB_OK;
    for (uint32_t l = 0; l < hb_limbs_here(e, r.ids, r.limbs); l++) {
        HB_GOTO(hb_upload(e, r.data + l * n, words, n * sizeof *words));
    }
    /* The host memory is the next unit's when this returns. */
    HB_GOTO(hb_finish(e));
    st = hb_ntt(e, r);
done:
    words[exponent] = 0;
    return st;
}

static hb_status make_units(ckks_evaluator *ev, uint32_t limbs)
{
    const hb_params *params = ev->rlwe.params;
    const size_t n = params->ring.n;
    HB_TRY(hb_batch_alloc(ev->rlwe.engine, &ev->units, UNITS, limbs, params->ids));
    uint64_t *words = calloc(n, sizeof *words);
    if (words == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the constants of an evaluator");
    }
    hb_status st;
    HB_GOTO(make_unit(ev, words, UNIT_ONE, 0));
    st = make_unit(ev, words, UNIT_I, n / 2);
done:
    free(words);
    return st;
}

hb_status hb_ckks_evaluator_open(hb_engine *engine, const hb_params *params,
                                 const hb_evaluator_requirements *requirements, hb_evaluator **out)
{
    *out = NULL;
    ckks_evaluator *ev = calloc(1, sizeof *ev);
    if (ev == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for an evaluator");
    }
    hb_status st;
    HB_GOTO(hb_evaluator_init(&ev->rlwe, engine, params, requirements, 0));
    HB_GOTO(make_units(ev, requirements->limbs));
    *out = &ev->rlwe;
    return HB_OK;
done:
    hb_ckks_evaluator_close(&ev->rlwe);
    return st;
}

void hb_ckks_evaluator_close(hb_evaluator *evaluator)
{
    ckks_evaluator *ev = (ckks_evaluator *)evaluator; /* a struct begins where its first member does */
    if (ev == NULL) {
        return;
    }
    hb_batch_free(evaluator->engine, &ev->units);
    hb_evaluator_clear(evaluator);
    free(ev);
}

/* Returns a unit in the limbs of a level. */
static hb_batch unit_of(const hb_evaluator *ev, uint32_t unit, uint32_t limbs)
{
    return hb_batch_limbs(ev->engine, hb_batch_slice(((const ckks_evaluator *)ev)->units, unit, 1), 0, limbs);
}

hb_status hb_ckks_add_plain(hb_evaluator *ev, hb_ciphertexts r, hb_batch plain, hb_sign sign)
{
    /* Only the first component has the message. */
    const hb_batch c0 = hb_ciphertexts_component(r, 0);
    HB_ASSERT(plain.limbs == r.all.limbs && (plain.count == c0.count || plain.count == 1));
    return sign == HB_PLUS ? hb_add(ev->engine, c0, c0, plain) : hb_sub(ev->engine, c0, c0, plain);
}

hb_status hb_ckks_multiply_plain(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, hb_batch plain)
{
    HB_ASSERT(r.size == a.size && plain.limbs == r.all.limbs && ev->requirements.plain_factors);
    HB_ASSERT(plain.count == hb_ciphertexts_count(r) || plain.count == 1);
    return hb_evaluator_multiply_polynomials(ev, r, a, plain, 0, hb_ciphertexts_count(r));
}

hb_status hb_ckks_multiply(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, hb_ciphertexts b)
{
    const size_t count = hb_ciphertexts_count(a), b_count = hb_ciphertexts_count(b);
    (void)hb_level_of(ev, a);
    HB_ASSERT(r.size == a.size + b.size - 1 && hb_ciphertexts_count(r) == count && (b_count == count || b_count == 1));
    HB_ASSERT(a.size <= ev->requirements.size && b.size <= ev->requirements.size);
    return hb_tensor(ev->engine, r.all, a.all, b.all, a.size, b.size);
}

hb_status hb_ckks_residues(const hb_params *params, uint64_t *residues, uint32_t limbs, double value,
                           hb_exact_scale over, hb_exact_scale under)
{
    hb_natural magnitude;
    bool negative;
    if (!hb_exact_scale_nearest(&magnitude, &negative, value, over, under) ||
        hb_natural_compare(&magnitude, &params->levels[limbs].basis.product) >= 0) {
        return HB_FAIL(HB_EDATA, "the number %g does not fit a ciphertext of %u primes with a scale of 2^%.1f", value,
                       limbs, hb_exact_scale_log2(over) - hb_exact_scale_log2(under));
    }
    for (uint32_t l = 0; l < limbs; l++) {
        const hb_modulus *q = &params->ring.moduli[params->ids[l]];
        const uint64_t residue = hb_natural_mod(&magnitude, q);
        residues[l] = negative ? hb_mod_negate(residue, q) : residue;
    }
    return HB_OK;
}

hb_status hb_ckks_scaled_number(const hb_params *params, uint64_t *residues, uint32_t limbs, double number)
{
    return hb_ckks_residues(params, residues, limbs, number, hb_ckks_scale(params, limbs), hb_exact_scale_of(1));
}

hb_status hb_ckks_add_residues(hb_evaluator *ev, hb_ciphertexts r, const uint64_t *residues)
{
    hb_workspace workspace = hb_evaluator_workspace(ev);
    const hb_batch c0 = hb_ciphertexts_component(r, 0);
    /* In NTT form a constant has the same word everywhere. */
    const hb_batch constant = hb_workspace_take(&workspace, ev, 1, c0.limbs, c0.ids);
    HB_TRY(hb_scale(ev->engine, constant, unit_of(ev, UNIT_ONE, c0.limbs), residues));
    return hb_add(ev->engine, c0, c0, constant);
}

hb_status hb_ckks_add_number(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, double number)
{
    uint64_t residues[HB_MAX_LIMBS];
    HB_ASSERT(r.size == a.size && r.all.limbs == a.all.limbs);
    HB_TRY(hb_ckks_scaled_number(ev->params, residues, r.all.limbs, number));
    HB_TRY(hb_evaluator_copy(ev, r, a));
    return hb_ckks_add_residues(ev, r, residues);
}

hb_status hb_ckks_multiply_number(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, double number)
{
    uint64_t residues[HB_MAX_LIMBS];
    HB_ASSERT(r.size == a.size && r.all.limbs == a.all.limbs);
    HB_TRY(hb_ckks_scaled_number(ev->params, residues, r.all.limbs, number));
    return hb_scale(ev->engine, r.all, a.all, residues);
}

hb_status hb_ckks_multiply_i(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, hb_sign sign)
{
    HB_ASSERT(r.size == a.size && r.all.limbs == a.all.limbs);
    if (ev->params->spec.ckks.like_seal) {
        /* Powers of 3 are 1 and 3 modulo 4 in turn. */
        return HB_FAIL(HB_ECONFIG, "with parameters %s, slots in powers of 3, X^(N/2) is i in every other slot only",
                       ev->params->name);
    }
    HB_TRY(hb_mul(ev->engine, r.all, a.all, unit_of(ev, UNIT_I, r.all.limbs)));
    return sign == HB_PLUS ? HB_OK : hb_negate(ev->engine, r.all, r.all);
}

hb_status hb_ckks_adjust(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a)
{
    const hb_params *params = ev->params;
    const uint32_t limbs = r.all.limbs, above = limbs + hb_params_level_limbs(params);
    HB_ASSERT(r.size == a.size && limbs <= a.all.limbs && hb_ciphertexts_count(r) == hb_ciphertexts_count(a));
    if (limbs == a.all.limbs) {
        return hb_evaluator_drop(ev, r, a);
    }
    uint64_t factors[HB_MAX_LIMBS];
    const hb_exact_scale over =
        hb_exact_scale_multiply(hb_ckks_scale(params, limbs), hb_ckks_divisor(&params->spec, above));
    HB_TRY(hb_ckks_residues(params, factors, above, 1, over, hb_ckks_scale(params, a.all.limbs)));
    return hb_evaluator_divide_multiple(ev, r.all, hb_batch_limbs(ev->engine, a.all, 0, above), factors);
}

hb_status hb_ckks_conjugate(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_switch_keys *keys)
{
    const hb_switch_key *key = hb_rotation_key(ev, keys, hb_galois_swap(ev->params->ring.n), a.all.limbs);
    return key != NULL ? hb_evaluator_galois(ev, r, a, key)
                       : HB_FAIL(HB_EDATA, "there is no key to conjugate the slots");
}

hb_status hb_ckks_sum_slots(hb_evaluator *ev, hb_ciphertexts r, const hb_switch_keys *keys)
{
    const hb_rotation by = {hb_ckks_generator(&ev->params->spec), 1};
    return hb_sum_window(ev, r, by, (uint32_t)(ev->params->ring.n / 2), keys);
}
