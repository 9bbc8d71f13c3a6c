/* Tables by name: which kind a name is of, and opening that. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "io/files/durable.h"
#include "io/reader/process.h"
#include "table/shell_line.h"
#include "table_private.h"

/* Texts of fields: with commas or another delimiter, or with tabs, plain or compressed. */
static const struct {
    const char *ending;
    char delimiter;
    bool compressed;
} kinds[] = {{".csv", 0, false}, {".csv.gz", 0, true}, {".tsv", '\t', false}, {".tsv.gz", '\t', true}};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Returns which of them a name is of; KINDS: none. */
static size_t text_kind(const char *name)
{
    const size_t length = strlen(name);
    size_t i = 0;
    for (; i < KINDS; i++) {
        const size_t ending = strlen(kinds[i].ending);
        if (length > ending && strcasecmp(name + length - ending, kinds[i].ending) == 0 &&
            name[length - ending - 1] != '/') {
            break;
        }
    }
    return i;
}

char hb_table_delimiter(const char *name)
{
    const size_t kind = text_kind(name);
    return kind < KINDS && kinds[kind].delimiter != 0 ? kinds[kind].delimiter : ',';
}

bool hb_table_is_compressed(const char *name)
{
    const size_t kind = text_kind(name);
    return kind < KINDS && kinds[kind].compressed;
}

/* Returns the last ":/" of a name, as names of files may hold colons; NULL if there is none. */
static const char *dataset_of(const char *name)
{
    const char *found = NULL;
    for (const char *at = strstr(name, ":/"); at; at = strstr(at + 1, ":/")) {
        found = at;
    }
    return found;
}

