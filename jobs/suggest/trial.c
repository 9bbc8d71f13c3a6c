#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "batch/cells/cells.h"
#include "batch/cells/public_range.h"
#include "lang/compile/residues.h"
#include "lang/text/binding.h"
#include "picks.h"
#include "scheme/codec.h"
#include "scheme/quality.h"
#include "search.h"
#include "trained.h"

static uint32_t count_names(char **names)
{
    uint32_t count = 0;
    while (names[count] != NULL) {
        count++;
    }
    return count;
}

void hb_trials_clear(hb_trials *s)
{
    hb_names_free(s->reads);
    hb_names_free(s->assigns);
    hb_ranges_free(s->ranges, s->range_count);
    for (uint32_t i = 0; s->schemas != NULL && i < s->read_count; i++) {
        hb_schema_clear(&s->schemas[i]);
    }
    hb_ranged_tables_clear(s->tables, s->read_count);
    free(s->tables);
    free(s->schemas);
    free(s->columns);
    free(s->operands);
    hb_compile_cache_close(s->cache);
}

/* For a column whose range is known. */
static void bind_column(hb_trials *s, uint32_t i, uint64_t column)
{
    const hb_operand *operand = &s->operands[i];
    const hb_interval own = operand->column_ranges[column];
    const hb_interval range = own.known ? own : hb_operand_declared(operand);
    hb_column *of = &s->schemas[i].column[column];
    of->cells = hb_codec_cell_type(s->request->scheme);
    const bool is_signed =
        of->cells == HB_CELL_INTEGER && (s->tables[i].path != NULL ? of->is_signed : range.least < 0);
    of->is_signed = is_signed;
    s->search->hold(s, range, is_signed);
}

/* Whether something was said of the values of name i: its line then lists the ranges of all columns. */
static bool is_said(const hb_trials *s, uint32_t i)
{
    bool said = false;
    for (uint32_t r = 0; r < s->range_count; r++) {
        said = said || strcmp(s->ranges[r].name, s->reads[i]) == 0;
    }
    return said;
}

/* Decimals lie between whole numbers, as a list of ranges can say it: its ends have no fraction. */
static hb_interval between_whole(const hb_column *column, hb_interval range)
{
    const int64_t scale = (int64_t)hb_meaning_scale(&column->meaning);
    if (scale == 1 || range.real || range.least < INT64_MIN + scale || range.most > INT64_MAX - scale) {
        return range;
    }
    const int64_t below = (range.least % scale + scale) % scale, above = (range.most % scale + scale) % scale;
    return hb_interval_of(range.least - below, range.most + (above > 0 ? scale - above : 0));
}

/* Returns the range that the dataset of name i will have for column c, by the line that is printed: the one that was
 * declared, else the values of the table. */
static hb_interval stored_range(const hb_trials *s, uint32_t i, uint64_t c, hb_interval declared)
{
    const hb_column *column = &s->tables[i].schema.column[c];
    const hb_interval measured = s->tables[i].columns[c];
    if (declared.known) {
        return hb_public_declared(column, declared);
    }
    return hb_public_measured(column, is_said(s, i) ? between_whole(column, measured) : measured);
}

/* Gives a column the fill that encrypt gives it. */
static void take_fill(const hb_trials *s, hb_column *column, hb_interval *range)
{
    const bool reals = hb_codec_cell_type(s->request->scheme) == HB_CELL_REAL;
    *range = column->mask > 0 && reals ? hb_interval_to_reals(*range) : *range;
    hb_public_fill(column, range);
}

/* For a name that has a table; the declared ranges of its columns must hold all values, and listed ranges decide
 * whether columns are signed, as in encrypt. */
static hb_status take_table(hb_trials *s, uint32_t i, hb_interval *columns)
{
    const hb_operand *operand = &s->operands[i];
    const hb_ranged_table *table = &s->tables[i];
    for (uint64_t c = 0; c < table->schema.columns; c++) {
        hb_column *column = &s->schemas[i].column[c];
        if (column->full > 0) {
            columns[c] = hb_column_domain(column);
            continue;
        }
        if (!columns[c].known && operand->ranged) {
            columns[c] = hb_operand_declared(operand);
        }
        columns[c] = stored_range(s, i, c, columns[c]);
        take_fill(s, column, &columns[c]);
        if (!hb_interval_within(table->columns[c], columns[c])) {
            return hb_ranged_table_refuse(table, c, columns[c]);
        }
        column->is_signed = is_said(s, i) ? columns[c].least < 0 : column->is_signed;
    }
    return HB_OK;
}

