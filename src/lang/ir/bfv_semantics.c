/* Expressions under BFV: exact arithmetic mod t. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/prime.h"
#include "base/seed.h"
#include "bfv/params.h"
#include "semantics.h"

/* Any t is below this (bfv/params.h). */
static const uint64_t plain_end = (uint64_t)1 << HB_PRIME_MAX_BITS;

/* (-t, t): residues, and their negatives. For several plain moduli, all that a number has. */
static hb_interval numbers(const hb_params_spec *spec)
{
    if (hb_spec_residues(spec) > 1) {
        const hb_interval held = hb_interval_held(spec, false);
        return hb_interval_of_wide(hb_wide_negate(held.wide_most), held.wide_most);
    }
    const int64_t most = (int64_t)spec->bfv.plain - 1;
    return hb_interval_of(-most, most);
}

static uint64_t modulus(const hb_params_spec *spec)
{
    return spec->bfv.plain;
}

/* The integer nearest to 0 that is the same mod t: [-(t - 1) / 2, t / 2]. */
static int64_t computed(const hb_params_spec *spec, int64_t number)
{
    const int64_t t = (int64_t)spec->bfv.plain, rest = number % t, residue = rest < 0 ? rest + t : rest; /* [0, t) */
    return residue > t / 2 ? residue - t : residue;
}

/* The number divided by N mod t. A t with slots is 1 modulo N: so for number = a N - b, 0 <= b < N,
 * N (a + b (t - 1) / N) = number + b t. */
static hb_number share(const hb_params_spec *spec, hb_number number)
{
    const int64_t n = (int64_t)spec->n, t = (int64_t)spec->bfv.plain, all = computed(spec, number.integer);
    const int64_t b = (n - all % n) % n, a = (all + b) / n;
    return (hb_number){.integer = computed(spec, a + b * ((t - 1) / n))};
}

static void widen(hb_params_spec *spec)
{
    spec->bfv = (hb_bfv_spec){.plain = plain_end};
}

static const char *wider(hb_interval values, bool is_signed)
{
    const hb_params_spec largest = {.scheme = HB_BFV, .bfv.plain = plain_end - 1};
    if (values.known && !hb_interval_within(values, hb_interval_held(&largest, is_signed)) &&
        hb_wide_bits(values.wide_least) < HB_RESIDUES_MOST_BITS &&
        hb_wide_bits(values.wide_most) < HB_RESIDUES_MOST_BITS) {
        return "several plain moduli hold it, which keygen --wide makes, and params suggest finds";
    }
    return hb_interval_within(values, hb_interval_held(&largest, is_signed))
               ? "hebatch params suggest finds a t that holds it"
               : "no t holds that, for t has 60 bits at most";
}

/* The same t, or one as long where this one batches and does not at the preset's N. */
static hb_status adapt(hb_params_spec *preset, const hb_params *params)
{
    const uint64_t t = params->spec.bfv.plain;
    const uint32_t bits = hb_bit_length(t);
    preset->bfv.plain = t;
    if (hb_bfv_of(params)->batching && (t - 1) % (2 * preset->n) != 0) {
        return hb_create_primes(preset->n, &bits, 1, &preset->bfv.plain);
    }
    return HB_OK;
}

static bool alike(const hb_params_spec *x, const hb_params_spec *y)
{
    const hb_bfv_spec *a = &x->bfv, *b = &y->bfv;
    return x->n == y->n && a->plain == b->plain && a->plain_count == b->plain_count && a->residue == b->residue &&
           memcmp(a->plains, b->plains, sizeof a->plains) == 0;
}

static hb_status level_down(hb_graph *g, uint32_t a, uint32_t *out)
{
    return hb_graph_unary(g, HB_OP_MOD_SWITCH, a, 0, out);
}

/* By modulus switches, as values do not depend on the level. */
static hb_status meet(hb_graph *g, uint32_t *a, uint32_t *b)
{
    while (g->nodes[*a].shape.limbs > g->nodes[*b].shape.limbs) {
        HB_TRY(level_down(g, *a, a));
    }
    while (g->nodes[*b].shape.limbs > g->nodes[*a].shape.limbs) {
        HB_TRY(level_down(g, *b, b));
    }
    return HB_OK;
}

static hb_status multiple(hb_graph *g, uint32_t a, hb_number number, uint32_t *out)
{
    return hb_graph_unary(g, HB_OP_MULTIPLY_INTEGER, a, number.integer, out);
}

static hb_status combine(hb_graph *g, uint32_t *nodes, hb_number *numbers, uint32_t count, bool scaled, uint32_t *out)
{
    HB_ASSERT(!scaled); /* there are no scales */
    hb_weight *weights = calloc(count, sizeof *weights);
    if (weights == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a linear combination");
    }
    for (uint32_t i = 0; i < count; i++) {
        weights[i].integer = numbers[i].integer;
    }
    const hb_status st = hb_graph_combination(g, nodes, weights, count, true, out);
    hb_wipe(weights, count * sizeof *weights);
    free(weights);
    return st;
}

const hb_semantics hb_bfv_semantics = {
    .numbers = numbers,
    .computed = computed,
    .share = share,
    .modulus = modulus,
    .widen = widen,
    .alike = alike,
    .add_number = HB_OP_ADD_CONSTANT,
    .mask = HB_OP_MASK,
    .meet = meet,
    .level_down = level_down,
    .multiple = multiple,
    .combine = combine,
    .wider = wider,
    .adapt = adapt,
    .kept = "this t",
    .lowest = "whose product must stay above t",
    .chain = "two primes or more, all but the last together above t",
};
