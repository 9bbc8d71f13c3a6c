/* A pass computes the sums of its totals, the outputs that it is the first to be able to store, and all nodes with rows
 * that these depend on: no value with rows outlives its pass. */
#include <stdlib.h>
#include <string.h>

#include "emit_private.h"
#include "lang/ir/bootstrap.h"
#include "lang/ir/semantics.h"

static bool has_rows(const hb_graph *g, uint32_t node)
{
    return node != HB_NO_NODE && !g->nodes[node].shape.total;
}

/* Whether others like it may share its work. */
static bool is_shared(const hb_node *node)
{
    return node->op == HB_OP_ROTATE || node->op == HB_OP_COMBINE ||
           (node->op == HB_OP_BOOTSTRAP && node->b != HB_NO_NODE);
}

/* By which of its operands it is listed; a pair has the same two. */
static uint32_t listed_by(const hb_node *node)
{
    return node->op == HB_OP_BOOTSTRAP && node->b < node->a ? node->b : node->a;
}

/* Rotations of one value that are made together: enough to share its decomposition, few enough for memory. */
#define HOISTED 8

static hb_status accumulate(hb_emitter *x, uint32_t node)
{
    const uint32_t total = x->total[node];
    if (x->uses[node] > 0 || total == HB_NO_NODE || x->facts->size[total].pass != x->pass) {
        return HB_OK;
    }
    const hb_instruction in = hb_emit_instruction(x, HB_OP_ACCUMULATE, total);
    return hb_emit_line(x, (hb_emitted){in, 2 * total, hb_emitted_value(x->facts, node), HB_NO_NODE});
}

/* Stores or accumulates a node that was just computed, and ends the values that waited for it. */
static hb_status settle(hb_emitter *x, uint32_t node)
{
    const hb_node *n = &x->g->nodes[node];
    HB_TRY(hb_emit_stores(x, node));
    HB_TRY(accumulate(x, node));
    const hb_node_list operands = hb_node_operands(x->g, n);
    for (uint32_t i = 0; i < operands.count; i++) {
        if (has_rows(x->g, operands.node[i])) {
            x->uses[operands.node[i]]--;
            HB_TRY(accumulate(x, operands.node[i]));
        }
    }
    return HB_OK;
}

/* Whether a node is done together with another that is listed by the same operand: rotations of it, linear combinations
 * of the same nodes, or the other one of a pair. */
static bool alike(const hb_graph *g, const hb_node *x, const hb_node *y)
{
    const hb_node_list a = hb_node_operands(g, x), b = hb_node_operands(g, y);
    if (x->op == HB_OP_BOOTSTRAP && y->op == HB_OP_BOOTSTRAP) {
        return x->a == y->b && x->b == y->a;
    }
    return x->op == y->op && a.count == b.count && memcmp(a.node, b.node, a.count * sizeof *a.node) == 0;
}

