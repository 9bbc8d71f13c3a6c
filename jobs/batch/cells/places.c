#include "places.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A column of the table, to be found by its name. */
typedef struct entry {
    const char *name;
    uint64_t column;
} entry;

static int compare(const void *x, const void *y)
{
    return strcmp(((const entry *)x)->name, ((const entry *)y)->name);
}

/* Finds the columns of `plain` in the table by name; false where one is not there. */
static bool find_names(const hb_schema *plain, const entry *sorted, uint64_t *found)
{
    for (uint64_t c = 0; c < plain->columns; c++) {
        const entry wanted = {.name = plain->column[c].name};
        const entry *at = bsearch(&wanted, sorted, (size_t)plain->columns, sizeof *sorted, compare);
        if (at == NULL) {
            return false;
        }
        found[c] = at->column;
    }
    return true;
}

/* found [columns]: where the columns of `plain` stand in a table of as many. */
static hb_status find_columns(const hb_schema *plain, const hb_schema *table, bool by_name, uint64_t *found)
{
    bool named = by_name && table->named;
    if (named) {
        entry *sorted = malloc((size_t)table->columns * sizeof *sorted);
        if (sorted == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory to find %" PRIu64 " columns", table->columns);
        }
        for (uint64_t c = 0; c < table->columns; c++) {
            sorted[c] = (entry){table->column[c].name, c};
        }
        qsort(sorted, (size_t)table->columns, sizeof *sorted, compare);
        named = find_names(plain, sorted, found);
        free(sorted);
    }
    for (uint64_t c = 0; c < table->columns && !named; c++) {
        found[c] = c;
    }
    return HB_OK;
}

/* Sets the places of both halves of a column, whose parts stand in these columns of the table. */
static void set_places(const hb_places *places, const hb_schema *table, bool pair, const uint64_t *found,
                       hb_half_place *half)
{
    for (int h = 0; h < 2; h++) {
        const uint64_t column = found[pair ? h : 0];
        const bool there = pair || h == 0 || table->column[column].halves == HB_HALVES_COMPLEX;
        const uint64_t word = places->begin[column] + (uint64_t)(pair ? 0 : h);
        const bool wide = pair && table->column[column].halves == HB_HALVES_COMPLEX;
        half[h] = there ? (hb_half_place){column, word, wide} : (hb_half_place){HB_NO_PLACE, HB_NO_PLACE, false};
    }
}

static hb_status find(hb_places *places, const hb_schema *dataset, const hb_schema *plain, const hb_schema *table)
{
    uint64_t *found = calloc((size_t)table->columns + 1, sizeof *found), next = 0;
    places->half = calloc(2 * (size_t)dataset->columns, sizeof *places->half);
    places->begin = calloc((size_t)table->columns + 1, sizeof *places->begin);
    hb_status st = HB_OK;
    if (found == NULL || places->half == NULL || places->begin == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "no memory to find %" PRIu64 " columns", table->columns));
    }
    HB_GOTO(find_columns(plain, table, plain->columns != dataset->columns, found));
    for (uint64_t c = 0; c < table->columns; c++) {
        places->begin[c + 1] = places->begin[c] + hb_column_words(&table->column[c]);
    }
    places->words = places->begin[table->columns];
    for (uint64_t c = 0; c < dataset->columns; c++) {
        const bool pair = dataset->column[c].halves == HB_HALVES_PAIR;
        set_places(places, table, pair, found + next, places->half + 2 * c);
        next += pair ? 2 : 1;
    }
done:
    free(found);
    return st;
}

hb_status hb_places_find(hb_places *places, const hb_schema *dataset, const hb_schema *table)
{
    hb_schema plain;
    *places = (hb_places){0};
    if (!hb_schema_has_halves(dataset) && !hb_schema_has_halves(table) && dataset->columns == table->columns) {
        return HB_OK;
    }
    HB_TRY(hb_schema_unpair(&plain, dataset));
    hb_status st = HB_OK;
    if (plain.columns != table->columns) {
        st = HB_FAIL(HB_EDATA, "a table of %" PRIu64 " columns, where the dataset has %" PRIu64, table->columns,
                     plain.columns);
    }
    st = st == HB_OK ? find(places, dataset, &plain, table) : st;
    hb_schema_clear(&plain);
    return st;
}

void hb_places_clear(hb_places *places)
{
    free(places->half);
    free(places->begin);
    *places = (hb_places){0};
}
