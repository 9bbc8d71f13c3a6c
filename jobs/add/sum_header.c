#include "sum_header.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "batch/cells/wide_cells.h"
#include "eval/input.h"
#include "lang/compile/compile.h"

/* The program, of the first dataset and of each of the others. */
#define COPY "total = next"
#define SUM "total = all + next"
#define PLACE "'" SUM "': " /* in errors, behind where in it */

static hb_status refuse(const hb_sum_header *sum, const char *path, const char *what)
{
    return HB_FAIL(HB_EDATA, "%s: %s %s: they are not added", path, what, sum->first);
}

static bool same_names(const hb_column *a, const hb_column *b)
{
    bool same = strcmp(a->name, b->name) == 0 && a->halves == b->halves;
    for (int part = 0; same && a->halves == HB_HALVES_PAIR && part < 2; part++) {
        same = strcmp(a->part[part], b->part[part]) == 0;
    }
    return same;
}

static hb_status require_values(const hb_schema *schema, const char *path)
{
    HB_TRY(hb_schema_refuse_masks(schema, path, "add would take it for 0: hebatch eval adds columns with masks"));
    return schema->grouping == NULL
               ? HB_OK
               : HB_FAIL(HB_EDATA,
                         "%s: holds sums from which means, variances or tables of groups are worked out: they are not "
                         "added; hebatch eval adds the sums by their names",
                         path);
}

static hb_status check_columns(const hb_sum_header *sum, const hb_schema *next, const char *path)
{
    const hb_schema *all = &sum->header.schema;
    HB_TRY(require_values(next, path));
    if (all->columns != next->columns || all->named != next->named) {
        return refuse(sum, path, "has other columns than");
    }
    for (uint64_t c = 0; c < all->columns; c++) {
        if (!same_names(&all->column[c], &next->column[c])) {
            return refuse(sum, path, "has columns of other names than");
        }
        if (!hb_meaning_same(&all->column[c].meaning, &next->column[c].meaning)) {
            char label[HB_COLUMN_LABEL];
            hb_column_label(label, next, c);
            return HB_FAIL(HB_EDATA, "%s: column %s means something else than in %s: they are not added", path, label,
                           sum->first);
        }
    }
    return HB_OK;
}

/* Checks that the datasets are alike: others would take more than sums of ciphertexts in the same places. */
static hb_status check_alike(const hb_sum_header *sum, const hb_header *next, const char *path)
{
    const hb_header *all = &sum->header;
    const hb_eval_input a = {.path = sum->first, .header = all}, b = {.path = path, .header = next};
    HB_TRY(hb_eval_input_check_pair(&a, &b));
    /* Not so in expressions, where a dataset of one row stands in all rows of the others. */
    if (all->schema.rows != next->schema.rows) {
        return HB_FAIL(HB_EDATA,
                       "%s has %" PRIu64 " rows, %s has %" PRIu64 ": rows are added to those in the same place",
                       sum->first, all->schema.rows, path, next->schema.rows);
    }
    HB_TRY(hb_eval_input_require_same_rows(&a, &b));
    HB_TRY(hb_eval_input_check_level(&b, sum->params));
    if (all->limbs == next->limbs && all->scale != next->scale) {
        return HB_FAIL(HB_EDATA,
                       "%s: its ciphertexts have a scale of %.17g, those of %s one of %.17g: bring them to one first "
                       "(hebatch eval 'y = a + b')",
                       path, next->scale, sum->first, all->scale);
    }
    if (all->limbs != next->limbs || all->form != next->form) {
        const bool spread = next->encoding == HB_ENCODE_SPREAD; /* eval would make a row in slots of it */
        return HB_FAIL(HB_EDATA, "%s: its ciphertexts have %" PRIu32 " limbs, those of %s %" PRIu32 ": %s", path,
                       next->limbs, sum->first, all->limbs,
                       spread ? "encrypt both rows with the same --levels"
                              : "bring them to one level first (hebatch eval 'y = modswitch(x)')");
    }
    HB_TRY(check_columns(sum, &next->schema, path));
    const bool alike = all->order == next->order && all->block == next->block && all->ciphertexts == next->ciphertexts;
    return alike ? HB_OK : refuse(sum, path, "has another packing than");
}

/* Copies the program's description of its result. Columns keep their names, also a single one. */
static hb_status take(hb_sum_header *sum, const hb_output *from)
{
    hb_header *header = &sum->header;
    hb_schema schema = {.rows = 0};
    HB_ASSERT(from->limbs == header->limbs && !from->total && from->schema.columns == header->schema.columns);
    HB_TRY(hb_schema_copy(&schema, &from->schema));
    for (uint64_t c = 0; c < schema.columns; c++) {
        char *name = schema.column[c].name;
        schema.column[c].name = header->schema.column[c].name;
        header->schema.column[c].name = name;
    }
    schema.named = header->schema.named;
    schema.rank = header->schema.rank;
    hb_schema_clear(&header->schema);
    header->schema = schema;
    header->dirty_padding = from->dirty_padding;
    header->filled = false; /* not all datasets to come may be */
    header->approximate = from->approximate;
    sum->quality = from->quality;
    return HB_OK;
}

