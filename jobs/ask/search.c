/* How the tables of a question are read (where options say nothing, by what the cells are), and by which parameters it
 * can be computed. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cli/console.h"
#include "io/table/table.h"
#include "job.h"
#include "lang/functions/list.h"
#include "lang/text/syntax.h"
#include "suggest/commands.h"

/* What becomes of missing cells where nobody says it. */
static const char missing_word[] = "mask";
/* Texts with more different ones are names or notes more often than categories: who wants them PUBLIC says so. */
enum { MOST_LABELS = 256, MOST_DIGITS = 8 };

#define NO_MEMORY HB_FAIL(HB_ENOMEM, "no memory for what is said of columns")

/* Appends to a list with commas between its elements; `given` begins it. Takes no memory where nothing is appended. */
static hb_status append(char **list, const char *given, const char *name, const char *value)
{
    char room[HB_COLUMN_WORD], *longer = NULL;
    const char *word = "", *old = *list != NULL ? *list : given != NULL ? given : "";
    if (name != NULL) {
        HB_TRY(hb_columns_word(name, room, &word));
    }
    if (asprintf(&longer, "%s%s%s%s%s", old, old[0] != '\0' ? "," : "", word, name != NULL ? "=" : "", value) < 0) {
        return NO_MEMORY;
    }
    free(*list);
    *list = longer;
    return HB_OK;
}

static hb_status add_category(hb_asked_reading *reading, const char *name)
{
    char room[HB_COLUMN_WORD];
    const char *word;
    HB_TRY(hb_columns_word(name, room, &word));
    hb_texts *texts = &reading->words.categories;
    if (texts->count == HB_TEXTS_MOST || reading->categories == HB_TEXTS_MOST) {
        return HB_FAIL(HB_EUSAGE, "the question reads more than %d columns of texts", HB_TEXTS_MOST);
    }
    char *copy = strdup(word);
    if (copy == NULL) {
        return NO_MEMORY;
    }
    reading->category[reading->categories++] = copy;
    texts->text[texts->count++] = copy;
    return HB_OK;
}

/* Whether missing cells of a column have a treatment. */
static bool is_treated(const hb_reading *said, const char *name)
{
    const hb_column_reading *how = said->count > 0 ? hb_reading_of(said, name) : NULL;
    return said->missing != HB_MISSING_REFUSE || (how != NULL && how->has_missing);
}

static hb_status find_column(hb_asked_reading *reading, const hb_asked_table *table, const hb_survey_column *column,
                             const hb_reading *said, bool reals)
{
    const char *name = column->name;
    char power[32];
    if (column->kind == HB_SURVEY_MIXED) {
        return HB_FAIL(HB_EDATA,
                       "%s: column %.64s has numbers, texts or dates beside one another, or in another form; --na TEXT "
                       "names a text that means a missing cell, --category %.64s reads all as texts, --date-format and "
                       "--decimal say how they are written",
                       table->path, name, name);
    }
    if (column->kind == HB_SURVEY_TEXTS) {
        HB_TRY(add_category(reading, name));
    }
    if (column->kind == HB_SURVEY_DECIMALS && !reals) {
        if (column->digits > MOST_DIGITS) {
            return HB_FAIL(HB_EDATA,
                           "%s: column %.64s has numbers of %d digits behind the point: say how many count, as "
                           "--scale %.64s=100 --round",
                           table->path, name, column->digits, name);
        }
        snprintf(power, sizeof power, "%" PRIu64, hb_scale_of_digits(column->digits));
        HB_TRY(append(&reading->scale, reading->said.scale, name, power));
    }
    if (column->percent) {
        char room[HB_COLUMN_WORD];
        const char *word;
        HB_TRY(hb_columns_word(name, room, &word));
        HB_TRY(append(&reading->percent, reading->said.percent, NULL, word));
    }
    if (column->words[0] != '\0' && (reading->na == NULL || strstr(reading->na, column->words) == NULL)) {
        HB_TRY(append(&reading->na, reading->said.na, NULL, column->words));
    }
    return column->missing > 0 && !is_treated(said, name)
               ? append(&reading->missing, reading->said.missing, name, missing_word)
               : HB_OK;
}

static bool is_read(const hb_asked_table *table, uint64_t column)
{
    return table->read && (table->whole || table->picked[column]);
}