/* Whether name i was said to have one row, or to be encrypted weights. */
static bool is_row(const hb_trials *s, uint32_t i)
{
    return hb_row_names_have(&s->request->rows_of, s->reads[i]);
}

/* Rows of name i: as many as were said, which must be enough for its table. */
static hb_status count_rows(hb_trials *s, uint32_t i)
{
    const hb_ranged_table *table = &s->tables[i];
    const uint64_t said = s->request->rows, rows = table->schema.rows;
    if (table->path == NULL && said == 0 && s->rows == 0) {
        return HB_FAIL(HB_EUSAGE, "the number of rows is not known: give it with --rows N, 1 or more");
    }
    if (said > 0 && rows > said) {
        return HB_FAIL(HB_EUSAGE, "%s has more rows than --rows says", table->path);
    }
    if (is_row(s, i)) {
        const bool several = table->path != NULL && (s->encrypted_weights >> i & 1) != 0 &&
                             !hb_row_names_fill(&s->request->rows_of, s->reads[i]);
        s->schemas[i].rows = several ? rows : 1;
        return table->path == NULL || several || rows == 1
                   ? HB_OK
                   : HB_FAIL(HB_EUSAGE, "%s has more than one row, and %s names it", table->path,
                             hb_row_names_option(&s->request->rows_of, s->reads[i]));
    }
    s->schemas[i].rows = said > 0 ? said : table->path != NULL ? rows : s->rows;
    return HB_OK;
}

static bool is_weights(const hb_trials *s, uint32_t i)
{
    return (s->weights >> i & 1) != 0;
}

/* Whether eval reads name i as a plain table: all other names are encrypted. */
static bool is_plain(const hb_trials *s, uint32_t i)
{
    return is_weights(s, i) || s->tables[i].plain;
}

/* The ranges of a plain table, as in eval: those of its cells, or the declared ones. */
static hb_status bind_plain_ranges(hb_trials *s, uint32_t i, hb_interval *columns)
{
    const hb_ranged_table *table = &s->tables[i];
    HB_TRY(hb_ranges_apply(s->ranges, s->range_count, &s->operands[i], columns));
    for (uint64_t c = 0; c < table->schema.columns; c++) {
        if (!columns[c].known && s->operands[i].ranged) {
            columns[c] = hb_operand_declared(&s->operands[i]);
        }
        if (columns[c].known && table->columns[c].known && !hb_interval_within(table->columns[c], columns[c])) {
            return hb_ranged_table_refuse(table, c, columns[c]);
        }
        columns[c] = table->columns[c].known ? table->columns[c] : columns[c];
    }
    return HB_OK;
}

/* For name i, a plain table. */
static hb_status bind_plain(hb_trials *s, uint32_t i, hb_interval *columns, hb_unranged *missing)
{
    hb_ranged_table *table = &s->tables[i];
    if (table->path == NULL) {
        return HB_FAIL(HB_EUSAGE, "%.64s has weights, whose values are needed: add --table %.64s=FILE", s->reads[i],
                       s->reads[i]);
    }
    if (is_row(s, i)) {
        return HB_FAIL(HB_EUSAGE, "--plain-table %.64s: --one-row and --fill are about datasets", s->reads[i]);
    }
    s->operands[i] = (hb_operand){.name = s->reads[i],
                                  .schema = &s->schemas[i],
                                  .column_ranges = columns,
                                  .cells = table->cells,
                                  .source = &table->source.source};
    HB_TRY(bind_plain_ranges(s, i, columns));
    bool *known = calloc((size_t)s->schemas[i].columns + 1, sizeof *known), all = true;
    if (known == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the columns of an expression");
    }
    for (uint64_t c = 0; c < s->schemas[i].columns; c++) {
        known[c] = columns[c].known;
        all &= known[c];
    }
    if (!all) {
        hb_unranged_add(missing, &s->operands[i], known);
    }
    free(known);
    return HB_OK;
}

/* Rows within slots, where they are asked for, must have room in their blocks. */
static hb_status check_block(const hb_trials *s, uint32_t i)
{
    const uint64_t block = s->request->block, columns = s->schemas[i].columns;
    if (block == 0 || (hb_codec_cell_type(s->request->scheme) == HB_CELL_REAL && (block & (block - 1)) == 0 &&
                       columns <= block && block <= ((uint64_t)1 << HB_RING_MAX_LOG_N) / 2)) {
        return HB_OK;
    }
    return HB_FAIL(HB_EUSAGE,
                   "--block %" PRIu64
                   ": rows of reals stand in blocks of a power of two, no smaller than their %" PRIu64 " columns",
                   block, columns);
}

