#include "selection.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/quoted.h"
#include "cli/parse.h"
#include "table/column_names.h"

static hb_status parse_rows(const char *text, const hb_schema *schema, hb_table_view *view)
{
    uint64_t first, last;
    const char *dots = strstr(text, "..");
    char *left = dots != NULL ? strndup(text, (size_t)(dots - text)) : strdup(text);
    if (left == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for --rows");
    }
    hb_status st = hb_parse_number(left, &first);
    free(left);
    last = first;
    if (st == HB_OK && dots != NULL) {
        st = hb_parse_number(dots + 2, &last);
    }
    if (st != HB_OK || first < 1 || last < first) {
        return HB_FAIL(HB_EUSAGE, "--rows %.60s: expected rows counted from 1, as in 5 or 1..100", text);
    }
    if (last > schema->rows) {
        return HB_FAIL(HB_EUSAGE, "--rows %.60s: the table has %" PRIu64 " row%s", text, schema->rows,
                       schema->rows == 1 ? "" : "s");
    }
    view->row = first - 1;
    view->rows = last - first + 1;
    return HB_OK;
}

/* One word of a list, between quotes if it stood in some. */
typedef struct word {
    const char *text;
    size_t length;
    bool quoted;
} word;

/* Takes the next word of a list from *at, up to a comma, or the end. */
static hb_status next_word(const char **at, word *out)
{
    const char *text = *at;
    *out = (word){.text = text, .length = strcspn(text, ",")};
    const char *end = text + out->length;
    if (text[0] == '"') {
        if (!hb_quoted_length(text + 1, '"', &out->length)) {
            return HB_FAIL(HB_EUSAGE, "--columns: a quote is not closed");
        }
        *out = (word){text + 1, out->length, true};
        end = out->text + out->length + 1;
    }
    if (out->length == 0 || (*end != ',' && *end != '\0')) {
        return HB_FAIL(HB_EUSAGE, "--columns: expected names with commas between them, as in age,\"blood group\"");
    }
    *at = *end == ',' ? end + 1 : end;
    return HB_OK;
}

/* The names that may be asked for. */
typedef struct asked_names {
    hb_column_names columns, numbers; /* numbers: of those in digits, in the place of their first one */
    hb_schema stems;                  /* their names, and "" for other columns */
} asked_names;

static void clear_names(asked_names *names)
{
    hb_column_names_clear(&names->columns);
    hb_column_names_clear(&names->numbers);
    hb_schema_clear(&names->stems);
}

static hb_status find_names(const hb_schema *schema, asked_names *names)
{
    *names = (asked_names){.stems = {.named = schema->named && hb_schema_has_digits(schema)}};
    HB_TRY(hb_column_names_init(&names->columns, schema));
    if (!names->stems.named) {
        return HB_OK;
    }
    HB_TRY(hb_schema_alloc(&names->stems, 0, schema->columns));
    for (uint64_t c = 0; c < schema->columns; c++) {
        size_t stem = 0;
        const bool digits = hb_columns_digits(&schema->column[c], schema->columns - c, &stem) > 0;
        names->stems.column[c].name = strndup(schema->column[c].name, digits ? stem : 0);
        if (names->stems.column[c].name == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for --columns");
        }
    }
    return hb_column_names_init(&names->numbers, &names->stems);
}

/* The column of that name or number, or the digits of the number of that name; *count is 0 where there is none. */
static void find_columns(const char *name, bool quoted, const hb_schema *schema, const asked_names *names,
                         uint64_t *column, uint64_t *count)
{
    const uint64_t shown = hb_schema_shown(schema);
    bool several;
    uint64_t number;
    size_t stem;
    *column = names->stems.named ? hb_column_names_find(&names->numbers, name, &several) : shown;
    if (*column < shown) {
        *count = hb_columns_digits(&schema->column[*column], schema->columns - *column, &stem);
        return;
    }
    *column = hb_column_names_find(&names->columns, name, &several);
    if (*column >= shown && !quoted && hb_parse_number(name, &number) == HB_OK && number >= 1) {
        *column = number - 1;
    }
    *count = *column < shown;
}

/* The columns of a word. */
static hb_status take_word(const word *x, const hb_schema *schema, const asked_names *names, uint64_t *column,
                           uint64_t *count)
{
    char *name = hb_unquoted(x->text, '"', x->length);
    if (name == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for --columns");
    }
    find_columns(name, x->quoted, schema, names, column, count);
    free(name);
    return *count > 0 ? HB_OK
                      : HB_FAIL(HB_EUSAGE, "--columns: the table has no column '%.*s'",
                                x->length < 80 ? (int)x->length : 80, x->text);
}

