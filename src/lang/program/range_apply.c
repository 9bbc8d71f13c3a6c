/* Declared ranges as those of the columns of operands. */
#include <stdlib.h>
#include <string.h>

#include "base/residues.h"
#include "range.h"
#include "scheme/codec.h"
#include "scheme/params.h"
#include "table/column_names.h"

/* The column of a range. */
static hb_status find_column(const hb_range *range, const hb_column_names *names, uint64_t *column)
{
    const hb_schema *schema = names->schema;
    bool several = false;
    if (range->column == NULL) {
        if (range->number > schema->columns) {
            return HB_FAIL(HB_EUSAGE, "--range: %.40s has %llu columns, and no column %llu", range->name,
                           (unsigned long long)schema->columns, (unsigned long long)range->number);
        }
        *column = range->number - 1;
        return HB_OK;
    }
    *column = hb_column_names_find(names, range->column, &several);
    if (*column == schema->columns) {
        return HB_FAIL(HB_EUSAGE, "--range: %.40s has no column '%.40s'", range->name, range->column);
    }
    return several ? HB_FAIL(HB_EUSAGE, "--range: %.40s has more than one column '%.40s': give its number, from 1",
                             range->name, range->column)
                   : HB_OK;
}

/* Ranges are said of values as people have them; stored are these times the scale. */
static hb_status scale_range(const hb_schema *schema, uint64_t column, hb_interval *values)
{
    const int64_t scale = (int64_t)hb_meaning_scale(&schema->column[column].meaning);
    if (values->real) {
        return HB_OK;
    }
    *values = hb_interval_multiply(*values, hb_interval_of(scale, scale));
    if (hb_wide_bits(values->wide_least) > HB_RESIDUES_MOST_BITS ||
        hb_wide_bits(values->wide_most) > HB_RESIDUES_MOST_BITS) {
        return HB_FAIL(HB_EUSAGE, "--range: times the scale of column %llu it leaves %d bits",
                       (unsigned long long)column + 1, HB_RESIDUES_MOST_BITS);
    }
    return HB_OK;
}

/* A range of all columns holds for columns without their own, by the scale of each. */
static hb_status spread_range(const hb_operand *operand, hb_interval *columns)
{
    const hb_schema *schema = operand->schema;
    const bool spread = operand->ranged && hb_schema_has_meanings(schema);
    for (uint64_t c = 0; spread && c < schema->columns; c++) {
        if (!columns[c].known) {
            columns[c] = operand->values;
            HB_TRY(scale_range(schema, c, &columns[c]));
        }
    }
    return HB_OK;
}

/* Ends that were said as times are counted in the unit of the column. */
static hb_status count_range(const hb_range *range, uint64_t column, const hb_meaning *meaning, hb_interval *values)
{
    const unsigned long long number = (unsigned long long)column + 1;
    const int64_t unit = hb_time_unit_seconds(meaning->unit);
    if (!range->times) {
        return HB_OK;
    }
    if (meaning->kind != HB_MEANING_TIME || meaning->zoned != range->zoned) {
        return HB_FAIL(HB_EUSAGE, "--range: column %llu of %.40s holds no times%s", number, range->name,
                       meaning->kind != HB_MEANING_TIME ? ""
                       : range->zoned                   ? " with a zone"
                                                        : " without a zone");
    }
    if (range->least % unit != 0 || range->most % unit != 0) {
        return HB_FAIL(HB_EUSAGE, "--range: column %llu of %.40s holds times in %s, and the range has others", number,
                       range->name, hb_time_unit_name(meaning->unit));
    }
    *values = hb_interval_of(range->least / unit, range->most / unit);
    return HB_OK;
}

/* Applies a range to one column. */
static hb_status apply_to_column(const hb_range *range, const hb_column_names *names, hb_interval *columns)
{
    const hb_schema *schema = names->schema;
    uint64_t column = 0;
    HB_TRY(find_column(range, names, &column));
    if (columns[column].known) {
        return HB_FAIL(HB_EUSAGE, "--range gives the range of column %llu of %.40s twice",
                       (unsigned long long)column + 1, range->name);
    }
    const hb_meaning *meaning = &schema->column[column].meaning;
    if (range->dates && meaning->kind != HB_MEANING_DATE && !hb_meaning_is_plain(meaning)) {
        return HB_FAIL(HB_EUSAGE, "--range: column %llu of %.40s holds no dates", (unsigned long long)column + 1,
                       range->name);
    }
    columns[column] = range->values;
    HB_TRY(count_range(range, column, meaning, &columns[column]));
    return scale_range(schema, column, &columns[column]);
}

hb_status hb_ranges_apply(const hb_range *ranges, uint32_t count, hb_operand *operand, hb_interval *columns)
{
    const hb_schema *schema = operand->schema;
    hb_column_names names = {.schema = NULL};
    hb_status st = HB_OK;
    memset(columns, 0, (size_t)schema->columns * sizeof *columns);
    operand->column_ranges = columns;
    for (uint32_t r = 0; st == HB_OK && r < count; r++) {
        const hb_range *range = &ranges[r];
        if (strcmp(range->name, operand->name) != 0) {
            continue;
        }
        if (range->column == NULL && range->number == 0) {
            operand->ranged = true;
            operand->least = range->least;
            operand->most = range->most;
            operand->values = range->values;
            continue;
        }
        st = names.schema == NULL ? hb_column_names_init(&names, schema) : HB_OK;
        st = st == HB_OK ? apply_to_column(range, &names, columns) : st;
    }
    hb_column_names_clear(&names);
    return st == HB_OK ? spread_range(operand, columns) : st;
}

hb_status hb_ranges_check_scheme(const hb_range *ranges, uint32_t count, hb_scheme scheme)
{
    for (uint32_t r = 0; r < count; r++) {
        if (ranges[r].values.real && hb_codec_cell_type(scheme) == HB_CELL_INTEGER) {
            return HB_FAIL(HB_EUSAGE, "--range of %.40s: %s has integers, so the ends of a range are integers",
                           ranges[r].name, hb_scheme_name(scheme));
        }
    }
    return HB_OK;
}

void hb_ranges_believed(const hb_range *ranges, uint32_t count, char *const *assigns, hb_scheme scheme,
                        hb_operand *operands, uint32_t *operand_count)
{
    const bool reals = hb_codec_cell_type(scheme) == HB_CELL_REAL;
    static const hb_schema nothing = {.columns = 0};
    for (uint32_t r = 0; r < count; r++) {
        const hb_range *range = &ranges[r];
        bool assigned = false;
        for (uint32_t i = 0; assigns[i] != NULL; i++) {
            assigned = assigned || strcmp(assigns[i], range->name) == 0;
        }
        if (assigned && range->column == NULL && range->number == 0) {
            operands[(*operand_count)++] =
                (hb_operand){.name = range->name,
                             .schema = &nothing,
                             .ranged = true,
                             .values = reals ? hb_interval_to_reals(range->values) : range->values,
                             .believed = true};
        }
    }
}

const char *hb_ranges_stranger(const hb_range *ranges, uint32_t count, const hb_operand *operands,
                               uint32_t operand_count)
{
    for (uint32_t r = 0; r < count; r++) {
        uint32_t i = 0;
        while (i < operand_count && strcmp(operands[i].name, ranges[r].name) != 0) {
            i++;
        }
        if (i == operand_count) {
            return ranges[r].name;
        }
    }
    return NULL;
}
