#include "symbolic_polynomial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "blocks.h"
#include "polynomial.h"
#include "rules.h"
#include "semantics.h"

/* For a node that many are kept, of the lowest degrees. */
enum { MOST_OF_NODE = 4 };
/* For a graph; against hostile input. Others are not known to be polynomials. */
#define MOST_OF_GRAPH (UINT32_C(1) << 17)

/* The polynomials that a node is, itself among them. */
typedef struct list {
    hb_symbolic_polynomial all[MOST_OF_NODE + 1];
    uint32_t count;
} list;

/* Returns the node that has the same values in all rows, from which it is brought down or rescaled. */
static uint32_t base_of(const hb_graph *g, uint32_t i)
{
    while (hb_rule_of(g->nodes[i].op)->same_values && !hb_rule_of(g->nodes[i].op)->moved) {
        i = g->nodes[i].a;
    }
    return i;
}

/* The value of a name is a base of others, and so is a value that is no polynomial of anything else. */
static void list_of(const hb_graph *g, uint32_t i, list *out)
{
    const hb_node *node = &g->nodes[i];
    const uint32_t base = base_of(g, i);
    out->count = 0;
    if (node->form.symbolic_count == 0 || g->nodes[base].named) {
        out->all[out->count++] = (hb_symbolic_polynomial){.base = base, .degree = 1, .c = {{0, 0}, {1, 1}}};
    }
    for (uint32_t k = 0; k < node->form.symbolic_count; k++) {
        out->all[out->count++] = g->symbolic.list[node->form.symbolic + k];
    }
}

static hb_bounds number(double x)
{
    return (hb_bounds){x, x};
}

/* An integer, which a double may not hold. */
static hb_bounds integer(int64_t x)
{
    const hb_interval ends = hb_interval_to_reals(hb_interval_of(x, x));
    return (hb_bounds){ends.low, ends.high};
}

/* --- arithmetic */

static void scale(hb_symbolic_polynomial *p, hb_bounds by)
{
    for (uint32_t k = 0; k <= p->degree; k++) {
        p->c[k] = hb_bounds_multiply(p->c[k], by);
    }
}

/* p + by q. */
static void add(hb_symbolic_polynomial *p, const hb_symbolic_polynomial *q, hb_bounds by)
{
    for (uint32_t k = 0; k <= q->degree; k++) {
        const hb_bounds term = hb_bounds_multiply(q->c[k], by);
        p->c[k] = k <= p->degree ? hb_bounds_add(p->c[k], term) : term;
    }
    p->degree = q->degree > p->degree ? q->degree : p->degree;
    while (p->degree > 0 && p->c[p->degree].low == 0 && p->c[p->degree].high == 0) {
        p->degree--;
    }
}

static bool multiply(hb_symbolic_polynomial *p, const hb_symbolic_polynomial *q)
{
    const hb_symbolic_polynomial x = *p;
    if (x.degree + q->degree > HB_SYMBOLIC_DEGREE) {
        return false;
    }
    *p = (hb_symbolic_polynomial){.base = x.base, .degree = x.degree + q->degree};
    for (uint32_t i = 0; i <= x.degree; i++) {
        for (uint32_t j = 0; j <= q->degree; j++) {
            p->c[i + j] = hb_bounds_add(p->c[i + j], hb_bounds_multiply(x.c[i], q->c[j]));
        }
    }
    return true;
}

/* --- nodes as polynomials */

/* Returns which of the list is of that base; NULL: none. */
static const hb_symbolic_polynomial *find(const list *l, uint32_t base)
{
    for (uint32_t i = 0; i < l->count; i++) {
        if (l->all[i].base == base) {
            return &l->all[i];
        }
    }
    return NULL;
}

/* Sum `by` first, plus product or sum with the second. */
static void polynomials_of_two(const hb_graph *g, const hb_node *node, list *out)
{
    list x, y;
    list_of(g, node->a, &x);
    list_of(g, node->b, &y);
    out->count = 0;
    for (uint32_t i = 0; i < x.count; i++) {
        const hb_symbolic_polynomial *q = find(&y, x.all[i].base);
        hb_symbolic_polynomial *p = &out->all[out->count];
        *p = x.all[i];
        if (q != NULL && node->op == HB_OP_MULTIPLY) {
            out->count += multiply(p, q);
        } else if (q != NULL) {
            add(p, q, number(node->op == HB_OP_SUBTRACT ? -1 : 1));
            out->count++;
        }
    }
}

static hb_bounds constant_of(const hb_node *node)
{
    return hb_operations[node->op].real ? number(node->real) : integer(node->number);
}

static void polynomials_of_sum_with_constant(const hb_graph *g, const hb_node *node, list *out)
{
    list_of(g, node->a, out);
    for (uint32_t i = 0; i < out->count; i++) {
        out->all[i].c[0] = hb_bounds_add(out->all[i].c[0], constant_of(node));
    }
}

