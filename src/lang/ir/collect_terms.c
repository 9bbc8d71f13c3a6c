/* Walks through the sum from its result down: each node once, after all of its users, with its total factor in the sum.
 * So a value in several places of a sum becomes one term. */
#include "collect_terms.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/seed.h"
#include "rules.h"
#include "semantics.h"

/* All terms of a combination are held at a time: of so many, which others are added to. Combinations that have more,
 * rows of a matrix, stay as they are. */
#define MOST_TERMS 16
/* Sums that others have as well are gathered for themselves, within each other up to that often. */
#define MOST_WITHIN 64

typedef struct part {
    uint32_t node;
    double number;
    bool stays;  /* it comes to another level, or to rest, before it is added, and stays a term */
    bool lifted; /* it comes to the scale of products, by one with 1, before it is added */
    bool lower;  /* a product with a number, which comes to another level as one: its factor does */
} part;

typedef struct parts {
    part *all;
    uint32_t count, capacity;
} parts;

typedef struct gathering {
    hb_graph *g;
    uint32_t root;
    uint32_t within;
    parts heap;        /* to be gone through, the newest node first */
    parts terms;       /* nodes at rest, from the newest on */
    parts others;      /* other nodes at the scale of products */
    uint32_t products; /* with numbers; a sum that is collected by itself counts as two */
    bool row;          /* one combination with another factor: its terms stay unchanged */
    bool held;         /* no number was lost */
} gathering;

static hb_status gather(hb_graph *g, uint32_t a, double factor, uint32_t within, uint32_t *out);

static hb_status append(parts *p, part one)
{
    if (p->count == p->capacity) {
        const uint32_t capacity = p->capacity == 0 ? 64 : 2 * p->capacity;
        part *longer =
            malloc(capacity * sizeof *longer); /* not in place: numbers may be the weights of a private table */
        if (longer == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for a linear combination");
        }
        for (uint32_t i = 0; i < p->count; i++) {
            longer[i] = p->all[i];
        }
        if (p->all != NULL) {
            hb_wipe(p->all, p->count * sizeof *p->all);
        }
        free(p->all);
        p->all = longer;
        p->capacity = capacity;
    }
    p->all[p->count++] = one;
    return HB_OK;
}

static void parts_clear(parts *p)
{
    if (p->all != NULL) {
        hb_wipe(p->all, p->capacity * sizeof *p->all);
    }
    free(p->all);
    *p = (parts){0};
}

/* --- the heap: the newest node on top */

static void swap(part *x, part *y)
{
    const part kept = *x;
    *x = *y;
    *y = kept;
}

static hb_status push(gathering *x, part one)
{
    HB_TRY(append(&x->heap, one));
    part *all = x->heap.all;
    for (uint32_t i = x->heap.count - 1; i > 0 && all[(i - 1) / 2].node < all[i].node; i = (i - 1) / 2) {
        swap(&all[i], &all[(i - 1) / 2]);
    }
    return HB_OK;
}

static part pop_one(parts *heap)
{
    const part top = heap->all[0];
    heap->all[0] = heap->all[--heap->count];
    for (uint32_t i = 0;;) {
        const uint32_t left = 2 * i + 1, right = left + 1;
        uint32_t newest = i;
        newest = left < heap->count && heap->all[left].node > heap->all[newest].node ? left : newest;
        newest = right < heap->count && heap->all[right].node > heap->all[newest].node ? right : newest;
        if (newest == i) {
            return top;
        }
        swap(&heap->all[i], &heap->all[newest]);
        i = newest;
    }
}

/* All that the sum has of the newest node. Decimals that cancel, as 0.3 - 0.1 - 0.2, leave the rounding of their
 * doubles: that is 0. */
static part pop(parts *heap)
{
    part top = pop_one(heap);
    double magnitude = fabs(top.number);
    while (heap->count > 0 && heap->all[0].node == top.node) {
        const part same = pop_one(heap);
        top.number += same.number;
        top.stays = top.stays || same.stays;
        top.lifted = top.lifted || same.lifted;
        top.lower = top.lower || same.lower;
        magnitude += fabs(same.number);
    }
    top.number = fabs(top.number) <= DBL_EPSILON * magnitude ? 0 : top.number;
    return top;
}

/* --- the terms of a sum */

/* Whether a node may be replaced by its terms: this sum is its only user, as a shared node is computed once. Rows and
 * totals are added, not combined. */
static bool opens(const gathering *x, const part *p, const hb_node *node)
{
    const hb_graph *g = x->g;
    const hb_node *a = &g->nodes[node->a], *b = node->b == HB_NO_NODE ? a : &g->nodes[node->b];
    if (p->node == x->root) {
        return true;
    }
    const bool said = node->shape.halves == HB_HALVES_REAL &&
                      (a->shape.halves != HB_HALVES_REAL || b->shape.halves != HB_HALVES_REAL);
    return !x->row && !said && node->users <= 1 && node->range.approximation_error == 0 &&
           node->shape.total == g->nodes[x->root].shape.total &&
           (node->shape.scaled || a->shape.total == b->shape.total);
}

