/* How transparent results are found: `linear` is the node as a linear form of what enters the graph, at a pseudo-random
 * point (linear.h). Encrypted operands, and what is made by steps that round, are its variables; sums, constants and
 * plaintexts act on it as on the components of ciphertexts, exactly. It is 0 for the zero form, whose ciphertexts have
 * nothing but a component 0, and for others with a chance of 2^-61. */
#include "graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "affine.h"
#include "base/seed.h"
#include "blocks.h"
#include "bootstrap.h"
#include "complex.h"
#include "expression/program/range.h"
#include "linear.h"
#include "rules.h"
#include "scheme/params.h"
#include "semantics.h"
#include "univariate.h"
#include "values.h"

/* The finalizer of SplitMix64. */
static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15; /* 2^64 divided by the golden ratio */
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

hb_combination_terms hb_node_combination(const hb_graph *g, const hb_node *node)
{
    HB_ASSERT(node->op == HB_OP_COMBINE);
    return g->combinations[node->number];
}

hb_node_list hb_node_operands(const hb_graph *g, const hb_node *node)
{
    if (node->op == HB_OP_COMBINE) {
        const hb_combination_terms terms = hb_node_combination(g, node);
        return (hb_node_list){g->term_nodes + terms.first, terms.count};
    }
    return (hb_node_list){node->operands, (node->a != HB_NO_NODE) + (uint32_t)(node->b != HB_NO_NODE)};
}

const hb_weight *hb_node_weights(const hb_graph *g, const hb_node *node)
{
    return g->term_weights + hb_node_combination(g, node).first;
}

/* Combinations are the same where their terms are. */
static uint64_t hash_combination(const hb_graph *g, const hb_node *node)
{
    const hb_node_list operands = hb_node_operands(g, node);
    const hb_weight *weights = hb_node_weights(g, node);
    uint64_t h = hb_node_combination(g, node).whole;
    for (uint32_t i = 0; i < operands.count; i++) {
        h = mix(h ^ operands.node[i]);
        h = mix(h ^ (uint64_t)weights[i].integer);
    }
    return h;
}

static bool same_combination(const hb_graph *g, const hb_node *x, const hb_node *y)
{
    const hb_combination_terms a = hb_node_combination(g, x), b = hb_node_combination(g, y);
    return a.count == b.count && a.whole == b.whole &&
           memcmp(g->term_nodes + a.first, g->term_nodes + b.first, a.count * sizeof *g->term_nodes) == 0 &&
           memcmp(g->term_weights + a.first, g->term_weights + b.first, a.count * sizeof *g->term_weights) == 0;
}

static uint64_t hash(const hb_graph *g, const hb_node *node)
{
    if (node->op == HB_OP_COMBINE) {
        return hash_combination(g, node);
    }
    const uint64_t words[] = {(uint64_t)node->op, (uint64_t)node->a << 32 | node->b, (uint64_t)node->number,
                              (uint64_t)node->operand << 32 | node->column};
    uint64_t h = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        h = mix(h ^ words[i]);
    }
    return h;
}

static bool same(const hb_graph *g, const hb_node *x, const hb_node *y)
{
    if (x->op == HB_OP_COMBINE && y->op == HB_OP_COMBINE) {
        return same_combination(g, x, y);
    }
    return x->op == y->op && x->a == y->a && x->b == y->b && x->number == y->number && x->operand == y->operand &&
           x->column == y->column;
}

static bool clean_of(const hb_graph *g, const hb_node *node)
{
    const hb_rule *rule = &hb_rules[node->op];
    if (rule->clean != NULL) {
        return rule->clean(g, node);
    }
    const hb_node_list operands = hb_node_operands(g, node);
    bool clean = true;
    for (uint32_t i = 0; i < operands.count; i++) {
        clean = clean && g->nodes[operands.node[i]].clean;
    }
    return clean;
}

static void derive(const hb_graph *g, hb_node *node)
{
    const hb_rule *rule = &hb_rules[node->op];
    node->linear = rule->linear != NULL ? rule->linear(g, node) : hb_linear_fold(hash(g, node) >> 3) | 1; /* never 0 */
    if (hb_operations[node->op].loads) {
        node->magnitude = node->interval.known ? hb_interval_magnitude(node->interval) : HUGE_VAL;
        return;
    }
    const hb_node *a = &g->nodes[node->a];
    const hb_node_list operands = hb_node_operands(g, node);
    const bool whole = node->op == HB_OP_COMBINE && hb_node_combination(g, node).whole;
    node->scaled = g->semantics->scales && ((rule->scales && !whole) || (rule->same_scale && a->scaled));
    node->limbs = hb_node_limbs(g, node);
    bool negative = rule->negative || (hb_operations[node->op].constant && node->number < 0);
    node->depth = 0;
    for (uint32_t i = 0; i < operands.count; i++) {
        const hb_node *x = &g->nodes[operands.node[i]];
        negative |= x->is_signed || (whole && hb_node_weights(g, node)[i].integer < 0);
        node->depth = x->depth > node->depth ? x->depth : node->depth;
    }
    node->depth += hb_node_depth(g, node);
    node->is_signed = !g->semantics->reals && negative;
    node->width = hb_node_width(g, node);
    node->bare = hb_node_is_bare(g, node);
    node->image = hb_node_image(g, node);
    node->hollow = hb_node_is_hollow(g, node);
    node->clean = !hb_graph_partial(g) || (!node->total && clean_of(g, node));
    node->halves = a->halves;
    node->pair = a->pair;
    if (rule->halves != NULL) {
        rule->halves(g, node);
    }
    node->interval = hb_halves_range(node->halves, rule->interval != NULL ? rule->interval(g, node) : a->interval);
    node->magnitude = hb_node_magnitude(g, node);
    node->absorbs = hb_node_absorbs(g, node);
}

