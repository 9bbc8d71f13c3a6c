#include "verify.h"

#include <math.h>
#include <stdlib.h>

#include "coupled_nodes.h"
#include "lang/ir/rules.h"
#include "lang/ir/semantics.h"

/* Each item finds the values that it takes, each statement leaves none, and a loop has a body of statements. */
static hb_status verify_syntax(const hb_compilation *c)
{
    const hb_syntax *s = c->syntax;
    uint32_t height = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const hb_item *item = &s->items[i];
        const uint32_t taken = hb_item_operands(item);
        const bool assigns = item->kind == HB_ITEM_ASSIGN, repeats = item->kind == HB_ITEM_REPEAT;
        const bool whole = !repeats || (height == 0 && item->end > i + 1 && item->end <= s->count &&
                                        s->items[item->end - 1].kind == HB_ITEM_ASSIGN);
        if (taken > height || (assigns && height != 1) || !whole) {
            return HB_FAIL(HB_EINTERNAL, "item %u takes %u values of %u", i, taken, height);
        }
        height = height - taken + !(assigns || repeats);
    }
    return height == 0 ? HB_OK : HB_FAIL(HB_EINTERNAL, "%u values are left", height);
}

/* Whether all operands that are ciphertexts have one level and one scale, as they must in what has several. A pair that
 * is bootstrapped is brought to one level by that. */
static bool meets(const hb_graph *g, const hb_node *node, hb_node_list operands)
{
    const hb_node *first = NULL;
    for (uint32_t i = 0; i < operands.count && node->op != HB_OP_BOOTSTRAP; i++) {
        const hb_node *x = &g->nodes[operands.node[i]];
        if (x->shape.plain) {
            continue;
        }
        if (first != NULL && (x->shape.limbs != first->shape.limbs || x->shape.scaled != first->shape.scaled)) {
            return false;
        }
        first = x;
    }
    return true;
}

static hb_status verify_node(const hb_graph *g, uint32_t i)
{
    const hb_node *node = &g->nodes[i];
    const char *name = hb_operations[node->op].name;
    if (!hb_semantics_has_operation(g->semantics, node->op) || node->op == HB_OP_STORE ||
        node->op == HB_OP_ACCUMULATE || node->op == HB_OP_RELINEARIZE || (node->op == HB_OP_RESCALE && g->unplaced)) {
        return HB_FAIL(HB_EINTERNAL, "node %u is a %s", i, name);
    }
    const hb_node_list operands = hb_node_operands(g, node);
    for (uint32_t j = 0; j < operands.count; j++) {
        if (operands.node[j] >= i) {
            return HB_FAIL(HB_EINTERNAL, "node %u, a %s, is made of node %u", i, name, operands.node[j]);
        }
    }
    if (!node->shape.plain && node->shape.limbs == 0) {
        return HB_FAIL(HB_EINTERNAL, "node %u, a %s, has no limbs", i, name);
    }
    return hb_node_rightly_coupled(g, node)
               ? HB_OK
               : HB_FAIL(HB_EINTERNAL, "node %u, a %s, mixes two row blocks as one with others", i, name);
}

static hb_status verify_nodes(const hb_graph *g)
{
    for (uint32_t i = 0; i < g->count; i++) {
        HB_TRY(verify_node(g, i));
    }
    return HB_OK;
}

/* Columns of a result are ciphertexts. */
static hb_status verify_columns(const hb_graph *g, const uint32_t *nodes, uint32_t columns)
{
    for (uint32_t i = 0; i < columns; i++) {
        const bool there = nodes[i] < g->count;
        const hb_node *node = there ? &g->nodes[nodes[i]] : NULL;
        if (there && node->form.fingerprint == 0) {
            return HB_FAIL(HB_EINTERNAL, "node %u, column %u of a result: nothing encrypted is left", nodes[i], i);
        }
        if (!there || node->shape.plain) {
            return HB_FAIL(HB_EINTERNAL, "node %u, column %u of a result, is no ciphertext", nodes[i], i);
        }
        if (node->shape.coupled) {
            return HB_FAIL(HB_EINTERNAL, "node %u, column %u of a result, is two row blocks as one", nodes[i], i);
        }
    }
    return HB_OK;
}

