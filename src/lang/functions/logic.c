/* and, or and not, as arithmetic; and for which values conditions are true: sets of numbers, which are joined as the
 * conditions are, so that one that is true for all values that there may be, or for none, is found however it is
 * written. */
#include "logic.h"

#include <math.h>

#include "functions.h"
#include "lang/ir/function.h"
#include "lang/ir/known.h"
#include "lang/ir/semantics.h"
#include "open_columns.h"

/* Integers that ends of sets are exact up to. */
#define MOST 0x1p50

/* --- the set of one comparison */

/* A node as `times` an earlier one, plus `added`. */
typedef struct line {
    uint32_t base, minus; /* or of the difference of two */
    double times, added;
} line;

/* The first node that `a` is a line of with numbers that are known exactly, or itself: a difference is that of the
 * older node and the other one, or its negative. */
static line line_of(const hb_graph *g, uint32_t a)
{
    const hb_node *node = &g->nodes[a];
    line found = {a, HB_NO_NODE, 1, 0};
    for (uint32_t k = 0; k < node->form.symbolic_count; k++) {
        const hb_symbolic_polynomial *p = &g->symbolic.list[node->form.symbolic + k];
        const bool exact = p->c[0].low == p->c[0].high && p->c[1].low == p->c[1].high;
        if (p->degree == 1 && exact && p->c[1].low != 0 && p->base < found.base) {
            found = (line){p->base, HB_NO_NODE, p->c[1].low, p->c[0].low};
        }
    }
    if (found.base == a && node->op == HB_OP_SUBTRACT) {
        const bool turned = node->a > node->b;
        found = (line){turned ? node->b : node->a, turned ? node->a : node->b, turned ? -1 : 1, 0};
    }
    return found;
}

/* Values below `at`, of integers all up to the one before it; `or_equal`: at, too. */
static void set_below(hb_truth *to, double at, bool or_equal, bool reals)
{
    to->below = true;
    to->count = 1;
    to->end[0] = reals ? (hb_truth_end){at, or_equal} : (hb_truth_end){at + (or_equal ? 0.5 : -0.5), false};
}

static bool turn(hb_truth *x)
{
    x->below = !x->below;
    return true;
}

/* z < c, or z <= c, of a line with a positive slope; of reals the slope is 1. False: c is not exact. */
static bool set_of_line(const line *of, double c, bool or_equal, bool reals, hb_truth *to)
{
    const double by = c - of->added;
    if (!(fabs(c) <= MOST && fabs(of->added) <= MOST && of->times <= MOST) ||
        (reals && (of->times != 1 || by + of->added != c || c - by != of->added))) {
        return false;
    }
    if (reals) {
        set_below(to, by, or_equal, true);
    } else { /* times z <= by: times z < by + 1 */
        set_below(to, ceil((or_equal ? by + 1 : by) / of->times), false, false);
    }
    return true;
}

/* One number: of reals that are whole all that is nearer to it than to others. */
static bool set_equal(const line *of, double c, bool reals, hb_truth *to)
{
    const double by = (c - of->added) * of->times; /* the slope is 1 or -1 */
    if (fabs(of->times) != 1 || !(fabs(c) <= MOST && fabs(of->added) <= MOST) || rint(by) != by) {
        return false;
    }
    to->below = false;
    to->count = 2;
    to->end[0] = (hb_truth_end){by - 0.5, reals};
    to->end[1] = (hb_truth_end){by + 0.5, false};
    return true;
}

