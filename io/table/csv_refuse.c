/* One message for all columns of a CSV that cannot be read, and what to say so that the others are. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csv_advice.h"
#include "csv_reasons.h"
#include "table/shell_line.h"
#include "table_private.h"

/* As much as a message holds: what is wrong, and what helps. */
enum { WRONG = 260, LEAST_WRONG = 120, ADVICE = 400, LEFT_OUT = 240, HINT = 360 };
/* As much as is said of all columns together: how many there are, and as many names; why one is left out. */
enum { COUNT = 120, MOST_NAMED = 10, BRIEF = 64 };
enum { MESSAGE = sizeof(((hb_error *)NULL)->text) };

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
    if (hb_csv_is_wrong(column)) {
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

/* Whether a column has texts, for most part words. They are read as labels alone, which are public: that is said, and
 * proposed for no column. */
static bool has_texts(const hb_csv_column *column)
{
    const hb_csv_shown *shown = &column->shown;
    const bool words_only = shown->count[HB_CSV_IS_WRONG] > 0 && shown->words.other.row == 0 &&
                            shown->words.count > 0 && shown->count[HB_CSV_IS_NUMBER] == 0 &&
                            shown->count[HB_CSV_IS_DATE] == 0 && shown->count[HB_CSV_IS_TIME] == 0;
    return column->guessed && (words_only || hb_csv_mostly_words(shown));
}

enum { MOST_COMPARED = 1 << 12 }; /* columns whose names are compared, each with each */

static void add_name(text *t, const char *name)
{
    char room[HB_SHELL_COLUMN];
    (void)add(t, hb_shell_column(room, name));
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

/* Writes a reason in few words: "a percent sign", of "has a percent sign: take it out of the table"; "a comma,
 * --decimal" where that option reads it. */
static void shorten(const char *why, char *out, size_t bytes)
{
    static const char has[] = "has ";
    why += strncmp(why, has, sizeof has - 1) == 0 ? sizeof has - 1 : 0;
    const char *space = strstr(why, " (");
    const size_t end = strcspn(why, ":"), stop = space != NULL ? (size_t)(space - why) : end;
    snprintf(out, bytes, "%.*s%s", (int)(stop < end ? stop : end), why,
             strstr(why, "--decimal") != NULL       ? ", --decimal"
             : strstr(why, "--time-of-day") != NULL ? ", --time-of-day"
             : strstr(why, "--percent") != NULL     ? ", --percent"
                                                    : "");
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
    shorten(why, out, BRIEF);
}

/* Whether a column is left out for this reason. */
static bool is_out(const hb_csv_column *column, const char *reason)
{
    char why[BRIEF];
    if (hb_csv_remedy_of(column) != HB_CSV_NO_REMEDY) {
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
        if (hb_csv_remedy_of(&columns[c]) != HB_CSV_NO_REMEDY) {
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
        if (!hb_csv_is_wrong(&columns[c]) && !hb_csv_lacks(&columns[c])) {
            continue;
        }
        hb_column_label(label, schema, c);
        const bool fits = named < MOST_NAMED && t.length + strlen(label) + 2 < t.most;
        t.most += fits ? 0 : 4;
        (void)(add(&t, fits ? (named == 0 ? ": " : ", ") : ", ..") && (!fits || add(&t, label)));
        named = fits ? named + 1 : MOST_NAMED + 1;
    }
}

/* Writes --na with the texts that were given and a new one. */
static void add_missing_text(text *t, const hb_reading *reading)
{
    char *given = NULL;
    size_t size;
    const char *all = hb_na_of_all(reading->said.na, reading->said.na_count); /* others add up */
    FILE *to = all != NULL ? open_memstream(&given, &size) : NULL;
    if (to != NULL) {
        hb_shell_word(all, to);
        fputc(',', to);
        if (fclose(to) != 0) {
            free(given);
            given = NULL;
        }
    }
    (void)(add(t, "; if the text stands for a missing value, name it: --na ") && (given == NULL || add(t, given)) &&
           add(t, "TEXT"));
    free(given);
}

/* Writes --scale with the scales that were given and another one. */
static void add_scale(text *t, const hb_reading *reading, const char *name, uint64_t scale)
{
    char value[24];
    snprintf(value, sizeof value, "=%" PRIu64, scale);
    char *list = hb_csv_list_with(reading->said.scale, name, value);
    (void)(add(t, "--scale ") && add(t, list != NULL ? list : "COLUMN=100"));
    free(list);
}

/* Advice for a column that is left out. */
static void hint_at(char hint[HINT], const hb_schema *schema, uint64_t c, const hb_csv_column *column,
                    const hb_reading *reading)
{
    const hb_csv_shown *shown = &column->shown;
    const uint64_t numbers = shown->count[HB_CSV_IS_NUMBER] + shown->fractions;
    const bool shows = hb_columns_show_names(schema->column, schema->columns);
    char room[HB_READING_NAME];
    const char *name = shows ? hb_reading_name(schema, c, room) : "COLUMN";
    text t = {hint, 0, HINT};
    if (shown->fractions > 0 && shown->needed > HB_CSV_MOST_DIGITS) {
        (void)add(&t, "; --scale with --round rounds decimals of single or double precision: ");
        add_scale(&t, reading, name, 100);
        (void)add(&t, " --round keeps two digits");
    } else if (column->guessed && !shown->wrong.day && numbers > 0 && !hb_csv_mostly_words(shown) &&
               shown->strange.count > 0 && !shown->strange.full && hb_csv_is_wrong(column) && shown->percents == 0 &&
               (shown->fractions > 0 || hb_csv_may_be_missing(shown->wrong.why))) {
        add_missing_text(&t, reading);
        if (shown->fractions > 0 && hb_csv_has_scale(shown)) {
            (void)add(&t, ", and decimals have a scale: ");
            add_scale(&t, reading, name, hb_scale_of_digits(shown->needed));
        }
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
    if (!hb_csv_is_wrong(as)) {
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
        add_missing_text(&(text){hint, 0, HINT}, reading);
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

/* Writes the options that read the rest, with those that were given, and what they leave out; "" where there are none.
 * An option that is not whole helps nobody: where there is no room for all, the message names the options alone. */
static hb_status write_advice(char out[ADVICE + LEFT_OUT], const hb_schema *schema, const hb_csv_column *columns,
                              const hb_reading *reading, bool whole)
{
    static const char with[] = "; read with ", way[] = "; mask skips the missing cells, drop instead leaves out their "
                                                       "rows";
    hb_csv_advice advice;
    HB_TRY(hb_csv_advise(schema, columns, reading, whole, &advice));
    text t = {out, 0, ADVICE + LEFT_OUT - sizeof way};
    out[0] = '\0';
    const bool masks = advice.treats && reading->may_mask;
    if (advice.options != NULL && advice.treats && reading->no_mask) {
        (void)add(&t,
                  "; the dataset has no mask for that column, and --missing mask makes one only when the dataset is "
                  "encrypted first");
    } else if (advice.options != NULL && strlen(advice.options) + sizeof with + sizeof way > ADVICE) {
        (void)add(&t, "; see --columns, --scale and --missing");
    } else if (advice.options != NULL) {
        (void)(add(&t, with) && add(&t, advice.options));
        if (advice.leaves_out) {
            text left = {out + t.length, 0, LEFT_OUT};
            list_left_out(&left, schema, columns);
            t.length += left.length;
        }
        t.most = ADVICE + LEFT_OUT;
        (void)(masks && add(&t, way));
    }
    free(advice.options);
    return HB_OK;
}

/* Says the sign in front of fractions of the first column that has another one than was said of it or of all. */
static void add_sign(text *t, const hb_schema *schema, const hb_csv_column *columns, const hb_reading *reading)
{
    const char *given = reading->said.decimal, *sign = NULL;
    char room[HB_READING_NAME], value[16];
    uint64_t c = 0;
    while (c < schema->columns && (columns[c].decimal == 0 || !hb_csv_is_wrong(&columns[c]) ||
                                   (sign = hb_csv_other_sign(columns[c].shown.wrong.why)) == NULL)) {
        c++;
    }
    if (c == schema->columns || !hb_columns_show_names(schema->column, schema->columns)) {
        return;
    }
    snprintf(value, sizeof value, "=%s", sign);
    given = given != NULL && strcmp(given, ",") == 0 ? "comma" : given;
    char *list = hb_csv_list_with(given, hb_reading_name(schema, c, room), value);
    (void)(list != NULL && add(t, "; its sign is said as --decimal ") && add(t, list));
    free(list);
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
            hint_at(hint, schema, c, &columns[c], reading);
        }
    }
    if (!is_nameless(schema)) {
        add_sign(&(text){hint, strlen(hint), HINT}, schema, columns, reading);
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
        if (hb_csv_is_wrong(&columns[c]) || hb_csv_lacks(&columns[c])) {
            count++;
            fraction = fraction || columns[c].shown.fractions_only;
            texts = texts || has_texts(&columns[c]);
        }
    }
    const bool named = !is_nameless(schema) && !hint_twins(hint, schema, columns);
    if (named) {
        HB_TRY(write_advice(advice, schema, columns, reading, whole || reading->needs_all));
    }
    write_hint(hint, schema, columns, reading);
    const char *labels = texts && named && !reading->fixed
                             ? "; texts can only be read as labels, whose list is PUBLIC (hebatch help meanings)"
                             : "";
    const char *reals =
        fraction && cells != HB_CELL_REAL && !reading->fixed ? "; or keygen --params ckks-14 for reals" : "";
    const char *points = hb_csv_other_points(columns, schema->columns);
    count_wrong(more, count, schema, columns);
    /* Advice is never cut short: fields that cannot be read have the rest of the room. */
    const size_t rest = strlen(path) + strlen(more) + strlen(advice) + strlen(labels) + strlen(hint) + strlen(points) +
                        strlen(reals) + 3;
    const size_t room = rest + LEAST_WRONG < MESSAGE ? MESSAGE - rest : LEAST_WRONG;
    text w = {wrong, 0, room < sizeof wrong ? room : sizeof wrong};
    for (uint64_t c = 0; c < schema->columns; c++) {
        if (hb_csv_is_wrong(&columns[c]) || hb_csv_lacks(&columns[c])) {
            add_wrong(&w, schema, c, &columns[c], cells, reading->dialect.date);
        }
    }
    const hb_status st = HB_FAIL(HB_EDATA, "%s: %s%s%s%s%s%s", path, wrong, w.most == w.length ? more : "", advice,
                                 labels, hint, points);
    return reals[0] != '\0' ? hb_advise(st, HB_ADVICE_REALS, "%s", reals) : st;
}
