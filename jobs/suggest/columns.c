/* The number and the names of the columns of an expression's names. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/quoted.h"
#include "commands.h"
#include "io/survey/survey.h"
#include "lang/compile/picked_columns.h"
#include "lang/functions/list.h"
#include "lang/ir/graph.h"
#include "lang/text/binding.h"
#include "picks.h"
#include "trial.h"

enum { MOST_COLUMNS = HB_GRAPH_MAX_NODES }; /* no graph has more */

static void clear(hb_picked *of, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        free(of[i].items);
    }
}

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
            return HB_FAIL(HB_EUSAGE, "--columns: '%.80s' names %.64s twice", text, reads[i]);
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
            if (of->given > 0) {
                return HB_FAIL_AT(HB_EUSAGE, s->text, of->items[j]->at,
                                  "--columns says %.64s=%" PRIu64 ", fewer than are picked", name, of->given);
            }
            return HB_FAIL_AT(HB_EUSAGE, s->text, of->items[j]->at, "%.64s can have %u columns at most", name,
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
            schema->column[places[j] - 1].name = hb_unquoted(s->text + item->word, '"', item->word_length);
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

static bool takes_complex(const hb_item *item)
{
    return item->kind == HB_ITEM_CALL && item->call->complex;
}

/* Whether columns of reads[which] are complex: parts of them are taken, or of results, which may be made of them. */
static bool is_complex(const hb_syntax *s, char *const *reads, uint32_t count, uint32_t which)
{
    for (uint32_t i = 0; i < s->count; i++) {
        const hb_item *call = &s->items[i];
        for (uint32_t j = 0; takes_complex(call) && j < i; j++) {
            const hb_item *item = &s->items[j];
            if (item->kind != HB_ITEM_NAME || item->word < call->from || item->word >= call->to) {
                continue;
            }
            uint32_t of = 0;
            while (of < count && !hb_item_is(s, item, reads[of])) {
                of++;
            }
            if (of == which || of == count) {
                return true;
            }
        }
    }
    return false;
}

/* Whether a column of the list is made of that one, which is read then without being in the list. */
static bool makes_some(const hb_derivations *derived, const char *list, const char *name)
{
    bool needed[HB_TEXTS_MOST] = {false}, any = false;
    HB_ASSERT(derived->count <= HB_TEXTS_MOST);
    for (size_t i = 0; i < derived->count; i++) {
        char room[HB_COLUMN_WORD];
        const char *word;
        needed[i] = hb_columns_word(derived->item[i].name, room, &word) == HB_OK && hb_columns_have_word(list, word);
    }
    hb_derivations_need(derived, needed);
    for (size_t i = 0; i < derived->count; i++) {
        any = any || (needed[i] && hb_derivation_reads(&derived->item[i], name));
    }
    return any;
}

hb_status hb_columns_refuse_numbers(const char *expression, const char *read, const hb_schema *schema)
{
    hb_syntax syntax = {0};
    hb_status st;
    HB_GOTO(hb_syntax_parse(&syntax, expression, hb_lang_functions));
    for (uint32_t i = 0; schema->named && i + 1 < syntax.count; i++) {
        const hb_item *pick = &syntax.items[i + 1];
        const uint64_t number = pick->kind == HB_ITEM_PICK && pick->number > 0 ? (uint64_t)pick->number : 0;
        if (number > 0 && number <= schema->columns && syntax.items[i].kind == HB_ITEM_NAME &&
            hb_item_is(&syntax, &syntax.items[i], read)) {
            char label[HB_COLUMN_LABEL];
            hb_column_label(label, schema, number - 1);
            HB_GOTO(HB_FAIL_AT(HB_EUSAGE, expression, pick->at,
                               "%" PRIu64 " counts only the columns that --columns reads, where it is column %s; pick "
                               "it by its name",
                               number, label));
        }
    }
done:
    hb_syntax_clear(&syntax);
    return st;
}

/* The tables of the trials, each surveyed once, when a column is looked for in it. */
typedef struct surveyed {
    const hb_trials *s;
    hb_survey *survey; /* [read_count]; owned, as is ... */
    bool *known;       /* [read_count] ... whether the table was surveyed */
} surveyed;

static void clear_surveyed(surveyed *of)
{
    for (uint32_t i = 0; of->survey != NULL && i < of->s->read_count; i++) {
        hb_survey_clear(&of->survey[i]);
    }
    free(of->survey);
    free(of->known);
}

static hb_status survey(surveyed *of, uint32_t i)
{
    hb_table_words words = *of->s->request->words;
    hb_reading reading;
    words.columns = words.missing = NULL;
    hb_status st = hb_table_words_parse(&words, &reading);
    st = st == HB_OK ? hb_table_survey(of->s->tables[i].path, &reading, &of->survey[i]) : st;
    of->known[i] = st == HB_OK;
    hb_reading_clear(&reading);
    return st;
}

/* Sets *has to whether a table has a column; true for formats that are not surveyed. */
static hb_status has_column(surveyed *of, uint32_t i, const char *name, bool *has)
{
    *has = false;
    if (of->s->tables[i].path == NULL) {
        return HB_OK;
    }
    if (!of->known[i]) {
        HB_TRY(survey(of, i));
    }
    *has = of->survey[i].columns == 0 || hb_survey_find(&of->survey[i], name) != NULL;
    return HB_OK;
}

/* Sets *reads to whether table i reads a column, or makes some column of it. */
static hb_status find_reader(surveyed *of, char *const *lists, uint32_t i, const char *name, bool *reads)
{
    char room[HB_COLUMN_WORD];
    const char *word;
    *reads = false;
    if (of->s->tables[i].plain) { /* it is not encrypted */
        return HB_OK;
    }
    if (lists[i] == NULL) { /* it reads all that it has */
        return has_column(of, i, name, reads);
    }
    HB_TRY(hb_columns_word(name, room, &word));
    *reads = hb_columns_have_word(lists[i], word) || makes_some(&of->s->request->reading->derived, lists[i], name);
    return HB_OK;
}

/* Adds a column that no encrypted table reads to those that have it. */
static hb_status add_unread(surveyed *of, const char *name, char **lists)
{
    const hb_trials *s = of->s;
    bool found = false;
    for (uint32_t i = 0; i < s->read_count; i++) {
        bool has = false;
        HB_TRY(has_column(of, i, name, &has));
        if (has && !s->tables[i].plain) { /* all columns of a plain table are read then */
            HB_TRY(hb_columns_add_name(&lists[i], name));
        }
        found = found || has;
    }
    return found ? HB_OK : HB_FAIL(HB_EUSAGE, "--missing: no table has a column '%.64s'", name);
}

/* --missing kg=drop is about rows. For other options a column is not read: rows whose cell is missing there would
 * go. */
static hb_status add_dropping(surveyed *of, char **lists)
{
    const hb_reading *reading = of->s->request->reading;
    for (size_t r = 0; r < reading->count; r++) {
        const hb_column_reading *column = &reading->column[r];
        bool drops = column->has_missing && column->missing == HB_MISSING_DROP;
        for (uint32_t i = 0; i < of->s->read_count && drops; i++) {
            bool reads = false;
            HB_TRY(find_reader(of, lists, i, column->name, &reads));
            drops = !reads;
        }
        if (drops) {
            HB_TRY(add_unread(of, column->name, lists));
        }
    }
    return HB_OK;
}

/* Some table has each column that options name. */
static hb_status check_names(surveyed *of)
{
    const hb_trials *s = of->s;
    const hb_reading *reading = s->request->reading;
    uint32_t paths = 0;
    for (uint32_t i = 0; i < s->read_count; i++) {
        paths += s->tables[i].path != NULL;
    }
    for (size_t r = 0; r < reading->count && paths > 1; r++) { /* the reading of a lone table says so itself */
        bool found = reading->column[r].selected;
        for (uint32_t i = 0; i < s->read_count && !found; i++) {
            HB_TRY(has_column(of, i, reading->column[r].name, &found));
        }
        if (!found) {
            return hb_reading_refuse_column(reading->column[r].name);
        }
    }
    return HB_OK;
}

hb_status hb_columns_select(hb_trials *s)
{
    char **lists = calloc((size_t)s->read_count + 1, sizeof *lists);
    surveyed of = {s, calloc((size_t)s->read_count + 1, sizeof *of.survey), calloc((size_t)s->read_count + 1, 1)};
    hb_status st = HB_OK;
    if (lists == NULL || of.survey == NULL || of.known == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "no memory for the names of an expression"));
    }
    HB_GOTO(check_names(&of));
    HB_GOTO(hb_picked_columns_find(s->request->expression, s->reads, s->read_count, s->ranges, s->range_count, lists));
    st = add_dropping(&of, lists);
