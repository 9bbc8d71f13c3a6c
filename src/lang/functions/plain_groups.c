/* Groups of rows by columns of plain tables. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/seed.h"
#include "lang/ir/semantics.h"
#include "plain_conditions.h"

/* The values of keys that were seen, as a table of places: those of one row are looked for by their hash. */
typedef struct seen {
    uint32_t keys, count, most;
    int64_t *values; /* [most][keys] */
    hb_index_table places;
    const int64_t *wanted; /* [keys] that are looked for */
} seen;

static hb_status seen_init(seen *x, uint32_t keys, uint32_t most)
{
    *x = (seen){.keys = keys, .most = most};
    x->values = malloc((size_t)most * keys * sizeof *x->values);
    return x->values != NULL ? hb_index_table_init(&x->places, most)
                             : HB_FAIL(HB_ENOMEM, "no memory for the groups of a plain table");
}

static bool is_wanted(const void *context, uint32_t index)
{
    const seen *x = context;
    return memcmp(x->values + (size_t)index * x->keys, x->wanted, x->keys * sizeof *x->values) == 0;
}

/* Returns which one it is, added where it is new; HB_NO_INDEX: there is no room for it. */
static uint32_t place_of(seen *x, const int64_t *values)
{
    uint64_t hash = 0;
    for (uint32_t k = 0; k < x->keys; k++) {
        hash = hb_hash_word(hash, (uint64_t)values[k]);
    }
    x->wanted = values;
    uint32_t *place = hb_index_table_find(&x->places, hash, is_wanted, x);
    if (*place != HB_NO_INDEX || x->count == x->most) {
        return *place;
    }
    memcpy(x->values + (size_t)x->count * x->keys, values, x->keys * sizeof *values);
    *place = x->count++;
    return *place;
}

enum { CHUNK = 1 << 12 };

static hb_status whole_of(const hb_lowering *l, hb_plain_value value, int64_t *whole)
{
    const hb_graph *g = &l->graph;
    if (!g->semantics->reals) {
        *whole = (int64_t)value.integer;
        return value.integer >= INT64_MIN && value.integer <= INT64_MAX
                   ? HB_OK
                   : HB_FAIL_AT(HB_EDATA, g->syntax->text, g->position.item->at,
                                "a key of groups has more than 63 bits");
    }
    if (!(fabs(value.real) <= 0x1p53 && rint(value.real) == value.real)) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at, "the keys of groups are whole numbers");
    }
    *whole = (int64_t)value.real;
    return HB_OK;
}

static bool is_true(const hb_lowering *l, hb_plain_value value)
{
    return l->graph.semantics->reals ? value.real != 0 : value.integer != 0;
}

/* Derived columns of keys, and behind them the filter, if there is one; with room for some rows of each. */
typedef struct reading {
    uint32_t *columns; /* [count] */
    uint32_t keys, count;
    hb_plain_value *values; /* [count][CHUNK] */
    int64_t *row;           /* [keys] of one row */
} reading;

/* Gives each row 1 + the place of its values, or 0 where it is in no group. */
static hb_status code_rows(hb_lowering *l, const reading *from, seen *found, uint64_t rows, uint16_t *code)
{
    const hb_graph *g = &l->graph;
    for (uint64_t row = 0; row < rows; row++) {
        const uint64_t at = row % CHUNK, count = rows - row < CHUNK ? rows - row : CHUNK;
        for (uint32_t k = 0; at == 0 && k < from->count; k++) {
            HB_TRY(hb_derived_values(&g->constants.derived, from->columns[k], row, count,
                                     from->values + (size_t)k * CHUNK));
        }
        code[row] = 0;
        if (from->count > from->keys && !is_true(l, from->values[(size_t)from->keys * CHUNK + at])) {
            continue;
        }
        for (uint32_t k = 0; k < from->keys; k++) {
            HB_TRY(whole_of(l, from->values[(size_t)k * CHUNK + at], &from->row[k]));
        }
        const uint32_t place = place_of(found, from->row);
        if (place == HB_NO_INDEX) {
            return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                              "the keys of plain tables have more than %u values, or pairs of them", found->most);
        }
        code[row] = (uint16_t)(place + 1);
    }
    return HB_OK;
}

/* One group, and its index in the order of appearance. */
typedef struct ranked {
    const int64_t *values;
    uint32_t keys, place;
} ranked;

static int compare(const void *x, const void *y)
{
    const ranked *a = x, *b = y;
    uint32_t k = 0;
    while (k + 1 < a->keys && a->values[k] == b->values[k]) {
        k++;
    }
    return (a->values[k] > b->values[k]) - (a->values[k] < b->values[k]);
}

/* Puts the groups in ascending order. */
static hb_status sort(const seen *found, uint64_t rows, uint16_t *code, hb_plain_groups *out)
{
    ranked *list = calloc((size_t)found->count + 1, sizeof *list);
    uint16_t *to = calloc((size_t)found->count + 1, sizeof *to);
    out->values = malloc(((size_t)found->count * found->keys + 1) * sizeof *out->values);
    if (list == NULL || to == NULL || out->values == NULL) {
        free(list);
        free(to);
        return HB_FAIL(HB_ENOMEM, "no memory for the groups of a plain table");
    }
    for (uint32_t i = 0; i < found->count; i++) {
        list[i] = (ranked){found->values + (size_t)i * found->keys, found->keys, i};
    }
    qsort(list, found->count, sizeof *list, compare);
    for (uint32_t i = 0; i < found->count; i++) {
        memcpy(out->values + (size_t)i * found->keys, list[i].values, found->keys * sizeof *out->values);
        to[1 + list[i].place] = (uint16_t)(i + 1);
    }
    for (uint64_t row = 0; row < rows; row++) {
        code[row] = to[code[row]];
    }
    out->count = found->count;
    free(list);
    free(to);
    return HB_OK;
}

