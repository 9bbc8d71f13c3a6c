#include "bootstrap.h"

#include <stdlib.h>

#include "bootstrap_maps.h"
#include "evaluator.h"
#include "polynomial.h"
#include "ring/galois.h"
#include "ring/permutation.h"
#include "rlwe/rotation.h"

/* The coarsest scale at which a map is encoded: entries are of size 1. */
enum { LEAST_MAP_BITS = 20 };

typedef struct ckks_bootstrap {
    hb_bootstrap rlwe;
    hb_engine *engine;
    hb_bootstrapping_levels levels;
    size_t count;      /* ciphertexts at a time */
    uint32_t stc, cts; /* maps of each direction */
    uint32_t ranges;   /* of values; the last map to coefficients is there once for each */
    uint32_t *range_bits;
    hb_linear_map **maps; /* [stc - 1 + cts + ranges]: all others in order, then the last ones to coefficients */
    hb_mod_up raise;      /* from q_0 to all primes that are not special */
    hb_permutation conjugation;
    hb_polynomial *eval_mod;
    uint64_t *work; /* of the words that hb_ckks_bootstrap_bytes counts */
    size_t work_words;
} ckks_bootstrap;

/* What maps are made of, whose values may be left out. */
typedef struct map_use {
    hb_slot_direction direction;
    uint32_t i;          /* of its direction */
    uint32_t range_bits; /* where values are read at a smaller scale */
} map_use;

static uint32_t map_count(const hb_bootstrapping_spec *chain, const hb_bootstrap_spec *spec)
{
    return chain->stc_levels - 1 + chain->cts_levels + spec->ranges;
}

/* Returns what map number m of a bootstrap is. */
static map_use use_of(const hb_bootstrapping_spec *chain, const hb_bootstrap_spec *spec, uint32_t m)
{
    const uint32_t first = chain->stc_levels - 1, others = first + chain->cts_levels;
    if (m < first) {
        return (map_use){HB_SLOTS_BECOME_COEFFICIENTS, m, 0};
    }
    return m < others ? (map_use){HB_COEFFICIENTS_BECOME_SLOTS, m - first, 0}
                      : (map_use){HB_SLOTS_BECOME_COEFFICIENTS, first, spec->range_bits[m - others]};
}

static hb_linear_spec linear_spec(const hb_params *params, map_use use)
{
    return (hb_linear_spec){.limbs = hb_bootstrap_map_limbs(params, use.direction, use.i),
                            .baby = HB_BOOTSTRAP_BABY,
                            .scale = hb_bootstrap_map_scale(params, use.direction, use.i, use.range_bits),
                            .count = 0};
}

/* --- memory */

/* What the engine has: constants, and workspace for one ciphertext. */
typedef struct boot_memory {
    uint64_t constant_bytes;
    size_t words;
} boot_memory;

/* Ciphertexts at the highest level, twice for maps that go from one to the other, which together hold what EvalMod
 * makes of halves; and the halves, where before these values become coefficients. */
static size_t ciphertext_words(const hb_params *params, const hb_bootstrapping_levels *levels)
{
    const size_t halves = hb_words_of(params, 4, params->ids, levels->eval_mod + 1);
    const size_t low = hb_words_of(params, 4, params->ids, levels->stc + 1);
    return hb_words_of(params, 4, params->ids, levels->top + 1) + hb_larger(halves, low);
}

/* Digits, products, coefficients and remainders of a switch from q_0 .. at that level. */
static size_t switch_words(const hb_params *params, const hb_gadget_level *level)
{
    return hb_words_of(params, (size_t)level->digits + 2, level->switch_ids, level->switch_limbs) +
           hb_words_of(params, 3, params->ids, level->limbs);
}

