/* Comparisons and combinations of them. A condition is 1 where it is true, else 0, and so `and` is a product.
 * Conditions on plain tables alone are computed in the clear. */
#include <stdlib.h>
#include <string.h>

#include "functions.h"
#include "lang/ir/function.h"
#include "lang/ir/known.h"
#include "lang/ir/semantics.h"
#include "lang/types/lang_function.h"
#include "logic.h"
#include "plain_conditions.h"

/* --- of conditions */

/* Refuses a value that is no condition by its range; its meaning is checked already. */
hb_status hb_lower_require_condition(hb_lowering *l, const char *what, hb_value *x)
{
    const hb_graph *g = &l->graph;
    if (hb_value_plain(x)) {
        return hb_lower_plain_condition(l, what, x);
    }
    HB_TRY(hb_lower_load(l, x));
    for (uint32_t i = 0; g->params != NULL && i < x->columns; i++) {
        const hb_interval values = g->nodes[l->pool[x->first + i]].range.interval;
        if (!hb_interval_within(values, hb_truth_range(l))) {
            char text[HB_INTERVAL_TEXT] = "not known to be 0 and 1";
            if (values.known) {
                hb_interval_text(text, values);
            }
            return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                              "%s takes conditions, which are 0 or 1, and the values here are %s; compare them%s", what,
                              text, g->semantics->reals ? "" : ", or declare them, --range name=0..1");
        }
    }
    return HB_OK;
}

/* Products on top of each other that a condition takes. */
static uint32_t depth_of(const hb_lowering *l, const hb_value *x)
{
    uint32_t depth = 0;
    for (uint32_t i = 0; hb_value_encrypted(x) && i < x->columns; i++) {
        const uint32_t column = l->graph.nodes[l->pool[x->first + i]].shape.depth;
        depth = column > depth ? column : depth;
    }
    return depth;
}

/* Moves the value of the least depth to the front; of several the first. */
static void least_first(const hb_lowering *l, hb_value *values, uint32_t count)
{
    uint32_t least = 0;
    for (uint32_t i = 1; i < count; i++) {
        least = depth_of(l, &values[i]) < depth_of(l, &values[least]) ? i : least;
    }
    const hb_value first = values[least];
    memmove(values + 1, values, least * sizeof *values);
    values[0] = first;
}

/* Joins conditions two at a time, always those of the least depth, so that the last has the least there is (a tree as
 * D. A. Huffman's, of maxima in the place of sums). */
static hb_status join(hb_lowering *l, const char *what, hb_value *values, uint32_t count, hb_value *out)
{
    for (uint32_t i = 0; i < count; i++) {
        HB_TRY(hb_lower_require_condition(l, what, &values[i]));
        if (values[i].type != NULL) {
            HB_TRY(hb_lower_zeroed(l, &values[i]));
        }
    }
    for (; count > 1; values++, count--) {
        least_first(l, values, count);
        least_first(l, values + 1, count - 1);
        HB_TRY(hb_lower_logic(l, l->graph.position.item->kind, &values[0], &values[1], out));
        values[1] = *out;
    }
    return HB_OK;
}

/* --- comparisons */

/* Whole reals are equal where neither is less. */
static hb_status equal_reals(hb_lowering *l, hb_value *x, hb_value *y, hb_value *out)
{
    hb_value most, least, first = *x, second = *y;
    HB_TRY(hb_lower_compare(l, &first, &second, true, &most));
    HB_TRY(hb_lower_compare(l, &second, &first, true, &least));
    return hb_lower_logic(l, HB_ITEM_AND, &least, &most, out);
}

static hb_status compare_reals(hb_lowering *l, hb_item_kind kind, hb_value *x, hb_value *y, hb_value *out)
{
    hb_value equal;
    if (kind == HB_ITEM_LESS || kind == HB_ITEM_LESS_EQUAL) { /* the same, as values are right up to an error */
        return hb_lower_compare(l, x, y, kind == HB_ITEM_LESS_EQUAL, out);
    }
    if (kind == HB_ITEM_GREATER || kind == HB_ITEM_GREATER_EQUAL) {
        return hb_lower_compare(l, y, x, kind == HB_ITEM_GREATER_EQUAL, out);
    }
    if (kind == HB_ITEM_EQUAL) {
        return equal_reals(l, x, y, out);
    }
    HB_ASSERT(kind == HB_ITEM_NOT_EQUAL);
    HB_TRY(equal_reals(l, x, y, &equal));
    return hb_lower_opposite(l, &equal, out);
}

