#include "block_errors.h"

#include <math.h>

#include "lang/ir/block_ranges.h"
#include "lang/ir/blocks.h"
#include "moments.h"
#include "scheme/matrix.h"
#include "scheme/quality.h"

/* The moments of all rows: columns are taken as independent, as elsewhere. */
hb_moments hb_matrix_moments(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    const hb_matrix_entry *entry = hb_matrix_of(g, node);
    const uint32_t rows = entry->matrix.rows;
    const hb_node *a = &g->nodes[node->a];
    const hb_moments x = hb_moments_of_node(f, a);
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

hb_quality hb_matrix_quality(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    const hb_node *a = &g->nodes[node->a];
    const hb_matrix_entry *entry = hb_matrix_of(g, node);
    return hb_quality_matrix(g->params, &entry->matrix, &entry->outline, a->shape.limbs, hb_node_factor(f, a));
}

hb_moments hb_row_sum_moments(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    const hb_node *a = &g->nodes[node->a];
    const hb_moments x = hb_moments_of_node(f, a);
    const double terms = a->shape.width, mean = terms * x.mean;
    hb_moments r = {.mean = mean, .common = mean * mean};
    r.square = mean * mean + terms * fmax(x.square - x.mean * x.mean, 0);
    r.peak = fmax(fmin(terms * x.peak, fabs(mean) + HB_LIKELY_DEVIATIONS * sqrt(fmax(r.square - r.common, 0))),
                  sqrt(r.square));
    return r;
}

hb_quality hb_row_sum_quality(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    return hb_quality_sum_window(g->params, node->shape.limbs, hb_node_quality(f, &g->nodes[node->a]),
                                 (uint32_t)node->number);
}

hb_quality hb_row_spread_quality(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    return hb_quality_sum_window(g->params, node->shape.limbs, hb_node_quality(f, &g->nodes[node->a]),
                                 (uint32_t)hb_row_copies(node->number));
}

hb_moments hb_add_row_moments(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    const hb_row_entry *row = hb_row_of(g, node);
    const hb_node *a = &g->nodes[node->a];
    const hb_moments x = hb_moments_of_node(f, a);
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

hb_quality hb_add_row_quality(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    const hb_quality sum = hb_quality_add_plain(g->params, hb_node_quality(f, &g->nodes[node->a]));
    const hb_magnitude constants = hb_magnitude_up_to(hb_interval_magnitude(hb_row_constants_interval(g, node)));
    return hb_quality_transformed(g->params, node->shape.limbs, sum, constants);
}
