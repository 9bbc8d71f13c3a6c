/* Choices: where, max and min. Where ranges decide the choice, nothing is computed. */
#include <math.h>

#include "functions.h"
#include "lang/ir/function.h"
#include "lang/ir/known.h"
#include "lang/ir/semantics.h"
#include "lang/types/lang_function.h"
#include "lang/value/plain.h"
#include "logic.h"
#include "open_columns.h"

/* Whether a condition is multiplied by the difference of two values: not where the same is on both sides beside plain
 * tables, as in where(c, x, x + w), and not in the clear, where a choice is exact. encrypted: the condition is. */
static hb_status have_difference(hb_lowering *l, bool encrypted, hb_value *a, hb_value *b, bool *have)
{
    *have = true;
    if (!hb_value_encrypted(a) && !hb_value_encrypted(b)) {
        *have = encrypted;
        return HB_OK;
    }
    if (!hb_value_encrypted(a) || !hb_value_encrypted(b)) {
        return HB_OK;
    }
    HB_TRY(hb_lower_load(l, a));
    HB_TRY(hb_lower_load(l, b));
    const uint32_t columns = a->columns > b->columns ? a->columns : b->columns;
    for (uint32_t i = 0; i < columns && *have; i++) {
        const uint32_t x = hb_open_columns_node(l, a, i), y = hb_open_columns_node(l, b, i);
        hb_number number;
        *have = l->graph.nodes[x].form.fingerprint != l->graph.nodes[y].form.fingerprint;
        if (!*have && encrypted) {
            HB_TRY(hb_graph_find_difference(&l->graph, x, y, &number, have));
        }
    }
    return HB_OK;
}

/* b + c (a - b): one product; of two numbers none. Else c a + (1 - c) b. */
static hb_status compute(hb_lowering *l, hb_value *condition, hb_value *a, hb_value *b, hb_value *out)
{
    bool difference;
    hb_value apart, chosen, other, otherwise, again = *condition;
    HB_TRY(have_difference(l, hb_value_encrypted(condition), a, b, &difference));
    if (difference) {
        HB_TRY(hb_lower_binary(l, HB_ITEM_SUBTRACT, a, b, &apart));
        HB_TRY(hb_lower_binary(l, HB_ITEM_MULTIPLY, condition, &apart, &chosen));
        return hb_lower_binary(l, HB_ITEM_ADD, &chosen, b, out);
    }
    HB_TRY(hb_lower_opposite(l, &again, &other));
    HB_TRY(hb_lower_binary(l, HB_ITEM_MULTIPLY, condition, a, &chosen));
    HB_TRY(hb_lower_binary(l, HB_ITEM_MULTIPLY, &other, b, &otherwise));
    return hb_lower_binary(l, HB_ITEM_ADD, &chosen, &otherwise, out);
}

/* Whether each side has one column, or as many as the widest, and each column is a node of its own. */
static bool are_columns(const hb_value *sides[3], uint32_t *columns)
{
    bool all = true;
    *columns = 1;
    for (int i = 0; i < 3; i++) {
        *columns = sides[i]->columns > *columns ? sides[i]->columns : *columns;
    }
    for (int i = 0; i < 3; i++) {
        all = all && sides[i]->width == 0 && (sides[i]->columns <= 1 || sides[i]->columns == *columns);
    }
    return all;
}

/* Takes a column of one side, encrypted or a number, as a column of a result that has rows, or none: nothing is
 * computed. like: a node of the result's shape. */
static hb_status take(hb_lowering *l, const hb_value *side, uint32_t column, bool rows, uint32_t like, uint32_t *out)
{
    hb_graph *g = &l->graph;
    const uint32_t node = hb_open_columns_node(l, side, column);
    if (node == HB_NO_NODE) {
        return hb_graph_known(g, like, !rows, side->number, out);
    }
    if (hb_node_is_known(g, node)) {
        return hb_graph_put_known(g, node, !rows, hb_node_known(g, node), out);
    }
    *out = node;
    return rows && g->nodes[node].shape.total ? hb_graph_unary(g, HB_OP_BROADCAST, node, 0, out) : HB_OK;
}

/* Whether a side can be taken as it stands. */
static bool is_taken(const hb_value *side)
{
    return hb_value_encrypted(side) || (side->kind == HB_TYPE_NUMBER && side->number.imaginary == 0);
}

