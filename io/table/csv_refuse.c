/* One message for all columns of a CSV that cannot be read, and what to say so that the others are. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csv_columns.h"
#include "table_private.h"

/* As much as a message holds: what is wrong, and what helps. */
enum { WRONG = 260, ADVICE = 220, MOST_DIGITS = 18 };

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
    return shown->count[HB_CSV_IS_WRONG] > 0 || (shown->count[HB_CSV_IS_NUMBER] > 0) +
                                                        (shown->count[HB_CSV_IS_TRUTH] > 0) +
                                                        (shown->count[HB_CSV_IS_DATE] > 0) >
                                                    1;
}

static bool lacks(const hb_csv_column *column)
{
    return column->missing == HB_MISSING_REFUSE && column->shown.count[HB_CSV_IS_MISSING] > 0;
}

/* The first cell that is of another kind than people would take the column for: what is no number, among numbers. */
static uint64_t first_odd(const hb_csv_shown *shown)
{
    const uint64_t truth = shown->first[HB_CSV_IS_TRUTH], date = shown->first[HB_CSV_IS_DATE];
    return truth == 0 || (date > 0 && date < truth) ? date : truth;
}

static void describe_wrong(const hb_csv_column *column, hb_cell_type cells, char *out, size_t bytes)
{
    const hb_csv_shown *shown = &column->shown;
    const bool real = cells == HB_CELL_REAL;
    const char *type = real ? "a number" : "an integer";
    const hb_csv_cell *wrong = &shown->wrong;
    if (shown->count[HB_CSV_IS_WRONG] == 0) {
        snprintf(out, bytes, "the field is not %s, where others are", type);
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

static void add_wrong(text *t, const hb_schema *schema, uint64_t c, const hb_csv_column *column, hb_cell_type cells)
{
    char label[HB_COLUMN_LABEL], what[128], all[256];
    const hb_csv_shown *shown = &column->shown;
    hb_column_label(label, schema, c);
    uint64_t row = shown->first[HB_CSV_IS_WRONG];
    if (is_wrong(column)) {
        row = row > 0 ? row : first_odd(shown);
        describe_wrong(column, cells, what, sizeof what);
    } else {
        row = shown->first[HB_CSV_IS_MISSING];
        snprintf(what, sizeof what, shown->word ? "the value is missing (NA, NaN or null)" : "the field is empty");
    }
    snprintf(all, sizeof all, "%srow %" PRIu64 ", column %s: %s", t->length > 0 ? "; " : "", row, label, what);
    if (!add(t, all)) {
        t->most = t->length; /* none that comes later, shorter or not */
    }
}

/* What would take a column. */
typedef enum remedy { AS_IT_IS, SCALE, CATEGORY, NONE } remedy;

static remedy remedy_of(const hb_csv_column *column)
{
    const hb_csv_shown *shown = &column->shown;
    if (!is_wrong(column)) {
        return AS_IT_IS;
    }
    if (shown->count[HB_CSV_IS_WRONG] > 0 && shown->fractions_only && shown->needed <= MOST_DIGITS &&
        shown->count[HB_CSV_IS_TRUTH] + shown->count[HB_CSV_IS_DATE] == 0) {
        return SCALE;
    }
    /* Labels are public: of what is another one in most rows, as names of people are, none are proposed. */
    uint64_t cells = 0;
    for (int kind = 0; kind < HB_CSV_KINDS; kind++) {
        cells += shown->count[kind];
    }
    return column->guessed && !shown->texts.full && !shown->texts.odd && shown->texts.count > 0 &&
                   shown->texts.count <= cells / 2
               ? CATEGORY
               : NONE;
}

/* A name as an option takes it: in double quotes where it has other signs. */
static void add_name(text *t, const char *name)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
    char quoted[2 * HB_COLUMN_NAME_MAX + 8];
    size_t at = 0;
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

/* Adds an option for all columns with a remedy; as one list, or once for each of them. */
static void add_option(text *t, const char *option, const hb_schema *schema, const hb_csv_column *columns,
                       remedy wanted)
{
    bool any = false;
    for (uint64_t c = 0; c < schema->columns; c++) {
        const remedy of = remedy_of(&columns[c]);
        /* Of --columns all that can be taken. */
        if (wanted == AS_IT_IS ? of == NONE : of != wanted) {
            continue;
        }
        if (!any || wanted == CATEGORY) {
            (void)(add(t, t->length > 0 ? " --" : "--") && add(t, option) && add(t, " "));
        } else {
            (void)add(t, ",");
        }
        any = true;
        add_name(t, schema->column[c].name);
        if (wanted == SCALE) {
            char scale[32] = "=1";
            const int digits = columns[c].shown.needed;
            memset(scale + 2, '0', (size_t)digits);
            scale[2 + digits] = '\0';
            (void)add(t, scale);
        }
    }
}

/* What to say; nothing where no column is left, or names may not be shown. */
static void advise(text *t, const hb_schema *schema, const hb_csv_column *columns)
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
    if (none > 0) {
        add_option(t, "columns", schema, columns, AS_IT_IS);
    }
    add_option(t, "scale", schema, columns, SCALE);
    add_option(t, "category", schema, columns, CATEGORY);
    if (missing > 0) {
        (void)add(t, t->length > 0 ? " --missing drop" : "--missing drop");
    }
}

hb_status hb_csv_refuse(const char *path, const hb_schema *schema, const hb_csv_column *columns, hb_cell_type cells)
{
    char wrong[WRONG] = "", advice[ADVICE] = "";
    text w = {wrong, 0, sizeof wrong}, a = {advice, 0, sizeof advice};
    uint64_t count = 0;
    bool fraction = false;
    for (uint64_t c = 0; c < schema->columns; c++) {
        if (columns[c].shown.wrong.fault == HB_CSV_NO_MEMORY) {
            return HB_FAIL(HB_ENOMEM, "%s: no memory to read it", path);
        }
        if (is_wrong(&columns[c]) || lacks(&columns[c])) {
            count++;
            fraction = fraction || remedy_of(&columns[c]) == SCALE;
            add_wrong(&w, schema, c, &columns[c], cells);
        }
    }
    char more[64] = "";
    if (w.most == w.length) {
        snprintf(more, sizeof more, "; %" PRIu64 " such columns in all", count);
    }
    advise(&a, schema, columns);
    const bool cut = a.length + 40 > sizeof advice; /* an option that is not whole helps nobody */
    return HB_FAIL(HB_EDATA, "%s: %s%s%s%s%s%s%s", path, wrong, more, a.length > 0 && !cut ? "; read with " : "",
                   cut ? "" : advice, !cut && strstr(advice, "--category") != NULL ? " (labels are PUBLIC)" : "",
                   cut ? "; see --columns, --scale, --category and --missing" : "",
                   fraction && cells != HB_CELL_REAL ? "; or keygen --params ckks-14 for reals" : "");
}
