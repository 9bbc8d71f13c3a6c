/* The options of one column; refusals of options for columns that a table does not have, and the column that may be
 * meant; a digest of options for reading. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "reading.h"
#include "table/alike.h"

enum { MOST_COLUMNS = 1 << 14, HELP = 300, MOST_LISTED = 8, LONGEST = 40 };

const hb_column_reading *hb_reading_of(const hb_reading *reading, const char *name)
{
    size_t i = 0;
    while (i < reading->count && strcmp(reading->column[i].name, name) != 0) {
        i++;
    }
    return i < reading->count ? &reading->column[i] : NULL;
}

hb_missing_reading hb_reading_missing(const hb_reading *reading, const hb_column_reading *how)
{
    const bool own = how != NULL && how->has_missing;
    hb_missing_reading of = {.missing = own ? how->missing : reading->missing,
                             .replacement = own ? how->replacement : reading->replacement};
    of.masked = how != NULL && (how->masked || (own && of.missing == HB_MISSING_MASK && !reading->few_masks));
    return of;
}

void hb_reading_clear(hb_reading *reading)
{
    for (size_t i = 0; i < reading->count; i++) {
        free(reading->column[i].name);
        free(reading->column[i].replacement);
        free(reading->column[i].na);
        hb_meaning_clear(&reading->column[i].meaning);
    }
    free(reading->column);
    free(reading->replacement);
    hb_derivations_clear(&reading->derived);
    hb_dialect_clear(&reading->dialect);
    *reading = (hb_reading){0};
}

hb_status hb_reading_called(hb_reading *reading, const char *name, hb_column_reading **out)
{
    hb_column_reading *found = (hb_column_reading *)(uintptr_t)hb_reading_of(reading, name);
    if (found != NULL) {
        *out = found;
        return HB_OK;
    }
    if (reading->count == MOST_COLUMNS) {
        return HB_FAIL(HB_EUSAGE, "more than %d columns are named", MOST_COLUMNS);
    }
    hb_column_reading *grown = realloc(reading->column, (reading->count + 1) * sizeof *grown);
    reading->column = grown != NULL ? grown : reading->column;
    char *copy = grown != NULL ? strdup(name) : NULL;
    if (copy == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for what is said of columns");
    }
    reading->column[reading->count] = (hb_column_reading){.name = copy};
    *out = &reading->column[reading->count++];
    return HB_OK;
}

/* Whether all names may stand in messages (hb_columns_show_names). */
static bool are_shown(const char *const *names, uint64_t count)
{
    uint64_t c = 0;
    while (c < count && !hb_name_is_number(names[c])) {
        c++;
    }
    return c == count;
}

/* The first column that looks like that name, which is wanted for a message alone; count: there is none. */
static uint64_t find_alike(const char *name, const char *const *names, uint64_t count)
{
    const char **all = malloc((size_t)(count + 1) * sizeof *all);
    uint64_t *before = malloc((size_t)(count + 1) * sizeof *before), first = count;
    if (all != NULL && before != NULL) {
        memcpy(all, names, (size_t)count * sizeof *all);
        all[count] = name;
        first = hb_alike_before(all, count + 1, before) == HB_OK ? before[count] : count;
    }
    free(all);
    free(before);
    return first;
}

/* The first column that looks like that name; else the first one that begins so; count: there is none. */
static uint64_t find_near(const char *name, const char *const *names, uint64_t count, bool *alike)
{
    uint64_t c = find_alike(name, names, count), begins = 0;
    *alike = c < count;
    const char *own = strchr(name, '.'); /* behind its table, as expressions have it */
    for (uint64_t i = 0; !*alike && own != NULL && i < count; i++) {
        if (strcmp(own + 1, names[i]) == 0) {
            return i;
        }
    }
    while (begins < count && strncasecmp(names[begins], name, strlen(name)) != 0) {
        begins++;
    }
    return *alike ? c : begins;
}

