/* The nearest question that works, for one that does not. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/console.h"
#include "job.h"
#include "lang/compile/picked_columns.h"
#include "lang/text/binding.h"
#include "phrase.h"
#include "trial.h"

#define NO_MEMORY HB_FAIL(HB_ENOMEM, "no memory for a question")

/* The name of a column as a question writes it. */
static char *written(const hb_question *q, const hb_asked_table *table, const char *name)
{
    char room[HB_COLUMN_WORD], *text = NULL;
    const char *word;
    if (hb_columns_word(name, room, &word) != HB_OK ||
        asprintf(&text, "%s%s%s", q->lone ? "" : table->name, q->lone ? "" : ".", word) < 0) {
        return NULL;
    }
    return text;
}

static void clear(hb_phrase_column *columns, size_t count)
{
    for (size_t i = 0; columns != NULL && i < count; i++) {
        free(columns[i].written);
    }
    free(columns);
}

/* All columns of the tables. */
static hb_status list_columns(const hb_question *q, hb_phrase_column **columns, size_t *count)
{
    size_t all = 0;
    for (uint32_t i = 0; i < q->tables; i++) {
        all += (size_t)q->table[i].survey.columns;
    }
    *count = 0;
    *columns = calloc(all + 1, sizeof **columns);
    hb_status st = *columns != NULL ? HB_OK : NO_MEMORY;
    for (uint32_t i = 0; i < q->tables && st == HB_OK; i++) {
        const hb_survey *survey = &q->table[i].survey;
        for (uint64_t c = 0; c < survey->columns && st == HB_OK; c++) {
            const hb_survey_column *column = &survey->column[c];
            char *text = written(q, &q->table[i], column->name);
            st = text != NULL ? HB_OK : NO_MEMORY;
            (*columns)[*count] =
                (hb_phrase_column){.name = column->name,
                                   .written = text,
                                   .missing = column->missing > 0,
                                   .odd = !hb_name_valid(column->name),
                                   .texts = column->kind == HB_SURVEY_TEXTS,
                                   .days = column->kind == HB_SURVEY_DATES || column->kind == HB_SURVEY_TIMES};
            ++*count;
        }
    }
    return st;
}

/* Whether a question has the name of a column as a word, in large or small letters. */
static bool is_named(const char *said, const char *name)
{
    const size_t length = strlen(name);
    const char *at = length > 0 ? strcasestr(said, name) : NULL;
    while (at != NULL && !hb_name_at(said, at, length)) {
        at = strcasestr(at + 1, name);
    }
    return at != NULL;
}

/* A question about columns that were named: the number of rows by the texts of one, and the mean of another. NULL where
 * none of them is named. */
static char *example(const hb_question *q, const char *said)
{
    char *texts = NULL, *number = NULL, *text = NULL;
    const hb_asked_table *table = &q->table[0];
    for (uint64_t c = 0; c < table->survey.columns; c++) {
        const hb_survey_column *column = &table->survey.column[c];
        if (!is_named(said, column->name)) {
            continue;
        }
        if (texts == NULL && column->kind == HB_SURVEY_TEXTS) {
            texts = written(q, table, column->name);
        } else if ((column->kind == HB_SURVEY_INTEGERS || column->kind == HB_SURVEY_DECIMALS) &&
                   strcasecmp(column->name, "id") != 0 && number == NULL) {
            number = written(q, table, column->name);
        }
    }
    int length = 0;
    if (texts != NULL) {
        length = asprintf(&text, "groupby(%s, count()%s%s%s)", texts, number != NULL ? ", mean(" : "",
                          number != NULL ? number : "", number != NULL ? ")" : "");
    } else if (number != NULL) {
        length = asprintf(&text, "mean(%s)", number);
    }
    free(texts);
    free(number);
    return length > 0 ? text : NULL;
}

/* Whether a question is one of the language. */
static bool is_question(const hb_question *q, const hb_reading *reading, const char *text, char *const *words)
{
    hb_question other;
    const hb_error cause = *hb_last_error();
    const bool is = hb_question_read(&other, text, reading, words, q->tables) == HB_OK;
    hb_question_clear(&other);
    hb_set_error(&cause);
    return is;
}