/* Sets the ranges of name i, and notes missing ones. */
static hb_status bind_operand(hb_trials *s, uint32_t i, hb_interval *columns, hb_unranged *missing)
{
    hb_schema *schema = &s->schemas[i];
    if (is_plain(s, i)) {
        return bind_plain(s, i, columns, missing);
    }
    HB_TRY(count_rows(s, i));
    const bool spread = hb_name_listed(s->request->rows_of.spread, s->reads[i]),
               fills = hb_row_names_fill(&s->request->rows_of, s->reads[i]);
    schema->rank = 2;
    schema->width = sizeof(int64_t);
    s->operands[i] = (hb_operand){.name = s->reads[i],
                                  .schema = schema,
                                  .encrypted = true,
                                  .dirty_padding = fills,
                                  .filled = fills,
                                  .spread = spread ? schema->columns : 0,
                                  .encoding = HB_ENCODE_SLOTS,
                                  .order = s->request->block > 0 && !spread ? HB_PACK_ROWS : HB_PACK_COLUMNS,
                                  .block = spread ? 0 : s->request->block};
    HB_TRY(check_block(s, i));
    HB_TRY(hb_ranges_apply(s->ranges, s->range_count, &s->operands[i], columns));
    if (s->tables[i].path != NULL) {
        HB_TRY(take_table(s, i, columns));
    }
    bool *known = malloc((size_t)schema->columns + 1), all = true;
    if (known == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the columns of an expression");
    }
    for (uint64_t c = 0; c < schema->columns; c++) {
        known[c] = columns[c].known || s->operands[i].ranged;
        all &= known[c];
        if (known[c]) {
            bind_column(s, i, c);
        }
    }
    if (!all) {
        hb_unranged_add(missing, &s->operands[i], known);
    }
    free(known);
    return HB_OK;
}

/* Names without a range; one that may be a label is told of by itself. */
static hb_status refuse_unranged(const hb_trials *s, const hb_unranged *missing)
{
    char one[96], *option = NULL;
    hb_status st = HB_OK;
    for (uint32_t i = 0; i < s->read_count; i++) {
        const char *name = s->reads[i];
        if (s->tables[i].path == NULL && !s->operands[i].ranged && hb_picks_label(s->request->expression, name)) {
            snprintf(one, sizeof one, "%.64s=LEAST..MOST", name);
            option = hb_range_option(s->request->ranges, one);
            HB_GOTO(HB_FAIL(HB_EUSAGE,
                            "%.64s has neither a table nor a range; if it is a label, write it in single quotes: "
                            "'%.64s'; if it is a dataset, give its range: %.300s",
                            name, name, option != NULL ? option : "--range"));
        }
    }
    option = hb_range_option(s->request->ranges, missing->option);
    st = HB_FAIL(HB_EUSAGE, "the ranges of these are not known: %s; give them with %s", missing->names,
                 option != NULL ? option : "--range");
done:
    free(option);
    return st;
}

static hb_status bind_operands(hb_trials *s)
{
    hb_unranged missing = {.count = 0};
    uint64_t all = 0;
    for (uint32_t i = 0; i < s->read_count; i++) {
        all += s->schemas[i].columns;
    }
    hb_interval *next = s->columns = calloc((size_t)all + 1, sizeof *next);
    if (next == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %" PRIu64 " columns", all);
    }
    for (uint32_t i = 0; i < s->read_count; i++) {
        HB_TRY(bind_operand(s, i, next, &missing));
        next += s->schemas[i].columns;
    }
    return missing.count == 0 ? HB_OK : refuse_unranged(s, &missing);
}

