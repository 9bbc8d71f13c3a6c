#include "range.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cell.h"
#include "base/hash.h"
#include "base/quoted.h"
#include "base/residues.h"
#include "lang/text/binding.h"
#include "scheme/codec.h"
#include "scheme/params.h"
#include "table/real_text.h"

/* A column at *at, which moves past it. */
static bool take_column(const char **at, hb_range *range)
{
    const bool quoted = **at == '"';
    const char *from = *at + quoted;
    char *end;
    if (!quoted && *from >= '0' && *from <= '9') {
        errno = 0;
        range->number = strtoull(from, &end, 10);
        *at = end;
        return errno == 0 && range->number > 0;
    }
    size_t length = strcspn(from, "=");
    const bool closed = !quoted || hb_quoted_length(from, '"', &length);
    range->column = quoted ? hb_unquoted(from, '"', length) : strndup(from, length);
    if (!range->column || length == 0 || !closed || (!quoted && !hb_name_valid(range->column))) {
        return false;
    }
    *at = from + length + quoted;
    return true;
}

/* An operand or one of its columns at *at, which moves past it. */
static bool take_name(const char **at, hb_range *range)
{
    const size_t length = strcspn(*at, ".=");
    range->name = strndup(*at, length);
    if (!range->name || !hb_name_valid(range->name)) {
        return false;
    }
    *at += length;
    if (**at != '.') {
        return true;
    }
    ++*at;
    return take_column(at, range);
}

bool hb_range_parse_name(const char *text, hb_range *range)
{
    return take_name(&text, range) && *text == '\0';
}

/* The end of a range. */
typedef struct range_end {
    bool integer;
    hb_wide whole; /* where it is */
    double real;
} range_end;

static const char *past_digits(const char *at)
{
    return at + strspn(at, "0123456789");
}

/* Returns the end of the decimal that begins at `at`; a point is one of it only in front of a digit, for two stand
 * between the ends of a range. */
static const char *past_decimal(const char *at)
{
    at = past_digits(at);
    if (at[0] == '.' && at[1] >= '0' && at[1] <= '9') {
        at = past_digits(at + 1);
    }
    if (*at == 'e' || *at == 'E') {
        const char *digits = at + 1 + (at[1] == '-' || at[1] == '+');
        at = *digits >= '0' && *digits <= '9' ? past_digits(digits) : at;
    }
    return at;
}

/* A decimal with an optional sign at *at, which moves past it; text that looks like an integer is one, of at most
 * HB_RESIDUES_MOST_BITS. */
static bool take_end(const char **at, range_end *value)
{
    const char *digits = *at + (**at == '-'), *end = past_decimal(digits), *from = *at;
    if (*digits < '0' || *digits > '9' || hb_real_parse(&from, end, &value->real) != HB_REAL_GOOD) {
        return false;
    }
    value->integer = past_digits(digits) == end;
    from = *at;
    *at = end;
    return !value->integer ||
           (hb_wide_parse(&from, end, &value->whole) && hb_wide_bits(value->whole) <= HB_RESIDUES_MOST_BITS);
}

/* Two dates at *at, which moves past them. */
static bool take_dates(const char **at, hb_range *range)
{
    enum { DATE = 10 }; /* YYYY-MM-DD */
    int64_t least, most;
    const char *rest = *at;
    if (strnlen(rest, 2 * DATE + 2) < 2 * DATE + 2 || strncmp(rest + DATE, "..", 2) != 0 ||
        !hb_date_parse(rest, DATE, &least) || !hb_date_parse(rest + DATE + 2, DATE, &most) || least > most) {
        return false;
    }
    rest += 2 * DATE + 2;
    range->dates = *rest == ',' || *rest == '\0';
    range->values = hb_interval_of(least, most);
    range->least = least;
    range->most = most;
    *at = rest;
    return range->dates;
}