static hb_status verify_graph(const hb_compilation *c)
{
    return verify_nodes(&c->lowering.graph);
}

static hb_status verify_results(const hb_compilation *c)
{
    const hb_lowering *l = &c->lowering;
    HB_TRY(verify_graph(c));
    for (uint32_t i = 0; i < c->source->output_count; i++) {
        const hb_value *value = &c->outputs[i]->value;
        HB_TRY(verify_columns(&l->graph, l->pool + value->first, value->columns));
    }
    return HB_OK;
}

/* The facts of a node must be those that follow from its operands. */
static hb_status verify_level(const hb_graph *g, uint32_t i)
{
    hb_node node = g->nodes[i];
    const hb_node_shape said = node.shape;
    const char *name = hb_operations[node.op].name;
    if (!meets(g, &node, hb_node_operands(g, &node))) {
        return HB_FAIL(HB_EINTERNAL, "node %u, a %s, is made of different levels or scales", i, name);
    }
    if (node.op == HB_OP_LOAD) {
        node.shape.limbs = g->operands[node.operand].limbs;
    } else if (!hb_operations[node.op].loads) {
        hb_node_find_level(g, &node);
    }
    return node.shape.limbs == said.limbs && node.shape.scaled == said.scaled
               ? HB_OK
               : HB_FAIL(HB_EINTERNAL, "node %u, a %s, has %u limbs%s, and its operands lead to %u%s", i, name,
                         said.limbs, said.scaled ? " and is scaled" : "", node.shape.limbs,
                         node.shape.scaled ? " and a scaled one" : "");
}

/* Columns of a result are at rest, and at one level. */
static hb_status verify_together(const hb_graph *g, const uint32_t *nodes, uint32_t columns)
{
    for (uint32_t i = 0; i < columns; i++) {
        const hb_node_shape *x = &g->nodes[nodes[i]].shape;
        if (x->scaled || x->limbs != g->nodes[nodes[0]].shape.limbs) {
            return HB_FAIL(HB_EINTERNAL, "node %u, column %u of a result, is not at the level of the first", nodes[i],
                           i);
        }
    }
    return HB_OK;
}

static hb_status verify_levels(const hb_compilation *c)
{
    const hb_lowering *l = &c->lowering;
    const hb_graph *g = &l->graph;
    if (g->unplaced) {
        return HB_FAIL(HB_EINTERNAL, "no level is placed");
    }
    for (uint32_t i = 0; i < g->count; i++) {
        HB_TRY(verify_level(g, i));
    }
    for (uint32_t i = 0; i < c->source->output_count; i++) {
        const hb_value *value = &c->outputs[i]->value;
        HB_TRY(verify_together(g, l->pool + value->first, value->columns));
    }
    return HB_OK;
}

static hb_status verify_placed(const hb_compilation *c)
{
    HB_TRY(verify_results(c));
    return verify_levels(c);
}

/* Operands of used nodes are used; there are 2 components where an operation or an output takes so many. */
static hb_status verify_sizes(const hb_compilation *c)
{
    const hb_graph *g = &c->lowering.graph;
    const hb_facts *f = &c->facts;
    if (f->graph != g || f->count != g->count) {
        return HB_FAIL(HB_EINTERNAL, "facts are of another graph, of %u nodes", f->count);
    }
    for (uint32_t i = 0; i < g->count; i++) {
        const hb_node *node = &g->nodes[i];
        const hb_node_size *size = &f->size[i];
        const hb_node_list operands = hb_node_operands(g, node);
        if ((size->stored && (!size->used || size->size != 2)) || size->size > size->raw_size) {
            return HB_FAIL(HB_EINTERNAL, "node %u, a %s, has %u components of %u", i, hb_operations[node->op].name,
                           size->size, size->raw_size);
        }
        for (uint32_t j = 0; j < operands.count && size->used; j++) {
            const uint32_t a = operands.node[j];
            if (!f->size[a].used || (hb_operations[node->op].two && !g->nodes[a].shape.plain && f->size[a].size != 2)) {
                return HB_FAIL(HB_EINTERNAL, "node %u, a %s, takes node %u, which has %u components%s", i,
                               hb_operations[node->op].name, a, f->size[a].size, f->size[a].used ? "" : ", unused");
            }
        }
    }
    return HB_OK;
}