/* Lists names and ranges, and allocates for their operands. */
static hb_status list_names(hb_trials *s)
{
    const hb_suggest_request *request = s->request;
    HB_TRY(hb_program_names(request->expression, &s->reads, &s->assigns));
    if (request->ranges != NULL) {
        HB_TRY(hb_ranges_parse(request->ranges, &s->ranges, &s->range_count));
        HB_TRY(hb_ranges_check_scheme(s->ranges, s->range_count, request->scheme));
    }
    s->read_count = count_names(s->reads);
    s->assign_count = count_names(s->assigns);
    if (request->model != NULL) {
        hb_trained_names(s);
    }
    const size_t constants = request->model != NULL ? request->model->operand_count : 0;
    s->schemas = calloc((size_t)s->read_count + 1, sizeof *s->schemas);
    s->operands = calloc(constants + s->read_count + s->range_count + 1, sizeof *s->operands);
    s->tables = calloc((size_t)s->read_count + 1, sizeof *s->tables);
    return s->schemas != NULL && s->operands != NULL && s->tables != NULL
               ? HB_OK
               : HB_FAIL(HB_ENOMEM, "no memory for the names of an expression");
}

/* Reads tables, and finds the columns of names that have none. */
static hb_status find_columns(hb_trials *s)
{
    const hb_suggest_request *request = s->request;
    if (request->tables != NULL || request->plain_tables != NULL) {
        HB_TRY(hb_ranged_tables_find(s->tables, s->reads, s->read_count, request));
        HB_TRY(request->model != NULL ? hb_trained_select(s) : hb_columns_select(s));
        HB_TRY(hb_ranged_tables_read(s->tables, s->reads, s->read_count, request));
    }
    for (uint32_t i = 0; i < s->read_count; i++) {
        if (s->tables[i].path != NULL) {
            HB_TRY(hb_schema_copy(&s->schemas[i], &s->tables[i].schema));
        }
        const bool selects = s->tables[i].path != NULL && !s->tables[i].plain && request->words->columns != NULL;
        if (selects && request->model == NULL) {
            HB_TRY(hb_columns_refuse_numbers(request->expression, s->reads[i], &s->schemas[i]));
        }
    }
    if (request->model != NULL && request->model->layer_count > 0) {
        return hb_trained_columns(s);
    }
    return hb_columns_find(request->expression, s->reads, s->read_count, request->columns, s->schemas, &s->weights);
}

/* Which weights are encrypted, and how many rows names have that stand in no other's. */
static hb_status find_rows(hb_trials *s)
{
    HB_TRY(hb_row_names_check(&s->request->rows_of, s->reads, s->read_count));
    for (uint32_t i = 0; i < s->read_count; i++) {
        const uint64_t bit = is_row(s, i) ? (uint64_t)1 << i : 0;
        s->encrypted_weights |= s->weights & bit;
        s->weights &= ~bit;
        if (is_weights(s, i) && s->tables[i].path != NULL && !s->tables[i].plain) {
            hb_schema_clear(&s->schemas[i]);
            HB_TRY(hb_plain_table_open(&s->tables[i], s->request));
            HB_TRY(hb_schema_copy(&s->schemas[i], &s->tables[i].schema));
        }
    }
    s->rows = s->request->rows;
    for (uint32_t i = 0; i < s->read_count; i++) {
        const bool apart = is_plain(s, i) || is_row(s, i);
        const uint64_t rows = apart ? 0 : s->tables[i].schema.rows;
        s->rows = rows > s->rows ? rows : s->rows;
    }
    return HB_OK;
}

static hb_status bind(hb_trials *s, const hb_suggest_request *request, const hb_search *search)
{
    *s = (hb_trials){.request = request, .search = search};
    HB_TRY(list_names(s));
    HB_TRY(find_columns(s));
    HB_TRY(find_rows(s));
    HB_TRY(bind_operands(s));
    s->operand_count = s->read_count;
    if (request->model != NULL) {
        HB_TRY(hb_trained_bind(s));
    }
    hb_ranges_believed(s->ranges, s->range_count, s->assigns, request->scheme, s->operands, &s->operand_count);
    const char *stranger = hb_ranges_stranger(s->ranges, s->range_count, s->operands, s->operand_count);
    if (stranger == NULL) {
        return HB_OK;
    }
    return HB_FAIL(HB_EUSAGE, "--range names '%.64s', which the expression does not read", stranger);
}

/* Tables are encrypted before anything is computed: the scale must leave room for every value that a column may have.
 * Integers are held by the t that is looked for. */
