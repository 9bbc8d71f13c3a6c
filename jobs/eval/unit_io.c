/* Moves columns of a step into a runner's registers, and out of them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cell.h"
#include "scheme/codec.h"
#include "scheme/evaluator.h"
#include "unit_private.h"

/* Where some of a column's ciphertexts are: in one unit, `across` apart. */
typedef struct run_of_column {
    size_t unit;   /* which of the step's units */
    uint64_t at;   /* place of the first one in that unit */
    uint64_t held; /* ciphertexts that the unit has */
    size_t length;
} run_of_column;

/* Finds the ciphertexts of a column from ciphertext `number` on that are in one unit, at most `most` of them. */
static run_of_column find_run(const hb_eval_input *input, const hb_step_input *in, uint64_t number, size_t most)
{
    const hb_header *header = input->header;
    run_of_column run = {.unit = 0};
    /* A step touches few units, and the one wanted is there: the step's columns were noted as used. */
    while (in->units[run.unit] != number / header->unit) {
        run.unit++;
        HB_ASSERT(run.unit < in->count);
    }
    uint64_t first;
    hb_header_unit_range(header, in->units[run.unit], &first, &run.held);
    run.at = number - first;
    const uint64_t length = (run.held - run.at + input->across - 1) / input->across;
    run.length = length < most ? (size_t)length : most;
    return run;
}

static void take_seeds(hb_seed *to, const hb_seed *seeds, const run_of_column *run, uint64_t across)
{
    for (size_t i = 0; i < run->length; i++) {
        to[i] = seeds[run->at + i * across];
    }
}

hb_status hb_unit_eval_load(void *context, uint32_t operand, uint32_t column, uint64_t first, hb_ciphertexts to)
{
    hb_unit_evaluator *x = context;
    const hb_eval_input *input = &x->setting->shape.inputs[operand];
    const hb_step_input *in = x->totals && x->of != NULL ? x->of->input[operand] : x->input[operand];
    const hb_batch c0 = hb_ciphertexts_component(to, 0), c1 = hb_ciphertexts_component(to, 1);
    const size_t count = hb_ciphertexts_count(to);
    const bool seeded = input->header->seeded;
    HB_ASSERT(to.size == 2 && to.all.limbs == input->header->limbs && count <= (x->batch > 0 ? x->batch : 1));
    for (size_t done = 0; done < count;) {
        /* A column of the batch may go over the end of a unit. */
        const run_of_column run = find_run(input, in, (first + done) * input->across + column, count - done);
        const hb_unit_rows_view places = {(size_t)run.at, (size_t)input->across, (size_t)run.held};
        hb_unit_rows own = in->rows[run.unit], *rows = &own;
        hb_unit_rows_move(rows, x->engine); /* workers that compute totals read the same rows */
        HB_TRY(hb_unit_rows_unpack(rows, 0, hb_batch_slice(c0, done, run.length), places));
        if (seeded) {
            take_seeds(x->seeds + done, in->seeds[run.unit], &run, input->across);
        } else {
            HB_TRY(hb_unit_rows_unpack(rows, 1, hb_batch_slice(c1, done, run.length), places));
        }
        done += run.length;
    }
    return seeded ? hb_unit_rows_expand(x->engine, c1, x->seeds, to.form) : HB_OK;
}

/* Writes the values [n] of ciphertext `ciphertext` of a table of one row, whose numbers are repeated in every row of
 * the program; everywhere: also in slots behind the last row, as totals are. */
static void repeat(const hb_eval_input *input, uint64_t ciphertext, bool everywhere, uint64_t *values)
{
    const hb_packing *packing = &input->cells.packing;
    const hb_rectangle own = hb_packing_cells(packing, ciphertext);
    const uint64_t halves = hb_schema_has_halves(&input->header->schema) ? 2 : 1;
    const uint64_t rows = everywhere ? packing->capacity / hb_packing_stride(packing, &own) : own.rows;
    for (uint64_t half = 0; half < halves; half++) {
        const uint64_t *row = input->one_row + half * packing->columns + own.column;
        uint64_t *to = values + half * packing->capacity, *end = to + packing->capacity;
        /* Also where the table of the datasets has no rows, and behind their columns. */
        memset(to, 0, (size_t)(end - to) * sizeof *to);
        for (uint64_t r = 0; r < rows; r++, to += hb_packing_stride(packing, &own)) {
            memcpy(to, row, (size_t)own.columns * sizeof *to);
        }
    }
}

