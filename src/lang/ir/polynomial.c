/* Paterson and Stockmeyer: with the powers a, a^2 .. a^k (the baby steps) every polynomial of degree <= k is a
 * combination with constants, which costs no product. One of higher degree is split at s = k 2^j, the largest that
 * does not exceed its degree, into high a^s + low; a^s are repeated squares of a^k (the giant steps), each made
 * once. A high part that is a constant costs no product either. */
#include "polynomial.h"

#include <stdlib.h>

/* The largest power of two below n, n >= 2. */
static uint32_t half_of(uint32_t n)
{
    uint32_t half = 1;
    while (half < n - half) {
        half *= 2;
    }
    return half;
}

hb_status hb_graph_power(hb_graph *g, uint32_t a, uint32_t exponent, uint32_t *out)
{
    if (exponent == 1) {
        *out = a;
        return HB_OK;
    }
    const uint32_t half = half_of(exponent); /* at most 17 deep, and the rest shares its squares */
    uint32_t high, low;
    HB_TRY(hb_graph_power(g, a, half, &high));
    HB_TRY(hb_graph_power(g, a, exponent - half, &low));
    return hb_graph_multiply(g, high, low, out);
}

static const hb_number zero = {.integer = 0};

/* One evaluation: either counted (graph is NULL) or built. */
typedef struct evaluation {
    hb_graph *graph;
    uint32_t a, k;
    const hb_graph *rules; /* of numbers */
    const hb_number *c;
    /* Baby steps a^i, i <= k, and giant steps a^(k 2^j): there already? */
    bool baby[HB_POLYNOMIAL_MAX_DEGREE + 1], giant[16];
    uint32_t products, depth;
} evaluation;

/* The value of a part of the polynomial. */
typedef struct part {
    bool encrypted;
    hb_number number; /* if not: this constant; else: */
    uint32_t node;    /* where there is a graph */
    uint32_t depth;   /* above a */
} part;

static uint32_t ceil_log2(uint32_t n)
{
    uint32_t log = 0;
    while (((uint32_t)1 << log) < n) {
        log++;
    }
    return log;
}

static void count_baby(evaluation *e, uint32_t i)
{
    while (i > 1 && !e->baby[i]) {
        e->baby[i] = true;
        e->products++;
        const uint32_t half = half_of(i);
        count_baby(e, half);
        i -= half;
    }
}

/* a^(k 2^j). */
static hb_status giant_step(evaluation *e, uint32_t j, part *out)
{
    *out = (part){.encrypted = true, .depth = ceil_log2(e->k) + j};
    if (e->graph == NULL) {
        count_baby(e, e->k);
        for (uint32_t i = 1; i <= j; i++) {
            e->products += !e->giant[i];
            e->giant[i] = true;
        }
        return HB_OK;
    }
    HB_TRY(hb_graph_power(e->graph, e->a, e->k, &out->node));
    for (uint32_t i = 0; i < j; i++) {
        HB_TRY(hb_graph_multiply(e->graph, out->node, out->node, &out->node));
    }
    return HB_OK;
}

/* x = x + y. */
static hb_status add_part(evaluation *e, part *x, const part *y)
{
    if (x->encrypted && y->encrypted) {
        x->depth = x->depth > y->depth ? x->depth : y->depth;
        return e->graph == NULL ? HB_OK : hb_graph_add(e->graph, x->node, y->node, &x->node);
    }
    /* One of them is 0. */
    const hb_number a = x->encrypted ? zero : x->number, b = y->encrypted ? zero : y->number;
    const hb_number number = {a.integer + b.integer, a.real + b.real, a.imaginary + b.imaginary};
    *x = y->encrypted ? *y : *x;
    x->number = number;
    return e->graph == NULL || !x->encrypted ? HB_OK : hb_graph_add_constant(e->graph, x->node, number, &x->node);
}

/* c[from .. from + degree] as a combination of baby steps. */
static hb_status combination(evaluation *e, uint32_t from, uint32_t degree, part *out)
{
    *out = (part){0};
    for (uint32_t i = degree; i > 0; i--) {
        if (hb_graph_is_zero(e->rules, e->c[from + i])) {
            continue;
        }
        part term = {.encrypted = true, .depth = ceil_log2(i)};
        if (e->graph == NULL) {
            count_baby(e, i);
        } else {
            HB_TRY(hb_graph_power(e->graph, e->a, i, &term.node));
            HB_TRY(hb_graph_scale(e->graph, term.node, e->c[from + i], &term.node));
        }
        HB_TRY(add_part(e, out, &term));
    }
    const part constant = {.number = e->c[from]};
    return add_part(e, out, &constant);
}

/* high = high a^s. */
static hb_status multiply_part(evaluation *e, part *high, uint32_t j)
{
    part step;
    HB_TRY(giant_step(e, j, &step));
    if (!high->encrypted) {
        const hb_number number = high->number;
        *high = step;
        return e->graph == NULL ? HB_OK : hb_graph_scale(e->graph, step.node, number, &high->node);
    }
    high->depth = (high->depth > step.depth ? high->depth : step.depth) + 1;
    e->products++;
    return e->graph == NULL ? HB_OK : hb_graph_multiply(e->graph, high->node, step.node, &high->node);
}

/* c[from .. from + degree]; each call halves the degree or more, at most 13 deep. */
static hb_status evaluate(evaluation *e, uint32_t from, uint32_t degree, part *out)
{
    while (degree > 0 && hb_graph_is_zero(e->rules, e->c[from + degree])) {
        degree--;
    }
    if (degree <= e->k) {
        return combination(e, from, degree, out);
    }
    uint32_t j = 0;
    while (e->k << (j + 1) <= degree) {
        j++;
    }
    const uint32_t s = e->k << j;
    part low;
    HB_TRY(evaluate(e, from + s, degree - s, out));
    HB_TRY(multiply_part(e, out, j));
    HB_TRY(evaluate(e, from, s - 1, &low));
    return add_part(e, out, &low);
}

hb_status hb_polynomial_block(const hb_graph *g, const hb_number *c, uint32_t degree, uint32_t *k)
{
    evaluation *e = malloc(sizeof *e);
    if (!e) {
        return HB_FAIL(HB_ENOMEM, "no memory for a polynomial of degree %u", degree);
    }
    hb_status st = HB_OK;
    uint32_t products = UINT32_MAX, depth = UINT32_MAX;
    for (uint32_t length = 1; length <= degree && st == HB_OK; length++) {
        part whole;
        *e = (evaluation){.k = length, .rules = g, .c = c};
        st = evaluate(e, 0, degree, &whole);
        if (st == HB_OK && (whole.depth < depth || (whole.depth == depth && e->products < products))) {
            *k = length;
            products = e->products;
            depth = whole.depth;
        }
    }
    free(e);
    return st;
}

hb_status hb_graph_polynomial(hb_graph *g, uint32_t a, const hb_number *c, uint32_t degree, uint32_t k, uint32_t *out)
{
    evaluation e = {.graph = g, .a = a, .k = k, .rules = g, .c = c};
    part whole;
    HB_TRY(evaluate(&e, 0, degree, &whole));
    *out = whole.node;
    return HB_OK;
}