/* A node is there in the pass over the data of its operands; where those are totals and it has rows, later. */
static hb_status verify_data_passes(const hb_compilation *c)
{
    const hb_graph *g = &c->lowering.graph;
    const hb_facts *f = &c->facts;
    for (uint32_t i = 0; i < g->count; i++) {
        const hb_node *node = &g->nodes[i];
        const hb_node_list operands = hb_node_operands(g, node);
        for (uint32_t j = 0; j < operands.count; j++) {
            const uint32_t a = operands.node[j];
            if (f->size[i].pass < f->size[a].pass + (g->nodes[a].shape.total && !node->shape.total)) {
                return HB_FAIL(HB_EINTERNAL, "node %u of pass %u takes node %u of pass %u", i, f->size[i].pass, a,
                               f->size[a].pass);
            }
        }
        if (f->size[i].used && f->size[i].pass >= f->passes) {
            return HB_FAIL(HB_EINTERNAL, "node %u is of pass %u of %u", i, f->size[i].pass, f->passes);
        }
    }
    return HB_OK;
}

static hb_status verify_errors(const hb_compilation *c)
{
    const hb_graph *g = &c->lowering.graph;
    for (uint32_t i = 0; i < g->count; i++) {
        const hb_node *node = &g->nodes[i];
        const hb_quality quality = hb_node_quality(&c->facts, node);
        if (c->facts.size[i].used && !node->shape.plain && (isnan(quality.worst) || isnan(quality.expected))) {
            return HB_FAIL(HB_EINTERNAL, "node %u, a %s, has no bound", i, hb_operations[node->op].name);
        }
    }
    return HB_OK;
}

static hb_status verify_facts(const hb_compilation *c)
{
    HB_TRY(verify_results(c));
    HB_TRY(verify_sizes(c));
    HB_TRY(verify_data_passes(c));
    return verify_errors(c);
}

/* --- schedules */

typedef struct schedule_check {
    const hb_emission *e;
    bool *made;        /* [2 nodes] values */
    uint32_t **stored; /* [store_count][columns] how often */
} schedule_check;

static hb_status verify_read(const schedule_check *x, const hb_emitted *line, uint32_t value)
{
    return value == HB_NO_NODE || x->made[value] ? HB_OK
                                                 : HB_FAIL(HB_EINTERNAL, "a %s reads node %u before it is made",
                                                           hb_operations[line->instruction.op].name, value / 2);
}

static hb_status verify_line(const schedule_check *x, const hb_emitted *line)
{
    const hb_graph *g = x->e->facts->graph;
    if (line->instruction.op == HB_OP_COMBINE) {
        const hb_node_list terms = hb_node_operands(g, &g->nodes[line->to / 2]);
        for (uint32_t i = 0; i < terms.count; i++) {
            HB_TRY(verify_read(x, line, hb_emitted_value(x->e->facts, terms.node[i])));
        }
    } else {
        HB_TRY(verify_read(x, line, line->a));
        HB_TRY(verify_read(x, line, line->b));
    }
    if (line->instruction.op == HB_OP_STORE) {
        x->stored[line->instruction.operand][line->instruction.column]++;
    }
    if (line->to != HB_NO_NODE) {
        x->made[line->to] = true;
    }
    return HB_OK;
}

