/* Opening a table with columns that are made: which of its own are read for them, and how. */
#include <stdlib.h>
#include <string.h>

#include "table_private.h"

/* How a column is treated where a cell is missing, as the options of columns that are made of it say. */
static hb_status treat(const hb_reading *reading, const char *name, const hb_column_reading *by, hb_column_reading *to)
{
    if (by->has_missing && by->missing == HB_MISSING_VALUE) {
        return HB_FAIL(HB_EUSAGE, "--missing: '%.64s' is made of column '%.64s': say the value for that one", by->name,
                       name);
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

/* Adds a column that others are made of to what is read. Texts that are compared are labels, where nobody says so. */
static hb_column_reading *add_source(hb_reading *own, const hb_derivation *of, const char *name, bool texts)
{
    hb_column_reading *found = (hb_column_reading *)(uintptr_t)hb_reading_of(own, name);
    if (found == NULL) {
        found = &own->column[own->count++];
        *found = (hb_column_reading){.name = (char *)(uintptr_t)name};
    }
    if (!found->selected) {
        found->derives = of;
        if (own->selects && of->quoted && texts && !found->has_meaning) {
            found->has_meaning = found->collects_labels = true;
            found->meaning.kind = HB_MEANING_CATEGORY;
        }
        found->selected = own->selects;
    }
    return found;
}

/* Makes the options for the inner table: without columns that are made, with those that they are made of. wanted
 * [derived.count]: which are made. Texts of *own are borrowed. */
static hb_status inner_reading(const hb_reading *reading, bool texts, hb_reading *own, bool *wanted)
{
    const hb_derivations *derived = &reading->derived;
    hb_column_reading *by = calloc(derived->count, sizeof *by); /* options of the columns that are made */
    hb_status st = HB_OK;
    *own = *reading;
    own->needs_all = true; /* advice to leave a column out would leave out columns that are made of it */
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
        bool made = false;
        for (size_t i = 0; i < derived->count; i++) {
            made = made || strcmp(derived->item[i].name, reading->column[c].name) == 0;
        }
        own->column[own->count] = reading->column[c];
        own->count += !made;
    }
    for (size_t i = derived->count; i-- > 0;) {
        const hb_derivation *of = &derived->item[i];
        for (int k = 0; k < HB_DERIVED_SOURCES && wanted[i] && of->source[k] != NULL; k++) {
            size_t j = 0;
            while (j < i && strcmp(derived->item[j].name, of->source[k]) != 0) {
                j++;
            }
            wanted[j] = wanted[j] || j < i;
            HB_GOTO(treat(reading, of->source[k], &by[i], j < i ? &by[j] : add_source(own, of, of->source[k], texts)));
        }
    }
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