/* Returns the end of a text or name in quotes that begins here; no such one begins at an apostrophe, as in what's. */
static const char *skip_quoted(const char *said, const char *begin)
{
    const bool opens = (*said == '\'' || *said == '"') && (said == begin || !hb_name_goes_on(said[-1]));
    const char *end = opens ? strchr(said + 1, *said) : NULL;
    return end != NULL ? end + 1 : said;
}

/* Whether somebody wrote sentences: two words beside each other. */
static bool is_prose(const char *said)
{
    const char *const begin = said;
    static const char *const words[] = {"where", "and", "or", "not", "in", "between", "is", "missing", "repeat"};
    bool before = false, found = false;
    while (*said != '\0' && !found) {
        const char *quoted = skip_quoted(said, begin);
        if (quoted != said) { /* its words are no sentence */
            said = quoted;
            before = false;
            continue;
        }
        const size_t length = strspn(said, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
        bool keyword = length == 0 || (*said >= '0' && *said <= '9');
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            keyword = keyword || (strlen(words[i]) == length && strncmp(said, words[i], length) == 0);
        }
        found = before && !keyword;
        said += length > 0 ? length : 1;
        before = !keyword && *said == ' ';
        said += strspn(said, " ");
    }
    return found;
}

/* The differences between a proposal and the question, " (..)"; "": none. */
static const char *describe(unsigned changes, char room[256])
{
    static const struct {
        hb_phrase_change change;
        const char *text;
    } texts[] = {{HB_PHRASE_UNORDERED, "without the order and the limit"},
                 {HB_PHRASE_SQUARED, "the square of the standard deviation"},
                 {HB_PHRASE_COUNTED, "it counts every value of the column"},
                 {HB_PHRASE_COVARIANCE, "the covariance of the rows that have both is (var(x + y) - var(x - y))/4"},
                 {HB_PHRASE_CORRELATION,
                  "the correlation of the rows that have both is (var(x + y) - var(x - y))/4/sqrt(var(x)*var(y))"},
                 {HB_PHRASE_APART, "compute the rest with its results"}};
    size_t length = 0;
    room[0] = '\0';
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (changes & texts[i].change) {
            length += (size_t)snprintf(room + length, 256 - length, "%s%s", length > 0 ? "; " : " (", texts[i].text);
        }
    }
    snprintf(room + length, 256 - length, "%s", length > 0 ? ")" : "");
    return room;
}

/* A proposal, and whether it can be computed. */
typedef struct proposal {
    char *text; /* owned */
    unsigned changes;
    bool example;
    bool computed;
    hb_error why; /* it is not */
    bool offered; /* `why` has a cheaper question, which can be */
    char *tables; /* owned; NULL, or it can be computed of these tables alone, which it reads */
    bool apart;   /* `tables` are more than one */
    char *join;   /* the call that reads another table; NULL: none is known; owned */
} proposal;

static void clear_proposal(proposal *p)
{
    free(p->text);
    free(p->tables);
    free(p->join);
    *p = (proposal){.text = NULL};
}

/* Finds whether a proposal can be computed with these tables and options, or with those that it reads; if not, why, and
 * a cheaper way. */
static hb_status try_proposal(const hb_asked_job *job, hb_asked_attempt *attempt, proposal *p)
{
    const hb_error cause = *hb_last_error();
    hb_ask_options options = *job->options;
    hb_asked_trial all, some = {.join = NULL};
    size_t size;
    options.question = p->text;
    hb_status st = hb_asked_try(job, attempt, &options, &all);
    p->computed = st == HB_OK;
    p->why = *hb_last_error();
    p->offered = all.offered;
    options.tables = all.read.word;
    options.table_count = all.read.count;
    if (st == HB_EUSAGE && all.read.count > 0 && hb_asked_try(job, attempt, &options, &some) == HB_OK) {
        FILE *to = open_memstream(&p->tables, &size);
        p->computed = to != NULL;
        p->apart = all.read.count > 1;
        p->join = all.join;
        all.join = NULL;
        if (to != NULL) {
            hb_words_print(&all.read, to);
            p->computed = fclose(to) == 0;
        }
    }
    hb_asked_trial_clear(&all);
    hb_asked_trial_clear(&some);
    hb_set_error(&cause);
    return st == HB_ENOMEM ? NO_MEMORY : HB_OK;
}

