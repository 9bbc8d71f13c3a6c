/* Cheaper ways to ask: conditions become columns of 0 and 1, and wide groups become bins, before encryption. Each one
 * that is told was tried: its parameters were found. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cell.h"
#include "cli/console.h"
#include "io/table/table.h"
#include "job.h"
#include "lang/compile/picked_columns.h"
#include "lang/functions/list.h"
#include "lang/text/place.h"
#include "lang/text/syntax.h"

#define NO_MEMORY HB_FAIL(HB_ENOMEM, "no memory for a cheaper question")

/* The cost of a question: bytes of keys, and seconds of one core. */
typedef struct price {
    double keys, seconds;
} price;
static price price_of(const json_t *suggested)
{
    return (price){(double)json_integer_value(json_object_get(suggested, "key_bytes")),
                   json_number_value(json_object_get(suggested, "seconds"))};
}

/* A place of the question that a column replaces which --derive makes. */
enum { MOST_PLACES = 16 };
typedef struct place {
    uint32_t from, to; /* of q->text */
    char *table;       /* as q->text has it; owned, as is ... */
    char *rule;        /* ... behind NAME= in --derive */
    bool left;         /* it stays as it is */
} place;

typedef struct cheaper {
    place place[MOST_PLACES];
    uint32_t places;
    hb_asked_attempt *attempt;
    hb_words derive; /* NAME=RULE of each rule, once */
    char *question;  /* owned */
    price price;
} cheaper;

static void clear_offer(cheaper *c)
{
    hb_words_clear(&c->derive);
    free(c->question);
    c->question = NULL;
}

static void clear(cheaper *c)
{
    for (uint32_t i = 0; i < c->places; i++) {
        free(c->place[i].table);
        free(c->place[i].rule);
    }
    clear_offer(c);
}

/* --- where a question can be made cheaper */

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
static hb_status add_place(cheaper *c, const hb_syntax *s, const hb_item *item, const hb_item *pick, char *rule)
{
    const hb_item *table = hb_item_operand(pick, 0);
    if (rule == NULL || c->places == MOST_PLACES) {
        free(rule);
        return rule == NULL ? NO_MEMORY : HB_OK;
    }
    c->place[c->places++] =
        (place){item->from, item->to, strndup(s->text + table->word, table->word_length), rule, false};
    return c->place[c->places - 1].table != NULL ? HB_OK : NO_MEMORY;
}

/* Adds a comparison of a column with a constant, whichever stands first. */
static hb_status add_comparison(cheaper *c, const hb_syntax *s, const hb_item *item)
{
    static const char *const signs[] = {
        [HB_ITEM_LESS] = "<",           [HB_ITEM_GREATER] = ">", [HB_ITEM_LESS_EQUAL] = "<=",
        [HB_ITEM_GREATER_EQUAL] = ">=", [HB_ITEM_EQUAL] = "==",  [HB_ITEM_NOT_EQUAL] = "!="};
    const hb_item *left = hb_item_operand(item, 0), *right = hb_item_operand(item, 1);
    const bool turned = is_constant(left);
    const hb_item *pick = turned ? right : left, *value = turned ? left : right;
    char *rule = NULL;
    if (!is_column(pick) || !is_constant(value)) {
        return HB_OK;
    }
    const name_text column = column_text(s, pick);
    if (asprintf(&rule, "%.*s %s %.*s", column.length, column.at,
                 signs[turned ? hb_comparison_turned(item->kind) : item->kind], (int)(value->to - value->from),
                 s->text + value->from) < 0) {
        return NO_MEMORY;
    }
    return add_place(c, s, item, pick, rule);
}

static hb_status find_comparisons(cheaper *c, const hb_syntax *s)
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