static hb_status compare(hb_lowering *l, hb_item_kind kind, hb_value *x, hb_value *y, hb_value *out)
{
    if (x->kind == HB_TYPE_DIGITS || y->kind == HB_TYPE_DIGITS) {
        return hb_lower_compare_digits(l, kind, x, y, out);
    }
    if (!hb_value_encrypted(x) && !hb_value_encrypted(y) && (hb_value_plain(x) || hb_value_plain(y))) {
        HB_TRY(hb_lower_load(l, x));
        HB_TRY(hb_lower_load(l, y));
        return hb_lower_plain(l, kind, x, y, out);
    }
    if (l->graph.semantics->reals) {
        HB_TRY(compare_reals(l, kind, x, y, out));
    } else {
        HB_TRY(hb_lower_compare_integers(l, kind, x, y, out));
    }
    return hb_lower_keep_truths(l, kind, x, y, NULL, 0, out);
}

/* For integers and numbers one polynomial. */
static hb_status between(hb_lowering *l, hb_value *x, hb_value *low, hb_value *high, hb_value *out)
{
    const hb_graph *g = &l->graph;
    hb_value above, below, again = *x;
    if (!g->semantics->reals && hb_value_encrypted(x) && low->kind == HB_TYPE_NUMBER && high->kind == HB_TYPE_NUMBER) {
        const hb_member member = {.low = low->number, .high = high->number};
        HB_TRY(hb_lower_table(l, x, (hb_members){&member, 1, false}, out));
        return hb_lower_keep_truths(l, HB_ITEM_IN, x, NULL, &member, 1, out);
    }
    if (x->kind == HB_TYPE_DIGITS && low->kind == HB_TYPE_NUMBER && low->number.integer <= 0) {
        return compare(l, HB_ITEM_LESS_EQUAL, x, high, out); /* none of them is below 0 */
    }
    HB_TRY(compare(l, HB_ITEM_GREATER_EQUAL, x, low, &above));
    HB_TRY(compare(l, HB_ITEM_LESS_EQUAL, &again, high, &below));
    return hb_lower_logic(l, HB_ITEM_AND, &above, &below, out);
}

/* For reals, and of digits. */
static hb_status among_each(hb_lowering *l, hb_value *x, const hb_value *members, uint32_t count, hb_value *out)
{
    hb_value found, more;
    for (uint32_t i = 0; i < count; i++) {
        const hb_member member = hb_value_member(&members[i]);
        hb_value low = {.kind = HB_TYPE_NUMBER, .number = member.low}, again = *x;
        hb_value high = {.kind = HB_TYPE_NUMBER, .number = member.high};
        HB_TRY(hb_value_is_item(&members[i], HB_ITEM_RANGE) ? between(l, &again, &low, &high, &more)
                                                            : compare(l, HB_ITEM_EQUAL, &again, &low, &more));
        if (i > 0) {
            HB_TRY(hb_lower_logic(l, HB_ITEM_OR, &found, &more, &more));
        }
        found = more;
    }
    *out = found;
    return HB_OK;
}

static hb_status among(hb_lowering *l, hb_value *x, const hb_value *values, uint32_t count, hb_value *out)
{
    hb_status st = HB_OK;
    if (x->kind == HB_TYPE_DIGITS || (l->graph.semantics->reals && !hb_value_plain(x))) {
        return among_each(l, x, values, count, out);
    }
    hb_member *members = calloc(count, sizeof *members);
    if (members == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %u numbers", count);
    }
    for (uint32_t i = 0; i < count; i++) {
        members[i] = hb_value_member(&values[i]);
    }
    HB_GOTO(hb_value_plain(x) ? hb_lower_load(l, x) : HB_OK);
    HB_GOTO(hb_value_plain(x) ? hb_lower_plain_among(l, x, members, count, out)
                              : hb_lower_table(l, x, (hb_members){members, count, false}, out));
    if (!hb_value_plain(x)) {
        HB_GOTO(hb_lower_keep_truths(l, HB_ITEM_IN, x, NULL, members, count, out));
    }
done:
    free(members);
    return st;
}

