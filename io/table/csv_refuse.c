/* One message for all columns of a CSV that cannot be read, and what to say so that the others are. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csv_columns.h"
#include "csv_reasons.h"
#include "table_private.h"

/* As much as a message holds: what is wrong, and what helps. */
enum { WRONG = 260, ADVICE = 220, HINT = 240 };
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
    const hb_csv_place truth = shown->first[HB_CSV_IS_TRUTH], date = shown->first[HB_CSV_IS_DATE];
    return truth.row == 0 || (date.row > 0 && date.row < truth.row) ? date : truth;
}

/* A date of another order than is read, `form`; others of the column may be of that. */
static void describe_order(const hb_csv_column *column, const char *form, char *out, size_t bytes)
{
    const hb_csv_shown *shown = &column->shown;
    const char *other = shown->wrong.order;
    const bool others = shown->count[column->guessed ? HB_CSV_IS_DATE : HB_CSV_IS_NUMBER] > 0;
    char helps[64] = "; --date-format says which it is, as d.m.y";
    if (others) {
        snprintf(helps, sizeof helps, ", as that of others is: write all alike");
    } else if (other[0] != '\0') {
        snprintf(helps, sizeof helps, ": --date-format %s reads it", other);
    } else if (form[0] != '\0') {
        helps[0] = '\0';
    }
    snprintf(out, bytes, "the field is no date: its order is not %s%s", form[0] != '\0' ? form : "YYYY-MM-DD", helps);
}

static void describe_wrong(const hb_csv_column *column, hb_cell_type cells, char *out, size_t bytes)
{
    const hb_csv_shown *shown = &column->shown;
    const bool real = cells == HB_CELL_REAL;
    const char *type = real ? "a number" : "an integer";
    const hb_csv_cell *wrong = &shown->wrong;
    if (shown->count[HB_CSV_IS_WRONG] == 0) {
        snprintf(out, bytes, "the field is not %s, where others are", type);
    } else if (wrong->day) {
        snprintf(out, bytes, "the field is no date: %s", wrong->why);
    } else if (wrong->why != NULL && (!column->guessed || column->collects)) {
        snprintf(out, bytes, "the field %s", wrong->why);
    } else if (wrong->why != NULL) {
        snprintf(out, bytes, "the field is not %s: it %s", type, wrong->why);
    } else {
        snprintf(out, bytes, "the %s",
                 real                    ? "number is too large for a double"
                 : cells == HB_CELL_WIDE ? "integer does not fit in 128 bits"
                                         : "integer does not fit in 64 bits");
    }
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
        describe_wrong(column, cells, what, sizeof what);
        if (shown->count[HB_CSV_IS_WRONG] > 0 && shown->wrong.why == hb_csv_another_order) {
            describe_order(column, form, what, sizeof what);
        } else if (shown->wrong.stranger && hb_columns_show_names(schema->column, schema->columns)) {
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
           shown->count[HB_CSV_IS_NUMBER] == 0 && shown->count[HB_CSV_IS_DATE] == 0;
}

/* What would take a column. */
typedef enum remedy { AS_IT_IS, SCALE, NONE } remedy;

static remedy remedy_of(const hb_csv_column *column)
{
    const hb_csv_shown *shown = &column->shown;
    if (!is_wrong(column)) {
        return AS_IT_IS;
    }
    const uint64_t others = shown->count[HB_CSV_IS_TRUTH] + shown->count[HB_CSV_IS_DATE];
    const bool scaled = shown->count[HB_CSV_IS_WRONG] > 0 && shown->fractions_only && has_scale(shown) && others == 0;
    return scaled ? SCALE : NONE;
}

enum { MOST_COMPARED = 1 << 12 }; /* columns whose names are compared, each with each */
enum { MOST_ADVISED = 64 };       /* the longest name that advice shows */

/* A name as an option takes it: in double quotes where it has other signs. A name that a shell would not take so, or
 * that is too long for a line, is COLUMN: the table may be a stranger's, and people paste advice. */
static void add_name(text *t, const char *name)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
    char quoted[2 * MOST_ADVISED + 8];
    size_t at = 0;
    if (strchr(name, '\'') != NULL || strlen(name) > MOST_ADVISED) {
        (void)add(t, "COLUMN");
        return;
    }
    if (strspn(name, plain) == strlen(name)) {
        (void)add(t, name);
        return;
    }
    /* For a shell: within single ones. */
    at += (size_t)sprintf(quoted, "'\"");
    for (; *name != '\0'; name++) {
        quoted[at++] = *name;
        if (*name == '"') {
            quoted[at++] = '"';
        }
    }
    memcpy(quoted + at, "\"'", 3);
    (void)add(t, quoted);
}

/* "=100" for two digits. */
static const char *power_text(int digits)
{
    static const char *const power[MOST_DIGITS + 1] = {"=1",      "=10",      "=100",      "=1000",     "=10000",
                                                       "=100000", "=1000000", "=10000000", "=100000000"};
    return power[digits];
}