/* What is known of a column of table `t` and of those of later tables by the same name, of which options say the same;
 * nothing where an earlier table has it. */
static const hb_survey_column *join_columns(const hb_question *q, uint32_t t, uint64_t c, hb_survey_column *room)
{
    *room = q->table[t].survey.column[c];
    for (uint32_t i = 0; i < q->tables; i++) {
        const hb_survey *survey = &q->table[i].survey;
        const hb_survey_column *other = i == t ? NULL : hb_survey_find(survey, room->name);
        if (other == NULL || !is_read(&q->table[i], (uint64_t)(other - survey->column))) {
            continue;
        }
        if (i < t) {
            return NULL;
        }
        room->missing += other->missing;
        room->digits = other->digits > room->digits ? other->digits : room->digits;
        const bool decimals = room->kind == HB_SURVEY_INTEGERS && other->kind == HB_SURVEY_DECIMALS;
        room->kind = decimals ? HB_SURVEY_DECIMALS : room->kind;
    }
    return room;
}

/* Looks at the table as it will be read: whether texts are categories. */
static hb_status check_labels(const hb_asked_reading *reading, const hb_asked_table *table, const hb_reading *said)
{
    hb_table_words words = reading->words;
    hb_reading own = {0};
    hb_table *opened = NULL;
    char *columns = NULL;
    hb_status st = HB_OK;
    words.digits.count = 0;
    for (uint64_t c = 0; c < table->survey.columns && st == HB_OK; c++) {
        const hb_survey_column *column = &table->survey.column[c];
        if (column->kind == HB_SURVEY_TEXTS && is_read(table, c)) {
            char room[HB_COLUMN_WORD];
            const char *word;
            st = hb_columns_word(column->name, room, &word);
            st = st == HB_OK ? append(&columns, NULL, NULL, word) : st;
        }
    }
    HB_GOTO(st);
    if (columns == NULL) {
        return HB_OK;
    }
    words.columns = columns;
    HB_GOTO(hb_table_words_parse(&words, &own));
    own.columns_optional = true;
    HB_GOTO(hb_table_open_as(table->path, HB_CELL_INTEGER, &own, &opened));
    const hb_schema *schema = hb_table_schema(opened);
    for (uint64_t c = 0; c < schema->columns; c++) {
        const hb_labels *labels = schema->column[c].meaning.labels;
        const hb_column_reading *how = hb_reading_of(said, schema->column[c].name);
        if (labels != NULL && labels->count > MOST_LABELS && (how == NULL || !how->has_meaning)) {
            HB_GOTO(HB_FAIL(HB_EDATA,
                            "%s: column %.64s has %" PRIu64 " different texts, which would become PUBLIC: if they may, "
                            "say --category %.64s",
                            table->path, schema->column[c].name, labels->count, schema->column[c].name));
        }
    }
done:
    free(columns);
    hb_table_close(opened);
    hb_reading_clear(&own);
    return st;
}

/* Finds how to read the columns that the question reads. */
static hb_status find_reading(hb_asked_reading *reading, const hb_question *q, bool reals)
{
    hb_reading said = {0};
    hb_status st;
    reading->words = reading->said;
    HB_GOTO(hb_table_words_parse(&reading->said, &said));
    for (uint32_t i = 0; i < q->tables; i++) {
        const hb_asked_table *table = &q->table[i];
        for (uint64_t c = 0; c < table->survey.columns; c++) {
            hb_survey_column room;
            const hb_survey_column *column = is_read(table, c) ? join_columns(q, i, c, &room) : NULL;
            HB_GOTO(column != NULL ? find_column(reading, table, column, &said, reals) : HB_OK);
        }
    }
    reading->words.scale = reading->scale != NULL ? reading->scale : reading->said.scale;
    reading->words.missing = reading->missing != NULL ? reading->missing : reading->said.missing;
    reading->words.percent = reading->percent != NULL ? reading->percent : reading->said.percent;
    reading->words.na = reading->na != NULL ? reading->na : reading->said.na;
    for (uint32_t i = 0; i < q->tables; i++) {
        const hb_survey *survey = &q->table[i].survey;
        reading->words.decimal = survey->decimal == 0     ? reading->words.decimal
                                 : survey->decimal == ',' ? "comma"
                                                          : "point";
        reading->words.date_format = survey->date[0] != '\0' ? survey->date : reading->words.date_format;
        HB_GOTO(check_labels(reading, &q->table[i], &said));
    }
done:
    hb_reading_clear(&said);
    return st;
}