/* Finds what is needed; the words of maps and of EvalMod are those of the largest. */
static hb_status find_memory(boot_memory *m, const hb_params *params, const hb_bootstrap_spec *spec)
{
    const hb_bootstrapping_spec *chain = &params->spec.ckks.bootstrapping;
    const hb_bootstrapping_levels levels = hb_ckks_bootstrapping_levels(&params->spec);
    hb_polynomial *eval_mod;
    HB_TRY(hb_ckks_eval_mod_open(params, &eval_mod));
    size_t words = 2 * eval_mod->words;
    hb_ckks_polynomial_close(eval_mod);
    *m = (boot_memory){.constant_bytes = 2 * params->ring.n * sizeof(uint32_t)};
    for (uint32_t i = 0; i < map_count(chain, spec); i++) {
        const map_use use = use_of(chain, spec, i);
        const hb_slot_transform t = hb_bootstrap_transform(params, use.direction);
        const hb_linear_spec linear = linear_spec(params, use);
        hb_linear_memory taken = {0};
        hb_slot_factor factor;
        HB_TRY(hb_slot_factor_init(&factor, &t, use.i, false));
        const hb_status st = hb_linear_memory_of(&taken, params, &linear, &factor.diagonals);
        hb_slot_factor_clear(&factor);
        HB_TRY(st);
        m->constant_bytes += taken.bytes;
        words = hb_larger(words, taken.words);
    }
    words = hb_larger(words, switch_words(params, &params->sparse_gadget.levels[1]) +
                                 switch_words(params, &params->gadget.levels[levels.top + 1]));
    m->words = words + ciphertext_words(params, &levels);
    return HB_OK;
}

static hb_status require(const hb_params *params)
{
    return hb_params_can_bootstrap(params)
               ? HB_OK
               : HB_FAIL(HB_ECONFIG, "parameters %s have no levels for bootstrapping", params->name);
}

hb_status hb_ckks_bootstrap_bytes(const hb_params *params, const hb_bootstrap_spec *spec, uint64_t *bytes)
{
    boot_memory m;
    *bytes = 0;
    HB_TRY(require(params));
    HB_TRY(find_memory(&m, params, spec));
    *bytes = m.constant_bytes + spec->count * m.words * sizeof(uint64_t);
    return HB_OK;
}

/* --- opening */

static hb_status open_map(ckks_bootstrap *b, map_use use, hb_linear_map **out)
{
    const hb_params *params = b->rlwe.params;
    const hb_slot_transform t = hb_bootstrap_transform(params, use.direction);
    const hb_linear_spec spec = linear_spec(params, use);
    if (hb_exact_scale_log2(spec.scale) < LEAST_MAP_BITS) {
        return HB_FAIL(HB_EDATA,
                       "values up to 2^%u are too large for bootstrapping with parameters %s: make them smaller, at "
                       "most 2^%.0f",
                       use.range_bits, params->name, hb_exact_scale_log2(spec.scale) + use.range_bits - LEAST_MAP_BITS);
    }
    hb_slot_factor factor;
    HB_TRY(hb_slot_factor_init(&factor, &t, use.i, true));
    const hb_status st = hb_linear_map_open(b->engine, params, &spec, &factor.diagonals, out);
    hb_slot_factor_clear(&factor);
    return st;
}

static hb_status fill(ckks_bootstrap *b, const hb_bootstrap_spec *spec)
{
    const hb_params *params = b->rlwe.params;
    const hb_bootstrapping_spec *chain = &params->spec.ckks.bootstrapping;
    void *work = NULL;
    boot_memory m;
    HB_TRY(find_memory(&m, params, spec));
    b->range_bits = calloc(spec->ranges, sizeof *b->range_bits);
    b->maps = calloc(map_count(chain, spec), sizeof *b->maps);
    if (b->range_bits == NULL || b->maps == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for bootstrapping");
    }
    for (; b->ranges < spec->ranges; b->ranges++) {
        b->range_bits[b->ranges] = spec->range_bits[b->ranges];
    }
    for (uint32_t i = 0; i < map_count(chain, spec); i++) {
        HB_TRY(open_map(b, use_of(chain, spec, i), &b->maps[i]));
    }
    HB_TRY(hb_mod_up_init(&b->raise, &params->ring, params->ids, b->levels.top + 1, 0, 1));
    HB_TRY(hb_permutation_init_galois(&b->conjugation, b->engine, hb_galois_swap(params->ring.n)));
    HB_TRY(hb_ckks_eval_mod_open(params, &b->eval_mod));
    HB_TRY(hb_alloc(b->engine, b->count * m.words * sizeof *b->work, &work));
    b->work = work;
    b->work_words = b->count * m.words;
    return HB_OK;
}