/* Adds an operand of a node that is opened. */
static hb_status push_operand(gathering *x, const hb_node *node, uint32_t operand, double number)
{
    const hb_node_shape *own = &node->shape, *a = &x->g->nodes[operand].shape;
    const bool adds = own->scaled && hb_rule_of(node->op)->same_scale;
    const bool stays = (a->scaled && !adds) || a->limbs != own->limbs;
    return push(x, (part){.node = operand,
                          .number = number,
                          .stays = stays,
                          .lifted = adds && !a->scaled && !stays,
                          .lower = adds && a->scaled && stays});
}

static hb_status push_terms(gathering *x, const part *p, const hb_node *node)
{
    const hb_combination_terms terms = hb_node_combination(x->g, node);
    x->products++;
    for (uint32_t i = terms.first; i < terms.first + terms.count; i++) {
        const double number = p->number * x->g->combinations.term_weights[i].real;
        HB_TRY(push_operand(x, node, x->g->combinations.term_nodes[i], number));
    }
    return HB_OK;
}

/* A combination of few terms is opened; rows of a matrix are computed together. */
static bool opens_terms(const gathering *x, const part *p, const hb_node *node)
{
    const hb_combination_terms terms = hb_node_combination(x->g, node);
    return !terms.whole && (terms.count <= MOST_TERMS || p->node == x->root);
}

/* Keeps a part as it is. A total beside rows is added, and is no term. */
static hb_status keep(gathering *x, const part *p, bool scaled)
{
    const bool alike = x->g->nodes[p->node].shape.total == x->g->nodes[x->root].shape.total;
    return append(scaled || !alike ? &x->others : &x->terms, *p);
}

static hb_status visit(gathering *x, const part *p)
{
    const hb_node *node = &x->g->nodes[p->node];
    const bool alike = node->shape.total == x->g->nodes[x->root].shape.total;
    const bool product = node->op == HB_OP_MULTIPLY_NUMBER && alike && node->range.approximation_error == 0 && !x->row;
    if (p->lower && product) {
        x->products++;
        return push(x, (part){.node = node->a, .number = p->number * node->real, .stays = true});
    }
    if (p->stays) {
        return keep(x, p, false);
    }
    const bool open = !hb_operations[node->op].loads && opens(x, p, node);
    x->products += p->lifted && alike && !x->row;
    if (open && (node->op == HB_OP_ADD || node->op == HB_OP_SUBTRACT)) {
        HB_TRY(push_operand(x, node, node->a, p->number));
        return push_operand(x, node, node->b, node->op == HB_OP_ADD ? p->number : -p->number);
    }
    if (open && node->op == HB_OP_NEGATE) {
        return push_operand(x, node, node->a, -p->number);
    }
    if (open && node->op == HB_OP_MULTIPLY_INTEGER) {
        return push_operand(x, node, node->a, p->number * (double)node->number);
    }
    if (open && node->op == HB_OP_COMBINE && opens_terms(x, p, node)) {
        return push_terms(x, p, node);
    }
    if (product) {
        x->products++; /* also where others have it: it costs no more within a sum */
        return push_operand(x, node, node->a, p->number * node->real);
    }
    x->products += node->shape.scaled && (node->op == HB_OP_ADD || node->op == HB_OP_SUBTRACT) ? 2 : 0;
    return keep(x, p, node->shape.scaled);
}

/* Numbers that cancel are none, but in a row of a matrix, which has the columns of others. */
static hb_status take_apart(gathering *x, double factor)
{
    HB_TRY(push(x, (part){.node = x->root, .number = factor}));
    while (x->heap.count > 0 && x->held) {
        const part p = pop(&x->heap);
        x->held = isnormal(p.number) || p.number == 0;
        if (x->held && p.number == 0 && !x->row) {
            x->products += 2;
        } else if (x->held) {
            HB_TRY(visit(x, &p));
        }
    }
    return HB_OK;
}

/* --- its sum */

static hb_status add_to(hb_graph *g, uint32_t x, bool negative, uint32_t *sum)
{
    if (*sum == HB_NO_NODE) {
        *sum = x;
        return negative ? hb_graph_negate(g, x, sum) : HB_OK;
    }
    return negative ? hb_graph_subtract(g, *sum, x, sum) : hb_graph_add(g, *sum, x, sum);
}

