#include "fetch_cells.h"

#include <stdlib.h>

#include "lang/ir/known.h"
#include "lang/ir/plain_columns.h"
#include "lang/ir/symbolic_polynomial.h"
#include "lang/value/plain.h"
#include "plain_conditions.h"

/* The columns in the clear that tell cells apart, and the sums that are made. */
typedef struct fetching {
    hb_lowering *l;
    const hb_fetched_selection *from;
    const hb_iblt *table;
    hb_plain_place place;
    uint32_t code[HB_IBLT_WAYS];         /* derived columns: the cell of each row, in each way */
    uint32_t digit[HB_IBLT_MOST_DIGITS]; /* derived columns: a digit of its number, as a share */
    uint32_t mask;                       /* a derived column: publicly selected rows; HB_NO_INDEX: there is none */
    uint32_t units;                      /* the condition times the table's unit, where it is encrypted */
    uint32_t zero;                       /* a total that is 0 */
    uint32_t *support;                   /* [nodes that there were] see find_supports */
    double most;
} fetching;

/* The value of a row in a column of codes. */
typedef struct row_code {
    const hb_iblt *table;
    uint32_t number; /* of a way, or of a digit */
    bool digit;
} row_code;

static uint16_t code_of(const row_code *of, uint64_t row)
{
    return (uint16_t)(of->digit ? hb_iblt_digit(row, of->number) : hb_iblt_cell(of->table, of->number, row));
}

static hb_status add_codes(fetching *f, row_code of, uint32_t *column)
{
    uint16_t *codes = malloc((size_t)of.table->rows * sizeof *codes);
    if (codes == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the cells of %llu rows", (unsigned long long)of.table->rows);
    }
    for (uint64_t row = 0; row < of.table->rows; row++) {
        codes[row] = code_of(&of, row);
    }
    return hb_derived_add_codes(&f->l->graph.constants.derived, codes, of.table->rows, column);
}

static hb_status add_columns(fetching *f)
{
    hb_derived *d = &f->l->graph.constants.derived;
    uint32_t share;
    d->reals = true;
    for (uint32_t w = 0; w < HB_IBLT_WAYS; w++) {
        HB_TRY(add_codes(f, (row_code){f->table, w, false}, &f->code[w]));
    }
    HB_TRY(hb_derived_add_number(d, (hb_plain_value){.real = 1.0 / HB_IBLT_DIGIT}, &share));
    for (uint32_t i = 0; i < f->table->digits; i++) {
        HB_TRY(add_codes(f, (row_code){f->table, i, true}, &f->digit[i]));
        HB_TRY(hb_derived_add_pair(d, HB_ITEM_MULTIPLY, f->digit[i], share, &f->digit[i]));
    }
    f->mask = HB_NO_INDEX;
    return f->from->mask != HB_NO_NODE ? hb_plain_column(f->l, f->from->mask, 0, &f->mask) : HB_OK;
}

/* --- rows in which plain tables do not make a node 0 */

/* Makes the rows of two derived columns of rows; HB_NO_INDEX: all rows. */
static hb_status in_both(hb_derived *d, uint32_t a, uint32_t b, uint32_t *out)
{
    *out = a == HB_NO_INDEX ? b : a;
    return a == HB_NO_INDEX || b == HB_NO_INDEX ? HB_OK : hb_derived_add_pair(d, HB_ITEM_MULTIPLY, a, b, out);
}

/* Makes the column that is 1 where another one is not 0. */
static hb_status not_zero(hb_derived *d, uint32_t a, uint32_t *out)
{
    uint32_t zero;
    HB_TRY(hb_derived_add_number(d, (hb_plain_value){0}, &zero));
    return hb_derived_add_pair(d, HB_ITEM_NOT_EQUAL, a, zero, out);
}

/* Makes the rows of any of two such columns. */
static hb_status in_any(hb_derived *d, uint32_t a, uint32_t b, uint32_t *out)
{
    *out = HB_NO_INDEX;
    if (a == HB_NO_INDEX || b == HB_NO_INDEX) {
        return HB_OK;
    }
    HB_TRY(hb_derived_add_pair(d, HB_ITEM_ADD, a, b, out));
    return not_zero(d, *out, out);
}

/* Whether a node is 0 in the rows where an operand of it is. */
static bool is_product(const hb_node *x)
{
    return x->op == HB_OP_MULTIPLY || x->op == HB_OP_MULTIPLY_PLAIN || x->op == HB_OP_MULTIPLY_INTEGER ||
           x->op == HB_OP_MULTIPLY_NUMBER || x->op == HB_OP_NEGATE || x->op == HB_OP_RESCALE || x->op == HB_OP_ADJUST ||
           x->op == HB_OP_MASK_SCALED;
}

/* Whether a node is 0 in the rows where all its operands are. */
static bool is_sum(const hb_node *x)
{
    return x->op == HB_OP_ADD || x->op == HB_OP_SUBTRACT || x->op == HB_OP_COMBINE;
}

