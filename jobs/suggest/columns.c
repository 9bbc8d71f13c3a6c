#include "columns.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "expression/text/quoted.h"
#include "picks.h"

#define MOST_COLUMNS 100000u /* 10^5: no graph has more nodes (expression/graph/graph.h) */

/* "x=4,q=4". */
static hb_status read_counts(hb_picked *of, char *const *reads, uint32_t count, const char *text)
{
    for (const char *at = text; at != NULL;) {
        const size_t length = strcspn(at, "=,");
        uint32_t i = 0;
        while (i < count && !(strlen(reads[i]) == length && memcmp(reads[i], at, length) == 0)) {
            i++;
        }
        if (i == count && at[length] == '=') {
            return HB_FAIL(HB_EUSAGE, "--columns names '%.*s', which the expression does not read",
                           (int)(length < 64 ? length : 64), at);
        }
        char *end = NULL;
        errno = 0;
        const bool digits = at[length] == '=' && at[length + 1] >= '0' && at[length + 1] <= '9';
        const unsigned long long number = digits ? strtoull(at + length + 1, &end, 10) : 0;
        if (number == 0 || errno != 0 || number > MOST_COLUMNS || (*end != ',' && *end != '\0')) {
            return HB_FAIL(HB_EUSAGE,
                           "--columns: expected name=COUNT as in x=4 or x=4,q=4, 1 to %u columns; found '%.80s'",
                           MOST_COLUMNS, text);
        }
        if (of[i].given > 0) {
            return HB_FAIL(HB_EUSAGE, "--columns: '%.80s' says it of %.64s twice", text, reads[i]);
        }
        of[i].given = number;
        at = *end == ',' ? end + 1 : NULL;
    }
    return HB_OK;
}

static bool takes(const hb_picked *of, uint64_t number)
{
    for (uint32_t i = 0; i < of->count; i++) {
        if (of->items[i]->number > 0 && (uint64_t)of->items[i]->number == number) {
            return true;
        }
    }
    return false;
}

/* Columns picked by name get the first places that no number picks. */
static hb_status place(const hb_syntax *s, const char *name, const hb_picked *of, uint64_t *places, uint64_t *columns)
{
    uint64_t last = 0;
    *columns = of->given > 0 ? of->given : 1;
    for (uint32_t j = 0; j < of->count; j++) {
        if (of->items[j]->number > 0) {
            places[j] = (uint64_t)of->items[j]->number;
        } else {
            do {
                last++;
            } while (takes(of, last));
            places[j] = last;
        }
        if (places[j] > (of->given > 0 ? of->given : MOST_COLUMNS)) {
            return of->given > 0
                       ? HB_FAIL_AT(HB_EUSAGE, s->text, of->items[j]->at,
                                    "--columns says %.64s=%" PRIu64 ", fewer than are picked", name, of->given)
                       : HB_FAIL_AT(HB_EUSAGE, s->text, of->items[j]->at, "%.64s can have %u columns at most", name,
                                    MOST_COLUMNS);
        }
        *columns = places[j] > *columns ? places[j] : *columns;
    }
    return HB_OK;
}

static hb_status describe(const hb_syntax *s, const char *name, const hb_picked *of, hb_schema *schema)
{
    uint64_t columns;
    hb_status st;
    uint64_t *places = calloc((size_t)of->count + 1, sizeof *places);
    if (places == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the columns of an expression");
    }
    HB_GOTO(place(s, name, of, places, &columns));
    schema->column = calloc((size_t)columns, sizeof *schema->column);
    if (schema->column == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "no memory for %" PRIu64 " columns", columns));
    }
    schema->columns = columns;
    for (uint32_t j = 0; j < of->count; j++) {
        const hb_item *item = of->items[j];
        if (item->number == 0) {
            schema->named = true;
            schema->column[places[j] - 1].name = hb_quoted_name(s->text + item->word, item->word_length);
        }
    }
    for (uint64_t c = 0; c < columns; c++) {
        hb_column *column = &schema->column[c];
        column->name = column->name == NULL ? strdup("") : column->name;
        if (column->name == NULL) {
            HB_GOTO(HB_FAIL(HB_ENOMEM, "no memory for %" PRIu64 " columns", columns));
        }
    }
done:
    free(places);
    return st;
}

hb_status hb_columns_find(const char *expression, char *const *reads, uint32_t count, const char *counts,
                          hb_schema *schemas)
{
    hb_syntax syntax = {0};
    hb_status st;
    hb_picked *of = calloc((size_t)count + 1, sizeof *of);
    if (of == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the columns of an expression");
    }
    HB_GOTO(hb_syntax_parse(&syntax, expression));
    HB_GOTO(read_counts(of, reads, count, counts));
    for (uint32_t i = 0; i < count; i++) {
        if (schemas[i].columns > 0 && of[i].given > 0) {
            HB_GOTO(HB_FAIL(HB_EUSAGE, "--columns says it of %.64s, which has a table", reads[i]));
        }
        of[i].given = schemas[i].columns > 0 ? schemas[i].columns : of[i].given;
    }
    HB_GOTO(hb_picks_find(&syntax, reads, of, count));
    for (uint32_t i = 0; i < count; i++) {
        HB_GOTO(schemas[i].columns > 0 ? HB_OK : describe(&syntax, reads[i], &of[i], &schemas[i]));
    }
done:
    hb_picks_clear(of, count);
    free(of);
    hb_syntax_clear(&syntax);
    return st;
}
