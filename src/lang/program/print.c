#include "print.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "scheme/quality.h"
#include "scheme/spread.h"

void hb_print_constant(bool numbers, bool real, int64_t integer, double value, FILE *to)
{
    if (!numbers) {
        fputs(" *", to);
    } else if (real) {
        fprintf(to, " %.9g", value);
    } else {
        fprintf(to, " %" PRId64, integer);
    }
}

void hb_print_spread(uint32_t operand, uint32_t column, int64_t number, FILE *to)
{
    const hb_spread_way way = hb_spread_way_of(number);
    fprintf(to, " operand %" PRIu32 " column %" PRIu32 " of 2^%" PRIu32, operand, column, way.count);
    if (way.first > 0) {
        fprintf(to, ", 2^%" PRIu32 " apart", way.first);
    }
}

void hb_print_range(char text[HB_INTERVAL_TEXT], bool numbers, hb_interval range)
{
    if (!range.known) {
        strcpy(text, "not known");
    } else if (numbers) {
        hb_interval_text(text, range);
    } else {
        strcpy(text, "*");
    }
}

static void print_error(const hb_params *params, uint32_t limbs, double bound, const char *none, FILE *to)
{
    if (hb_quality_room(params, limbs, (hb_quality){.worst = bound}) > -INFINITY) {
        fprintf(to, "2^%.1f", bound);
    } else {
        fputs(none, to);
    }
}

void hb_print_errors(const hb_params *params, uint32_t limbs, hb_quality quality, FILE *to)
{
    fputs(", error ", to);
    print_error(params, limbs, quality.worst, "not proven", to);
    fputs(", expected ", to);
    print_error(params, limbs, quality.expected, "not known", to);
}

void hb_print_iteration(hb_iteration *shown, uint32_t number, uint32_t of, FILE *to)
{
    if (shown->number == number && shown->of == of) {
        return;
    }
    *shown = (hb_iteration){number, of, false};
    if (of > 0) {
        fprintf(to, "repeat %" PRIu32 " of %" PRIu32 ":\n", number, of);
    } else {
        fputs("outside of repeat:\n", to);
    }
}

static void print_registers(const hb_program *program, FILE *to)
{
    for (uint32_t i = 0; i < program->register_count; i++) {
        const hb_register *r = &program->registers[i];
        fprintf(to, "register r%" PRIu32 ":%s", i, r->total ? " total" : r->coupled ? " coupled" : "");
        if (r->plain) {
            fprintf(to, " plain, limbs %" PRIu32 "\n", r->limbs);
        } else {
            fprintf(to, " size %" PRIu32 ", limbs %" PRIu32 "\n", r->size, r->limbs);
        }
    }
}

static void print_combination(const hb_linear_terms *terms, bool numbers, FILE *to)
{
    for (uint32_t i = 0; i < terms->count; i++) {
        const bool real = terms->reals != NULL;
        fputs(i == 0 ? "" : " +", to);
        hb_print_constant(numbers, real, real ? 0 : terms->integers[i], real ? terms->reals[i] : 0, to);
        fprintf(to, " r%" PRIu16, terms->registers[i]);
    }
}

/* Operands and numbers of an instruction, in the order of opcode.h. */
static void print_operands(const hb_program *program, const hb_instruction *i, bool numbers, FILE *to)
{
    const hb_operation *operation = &hb_operations[i->op];
    if (operation->loads) {
        fprintf(to, " operand %" PRIu32 " column %" PRIu32, i->operand, i->column);
        if (i->number != 0) {
            fprintf(to, " limbs %" PRId64, i->number);
        }
        return;
    }
    if (i->op == HB_OP_COMBINE) {
        print_combination(&program->combinations[i->number], numbers, to);
        return;
    }
    fprintf(to, " r%" PRIu16, i->a);
    if (operation->second || (i->op == HB_OP_BOOTSTRAP && i->b != i->a)) {
        fprintf(to, " r%" PRIu16, i->b);
    }
    if (i->op == HB_OP_SPREAD) {
        hb_print_spread(i->operand, i->column, i->number, to);
    } else if (i->op == HB_OP_STORE) {
        fprintf(to, " to %s column %" PRIu32, program->outputs[i->operand].name, i->column);
    } else if (operation->constant || operation->real) {
        hb_print_constant(numbers, operation->real, i->number, i->real, to);
    } else if (i->number != 0) {
        fprintf(to, " %" PRId64, i->number);
    }
}

