/* Halves are nodes of a binary tree: node 2^i + r holds the numbers in places that are r modulo 2^i, behind i steps. A
 * node stands in the memory of the first of its numbers that are wanted, so that one of its halves takes its place. */
#include "spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/cell.h"
#include "base/modarith.h"
#include "codec.h"
#include "power_of_x.h"
#include "rlwe/rotation.h"
#include "slots.h"

#define NONE UINT32_MAX

uint64_t hb_spread_capacity(const hb_params_spec *spec, uint32_t first)
{
    return hb_codec_capacity(spec, HB_ENCODE_SPREAD) >> first;
}

uint32_t hb_spread_steps(const hb_params_spec *spec, uint32_t first, uint64_t numbers)
{
    const uint64_t most = hb_spread_capacity(spec, first), each = numbers < most ? numbers : most;
    uint32_t steps = 0;
    while ((uint64_t)1 << steps < each) {
        steps++;
    }
    return steps;
}

/* --- values */

static void scale_reals(uint64_t *values, size_t count, int exponent)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = hb_real_word(ldexp(hb_real_of(values[i]), exponent));
    }
}

static void scale_integers(uint64_t *values, size_t count, uint64_t factor, const hb_modulus *t)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = hb_mod_mul(values[i], factor, t);
    }
}

void hb_spread_scale(const hb_params_spec *spec, int exponent, uint64_t *values, size_t count)
{
    hb_modulus t;
    if (hb_codec_cell_type(spec->scheme) == HB_CELL_REAL) {
        scale_reals(values, count, exponent);
        return;
    }
    const hb_status st = hb_modulus_init(&t, spec->bfv.plain);
    HB_ASSERT(st == HB_OK && t.value % 2 == 1); /* as where there are slots */
    const uint64_t factor = hb_mod_pow(2, (uint64_t)abs(exponent), &t);
    scale_integers(values, count, exponent < 0 ? hb_mod_inverse(factor, &t) : factor, &t);
}

/* --- keys and bounds */

uint32_t hb_spread_elements(const hb_params_spec *spec, uint32_t i, uint32_t elements[HB_SPREAD_MOST_ELEMENTS])
{
    const uint64_t quarter = spec->n >> (i + 2);
    if (quarter == 0) {
        elements[0] = hb_slots_swap(spec);
        return 1;
    }
    elements[0] = hb_slots_rotation(spec, (int64_t)quarter);
    if (quarter > 1 || hb_slots_have_i(spec)) {
        return 1;
    }
    elements[1] = hb_slots_swap(spec); /* 3 is no 1 modulo 4, but -3 is */
    return 2;
}

/* Exact values have coefficients for noise, of which those that stay are doubled; slots of reals have errors of their
 * own, two of which meet, and behind the steps all slots have nearly the same. */
hb_quality hb_quality_spread(const hb_params *params, uint32_t limbs, hb_spread_way way, hb_quality a)
{
    const bool reals = hb_codec_cell_type(params->spec.scheme) == HB_CELL_REAL;
    for (uint32_t i = way.first; i < way.first + way.count; i++) {
        uint32_t elements[HB_SPREAD_MOST_ELEMENTS];
        hb_quality moved = reals ? a : hb_quality_multiply_integer(params, a, 2);
        for (uint32_t e = hb_spread_elements(&params->spec, i, elements); e > 0; e--) {
            moved = hb_quality_switch(params, limbs, moved, HB_SWITCH_GALOIS);
        }
        a = reals ? hb_quality_add(params, a, moved) : moved;
    }
    if (reals) {
        a.common = 1;
        a.peak = 0;
    }
    return a;
}

/* --- the tree */

/* Returns the number, in the list, in whose memory each node stands: [2 * 2^steps], owned by the caller; NONE: it is
 * not wanted. NULL: there is no memory. */
static uint32_t *make_tree(const hb_spread_places *places)
{
    const size_t leaves = (size_t)1 << places->way.count;
    uint32_t *tree = malloc(2 * leaves * sizeof *tree);
    if (tree == NULL) {
        return NULL;
    }
    memset(tree, 0xff, 2 * leaves * sizeof *tree);
    for (uint32_t i = 0; i < places->count; i++) {
        HB_ASSERT(places->place[i] < leaves && tree[leaves + places->place[i]] == NONE);
        tree[leaves + places->place[i]] = i;
    }
    for (uint32_t i = places->way.count; i-- > 0;) {
        const size_t width = (size_t)1 << i;
        for (size_t r = 0; r < width; r++) {
            const uint32_t even = tree[2 * width + r], odd = tree[3 * width + r];
            tree[width + r] = even < odd ? even : odd; /* NONE is above all */
        }
    }
    return tree;
}

hb_status hb_spread_switches(const hb_params_spec *spec, const hb_spread_places *places, uint64_t *switches)
{
    uint32_t *tree = make_tree(places);
    *switches = 0;
    if (tree == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the places of %u numbers", places->count);
    }
    for (uint32_t i = 0; i < places->way.count; i++) {
        uint32_t elements[HB_SPREAD_MOST_ELEMENTS];
        const uint32_t each = hb_spread_elements(spec, places->way.first + i, elements);
        for (size_t node = (size_t)1 << i; node < (size_t)2 << i; node++) {
            *switches += tree[node] != NONE ? each : 0;
        }
    }
    free(tree);
    return HB_OK;
}

/* --- spreading */

