/* Opening a table with derived columns: which of its own are read for them, and how. */
#include <stdlib.h>
#include <string.h>

#include "table/shell_line.h"
#include "table_private.h"

/* How a column is treated where a cell is missing, as the options of columns that are derived from it say. */
static hb_status treat(const hb_reading *reading, const char *name, const hb_column_reading *by, hb_column_reading *to)
{
    if (by->has_missing && by->missing == HB_MISSING_VALUE) {
        return HB_FAIL(HB_EUSAGE, "--missing: '%.64s' is made of column '%.64s': give --missing for column '%.64s'",
                       by->name, name, name);
    }
    if (by->has_missing && to->has_missing && by->missing != to->missing && !reading->fixed) {
        return HB_FAIL(HB_EUSAGE, "--missing: '%.64s' is made of '%.64s', and the two are treated differently",
                       by->name, name);
    }
    to->masked = to->masked || by->masked;
    if (by->has_missing && !to->has_missing) {
        to->has_missing = true;
        to->missing = by->missing;
    }
    return HB_OK;
}

/* How a column has to be read for one that is derived from it. */
typedef enum use { AS_FOUND, AS_TRUTH_OR_LABELS, AS_LABELS } use;

static use use_of(const hb_reading *reading, const hb_derivation *of)
{
    const char *form = reading->dialect.date, *text = of->constants == 1 ? of->constant[0] : "";
    const size_t length = strlen(text);
    int64_t days;
    hb_time time;
    bool truth;
    const bool moment = form[0] != '\0' && (hb_date_parse_as(form, text, length, &days) ||
                                            hb_time_parse(form, text, length, &time) == HB_TIME_GOOD);
    return of->quoted && !moment                                                      ? AS_LABELS
           : of->kind == HB_DERIVED_COMPARISON && hb_bool_parse(text, length, &truth) ? AS_TRUTH_OR_LABELS
                                                                                      : AS_FOUND;
}

/* Notes that a column is derived from another one. Texts that are compared are labels, where options give the column no
 * meaning. A comparison of labels is one of spellings: no other column may be derived from numbers or dates that these
 * are. */
static hb_status note_use(const hb_reading *reading, const hb_derivation *of, bool texts, hb_column_reading *found)
{
    const hb_column_reading *said = hb_reading_of(reading, found->name);
    const bool timed = found->has_times && hb_times_unit(found->times) != HB_TIME_NONE;
    const bool open = texts && reading->selects && !timed && (said == NULL || !said->has_meaning);
    char name[HB_SHELL_COLUMN];
    const use now = use_of(reading, of), before = found->derives != NULL ? use_of(reading, found->derives) : now;
    if (found->selected && found->derives == NULL) {
        return HB_OK;
    }
    if (open && before != now && before != AS_TRUTH_OR_LABELS && now != AS_TRUTH_OR_LABELS) {
        return HB_FAIL(HB_EUSAGE,
                       "--derive '%.120s' reads column '%.64s' as texts, and '%.120s' does not; --category %s reads it "
                       "as texts for both",
                       (now == AS_LABELS ? of : found->derives)->text, found->name,
                       (now == AS_LABELS ? found->derives : of)->text, hb_shell_column(name, found->name));
    }
    if (found->derives == NULL || before == AS_TRUTH_OR_LABELS) {
        found->derives = of;
    }
    if (open && now == AS_LABELS) {
        found->has_meaning = found->collects_labels = true;
        found->meaning.kind = HB_MEANING_CATEGORY;
    }
    found->selected = reading->selects;
    return HB_OK;
}

/* Adds a column that others are derived from to the columns that are read. */
static hb_column_reading *add_source(hb_reading *own, const char *name)
{
    hb_column_reading *found = (hb_column_reading *)(uintptr_t)hb_reading_of(own, name);
    if (found == NULL) {
        found = &own->column[own->count++];
        *found = (hb_column_reading){.name = (char *)(uintptr_t)name};
    }
    return found;
}

/* A column that is made, and neither read nor needed for one that is, would be left out without a word. */
static hb_status check_wanted(const hb_reading *reading, const bool *wanted)
{
    const hb_derivations *derived = &reading->derived;
    const bool unread_allowed = reading->unread_allowed || (reading->columns_optional && !reading->fixed);
    size_t i = 0;
    while (i < derived->count && (wanted[i] || unread_allowed)) {
        i++;
    }
    return i == derived->count
               ? HB_OK
               : HB_FAIL(HB_EUSAGE, "--derive '%.120s': %s '%.64s'%s", derived->item[i].text,
                         reading->fixed ? "the dataset has no column" : "--columns does not name",
                         derived->item[i].name,
                         reading->fixed ? ": leave that --derive out" : ": add it there, or leave that --derive out");
}

/* Makes the options for the inner table: without derived columns, with those that they are derived from. wanted
 * [derived.count]: which are made. Texts of *own are borrowed. */
static hb_status inner_reading(const hb_reading *reading, bool texts, hb_reading *own, bool *wanted)
{
    const hb_derivations *derived = &reading->derived;
    hb_column_reading *by = calloc(derived->count, sizeof *by); /* options of the derived columns */
    hb_status st = HB_OK;
    *own = *reading;
    own->column = calloc(reading->count + HB_DERIVED_SOURCES * derived->count, sizeof *own->column);
    own->count = 0;
    if (by == NULL || own->column == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "no memory for --derive"));
    }
    for (size_t i = 0; i < derived->count; i++) {
        const hb_column_reading *how = hb_reading_of(reading, derived->item[i].name);
        by[i] = how != NULL ? *how : (hb_column_reading){.name = derived->item[i].name};
        wanted[i] = !reading->selects || by[i].selected;
    }
    for (size_t c = 0; c < reading->count; c++) {
        own->column[own->count] = reading->column[c];
        own->count += hb_derivations_find(derived, derived->count, reading->column[c].name) == derived->count;
    }
    hb_derivations_need(derived, wanted);
    for (size_t i = derived->count; i-- > 0;) {
        const hb_derivation *of = &derived->item[i];
        for (int k = 0; k < HB_DERIVED_SOURCES && wanted[i] && of->source[k] != NULL; k++) {
            const size_t j = hb_derivations_find(derived, i, of->source[k]);
            hb_column_reading *source = j < i ? &by[j] : add_source(own, of->source[k]);
            HB_GOTO(j < i ? HB_OK : note_use(reading, of, texts, source));
            HB_GOTO(treat(reading, of->source[k], &by[i], source));
        }
    }
    st = check_wanted(reading, wanted);
done:
    free(by);
    return st;
}

hb_status hb_table_open_derived(const hb_table_names *names, hb_cell_type cells, const hb_reading *reading, bool texts,
                                hb_table_opener open, hb_table **out)
{
    hb_reading own = {0};
    hb_table *table = NULL;
    bool *wanted = calloc(reading->derived.count + 1, sizeof *wanted);
    hb_status st = wanted != NULL ? inner_reading(reading, texts, &own, wanted)
                                  : HB_FAIL(HB_ENOMEM, "%s: no memory to open it", names->name[0]);
    st = st == HB_OK ? open(names, cells, &own, &table) : st;
    st = st == HB_OK ? hb_table_derive(reading, &own, wanted, &table) : st;
    free(own.column);
    free(wanted);
    if (st == HB_OK) {
        *out = table;
    } else {
        hb_table_close(table);
    }
    return st;
}