/* Returns a reason without the place in the question, "character 1 of 'x': ". */
static const char *without_place(const char *reason, const char *question)
{
    const char *at = strncmp(reason, "character ", 10) == 0 ? strstr(reason, question) : NULL;
    const size_t length = strlen(question);
    return at != NULL && strncmp(at + length, "': ", 3) == 0 ? at + length + 3 : reason;
}

/* Writes a proposal as a shell takes it, in parentheses what it changes, and why it cannot be computed. NULL: no
 * memory. */
static char *say_proposal(const proposal *p, const char *before)
{
    const hb_words words = {(char *[]){p->text, NULL}, 1};
    char room[256], *line = NULL;
    size_t size;
    FILE *to = open_memstream(&line, &size);
    if (to == NULL) {
        return NULL;
    }
    fprintf(to, "%s%s: ", before, describe(p->changes, room));
    hb_words_print(&words, to);
    if (p->tables != NULL) {
        fprintf(to, " of the table%s %s alone%s%s", p->apart ? "s" : "", p->tables,
                p->join != NULL ? "; to join the other one, take " : "", p->join != NULL ? p->join : "");
    } else if (!p->computed) {
        fprintf(to, ", which cannot be computed either: %s", without_place(p->why.text, p->text));
    }
    if (fclose(to) != 0) {
        free(line);
        line = NULL;
    }
    return line;
}

/* Whether two questions differ in blanks alone. */
static bool same_but_blanks(const char *x, const char *y)
{
    x += strspn(x, " ");
    y += strspn(y, " ");
    while (*x == *y && *x != '\0') {
        x += 1 + strspn(x + 1, " ");
        y += 1 + strspn(y + 1, " ");
    }
    return *x == *y;
}

/* Adds a proposal to the reason; words of SQL and sentences have no other reason than that they are no expression. */
static hb_status say(const hb_asked_job *job, const proposal *p, hb_status st)
{
    static const char own[] = "a question is written in hebatch's own language (hebatch help language)";
    const char *said = job->options->question;
    const hb_error cause = *hb_last_error();
    const bool prose = is_prose(said);
    if (!p->computed && same_but_blanks(p->text, said)) { /* the fault is not in its words */
        return st;
    }
    if (p->example && (!prose || !p->computed)) {
        return prose ? HB_FAIL(st, own) : st;
    }
    char *line = say_proposal(p, prose         ? p->example ? "one about this table is" : "the nearest to this is"
                                 : p->computed ? "this can be asked"
                                               : "the nearest question is");
    if (line == NULL) {
        return NO_MEMORY;
    }
    /* variances stand in the place of the advice to decrypt them */
    const bool variances = (p->changes & (HB_PHRASE_COVARIANCE | HB_PHRASE_CORRELATION)) != 0;
    const int length = prose                                            ? (int)strlen(own)
                       : variances && cause.advice == HB_ADVICE_INSTEAD ? (int)cause.reason
                                                                        : (int)strlen(cause.text);
    const int room = (int)sizeof cause.text - 3 - (int)strlen(line);
    if (room < 80) { /* a part of a question helps nobody */
        hb_console_log(job->group, job->common, "%s", line);
        st = HB_FAIL(st, "%.*s", length, prose ? own : cause.text);
    } else {
        st = HB_FAIL(st, "%.*s; %s", length < room ? length : room, prose ? own : cause.text, line);
    }
    free(line);
    return st;
}

/* A part of a date that --derive makes, as year(admitted): names the column in the advice, and the question that reads
 * what is made. */
