#include "csv_advice.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/quoted.h"
#include "table/shell_line.h"
#include "table_private.h"

#define NO_MEMORY HB_FAIL(HB_ENOMEM, "no memory for advice")

/* --- lists of options, whose elements are NAME, NAME=VALUE or a word */

/* The bytes of the element that begins at `at`: commas in quotes stand within it. */
static size_t element_length(const char *at)
{
    size_t length = 0;
    for (bool quoted = false; at[length] != '\0' && (quoted || at[length] != ','); length++) {
        quoted = quoted != (at[length] == '"');
    }
    return length;
}

/* Whether an element is about the column of that name. */
static bool is_about(const char *element, size_t length, const char *name)
{
    size_t inner;
    if (element[0] == '"' && hb_quoted_length(element + 1, '"', &inner)) {
        return hb_quoted_is(element + 1, inner, name);
    }
    const char *sign = memchr(element, '=', length);
    const size_t own = sign != NULL ? (size_t)(sign - element) : length;
    return strlen(name) == own && memcmp(element, name, own) == 0;
}

static void put_element(FILE *to, const char *element, size_t length)
{
    char *word = strndup(element, length);
    hb_shell_word(word != NULL ? word : "..", to);
    free(word);
}

char *hb_csv_list_with(const char *given, const char *name, const char *value)
{
    char *text = NULL, word[HB_SHELL_COLUMN];
    size_t size;
    FILE *to = open_memstream(&text, &size);
    for (const char *at = given; to != NULL && at != NULL && *at != '\0';) {
        const size_t length = element_length(at);
        if (!is_about(at, length, name)) {
            put_element(to, at, length);
            fputc(',', to);
        }
        at += length + (at[length] == ',');
    }
    if (to != NULL) {
        fprintf(to, "%s%s", hb_shell_column(word, name), value);
    }
    if (to == NULL || fclose(to) != 0) {
        free(text);
        text = NULL;
    }
    return text;
}

/* --- all options */

typedef struct options {
    FILE *to;
    uint64_t count; /* of options */
    bool open;      /* the last option has an element */
    const hb_schema *schema;
    const hb_csv_column *columns;
    const hb_reading *reading;
} options;

/* Writes the option where it has no element yet, else a comma. */
static void begin_element(options *o, const char *option)
{
    if (o->open) {
        fputc(',', o->to);
    } else {
        fprintf(o->to, "%s--%s ", o->count++ > 0 ? " " : "", option);
    }
    o->open = true;
}

/* The remedy for the column that an element is about; HB_CSV_AS_IT_IS where the file has no such column. */
static hb_csv_remedy remedy_for(const options *o, const char *element, size_t length)
{
    char room[HB_READING_NAME];
    uint64_t c = 0;
    while (c < o->schema->columns && !is_about(element, length, hb_reading_name(o->schema, c, room))) {
        c++;
    }
    return c < o->schema->columns && !o->reading->fixed ? hb_csv_remedy_of(&o->columns[c]) : HB_CSV_AS_IT_IS;
}

/* Whether an element of --missing refuses cells that are missing. */
static bool refuses(const char *element, size_t length)
{
    static const char word[] = "refuse";
    const size_t bytes = sizeof word - 1;
    return length >= bytes && memcmp(element + length - bytes, word, bytes) == 0 &&
           (length == bytes || element[length - bytes - 1] == '=');
}

/* Writes the elements of a list that was given, but for those of columns that are left out, or whose remedy is
 * `other`, and treatments of missing cells that refuse them. */
static void put_given(options *o, const char *option, const char *given, hb_csv_remedy other, bool treats)
{
    for (const char *at = given; at != NULL && *at != '\0';) {
        const size_t length = element_length(at);
        const hb_csv_remedy remedy = remedy_for(o, at, length);
        if (remedy != HB_CSV_NO_REMEDY && (other == HB_CSV_AS_IT_IS || remedy != other) &&
            !(treats && refuses(at, length))) {
            begin_element(o, option);
            put_element(o->to, at, length);
        }
        at += length + (at[length] == ',');
    }
}