hb_status hb_ckks_bootstrap_open(hb_engine *engine, const hb_params *params, const hb_bootstrap_spec *spec,
                                 hb_bootstrap **out)
{
    *out = NULL;
    HB_ASSERT(spec->count >= 1 && spec->ranges >= 1);
    HB_TRY(require(params));
    ckks_bootstrap *b = calloc(1, sizeof *b);
    if (b == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for bootstrapping");
    }
    *b = (ckks_bootstrap){.rlwe = {.params = params},
                          .engine = engine,
                          .levels = hb_ckks_bootstrapping_levels(&params->spec),
                          .count = spec->count,
                          .stc = params->spec.ckks.bootstrapping.stc_levels,
                          .cts = params->spec.ckks.bootstrapping.cts_levels};
    b->rlwe.limbs = b->levels.stc + 1;
    b->rlwe.result_limbs = b->levels.out + 1;
    const hb_status st = fill(b, spec);
    if (st != HB_OK) {
        hb_ckks_bootstrap_close(&b->rlwe);
        return st;
    }
    *out = &b->rlwe;
    return HB_OK;
}

void hb_ckks_bootstrap_close(hb_bootstrap *bootstrap)
{
    ckks_bootstrap *b = (ckks_bootstrap *)bootstrap; /* a struct begins where its first member does */
    if (b == NULL) {
        return;
    }
    for (uint32_t i = 0; b->maps != NULL && i < b->stc - 1 + b->cts + b->ranges; i++) {
        hb_linear_map_close(b->maps[i]);
    }
    hb_mod_up_clear(&b->raise);
    hb_permutation_clear(&b->conjugation, b->engine);
    hb_ckks_polynomial_close(b->eval_mod);
    hb_free(b->engine, b->work);
    free(b->maps);
    free(b->range_bits);
    free(b);
}

/* --- application */

/* One batch of ciphertexts at work. */
typedef struct application {
    hb_evaluator *ev;
    const ckks_bootstrap *b;
    const hb_switch_keys *keys;
    const hb_switch_key *relinearization, *conjugation, *to_sparse, *from_sparse;
    hb_bootstrap_kind kind;
    uint32_t range_bits;
    size_t count;
    /* What stages take from one another, in the workspace. Two of the places for ciphertexts of the highest level, one
     * behind the other, hold maps on the way, or what is made of halves; the place of halves is that of ciphertexts of
     * low levels before. */
    hb_ciphertexts low[2];                 /* operands, and what a map to coefficients makes, by turns */
    hb_ciphertexts wide[2];                /* likewise, of the other maps */
    hb_ciphertexts coefficients, raised;   /* modulo q_0 alone; modulo all primes */
    hb_ciphertexts slots, halves, reduced; /* before they are split; parts, before and behind EvalMod */
    hb_workspace work;                     /* what is left */
} application;

