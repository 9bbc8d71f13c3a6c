#include "polynomial_error.h"

#include <math.h>

#include "error_bits.h"
#include "lang/ir/polynomial.h"
#include "moments.h"
#include "sign_drift.h"

/* Takes operands as spread evenly, with their mean and deviation; but some are larger, and the largest result comes
 * from those. */
hb_moments hb_polynomial_moments(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    enum { SAMPLES = 128 };
    const hb_node *a = &g->nodes[node->a];
    const hb_moments x = hb_moments_of_node(f, a);
    const hb_chebyshev *p = &hb_polynomial_of(g, node)->polynomial;
    const hb_interval range = hb_interval_to_reals(a->range.interval);
    const double half = sqrt(3 * fmax(x.square - x.mean * x.mean, 0));
    const double low = fmax(-fmin(x.peak, 1), range.known ? range.low : -1),
                 high = fmin(fmin(x.peak, 1), range.known ? range.high : 1);
    hb_moments r = {.peak = 0};
    for (uint32_t i = 0; i < SAMPLES; i++) {
        const double at = x.mean + half * ((2 * i + 1) / (double)SAMPLES - 1);
        const double value = hb_chebyshev_value(p, fmax(fmin(at, 1), -1)),
                     other = hb_chebyshev_value(p, low + (high - low) * (i / (double)(SAMPLES - 1)));
        r.mean += value / SAMPLES;
        r.square += value * value / SAMPLES;
        r.peak = fmax(r.peak, fmax(fabs(value), fabs(other)));
    }
    r.common = node->shape.total ? r.square : r.mean * r.mean; /* a total is one number in all slots */
    return r;
}

hb_stage hb_polynomial_stage(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    const hb_node *a = &g->nodes[node->a];
    const hb_polynomial_entry *entry = hb_polynomial_of(g, node);
    return (hb_stage){.params = g->params,
                      .limbs = a->shape.limbs,
                      .values = hb_node_values(f, a),
                      .polynomial = &entry->polynomial,
                      .error = f->without_approximation ? 0 : entry->error,
                      .margin = node->range.steady ? a->range.margin : 0};
}

/* An overlay leaves out imaginary parts of the operand of a first stage, too: they are in the drift, or in the error of
 * the operand where its margin is not kept. */
hb_quality hb_polynomial_quality(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    const hb_node *a = &g->nodes[node->a];
    hb_stage stage = hb_polynomial_stage(f, node);
    hb_quality operand = hb_node_quality(f, a);
    if (node->range.steady) {
        const hb_drift drift = hb_sign_drift(f, node);
        stage.drift = !drift.kept ? HUGE_VAL : node->range.valid_from > 0 ? drift.beside : 0;
        stage.growth = drift.growth;
        if (f->underlying != NULL && hb_sign_stage_before(g, node) == NULL && !hb_keeps_margin(f, a)) {
            const double imaginary = hb_node_error_bits(g, a, hb_imaginary_part(f, a));
            operand = hb_quality_add(g->params, operand, (hb_quality){.worst = imaginary, .norm = imaginary});
        }
    }
    return hb_stage_quality(&stage, operand);
}
