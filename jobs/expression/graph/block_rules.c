#include "block_rules.h"

#include <math.h>

#include "base/outward.h"
#include "blocks.h"
#include "moments.h"
#include "rules.h"
#include "scheme/matrix.h"
#include "scheme/quality.h"

/* --- products with matrices */

/* The ranges of the columns of a node, one by one where it is an operand. */
static hb_interval column_interval(const hb_graph *g, const hb_node *a, uint32_t column)
{
    return a->op == HB_OP_LOAD ? hb_operand_column(g, &g->operands[a->operand], column) : a->interval;
}

static hb_interval times(hb_interval values, double weight)
{
    return hb_interval_multiply(values, hb_interval_of_reals(weight, weight));
}

/* Of one row of weights, where all columns lie in one range. */
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

/* Of one row of weights; zero: slots may hold 0 in the place of any column. */
static hb_interval row_interval(const hb_graph *g, const hb_node *a, const hb_block_matrix *w, uint32_t row, bool zero)
{
    if (a->op != HB_OP_LOAD && a->interval.known) {
        return row_bounds(zero ? hb_interval_with_zero(a->interval) : a->interval, w, row);
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
        double sum = entry->sums[i].magnitudes * (a->magnitude * (1 + 0x1p-40));
        if (a->interval.known && (a->clean || a->total)) {
            sum = fmin(sum, hb_interval_magnitude(row_interval(g, a, w, i, true)));
        }
        most = fmax(most, sum);
    }
    return most;
}

/* Of all rows: columns are taken as independent, as elsewhere. */
hb_moments hb_matrix_moments(const hb_graph *g, const hb_node *node)
{
    const hb_matrix_entry *entry = hb_matrix_of(g, node);
    const uint32_t rows = entry->matrix.rows;
    const hb_node *a = &g->nodes[node->a];
    const hb_moments x = hb_moments_of_node(a);
    const double spread = fmax(x.square - x.mean * x.mean, 0);
    hb_moments r = {.peak = 0};
    for (uint32_t i = 0; i < rows; i++) {
        const hb_block_sums *row = &entry->sums[i];
        const double mean = row->sum * x.mean, square = mean * mean + row->squares * spread;
        r.mean += mean / rows;
        r.square += square / rows;
        r.peak = fmax(r.peak,
                      fmin(row->magnitudes * x.peak, fabs(mean) + HB_LIKELY_DEVIATIONS * sqrt(row->squares * spread)));
    }
    r.common = r.mean * r.mean;
    r.peak = fmax(r.peak, sqrt(r.square));
    return r;
}

hb_quality hb_matrix_quality(const hb_graph *g, const hb_node *node)
{
    const hb_node *a = &g->nodes[node->a];
    const hb_matrix_entry *entry = hb_matrix_of(g, node);
    return hb_quality_matrix(g->params, &entry->matrix, &entry->outline, a->limbs, hb_node_factor(g, a));
}

/* --- sums of columns */

static hb_interval sum_of_columns(const hb_graph *g, const hb_node *node, bool zero)
{
    const hb_node *a = &g->nodes[node->a];
    hb_interval sum = hb_interval_of_reals(0, 0);
    for (uint32_t j = 0; j < a->width && sum.known; j++) {
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
    const double most = a->magnitude * a->width * (1 + 0x1p-40);
    return a->interval.known && (a->clean || a->total)
               ? fmin(most, hb_interval_magnitude(sum_of_columns(g, node, true)))
               : most;
}

hb_moments hb_row_sum_moments(const hb_graph *g, const hb_node *node)
{
    const hb_node *a = &g->nodes[node->a];
    const hb_moments x = hb_moments_of_node(a);
    const double terms = a->width, mean = terms * x.mean;
    hb_moments r = {.mean = mean, .common = mean * mean};
    r.square = mean * mean + terms * fmax(x.square - x.mean * x.mean, 0);
    r.peak = fmax(fmin(terms * x.peak, fabs(mean) + HB_LIKELY_DEVIATIONS * sqrt(fmax(r.square - r.common, 0))),
                  sqrt(r.square));
    return r;
}

hb_quality hb_row_sum_quality(const hb_graph *g, const hb_node *node)
{
    return hb_quality_sum_window(g->params, node->limbs, g->nodes[node->a].quality, (uint32_t)node->number);
}

/* --- copies of a column */

/* In slots where a has others than its column it is 0. */
double hb_row_spread_magnitude(const hb_graph *g, const hb_node *node)
{
    return g->nodes[node->a].magnitude;
}

hb_quality hb_row_spread_quality(const hb_graph *g, const hb_node *node)
{
    return hb_quality_sum_window(g->params, node->limbs, g->nodes[node->a].quality,
                                 (uint32_t)hb_row_copies(node->number));
}

/* --- rows of constants */

static hb_interval constants_of(const hb_graph *g, const hb_node *node)
{
    const hb_row_entry *row = hb_row_of(g, node);
    double low = row->values[0], high = low;
    for (uint32_t j = 1; j < row->columns; j++) {
        low = fmin(low, row->values[j]);
        high = fmax(high, row->values[j]);
    }
    return hb_interval_of_reals(low, high);
}

hb_interval hb_add_row_interval(const hb_graph *g, const hb_node *node)
{
    return hb_interval_add(g->nodes[node->a].interval, constants_of(g, node));
}

double hb_add_row_magnitude(const hb_graph *g, const hb_node *node)
{
    return nextafter(g->nodes[node->a].magnitude + hb_interval_magnitude(constants_of(g, node)), HUGE_VAL);
}

hb_moments hb_add_row_moments(const hb_graph *g, const hb_node *node)
{
    const hb_row_entry *row = hb_row_of(g, node);
    const hb_node *a = &g->nodes[node->a];
    const hb_moments x = hb_moments_of_node(a);
    double mean = 0, square = 0, most = 0;
    for (uint32_t j = 0; j < row->columns; j++) {
        mean += row->values[j] / row->columns;
        square += row->values[j] * row->values[j] / row->columns;
        most = fmax(most, fabs(row->values[j]));
    }
    hb_moments r = {
        .mean = x.mean + mean, .square = fmax(x.square + square + 2 * x.mean * mean, 0), .peak = x.peak + most};
    r.common = r.mean * r.mean;
    return r;
}

hb_quality hb_add_row_quality(const hb_graph *g, const hb_node *node)
{
    const hb_quality sum = hb_quality_add_plain(g->params, g->nodes[node->a].quality);
    const hb_magnitude constants = hb_magnitude_up_to(hb_interval_magnitude(constants_of(g, node)));
    return hb_quality_transformed(g->params, node->limbs, sum, constants);
}
