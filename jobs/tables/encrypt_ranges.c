#include "encrypt_ranges.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cell.h"
#include "base/chunk.h"
#include "base/partition.h"
#include "base/seed.h"
#include "batch/cells/cells.h"
#include "batch/cells/public_range.h"
#include "lang/program/interval_words.h"

/* Puts a declared range into one column of reals. */
static hb_status declare_reals(hb_interval range, const hb_schema *schema, hb_column *column,
                               const hb_params_spec *spec)
{
    const hb_interval held = hb_interval_held(spec, true);
    const hb_interval reals = hb_halves_range(column->halves, hb_interval_to_reals(range));
    if (!hb_interval_within(reals, held)) {
        char bound[HB_CODEC_TEXT], said[HB_INTERVAL_TEXT], most[HB_INTERVAL_TEXT];
        hb_codec_bound_text(bound, spec);
        hb_interval_text(said, reals);
        hb_interval_text(most, held);
        return HB_FAIL(HB_EDATA, "--range: column %s: %s is more than %s holds, %s; %s",
                       hb_cells_column(schema, (uint64_t)(column - schema->column)).text, said, bound, most,
                       hb_codec_bound_advice(spec->scheme));
    }
    column->ranged = true;
    column->least = hb_real_word(reals.low);
    column->most = hb_real_word(reals.high);
    return HB_OK;
}

hb_status hb_encrypt_ranges_check(hb_interval range, bool is_signed, const hb_schema *schema, uint64_t column,
                                  const hb_params_spec *spec)
{
    const hb_meaning *meaning = &schema->column[column].meaning;
    const hb_interval held = hb_interval_held(spec, is_signed);
    if (hb_interval_within(range, held)) {
        return HB_OK;
    }
    char bound[HB_CODEC_TEXT], said[HB_INTERVAL_OPTION], most[HB_INTERVAL_OPTION];
    hb_codec_bound_text(bound, spec);
    hb_interval_meant_option(said, range, meaning);
    hb_interval_meant_option(most, held, meaning);
    return HB_FAIL(HB_EDATA, "--range: column %s: %s is more than %s holds%s, %s; %s",
                   hb_cells_column(schema, column).text, said, bound,
                   is_signed ? " of a column with values below 0" : "", most, hb_codec_bound_advice(spec->scheme));
}

/* Puts a declared range into one column of integers. It alone says whether the column has a sign: the cells, and the
 * type that they come in, would tell of values. */
static hb_status declare_integers(hb_interval range, const hb_schema *schema, hb_column *column,
                                  const hb_params_spec *spec)
{
    const bool is_signed = hb_wide_sign(range.wide_least) < 0;
    HB_TRY(hb_encrypt_ranges_check(range, is_signed, schema, (uint64_t)(column - schema->column), spec));
    column->is_signed = is_signed;
    hb_column_set_interval(column, range);
    return HB_OK;
}

/* Cuts a range to the values that the column can have at all. */
static hb_status cut(hb_interval *range, const hb_schema *schema, const hb_column *column)
{
    const hb_interval both = hb_public_declared(column, *range);
    if (!both.known) {
        char said[HB_INTERVAL_OPTION], all[HB_INTERVAL_OPTION];
        hb_interval_meant_option(said, *range, &column->meaning);
        hb_interval_meant_option(all, hb_column_domain(column), &column->meaning);
        return HB_FAIL(HB_EDATA, "--range: column %s has values in %s: none of them is in %s",
                       hb_cells_column(schema, (uint64_t)(column - schema->column)).text, all, said);
    }
    *range = both;
    return HB_OK;
}

static hb_status declare(hb_interval range, const hb_schema *schema, hb_column *column, const hb_params_spec *spec)
{
    HB_TRY(cut(&range, schema, column));
    return (column->cells == HB_CELL_REAL ? declare_reals : declare_integers)(range, schema, column, spec);
}

/* Gives a column the values that its meaning says as its range. Otherwise a column of reals would make the extremes of
 * its cells public, and with one row they tell its value. Labels and truth values stored as integers need no range:
 * eval knows their values by itself. */