/* A node whose operands are there, and others like it, with nothing between them. */
static hb_status finish(hb_emitter *x, uint32_t node)
{
    const hb_node *n = &x->g->nodes[node];
    uint32_t count = 0;
    x->together[count++] = node;
    if (is_shared(n)) {
        const uint32_t most = n->op == HB_OP_ROTATE ? HOISTED : x->g->count;
        for (uint32_t r = x->sharing[listed_by(n)]; r != HB_NO_NODE && count < most; r = x->next_sharing[r]) {
            if (r != node && !x->done[r] && alike(x->g, n, &x->g->nodes[r])) {
                x->together[count++] = r;
            }
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        HB_TRY(hb_emit_node(x, x->together[i]));
        x->done[x->together[i]] = true;
    }
    for (uint32_t i = 0; i < count; i++) {
        HB_TRY(settle(x, x->together[i]));
    }
    return HB_OK;
}

/* The operand to compute first, if any is not there: the one that takes more registers. */
static uint32_t waiting(const hb_emitter *x, uint32_t node)
{
    const hb_node_list operands = hb_node_operands(x->g, &x->g->nodes[node]);
    uint32_t first = HB_NO_NODE;
    for (uint32_t i = 0; i < operands.count; i++) {
        const uint32_t a = operands.node[i];
        if (has_rows(x->g, a) && !x->done[a] && (first == HB_NO_NODE || x->weight[a] > x->weight[first])) {
            first = a;
        }
    }
    return first;
}

static int compare(const void *x, const void *y)
{
    const uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

/* Nodes with rows that this pass needs: uses of each, and the roots, column by column so that few columns are held at a
 * time. Operations that can be done together are listed by their first operand. */
static uint32_t plan_rows(hb_emitter *x)
{
    const hb_graph *g = x->g;
    uint32_t roots = 0;
    memset(x->uses, 0, g->count * sizeof *x->uses);
    memset(x->done, 0, g->count * sizeof *x->done);
    memset(x->sharing, 0xff, g->count * sizeof *x->sharing);
    bool *needed = x->done; /* until the instructions are made */
    for (uint32_t i = g->count; i-- > 0;) {
        const hb_node *n = &g->nodes[i];
        if (!x->facts->size[i].used) {
            continue;
        }
        const bool summed = n->op == HB_OP_SUM_SLOTS && x->facts->size[i].pass == x->pass;
        const bool stored = !n->shape.total && hb_emit_is_stored(x, i);
        if (summed || stored) {
            x->roots[roots++] = (uint64_t)n->value_column << 32 | (summed ? n->a : i);
            needed[summed ? n->a : i] = true;
        }
        const uint32_t mate = hb_node_bootstrapped_with(g, i);
        if (mate != HB_NO_NODE) { /* a pair is made whole; users of one of it stand behind both */
            needed[i] = needed[mate] = needed[i] || needed[mate];
        }
        if (!needed[i] || n->shape.total) {
            continue;
        }
        if (is_shared(n)) {
            x->next_sharing[i] = x->sharing[listed_by(n)];
            x->sharing[listed_by(n)] = i;
        }
        const hb_node_list operands = hb_node_operands(g, n);
        for (uint32_t j = 0; j < operands.count; j++) {
            if (has_rows(g, operands.node[j])) {
                needed[operands.node[j]] = true;
                x->uses[operands.node[j]]++;
            }
        }
    }
    memset(x->done, 0, g->count * sizeof *x->done);
    qsort(x->roots, roots, sizeof *x->roots, compare);
    return roots;
}

/* The row instructions of x->pass. */
static hb_status emit_rows(hb_emitter *x)
{
    x->list = &x->e->listings[2 * x->pass];
    const uint32_t roots = plan_rows(x);
    for (uint32_t i = 0; i < roots; i++) {
        HB_TRY(hb_emit_all_of(x, (uint32_t)x->roots[i], waiting, finish));
    }
    return HB_OK;
}

static uint32_t weight_of(const hb_emitter *x, const hb_node *n)
{
    if (n->op == HB_OP_COMBINE) { /* all of its operands at a time */
        return hb_node_operands(x->g, n).count + 1;
    }
    const uint32_t a = has_rows(x->g, n->a) ? x->weight[n->a] : 0, b = has_rows(x->g, n->b) ? x->weight[n->b] : 0;
    const uint32_t most = a > b ? a : b;
    return a == b || n->a == n->b ? a + 1 : most;
}

/* Indexes the parts of the graph that are the same in all passes. */
static void index_graph(hb_emitter *x)
{
    const hb_graph *g = x->g;
    memset(x->total, 0xff, g->count * sizeof *x->total);
    memset(x->output, 0xff, g->count * sizeof *x->output);
    for (uint32_t i = 0; i < g->count; i++) {
        const hb_node *n = &g->nodes[i];
        if (x->facts->size[i].used && n->op == HB_OP_SUM_SLOTS) {
            x->total[n->a] = i;
        }
        x->weight[i] = weight_of(x, n);
    }
    uint32_t s = 0;
    for (uint32_t i = 0; i < x->e->store_count; i++) {
        for (uint32_t j = 0; j < x->e->stores[i].columns; j++, s++) {
            const uint32_t node = x->e->stores[i].nodes[j];
            const uint32_t pass = x->facts->size[node].pass;
            x->next_output[s] = x->output[node];
            x->output[node] = s;
            x->stored_in[i] = j == 0 || pass > x->stored_in[i] ? pass : x->stored_in[i];
        }
    }
}

static hb_status emit_passes(hb_emitter *x)
{
    index_graph(x);
    for (x->pass = 0; x->pass < x->e->pass_count; x->pass++) {
        HB_TRY(emit_rows(x));
        HB_TRY(hb_emit_totals(x));
    }
    return HB_OK;
}

hb_status hb_emit(hb_emission *e)
{
    const size_t count = e->facts->count;
    size_t stores = 0;
    for (uint32_t i = 0; i < e->store_count; i++) {
        stores += e->stores[i].columns;
    }
    hb_emitter x = {.g = e->facts->graph, .facts = e->facts, .e = e};
    uint32_t *words = malloc((8 * count + stores) * sizeof *words);
    x.done = malloc(count * sizeof *x.done);
    x.roots = malloc(count * sizeof *x.roots);
    x.stored_in = calloc((size_t)e->store_count + 1, sizeof *x.stored_in);
    e->listings = calloc(2 * (size_t)e->pass_count, sizeof *e->listings);
    hb_status st = HB_OK;
    if (!words || !x.done || !x.roots || !x.stored_in || !e->listings) {
        st = HB_FAIL(HB_ENOMEM, "no memory for the instructions of an expression");
    } else {
        uint32_t **arrays[] = {&x.sharing, &x.next_sharing, &x.total,  &x.uses,
                               &x.weight,  &x.stack,        &x.output, &x.together};
        for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
            *arrays[i] = words + i * count;
        }
        x.next_output = words + 8 * count;
        st = emit_passes(&x);
    }
    free(words);
    free(x.done);
    free(x.roots);
    free(x.stored_in);
    return st;
}
