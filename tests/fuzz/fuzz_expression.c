/* Any bytes as an expression: refused, or its names and keys are found and it compiles to instructions whose registers,
 * columns and passes are there. */
#include <stdlib.h>
#include <string.h>

#include "base/prime.h"
#include "fuzz.h"
#include "lang/compile/compile.h"
#include "lang/program/program.h"
#include "scheme/params.h"
#include "scheme/quality.h"

enum { A, B, LOW, V, W, OPERANDS };

enum { SCHEMES = 2 };

static hb_params *params[SCHEMES];
static hb_column wide[] = {{.name = (char *)"x"}, {.name = (char *)"odd name", .is_signed = true}},
                 narrow[] = {{.name = (char *)""}};
static const hb_schema tables[] = {{.rows = 3000, .columns = 2, .rank = 2, .width = 1, .named = true, .column = wide},
                                   {.rows = 3000, .columns = 1, .rank = 1, .width = 8, .column = narrow},
                                   {.rows = 1, .columns = 2, .rank = 2, .width = 2, .column = wide}};
static const hb_operand operands[] = {
    [A] = {.name = "a", .schema = &tables[0], .encrypted = true},
    [B] = {.name = "b", .schema = &tables[1], .encrypted = true, .dirty_padding = true},
    [LOW] = {.name = "low", .schema = &tables[1], .encrypted = true},
    [V] = {.name = "v", .schema = &tables[1]},
    [W] = {.name = "w", .schema = &tables[2]}};
static const hb_number weights[] = {{.integer = 3, .real = 0.5}, {.integer = -1, .real = -1, .imaginary = 0.25}};
/* For reals a table has a pair, and another complex numbers. */
static hb_column paired[] = {{.name = (char *)"x"},
                             {.name = (char *)"odd name",
                              .halves = HB_HALVES_PAIR,
                              .part = {(char *)"left", (char *)"right"}}},
                 turned[] = {{.name = (char *)"", .halves = HB_HALVES_COMPLEX}};
static const hb_schema complex_tables[] = {
    {.rows = 3000, .columns = 2, .rank = 2, .width = 8, .named = true, .column = paired},
    {.rows = 3000, .columns = 1, .rank = 1, .width = 8, .column = turned}};
static hb_operand bound[SCHEMES][OPERANDS]; /* for the parameters of each */

static void open_params(int scheme, const hb_params_spec *spec)
{
    if (hb_params_open(spec, &params[scheme]) != HB_OK) {
        abort();
    }
    for (int i = 0; i < OPERANDS; i++) {
        hb_operand *operand = &bound[scheme][i];
        *operand = operands[i];
        operand->limbs = operand->encrypted ? params[scheme]->fresh_limbs - (i == LOW) : 0;
        operand->quality = hb_quality_fresh(params[scheme], true, HB_GAUSSIAN);
        operand->cells = i == W ? weights : NULL;
        if (spec->scheme == HB_CKKS && i != V) { /* whose range is not given */
            operand->schema = i == A ? &complex_tables[0] : i == LOW ? &complex_tables[1] : operand->schema;
            operand->ranged = true;
            operand->values = hb_interval_of_reals(-1.5, 2);
        }
    }
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    hb_params_spec spec = {.n = 1024, .key_limbs = 8, .bfv.plain = 65537, .security = {.level = 128}, .insecure = true};
    const uint32_t bits[] = {60, 60, 60, 60, 60, 60, 60, 60};
    if (hb_create_primes(spec.n, bits, spec.key_limbs, spec.primes) != HB_OK) {
        abort();
    }
    open_params(0, &spec);
    if (hb_params_preset("ckks-14", &spec) != HB_OK) {
        abort();
    }
    open_params(1, &spec);
    return 0;
}

static void require(bool condition)
{
    if (!condition) {
        abort();
    }
}

