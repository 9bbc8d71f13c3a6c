#include "plain.h"

#include <stdlib.h>

#include "lang/ir/blocks.h"
#include "lang/ir/semantics.h"
#include "plain_private.h"

static bool loads_mask(const hb_graph *g, const hb_node *node)
{
    return node->op == HB_OP_LOAD_PLAIN && node->column >= g->operands[node->operand].schema->columns;
}

static uint32_t mask_of(const hb_graph *g, const hb_node *node)
{
    return node->column - (uint32_t)g->operands[node->operand].schema->columns;
}

const hb_mask *hb_node_mask(const hb_graph *g, uint32_t i)
{
    const hb_node *node = &g->nodes[i];
    return loads_mask(g, node) ? &g->constants.masks.masks[mask_of(g, node)] : NULL;
}

uint64_t hb_mask_rows(const hb_graph *g, uint32_t node)
{
    const hb_mask *mask = hb_node_mask(g, node);
    return mask->count * (g->constants.masks.lists[mask->list].rows == 1 ? g->rows : 1);
}

/* --- columns row by row */

hb_status hb_plain_side_of(hb_lowering *l, uint32_t i, hb_plain_side *out)
{
    const hb_graph *g = &l->graph;
    const hb_node *node = &g->nodes[i];
    const hb_operand *operand = &g->operands[node->operand];
    *out = (hb_plain_side){.operand = node->operand, .rows = operand->schema->rows};
    if (hb_graph_packed(g)) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          "conditions on plain tables beside rows within slots are not computed; encrypt by columns, "
                          "--pack columns");
    }
    if (loads_mask(g, node)) {
        out->masks = &g->constants.masks;
        out->mask = mask_of(g, node);
        out->rows = g->constants.masks.lists[g->constants.masks.masks[out->mask].list].rows;
        return HB_OK;
    }
    if (operand->source == NULL || operand->schema->column[node->column].halves != HB_HALVES_REAL) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          operand->source == NULL ? "the values of the plain table %.40s are not known here"
                                                  : "%.40s has complex numbers, which are not compared",
                          operand->name);
    }
    return operand->source->column(operand->source, node->column, &out->cells);
}

hb_plain_cell hb_plain_side_cell(const hb_plain_side *side, uint64_t row, bool reals)
{
    if (side->number) {
        return side->constant;
    }
    if (side->cells != NULL) {
        return side->cells[side->rows == 1 ? 0 : row];
    }
    const bool has = hb_masks_have(side->masks, side->mask, row);
    return reals ? (hb_plain_cell){.real = has} : (hb_plain_cell){.integer = has};
}

hb_status hb_plain_sides_rows(const hb_lowering *l, const hb_plain_side *x, const hb_plain_side *y, uint64_t *rows)
{
    const hb_graph *g = &l->graph;
    *rows = x->number || (!y->number && x->rows == 1) ? y->rows : x->rows;
    if (x->number || y->number || x->rows == 1 || y->rows == 1) {
        return HB_OK;
    }
    if (x->rows == y->rows) {
        return hb_lower_require_same_rows(l, g->position.item, &g->operands[x->operand], &g->operands[y->operand]);
    }
    return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                      "%.40s has %llu rows, and %.40s has %llu; expected as many, or one row",
                      g->operands[x->operand].name, (unsigned long long)x->rows, g->operands[y->operand].name,
                      (unsigned long long)y->rows);
}

hb_status hb_plain_mask_node(hb_lowering *l, uint32_t operand, uint32_t list, uint16_t code, uint32_t *out)
{
    hb_graph *g = &l->graph;
    const hb_operand *of = &g->operands[operand];
    uint32_t mask;
    HB_TRY(hb_masks_find(&g->constants.masks, list, code, &mask));
    const int64_t most = g->constants.masks.masks[mask].count > 0;
    const hb_node node = {.op = HB_OP_LOAD_PLAIN,
                          .a = HB_NO_NODE,
                          .b = HB_NO_NODE,
                          .operand = operand,
                          .column = (uint32_t)of->schema->columns + mask,
                          .shape.plain = true,
                          .shape.padding_zero = true,
                          .shape.tail_zero = true,
                          .shape.width = 1,
                          .shape.limbs = of->limbs + (g->boundless ? HB_BOUNDLESS_LIMBS : 0),
                          .range.interval =
                              g->semantics->reals ? hb_interval_of_reals(0, (double)most) : hb_interval_of(0, most)};
    return hb_graph_node(g, &node, out);
}

