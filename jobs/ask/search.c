/* By which parameters a question can be computed, and by which commands: those of params suggest. */
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

/* Whether a range is about a column that the question does not read. */
static bool is_unread(const hb_question *q, const char *range, size_t length)
{
    const hb_reading none = {0};
    char *one = strndup(range, length);
    const bool is = one != NULL && hb_asked_refuse_unread(q, &none, one) != HB_OK;
    free(one);
    return is;
}

/* Ranges of columns of a lone table get its name. An offer that replaces columns has no ranges of these. */
static hb_status add_ranges(hb_words *words, const hb_question *q, const char *ranges)
{
    char *list = NULL;
    size_t size;
    FILE *to = ranges != NULL ? open_memstream(&list, &size) : NULL;
    if (to == NULL) {
        return ranges == NULL ? HB_OK : NO_MEMORY;
    }
    uint32_t count = 0;
    for (const char *at = ranges; *at != '\0';) {
        bool quoted = false, named = false;
        size_t length = 0;
        for (; at[length] != '\0' && (quoted || at[length] != ','); length++) {
            quoted = quoted != (at[length] == '"');
            named = named || (at[length] == '.' && !quoted && memchr(at, '=', length) == NULL);
        }
        if (!is_unread(q, at, length)) {
            fprintf(to, "%s%s%s%.*s", count++ > 0 ? "," : "", q->lone && !named ? q->table[0].name : "",
                    q->lone && !named ? "." : "", (int)length, at);
        }
        at += length + (at[length] == ',');
    }
    hb_status st = fclose(to) == 0 ? HB_OK : NO_MEMORY;
    st = st == HB_OK && count > 0 ? hb_words_addf(words, "--range=%s", list) : st;
    free(list);
    return st;
}