static void print_instructions(const hb_program *program, const hb_instruction *list, uint32_t count, bool numbers,
                               FILE *to)
{
    hb_iteration shown = {0};
    for (uint32_t i = 0; i < count; i++) {
        hb_print_iteration(&shown, list[i].iteration, list[i].iterations, to);
        fprintf(to, "%5" PRIu32 "  ", i);
        if (list[i].op != HB_OP_STORE) {
            fprintf(to, "r%" PRIu16 " = ", list[i].to);
        }
        fputs(hb_operations[list[i].op].name, to);
        print_operands(program, &list[i], numbers, to);
        fputc('\n', to);
    }
}

static void print_passes(const hb_program *program, bool numbers, FILE *to)
{
    for (uint32_t i = 0; i < program->pass_count; i++) {
        const hb_pass *pass = &program->passes[i];
        fprintf(to, "pass %" PRIu32 ": every row block\n", i + 1);
        print_instructions(program, pass->rows, pass->row_count, numbers, to);
        if (pass->total_count > 0) {
            fprintf(to, "pass %" PRIu32 ": totals\n", i + 1);
            print_instructions(program, pass->totals, pass->total_count, numbers, to);
        }
        for (uint32_t j = 0; j < pass->resume_point_count; j++) {
            fprintf(to, "resume point: before instruction %" PRIu32 "\n", pass->resume_points[j].at);
        }
    }
}

static void print_lists(const hb_program *program, FILE *to)
{
    for (uint32_t i = 0; i < program->constants.polynomials.count; i++) {
        const hb_polynomial_entry *entry = &program->constants.polynomials.entry[i];
        fprintf(to, "polynomial %" PRIu32 ": degree %" PRIu32 ", error %.3g\n", i, entry->polynomial.degree,
                entry->error);
    }
    for (uint32_t i = 0; i < program->constants.tables.count; i++) {
        fprintf(to, "table %" PRIu32 ": %" PRIu32 " bits\n", i, program->constants.tables.table[i].bits);
    }
    for (uint32_t i = 0; i < program->constants.blocks.matrix_count; i++) {
        const hb_matrix_entry *entry = program->constants.blocks.matrices[i];
        if (!hb_program_multiplies_by(program, i)) {
            continue;
        }
        fprintf(to, "matrix %" PRIu32 ": ", i);
        if (entry->part[0] != NULL) {
            const hb_block_matrix *first = entry->pair.matrix[0], *second = entry->pair.matrix[1];
            fprintf(to, "%" PRIu32 " x %" PRIu32 " and %" PRIu32 " x %" PRIu32, first->rows, first->columns,
                    second->rows, second->columns);
            fprintf(to, ", diagonals %" PRIu32 ", rotations %" PRIu32 ", %" PRIu32 " of them for both\n",
                    entry->outline.diagonals, hb_matrix_entry_rotations(entry), entry->outline.giants);
        } else {
            fprintf(to, "%" PRIu32 " x %" PRIu32 ", diagonals %" PRIu32 ", rotations %" PRIu32 "\n", entry->matrix.rows,
                    entry->matrix.columns, entry->outline.diagonals, hb_matrix_entry_rotations(entry));
        }
    }
}

