#include "ckks_bootstrap.h"

#include <stdio.h>
#include <stdlib.h>

#include "bootstrapping/chain.h"
#include "check/bootstrap_fixture.h"
#include "ckks/bootstrap_maps.h"
#include "ckks/linear_plan.h"
#include "ckks/polynomial_plan.h"
#include "ckks/repeated.h"

/* --- lower bounds of the cost */

/* Adds up the cost of one ciphertext where `count` share keys and diagonals. */
typedef struct tally {
    hb_rates cost;
    const hb_device *device;
    const hb_params *params;
    size_t count;
} tally;

static void add_words(tally *t, size_t polynomials)
{
    hb_floor_words(&t->cost, polynomials * t->params->spec.n);
}

/* Adds limbs of so many words that a batch reads once. */
static void add_shared(tally *t, size_t limbs, size_t words)
{
    hb_floor_words(&t->cost, limbs * words / t->count);
}

static void add_transforms(tally *t, const uint16_t *ids, uint32_t limbs, size_t times)
{
    for (size_t i = 0; i < times; i++) {
        hb_floor_transform(&t->cost, t->device, &t->params->ring, ids, limbs);
    }
}

/* Digits: one transform for each limb of all digits, and those of their source to coefficients; words read and
 * written. */
static void add_digits(tally *t, const hb_gadget_level *level)
{
    add_transforms(t, level->switch_ids, level->switch_limbs, level->digits);
    add_words(t, (size_t)level->digits * level->switch_limbs + level->limbs);
}

/* Products with keys: digits are read once for several of them. */
static void add_products(tally *t, const hb_gadget_level *level, size_t keys, size_t readings)
{
    const size_t all = level->switch_limbs;
    add_words(t, readings * level->digits * all + 2 * keys * all);
    add_shared(t, 2 * keys * level->digits * all, t->params->spec.n);
}

/* Quotients of polynomials by the last `dropped` of the limbs. */
static void add_division(tally *t, const uint16_t *ids, uint32_t limbs, uint32_t dropped, size_t polynomials)
{
    const uint32_t kept = limbs - dropped;
    add_transforms(t, ids, limbs, polynomials);
    add_words(t, polynomials * (dropped + 3 * (size_t)kept));
}

/* A switch, and the division by P and `levels` primes more. */
static void add_switch(tally *t, uint32_t limbs, uint32_t levels)
{
    const hb_gadget_level *level = &t->params->gadget.levels[limbs];
    add_digits(t, level);
    add_products(t, level, 1, 1);
    add_division(t, level->switch_ids, level->switch_limbs, level->switch_limbs - limbs + levels, 2);
}

static uint32_t rotations_of(const int64_t *steps, uint32_t count)
{
    uint32_t rotations = 0;
    for (uint32_t i = 0; i < count; i++) {
        rotations += steps[i] != 0;
    }
    return rotations;
}

/* A map: digits for all baby steps, of which four read them together; sums, each giant step's divided and switched. */
static void add_map(tally *t, uint32_t limbs, const hb_linear_plan *plan)
{
    enum { BABIES_TOGETHER = 4 };
    const hb_gadget_level *level = &t->params->gadget.levels[limbs];
    const uint32_t babies = rotations_of(plan->baby, plan->babies), giants = rotations_of(plan->giant, plan->giants);
    const uint32_t all = level->switch_limbs, special = all - limbs;
    add_digits(t, level);
    add_products(t, level, babies, (babies + BABIES_TOGETHER - 1) / BABIES_TOGETHER);
    add_shared(t, (size_t)plan->terms * all, hb_repeated_words(t->params->spec.n, plan->period));
    add_words(t, 2 * ((size_t)babies + plan->giants) * all);
    for (uint32_t i = 0; i < giants; i++) {
        add_division(t, level->switch_ids, all, special, 1);
        add_digits(t, level);
        add_products(t, level, 1, 1);
    }
    add_division(t, level->switch_ids, all, special + 1, 2);
}

static hb_status add_maps(tally *t, hb_slot_direction direction)
{
    const hb_slot_transform transform = hb_bootstrap_transform(t->params, direction, t->params->spec.n / 2);
    const hb_bootstrapping_levels levels = hb_bootstrapping_levels_of(&t->params->spec);
    for (uint32_t i = 0; i < transform.maps; i++) {
        hb_slot_factor factor;
        hb_linear_plan plan = {0};
        HB_TRY(hb_slot_factor_init(&factor, &transform, i, false));
        const hb_linear_part part = {&factor.diagonals, hb_bootstrap_baby(factor.diagonals.count)};
        const hb_status st = hb_linear_plans_init(&plan, transform.slots, &part, 1);
        if (st == HB_OK) {
            add_map(t, hb_bootstrap_map_limbs(&levels, direction, i), &plan);
        }
        hb_linear_plan_clear(&plan);
        hb_slot_factor_clear(&factor);
        HB_TRY(st);
    }
    return HB_OK;
}