static hb_status name_date(const hb_question *q, const char *said, hb_status st)
{
    static const char option[] = "--derive '";
    const hb_error cause = *hb_last_error();
    const char *advice = strstr(cause.text + cause.reason, option),
               *made = advice != NULL ? advice + strlen(option) : "";
    const size_t length = strcspn(made, "=");
    char call[32], *text = NULL, *line = NULL;
    size_t size;
    snprintf(call, sizeof call, "%.*s(", (int)length, made);
    const char *at = length > 0 && strstr(made, "(d)'") != NULL ? strstr(said, call) : NULL;
    const char *end = at != NULL ? strchr(at, ')') : NULL;
    char *column = end != NULL ? strndup(at + length + 1, (size_t)(end - at) - length - 1) : NULL;
    const bool known = column != NULL && q->tables == 1 && hb_name_valid(column) &&
                       hb_survey_find(&q->table[0].survey, column) != NULL;
    FILE *to = known ? open_memstream(&line, &size) : NULL;
    if (to != NULL && asprintf(&text, "%.*s%.*s%s", (int)(at - said), said, (int)length, made, end + 1) >= 0) {
        hb_words_print(&(hb_words){(char *[]){text, NULL}, 1}, to);
        free(text);
    }
    if (to != NULL && fclose(to) == 0) {
        st = HB_FAIL(st, "%.*s%.*s=%.*s%.64s)', and ask %s", (int)(made - cause.text), cause.text, (int)length, made,
                     (int)length + 1, call, column, line);
    }
    free(line);
    free(column);
    return st;
}

/* Counts of all values that are too many for a histogram are those of groups, which are bins then. */
static hb_status try_groups(const hb_asked_job *job, hb_asked_attempt *attempt, proposal *p)
{
    static const char histogram[] = "histogram(";
    proposal groups = *p;
    groups.tables = groups.join = NULL;
    if (p->computed || strncmp(p->text, histogram, strlen(histogram)) != 0) {
        return HB_OK;
    }
    const char *column = p->text + strlen(histogram);
    if (asprintf(&groups.text, "groupby(%.*s, count())", (int)strlen(column) - 1, column) < 0) {
        return NO_MEMORY;
    }
    const hb_status st = try_proposal(job, attempt, &groups);
    const bool better = groups.computed || groups.offered;
    clear_proposal(better ? p : &groups);
    *p = better ? groups : *p;
    return st;
}

/* Finds the nearest question of the language; p->text: NULL: there is none. */
static hb_status find_nearest(const hb_asked_job *job, const hb_reading *reading, proposal *p)
{
    const hb_question *q = &job->question;
    const hb_ask_options *options = job->options;
    hb_phrase_column *columns = NULL;
    size_t count = 0;
    const hb_error cause = *hb_last_error();
    hb_status st = HB_OK;
    if (cause.advice == HB_ADVICE_APART) {
        HB_GOTO(hb_asked_take_apart(q, options->question, &p->text));
        p->changes = HB_PHRASE_APART;
    }
    if (p->text == NULL) {
        HB_GOTO(q->tables > 0 ? list_columns(q, &columns, &count) : HB_OK);
        HB_GOTO(hb_phrase_find(options->question, columns, count, &p->text, &p->changes));
    }
    hb_set_error(&cause);
    if (p->text == NULL || strcmp(p->text, options->question) == 0 ||
        !is_question(q, reading, p->text, options->tables)) {
        free(p->text);
        *p = (proposal){.text = q->tables > 0 ? example(q, options->question) : NULL, .example = true};
    }
done:
    clear(columns, count);
    return st;
}

hb_status hb_asked_propose(const hb_asked_job *job, const hb_reading *reading, hb_asked_attempt *attempt, hb_status st)
{
    const hb_question *q = &job->question;
    const hb_error cause = *hb_last_error();
    proposal p = {.text = NULL};
    bool named = q->corrected;
    st = named ? st : hb_asked_name_unfilled(job, attempt, st, &named);
    if (named) {
        return st;
    }
    for (uint32_t i = 0; i < q->tables; i++) {
        if (q->table[i].survey.columns == 0) { /* nothing is known of its columns */
            return st;
        }
    }
    if (cause.advice == HB_ADVICE_DERIVE && !is_prose(job->options->question)) {
        return name_date(q, job->options->question, st);
    }
    hb_status own = find_nearest(job, reading, &p);
    own = own == HB_OK && p.text != NULL ? try_proposal(job, attempt, &p) : own;
    own = own == HB_OK && p.text != NULL && !p.example ? try_groups(job, attempt, &p) : own;
    hb_set_error(&cause);
    if (own == HB_OK && p.text != NULL) {
        st = say(job, &p, st);
    } else if (is_prose(job->options->question)) {
        st = HB_FAIL(st, "a question is written in hebatch's own language (hebatch help language)");
    }
    clear_proposal(&p);
    return st;
}
