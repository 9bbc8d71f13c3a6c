/* Numbers by their digits, one column each: comparisons go digit by digit. Each digit but the lowest gives (less,
 * same), and neighbours combine along a tree of depth log2 of the digits: less = less_high + same_high less_low, same =
 * same_high same_low. */
#include <stdlib.h>

#include "functions.h"
#include "lang/ir/function.h"
#include "lang/ir/predicate.h"
#include "lang/ir/symbolic_polynomial.h"
#include "lang/types/lang_function.h"

/* A digit is compared as any integer is: all differences of two must be told apart. */
_Static_assert(2 * HB_MOST_DIGIT_BASE == HB_PREDICATE_MOST_VALUES,
               "digits have other bases than conditions tell apart");

/* Facts about a run of digits; HB_NO_NODE of `less`: never, of `same`: it is not asked for. */
typedef struct run {
    uint32_t less, same;
} run;

static hb_status fail(const hb_lowering *l, const char *what)
{
    return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, l->graph.position.item->at, "%s", what);
}

static hb_status shape(hb_types *t, const hb_item *item, const hb_type *operands, hb_type *out)
{
    int64_t base;
    if (!hb_type_whole(&t->context, &operands[0], &base) || base < 2 || base > (int64_t)HB_PREDICATE_MOST_VALUES / 2) {
        return hb_types_refuse(t, "digits(base, high, ..., low) begins with the base of the digits, 2 to 2^16");
    }
    for (uint32_t i = 1; i < item->arguments; i++) {
        if (operands[i].kind != HB_TYPE_ROWS || operands[i].columns != 1) {
            return hb_types_refuse(t, "each digit is one encrypted column");
        }
    }
    *out = (hb_type){.kind = HB_TYPE_DIGITS, .number = operands[0].number, .columns = item->arguments - 1};
    return HB_OK;
}

static hb_status digits(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    hb_graph *g = &l->graph;
    const uint32_t count = item->arguments - 1;
    hb_value made = {.kind = HB_TYPE_DIGITS, .number = l->type->number};
    HB_TRY(hb_lower_columns(l, count, &made));
    for (uint32_t i = 0; i < count; i++) { /* the highest one first */
        hb_value *x = &arguments[1 + i];
        HB_TRY(hb_lower_load(l, x));
        const uint32_t node = l->pool[x->first];
        hb_graph_narrow(g, node, hb_interval_of(0, made.number.integer - 1)); /* as is said here */
        l->pool[made.first + i] = node;
    }
    *out = made;
    return HB_OK;
}

const hb_lang_function hb_lang_function_digits = {
    .call = {.name = "digits",
             .form = "digits(base, high, ..., low)",
             .says = "on integers: a number given by its digits to this base, one column a digit, for comparisons",
             .least = 3,
             .most = UINT32_MAX},
    .meaning = {hb_take_whole, HB_RESULT_NUMBER},
    .shape = shape,
    .integers = true,
    .lower = digits,
};

static hb_status predicate(hb_lowering *l, hb_predicate_kind kind, uint32_t a, int64_t number, uint32_t *out)
{
    const hb_predicate asked = {.kind = kind, .number = number};
    return hb_graph_predicate(&l->graph, &l->predicates, a, &asked, out);
}

/* One digit against a number; a is the digit, or the difference of two, and then the number is 0. */
static hb_status compare_digit(hb_lowering *l, uint32_t a, int64_t number, bool lowest, bool order, run *out)
{
    const hb_interval values = l->graph.nodes[a].range.interval;
    *out = (run){HB_NO_NODE, HB_NO_NODE};
    if (order && !(values.known && number <= values.least)) {
        HB_TRY(predicate(l, HB_PREDICATE_BELOW, a, number, &out->less));
    }
    return lowest && order ? HB_OK : predicate(l, HB_PREDICATE_EQUAL, a, number, &out->same);
}

static void confine(hb_graph *g, uint32_t node)
{
    hb_graph_values_are(g, node, hb_interval_of(0, 1));
}

/* high = both of them. */
static hb_status join(hb_graph *g, run *high, const run *low)
{
    if (low->less != HB_NO_NODE) {
        uint32_t below;
        HB_TRY(hb_graph_multiply(g, high->same, low->less, &below));
        HB_TRY(high->less == HB_NO_NODE ? HB_OK : hb_graph_add(g, high->less, below, &below));
        confine(g, below);
        high->less = below;
    }
    if (low->same == HB_NO_NODE) {
        high->same = HB_NO_NODE;
        return HB_OK;
    }
    HB_TRY(hb_graph_multiply(g, high->same, low->same, &high->same));
    confine(g, high->same);
    return HB_OK;
}