/* Takes one more column, of a node. */
static hb_status read_column(hb_lowering *l, uint32_t node, reading *to, hb_plain_groups *out)
{
    const hb_graph *g = &l->graph;
    const uint32_t operand = g->nodes[node].operand;
    const uint64_t rows = hb_plain_node_rows(g, node);
    if (rows != 1 && out->rows > 1) {
        HB_TRY(hb_plain_rows(l, &g->operands[out->operand], &g->operands[operand], &out->rows));
    } else if (to->count == 0 || out->rows == 1) { /* one row stands in all of another one */
        out->operand = operand;
        out->rows = rows;
    }
    HB_TRY(hb_plain_column(l, node, 0, &to->columns[to->count]));
    return g->constants.derived.column[to->columns[to->count++]].complex
               ? HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at, "the keys of groups are whole numbers")
               : HB_OK;
}

static hb_status read_columns(hb_lowering *l, const uint32_t *nodes, uint32_t filter, reading *to, hb_plain_groups *out)
{
    const size_t most = (size_t)out->keys + 1;
    to->keys = out->keys;
    to->columns = calloc(most, sizeof *to->columns);
    to->values = calloc(most * CHUNK, sizeof *to->values);
    to->row = calloc(most, sizeof *to->row);
    if (to->columns == NULL || to->values == NULL || to->row == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the groups of a plain table");
    }
    for (uint32_t k = 0; k < out->keys; k++) {
        HB_TRY(read_column(l, nodes[k], to, out));
    }
    return filter != HB_NO_NODE ? read_column(l, filter, to, out) : HB_OK;
}

static void reading_clear(reading *x)
{
    if (x->values != NULL) {
        hb_wipe(x->values, ((size_t)x->keys + 1) * CHUNK * sizeof *x->values);
    }
    free(x->columns);
    free(x->values);
    free(x->row);
}

hb_status hb_plain_groups_find(hb_lowering *l, const uint32_t *nodes, uint32_t keys, uint32_t filter, uint32_t most,
                               hb_plain_groups *out)
{
    reading from = {0};
    seen found = {0};
    uint16_t *code = NULL;
    hb_status st = HB_OK;
    *out = (hb_plain_groups){.keys = keys};
    HB_GOTO(read_columns(l, nodes, filter, &from, out));
    HB_GOTO(seen_init(&found, keys, most));
    code = malloc((size_t)out->rows * sizeof *code + 1);
    if (code == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "no memory for the groups of %llu rows", (unsigned long long)out->rows));
    }
    HB_GOTO(code_rows(l, &from, &found, out->rows, code));
    HB_GOTO(sort(&found, out->rows, code, out));
    st = hb_derived_add_codes(&l->graph.constants.derived, code, out->rows, &out->codes);
    code = NULL;
done:
    if (code != NULL) {
        hb_wipe(code, (size_t)out->rows * sizeof *code);
    }
    if (found.values != NULL) {
        hb_wipe(found.values, (size_t)found.count * keys * sizeof *found.values);
    }
    free(code);
    free(found.values);
    hb_index_table_clear(&found.places);
    reading_clear(&from);
    return st;
}

void hb_plain_groups_clear(hb_plain_groups *groups)
{
    if (groups->values != NULL) {
        hb_wipe(groups->values, (size_t)groups->count * groups->keys * sizeof *groups->values);
    }
    free(groups->values);
    *groups = (hb_plain_groups){0};
}

hb_status hb_plain_groups_within(hb_lowering *l, const hb_plain_groups *groups, uint32_t within, uint32_t *codes)
{
    const hb_graph *g = &l->graph;
    hb_derived *d = &l->graph.constants.derived;
    uint32_t condition;
    uint64_t rows;
    *codes = groups->codes;
    if (within == HB_NO_NODE) {
        return HB_OK;
    }
    if (groups->rows != 1 && hb_plain_node_rows(g, within) != 1) {
        HB_TRY(hb_plain_rows(l, &g->operands[groups->operand], &g->operands[g->nodes[within].operand], &rows));
    }
    HB_TRY(hb_plain_column(l, within, 0, &condition));
    return hb_derived_add_pair(d, HB_ITEM_MULTIPLY, groups->codes, condition, codes);
}

hb_status hb_plain_groups_condition(hb_lowering *l, const hb_plain_groups *groups, uint32_t codes, uint32_t group,
                                    uint32_t *node)
{
    hb_derived *d = &l->graph.constants.derived;
    const hb_plain_place place = {.operand = groups->operand};
    uint32_t number, column;
    const hb_plain_value code =
        d->reals ? (hb_plain_value){.real = group + 1.0} : (hb_plain_value){.integer = group + 1};
    HB_TRY(hb_derived_add_number(d, code, &number));
    HB_TRY(hb_derived_add_pair(d, HB_ITEM_EQUAL, codes, number, &column));
    return hb_graph_plain_node(&l->graph, &place, &column, 1, node);
}
