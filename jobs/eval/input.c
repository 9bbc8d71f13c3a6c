#include "input.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "batch/cells/table_options.h"
#include "batch/cells/wide_cells.h"
#include "batch/job/shared_dataset.h"
#include "batch/unit/predicted.h"
#include "cli/parse.h"
#include "job.h"
#include "lang/compile/picked_columns.h"
#include "rekey/switched_input.h"
#include "scheme/codec.h"
#include "scheme/params.h"
#include "scheme/ring_switch.h"

/* Tells whether the path names a table, FILE.csv or FILE.h5:/DATASET; any other path is opened as a dataset, which
 * reports the fault. */
static bool is_table(const char *path)
{
    struct stat info;
    char *file, *dataset;
    if ((stat(path, &info) == 0 && S_ISDIR(info.st_mode)) || hb_table_name_split(path, &file, &dataset) != HB_OK) {
        hb_clear_error();
        return false;
    }
    free(file);
    free(dataset);
    return true;
}

/* Opens a dataset and finds how its columns lie. */
static hb_status open_dataset(hb_eval_input *input, uint32_t residue, hb_group *group)
{
    HB_TRY(hb_dataset_open_among(input->path, residue, hb_shared_dataset_ranks(group), &input->dataset));
    input->header = hb_dataset_header(input->dataset);
    /* A shard on its own would be computed with as if it were the whole. */
    HB_TRY(hb_dataset_require_whole(input->dataset, input->path));
    const hb_packing packing = hb_header_packing(input->header);
    input->across = hb_packing_across(&packing);
    input->blocks = input->header->ciphertexts / input->across;
    return HB_OK;
}

hb_status hb_eval_input_open(hb_eval_input *input, const char *name, const char *path, uint32_t residue,
                             hb_group *group)
{
    *input = (hb_eval_input){.name = name, .path = path};
    return is_table(path) ? HB_OK : open_dataset(input, residue, group);
}

hb_status hb_eval_input_read(const hb_eval_input *input, uint64_t unit, hb_rows *rows)
{
    if (input->switched == NULL) {
        return hb_dataset_read(input->dataset, unit, rows);
    }
    hb_switched_input_read(input->switched, unit, rows);
    return HB_OK;
}

hb_status hb_eval_input_open_table(hb_eval_input *input, const hb_params_spec *spec, const hb_eval_options *options)
{
    char *name = (char *)(uintptr_t)input->name, *columns = NULL;
    hb_reading own = {0};
    hb_status st =
        hb_picked_columns_find(options->expression, &name, 1, options->ranges, options->range_count, &columns);
    st = st == HB_OK ? hb_plain_reading(&options->reading, columns, &own) : st;
    st = st == HB_OK ? hb_table_open_as(input->path, hb_wide_cell_type(spec), &own, &input->table) : st;
    hb_reading_clear(&own);
    free(columns);
    HB_TRY(st);
    HB_TRY(hb_schema_check_names(hb_table_schema(input->table), input->path));
    HB_TRY(hb_schema_refuse_masks(hb_table_schema(input->table), input->path, hb_plain_without_masks));
    HB_TRY(hb_schema_copy(&input->as_dataset.schema, hb_table_schema(input->table)));
    hb_wide_schema(&input->as_dataset.schema, spec);
    input->header = &input->as_dataset;
    return hb_plain_columns_init(&input->plain, input->table, input->path);
}

void hb_eval_input_close(hb_eval_input *input)
{
    hb_cells_clear(&input->cells);
    /* It is plaintext. */
    if (input->one_row != NULL) {
        hb_wipe(input->one_row, 2 * (size_t)input->header->schema.columns * sizeof *input->one_row);
    }
    if (input->numbers != NULL) {
        const hb_schema *schema = &input->header->schema;
        hb_wipe(input->numbers, (size_t)(schema->rows * schema->columns) * sizeof *input->numbers);
    }
    free(input->numbers);
    free(input->one_row);
    free(input->used);
    hb_plain_columns_clear(&input->plain);
    hb_schema_clear(&input->as_dataset.schema);
    hb_switched_input_close(input->switched);
    hb_dataset_close(input->dataset);
    hb_table_close(input->table);
    memset(input, 0, sizeof *input);
}