/* Takes the side that a constant condition chooses: one of the two is encrypted. */
static hb_status choose_constant(hb_lowering *l, bool first, const hb_value *a, const hb_value *b, hb_value *out)
{
    const hb_value *side = first ? a : b, *encrypted = hb_value_encrypted(a) ? a : b;
    const bool rows =
        a->kind == HB_TYPE_ROWS || b->kind == HB_TYPE_ROWS || a->kind == HB_TYPE_TABLE || b->kind == HB_TYPE_TABLE;
    const uint32_t columns = a->columns > b->columns ? a->columns : b->columns;
    *out = (hb_value){.kind = rows ? HB_TYPE_ROWS : HB_TYPE_TOTALS};
    HB_TRY(hb_lower_columns(l, columns, out));
    for (uint32_t i = 0; hb_graph_at_column(&l->graph, i, columns); i++) {
        uint32_t node;
        HB_TRY(take(l, side, i, rows, hb_open_columns_node(l, encrypted, i), &node));
        l->pool[out->first + i] = node;
    }
    return HB_OK;
}

/* Takes the chosen side of columns whose condition is the same in every row; others are open. */
static hb_status settle(hb_lowering *l, const hb_value *sides[3], bool rows, hb_value *out)
{
    const hb_graph *g = &l->graph;
    for (uint32_t i = 0; hb_graph_at_column(&l->graph, i, out->columns); i++) {
        const uint32_t condition = hb_open_columns_node(l, sides[0], i);
        if (!hb_node_is_known(g, condition)) {
            continue;
        }
        const hb_value *side = hb_graph_is_zero(g, hb_node_known_number(g, condition)) ? sides[2] : sides[1];
        if (is_taken(side)) {
            uint32_t node;
            HB_TRY(take(l, side, i, rows, condition, &node));
            l->pool[out->first + i] = node;
        }
    }
    return HB_OK;
}

static hb_status choose(hb_lowering *l, hb_value *condition, hb_value *a, hb_value *b, hb_value *out)
{
    const hb_value *sides[3] = {condition, a, b};
    hb_value part[3], made;
    uint32_t columns;
    bool rows = false;
    for (int i = 0; i < 3; i++) {
        rows = rows || sides[i]->kind == HB_TYPE_ROWS || sides[i]->kind == HB_TYPE_TABLE;
    }
    const bool constant = condition->kind == HB_TYPE_NUMBER && (hb_value_encrypted(a) || hb_value_encrypted(b));
    const bool first = constant && !hb_graph_is_zero(&l->graph, condition->number);
    if (constant && are_columns(sides, &columns) && is_taken(first ? a : b)) {
        HB_TRY(hb_lower_load(l, a));
        HB_TRY(hb_lower_load(l, b));
        return choose_constant(l, first, a, b, out);
    }
    if (l->graph.params == NULL || !hb_value_encrypted(condition) || !are_columns(sides, &columns)) {
        return compute(l, condition, a, b, out);
    }
    HB_TRY(hb_lower_load(l, a));
    HB_TRY(hb_lower_load(l, b));
    hb_value settled = {.kind = rows ? HB_TYPE_ROWS : HB_TYPE_TOTALS, .columns = columns};
    HB_TRY(hb_open_columns_begin(l, columns, &settled));
    HB_TRY(settle(l, sides, rows, &settled));
    const uint32_t left = hb_open_columns_count(l, &settled);
    if (left == columns) {
        return compute(l, condition, a, b, out);
    }
    for (int i = 0; i < 3 && left > 0; i++) {
        HB_TRY(hb_open_columns_part(l, sides[i], &settled, &part[i]));
    }
    if (left > 0) {
        HB_TRY(compute(l, &part[0], &part[1], &part[2], &made));
        hb_open_columns_fill(l, &made, &settled);
    }
    *out = settled;
    return HB_OK;
}