/* Both halves: the reads and writes of every step of the plan, and its switches and divisions. */
static hb_status add_eval_mod(tally *t)
{
    hb_polynomial_plan plan = {0};
    const hb_status st = hb_polynomial_plan_init_eval_mod(&plan, t->params, 0);
    for (uint32_t i = 0; st == HB_OK && i < 2 * plan.step_count; i++) {
        const hb_polynomial_step *step = &plan.steps[i / 2];
        const hb_polynomial_value *to = &plan.values[step->to], *a = &plan.values[step->a];
        switch (step->op) {
        case HB_POLYNOMIAL_TENSOR:
            add_words(t, (size_t)7 * to->limbs);
            break;
        case HB_POLYNOMIAL_MULTIPLE:
            add_words(t, 2 * (size_t)to->size * to->limbs);
            break;
        case HB_POLYNOMIAL_ADD:
            add_words(t, 3 * (size_t)a->size * to->limbs);
            break;
        case HB_POLYNOMIAL_ADD_NUMBER:
            add_words(t, 2 * (size_t)to->limbs);
            break;
        case HB_POLYNOMIAL_DOWN:
            if (a->size == 3) {
                add_words(t, 2 * (size_t)a->limbs);
                add_switch(t, a->limbs, 1);
            } else {
                add_division(t, t->params->ids, a->limbs, 1, 2);
            }
            break;
        case HB_POLYNOMIAL_CLEAR:
        case HB_POLYNOMIAL_TURN: /* of tables alone */
            break;
        }
    }
    hb_polynomial_plan_clear(&plan);
    return st;
}

static hb_status add_stage(tally *t, hb_bootstrap_stage stage)
{
    const hb_bootstrapping_levels levels = hb_bootstrapping_levels_of(&t->params->spec);
    switch (stage) {
    case HB_BOOTSTRAP_STC:
        return add_maps(t, HB_SLOTS_BECOME_COEFFICIENTS);
    case HB_BOOTSTRAP_RAISE:
        add_transforms(t, t->params->ids, levels.top + 1, 2);
        add_switch(t, levels.top + 1, 0);
        return HB_OK;
    case HB_BOOTSTRAP_CTS:
        return add_maps(t, HB_COEFFICIENTS_BECOME_SLOTS);
    case HB_BOOTSTRAP_SPLIT:
        add_switch(t, levels.eval_mod + 1, 0);
        add_words(t, 10 * ((size_t)levels.eval_mod + 1));
        return HB_OK;
    case HB_BOOTSTRAP_EVAL_MOD:
        return add_eval_mod(t);
    case HB_BOOTSTRAP_JOIN:
    case HB_BOOTSTRAP_STAGES:
        break;
    }
    add_words(t, 8 * ((size_t)levels.out + 1));
    return HB_OK;
}

/* --- measuring */

static const char *const stage_names[HB_BOOTSTRAP_STAGES] = {"bootstrap: slots to coefficients",
                                                             "bootstrap: raising the modulus",
                                                             "bootstrap: coefficients to slots",
                                                             "bootstrap: taking parts apart",
                                                             "bootstrap: EvalMod",
                                                             "bootstrap: joining parts"};

typedef struct bootstraps {
    hb_bootstrap_fixture fixture;
    hb_ciphertexts a, r; /* of as many as are measured */
    hb_bootstrap_kind kind;
    const hb_params *reals; /* by whose levels stages are */
    hb_bootstrap_stage stage;
    size_t together;
} bootstraps;

static hb_status apply(void *argument)
{
    bootstraps *x = argument;
    return hb_bootstrap_apply(x->fixture.evaluator, x->fixture.bootstrap, x->kind, 0, &x->r, &x->a,
                              &x->fixture.s->keys);
}

static hb_status apply_stage(void *argument)
{
    bootstraps *x = argument;
    return hb_bootstrap_apply_stage(x->fixture.evaluator, x->fixture.bootstrap, x->stage, x->together,
                                    &x->fixture.s->keys);
}

/* Adds a line: of one ciphertext, or of as many as calls have now. */
static hb_status add_line(hb_bench *bench, const hb_evaluation *x, const char *name, const tally *t, hb_bench_body body,
                          void *argument)
{
    const hb_bench_line line = {"circuits", name, x->count, t->cost, body};
    return x->count == 1 ? hb_bench_alone(bench, x->engine, &line, argument, false)
                         : hb_bench_measure(bench, x->engine, &line, argument);
}

