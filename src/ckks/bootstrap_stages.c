/* The stages of bootstrapping (bootstrap.h), each from its place in the workspace to the next. */
#include "bootstrap_private.h"
#include "bootstrapping/chain.h"
#include "bootstrapping/eval_mod.h"
#include "evaluator.h"
#include "polynomial.h"
#include "rlwe/rotation.h"

/* Space for ciphertexts at the highest level: two for maps from one to the other, which together also hold EvalMod's
 * results of the halves; and the halves, in the place of earlier low-level ciphertexts. */
size_t hb_bootstrap_ciphertext_words(const hb_params *params)
{
    /* Where the modulus is raised first, maps to coefficients begin at the level of EvalMod's results: that is below
     * eval_mod, so that they have room in the place of the halves. */
    const hb_bootstrapping_levels levels = hb_bootstrapping_levels_of(&params->spec);
    HB_ASSERT(levels.out < levels.eval_mod);
    const size_t halves = hb_words_of(params, 4, params->ids, levels.eval_mod + 1);
    const size_t low = hb_words_of(params, 4, params->ids, levels.stc + 1);
    return hb_words_of(params, 4, params->ids, levels.top + 1) + hb_larger(halves, low);
}

/* Digits, products, coefficients and remainders of a switch from q_0 .. at that level. */
size_t hb_bootstrap_switch_words(const hb_params *params, const hb_gadget_level *level)
{
    return hb_words_of(params, (size_t)level->digits + 2, level->switch_ids, level->switch_limbs) +
           hb_words_of(params, 3, params->ids, level->limbs);
}

hb_status hb_bootstrap_find_keys(hb_bootstrap_run *x)
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
static hb_ciphertexts ciphertexts(const hb_bootstrap_run *x, uint64_t *words, size_t count, uint32_t limbs)
{
    return (hb_ciphertexts){hb_batch_on(x->b->engine, words, 2 * count, limbs, x->ev->params->ids), 2, HB_NTT_FORM};
}

/* Returns the same memory for ciphertexts of fewer limbs. */
static hb_ciphertexts lower(const hb_bootstrap_run *x, hb_ciphertexts a, uint32_t limbs)
{
    return ciphertexts(x, a.all.data, x->count, limbs);
}

/* Returns the halves that a kind has: real parts, and imaginary ones where they are asked for. */
static size_t halves_of(hb_bootstrap_kind kind)
{
    return kind == HB_BOOTSTRAP_REAL ? 1 : 2;
}