static hb_status add_option(hb_words *words, const hb_option *row)
{
    const uint64_t none = row->kind == HB_OPTION_NUMBER ? HB_NOT_GIVEN : 0;
    if (row->kind == HB_OPTION_FLAG) {
        return *(const bool *)row->value ? hb_words_addf(words, "--%s", row->name) : HB_OK;
    }
    if (row->kind == HB_OPTION_TEXT) {
        const char *text = *(const char *const *)row->value;
        return text != NULL ? hb_words_addf(words, "--%s=%s", row->name, text) : HB_OK;
    }
    if (row->kind == HB_OPTION_TEXTS) {
        const hb_texts *texts = row->value;
        for (uint32_t i = 0; i < texts->count; i++) {
            HB_TRY(hb_words_addf(words, "--%s=%s", row->name, texts->text[i]));
        }
        return HB_OK;
    }
    HB_ASSERT(row->kind == HB_OPTION_NUMBER || row->kind == HB_OPTION_ABOVE_0);
    const uint64_t number = *(const uint64_t *)row->value;
    return number != none ? hb_words_addf(words, "--%s=%" PRIu64, row->name, number) : HB_OK;
}

static hb_status add_options(hb_words *words, const hb_option *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        HB_TRY(add_option(words, &rows[i]));
    }
    return HB_OK;
}

/* The tables of one kind, as options list them: a=FILE,b=FILE. */
static hb_status add_tables(hb_words *words, const hb_question *q, bool plain)
{
    char *list = NULL;
    size_t size;
    uint32_t count = 0;
    FILE *to = open_memstream(&list, &size);
    if (to == NULL) {
        return NO_MEMORY;
    }
    for (uint32_t i = 0; i < q->tables; i++) {
        if (q->table[i].read && q->table[i].plain == plain) {
            fprintf(to, "%s%s=%s", count++ > 0 ? "," : "", q->table[i].name, q->table[i].path);
        }
    }
    hb_status st = fclose(to) == 0 ? HB_OK : NO_MEMORY;
    if (st == HB_OK && count > 0) {
        st = hb_words_addf(words, "--%s=%s", plain ? "plain-table" : "table", list);
    }
    free(list);
    return st;
}

/* Ranges of columns of a lone table get its name. */
static hb_status add_ranges(hb_words *words, const hb_question *q, const char *ranges)
{
    char *list = NULL;
    size_t size;
    FILE *to = ranges != NULL ? open_memstream(&list, &size) : NULL;
    if (to == NULL) {
        return ranges == NULL ? HB_OK : NO_MEMORY;
    }
    for (const char *at = ranges; *at != '\0';) {
        bool quoted = false, named = false;
        size_t length = 0;
        for (; at[length] != '\0' && (quoted || at[length] != ','); length++) {
            quoted = quoted != (at[length] == '"');
            named = named || (at[length] == '.' && !quoted && memchr(at, '=', length) == NULL);
        }
        fprintf(to, "%s%s%.*s", q->lone && !named ? q->table[0].name : "", q->lone && !named ? "." : "", (int)length,
                at);
        at += length;
        if (*at == ',') {
            fputc(*at++, to);
        }
    }
    hb_status st = fclose(to) == 0 ? hb_words_addf(words, "--range=%s", list) : NO_MEMORY;
    free(list);
    return st;
}

/* The command that finds parameters for a question. */
static hb_status search_words(hb_words *words, const hb_asked_job *job, const char *text)
{
    hb_option rows[HB_TABLE_COLUMN_OPTIONS];
    hb_table_words table = job->reading.words;
    HB_TRY(hb_words_add(words, "hebatch"));
    HB_TRY(hb_words_add(words, "params"));
    HB_TRY(hb_words_add(words, "suggest"));
    HB_TRY(hb_words_add(words, text));
    HB_TRY(hb_words_add(words, "--json"));
    HB_TRY(hb_words_addf(words, "--scheme=%s", job->reals ? "ckks" : "bfv"));
    HB_TRY(add_tables(words, &job->question, false));
    HB_TRY(add_tables(words, &job->question, true));
    HB_TRY(add_ranges(words, &job->question, job->options->range));
    HB_TRY(add_options(words, job->options->search, job->options->searches));
    hb_table_options(rows, HB_TABLE_COLUMN_OPTIONS, &table);
    return add_options(words, rows, HB_TABLE_COLUMN_OPTIONS);
}

