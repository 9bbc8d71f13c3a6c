#include "commands.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/quoted.h"
#include "batch/cells/column_values.h"
#include "batch/cells/table_options.h"
#include "lang/text/binding.h"

#define NO_MEMORY HB_FAIL(HB_ENOMEM, "no memory for the commands of a suggestion")

/* Closes a stream into *text and adds it as a value of an option, where there is something in it. */
static hb_status end_option(hb_words *to, const char *option, FILE *value, char **text)
{
    hb_status st = fclose(value) == 0 && *text != NULL ? HB_OK : NO_MEMORY;
    st = st == HB_OK && (*text)[0] != '\0' ? hb_words_add_option(to, option, *text) : st;
    free(*text);
    return st;
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

/* The columns of a table that options are printed for: those of the schema, and those that they are made of. */
typedef struct about {
    const hb_schema *schema; /* NULL: all columns of all tables */
    const hb_derivations *derived;
    bool needed[HB_TEXTS_MOST]; /* of `derived`, those that some column of the schema is, or is made of */
} about;

static about about_columns(const hb_schema *schema, const hb_derivations *derived)
{
    about of = {schema, derived, {false}};
    for (size_t i = 0; i < derived->count && schema != NULL; i++) {
        for (uint64_t c = 0; schema->named && c < schema->columns; c++) {
            of.needed[i] = of.needed[i] || strcmp(schema->column[c].name, derived->item[i].name) == 0;
        }
    }
    hb_derivations_need(derived, of.needed);
    return of;
}

/* Whether an element, COLUMN or COLUMN=.., is about one of these columns. */
static bool is_about(const char *element, size_t length, const about *only)
{
    const hb_schema *schema = only->schema;
    size_t name = 0;
    const bool quoted = element[0] == '"' && hb_quoted_length(element + 1, '"', &name);
    while (!quoted && name < length && element[name] != '=') {
        name++;
    }
    bool found = false;
    for (uint64_t c = 0; schema->named && c < schema->columns; c++) {
        found = found || hb_quoted_is(element + quoted, name, schema->column[c].name);
    }
    for (size_t i = 0; i < only->derived->count; i++) {
        for (int k = 0; k < HB_DERIVED_SOURCES && only->needed[i] && only->derived->item[i].source[k] != NULL; k++) {
            found = found || hb_quoted_is(element + quoted, name, only->derived->item[i].source[k]);
        }
    }
    return found;
}

/* Adds the elements of a list that are about these columns, or about all. */
static hb_status add_list(hb_words *to, const char *option, const char *list, const about *only)
{
    char *text = NULL;
    size_t size;
    FILE *value = list != NULL ? open_memstream(&text, &size) : NULL;
    bool any = false;
    if (value == NULL) {
        return list == NULL ? HB_OK : NO_MEMORY;
    }
    for (const char *at = list; *at != '\0';) {
        const size_t length = element_length(at);
        const bool has_default =
            strcmp(option, "missing") == 0 || strcmp(option, "time-of-day") == 0 || strcmp(option, "decimal") == 0;
        const bool global = has_default && memchr(at, '=', length) == NULL;
        if (only->schema == NULL || global || is_about(at, length, only)) {
            fprintf(value, "%s%.*s", any ? "," : "", (int)length, at);
            any = true;
        }
        at += length + (at[length] == ',');
    }
    return end_option(to, option, value, &text);
}

/* Adds the texts of a category, of digits or of --na, which are about one column each; some of --na are about all. */
static hb_status add_texts(hb_words *to, const char *option, const hb_texts *texts, const about *only)
{
    for (uint32_t i = 0; i < texts->count; i++) {
        const bool global = strcmp(option, "na") == 0 && hb_na_texts(texts->text[i]) == texts->text[i];
        if (only->schema == NULL || global || is_about(texts->text[i], strlen(texts->text[i]), only)) {
            HB_TRY(hb_words_add_option(to, option, texts->text[i]));
        }
    }
    return HB_OK;
}

/* How a table is read; schema: of the columns that are read, where options are said of others, too. */
static hb_status add_reading(hb_words *to, const hb_suggest_request *request, const hb_schema *schema, bool columns)
{
    const hb_table_words *words = request->words;
    const about of = about_columns(schema, &request->reading->derived), *only = &of;
    const about all = about_columns(NULL, of.derived);
    for (size_t i = 0; i < of.derived->count; i++) {
        if (schema == NULL || of.needed[i]) {
            HB_TRY(hb_words_add_option(to, "derive", of.derived->item[i].text));
        }
    }
    const bool folds_all = words->fold != NULL && strcmp(words->fold, "all") == 0;
    HB_TRY(add_list(to, "missing", words->missing, only));
    HB_TRY(add_texts(to, "na", &words->na, only));
    HB_TRY(hb_words_add_option(to, "header", words->header));
    HB_TRY(hb_words_add_option(to, "delimiter", words->delimiter));
    const bool sign = words->decimal != NULL && strcmp(words->decimal, ",") == 0; /* which is no list */
    HB_TRY(add_list(to, "decimal", sign ? "comma" : words->decimal, only));
    HB_TRY(hb_words_add_option(to, "date-format", words->date_format));
    HB_TRY(add_list(to, "time-of-day", words->time_of_day, only));
    HB_TRY(hb_words_add_option(to, "charset", words->charset));
    HB_TRY(add_list(to, "percent", words->percent, only));
    if (words->round) {
        HB_TRY(hb_words_add(to, "--round"));
    }
    HB_TRY(add_list(to, "scale", words->scale, only));
    HB_TRY(add_texts(to, "category", &words->categories, only));
    HB_TRY(add_list(to, "fold", words->fold, folds_all ? &all : only));
    HB_TRY(add_list(to, "date", words->date, only));
    return columns ? add_texts(to, "digits", &words->digits, only) : HB_OK;
}

/* Prints the declared ranges of a name, without the name. *all: whether they are of all columns. Returns whether there
 * are any. */
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
        if (own.real) { /* in full: encrypt must read the planned value */
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

/* Sets *measured where the option says ranges that were measured. */
static hb_status add_range(hb_words *to, const hb_trials *s, uint32_t i, bool *measured)
{
    char *text = NULL;
    size_t size;
    bool all;
    FILE *value = open_memstream(&text, &size);
    if (value == NULL) {
        return NO_MEMORY;
    }
    const bool any = print_said(value, s->request->ranges, s->reads[i], &all);
    if (!any) {
        fputs("measured", value);
        *measured = true;
    } else if (!all && s->tables[i].path != NULL) {
        *measured = print_measured(value, s, i) || *measured;
    }
    return end_option(to, "range", value, &text);
}

static hb_status add_columns(hb_words *to, const hb_trials *s, uint32_t i)
{
    const hb_table_words *words = s->request->words;
    const char *selected = s->tables[i].selected;
    const about only = about_columns(&s->schemas[i], &(hb_derivations){.count = 0});
    return selected != NULL || words->columns == NULL ? hb_words_add_option(to, "columns", selected)
                                                      : add_list(to, "columns", words->columns, &only);
}

static uint32_t count_tables(const hb_trials *s)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->read_count; i++) {
        count += s->tables[i].path != NULL;
    }
    return count;
}