/* How many columns are the same in every row. */
static uint32_t known_columns(const hb_lowering *l, const hb_value *x)
{
    uint32_t count = 0;
    for (uint32_t i = 0; hb_value_encrypted(x) && x->whole == NULL && i < x->columns; i++) {
        count += hb_node_is_known(&l->graph, l->pool[x->first + i]);
    }
    return count;
}

/* Notes a condition of which a column is the same in every row, and is not made of such. */
static void note_settled(hb_lowering *l, const hb_item *item, uint32_t before, const hb_value *out)
{
    hb_lowered_notes *notes = &l->notes;
    uint32_t i = 0, first = 0;
    while (i < notes->settled_count && notes->settled[i].item->at != item->at) {
        i++;
    }
    if (before > 0 || known_columns(l, out) == 0 || i < notes->settled_count || i == HB_MOST_SETTLED) {
        return;
    }
    while (!hb_node_is_known(&l->graph, l->pool[out->first + first])) {
        first++;
    }
    const hb_number number = hb_node_known_number(&l->graph, l->pool[out->first + first]);
    notes->settled[notes->settled_count++] = (hb_settled){item, !hb_graph_is_zero(&l->graph, number)};
}

/* Where a condition is false: neither where it is true, nor where it is unknown. Conditions with gaps are 1 where they
 * are true, and 0 where they are false or unknown. */
static hb_status falsity(hb_lowering *l, const hb_item *item, const hb_value *condition, hb_value *out)
{
    hb_value x = *condition, present = {.kind = x.kind}, side[2];
    const hb_type *type = x.type;
    if (type == NULL || !hb_type_has_gaps(type)) {
        return hb_lower_opposite(l, &x, out);
    }
    if (!type->unsure) {
        HB_TRY(hb_lower_zeroed(l, &x));
        HB_TRY(hb_lower_columns(l, x.columns, &present));
        for (uint32_t c = 0; hb_graph_at_column(&l->graph, c, x.columns); c++) {
            const hb_column_gaps gaps = hb_type_gaps(type, c);
            uint32_t node = HB_NO_NODE;
            if (gaps.count > 0) {
                HB_TRY(hb_lower_present(l, &gaps, &node));
            } else {
                HB_TRY(hb_graph_known(&l->graph, l->pool[x.first + c], false, (hb_number){.integer = 1, .real = 1},
                                      &node));
            }
            l->pool[present.first + c] = node;
        }
        HB_TRY(hb_lower_binary(l, HB_ITEM_SUBTRACT, &present, &x, out));
        for (uint32_t c = 0; c < out->columns; c++) {
            hb_graph_narrow(&l->graph, l->pool[out->first + c], hb_truth_range(l));
        }
        return HB_OK;
    }
    if (item->kind == HB_ITEM_NOT) {
        *out = *hb_lower_operand_of(l, item, 0);
        return hb_lower_zeroed(l, out);
    }
    if (item->kind != HB_ITEM_AND && item->kind != HB_ITEM_OR) {
        return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, item->at,
                          "not does not take the name of a condition with missing cells: write the condition itself "
                          "behind not, in parentheses");
    }
    for (uint32_t i = 0; i < item->arguments; i++) {
        HB_TRY(falsity(l, hb_item_operand(item, i), hb_lower_operand_of(l, item, i), &side[i > 0]));
        if (i > 0) {
            const hb_item_kind kind = item->kind == HB_ITEM_AND ? HB_ITEM_OR : HB_ITEM_AND;
            HB_TRY(hb_lower_logic(l, kind, &side[0], &side[1], out));
            side[0] = *out;
        }
    }
    return HB_OK;
}

static hb_status make_opposite(hb_lowering *l, const hb_item *item, hb_value *values, hb_value *out)
{
    HB_TRY(hb_lower_require_condition(l, "not", &values[0]));
    return falsity(l, hb_item_operand(item, 0), &values[0], out);
}