static hb_status find_keys(application *x)
{
    const hb_bootstrapping_levels *levels = &x->b->levels;
    const uint32_t eval_mod = levels->eval_mod + 1;
    x->relinearization = hb_switch_keys_find_at(x->keys, HB_FROM_SQUARE, HB_RELINEARIZATION, eval_mod);
    x->conjugation =
        hb_switch_keys_find_at(x->keys, HB_TO_AUTOMORPHISM, hb_galois_swap(x->ev->params->ring.n), eval_mod);
    x->to_sparse = hb_switch_keys_find_at(x->keys, HB_TO_SPARSE, 0, 1);
    x->from_sparse = hb_switch_keys_find_at(x->keys, HB_FROM_SPARSE, 0, levels->top + 1);
    const char *missing = x->relinearization == NULL ? "to relinearize"
                          : x->conjugation == NULL   ? "to conjugate the slots"
                          : x->to_sparse == NULL     ? "to switch to the sparse secret"
                          : x->from_sparse == NULL   ? "to switch back from the sparse secret"
                                                     : NULL;
    return missing == NULL
               ? HB_OK
               : HB_FAIL(HB_EDATA, "bootstrapping takes a key %s at its own levels: there is none", missing);
}

/* Returns ciphertexts of 2 components on memory that has room for them. */
static hb_ciphertexts ciphertexts(const application *x, uint64_t *words, size_t count, uint32_t limbs)
{
    return (hb_ciphertexts){hb_batch_on(x->b->engine, words, 2 * count, limbs, x->ev->params->ids), 2, HB_NTT_FORM};
}

/* Returns the same memory for ciphertexts of fewer limbs. */
static hb_ciphertexts lower(const application *x, hb_ciphertexts a, uint32_t limbs)
{
    return ciphertexts(x, a.all.data, x->count, limbs);
}

/* Returns the halves that a kind has: real parts, and imaginary ones where they are asked for. */
static size_t halves_of(hb_bootstrap_kind kind)
{
    return kind == HB_BOOTSTRAP_REAL ? 1 : 2;
}

/* Lays the workspace out for some ciphertexts. */
static void lay_out(application *x, size_t count)
{
    const ckks_bootstrap *b = x->b;
    const hb_params *params = x->ev->params;
    const hb_bootstrapping_levels *levels = &b->levels;
    const size_t wide = hb_words_of(params, 2 * count, params->ids, levels->top + 1),
                 low = hb_words_of(params, 2 * count, params->ids, levels->stc + 1),
                 all = count * ciphertext_words(params, levels), halves = halves_of(x->kind) * count;
    uint64_t *const behind = b->work + 2 * wide;
    x->count = count;
    for (size_t i = 0; i < 2; i++) {
        x->wide[i] = ciphertexts(x, b->work + i * wide, count, levels->top + 1);
        x->low[i] = ciphertexts(x, behind + i * low, count, levels->stc + 1);
    }
    x->coefficients = lower(x, x->low[b->stc % 2], 1);
    x->raised = x->wide[1];
    x->slots = lower(x, x->wide[(b->cts + 1) % 2], levels->eval_mod + 1);
    x->halves = ciphertexts(x, behind, halves, levels->eval_mod + 1);
    x->reduced = ciphertexts(x, b->work, halves, levels->out + 1);
    x->work = (hb_workspace){b->work + all, b->work_words - all};
}

static hb_status show(const application *x, hb_bootstrap_stage stage, hb_ciphertexts made)
{
    const hb_bootstrap_observer *observer = &x->b->rlwe.observer;
    return observer->see == NULL ? HB_OK : observer->see(observer->with, stage, made);
}

/* Takes the chunk of operands, pairs together. */
static hb_status take(const application *x, const hb_ciphertexts a[], size_t first)
{
    hb_engine *e = x->ev->engine;
    const hb_ciphertexts to = x->low[0], second = x->low[1];
    for (uint32_t c = 0; c < 2; c++) {
        HB_TRY(hb_copy(e, hb_ciphertexts_component(to, c), hb_component_slice(a[0], c, first, x->count)));
    }
    if (x->kind != HB_BOOTSTRAP_PAIR) {
        return HB_OK;
    }
    for (uint32_t c = 0; c < 2; c++) {
        HB_TRY(hb_copy(e, hb_ciphertexts_component(second, c), hb_component_slice(a[1], c, first, x->count)));
    }
    HB_TRY(hb_ckks_multiply_i(x->ev, second, second, HB_PLUS));
    return hb_add(e, to.all, to.all, second.all);
}

