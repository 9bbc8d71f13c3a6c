#include "univariate.h"

#include <math.h>
#include <stdlib.h>

#include "blocks.h"
#include "polynomial.h"
#include "rules.h"
#include "semantics.h"

/* Of a node that many are kept, of the lowest degrees. */
enum { MOST_OF_NODE = 4 };
/* Of a graph; against hostile input. Others are not known to be polynomials. */
#define MOST_OF_GRAPH (UINT32_C(1) << 17)

/* The polynomials that a node is, itself among them. */
typedef struct list {
    hb_univariate all[MOST_OF_NODE + 1];
    uint32_t count;
} list;

/* Returns the node that has the same values in all rows, from which it is brought down or rescaled. */
static uint32_t base_of(const hb_graph *g, uint32_t i)
{
    while (hb_rules[g->nodes[i].op].same_values && !hb_rules[g->nodes[i].op].moved) {
        i = g->nodes[i].a;
    }
    return i;
}

/* What a name stands for is a base of others, as is what is no polynomial of anything else. */
static void list_of(const hb_graph *g, uint32_t i, list *out)
{
    const hb_node *node = &g->nodes[i];
    const uint32_t base = base_of(g, i);
    out->count = 0;
    if (node->univariate_count == 0 || g->nodes[base].named) {
        out->all[out->count++] = (hb_univariate){.base = base, .degree = 1, .c = {{0, 0}, {1, 1}}};
    }
    for (uint32_t k = 0; k < node->univariate_count; k++) {
        out->all[out->count++] = g->univariate[node->univariate + k];
    }
}

static hb_bounds number(double x)
{
    return (hb_bounds){x, x};
}

/* --- arithmetic */

static void scale(hb_univariate *p, double by)
{
    for (uint32_t k = 0; k <= p->degree; k++) {
        p->c[k] = hb_bounds_multiply(p->c[k], number(by));
    }
}

/* p + by q. */
static void add(hb_univariate *p, const hb_univariate *q, double by)
{
    for (uint32_t k = 0; k <= q->degree; k++) {
        const hb_bounds term = hb_bounds_multiply(q->c[k], number(by));
        p->c[k] = k <= p->degree ? hb_bounds_add(p->c[k], term) : term;
    }
    p->degree = q->degree > p->degree ? q->degree : p->degree;
    while (p->degree > 0 && p->c[p->degree].low == 0 && p->c[p->degree].high == 0) {
        p->degree--;
    }
}

static bool multiply(hb_univariate *p, const hb_univariate *q)
{
    const hb_univariate x = *p;
    if (x.degree + q->degree > HB_UNIVARIATE_DEGREE) {
        return false;
    }
    *p = (hb_univariate){.base = x.base, .degree = x.degree + q->degree};
    for (uint32_t i = 0; i <= x.degree; i++) {
        for (uint32_t j = 0; j <= q->degree; j++) {
            p->c[i + j] = hb_bounds_add(p->c[i + j], hb_bounds_multiply(x.c[i], q->c[j]));
        }
    }
    return true;
}

/* --- what nodes are */

/* Returns which of the list is of that base; NULL: none. */
static const hb_univariate *find(const list *l, uint32_t base)
{
    for (uint32_t i = 0; i < l->count; i++) {
        if (l->all[i].base == base) {
            return &l->all[i];
        }
    }
    return NULL;
}

/* Sum `by` first, plus product or sum with the second. */
static void of_two(const hb_graph *g, const hb_node *node, list *out)
{
    list x, y;
    list_of(g, node->a, &x);
    list_of(g, node->b, &y);
    out->count = 0;
    for (uint32_t i = 0; i < x.count; i++) {
        const hb_univariate *q = find(&y, x.all[i].base);
        hb_univariate *p = &out->all[out->count];
        *p = x.all[i];
        if (q != NULL && node->op == HB_OP_MULTIPLY) {
            out->count += multiply(p, q);
        } else if (q != NULL) {
            add(p, q, node->op == HB_OP_SUBTRACT ? -1 : 1);
            out->count++;
        }
    }
}

static void of_one(const hb_graph *g, const hb_node *node, list *out)
{
    list_of(g, node->a, out);
    for (uint32_t i = 0; i < out->count; i++) {
        hb_univariate *p = &out->all[i];
        if (node->op == HB_OP_ADD_NUMBER) {
            p->c[0] = hb_bounds_add(p->c[0], number(node->real));
        } else {
            const double by = node->op == HB_OP_NEGATE             ? -1
                              : node->op == HB_OP_MULTIPLY_INTEGER ? (double)node->number
                                                                   : node->real;
            scale(p, by);
        }
    }
}

static void of_combination(const hb_graph *g, const hb_node *node, list *out)
{
    const hb_combination_terms terms = hb_node_combination(g, node);
    const hb_weight *weights = hb_node_weights(g, node);
    list x;
    bool first = true;
    out->count = 0;
    for (uint32_t t = 0; t < terms.count && (first || out->count > 0); t++) {
        const double weight = terms.whole ? (double)weights[t].integer : weights[t].real;
        if (weight == 0) {
            continue;
        }
        list_of(g, g->term_nodes[terms.first + t], &x);
        if (first) {
            *out = x;
        }
        uint32_t kept = 0;
        for (uint32_t i = 0; i < out->count; i++) {
            const hb_univariate *q = find(&x, out->all[i].base);
            if (q == NULL) {
                continue;
            }
            out->all[kept] = out->all[i];
            if (first) {
                scale(&out->all[kept], weight);
            } else {
                add(&out->all[kept], q, weight);
            }
            kept++;
        }
        out->count = kept;
        first = false;
    }
}