/* Says which column may be meant, as it is written in expressions where the table has a name in them. */
static void suggest(char *out, const char *table, const char *name, bool alike)
{
    const bool blank = strstr(name, "\xC2\xA0") != NULL;
    const char *why = !alike  ? ""
                      : blank ? " It looks alike, and has a non-breaking space: copy it from the header."
                              : " It looks alike: copy it from the header.";
    if (strlen(name) > 2 * LONGEST || strpbrk(name, "\"'") != NULL) {
        return;
    }
    if (table != NULL) {
        snprintf(out, HELP, "; did you mean %.40s.\"%s\"?%s", table, name, why);
    } else {
        snprintf(out, HELP, "; did you mean '%s'?%s", name, why);
    }
}

/* Lists the columns, as many as people read. */
static void list(char *out, const char *begin, const char *const *names, uint64_t count)
{
    size_t length = (size_t)sprintf(out, "%s", begin);
    uint64_t c = 0;
    while (c < count && c < MOST_LISTED && strlen(names[c]) <= LONGEST && length + LONGEST + 8 < HELP) {
        length += (size_t)sprintf(out + length, "%s%s", c > 0 ? ", " : "", names[c]);
        c++;
    }
    if (c < count) {
        snprintf(out + length, HELP - length, "%s", c > 0 ? ", .." : "..");
    }
}

static hb_status refuse_unknown(const hb_reading *reading, const hb_column_reading *column, const char *path,
                                const char *const *names, uint64_t count)
{
    char near[HELP] = "", all[HELP] = "";
    const hb_derivation *derives = column->derives;
    if (derives != NULL && derives->kind == HB_DERIVED_COMPARISON && derives->source[1] != NULL &&
        strcmp(derives->source[1], column->name) == 0) {
        return HB_FAIL(HB_EUSAGE,
                       "%s: --derive '%.120s': there is no column '%.64s'; a text stands in single quotes, '%.64s'",
                       path, derives->text, column->name, column->name);
    }
    if (column->collects_labels && derives == NULL && strchr(column->name, ',') != NULL) {
        snprintf(near, sizeof near, "; --category takes one column, and is given again for the next");
    } else if (are_shown(names, count)) {
        bool alike;
        const uint64_t c = find_near(column->name, names, count, &alike);
        if (c < count) {
            /* Only expressions have the table in front: options name columns alone. */
            suggest(near, column->selected ? reading->table_name : NULL, names[c], alike);
        }
        list(all, near[0] != '\0' ? " Its columns are " : "; its columns are ", names, count);
    }
    return HB_FAIL(HB_EUSAGE, "%s: %s%.120s%sthere is no column '%.64s'%s%s%s", path,
                   derives != NULL ? "--derive '" : "", derives != NULL ? derives->text : "",
                   derives != NULL ? "': " : "", column->name, near, all,
                   reading->fixed && derives == NULL ? "; if --derive made it, give that here, too" : "");
}

/* No derived column has the name of one that is there. */
static hb_status check_derived(const hb_reading *reading, const char *path, const char *const *names, uint64_t count)
{
    for (size_t i = 0; i < reading->derived.count; i++) {
        for (uint64_t c = 0; c < count; c++) {
            if (strcmp(reading->derived.item[i].name, names[c]) == 0) {
                return HB_FAIL(HB_EUSAGE,
                               "%s: --derive '%.120s': the table has a column of that name: take another one", path,
                               reading->derived.item[i].text);
            }
        }
    }
    return HB_OK;
}

hb_status hb_reading_check(const hb_reading *reading, const char *path, const char *const *names, uint64_t count)
{
    HB_TRY(check_derived(reading, path, names, count));
    for (size_t i = 0; i < reading->count && !reading->columns_optional; i++) {
        uint64_t c = reading->column[i].implied ? count + 1 : 0;
        while (c < count && strcmp(names[c], reading->column[i].name) != 0) {
            c++;
        }
        if (c == count) {
            return refuse_unknown(reading, &reading->column[i], path, names, count);
        }
        if (reading->selects && !reading->unread_allowed && !reading->column[i].selected &&
            !reading->column[i].implied) {
            return HB_FAIL(HB_EUSAGE, "column '%.64s' is given a meaning, but %s", reading->column[i].name,
                           reading->fixed ? "the dataset has no such column" : "--columns leaves it out");
        }
    }
    return HB_OK;
}