static hb_status check_held(const hb_trials *s, const hb_params_spec *spec)
{
    const bool reals = hb_codec_cell_type(spec->scheme) == HB_CELL_REAL;
    for (uint32_t i = 0; reals && i < s->read_count; i++) {
        const hb_operand *o = &s->operands[i];
        for (uint64_t c = 0; o->encrypted && c < o->schema->columns; c++) {
            const hb_interval own = o->column_ranges[c], range = own.known ? own : hb_operand_declared(o);
            const hb_interval held = hb_interval_held(spec, o->schema->column[c].is_signed);
            if (!hb_interval_within(range, held)) {
                char values[HB_INTERVAL_TEXT], room[HB_INTERVAL_TEXT];
                hb_interval_text(values, range);
                hb_interval_text(room, held);
                return HB_FAIL(HB_EDATA, "%.64s: column %s has values %.64s, and the parameters hold %.64s",
                               s->reads[i], hb_cells_column(o->schema, c).text, values, room);
            }
        }
    }
    return HB_OK;
}

/* Which suggestion takes the bits left of the result with fewest. */
typedef struct bits_left {
    const hb_trials *s;
    hb_suggestion *out;
} bits_left;

/* Which bound is believed: the one that is asked for, else the chain's own. */
static hb_quality_trust trust_of(const hb_suggest_request *of, const hb_params_spec *spec)
{
    return !of->bfv.trust_given && of->trust == HB_QUALITY_WORST ? hb_trust_by_default(spec) : of->trust;
}

static void take_bits(void *context, const hb_params *params, const hb_program *program)
{
    const bits_left *left = context;
    const hb_trials *s = left->s;
    hb_suggestion *out = left->out;
    for (uint32_t i = 0; i < program->output_count; i++) {
        const hb_output *o = &program->outputs[i];
        const bool drawn = trust_of(s->request, &params->spec) == HB_QUALITY_DRAWN;
        const hb_certainty of = drawn ? HB_CERTAINTY_DRAWN : HB_CERTAINTY_PROVEN;
        const double bound = hb_quality_bound(o->quality, of, hb_quality_margin(params));
        out->worst = fmin(out->worst, hb_quality_bits(params, o->limbs, bound));
        out->expected = fmin(out->expected, hb_quality_bits(params, o->limbs, o->quality.expected));
        const double error = s->request->trust != HB_QUALITY_EXPECTED ? o->quality.worst : o->likely;
        const double wanted = s->search->precision != NULL ? s->search->precision(s, o) : 0;
        out->spare = fmin(out->spare, hb_quality_bits(params, o->limbs, error) - wanted);
    }
}

hb_status hb_trial(hb_trials *s, const hb_params_spec *spec, bool measure, hb_suggestion *out)
{
    hb_params_spec own = *spec;
    if (s->request->bfv.joint.owners > 0) {
        own.joint = s->request->bfv.joint;
    }
    HB_TRY(check_held(s, spec));
    HB_TRY(hb_params_open(&own, &out->params));
    HB_TRY(hb_quality_require_fresh(out->params, true)); /* as keygen does, for every bound of eval */
    const hb_quality fresh = hb_quality_fresh(out->params, true, HB_BINOMIAL);
    for (uint32_t i = 0; i < s->read_count; i++) {
        s->operands[i].limbs = out->params->fresh_limbs;
        s->operands[i].quality = fresh;
    }
    const hb_program_source source = {.text = s->request->expression,
                                      .params = out->params,
                                      .operands = s->operands,
                                      .operand_count = s->operand_count,
                                      .outputs = (const char *const *)s->assigns,
                                      .output_count = s->assign_count,
                                      .bits = s->request->precision,
                                      .gap = s->request->gap,
                                      .measured = measure,
                                      .trust = trust_of(s->request, spec),
                                      .cache = s->cache};
    HB_TRY(hb_program_compile(&out->program, &source));
    out->key_count = out->program.keys.count;
    if (s->bfv.packed_most > 0) {
        HB_TRY(s->search->packs(&source, &out->packs, &out->result_bits));
    }
    if (out->key_count > 0 && !hb_params_can_switch(out->params)) {
        return HB_FAIL(HB_ECONFIG, "no special prime, and the expression needs %" PRIu64 " keys", out->key_count);
    }
    bits_left left = {s, out};
    out->worst = out->expected = out->spare = INFINITY;
    take_bits(&left, out->params, &out->program);
    return hb_program_compile_others(&source, &(hb_residue_visit){.take = take_bits, .context = &left});
}

hb_status hb_trials_init(hb_trials *trials, const hb_suggest_request *request, const hb_search *search)
{
    HB_TRY(search->check(request));
    HB_TRY(bind(trials, request, search));
    trials->told = hb_now();
    return hb_compile_cache_open(&trials->cache);
}