static void put_name(options *o, const char *option, const char *name)
{
    char room[HB_SHELL_COLUMN];
    begin_element(o, option);
    fputs(hb_shell_column(room, name), o->to);
}

/* The columns to read: those of --columns, or all, and those that are derived. */
static void put_columns(options *o, bool leaves_out)
{
    const hb_reading *reading = o->reading;
    char room[HB_READING_NAME];
    o->open = false;
    put_given(o, "columns", reading->said.columns, HB_CSV_AS_IT_IS, false);
    for (uint64_t c = 0; reading->said.columns == NULL && leaves_out && c < o->schema->columns; c++) {
        if (hb_csv_remedy_of(&o->columns[c]) != HB_CSV_NO_REMEDY) {
            put_name(o, "columns", hb_reading_name(o->schema, c, room));
        }
    }
    for (size_t i = 0; reading->said.columns == NULL && leaves_out && i < reading->derived.count; i++) {
        put_name(o, "columns", reading->derived.item[i].name);
    }
}

/* Adds the columns that have percent signs, and those that need a scale, to those that were given. */
static void put_remedies(options *o)
{
    const hb_reading *reading = o->reading;
    char room[HB_READING_NAME];
    o->open = false;
    put_given(o, "percent", reading->said.percent, HB_CSV_AS_IT_IS, false);
    for (uint64_t c = 0; c < o->schema->columns && !reading->fixed; c++) {
        const hb_csv_remedy remedy = hb_csv_remedy_of(&o->columns[c]);
        const bool percent = remedy == HB_CSV_SCALE && o->columns[c].shown.percents > 0 && !o->columns[c].percent;
        if (remedy == HB_CSV_PERCENT || percent) {
            put_name(o, "percent", hb_reading_name(o->schema, c, room));
        }
    }
    o->open = false;
    put_given(o, "scale", reading->said.scale, HB_CSV_SCALE, false);
    for (uint64_t c = 0; c < o->schema->columns && !reading->fixed; c++) {
        if (hb_csv_remedy_of(&o->columns[c]) == HB_CSV_SCALE) {
            put_name(o, "scale", hb_reading_name(o->schema, c, room));
            fprintf(o->to, "=%" PRIu64, hb_scale_of_digits(o->columns[c].shown.needed));
        }
    }
}

/* Whether a list says something of all columns, but that their missing cells are refused. */
static bool treats_all(const char *given)
{
    bool all = false;
    for (const char *at = given; at != NULL && *at != '\0';) {
        const size_t length = element_length(at);
        const bool named = at[0] == '"' ? at[length - 1] != '"' : memchr(at, '=', length) != NULL;
        all = all || (!named && !refuses(at, length));
        at += length + (at[length] == ',');
    }
    return all;
}

/* Writes that rows are left out for missing cells of columns without a mask alone, where others have one and drop would
 * leave out those of theirs as well. Returns whether there are such columns. */
static bool put_unmasked(options *o)
{
    char room[HB_READING_NAME];
    bool masked = false;
    for (uint64_t c = 0; c < o->schema->columns; c++) {
        masked = masked || o->columns[c].masked;
    }
    if (!masked || !o->reading->fixed) {
        return false;
    }
    begin_element(o, "missing");
    fputs("mask", o->to);
    for (uint64_t c = 0; c < o->schema->columns; c++) {
        if (!o->columns[c].masked && hb_csv_lacks(&o->columns[c])) {
            put_name(o, "missing", hb_reading_name(o->schema, c, room));
            fputs("=drop", o->to);
        }
    }
    return true;
}

static void put_missing(options *o, bool treats)
{
    const char *given = o->reading->said.missing;
    o->open = false;
    if (treats && !treats_all(given) && !put_unmasked(o)) {
        begin_element(o, "missing");
        fputs(o->reading->may_mask ? "mask" : "drop", o->to);
    }
    put_given(o, "missing", given, HB_CSV_AS_IT_IS, treats);
}

