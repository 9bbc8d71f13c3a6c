/* Options of a question that name a column with its table, h.kg, as the question does: a command reads one table, and
 * its options name columns alone. */
#include <stdlib.h>
#include <string.h>

#include "base/quoted.h"
#include "job.h"
#include "lang/text/binding.h"
#include "table/shell_line.h"

#define NO_MEMORY HB_FAIL(HB_ENOMEM, "no memory for what is said of columns")

/* Options as they are written anew, one after another. */
typedef struct rewriting {
    hb_question q;          /* the tables, and their columns once they are known */
    bool known;             /* their columns are */
    hb_asked_texts *kept;   /* the texts in the place of those that were given */
    const hb_texts *derive; /* as given */
    const char *option;     /* the current one */
} rewriting;

/* A column that stands in an option behind its table. */
typedef struct qualified {
    uint32_t table;     /* q.tables: it is none */
    const char *column; /* with the quotes that it has */
    size_t length;
} qualified;

/* Finds TABLE.COLUMN at the beginning of a text; the column ends at one of `stops`, or with its quotes. */
static qualified find(const rewriting *w, const char *at, const char *stops)
{
    qualified found = {.table = 0};
    for (; found.table < w->q.tables; found.table++) {
        const char *name = w->q.table[found.table].name;
        const size_t length = strlen(name);
        size_t inner = 0;
        if (strncmp(at, name, length) != 0 || at[length] != '.') {
            continue;
        }
        found.column = at + length + 1;
        const bool quoted = found.column[0] == '"' && hb_quoted_length(found.column + 1, '"', &inner);
        found.length = quoted ? inner + 2 : strcspn(found.column, stops);
        if (found.length > 0) {
            break;
        }
    }
    return found;
}

static bool is_named(const qualified *of, const char *name)
{
    const bool quoted = of->column[0] == '"';
    return hb_quoted_is(of->column + quoted, of->length - (quoted ? 2 : 0), name);
}

/* Looks at the columns of all tables, as they stand there. */
static hb_status look(rewriting *w)
{
    const hb_reading none = {0};
    for (uint32_t i = 0; i < w->q.tables && !w->known; i++) {
        HB_TRY(hb_table_survey(w->q.table[i].path, &none, &w->q.table[i].survey));
    }
    w->known = true;
    return HB_OK;
}

static bool has(const hb_survey *survey, const qualified *of)
{
    uint64_t c = 0;
    while (c < survey->columns && !is_named(of, survey->column[c].name)) {
        c++;
    }
    return c < survey->columns;
}

/* Whether --derive makes the column. */
static bool is_made(const rewriting *w, const qualified *of)
{
    bool made = false;
    for (uint32_t i = 0; i < w->derive->count; i++) {
        const char *text = w->derive->text[i];
        const qualified own = find(w, text, "=");
        text = own.table < w->q.tables ? own.column : text;
        made = made || (strncmp(text, of->column, of->length) == 0 && text[of->length] == '=');
    }
    return made;
}

/* Whether a table has a column of the whole name, with the table in it. */
static bool is_whole(const rewriting *w, const char *at, const qualified *of)
{
    const qualified whole = {.column = at, .length = (size_t)(of->column + of->length - at)};
    bool is = false;
    for (uint32_t i = 0; i < w->q.tables; i++) {
        is = is || has(&w->q.table[i].survey, &whole);
    }
    return is;
}

/* How an option names columns. */
typedef enum form {
    AT_ELEMENTS,  /* COLUMN or COLUMN=VALUE, separated by commas */
    AT_VALUES,    /* COLUMN=VALUE or a value of all, separated by commas */
    AT_BEGINNING, /* COLUMN or COLUMN=.., one */
    AT_FIRST,     /* COLUMN=.. or something of all, one */
    ANYWHERE      /* --derive: in an expression */
} form;

/* Refuses an option of a column that two tables have, with the option that is about both. */
static hb_status refuse_both(const rewriting *w, const qualified *of, form how, uint32_t other)
{
    const char *behind = of->column + of->length;
    const size_t length = of->length + (how == AT_ELEMENTS || how == AT_VALUES ? strcspn(behind, ",") : strlen(behind));
    char *element = strndup(of->column, length), *word = NULL;
    FILE *to = element != NULL ? open_memstream(&word, &(size_t){0}) : NULL;
    hb_status st = NO_MEMORY;
    if (to != NULL) {
        hb_shell_word(element, to);
        st = fclose(to) != 0 ? NO_MEMORY
                             : HB_FAIL(HB_EUSAGE, "%.64s and %.64s both have a column %.*s; --%s %.200s is about both",
                                       w->q.table[of->table].name, w->q.table[other].name,
                                       (int)(of->length < 64 ? of->length : 64), of->column, w->option, word);
    }
    free(element);
    free(word);
    return st;
}