/* Adds an option with a list of all columns with a remedy. */
static void add_option(text *t, const char *option, const hb_schema *schema, const hb_csv_column *columns,
                       remedy wanted)
{
    bool any = false;
    char room[HB_READING_NAME];
    for (uint64_t c = 0; c < schema->columns; c++) {
        const remedy of = remedy_of(&columns[c]);
        /* Of --columns all that can be taken. */
        if (wanted == AS_IT_IS ? of == NONE : of != wanted) {
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
            (void)add(t, power_text(columns[c].shown.needed));
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
    const hb_csv_shown *shown = &columns[last].shown;
    bool empty = shown->count[HB_CSV_IS_MISSING] > 0;
    for (int kind = 0; kind < HB_CSV_KINDS; kind++) {
        empty = empty && (kind == HB_CSV_IS_MISSING || shown->count[kind] == 0);
    }
    return c == last && empty;
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

/* Names the columns that --columns, as it is proposed, does not read. */
static void list_left_out(text *t, const hb_schema *schema, const hb_csv_column *columns)
{
    char room[HB_READING_NAME];
    uint64_t count = 0;
    bool fits = true;
    for (uint64_t c = 0; c < schema->columns; c++) {
        if (remedy_of(&columns[c]) == NONE) {
            const char *name = hb_reading_name(schema, c, room);
            fits = fits && t->length + strlen(name) + sizeof ", .., which cannot be read)" < t->most;
            (void)(fits && add(t, count == 0 ? " (it leaves out " : ", ") && add(t, name));
            count++;
        }
    }
    if (t->length > 0) {
        (void)(add(t, fits ? "" : ", ..") && add(t, ", which cannot be read)"));
    }
}

static bool is_any_wrong(const hb_schema *schema, const hb_csv_column *columns)
{
    uint64_t c = 0;
    while (c < schema->columns && !is_wrong(&columns[c])) {
        c++;
    }
    return c < schema->columns;
}

/* What to say; nothing where no column is left, or names may not be shown. Of a dataset's columns nothing is chosen. */
static void advise(text *t, const hb_schema *schema, const hb_csv_column *columns, bool fixed)
{
    uint64_t none = 0, missing = 0;
    for (uint64_t c = 0; c < schema->columns; c++) {
        const bool out = remedy_of(&columns[c]) == NONE;
        none += out;
        missing += !out && lacks(&columns[c]);
    }
    if (none == schema->columns || !hb_columns_show_names(schema->column, schema->columns)) {
        return;
    }
    if (fixed) {
        missing = is_any_wrong(schema, columns) ? 0 : missing;
    } else {
        if (none > 0) {
            add_option(t, "columns", schema, columns, AS_IT_IS);
        }
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
    char name[2 * MOST_ADVISED + 8] = "", room[HB_READING_NAME];
    text t = {name, 0, sizeof name};
    add_name(&t, shows ? hb_reading_name(schema, c, room) : "COLUMN");
    if (shown->fractions > 0 && shown->needed > MOST_DIGITS) {
        snprintf(hint, HINT,
                 "; --scale with --round rounds decimals of single or double precision: --scale %s=100 --round keeps "
                 "two digits",
                 name);
    } else if (column->guessed && !shown->wrong.day && numbers > 0 && shown->strange.count > 0 &&
               !shown->strange.full && is_wrong(column)) {
        const bool scaled = shown->fractions > 0 && has_scale(shown);
        snprintf(hint, HINT, "; if the text stands for a missing value, name it: --na TEXT%s%s%s",
                 scaled ? ", and decimals have a scale: --scale " : "", scaled ? name : "",
                 scaled ? power_text(shown->needed) : "");
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
    char name[2 * MOST_ADVISED + 8] = "", labels[LABELS];
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

hb_status hb_csv_refuse(const char *path, const hb_schema *schema, const hb_csv_column *columns, hb_cell_type cells,
                        const hb_reading *reading, bool whole)
{
    char wrong[WRONG] = "", advice[ADVICE] = "";
    text w = {wrong, 0, sizeof wrong}, a = {advice, 0, sizeof advice};
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
            add_wrong(&w, schema, c, &columns[c], cells, reading->dialect.date);
        }
    }
    char more[64] = "";
    if (w.most == w.length) {
        snprintf(more, sizeof more, "; %" PRIu64 " such columns in all", count);
    }
    const bool nameless = is_nameless(schema);
    char hint[HINT] = "";
    const bool twins = !nameless && hint_twins(hint, schema, columns);
    if (!nameless && !twins && !((whole || reading->needs_all) && none_helps(schema, columns))) {
        advise(&a, schema, columns, reading->fixed);
    }
    const char *odd = !nameless ? ""
                      : is_trailing(schema, columns)
                          ? "; lines end in the sign between fields: take it out there"
                          : "; the first line does not name all columns: is it a title? Remove it";
    for (uint64_t c = 0; c < schema->columns && !nameless && hint[0] == '\0'; c++) {
        if (reading->fixed) {
            hint_fixed(hint, &schema->column[c], &columns[c], reading);
        } else {
            hint_at(hint, schema, c, &columns[c]);
        }
    }
    const bool cut = a.length + 40 > sizeof advice; /* an option that is not whole helps nobody */
    char without[ADVICE / 2] = "";
    if (!cut && strstr(advice, "--columns") != NULL) {
        list_left_out(&(text){without, 0, sizeof without}, schema, columns);
    }
    const bool labels = texts && !nameless && !twins && !reading->fixed;
    return HB_FAIL(HB_EDATA, "%s: %s%s%s%s%s%s%s%s%s", path, wrong, more, a.length > 0 && !cut ? "; read with " : "",
                   cut ? "" : advice, without, cut ? "; see --columns, --scale and --missing" : "",
                   labels ? "; texts are read as labels alone, which are PUBLIC" : "", nameless ? odd : hint,
                   fraction && cells != HB_CELL_REAL && !reading->fixed ? "; or keygen --params ckks-14 for reals"
                                                                        : "");
}
