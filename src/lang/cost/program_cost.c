#include "program_cost.h"

#include <math.h>

#include "op_cost.h"

static void instruction(const hb_params *params, const hb_program *program, const hb_instruction *i, hb_cost *cost)
{
    const hb_register *to = &program->registers[i->to], *a = &program->registers[i->a];
    hb_op_cost x = {.op = i->op,
                    .limbs = a->limbs,
                    .to_limbs = to->limbs,
                    .three = a->size == 3,
                    .number = i->number,
                    .block = program->block,
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

hb_program_cost hb_program_cost_of(const hb_params *params, const hb_program *program)
{
    hb_program_cost cost = {.rows = {{0}}};
    for (uint32_t p = 0; p < program->pass_count; p++) {
        const hb_pass *pass = &program->passes[p];
        for (uint32_t i = 0; i < pass->row_count; i++) {
            instruction(params, program, &pass->rows[i], &cost.rows);
        }
        for (uint32_t i = 0; i < pass->total_count; i++) {
            instruction(params, program, &pass->totals[i], &cost.totals);
        }
    }
    return cost;
}

uint64_t hb_instructions_work(const hb_params *params, const hb_program *program, const hb_instruction *instructions,
                              uint32_t count)
{
    uint64_t work = 0;
    for (uint32_t i = 0; i < count; i++) {
        hb_cost cost = {{0}};
        instruction(params, program, &instructions[i], &cost);
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