/* Returns the last map to coefficients for the range of values. */
static const hb_linear_map *last_map(const application *x)
{
    const ckks_bootstrap *b = x->b;
    uint32_t i = 0;
    while (i < b->ranges && b->range_bits[i] != x->range_bits) {
        i++;
    }
    HB_ASSERT(i < b->ranges);
    return b->maps[b->stc - 1 + b->cts + i];
}

/* Slots become coefficients, on the way down to q_0 alone. */
static hb_status make_coefficients(const application *x)
{
    const ckks_bootstrap *b = x->b;
    for (uint32_t i = 0; i < b->stc; i++) {
        const hb_ciphertexts from = lower(x, x->low[i % 2], b->levels.stc - i + 1),
                             to = lower(x, x->low[(i + 1) % 2], b->levels.stc - i);
        const hb_linear_map *map = i + 1 < b->stc ? b->maps[i] : last_map(x);
        HB_TRY(hb_linear_apply_in(x->ev, to, from, map, x->keys, x->work));
        HB_TRY(show(x, HB_BOOTSTRAP_STC, to));
    }
    return HB_OK;
}

/* What a switch of keys computes in. */
typedef struct switching {
    hb_digits digits;
    hb_batch products, coefficients, remainders;
} switching;

static switching begin_switch(const application *x, hb_workspace *work, const hb_gadget *gadget, uint32_t limbs)
{
    const hb_gadget_level *level = &gadget->levels[limbs];
    const size_t count = x->count;
    const hb_batch digits =
        hb_workspace_take(work, x->ev, count * level->digits, level->switch_limbs, level->switch_ids);
    return (switching){
        .digits = hb_digits_on(x->b->engine, gadget, limbs, digits.data, count),
        .products = hb_workspace_take(work, x->ev, 2 * count, level->switch_limbs, level->switch_ids),
        .coefficients = hb_workspace_take(work, x->ev, count, limbs, x->ev->params->ids),
        .remainders = hb_workspace_take(work, x->ev, 2 * count, limbs, x->ev->params->ids),
    };
}

/* Makes the products of c_1 and the key, which are to be divided by P. */
static hb_status multiply_key(const application *x, switching *s, hb_batch c1, const hb_switch_key *key)
{
    s->digits.own = c1;
    HB_TRY(hb_digits_make(x->ev->engine, s->digits, c1, s->coefficients, HB_NTT_FORM));
    return hb_switch_key_multiply(x->ev->engine, s->products, s->digits, key);
}

/* Switches r = (c_0 + d_0, d_1), d of c_1; no overlap, but that r may be the remainders. */
static hb_status switch_to(const application *x, switching *s, hb_batch r, hb_ciphertexts a, const hb_switch_key *key)
{
    HB_TRY(multiply_key(x, s, hb_ciphertexts_component(a, 1), key));
    return hb_mod_down_apply(x->ev->engine, r, hb_ciphertexts_component(a, 0), s->products, s->remainders,
                             &s->digits.level->down, HB_NTT_FORM);
}

/* Raises the modulus under the sparse secret: coefficients modulo q_0, centred, are read modulo all primes, which adds
 * multiples of q_0, small ones as the secret is sparse. */
static hb_status raise_modulus(const application *x)
{
    const hb_params *params = x->ev->params;
    const hb_ciphertexts high = x->wide[0];
    hb_workspace work = x->work;
    switching sparse = begin_switch(x, &work, &params->sparse_gadget, 1);
    const hb_batch low = sparse.remainders;
    HB_TRY(switch_to(x, &sparse, low, x->coefficients, x->to_sparse));
    HB_TRY(hb_intt(x->ev->engine, low));
    HB_TRY(hb_mod_up_apply(x->ev->engine, high.all, low, low, &x->b->raise));
    HB_TRY(hb_ntt(x->ev->engine, high.all));
    switching dense = begin_switch(x, &work, &params->gadget, x->b->levels.top + 1);
    HB_TRY(switch_to(x, &dense, x->raised.all, high, x->from_sparse));
    return show(x, HB_BOOTSTRAP_RAISE, x->raised);
}

