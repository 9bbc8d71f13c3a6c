/* Columns that have both halves of ciphertexts, in plain tables. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grouping.h"
#include "schema.h"

uint64_t hb_schema_words(const hb_schema *schema, uint64_t first, uint64_t columns)
{
    uint64_t words = 0;
    for (uint64_t c = first; c < first + columns; c++) {
        words += hb_column_words(&schema->column[c]);
    }
    return words;
}

bool hb_schema_has_halves(const hb_schema *schema)
{
    uint64_t c = 0;
    while (c < schema->columns && schema->column[c].halves == HB_HALVES_REAL) {
        c++;
    }
    return c < schema->columns;
}

static int compare(const void *x, const void *y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

/* Columns that are called so, of sorted names. */
static uint64_t named_so(const char *const *names, uint64_t count, const char *name)
{
    const char *const *found = bsearch(&name, names, (size_t)count, sizeof *names, compare);
    uint64_t twins = found != NULL;
    for (uint64_t at = found != NULL ? (uint64_t)(found - names) : 0; found != NULL && at-- > 0; twins++) {
        if (strcmp(names[at], name) != 0) {
            break;
        }
    }
    for (uint64_t at = found != NULL ? (uint64_t)(found - names) + 1 : count; at < count; at++, twins++) {
        if (strcmp(names[at], name) != 0) {
            break;
        }
    }
    return twins;
}

/* Names of the columns that `from` has without pairs, in their order; NULL when out of memory. */
static const char **names_of(const hb_schema *from, uint64_t columns)
{
    const char **names = calloc((size_t)columns + 1, sizeof *names);
    uint64_t at = 0;
    for (uint64_t c = 0; names != NULL && c < from->columns; c++) {
        const hb_column *column = &from->column[c];
        const bool pair = column->halves == HB_HALVES_PAIR;
        names[at++] = pair ? column->part[0] : column->name;
        if (pair) {
            names[at++] = column->part[1];
        }
    }
    return names;
}

/* A column of one number a row; false when out of memory. */
static bool set_column(hb_column *to, const hb_column *from, const char *name, bool with_pair)
{
    const size_t length = strlen(name) + strlen(from->name) + 2;
    *to = (hb_column){.name = malloc(length),
                      .cells = from->cells,
                      .is_signed = from->is_signed,
                      .digit_base = from->digit_base,
                      .digits = from->digits,
                      .mask = from->mask,
                      .has_fill = from->has_fill,
                      .fill = from->fill,
                      .full = from->full};
    to->meaning = hb_meaning_share(&from->meaning);
    if (to->name != NULL) {
        snprintf(to->name, length, "%s%s%s", with_pair ? from->name : "", with_pair ? "." : "", name);
    }
    return to->name != NULL;
}

static bool set_columns(hb_schema *to, const hb_schema *from, const char *const *sorted)
{
    hb_column *next = to->column;
    bool whole = true;
    for (uint64_t c = 0; c < from->columns && whole; c++) {
        const hb_column *column = &from->column[c];
        if (column->halves != HB_HALVES_PAIR) {
            whole = set_column(next, column, column->name, false);
            next++->halves = column->halves;
        }
        for (int half = 0; half < 2 && column->halves == HB_HALVES_PAIR && whole; half++) {
            const bool twins = named_so(sorted, to->columns, column->part[half]) > 1;
            whole = set_column(next++, column, column->part[half], twins);
        }
    }
    return whole;
}

hb_status hb_schema_unpair(hb_schema *to, const hb_schema *from)
{
    hb_schema made = *from;
    made.grouping = NULL;
    uint64_t columns = from->columns;
    for (uint64_t c = 0; c < from->columns; c++) {
        columns += from->column[c].halves == HB_HALVES_PAIR;
    }
    made.named = from->named || columns == 2 * from->columns;
    made.rank = columns > 1 ? 2 : from->rank;
    HB_TRY(hb_schema_alloc(&made, from->rows, columns));
    const char **names = names_of(from, columns);
    if (names != NULL) {
        qsort(names, (size_t)columns, sizeof *names, compare);
    }
    const bool whole = names != NULL && set_columns(&made, from, names) &&
                       hb_grouping_copy(from->grouping, &made.grouping) == HB_OK; /* which has no pairs */
    free(names);
    if (!whole) {
        hb_schema_clear(&made);
        return HB_FAIL(HB_ENOMEM, "no memory for the names of %" PRIu64 " columns", columns);
    }
    *to = made;
    return HB_OK;
}