/* Says what can be done about a name that is none of a table. */
static hb_status refuse_name(const char *name)
{
    static const char *const columnar[] = {".parquet", ".feather", ".arrow"};
    static const char *const workbooks[] = {".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".numbers"};
    const char *ending = strrchr(name, '.');
    for (size_t i = 0; ending != NULL && i < sizeof columnar / sizeof *columnar; i++) {
        if (strcasecmp(ending, columnar[i]) == 0) {
            return HB_FAIL(HB_EUSAGE,
                           "'%s' names no table: python3 -m hebatch convert %s %.*s.csv makes one of it, and back "
                           "(jobs/python)",
                           name, name, (int)(ending - name), name);
        }
    }
    for (size_t i = 0; ending != NULL && i < sizeof workbooks / sizeof *workbooks; i++) {
        if (strcasecmp(ending, workbooks[i]) == 0) {
            return HB_FAIL(HB_EUSAGE, "'%s' names no table: it is a workbook; save its sheet as CSV", name);
        }
    }
    return HB_FAIL(HB_EUSAGE, "'%s' names no table: give FILE.h5:/DATASET or FILE.csv", name);
}

hb_status hb_table_name_split(const char *name, char **file, char **dataset)
{
    const char *colon = dataset_of(name);
    /* A name with ":/" is HDF5, whatever it ends in. */
    bool is_csv = !colon && text_kind(name) < KINDS;
    const bool root = colon && colon[2] == '\0'; /* a group, of which each dataset is a column */
    bool is_h5 = colon && colon > name && (root || name[strlen(name) - 1] != '/');
    if (!is_csv && !is_h5) {
        return refuse_name(name);
    }
    char *left = is_h5 ? strndup(name, (size_t)(colon - name)) : strdup(name);
    char *right = is_h5 ? strdup(colon + 1) : NULL;
    if (!left || (is_h5 && !right)) {
        free(left);
        free(right);
        return HB_FAIL(HB_ENOMEM, "%s: no memory for a path", name);
    }
    *file = left;
    *dataset = right;
    return HB_OK;
}

static hb_status open_text(const char *file, hb_cell_type cells, const hb_reading *reading, hb_table **out)
{
    hb_reading own = *reading;
    const size_t kind = text_kind(file);
    own.delimiter = own.delimiter != 0 || kind == KINDS ? own.delimiter : kinds[kind].delimiter;
    return hb_table_open_csv(file, cells, &own, out);
}

/* Whether anything is said that only cells of texts need. */
static bool says_of_texts(const hb_reading *reading)
{
    const hb_dialect *dialect = &reading->dialect;
    bool any = reading->delimiter != 0 || reading->header != HB_FIRST_LINE_NAMES || dialect->decimal != 0 ||
               dialect->date[0] != '\0' || dialect->missing != NULL || dialect->times != HB_TIMES_REFUSED ||
               dialect->charset != HB_CHARSET_FOUND || reading->folds;
    for (size_t i = 0; i < reading->count; i++) {
        any = any || reading->column[i].folds || reading->column[i].percent || reading->column[i].has_times ||
              reading->column[i].has_decimal || reading->column[i].na != NULL ||
              reading->column[i].meaning.kind != HB_MEANING_NUMBER || reading->column[i].collects_labels;
    }
    return any;
}

static hb_status open_one(const char *name, hb_cell_type cells, const hb_reading *reading, hb_table **out)
{
    char *file, *dataset;
    HB_TRY(hb_table_name_split(name, &file, &dataset));
    hb_status st;
    if (dataset == NULL) {
        st = open_text(file, cells, reading, out);
    } else if (says_of_texts(reading) && !reading->columns_optional) {
        st = HB_FAIL(HB_EUSAGE,
                     "%s: --category, --charset, --date, --date-format, --decimal, --delimiter, --fold, --header, "
                     "--na, --percent and --time-of-day are for CSV",
                     name);
    } else {
        st = hb_table_open_h5(file, dataset, cells, reading, out);
    }
    free(file);
    free(dataset);
    return st;
}

/* Notes that a column of a table has a mask in every other table of its list. */
static hb_status add_masked(hb_reading *reading, const hb_schema *schema, uint64_t c)
{
    char room[HB_READING_NAME];
    const char *name = hb_reading_name(schema, c, room);
    size_t i = 0;
    while (i < reading->count && strcmp(reading->column[i].name, name) != 0) {
        i++;
    }
    if (i == reading->count) {
        hb_column_reading *grown = realloc(reading->column, (reading->count + 1) * sizeof *grown);
        reading->column = grown != NULL ? grown : reading->column;
        char *copy = grown != NULL ? strdup(name) : NULL;
        if (copy == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for the columns of several tables");
        }
        reading->column[reading->count++] = (hb_column_reading){.name = copy, .implied = true};
    }
    reading->column[i].masked = true;
    return HB_OK;
}

/* Opens tables of which all columns with gaps get masks: a column has one in each of them where it has one in any. They
 * are all looked at before they are read. */
static hb_status open_masked(const hb_table_names *names, hb_cell_type cells, const hb_reading *reading, hb_table **out)
{
    hb_reading own = *reading;
    hb_status st = HB_OK;
    own.column = malloc((reading->count + 1) * sizeof *own.column);
    if (own.column == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the columns of %zu tables", names->count);
    }
    for (size_t i = 0; i < reading->count; i++) {
        own.column[i] = reading->column[i];
    }
    for (size_t i = 0; st == HB_OK && i < names->count; i++) {
        hb_table *part = NULL;
        st = open_one(names->name[i], cells, reading, &part);
        const hb_schema *schema = st == HB_OK ? hb_table_schema(part) : NULL;
        for (uint64_t c = 0; st == HB_OK && c < hb_schema_shown(schema); c++) {
            st = schema->column[c].mask > 0 ? add_masked(&own, schema, c) : HB_OK;
        }
        hb_table_close(part);
    }
    st = st == HB_OK ? hb_table_open_concatenated(names, cells, &own, open_one, out) : st;
    for (size_t i = reading->count; i < own.count; i++) { /* those before are the reading's */
        free(own.column[i].name);
    }
    free(own.column);
    return st;
}

static hb_status open_all(const hb_table_names *names, hb_cell_type cells, const hb_reading *reading, hb_table **out)
{
    if (names->count == 1) {
        return open_one(names->name[0], cells, reading, out);
    }
    return reading->missing == HB_MISSING_MASK && reading->survey.take == NULL
               ? open_masked(names, cells, reading, out)
               : hb_table_open_concatenated(names, cells, reading, open_one, out);
}

/* --- with derived columns: which columns are read for them, and how */

/* Whether the options are those of a dataset that has this column: then they say themselves whether it has a mask. */
static bool is_like_dataset(const hb_reading *reading, const char *name)
{
    const hb_column_reading *said = reading->fixed ? hb_reading_of(reading, name) : NULL;
    return said != NULL && said->selected;
}

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
    if (is_like_dataset(reading, name)) {
        return HB_OK;
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

/* Takes masks from columns that a dataset does not have, where it has one without a mask that is made of them: one with
 * a mask may be made of two, of which only the other has a gap. by [derived.count]: options of the derived columns. */
static void leave_masks_out(const hb_reading *reading, const bool *wanted, hb_column_reading *by, hb_reading *own)
{
    const hb_derivations *derived = &reading->derived;
    for (size_t i = reading->fixed ? derived->count : 0; i-- > 0;) {
        const hb_derivation *of = &derived->item[i];
        for (int k = 0; k < HB_DERIVED_SOURCES && wanted[i] && !by[i].masked && of->source[k] != NULL; k++) {
            const size_t j = hb_derivations_find(derived, i, of->source[k]);
            hb_column_reading *source = j < i ? &by[j] : add_source(own, of->source[k]);
            if (!is_like_dataset(reading, of->source[k])) {
                source->masked = false;
                source->has_missing = source->has_missing && source->missing != HB_MISSING_MASK;
            }
        }
    }
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
    leave_masks_out(reading, wanted, by, own);
    st = check_wanted(reading, wanted);
done:
    free(by);
    return st;
}

/* Opens tables with columns that are derived from theirs (hb_reading.derived); texts: their cells are texts. */
static hb_status open_derived(const hb_table_names *names, hb_cell_type cells, const hb_reading *reading, bool texts,
                              hb_table **out)
{
    hb_reading own = {0};
    hb_table *table = NULL;
    bool *wanted = calloc(reading->derived.count + 1, sizeof *wanted);
    hb_status st = wanted != NULL ? inner_reading(reading, texts, &own, wanted)
                                  : HB_FAIL(HB_ENOMEM, "%s: no memory to open it", names->name[0]);
    st = st == HB_OK ? open_all(names, cells, &own, &table) : st;
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

/* --- all */

hb_status hb_table_open_list(hb_table_list list, hb_cell_type cells, const hb_reading *reading, hb_table **out)
{
    hb_table_names names;
    HB_TRY(hb_table_names_find(list, &names));
    hb_table *table = NULL;
    const bool derives = reading->derived.count > 0 && reading->survey.take == NULL;
    hb_status st = derives ? open_derived(&names, cells, reading, text_kind(names.name[0]) < KINDS, &table)
                           : open_all(&names, cells, reading, &table);
    st = st == HB_OK ? hb_table_split_digits(names.name[0], reading, &table) : st;
    hb_table_names_clear(&names);
    if (st == HB_OK) {
        *out = table;
    }
    return st;
}

hb_status hb_table_open_as(const char *name, hb_cell_type cells, const hb_reading *reading, hb_table **out)
{
    return hb_table_open_list(hb_table_list_of(&name), cells, reading, out);
}

hb_status hb_table_open(const char *name, hb_cell_type cells, hb_table **out)
{
    return hb_table_open_as(name, cells, &(hb_reading){0}, out);
}

hb_status hb_table_h5_attributes(const char *file, char **json)
{
    int fd;
    uint64_t bytes;
    mode_t mode;
    HB_TRY(hb_open_file(file, true, &fd, &bytes, &mode)); /* tells a missing file from one that is no HDF5 */
    const hb_status st = hb_h5_process_attributes(fd, file, json);
    close(fd);
    return st;
}
