/* Comparisons, and what is made of them: conditions are 1 where they are true, else 0, and so `and` is a product; of
 * plain tables alone they are computed in the clear. */
#include <stdlib.h>
#include <string.h>

#include "function.h"
#include "lower.h"
#include "lower_plain.h"
#include "semantics.h"

static hb_value number(int64_t integer)
{
    return (hb_value){.kind = HB_VALUE_NUMBER, .number = {.integer = integer, .real = (double)integer}};
}

/* --- of conditions */

/* What a condition may be: of reals it is off by errors. */
static hb_interval truth(const hb_lowering *l)
{
    return l->graph.semantics->reals ? hb_interval_of_reals(-0.5, 1.5) : hb_interval_of(0, 1);
}

/* Says so where a value is no condition, as far as ranges tell. */
static hb_status require_condition(hb_lowering *l, const char *what, hb_value *x)
{
    const hb_graph *g = &l->graph;
    if (x->kind == HB_VALUE_NUMBER || x->kind == HB_VALUE_DIGITS) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->item->at, "%s takes conditions, and this is a number", what);
    }
    if (hb_value_plain(x)) {
        return hb_lower_plain_condition(l, what, x);
    }
    HB_TRY(hb_lower_load(l, x));
    for (uint32_t i = 0; g->params != NULL && i < x->columns; i++) {
        const hb_interval values = g->nodes[l->pool[x->first + i]].interval;
        if (!hb_interval_within(values, truth(l))) {
            char text[HB_INTERVAL_TEXT] = "not known to be 0 and 1";
            if (values.known) {
                hb_interval_text(text, values);
            }
            return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->item->at,
                              "%s takes conditions, which are 0 or 1, and the values here are %s; compare them, or "
                              "declare them, --range name=0..1",
                              what, text);
        }
    }
    return HB_OK;
}

/* Conditions come to conditions, which ranges of sums and products do not know. */
static void confine(hb_lowering *l, const hb_value *x)
{
    for (uint32_t i = 0; hb_value_encrypted(x) && i < x->columns; i++) {
        hb_graph_narrow(&l->graph, l->pool[x->first + i], truth(l));
    }
}

static hb_status negation(hb_lowering *l, hb_value *x, hb_value *out)
{
    if (hb_value_plain(x)) {
        return hb_lower_plain_logic(l, HB_ITEM_NOT, x, NULL, out);
    }
    hb_value one = number(1);
    HB_TRY(hb_lower_binary(l, HB_ITEM_SUBTRACT, &one, x, out));
    confine(l, out);
    return HB_OK;
}

static hb_status both(hb_lowering *l, hb_value *x, hb_value *y, hb_value *out)
{
    if (hb_value_plain(x) && hb_value_plain(y)) {
        return hb_lower_plain_logic(l, HB_ITEM_AND, x, y, out);
    }
    HB_TRY(hb_lower_binary(l, HB_ITEM_MULTIPLY, x, y, out));
    confine(l, out);
    return HB_OK;
}

/* x + y - x y: one product. */
static hb_status either(hb_lowering *l, hb_value *x, hb_value *y, hb_value *out)
{
    hb_value product, sum;
    if (hb_value_plain(x) && hb_value_plain(y)) {
        return hb_lower_plain_logic(l, HB_ITEM_OR, x, y, out);
    }
    HB_TRY(hb_lower_binary(l, HB_ITEM_MULTIPLY, x, y, &product));
    HB_TRY(hb_lower_binary(l, HB_ITEM_ADD, x, y, &sum));
    HB_TRY(hb_lower_binary(l, HB_ITEM_SUBTRACT, &sum, &product, out));
    confine(l, out);
    return HB_OK;
}

/* Products on top of each other that a condition takes. */
static uint32_t depth_of(const hb_lowering *l, const hb_value *x)
{
    uint32_t depth = 0;
    for (uint32_t i = 0; hb_value_encrypted(x) && i < x->columns; i++) {
        const uint32_t column = l->graph.nodes[l->pool[x->first + i]].depth;
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
        HB_TRY(require_condition(l, what, &values[i]));
    }
    for (; count > 1; values++, count--) {
        least_first(l, values, count);
        least_first(l, values + 1, count - 1);
        HB_TRY((l->graph.item->kind == HB_ITEM_AND ? both : either)(l, &values[0], &values[1], out));
        values[1] = *out;
    }
    return HB_OK;
}

/* --- comparisons */

/* Whether values are whole numbers, by what they mean. */
static bool is_whole(const hb_lowering *l, const hb_value *x)
{
    int64_t whole;
    if (x->kind == HB_VALUE_NUMBER) {
        return hb_lower_whole(l, x, &whole);
    }
    for (uint32_t i = 0; x->names != NULL && i < hb_value_width(x); i++) {
        if (x->names[i].meaning.kind == HB_MEANING_NUMBER) {
            return false;
        }
    }
    return x->names != NULL;
}