static bool of_comparison(const hb_graph *g, hb_item_kind kind, uint32_t a, hb_number number, hb_truth *out)
{
    const bool reals = g->semantics->reals;
    line of = line_of(g, a);
    double c = reals ? number.real : (double)number.integer;
    const uint32_t whose = of.minus == HB_NO_NODE ? of.base : a;
    const hb_interval values = hb_interval_to_reals(g->nodes[whose].range.interval);
    const bool back = of.minus != HB_NO_NODE && of.times < 0;
    *out = (hb_truth){.base = of.base, .minus = of.minus, .low = -HUGE_VAL, .high = HUGE_VAL};
    if (values.known) {
        out->low = back ? -values.high : values.low;
        out->high = back ? -values.low : values.high;
    }
    if (number.imaginary != 0) {
        return false;
    }
    if (kind == HB_ITEM_EQUAL || kind == HB_ITEM_NOT_EQUAL) {
        return set_equal(&of, c, reals, out) && (kind == HB_ITEM_EQUAL || turn(out));
    }
    if (of.times < 0) { /* -z < c: z > -c */
        of.times = -of.times;
        of.added = -of.added;
        c = -c;
        kind = hb_comparison_turned(kind);
    }
    if (kind == HB_ITEM_LESS || kind == HB_ITEM_LESS_EQUAL) {
        return set_of_line(&of, c, kind == HB_ITEM_LESS_EQUAL, reals, out);
    }
    return set_of_line(&of, c, kind == HB_ITEM_GREATER, reals, out) && turn(out);
}

/* --- sets of sets */

static int order(hb_truth_end x, hb_truth_end y)
{
    return x.at != y.at ? (x.at > y.at) - (x.at < y.at) : x.after - y.after;
}

static bool join(hb_item_kind kind, const hb_truth *x, const hb_truth *y, hb_truth *out)
{
    hb_truth made = *x;
    if (kind == HB_ITEM_NOT) {
        made.below = !x->below;
        *out = made;
        return true;
    }
    if (x->base != y->base || x->minus != y->minus) {
        return false;
    }
    made.low = fmax(x->low, y->low); /* both hold */
    made.high = fmin(x->high, y->high);
    const bool all = kind == HB_ITEM_AND;
    bool in_x = x->below, in_y = y->below, in = all ? in_x && in_y : in_x || in_y;
    made.below = in;
    made.count = 0;
    for (uint32_t i = 0, j = 0; i < x->count || j < y->count;) {
        const int which = i == x->count ? 1 : j == y->count ? -1 : order(x->end[i], y->end[j]);
        const hb_truth_end end = which <= 0 ? x->end[i] : y->end[j];
        in_x = which <= 0 ? !in_x : in_x;
        in_y = which >= 0 ? !in_y : in_y;
        i += which <= 0;
        j += which >= 0;
        const bool now = all ? in_x && in_y : in_x || in_y;
        if (now == in) {
            continue;
        }
        if (made.count == HB_TRUTH_ENDS) {
            return false;
        }
        made.end[made.count++] = end;
        in = now;
    }
    *out = made;
    return true;
}

static bool is_settled(const hb_truth *x, bool *truth)
{
    const hb_truth_end first = {x->low, false}, last = {x->high, true};
    uint32_t i = 0;
    *truth = x->below;
    while (i < x->count && order(x->end[i], first) <= 0) {
        *truth = !*truth;
        i++;
    }
    return i == x->count || order(x->end[i], last) >= 0;
}

/* Conditions come to conditions, which ranges of sums and products do not know. */
static void confine(hb_lowering *l, const hb_value *x)
{
    for (uint32_t i = 0; hb_value_encrypted(x) && i < x->columns; i++) {
        hb_graph_narrow(&l->graph, l->pool[x->first + i], hb_truth_range(l));
    }
}

/* --- for which values they are true */

/* Keeps the latest sets, as only those are combined. */
static void keep_truth(hb_lowering *l, uint32_t node, const hb_truth *x)
{
    hb_truths *t = &l->truths;
    if (!hb_node_is_known(&l->graph, node)) {
        t->all[t->count % HB_MOST_TRUTHS] = *x;
        t->all[t->count++ % HB_MOST_TRUTHS].node = node;
    }
}

static const hb_truth *find(const hb_lowering *l, uint32_t node)
{
    const hb_truths *t = &l->truths;
    const uint32_t kept = t->count < HB_MOST_TRUTHS ? t->count : HB_MOST_TRUTHS;
    for (uint32_t i = 1; i <= kept; i++) {
        const hb_truth *x = &t->all[(t->count - i) % HB_MOST_TRUTHS];
        if (x->node == node) {
            return x;
        }
    }
    return NULL;
}

