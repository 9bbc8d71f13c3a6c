#include "commands.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "batch/cells/column_values.h"
#include "batch/cells/table_options.h"
#include "lang/text/binding.h"
#include "lang/text/quoted.h"

void hb_shell_word(FILE *to, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+.,:/@%=^";
    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        fputs(word, to);
        return;
    }
    fputc('\'', to);
    for (; *word != '\0'; word++) {
        fputs(*word == '\'' ? "'\\''" : (char[2]){*word, '\0'}, to);
    }
    fputc('\'', to);
}

hb_status hb_columns_word(const char *name, char room[HB_COLUMN_WORD], const char **word)
{
    const bool plain = hb_name_valid(name);
    if (!plain && !hb_quoted_text(room, HB_COLUMN_WORD, name)) {
        return HB_FAIL(HB_EUSAGE, "a column's name is longer than %d bytes", HB_LABEL_MAX);
    }
    *word = plain ? name : room;
    return HB_OK;
}

/* Closes a stream into *text and prints it as a value of an option, where there is something in it. */
static void end_option(FILE *to, const char *option, FILE *value, char **text)
{
    if (fclose(value) == 0 && *text != NULL && (*text)[0] != '\0') {
        fprintf(to, " --%s ", option);
        hb_shell_word(to, *text);
    }
    free(*text);
}

/* Up to the comma that ends the first element of a list. */
static size_t element_length(const char *list)
{
    bool quoted = false;
    size_t length = 0;
    while (list[length] != '\0' && (quoted || list[length] != ',')) {
        quoted = quoted != (list[length] == '"');
        length++;
    }
    return length;
}

/* Whether an element, COLUMN or COLUMN=.., is about a column of the schema. */
static bool is_about(const char *element, size_t length, const hb_schema *schema)
{
    size_t name = 0;
    const bool quoted = element[0] == '"' && hb_quoted_length(element + 1, &name);
    while (!quoted && name < length && element[name] != '=') {
        name++;
    }
    bool found = false;
    for (uint64_t c = 0; schema->named && c < schema->columns; c++) {
        found = found || hb_quoted_is(element + quoted, name, schema->column[c].name);
    }
    return found;
}

/* Prints the elements of a list that are about the table, or about all tables; `only` NULL: all of them. */
static void print_list(FILE *to, const char *option, const char *list, const hb_schema *only)
{
    char *text = NULL;
    size_t size;
    FILE *value = list != NULL ? open_memstream(&text, &size) : NULL;
    bool any = false;
    if (value == NULL) {
        return;
    }
    for (const char *at = list; *at != '\0';) {
        const size_t length = element_length(at);
        const bool global = strcmp(option, "missing") == 0 && memchr(at, '=', length) == NULL;
        if (only == NULL || global || is_about(at, length, only)) {
            fprintf(value, "%s%.*s", any ? "," : "", (int)length, at);
            any = true;
        }
        at += length + (at[length] == ',');
    }
    end_option(to, option, value, &text);
}

/* Those of a category or of digits, one column each. */
static void print_texts(FILE *to, const char *option, const hb_texts *texts, const hb_schema *only)
{
    for (uint32_t i = 0; i < texts->count; i++) {
        if (only == NULL || is_about(texts->text[i], strlen(texts->text[i]), only)) {
            fprintf(to, " --%s ", option);
            hb_shell_word(to, texts->text[i]);
        }
    }
}

static void print_word(FILE *to, const char *option, const char *word)
{
    if (word != NULL) {
        fprintf(to, " --%s ", option);
        hb_shell_word(to, word);
    }
}

/* How a table is read; only: the schema of the columns that are read, where options are said of others, too. */
static void print_reading(FILE *to, const hb_table_words *words, const hb_schema *only, bool columns)
{
    print_list(to, "missing", words->missing, only);
    print_word(to, "na", words->na);
    print_word(to, "header", words->header);
    print_word(to, "delimiter", words->delimiter);
    print_word(to, "decimal", words->decimal);
    print_word(to, "date-format", words->date_format);
    print_word(to, "time-of-day", words->time_of_day);
    print_word(to, "charset", words->charset);
    print_list(to, "percent", words->percent, only);
    fputs(words->round ? " --round" : "", to);
    print_list(to, "scale", words->scale, only);
    print_texts(to, "category", &words->categories, only);
    if (words->fold != NULL && strcmp(words->fold, "all") == 0) {
        print_word(to, "fold", words->fold);
    } else {
        print_list(to, "fold", words->fold, only);
    }
    print_list(to, "date", words->date, only);
    if (columns) {
        print_texts(to, "digits", &words->digits, only);
    }
}