/* Whole reals are equal where they are less than a half apart. */
static hb_status equal_reals(hb_lowering *l, hb_value *x, hb_value *y, hb_value *out)
{
    const hb_graph *g = &l->graph;
    hb_value low = {.kind = HB_VALUE_NUMBER, .number = {.real = -0.5}}, apart, above, below;
    hb_value high = {.kind = HB_VALUE_NUMBER, .number = {.real = 0.5}};
    if (g->params != NULL && !(is_whole(l, x) && is_whole(l, y))) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->item->at, "%s",
                          "there is no test for equality of reals, which are right only up to an error; "
                          "abs(x - y) < 0.01 says whether they are as near");
    }
    HB_TRY(hb_lower_binary(l, HB_ITEM_SUBTRACT, x, y, &apart));
    HB_TRY(hb_lower_compare(l, &low, &apart, &above));
    HB_TRY(hb_lower_compare(l, &apart, &high, &below));
    return both(l, &above, &below, out);
}

static hb_status compare_reals(hb_lowering *l, hb_item_kind kind, hb_value *x, hb_value *y, hb_value *out)
{
    hb_value equal;
    switch (kind) {
    case HB_ITEM_LESS:
    case HB_ITEM_LESS_EQUAL: /* the same, of what is right up to an error */
        return hb_lower_compare(l, x, y, out);
    case HB_ITEM_GREATER:
    case HB_ITEM_GREATER_EQUAL:
        return hb_lower_compare(l, y, x, out);
    case HB_ITEM_EQUAL:
        return equal_reals(l, x, y, out);
    default:
        HB_TRY(equal_reals(l, x, y, &equal));
        return negation(l, &equal, out);
    }
}

static hb_status compare(hb_lowering *l, hb_item_kind kind, hb_value *x, hb_value *y, hb_value *out)
{
    if (x->kind == HB_VALUE_DIGITS || y->kind == HB_VALUE_DIGITS) {
        return hb_lower_compare_digits(l, kind, x, y, out);
    }
    if (!hb_value_encrypted(x) && !hb_value_encrypted(y) && (hb_value_plain(x) || hb_value_plain(y))) {
        return hb_lower_plain_compare(l, kind, x, y, out);
    }
    return l->graph.semantics->reals ? compare_reals(l, kind, x, y, out)
                                     : hb_lower_compare_integers(l, kind, x, y, out);
}

/* Gives texts among the sides of a comparison the numbers that they stand for in the column beside them. */
static hb_status resolve(hb_lowering *l, hb_value *x, hb_value *y)
{
    if (x->kind == HB_VALUE_TEXT && y->kind == HB_VALUE_TEXT) {
        return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, l->graph.item->at, "two constants are compared");
    }
    hb_value *text = x->kind == HB_VALUE_TEXT ? x : y, *column = text == x ? y : x;
    if (text->kind == HB_VALUE_TEXT) {
        hb_number stored = {.integer = 0};
        HB_TRY(hb_lower_text(l, text, column->names, &stored));
        *text = (hb_value){.kind = HB_VALUE_NUMBER, .number = stored};
    }
    return HB_OK;
}

/* Of integers and numbers one polynomial. */
static hb_status between(hb_lowering *l, hb_value *x, hb_value *low, hb_value *high, hb_value *out)
{
    const hb_graph *g = &l->graph;
    hb_value above, below, again = *x;
    HB_TRY(resolve(l, x, low));
    HB_TRY(resolve(l, x, high));
    if (!g->semantics->reals && hb_value_encrypted(x) && low->kind == HB_VALUE_NUMBER &&
        high->kind == HB_VALUE_NUMBER) {
        return hb_lower_table(l, x, &(hb_member){.low = low->number, .high = high->number}, 1, out);
    }
    if (x->kind == HB_VALUE_DIGITS && low->kind == HB_VALUE_NUMBER && low->number.integer <= 0) {
        return compare(l, HB_ITEM_LESS_EQUAL, x, high, out); /* none of them is below 0 */
    }
    HB_TRY(compare(l, HB_ITEM_GREATER_EQUAL, x, low, &above));
    HB_TRY(compare(l, HB_ITEM_LESS_EQUAL, &again, high, &below));
    return both(l, &above, &below, out);
}

