/* Groups of rows by columns of plain tables. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/seed.h"
#include "lang/ir/semantics.h"
#include "plain_private.h"

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

static hb_status whole_of(const hb_lowering *l, hb_plain_cell cell, int64_t *value)
{
    const hb_graph *g = &l->graph;
    if (!g->semantics->reals) {
        *value = cell.integer;
        return HB_OK;
    }
    if (!(fabs(cell.real) <= 0x1p53 && rint(cell.real) == cell.real)) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at, "the keys of groups are whole numbers");
    }
    *value = (int64_t)cell.real;
    return HB_OK;
}

/* Columns of keys, and the filter; values [keys] is room for those of a row. */
typedef struct reading {
    hb_plain_side *sides; /* [keys] */
    hb_plain_side filter;
    int64_t *values;
} reading;

/* Gives each row 1 + the place of its values, or 0 where it is in no group. */
static hb_status code_rows(hb_lowering *l, const reading *from, seen *found, uint64_t rows, uint16_t *code)
{
    const hb_graph *g = &l->graph;
    const bool reals = g->semantics->reals;
    for (uint64_t row = 0; row < rows; row++) {
        code[row] = 0;
        if (!from->filter.number && !hb_masks_have(from->filter.masks, from->filter.mask, row)) {
            continue;
        }
        for (uint32_t k = 0; k < found->keys; k++) {
            HB_TRY(whole_of(l, hb_plain_side_cell(&from->sides[k], row, reals), &from->values[k]));
        }
        const uint32_t place = place_of(found, from->values);
        if (place == HB_NO_INDEX) {
            return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                              "the keys of plain tables have more than %u values, or pairs of them", found->most);
        }
        code[row] = (uint16_t)(place + 1);
    }
    return HB_OK;
}

/* One group, and which of those that were seen it was. */
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

static hb_status read_sides(hb_lowering *l, const uint32_t *nodes, uint32_t keys, uint32_t filter, reading *to,
                            hb_plain_groups *out)
{
    to->sides = calloc(keys, sizeof *to->sides);
    to->values = calloc(keys, sizeof *to->values);
    if (to->sides == NULL || to->values == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the groups of a plain table");
    }
    to->filter = (hb_plain_side){.number = true};
    HB_TRY(filter != HB_NO_NODE ? hb_plain_side_of(l, filter, &to->filter) : HB_OK);
    out->rows = to->filter.number ? 1 : to->filter.rows;
    for (uint32_t k = 0; k < keys; k++) {
        const hb_plain_side before = {.rows = out->rows, .operand = k > 0 ? out->operand : to->filter.operand};
        HB_TRY(hb_plain_side_of(l, nodes[k], &to->sides[k]));
        HB_TRY(hb_plain_sides_rows(l, &before, &to->sides[k], &out->rows));
        out->operand = to->sides[k].operand;
    }
    return HB_OK;
}

hb_status hb_plain_groups_find(hb_lowering *l, const uint32_t *nodes, uint32_t keys, uint32_t filter, uint32_t most,
                               hb_plain_groups *out)
{
    reading from = {0};
    seen found = {0};
    uint16_t *code = NULL;
    hb_status st = HB_OK;
    *out = (hb_plain_groups){.keys = keys};
    HB_GOTO(read_sides(l, nodes, keys, filter, &from, out));
    HB_GOTO(seen_init(&found, keys, most));
    code = malloc((size_t)out->rows * sizeof *code + 1);
    if (code == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "no memory for the groups of %llu rows", (unsigned long long)out->rows));
    }
    HB_GOTO(code_rows(l, &from, &found, out->rows, code));
    HB_GOTO(sort(&found, out->rows, code, out));
    st = hb_masks_add_codes(&l->graph.constants.masks, code, out->rows, &out->list);
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
    free(from.sides);
    free(from.values);
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

hb_status hb_plain_groups_within(hb_lowering *l, const hb_plain_groups *groups, uint32_t within, uint32_t *list)
{
    hb_masks *masks = &l->graph.constants.masks;
    hb_plain_side side;
    uint64_t rows;
    *list = groups->list;
    if (within == HB_NO_NODE) {
        return HB_OK;
    }
    HB_TRY(hb_plain_side_of(l, within, &side));
    const hb_plain_side own = {.rows = groups->rows, .operand = groups->operand};
    HB_TRY(hb_plain_sides_rows(l, &own, &side, &rows));
    uint16_t *code = malloc((size_t)rows * sizeof *code + 1);
    if (code == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the groups of %llu rows", (unsigned long long)rows);
    }
    const uint16_t *all = masks->lists[groups->list].code;
    for (uint64_t row = 0; row < rows; row++) {
        code[row] = hb_masks_have(masks, side.mask, row) ? all[groups->rows == 1 ? 0 : row] : 0;
    }
    return hb_masks_add_codes(masks, code, rows, list);
}

hb_status hb_plain_groups_mask(hb_lowering *l, const hb_plain_groups *groups, uint32_t list, uint32_t group,
                               uint32_t *node)
{
    return hb_plain_mask_node(l, groups->operand, list, (uint16_t)(group + 1), node);
}
