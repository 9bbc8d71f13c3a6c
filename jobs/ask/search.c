/* By which parameters a question can be computed, and which part of it takes most. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cli/console.h"
#include "job.h"
#include "lang/functions/list.h"
#include "lang/text/place.h"
#include "lang/text/syntax.h"

#define NO_MEMORY HB_FAIL(HB_ENOMEM, "no memory for a question")

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
    if (job->options->keys != NULL) {
        HB_TRY(hb_words_addf(words, "--keys=%s", job->options->keys));
    }
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

/* Reads the question, with the given options of the tables, but those of missing cells. */
static hb_status read_question(hb_asked_job *job)
{
    const hb_ask_options *options = job->options;
    const hb_table_words words = hb_asked_survey_words(&job->reading.said);
    hb_reading parsed = {0};
    hb_status st = hb_table_words_parse(&words, &parsed);
    st = st == HB_OK
             ? hb_question_read(&job->question, options->question, &parsed, options->tables, options->table_count)
             : st;
    st = st == HB_EUSAGE ? hb_asked_propose(&job->question, &parsed, options, st) : st;
    hb_reading_clear(&parsed);
    return st;
}

/* The treatment of missing cells of a column, in a word. */
static const char *treatment(const hb_reading *reading, const char *name)
{
    static const char *const words[] = {[HB_MISSING_REFUSE] = "refused",
                                        [HB_MISSING_DROP] = "their rows are left out",
                                        [HB_MISSING_MASK] = "skipped",
                                        [HB_MISSING_VALUE] = "replaced"};
    const hb_column_reading *how = reading->count > 0 ? hb_reading_of(reading, name) : NULL;
    return words[how != NULL && how->has_missing ? how->missing : reading->missing];
}

/* How a column is read, in a few words. */
static void say_column(const hb_asked_job *job, const hb_asked_table *table, const hb_survey_column *column,
                       const hb_reading *reading, FILE *to)
{
    static const char *const kinds[] = {[HB_SURVEY_SAID] = "as you say",   [HB_SURVEY_INTEGERS] = "whole numbers",
                                        [HB_SURVEY_DECIMALS] = "decimals", [HB_SURVEY_TRUTHS] = "true or false",
                                        [HB_SURVEY_DATES] = "dates",       [HB_SURVEY_TIMES] = "times",
                                        [HB_SURVEY_TEXTS] = "texts",       [HB_SURVEY_MIXED] = "texts"};
    const bool lone = job->question.lone;
    fprintf(to, "%s%s%s: %s", lone ? "" : table->name, lone ? "" : ".", column->name, kinds[column->kind]);
    if (column->kind == HB_SURVEY_DECIMALS && !job->reals) {
        fprintf(to, " with %d digit%s", column->digits, column->digits == 1 ? "" : "s");
    }
    if (column->kind == HB_SURVEY_TIMES) {
        fprintf(to, " in %s", hb_time_unit_name(column->unit));
    }
    if (column->percent) {
        fputs(", percent signs read as hundredths", to);
    }
    if (column->words[0] != '\0') {
        fprintf(to, ", '%s' taken as missing", column->words);
    }
    if (column->missing > 0) {
        fprintf(to, ", %" PRIu64 " of %" PRIu64 " cells are missing: %s", column->missing, table->survey.rows,
                treatment(reading, column->name));
    }
}

static void say_reading(const hb_asked_job *job)
{
    char *text = NULL;
    size_t size;
    hb_reading reading = {0};
    FILE *to = open_memstream(&text, &size);
    uint64_t count = 0;
    if (to == NULL) {
        return;
    }
    const bool known = hb_table_words_parse(&job->reading.words, &reading) == HB_OK;
    for (uint32_t i = 0; known && i < job->question.tables; i++) {
        const hb_asked_table *table = &job->question.table[i];
        for (uint64_t c = 0; c < table->survey.columns; c++) {
            if (hb_asked_is_read(table, c)) {
                fputs(count++ > 0 ? "; " : "", to);
                say_column(job, table, &table->survey.column[c], &reading, to);
            }
        }
        if (table->read && table->plain) {
            hb_console_log(job->group, job->common, "%s is NOT encrypted: the server reads it as it is", table->path);
        }
    }
    if (fclose(to) == 0 && count > 0) {
        hb_console_log(job->group, job->common, "reads %s", text);
    }
    hb_reading_clear(&reading);
    free(text);
}

/* The cost of a question: bytes of keys, and seconds of one core. */
typedef struct price {
    double keys, seconds;
} price;
static price price_of(const json_t *suggested)
{
    return (price){(double)json_integer_value(json_object_get(suggested, "key_bytes")),
                   json_number_value(json_object_get(suggested, "seconds"))};
}

/* The places of parts that may be left out: results, or the aggregates of a single table of groups. */
enum { MOST_PARTS = 8, ADVICE = 240 };
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