/* Begins a command that takes a file of the folder of keys, or "", the folder itself. */
static hb_status begin(hb_words *to, const hb_suggest_request *request, const char *command, const char *file)
{
    HB_TRY(hb_words_add(to, "hebatch"));
    HB_TRY(hb_words_add(to, command));
    HB_TRY(hb_words_add(to, file[0] == '\0' ? "--keys" : "--key"));
    return hb_words_addf(to, "%s%s", request->judged.keys != NULL ? request->judged.keys : "KEYS", file);
}

/* Sets *measured where it stores ranges that were measured. */
static hb_status add_encrypt(hb_words *to, const hb_trials *s, uint32_t i, bool *measured)
{
    const hb_suggest_request *request = s->request;
    const char *path = s->tables[i].path;
    HB_TRY(begin(to, request, "encrypt", "/public.h5"));
    HB_TRY(hb_words_addf(to, "%s%s", path != NULL ? path : s->reads[i], path != NULL ? "" : ".csv"));
    HB_TRY(hb_words_addf(to, "%s.heb", s->reads[i]));
    if (path != NULL) {
        const bool part = count_tables(s) > 1 || (request->words->columns == NULL && s->tables[i].selected != NULL);
        HB_TRY(add_reading(to, request, part ? &s->schemas[i] : NULL, true));
        HB_TRY(add_columns(to, s, i));
    }
    HB_TRY(add_range(to, s, i, measured));
    if (hb_name_listed(request->rows_of.filled, s->reads[i])) {
        HB_TRY(hb_words_add(to, "--fill"));
    }
    if (hb_name_listed(request->rows_of.spread, s->reads[i])) {
        return hb_words_add(to, "--spread");
    }
    if (request->block > 0) {
        HB_TRY(hb_words_add_option(to, "pack", "rows"));
        HB_TRY(hb_words_add(to, "--block"));
        return hb_words_addf(to, "%" PRIu64, request->block);
    }
    return HB_OK;
}

