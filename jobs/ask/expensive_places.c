#include "expensive_places.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cell.h"
#include "io/table/table.h"
#include "lang/compile/picked_columns.h"
#include "lang/functions/list.h"

#define NO_MEMORY HB_FAIL(HB_ENOMEM, "no memory for a cheaper question")

enum { FEW_VALUES = 24, MOST_BINS = 12 };

/* Finds the distance between the least and the greatest number of a table of one column, whose cells are reals. */
static hb_status find_width(hb_table *table, double *width)
{
    enum { STEP = 1 << 12, WORDS = 2 }; /* a complex number has two */
    const hb_schema *schema = hb_table_schema(table);
    double least = INFINITY, most = -INFINITY;
    const uint64_t words = hb_schema_words(schema, 0, schema->columns);
    uint64_t *cells = calloc((size_t)STEP * WORDS, sizeof *cells);
    hb_status st = cells != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for the range of a column");
    HB_ASSERT(words <= WORDS);
    for (uint64_t r = 0; r < schema->rows && st == HB_OK; r += STEP) {
        const uint64_t rows = schema->rows - r < STEP ? schema->rows - r : STEP;
        st = hb_table_read(table, &(hb_rectangle){.row = r, .rows = rows, .columns = schema->columns}, cells);
        for (uint64_t i = 0; i < rows && st == HB_OK; i++) {
            least = fmin(least, hb_real_of(cells[i * words]));
            most = fmax(most, hb_real_of(cells[i * words]));
        }
    }
    free(cells);
    *width = most >= least ? most - least : 0;
    return st;
}

/* The least of 1, 2, 5, 10, 20 and on of which few make up the range. */
static uint64_t round_width(double range)
{
    static const uint64_t steps[] = {1, 2, 5};
    uint64_t power = 1, i = 0;
    while (range / (double)(power * steps[i]) > MOST_BINS && power < 1000000000000) { /* 10^12 */
        i = (i + 1) % 3;
        power *= i == 0 ? 10 : 1;
    }
    return power * steps[i];
}

/* Sets *width to that of a few bins for a column whose numbers have a wide range; 0: they have none. */
static hb_status bin_width(const hb_asked_job *job, const hb_asked_table *table, size_t length, const char *name,
                           uint64_t *width)
{
    char column[HB_COLUMN_NAME_MAX + 1], room[HB_COLUMN_WORD];
    *width = 0;
    snprintf(column, sizeof column, "%.*s", (int)length, name);
    const hb_survey_column *of = hb_survey_find(&table->survey, column);
    if (of == NULL || (of->kind != HB_SURVEY_INTEGERS && of->kind != HB_SURVEY_DECIMALS)) {
        return HB_OK;
    }
    hb_table_words words = job->reading.words;
    hb_reading reading = {0};
    hb_table *opened = NULL;
    double range = 0;
    hb_status st;
    HB_TRY(hb_columns_word(column, room, &words.columns));
    words.scale = words.percent = words.date = words.time_of_day = words.fold = NULL;
    words.digits.count = words.derive.count = words.categories.count = 0;
    words.round = false;
    words.missing = "drop";
    HB_GOTO(hb_table_words_parse(&words, &reading));
    reading.columns_optional = true;
    HB_GOTO(hb_table_open_as(table->path, HB_CELL_REAL, &reading, &opened));
    HB_GOTO(find_width(opened, &range));
    *width = range >= FEW_VALUES ? round_width(range) : 0;
done:
    hb_table_close(opened);
    hb_reading_clear(&reading);
    return st;
}

static bool is_constant(const hb_item *item)
{
    return item->kind == HB_ITEM_NUMBER || item->kind == HB_ITEM_TEXT ||
           (item->kind == HB_ITEM_NEGATE && hb_item_operand(item, 0)->kind == HB_ITEM_NUMBER);
}

