#include "totals_graph.h"

#include <stdlib.h>
#include <string.h>

#include "lang/cost/program_cost.h"
#include "lang/cost/rates.h"
#include "lang/program/together.h"

/* --- the graph */

/* The walk through the list. */
typedef struct walk {
    hb_totals_graph *g;
    const hb_totals_uses *uses;
    uint32_t pass;
    uint32_t *now;         /* [register_count] the value in a register; HB_NOWHERE: none yet */
    uint32_t *last_reader; /* of a value: task */
    size_t operand_count, read_count;
} walk;

static uint32_t new_value(walk *x, uint32_t maker, uint16_t total)
{
    hb_totals_graph *g = x->g;
    const hb_register *r = &g->program->registers[total];
    const uint64_t polynomials = (uint64_t)r->size * r->limbs;
    const uint32_t v = g->value_count++;
    g->values[v] = (hb_totals_value){.maker = maker,
                                     .moving = (uint64_t)(g->moving * (double)polynomials),
                                     .total = total,
                                     .kept = x->uses->kept[total] != 0,
                                     .outlives = x->uses->kept[total] != 0 && x->uses->last_read[total] > x->pass + 1};
    x->last_reader[v] = HB_NOWHERE;
    x->now[total] = v;
    return v;
}

/* Task u reads a value. */
static void note_read(walk *x, uint32_t u, uint32_t v)
{
    hb_totals_graph *g = x->g;
    hb_totals_task *task = &g->tasks[u];
    if (x->last_reader[v] == u) {
        return;
    }
    x->last_reader[v] = u;
    g->values[v].readers++;
    g->reads[x->read_count++] = v;
    task->read_count++;
    const uint32_t maker = g->values[v].maker;
    if (maker != HB_NOWHERE && g->tasks[maker].load) {
        task->work += g->tasks[maker].work;
    }
}

/* A value in the place of a sum, or of another total that is kept, leaves nothing to those who read that one later. */
static void look_at_place(walk *x, uint32_t u, uint16_t total)
{
    const uint32_t before = x->now[total];
    const hb_totals_graph *g = x->g;
    if (before == HB_NOWHERE || x->uses->kept[total] == 0) {
        return;
    }
    const hb_totals_value *v = &g->values[before];
    if (v->maker != HB_NOWHERE || v->readers > 1 || (v->readers == 1 && x->last_reader[before] != u)) {
        x->g->whole = true;
    }
}

static void add_instruction(walk *x, uint32_t u, uint32_t at)
{
    hb_totals_graph *g = x->g;
    const hb_instruction *i = &g->pass->totals[at];
    g->first_operand[at] = x->operand_count;
    for (uint32_t k = 0; k < hb_instruction_reads(g->program, i); k++) {
        const uint16_t r = hb_instruction_read(g->program, i, k);
        const uint32_t v = x->now[r] != HB_NOWHERE ? x->now[r] : new_value(x, HB_NOWHERE, r);
        g->operands[x->operand_count++] = v;
        note_read(x, u, v);
    }
    g->made[at] = HB_NOWHERE;
    if (hb_instruction_makes(i)) {
        look_at_place(x, u, i->to);
        g->made[at] = new_value(x, u, i->to);
    }
}

static void add_task(walk *x, uint32_t first, uint32_t count)
{
    hb_totals_graph *g = x->g;
    const hb_instruction *i = &g->pass->totals[first];
    const uint32_t u = g->task_count++;
    g->tasks[u] = (hb_totals_task){.first = first,
                                   .count = count,
                                   .reads = (uint32_t)x->read_count,
                                   .work = hb_instructions_work(g->params, g->program, i, count),
                                   .load = hb_operations[i->op].loads && x->uses->kept[i->to] == 0,
                                   .output = i->op == HB_OP_STORE ? i->operand : HB_NOWHERE,
                                   .column = i->op == HB_OP_STORE ? i->column : 0};
    for (uint32_t k = 0; k < count; k++) {
        add_instruction(x, u, first + k);
    }
}

static size_t count_operands(const hb_program *program, const hb_pass *pass)
{
    size_t count = 0;
    for (uint32_t i = 0; i < pass->total_count; i++) {
        count += hb_instruction_reads(program, &pass->totals[i]);
    }
    return count;
}

/* Every instruction makes one value at most; others are there before, at most one in each register. */
static hb_status allocate(walk *x)
{
    hb_totals_graph *g = x->g;
    const size_t lines = g->pass->total_count + (size_t)1, registers = g->program->register_count;
    const size_t operands = count_operands(g->program, g->pass) + 1;
    g->tasks = calloc(lines, sizeof *g->tasks);
    g->values = calloc(lines + registers, sizeof *g->values);
    g->reads = calloc(operands, sizeof *g->reads);
    g->operands = calloc(operands, sizeof *g->operands);
    g->first_operand = calloc(lines + 1, sizeof *g->first_operand);
    g->made = calloc(lines, sizeof *g->made);
    x->now = malloc((registers + 1) * sizeof *x->now);
    x->last_reader = malloc((lines + registers) * sizeof *x->last_reader);
    if (!g->tasks || !g->values || !g->reads || !g->operands || !g->first_operand || !g->made || !x->now ||
        !x->last_reader) {
        return HB_FAIL(HB_ENOMEM, "no memory for the graph of %u instructions", g->pass->total_count);
    }
    memset(x->now, 0xff, registers * sizeof *x->now);
    return HB_OK;
}

hb_status hb_totals_graph_init(hb_totals_graph *g, const hb_params *params, const hb_program *program, uint32_t pass,
                               const hb_totals_uses *uses, bool gpu)
{
    *g = (hb_totals_graph){.params = params,
                           .program = program,
                           .pass = &program->passes[pass],
                           .moving = HB_WORK_PARTS * HB_RATE_MOVED * (gpu ? HB_RATE_MOVED_GPU : 1)};
    walk x = {.g = g, .uses = uses, .pass = pass};
    const hb_status st = allocate(&x);
    const uint32_t count = g->pass->total_count;
    for (uint32_t at = 0, together; st == HB_OK && at < count; at += together) {
        together = hb_together(program, &g->pass->totals[at], count - at);
        add_task(&x, at, together);
    }
    if (st == HB_OK) {
        g->first_operand[count] = x.operand_count;
    }
    free(x.now);
    free(x.last_reader);
    return st;
}
