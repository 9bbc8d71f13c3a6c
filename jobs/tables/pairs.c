#include "pairs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/quoted.h"
#include "batch/cells/cells.h"

/* One of them, as the words say it. */
typedef struct pair {
    char *name, *part[2];
    uint64_t column[2]; /* of the table */
} pair;

/* Takes a name up to `end`; returns the text behind that, or NULL. */
static const char *take_name(const char *text, char end, char **name)
{
    size_t length;
    if (text[0] == '"') {
        if (!hb_quoted_length(text + 1, '"', &length) || text[length + 2] != end) {
            return NULL;
        }
        *name = length > 0 ? hb_unquoted(text + 1, '"', length) : NULL;
        text += length + 2;
    } else {
        length = strcspn(text, "=,\"");
        *name = length > 0 && text[length] == end ? strndup(text, length) : NULL;
        text += length;
    }
    return *name == NULL ? NULL : text + (end != '\0');
}

static hb_status parse(const char *text, pair *out)
{
    const char *at = take_name(text, '=', &out->name);
    at = at != NULL ? take_name(at, ',', &out->part[0]) : NULL;
    at = at != NULL ? take_name(at, '\0', &out->part[1]) : NULL;
    return at != NULL && strlen(out->name) <= HB_COLUMN_NAME_MAX
               ? HB_OK
               : HB_FAIL(HB_EUSAGE, "--pair %.200s: it is NAME=COLUMN,COLUMN, names with other signs in double quotes",
                         text);
}

static hb_status find_column(const char *text, const hb_schema *table, const char *name, uint64_t *column)
{
    *column = 0;
    while (*column < table->columns && strcmp(table->column[*column].name, name) != 0) {
        ++*column;
    }
    if (*column == table->columns || !table->named) {
        return HB_FAIL(HB_EUSAGE, "--pair %.200s: %s", text,
                       table->named ? "the table has no such column" : "the table's columns have no names");
    }
    const hb_column *of = &table->column[*column];
    if (of->cells != HB_CELL_REAL || of->halves != HB_HALVES_REAL) {
        return HB_FAIL(HB_EUSAGE, "--pair %.200s: column %s is one of %s, and two of reals make a pair", text,
                       hb_cells_column(table, *column).text,
                       of->cells == HB_CELL_REAL ? "complex numbers" : "integers");
    }
    return HB_OK;
}

static hb_status read_pairs(const hb_texts *texts, const hb_schema *table, pair *pairs)
{
    for (uint32_t i = 0; i < texts->count; i++) {
        HB_TRY(parse(texts->text[i], &pairs[i]));
        for (int half = 0; half < 2; half++) {
            HB_TRY(find_column(texts->text[i], table, pairs[i].part[half], &pairs[i].column[half]));
        }
    }
    for (uint32_t i = 0; i < 2 * texts->count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if (pairs[i / 2].column[i % 2] == pairs[j / 2].column[j % 2]) {
                return HB_FAIL(HB_EUSAGE, "--pair %.200s: column %s is there twice", texts->text[i / 2],
                               hb_cells_column(table, pairs[i / 2].column[i % 2]).text);
            }
        }
    }
    return HB_OK;
}

/* The pair that has this column of the table, and which of its halves that is; NULL: none. */
static pair *pair_of(pair *pairs, uint32_t count, uint64_t column, int *half)
{
    for (uint32_t i = 0; i < 2 * count; i++) {
        if (pairs[i / 2].column[i % 2] == column) {
            *half = (int)(i % 2);
            return &pairs[i / 2];
        }
    }
    return NULL;
}

/* Puts columns into `out`, which has room for all; names of pairs go over to it. */
static hb_status place_columns(pair *pairs, uint32_t count, const hb_schema *table, hb_schema *out)
{
    uint64_t next = 0;
    for (uint64_t c = 0; c < table->columns; c++) {
        int half;
        pair *of = pair_of(pairs, count, c, &half);
        if (of != NULL && c > of->column[1 - half]) {
            continue;
        }
        hb_column *to = &out->column[next++];
        *to = table->column[c];
        to->meaning = hb_meaning_share(&table->column[c].meaning);
        to->name = of != NULL ? of->name : strdup(table->column[c].name);
        if (of != NULL) {
            to->halves = HB_HALVES_PAIR;
            memcpy(to->part, of->part, sizeof to->part);
            *of = (pair){.column = {of->column[0], of->column[1]}};
        }
        if (to->name == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for the names of %" PRIu64 " columns", table->columns);
        }
    }
    return HB_OK;
}

hb_status hb_pairs_apply(const hb_texts *texts, const hb_schema *table, hb_schema *out)
{
    if (texts == NULL || texts->count == 0) {
        return hb_schema_copy(out, table);
    }
    HB_TRY(hb_schema_refuse_masks(table, "--pair", "a table with pairs has no masks"));
    hb_schema made = *table;
    made.column = NULL;
    pair *pairs = calloc(texts->count, sizeof *pairs);
    hb_status st = HB_OK;
    if (pairs == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for pairs of columns");
    }
    HB_GOTO(read_pairs(texts, table, pairs));
    HB_GOTO(hb_schema_alloc(&made, table->rows, table->columns - texts->count));
    HB_GOTO(place_columns(pairs, texts->count, table, &made));
    HB_GOTO(hb_schema_check_names(&made, "--pair"));
    *out = made;
    made.column = NULL;
done:
    for (uint32_t i = 0; i < texts->count; i++) {
        free(pairs[i].name);
        free(pairs[i].part[0]);
        free(pairs[i].part[1]);
    }
    free(pairs);
    hb_schema_clear(&made);
    return st;
}
