/* Any bytes as an expression: refused, or its names and keys are found and it compiles to instructions whose registers,
 * columns and passes are there. */
#include <stdlib.h>
#include <string.h>

#include "base/prime.h"
#include "expression/compile/compile.h"
#include "expression/program/program.h"
#include "fuzz.h"
#include "scheme/params.h"
#include "scheme/quality.h"

enum { A, B, LOW, V, W, OPERANDS };

static hb_params *params;
static hb_column wide[] = {{.name = (char *)"x"}, {.name = (char *)"odd name", .is_signed = true}},
                 narrow[] = {{.name = (char *)""}};
static const hb_schema tables[] = {{.rows = 3000, .columns = 2, .rank = 2, .width = 1, .named = true, .column = wide},
                                   {.rows = 3000, .columns = 1, .rank = 1, .width = 8, .column = narrow},
                                   {.rows = 1, .columns = 2, .rank = 2, .width = 2, .column = wide}};
static hb_operand operands[] = {[A] = {.name = "a", .schema = &tables[0], .encrypted = true},
                                [B] = {.name = "b", .schema = &tables[1], .encrypted = true, .dirty_padding = true},
                                [LOW] = {.name = "low", .schema = &tables[1], .encrypted = true},
                                [V] = {.name = "v", .schema = &tables[1]},
                                [W] = {.name = "w", .schema = &tables[2]}};

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    hb_params_spec spec = {.n = 1024, .key_limbs = 8, .bfv.plain = 65537, .security = {.level = 128}, .insecure = true};
    const uint32_t bits[] = {60, 60, 60, 60, 60, 60, 60, 60};
    if (hb_create_primes(spec.n, bits, spec.key_limbs, spec.primes) != HB_OK ||
        hb_params_open(&spec, &params) != HB_OK) {
        abort();
    }
    for (int i = 0; i < OPERANDS; i++) {
        operands[i].limbs = params->data_limbs - (i == LOW);
        operands[i].quality = hb_quality_fresh(params, true, HB_GAUSSIAN);
    }
    return 0;
}

static void require(bool condition)
{
    if (!condition) {
        abort();
    }
}

static void check_instruction(const hb_program *p, const hb_instruction *i, bool totals)
{
    const bool load = i->op == HB_OP_LOAD || i->op == HB_OP_LOAD_PLAIN;
    require(i->op < HB_OPCODES && i->at > 0 && i->at <= strlen(p->text) + 1);
    require(i->to < p->register_count && i->a < p->register_count && i->b < p->register_count);
    if (load) {
        require(i->operand < OPERANDS && i->column < operands[i->operand].schema->columns);
        require(operands[i->operand].encrypted == (i->op == HB_OP_LOAD) && p->registers[i->to].total == totals);
        require(!totals || operands[i->operand].schema->rows == 1);
    } else if (i->op == HB_OP_STORE) {
        require(i->operand < p->output_count && i->column < p->outputs[i->operand].schema.columns);
        require(p->registers[i->a].size == 2 && p->registers[i->a].total == totals);
        require(p->registers[i->a].limbs == p->outputs[i->operand].limbs);
    } else {
        require(!p->registers[i->a].plain && !p->registers[i->to].plain);
        require(p->registers[i->to].total == (totals || i->op == HB_OP_ACCUMULATE));
    }
}

static void check_program(const hb_program *p)
{
    for (uint32_t i = 0; i < p->pass_count; i++) {
        for (uint32_t j = 0; j < p->passes[i].row_count; j++) {
            check_instruction(p, &p->passes[i].rows[j], false);
        }
        for (uint32_t j = 0; j < p->passes[i].total_count; j++) {
            check_instruction(p, &p->passes[i].totals[j], true);
        }
    }
    for (uint32_t i = 0; i < p->note_count; i++) {
        require(memchr(p->notes[i].text, '\0', sizeof p->notes[i].text) != NULL);
    }
}

static void compile(const char *text, char **assigns)
{
    uint32_t count = 0;
    hb_program program;
    while (assigns[count] != NULL) {
        count++;
    }
    const hb_program_source source = {
        text, params, operands, OPERANDS, (const char *const *)assigns, count, HB_QUALITY_EXPECTED, 0};
    if (hb_program_compile(&program, &source) == HB_OK) {
        check_program(&program);
    }
    hb_program_clear(&program);
    hb_key_requests keys;
    (void)hb_program_keys(&keys, text, &params->spec);
    hb_key_requests_clear(&keys);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char **reads, **assigns, *text = malloc(size + 1);
    require(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    if (hb_program_names(text, &reads, &assigns) == HB_OK) {
        compile(text, assigns);
        hb_names_free(reads);
        hb_names_free(assigns);
    }
    free(text);
    return 0;
}