/* Prints what was said of the values of a name, without the name. *all: whether it was said of all columns; returns
 * whether anything was. */
static bool print_said(FILE *value, const char *ranges, const char *name, bool *all)
{
    bool any = false;
    const size_t length = strlen(name);
    *all = false;
    for (const char *at = ranges; at != NULL && *at != '\0';) {
        const size_t whole = element_length(at);
        if (whole > length && strncmp(at, name, length) == 0 && (at[length] == '.' || at[length] == '=')) {
            *all = *all || at[length] == '=';
            fprintf(value, "%s%.*s", any ? "," : "", (int)(whole - length - 1), at + length + 1);
            any = true;
        }
        at += whole + (at[whole] == ',');
    }
    return any;
}

/* Columns of which nothing was said have the values of the table. Returns whether there are such. */
static bool print_measured(FILE *value, const hb_trials *s, uint32_t i)
{
    const hb_schema *schema = &s->schemas[i];
    hb_operand alone = s->operands[i];
    bool any = false;
    for (uint64_t c = 0; c < hb_schema_shown(schema); c++) {
        const hb_interval own = s->operands[i].column_ranges[c];
        hb_column column = schema->column[c];
        char name[2 * HB_LABEL_MAX + 3] = "", text[HB_VALUES_TEXT];
        bool said = false;
        for (uint32_t r = 0; r < s->range_count; r++) {
            const hb_range *range = &s->ranges[r];
            said = said || (strcmp(range->name, alone.name) == 0 &&
                            (range->number == c + 1 || (range->column != NULL && schema->named &&
                                                        strcmp(range->column, schema->column[c].name) == 0)));
        }
        if (said || !own.known || column.meaning.kind == HB_MEANING_CATEGORY ||
            column.meaning.kind == HB_MEANING_BOOL) {
            continue;
        }
        if (own.real) { /* in full: what is planned is what encrypt reads */
            snprintf(text, sizeof text, "%.17g..%.17g", own.low, own.high);
        } else {
            hb_column_set_interval(&column, own);
            hb_values_text(text, &column);
        }
        if (schema->named && hb_quoted_text(name, sizeof name, column.name)) {
            fprintf(value, ",%s=%s", name, text);
        } else {
            fprintf(value, ",%" PRIu64 "=%s", c + 1, text);
        }
        any = true;
    }
    return any;
}

/* Returns whether the option says ranges that were measured. */
static bool print_range(FILE *to, const hb_trials *s, uint32_t i)
{
    char *text = NULL;
    size_t size;
    bool all;
    FILE *value = open_memstream(&text, &size);
    if (value == NULL) {
        return false;
    }
    bool measured = false;
    const bool any = print_said(value, s->request->ranges, s->reads[i], &all);
    if (!any) {
        fputs("measured", value);
        measured = true;
    } else if (!all && s->tables[i].path != NULL) {
        measured = print_measured(value, s, i);
    }
    end_option(to, "range", value, &text);
    return measured;
}

static void print_columns(FILE *to, const hb_trials *s, uint32_t i)
{
    const hb_table_words *words = s->request->words;
    const char *selected = s->tables[i].selected;
    if (selected != NULL || words->columns == NULL) {
        print_word(to, "columns", selected);
    } else {
        print_list(to, "columns", words->columns, &s->schemas[i]);
    }
}

static uint32_t count_tables(const hb_trials *s)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->read_count; i++) {
        count += s->tables[i].path != NULL;
    }
    return count;
}