/* Of reals, and of digits. */
static hb_status among_each(hb_lowering *l, hb_value *x, const hb_value *members, uint32_t count, hb_value *out)
{
    hb_value found, more;
    for (uint32_t i = 0; i < count; i++) {
        hb_member member;
        HB_TRY(hb_lower_member(l, &members[i], x->names, &member));
        hb_value low = {.kind = HB_VALUE_NUMBER, .number = member.low}, again = *x;
        hb_value high = {.kind = HB_VALUE_NUMBER, .number = member.high};
        HB_TRY(members[i].kind == HB_VALUE_RANGE ? between(l, &again, &low, &high, &more)
                                                 : compare(l, HB_ITEM_EQUAL, &again, &low, &more));
        if (i > 0) {
            HB_TRY(either(l, &found, &more, &more));
        }
        found = more;
    }
    *out = found;
    return HB_OK;
}

static hb_status among(hb_lowering *l, hb_value *x, const hb_value *values, uint32_t count, hb_value *out)
{
    hb_status st = HB_OK;
    if (x->kind == HB_VALUE_DIGITS || (l->graph.semantics->reals && !hb_value_plain(x))) {
        return among_each(l, x, values, count, out);
    }
    if (!hb_value_encrypted(x) && !hb_value_plain(x)) {
        return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, l->graph.item->at,
                          "what is looked for is an encrypted value, and this is none");
    }
    hb_member *members = calloc(count, sizeof *members);
    if (members == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %u numbers", count);
    }
    for (uint32_t i = 0; i < count; i++) {
        HB_GOTO(hb_lower_member(l, &values[i], x->names, &members[i]));
    }
    HB_GOTO(hb_value_plain(x) ? hb_lower_plain_among(l, x, members, count, out)
                              : hb_lower_table(l, x, members, count, out));
done:
    free(members);
    return st;
}

hb_status hb_lower_condition(hb_lowering *l, const hb_item *item, hb_value *values, hb_value *out)
{
    switch (item->kind) {
    case HB_ITEM_NOT:
        HB_TRY(require_condition(l, "not", &values[0]));
        return negation(l, &values[0], out);
    case HB_ITEM_AND:
        return join(l, "and", values, item->arguments, out);
    case HB_ITEM_OR:
        return join(l, "or", values, item->arguments, out);
    case HB_ITEM_BETWEEN:
        return between(l, &values[0], &values[1], &values[2], out);
    case HB_ITEM_IN:
        return among(l, &values[0], values + 1, item->arguments - 1, out);
    default:
        HB_TRY(resolve(l, &values[0], &values[1]));
        return compare(l, item->kind, &values[0], &values[1], out);
    }
}

/* --- choices */

static hb_interval values_of(const hb_lowering *l, const hb_value *x, uint32_t column)
{
    if (x->kind == HB_VALUE_NUMBER) {
        return hb_interval_of(x->number.integer, x->number.integer);
    }
    return l->graph.nodes[l->pool[x->first + (x->columns > 1 ? column : 0)]].interval;
}

/* b + c (a - b): one product; of two numbers none. */
static hb_status where(hb_lowering *l, hb_value *condition, hb_value *a, hb_value *b, hb_value *out)
{
    hb_value apart, chosen;
    HB_TRY(require_condition(l, "where", condition));
    HB_TRY(hb_lower_binary(l, HB_ITEM_SUBTRACT, a, b, &apart));
    HB_TRY(hb_lower_binary(l, HB_ITEM_MULTIPLY, condition, &apart, &chosen));
    HB_TRY(hb_lower_binary(l, HB_ITEM_ADD, &chosen, b, out));
    if (l->graph.semantics->reals || l->graph.params == NULL) {
        return HB_OK;
    }
    HB_TRY(a->kind == HB_VALUE_NUMBER ? HB_OK : hb_lower_load(l, a));
    HB_TRY(b->kind == HB_VALUE_NUMBER ? HB_OK : hb_lower_load(l, b));
    for (uint32_t i = 0; i < out->columns; i++) {
        const hb_interval x = values_of(l, a, i), y = values_of(l, b, i);
        if (x.known && y.known) {
            hb_graph_narrow(&l->graph, l->pool[out->first + i], hb_interval_join(x, y));
        }
    }
    return HB_OK;
}

hb_status hb_lower_choice(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    switch (item->call) {
    case HB_CALL_WHERE:
        return where(l, &arguments[0], &arguments[1], &arguments[2], out);
    case HB_CALL_ONEHOT:
        return hb_lower_onehot(l, item, arguments, out);
    case HB_CALL_DIGITS:
        return hb_lower_digits(l, item, arguments, out);
    default:
        return hb_lower_lookup(l, item, arguments, out);
    }
}

hb_status hb_lower_require_condition(hb_lowering *l, const char *what, hb_value *x)
{
    return require_condition(l, what, x);
}