static bool is_column(const hb_item *item)
{
    return item->kind == HB_ITEM_PICK && item->word_length > 0 && hb_item_operand(item, 0)->kind == HB_ITEM_NAME;
}

typedef struct name_text {
    const char *at;
    int length;
} name_text;

/* The name of a column as the text has it, with its quotes. */
static name_text column_text(const hb_syntax *s, const hb_item *pick)
{
    const uint32_t quote = s->text[pick->word - 1] == '"';
    return (name_text){s->text + pick->word - quote, (int)(pick->word_length + 2 * quote)};
}

/* Adds a place; its rule is of a column, a sign and what stands behind it. */
static hb_status add_place(hb_asked_places *c, const hb_syntax *s, const hb_item *item, const hb_item *pick, char *rule)
{
    const hb_item *table = hb_item_operand(pick, 0);
    if (rule == NULL || c->places == HB_ASKED_PLACES) {
        free(rule);
        return rule == NULL ? NO_MEMORY : HB_OK;
    }
    c->place[c->places++] = (hb_asked_place_made){
        item->from, item->to, strndup(s->text + table->word, table->word_length), rule, NULL, false};
    return c->place[c->places - 1].table != NULL ? HB_OK : NO_MEMORY;
}

/* Whether an item is the difference of two columns of one table, which a column replaces. */
static bool is_difference(const hb_syntax *s, const hb_item *item)
{
    if (item->kind != HB_ITEM_SUBTRACT || !is_column(hb_item_operand(item, 0)) ||
        !is_column(hb_item_operand(item, 1))) {
        return false;
    }
    const hb_item *a = hb_item_operand(hb_item_operand(item, 0), 0), *b = hb_item_operand(hb_item_operand(item, 1), 0);
    return a->word_length == b->word_length && memcmp(s->text + a->word, s->text + b->word, a->word_length) == 0;
}

/* Adds a place whose rule is of a difference of columns. */
static hb_status add_difference(hb_asked_places *c, const hb_syntax *s, const hb_item *item, const hb_item *difference,
                                char *rule)
{
    const hb_item *left = hb_item_operand(difference, 0), *right = hb_item_operand(difference, 1);
    const name_text a = column_text(s, left), b = column_text(s, right);
    const uint32_t before = c->places;
    HB_TRY(add_place(c, s, item, left, rule));
    if (c->places > before && asprintf(&c->place[before].inner, "%.*s - %.*s", a.length, a.at, b.length, b.at) < 0) {
        c->place[before].inner = NULL;
        return NO_MEMORY;
    }
    return HB_OK;
}

/* Adds a comparison of a column, or of the difference of two, with a constant, whichever stands first. */
static hb_status add_comparison(hb_asked_places *c, const hb_syntax *s, const hb_item *item)
{
    static const char *const signs[] = {
        [HB_ITEM_LESS] = "<",           [HB_ITEM_GREATER] = ">", [HB_ITEM_LESS_EQUAL] = "<=",
        [HB_ITEM_GREATER_EQUAL] = ">=", [HB_ITEM_EQUAL] = "==",  [HB_ITEM_NOT_EQUAL] = "!="};
    const hb_item *left = hb_item_operand(item, 0), *right = hb_item_operand(item, 1);
    const bool turned = is_constant(left);
    const hb_item *pick = turned ? right : left, *value = turned ? left : right;
    char *rule = NULL;
    const bool difference = is_difference(s, pick);
    if ((!is_column(pick) && !difference) || !is_constant(value)) {
        return HB_OK;
    }
    const name_text column = difference ? (name_text){HB_ASKED_HERE, 1} : column_text(s, pick);
    if (asprintf(&rule, "%.*s %s %.*s", column.length, column.at,
                 signs[turned ? hb_comparison_turned(item->kind) : item->kind], (int)(value->to - value->from),
                 s->text + value->from) < 0) {
        return NO_MEMORY;
    }
    return difference ? add_difference(c, s, item, pick, rule) : add_place(c, s, item, pick, rule);
}

