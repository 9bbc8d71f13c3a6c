#include "program_cost.h"

#include <math.h>
#include <stdlib.h>

#include "lang/program/together.h"
#include "op_cost.h"
#include "scheme/spread.h"

/* Adds an instruction. spread: the switches of hb_op_cost. */
static void instruction(const hb_params *params, const hb_program *program, const hb_instruction *i, double spread,
                        hb_cost *cost)
{
    const hb_register *to = &program->registers[i->to], *a = &program->registers[i->a];
    hb_op_cost x = {.op = i->op,
                    .limbs = a->limbs,
                    .to_limbs = to->limbs,
                    .three = a->size == 3,
                    .number = i->number,
                    .block = program->block,
                    .spread = spread,
                    .coupled = to->coupled};
    if (i->op == HB_OP_STORE && i->operand < program->output_count && program->outputs[i->operand].summed_limbs > 0) {
        x.sums = program->outputs[i->operand].schema.columns;
        x.to_limbs = program->outputs[i->operand].summed_limbs;
    }
    if (i->op == HB_OP_POLYNOMIAL) {
        const hb_polynomial_entry *entry = &program->constants.polynomials.entry[i->number];
        x.products = entry->products;
        x.degree = entry->polynomial.degree;
    }
    if (i->op == HB_OP_COMBINE) {
        x.terms = program->combinations[i->number].count;
    }
    if (i->op == HB_OP_MATRIX || i->op == HB_OP_MATRIX_PAIR) {
        x.outline = program->constants.blocks.matrices[i->number]->outline;
    }
    hb_op_cost_add(params, &x, cost);
}

/* Returns the key switches of the group of numbers of one ciphertext that begins here, for each of them. */
static double share_of_switches(const hb_params *params, const hb_instruction *i, uint32_t left)
{
    const uint32_t count = hb_together_spread(i, left);
    const hb_spread_way way = hb_spread_way_of(i->number);
    const uint32_t capacity = (uint32_t)hb_spread_capacity(&params->spec, way.first);
    uint32_t *places = malloc((size_t)count * sizeof *places);
    uint64_t switches = (uint64_t)count * way.count; /* the most, where there is no memory to look */
    for (uint32_t k = 0; places != NULL && k < count; k++) {
        places[k] = i[k].column % capacity;
    }
    if (places != NULL &&
        hb_spread_switches(&params->spec, &(hb_spread_places){way, count, places}, &switches) != HB_OK) {
        hb_clear_error();
    }
    free(places);
    return (double)switches / count;
}

/* Instructions one after another, with their costs. */
typedef struct costing {
    const hb_params *params;
    const hb_program *program;
    const hb_instruction *list; /* [count] */
    uint32_t count, at;
    uint32_t group_ends; /* of numbers of one ciphertext */
    double switches;     /* of each of them */
} costing;

/* Adds the next one; false: there is none. */
static bool add_next(costing *x, hb_cost *cost)
{
    if (x->at == x->count) {
        return false;
    }
    const hb_instruction *i = &x->list[x->at];
    if (i->op == HB_OP_SPREAD && x->at >= x->group_ends) {
        x->switches = share_of_switches(x->params, i, x->count - x->at);
        x->group_ends = x->at + hb_together_spread(i, x->count - x->at);
    }
    instruction(x->params, x->program, i, i->op == HB_OP_SPREAD ? x->switches : 0, cost);
    x->at++;
    return true;
}

hb_program_cost hb_program_cost_of(const hb_params *params, const hb_program *program)
{
    hb_program_cost cost = {.rows = {{0}}};
    for (uint32_t p = 0; p < program->pass_count; p++) {
        const hb_pass *pass = &program->passes[p];
        costing rows = {params, program, pass->rows, pass->row_count, 0, 0, 0},
                totals = {params, program, pass->totals, pass->total_count, 0, 0, 0};
        while (add_next(&rows, &cost.rows)) {
        }
        while (add_next(&totals, &cost.totals)) {
        }
    }
    return cost;
}

uint64_t hb_instructions_work(const hb_params *params, const hb_program *program, const hb_instruction *instructions,
                              uint32_t count)
{
    uint64_t work = 0;
    costing all = {params, program, instructions, count, 0, 0, 0};
    for (hb_cost cost = {{0}}; add_next(&all, &cost); cost = (hb_cost){{0}}) {
        work += 1 + (uint64_t)(HB_WORK_PARTS * cost.of[HB_COST_CORE]);
    }
    return work;
}

double hb_layer_cost(const hb_params *params, uint64_t columns, uint64_t block)
{
    const double limbs = params->fresh_limbs;
    hb_op_cost x = {.limbs = limbs, .to_limbs = limbs, .terms = (double)columns, .three = true, .block = block};
    /* Twice as many diagonals as slots of a row, in steps of both kinds. */
    const uint32_t steps = (uint32_t)sqrt(2 * (double)block);
    x.outline = (hb_block_outline){
        .parts = 1, .copies = 1, .diagonals = (uint32_t)(2 * block), .babies = steps, .giants = steps};
    const hb_opcode layer[] = {HB_OP_LOAD, block > 0 ? HB_OP_MATRIX : HB_OP_COMBINE, HB_OP_MULTIPLY, HB_OP_RESCALE};
    double cost = 0;
    for (size_t i = 0; i < sizeof layer / sizeof layer[0]; i++) {
        x.op = layer[i];
        cost += hb_op_cost_transforms(params, &x);
    }
    return cost;
}
