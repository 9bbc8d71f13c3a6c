/* One message for all columns of a CSV that cannot be read, and what to say so that the others are. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csv_columns.h"
#include "csv_reasons.h"
#include "table/shell_line.h"
#include "table_private.h"

/* As much as a message holds: what is wrong, and what helps. */
enum { WRONG = 260, LEAST_WRONG = 120, ADVICE = 220, LEFT_OUT = 240, HINT = 240 };
/* As much as is said of all columns together: how many there are, and as many names; why one is left out. */
enum { COUNT = 120, MOST_NAMED = 10, BRIEF = 64 };
enum { MESSAGE = sizeof(((hb_error *)NULL)->text) };
/* Decimals of more digits are those of single and double precision: a scale for them helps nobody. */
enum { MOST_DIGITS = 8 };

/* A text of limited length that grows at its end; what does not fit is left out. */
typedef struct text {
    char *to;
    size_t length, most;
} text;

static bool add(text *t, const char *what)
{
    const size_t bytes = strlen(what);
    if (t->length + bytes >= t->most) {
        return false;
    }
    memcpy(t->to + t->length, what, bytes + 1);
    t->length += bytes;
    return true;
}

static bool is_wrong(const hb_csv_column *column)
{
    const hb_csv_shown *shown = &column->shown;
    return shown->count[HB_CSV_IS_WRONG] > 0 || hb_csv_is_mixed(shown);
}

static bool lacks(const hb_csv_column *column)
{
    return column->missing == HB_MISSING_REFUSE && column->shown.count[HB_CSV_IS_MISSING] > 0;
}

/* The first cell that is of another kind than people would take the column for: what is no number, among numbers. */
static hb_csv_place first_odd(const hb_csv_shown *shown)
{
    const hb_csv_place truth = shown->first[HB_CSV_IS_TRUTH],
                       date = shown->first[shown->count[HB_CSV_IS_TIME] > 0 ? HB_CSV_IS_TIME : HB_CSV_IS_DATE];
    return truth.row == 0 || (date.row > 0 && date.row < truth.row) ? date : truth;
}

enum { LABELS = 100 }; /* as much as a message says of them */

/* Writes labels, in the order of their category, as an option takes them. Returns false where they are too many. */
static bool list_labels(const hb_labels *labels, const char *between, char out[LABELS])
{
    text t = {out, 0, LABELS};
    bool all = true;
    out[0] = '\0';
    for (uint64_t l = 0; l < labels->count && all; l++) {
        const char *label = labels->text[l];
        const char *quote = strpbrk(label, ",=\" ") != NULL ? "\"" : "";
        all = strchr(label, '\'') == NULL && strchr(label, '"') == NULL && add(&t, l > 0 ? between : "") &&
              add(&t, quote) && add(&t, label) && add(&t, quote);
    }
    return all;
}

/* A field of a category that has labels already, which are public; the field's text is not. */
static void describe_stranger(const hb_column *column, char *out, size_t bytes)
{
    char labels[LABELS];
    const hb_labels *own = column->meaning.labels;
    if (list_labels(own, ", ", labels)) {
        snprintf(out, bytes, "the field is no label of %.64s, whose labels are %s", column->name, labels);
    } else {
        snprintf(out, bytes, "the field is none of the %" PRIu64 " labels of %.64s", (uint64_t)own->count,
                 column->name);
    }
}

static void add_wrong(text *t, const hb_schema *schema, uint64_t c, const hb_csv_column *column, hb_cell_type cells,
                      const char *form)
{
    char label[HB_COLUMN_LABEL], at[HB_CSV_PLACE], what[HINT], all[HINT + HB_COLUMN_LABEL + HB_CSV_PLACE + 16];
    const hb_csv_shown *shown = &column->shown;
    hb_column_label(label, schema, c);
    hb_csv_place place = shown->first[HB_CSV_IS_WRONG];
    if (is_wrong(column)) {
        place = place.row > 0 ? place : first_odd(shown);
        hb_csv_describe_wrong(column, cells, form, what, sizeof what);
        if (shown->wrong.stranger && hb_columns_show_names(schema->column, schema->columns)) {
            describe_stranger(&schema->column[c], what, sizeof what);
        }
    } else {
        place = shown->first[HB_CSV_IS_MISSING];
        snprintf(what, sizeof what, "%s", shown->missing);
    }
    snprintf(all, sizeof all, "%s%s, column %s: %s", t->length > 0 ? "; " : "", hb_csv_place_text(at, place), label,
             what);
    if (!add(t, all)) {
        t->most = t->length; /* none that comes later, shorter or not */
    }
}