/* --- conditions */

/* What is asked of each row. */
typedef struct test {
    hb_item_kind kind;
    hb_plain_side x, y;
    const hb_member *members; /* HB_ITEM_IN */
    uint32_t count;
    bool reals;
} test;

static int order(hb_plain_cell x, hb_plain_cell y, bool reals)
{
    return reals ? (x.real > y.real) - (x.real < y.real) : (x.integer > y.integer) - (x.integer < y.integer);
}

static hb_plain_cell cell_of(hb_number number, bool reals)
{
    return reals ? (hb_plain_cell){.real = number.real} : (hb_plain_cell){.integer = number.integer};
}

static bool is_true(hb_plain_cell x, bool reals)
{
    return reals ? x.real != 0 : x.integer != 0;
}

static bool is_among(const test *t, hb_plain_cell x)
{
    uint32_t i = 0;
    while (i < t->count && (order(x, cell_of(t->members[i].low, t->reals), t->reals) < 0 ||
                            order(x, cell_of(t->members[i].high, t->reals), t->reals) > 0)) {
        i++;
    }
    return i < t->count;
}

static bool holds(const test *t, uint64_t row)
{
    const hb_plain_cell x = hb_plain_side_cell(&t->x, row, t->reals), y = hb_plain_side_cell(&t->y, row, t->reals);
    /* For which orders of the two sides a comparison is true. */
    static const struct {
        hb_item_kind kind;
        bool less, same, greater;
    } comparisons[] = {{HB_ITEM_LESS, true, false, false},      {HB_ITEM_GREATER, false, false, true},
                       {HB_ITEM_LESS_EQUAL, true, true, false}, {HB_ITEM_GREATER_EQUAL, false, true, true},
                       {HB_ITEM_EQUAL, false, true, false},     {HB_ITEM_NOT_EQUAL, true, false, true}};
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++) {
        if (t->kind == comparisons[i].kind) {
            const int sign = order(x, y, t->reals);
            return sign < 0 ? comparisons[i].less : (sign > 0 ? comparisons[i].greater : comparisons[i].same);
        }
    }
    if (t->kind == HB_ITEM_AND || t->kind == HB_ITEM_OR) {
        const bool first = is_true(x, t->reals), second = is_true(y, t->reals);
        return t->kind == HB_ITEM_AND ? first && second : first || second;
    }
    return t->kind == HB_ITEM_NOT ? !is_true(x, t->reals) : is_among(t, x);
}

/* Makes the mask of rows for which it holds. */
static hb_status make(hb_lowering *l, const test *t, uint32_t *node, uint64_t *rows)
{
    uint32_t list;
    HB_TRY(hb_plain_sides_rows(l, &t->x, &t->y, rows));
    uint16_t *code = malloc((size_t)*rows * sizeof *code + 1);
    if (code == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a condition on %llu rows", (unsigned long long)*rows);
    }
    for (uint64_t row = 0; row < *rows; row++) {
        code[row] = holds(t, row);
    }
    HB_TRY(hb_masks_add_codes(&l->graph.constants.masks, code, *rows, &list));
    return hb_plain_mask_node(l, t->x.number ? t->y.operand : t->x.operand, list, 1, node);
}

static hb_status side_of(hb_lowering *l, const hb_value *value, uint32_t column, hb_plain_side *out)
{
    if (value == NULL || value->kind == HB_VALUE_NUMBER) {
        *out = (hb_plain_side){.number = true};
        out->constant = value != NULL ? cell_of(value->number, l->graph.semantics->reals) : out->constant;
        return HB_OK;
    }
    return hb_plain_side_of(l, l->pool[value->first + (value->columns > 1 ? column : 0)], out);
}

