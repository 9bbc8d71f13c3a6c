/* How transparent results are found: `linear` is the node as a linear form of what enters the graph, at a pseudo-random
 * point (linear.h). Encrypted operands, and what is made by steps that round, are its variables; sums, constants and
 * plaintexts act on it as on the components of ciphertexts, exactly. It is 0 for the zero form, whose ciphertexts have
 * nothing but a component 0, and for others with a chance of 2^-61. */
#include "graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/seed.h"
#include "complex.h"
#include "linear.h"
#include "rules.h"
#include "scheme/codec.h"
#include "scheme/params.h"
#include "semantics.h"
#include "values.h"

/* The finalizer of SplitMix64. */
static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15; /* 2^64 divided by the golden ratio */
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

static uint64_t hash(const hb_node *node)
{
    const uint64_t words[] = {(uint64_t)node->op, (uint64_t)node->a << 32 | node->b, (uint64_t)node->number,
                              (uint64_t)node->operand << 32 | node->column};
    uint64_t h = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        h = mix(h ^ words[i]);
    }
    return h;
}

static bool same(const hb_node *x, const hb_node *y)
{
    return x->op == y->op && x->a == y->a && x->b == y->b && x->number == y->number && x->operand == y->operand &&
           x->column == y->column;
}

static bool clean_of(const hb_graph *g, const hb_node *node)
{
    const hb_rule *rule = &hb_rules[node->op];
    if (rule->clean != NULL) {
        return rule->clean(g, node);
    }
    return g->nodes[node->a].clean && (node->b == HB_NO_NODE || g->nodes[node->b].clean);
}

static void derive(const hb_graph *g, hb_node *node)
{
    const hb_rule *rule = &hb_rules[node->op];
    node->linear = rule->linear != NULL ? rule->linear(g, node) : hb_linear_fold(hash(node) >> 3) | 1; /* never 0 */
    if (hb_operations[node->op].loads) {
        node->magnitude = node->interval.known ? hb_interval_magnitude(node->interval) : HUGE_VAL;
        return;
    }
    const hb_node *a = &g->nodes[node->a], *b = node->b == HB_NO_NODE ? a : &g->nodes[node->b];
    const bool negative = rule->negative || (hb_operations[node->op].constant && node->number < 0);
    const bool integers = !g->semantics->reals;
    node->scaled = g->semantics->scales && (rule->scales || (rule->same_scale && a->scaled));
    node->limbs = hb_node_limbs(g, node);
    node->depth = (a->depth > b->depth ? a->depth : b->depth) + rule->product;
    node->is_signed = integers && (a->is_signed || b->is_signed || negative);
    node->clean = !hb_graph_partial(g) || (!node->total && clean_of(g, node));
    node->halves = a->halves;
    node->pair = a->pair;
    if (rule->halves != NULL) {
        rule->halves(g, node);
    }
    node->interval = hb_halves_range(node->halves, rule->interval != NULL ? rule->interval(g, node) : a->interval);
    node->magnitude = hb_node_magnitude(g, node);
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
        uint64_t slot = hash(&g->nodes[i]);
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

hb_status hb_graph_node(hb_graph *g, const hb_node *node, uint32_t *out)
{
    HB_TRY(grow(g));
    uint64_t slot = hash(node);
    for (; g->table[slot % g->table_capacity] != HB_NO_NODE; slot++) {
        const uint32_t there = g->table[slot % g->table_capacity];
        if (same(&g->nodes[there], node)) {
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
    hb_node made = *node;
    made.at = item->at;
    made.from = item->from;
    made.to = item->to;
    made.value_column = g->value_column;
    derive(g, &made);
    if (made.linear == 0 && g->params != NULL) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, item->at,
                          "nothing encrypted is left here: the operands cancel, and everyone could read the result "
                          "(a transparent ciphertext, which is refused)");
    }
    g->nodes[g->count] = made;
    g->table[slot % g->table_capacity] = g->count;
    *out = g->count++;
    return HB_OK;
}

uint64_t hb_graph_blocks(const hb_graph *g)
{
    return g->rows == 0 ? 1 : (g->rows - 1) / hb_codec_capacity(g->spec, g->encoding) + 1;
}

bool hb_graph_partial(const hb_graph *g)
{
    return g->rows % hb_codec_capacity(g->spec, g->encoding) != 0;
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
    free(g->nodes);
    free(g->table);
    *g = (hb_graph){0};
}