/* 1 where a value is missing, else 0. */
static hb_status make_missing(hb_lowering *l, const hb_item *item, hb_value *values, hb_value *out)
{
    hb_value x = values[0], present = {.kind = x.kind};
    (void)item;
    HB_TRY(hb_lower_load(l, &x));
    HB_TRY(hb_lower_columns(l, x.columns, &present));
    for (uint32_t c = 0; hb_graph_at_column(&l->graph, c, x.columns); c++) {
        const hb_column_gaps gaps = hb_type_gaps(x.type, c);
        uint32_t node = l->pool[x.first + c]; /* where keys alone are asked for, as good as its mask */
        if (gaps.count > 0) {
            HB_TRY(hb_lower_present(l, &gaps, &node));
        } else if (l->graph.params != NULL) {
            HB_TRY(hb_graph_known(&l->graph, node, false, (hb_number){.integer = 1, .real = 1}, &node));
        }
        l->pool[present.first + c] = node;
    }
    return hb_lower_opposite(l, &present, out);
}

static hb_status make_joined(hb_lowering *l, const hb_item *item, hb_value *values, hb_value *out)
{
    return join(l, item->kind == HB_ITEM_AND ? "and" : "or", values, item->arguments, out);
}

static hb_status make_between(hb_lowering *l, const hb_item *item, hb_value *values, hb_value *out)
{
    (void)item;
    return between(l, &values[0], &values[1], &values[2], out);
}

static hb_status make_among(hb_lowering *l, const hb_item *item, hb_value *values, hb_value *out)
{
    return among(l, &values[0], values + 1, item->arguments - 1, out);
}

static hb_status make_comparison(hb_lowering *l, const hb_item *item, hb_value *values, hb_value *out)
{
    return compare(l, item->kind, &values[0], &values[1], out);
}

typedef hb_status maker(hb_lowering *l, const hb_item *item, hb_value *values, hb_value *out);
static maker *const makers[] = {
    [HB_ITEM_LESS] = make_comparison,
    [HB_ITEM_GREATER] = make_comparison,
    [HB_ITEM_LESS_EQUAL] = make_comparison,
    [HB_ITEM_GREATER_EQUAL] = make_comparison,
    [HB_ITEM_EQUAL] = make_comparison,
    [HB_ITEM_NOT_EQUAL] = make_comparison,
    [HB_ITEM_AND] = make_joined,
    [HB_ITEM_OR] = make_joined,
    [HB_ITEM_NOT] = make_opposite,
    [HB_ITEM_BETWEEN] = make_between,
    [HB_ITEM_IN] = make_among,
    [HB_ITEM_MISSING] = make_missing,
    [HB_ITEM_REPEAT] = NULL, /* the last kind */
};

/* A comparison is no truth in rows where a side is missing. */
static hb_status leave_out_gaps(hb_lowering *l, const hb_item *item, hb_value *out)
{
    const bool comparison = item->kind != HB_ITEM_AND && item->kind != HB_ITEM_OR && item->kind != HB_ITEM_NOT;
    for (uint32_t c = 0; comparison && hb_type_has_gaps(l->type) && c < out->columns; c++) {
        const hb_column_gaps gaps = hb_type_gaps(l->type, c);
        uint32_t present, *node = &l->pool[out->first + c];
        if (gaps.count == 0) {
            continue;
        }
        hb_graph_at_column(&l->graph, c, out->columns);
        HB_TRY(hb_lower_present(l, &gaps, &present));
        HB_TRY(hb_graph_multiply(&l->graph, *node, present, &present));
        if (!l->graph.semantics->reals) {
            hb_graph_narrow(&l->graph, present, hb_interval_of(0, 1));
        }
        l->pool[out->first + c] = present;
    }
    return HB_OK;
}

hb_status hb_lower_condition(hb_lowering *l, const hb_item *item, hb_value *values, hb_value *out)
{
    uint32_t before = 0;
    for (uint32_t i = 0; i < hb_item_operands(item); i++) {
        before += known_columns(l, &values[i]);
    }
    HB_ASSERT(makers[item->kind] != NULL);
    HB_TRY(makers[item->kind](l, item, values, out));
    note_settled(l, item, before, out);
    return leave_out_gaps(l, item, out);
}