/* Whether the decimals of a column have a scale, with which they fit in 64 bits. */
static bool has_scale(const hb_csv_shown *shown)
{
    int whole = shown->whole;
    for (uint64_t most = shown->most, digits = 1; most > 0; most /= 10, digits++) {
        whole = (int)digits > whole ? (int)digits : whole;
    }
    return shown->needed <= MOST_DIGITS && whole + shown->needed <= HB_MOST_SCALE_DIGITS;
}

/* Whether a column has texts, words and nothing that numbers or days are written with. They are read as labels alone,
 * which are public: that is said, and proposed for no column. */
static bool has_texts(const hb_csv_column *column)
{
    const hb_csv_shown *shown = &column->shown;
    return column->guessed && shown->count[HB_CSV_IS_WRONG] > 0 && shown->words_only &&
           shown->count[HB_CSV_IS_NUMBER] == 0 && shown->count[HB_CSV_IS_DATE] == 0 &&
           shown->count[HB_CSV_IS_TIME] == 0;
}

/* What would take a column. */
typedef enum remedy { AS_IT_IS, SCALE, PERCENT, NONE } remedy;

static remedy remedy_of(const hb_csv_column *column)
{
    const hb_csv_shown *shown = &column->shown;
    if (!is_wrong(column)) {
        return AS_IT_IS;
    }
    const uint64_t others = shown->count[HB_CSV_IS_TRUTH] + shown->count[HB_CSV_IS_DATE] + shown->count[HB_CSV_IS_TIME];
    const bool scaled = shown->count[HB_CSV_IS_WRONG] > 0 && shown->fractions_only && has_scale(shown) && others == 0;
    const bool percent = shown->percents > 0;
    if (percent && (others + shown->count[HB_CSV_IS_NUMBER] > 0 || shown->percents < shown->count[HB_CSV_IS_WRONG])) {
        return NONE; /* the others may be fractions, or not */
    }
    return scaled ? SCALE : percent ? PERCENT : NONE;
}

enum { MOST_COMPARED = 1 << 12 }; /* columns whose names are compared, each with each */

static void add_name(text *t, const char *name)
{
    char room[HB_SHELL_COLUMN];
    (void)add(t, hb_shell_column(room, name));
}

enum { POWER = 24 };
/* Writes "=100" for two digits. */
static const char *power_text(int digits, char room[POWER])
{
    snprintf(room, POWER, "=%" PRIu64, hb_scale_of_digits(digits));
    return room;
}

/* Adds an option with a list of all columns with a remedy. */
static void add_option(text *t, const char *option, const hb_schema *schema, const hb_csv_column *columns,
                       remedy wanted)
{
    bool any = false;
    char room[HB_READING_NAME], power[POWER];
    for (uint64_t c = 0; c < schema->columns; c++) {
        const remedy of = remedy_of(&columns[c]);
        /* --columns names all columns that can be taken; other options name the columns that they mend. */
        const bool percent = wanted == PERCENT && of == SCALE && columns[c].shown.percents > 0;
        if (wanted == AS_IT_IS ? of == NONE : of != wanted && !percent) {
            continue;
        }
        if (!any) {
            (void)(add(t, t->length > 0 ? " --" : "--") && add(t, option) && add(t, " "));
        } else {
            (void)add(t, ",");
        }
        any = true;
        add_name(t, hb_reading_name(schema, c, room));
        if (wanted == SCALE) {
            (void)add(t, power_text(columns[c].shown.needed, power));
        }
    }
}

/* Whether a column of several has no name, as behind a title: no option names it. */
static bool is_nameless(const hb_schema *schema)
{
    uint64_t c = 0;
    while (c < schema->columns && schema->column[c].name[0] != '\0') {
        c++;
    }
    return schema->named && schema->columns > 1 && c < schema->columns;
}

/* Whether only the last column has no name, and no cell either: each line ends in the sign between fields. */
static bool is_trailing(const hb_schema *schema, const hb_csv_column *columns)
{
    const uint64_t last = schema->columns - 1;
    uint64_t c = 0;
    while (c < last && schema->column[c].name[0] != '\0') {
        c++;
    }
    const uint64_t *count = columns[last].shown.count;
    return c == last && count[HB_CSV_IS_MISSING] > 0 && count[HB_CSV_IS_NUMBER] + count[HB_CSV_IS_WRONG] == 0;
}

