#include "block_ranges.h"

#include <math.h>

#include "base/outward.h"
#include "blocks.h"
#include "scales.h"

/* --- products with matrices */

/* The ranges of the columns of a node, one by one where it is an operand. */
static hb_interval column_interval(const hb_graph *g, const hb_node *a, uint32_t column)
{
    const hb_operand *operand = a->op == HB_OP_LOAD ? &g->operands[a->operand] : NULL;
    return operand != NULL ? hb_interval_as_read(g, operand, hb_operand_column(g, operand, column)) : a->range.interval;
}

static hb_interval times(hb_interval values, double weight)
{
    return hb_interval_multiply(values, hb_interval_of_reals(weight, weight));
}

/* For one row of weights, where all columns lie in one range. */
static hb_interval row_bounds(hb_interval values, const hb_block_matrix *w, uint32_t row)
{
    const hb_interval reals = hb_interval_to_reals(values);
    const hb_bounds each = {reals.low, reals.high};
    hb_bounds sum = {0, 0};
    for (hb_block_entries e = hb_block_row(w, row); hb_block_entries_next(&e);) {
        sum = hb_bounds_add(sum, hb_bounds_multiply(each, (hb_bounds){e.value, e.value}));
    }
    return hb_interval_of_reals(sum.low, sum.high);
}

/* For one row of weights; zero: slots may hold 0 in the place of any column. */
static hb_interval row_interval(const hb_graph *g, const hb_node *a, const hb_block_matrix *w, uint32_t row, bool zero)
{
    if (a->op != HB_OP_LOAD && a->range.interval.known) {
        return row_bounds(zero ? hb_interval_with_zero(a->range.interval) : a->range.interval, w, row);
    }
    hb_interval sum = hb_interval_of_reals(0, 0);
    for (hb_block_entries e = hb_block_row(w, row); hb_block_entries_next(&e);) {
        const hb_interval values = column_interval(g, a, e.slot);
        sum = hb_interval_add(sum, times(zero ? hb_interval_with_zero(values) : values, e.value));
    }
    return sum;
}

/* Whether another row before it lies in the same range: columns that are computed have one in common. */
static bool seen(const hb_node *a, const hb_block_matrix *w, uint32_t row)
{
    return a->op != HB_OP_LOAD && hb_block_row_like(w, row) != row;
}

hb_interval hb_matrix_interval(const hb_graph *g, const hb_node *node)
{
    const hb_block_matrix *w = &hb_matrix_of(g, node)->matrix;
    const hb_node *a = &g->nodes[node->a];
    hb_interval all = row_interval(g, a, w, 0, false);
    for (uint32_t i = 1; i < w->rows && all.known; i++) {
        if (!seen(a, w, i)) {
            const hb_interval row = row_interval(g, a, w, i, false);
            all = row.known ? hb_interval_join(all, row) : row;
        }
    }
    return all;
}

/* Slots behind the rows hold sums of some of the same terms, of this row and others. Where slots that hold no row are
 * not 0 they may be as large as any. */
double hb_matrix_magnitude(const hb_graph *g, const hb_node *node)
{
    const hb_matrix_entry *entry = hb_matrix_of(g, node);
    const hb_block_matrix *w = &entry->matrix;
    const hb_node *a = &g->nodes[node->a];
    double most = 0;
    for (uint32_t i = 0; i < w->rows; i++) {
        if (seen(a, w, i)) {
            continue;
        }
        double sum = entry->sums[i].magnitudes * (a->range.magnitude * (1 + 0x1p-40));
        if (a->range.interval.known && (a->shape.padding_zero || a->shape.total)) {
            sum = fmin(sum, hb_interval_magnitude(row_interval(g, a, w, i, true)));
        }
        most = fmax(most, sum);
    }
    return most;
}

/* --- sums of columns */

static hb_interval sum_of_columns(const hb_graph *g, const hb_node *node, bool zero)
{
    const hb_node *a = &g->nodes[node->a];
    hb_interval sum = hb_interval_of_reals(0, 0);
    for (uint32_t j = 0; j < a->shape.width && sum.known; j++) {
        const hb_interval values = column_interval(g, a, j);
        sum = hb_interval_add(sum, zero ? hb_interval_with_zero(values) : values);
    }
    return sum;
}

hb_interval hb_row_sum_interval(const hb_graph *g, const hb_node *node)
{
    return sum_of_columns(g, node, false);
}

/* Other slots hold sums of columns of two rows, of each at most one. */
double hb_row_sum_magnitude(const hb_graph *g, const hb_node *node)
{
    const hb_node *a = &g->nodes[node->a];
    const double most = a->range.magnitude * a->shape.width * (1 + 0x1p-40);
    return a->range.interval.known && (a->shape.padding_zero || a->shape.total)
               ? fmin(most, hb_interval_magnitude(sum_of_columns(g, node, true)))
               : most;
}

/* --- rows of constants */

hb_interval hb_row_constants_interval(const hb_graph *g, const hb_node *node)
{
    const hb_row_entry *row = hb_row_of(g, node);
    double low = row->values[0], high = low;
    for (uint32_t j = 1; j < row->columns; j++) {
        low = fmin(low, row->values[j]);
        high = fmax(high, row->values[j]);
    }
    return hb_interval_of_reals(low, high);
}