/* Rows are gone after their pass. */
static void forget_rows(const schedule_check *x)
{
    for (uint32_t i = 0; i < 2 * x->e->facts->graph->count; i++) {
        x->made[i] = x->made[i] && x->e->facts->graph->nodes[i / 2].shape.total;
    }
}

static hb_status verify_stores(const schedule_check *x)
{
    for (uint32_t i = 0; i < x->e->store_count; i++) {
        for (uint32_t c = 0; c < x->e->stores[i].columns; c++) {
            if (x->stored[i][c] != 1) {
                return HB_FAIL(HB_EINTERNAL, "column %u of result %u is stored %u times", c, i, x->stored[i][c]);
            }
        }
    }
    return HB_OK;
}

static hb_status verify_lists(const schedule_check *x)
{
    for (uint32_t p = 0; p < 2 * x->e->pass_count; p++) {
        const hb_emitted_list *list = &x->e->listings[p];
        for (uint32_t i = 0; i < list->count; i++) {
            HB_TRY(verify_line(x, &list->lines[i]));
        }
        if (p % 2 == 1) {
            forget_rows(x);
        }
    }
    return verify_stores(x);
}

static hb_status verify_schedule(const hb_compilation *c)
{
    const hb_emission *e = &c->emission;
    size_t columns = 0;
    for (uint32_t i = 0; i < e->store_count; i++) {
        columns += e->stores[i].columns;
    }
    schedule_check x = {.e = e};
    uint32_t *times = calloc(columns + 1, sizeof *times);
    x.made = calloc(2 * (size_t)e->facts->graph->count + 1, sizeof *x.made);
    x.stored = malloc((e->store_count + (size_t)1) * sizeof(uint32_t *));
    hb_status st = HB_OK;
    if (times == NULL || x.made == NULL || x.stored == NULL) {
        st = HB_FAIL(HB_ENOMEM, "no memory to check a schedule");
    } else {
        uint32_t *next = times;
        for (uint32_t i = 0; i < e->store_count; next += e->stores[i++].columns) {
            x.stored[i] = next;
        }
        st = verify_lists(&x);
    }
    free(times);
    free(x.made);
    free(x.stored);
    return st;
}

/* --- registers and resume points */

typedef struct register_check {
    const hb_program *program;
    bool *written; /* [register_count] */
    uint32_t pass;
} register_check;

static hb_status broken(const register_check *x, const hb_instruction *in, const char *what)
{
    return HB_FAIL(HB_EINTERNAL, "pass %u: a %s at character %u %s", x->pass + 1, hb_operations[in->op].name, in->at,
                   what);
}

static hb_status verify_register(const register_check *x, const hb_instruction *in, uint16_t r, bool plain)
{
    if (r >= x->program->register_count || !x->written[r]) {
        return broken(x, in, "reads a register that nothing has written");
    }
    const hb_register *of = &x->program->registers[r];
    if (of->plain != plain) {
        return broken(x, in, "takes a ciphertext for a plaintext, or the other way around");
    }
    if (hb_operations[in->op].two && of->size != 2) {
        return broken(x, in, "takes a ciphertext that is not relinearized");
    }
    return HB_OK;
}

static bool takes_plain(hb_opcode op)
{
    return op == HB_OP_ADD_PLAIN || op == HB_OP_SUBTRACT_PLAIN || op == HB_OP_MULTIPLY_PLAIN;
}

static hb_status verify_reads(const register_check *x, const hb_instruction *in)
{
    const hb_program *p = x->program;
    if (hb_operations[in->op].loads) {
        return HB_OK;
    }
    if (in->op == HB_OP_COMBINE) {
        const hb_linear_terms *terms = &p->combinations[in->number];
        for (uint32_t i = 0; i < terms->count; i++) {
            HB_TRY(verify_register(x, in, terms->registers[i], false));
        }
        return HB_OK;
    }
    HB_TRY(verify_register(x, in, in->a, false));
    if (p->registers[in->a].coupled && !hb_instruction_makes(in)) { /* it is stored, or added up */
        return broken(x, in, "takes two row blocks as one");
    }
    if (!hb_operations[in->op].second) {
        return HB_OK;
    }
    HB_TRY(verify_register(x, in, in->b, takes_plain(in->op)));
    const hb_register *a = &p->registers[in->a], *b = &p->registers[in->b];
    return b->plain || a->limbs == b->limbs ? HB_OK : broken(x, in, "takes ciphertexts of different levels");
}

