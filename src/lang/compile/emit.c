/* A pass computes the sums of its totals, the outputs that it is the first to be able to store, and all nodes with rows
 * that these depend on: no value with rows outlives its pass. */
#include "emit.h"

#include <stdlib.h>
#include <string.h>

#include "lang/ir/bootstrap.h"
#include "lang/ir/semantics.h"

/* Arrays have an entry a node. Lists: a head a node, `next_` of each entry, HB_NO_NODE at the end. */
typedef struct emitter {
    const hb_graph *g;
    const hb_facts *facts; /* of it */
    hb_emission *e;
    hb_emitted_list *list;
    uint32_t pass;
    uint32_t *sharing, *next_sharing; /* of a node: its users that can run together, as their first operand */
    uint32_t *together;               /* [nodes] */
    uint32_t *total;                  /* of a node: its sum */
    uint32_t *uses;                   /* of a node in this pass, that are still to come */
    uint32_t *weight;                 /* registers that a node takes to compute, about */
    bool *done;
    uint32_t *stack;                /* [nodes] */
    uint32_t *output, *next_output; /* of a node: where it is stored, counted through the columns of all outputs */
    uint32_t *stored_in;            /* [store_count] the pass in which the last column of an output is there */
    uint64_t *roots;                /* [nodes]: value_column * 2^32 + node */
} emitter;

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

static hb_status emit_line(emitter *x, hb_emitted line)
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
static hb_instruction instruction_for(const emitter *x, hb_opcode op, uint32_t node)
{
    const hb_origin *origin = &x->g->nodes[node].origin;
    return (hb_instruction){
        .op = op, .at = origin->at, .iteration = origin->iteration, .iterations = origin->iterations};
}

static hb_status second_value(emitter *x, hb_opcode op, uint32_t node)
{
    const hb_instruction in = instruction_for(x, op, node);
    return emit_line(x, (hb_emitted){in, 2 * node + 1, 2 * node, HB_NO_NODE});
}

/* The constant of an instruction; of a total whose slots are summed later its share. */
static int64_t constant_of(const emitter *x, uint32_t node)
{
    const hb_graph *g = x->g;
    const hb_node *n = &g->nodes[node];
    const int64_t number = g->semantics->computed(g->spec, n->number);
    return x->facts->size[node].deferred && n->op == HB_OP_ADD_CONSTANT ? g->semantics->share(g->spec, number) : number;
}

/* The instruction of a node and, where its users take 2 components of 3, the one after it. */
static hb_status emit_node(emitter *x, uint32_t node)
{
    const hb_graph *g = x->g;
    const hb_node *n = &g->nodes[node];
    const bool constant = hb_operations[n->op].constant;
    hb_instruction in = instruction_for(x, n->op, node);
    in.number = constant                 ? constant_of(x, node)
                : n->op == HB_OP_REFRESH ? x->facts->error[node].range /* it follows from bounds, never from data */
                                         : n->number;
    in.operand = n->operand;
    in.column = hb_operations[n->op].encoded ? n->shape.width : n->column;
    HB_TRY(
        emit_line(x, (hb_emitted){in, 2 * node, hb_emitted_value(x->facts, n->a), hb_emitted_value(x->facts, n->b)}));
    return x->facts->size[node].size < x->facts->size[node].raw_size ? second_value(x, HB_OP_RELINEARIZE, node) : HB_OK;
}

/* The output that entry s of the columns of all outputs belongs to, and its column there. */
static uint32_t output_of(const emitter *x, uint32_t s, uint32_t *column)
{
    uint32_t i = 0;
    *column = s;
    while (*column >= x->e->stores[i].columns) {
        *column -= x->e->stores[i++].columns;
    }
    return i;
}

/* Whether an output that this pass stores has the node among its columns. */
static bool is_stored(const emitter *x, uint32_t node)
{
    uint32_t s = x->output[node], column;
    while (s != HB_NO_NODE && x->stored_in[output_of(x, s, &column)] != x->pass) {
        s = x->next_output[s];
    }
    return s != HB_NO_NODE;
}

static hb_status emit_store(emitter *x, uint32_t output, uint32_t column)
{
    const hb_store *store = &x->e->stores[output];
    const hb_instruction in = {.op = HB_OP_STORE, .operand = output, .column = column, .at = store->at};
    return emit_line(x, (hb_emitted){in, HB_NO_NODE, hb_emitted_value(x->facts, store->nodes[column]), HB_NO_NODE});
}

/* Stores of a node that is there now. All columns of an output are stored in one pass, that of the last of them: its
 * units are whole then. */
static hb_status emit_stores(emitter *x, uint32_t node)
{
    const bool ordered = x->facts->size[node].deferred; /* emit_deferred */
    for (uint32_t s = x->output[node]; s != HB_NO_NODE && !ordered; s = x->next_output[s]) {
        uint32_t column;
        const uint32_t i = output_of(x, s, &column);
        if (x->stored_in[i] != x->pass) {
            continue;
        }
        HB_TRY(emit_store(x, i, column));
    }
    return HB_OK;
}

/* Rotations of one value that are made together: enough to share its decomposition, few enough for memory. */
#define HOISTED 8