static hb_status choose_scheme(hb_asked_job *job)
{
    const char *word = job->options->scheme;
    if (word != NULL && strcmp(word, "bfv") != 0 && strcmp(word, "ckks") != 0) {
        return HB_FAIL(HB_EUSAGE, "--scheme %s: it is bfv or ckks", word);
    }
    job->reals = word != NULL ? strcmp(word, "ckks") == 0 : job->question.reals;
    return HB_OK;
}

/* Reads the question, with what was said of the tables but of missing cells. */
static hb_status read_question(hb_asked_job *job)
{
    const hb_ask_options *options = job->options;
    hb_table_words words = job->reading.said;
    hb_reading parsed = {0};
    words.missing = words.columns = NULL;
    words.digits.count = 0;
    hb_status st = hb_table_words_parse(&words, &parsed);
    st = st == HB_OK
             ? hb_question_read(&job->question, options->question, &parsed, options->tables, options->table_count)
             : st;
    hb_reading_clear(&parsed);
    return st;
}

/* How a column is read, in a few words. */
static void say_column(const hb_asked_job *job, const hb_survey_column *column, FILE *to)
{
    static const char *const kinds[] = {[HB_SURVEY_SAID] = "as you say",   [HB_SURVEY_INTEGERS] = "whole numbers",
                                        [HB_SURVEY_DECIMALS] = "decimals", [HB_SURVEY_TRUTHS] = "true or false",
                                        [HB_SURVEY_DATES] = "dates",       [HB_SURVEY_TEXTS] = "texts",
                                        [HB_SURVEY_MIXED] = "texts"};
    fprintf(to, "%s: %s", column->name, kinds[column->kind]);
    if (column->kind == HB_SURVEY_DECIMALS && !job->reals) {
        fprintf(to, " with %d digit%s", column->digits, column->digits == 1 ? "" : "s");
    }
    if (column->words[0] != '\0') {
        fprintf(to, ", '%s' taken as missing", column->words);
    }
}

static void say_reading(const hb_asked_job *job)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    uint64_t count = 0;
    if (to == NULL) {
        return;
    }
    for (uint32_t i = 0; i < job->question.tables; i++) {
        const hb_asked_table *table = &job->question.table[i];
        for (uint64_t c = 0; table->read && c < table->survey.columns; c++) {
            if (table->whole || table->picked[c]) {
                fputs(count++ > 0 ? "; " : "", to);
                say_column(job, &table->survey.column[c], to);
            }
        }
        if (table->read && table->plain) {
            hb_console_log(job->group, job->common, "%s is NOT encrypted: the server reads it as it is", table->path);
        }
    }
    if (fclose(to) == 0 && count > 0) {
        hb_console_log(job->group, job->common, "reads %s", text);
    }
    free(text);
}

/* What a question takes: bytes of keys, and seconds of one core. */
typedef struct price {
    double keys, seconds;
} price;
static price price_of(const json_t *suggested)
{
    return (price){(double)json_integer_value(json_object_get(suggested, "key_bytes")),
                   json_number_value(json_object_get(suggested, "seconds"))};
}

/* The places of parts that may be left out: results, or what a single one has of each group. */
enum { MOST_PARTS = 8 };
typedef struct part {
    uint32_t from, to; /* with the comma in front of an argument */
} part;
/* Finds the aggregates of groups that a statement ends with. */
static uint32_t find_aggregates(const hb_syntax *s, const hb_item *call, part *parts)
{
    uint32_t count = 0;
    for (uint32_t i = 0; call->kind == HB_ITEM_CALL && call->call->groups && i < call->arguments; i++) {
        const hb_item *argument = hb_item_operand(call, i);
        uint32_t from = argument->from;
        while (from > 0 && s->text[from] != ',') {
            from--;
        }
        if (argument->grouped && s->text[from] == ',' && count < MOST_PARTS) {
            parts[count++] = (part){from, argument->to};
        }
    }
    return count;
}