/* The range of b + c (a - b): from a to b, and beyond by the error of a condition of reals. */
static hb_interval chosen_of(hb_interval c, hb_interval a, hb_interval b)
{
    const hb_interval both = hb_interval_join(a, b);
    if (!c.real || !c.known) {
        return both;
    }
    const hb_interval apart = hb_interval_add(hb_interval_to_reals(a), hb_interval_negate(hb_interval_to_reals(b)));
    const hb_interval missed = hb_interval_of_reals(fmin(c.low, 0), fmax(c.high - 1, 0));
    return hb_interval_add(hb_interval_to_reals(both), hb_interval_multiply(missed, apart));
}

static hb_status where(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    hb_value *condition = &arguments[0], *a = &arguments[1], *b = &arguments[2];
    (void)item;
    HB_TRY(hb_lower_require_condition(l, "where", condition));
    HB_TRY(hb_lower_zeroed(l, condition));
    HB_TRY(choose(l, condition, a, b, out));
    out->names = hb_value_names(a, b); /* not those of the steps that it is made of */
    if (l->graph.params == NULL) {
        return HB_OK;
    }
    HB_TRY(hb_lower_load(l, a));
    HB_TRY(hb_lower_load(l, b));
    for (uint32_t i = 0; i < out->columns; i++) {
        const hb_interval x = hb_open_columns_values(l, a, i), y = hb_open_columns_values(l, b, i);
        const hb_interval c =
            hb_value_plain(condition) ? hb_interval_of(0, 1) : hb_open_columns_values(l, condition, i);
        if (x.known && y.known) {
            hb_graph_narrow(&l->graph, l->pool[out->first + i], chosen_of(c, x, y));
        }
    }
    return HB_OK;
}

static hb_status take_choice(hb_types *t, const hb_item *item, hb_type *operands, hb_result_rule *to)
{
    (void)item;
    HB_TRY(hb_types_pair(t, &operands[1], &operands[2]));
    HB_TRY(hb_types_align(t, &operands[1], &operands[2]));
    to->first = 1;
    return HB_OK;
}

/* As that of b + c (a - b), or, in the clear, of c a + (1 - c) b. */
static hb_status shape(hb_types *t, const hb_item *item, const hb_type *operands, hb_type *out)
{
    const hb_type *condition = &operands[0], *a = &operands[1], *b = &operands[2];
    const bool clear = !hb_type_encrypted(a) && !hb_type_encrypted(b) && !hb_type_encrypted(condition);
    hb_type either, chosen, other = *b;
    (void)item;
    HB_TRY(hb_types_condition(t, "where", condition));
    HB_TRY(hb_shape_binary(t, a, b, &either));
    if (clear) {
        HB_TRY(hb_shape_binary(t, condition, b, &other));
    }
    HB_TRY(hb_shape_binary(t, condition, clear ? a : &either, &chosen));
    HB_TRY(hb_shape_binary(t, &chosen, &other, out));
    out->names = either.names;
    return HB_OK;
}

static hb_status chosen(const hb_types *t, const hb_item *item, const hb_type *arguments, hb_number *out)
{
    const hb_number condition = arguments[0].number;
    (void)t;
    (void)item;
    *out = arguments[condition.integer != 0 || condition.real != 0 ? 1 : 2].number;
    return HB_OK;
}

const hb_lang_function hb_lang_function_where = {
    .call = {.name = "where",
             .form = "where(condition, a, b)",
             .says = "a where the condition is true, else b",
             .least = 3,
             .most = 3,
             .matches = true},
    .meaning = {take_choice, HB_RESULT_EITHER},
    .gaps = HB_GAPS_CHOICE,
    .shape = shape,
    .constant = chosen,
    .lower = where,
};

/* --- the larger and the smaller */

/* Which of two columns is never above the other one, as ranges tell: -1 x, 1 y; 0: neither. An end of integers beyond
 * 64 bits is where it is at least. */
static int order_of_ranges(const hb_interval a, const hb_interval b)
{
    if (!a.known || !b.known) {
        return 0;
    }
    if (a.real) {
        return a.high <= b.low ? -1 : a.low >= b.high;
    }
    const bool below = a.most <= b.least && a.most < INT64_MAX && b.least > -INT64_MAX;
    const bool above = a.least >= b.most && b.most < INT64_MAX && a.least > -INT64_MAX;
    return below ? -1 : above;
}

/* The same where their difference is a number, as that of x and x + 4; of reals also behind roundings, by the
 * difference that is taken where it is none. */