/* Uploads the values of a table of one row: the same numbers in every row, so that all ciphertexts of the batch are
 * alike, except for the table's last. Beside a total they stand in every slot, as the total does: a function of both
 * would be far off its interval in a slot that one of them alone has. */
static hb_status upload_repeated(hb_unit_evaluator *x, const hb_eval_input *input, uint64_t first, uint32_t column,
                                 hb_batch values)
{
    for (size_t i = 0; i < values.count; i++) {
        repeat(input, (first + i) * input->across + column, x->totals, x->repeated);
        HB_TRY(hb_upload(x->engine, values.data + i * x->stride, x->repeated, x->stride * sizeof(uint64_t)));
        HB_TRY(hb_finish(x->engine)); /* `repeated` is filled again */
    }
    return HB_OK;
}

/* Uploads rows of a load of derived columns; beside a total those of one row, in every slot. */
static hb_status upload_derived(hb_unit_evaluator *x, uint32_t load, uint64_t first, hb_batch values)
{
    const hb_program *program = x->setting->program;
    const hb_params_spec *spec = &x->setting->session->params->spec;
    const bool reals = hb_codec_cell_type(spec->scheme) == HB_CELL_REAL;
    const uint64_t block = hb_program_block(program), most = x->capacity / block;
    for (size_t i = 0; i < values.count; i++) {
        const uint64_t row = (first + i) * most, left = row < program->rows ? program->rows - row : 0;
        const hb_derived_place place = {.first = row,
                                        .rows = left < most && !x->totals ? left : most,
                                        .apart = (size_t)block,
                                        .imaginary = reals ? x->capacity : 0,
                                        .modulus = reals ? 0 : spec->bfv.plain};
        memset(x->repeated, 0, x->stride * sizeof *x->repeated);
        HB_TRY(hb_derived_fill(&program->constants.derived, load, place, x->repeated));
        HB_TRY(hb_upload(x->engine, values.data + i * x->stride, x->repeated, x->stride * sizeof(uint64_t)));
        HB_TRY(hb_finish(x->engine)); /* `repeated` is filled again */
    }
    return HB_OK;
}

hb_status hb_unit_eval_load_plain(void *context, uint32_t operand, uint32_t column, uint64_t first, hb_batch to)
{
    hb_unit_evaluator *x = context;
    const hb_eval_input *input = &x->setting->shape.inputs[operand];
    const size_t n = x->stride;
    const hb_batch values = hb_batch_slice(x->values, 0, to.count);
    const uint64_t columns = input->header->schema.columns;
    if (column >= columns) {
        HB_TRY(upload_derived(x, column - (uint32_t)columns, first, values));
        return hb_encode(x->codec, to, values);
    }
    /* Numbers that are the same in all rows are not in the step's buffer. */
    if (input->one_row != NULL) {
        HB_TRY(upload_repeated(x, input, first, column, values));
        return hb_encode(x->codec, to, values);
    }
    for (size_t i = 0; i < to.count; i++) {
        const size_t place = (size_t)((first - x->first + i) * input->across + column);
        HB_TRY(hb_upload(x->engine, values.data + i * n, x->buffer->input[operand].values + place * n,
                         n * sizeof(uint64_t)));
    }
    return hb_encode(x->codec, to, values);
}

uint64_t hb_unit_across(const hb_unit_evaluator *x, uint32_t output)
{
    const hb_packing packing = hb_header_packing(x->setting->shape.outputs[output]);
    return hb_packing_across(&packing);
}

/* Refuses a ciphertext whose component 1 is 0: its message can be read without a key. */
static hb_status check_opaque(hb_unit_evaluator *x, uint32_t output, uint32_t column, uint64_t first, hb_batch c1)
{
    const uint64_t across = hb_unit_across(x, output);
    size_t place;
    HB_TRY(hb_unit_rows_find_transparent(x->engine, x->setting->session->params, c1, &place));
    if (place == c1.count) {
        return HB_OK;
    }
    return HB_FAIL(HB_EDATA,
                   "%s: its ciphertext %" PRIu64 " (from 0) is transparent: anyone could read it without a key, so "
                   "nothing is stored; the expression cancels the encrypted values, or a plain table that they are "
                   "multiplied by is 0 over the whole row block",
                   x->setting->program->outputs[output].name, (first + place) * across + column);
}

