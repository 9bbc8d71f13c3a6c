#include "refresh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/modarith.h"
#include "bfv/params.h"
#include "bootstrapping/chain.h"
#include "bootstrapping/eval_mod.h"
#include "ckks/bootstrap.h"
#include "ckks/evaluator.h"
#include "ckks/params.h"
#include "rlwe/evaluator_build.h"

/* Bits of the fraction of a double. */
enum { FRACTION_BITS = 52 };

typedef struct hb_refresh {
    hb_bootstrap rlwe;
    hb_engine *engine;
    hb_params *reals;      /* of the chain; borrowed with the maps */
    bool borrowed;         /* the reals are those of another one */
    hb_bootstrap *reading; /* reads noise, on the reals */
    hb_evaluator *ev;      /* on the reals, without operations that need a workspace */
    hb_mod_down down;      /* from the users' limbs to q_0 */
    size_t count;          /* ciphertexts at a time */
    hb_batch scaled, low;  /* [2 count] of the users' limbs, and of q_0 */
    hb_switch_keys keys;   /* those of the last call, as keys of the reals: views, host */
    uint32_t room;         /* for keys */
} hb_refresh;

static hb_refresh *refresh_of(hb_bootstrap *bootstrap)
{
    return (hb_refresh *)bootstrap; /* a struct begins where its first member does */
}

/* --- numbers */

static void multiply_power_of_two(hb_natural *a, uint32_t exponent)
{
    for (; exponent > 0; exponent -= exponent < 63 ? exponent : 63) {
        hb_natural_mul_add(a, UINT64_C(1) << (exponent < 63 ? exponent : 63), 0);
    }
}

static void divide_power_of_two(hb_natural *a, uint32_t exponent)
{
    for (; exponent > 0; exponent -= exponent < 63 ? exponent : 63) {
        (void)hb_natural_div(a, UINT64_C(1) << (exponent < 63 ? exponent : 63));
    }
}

/* C = floor(Q / D + 1/2), D = t m 2^(k + scale + e): the ratio is the double m 2^e, m an integer. That is floor((2 Q' +
 * 1) / 2) of Q' = Q / D: floor of (floor(2 Q / D) + 1) / 2, and floors of quotients by factors are those by products.
 */
hb_status hb_refresh_constant(const hb_params *params, uint32_t k, hb_natural *c)
{
    const hb_bootstrapping_spec *chain = &params->spec.bootstrapping;
    int exponent;
    const double fraction = frexp(hb_eval_mod_form_of(chain->eval_mod)->ratio, &exponent);
    const uint64_t mantissa = (uint64_t)ldexp(fraction, FRACTION_BITS + 1);
    /* Scales have 2^40 or more, and ratios are above 1: there is a power of two to divide by. */
    HB_ASSERT((int)chain->scale_bits + exponent > FRACTION_BITS + 1);
    *c = hb_params_fresh_level(params)->basis.product;
    hb_natural_mul_add(c, 2, 0);
    divide_power_of_two(c, k + chain->scale_bits + (uint32_t)exponent - (FRACTION_BITS + 1));
    (void)hb_natural_div(c, mantissa);
    (void)hb_natural_div(c, params->spec.bfv.plain);
    hb_natural_mul_add(c, 1, 1);
    (void)hb_natural_div(c, 2);
    return hb_natural_bits(c) > HB_REFRESH_LEAST_BITS
               ? HB_OK
               : HB_FAIL(
                     HB_ECONFIG,
                     "a pass with k = %u over the noise of t = %llu gains nothing with parameters %s: the budget is "
                     "near that of fresh ciphertexts",
                     k, (unsigned long long)params->spec.bfv.plain, params->name);
}

/* Sets *c to the integer by which the results of tables are multiplied: the nearest to Q / (2 scale), halves up. */
static void table_constant(const hb_params *params, hb_natural *c)
{
    *c = hb_params_fresh_level(params)->basis.product;
    divide_power_of_two(c, params->spec.bootstrapping.scale_bits);
    hb_natural_mul_add(c, 1, 1);
    (void)hb_natural_div(c, 2);
}

/* The factors of a pass, modulo the users' primes. */
typedef struct factors {
    uint64_t up[HB_MAX_LIMBS], back[HB_MAX_LIMBS]; /* t 2^k, and the constant; of a table 1 and its constant */
} factors;

static hb_status factors_of(const hb_params *params, hb_bootstrap_kind kind, uint32_t k, factors *f)
{
    const hb_basis *users = &hb_params_fresh_level(params)->basis;
    hb_natural up, back;
    hb_natural_set(&up, 1);
    if (kind == HB_BOOTSTRAP_TABLE) {
        table_constant(params, &back);
    } else {
        HB_TRY(hb_refresh_constant(params, k, &back));
        hb_natural_mul_add(&up, params->spec.bfv.plain, 0);
        multiply_power_of_two(&up, k);
    }
    hb_basis_decompose(users, &up, f->up);
    hb_basis_decompose(users, &back, f->back);
    return HB_OK;
}