/* Prints the declared ranges of names that are not encrypted: plain tables and results. */
static hb_status add_believed(hb_words *to, const hb_trials *s)
{
    char *text = NULL;
    size_t size;
    FILE *value = open_memstream(&text, &size);
    bool any = false;
    if (value == NULL) {
        return NO_MEMORY;
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
    return end_option(to, "range", value, &text);
}

static hb_status add_eval(hb_words *to, const hb_trials *s, const hb_suggestion *found)
{
    const hb_suggest_request *request = s->request;
    bool plain = false;
    HB_TRY(begin(to, request, "eval", ""));
    if (request->model != NULL) {
        HB_TRY(hb_words_add(to, "--model"));
    }
    HB_TRY(hb_words_add(to, request->model != NULL ? request->model->path : request->expression));
    for (uint32_t i = 0; i < s->read_count; i++) {
        const bool weights = !s->operands[i].encrypted;
        HB_TRY(hb_words_addf(to, "%s=%s%s", s->reads[i], weights ? s->tables[i].path : s->reads[i],
                             weights ? "" : ".heb"));
        plain = plain || weights;
    }
    for (uint32_t i = 0; i < found->program.output_count; i++) {
        const char *name = found->program.outputs[i].name;
        HB_TRY(hb_words_addf(to, "%s=%s.heb", name, name));
    }
    if (plain) {
        HB_TRY(add_reading(to, request, NULL, false));
    }
    HB_TRY(add_believed(to, s));
    const bool proven = request->bfv.trust_given && hb_trust_by_default(&found->params->spec) != HB_QUALITY_WORST;
    HB_TRY(hb_words_add_option(to, "noise",
                               request->trust == HB_QUALITY_EXPECTED ? "expected"
                               : proven                              ? "worst"
                                                                     : NULL));
    if (request->precision > 0) {
        HB_TRY(hb_words_add(to, "--precision"));
        HB_TRY(hb_words_addf(to, "%" PRIu32, request->precision));
    }
    if (request->gap > 0) {
        HB_TRY(hb_words_add(to, "--gap"));
        HB_TRY(hb_words_addf(to, "%.17g", request->gap));
    }
    return request->wrap ? hb_words_add(to, "--wrap") : HB_OK;
}

static hb_status add_decrypt(hb_words *to, const hb_suggest_request *request, const hb_output *output)
{
    HB_TRY(begin(to, request, "decrypt", "/secret.h5"));
    HB_TRY(hb_words_addf(to, "%s.heb", output->name));
    HB_TRY(hb_words_addf(to, "%s.csv", output->name));
    if (request->share > 0) {
        HB_TRY(hb_words_add(to, "--share"));
        return hb_words_addf(to, "%" PRIu64, request->share);
    }
    return HB_OK;
}

/* Each owner makes a part, for a sum that he knows; anybody combines them. */
static hb_status add_parts(hb_words *part, hb_words *combine, const hb_output *output)
{
    static const char *const words[] = {"hebatch",   "decrypt", "--part", "--key", "PARTY.h5",
                                        "--session", "JOINT",   "--sum",  "SUM"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        HB_TRY(hb_words_add(part, words[i]));
    }
    HB_TRY(hb_words_addf(part, "%s.heb", output->name));
    HB_TRY(hb_words_addf(part, "%s-OWNER.part", output->name));
    HB_TRY(hb_words_add(combine, "hebatch"));
    HB_TRY(hb_words_add(combine, "combine"));
    HB_TRY(hb_words_addf(combine, "%s.heb", output->name));
    HB_TRY(hb_words_addf(combine, "%s-*.part", output->name));
    return hb_words_addf(combine, "%s.csv", output->name);
}

/* Whether a name is of one row beside others of more, and must be spread. */
static bool is_spread(const hb_trials *s, uint32_t i)
{
    const bool spread = s->operands[i].encrypted && !s->operands[i].filled;
    return spread && (s->encrypted_weights >> i & 1 || (s->schemas[i].rows == 1 && s->rows > 1));
}

static bool is_masked(const hb_trials *s, uint32_t i)
{
    return hb_schema_masks(&s->schemas[i]) > 0;
}

static bool is_encrypted(const hb_trials *s, uint32_t i)
{
    return s->operands[i].encrypted;
}

/* A row in one ciphertext, which is taken apart. */
static bool is_taken_apart(const hb_trials *s, uint32_t i)
{
    return s->operands[i].encrypted && s->operands[i].spread > 0;
}

/* The names of some tables, with commas between them, and with their columns where they are taken apart; *list stays
 * where there are none. */
static hb_status list_names(const hb_trials *s, bool (*is_listed)(const hb_trials *, uint32_t), char **list)
{
    for (uint32_t i = 0; i < s->read_count; i++) {
        char *longer = NULL, columns[24] = "";
        if (is_listed(s, i)) {
            const bool first = *list == NULL;
            if (is_listed == is_taken_apart) {
                snprintf(columns, sizeof columns, "=%" PRIu64, s->schemas[i].columns);
            }
            if (asprintf(&longer, "%s%s%s%s", first ? "" : *list, first ? "" : ",", s->reads[i], columns) < 0) {
                return HB_FAIL(HB_ENOMEM, "no memory for names");
            }
            free(*list);
            *list = longer;
        }
    }
    return HB_OK;
}

hb_status hb_suggestion_find_commands(const hb_trials *s, hb_suggestion *found)
{
    HB_TRY(list_names(s, is_spread, &found->one_row));
    HB_TRY(list_names(s, is_taken_apart, &found->spread));
    HB_TRY(list_names(s, is_masked, &found->masked));
    HB_TRY(list_names(s, is_encrypted, &found->encrypted));
    found->commands =
        calloc((size_t)s->read_count + 1 + 2 * (size_t)found->program.output_count, sizeof *found->commands);
    if (found->commands == NULL) {
        return NO_MEMORY;
    }
    for (uint32_t i = 0; i < s->read_count; i++) {
        if (s->operands[i].encrypted) {
            HB_TRY(add_encrypt(&found->commands[found->command_count++], s, i, &found->measures));
        }
    }
    HB_TRY(add_eval(&found->commands[found->command_count++], s, found));
    for (uint32_t i = 0; i < found->program.output_count; i++) {
        const hb_output *output = &found->program.outputs[i];
        hb_words *first = &found->commands[found->command_count];
        if (hb_spec_owners(&found->params->spec) > 1) {
            found->command_count += 2;
            HB_TRY(add_parts(first, first + 1, output));
        } else {
            found->command_count++;
            HB_TRY(add_decrypt(first, s->request, output));
        }
    }
    return HB_OK;
}