/* Neighbours first, from the highest digit on. */
static hb_status join_all(hb_graph *g, run *runs, uint32_t count)
{
    while (count > 1) {
        uint32_t to = 0;
        for (uint32_t i = 0; i < count; i += 2, to++) {
            runs[to] = runs[i];
            HB_TRY(i + 1 < count ? join(g, &runs[to], &runs[i + 1]) : HB_OK);
        }
        count = to;
    }
    return HB_OK;
}

/* For a number its digits, the highest one first; false: it has more. */
static bool digits_of(int64_t number, int64_t base, uint32_t count, int64_t *digits)
{
    for (uint32_t i = count; i-- > 0;) {
        digits[i] = number % base;
        number /= base;
    }
    return number == 0;
}

/* Makes the part that is the same for all digits. */
static hb_status settle(hb_lowering *l, const hb_value *x, bool truth, uint32_t *out)
{
    return hb_graph_known(&l->graph, l->pool[x->first], false, (hb_number){.integer = truth, .real = truth}, out);
}

/* x < y, or x == y; y may be a number. */
static hb_status compare(hb_lowering *l, const hb_value *x, const hb_value *y, bool order, hb_value *out)
{
    hb_graph *g = &l->graph;
    const uint32_t count = x->columns;
    int64_t *numbers = calloc(count, sizeof *numbers);
    run *runs = calloc(count, sizeof *runs);
    hb_status st = HB_OK;
    if (numbers == NULL || runs == NULL) {
        st = HB_FAIL(HB_ENOMEM, "no memory for the digits of a number");
        goto done;
    }
    uint32_t node = HB_NO_NODE;
    const bool negative = y->kind == HB_TYPE_NUMBER && y->number.integer < 0;
    if (negative || (y->kind == HB_TYPE_NUMBER && !digits_of(y->number.integer, x->number.integer, count, numbers))) {
        HB_GOTO(settle(l, x, order && !negative, &node)); /* less than all, or more */
    }
    for (uint32_t i = 0; i < count && node == HB_NO_NODE; i++) {
        uint32_t a = l->pool[x->first + i];
        if (y->kind == HB_TYPE_DIGITS) {
            HB_GOTO(hb_graph_subtract(g, a, l->pool[y->first + i], &a));
        }
        HB_GOTO(compare_digit(l, a, numbers[i], i + 1 == count, order, &runs[i]));
    }
    if (node == HB_NO_NODE) {
        HB_GOTO(join_all(g, runs, count));
        node = order ? runs[0].less : runs[0].same;
    }
    HB_GOTO(node == HB_NO_NODE ? settle(l, x, false, &node) : HB_OK);
    *out = (hb_value){.kind = HB_TYPE_ROWS};
    HB_GOTO(hb_lower_columns(l, 1, out));
    l->pool[out->first] = node;
done:
    free(numbers);
    free(runs);
    return st;
}

hb_status hb_lower_compare_digits(hb_lowering *l, hb_item_kind kind, const hb_value *x, const hb_value *y,
                                  hb_value *out)
{
    hb_value next;
    if (x->kind != HB_TYPE_DIGITS) {
        return hb_lower_compare_digits(l, hb_comparison_turned(kind), y, x, out);
    }
    if (kind == HB_ITEM_GREATER || kind == HB_ITEM_LESS_EQUAL) {
        if (y->kind == HB_TYPE_DIGITS) { /* x > y: y < x */
            return hb_lower_compare_digits(l, hb_comparison_turned(kind), y, x, out);
        }
        next = *y; /* x > c: x >= c + 1 */
        next.number.integer++;
        y = &next;
        kind = kind == HB_ITEM_GREATER ? HB_ITEM_GREATER_EQUAL : HB_ITEM_LESS;
    }
    const bool equal = kind == HB_ITEM_EQUAL || kind == HB_ITEM_NOT_EQUAL;
    const bool negated = kind == HB_ITEM_NOT_EQUAL || kind == HB_ITEM_GREATER_EQUAL;
    if (y->kind != HB_TYPE_NUMBER &&
        (y->kind != HB_TYPE_DIGITS || y->columns != x->columns || y->number.integer != x->number.integer)) {
        return fail(l, "digits are compared with as many digits of the same base, and with numbers");
    }
    HB_TRY(compare(l, x, y, !equal, out));
    hb_value one = {.kind = HB_TYPE_NUMBER, .number = {.integer = 1, .real = 1}}, truth = *out;
    if (negated) {
        HB_TRY(hb_lower_binary(l, HB_ITEM_SUBTRACT, &one, &truth, out));
        confine(&l->graph, l->pool[out->first]);
    }
    return HB_OK;
}
