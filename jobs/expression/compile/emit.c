#include <stdlib.h>
#include <string.h>

#include "emit_private.h"
#include "expression/graph/semantics.h"

hb_status hb_emit_line(hb_emitter *x, hb_line line)
{
    hb_listing *list = x->list;
    uint32_t all = 0;
    if (list->count == list->capacity) {
        for (uint32_t i = 0; i < 2 * x->e->pass_count; i++) {
            all += x->e->listings[i].count;
        }
        if (all > HB_MAX_INSTRUCTIONS) {
            return HB_FAIL_AT(HB_EUSAGE, x->g->syntax->text, line.instruction.at,
                              "the expression comes to more than %u instructions; split it into several",
                              HB_MAX_INSTRUCTIONS);
        }
        const uint32_t capacity = list->capacity == 0 ? 64 : 2 * list->capacity;
        hb_line *lines = realloc(list->lines, capacity * sizeof *lines);
        if (!lines) {
            return HB_FAIL(HB_ENOMEM, "no memory for the instructions of an expression");
        }
        list->lines = lines;
        list->capacity = capacity;
    }
    list->lines[list->count++] = line;
    return HB_OK;
}

uint32_t hb_value_of(const hb_graph *g, uint32_t node)
{
    if (node == HB_NO_NODE) {
        return HB_NO_NODE;
    }
    const hb_node *x = &g->nodes[node];
    const bool second = x->op == HB_OP_SUM_SLOTS ? g->nodes[x->a].size == 3 : x->size < x->raw_size;
    return 2 * node + second;
}

static hb_status relinearize(hb_emitter *x, uint32_t node)
{
    const hb_instruction in = {.op = HB_OP_RELINEARIZE, .at = x->g->nodes[node].at};
    return hb_emit_line(x, (hb_line){in, 2 * node + 1, 2 * node, HB_NO_NODE});
}

hb_status hb_emit_node(hb_emitter *x, uint32_t node)
{
    const hb_graph *g = x->g;
    const hb_node *n = &g->nodes[node];
    const bool constant = hb_operations[n->op].constant;
    const hb_instruction in = {.op = n->op,
                               .number = constant ? g->semantics->computed(g->spec, n->number) : n->number,
                               .operand = n->operand,
                               .column = n->column,
                               .at = n->at};
    HB_TRY(hb_emit_line(x, (hb_line){in, 2 * node, hb_value_of(g, n->a), hb_value_of(g, n->b)}));
    return n->size < n->raw_size ? relinearize(x, node) : HB_OK;
}

hb_status hb_emit_stores(hb_emitter *x, uint32_t node)
{
    for (uint32_t s = x->output[node]; s != HB_NO_NODE; s = x->next_output[s]) {
        uint32_t i = 0, column = s;
        while (column >= x->e->stores[i].columns) {
            column -= x->e->stores[i++].columns;
        }
        const hb_instruction in = {.op = HB_OP_STORE, .operand = i, .column = column, .at = x->e->stores[i].at};
        HB_TRY(hb_emit_line(x, (hb_line){in, HB_NO_NODE, hb_value_of(x->g, node), HB_NO_NODE}));
    }
    return HB_OK;
}

static hb_status sum_slots(hb_emitter *x, uint32_t node)
{
    if (x->g->nodes[x->g->nodes[node].a].size == 3) {
        HB_TRY(relinearize(x, node));
    }
    const uint32_t value = hb_value_of(x->g, node);
    const hb_instruction in = {.op = HB_OP_SUM_SLOTS, .at = x->g->nodes[node].at};
    return hb_emit_line(x, (hb_line){in, value, value, HB_NO_NODE});
}

static hb_status emit_totals(hb_emitter *x)
{
    const hb_graph *g = x->g;
    x->list = &x->e->listings[2 * x->pass + 1];
    memset(x->done, 0, g->count * sizeof *x->done);
    for (uint32_t i = 0; i < g->count; i++) {
        const hb_node *n = &g->nodes[i];
        if (!n->used || !n->total || n->pass != x->pass) {
            continue;
        }
        if (n->b != HB_NO_NODE && g->nodes[n->b].plain && !x->done[n->b]) {
            HB_TRY(hb_emit_node(x, n->b));
            x->done[n->b] = true;
        }
        if (n->op == HB_OP_SUM_SLOTS) {
            HB_TRY(sum_slots(x, i));
        } else {
            HB_TRY(hb_emit_node(x, i));
        }
        HB_TRY(hb_emit_stores(x, i));
    }
    return HB_OK;
}

/* What of the graph is the same in all passes. */
static void index_graph(hb_emitter *x)
{
    const hb_graph *g = x->g;
    memset(x->total, 0xff, g->count * sizeof *x->total);
    memset(x->output, 0xff, g->count * sizeof *x->output);
    for (uint32_t i = 0; i < g->count; i++) {
        const hb_node *n = &g->nodes[i];
        if (n->used && n->op == HB_OP_SUM_SLOTS) {
            x->total[n->a] = i;
        }
        const uint32_t a = hb_has_rows(g, n->a) ? x->weight[n->a] : 0, b = hb_has_rows(g, n->b) ? x->weight[n->b] : 0;
        const uint32_t most = a > b ? a : b;
        x->weight[i] = a == b || n->a == n->b ? a + 1 : most;
    }
    uint32_t s = 0;
    for (uint32_t i = 0; i < x->e->store_count; i++) {
        for (uint32_t j = 0; j < x->e->stores[i].columns; j++, s++) {
            const uint32_t node = x->e->stores[i].nodes[j];
            x->next_output[s] = x->output[node];
            x->output[node] = s;
        }
    }
}

static hb_status emit_passes(hb_emitter *x)
{
    index_graph(x);
    for (x->pass = 0; x->pass < x->e->pass_count; x->pass++) {
        HB_TRY(hb_emit_rows(x));
        HB_TRY(emit_totals(x));
    }
    return HB_OK;
}

hb_status hb_emit(hb_emission *e)
{
    const size_t count = e->graph->count;
    size_t stores = 0;
    for (uint32_t i = 0; i < e->store_count; i++) {
        stores += e->stores[i].columns;
    }
    hb_emitter x = {.g = e->graph, .e = e};
    uint32_t *words = malloc((7 * count + stores) * sizeof *words);
    x.done = malloc(count * sizeof *x.done);
    x.roots = malloc(count * sizeof *x.roots);
    e->listings = calloc(2 * (size_t)e->pass_count, sizeof *e->listings);
    hb_status st = HB_OK;
    if (!words || !x.done || !x.roots || !e->listings) {
        st = HB_FAIL(HB_ENOMEM, "no memory for the instructions of an expression");
    } else {
        uint32_t **arrays[] = {&x.rotation, &x.next_rotation, &x.total, &x.uses, &x.weight, &x.stack, &x.output};
        for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
            *arrays[i] = words + i * count;
        }
        x.next_output = words + 7 * count;
        st = emit_passes(&x);
    }
    free(words);
    free(x.done);
    free(x.roots);
    return st;
}

void hb_emission_clear(hb_emission *e)
{
    for (uint32_t i = 0; e->listings != NULL && i < 2 * e->pass_count; i++) {
        free(e->listings[i].lines);
    }
    free(e->listings);
    *e = (hb_emission){0};
}