/* Marks the nodes that decide where these are 0. Operands stand before their users. */
static void mark_deciding(const fetching *f, const hb_node_list *selected, uint32_t count, bool *marks)
{
    const hb_graph *g = &f->l->graph;
    for (uint32_t c = 0; c < selected->count; c++) {
        marks[selected->node[c]] = true;
    }
    if (f->from->condition != HB_NO_NODE) {
        marks[f->from->condition] = true;
    }
    for (uint32_t n = count; n-- > 0;) {
        const hb_node *x = &g->nodes[n];
        const hb_node_list of = hb_node_operands(g, x);
        for (uint32_t i = 0; marks[n] && (is_product(x) || is_sum(x)) && i < of.count; i++) {
            marks[of.node[i]] = true;
        }
    }
}

static hb_status find_support(fetching *f, uint32_t n)
{
    const hb_graph *g = &f->l->graph;
    hb_derived *d = &f->l->graph.constants.derived;
    const hb_node *x = &g->nodes[n];
    const hb_node_list of = hb_node_operands(g, x);
    uint32_t found = HB_NO_INDEX;
    if (x->shape.plain && hb_node_plain_known(g, x)) {
        HB_TRY(hb_plain_column(f->l, n, 0, &found));
        return not_zero(d, found, &f->support[n]);
    }
    for (uint32_t i = 0; is_product(x) && i < of.count; i++) {
        HB_TRY(in_both(d, found, f->support[of.node[i]], &found));
    }
    for (uint32_t i = 0; is_sum(x) && i < of.count; i++) {
        HB_TRY(in_any(d, i == 0 ? f->support[of.node[0]] : found, f->support[of.node[i]], &found));
    }
    f->support[n] = found;
    return HB_OK;
}

/* Finds for the condition and the columns, and the nodes that they are products and sums of, a derived column that is 0
 * in rows where plain tables make them 0, and 1 in others; HB_NO_INDEX: they do so nowhere. The caller frees it. */
static hb_status find_supports(fetching *f, const hb_node_list *selected)
{
    const uint32_t count = f->l->graph.count;
    bool *marks = calloc((size_t)count + 1, sizeof *marks);
    f->support = malloc(((size_t)count + 1) * sizeof *f->support);
    hb_status st = marks != NULL && f->support != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory to follow conditions");
    if (st == HB_OK) {
        mark_deciding(f, selected, count, marks);
    }
    for (uint32_t n = 0; st == HB_OK && n < count; n++) {
        f->support[n] = HB_NO_INDEX;
        st = marks[n] ? find_support(f, n) : HB_OK;
    }
    free(marks);
    return st;
}

/* --- sums */

/* Makes the total of a node over the rows of a cell, each times its weight in a derived column. Where plain tables make
 * it 0 in all these rows, a product would be a ciphertext that everybody can read. */
static hb_status weighted_sum(fetching *f, uint32_t node, uint32_t weights, uint32_t *total)
{
    hb_graph *g = &f->l->graph;
    uint32_t plain, seen;
    *total = f->zero;
    HB_TRY(in_both(&g->constants.derived, weights, f->support[node == f->units ? f->from->condition : node], &seen));
    if (g->constants.derived.column[seen].chosen == 0) {
        return HB_OK;
    }
    if (f->table->rows > 1) {
        HB_TRY(hb_graph_plain_node(g, &f->place, &weights, 1, &plain));
        HB_TRY(hb_graph_with_plain(g, HB_OP_MULTIPLY_PLAIN, node, plain, true, &node));
    }
    return hb_graph_sum(g, node, total);
}

/* Makes a total that is the sum of a derived column over publicly selected rows. */
static hb_status public_sum(fetching *f, uint32_t weights, uint32_t *total)
{
    hb_graph *g = &f->l->graph;
    hb_plain_value sum;
    if (f->mask != HB_NO_INDEX) {
        HB_TRY(hb_derived_add_pair(&g->constants.derived, HB_ITEM_MULTIPLY, weights, f->mask, &weights));
    }
    HB_TRY(hb_derived_total(&g->constants.derived, weights, f->table->rows, &sum));
    return hb_graph_add_constant(g, f->zero, (hb_number){.real = sum.real}, total);
}

/* Makes the total of a derived column over the selected rows, in units. */
static hb_status known_sum(fetching *f, uint32_t weights, uint32_t *total)
{
    if (f->from->condition == HB_NO_NODE) {
        HB_ASSERT(f->table->unit == 1);
        return public_sum(f, weights, total);
    }
    return weighted_sum(f, f->units, weights, total);
}

/* At most so many rows are selected, or decryption shows none: sums are no larger than theirs. */
static void narrow(const fetching *f, uint32_t total, hb_interval values)
{
    hb_node *node = &f->l->graph.nodes[total];
    if (f->l->graph.params == NULL || !values.known || total == f->zero) {
        return;
    }
    const double low = values.low < 0 ? values.low * f->most : 0, high = values.high > 0 ? values.high * f->most : 0;
    hb_graph_values_are(&f->l->graph, total, hb_interval_of_reals(low, high));
    node->range.magnitude = hb_interval_magnitude(node->range.interval);
}