static hb_status order_of_difference(hb_lowering *l, uint32_t x, uint32_t y, bool largest, int *order)
{
    hb_graph *g = &l->graph;
    hb_number apart;
    bool found;
    HB_TRY(hb_graph_find_difference(g, x, y, &apart, &found));
    if (found) {
        const double sign = g->semantics->reals ? apart.real : (double)apart.integer;
        *order = sign > 0 ? 1 : -1;
        return HB_OK;
    }
    if (g->semantics->reals) {
        uint32_t node;
        HB_TRY(hb_graph_subtract(g, largest ? x : y, largest ? y : x, &node));
        const double sign = hb_node_is_known(g, node) ? hb_node_known_number(g, node).real : 0;
        *order = !hb_node_is_known(g, node) ? 0 : (sign > 0) == largest ? 1 : -1;
    }
    return HB_OK;
}

/* As far as is known. */
static hb_status order_of(hb_lowering *l, const hb_value *x, const hb_value *y, uint32_t column, bool largest,
                          int *order)
{
    const hb_graph *g = &l->graph;
    const uint32_t i = hb_open_columns_node(l, x, column), j = hb_open_columns_node(l, y, column);
    *order = 0;
    if ((i != HB_NO_NODE && g->nodes[i].shape.halves != HB_HALVES_REAL) ||
        (j != HB_NO_NODE && g->nodes[j].shape.halves != HB_HALVES_REAL)) {
        return HB_OK;
    }
    if (!l->approximations.always) {
        *order = order_of_ranges(hb_open_columns_values(l, x, column), hb_open_columns_values(l, y, column));
    }
    const bool encrypted = i != HB_NO_NODE && j != HB_NO_NODE;
    return *order == 0 && encrypted ? order_of_difference(l, i, j, largest, order) : HB_OK;
}

static bool all_whole(const hb_lowering *l, const hb_value *x, const hb_value *y)
{
    const uint32_t left = hb_value_width(x), right = hb_value_width(y), columns = left > right ? left : right;
    uint32_t i = 0;
    while (i < columns && hb_lower_are_whole(l, x, y, i)) {
        i++;
    }
    return i == columns;
}

static hb_status extreme(hb_lowering *l, hb_value *x, hb_value *y, bool largest, bool whole, hb_value *out)
{
    return l->graph.semantics->reals ? hb_lower_extreme(l, x, y, largest, whole, out)
                                     : hb_lower_extreme_integer(l, x, y, largest, out);
}

/* Takes columns that are always the larger, or the smaller; others are open. */
static hb_status settle_extreme(hb_lowering *l, const hb_value *x, const hb_value *y, bool largest, hb_value *out)
{
    for (uint32_t i = 0; hb_graph_at_column(&l->graph, i, out->columns); i++) {
        const uint32_t a = hb_open_columns_node(l, x, i), like = a != HB_NO_NODE ? a : hb_open_columns_node(l, y, i);
        int order;
        uint32_t node = HB_NO_NODE;
        HB_TRY(order_of(l, x, y, i, largest, &order));
        if (order != 0) {
            HB_TRY(take(l, (order > 0) == largest ? x : y, i, out->kind == HB_TYPE_ROWS, like, &node));
        }
        l->pool[out->first + i] = node;
    }
    hb_open_columns_again(l, out);
    return HB_OK;
}