hb_operand hb_eval_header_operand(const char *name, const hb_header *header, const hb_params *params, bool spreads)
{
    const bool spread = spreads && header->encoding == HB_ENCODE_SPREAD;
    return (hb_operand){.name = name,
                        .schema = &header->schema,
                        .encrypted = true,
                        .encoding = spreads ? hb_eval_encoding(header) : header->encoding,
                        .order = spread ? HB_PACK_COLUMNS : header->order,
                        .block = header->block,
                        .limbs = header->limbs,
                        .scale = header->scale,
                        .quality = hb_predicted_quality(params, header),
                        .approximate = header->approximate,
                        .dirty_padding = header->dirty_padding || spread,
                        .filled = header->filled || spread,
                        .spread = spread ? header->schema.columns : 0,
                        .loose = header->made_by != HB_MADE_FRESH};
}

hb_status hb_eval_input_check_level(const hb_eval_input *input, const hb_params *params)
{
    const uint32_t limbs = input->header->limbs;
    /* A number from the file: a level exists only where its modulus is large enough. */
    if (limbs > params->fresh_limbs || params->levels[limbs].basis.limbs == 0) {
        return HB_FAIL(HB_EDATA, "%s: its parameters have no level of %" PRIu32 " limbs", input->path, limbs);
    }
    return HB_OK;
}

/* Makes values of the only row, but of columns that the program does not read: 0. */
static hb_status convert_one_row(hb_eval_input *input)
{
    const size_t columns = (size_t)input->header->schema.columns;
    for (size_t c = 0; input->across == columns && c < columns; c++) {
        for (size_t half = 0; half < 2 && !input->used[c]; half++) {
            input->one_row[half * columns + c] = 0;
        }
    }
    /* The row is converted as the one ciphertext of a row that is as long as its capacity. */
    const hb_cells row = {.schema = &input->header->schema,
                          .packing = {.order = HB_PACK_ROWS, .rows = 1, .columns = columns, .capacity = columns},
                          .spec = &input->header->spec,
                          .stride = 2 * columns,
                          .most = 1};
    return hb_cells_to_values(&row, input->table, 0, 1, input->one_row);
}

/* Reads the only row of a table now: it is the same for all steps. */
static hb_status read_one_row(hb_eval_input *input)
{
    const hb_schema *schema = &input->header->schema;
    const size_t columns = (size_t)schema->columns;
    const hb_rectangle all = {.rows = 1, .columns = columns};
    uint64_t *words = calloc(2 * columns, sizeof *words);
    input->one_row = calloc(2 * columns, sizeof *input->one_row);
    if (input->one_row == NULL || words == NULL) {
        free(words);
        return HB_FAIL(HB_ENOMEM, "%s: no memory for %zu columns", input->path, columns);
    }
    const hb_params_spec *spec = &input->header->spec;
    const hb_status st = hb_spec_residues(spec) > 1 ? hb_wide_read(input->table, &all, schema, spec, words)
                                                    : hb_table_read(input->table, &all, words);
    for (size_t c = 0, at = 0; c < columns; c++) {
        for (size_t half = 0; half < hb_column_words(&schema->column[c]); half++) {
            input->one_row[half * columns + c] = words[at++];
        }
    }
    hb_wipe(words, 2 * columns * sizeof *words); /* it is plaintext */
    free(words);
    return st;
}