/* Whether a column cannot be read, whatever is said of it. */
static bool none_helps(const hb_schema *schema, const hb_csv_column *columns)
{
    uint64_t c = 0;
    while (c < schema->columns && remedy_of(&columns[c]) != NONE) {
        c++;
    }
    return c < schema->columns;
}

/* Says in a few words why a column cannot be read as it is, and which option reads it. No option makes labels. */
static void explain(const hb_csv_column *column, char out[BRIEF])
{
    const hb_csv_shown *shown = &column->shown;
    const hb_csv_cell *wrong = &shown->wrong;
    if (wrong->day && wrong->why == hb_csv_another_order) {
        snprintf(out, BRIEF, "dates, --date-format%s%s", wrong->order[0] != '\0' ? " " : "", wrong->order);
        return;
    }
    const char *why = has_texts(column)                    ? "texts"
                      : shown->count[HB_CSV_IS_WRONG] == 0 ? "numbers beside dates or truth values"
                      : shown->fractions_only              ? hb_csv_decimals_of(shown)
                      : wrong->why == NULL                 ? "too large numbers"
                                                           : wrong->why;
    hb_csv_shorten(why, out, BRIEF);
}

/* Whether a column is left out for this reason. */
static bool is_out(const hb_csv_column *column, const char *reason)
{
    char why[BRIEF];
    if (remedy_of(column) != NONE) {
        return false;
    }
    explain(column, why);
    return strcmp(why, reason) == 0;
}

/* Names the columns that --columns, as it is proposed, does not read, and why: those of one reason together. */
static void list_left_out(text *t, const hb_schema *schema, const hb_csv_column *columns)
{
    char room[HB_READING_NAME], why[BRIEF];
    bool fits = true;
    for (uint64_t c = 0; c < schema->columns && fits; c++) {
        uint64_t same = 0;
        if (remedy_of(&columns[c]) != NONE) {
            continue;
        }
        explain(&columns[c], why);
        while (same < c && !is_out(&columns[same], why)) {
            same++;
        }
        if (same < c) {
            continue;
        }
        (void)add(t, t->length == 0 ? " (it leaves out " : "; ");
        for (uint64_t d = c; d < schema->columns && fits; d++) {
            if (is_out(&columns[d], why)) {
                const char *name = hb_reading_name(schema, d, room);
                fits = t->length + strlen(name) + sizeof why + 8 < t->most;
                (void)((d == c || add(t, ", ")) && add(t, fits ? name : ".."));
            }
        }
        (void)(add(t, ": ") && add(t, why));
    }
    (void)(t->length > 0 && add(t, ")"));
}

/* Writes how many columns cannot be read, and the names of the first ones. */
static void count_wrong(char out[COUNT], uint64_t count, const hb_schema *schema, const hb_csv_column *columns)
{
    char label[HB_COLUMN_LABEL];
    text t = {out, (size_t)snprintf(out, COUNT, "; %" PRIu64 " such columns in all", count), COUNT - 4};
    uint64_t named = 0;
    for (uint64_t c = 0; c < schema->columns && named <= MOST_NAMED; c++) {
        if (!is_wrong(&columns[c]) && !lacks(&columns[c])) {
            continue;
        }
        hb_column_label(label, schema, c);
        const bool fits = named < MOST_NAMED && t.length + strlen(label) + 2 < t.most;
        t.most += fits ? 0 : 4;
        (void)(add(&t, fits ? (named == 0 ? ": " : ", ") : ", ..") && (!fits || add(&t, label)));
        named = fits ? named + 1 : MOST_NAMED + 1;
    }
}

/* Adds advice, unless no column is left or names may not be shown. fixed: a dataset says which columns there are. */
static void advise(text *t, const hb_schema *schema, const hb_csv_column *columns, bool fixed)
{
    uint64_t none = 0, missing = 0, wrong = 0;
    for (uint64_t c = 0; c < schema->columns; c++) {
        const bool out = remedy_of(&columns[c]) == NONE;
        none += out;
        wrong += is_wrong(&columns[c]);
        missing += !out && lacks(&columns[c]);
    }
    if (none == schema->columns || !hb_columns_show_names(schema->column, schema->columns)) {
        return;
    }
    if (fixed) {
        missing = wrong > 0 ? 0 : missing;
    } else {
        if (none > 0) {
            add_option(t, "columns", schema, columns, AS_IT_IS);
        }
        add_option(t, "percent", schema, columns, PERCENT);
        add_option(t, "scale", schema, columns, SCALE);
    }
    if (missing > 0) {
        (void)add(t, t->length > 0 ? " --missing drop" : "--missing drop");
    }
}