static hb_status larger_or_smaller(hb_lowering *l, hb_value *x, hb_value *y, bool largest, hb_value *out)
{
    const hb_value *sides[3] = {x, y, x};
    uint32_t columns;
    hb_value first, second, made;
    if (!hb_value_encrypted(x) && !hb_value_encrypted(y) && (hb_value_plain(x) || hb_value_plain(y))) {
        HB_TRY(hb_lower_load(l, x));
        HB_TRY(hb_lower_load(l, y));
        HB_TRY(hb_lower_plain(l, largest ? HB_ITEM_GREATER : HB_ITEM_LESS, x, y, &made));
        return compute(l, &made, x, y, out);
    }
    HB_TRY(hb_lower_load(l, x));
    HB_TRY(hb_lower_load(l, y));
    const bool whole = l->graph.params != NULL && all_whole(l, x, y);
    const bool numbers = x->number.imaginary == 0 && y->number.imaginary == 0;
    if (l->graph.params == NULL || hb_value_plain(x) || hb_value_plain(y) || !are_columns(sides, &columns) ||
        !numbers) {
        return extreme(l, x, y, largest, whole, out);
    }
    const bool rows = x->kind == HB_TYPE_ROWS || y->kind == HB_TYPE_ROWS;
    hb_value settled = {.kind = rows ? HB_TYPE_ROWS : HB_TYPE_TOTALS};
    HB_TRY(hb_open_columns_begin(l, columns, &settled));
    HB_TRY(settle_extreme(l, x, y, largest, &settled));
    const uint32_t left = hb_open_columns_count(l, &settled);
    if (left == columns) {
        return extreme(l, x, y, largest, whole, out);
    }
    if (left > 0) {
        HB_TRY(hb_open_columns_part(l, x, &settled, &first));
        HB_TRY(hb_open_columns_part(l, y, &settled, &second));
        HB_TRY(extreme(l, &first, &second, largest, whole, &made));
        hb_open_columns_fill(l, &made, &settled);
    }
    *out = settled;
    return HB_OK;
}

static hb_status either(hb_lowering *l, hb_value *arguments, bool largest, hb_value *out)
{
    HB_TRY(larger_or_smaller(l, &arguments[0], &arguments[1], largest, out));
    out->names = hb_value_names(&arguments[0], &arguments[1]); /* not those of the steps that it is made of */
    return HB_OK;
}

static hb_status larger(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    (void)item;
    return either(l, arguments, true, out);
}

static hb_status smaller(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    (void)item;
    return either(l, arguments, false, out);
}

static hb_status take_extreme(hb_types *t, const hb_item *item, hb_type *operands, hb_result_rule *to)
{
    (void)item;
    (void)to;
    HB_TRY(hb_types_pair(t, &operands[0], &operands[1]));
    HB_TRY(hb_types_kinds(t, &operands[0], false));
    return hb_types_align(t, &operands[0], &operands[1]);
}

static hb_status shape_of_extreme(hb_types *t, const hb_item *item, const hb_type *operands, hb_type *out)
{
    const hb_type *x = &operands[0], *y = &operands[1];
    if (!hb_type_plain(x) && !hb_type_plain(y) && !(hb_type_number(x) && hb_type_number(y))) {
        HB_TRY(hb_types_encrypted(t, item->call->name, hb_type_encrypted(x) ? x : y));
    }
    return hb_shape_binary(t, x, y, out);
}

static hb_status larger_constant(const hb_types *t, const hb_item *item, const hb_type *arguments, hb_number *out)
{
    (void)item;
    *out = arguments[hb_fold_order(t, arguments[0].number, arguments[1].number) < 0 ? 1 : 0].number;
    return hb_fold_reals(t, arguments, 2);
}

static hb_status smaller_constant(const hb_types *t, const hb_item *item, const hb_type *arguments, hb_number *out)
{
    (void)item;
    *out = arguments[hb_fold_order(t, arguments[0].number, arguments[1].number) < 0 ? 0 : 1].number;
    return hb_fold_reals(t, arguments, 2);
}

#define OF_EACH_ROW "it compares two values in each row; histogram(x) shows the values of a column that has few"

const hb_lang_function hb_lang_function_max = {
    .call = {.name = "max",
             .form = "max(x, y)",
             .says = "the larger of two values in each row: on reals by a polynomial made from `sign`, on integers "
                     "exact ([conditions](conditions.md))",
             .least = 2,
             .most = 2,
             .alone = OF_EACH_ROW,
             .matches = true},
    .meaning = {take_extreme, HB_RESULT_EITHER},
    .gaps = HB_GAPS_ROWWISE,
    .shape = shape_of_extreme,
    .constant = larger_constant,
    .lower = larger,
};
const hb_lang_function hb_lang_function_min = {
    .call = {.name = "min",
             .form = "min(x, y)",
             .says = "the smaller of two values in each row, as `max`",
             .least = 2,
             .most = 2,
             .alone = OF_EACH_ROW,
             .matches = true},
    .meaning = {take_extreme, HB_RESULT_EITHER},
    .gaps = HB_GAPS_ROWWISE,
    .shape = shape_of_extreme,
    .constant = smaller_constant,
    .lower = smaller,
};