static hb_status accumulate(emitter *x, uint32_t node)
{
    const uint32_t total = x->total[node];
    if (x->uses[node] > 0 || total == HB_NO_NODE || x->facts->size[total].pass != x->pass) {
        return HB_OK;
    }
    const hb_instruction in = instruction_for(x, HB_OP_ACCUMULATE, total);
    return emit_line(x, (hb_emitted){in, 2 * total, hb_emitted_value(x->facts, node), HB_NO_NODE});
}

/* Stores or accumulates a node that was just computed, and ends the values that waited for it. */
static hb_status settle(emitter *x, uint32_t node)
{
    const hb_node *n = &x->g->nodes[node];
    HB_TRY(emit_stores(x, node));
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
static hb_status finish(emitter *x, uint32_t node)
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
        HB_TRY(emit_node(x, x->together[i]));
        x->done[x->together[i]] = true;
    }
    for (uint32_t i = 0; i < count; i++) {
        HB_TRY(settle(x, x->together[i]));
    }
    return HB_OK;
}

/* The operand to compute first, if any is not there: the one that takes more registers. */
static uint32_t waiting(const emitter *x, uint32_t node)
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

/* Makes a node, the operands that it waits for first. */
static hb_status make(emitter *x, uint32_t root, uint32_t (*next)(const emitter *x, uint32_t node),
                      hb_status (*finished)(emitter *x, uint32_t node))
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

static int compare(const void *x, const void *y)
{
    const uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

/* Nodes with rows that this pass needs: uses of each, and the roots, column by column so that few columns are held at a
 * time. Operations that can be done together are listed by their first operand. */
static uint32_t plan_rows(emitter *x)
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
        const bool stored = !n->shape.total && is_stored(x, i);
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
static hb_status emit_rows(emitter *x)
{
    x->list = &x->e->listings[2 * x->pass];
    const uint32_t roots = plan_rows(x);
    for (uint32_t i = 0; i < roots; i++) {
        HB_TRY(make(x, (uint32_t)x->roots[i], waiting, finish));
    }
    return HB_OK;
}

static hb_status sum_slots(emitter *x, uint32_t node)
{
    const hb_node *a = &x->g->nodes[x->g->nodes[node].a];
    const uint32_t value = hb_emitted_value(x->facts, node);
    if (value != 2 * node) {
        HB_TRY(second_value(x, a->shape.scaled ? HB_OP_RESCALE : HB_OP_RELINEARIZE, node));
    }
    const hb_instruction in = instruction_for(x, HB_OP_SUM_SLOTS, node);
    return x->facts->size[node].deferred ? HB_OK : emit_line(x, (hb_emitted){in, value, value, HB_NO_NODE});
}

/* A total, and the other one of a pair next to it. */
static hb_status emit_total(emitter *x, uint32_t i)
{
    const uint32_t mate = hb_node_bootstrapped_with(x->g, i);
    x->done[i] = true;
    if (x->g->nodes[i].op == HB_OP_SUM_SLOTS) {
        HB_TRY(sum_slots(x, i));
    } else {
        HB_TRY(emit_node(x, i));
    }
    if (mate != HB_NO_NODE) {
        HB_TRY(emit_node(x, mate));
        HB_TRY(emit_stores(x, mate));
        x->done[mate] = true;
    }
    return emit_stores(x, i);
}

/* A total of this pass that a deferred one takes and that is not there. */
static uint32_t waiting_total(const emitter *x, uint32_t node)
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

static hb_status emit_columns(emitter *x, uint32_t output, uint32_t first, uint32_t count)
{
    for (uint32_t j = first; j < first + count; j++) {
        const uint32_t node = x->e->stores[output].nodes[j];
        if (x->facts->size[node].pass == x->pass) {
            HB_TRY(make(x, node, waiting_total, emit_total));
        }
    }
    for (uint32_t j = first; j < first + count; j++) {
        HB_TRY(emit_store(x, output, j));
    }
    return HB_OK;
}

/* Deferred totals are stored in the order of their columns, in which sums merge with the least memory, and are made as
 * late as possible. */
static hb_status emit_deferred(emitter *x)
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

static hb_status emit_totals(emitter *x)
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
            HB_TRY(emit_stores(x, i));
        }
        if (!size->used || !n->shape.total || size->pass != x->pass || x->done[i]) {
            continue;
        }
        if (n->b != HB_NO_NODE && g->nodes[n->b].shape.plain && !x->done[n->b]) {
            HB_TRY(emit_node(x, n->b));
            x->done[n->b] = true;
        }
        HB_TRY(emit_total(x, i));
    }
    return HB_OK;
}

static uint32_t weight_of(const emitter *x, const hb_node *n)
{
    if (n->op == HB_OP_COMBINE) { /* all of its operands at a time */
        return hb_node_operands(x->g, n).count + 1;
    }
    const uint32_t a = has_rows(x->g, n->a) ? x->weight[n->a] : 0, b = has_rows(x->g, n->b) ? x->weight[n->b] : 0;
    const uint32_t most = a > b ? a : b;
    return a == b || n->a == n->b ? a + 1 : most;
}

/* Indexes the parts of the graph that are the same in all passes. */
static void index_graph(emitter *x)
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

static hb_status emit_passes(emitter *x)
{
    index_graph(x);
    for (x->pass = 0; x->pass < x->e->pass_count; x->pass++) {
        HB_TRY(emit_rows(x));
        HB_TRY(emit_totals(x));
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
    emitter x = {.g = e->facts->graph, .facts = e->facts, .e = e};
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