hb_status hb_reading_refuse_column(const char *name)
{
    const char *own = strchr(name, '.');
    const bool qualified = own != NULL && own[1] != '\0' && own - name <= LONGEST && strlen(own) <= LONGEST;
    return HB_FAIL(HB_EUSAGE, "an option names a column '%.64s', which no table has%s%s%s", name,
                   qualified ? ": an option holds for the columns of that name in all tables, so say " : "",
                   qualified ? own + 1 : "", qualified ? " alone" : "");
}

static void add_text(hb_digest_state *state, const char *text)
{
    const size_t length = text != NULL ? strlen(text) : 0;
    hb_digest_add_u64(state, length);
    hb_digest_add(state, text, length);
}

const char *hb_reading_name(const hb_schema *schema, uint64_t column, char room[HB_READING_NAME])
{
    if (schema->named) {
        return schema->column[column].name;
    }
    snprintf(room, HB_READING_NAME, "column%" PRIu64, column + 1);
    return room;
}

bool hb_reading_says(const hb_reading *reading)
{
    return reading->count > 0 || reading->derived.count > 0 || reading->folds ||
           reading->missing != HB_MISSING_REFUSE || reading->delimiter != 0 || reading->header != HB_FIRST_LINE_NAMES ||
           reading->follows_files || hb_dialect_says(&reading->dialect);
}

static void add_column(hb_digest_state *state, const hb_column_reading *column)
{
    const uint64_t labels = column->meaning.labels != NULL ? column->meaning.labels->count : 0;
    const uint64_t facts[] = {column->selected,      column->has_meaning, column->collects_labels, column->meaning.kind,
                              column->meaning.scale, column->has_missing, column->missing,         labels,
                              column->digit_base,    column->digits,      column->masked};
    add_text(state, column->name);
    add_text(state, column->replacement);
    if (column->folds) {
        add_text(state, "folds");
    }
    if (column->percent) {
        add_text(state, "percent");
    }
    if (column->has_decimal) {
        add_text(state, column->decimal == ',' ? "decimal comma" : "decimal point");
    }
    if (column->na != NULL) {
        add_text(state, "na");
        hb_digest_add_u64(state, column->na_bytes);
        hb_digest_add(state, column->na, column->na_bytes);
    }
    if (column->has_times) {
        add_text(state, "times");
        hb_digest_add_u64(state, column->times);
    }
    if (column->meaning.unit != HB_TIME_NONE || (labels > 0 && column->meaning.labels->folds)) {
        hb_digest_add_u64(state, hb_meaning_code(&column->meaning));
    }
    for (size_t f = 0; f < sizeof facts / sizeof *facts; f++) {
        hb_digest_add_u64(state, facts[f]);
    }
    for (uint64_t l = 0; l < labels; l++) {
        add_text(state, column->meaning.labels->text[l]);
    }
}

void hb_reading_digest(const hb_reading *reading, uint8_t digest[HB_DIGEST_BYTES])
{
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch reading");
    hb_digest_add_u64(&state, reading->missing);
    hb_digest_add_u64(&state, (uint64_t)reading->delimiter);
    add_text(&state, reading->replacement);
    hb_dialect_digest(&reading->dialect, &state);
    if (reading->header == HB_FIRST_LINE_ROW) {
        add_text(&state, "header none");
    }
    if (reading->folds) {
        add_text(&state, "fold all");
    }
    for (size_t i = 0; i < reading->derived.count; i++) {
        add_text(&state, "derive");
        add_text(&state, reading->derived.item[i].text);
    }
    for (size_t i = 0; i < reading->count; i++) {
        add_column(&state, &reading->column[i]);
    }
    hb_digest_end(&state, digest);
}