struct hb_spreader {
    hb_engine *engine;
    const hb_params *params;
    uint32_t limbs, steps;
    hb_power *powers;            /* [steps] X^(N - 2^i) */
    hb_ciphertexts moved, apart; /* s_i(x), and s_i(x) - x */
};

/* r = s_i(a); no overlap. */
static hb_status move(hb_evaluator *ev, uint32_t i, hb_ciphertexts r, hb_ciphertexts a, const hb_switch_keys *keys)
{
    uint32_t elements[HB_SPREAD_MOST_ELEMENTS];
    const uint32_t count = hb_spread_elements(&hb_evaluator_params(ev)->spec, i, elements);
    for (uint32_t e = 0; e < count; e++) {
        const hb_switch_key *key = hb_rotation_key(ev, keys, elements[e], a.all.limbs);
        if (key == NULL) {
            return HB_FAIL(HB_EDATA,
                           "there is no key for the automorphism X -> X^%u, which takes a row that stands in one "
                           "ciphertext apart",
                           elements[e]);
        }
        HB_TRY(hb_evaluator_galois(ev, r, e == 0 ? a : r, key));
    }
    return HB_OK;
}

/* Makes the wanted halves of the node in to[halves[0]]: the even one in to[halves[1]], the odd one in to[halves[2]].
 * This is X^(-2^i) (x - s_i(x)), and X^(-2^i) is -X^(N - 2^i). */
static hb_status halve(hb_spreader *x, hb_evaluator *ev, uint32_t i, const hb_ciphertexts *to, const uint32_t halves[3],
                       const hb_switch_keys *keys)
{
    const hb_ciphertexts node = to[halves[0]];
    const uint32_t even = halves[1], odd = halves[2];
    const hb_ciphertexts moved = hb_ciphertexts_view(x->moved, x->engine, x->params, 2, 1, node.all.limbs),
                         apart = hb_ciphertexts_view(x->apart, x->engine, x->params, 2, 1, node.all.limbs);
    HB_TRY(move(ev, i, moved, node, keys));
    if (odd != NONE) {
        HB_TRY(hb_evaluator_sub(ev, apart, moved, node));
    }
    if (even != NONE) {
        HB_TRY(hb_evaluator_add(ev, to[even], node, moved));
    }
    return odd != NONE ? hb_power_times(x->engine, &x->powers[i], to[odd], apart) : HB_OK;
}

hb_status hb_spread(hb_spreader *x, hb_evaluator *ev, const hb_ciphertexts *to, const hb_spread_places *places,
                    hb_ciphertexts a, const hb_switch_keys *keys)
{
    HB_ASSERT(places->count >= 1 && places->way.first + places->way.count <= x->steps && a.size == 2 &&
              a.all.count == 2 && a.all.limbs <= x->limbs);
    uint32_t *tree = make_tree(places);
    if (tree == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the places of %u numbers", places->count);
    }
    hb_status st = hb_evaluator_copy(ev, to[tree[1]], a);
    for (uint32_t i = 0; i < places->way.count && st == HB_OK; i++) {
        const size_t width = (size_t)1 << i;
        for (size_t r = 0; r < width && st == HB_OK; r++) {
            const uint32_t halves[] = {tree[width + r], tree[2 * width + r], tree[3 * width + r]};
            st = halves[0] != NONE ? halve(x, ev, places->way.first + i, to, halves, keys) : HB_OK;
        }
    }
    free(tree);
    return st;
}

/* --- opening */

static hb_status fill(hb_spreader *x)
{
    x->powers = calloc((size_t)x->steps + 1, sizeof *x->powers);
    if (x->powers == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for powers of X");
    }
    for (uint32_t i = 0; i < x->steps; i++) {
        const uint32_t exponent = (uint32_t)x->params->spec.n - (UINT32_C(1) << i);
        HB_TRY(hb_power_init(&x->powers[i], x->engine, x->params, exponent, x->limbs));
    }
    HB_TRY(hb_ciphertexts_alloc(&x->moved, x->engine, x->params, 2, 1, x->limbs));
    return hb_ciphertexts_alloc(&x->apart, x->engine, x->params, 2, 1, x->limbs);
}

hb_status hb_spreader_open(hb_engine *engine, const hb_params *params, uint32_t limbs, uint32_t steps,
                           hb_spreader **out)
{
    hb_spreader *x = calloc(1, sizeof *x);
    *out = NULL;
    if (x == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a row in one ciphertext");
    }
    *x = (hb_spreader){.engine = engine, .params = params, .limbs = limbs, .steps = steps};
    const hb_status st = fill(x);
    if (st != HB_OK) {
        hb_spreader_close(x);
        return st;
    }
    *out = x;
    return HB_OK;
}

void hb_spreader_close(hb_spreader *x)
{
    if (x == NULL) {
        return;
    }
    for (uint32_t i = 0; x->powers != NULL && i < x->steps; i++) {
        hb_power_clear(&x->powers[i], x->engine);
    }
    hb_batch_free(x->engine, &x->moved.all);
    hb_batch_free(x->engine, &x->apart.all);
    free(x->powers);
    free(x);
}

uint64_t hb_spreader_bytes(const hb_params *params, uint32_t limbs, uint32_t steps)
{
    const uint64_t polynomial = (uint64_t)limbs * params->spec.n * sizeof(uint64_t);
    return steps * hb_power_bytes(params, limbs) + 4 * polynomial;
}