/* The operation and the operands of a derived column. */
static void print_made(const hb_derived *d, const hb_derived_column *x, bool numbers, FILE *to)
{
    static const char *const between[] = {
        [HB_ITEM_ADD] = "+",    [HB_ITEM_SUBTRACT] = "-",  [HB_ITEM_MULTIPLY] = "*",    [HB_ITEM_DIVIDE] = "/",
        [HB_ITEM_LESS] = "<",   [HB_ITEM_GREATER] = ">",   [HB_ITEM_LESS_EQUAL] = "<=", [HB_ITEM_GREATER_EQUAL] = ">=",
        [HB_ITEM_EQUAL] = "==", [HB_ITEM_NOT_EQUAL] = "!="};
    if (x->kind == HB_ITEM_NAME && x->a == HB_NO_INDEX) {
        fprintf(to, "codes of groups");
    } else if (x->kind == HB_ITEM_NAME) {
        fprintf(to, "operand %" PRIu32 " column %" PRIu32, x->a, x->b);
    } else if (x->kind == HB_ITEM_NUMBER) {
        fprintf(to, "number");
        hb_print_constant(numbers, d->reals, d->reals ? 0 : (int64_t)x->number.integer, d->reals ? x->number.real : 0,
                          to);
    } else if (x->kind == HB_ITEM_IN) {
        fprintf(to, "d%" PRIu32 " in %" PRIu32 " members", x->a, x->member_count);
    } else {
        fprintf(to, "d%" PRIu32 " %s d%" PRIu32, x->a, between[x->kind], x->b);
    }
}

static void print_derived(const hb_program *program, bool numbers, FILE *to)
{
    const hb_derived *d = &program->constants.derived;
    for (uint32_t i = 0; i < d->count; i++) {
        char values[HB_INTERVAL_TEXT];
        hb_print_range(values, numbers, d->column[i].values);
        fprintf(to, "derived column d%" PRIu32 ": ", i);
        print_made(d, &d->column[i], numbers, to);
        fprintf(to, ", values %s\n", values);
    }
    for (uint32_t i = 0; i < d->load_count; i++) {
        fprintf(to, "derived load %" PRIu32 ":", i);
        for (uint32_t c = 0; c < d->load[i].count; c++) {
            fprintf(to, " d%" PRIu32, hb_derived_loaded(d, i, c));
        }
        fputc('\n', to);
    }
}

static void print_keys(const hb_program *program, FILE *to)
{
    static const char *const sources[] = {
        [HB_FROM_SQUARE] = "relinearization",     [HB_FROM_AUTOMORPHISM] = "automorphism",
        [HB_TO_AUTOMORPHISM] = "to automorphism", [HB_FROM_SECRET] = "from another secret",
        [HB_TO_SPARSE] = "to the sparse secret",  [HB_FROM_SPARSE] = "from the sparse secret"};
    for (uint32_t i = 0; i < program->keys.count; i++) {
        const hb_key_request *key = &program->keys.request[i];
        fprintf(to, "key: %s %" PRIu32 ", step %" PRId64 ", limbs %" PRIu32 "%s%s%s\n", sources[key->source],
                key->element, key->step, key->limbs, key->bootstrapping ? ", bootstrapping" : "",
                key->exact ? ", exact" : "", key->spare ? ", spare" : "");
    }
}

static void print_outputs(const hb_program *program, const hb_params *params, bool numbers, FILE *to)
{
    for (uint32_t i = 0; i < program->output_count; i++) {
        const hb_output *output = &program->outputs[i];
        char values[HB_INTERVAL_TEXT];
        hb_print_range(values, numbers, output->values);
        fprintf(to, "result %s: %" PRIu64 " column%s, %s, limbs %" PRIu32 ", values %s", output->name,
                output->schema.columns, output->schema.columns == 1 ? "" : "s", output->total ? "total" : "rows",
                output->limbs, values);
        if (output->summed_limbs > 0) {
            fprintf(to, ", slots summed in %" PRIu32 " limbs", output->summed_limbs);
        }
        hb_print_errors(params, output->limbs, output->quality, to);
        fputc('\n', to);
    }
}

void hb_program_print(const hb_program *program, const hb_params *params, bool numbers, FILE *to)
{
    fprintf(to, "program: rows %" PRIu64 ", slots of a row %" PRIu64 ", products %" PRIu32 ", depth %" PRIu32 "\n",
            program->rows, hb_program_block(program), program->products, program->depth);
    print_keys(program, to);
    print_registers(program, to);
    print_lists(program, to);
    print_derived(program, numbers, to);
    print_passes(program, numbers, to);
    print_outputs(program, params, numbers, to);
}