/* Lays the workspace out for some ciphertexts. */
void hb_bootstrap_lay_out(hb_bootstrap_run *x, size_t count)
{
    const hb_ckks_bootstrap *b = x->b;
    const hb_params *params = x->ev->params;
    const hb_bootstrapping_levels *levels = &b->levels;
    const size_t wide = hb_words_of(params, 2 * count, params->ids, levels->top + 1),
                 low = hb_words_of(params, 2 * count, params->ids, levels->stc + 1),
                 all = count * hb_bootstrap_ciphertext_words(params), halves = halves_of(x->kind) * count;
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

static hb_status show(const hb_bootstrap_run *x, hb_bootstrap_stage stage, hb_ciphertexts made)
{
    const hb_bootstrap_observer *observer = &x->b->rlwe.observer;
    return observer->see == NULL ? HB_OK : observer->see(observer->with, stage, made);
}

/* Copies ciphertexts from, from + 2, .. of a batch. */
static hb_status copy_every_second(const hb_bootstrap_run *x, hb_ciphertexts to, hb_ciphertexts a, size_t from)
{
    for (uint32_t i = 0; i < 2 * x->count; i++) {
        const uint32_t c = i % 2;
        HB_TRY(
            hb_copy(x->ev->engine, hb_component_slice(to, c, i / 2, 1), hb_component_slice(a, c, from + i / 2 * 2, 1)));
    }
    return HB_OK;
}

/* Copies a chunk of a batch. */
static hb_status copy_chunk(const hb_bootstrap_run *x, hb_ciphertexts to, hb_ciphertexts a, size_t first)
{
    for (uint32_t c = 0; c < 2; c++) {
        HB_TRY(hb_copy(x->ev->engine, hb_ciphertexts_component(to, c), hb_component_slice(a, c, first, x->count)));
    }
    return HB_OK;
}

/* Adds the second operand of a pair, times i, to the first. */
static hb_status add_second(const hb_bootstrap_run *x)
{
    const hb_ciphertexts second = x->low[1];
    HB_TRY(hb_ckks_multiply_i(x->ev, second, second, HB_PLUS));
    return hb_add(x->ev->engine, x->low[0].all, x->low[0].all, second.all);
}

/* Brings values at the lowest level to the largest size that EvalMod takes, which the last map undoes. */
static hb_status enlarge(const hb_bootstrap_run *x)
{
    uint32_t gain;
    hb_exact_scale size;
    const bool fits = hb_bootstrap_lowest_size(x->ev->params, x->range_bits, &gain, &size);
    HB_ASSERT(fits);
    return gain == 0 ? HB_OK
                     : hb_evaluator_multiply_integer(x->ev, x->coefficients, x->coefficients, (int64_t)1 << gain);
}

/* Takes the chunk of operands, pairs together. */
hb_status hb_bootstrap_take(const hb_bootstrap_run *x, const hb_ciphertexts a[], size_t first)
{
    if (hb_bootstrap_raises_first(x->kind)) {
        HB_TRY(copy_chunk(x, x->coefficients, a[0], first));
        return x->kind == HB_BOOTSTRAP_LOWEST ? enlarge(x) : HB_OK;
    }
    for (uint32_t i = 0; i < hb_bootstrap_as_one(x->kind); i++) {
        HB_TRY(x->kind == HB_BOOTSTRAP_NEIGHBOURS ? copy_every_second(x, x->low[i], a[0], 2 * first + i)
                                                  : copy_chunk(x, x->low[i], a[i], first));
    }
    return hb_bootstrap_as_one(x->kind) > 1 ? add_second(x) : HB_OK;
}

hb_status hb_bootstrap_take_errors(const hb_bootstrap_run *x, const hb_ciphertexts *a, const hb_ciphertexts *r,
                                   size_t first)
{
    const hb_bootstrapping_levels *levels = &x->b->levels;
    const hb_eval_mod_form *form = hb_eval_mod_form_of(x->ev->params->spec.bootstrapping.eval_mod);
    const hb_ciphertexts made = lower(x, x->wide[0], levels->out + 1), down = lower(x, x->wide[1], levels->stc + 1);
    const hb_ciphertexts to = x->low[0];
    HB_TRY(copy_chunk(x, made, *r, first));
    HB_TRY(hb_ckks_adjust(x->ev, down, made));
    HB_TRY(copy_chunk(x, to, *a, first));
    HB_TRY(hb_sub(x->ev->engine, to.all, to.all, down.all));
    return hb_evaluator_multiply_integer(x->ev, to, to, (int64_t)1 << form->error_bits);
}

/* Returns the last map to coefficients for the range of values. */
static const hb_linear_map *last_map(const hb_bootstrap_run *x)
{
    const hb_ckks_bootstrap *b = x->b;
    uint32_t i = 0;
    while (i < b->ranges && b->range_bits[i] != x->range_bits) {
        i++;
    }
    HB_ASSERT(i < b->ranges);
    return b->maps[b->stc - 1 + b->cts + i];
}

/* Applies map number i of `count`, which is a part of a stage. */
static hb_status apply_map(const hb_bootstrap_run *x, hb_ciphertexts to, hb_ciphertexts from, const hb_linear_map *map,
                           uint32_t i, uint32_t count)
{
    hb_op_part part = hb_op_part_of(i, 1, count);
    part.done = i;
    part.of = count;
    const hb_op_part outer = hb_op_part_enter(&x->ev->progress, part);
    HB_TRY(hb_linear_apply_in(x->ev, to, from, map, x->keys, x->work));
    hb_op_part_leave(&x->ev->progress, outer);
    hb_op_step_done(&x->ev->progress, NULL, i + 1, count);
    return HB_OK;
}

/* Slots become coefficients: at the lowest levels, down to q_0 alone, or behind EvalMod where the modulus is raised
 * first. */
static hb_status make_coefficients(const hb_bootstrap_run *x)
{
    const hb_ckks_bootstrap *b = x->b;
    for (uint32_t i = 0; i < b->stc; i++) {
        const hb_ciphertexts from = lower(x, x->low[i % 2], b->levels.stc - i + 1),
                             to = lower(x, x->low[(i + 1) % 2], b->levels.stc - i);
        const hb_linear_map *map = i + 1 < b->stc ? b->maps[i] : last_map(x);
        HB_TRY(apply_map(x, to, from, map, i, b->stc));
        HB_TRY(show(x, HB_BOOTSTRAP_STC, to));
    }
    return HB_OK;
}

/* The workspace of a key switch. */
typedef struct switching {
    hb_digits digits;
    hb_batch products, coefficients, remainders;
} switching;

static switching begin_switch(const hb_bootstrap_run *x, hb_workspace *work, const hb_gadget *gadget, uint32_t limbs)
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
static hb_status multiply_key(const hb_bootstrap_run *x, switching *s, hb_batch c1, const hb_switch_key *key)
{
    s->digits.own = c1;
    HB_TRY(hb_digits_make(x->ev->engine, s->digits, c1, s->coefficients, HB_NTT_FORM));
    return hb_switch_key_multiply(x->ev->engine, s->products, s->digits, key);
}

/* Switches r = (c_0 + d_0, d_1), d of c_1; no overlap, but that r may be the remainders. */
static hb_status switch_to(const hb_bootstrap_run *x, switching *s, hb_batch r, hb_ciphertexts a,
                           const hb_switch_key *key)
{
    HB_TRY(multiply_key(x, s, hb_ciphertexts_component(a, 1), key));
    return hb_mod_down_apply(x->ev->engine, r, hb_ciphertexts_component(a, 0), s->products, s->remainders,
                             &s->digits.level->down, HB_NTT_FORM);
}

/* Applies an automorphism behind the switch to it: r = phi(c_0 + d_0, d_1); no overlap. */
static hb_status turn(const hb_bootstrap_run *x, switching *s, hb_ciphertexts r, hb_ciphertexts a,
                      const hb_switch_key *key, const hb_permutation *by)
{
    HB_TRY(multiply_key(x, s, hb_ciphertexts_component(a, 1), key));
    return hb_mod_down_permute(x->ev->engine, r.all, hb_ciphertexts_component(a, 0), s->products, s->remainders,
                               &s->digits.level->down, by);
}

/* Values that repeat are a polynomial in a power of X, and its coefficients alone have them; the raise adds an
 * arbitrary polynomial. The sum over the rotations by all multiples of the period leaves that power alone, of each
 * coefficient as many times. */
static hb_status trace(const hb_bootstrap_run *x, switching *s)
{
    const hb_ciphertexts turned = x->wide[0];
    for (uint32_t i = 0; i < x->b->traces; i++) {
        const hb_permutation *by = &x->b->trace[i];
        const hb_switch_key *key = hb_rotation_key(x->ev, x->keys, by->element, x->raised.all.limbs);
        if (key == NULL) {
            return HB_FAIL(HB_EDATA,
                           "bootstrapping of values that repeat every %zu slots takes keys of its own: one "
                           "is missing",
                           x->b->period);
        }
        HB_TRY(turn(x, s, turned, x->raised, key, by));
        HB_TRY(hb_add(x->ev->engine, x->raised.all, x->raised.all, turned.all));
        hb_op_step_done(&x->ev->progress, NULL, i + 2, x->b->traces + 1); /* behind the raise */
    }
    return HB_OK;
}

/* Raises the modulus under the sparse secret: coefficients modulo q_0, centred, are read modulo all primes, which adds
 * multiples of q_0, small ones as the secret is sparse. */
static hb_status raise_modulus(const hb_bootstrap_run *x)
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
    HB_TRY(trace(x, &dense));
    return show(x, HB_BOOTSTRAP_RAISE, x->raised);
}