/* --- opening */

static size_t together(const hb_bootstrap_spec *spec)
{
    return spec->count < HB_BOOTSTRAP_TOGETHER ? spec->count : HB_BOOTSTRAP_TOGETHER;
}

/* Noise has one range. */
static const uint32_t one_range = 0;

static hb_bootstrap_spec reading_spec(const hb_bootstrap_spec *spec)
{
    return (hb_bootstrap_spec){.count = spec->count,
                               .range_bits = &one_range,
                               .ranges = 1,
                               .tables = spec->tables,
                               .table_count = spec->table_count,
                               .of = spec->of != NULL ? ((const hb_refresh *)spec->of)->reading : NULL};
}

/* Both parts of a ciphertext are reduced together. */
static hb_evaluator_requirements requirements_of(const hb_params *reals, size_t count)
{
    return (hb_evaluator_requirements){.limbs = reals->data_limbs, .count = 2 * count, .switching = true};
}

hb_status hb_refresh_key_purposes(const hb_params *params, size_t period, hb_key_purpose *list, uint32_t room,
                                  uint32_t *count)
{
    hb_params *reals;
    *count = 0;
    HB_TRY(hb_ckks_params_of_integers(params, &reals));
    const hb_status st = hb_ckks_bootstrap_key_purposes(reals, period, list, room, count);
    hb_ckks_params_close(reals);
    return st;
}

void hb_refresh_limbs(const hb_params *params, bool lowest, uint32_t *operands, uint32_t *results)
{
    HB_ASSERT(!lowest);
    *operands = *results = params->fresh_limbs;
}

/* Words of a ciphertext beside the reading of noise. */
static size_t own_words(const hb_params *params)
{
    return hb_words_of(params, 2, params->ids, params->fresh_limbs) + hb_words_of(params, 2, params->ids, 1);
}

hb_status hb_refresh_memory(const hb_params *params, const hb_bootstrap_spec *spec, hb_bootstrap_memory *out)
{
    hb_params *reals;
    const hb_bootstrap_spec reading = reading_spec(spec);
    *out = (hb_bootstrap_memory){0};
    HB_TRY(hb_ckks_params_of_integers(params, &reals));
    const hb_evaluator_requirements requirements = requirements_of(reals, together(spec));
    const hb_status st = hb_ckks_bootstrap_memory(reals, &reading, out);
    out->own += hb_ckks_evaluator_bytes(reals, &requirements) + together(spec) * own_words(params) * sizeof(uint64_t);
    hb_ckks_params_close(reals);
    return st;
}

static hb_status fill(hb_refresh *b, const hb_bootstrap_spec *spec)
{
    const hb_params *params = b->rlwe.params;
    const hb_bootstrap_spec reading = reading_spec(spec);
    if (spec->of != NULL) {
        b->borrowed = true;
        b->reals = ((const hb_refresh *)spec->of)->reals;
    } else {
        HB_TRY(hb_ckks_params_of_integers(params, &b->reals));
    }
    HB_TRY(hb_ckks_bootstrap_open(b->engine, b->reals, &reading, &b->reading));
    const hb_evaluator_requirements requirements = requirements_of(b->reals, b->count);
    HB_TRY(hb_ckks_evaluator_open(b->engine, b->reals, &requirements, &b->ev));
    HB_TRY(hb_mod_down_init(&b->down, &params->ring, params->ids, 1, params->fresh_limbs - 1));
    HB_TRY(hb_batch_alloc(b->engine, &b->scaled, 2 * b->count, params->fresh_limbs, params->ids));
    return hb_batch_alloc(b->engine, &b->low, 2 * b->count, 1, params->ids);
}

hb_status hb_refresh_open(hb_engine *engine, const hb_params *params, const hb_bootstrap_spec *spec, hb_bootstrap **out)
{
    *out = NULL;
    HB_ASSERT(spec->count >= 1 && spec->period == 0 && !spec->twice && !spec->lowest);
    hb_refresh *b = calloc(1, sizeof *b);
    if (b == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for bootstrapping");
    }
    *b = (hb_refresh){.rlwe = {.params = params, .limbs = params->fresh_limbs, .result_limbs = params->fresh_limbs},
                      .engine = engine,
                      .count = together(spec)};
    const hb_status st = fill(b, spec);
    if (st != HB_OK) {
        hb_refresh_close(&b->rlwe);
        return st;
    }
    *out = &b->rlwe;
    return HB_OK;
}

void hb_refresh_close(hb_bootstrap *bootstrap)
{
    hb_refresh *b = refresh_of(bootstrap);
    if (b == NULL) {
        return;
    }
    free(b->keys.key);
    hb_batch_free(b->engine, &b->low);
    hb_batch_free(b->engine, &b->scaled);
    hb_mod_down_clear(&b->down);
    hb_ckks_evaluator_close(b->ev);
    hb_ckks_bootstrap_close(b->reading);
    if (!b->borrowed) {
        hb_ckks_params_close(b->reals);
    }
    free(b);
}