static void set_domains(hb_schema *schema, const hb_params_spec *spec)
{
    for (uint64_t c = 0; c < schema->columns; c++) {
        hb_column *column = &schema->column[c];
        const bool reals = column->cells == HB_CELL_REAL;
        const hb_interval domain = hb_column_domain(column);
        if (!domain.known || (!reals && column->digit_base == 0 && column->full == 0)) {
            continue;
        }
        const hb_interval values = reals ? hb_interval_to_reals(domain) : domain;
        if (!hb_interval_within(values, hb_interval_held(spec, reals))) {
            continue;
        }
        if (reals) {
            column->ranged = true;
            column->least = hb_real_word(values.low);
            column->most = hb_real_word(values.high);
        } else {
            hb_column_set_interval(column, values);
        }
    }
}

hb_status hb_encrypt_ranges_declare(const hb_encrypt_ranges *ranges, hb_schema *schema, const hb_params_spec *spec)
{
    hb_operand table = {.name = HB_RANGE_TABLE, .schema = schema};
    hb_interval *columns = calloc((size_t)schema->columns + 1, sizeof *columns);
    hb_status st;
    if (columns == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the ranges of %" PRIu64 " columns", schema->columns);
    }
    set_domains(schema, spec);
    HB_GOTO(hb_ranges_check_scheme(ranges->declared, ranges->count, spec->scheme));
    /* The same rules as for the operands of an expression, of which the table is the only one. */
    HB_GOTO(hb_ranges_apply(ranges->declared, ranges->count, &table, columns));
    for (uint64_t c = 0; c < schema->columns; c++) {
        /* A range for the whole table holds for the columns that have none of their own. */
        if (!columns[c].known && table.ranged && schema->column[c].full == 0) {
            columns[c] = table.values;
        }
        if (columns[c].known) {
            HB_GOTO(declare(columns[c], schema, &schema->column[c], spec));
        }
    }
done:
    free(columns);
    return st;
}

/* Returns the least and the most of integers of so many bytes, fewer than 8. */
static hb_interval type_range(uint32_t width, bool is_signed)
{
    const int64_t half = (int64_t)1 << (8 * width - 1);
    return is_signed ? hb_interval_of(-half, half - 1) : hb_interval_of(0, 2 * half - 1);
}

void hb_encrypt_ranges_of_type(hb_schema *schema, const hb_params_spec *spec)
{
    for (uint64_t c = 0; c < schema->columns && schema->width < sizeof(uint64_t); c++) {
        hb_column *column = &schema->column[c];
        const hb_interval values = type_range(schema->width, column->is_signed);
        if (column->cells == HB_CELL_INTEGER && !column->wide && !column->ranged && !column->may_wrap &&
            hb_interval_within(values, hb_interval_held(spec, column->is_signed))) {
            hb_column_set_interval(column, values);
        }
    }
}

/* Returns how many bytes hold all that the columns may have, in one type, which has a sign if some column has one. */
static uint32_t bytes_needed(const hb_schema *schema)
{
    bool is_signed = false;
    uint32_t width = schema->width;
    for (uint64_t c = 0; c < schema->columns; c++) {
        is_signed = is_signed || schema->column[c].is_signed;
    }
    for (uint64_t c = 0; c < schema->columns; c++) {
        const hb_column *column = &schema->column[c];
        const hb_interval values =
            column->ranged ? hb_column_interval(column) : type_range(schema->width, column->is_signed);
        while (width < sizeof(uint64_t) && !hb_interval_within(values, type_range(width, is_signed))) {
            width *= 2;
        }
    }
    return width;
}

void hb_encrypt_ranges_fit_type(hb_schema *schema, const hb_params_spec *spec)
{
    if (schema->columns == 0 || schema->column[0].cells == HB_CELL_REAL || schema->column[0].wide ||
        schema->width >= sizeof(uint64_t)) {
        return; /* doubles, and types that decrypting chooses */
    }
    const uint32_t width = bytes_needed(schema);
    if (width > schema->width) {
        hb_encrypt_ranges_of_type(schema, spec); /* which the wider type would say no more */
        schema->width = width;
    }
}

enum { TOP = 63 }; /* the sign bit of a word */

/* Returns a word whose order as unsigned number is that of the values. Doubles below 0 get larger as words as they get
 * smaller. */