/* Coefficients become slots. */
static hb_status make_slots(const hb_bootstrap_run *x)
{
    const hb_ckks_bootstrap *b = x->b;
    for (uint32_t i = 0; i < b->cts; i++) {
        const hb_ciphertexts from = lower(x, x->wide[(i + 1) % 2], b->levels.top - i + 1),
                             to = lower(x, x->wide[i % 2], b->levels.top - i);
        HB_TRY(apply_map(x, to, from, b->maps[b->stc - 1 + i], i, b->cts));
        HB_TRY(show(x, HB_BOOTSTRAP_CTS, to));
    }
    return HB_OK;
}

/* Takes parts apart: sums and differences with the conjugates. */
static hb_status split(const hb_bootstrap_run *x)
{
    hb_engine *e = x->ev->engine;
    const uint32_t limbs = x->slots.all.limbs;
    const hb_ciphertexts conjugate = lower(x, x->wide[x->b->cts % 2], limbs);
    hb_workspace work = x->work;
    switching s = begin_switch(x, &work, &x->ev->params->gadget, limbs);
    HB_TRY(turn(x, &s, conjugate, x->slots, x->conjugation, &x->b->conjugation));
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

static hb_status reduce(const hb_bootstrap_run *x)
{
    HB_TRY(hb_ckks_polynomial_apply(x->ev, x->reduced, x->halves, x->eval_mod, x->relinearization, x->work));
    return show(x, HB_BOOTSTRAP_EVAL_MOD, x->reduced);
}

/* Puts component c of the results of a half into r, at its full range, or adds it. */
static hb_status put(const hb_bootstrap_run *x, hb_batch r, hb_batch half)
{
    const hb_ciphertexts to = {r, 1, HB_NTT_FORM}, from = {half, 1, HB_NTT_FORM};
    const bool add = x->eval_mod == x->b->eval_mod_of_errors;
    const bool full = x->range_bits == 0 || x->kind == HB_BOOTSTRAP_LOWEST; /* whose last map brings values to it */
    if (!full) {
        HB_TRY(hb_evaluator_multiply_integer(x->ev, add ? from : to, from, (int64_t)1 << x->range_bits));
    }
    return add ? hb_add(x->ev->engine, r, r, half) : full ? hb_copy(x->ev->engine, r, half) : HB_OK;
}

/* Puts component c of the results of both halves into a batch, by turns. */
static hb_status put_by_turns(const hb_bootstrap_run *x, hb_ciphertexts r, uint32_t c, size_t first)
{
    for (size_t i = 0; i < 2 * x->count; i++) {
        HB_TRY(put(x, hb_component_slice(r, c, 2 * first + i, 1),
                   hb_component_slice(x->reduced, c, i % 2 * x->count + i / 2, 1)));
    }
    return HB_OK;
}

/* Joins the halves, or gives each its own result. */
hb_status hb_bootstrap_join(const hb_bootstrap_run *x, const hb_ciphertexts r[], size_t first)
{
    for (uint32_t c = 0; c < 2; c++) {
        if (x->kind == HB_BOOTSTRAP_NEIGHBOURS) {
            HB_TRY(put_by_turns(x, r[0], c, first));
            continue;
        }
        const hb_batch to = hb_component_slice(r[0], c, first, x->count),
                       re = hb_component_slice(x->reduced, c, 0, x->count);
        if (x->kind == HB_BOOTSTRAP_COMPLEX || x->kind == HB_BOOTSTRAP_NOISE || x->kind == HB_BOOTSTRAP_LOWEST) {
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
static hb_status (*const stages[HB_BOOTSTRAP_STAGES])(const hb_bootstrap_run *x) = {
    [HB_BOOTSTRAP_STC] = make_coefficients, [HB_BOOTSTRAP_RAISE] = raise_modulus, [HB_BOOTSTRAP_CTS] = make_slots,
    [HB_BOOTSTRAP_SPLIT] = split,           [HB_BOOTSTRAP_EVAL_MOD] = reduce,
};

/* About how long each takes beside the others, EvalMod for each half: milliseconds of a ciphertext of boot-test on one
 * core of a CPU, as nobody sees steps on a GPU. The larger rings have the same chain: a ciphertext of theirs takes the
 * same operations, each on more words. Slots to coefficients are of the lowest levels; behind EvalMod they take longer,
 * by limbs, so that the share of a bootstrap that raises the modulus first ends with a longer step. */
static const struct {
    const char *name;
    double time;
} parts[HB_BOOTSTRAP_JOIN] = {[HB_BOOTSTRAP_STC] = {"slots to coefficients", 3.6},
                              [HB_BOOTSTRAP_RAISE] = {"raising the modulus", 1.9},
                              [HB_BOOTSTRAP_CTS] = {"coefficients to slots", 20},
                              [HB_BOOTSTRAP_SPLIT] = {"real and imaginary parts", 2},
                              [HB_BOOTSTRAP_EVAL_MOD] = {"EvalMod", 27.5}};

/* The order of stages before parts are joined; where the modulus is raised first slots become coefficients behind
 * that. */
static const hb_bootstrap_stage of_reals[] = {HB_BOOTSTRAP_STC, HB_BOOTSTRAP_RAISE, HB_BOOTSTRAP_CTS,
                                              HB_BOOTSTRAP_SPLIT, HB_BOOTSTRAP_EVAL_MOD},
                                raised_first[] = {HB_BOOTSTRAP_RAISE, HB_BOOTSTRAP_CTS, HB_BOOTSTRAP_SPLIT,
                                                  HB_BOOTSTRAP_EVAL_MOD, HB_BOOTSTRAP_STC};
_Static_assert(sizeof of_reals == sizeof raised_first, "both have the same stages");

/* Returns stage i of those before parts are joined, i < HB_BOOTSTRAP_JOIN. */
static hb_bootstrap_stage stage_at(const hb_bootstrap_run *x, uint32_t i)
{
    return (hb_bootstrap_raises_first(x->kind) ? raised_first : of_reals)[i];
}

/* Returns the part of a bootstrap that a stage is. */
static hb_op_part part_of(const hb_bootstrap_run *x, hb_bootstrap_stage stage)
{
    double before = 0, all = 0, own = 0;
    for (uint32_t i = 0; i < HB_BOOTSTRAP_JOIN; i++) {
        const hb_bootstrap_stage at = stage_at(x, i);
        const double time = parts[at].time * (at == HB_BOOTSTRAP_EVAL_MOD ? (double)halves_of(x->kind) : 1);
        before = at == stage ? all : before;
        own = at == stage ? time : own;
        all += time;
    }
    return (hb_op_part){.name = parts[stage].name, .from = before / all, .share = own / all};
}

hb_status hb_bootstrap_run_stage(const hb_bootstrap_run *x, hb_bootstrap_stage stage)
{
    const hb_op_part outer = hb_op_part_enter(&x->ev->progress, part_of(x, stage));
    hb_op_step_done(&x->ev->progress, NULL, 0, 1);
    HB_TRY(stages[stage](x));
    hb_op_part_leave(&x->ev->progress, outer);
    return HB_OK;
}

/* Twice the real part of the first half's results and i times that of the second's: g_0 + i g_1, and the conjugate of
 * g_0 - i g_1. One conjugation serves both. */
static hb_status join_real_parts(const hb_bootstrap_run *x, hb_ciphertexts r)
{
    hb_engine *e = x->ev->engine;
    const hb_ciphertexts difference = lower(x, x->reduced, r.all.limbs), mirrored = lower(x, x->low[1], r.all.limbs);
    hb_workspace work = x->work;
    for (uint32_t c = 0; c < 2; c++) {
        const hb_batch re = hb_component_slice(x->reduced, c, 0, x->count),
                       im = hb_component_slice(x->reduced, c, x->count, x->count);
        const hb_ciphertexts turned = {im, 1, HB_NTT_FORM};
        HB_TRY(hb_ckks_multiply_i(x->ev, turned, turned, HB_PLUS));
        HB_TRY(hb_add(e, hb_ciphertexts_component(r, c), re, im));
        /* The difference overwrites both parts of component c, which were read, and nothing of component c + 1. */
        HB_TRY(hb_sub(e, hb_ciphertexts_component(difference, c), re, im));
    }
    switching s = begin_switch(x, &work, &x->ev->params->gadget, r.all.limbs);
    HB_TRY(turn(x, &s, mirrored, difference, x->conjugation, &x->b->conjugation));
    HB_TRY(hb_add(e, r.all, r.all, mirrored.all));
    return show(x, HB_BOOTSTRAP_JOIN, r);
}

/* Does the last stages where the modulus is raised first: joins parts and takes them to coefficients, results first ..
 * first + x->count. */
static hb_status finish_coefficients(const hb_bootstrap_run *x, hb_ciphertexts r, size_t first)
{
    const hb_bootstrapping_levels *levels = &x->b->levels;
    const hb_ciphertexts joined = lower(x, x->low[0], levels->out + 1),
                         made = lower(x, x->low[x->b->stc % 2], levels->coefficients + 1);
    if (x->kind == HB_BOOTSTRAP_TABLE) {
        HB_TRY(join_real_parts(x, joined));
    } else {
        HB_TRY(hb_bootstrap_join(x, &joined, 0));
    }
    HB_TRY(hb_bootstrap_run_stage(x, HB_BOOTSTRAP_STC));
    for (uint32_t c = 0; c < 2; c++) {
        HB_TRY(hb_copy(x->ev->engine, hb_component_slice(r, c, first, x->count), hb_ciphertexts_component(made, c)));
    }
    return HB_OK;
}

hb_status hb_bootstrap_run_stages(const hb_bootstrap_run *x, const hb_ciphertexts r[], size_t first)
{
    for (uint32_t i = 0; i < HB_BOOTSTRAP_JOIN; i++) {
        const hb_bootstrap_stage stage = stage_at(x, i);
        if (hb_bootstrap_raises_first(x->kind) && stage == HB_BOOTSTRAP_STC) {
            return finish_coefficients(x, r[0], first);
        }
        HB_TRY(hb_bootstrap_run_stage(x, stage));
    }
    return hb_bootstrap_join(x, r, first);
}