/* Makes the sums of one cell: its count, digits, and columns. */
static hb_status cell_sums(fetching *f, uint32_t way, uint32_t cell, const hb_node_list *selected, uint32_t *totals)
{
    hb_graph *g = &f->l->graph;
    hb_derived *d = &g->constants.derived;
    uint32_t number, of_cell;
    HB_TRY(hb_derived_add_number(d, (hb_plain_value){.real = cell}, &number));
    HB_TRY(hb_derived_add_pair(d, HB_ITEM_EQUAL, f->code[way], number, &of_cell));
    for (uint32_t j = 0; j <= f->table->digits; j++) {
        uint32_t weights = of_cell;
        if (j > 0) {
            HB_TRY(hb_derived_add_pair(d, HB_ITEM_MULTIPLY, of_cell, f->digit[j - 1], &weights));
        }
        HB_TRY(known_sum(f, weights, totals));
        narrow(f, *totals++, hb_interval_of_reals(0, f->table->unit));
    }
    for (uint32_t c = 0; hb_graph_at_column(g, c, selected->count); c++) {
        const hb_interval values = g->nodes[selected->node[c]].range.interval;
        HB_TRY(weighted_sum(f, selected->node[c], of_cell, totals));
        narrow(f, *totals++, values);
    }
    return HB_OK;
}

static hb_status check_columns(const hb_graph *g, const hb_node_list *selected)
{
    for (uint32_t c = 0; c < selected->count; c++) {
        const hb_node *x = &g->nodes[selected->node[c]];
        if (x->shape.halves != HB_HALVES_REAL) {
            return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at, "fetch takes no complex numbers");
        }
        if (g->params != NULL && !x->range.interval.known) {
            return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                              "the values of column %u are unknown, and rows that are fetched need their range: "
                              "declare it, --range",
                              c + 1);
        }
    }
    return HB_OK;
}

/* Makes the total of 0 that stands for a cell without rows, of an input that the node is made of: it has no error of an
 * approximation, and none of the size of computed values. */
static hb_status make_zero(fetching *f, uint32_t node)
{
    hb_graph *g = &f->l->graph;
    uint32_t input = node, next = node;
    while (next != HB_NO_NODE) {
        const hb_node_list of = hb_node_operands(g, &g->nodes[next]);
        input = next;
        next = HB_NO_NODE;
        for (uint32_t i = 0; next == HB_NO_NODE && i < of.count; i++) {
            const bool encrypted = !g->nodes[of.node[i]].shape.plain && !hb_node_is_known(g, of.node[i]);
            next = encrypted ? of.node[i] : HB_NO_NODE;
        }
    }
    const hb_node *x = &g->nodes[input];
    input = x->op == HB_OP_LOAD && x->shape.halves == HB_HALVES_REAL ? input : node;
    HB_TRY(hb_graph_sum(g, input, &f->zero));
    return hb_graph_zero(g, f->zero, &f->zero);
}

static hb_status put_cells(fetching *f, const hb_node_list *selected, uint32_t *totals)
{
    const uint64_t each = hb_iblt_each(f->table->digits, selected->count);
    HB_TRY(find_supports(f, selected));
    HB_TRY(add_columns(f));
    if (f->from->condition != HB_NO_NODE) {
        HB_TRY(hb_graph_scale(&f->l->graph, f->from->condition, (hb_number){.real = f->table->unit}, &f->units));
    }
    for (uint32_t w = 0; w < HB_IBLT_WAYS; w++) {
        for (uint32_t cell = 0; cell < f->table->cells; cell++) {
            HB_TRY(cell_sums(f, w, cell, selected, totals));
            totals += each;
        }
    }
    return HB_OK;
}

hb_status hb_fetch_cells(hb_lowering *l, const hb_fetched_selection *from, const hb_iblt *table, uint32_t most,
                         const hb_node_list *selected, uint32_t *totals)
{
    hb_graph *g = &l->graph;
    fetching f = {.l = l, .units = HB_NO_NODE, .from = from, .table = table, .most = most};
    HB_ASSERT(table->digits <= HB_IBLT_MOST_DIGITS && table->rows > 0 && selected->count > 0);
    HB_TRY(check_columns(g, selected));
    f.place.operand = g->first != NULL ? (uint32_t)(g->first - g->operands) : 0;
    HB_TRY(make_zero(&f, selected->node[0]));
    if (from->none) {
        for (uint64_t i = 0; i < hb_iblt_sums(table, selected->count); i++) {
            totals[i] = f.zero;
        }
        return HB_OK;
    }
    const hb_status st = put_cells(&f, selected, totals);
    free(f.support);
    return st;
}
