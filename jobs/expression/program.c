#include "program.h"

#include <stdlib.h>
#include <string.h>

#include "annotate.h"
#include "compile.h"
#include "emit.h"
#include "outcome.h"

static hb_status list_instructions(hb_program *program, const hb_compilation *c, uint32_t outputs)
{
    hb_store *stores = calloc(outputs, sizeof *stores);
    if (!stores) {
        return HB_FAIL(HB_ENOMEM, "no memory for the results of an expression");
    }
    for (uint32_t i = 0; i < outputs; i++) {
        const hb_value *value = &c->outputs[i]->value;
        stores[i] = (hb_store){c->lowering.pool + value->first, value->columns, c->outputs[i]->item->at};
    }
    hb_emission emission = {
        .graph = &c->lowering.graph, .stores = stores, .store_count = outputs, .pass_count = c->passes};
    hb_status st;
    HB_GOTO(hb_emit(&emission));
    HB_GOTO(hb_allocate_registers(program, &emission));
done:
    hb_emission_clear(&emission);
    free(stores);
    return st;
}

static hb_status describe(hb_program *program, const hb_compilation *c, const hb_source *source)
{
    const hb_graph *g = &c->lowering.graph;
    program->text = strdup(source->text);
    if (!program->text) {
        return HB_FAIL(HB_ENOMEM, "no memory for an expression");
    }
    program->encoding = g->encoding;
    program->rows = g->rows;
    HB_TRY(hb_program_describe_outputs(program, &c->lowering, c->outputs, source->output_count));
    HB_TRY(hb_program_describe_keys(program, g));
    HB_TRY(hb_program_describe_notes(program, &c->lowering));
    HB_TRY(hb_program_describe_warnings(program, &c->lowering));
    return list_instructions(program, c, source->output_count);
}

hb_status hb_program_compile(hb_program *program, const char *text, const hb_params *params, const hb_operand *operands,
                             uint32_t operand_count, const char *const *outputs, uint32_t output_count,
                             hb_noise_trust trust)
{
    *program = (hb_program){0};
    const hb_source source = {text, params, operands, operand_count, outputs, output_count, trust};
    hb_compilation c;
    hb_status st = hb_compile(&c, &source);
    if (st == HB_OK) {
        st = describe(program, &c, &source);
    }
    hb_compilation_clear(&c);
    return st == HB_EDATA ? hb_fail_with_preset(&source) : st;
}

void hb_program_clear(hb_program *program)
{
    for (uint32_t i = 0; i < program->pass_count; i++) {
        free(program->passes[i].rows);
        free(program->passes[i].totals);
    }
    for (uint32_t i = 0; i < program->output_count; i++) {
        free(program->outputs[i].name);
        hb_schema_clear(&program->outputs[i].schema);
    }
    for (uint32_t i = 0; i < program->warning_count; i++) {
        free(program->warnings[i]);
    }
    free(program->text);
    free(program->registers);
    free(program->passes);
    free(program->outputs);
    free(program->steps);
    free(program->notes);
    free(program->warnings);
    free(program->wraps);
    *program = (hb_program){0};
}

bool hb_pass_accumulates(const hb_pass *pass, uint32_t total)
{
    for (uint32_t i = 0; i < pass->row_count; i++) {
        if (pass->rows[i].op == HB_OP_ACCUMULATE && pass->rows[i].to == total) {
            return true;
        }
    }
    return false;
}

bool hb_pass_accumulates_any(const hb_pass *pass)
{
    for (uint32_t i = 0; i < pass->row_count; i++) {
        if (pass->rows[i].op == HB_OP_ACCUMULATE) {
            return true;
        }
    }
    return false;
}

static bool stores(const hb_instruction *code, uint32_t count, uint32_t output)
{
    for (uint32_t i = 0; i < count; i++) {
        if (code[i].op == HB_OP_STORE && code[i].operand == output) {
            return true;
        }
    }
    return false;
}

bool hb_pass_stores_rows(const hb_pass *pass, uint32_t output)
{
    return stores(pass->rows, pass->row_count, output);
}

bool hb_pass_stores_totals(const hb_pass *pass, uint32_t output)
{
    return stores(pass->totals, pass->total_count, output);
}