/* Compiles the sum of two, or the copy of one with its declared range. */
static hb_status compile(hb_sum_header *sum, const hb_header *next, const char *path, hb_program *program)
{
    const bool first = sum->count == 0;
    const char *result = "total";
    hb_eval_input input[2] = {{.path = sum->first, .header = &sum->header}, {.path = path, .header = next}};
    hb_eval_inputs inputs = {input + first, first ? 1 : 2};
    hb_operand operands[2] = {hb_eval_header_operand("all", &sum->header, sum->params, false),
                              hb_eval_header_operand(HB_RANGE_TABLE, next, sum->params, false)};
    hb_interval *columns = NULL;
    operands[0].quality = sum->quality;
    for (uint32_t i = 0; i < 2; i++) { /* words are added, wherever cells are: in blocks, or one after another */
        operands[i].order = operands[i].block > 0 ? operands[i].order : HB_PACK_COLUMNS;
    }
    const hb_program_source source = {.text = first ? COPY : SUM,
                                      .params = sum->params,
                                      .operands = operands + first,
                                      .operand_count = inputs.count,
                                      .outputs = &result,
                                      .output_count = 1,
                                      .trust = HB_QUALITY_WORST};
    hb_status st = hb_eval_ranges(&inputs, sum->ranges, sum->range_count, false, operands + first, &columns);
    if (st == HB_OK) {
        operands[1].name = "next";
        st = hb_program_compile(program, &source);
    }
    free(columns);
    return st;
}

static hb_status begin(hb_sum_header *sum, const hb_header *next, const char *path)
{
    const hb_eval_input input = {.path = path, .header = next};
    HB_TRY(hb_eval_input_check_level(&input, sum->params));
    HB_TRY(require_values(&next->schema, path));
    HB_ASSERT(sum->header.schema.column == NULL);
    hb_schema schema = {.rows = 0};
    HB_TRY(hb_schema_copy(&schema, &next->schema));
    sum->header = *next;
    sum->header.schema = schema;
    sum->header.version = 0; /* new datasets have the layout of today */
    sum->header.seeded = false;
    sum->header.past.steps = 0; /* a sum has summands */
    hb_header_forget_sanitized(&sum->header);
    sum->header.made_by = HB_MADE_EVALUATED;
    sum->first = path;
    return HB_OK;
}

/* Replaces the place in the generated text by the dataset that failed. */
static hb_status with_path(hb_status st, const char *path)
{
    if (st == HB_OK || st == HB_ENOMEM) {
        return st;
    }
    const hb_error error = *hb_last_error();
    const char *place = strstr(error.text, PLACE);
    return place != NULL ? HB_FAIL(HB_EDATA, "%s: %.400s", path, place + strlen(PLACE))
                         : HB_FAIL(st, "%s: %.400s", path, error.text);
}

hb_status hb_sum_header_add(hb_sum_header *sum, const hb_header *next, const char *path)
{
    hb_program program = {0};
    hb_status st;
    HB_GOTO(sum->count == 0 ? begin(sum, next, path) : check_alike(sum, next, path));
    HB_GOTO(with_path(compile(sum, next, path, &program), path));
    if (program.description.wraps != NULL && !sum->wrap) {
        st = HB_FAIL(HB_EDATA, "%s: with it, dataset %" PRIu64 " of the sum, %s; or give a tighter --range, or --wrap",
                     path, sum->count + 1, program.description.wraps);
        goto done;
    }
    HB_GOTO(take(sum, &program.outputs[0]));
    /* Here columns have their names again. */
    HB_GOTO(hb_wide_check_shown(&sum->header.schema, &sum->params->spec, path, NULL));
    sum->header.noise_assumed = sum->header.noise_assumed || next->noise_assumed;
    if (next->kept > 0 && (sum->header.kept == 0 || next->kept < sum->header.kept)) {
        sum->header.kept = next->kept; /* no sum has what one of them lacks */
    }
    sum->count++;
done:
    hb_program_clear(&program);
    return st;
}

void hb_sum_header_end(hb_sum_header *sum, uint64_t unit)
{
    hb_header_quality(&sum->header, sum->quality);
    sum->header.unit = unit;
}

void hb_sum_header_clear(hb_sum_header *sum)
{
    hb_header_clear(&sum->header);
}