/* Two times at *at, which moves past them. */
static bool take_times(const char **at, hb_range *range)
{
    const char *dots = strstr(*at, "..");
    const size_t first = dots != NULL ? (size_t)(dots - *at) : 0, second = dots != NULL ? strcspn(dots + 2, ",") : 0;
    hb_time least, most;
    if (dots == NULL || hb_time_parse(NULL, *at, first, &least) != HB_TIME_GOOD ||
        hb_time_parse(NULL, dots + 2, second, &most) != HB_TIME_GOOD || least.fraction || most.fraction ||
        least.zoned != most.zoned || least.seconds > most.seconds) {
        return false;
    }
    range->times = true;
    range->zoned = least.zoned;
    range->values = hb_interval_of(least.seconds, most.seconds);
    range->least = least.seconds;
    range->most = most.seconds;
    *at = dots + 2 + second;
    return true;
}

/* "least..most" at *at, which moves past it. */
static bool take_ends(const char **at, hb_range *range)
{
    if (take_dates(at, range) || take_times(at, range)) {
        return range->column != NULL || range->number > 0; /* not a range of all columns */
    }
    const char *rest = *at;
    range_end least, most;
    if (!take_end(&rest, &least) || strncmp(rest, "..", 2) != 0) {
        return false;
    }
    rest += 2;
    if (!take_end(&rest, &most) || (*rest != ',' && *rest != '\0')) {
        return false;
    }
    const bool integers = least.integer && most.integer;
    if (integers ? hb_wide_compare(least.whole, most.whole) > 0 : least.real > most.real) {
        return false;
    }
    if (integers) {
        range->values = hb_interval_of_wide(least.whole, most.whole);
        range->least = range->values.least;
        range->most = range->values.most;
    } else {
        range->values = hb_interval_of_reals(least.real, most.real);
    }
    *at = rest;
    return true;
}

/* "name=least..most". */
static bool take_range(const char **at, hb_range *range)
{
    if (!take_name(at, range) || **at != '=') {
        return false;
    }
    ++*at;
    return take_ends(at, range);
}

/* "least..most" or "column=least..most" of the one table that there is. */
static bool take_column_range(const char **at, hb_range *range)
{
    const char *rest = *at;
    range->name = strdup(HB_RANGE_TABLE);
    if (range->name == NULL || take_ends(at, range)) {
        return range->name != NULL;
    }
    if (!take_column(&rest, range) || *rest != '=') {
        return false;
    }
    *at = rest + 1;
    return take_ends(at, range);
}

static bool same_name(const hb_range *x, const hb_range *y)
{
    return strcmp(x->name, y->name) == 0 && x->number == y->number && (x->column == NULL) == (y->column == NULL) &&
           (x->column == NULL || strcmp(x->column, y->column) == 0);
}

typedef struct wanted {
    const hb_range *list, *range;
} wanted;

static bool is_wanted(const void *context, uint32_t index)
{
    const wanted *w = context;
    return same_name(&w->list[index], w->range);
}

/* The place of a range of the same name in the table of those of the list. */
static uint32_t *place_of(const hb_index_table *places, const hb_range *list, const hb_range *range)
{
    const wanted w = {list, range};
    const uint64_t column = range->column != NULL ? hb_hash_text(range->column) : range->number;
    return hb_index_table_find(places, hb_hash_word(hb_hash_text(range->name), column), is_wanted, &w);
}

static hb_status refuse_twice(const char *text, const hb_range *range)
{
    if (range->column != NULL) {
        return HB_FAIL(HB_EUSAGE, "--range: '%.80s' gives the range of column '%.40s' of %.40s twice", text,
                       range->column, range->name);
    }
    if (range->number > 0) {
        return HB_FAIL(HB_EUSAGE, "--range: '%.80s' gives the range of column %llu of %.40s twice", text,
                       (unsigned long long)range->number, range->name);
    }
    return HB_FAIL(HB_EUSAGE, "--range: '%.80s' gives the range of %.40s twice", text, range->name);
}