static uint32_t find_parts(const hb_question *q, const hb_syntax *s, part *parts)
{
    uint32_t count = 0;
    const hb_item *last = NULL;
    for (uint32_t i = 0; i < s->count && count < MOST_PARTS && !s->loops; i++) {
        const hb_item *item = &s->items[i];
        bool result = false;
        for (uint32_t r = 0; item->kind == HB_ITEM_ASSIGN && r < q->result_count; r++) {
            result = result || hb_item_is(s, item, q->results[r]);
        }
        if (result) {
            parts[count++] = (part){item->from, item->to};
            last = item;
        }
    }
    return count == 1 ? find_aggregates(s, last - 1, parts) : count;
}

/* Finds what the question takes without one part. Returns false where that cannot be computed either. */
static bool price_without(hb_asked_job *job, part left_out, price *found)
{
    hb_words words = {0};
    char *suggested = NULL, *text = strdup(job->question.text);
    if (text != NULL) {
        memset(text + left_out.from, ' ', left_out.to - left_out.from);
    }
    hb_status st = text != NULL ? search_words(&words, job, text) : HB_ENOMEM;
    st = st == HB_OK ? hb_phase_run(&job->phases, &(hb_phase){NULL, &words, false}, &suggested) : st;
    json_t *document = suggested != NULL ? json_loads(suggested, 0, NULL) : NULL;
    *found = price_of(document);
    const bool known = st == HB_OK && document != NULL;
    json_decref(document);
    free(suggested);
    free(text);
    hb_words_clear(&words);
    hb_clear_error(); /* it is no failure of the question */
    return known;
}

static void say_dear(const hb_asked_job *job, part dear, price all, price without)
{
    const char *text = job->question.text;
    char shown[96];
    dear.from += (uint32_t)strspn(text + dear.from, ", ");
    hb_excerpt(shown, sizeof shown, text, dear.from, dear.to);
    hb_console_log(job->group, job->common,
                   "dear: %s takes %s of %s of keys, and %s of %s; a column of 0 and 1 for a condition, or of groups "
                   "for a range, made before encryption is cheaper",
                   shown, hb_human_bytes(all.keys - without.keys).text, hb_human_bytes(all.keys).text,
                   hb_human_seconds(all.seconds - without.seconds).text, hb_human_seconds(all.seconds).text);
}

/* Says which part of a question takes most, where it takes much and the others little. */
static void find_dear(hb_asked_job *job)
{
    const price all = price_of(job->plan.suggested), much = {64e6, 60};
    hb_syntax syntax = {0};
    part parts[MOST_PARTS], dear = {0, 0};
    price least = all;
    if ((all.keys < much.keys && all.seconds < much.seconds) ||
        hb_syntax_parse(&syntax, job->question.text, hb_lang_functions) != HB_OK) {
        hb_syntax_clear(&syntax);
        return;
    }
    const uint32_t count = find_parts(&job->question, &syntax, parts);
    for (uint32_t i = 0; count > 1 && i < count; i++) {
        price without;
        if (price_without(job, parts[i], &without) && without.keys < least.keys) {
            least = without;
            dear = parts[i];
        }
    }
    if (least.keys < all.keys / 2) {
        say_dear(job, dear, all, least);
    }
    hb_syntax_clear(&syntax);
}

hb_status hb_asked_search(hb_asked_job *job)
{
    const double started = hb_now();
    hb_words words = {0};
    char *text = NULL;
    hb_status st;
    job->reading.said = job->options->table;
    HB_GOTO(read_question(job));
    HB_GOTO(choose_scheme(job));
    HB_GOTO(find_reading(&job->reading, &job->question, job->reals));
    HB_GOTO(search_words(&words, job, job->question.text));
    HB_GOTO(hb_phase_run(&job->phases, &(hb_phase){"finds how to compute it", &words, false}, &text));
    HB_GOTO(hb_asked_plan_make(&job->plan, text != NULL ? text : "", &job->question));
    say_reading(job);
    if (!job->options->dry_run && !job->common->quiet) {
        find_dear(job);
    }
done:
    free(text);
    hb_words_clear(&words);
    job->times.search = hb_now() - started;
    return st;
}