static hb_status grow(hb_graph *g)
{
    if (g->count < g->capacity) {
        return HB_OK;
    }
    const uint32_t capacity = g->capacity == 0 ? 256 : 2 * g->capacity, table_capacity = 2 * capacity; /* half empty */
    hb_node *nodes = realloc(g->nodes, capacity * sizeof *nodes);
    g->nodes = nodes != NULL ? nodes : g->nodes;
    uint32_t *table = malloc(table_capacity * sizeof *table);
    if (!nodes || !table) {
        free(table);
        return HB_FAIL(HB_ENOMEM, "no memory for the graph of an expression");
    }
    memset(table, 0xff, table_capacity * sizeof *table); /* HB_NO_NODE */
    for (uint32_t i = 0; i < g->count; i++) {
        uint64_t slot = hash(g, &g->nodes[i]);
        while (table[slot % table_capacity] != HB_NO_NODE) {
            slot++;
        }
        table[slot % table_capacity] = i;
    }
    free(g->table);
    g->table = table;
    g->table_capacity = table_capacity;
    g->capacity = capacity;
    return HB_OK;
}

/* Values that were brought to another level lie where those of their operand do, of which more may be known by now. */
static void keep_lower(hb_graph *g, uint32_t i)
{
    hb_node *x = &g->nodes[i];
    if (x->op != HB_OP_RESCALE && x->op != HB_OP_ADJUST) {
        return;
    }
    const hb_node *a = &g->nodes[x->a];
    const hb_interval both = hb_interval_meet(x->interval, a->interval);
    x->interval = both.known ? both : x->interval;
    x->magnitude = fmin(x->magnitude, a->magnitude);
}

hb_status hb_graph_node(hb_graph *g, const hb_node *node, uint32_t *out)
{
    HB_TRY(grow(g));
    uint64_t slot = hash(g, node);
    for (; g->table[slot % g->table_capacity] != HB_NO_NODE; slot++) {
        const uint32_t there = g->table[slot % g->table_capacity];
        if (same(g, &g->nodes[there], node)) {
            keep_lower(g, there);
            *out = there;
            return HB_OK;
        }
    }
    const hb_item *item = g->item;
    if (!g->semantics->operations[node->op]) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, item->at, "%s has no %s", hb_scheme_name(g->spec->scheme),
                          hb_operations[node->op].name);
    }
    if (g->count == HB_GRAPH_MAX_NODES) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, item->at,
                          "the expression comes to more than %d operations on columns; split it into several",
                          HB_GRAPH_MAX_NODES);
    }
    HB_TRY(hb_graph_check_images(g, node));
    hb_node made = *node;
    made.at = item->at;
    made.from = item->from;
    made.to = item->to;
    made.iteration = item->iteration;
    made.iterations = item->iterations;
    made.value_column = g->value_column;
    made.users = 0;
    made.gathered = 0;
    made.univariate = made.univariate_count = 0;
    made.named = false;
    derive(g, &made);
    HB_TRY(hb_graph_find_univariate(g, &made));
    if (made.linear == 0 && g->params != NULL) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, item->at,
                          "nothing encrypted is left here: the operands cancel, and everyone could read the result "
                          "(a transparent ciphertext, which is refused)");
    }
    const hb_node_list operands = hb_node_operands(g, &made);
    for (uint32_t i = 0; i < operands.count; i++) {
        g->nodes[operands.node[i]].users++;
    }
    g->nodes[g->count] = made;
    g->table[slot % g->table_capacity] = g->count;
    *out = g->count++;
    return HB_OK;
}

uint32_t hb_graph_known_limbs(const hb_graph *g, uint32_t limbs)
{
    return g->boundless ? hb_bootstrapped_limbs(g) : limbs;
}

uint64_t hb_graph_blocks(const hb_graph *g)
{
    return g->rows == 0 ? 1 : (g->rows - 1) / hb_graph_capacity(g) + 1;
}

bool hb_graph_partial(const hb_graph *g)
{
    return g->rows % hb_graph_capacity(g) != 0;
}

uint64_t hb_graph_modulus(const hb_graph *g)
{
    return g->semantics->modulus(g->spec);
}

const hb_semantics *hb_semantics_of(hb_scheme scheme)
{
    static const hb_semantics *const semantics[] = {[HB_BFV] = &hb_bfv_semantics, [HB_CKKS] = &hb_ckks_semantics};
    HB_ROW_PER_SCHEME(semantics);
    HB_ASSERT((size_t)scheme < HB_SCHEMES);
    return semantics[scheme];
}

void hb_graph_clear(hb_graph *g)
{
    if (g->nodes != NULL) { /* whose constants may be the weights of a private table */
        hb_wipe(g->nodes, g->count * sizeof *g->nodes);
    }
    if (g->term_weights != NULL) {
        hb_wipe(g->term_weights, g->term_count * sizeof *g->term_weights);
    }
    free(g->nodes);
    free(g->combinations);
    free(g->term_nodes);
    free(g->term_weights);
    if (g->univariate != NULL) {
        hb_wipe(g->univariate, g->univariate_count * sizeof *g->univariate);
    }
    free(g->univariate);
    free(g->table);
    hb_polynomials_clear(&g->polynomials);
    hb_block_lists_clear(&g->blocks);
    hb_masks_clear(&g->masks);
    *g = (hb_graph){0};
}
