/* Facts about the node of a linear combination that follow from its terms. */
#include <math.h>

#include "combination.h"
#include "transparency.h"

static double value_of(hb_weight weight, bool whole)
{
    return whole ? (double)weight.integer : weight.real;
}

static hb_interval interval_of(hb_weight weight, bool whole)
{
    return whole ? hb_interval_of(weight.integer, weight.integer) : hb_interval_of_reals(weight.real, weight.real);
}

hb_interval hb_combination_interval(const hb_graph *g, const hb_node *node)
{
    const hb_combination_terms terms = hb_node_combination(g, node);
    hb_interval sum = {.known = false};
    bool first = true;
    for (uint32_t i = 0; i < terms.count; i++) {
        const hb_weight weight = g->combinations.term_weights[terms.first + i];
        if (value_of(weight, terms.whole) == 0) {
            continue;
        }
        const hb_interval term = hb_interval_multiply(
            g->nodes[g->combinations.term_nodes[terms.first + i]].range.interval, interval_of(weight, terms.whole));
        sum = first ? term : hb_interval_add(sum, term);
        first = false;
    }
    return sum;
}

double hb_combination_magnitude(const hb_graph *g, const hb_node *node)
{
    const hb_combination_terms terms = hb_node_combination(g, node);
    double sum = 0;
    for (uint32_t i = 0; i < terms.count; i++) {
        const double weight = fabs(value_of(g->combinations.term_weights[terms.first + i], terms.whole));
        if (weight > 0) {
            const double term =
                nextafter(g->nodes[g->combinations.term_nodes[terms.first + i]].range.magnitude * weight, HUGE_VAL);
            sum = nextafter(sum + term, HUGE_VAL);
        }
    }
    return sum;
}

uint64_t hb_combination_linear(const hb_graph *g, const hb_node *node)
{
    const hb_combination_terms terms = hb_node_combination(g, node);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < terms.count; i++) {
        const hb_weight weight = g->combinations.term_weights[terms.first + i];
        const uint64_t number = terms.whole ? hb_fingerprint_number(weight.integer) : hb_fingerprint_real(weight.real);
        const uint64_t linear = g->nodes[g->combinations.term_nodes[terms.first + i]].form.fingerprint;
        sum = hb_fingerprint_fold(sum + hb_fingerprint_multiply(linear, number));
    }
    return sum;
}