hb_status hb_eval_input_pack(hb_eval_input *input, const hb_header *like, bool weights)
{
    hb_header *header = &input->as_dataset;
    const uint64_t rows = header->schema.rows;
    hb_header_set_scheme(header, &like->spec, hb_eval_encoding(like));
    header->order = like->order;
    /* Weights may have more columns than rows have slots: of kernels that are larger than images. */
    header->block = weights && header->schema.columns > like->block ? 0 : like->block;
    if (header->block == 0) { /* of several columns it is refused when it is computed with */
        header->order = HB_PACK_COLUMNS;
    } else if (header->schema.columns > header->block) {
        return HB_FAIL(HB_EDATA,
                       "%s has %" PRIu64 " columns, more than the %" PRIu64
                       " slots that rows of the datasets have; encrypt these with --block %" PRIu64 " or more",
                       input->path, header->schema.columns, header->block,
                       hb_packing_least_block(header->schema.columns));
    }
    hb_packing packing = hb_header_packing(header);
    HB_TRY(hb_packing_check(&packing));
    input->across = hb_packing_across(&packing);
    if (rows == 1) {
        /* Its numbers repeat in all rows of the program. */
        packing.rows = like->schema.rows;
        /* Its cells are never read as a table's: only the packing is needed. */
        input->cells.packing = packing;
        return read_one_row(input);
    }
    header->ciphertexts = hb_packing_ciphertexts(&packing);
    input->blocks = header->ciphertexts / input->across;
    return HB_OK;
}

hb_status hb_eval_input_require_same_rows(const hb_eval_input *a, const hb_eval_input *b)
{
    const hb_schema *x = &a->header->schema, *y = &b->header->schema;
    return hb_left_out_require_same((hb_left_out_of){a->path, x->rows, &x->left_out},
                                    (hb_left_out_of){b->path, y->rows, &y->left_out});
}

/* Whether a dataset is under a pair that keygen --ring may have made for the key of another. */
static bool is_of_smaller_ring(const hb_params_spec *own, const hb_params_spec *other)
{
    hb_params *params = NULL;
    const bool fits = own->n < other->n && hb_params_open(other, &params) == HB_OK && hb_ring_switch_fits(params, own);
    hb_params_close(params);
    return fits;
}

hb_status hb_eval_input_check_pair(const hb_eval_input *a, const hb_eval_input *b)
{
    const hb_header *x = a->header, *y = b->header;
    const bool row = x->encoding == HB_ENCODE_SPREAD || y->encoding == HB_ENCODE_SPREAD;
    if (row && x->spec.scheme == y->spec.scheme && x->spec.n != y->spec.n) {
        return HB_FAIL(HB_EDATA,
                       "%s and %s are of different rings, N = %zu and %zu: a row in one ciphertext comes from the "
                       "smaller one by a key that keygen --ring makes, and --keys has no such key",
                       a->path, b->path, x->spec.n, y->spec.n);
    }
    if (is_of_smaller_ring(&x->spec, &y->spec) || is_of_smaller_ring(&y->spec, &x->spec)) {
        return HB_FAIL(HB_EDATA, "%s is under the pair of a smaller ring: encrypt it with --spread",
                       x->spec.n < y->spec.n ? a->path : b->path);
    }
    if (!hb_params_same(&x->spec, &y->spec)) {
        return HB_FAIL(HB_EDATA, "%s and %s have different parameters: they cannot be computed with one another",
                       a->path, b->path);
    }
    /* The parameters first: other ones have other keys as well. */
    if (memcmp(x->key_id, y->key_id, sizeof x->key_id) != 0) {
        char ids[2][2 * HB_KEY_ID_BYTES + 1];
        hb_hex(ids[0], x->key_id, HB_KEY_ID_BYTES);
        hb_hex(ids[1], y->key_id, HB_KEY_ID_BYTES);
        return HB_FAIL(HB_EDATA,
                       "%s was encrypted with key %s, %s with key %s: they cannot be computed with one another",
                       a->path, ids[0], b->path, ids[1]);
    }
    if (!hb_keys_same(x->key_id, &x->spec, y->key_id, &y->spec)) {
        return HB_FAIL(HB_EDATA, "%s and %s name one key with different owners: one of them was changed", a->path,
                       b->path);
    }
    const hb_eval_input *spread = x->encoding == HB_ENCODE_SPREAD ? a : b, *other = spread == a ? b : a;
    if (spread->header->encoding == HB_ENCODE_SPREAD && other->header->block > 1) {
        return HB_FAIL(HB_EDATA,
                       "%s is a row in one ciphertext, which is spread into columns, and %s has rows in blocks of "
                       "%" PRIu64 " slots: encrypt the row with --fill instead of --spread",
                       spread->path, other->path, other->header->block);
    }
    if (x->block != y->block && (x->block > 1 || y->block > 1)) {
        return HB_FAIL(HB_EDATA,
                       "%s and %s have rows in different places, in blocks of %" PRIu64 " slots and of %" PRIu64
                       ": encrypt both with the same --pack and --block",
                       a->path, b->path, x->block > 0 ? x->block : 1, y->block > 0 ? y->block : 1);
    }
    if (hb_eval_encoding(x) != hb_eval_encoding(y)) {
        return HB_FAIL(HB_EDATA, "%s is encoded in %s, and %s in %s: encrypt both with the same --encoding", a->path,
                       hb_encoding_words[x->encoding], b->path, hb_encoding_words[y->encoding]);
    }
    return HB_OK;
}