/* Checks that the column alone means the same: no other table may have it, but in expressions. */
static hb_status check(const rewriting *w, const qualified *of, form how)
{
    const hb_asked_table *table = &w->q.table[of->table];
    const int length = (int)(of->length < 64 ? of->length : 64);
    if (table->survey.columns > 0 && !has(&table->survey, of) && !is_made(w, of)) {
        return HB_FAIL(HB_EUSAGE, "--%s: there is no column %.*s in table %.64s, %s", w->option, length, of->column,
                       table->name, table->path);
    }
    for (uint32_t i = 0; i < w->q.tables && how != ANYWHERE; i++) {
        if (i != of->table && has(&w->q.table[i].survey, of)) {
            return refuse_both(w, of, how, i);
        }
    }
    return HB_OK;
}

static hb_status keep(rewriting *w, char *text, const char **to)
{
    char **longer = realloc(w->kept->text, (w->kept->count + 1) * sizeof *longer);
    if (longer == NULL) {
        free(text);
        return NO_MEMORY;
    }
    w->kept->text = longer;
    w->kept->text[w->kept->count++] = text;
    *to = text;
    return HB_OK;
}

/* Whether a column may begin at this place of a text. */
static bool begins(form how, const char *text, const char *at, bool quoted)
{
    return !quoted && (at == text || (how == ANYWHERE ? !hb_name_goes_on(at[-1]) && at[-1] != '.'
                                      : how == AT_ELEMENTS || how == AT_VALUES ? at[-1] == ','
                                                                               : false));
}

/* Writes an option without the tables in front of columns; *to stays where it has none. */
static hb_status rewrite(rewriting *w, const char *option, form how, const char **to)
{
    const char *text = *to, *stops = how == ANYWHERE ? " ,=<>!()'" : ",=";
    char *out = text != NULL ? malloc(strlen(text) + 1) : NULL, quote = '\0';
    size_t length = 0;
    hb_status st = text == NULL || out != NULL ? HB_OK : NO_MEMORY;
    bool any = false;
    w->option = option;
    for (const char *at = text; st == HB_OK && at != NULL && *at != '\0';) {
        const qualified of =
            begins(how, text, at, quote != '\0') ? find(w, at, stops) : (qualified){w->q.tables, "", 0};
        const bool values = how == AT_VALUES || how == AT_FIRST;
        if (of.table < w->q.tables && (!values || of.column[of.length] == '=')) {
            st = look(w);
            if (st == HB_OK && !is_whole(w, at, &of)) {
                st = check(w, &of, how);
                any = true;
                at = of.column;
            }
        }
        if (*at == '"' || (*at == '\'' && how == ANYWHERE)) {
            quote = quote == '\0' ? *at : quote == *at ? '\0' : quote;
        }
        out[length++] = *at++;
    }
    if (st != HB_OK || !any) {
        free(out);
        return st;
    }
    out[length] = '\0';
    return keep(w, out, to);
}

static hb_status rewrite_texts(rewriting *w, const char *option, form how, hb_texts *texts)
{
    for (uint32_t i = 0; i < texts->count; i++) {
        HB_TRY(rewrite(w, option, how, &texts->text[i]));
    }
    return HB_OK;
}

static hb_status rewrite_all(rewriting *w, hb_table_words *words)
{
    hb_texts derive = words->derive;
    HB_TRY(rewrite(w, "missing", AT_VALUES, &words->missing));
    HB_TRY(rewrite(w, "decimal", AT_VALUES, &words->decimal));
    HB_TRY(rewrite(w, "time-of-day", AT_VALUES, &words->time_of_day));
    HB_TRY(rewrite(w, "scale", AT_ELEMENTS, &words->scale));
    HB_TRY(rewrite(w, "percent", AT_ELEMENTS, &words->percent));
    HB_TRY(rewrite(w, "fold", AT_ELEMENTS, &words->fold));
    HB_TRY(rewrite(w, "date", AT_ELEMENTS, &words->date));
    HB_TRY(rewrite(w, "columns", AT_ELEMENTS, &words->columns));
    HB_TRY(rewrite_texts(w, "category", AT_BEGINNING, &words->categories));
    HB_TRY(rewrite_texts(w, "na", AT_FIRST, &words->na));
    HB_TRY(rewrite_texts(w, "derive", ANYWHERE, &derive));
    words->derive = derive;
    return HB_OK;
}

hb_status hb_asked_unqualify(hb_ask_options *options, hb_asked_texts *kept)
{
    rewriting w = {.kept = kept, .derive = &options->table.derive};
    *kept = (hb_asked_texts){.count = 0};
    hb_status st = hb_question_take_tables(&w.q, options->tables, options->table_count);
    if (st == HB_OK) {
        st = rewrite_all(&w, &options->table);
    } else {
        hb_clear_error(); /* the question is refused for them */
        st = HB_OK;
    }
    hb_question_clear(&w.q);
    return st;
}
