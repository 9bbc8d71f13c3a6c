#include "block_ranges.h"

#include <math.h>
#include <stdlib.h>

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

/* The ranges of the columns of a vector, as reals; those that are not known are NaN. */
typedef struct column_ranges {
    hb_bounds *column; /* of each; NULL: all lie in ... */
    hb_bounds all;     /* ... this range */
} column_ranges;

/* zero: slots may hold 0 in the place of any column. */
static hb_bounds bounds_of(hb_interval values, bool zero)
{
    const hb_interval reals = hb_interval_to_reals(zero ? hb_interval_with_zero(values) : values);
    return reals.known ? (hb_bounds){reals.low, reals.high} : (hb_bounds){NAN, NAN};
}

static bool same(hb_bounds a, hb_bounds b)
{
    return a.low == b.low && a.high == b.high;
}

/* Without memory for the columns of an operand none is known, which is true as well. */
static column_ranges ranges_of(const hb_graph *g, const hb_node *a, uint32_t columns, bool zero)
{
    column_ranges r = {.all = bounds_of(column_interval(g, a, 0), zero)};
    const uint64_t there = a->op == HB_OP_LOAD ? g->operands[a->operand].schema->columns : 0;
    bool alike = true;
    hb_bounds *column = a->op == HB_OP_LOAD ? malloc(columns * sizeof *column) : NULL;
    if (column == NULL) {
        r.all = a->op == HB_OP_LOAD ? (hb_bounds){NAN, NAN} : r.all;
        return r;
    }
    for (uint32_t i = 0; i < columns; i++) {
        column[i] = i < there ? bounds_of(column_interval(g, a, i), zero) : (hb_bounds){NAN, NAN};
        alike = alike && same(column[i], r.all);
    }
    if (alike) {
        free(column);
        return r;
    }
    r.column = column;
    return r;
}

/* For one row of weights. */
static hb_interval row_interval(const column_ranges *ranges, const hb_block_matrix *w, uint32_t row)
{
    hb_bounds sum = {0, 0};
    for (hb_block_entries e = hb_block_row(w, row); hb_block_entries_next(&e);) {
        const hb_bounds values = ranges->column != NULL ? ranges->column[e.slot] : ranges->all;
        if (isnan(values.low)) {
            return (hb_interval){.known = false};
        }
        sum = hb_bounds_add_product(sum, values, e.value);
    }
    return hb_interval_of_reals(sum.low, sum.high);
}

/* Whether another row before it lies in the same range, where columns have one in common. */
static bool seen(const column_ranges *ranges, const hb_block_matrix *w, uint32_t row)
{
    return ranges->column == NULL && hb_block_row_like(w, row) != row;
}

static hb_interval product_interval(const hb_graph *g, const hb_block_matrix *w, const hb_node *a)
{
    const column_ranges ranges = ranges_of(g, a, w->columns, false);
    hb_interval all = row_interval(&ranges, w, 0);
    for (uint32_t i = 1; i < w->rows && all.known; i++) {
        if (!seen(&ranges, w, i)) {
            const hb_interval row = row_interval(&ranges, w, i);
            all = row.known ? hb_interval_join(all, row) : row;
        }
    }
    free(ranges.column);
    return all;
}

hb_interval hb_matrix_interval(const hb_graph *g, const hb_node *node)
{
    const hb_matrix_entry *entry = hb_matrix_of(g, node);
    const hb_node *a = &g->nodes[node->a];
    return entry->part[0] == NULL ? product_interval(g, &entry->matrix, a)
                                  : hb_interval_add(product_interval(g, &entry->part[0]->matrix, a),
                                                    product_interval(g, &entry->part[1]->matrix, &g->nodes[node->b]));
}

/* Slots behind the rows hold sums of some of the same terms, of this row and others. Where slots that hold no row are
 * not 0 they may be as large as any. */
static double product_magnitude(const hb_graph *g, const hb_matrix_entry *entry, const hb_node *a)
{
    const hb_block_matrix *w = &entry->matrix;
    const bool bounded = a->range.interval.known && (a->shape.padding_zero || a->shape.total);
    const column_ranges ranges = bounded ? ranges_of(g, a, w->columns, true) : (column_ranges){.column = NULL};
    double most = 0;
    for (uint32_t i = 0; i < w->rows; i++) {
        if (seen(&ranges, w, i)) {
            continue;
        }
        double sum = entry->sums[i].magnitudes * (a->range.magnitude * (1 + 0x1p-40));
        if (bounded) {
            sum = fmin(sum, hb_interval_magnitude(row_interval(&ranges, w, i)));
        }
        most = fmax(most, sum);
    }
    free(ranges.column);
    return most;
}

double hb_matrix_magnitude(const hb_graph *g, const hb_node *node)
{
    const hb_matrix_entry *entry = hb_matrix_of(g, node);
    const hb_node *a = &g->nodes[node->a];
    return entry->part[0] == NULL ? product_magnitude(g, entry, a)
                                  : nextafter(product_magnitude(g, entry->part[0], a) +
                                                  product_magnitude(g, entry->part[1], &g->nodes[node->b]),
                                              HUGE_VAL);
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

/* --- shapes: widths and images */

uint32_t hb_node_columns(const hb_node *node)
{
    return node->shape.image.gap > 0 ? hb_block_image_columns(&node->shape.image) : node->shape.width;
}

hb_status hb_graph_check_images(const hb_graph *g, const hb_node *node)
{
    if (!hb_graph_packed(g) || hb_operations[node->op].loads || node->op == HB_OP_BOOTSTRAP) {
        return HB_OK; /* two that are bootstrapped as one have nothing else in common */
    }
    const hb_node_list operands = hb_node_operands(g, node);
    for (uint32_t i = 1; i < operands.count; i++) {
        const hb_node *x = &g->nodes[operands.node[0]], *y = &g->nodes[operands.node[i]];
        if (!hb_block_image_same(&x->shape.image, &y->shape.image)) {
            return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                              "columns of the two sides stand in different slots: an image that a convolution made "
                              "smaller has its channels in each other's gaps, and goes together with one of the same "
                              "height, width and channels");
        }
    }
    return HB_OK;
}