/* Terms in the order of nodes, so that rows of one matrix have theirs in the same. */
static hb_status add_terms(gathering *x, uint32_t *sum)
{
    hb_graph *g = x->g;
    const uint32_t most = x->row ? x->terms.count : MOST_TERMS;
    uint32_t *nodes = malloc(x->terms.count * sizeof *nodes);
    hb_number *numbers = calloc(x->terms.count, sizeof *numbers);
    hb_status st = nodes && numbers ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a linear combination");
    for (uint32_t i = 0; st == HB_OK && i < x->terms.count; i++) {
        const part *p = &x->terms.all[x->terms.count - 1 - i];
        nodes[i] = p->node;
        numbers[i].real = p->number;
    }
    for (uint32_t first = 0, count; st == HB_OK && first < x->terms.count; first += count) {
        uint32_t made;
        count = x->terms.count - first < most ? x->terms.count - first : most;
        st = g->semantics->combine(g, nodes + first, numbers + first, count, true, &made);
        st = st == HB_OK ? add_to(g, made, false, sum) : st;
    }
    if (numbers != NULL) {
        hb_wipe(numbers, x->terms.count * sizeof *numbers);
    }
    free(nodes);
    free(numbers);
    return st;
}

/* A node at the scale of products already, times a whole number; a combination takes any number into its own. */
static hb_status add_other(gathering *x, const part *p, double factor, uint32_t *sum)
{
    hb_graph *g = x->g;
    uint32_t other = p->node;
    double number = p->number;
    const hb_opcode op = g->nodes[other].op;
    if (op == HB_OP_COMBINE && fabs(number) != 1) {
        HB_TRY(gather(g, other, number, x->within, &other));
        x->held = other != HB_NO_NODE;
        return x->held ? add_to(g, other, false, sum) : HB_OK;
    }
    if ((op == HB_OP_ADD || op == HB_OP_SUBTRACT) && x->within < MOST_WITHIN) {
        HB_TRY(gather(g, other, 1, x->within + 1, &other));
    }
    x->held = (factor == 1 || op == HB_OP_COMBINE) && fabs(number) <= 0x1p31 && nearbyint(number) == number;
    if (x->held && fabs(number) != 1) {
        HB_TRY(hb_graph_scale(g, other, (hb_number){.real = fabs(number)}, &other));
    }
    return x->held ? add_to(g, other, number < 0, sum) : HB_OK;
}

/* More may be known about the sum than about its parts. */
static void keep_known(hb_graph *g, uint32_t a, double factor, uint32_t made)
{
    const hb_node *from = &g->nodes[a];
    hb_node *to = &g->nodes[made];
    const hb_interval known = hb_interval_multiply(from->range.interval, hb_interval_of_reals(factor, factor));
    const hb_interval both = hb_interval_meet(to->range.interval, known);
    to->range.interval = both.known ? both : to->range.interval;
    to->range.magnitude = fmin(to->range.magnitude, nextafter(fabs(factor) * from->range.magnitude, HUGE_VAL));
    to->shape.halves = from->shape.halves;
    to->shape.pair = from->shape.pair;
}

static hb_status put_together(gathering *x, double factor, uint32_t *out)
{
    hb_graph *g = x->g;
    uint32_t sum = HB_NO_NODE;
    HB_TRY(x->terms.count > 0 ? add_terms(x, &sum) : HB_OK);
    for (uint32_t i = x->others.count; i-- > 0 && x->held;) {
        HB_TRY(add_other(x, &x->others.all[i], factor, &sum));
    }
    if (x->held && sum != HB_NO_NODE) {
        keep_known(g, x->root, factor, sum);
        *out = sum;
    }
    return HB_OK;
}

/* Returns whether the node is a sum, or one combination. */
static bool is_sum(const hb_node *node)
{
    return node->shape.scaled && node->range.approximation_error == 0 &&
           (node->op == HB_OP_ADD || node->op == HB_OP_SUBTRACT || node->op == HB_OP_NEGATE ||
            node->op == HB_OP_MULTIPLY_INTEGER || node->op == HB_OP_COMBINE);
}

static hb_status gather(hb_graph *g, uint32_t a, double factor, uint32_t within, uint32_t *out)
{
    gathering x = {.g = g, .root = a, .within = within, .row = g->nodes[a].op == HB_OP_COMBINE, .held = true};
    const bool kept = factor == 1 && g->nodes[a].form.collected != 0;
    *out = factor != 1 ? HB_NO_NODE : (kept ? g->nodes[a].form.collected - 1 : a);
    if (kept && *out != a) { /* more may be known than when it was gathered */
        keep_known(g, a, 1, *out);
    }
    if (kept || g->params == NULL || !is_sum(&g->nodes[a]) || (factor == 1 && g->nodes[a].op == HB_OP_COMBINE)) {
        return HB_OK;
    }
    hb_status st = take_apart(&x, factor);
    const bool worth = factor != 1 || x.products > 1;
    if (st == HB_OK && x.held && worth) {
        st = put_together(&x, factor, out);
    }
    if (st == HB_OK && factor == 1) {
        g->nodes[a].form.collected = *out + 1;
    }
    parts_clear(&x.heap);
    parts_clear(&x.terms);
    parts_clear(&x.others);
    return st;
}

hb_status hb_graph_collect_terms(hb_graph *g, uint32_t a, double factor, uint32_t *out)
{
    return gather(g, a, factor, 0, out);
}
