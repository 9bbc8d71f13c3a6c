/* Tables by name: which kind a name is of, and opening that. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "io/files/durable.h"
#include "io/reader/process.h"
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

hb_status hb_table_open_list(hb_table_list list, hb_cell_type cells, const hb_reading *reading, hb_table **out)
{
    hb_table_names names;
    HB_TRY(hb_table_names_find(list, &names));
    hb_table *table = NULL;
    const bool derives = reading->derived.count > 0 && reading->survey.take == NULL;
    hb_status st =
        derives ? hb_table_open_derived(&names, cells, reading, text_kind(names.name[0]) < KINDS, open_all, &table)
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