/* Sanitizes ciphertexts of a column, from row block `first` on; the program may read *c further. Their draws are those
 * of their places in the output, column after column. */
static hb_status sanitize(hb_unit_evaluator *x, uint32_t output, uint32_t column, uint64_t first, hb_ciphertexts *c)
{
    const hb_header *header = x->setting->shape.outputs[output];
    const uint64_t across = hb_unit_across(x, output), blocks = header->ciphertexts / across;
    const hb_unit_numbers numbers = {first * across + column, across, column * blocks + first};
    const size_t count = hb_ciphertexts_count(*c);
    hb_unit_sanitizer *sanitizer = &x->sanitizer[output];
    HB_ASSERT(header->ciphertexts % across == 0 && c->form == HB_COEFFICIENT_FORM);
    HB_TRY(hb_copy(x->engine, hb_unit_sanitizer_room(sanitizer, count).all, c->all));
    return hb_unit_sanitize(sanitizer, count, numbers, &x->setting->shape.sanitizing[output].root, c);
}

/* Puts the ciphertexts of a column of an output, from row block `first` on, where they are stored from: in the units of
 * the step, each of which has some of them. */
static hb_status store_rows(hb_unit_evaluator *x, uint32_t output, uint32_t column, uint64_t first, hb_ciphertexts from)
{
    const uint64_t across = hb_unit_across(x, output), end = first - x->first + hb_ciphertexts_count(from);
    HB_ASSERT(from.size == 2 && end <= x->count);
    /* Before anything of it leaves the engine. */
    HB_TRY(check_opaque(x, output, column, first, hb_ciphertexts_component(from, 1)));
    if (x->sanitizer != NULL) {
        HB_TRY(sanitize(x, output, column, first, &from));
    }
    const hb_batch c0 = hb_ciphertexts_component(from, 0), c1 = hb_ciphertexts_component(from, 1);
    /* Workers that compute totals fill the same rows, each other places. */
    const hb_unit_rows *all = x->totals && x->of != NULL ? x->of->output[output] : x->output[output];
    for (uint64_t block = first - x->first, done = 0; block < end;) {
        const size_t k = (size_t)(block / x->setting->shape.unit);
        const hb_share part = hb_unit_part(x, k);
        const uint64_t until = part.first + part.count < end ? part.first + part.count : end, count = until - block;
        const hb_unit_rows_view places = {(size_t)((block - part.first) * across + column), (size_t)across,
                                          (size_t)(part.count * across)};
        hb_unit_rows rows = all[k];
        hb_unit_rows_move(&rows, x->engine);
        HB_TRY(hb_unit_rows_pack(&rows, 0, hb_batch_slice(c0, (size_t)done, (size_t)count), places));
        HB_TRY(hb_unit_rows_pack(&rows, 1, hb_batch_slice(c1, (size_t)done, (size_t)count), places));
        done += count;
        block = until;
    }
    return HB_OK;
}

/* Adds a total; the last one stores the sum, where this worker computes all. */
static hb_status store_packed(hb_unit_evaluator *x, uint32_t output, uint32_t column, hb_ciphertexts total)
{
    hb_ciphertexts all;
    HB_TRY(hb_unit_open_packed(x, output));
    HB_TRY(hb_packed_totals_add(&x->packed[output], column, total, &all));
    if (all.size == 0) {
        return HB_OK;
    }
    HB_TRY(store_rows(x, output, 0, 0, all));
    hb_packed_totals_close(&x->packed[output]);
    return HB_OK;
}

hb_status hb_unit_store_packed(hb_unit_evaluator *x, uint32_t output)
{
    hb_ciphertexts all;
    HB_TRY(hb_packed_totals_finish(&x->packed[output], x->setting->keys, &all));
    HB_TRY(store_rows(x, output, 0, 0, all));
    hb_packed_totals_close(&x->packed[output]);
    return HB_OK;
}

hb_status hb_unit_eval_store(void *context, uint32_t output, uint32_t column, uint64_t first, hb_ciphertexts from)
{
    hb_unit_evaluator *x = context;
    if (!x->setting->program->outputs[output].packed) {
        return store_rows(x, output, column, first, from);
    }
    HB_TRY(check_opaque(x, output, column, first, hb_ciphertexts_component(from, 1)));
    return store_packed(x, output, column, from);
}