static uint64_t in_order(const hb_column *column, uint64_t value)
{
    if (column->cells == HB_CELL_REAL) {
        return value >> TOP != 0 ? ~value : value | (uint64_t)1 << TOP;
    }
    return value ^ (uint64_t)column->is_signed << TOP;
}

/* Returns the value that has this place in the order. */
static uint64_t from_order(const hb_column *column, uint64_t word)
{
    if (column->cells == HB_CELL_REAL) {
        return word >> TOP != 0 ? word & ~((uint64_t)1 << TOP) : ~word;
    }
    return word ^ (uint64_t)column->is_signed << TOP;
}

/* Extremes of columns: the largest value of each, and the largest complement, which is that of the least, so both can
 * be united over the ranks by one maximum. */
typedef uint64_t extremes[2];

static void widen(extremes *of, const hb_column *column, uint64_t value)
{
    const uint64_t word = in_order(column, value);
    (*of)[0] = word > (*of)[0] ? word : (*of)[0];
    (*of)[1] = ~word > (*of)[1] ? ~word : (*of)[1];
}

/* One row of the table, in which every column is one word. */
static void widen_by_words(const hb_schema *schema, const uint64_t *row, extremes *most)
{
    for (uint64_t c = 0; c < schema->columns; c++) {
        const hb_column *column = &schema->column[c];
        if (column->mask == 0 || hb_column_is_there(column, row[column->mask - 1])) {
            widen(&most[c], column, row[c]);
        }
    }
}

/* One row of the table, whose columns have halves at these places; for columns with both, moduli. */
static void widen_by_places(const hb_schema *schema, const hb_places *places, const uint64_t *row, extremes *most)
{
    for (uint64_t c = 0; c < schema->columns; c++) {
        const hb_half_place *half = &places->half[2 * c];
        const bool both = schema->column[c].halves != HB_HALVES_REAL;
        const uint64_t real = row[half[0].word], mask = schema->column[c].mask;
        if (mask > 0 && !hb_column_is_there(&schema->column[c], row[places->half[2 * (mask - 1)].word])) {
            continue;
        }
        widen(&most[c], &schema->column[c],
              both ? hb_real_word(hypot(hb_real_of(real), hb_real_of(row[half[1].word]))) : real);
    }
}

/* Finds the extremes of each column in this rank's rows. */
static hb_status find_extremes(const hb_group *group, hb_table *table, const hb_schema *schema, const hb_places *places,
                               extremes *most)
{
    enum { WORDS = 1 << 18 };
    const hb_schema *read = hb_table_schema(table);
    const uint64_t words = hb_schema_words(read, 0, read->columns), step = words < WORDS ? WORDS / words : 1;
    const hb_share rows = hb_partition(schema->rows, (uint32_t)group->rank, (uint32_t)group->size);
    const size_t bytes = (size_t)(step * words) * sizeof(uint64_t);
    uint64_t *cells = malloc(bytes);
    hb_status st =
        cells != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory to look at %" PRIu64 " columns", read->columns);
    for (hb_chunk c = hb_chunks(rows.count, step); st == HB_OK && hb_chunk_next(&c);) {
        const hb_rectangle some = {.row = rows.first + c.first, .rows = c.count, .columns = read->columns};
        st = hb_table_read(table, &some, cells);
        for (uint64_t r = 0; st == HB_OK && r < some.rows; r++) {
            if (places->half == NULL) {
                widen_by_words(schema, cells + r * words, most);
            } else {
                widen_by_places(schema, places, cells + r * words, most);
            }
        }
    }
    if (cells != NULL) {
        /* The cells are plaintext. */
        hb_wipe(cells, bytes);
    }
    free(cells);
    return st;
}

/* Returns the column with all that these parameters hold for a range. */
static hb_column held_column(const hb_params_spec *spec, const hb_column *column)
{
    const hb_cell_range range = hb_codec_cell_range(spec, column->is_signed);
    hb_column all = *column;
    all.ranged = true;
    all.least = range.least;
    all.most = range.most;
    return all;
}

/* Whether a range is to be measured. A declared one stays. Labels, truth values and digits have all values of their
 * meaning as their range, for every table: eval knows these by itself. */