done:
    clear_surveyed(&of);
    for (uint32_t i = 0; lists != NULL && i < s->read_count; i++) {
        s->tables[i].selected = lists[i];
    }
    free(lists);
    return st;
}

hb_status hb_columns_find(const char *expression, char *const *reads, uint32_t count, const char *counts,
                          hb_schema *schemas, uint64_t *weights)
{
    hb_syntax syntax = {0};
    hb_status st;
    hb_picked *of = calloc((size_t)count + 1, sizeof *of);
    if (of == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the columns of an expression");
    }
    HB_GOTO(hb_syntax_parse(&syntax, expression, hb_lang_functions));
    HB_GOTO(read_counts(of, reads, count, counts));
    for (uint32_t i = 0; i < count; i++) {
        if (schemas[i].columns > 0 && of[i].given > 0) {
            HB_GOTO(HB_FAIL(HB_EUSAGE, "--columns names %.64s, which has a table", reads[i]));
        }
        of[i].given = schemas[i].columns > 0 ? schemas[i].columns : of[i].given;
    }
    HB_GOTO(hb_picks_find(&syntax, reads, of, count, weights));
    for (uint32_t i = 0; i < count; i++) {
        if (schemas[i].columns == 0) {
            HB_GOTO(describe(&syntax, reads[i], &of[i], &schemas[i]));
            for (uint64_t c = 0; c < schemas[i].columns && is_complex(&syntax, reads, count, i); c++) {
                schemas[i].column[c].halves = HB_HALVES_COMPLEX;
            }
        }
    }
done:
    clear(of, count);
    free(of);
    hb_syntax_clear(&syntax);
    return st;
}