/* What may help a column that is left out. */
static void hint_at(char hint[HINT], const hb_schema *schema, uint64_t c, const hb_csv_column *column)
{
    const hb_csv_shown *shown = &column->shown;
    const uint64_t numbers = shown->count[HB_CSV_IS_NUMBER] + shown->fractions;
    const bool shows = hb_columns_show_names(schema->column, schema->columns);
    char name[HB_SHELL_COLUMN] = "", room[HB_READING_NAME], power[POWER];
    text t = {name, 0, sizeof name};
    add_name(&t, shows ? hb_reading_name(schema, c, room) : "COLUMN");
    if (shown->fractions > 0 && shown->needed > MOST_DIGITS) {
        snprintf(hint, HINT,
                 "; --scale with --round rounds decimals of single or double precision: --scale %s=100 --round keeps "
                 "two digits",
                 name);
    } else if (column->guessed && !shown->wrong.day && numbers > 0 && shown->strange.count > 0 &&
               !shown->strange.full && is_wrong(column) && shown->percents == 0 &&
               (shown->fractions > 0 || hb_csv_may_be_missing(shown->wrong.why))) {
        const bool scaled = shown->fractions > 0 && has_scale(shown);
        snprintf(hint, HINT, "; if the text stands for a missing value, name it: --na TEXT%s%s%s",
                 scaled ? ", and decimals have a scale: --scale " : "", scaled ? name : "",
                 scaled ? power_text(shown->needed, power) : "");
    }
}

/* Digits that the scale of a dataset does not keep. */
static void hint_digits(char hint[HINT], const hb_meaning *meaning, bool grows)
{
    const int digits = hb_scale_digits(hb_meaning_scale(meaning));
    char kept[32] = "no digits";
    if (digits > 0) {
        snprintf(kept, sizeof kept, "%d digit%s", digits, digits > 1 ? "s" : "");
    }
    snprintf(hint, HINT, "; the dataset keeps %s behind the point: --round%s", kept,
             grows ? ", or encrypt the tables anew with a larger scale" : "");
}

/* How to go on with a column that is a dataset's: its meaning stays. */
static void hint_fixed(char hint[HINT], const hb_column *column, const hb_csv_column *as, const hb_reading *reading)
{
    const hb_csv_shown *shown = &as->shown;
    char name[HB_SHELL_COLUMN] = "", labels[LABELS];
    text t = {name, 0, sizeof name};
    if (!is_wrong(as)) {
        return;
    }
    if (shown->wrong.stranger && reading->grows) {
        add_name(&t, column->name);
        const bool all = list_labels(column->meaning.labels, ",", labels) && strpbrk(labels, "\" $`\\") == NULL;
        snprintf(hint, HINT, "; mend it, or say all labels and behind them the new one: --category %s=%s,NEW (PUBLIC)",
                 name, all ? labels : "LABEL,..");
    } else if (as->exact && shown->fractions_only) {
        hint_digits(hint, &column->meaning, reading->grows);
    } else if (as->exact && !shown->wrong.day && shown->strange.count > 0 && !shown->strange.full &&
               shown->count[HB_CSV_IS_NUMBER] > 0) {
        snprintf(hint, HINT, "; if the text stands for a missing value, name it: --na TEXT");
    }
}

/* Says which two columns have one name, by their places in the file: no option tells them apart. */
static bool hint_twins(char hint[HINT], const hb_schema *schema, const hb_csv_column *columns)
{
    const uint64_t count = schema->named && schema->columns <= MOST_COMPARED ? schema->columns : 0;
    for (uint64_t c = 0; c < count; c++) {
        for (uint64_t d = 0; d < c; d++) {
            if (strcmp(schema->column[c].name, schema->column[d].name) == 0) {
                snprintf(hint, HINT,
                         "; columns %" PRIu64 " and %" PRIu64 " have the same name: rename one in the header",
                         columns[d].field + 1, columns[c].field + 1);
                return true;
            }
        }
    }
    return false;
}