static hb_status parse_columns(const char *text, const hb_schema *schema, hb_selection *out)
{
    const uint64_t shown = hb_schema_shown(schema);
    bool *taken = calloc((size_t)schema->columns + 1, sizeof *taken);
    asked_names names = {0};
    hb_status st = taken != NULL ? find_names(schema, &names) : HB_FAIL(HB_ENOMEM, "no memory for --columns");
    uint64_t count = 0;
    do {
        word x;
        uint64_t column = 0, some = 0;
        st = st == HB_OK ? next_word(&text, &x) : st;
        st = st == HB_OK ? take_word(&x, schema, &names, &column, &some) : st;
        for (uint64_t c = column; st == HB_OK && c < column + some; c++) {
            st = taken[c] ? HB_FAIL(HB_EUSAGE, "--columns: a column stands there twice") : HB_OK;
            taken[c] = true;
            if (st == HB_OK) {
                out->columns[count++] = c;
            }
        }
    } while (st == HB_OK && (*text != '\0' || text[-1] == ','));
    for (uint64_t c = 0; st == HB_OK && c < shown; c++) { /* and the masks of these, each once */
        const uint64_t mask = schema->column[c].mask;
        if (taken[c] && mask > 0 && !taken[mask - 1]) {
            taken[mask - 1] = true;
            out->columns[count++] = mask - 1;
        }
    }
    clear_names(&names);
    free(taken);
    out->view.count = count;
    return st;
}

hb_status hb_selection_read(const char *rows, const char *columns, const hb_schema *schema, hb_selection *out)
{
    *out = (hb_selection){.some = rows != NULL || columns != NULL};
    out->columns = malloc((size_t)(schema->columns + 1) * sizeof *out->columns);
    if (out->columns == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %" PRIu64 " columns", schema->columns);
    }
    out->view = (hb_table_view){.rows = schema->rows, .columns = out->columns, .count = schema->columns};
    for (uint64_t c = 0; c < schema->columns; c++) {
        out->columns[c] = c;
    }
    if (rows != NULL) {
        HB_TRY(parse_rows(rows, schema, &out->view));
    }
    return columns != NULL ? parse_columns(columns, schema, out) : HB_OK;
}

void hb_selection_clear(hb_selection *selection)
{
    free(selection->columns);
    *selection = (hb_selection){0};
}

/* Whether columns of the dataset are asked for: of a pair, which is two of the plain table, one or both. */
static hb_status find_asked(const hb_selection *selection, const hb_schema *schema, bool **asked)
{
    uint64_t *owner = malloc((size_t)(2 * schema->columns + 1) * sizeof *owner), plain = 0;
    *asked = calloc((size_t)schema->columns + 1, sizeof **asked);
    if (owner == NULL || *asked == NULL) {
        free(owner);
        return HB_FAIL(HB_ENOMEM, "no memory for %" PRIu64 " columns", schema->columns);
    }
    for (uint64_t c = 0; c < schema->columns; c++) {
        owner[plain++] = c;
        if (schema->column[c].halves == HB_HALVES_PAIR) {
            owner[plain++] = c;
        }
    }
    for (uint64_t i = 0; i < selection->view.count; i++) {
        (*asked)[owner[selection->view.columns[i]]] = true;
    }
    free(owner);
    return HB_OK;
}

static bool is_asked(const hb_selection *selection, const bool *asked, const hb_rectangle *cells)
{
    const hb_table_view *view = &selection->view;
    bool any = false;
    for (uint64_t c = cells->column; c < cells->column + cells->columns; c++) {
        any |= asked[c];
    }
    return any && cells->row < view->row + view->rows && view->row < cells->row + cells->rows;
}

hb_status hb_selection_units(const hb_selection *selection, const hb_header *header, const hb_group *peers,
                             hb_units *mine)
{
    const hb_packing packing = hb_header_packing(header);
    const uint64_t units = hb_header_units(header);
    hb_unit_map map = {0};
    bool *asked = NULL;
    hb_status st = HB_OK;
    HB_GOTO(find_asked(selection, &header->schema, &asked));
    HB_GOTO(hb_unit_map_init(&map, units));
    for (uint64_t u = 0; u < units; u++) {
        uint64_t first, count;
        bool any = false;
        hb_header_unit_range(header, u, &first, &count);
        for (uint64_t i = first; i < first + count && !any; i++) {
            const hb_rectangle cells = hb_packing_cells(&packing, i);
            any = is_asked(selection, asked, &cells);
        }
        if (any) {
            hb_unit_map_add(&map, u);
        }
    }
    st = hb_unit_map_divide(&map, true, peers, header, mine);
done:
    hb_unit_map_clear(&map);
    free(asked);
    return st;
}