static void polynomials_of_multiple(const hb_graph *g, const hb_node *node, list *out)
{
    list_of(g, node->a, out);
    for (uint32_t i = 0; i < out->count; i++) {
        scale(&out->all[i], constant_of(node));
    }
}

static void polynomials_of_negative(const hb_graph *g, const hb_node *node, list *out)
{
    list_of(g, node->a, out);
    for (uint32_t i = 0; i < out->count; i++) {
        scale(&out->all[i], number(-1));
    }
}

static void polynomials_of_combination(const hb_graph *g, const hb_node *node, list *out)
{
    const hb_combination_terms terms = hb_node_combination(g, node);
    const hb_weight *weights = hb_node_weights(g, node);
    list x;
    bool first = true;
    out->count = 0;
    for (uint32_t t = 0; t < terms.count && (first || out->count > 0); t++) {
        const hb_bounds weight = terms.whole ? integer(weights[t].integer) : number(weights[t].real);
        if (weight.low == 0 && weight.high == 0) {
            continue;
        }
        list_of(g, g->combinations.term_nodes[terms.first + t], &x);
        if (first) {
            *out = x;
        }
        uint32_t kept = 0;
        for (uint32_t i = 0; i < out->count; i++) {
            const hb_symbolic_polynomial *q = find(&x, out->all[i].base);
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

/* How an operation makes a polynomial of polynomials; one without a row makes none, but where it keeps all values. */
typedef struct symbolic_rule {
    void (*of)(const hb_graph *g, const hb_node *node, list *out);
    bool narrower; /* the range of the polynomial may be narrower than follows from those of the operands */
} symbolic_rule;

static const symbolic_rule symbolic_rules[HB_OPCODES] = {
    [HB_OP_ADD] = {.of = polynomials_of_two, .narrower = true},
    [HB_OP_SUBTRACT] = {.of = polynomials_of_two, .narrower = true},
    [HB_OP_MULTIPLY] = {.of = polynomials_of_two, .narrower = true},
    [HB_OP_COMBINE] = {.of = polynomials_of_combination, .narrower = true},
    [HB_OP_NEGATE] = {.of = polynomials_of_negative},
    [HB_OP_MULTIPLY_INTEGER] = {.of = polynomials_of_multiple},
    [HB_OP_MULTIPLY_NUMBER] = {.of = polynomials_of_multiple},
    [HB_OP_ADD_NUMBER] = {.of = polynomials_of_sum_with_constant},
    [HB_OP_ADD_CONSTANT] = {.of = polynomials_of_sum_with_constant},
};

/* Sets *out to the polynomials that a new node equals. Returns whether its range may be narrower than the one that
 * follows from its operands. */
static bool polynomials_of_node(const hb_graph *g, const hb_node *node, list *out)
{
    const symbolic_rule *symbolic = &symbolic_rules[node->op];
    const hb_rule *rule = hb_rule_of(node->op);
    out->count = 0;
    if (symbolic->of != NULL) {
        symbolic->of(g, node, out);
    } else if (rule->same_values && !rule->moved) {
        const hb_node *a = &g->nodes[node->a];
        for (uint32_t i = 0; i < a->form.symbolic_count; i++) { /* the graph may have no list yet */
            out->all[out->count++] = g->symbolic.list[a->form.symbolic + i];
        }
    }
    return symbolic->narrower;
}

/* Sorts by degree, the lowest first, and removes constants. */
static void sort(list *l)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        const hb_symbolic_polynomial p = l->all[i];
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
    if (g->symbolic.count + l->count > MOST_OF_GRAPH) {
        return HB_OK;
    }
    if (g->symbolic.count + l->count > g->symbolic.capacity) {
        const uint32_t capacity = 2 * g->symbolic.capacity + 64;
        hb_symbolic_polynomial *longer = realloc(g->symbolic.list, capacity * sizeof *longer);
        if (longer == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for the graph of an expression");
        }
        g->symbolic.list = longer;
        g->symbolic.capacity = capacity;
    }
    node->form.symbolic = g->symbolic.count;
    node->form.symbolic_count = l->count;
    for (uint32_t i = 0; i < l->count; i++) {
        g->symbolic.list[g->symbolic.count++] = l->all[i];
    }
    return HB_OK;
}

/* --- ranges */

static void meet(hb_node *node, hb_interval found)
{
    const hb_interval both = node->range.interval.known ? hb_interval_meet(node->range.interval, found) : found;
    node->range.interval = both.known ? both : node->range.interval;
    if (hb_node_confined(node)) {
        node->range.magnitude = fmin(node->range.magnitude, hb_interval_magnitude(node->range.interval));
    }
}

/* The integers in a range; an end beyond 2^62 goes outwards to one that 64 bits hold. */
static hb_interval integers_in(hb_bounds range)
{
    const double most = 0x1p62;
    return hb_interval_of(range.low <= -most ? -INT64_MAX : (int64_t)fmin(ceil(range.low), most),
                          range.high >= most ? INT64_MAX : (int64_t)fmax(floor(range.high), -most));
}

static void narrow(const hb_graph *g, hb_node *node, const hb_symbolic_polynomial *p)
{
    const hb_interval x = hb_interval_to_reals(g->nodes[p->base].range.interval);
    if (p->degree < 1 || !x.known || !isfinite(x.low) || !isfinite(x.high)) {
        return;
    }
    const hb_bounds range = hb_polynomial_range(p->c, p->degree, (hb_bounds){x.low, x.high});
    meet(node, g->semantics->reals ? hb_interval_of_reals(range.low, range.high) : integers_in(range));
}

/* --- powers, of any degree */

typedef struct power {
    uint32_t base, exponent;
} power;

enum { MOST_POWERS = 24 }; /* bases of bases, of which each has half the exponent or less, or one less */

/* Lists the nodes of which a node is a power, the nearest first: itself. Returns their number. */
static uint32_t powers_of(const hb_graph *g, uint32_t i, power all[MOST_POWERS])
{
    power of = {base_of(g, i), 1};
    uint32_t count = 0;
    while (count < MOST_POWERS) {
        const hb_node *base = &g->nodes[of.base];
        all[count++] = of;
        if (base->form.exponent == 0 || of.exponent > HB_POWER_MAX_EXPONENT / base->form.exponent) {
            break;
        }
        of = (power){base->form.root, of.exponent * base->form.exponent};
    }
    return count;
}

/* Finds which power a product is, of the nearest node that both factors are powers of, and narrows its range to that of
 * each. */
static void find_power(const hb_graph *g, hb_node *node)
{
    power a[MOST_POWERS], b[MOST_POWERS];
    const uint32_t left = powers_of(g, node->a, a), right = powers_of(g, node->b, b);
    for (uint32_t i = 0; i < left; i++) {
        for (uint32_t j = 0; j < right; j++) {
            const uint32_t exponent = a[i].exponent + b[j].exponent;
            if (a[i].base != b[j].base || exponent > HB_POWER_MAX_EXPONENT) {
                continue;
            }
            if (node->form.exponent == 0) {
                node->form.root = a[i].base;
                node->form.exponent = exponent;
            }
            if (g->nodes[a[i].base].range.interval.known) {
                meet(node, hb_interval_power(g->nodes[a[i].base].range.interval, exponent));
            }
        }
    }
}

/* Ranges of complex values are those of their moduli. */
static bool are_real(const hb_graph *g, const hb_node *node)
{
    const hb_node_list operands = hb_node_operands(g, node);
    bool real = node->shape.halves == HB_HALVES_REAL;
    for (uint32_t i = 0; i < operands.count; i++) {
        const hb_node *x = &g->nodes[operands.node[i]];
        real = real && x->shape.halves == HB_HALVES_REAL && !x->shape.plain;
    }
    return real;
}

hb_status hb_graph_find_symbolic(hb_graph *g, hb_node *node)
{
    list found;
    if (g->params == NULL || hb_operations[node->op].loads || !are_real(g, node)) {
        return HB_OK;
    }
    if (node->op == HB_OP_MULTIPLY) {
        find_power(g, node);
    }
    const bool narrower = polynomials_of_node(g, node, &found);
    sort(&found);
    for (uint32_t i = 0; i < found.count && narrower; i++) {
        narrow(g, node, &found.all[i]);
    }
    return keep(g, node, &found);
}

hb_status hb_graph_is_multiple(hb_graph *g, uint32_t i, uint32_t of, hb_bounds times)
{
    hb_node *node = &g->nodes[i];
    list found, own;
    if (node->shape.halves != HB_HALVES_REAL || g->nodes[of].shape.halves != HB_HALVES_REAL || i == of) {
        return HB_OK;
    }
    list_of(g, of, &found);
    list_of(g, i, &own);
    for (uint32_t k = 0; k < found.count; k++) {
        scale(&found.all[k], times);
    }
    for (uint32_t k = 0; k < own.count && found.count <= MOST_OF_NODE; k++) {
        if (own.all[k].base != i && find(&found, own.all[k].base) == NULL) {
            found.all[found.count++] = own.all[k];
        }
    }
    sort(&found);
    return keep(g, node, &found);
}

void hb_graph_values_are(hb_graph *g, uint32_t node, hb_interval values)
{
    hb_node *x = &g->nodes[node];
    if (x->op == HB_OP_KNOWN) { /* nothing says more of it than its number */
        return;
    }
    x->range.interval = values;
    if (!g->semantics->reals) {
        x->form.symbolic_count = x->form.exponent = 0;
    }
}

void hb_graph_narrow(hb_graph *g, uint32_t node, hb_interval values)
{
    hb_node *x = &g->nodes[node];
    const hb_interval both = x->range.interval.known ? hb_interval_meet(x->range.interval, values) : values;
    if (both.known) {
        hb_graph_values_are(g, node, both);
        x->range.magnitude = hb_node_confined(x) ? hb_interval_magnitude(both) : x->range.magnitude;
    }
}