/* The test of each column of x and y, one of which may be a number, or, of y, nothing. */
static hb_status each_column(hb_lowering *l, test *t, hb_value x, hb_value *y, hb_value *out)
{
    const hb_graph *g = &l->graph;
    HB_TRY(hb_lower_load(l, &x));
    HB_TRY(y != NULL ? hb_lower_load(l, y) : HB_OK);
    const bool left = hb_value_plain(&x), right = y != NULL && hb_value_plain(y);
    if (left && right && x.columns != y->columns && x.columns != 1 && y->columns != 1) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          "%u columns and %u; expected the same number on both sides, or one", x.columns, y->columns);
    }
    const hb_value *longer = !left || (right && y->columns > x.columns) ? y : &x;
    *out = (hb_value){.kind = HB_VALUE_ROW, .names = longer->names};
    HB_TRY(hb_lower_columns(l, longer->columns, out));
    for (uint32_t c = 0; hb_graph_at_column(&l->graph, c, out->columns); c++) {
        uint32_t node;
        uint64_t rows;
        HB_TRY(side_of(l, &x, c, &t->x));
        HB_TRY(side_of(l, y, c, &t->y));
        HB_TRY(make(l, t, &node, &rows));
        l->pool[out->first + c] = node;
        out->kind = rows > 1 ? HB_VALUE_TABLE : out->kind;
    }
    return HB_OK;
}

hb_status hb_lower_plain_among(hb_lowering *l, const hb_value *x, const hb_member *members, uint32_t count,
                               hb_value *out)
{
    test t = {.kind = HB_ITEM_IN, .members = members, .count = count, .reals = l->graph.semantics->reals};
    return each_column(l, &t, *x, NULL, out);
}

hb_status hb_lower_plain_test(hb_lowering *l, hb_item_kind kind, const hb_value *x, const hb_value *y, hb_value *out)
{
    test t = {.kind = kind, .reals = l->graph.semantics->reals};
    hb_value second = y != NULL ? *y : (hb_value){0};
    return each_column(l, &t, *x, y != NULL ? &second : NULL, out);
}

hb_status hb_lower_plain_both(hb_lowering *l, uint32_t a, uint32_t b, uint32_t *out)
{
    test t = {.kind = HB_ITEM_AND, .reals = l->graph.semantics->reals};
    uint64_t rows;
    if (a == HB_NO_NODE || b == HB_NO_NODE || a == b) {
        *out = a == HB_NO_NODE ? b : a;
        return HB_OK;
    }
    HB_TRY(hb_plain_side_of(l, a, &t.x));
    HB_TRY(hb_plain_side_of(l, b, &t.y));
    return make(l, &t, out, &rows);
}

/* Whether all cells of a column are 0 and 1. */
static bool is_condition(const hb_plain_side *side, bool reals)
{
    uint64_t row = 0;
    for (; row < side->rows; row++) {
        const hb_plain_cell cell = hb_plain_side_cell(side, row, reals);
        if (reals ? cell.real != 0 && cell.real != 1 : cell.integer != 0 && cell.integer != 1) {
            break;
        }
    }
    return row == side->rows;
}

hb_status hb_lower_plain_condition(hb_lowering *l, const char *what, hb_value *x)
{
    const hb_graph *g = &l->graph;
    HB_TRY(hb_lower_load(l, x));
    for (uint32_t c = 0; c < x->columns; c++) {
        hb_plain_side side;
        HB_TRY(side_of(l, x, c, &side));
        if (!is_condition(&side, g->semantics->reals)) {
            return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                              "%s takes conditions, which are 0 or 1, and the values of the plain table are others; "
                              "compare them",
                              what);
        }
    }
    const hb_number one = {.integer = 1, .real = 1};
    return hb_lower_plain_among(l, x, &(hb_member){.low = one, .high = one}, 1, x);
}