static hb_status parse_list(const char *text, bool (*take)(const char **, hb_range *), const char *expected,
                            hb_range **ranges, uint32_t *count)
{
    size_t most = 1;
    for (const char *at = text; *at != '\0'; at++) {
        most += *at == ',';
    }
    hb_range *list = calloc(most, sizeof *list);
    hb_index_table places = {0};
    uint32_t found = 0;
    hb_status st =
        list != NULL ? hb_index_table_init(&places, most) : HB_FAIL(HB_ENOMEM, "no memory for '%.80s'", text);
    for (const char *at = text; st == HB_OK; at++) {
        hb_range *range = &list[found++];
        const char *item = at;
        if (!take(&at, range)) {
            const int shown = (int)strnlen(item, 80);
            st = HB_FAIL(HB_EUSAGE, "--range: expected %s, found '%.*s'", expected,
                         item[strcspn(item, ",")] == '\0' || *item == '"' ? shown : (int)strcspn(item, ","), item);
        }
        uint32_t *place = st == HB_OK ? place_of(&places, list, range) : NULL;
        if (place != NULL && *place != HB_NO_INDEX) {
            st = refuse_twice(text, range);
        } else if (place != NULL) {
            *place = found - 1;
        }
        if (*at == '\0') {
            break;
        }
    }
    hb_index_table_clear(&places);
    if (st != HB_OK) {
        hb_ranges_free(list, found);
        return st;
    }
    *ranges = list;
    *count = found;
    return HB_OK;
}

hb_status hb_ranges_parse(const char *text, hb_range **ranges, uint32_t *count)
{
    return parse_list(text, take_range, "name=least..most as in a=0..150,p.age=-3..3,p.\"odd name\"=1..9", ranges,
                      count);
}

hb_status hb_ranges_parse_columns(const char *text, hb_range **ranges, uint32_t *count)
{
    return parse_list(text, take_column_range,
                      "measured, least..most or column=least..most as in age=0..120,3=-5..5,\"odd name\"=1..9", ranges,
                      count);
}

void hb_ranges_free(hb_range *ranges, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        free(ranges[i].name);
        free(ranges[i].column);
    }
    free(ranges);
}

hb_interval hb_column_interval(const hb_column *column)
{
    if (!column->ranged) {
        return (hb_interval){.known = false};
    }
    if (column->wide) {
        return hb_interval_of_wide(column->wide_least, column->wide_most);
    }
    const uint64_t least[] = {column->least, 0}, most[] = {column->most, 0};
    return column->is_signed ? hb_interval_of((int64_t)column->least, (int64_t)column->most)
                             : hb_interval_of_wide(hb_wide_of_cell(least, false), hb_wide_of_cell(most, false));
}

hb_interval hb_column_stored(const hb_column *column)
{
    return column->cells == HB_CELL_REAL && column->ranged
               ? hb_interval_of_reals(hb_real_of(column->least), hb_real_of(column->most))
               : hb_column_interval(column);
}

hb_interval hb_column_fill(const hb_column *column)
{
    return column->cells == HB_CELL_REAL ? hb_interval_of_reals(hb_real_of(column->fill), hb_real_of(column->fill))
                                         : hb_interval_of((int64_t)column->fill, (int64_t)column->fill);
}

void hb_column_set_interval(hb_column *column, hb_interval values)
{
    column->ranged = true;
    if (column->wide) {
        column->wide_least = values.wide_least;
        column->wide_most = values.wide_most;
    } else {
        column->least = (uint64_t)values.least;
        column->most = (uint64_t)values.most;
    }
}

hb_interval hb_column_domain(const hb_column *column)
{
    if (column->digit_base > 0) {
        return hb_interval_of(0, (int64_t)column->digit_base - 1);
    }
    if (column->full > 0) {
        return hb_interval_of(0, (int64_t)column->full);
    }
    switch (column->meaning.kind) {
    case HB_MEANING_BOOL:
        return hb_interval_of(0, 1);
    case HB_MEANING_CATEGORY:
        return hb_interval_of(0, (int64_t)column->meaning.labels->count - 1);
    case HB_MEANING_NUMBER:
    case HB_MEANING_DATE:
    case HB_MEANING_TIME:
        break;
    }
    return (hb_interval){.known = false};
}

hb_interval hb_halves_range(hb_halves halves, hb_interval values)
{
    if (halves == HB_HALVES_REAL || !values.known) {
        return values;
    }
    const double most = hb_interval_magnitude(values);
    return hb_interval_of_reals(-most, most);
}