static hb_status find_comparisons(hb_asked_places *c, const hb_syntax *s)
{
    for (uint32_t i = 0; i < s->count && !s->loops; i++) {
        const hb_item *item = &s->items[i];
        if (item->kind >= HB_ITEM_LESS && item->kind <= HB_ITEM_NOT_EQUAL) {
            HB_TRY(add_comparison(c, s, item));
        }
    }
    return HB_OK;
}

static const hb_asked_table *table_of(const hb_question *q, const hb_syntax *s, const hb_item *pick)
{
    uint32_t t = 0;
    while (t < q->tables && !hb_item_is(s, hb_item_operand(pick, 0), q->table[t].name)) {
        t++;
    }
    return t < q->tables ? &q->table[t] : NULL;
}

/* Adds the column and the bins of a histogram: a column of these bins. */
static hb_status add_histogram(hb_asked_places *c, const hb_syntax *s, const hb_item *call)
{
    const hb_item *pick = hb_item_operand(call, 0), *last = hb_item_operand(call, call->arguments - 1);
    const name_text column = column_text(s, pick);
    char *rule = NULL;
    if (asprintf(&rule, "bin(%.*s%.*s)", column.length, column.at, (int)(last->to - pick->to), s->text + pick->to) <
        0) {
        return NO_MEMORY;
    }
    HB_TRY(add_place(c, s, pick, pick, rule));
    c->place[c->places - 1].to = last->to;
    return HB_OK;
}

/* Adds what groups by numbers that have many values: differences, and histograms with bins. */
static hb_status find_made(hb_asked_places *c, const hb_syntax *s)
{
    for (uint32_t i = 0; i < s->count && !s->loops && c->places < HB_ASKED_PLACES; i++) {
        const hb_item *item = &s->items[i];
        const bool calls = item->kind == HB_ITEM_CALL && item->arguments > 0;
        const hb_item *key = calls && item->call->groups ? hb_item_operand(item, 0) : NULL;
        if (key != NULL && is_difference(s, key)) {
            char *rule = strdup(HB_ASKED_HERE);
            HB_TRY(add_difference(c, s, key, key, rule));
        } else if (calls && item->arguments > 1 && strcmp(item->call->name, "histogram") == 0 &&
                   is_column(hb_item_operand(item, 0))) {
            HB_TRY(add_histogram(c, s, item));
        }
    }
    return HB_OK;
}

/* Adds the keys of groups, and the columns of histograms, that are numbers with a wide range. */
static hb_status find_keys(hb_asked_places *c, const hb_asked_job *job, const hb_syntax *s)
{
    for (uint32_t i = 0; i < s->count && !s->loops; i++) {
        const hb_item *item = &s->items[i];
        const bool groups =
            item->kind == HB_ITEM_CALL &&
            (item->call->groups || (item->arguments == 1 && strcmp(item->call->name, "histogram") == 0));
        const hb_item *key = groups ? hb_item_operand(item, 0) : NULL;
        const hb_asked_table *table = key != NULL && is_column(key) ? table_of(&job->question, s, key) : NULL;
        uint64_t width = 0;
        char *rule = NULL;
        if (table == NULL) {
            continue;
        }
        HB_TRY(bin_width(job, table, key->word_length, s->text + key->word, &width));
        const name_text column = column_text(s, key);
        if (width > 0 && asprintf(&rule, "bin(%.*s, %llu)", column.length, column.at, (unsigned long long)width) < 0) {
            return NO_MEMORY;
        }
        if (width > 0) {
            HB_TRY(add_place(c, s, key, key, rule));
        }
    }
    return HB_OK;
}

hb_status hb_asked_find_places(const hb_asked_job *job, const hb_syntax *s, hb_asked_way way, hb_asked_places *c)
{
    return way == HB_ASKED_COMPARISONS ? find_comparisons(c, s)
           : way == HB_ASKED_MADE      ? find_made(c, s)
                                       : find_keys(c, job, s);
}