/* --- a pass */

/* The same keys as keys of the reals, whose gadgets are equal tables at another place. Views: nothing is freed. */
static hb_status view_keys(hb_refresh *b, const hb_switch_keys *keys)
{
    if (keys->count > b->room) {
        hb_switch_key *longer = realloc(b->keys.key, keys->count * sizeof *longer);
        if (longer == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for a list of %u keys", keys->count);
        }
        b->keys.key = longer;
        b->room = keys->count;
    }
    b->keys.count = keys->count;
    for (uint32_t i = 0; i < keys->count; i++) {
        b->keys.key[i] = keys->key[i];
        hb_switch_key_use(&b->keys.key[i], b->reals);
    }
    return HB_OK;
}

/* Reads noise modulo q_0: t 2^k times the ciphertexts, divided by the users' other primes and rounded. */
static hb_status go_down(const hb_refresh *b, hb_ciphertexts a, size_t first, size_t count, const factors *f)
{
    hb_engine *e = b->engine;
    for (uint32_t c = 0; c < 2; c++) {
        const hb_batch scaled = hb_batch_slice(b->scaled, c * count, count),
                       low = hb_batch_slice(b->low, c * count, count);
        HB_TRY(hb_scale(e, scaled, hb_component_slice(a, c, first, count), f->up));
        HB_TRY(hb_mod_down_apply(e, low, (hb_batch){.data = NULL}, scaled, low, &b->down, HB_COEFFICIENT_FORM));
    }
    return hb_ntt(e, hb_batch_slice(b->low, 0, 2 * count));
}

/* The part of one batch that goes at a time. */
typedef struct some {
    hb_bootstrap_kind kind;
    uint32_t k; /* or the number of a table */
    size_t first, count;
} some;

static hb_status pass(const hb_refresh *b, hb_ciphertexts r, hb_ciphertexts a, some part, const factors *f)
{
    const size_t first = part.first, count = part.count;
    const bool table = part.kind == HB_BOOTSTRAP_TABLE;
    hb_engine *e = b->engine;
    HB_TRY(go_down(b, a, first, count, f));
    hb_ciphertexts low = {hb_batch_slice(b->low, 0, 2 * count), 2, HB_NTT_FORM},
                   noise = {hb_batch_slice(b->scaled, 0, 2 * count), 2, HB_NTT_FORM};
    HB_TRY(hb_ckks_bootstrap_apply(b->ev, b->reading, part.kind, table ? part.k : 0, &noise, &low, &b->keys));
    HB_TRY(hb_intt_scaled(e, noise.all, f->back));
    for (uint32_t c = 0; c < 2; c++) {
        const hb_batch to = hb_component_slice(r, c, first, count), read = hb_ciphertexts_component(noise, c);
        if (table) {
            HB_TRY(hb_copy(e, to, read));
        } else {
            HB_TRY(hb_sub(e, to, hb_component_slice(a, c, first, count), read));
        }
    }
    return HB_OK;
}

hb_status hb_refresh_apply(hb_evaluator *ev, hb_bootstrap *bootstrap, hb_bootstrap_kind kind, uint32_t k,
                           hb_ciphertexts r[], hb_ciphertexts a[], const hb_switch_keys *keys)
{
    hb_refresh *b = refresh_of(bootstrap);
    const size_t count = hb_ciphertexts_count(a[0]);
    factors f;
    HB_ASSERT((kind == HB_BOOTSTRAP_NOISE || kind == HB_BOOTSTRAP_TABLE) && ev->params == b->rlwe.params);
    HB_ASSERT(a[0].size == 2 && r[0].size == 2 && a[0].form == HB_COEFFICIENT_FORM && r[0].form == HB_COEFFICIENT_FORM);
    HB_ASSERT(a[0].all.limbs == bootstrap->limbs && r[0].all.limbs == bootstrap->limbs);
    HB_ASSERT(hb_ciphertexts_count(r[0]) == count);
    HB_TRY(factors_of(b->rlwe.params, kind, k, &f));
    HB_TRY(view_keys(b, keys));
    b->reading->observer = bootstrap->observer;
    b->ev->progress = ev->progress;
    for (hb_chunk c = hb_chunks(count, b->count); hb_chunk_next(&c);) {
        const hb_op_part outer = hb_op_part_enter(&b->ev->progress, hb_op_part_of(c.first, c.count, count));
        HB_TRY(pass(b, r[0], a[0], (some){kind, k, c.first, c.count}, &f));
        hb_op_part_leave(&b->ev->progress, outer);
    }
    return HB_OK;
}

hb_status hb_refresh_stage(hb_evaluator *ev, hb_bootstrap *bootstrap, hb_bootstrap_stage stage, size_t count,
                           const hb_switch_keys *keys)
{
    hb_refresh *b = refresh_of(bootstrap);
    HB_ASSERT(ev->params == b->rlwe.params);
    HB_TRY(view_keys(b, keys));
    return hb_ckks_bootstrap_stage(b->ev, b->reading, stage, count, &b->keys);
}
