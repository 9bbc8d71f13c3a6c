#include "program.h"

#include <stdlib.h>
#include <string.h>

#include "base/seed.h"
#include "bootstrap.h"
#include "scheme/bootstrap.h"

hb_status hb_key_requests_add(hb_key_requests *requests, hb_key_request request)
{
    for (uint32_t i = 0; i < requests->count; i++) {
        hb_key_request *there = &requests->request[i];
        if (there->source == request.source && there->element == request.element && there->step == request.step &&
            there->bootstrapping == request.bootstrapping) {
            if (request.limbs == 0 || (there->limbs != 0 && request.limbs > there->limbs)) {
                there->limbs = request.limbs;
            }
            there->exact |= request.exact;
            there->spare &= request.spare;
            return HB_OK;
        }
    }
    hb_key_request *longer = realloc(requests->request, (requests->count + (size_t)1) * sizeof *longer);
    if (longer == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a list of keys");
    }
    requests->request = longer;
    longer[requests->count++] = request;
    return HB_OK;
}

hb_status hb_key_requests_add_bootstrapping(hb_key_requests *requests, const hb_params *params)
{
    hb_key_purpose *list;
    uint32_t count;
    hb_status st = hb_bootstrap_key_purposes(params, &list, &count);
    for (uint32_t i = 0; st == HB_OK && i < count; i++) {
        st = hb_key_requests_add(requests, (hb_key_request){.source = list[i].source,
                                                            .element = list[i].element,
                                                            .limbs = list[i].limbs,
                                                            .bootstrapping = true});
    }
    free(list);
    return st;
}

void hb_key_requests_clear(hb_key_requests *requests)
{
    free(requests->request);
    *requests = (hb_key_requests){0};
}

/* Numbers may be the weights of a private table. */
static void clear_terms(hb_linear_terms *terms)
{
    if (terms->integers != NULL) {
        hb_wipe(terms->integers, terms->count * sizeof *terms->integers);
    }
    if (terms->reals != NULL) {
        hb_wipe(terms->reals, terms->count * sizeof *terms->reals);
    }
    free(terms->registers);
    free(terms->integers);
    free(terms->reals);
}

void hb_program_clear(hb_program *program)
{
    for (uint32_t i = 0; i < program->combination_count; i++) {
        clear_terms(&program->combinations[i]);
    }
    free(program->combinations);
    for (uint32_t i = 0; i < program->pass_count; i++) {
        hb_pass *pass = &program->passes[i];
        /* Constants may be the weights of a private table. */
        if (pass->rows != NULL) {
            hb_wipe(pass->rows, pass->row_count * sizeof *pass->rows);
        }
        if (pass->totals != NULL) {
            hb_wipe(pass->totals, pass->total_count * sizeof *pass->totals);
        }
        free(pass->rows);
        free(pass->totals);
        free(pass->resume_points);
    }
    for (uint32_t i = 0; i < program->output_count; i++) {
        free(program->outputs[i].name);
        free(program->outputs[i].unranged);
        hb_schema_clear(&program->outputs[i].schema);
    }
    for (uint32_t i = 0; i < program->description.warning_count; i++) {
        free(program->description.warnings[i]);
    }
    free(program->text);
    free(program->registers);
    free(program->passes);
    free(program->outputs);
    hb_key_requests_clear(&program->keys);
    hb_constants_clear(&program->constants);
    free(program->description.notes);
    free(program->description.steps);
    free(program->description.bootstraps);
    free(program->description.functions);
    free(program->description.warnings);
    free(program->description.wraps);
    if (program->description.listing != NULL) {
        hb_wipe(program->description.listing, strlen(program->description.listing)); /* it may show constants */
        free(program->description.listing);
    }
    *program = (hb_program){0};
}

hb_interval hb_operand_declared(const hb_operand *operand)
{
    return operand->values.known ? operand->values : hb_interval_of(operand->least, operand->most);
}

uint32_t hb_program_blocks_together(const hb_program *program)
{
    for (uint32_t p = 0; p < program->pass_count; p++) {
        const hb_pass *pass = &program->passes[p];
        for (uint32_t i = 0; i < pass->row_count; i++) {
            const hb_instruction *in = &pass->rows[i];
            const bool neighbours =
                in->op == HB_OP_BOOTSTRAP && hb_bootstrap_kind_of(in->number) == HB_BOOTSTRAP_NEIGHBOURS;
            if (neighbours || in->op == HB_OP_COUPLE) {
                return 2;
            }
        }
    }
    return 1;
}

/* Returns how many ciphertexts instructions of an operation go over. */
static double gone_over(const hb_program *program, hb_opcode op, uint64_t blocks)
{
    double count = 0;
    for (uint32_t p = 0; p < program->pass_count; p++) {
        const hb_pass *pass = &program->passes[p];
        for (uint32_t i = 0; i < pass->row_count + pass->total_count; i++) {
            const bool rows = i < pass->row_count;
            const hb_instruction *in = rows ? &pass->rows[i] : &pass->totals[i - pass->row_count];
            count += in->op == op ? (rows ? (double)blocks : 1) : 0;
        }
    }
    return count;
}

double hb_program_lookups_over(const hb_program *program, uint64_t blocks)
{
    return gone_over(program, HB_OP_LOOKUP, blocks);
}

double hb_program_passes_over(const hb_program *program, uint64_t blocks)
{
    return gone_over(program, HB_OP_REFRESH, blocks) + hb_program_lookups_over(program, blocks);
}

bool hb_instruction_makes(const hb_instruction *i)
{
    return i->op != HB_OP_STORE && i->op != HB_OP_ACCUMULATE;
}

uint32_t hb_instruction_reads(const hb_program *program, const hb_instruction *i)
{
    if (i->op == HB_OP_COMBINE) {
        return program->combinations[i->number].count;
    }
    return hb_operations[i->op].loads ? 0 : 1 + hb_operations[i->op].second;
}

uint16_t hb_instruction_read(const hb_program *program, const hb_instruction *i, uint32_t k)
{
    if (i->op == HB_OP_COMBINE) {
        return program->combinations[i->number].registers[k];
    }
    return k == 0 ? i->a : i->b;
}

bool hb_program_multiplies_by(const hb_program *program, uint32_t matrix)
{
    for (uint32_t p = 0; p < program->pass_count; p++) {
        const hb_pass *pass = &program->passes[p];
        for (uint32_t i = 0; i < pass->row_count + pass->total_count; i++) {
            const hb_instruction *in = i < pass->row_count ? &pass->rows[i] : &pass->totals[i - pass->row_count];
            if ((in->op == HB_OP_MATRIX || in->op == HB_OP_MATRIX_PAIR) && in->number == matrix) {
                return true;
            }
        }
    }
    return false;
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