/* The set for which two conditions together are true, or the opposite of one: y is then HB_NO_NODE. */
static bool truth_of(const hb_lowering *l, hb_item_kind kind, uint32_t x, uint32_t y, hb_truth *out)
{
    const hb_truth *first = find(l, x);
    const hb_truth *second = y != HB_NO_NODE ? find(l, y) : NULL;
    return first != NULL && (second != NULL || y == HB_NO_NODE) && join(kind, first, second, out);
}

/* Makes the columns that are public numbers; others are open. */
static hb_status settle(hb_lowering *l, hb_item_kind kind, const hb_value *x, const hb_value *y, hb_value *out)
{
    const bool both = hb_value_encrypted(x) && hb_value_encrypted(y);
    const uint32_t columns = x->columns > y->columns ? x->columns : y->columns;
    HB_TRY(hb_open_columns_begin(l, columns, out));
    if (!both || x->width > 0 || y->width > 0 || (x->columns < columns && x->columns > 1) ||
        (y->columns < columns && y->columns > 1)) {
        return HB_OK;
    }
    for (uint32_t i = 0; i < columns; i++) {
        const uint32_t a = hb_open_columns_node(l, x, i), b = hb_open_columns_node(l, y, i);
        hb_truth joined;
        bool truth;
        if (!l->approximations.always && truth_of(l, kind, a, b, &joined) && is_settled(&joined, &truth)) {
            const hb_number one = {.integer = truth, .real = truth};
            const bool total = x->kind == HB_TYPE_TOTALS && y->kind == HB_TYPE_TOTALS;
            HB_TRY(hb_graph_known(&l->graph, a, total, one, &l->pool[out->first + i]));
        }
    }
    hb_open_columns_again(l, out);
    return HB_OK;
}

/* Keeps for which values the columns of a result are true. y may be NULL. */
static void keep_truths(hb_lowering *l, hb_item_kind kind, const hb_value *x, const hb_value *y, const hb_value *out)
{
    for (uint32_t i = 0; hb_value_encrypted(out) && out->width == 0 && i < out->columns; i++) {
        hb_truth joined;
        const bool known = hb_value_encrypted(x) && (y == NULL || hb_value_encrypted(y)) &&
                           truth_of(l, kind, hb_open_columns_node(l, x, i),
                                    y != NULL ? hb_open_columns_node(l, y, i) : HB_NO_NODE, &joined);
        if (known) {
            keep_truth(l, l->pool[out->first + i], &joined);
        }
    }
}

/* --- combinations of conditions */

hb_status hb_lower_opposite(hb_lowering *l, hb_value *x, hb_value *out)
{
    hb_value one = {.kind = HB_TYPE_NUMBER, .number = {.integer = 1, .real = 1}};
    HB_TRY(hb_lower_binary(l, HB_ITEM_SUBTRACT, &one, x, out));
    confine(l, out);
    keep_truths(l, HB_ITEM_NOT, x, NULL, out);
    return HB_OK;
}

static hb_status product(hb_lowering *l, hb_value *x, hb_value *y, hb_value *out)
{
    return hb_lower_binary(l, HB_ITEM_MULTIPLY, x, y, out);
}

/* x + y - x y: one product. */
static hb_status either_of(hb_lowering *l, hb_value *x, hb_value *y, hb_value *out)
{
    hb_value both, sum;
    HB_TRY(hb_lower_binary(l, HB_ITEM_MULTIPLY, x, y, &both));
    HB_TRY(hb_lower_binary(l, HB_ITEM_ADD, x, y, &sum));
    return hb_lower_binary(l, HB_ITEM_SUBTRACT, &sum, &both, out);
}

/* A constant is the result, or the other condition is: in the clear, nothing is computed. */
static hb_status with_constant(hb_lowering *l, hb_item_kind kind, bool constant, hb_value *x, hb_value *out)
{
    hb_value zero = {.kind = HB_TYPE_NUMBER}, one = {.kind = HB_TYPE_NUMBER, .number = {.integer = 1, .real = 1}}, none;
    *out = *x;
    if (constant == (kind == HB_ITEM_AND)) {
        return HB_OK;
    }
    HB_TRY(hb_lower_binary(l, HB_ITEM_MULTIPLY, x, &zero, &none));
    *out = none;
    return constant ? hb_lower_binary(l, HB_ITEM_ADD, &none, &one, out) : HB_OK;
}

