#include "selection.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/quoted.h"
#include "cli/parse.h"

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

/* The column of that name or number, or the digits of the number of that name. */
static hb_status find_columns(const word *x, const hb_schema *schema, uint64_t *column, uint64_t *count)
{
    *count = 1;
    const uint64_t shown = hb_schema_shown(schema);
    for (uint64_t c = 0; schema->named && c < shown; c++) {
        size_t stem = 0;
        const uint64_t digits = hb_columns_digits(&schema->column[c], schema->columns - c, &stem);
        char *name = digits > 0 ? strndup(schema->column[c].name, stem) : NULL;
        const bool same = name != NULL && hb_quoted_is(x->text, x->length, name);
        free(name);
        if (same) {
            *column = c;
            *count = digits;
            return HB_OK;
        }
    }
    for (uint64_t c = 0; schema->named && c < shown; c++) {
        if (hb_quoted_is(x->text, x->length, schema->column[c].name)) {
            *column = c;
            return HB_OK;
        }
    }
    char *text = strndup(x->text, x->length);
    uint64_t number;
    if (text == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for --columns");
    }
    const bool counted = !x->quoted && hb_parse_number(text, &number) == HB_OK;
    free(text);
    if (counted && number >= 1 && number <= shown) {
        *column = number - 1;
        return HB_OK;
    }
    return HB_FAIL(HB_EUSAGE, "--columns: the table has no column '%.*s'", x->length < 80 ? (int)x->length : 80,
                   x->text);
}

static hb_status parse_columns(const char *text, const hb_schema *schema, hb_selection *out)
{
    const uint64_t shown = hb_schema_shown(schema);
    bool *taken = calloc((size_t)schema->columns + 1, sizeof *taken);
    hb_status st = taken != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for --columns");
    uint64_t count = 0;
    do {
        word x;
        uint64_t column = 0, some = 0;
        st = st == HB_OK ? next_word(&text, &x) : st;
        st = st == HB_OK ? find_columns(&x, schema, &column, &some) : st;
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