static bool is_measured(const hb_column *column, const hb_params_spec *spec)
{
    const hb_interval domain = hb_column_domain(column);
    return !column->ranged && !(domain.known && hb_interval_within(domain, hb_interval_held(spec, column->is_signed)));
}

/* Rounds the range of a column of reals to its public form, in words of it. */
static void make_public(const hb_column *column, uint64_t *least, uint64_t *most)
{
    const hb_interval range = hb_public_measured(column, hb_interval_of_reals(hb_real_of(*least), hb_real_of(*most)));
    *least = hb_real_word(range.low);
    *most = hb_real_word(range.high);
}

/* Widens the ranges of wide columns by one row of the table. */
static void widen_wide_by_row(const hb_schema *schema, const uint64_t *row, hb_interval *found)
{
    for (uint64_t c = 0; c < schema->columns; c++) {
        const uint64_t mask = schema->column[c].mask;
        const hb_wide value = hb_wide_of_cell(row + c * HB_WIDE_CELL, schema->column[c].is_signed);
        if (mask > 0 && !hb_column_is_there(&schema->column[c], row[(mask - 1) * HB_WIDE_CELL])) {
            continue;
        }
        if (!found[c].known || hb_wide_compare(value, found[c].wide_least) < 0 ||
            hb_wide_compare(value, found[c].wide_most) > 0) {
            found[c] = hb_interval_join(found[c], hb_interval_of_wide(value, value));
        }
    }
}

/* Unites the ranges of all ranks. Ends are compared as words from the highest on, each mapped to the order of unsigned
 * words; a rank without rows gives 0, the least. Collective. */
static hb_status unite_wide(hb_group *group, hb_interval *found)
{
    hb_wide ends[2] = {{{0}}};
    bool mine[2] = {found->known, found->known};
    uint64_t known = found->known;
    HB_TRY(hb_group_max(group, &known, 1));
    for (int w = HB_WIDE_WORDS; w-- > 0;) {
        const uint64_t flip = w == HB_WIDE_WORDS - 1 ? (uint64_t)1 << TOP : 0;
        uint64_t words[2] = {mine[0] ? ~(found->wide_least.word[w] ^ flip) : 0,
                             mine[1] ? found->wide_most.word[w] ^ flip : 0};
        const uint64_t own[2] = {words[0], words[1]};
        HB_TRY(hb_group_max(group, words, 2));
        for (int end = 0; end < 2; end++) {
            mine[end] = mine[end] && own[end] == words[end];
        }
        ends[0].word[w] = ~words[0] ^ flip;
        ends[1].word[w] = words[1] ^ flip;
    }
    *found = known != 0 ? hb_interval_of_wide(ends[0], ends[1]) : (hb_interval){.known = false};
    return HB_OK;
}

/* Finds the ranges of wide columns in this rank's rows. */
static hb_status find_wide_ranges(const hb_group *group, hb_table *table, const hb_schema *schema, hb_interval *found)
{
    enum { CELLS = 1 << 17 };
    const uint64_t step = schema->columns < CELLS ? CELLS / schema->columns : 1, words = HB_WIDE_CELL * schema->columns;
    const hb_share rows = hb_partition(schema->rows, (uint32_t)group->rank, (uint32_t)group->size);
    const size_t bytes = (size_t)(step * words) * sizeof(uint64_t);
    uint64_t *cells = malloc(bytes);
    if (cells == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory to look at %" PRIu64 " columns", schema->columns);
    }
    hb_status st = HB_OK;
    for (hb_chunk c = hb_chunks(rows.count, step); st == HB_OK && hb_chunk_next(&c);) {
        const hb_rectangle some = {.row = rows.first + c.first, .rows = c.count, .columns = schema->columns};
        st = hb_table_read(table, &some, cells);
        for (uint64_t r = 0; st == HB_OK && r < some.rows; r++) {
            widen_wide_by_row(schema, cells + r * words, found);
        }
    }
    hb_wipe(cells, bytes); /* plaintext */
    free(cells);
    return st;
}