hb_status hb_lower_logic(hb_lowering *l, hb_item_kind kind, hb_value *x, hb_value *y, hb_value *out)
{
    const bool turned = x->kind == HB_TYPE_NUMBER;
    if (turned != (y->kind == HB_TYPE_NUMBER)) {
        const hb_number constant = turned ? x->number : y->number;
        return with_constant(l, kind, !hb_graph_is_zero(&l->graph, constant), turned ? y : x, out);
    }
    hb_status (*const make)(hb_lowering *, hb_value *, hb_value *, hb_value *) =
        kind == HB_ITEM_AND ? product : either_of;
    hb_value settled = {0}, first, second, made;
    HB_TRY(settle(l, kind, x, y, &settled));
    const uint32_t left = hb_open_columns_count(l, &settled);
    if (left == settled.columns) {
        HB_TRY(make(l, x, y, out));
    } else {
        const bool rows = x->kind == HB_TYPE_ROWS || y->kind == HB_TYPE_ROWS;
        settled.kind = rows ? HB_TYPE_ROWS : HB_TYPE_TOTALS;
        settled.names = hb_value_names(x, y);
        if (left > 0) {
            HB_TRY(hb_open_columns_part(l, x, &settled, &first));
            HB_TRY(hb_open_columns_part(l, y, &settled, &second));
            HB_TRY(make(l, &first, &second, &made));
            hb_open_columns_fill(l, &made, &settled);
        }
        *out = settled;
    }
    confine(l, out);
    keep_truths(l, kind, x, y, out);
    return HB_OK;
}

/* --- comparisons */

static hb_status keep_comparison(hb_lowering *l, hb_item_kind kind, hb_value *x, hb_value *y, const hb_value *out)
{
    const bool turned = x->kind == HB_TYPE_NUMBER;
    const hb_value *number = turned ? x : y;
    hb_value apart = turned ? *y : *x;
    hb_number bound = {.integer = 0};
    if (l->graph.params == NULL || out->width > 0 || hb_value_plain(x) || hb_value_plain(y)) {
        return HB_OK;
    }
    if (number->kind == HB_TYPE_NUMBER) {
        bound = number->number;
        kind = turned ? hb_comparison_turned(kind) : kind;
    } else {
        const bool up = l->graph.semantics->reals && (kind == HB_ITEM_LESS || kind == HB_ITEM_LESS_EQUAL);
        kind = up ? hb_comparison_turned(kind) : kind; /* by the difference that there is */
        hb_value *first = up ? y : x, *second = up ? x : y;
        HB_TRY(hb_lower_binary(l, HB_ITEM_SUBTRACT, first, second, &apart));
    }
    for (uint32_t i = 0; i < out->columns; i++) {
        hb_truth truth;
        if (of_comparison(&l->graph, kind, hb_open_columns_node(l, &apart, i), bound, &truth)) {
            keep_truth(l, l->pool[out->first + i], &truth);
        }
    }
    return HB_OK;
}

static void keep_members(hb_lowering *l, const hb_value *x, const hb_member *members, uint32_t count,
                         const hb_value *out)
{
    for (uint32_t i = 0; i < out->columns && l->graph.params != NULL; i++) {
        const uint32_t a = hb_open_columns_node(l, x, i);
        hb_truth all, low, high;
        bool known = true;
        for (uint32_t m = 0; m < count && known; m++) {
            known = of_comparison(&l->graph, HB_ITEM_GREATER_EQUAL, a, members[m].low, &low) &&
                    of_comparison(&l->graph, HB_ITEM_LESS_EQUAL, a, members[m].high, &high) &&
                    join(HB_ITEM_AND, &low, &high, &low) && (m == 0 || join(HB_ITEM_OR, &all, &low, &low));
            all = low;
        }
        if (known && count > 0) {
            keep_truth(l, l->pool[out->first + i], &all);
        }
    }
}

hb_status hb_lower_keep_truths(hb_lowering *l, hb_item_kind kind, hb_value *x, hb_value *y, const hb_member *members,
                               uint32_t count, const hb_value *out)
{
    if (kind != HB_ITEM_IN) {
        return keep_comparison(l, kind, x, y, out);
    }
    keep_members(l, x, members, count, out);
    return HB_OK;
}
