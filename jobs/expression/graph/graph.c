/* How transparent results are found: `linear` is the node as a linear form of what enters the graph, at a pseudo-random
 * point mod 2^61 - 1. Encrypted operands, and what is made by steps that round, are its variables; sums, constants and
 * plaintexts act on it as on the components of ciphertexts, exactly. It is 0 for the zero form, whose ciphertexts have
 * nothing but a component 0, and for others with a chance of 2^-61. */
#include "graph.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t linear_modulus = ((uint64_t)1 << 61) - 1;

/* x mod 2^61 - 1, x below 2^64 - 8. */
static uint64_t fold(uint64_t x)
{
    const uint64_t once = (x >> 61) + (x & linear_modulus);
    return once >= linear_modulus ? once - linear_modulus : once;
}

static uint64_t linear_multiply(uint64_t a, uint64_t b)
{
    uint64_t r = 0;
    for (int shift = 60; shift >= 0; shift--) {
        r = fold(2 * r + ((b >> shift & 1) != 0 ? a : 0)); /* below 3 * 2^61 */
    }
    return r;
}

static uint64_t linear_number(int64_t number)
{
    const uint64_t magnitude = fold(number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
    return number < 0 && magnitude != 0 ? linear_modulus - magnitude : magnitude;
}

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

static uint64_t linear_of(const hb_graph *g, const hb_node *node)
{
    const uint64_t a = node->a == HB_NO_NODE ? 0 : g->nodes[node->a].linear;
    const uint64_t b = node->b == HB_NO_NODE ? 0 : g->nodes[node->b].linear;
    switch (node->op) {
    case HB_OP_ADD:
        return fold(a + b);
    case HB_OP_SUBTRACT:
        return fold(a + linear_modulus - b);
    case HB_OP_NEGATE:
        return fold(linear_modulus - a);
    case HB_OP_ADD_PLAIN:
    case HB_OP_SUBTRACT_PLAIN:
    case HB_OP_ADD_CONSTANT:
    case HB_OP_SPREAD:
        return a;
    case HB_OP_MULTIPLY_PLAIN:
        return linear_multiply(a, b);
    case HB_OP_SCALE:
        return linear_multiply(a, linear_number(node->number));
    default:
        return fold(hash(node) >> 3) | 1; /* never 0 */
    }
}

static hb_interval interval_of(const hb_graph *g, const hb_node *node)
{
    const hb_interval a = g->nodes[node->a].interval;
    const hb_interval b =
        node->b == HB_NO_NODE ? hb_interval_of(node->number, node->number) : g->nodes[node->b].interval;
    switch (node->op) {
    case HB_OP_ADD:
    case HB_OP_ADD_PLAIN:
    case HB_OP_ADD_CONSTANT:
        return hb_interval_add(a, b);
    case HB_OP_SUBTRACT:
    case HB_OP_SUBTRACT_PLAIN:
        return hb_interval_add(a, hb_interval_negate(b));
    case HB_OP_NEGATE:
        return hb_interval_negate(a);
    case HB_OP_MULTIPLY:
        return node->a == node->b ? hb_interval_square(a) : hb_interval_multiply(a, b);
    case HB_OP_MULTIPLY_PLAIN:
    case HB_OP_SCALE:
        return hb_interval_multiply(a, b);
    case HB_OP_SUM_SLOTS:
        return hb_interval_multiply(a, hb_interval_of((int64_t)g->rows, (int64_t)g->rows)); /* rows < 2^63: files */
    case HB_OP_ROTATE:
    case HB_OP_SWAP:
        if (!g->nodes[node->a].clean) {
            return (hb_interval){.known = false}; /* what stands where no row is moves to where one is */
        }
        return hb_graph_partial(g) ? hb_interval_with_zero(a) : a;
    default:
        return a;
    }
}

/* Where the last row block has slots that hold no row. */
static bool clean_of(const hb_graph *g, const hb_node *node)
{
    const bool a = g->nodes[node->a].clean, b = node->b == HB_NO_NODE || g->nodes[node->b].clean;
    switch (node->op) {
    case HB_OP_MULTIPLY:
    case HB_OP_MULTIPLY_PLAIN:
        return a || b;
    case HB_OP_ROTATE:
    case HB_OP_SWAP:
        return false;
    case HB_OP_MASK:
        return true;
    default:
        return a && b;
    }
}

static void derive(const hb_graph *g, hb_node *node)
{
    node->linear = node->plain ? fold(hash(node) >> 3) | 1 : linear_of(g, node);
    if (node->op == HB_OP_LOAD || node->op == HB_OP_LOAD_PLAIN) {
        return;
    }
    const hb_node *a = &g->nodes[node->a], *b = node->b == HB_NO_NODE ? a : &g->nodes[node->b];
    const bool product = node->op == HB_OP_MULTIPLY, step = node->op == HB_OP_ROTATE;
    node->limbs = a->limbs - (node->op == HB_OP_MOD_SWITCH);
    node->depth = (a->depth > b->depth ? a->depth : b->depth) + product;
    node->is_signed = a->is_signed || b->is_signed || (!step && node->number < 0) || node->op == HB_OP_SUBTRACT ||
                      node->op == HB_OP_SUBTRACT_PLAIN || node->op == HB_OP_NEGATE;
    node->clean = !hb_graph_partial(g) || (!node->total && clean_of(g, node));
    node->interval = interval_of(g, node);
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
    return g->rows == 0 ? 1 : (g->rows - 1) / g->n + 1;
}

bool hb_graph_partial(const hb_graph *g)
{
    return g->rows % g->n != 0;
}

void hb_graph_clear(hb_graph *g)
{
    free(g->nodes);
    free(g->table);
    *g = (hb_graph){0};
}