static hb_status measure_wide(hb_group *group, hb_table *table, hb_schema *schema, const hb_params_spec *spec)
{
    hb_interval *found = calloc((size_t)schema->columns + 1, sizeof *found);
    hb_status st = found != NULL
                       ? find_wide_ranges(group, table, schema, found)
                       : HB_FAIL(HB_ENOMEM, "no memory for the ranges of %" PRIu64 " columns", schema->columns);
    HB_GOTO(hb_agree(group, st));
    for (uint64_t c = 0; c < schema->columns; c++) {
        hb_column *column = &schema->column[c];
        HB_GOTO(unite_wide(group, &found[c]));
        if (column->mask > 0 && !found[c].known) {
            found[c] = hb_interval_of(0, 0); /* no cell is there, which must stay private */
        }
        /* A value that is not held is refused when it is encrypted. */
        if (is_measured(column, spec) && hb_interval_within(found[c], hb_interval_held(spec, column->is_signed))) {
            hb_column_set_interval(column, found[c]);
        }
    }
done:
    free(found);
    return st;
}

hb_status hb_encrypt_ranges_measure(hb_group *group, hb_table *table, hb_schema *schema, const hb_params_spec *spec)
{
    if (hb_spec_residues(spec) > 1) {
        return measure_wide(group, table, schema, spec);
    }
    const uint64_t columns = schema->columns;
    extremes *most = calloc((size_t)columns + 1, sizeof *most);
    hb_places places = {0};
    hb_status st = most != NULL ? hb_places_find(&places, schema, hb_table_schema(table))
                                : HB_FAIL(HB_ENOMEM, "no memory for the ranges of %" PRIu64 " columns", columns);
    HB_GOTO(hb_agree(group, st == HB_OK ? find_extremes(group, table, schema, &places, most) : st));
    /* Every rank gets the extremes of all rows, and so the same header. */
    HB_GOTO(hb_agree(group, hb_group_max(group, most[0], 2 * (size_t)columns)));
    /* A table without rows has no values, and its zeros in `most` mean nothing. */
    for (uint64_t c = 0; c < columns && schema->rows > 0; c++) {
        hb_column *column = &schema->column[c];
        const hb_column held = held_column(spec, column);
        if (column->mask > 0 && most[c][0] < ~most[c][1]) { /* no cell is there, which must stay private */
            widen(&most[c], column, 0);
        }
        uint64_t largest = from_order(column, most[c][0]), smallest = from_order(column, ~most[c][1]);
        if (column->cells == HB_CELL_REAL) {
            if (column->halves != HB_HALVES_REAL) {
                smallest = hb_real_word(-hb_real_of(largest)); /* of moduli */
            }
            make_public(column, &smallest, &largest);
        }
        if (is_measured(column, spec) && hb_column_holds(&held, smallest) && hb_column_holds(&held, largest)) {
            column->ranged = true;
            column->least = smallest;
            column->most = largest;
        }
    }
    for (uint64_t c = 0; c < columns && schema->rows == 0; c++) {
        hb_column *column = &schema->column[c];
        /* All of no values lie anywhere; and without a range nothing is computed with reals. */
        if (column->cells == HB_CELL_REAL && !column->ranged) {
            column->ranged = true;
            column->least = column->most = hb_real_word(0);
        }
    }
done:
    if (most != NULL) {
        /* For columns that get no range, the values stay secret. */
        hb_wipe(most, (size_t)columns * sizeof *most);
    }
    free(most);
    hb_places_clear(&places);
    return st;
}

static void copy_ranges(hb_schema *to, const hb_schema *from)
{
    for (uint64_t c = 0; c < to->columns; c++) {
        const hb_column *of = &from->column[c];
        to->column[c].ranged = of->ranged;
        to->column[c].least = of->least;
        to->column[c].most = of->most;
        to->column[c].wide_least = of->wide_least;
        to->column[c].wide_most = of->wide_most;
    }
}

hb_status hb_encrypt_ranges_measure_once(const hb_job *job, hb_table *table, hb_schema *schema)
{
    hb_residues_so_far *so_far = job->options.so_far;
    if (so_far != NULL && so_far->ranges.column != NULL) {
        copy_ranges(schema, &so_far->ranges);
        return HB_OK;
    }
    HB_TRY(hb_encrypt_ranges_measure(job->group, table, schema, &job->header->spec));
    return hb_agree(job->group, so_far != NULL ? hb_schema_copy(&so_far->ranges, schema) : HB_OK);
}
