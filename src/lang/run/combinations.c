/* Linear combinations of a program: those of the same registers, one after another, as one product with a matrix. */
#include <stdlib.h>

#include "runner_private.h"

static const hb_linear_terms *terms_of(const hb_program *program, const hb_instruction *i)
{
    return &program->combinations[i->number];
}

/* Visits every group of a list of instructions. */
typedef hb_status (*group_visitor)(hb_runner *runner, const hb_instruction *first, uint32_t outputs);

static hb_status visit(hb_runner *runner, const hb_instruction *instructions, uint32_t count, group_visitor visitor)
{
    for (uint32_t at = 0; at < count;) {
        const uint32_t group = hb_together_combined(runner->program, &instructions[at], count - at);
        if (group > 0) {
            HB_TRY(visitor(runner, &instructions[at], group));
        }
        at += group > 0 ? group : 1;
    }
    return HB_OK;
}

static hb_status visit_all(hb_runner *runner, group_visitor visitor)
{
    for (uint32_t p = 0; p < runner->program->pass_count; p++) {
        const hb_pass *pass = &runner->program->passes[p];
        HB_TRY(visit(runner, pass->rows, pass->row_count, visitor));
        HB_TRY(visit(runner, pass->totals, pass->total_count, visitor));
    }
    return HB_OK;
}

static hb_status measure(hb_runner *runner, const hb_instruction *first, uint32_t outputs)
{
    const uint32_t inputs = terms_of(runner->program, first)->count;
    runner->most_outputs = outputs > runner->most_outputs ? outputs : runner->most_outputs;
    runner->most_inputs = inputs > runner->most_inputs ? inputs : runner->most_inputs;
    return HB_OK;
}

/* The weights of a group are those of its first combination. */
static hb_status make_weights(hb_runner *runner, const hb_instruction *first, uint32_t outputs)
{
    const hb_linear_terms *terms = terms_of(runner->program, first);
    const uint32_t limbs = runner->program->registers[terms->registers[0]].limbs;
    hb_weight_row *rows = calloc(outputs, sizeof *rows);
    if (rows == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a matrix of weights");
    }
    for (uint32_t o = 0; o < outputs; o++) {
        const hb_linear_terms *row = terms_of(runner->program, &first[o]);
        rows[o] = (hb_weight_row){.integers = row->integers, .reals = row->reals};
    }
    const hb_status st = hb_weights_init(&runner->weights[first->number], runner->engine, runner->params, rows, outputs,
                                         terms->count, limbs);
    free(rows);
    return st;
}

hb_status hb_runner_combinations_init(hb_runner *runner)
{
    const uint32_t count = runner->program->combination_count;
    if (count == 0) {
        return HB_OK;
    }
    HB_TRY(visit_all(runner, measure));
    runner->weights = calloc(count, sizeof *runner->weights);
    runner->combined = calloc((size_t)runner->most_outputs + runner->most_inputs, sizeof *runner->combined);
    if (runner->weights == NULL || runner->combined == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %u linear combinations", count);
    }
    return visit_all(runner, make_weights);
}

void hb_runner_combinations_clear(hb_runner *runner)
{
    for (uint32_t i = 0; runner->weights != NULL && i < runner->program->combination_count; i++) {
        hb_weights_clear(&runner->weights[i], runner->engine);
    }
    free(runner->weights);
    free(runner->combined);
}

static uint64_t words_of(const hb_params *params, const hb_program *program, const hb_instruction *instructions,
                         uint32_t count)
{
    uint64_t words = 0;
    for (uint32_t at = 0; at < count;) {
        const uint32_t group = hb_together_combined(program, &instructions[at], count - at);
        if (group > 0) {
            const hb_linear_terms *terms = terms_of(program, &instructions[at]);
            words += hb_weights_words(params, group, terms->count, program->registers[terms->registers[0]].limbs);
        }
        at += group > 0 ? group : 1;
    }
    return words;
}

uint64_t hb_runner_combination_words(const hb_params *params, const hb_program *program)
{
    uint64_t words = 0;
    for (uint32_t p = 0; p < program->pass_count; p++) {
        const hb_pass *pass = &program->passes[p];
        words += words_of(params, program, pass->rows, pass->row_count) +
                 words_of(params, program, pass->totals, pass->total_count);
    }
    return words;
}

hb_status hb_runner_combine(hb_runner *runner, const hb_instruction *first, uint32_t outputs, size_t count)
{
    const hb_linear_terms *terms = terms_of(runner->program, first);
    hb_batch *r = runner->combined, *a = runner->combined + runner->most_outputs;
    for (uint32_t o = 0; o < outputs; o++) {
        r[o] = hb_runner_value(runner, first[o].to, count).all;
    }
    for (uint32_t i = 0; i < terms->count; i++) {
        a[i] = hb_runner_value(runner, terms->registers[i], count).all;
    }
    return hb_evaluator_combine(runner->evaluator, r, a, &runner->weights[first->number]);
}