/* Sets *out to what a node that is being made is besides itself. Returns whether its range may be narrower than what
 * follows from those of its operands. */
static bool of_node(const hb_graph *g, const hb_node *node, list *out)
{
    switch (node->op) {
    case HB_OP_ADD:
    case HB_OP_SUBTRACT:
    case HB_OP_MULTIPLY:
        of_two(g, node, out);
        return true;
    case HB_OP_COMBINE:
        of_combination(g, node, out);
        return true;
    case HB_OP_NEGATE:
    case HB_OP_MULTIPLY_INTEGER:
    case HB_OP_MULTIPLY_NUMBER:
    case HB_OP_ADD_NUMBER:
        of_one(g, node, out);
        return false;
    default:
        out->count = 0;
        for (uint32_t k = 0;
             hb_rules[node->op].same_values && !hb_rules[node->op].moved && k < g->nodes[node->a].univariate_count;
             k++) {
            out->all[out->count++] = g->univariate[g->nodes[node->a].univariate + k];
        }
        return false;
    }
}

/* The lowest degrees first; of what is no more than a number nothing is kept. */
static void sort(list *l)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        const hb_univariate p = l->all[i];
        uint32_t at = kept;
        if (p.degree == 0) {
            continue;
        }
        for (; at > 0 && l->all[at - 1].degree > p.degree; at--) {
            l->all[at] = l->all[at - 1];
        }
        l->all[at] = p;
        kept++;
    }
    l->count = kept < MOST_OF_NODE ? kept : MOST_OF_NODE;
}

static hb_status keep(hb_graph *g, hb_node *node, const list *l)
{
    if (g->univariate_count + l->count > MOST_OF_GRAPH) {
        return HB_OK;
    }
    if (g->univariate_count + l->count > g->univariate_capacity) {
        const uint32_t capacity = 2 * g->univariate_capacity + 64;
        hb_univariate *longer = realloc(g->univariate, capacity * sizeof *longer);
        if (longer == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for the graph of an expression");
        }
        g->univariate = longer;
        g->univariate_capacity = capacity;
    }
    node->univariate = g->univariate_count;
    node->univariate_count = l->count;
    for (uint32_t i = 0; i < l->count; i++) {
        g->univariate[g->univariate_count++] = l->all[i];
    }
    return HB_OK;
}

/* --- ranges */

static void narrow(const hb_graph *g, hb_node *node, const hb_univariate *p)
{
    const hb_node *base = &g->nodes[p->base];
    const hb_interval x = hb_interval_to_reals(base->interval);
    if (p->degree < 2 || !x.known || !isfinite(x.low) || !isfinite(x.high)) {
        return;
    }
    const hb_bounds range = hb_polynomial_range(p->c, p->degree, (hb_bounds){x.low, x.high});
    const hb_interval own = hb_interval_to_reals(node->interval), found = hb_interval_of_reals(range.low, range.high);
    const hb_interval both = own.known ? hb_interval_meet(own, found) : found;
    node->interval = both.known ? both : node->interval;
    if (hb_node_confined(node)) {
        node->magnitude = fmin(node->magnitude, hb_interval_magnitude(node->interval));
    }
}

/* Ranges of complex values are those of their moduli. */
static bool are_real(const hb_graph *g, const hb_node *node)
{
    const hb_node_list operands = hb_node_operands(g, node);
    bool real = node->halves == HB_HALVES_REAL;
    for (uint32_t i = 0; i < operands.count; i++) {
        const hb_node *x = &g->nodes[operands.node[i]];
        real = real && x->halves == HB_HALVES_REAL && !x->plain;
    }
    return real;
}

hb_status hb_graph_find_univariate(hb_graph *g, hb_node *node)
{
    list found;
    if (!g->syntax->loops || !g->semantics->reals || g->params == NULL || hb_operations[node->op].loads ||
        !are_real(g, node)) {
        return HB_OK;
    }
    const bool narrower = of_node(g, node, &found);
    sort(&found);
    for (uint32_t i = 0; i < found.count && narrower; i++) {
        narrow(g, node, &found.all[i]);
    }
    return keep(g, node, &found);
}

/* --- as one operation */

/* Sets the coefficients of a polynomial, and returns whether they are known exactly. */
static bool coefficients_of(const hb_univariate *p, hb_number *c)
{
    bool exact = true;
    for (uint32_t k = 0; k <= p->degree; k++) {
        c[k] = (hb_number){.real = p->c[k].low};
        exact = exact && p->c[k].low == p->c[k].high;
    }
    return exact;
}

hb_status hb_graph_as_polynomial(hb_graph *g, uint32_t *node)
{
    const uint32_t from = *node;
    hb_number c[HB_UNIVARIATE_DEGREE + 1];
    if (g->nodes[from].univariate_count > 0 && g->nodes[from].op != HB_OP_POLYNOMIAL) {
        const hb_univariate p = g->univariate[g->nodes[from].univariate]; /* of the nearest */
        const bool exact = coefficients_of(&p, c);
        HB_TRY(exact && p.degree >= 3 ? hb_graph_poly_instead(g, p.base, c, p.degree, node) : HB_OK);
    }
    if (*node != from && g->nodes[*node].univariate_count == 0) { /* others may be made of it and its base */
        g->nodes[*node].univariate = g->nodes[from].univariate;
        g->nodes[*node].univariate_count = g->nodes[from].univariate_count;
    }
    return HB_OK;
}
