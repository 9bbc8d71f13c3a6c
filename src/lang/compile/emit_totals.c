/* The totals' instructions of a pass. */
#include <string.h>

#include "emit_private.h"
#include "lang/ir/bootstrap.h"

static hb_status sum_slots(hb_emitter *x, uint32_t node)
{
    const hb_node *a = &x->g->nodes[x->g->nodes[node].a];
    const uint32_t value = hb_emitted_value(x->facts, node);
    if (value != 2 * node) {
        HB_TRY(hb_emit_second_value(x, a->shape.scaled ? HB_OP_RESCALE : HB_OP_RELINEARIZE, node));
    }
    const hb_instruction in = hb_emit_instruction(x, HB_OP_SUM_SLOTS, node);
    return x->facts->size[node].deferred ? HB_OK : hb_emit_line(x, (hb_emitted){in, value, value, HB_NO_NODE});
}

/* Numbers of one ciphertext of a row: all that this pass takes, with nothing between them. */
static hb_status emit_spread(hb_emitter *x, uint32_t first)
{
    const hb_graph *g = x->g;
    uint32_t count = 0;
    for (uint32_t i = first; i < g->count; i++) {
        const hb_node_size *size = &x->facts->size[i];
        if (g->nodes[i].op == HB_OP_SPREAD && g->nodes[i].a == g->nodes[first].a && size->used &&
            size->pass == x->pass && !x->done[i]) {
            HB_TRY(hb_emit_node(x, i));
            x->done[i] = true;
            x->together[count++] = i;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        HB_TRY(hb_emit_stores(x, x->together[i]));
    }
    return HB_OK;
}

/* A total, and the other one of a pair next to it. */
static hb_status emit_total(hb_emitter *x, uint32_t i)
{
    if (x->g->nodes[i].op == HB_OP_SPREAD) {
        return emit_spread(x, i);
    }
    const uint32_t mate = hb_node_bootstrapped_with(x->g, i);
    x->done[i] = true;
    if (x->g->nodes[i].op == HB_OP_SUM_SLOTS) {
        HB_TRY(sum_slots(x, i));
    } else {
        HB_TRY(hb_emit_node(x, i));
    }
    if (mate != HB_NO_NODE) {
        HB_TRY(hb_emit_node(x, mate));
        HB_TRY(hb_emit_stores(x, mate));
        x->done[mate] = true;
    }
    return hb_emit_stores(x, i);
}

/* A total of this pass that a deferred one takes and that is not there. */
static uint32_t waiting_total(const hb_emitter *x, uint32_t node)
{
    const hb_node_list operands = hb_node_operands(x->g, &x->g->nodes[node]);
    for (uint32_t i = 0; i < operands.count; i++) {
        const uint32_t a = operands.node[i];
        if (x->g->nodes[a].shape.total && !x->done[a] && x->facts->size[a].pass == x->pass) {
            return a;
        }
    }
    return HB_NO_NODE;
}

/* Columns that are made together before they are stored: enough for linear combinations of the same values to share
 * their reading, few enough for memory. */
#define COMBINED 16

static hb_status emit_columns(hb_emitter *x, uint32_t output, uint32_t first, uint32_t count)
{
    for (uint32_t j = first; j < first + count; j++) {
        const uint32_t node = x->e->stores[output].nodes[j];
        if (x->facts->size[node].pass == x->pass) {
            HB_TRY(hb_emit_all_of(x, node, waiting_total, emit_total));
        }
    }
    for (uint32_t j = first; j < first + count; j++) {
        HB_TRY(hb_emit_store(x, output, j));
    }
    return HB_OK;
}

/* Deferred totals are stored in the order of their columns, in which sums merge with the least memory, and are made as
 * late as possible. */
static hb_status emit_deferred(hb_emitter *x)
{
    for (uint32_t i = 0; i < x->e->store_count; i++) {
        const hb_store *store = &x->e->stores[i];
        const bool now = x->stored_in[i] == x->pass && x->facts->size[store->nodes[0]].deferred;
        for (uint32_t j = 0; now && j < store->columns; j += COMBINED) {
            const uint32_t left = store->columns - j;
            HB_TRY(emit_columns(x, i, j, left < COMBINED ? left : COMBINED));
        }
    }
    return HB_OK;
}

hb_status hb_emit_totals(hb_emitter *x)
{
    const hb_graph *g = x->g;
    x->list = &x->e->listings[2 * x->pass + 1];
    memset(x->done, 0, g->count * sizeof *x->done);
    HB_TRY(emit_deferred(x));
    for (uint32_t i = 0; i < g->count; i++) {
        const hb_node *n = &g->nodes[i];
        const hb_node_size *size = &x->facts->size[i];
        if (size->used && n->shape.total &&
            size->pass < x->pass) { /* it is kept, and the other columns are there now */
            HB_TRY(hb_emit_stores(x, i));
        }
        if (!size->used || !n->shape.total || size->pass != x->pass || x->done[i]) {
            continue;
        }
        if (n->b != HB_NO_NODE && g->nodes[n->b].shape.plain && !x->done[n->b]) {
            HB_TRY(hb_emit_node(x, n->b));
            x->done[n->b] = true;
        }
        HB_TRY(emit_total(x, i));
    }
    return HB_OK;
}