/* The command that finds parameters for a question. */
static hb_status search_words(hb_words *words, const hb_asked_job *job, const char *text)
{
    hb_option rows[HB_TABLE_OPTIONS];
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
    HB_TRY(hb_words_add_rows(words, job->options->search, job->options->searches));
    hb_table_options(rows, HB_TABLE_OPTIONS, &table); /* the question says which columns are read */
    return hb_words_add_rows(words, rows, HB_TABLE_OPTIONS);
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

/* Refuses a column of --derive that is made of one that is nowhere: a message about the question would blame it. */
static hb_status check_sources(const hb_question *q, const hb_derivations *derived)
{
    for (size_t i = 0; i < derived->count; i++) {
        for (int k = 0; k < HB_DERIVED_SOURCES && derived->item[i].source[k] != NULL; k++) {
            const char *source = derived->item[i].source[k];
            bool there = q->tables == 0;
            for (uint32_t t = 0; t < q->tables; t++) {
                const hb_survey *survey = &q->table[t].survey;
                there = there || survey->columns == 0 || hb_survey_find(survey, source) != NULL;
            }
            for (size_t j = 0; j < i; j++) {
                there = there || strcmp(derived->item[j].name, source) == 0;
            }
            if (!there) {
                return HB_FAIL(HB_EUSAGE, "--derive '%.120s': there is no column '%.64s'%s", derived->item[i].text,
                               source, k > 0 ? "; a date is written as 2024-02-28" : "");
            }
        }
    }
    return HB_OK;
}

static hb_asked_attempt attempt;

/* Reads the question, with the given options of the tables, but those of missing cells. proposes: a refusal has the
 * nearest question that works. */
static hb_status read_question(hb_asked_job *job, bool proposes)
{
    const hb_ask_options *options = job->options;
    const hb_table_words words = hb_asked_survey_words(&job->reading.said);
    hb_reading parsed = {0};
    hb_status st;
    HB_GOTO(hb_table_words_parse(&words, &parsed));
    st = hb_question_read(&job->question, options->question, &parsed, options->tables, options->table_count);
    if (st == HB_EUSAGE) {
        const hb_error cause = *hb_last_error();
        HB_GOTO(check_sources(&job->question, &parsed.derived));
        hb_set_error(&cause);
        st = proposes ? hb_asked_propose(job, &parsed, attempt, HB_EUSAGE) : HB_EUSAGE;
    }
done:
    hb_reading_clear(&parsed);
    return st;
}

/* Refuses a column that --columns leaves out. */
static hb_status check_columns(const hb_asked_job *job)
{
    hb_reading said = {0};
    hb_status st = job->options->table.columns != NULL ? hb_table_words_parse(&job->options->table, &said) : HB_OK;
    for (uint32_t t = 0; t < job->question.tables && st == HB_OK && said.selects; t++) {
        const hb_asked_table *table = &job->question.table[t];
        for (uint64_t c = 0; c < table->survey.columns && st == HB_OK; c++) {
            const char *name = table->survey.column[c].name;
            const hb_column_reading *how = hb_reading_of(&said, name);
            if (table->read && table->picked[c] && (how == NULL || !how->selected)) {
                st = HB_FAIL(HB_EUSAGE, "the question reads column %.64s of %s: --columns leaves it out", name,
                             table->path);
            }
        }
    }
    hb_reading_clear(&said);
    return st;
}

/* Refuses columns that are read where two have one name: no encrypted table has such columns. */
static hb_status refuse_twins(const hb_question *q)
{
    for (uint32_t t = 0; t < q->tables; t++) {
        const hb_asked_table *table = &q->table[t];
        const hb_survey_column *column = table->survey.column;
        for (uint64_t c = 0; c < table->survey.columns && table->read; c++) {
            const bool read = table->whole || table->picked[c];
            for (uint64_t d = 0; d < table->survey.columns && read; d++) {
                if (d != c && strcmp(column[c].name, column[d].name) == 0) {
                    return HB_FAIL(HB_EDATA,
                                   "%s: columns %" PRIu64 " and %" PRIu64
                                   " have the same name, '%.64s': rename one in the header",
                                   table->path, (c < d ? c : d) + 1, (c < d ? d : c) + 1, column[c].name);
                }
            }
        }
    }
    return HB_OK;
}

/* Says the treatment of missing cells of a column. */
static void say_treatment(const hb_reading *reading, const char *name, FILE *to)
{
    static const char *const words[] = {[HB_MISSING_REFUSE] = "refused",
                                        [HB_MISSING_DROP] = "their rows are left out",
                                        [HB_MISSING_MASK] = "skipped",
                                        [HB_MISSING_VALUE] = "replaced"};
    const hb_column_reading *how = reading->count > 0 ? hb_reading_of(reading, name) : NULL;
    const bool own = how != NULL && how->has_missing;
    const hb_missing missing = own ? how->missing : reading->missing;
    fputs(words[missing], to);
    if (missing == HB_MISSING_VALUE) {
        fprintf(to, " by '%s'", own ? how->replacement : reading->replacement);
    }
}

/* Says which words among texts are taken for missing cells. */
static void say_words(const hb_survey_column *column, FILE *to)
{
    if (column->named > 0) {
        fprintf(to, " ('%s'%s in %" PRIu64 " cell%s taken as missing; as a label it stands in quotes in the file)",
                column->missing_word, column->named > 1 ? " or such a word" : "", column->named,
                column->named > 1 ? "s is" : " is");
    }
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
    if (column->zeros > 0) {
        fprintf(to, ", as %" PRIu64 " number%s zeros in front (--scale %s=1 reads numbers)", column->zeros,
                column->zeros > 1 ? "s have" : " has", column->name);
    }
    if (column->words[0] != '\0') {
        fprintf(to, ", '%s' taken as missing", column->words);
    }
    if (column->missing > 0) {
        fprintf(to, ", %" PRIu64 " of %" PRIu64 " cells are missing: ", column->missing, table->survey.rows);
        say_treatment(reading, column->name, to);
    }
    say_words(column, to);
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

/* Adds to the reason why a question cannot be computed the nearest one that can be. */
static hb_status propose(hb_asked_job *job)
{
    const hb_table_words words = hb_asked_survey_words(&job->reading.said);
    const hb_error cause = *hb_last_error();
    hb_reading parsed = {0};
    hb_status st = hb_table_words_parse(&words, &parsed);
    if (st == HB_OK) {
        hb_set_error(&cause);
        st = hb_asked_propose(job, &parsed, attempt, HB_EUSAGE);
    }
    hb_reading_clear(&parsed);
    return st;
}

/* Replaces advice about options of other commands by that for ask. */
static hb_status in_own_words(hb_status st)
{
    const hb_error cause = *hb_last_error();
    const char *own = st == HB_OK                       ? NULL
                      : cause.advice == HB_ADVICE_REALS ? "; or --scheme ckks for reals"
                      : cause.advice == HB_ADVICE_MASK  ? ": a count of such rows is 0"
                                                        : NULL;
    return own != NULL ? hb_advise(HB_FAIL(st, "%.*s", (int)cause.reason, cause.text), cause.advice, "%s", own) : st;
}

/* Says of counts of columns of truth values which rows they count: of other columns they count the filled cells. */
static void say_counts(const hb_asked_job *job)
{
    hb_syntax syntax = {0};
    const hb_question *q = &job->question;
    if (hb_syntax_parse(&syntax, q->text, hb_lang_functions) != HB_OK) {
        hb_clear_error();
        hb_syntax_clear(&syntax);
        return;
    }
    for (const hb_item *item = syntax.items; item < syntax.items + syntax.count; item++) {
        const bool counts =
            item->kind == HB_ITEM_CALL && item->arguments == 1 && strcmp(item->call->name, "count") == 0;
        const hb_item *of = counts ? hb_item_operand(item, 0) : NULL;
        of = counts && of->kind == HB_ITEM_WHERE ? hb_item_operand(of, 0) : of;
        for (uint32_t i = 0; counts && of->kind == HB_ITEM_PICK && of->word_length > 0 && i < q->tables; i++) {
            const hb_survey *survey = &q->table[i].survey;
            for (uint64_t c = 0; c < survey->columns && hb_item_is(&syntax, of - 1, q->table[i].name); c++) {
                const char *name = survey->column[c].name;
                if (survey->column[c].kind == HB_SURVEY_TRUTHS && hb_item_is(&syntax, of, name)) {
                    hb_console_log(
                        job->group, job->common,
                        "count(%s) counts the rows where %s is yes, or true; count(%s is not missing) counts "
                        "the filled cells",
                        name, name, name);
                }
            }
        }
    }
    hb_syntax_clear(&syntax);
}

static hb_status check_unread(const hb_asked_job *job)
{
    hb_reading said = {0};
    hb_status st = hb_table_words_parse(&job->options->table, &said);
    st = st == HB_OK ? hb_asked_refuse_unread(&job->question, &said, job->options->range) : st;
    hb_reading_clear(&said);
    return st;
}

static hb_status attempt(hb_asked_job *job, const char *title, char **suggested)
{
    hb_words words = {0};
    const hb_phase phase = {.title = title, .words = &words};
    hb_status st;
    HB_GOTO(read_question(job, title != NULL));
    HB_GOTO(choose_scheme(job));
    HB_GOTO(check_columns(job));
    HB_GOTO(hb_asked_check_joins(&job->question));
    HB_GOTO(refuse_twins(&job->question));
    HB_GOTO(job->options->rows_match ? HB_OK : hb_asked_refuse_pairs(&job->question));
    HB_GOTO(hb_asked_find_reading(&job->reading, &job->question, job->reals));
    HB_GOTO(title != NULL ? check_unread(job) : HB_OK); /* an offer may replace such columns */
    HB_GOTO(title != NULL ? hb_asked_look_at_labels(job) : HB_OK);
    HB_GOTO(search_words(&words, job, job->question.text));
    if (title != NULL) {
        hb_phase_begin(&job->phases);
    }
    st = in_own_words(hb_phase_run(&job->phases, &phase, suggested));
    st = hb_fail_at_origin(st, job->question.text, job->question.origin, job->options->question);
done:
    hb_words_clear(&words);
    return st;
}

/* Whether the search refused the question itself. */
static bool is_refused(const hb_asked_job *job, hb_status st)
{
    return job->phases.now > 0 && (st == HB_EUSAGE || st == HB_ECONFIG);
}

hb_status hb_asked_search(hb_asked_job *job)
{
    const double started = hb_now();
    char *text = NULL;
    bool offered = false;
    job->reading.said = job->options->table;
    hb_status st = attempt(job, "finds how to compute it", &text);
    if (is_refused(job, st)) {
        st = hb_asked_offer(job, attempt, st, &offered);
        st = st == HB_EUSAGE && !offered ? propose(job) : st;
    }
    HB_GOTO(st);
    HB_GOTO(hb_asked_plan_make(&job->plan, text != NULL ? text : "", &job->question));
    say_reading(job);
    HB_GOTO(hb_asked_say_without_effect(job));
    say_counts(job);
    hb_asked_say_precision(job);
    if (!job->common->quiet) {
        st = hb_asked_offer(job, attempt, HB_OK, &offered);
    }
done:
    free(text);
    job->times.search = hb_now() - started;
    return st;
}
