#include "powers.h"

#include <stdlib.h>

#include "base/seed.h"
#include "semantics.h"

static uint32_t ceil_log2(uint64_t n)
{
    uint32_t log = 0;
    while (((uint64_t)1 << log) < n) {
        log++;
    }
    return log;
}

/* Powers a^2 .. a^(k - 1), the steps a^k, a^2k, a^4k below the degree, and a product for each block but one. */
static hb_powers_cost cost_of(uint64_t count, uint64_t polynomials, uint64_t k)
{
    const uint64_t blocks = (count + k - 1) / k;
    if (blocks == 1) {
        const uint64_t degree = count - 1;
        return (hb_powers_cost){(uint32_t)k, ceil_log2(degree > 0 ? degree : 1), degree > 1 ? degree - 1 : 0};
    }
    return (hb_powers_cost){(uint32_t)k, ceil_log2(k) + ceil_log2(blocks),
                            k - 1 + ceil_log2(blocks) - 1 + polynomials * (blocks - 1)};
}

static bool better(const hb_powers_cost *x, const hb_powers_cost *y, bool shallow)
{
    if (shallow && x->depth != y->depth) {
        return x->depth < y->depth;
    }
    return x->products < y->products || (x->products == y->products && x->depth < y->depth);
}

hb_powers_cost hb_powers_plan(uint64_t count, uint64_t polynomials, bool shallow)
{
    hb_powers_cost best = cost_of(count, polynomials, count);
    for (uint64_t k = 1; k < count; k++) {
        const hb_powers_cost one = cost_of(count, polynomials, k);
        best = better(&one, &best, shallow) ? one : best;
    }
    return best;
}

hb_powers_cost hb_square_power_plan(uint64_t exponent)
{
    const uint32_t squares = 63 - (uint32_t)__builtin_clzll(exponent);
    const uint32_t factors = (uint32_t)__builtin_popcountll(exponent);
    return (hb_powers_cost){0, squares + (factors > 1), squares + factors - 1};
}

hb_status hb_graph_square_power(hb_graph *g, uint32_t a, uint64_t exponent, uint32_t *out)
{
    uint32_t product = HB_NO_NODE;
    for (;; exponent /= 2) {
        if (exponent % 2 == 1 && product == HB_NO_NODE) {
            product = a;
        } else if (exponent % 2 == 1) {
            HB_TRY(hb_graph_multiply(g, product, a, &product));
        }
        if (exponent == 1) {
            *out = product;
            return HB_OK;
        }
        HB_TRY(hb_graph_multiply(g, a, a, &a));
    }
}

/* A part of a polynomial: a node and a number, the sum of both; HB_NO_NODE: the number alone. */
typedef struct part {
    uint32_t node;
    int64_t number;
} part;

typedef struct evaluation {
    hb_graph *g;
    uint32_t a, step; /* a^block, which there is where there are several blocks */
    uint64_t count;
    uint32_t block;
    const int64_t *c;
    part *blocks;
    uint32_t *powers; /* [block - 1] */
    uint32_t *nodes;  /* [block - 1] of a combination, and its ... */
    hb_number *numbers;
} evaluation;

static hb_number integer(int64_t number)
{
    return (hb_number){.integer = number, .real = (double)number};
}

/* a^i of two powers that are there, the larger one a power of two: as deep as log2 i. */
static hb_status product_of(const evaluation *e, uint32_t i, uint32_t *out)
{
    uint32_t half = 1;
    while (half < i - half) {
        half *= 2;
    }
    *out = e->a;
    return i == 1 ? HB_OK : hb_graph_multiply(e->g, e->powers[half - 1], e->powers[i - half - 1], out);
}

static hb_status make_power(const evaluation *e, uint32_t i)
{
    return product_of(e, i, &e->powers[i - 1]);
}