/* Writes the options that read the rest, and what they leave out; "" where there are none, or no room for all: an
 * option that is not whole helps nobody. */
static void write_advice(char out[ADVICE + LEFT_OUT], const hb_schema *schema, const hb_csv_column *columns, bool fixed)
{
    static const char with[] = "; read with ";
    text t = {out, 0, ADVICE};
    char options[ADVICE] = "";
    text o = {options, 0, sizeof options - sizeof with};
    out[0] = '\0';
    advise(&o, schema, columns, fixed);
    if (o.length + 40 > o.most) {
        (void)add(&t, "; see --columns, --scale and --missing");
        return;
    }
    (void)(o.length > 0 && add(&t, with) && add(&t, options));
    if (strstr(options, "--columns") != NULL) {
        list_left_out(&(text){out + t.length, 0, LEFT_OUT}, schema, columns);
    }
}

/* Writes what else helps: where columns have no names, or two have one, nothing but that does. */
static void write_hint(char hint[HINT], const hb_schema *schema, const hb_csv_column *columns,
                       const hb_reading *reading)
{
    if (is_nameless(schema)) {
        snprintf(hint, HINT, "%s",
                 is_trailing(schema, columns) ? "; lines end in the sign between fields: take it out there"
                                              : "; the first line does not name all columns: is it a title? Remove it");
    }
    for (uint64_t c = 0; c < schema->columns && hint[0] == '\0'; c++) {
        if (reading->fixed) {
            hint_fixed(hint, &schema->column[c], &columns[c], reading);
        } else {
            hint_at(hint, schema, c, &columns[c]);
        }
    }
}

hb_status hb_csv_refuse(const char *path, const hb_schema *schema, const hb_csv_column *columns, hb_cell_type cells,
                        const hb_reading *reading, bool whole)
{
    char wrong[WRONG] = "", advice[ADVICE + LEFT_OUT] = "", more[COUNT] = "", hint[HINT] = "";
    uint64_t count = 0;
    bool fraction = false, texts = false;
    for (uint64_t c = 0; c < schema->columns; c++) {
        if (columns[c].shown.wrong.fault == HB_CSV_NO_MEMORY) {
            return HB_FAIL(HB_ENOMEM, "%s: no memory to read it", path);
        }
        if (is_wrong(&columns[c]) || lacks(&columns[c])) {
            count++;
            fraction = fraction || columns[c].shown.fractions_only;
            texts = texts || has_texts(&columns[c]);
        }
    }
    const bool named = !is_nameless(schema) && !hint_twins(hint, schema, columns);
    if (named && !((whole || reading->needs_all) && none_helps(schema, columns))) {
        write_advice(advice, schema, columns, reading->fixed);
        if (reading->no_mask && strstr(advice, "--missing drop") != NULL) {
            snprintf(advice, sizeof advice,
                     "; the dataset has no mask for that column, and --missing mask makes one only when the dataset is "
                     "encrypted first");
        }
    }
    write_hint(hint, schema, columns, reading);
    const char *labels = texts && named && !reading->fixed
                             ? "; texts can only be read as labels, whose list is PUBLIC (hebatch help meanings)"
                             : "";
    const char *reals =
        fraction && cells != HB_CELL_REAL && !reading->fixed ? "; or keygen --params ckks-14 for reals" : "";
    const char *points = hb_csv_other_points(columns, schema->columns);
    count_wrong(more, count, schema, columns);
    /* Whatever helps is whole: fields that cannot be read have the rest of the room. */
    const size_t rest = strlen(path) + strlen(more) + strlen(advice) + strlen(labels) + strlen(hint) + strlen(points) +
                        strlen(reals) + 3;
    const size_t room = rest + LEAST_WRONG < MESSAGE ? MESSAGE - rest : LEAST_WRONG;
    text w = {wrong, 0, room < sizeof wrong ? room : sizeof wrong};
    for (uint64_t c = 0; c < schema->columns; c++) {
        if (is_wrong(&columns[c]) || lacks(&columns[c])) {
            add_wrong(&w, schema, c, &columns[c], cells, reading->dialect.date);
        }
    }
    return HB_FAIL(HB_EDATA, "%s: %s%s%s%s%s%s%s", path, wrong, w.most == w.length ? more : "", advice, labels, hint,
                   points, reals);
}