/* Finds what the question takes without one part. Returns false where that cannot be computed. */
static bool price_without(hb_asked_job *job, part left_out, price *found)
{
    hb_words words = {0};
    char *suggested = NULL, *text = strdup(job->question.text);
    if (text != NULL) {
        memset(text + left_out.from, ' ', left_out.to - left_out.from);
    }
    hb_status st = text != NULL ? search_words(&words, job, text) : HB_ENOMEM;
    st = st == HB_OK ? hb_phase_run(&job->phases, &(hb_phase){.words = &words}, &suggested) : st;
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

/* Writes a name that no column, no table and no word of the question has. */
static void free_name(const hb_question *q, char name[16])
{
    bool taken = true;
    for (int i = 1; taken; i++) {
        snprintf(name, 16, i > 1 ? "holds%d" : "holds", i);
        taken = strstr(q->text, name) != NULL;
        for (uint32_t t = 0; t < q->tables && !taken; t++) {
            taken = strcmp(q->table[t].name, name) == 0 || hb_survey_find(&q->table[t].survey, name) != NULL;
        }
    }
}

/* Writes the option that makes a column of a comparison, as a shell takes it. Returns false where it has no room. */
static bool write_option(const hb_question *q, uint32_t from, uint32_t to, char advice[ADVICE])
{
    hb_words words = {0};
    char name[16], *line = NULL;
    size_t size;
    free_name(q, name);
    FILE *file = open_memstream(&line, &size);
    hb_status st = file != NULL ? hb_words_add(&words, "--derive") : HB_ENOMEM;
    st = st == HB_OK ? hb_words_addf(&words, "%s=%.*s", name, (int)(to - from), q->text + from) : st;
    if (st == HB_OK) {
        hb_words_print(&words, file);
    }
    hb_words_clear(&words);
    bool fits = file != NULL && fclose(file) == 0 && st == HB_OK;
    fits = fits && snprintf(advice, ADVICE, "%s makes a column of 0 and 1 before encryption; write %s there", line,
                            name) < ADVICE;
    free(line);
    return fits;
}

/* Writes the option that makes a part cheaper: it makes a column of the first comparison of a column with a value. */
static void write_advice(const hb_question *q, const hb_syntax *s, part dear, char advice[ADVICE])
{
    for (uint32_t i = 0; i < s->count; i++) {
        const hb_item *item = &s->items[i];
        if (item->kind < HB_ITEM_LESS || item->kind > HB_ITEM_NOT_EQUAL || item->from < dear.from ||
            item->to > dear.to) {
            continue;
        }
        const hb_item *left = hb_item_operand(item, 0), *right = hb_item_operand(item, 1);
        const bool value = right->kind == HB_ITEM_NUMBER || right->kind == HB_ITEM_TEXT;
        if (left->kind == HB_ITEM_PICK && left->word_length > 0 && value &&
            write_option(q, left->word - (s->text[left->word - 1] == '"'), item->to, advice)) {
            return;
        }
    }
    snprintf(advice, ADVICE,
             "before encryption, make a column of 0 and 1 for a condition, or of groups for a range (--derive)");
}

static void say_dear(const hb_asked_job *job, const hb_syntax *s, part dear, price all, price without)
{
    const char *text = job->question.text;
    char shown[96], advice[ADVICE];
    dear.from += (uint32_t)strspn(text + dear.from, ", ");
    hb_excerpt(shown, sizeof shown, text, dear.from, dear.to);
    write_advice(&job->question, s, dear, advice);
    hb_console_log(job->group, job->common, "dear: %s takes %s of %s of keys, and %s of %s; cheaper: %s", shown,
                   hb_human_bytes(all.keys - without.keys).text, hb_human_bytes(all.keys).text,
                   hb_human_about(all.seconds - without.seconds).text, hb_human_about(all.seconds).text, advice);
}

/* Says which part of a question takes most, where it takes much and the others little. */
static void find_dear(hb_asked_job *job)
{
    const price all = price_of(job->plan.suggested), much = {64 << 20, 60};
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
        say_dear(job, &syntax, dear, all, least);
    }
    hb_syntax_clear(&syntax);
}

/* Adds to the reason why a question cannot be computed the nearest one that can be. */
static hb_status propose(hb_asked_job *job)
{
    const hb_table_words words = hb_asked_survey_words(&job->reading.said);
    const hb_error cause = *hb_last_error();
    hb_reading parsed = {0};
    hb_status st = hb_table_words_parse(&words, &parsed);
    if (st == HB_OK) {
        hb_set_error(&cause);
        st = hb_asked_propose(&job->question, &parsed, job->options, HB_EUSAGE);
    }
    hb_reading_clear(&parsed);
    return st;
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
    HB_GOTO(job->options->rows_match ? HB_OK : hb_asked_refuse_pairs(&job->question));
    HB_GOTO(hb_asked_find_reading(&job->reading, &job->question, job->reals));
    HB_GOTO(hb_asked_look_at_labels(job));
    HB_GOTO(search_words(&words, job, job->question.text));
    st = hb_phase_run(&job->phases, &(hb_phase){.title = "finds how to compute it", .words = &words}, &text);
    st = hb_fail_at_origin(st, job->question.text, job->question.origin, job->options->question);
    HB_GOTO(st == HB_EUSAGE ? propose(job) : st);
    HB_GOTO(hb_asked_plan_make(&job->plan, text != NULL ? text : "", &job->question));
    say_reading(job);
    hb_asked_say(job, HB_ASKED_PRECISION);
    if (!job->options->dry_run && !job->common->quiet) {
        find_dear(job);
    }
done:
    free(text);
    hb_words_clear(&words);
    job->times.search = hb_now() - started;
    return st;
}