/* Returns whether it stores ranges that were measured. */
static bool print_encrypt(FILE *to, const hb_trials *s, uint32_t i)
{
    const hb_suggest_request *request = s->request;
    const char *path = s->tables[i].path;
    fputs("hebatch encrypt --key KEYS/public.h5 ", to);
    if (path != NULL) {
        hb_shell_word(to, path);
    } else {
        fprintf(to, "%s.csv", s->reads[i]);
    }
    fprintf(to, " %s.heb", s->reads[i]);
    if (path != NULL) {
        const bool part = count_tables(s) > 1 || (request->words->columns == NULL && s->tables[i].selected != NULL);
        print_reading(to, request->words, part ? &s->schemas[i] : NULL, true);
        print_columns(to, s, i);
    }
    const bool measured = print_range(to, s, i);
    fputs(hb_name_listed(request->filled, s->reads[i]) ? " --fill" : "", to);
    if (request->block > 0) {
        fprintf(to, " --pack rows --block %" PRIu64, request->block);
    }
    return measured;
}

/* What was said of names that are not encrypted: of plain tables, and of results. */
static void print_believed(FILE *to, const hb_trials *s)
{
    char *text = NULL;
    size_t size;
    FILE *value = open_memstream(&text, &size);
    bool any = false;
    if (value == NULL) {
        return;
    }
    for (const char *at = s->request->ranges; at != NULL && *at != '\0';) {
        const size_t length = element_length(at), name = strcspn(at, ".=");
        bool read = false;
        for (uint32_t i = 0; i < s->read_count; i++) {
            const bool named = strlen(s->reads[i]) == name && strncmp(at, s->reads[i], name) == 0;
            read = read || (named && s->operands[i].encrypted);
        }
        if (!read) {
            fprintf(value, "%s%.*s", any ? "," : "", (int)length, at);
            any = true;
        }
        at += length + (at[length] == ',');
    }
    end_option(to, "range", value, &text);
}

static void print_eval(FILE *to, const hb_trials *s, const hb_suggestion *found)
{
    const hb_suggest_request *request = s->request;
    bool plain = false;
    fputs("hebatch eval --keys KEYS ", to);
    fputs(request->model != NULL ? "--model " : "", to);
    hb_shell_word(to, request->model != NULL ? request->model->path : request->expression);
    for (uint32_t i = 0; i < s->read_count; i++) {
        const bool weights = !s->operands[i].encrypted;
        fprintf(to, " %s=", s->reads[i]);
        if (weights) {
            hb_shell_word(to, s->tables[i].path);
            plain = true;
        } else {
            fprintf(to, "%s.heb", s->reads[i]);
        }
    }
    for (uint32_t i = 0; i < found->program.output_count; i++) {
        fprintf(to, " %s=%s.heb", found->program.outputs[i].name, found->program.outputs[i].name);
    }
    if (plain) {
        print_reading(to, request->words, NULL, false);
    }
    print_believed(to, s);
    fputs(request->trust == HB_QUALITY_EXPECTED ? " --noise expected" : "", to);
    if (request->precision > 0) {
        fprintf(to, " --precision %" PRIu32, request->precision);
    }
    if (request->gap > 0) {
        fprintf(to, " --gap %.17g", request->gap);
    }
    fputs(request->wrap ? " --wrap" : "", to);
}

static void print_decrypt(FILE *to, const hb_suggest_request *request, const hb_output *output)
{
    fprintf(to, "hebatch decrypt --key KEYS/secret.h5 %s.heb %s.csv", output->name, output->name);
    if (request->share > 0) {
        fprintf(to, " --share %" PRIu64, request->share);
    }
}

hb_status hb_suggestion_find_commands(const hb_trials *s, hb_suggestion *found)
{
    const uint32_t outputs = found->program.output_count, most = s->read_count + 1 + outputs;
    uint32_t count = 0;
    found->commands = calloc((size_t)most + 1, sizeof *found->commands);
    bool enough = found->commands != NULL;
    for (uint32_t i = 0; enough && i < most; i++) {
        size_t size;
        if (i < s->read_count && !s->operands[i].encrypted) {
            continue;
        }
        FILE *to = open_memstream(&found->commands[count], &size);
        enough = to != NULL;
        if (enough && i < s->read_count) {
            found->measures = print_encrypt(to, s, i) || found->measures;
        } else if (enough && i == s->read_count) {
            print_eval(to, s, found);
        } else if (enough) {
            print_decrypt(to, s->request, &found->program.outputs[i - s->read_count - 1]);
        }
        enough = enough && fclose(to) == 0;
        count++;
    }
    return enough ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for the commands of a suggestion");
}
