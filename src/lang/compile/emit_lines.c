/* Lines of instructions, which the lists of rows and of totals are made of. */
#include "emit_private.h"
#include "lang/ir/semantics.h"

hb_status hb_emit_line(hb_emitter *x, hb_emitted line)
{
    hb_emitted_list *list = x->list;
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
        hb_emitted *lines = realloc(list->lines, capacity * sizeof *lines);
        if (!lines) {
            return HB_FAIL(HB_ENOMEM, "no memory for the instructions of an expression");
        }
        list->lines = lines;
        list->capacity = capacity;
    }
    list->lines[list->count++] = line;
    return HB_OK;
}

/* An instruction of its own for a node, in the iteration that the node is of. */
hb_instruction hb_emit_instruction(const hb_emitter *x, hb_opcode op, uint32_t node)
{
    const hb_origin *origin = &x->g->nodes[node].origin;
    return (hb_instruction){
        .op = op, .at = origin->at, .iteration = origin->iteration, .iterations = origin->iterations};
}

hb_status hb_emit_second_value(hb_emitter *x, hb_opcode op, uint32_t node)
{
    const hb_instruction in = hb_emit_instruction(x, op, node);
    return hb_emit_line(x, (hb_emitted){in, 2 * node + 1, 2 * node, HB_NO_NODE});
}

/* Gives an instruction the number of its node: a constant as the scheme computes with it, and where it is added to a
 * total whose slots are summed later, its share. */
static void take_number(const hb_emitter *x, uint32_t node, hb_instruction *in)
{
    const hb_graph *g = x->g;
    const hb_semantics *s = g->semantics;
    const hb_node *n = &g->nodes[node];
    const bool shared = x->facts->size[node].deferred && n->op == s->add_number;
    if (hb_operations[n->op].real) {
        in->real = shared ? s->share(g->spec, (hb_number){.real = n->real}).real : n->real;
    } else if (hb_operations[n->op].constant) {
        in->number =
            shared ? s->share(g->spec, (hb_number){.integer = n->number}).integer : s->computed(g->spec, n->number);
    } else if (n->op == HB_OP_REFRESH) { /* it follows from bounds, never from data */
        in->number = x->facts->error[node].range;
    } else {
        in->number = n->number;
    }
}

/* The instruction of a node and, where its users take 2 components of 3, the one after it. */
hb_status hb_emit_node(hb_emitter *x, uint32_t node)
{
    const hb_graph *g = x->g;
    const hb_node *n = &g->nodes[node];
    hb_instruction in = hb_emit_instruction(x, n->op, node);
    take_number(x, node, &in);
    in.operand = n->operand;
    in.column = hb_operations[n->op].encoded ? n->shape.width : n->column;
    HB_TRY(hb_emit_line(
        x, (hb_emitted){in, 2 * node, hb_emitted_value(x->facts, n->a), hb_emitted_value(x->facts, n->b)}));
    return x->facts->size[node].size < x->facts->size[node].raw_size ? hb_emit_second_value(x, HB_OP_RELINEARIZE, node)
                                                                     : HB_OK;
}

/* The output that entry s of the columns of all outputs belongs to, and its column there. */
static uint32_t output_of(const hb_emitter *x, uint32_t s, uint32_t *column)
{
    uint32_t i = 0;
    *column = s;
    while (*column >= x->e->stores[i].columns) {
        *column -= x->e->stores[i++].columns;
    }
    return i;
}

bool hb_emit_is_stored(const hb_emitter *x, uint32_t node)
{
    uint32_t s = x->output[node], column;
    while (s != HB_NO_NODE && x->stored_in[output_of(x, s, &column)] != x->pass) {
        s = x->next_output[s];
    }
    return s != HB_NO_NODE;
}

hb_status hb_emit_store(hb_emitter *x, uint32_t output, uint32_t column)
{
    const hb_store *store = &x->e->stores[output];
    const hb_instruction in = {.op = HB_OP_STORE, .operand = output, .column = column, .at = store->at};
    return hb_emit_line(x, (hb_emitted){in, HB_NO_NODE, hb_emitted_value(x->facts, store->nodes[column]), HB_NO_NODE});
}

/* Stores of a node that is there now. All columns of an output are stored in one pass, that of the last of them: its
 * units are whole then. */
hb_status hb_emit_stores(hb_emitter *x, uint32_t node)
{
    const bool ordered = x->facts->size[node].deferred; /* emit_deferred */
    for (uint32_t s = x->output[node]; s != HB_NO_NODE && !ordered; s = x->next_output[s]) {
        uint32_t column;
        const uint32_t i = output_of(x, s, &column);
        if (x->stored_in[i] != x->pass) {
            continue;
        }
        HB_TRY(hb_emit_store(x, i, column));
    }
    return HB_OK;
}

/* Makes a node, the operands that it waits for first. */
hb_status hb_emit_all_of(hb_emitter *x, uint32_t root, uint32_t (*next)(const hb_emitter *x, uint32_t node),
                         hb_status (*finished)(hb_emitter *x, uint32_t node))
{
    uint32_t height = 0;
    x->stack[height++] = root;
    while (height > 0) {
        const uint32_t node = x->stack[height - 1];
        const uint32_t first = x->done[node] ? HB_NO_NODE : next(x, node);
        if (first != HB_NO_NODE) {
            x->stack[height++] = first; /* a path: operands are older, so at most as many as nodes */
            continue;
        }
        height--;
        if (!x->done[node]) {
            HB_TRY(finished(x, node));
        }
    }
    return HB_OK;
}