/* The shapes of an instruction's result, where there are scales. */
static void check_levels(const hb_program *p, const hb_instruction *i)
{
    const hb_register *to = &p->registers[i->to], *a = &p->registers[i->a], *b = &p->registers[i->b];
    switch (i->op) {
    case HB_OP_RESCALE:
        require(to->limbs + 1 == a->limbs && to->size == 2);
        break;
    case HB_OP_ADJUST:
        require(to->limbs < a->limbs && to->limbs == i->number && a->size == 2 && to->size == 2);
        break;
    case HB_OP_MULTIPLY:
        require(to->limbs == a->limbs && b->limbs == a->limbs && to->size == 3 && a->size == 2 && b->size == 2);
        break;
    case HB_OP_ADD:
    case HB_OP_SUBTRACT:
        require(to->limbs == a->limbs && b->limbs == a->limbs && to->size == (a->size > b->size ? a->size : b->size));
        break;
    case HB_OP_ADD_PLAIN:
    case HB_OP_SUBTRACT_PLAIN:
    case HB_OP_MULTIPLY_PLAIN:
        require(b->plain && b->limbs == a->limbs && to->limbs == a->limbs && to->size == a->size);
        break;
    case HB_OP_POLYNOMIAL:
        require(to->limbs < a->limbs && a->size == 2 && to->size == 2);
        break;
    default:
        require(i->op == HB_OP_MOD_SWITCH || i->op == HB_OP_RELINEARIZE || to->limbs == a->limbs);
        require(i->op == HB_OP_RELINEARIZE || to->size == a->size);
    }
}

static void check_instruction(const hb_program *p, const hb_instruction *i, bool totals, bool reals)
{
    const bool load = i->op == HB_OP_LOAD || i->op == HB_OP_LOAD_PLAIN;
    require(i->op < HB_OPCODES && i->at > 0 && i->at <= strlen(p->text) + 1);
    require(i->to < p->register_count && i->a < p->register_count && i->b < p->register_count);
    if (load) {
        const uint32_t derived = i->op == HB_OP_LOAD_PLAIN ? p->constants.derived.load_count : 0;
        require(i->operand < OPERANDS && i->column < operands[i->operand].schema->columns + derived);
        require(operands[i->operand].encrypted == (i->op == HB_OP_LOAD) && p->registers[i->to].total == totals);
        require(!totals || operands[i->operand].schema->rows == 1);
    } else if (i->op == HB_OP_STORE) {
        require(i->operand < p->output_count && i->column < p->outputs[i->operand].schema.columns);
        require(p->registers[i->a].size == 2 && p->registers[i->a].total == totals);
        require(p->registers[i->a].limbs == p->outputs[i->operand].limbs);
    } else {
        require(!p->registers[i->a].plain && !p->registers[i->to].plain);
        require(p->registers[i->to].total == (totals || i->op == HB_OP_ACCUMULATE));
        if (reals) {
            check_levels(p, i);
        }
    }
}

static void check_program(const hb_program *p, bool reals)
{
    for (uint32_t i = 0; i < p->pass_count; i++) {
        for (uint32_t j = 0; j < p->passes[i].row_count; j++) {
            check_instruction(p, &p->passes[i].rows[j], false, reals);
        }
        for (uint32_t j = 0; j < p->passes[i].total_count; j++) {
            check_instruction(p, &p->passes[i].totals[j], true, reals);
        }
    }
    for (uint32_t i = 0; i < p->description.note_count; i++) {
        require(memchr(p->description.notes[i].text, '\0', sizeof p->description.notes[i].text) != NULL);
    }
}

static void compile(int scheme, const char *text, char **assigns)
{
    uint32_t count = 0;
    hb_program program;
    while (assigns[count] != NULL) {
        count++;
    }
    const hb_program_source source = {.text = text,
                                      .params = params[scheme],
                                      .operands = bound[scheme],
                                      .operand_count = OPERANDS,
                                      .outputs = (const char *const *)assigns,
                                      .output_count = count,
                                      .trust = HB_QUALITY_EXPECTED};
    if (hb_program_compile_with_hint(&program, &source) == HB_OK) {
        check_program(&program, params[scheme]->spec.scheme == HB_CKKS);
    }
    hb_program_clear(&program);
    hb_key_requests keys;
    (void)hb_program_keys(&keys, text, &params[scheme]->spec, &(hb_keys_operands){0});
    hb_key_requests_clear(&keys);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char **reads, **assigns, *text = malloc(size + 1);
    require(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    if (hb_program_names(text, &reads, &assigns) == HB_OK) {
        for (int scheme = 0; scheme < SCHEMES; scheme++) {
            compile(scheme, text, assigns);
        }
        hb_names_free(reads);
        hb_names_free(assigns);
    }
    free(text);
    return 0;
}