/* Block i as a combination of powers: zeros are terms, so that all blocks are of the same ones. */
static hb_status make_block(evaluation *e, uint64_t i, part *out)
{
    hb_graph *g = e->g;
    const uint64_t from = i * e->block, left = e->count - from;
    uint32_t terms = 0, last = 0;
    *out = (part){HB_NO_NODE, e->c[from]};
    const uint32_t most = left < e->block ? (uint32_t)left : e->block;
    for (uint32_t j = 1; j < most; j++) {
        terms += e->c[from + j] != 0;
        last = e->c[from + j] != 0 ? j : last;
    }
    if (terms == 0) {
        return HB_OK;
    }
    if (terms < 3) {
        for (uint32_t j = 1; j <= last; j++) {
            uint32_t term;
            if (e->c[from + j] == 0) {
                continue;
            }
            HB_TRY(hb_graph_scale(g, e->powers[j - 1], integer(e->c[from + j]), &term));
            HB_TRY(out->node == HB_NO_NODE ? HB_OK : hb_graph_add(g, out->node, term, &term));
            out->node = term;
        }
        return HB_OK;
    }
    const uint32_t powers = e->count > e->block ? e->block - 1 : last;
    for (uint32_t j = 0; j < powers; j++) {
        e->nodes[j] = e->powers[j];
        e->numbers[j] = integer(j + 1 < most ? e->c[from + j + 1] : 0);
    }
    return g->semantics->combine(g, e->nodes, e->numbers, powers, false, &out->node);
}

/* x = x + y. */
static hb_status add(hb_graph *g, part *x, part y)
{
    x->number += y.number; /* one of them is 0 */
    if (x->node == HB_NO_NODE || y.node == HB_NO_NODE) {
        x->node = x->node == HB_NO_NODE ? y.node : x->node;
        return HB_OK;
    }
    return hb_graph_add(g, x->node, y.node, &x->node);
}

static hb_status whole(hb_graph *g, part x, uint32_t *out)
{
    return hb_graph_add_constant(g, x.node, integer(x.number), out);
}

/* Blocks lo .. lo + n - 1 as a polynomial of a^block: at most 32 deep. */
static hb_status evaluate(const evaluation *e, uint64_t lo, uint64_t n, part *out)
{
    hb_graph *g = e->g;
    if (n == 1) {
        *out = e->blocks[lo];
        return HB_OK;
    }
    uint64_t half = 1;
    uint32_t step = e->step;
    while (half < n - half) {
        half *= 2;
        HB_TRY(hb_graph_multiply(g, step, step, &step));
    }
    part low;
    HB_TRY(evaluate(e, lo + half, n - half, out));
    HB_TRY(evaluate(e, lo, half, &low));
    part product = {HB_NO_NODE, 0};
    if (out->node == HB_NO_NODE && out->number != 0) {
        HB_TRY(hb_graph_scale(g, step, integer(out->number), &product.node));
    } else if (out->node != HB_NO_NODE) {
        uint32_t high;
        HB_TRY(whole(g, *out, &high));
        HB_TRY(hb_graph_multiply(g, high, step, &product.node));
    }
    *out = product;
    return add(g, out, low);
}

hb_status hb_graph_powers(hb_graph *g, uint32_t a, const int64_t *c, uint64_t count, uint32_t block, uint32_t *out)
{
    const uint64_t blocks = (count + block - 1) / block;
    evaluation e = {.g = g, .a = a, .count = count, .block = block, .c = c};
    hb_status st = HB_OK;
    part sum;
    e.blocks = calloc(blocks, sizeof *e.blocks);
    e.powers = calloc(block, sizeof *e.powers);
    e.nodes = calloc(block, sizeof *e.nodes);
    e.numbers = calloc(block, sizeof *e.numbers);
    if (!e.blocks || !e.powers || !e.nodes || !e.numbers) {
        st = HB_FAIL(HB_ENOMEM, "no memory for a polynomial of %llu coefficients", (unsigned long long)count);
        goto done;
    }
    for (uint32_t i = 1; i < block && i < count; i++) {
        HB_GOTO(make_power(&e, i));
    }
    for (uint64_t i = 0; i < blocks; i++) {
        HB_GOTO(make_block(&e, i, &e.blocks[i]));
    }
    if (blocks > 1) {
        HB_GOTO(product_of(&e, block, &e.step));
    }
    HB_GOTO(evaluate(&e, 0, blocks, &sum));
    HB_ASSERT(sum.node != HB_NO_NODE);
    HB_GOTO(whole(g, sum, out));
done:
    if (e.numbers != NULL) { /* which may be those of a private table */
        hb_wipe(e.numbers, block * sizeof *e.numbers);
    }
    free(e.blocks);
    free(e.powers);
    free(e.nodes);
    free(e.numbers);
    return st;
}