/* Returns whether all is measured: a processor takes minutes for a large ring, which is bootstrapped whole and
 * alone. */
static bool takes_little(const hb_bench_options *options)
{
    enum { SMALL = 1 << 13 };
    return options->device->gpu || options->params->spec.n <= SMALL;
}

static hb_status measure(hb_bench *bench, const hb_evaluation *x, bootstraps *b)
{
    const bool stages = x->count == b->together && takes_little(bench->options);
    const tally none = {.device = bench->options->device, .params = b->reals, .count = b->together};
    tally all = none;
    for (int stage = 0; stage < HB_BOOTSTRAP_STAGES; stage++) {
        HB_TRY(add_stage(&all, (hb_bootstrap_stage)stage));
    }
    if (b->kind == HB_BOOTSTRAP_NOISE) { /* down to q_0, and off the operand */
        add_words(&all, 10 * (size_t)bench->options->params->fresh_limbs);
    }
    HB_TRY(add_line(bench, x, b->kind == HB_BOOTSTRAP_NOISE ? "refresh, one pass" : "bootstrap", &all, apply, b));
    for (int stage = 0; stages && stage < HB_BOOTSTRAP_STAGES; stage++) {
        tally one = none;
        b->stage = (hb_bootstrap_stage)stage;
        HB_TRY(add_stage(&one, b->stage));
        HB_TRY(add_line(bench, x, stage_names[stage], &one, apply_stage, b));
    }
    return HB_OK;
}

/* Sets *fits to whether there is memory for it beside the fixture. */
static hb_status find_room(const hb_bench_options *options, const hb_bootstrap_spec *spec, bool *fits)
{
    const uint64_t most = options->device->gpu ? options->device->memory / 2 : (uint64_t)16 << 30;
    hb_bootstrap_memory memory;
    hb_key_purpose *list;
    uint32_t keys;
    HB_TRY(hb_bootstrap_memory_of(options->params, spec, &memory));
    HB_TRY(hb_bootstrap_key_purposes(options->params, &list, &keys));
    free(list);
    *fits = memory.shared + memory.own + keys * hb_switch_key_bytes(options->params) < most;
    return HB_OK;
}

/* Returns the parameters by whose levels stages are: those of reals, or of the chain's; the caller closes *made. */
static hb_status find_reals(const hb_params *params, hb_params **made, const hb_params **reals)
{
    *made = NULL;
    *reals = params;
    if (params->spec.scheme == HB_BFV) {
        HB_TRY(hb_ckks_params_of_integers(params, made));
        *reals = *made;
    }
    return HB_OK;
}

hb_status hb_bench_ckks_bootstrap(hb_bench *bench, hb_evaluation *x)
{
    const hb_params *p = bench->options->params;
    const uint32_t range_bits = 0;
    bootstraps b = {.together = x->count < HB_BOOTSTRAP_TOGETHER ? x->count : HB_BOOTSTRAP_TOGETHER};
    const hb_bootstrap_spec spec = {.count = b.together, .range_bits = &range_bits, .ranges = 1};
    hb_params *made = NULL;
    bool fits;
    hb_status st;
    if (!hb_params_can_bootstrap(p)) {
        return HB_OK;
    }
    if (x->count > 1 && !takes_little(bench->options)) {
        hb_bench_leave_out(bench, "circuits", "bootstraps of %zu ciphertexts a call, which take a CPU minutes",
                           x->count);
        return HB_OK;
    }
    HB_TRY(find_room(bench->options, &spec, &fits));
    if (!fits) {
        hb_bench_leave_out(bench, "circuits", "bootstraps of %zu ciphertext%s a call, as memory has no room for them",
                           x->count, x->count == 1 ? "" : "s");
        return HB_OK;
    }
    b.kind = p->spec.scheme == HB_BFV ? HB_BOOTSTRAP_NOISE : HB_BOOTSTRAP_COMPLEX;
    HB_GOTO(find_reals(p, &made, &b.reals));
    HB_GOTO(hb_bootstrap_fixture_init(&b.fixture, &x->fixture, &spec));
    b.a = hb_ciphertexts_view(b.fixture.a[0], x->engine, p, 2, x->count, b.fixture.bootstrap->limbs);
    b.r = hb_ciphertexts_view(b.fixture.r[0], x->engine, p, 2, x->count, b.fixture.bootstrap->result_limbs);
    st = measure(bench, x, &b);
done:
    hb_bootstrap_fixture_clear(&b.fixture);
    hb_ckks_params_close(made);
    return st;
}