/* An option with one text, which may be about a column. */
static void put_text(options *o, const char *option, const char *text)
{
    if (text != NULL) {
        o->open = false;
        begin_element(o, option);
        hb_shell_word(text, o->to);
    }
}

static void put_texts(options *o, const char *option, const char *const *texts, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (remedy_for(o, texts[i], strlen(texts[i])) != HB_CSV_NO_REMEDY) {
            put_text(o, option, texts[i]);
        }
    }
}

static void put_all(options *o, bool leaves_out, bool treats)
{
    const hb_reading_words *said = &o->reading->said;
    put_columns(o, leaves_out);
    put_remedies(o);
    put_missing(o, treats);
    put_texts(o, "category", said->categories, said->category_count);
    o->open = false;
    put_given(o, "date", said->date, HB_CSV_AS_IT_IS, false);
    o->open = false;
    put_given(o, "time-of-day", said->time_of_day, HB_CSV_AS_IT_IS, false);
    o->open = false;
    put_given(o, "fold", said->fold, HB_CSV_AS_IT_IS, false);
    put_texts(o, "digits", said->digits, said->digit_count);
    for (uint32_t i = 0; i < said->derive_count; i++) {
        put_text(o, "derive", said->derive[i]);
    }
    put_texts(o, "na", said->na, said->na_count);
    put_text(o, "header", said->header);
    put_text(o, "delimiter", said->delimiter);
    put_text(o, "decimal", said->decimal);
    put_text(o, "date-format", said->date_format);
    put_text(o, "charset", said->charset);
    if (said->round) {
        fprintf(o->to, "%s--round", o->count++ > 0 ? " " : "");
    }
    if (said->follow_files) {
        fprintf(o->to, "%s--follow-files", o->count++ > 0 ? " " : "");
    }
}

/* Whether a column is made of that one, which therefore cannot be left out. */
static bool is_source(const hb_reading *reading, const char *name)
{
    bool is = false;
    for (size_t i = 0; i < reading->derived.count; i++) {
        is = is || hb_derivation_reads(&reading->derived.item[i], name);
    }
    return is;
}

hb_status hb_csv_advise(const hb_schema *schema, const hb_csv_column *columns, const hb_reading *reading, bool whole,
                        hb_csv_advice *advice)
{
    uint64_t out = 0, mended = 0, missing = 0, wrong = 0;
    bool needed = false;
    char room[HB_READING_NAME];
    *advice = (hb_csv_advice){.options = NULL};
    for (uint64_t c = 0; c < schema->columns; c++) {
        const hb_csv_remedy remedy = hb_csv_remedy_of(&columns[c]);
        out += remedy == HB_CSV_NO_REMEDY;
        mended += remedy == HB_CSV_SCALE || remedy == HB_CSV_PERCENT;
        missing += remedy != HB_CSV_NO_REMEDY && hb_csv_lacks(&columns[c]);
        wrong += hb_csv_is_wrong(&columns[c]);
        needed =
            needed || (remedy == HB_CSV_NO_REMEDY && (whole || is_source(reading, hb_reading_name(schema, c, room))));
    }
    const bool fixed = reading->fixed, treats = missing > 0 && !(fixed && wrong > 0);
    if (out == schema->columns || needed || !hb_columns_show_names(schema->column, schema->columns) ||
        !(treats || (!fixed && out + mended > 0))) {
        return HB_OK;
    }
    size_t size;
    options o = {open_memstream(&advice->options, &size), 0, false, schema, columns, reading};
    if (o.to == NULL) {
        return NO_MEMORY;
    }
    advice->leaves_out = !fixed && out > 0;
    advice->treats = treats;
    put_all(&o, advice->leaves_out, treats);
    if (fclose(o.to) != 0) {
        free(advice->options);
        advice->options = NULL;
        return NO_MEMORY;
    }
    return HB_OK;
}