/* Coefficients become slots. */
static hb_status make_slots(const application *x)
{
    const ckks_bootstrap *b = x->b;
    for (uint32_t i = 0; i < b->cts; i++) {
        const hb_ciphertexts from = lower(x, x->wide[(i + 1) % 2], b->levels.top - i + 1),
                             to = lower(x, x->wide[i % 2], b->levels.top - i);
        HB_TRY(hb_linear_apply_in(x->ev, to, from, b->maps[b->stc - 1 + i], x->keys, x->work));
        HB_TRY(show(x, HB_BOOTSTRAP_CTS, to));
    }
    return HB_OK;
}

/* Takes parts apart: sums and differences with the conjugates. */
static hb_status split(const application *x)
{
    hb_engine *e = x->ev->engine;
    const uint32_t limbs = x->slots.all.limbs;
    const hb_ciphertexts conjugate = lower(x, x->wide[x->b->cts % 2], limbs);
    hb_workspace work = x->work;
    switching s = begin_switch(x, &work, &x->ev->params->gadget, limbs);
    HB_TRY(multiply_key(x, &s, hb_ciphertexts_component(x->slots, 1), x->conjugation));
    for (uint32_t c = 0; c < 2; c++) {
        const hb_batch none = {.data = NULL}, to = hb_ciphertexts_component(conjugate, c);
        HB_TRY(hb_mod_down_permute(e, to, c == 0 ? hb_ciphertexts_component(x->slots, 0) : none,
                                   hb_batch_slice(s.products, c * x->count, x->count),
                                   hb_batch_slice(s.remainders, c * x->count, x->count), &s.digits.level->down,
                                   &x->b->conjugation));
    }
    for (uint32_t c = 0; c < 2; c++) {
        const hb_batch from = hb_ciphertexts_component(x->slots, c), mirrored = hb_ciphertexts_component(conjugate, c);
        HB_TRY(hb_add(e, hb_component_slice(x->halves, c, 0, x->count), from, mirrored));
        if (halves_of(x->kind) > 1) { /* (z - z') / i = (z' - z) i */
            const hb_batch difference = hb_component_slice(x->halves, c, x->count, x->count);
            const hb_ciphertexts imaginary = {difference, 1, HB_NTT_FORM};
            HB_TRY(hb_sub(e, difference, mirrored, from));
            HB_TRY(hb_ckks_multiply_i(x->ev, imaginary, imaginary, HB_PLUS));
        }
    }
    return show(x, HB_BOOTSTRAP_SPLIT, x->halves);
}

static hb_status reduce(const application *x)
{
    HB_TRY(hb_ckks_polynomial_apply(x->ev, x->reduced, x->halves, x->b->eval_mod, x->relinearization, x->work));
    return show(x, HB_BOOTSTRAP_EVAL_MOD, x->reduced);
}

/* Puts component c of the results of a half into r, at its full range. */
static hb_status put(const application *x, hb_batch r, hb_batch half)
{
    const hb_ciphertexts to = {r, 1, HB_NTT_FORM}, from = {half, 1, HB_NTT_FORM};
    return x->range_bits == 0 ? hb_copy(x->ev->engine, r, half)
                              : hb_evaluator_multiply_integer(x->ev, to, from, (int64_t)1 << x->range_bits);
}

