/* A pass needs the sums of its totals and the outputs that it can store first, and of the nodes with rows whatever
 * these are made of: no value with rows outlives its pass. */
#include <stdlib.h>
#include <string.h>

#include "emit_private.h"

/* Rotations of one value that are made together: enough to share its decomposition, few enough for memory. */
#define HOISTED 8

static hb_status accumulate(hb_emitter *x, uint32_t node)
{
    const uint32_t total = x->total[node];
    if (x->uses[node] > 0 || total == HB_NO_NODE || x->g->nodes[total].pass != x->pass) {
        return HB_OK;
    }
    const hb_instruction in = {.op = HB_OP_ACCUMULATE, .at = x->g->nodes[total].at};
    return hb_emit_line(x, (hb_line){in, 2 * total, hb_value_of(x->g, node), HB_NO_NODE});
}

/* Where a node that was just computed goes, and the last use of what was waiting for it. */
static hb_status settle(hb_emitter *x, uint32_t node)
{
    const hb_node *n = &x->g->nodes[node];
    if (n->pass == x->pass) {
        HB_TRY(hb_emit_stores(x, node));
    }
    HB_TRY(accumulate(x, node));
    const uint32_t operands[] = {n->a, n->b};
    for (int i = 0; i < 2; i++) {
        if (hb_has_rows(x->g, operands[i])) {
            x->uses[operands[i]]--;
            HB_TRY(accumulate(x, operands[i]));
        }
    }
    return HB_OK;
}

/* A node whose operands are there; of a rotation also others of the same value, with nothing between them. */
static hb_status finish(hb_emitter *x, uint32_t node)
{
    uint32_t together[HOISTED] = {node}, count = 1;
    if (x->g->nodes[node].op == HB_OP_ROTATE) {
        uint32_t r = x->rotation[x->g->nodes[node].a];
        for (; r != HB_NO_NODE && count < HOISTED; r = x->next_rotation[r]) {
            if (r != node && !x->done[r]) {
                together[count++] = r;
            }
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        HB_TRY(hb_emit_node(x, together[i]));
        x->done[together[i]] = true;
    }
    for (uint32_t i = 0; i < count; i++) {
        HB_TRY(settle(x, together[i]));
    }
    return HB_OK;
}

/* The operand to compute first, if any is not there: the one that takes more registers. */
static uint32_t waiting(const hb_emitter *x, uint32_t node)
{
    const hb_node *n = &x->g->nodes[node];
    const bool a = hb_has_rows(x->g, n->a) && !x->done[n->a], b = hb_has_rows(x->g, n->b) && !x->done[n->b];
    if (a && b) {
        return x->weight[n->b] > x->weight[n->a] ? n->b : n->a;
    }
    if (a) {
        return n->a;
    }
    return b ? n->b : HB_NO_NODE;
}

static hb_status rows_of(hb_emitter *x, uint32_t root)
{
    uint32_t height = 0;
    x->stack[height++] = root;
    while (height > 0) {
        const uint32_t node = x->stack[height - 1];
        const uint32_t first = x->done[node] ? HB_NO_NODE : waiting(x, node);
        if (first != HB_NO_NODE) {
            x->stack[height++] = first; /* a path: operands are older, so at most as many as nodes */
            continue;
        }
        height--;
        if (!x->done[node]) {
            HB_TRY(finish(x, node));
        }
    }
    return HB_OK;
}

static int compare(const void *x, const void *y)
{
    const uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

/* Nodes with rows that this pass needs: uses of each, and the roots, column by column so that few columns are held at a
 * time. Rotations are listed by what they rotate. */
static uint32_t plan_rows(hb_emitter *x)
{
    const hb_graph *g = x->g;
    uint32_t roots = 0;
    memset(x->uses, 0, g->count * sizeof *x->uses);
    memset(x->done, 0, g->count * sizeof *x->done);
    memset(x->rotation, 0xff, g->count * sizeof *x->rotation);
    bool *needed = x->done; /* until the instructions are made */
    for (uint32_t i = g->count; i-- > 0;) {
        const hb_node *n = &g->nodes[i];
        if (!n->used) {
            continue;
        }
        const bool summed = n->op == HB_OP_SUM_SLOTS && n->pass == x->pass;
        const bool stored = !n->total && n->pass == x->pass && x->output[i] != HB_NO_NODE;
        if (summed || stored) {
            x->roots[roots++] = (uint64_t)n->value_column << 32 | (summed ? n->a : i);
            needed[summed ? n->a : i] = true;
        }
        if (!needed[i] || n->total) {
            continue;
        }
        if (n->op == HB_OP_ROTATE) {
            x->next_rotation[i] = x->rotation[n->a];
            x->rotation[n->a] = i;
        }
        const uint32_t operands[] = {n->a, n->b};
        for (int j = 0; j < 2; j++) {
            if (hb_has_rows(g, operands[j])) {
                needed[operands[j]] = true;
                x->uses[operands[j]]++;
            }
        }
    }
    memset(x->done, 0, g->count * sizeof *x->done);
    qsort(x->roots, roots, sizeof *x->roots, compare);
    return roots;
}

hb_status hb_emit_rows(hb_emitter *x)
{
    x->list = &x->e->listings[2 * x->pass];
    const uint32_t roots = plan_rows(x);
    for (uint32_t i = 0; i < roots; i++) {
        HB_TRY(rows_of(x, (uint32_t)x->roots[i]));
    }
    return HB_OK;
}