static hb_status verify_instruction(const register_check *x, const hb_instruction *in)
{
    const hb_program *p = x->program;
    HB_TRY(verify_reads(x, in));
    if (in->op == HB_OP_STORE) {
        return in->operand < p->output_count && p->registers[in->a].size == 2
                   ? HB_OK
                   : broken(x, in, "stores what is no result");
    }
    if (in->to >= p->register_count || p->registers[in->to].plain != (in->op == HB_OP_LOAD_PLAIN)) {
        return broken(x, in, "writes to no register of its kind");
    }
    x->written[in->to] = true;
    if (in->op == HB_OP_ACCUMULATE && in->a != in->to) { /* which may destroy it */
        x->written[in->a] = false;
    }
    return HB_OK;
}

static hb_status verify_instructions(const register_check *x, const hb_instruction *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        HB_TRY(verify_instruction(x, &list[i]));
    }
    return HB_OK;
}

static hb_status verify_passes(register_check *x)
{
    const hb_program *p = x->program;
    for (x->pass = 0; x->pass < p->pass_count; x->pass++) {
        const hb_pass *pass = &p->passes[x->pass];
        HB_TRY(verify_instructions(x, pass->rows, pass->row_count));
        for (uint32_t r = 0; r < p->register_count; r++) { /* others are of one batch */
            x->written[r] = x->written[r] && p->registers[r].total;
        }
        HB_TRY(verify_instructions(x, pass->totals, pass->total_count));
    }
    return HB_OK;
}

static hb_status verify_registers(const hb_program *program)
{
    register_check x = {.program = program, .written = calloc(program->register_count + (size_t)1, sizeof(bool))};
    const hb_status st = x.written != NULL
                             ? verify_passes(&x)
                             : HB_FAIL(HB_ENOMEM, "no memory to check %u registers", program->register_count);
    free(x.written);
    return st;
}

static hb_status verify_resume_points(const hb_program *program)
{
    for (uint32_t p = 0; p < program->pass_count; p++) {
        const hb_pass *pass = &program->passes[p];
        uint32_t before = 0;
        for (uint32_t i = 0; i < pass->resume_point_count; i++) {
            const uint32_t at = pass->resume_points[i].at;
            if (at <= before || at > pass->row_count) {
                return HB_FAIL(HB_EINTERNAL,
                               "pass %u of %u row instructions can be resumed at instruction %u, after %u", p + 1,
                               pass->row_count, at, before);
            }
            before = at;
        }
    }
    return HB_OK;
}

static hb_status verify_program(const hb_compilation *c)
{
    HB_TRY(verify_registers(c->program));
    return verify_resume_points(c->program);
}

hb_status hb_verify(const hb_compilation *c, hb_property property)
{
    static hb_status (*const verify[])(const hb_compilation *) = {
        [HB_IS_POSTFIX] = verify_syntax, [HB_IS_GRAPH] = verify_graph,  [HB_HAS_RESULTS] = verify_results,
        [HB_HAS_LEVELS] = verify_placed, [HB_HAS_SIZES] = verify_sizes, [HB_HAS_DATA_PASSES] = verify_data_passes,
        [HB_HAS_ERRORS] = verify_errors, [HB_HAS_FACTS] = verify_facts, [HB_IS_SCHEDULED] = verify_schedule,
        [HB_IS_PROGRAM] = verify_program};
    if (property > HB_HAS_LEVELS && property <= HB_HAS_FACTS) {
        HB_TRY(verify_levels(c));
    }
    return verify[property](c);
}