/* Joins the halves, or gives each its own result. */
static hb_status join(const application *x, const hb_ciphertexts r[], size_t first)
{
    for (uint32_t c = 0; c < 2; c++) {
        const hb_batch to = hb_component_slice(r[0], c, first, x->count),
                       re = hb_component_slice(x->reduced, c, 0, x->count);
        if (x->kind == HB_BOOTSTRAP_COMPLEX) {
            const hb_batch im = hb_component_slice(x->reduced, c, x->count, x->count);
            const hb_ciphertexts turned = {im, 1, HB_NTT_FORM};
            HB_TRY(hb_ckks_multiply_i(x->ev, turned, turned, HB_PLUS));
            HB_TRY(hb_add(x->ev->engine, re, re, im));
        }
        HB_TRY(put(x, to, re));
        if (x->kind == HB_BOOTSTRAP_PAIR) {
            HB_TRY(put(x, hb_component_slice(r[1], c, first, x->count),
                       hb_component_slice(x->reduced, c, x->count, x->count)));
        }
    }
    for (uint32_t i = 0; i < hb_bootstrap_batches(x->kind); i++) {
        HB_TRY(show(x, HB_BOOTSTRAP_JOIN, r[i]));
    }
    return HB_OK;
}

/* All stages but the last, which has results. */
static hb_status (*const stages[HB_BOOTSTRAP_STAGES])(const application *x) = {
    [HB_BOOTSTRAP_STC] = make_coefficients, [HB_BOOTSTRAP_RAISE] = raise_modulus, [HB_BOOTSTRAP_CTS] = make_slots,
    [HB_BOOTSTRAP_SPLIT] = split,           [HB_BOOTSTRAP_EVAL_MOD] = reduce,
};

hb_status hb_ckks_bootstrap_apply(hb_evaluator *ev, hb_bootstrap *bootstrap, hb_bootstrap_kind kind,
                                  uint32_t range_bits, hb_ciphertexts r[], hb_ciphertexts a[],
                                  const hb_switch_keys *keys)
{
    const ckks_bootstrap *b = (const ckks_bootstrap *)bootstrap;
    const size_t count = hb_ciphertexts_count(a[0]);
    HB_ASSERT(ev->requirements.limbs >= b->levels.top + 1 && ev->requirements.switching);
    for (uint32_t i = 0; i < hb_bootstrap_batches(kind); i++) {
        HB_ASSERT(a[i].size == 2 && r[i].size == 2 && a[i].form == HB_NTT_FORM && r[i].form == HB_NTT_FORM);
        HB_ASSERT(hb_ciphertexts_count(a[i]) == count && hb_ciphertexts_count(r[i]) == count);
        HB_ASSERT(a[i].all.limbs == bootstrap->limbs && r[i].all.limbs == bootstrap->result_limbs);
    }
    application x = {.ev = ev, .b = b, .keys = keys, .kind = kind, .range_bits = range_bits};
    HB_TRY(find_keys(&x));
    for (hb_chunk c = hb_chunks(count, b->count); hb_chunk_next(&c);) {
        lay_out(&x, c.count);
        HB_TRY(take(&x, a, c.first));
        for (uint32_t i = 0; i < HB_BOOTSTRAP_JOIN; i++) {
            HB_TRY(stages[i](&x));
        }
        HB_TRY(join(&x, r, c.first));
    }
    return HB_OK;
}

hb_status hb_ckks_bootstrap_stage(hb_evaluator *ev, hb_bootstrap *bootstrap, hb_bootstrap_stage stage, size_t count,
                                  const hb_switch_keys *keys)
{
    const ckks_bootstrap *b = (const ckks_bootstrap *)bootstrap;
    application x = {.ev = ev, .b = b, .keys = keys, .kind = HB_BOOTSTRAP_COMPLEX, .range_bits = b->range_bits[0]};
    HB_ASSERT(count <= b->count);
    HB_TRY(find_keys(&x));
    lay_out(&x, count);
    if (stage != HB_BOOTSTRAP_JOIN) {
        return stages[stage](&x);
    }
    const hb_ciphertexts r = ciphertexts(&x, x.halves.all.data, count, b->levels.out + 1);
    return join(&x, &r, 0);
}