/* Returns whether the code loads columns of the operand, which derived ones are not, and notes these in `used`,
 * unless that is NULL. */
static bool loads(const hb_instruction *code, uint32_t count, uint32_t operand, uint64_t columns, bool *used)
{
    bool any = false;
    for (uint32_t i = 0; i < count; i++) {
        if (hb_operations[code[i].op].loads && code[i].operand == operand && code[i].column < columns) {
            any = true;
            if (used != NULL) {
                used[code[i].column] = true;
            }
        }
    }
    return any;
}

hb_status hb_eval_input_note_use(hb_eval_input *input, uint32_t operand, const hb_program *program)
{
    input->used = calloc((size_t)input->across + 1, sizeof *input->used);
    if (input->used == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for %" PRIu64 " columns", input->path, input->across);
    }
    for (uint32_t p = 0; p < program->pass_count; p++) {
        const hb_pass *pass = &program->passes[p];
        loads(pass->rows, pass->row_count, operand, input->across, input->used);
        loads(pass->totals, pass->total_count, operand, input->across, input->used);
    }
    return input->one_row != NULL ? convert_one_row(input) : HB_OK;
}

bool hb_eval_input_in_pass(const hb_eval_input *input, const hb_program *program, uint32_t pass, uint32_t operand)
{
    return loads(program->passes[pass].rows, program->passes[pass].row_count, operand, input->across, NULL);
}

bool hb_eval_input_in_totals(const hb_eval_input *input, const hb_program *program, uint32_t pass, uint32_t operand)
{
    return loads(program->passes[pass].totals, program->passes[pass].total_count, operand, input->across, NULL);
}

bool hb_eval_input_has_cells(const hb_eval_input *input)
{
    return input->table != NULL && input->one_row == NULL;
}

hb_status hb_eval_input_read_cells(const hb_eval_input *input, uint32_t thread, uint64_t first, size_t count,
                                   uint64_t *values)
{
    const size_t across = (size_t)input->across;
    HB_TRY(hb_cells_read(&input->cells, thread, input->table, first * across, count * across, values));
    for (size_t i = 0; i < count * across; i++, values += input->cells.stride) {
        if (input->used != NULL && !input->used[i % across]) {
            memset(values, 0, (size_t)input->cells.stride * sizeof *values); /* the program has no use for them */
            continue;
        }
        HB_TRY(hb_cells_to_values(&input->cells, input->table, first * across + i, 1, values));
    }
    return HB_OK;
}