/* Adds the keys of groups that are numbers with a wide range. */
static hb_status find_keys(cheaper *c, const hb_asked_job *job, const hb_syntax *s)
{
    for (uint32_t i = 0; i < s->count && !s->loops; i++) {
        const hb_item *item = &s->items[i];
        const hb_item *key = item->kind == HB_ITEM_CALL && item->call->groups ? hb_item_operand(item, 0) : NULL;
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

/* --- the question that is asked then */

/* Writes the n-th name that no column, no table and no word of the question has. */
static void free_name(const hb_question *q, const char *stem, uint32_t n, char name[24])
{
    uint32_t found = 0;
    for (uint32_t i = 1; found <= n; i++) {
        snprintf(name, 24, i > 1 ? "%s%u" : "%s", stem, i);
        bool taken = strstr(q->text, name) != NULL;
        for (uint32_t t = 0; t < q->tables && !taken; t++) {
            taken = strcmp(q->table[t].name, name) == 0 || hb_survey_find(&q->table[t].survey, name) != NULL;
        }
        found += !taken;
    }
}

/* Finds the name of a rule's column; a new rule gets the next one. */
static hb_status name_rule(cheaper *c, const hb_question *q, const char *rule, char name[24])
{
    for (uint32_t i = 0; i < c->derive.count; i++) {
        const char *sign = strchr(c->derive.word[i], '=');
        if (strcmp(sign + 1, rule) == 0) {
            snprintf(name, 24, "%.*s", (int)(sign - c->derive.word[i]), c->derive.word[i]);
            return HB_OK;
        }
    }
    free_name(q, strncmp(rule, "bin(", 4) == 0 ? "bins" : "holds", (uint32_t)c->derive.count, name);
    return hb_words_addf(&c->derive, "%s=%s", name, rule);
}

/* Writes the question as the user wrote it, with the columns that are made. */
static hb_status write_offer(cheaper *c, const hb_question *q, const char *said)
{
    size_t size;
    uint32_t written = 0;
    hb_status st = HB_OK;
    clear_offer(c);
    FILE *to = open_memstream(&c->question, &size);
    for (uint32_t i = 0; to != NULL && st == HB_OK && i < c->places; i++) {
        const place *p = &c->place[i];
        char name[24];
        const uint32_t from = q->origin[p->from];
        if (p->left || from < written) {
            continue;
        }
        st = name_rule(c, q, p->rule, name);
        fprintf(to, "%.*s%s%s%s", (int)(from - written), said + written, q->lone ? "" : p->table, q->lone ? "" : ".",
                name);
        written = q->origin[p->to];
    }
    if (to != NULL) {
        fputs(said + written, to);
    }
    return to != NULL && fclose(to) == 0 ? st : NO_MEMORY;
}

/* Finds what the offer takes. Returns false where it cannot be computed, or nothing is offered. */
static bool try_offer(const hb_asked_job *job, cheaper *c)
{
    hb_ask_options options = *job->options;
    hb_asked_job *other = calloc(1, sizeof *other); /* larger than a frame should be */
    char *suggested = NULL;
    hb_texts *derive = &options.table.derive;
    bool fits = other != NULL && write_offer(c, &job->question, job->options->question) == HB_OK &&
                c->derive.count > 0 && derive->count + c->derive.count <= HB_TEXTS_MOST;
    for (size_t i = 0; fits && i < c->derive.count; i++) {
        derive->text[derive->count++] = c->derive.word[i];
    }
    if (fits) {
        options.question = c->question;
        *other = (hb_asked_job){
            .group = job->group, .common = job->common, .options = &options, .phases = job->phases, .folder = -1};
        other->reading.said = options.table;
        fits = c->attempt(other, NULL, &suggested) == HB_OK;
        hb_asked_reading_clear(&other->reading);
        hb_question_clear(&other->question);
    }
    json_t *document = suggested != NULL ? json_loads(suggested, 0, NULL) : NULL;
    c->price = price_of(document);
    fits = fits && document != NULL;
    json_decref(document);
    free(suggested);
    free(other);
    hb_clear_error(); /* it is no failure of the question */
    return fits;
}

/* Leaves conditions as they are that cost little. */
static bool try_fewest(const hb_asked_job *job, cheaper *c)
{
    if (!try_offer(job, c)) {
        return false;
    }
    const price all = c->price, little = {16 << 20, 5};
    bool stands = true; /* the offer that was tried last */
    for (uint32_t i = 0; i < c->places && c->places > 1; i++) {
        c->place[i].left = true;
        c->place[i].left = try_offer(job, c) && c->price.keys <= 1.1 * all.keys + little.keys &&
                           c->price.seconds <= 1.1 * all.seconds + little.seconds;
        stands = c->place[i].left;
    }
    return stands || try_offer(job, c);
}

/* Looks for a cheaper question: now NULL where the question cannot be computed as it is. */
static bool find_cheaper(const hb_asked_job *job, const price *now, cheaper *found)
{
    hb_syntax syntax = {0};
    bool tried = false;
    const hb_status st = hb_syntax_parse(&syntax, job->question.text, hb_lang_functions);
    for (int way = 0; way < 2 && st == HB_OK && !tried; way++) {
        clear(found);
        *found = (cheaper){.attempt = found->attempt};
        tried = (way == 0 ? find_comparisons(found, &syntax) : find_keys(found, job, &syntax)) == HB_OK &&
                found->places > 0 && try_fewest(job, found);
        tried = tried &&
                (now == NULL || found->price.keys <= 0.75 * now->keys || found->price.seconds <= 0.5 * now->seconds);
    }
    hb_syntax_clear(&syntax);
    hb_clear_error();
    return tried;
}

/* Writes the options and the question, as a shell takes them. NULL: no memory. */
static char *offer_text(const cheaper *c)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    for (size_t i = 0; to != NULL && i < c->derive.count; i++) {
        fputs(i > 0 ? " --derive " : "--derive ", to);
        hb_words_print(&(hb_words){(char *[]){c->derive.word[i], NULL}, 1}, to);
    }
    if (to != NULL) {
        fputs(", and ask ", to);
        hb_words_print(&(hb_words){(char *[]){c->question, NULL}, 1}, to);
    }
    if (to == NULL || fclose(to) != 0) {
        free(text);
        text = NULL;
    }
    return text;
}

/* Says which conditions or groups are expensive, and the cheaper question. */
static void say(const hb_asked_job *job, const cheaper *found, price all, const char *offer)
{
    const hb_question *q = &job->question;
    uint32_t i = 0, offered = 0;
    char shown[96];
    for (uint32_t p = found->places; p-- > 0;) {
        i = found->place[p].left ? i : p;
        offered += !found->place[p].left;
    }
    const bool bins = strncmp(found->place[i].rule, "bin(", 4) == 0;
    hb_excerpt(shown, sizeof shown, job->options->question, q->origin[found->place[i].from],
               q->origin[found->place[i].to]);
    hb_console_log(job->group, job->common,
                   "expensive: %s%s%s %s of %s of keys, and %s of %s; cheaper: before encryption make %s: %s",
                   bins ? "the range of the groups " : "", shown, offered > 1 ? " and other conditions take" : " takes",
                   hb_human_bytes(fmax(all.keys - found->price.keys, 0)).text, hb_human_bytes(all.keys).text,
                   hb_human_about(fmax(all.seconds - found->price.seconds, 0)).text, hb_human_about(all.seconds).text,
                   bins          ? "bins of it"
                   : offered > 1 ? "a column of 0 and 1 of each"
                                 : "a column of 0 and 1 of it",
                   offer);
}

/* Adds a question that can be computed to the reason why another one cannot. */
static hb_status refuse(const hb_asked_job *job, const char *offer, hb_status st)
{
    const hb_error cause = *hb_last_error();
    const int length = cause.advice == HB_ADVICE_FEWER ? (int)cause.reason : (int)strlen(cause.text);
    const int room = (int)sizeof cause.text - (int)strlen(offer) - 48;
    if (room < 160) { /* a part of a command helps nobody */
        hb_console_log(job->group, job->common, "this can be computed: %s", offer);
        return st;
    }
    return HB_FAIL(st, "%.*s; this can be computed: %s", length < room ? length : room, cause.text, offer);
}

hb_status hb_asked_offer(const hb_asked_job *job, hb_asked_attempt *attempt, hb_status st, bool *offered)
{
    const hb_error cause = *hb_last_error();
    const price all = price_of(job->plan.suggested), much = {64 << 20, 60};
    const bool refused = st != HB_OK, looks = refused || all.keys >= much.keys || all.seconds >= much.seconds;
    cheaper found = {.attempt = attempt};
    char *offer = looks && find_cheaper(job, refused ? NULL : &all, &found) ? offer_text(&found) : NULL;
    hb_set_error(&cause);
    *offered = offer != NULL;
    if (offer != NULL && refused) {
        st = refuse(job, offer, st);
    } else if (offer != NULL) {
        say(job, &found, all, offer);
    }
    free(offer);
    clear(&found);
    return st;
}
