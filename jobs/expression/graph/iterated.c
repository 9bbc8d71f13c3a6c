#include "iterated.h"

#include <math.h>
#include <stdlib.h>

#include "composition.h"
#include "moments.h"
#include "polynomial.h"
#include "rules.h"
#include "scheme/codec.h"

/* Values that are followed, evenly spread over their range, and how many polynomials back. */
enum { VALUES = 4096, MOST_BACK = 64, HALVINGS = 40 };

/* What is expected of an error, in units of values. */
static double expected_of(const hb_graph *g, const hb_node *node)
{
    return exp2(-hb_quality_bits(g->params, node->limbs, node->quality.expected));
}

/* Returns the node that has the same values, before it was brought down or bootstrapped. */
static uint32_t source_of(const hb_graph *g, uint32_t i)
{
    while (hb_rules[g->nodes[i].op].same_values && !hb_rules[g->nodes[i].op].moved) {
        i = g->nodes[i].a;
    }
    return i;
}

/* Returns p(x), and sets the derivative there: T_k' = k U_(k-1). */
static double value_at(const hb_chebyshev *p, double x, double *slope)
{
    double t = 1, next = x, u = 0, after = 1, sum = 0;
    *slope = 0;
    for (uint32_t k = 0; k <= p->degree; k++) { /* t = T_k, u = U_(k-1) */
        sum += p->coefficients[k] * t;
        *slope += p->coefficients[k] * k * u;
        const double more = 2 * x * next - t, further = 2 * x * after - u;
        t = next;
        next = more;
        u = after;
        after = further;
    }
    return sum;
}

/* Returns which error the largest of so many slots is expected to have, `errors` being what that is of slots that are
 * all alike: where the mean of exp(-ln(slots) (x / error)^2) is 1 / slots. */
static double largest_of(const double *errors, double slots)
{
    double low = 0, high = 0;
    for (uint32_t i = 0; i < VALUES; i++) {
        high = fmax(high, errors[i]);
    }
    for (uint32_t step = 0; step < HALVINGS; step++) {
        const double middle = (low + high) / 2;
        double mean = 0;
        for (uint32_t i = 0; i < VALUES; i++) {
            const double share = middle / fmax(errors[i], high * 0x1p-60);
            mean += exp(-log(slots) * share * share) / VALUES;
        }
        low = mean > 1 / slots ? middle : low;
        high = mean > 1 / slots ? high : middle;
    }
    return high;
}

/* Follows values through a polynomial, and the errors that they have there. */
static void follow(const hb_graph *g, const hb_node *node, double *values, double *errors)
{
    const hb_chebyshev *p = &hb_polynomial_of(g, node)->polynomial;
    for (uint32_t i = 0; i < VALUES; i++) {
        double slope;
        values[i] = value_at(p, values[i], &slope);
        errors[i] = hypot(slope * errors[i], node->own);
    }
}

/* Adds what bringing down and bootstrapping added on the way from one polynomial to the next. */
static void add_between(const hb_graph *g, const hb_node *from, const hb_node *to, double *errors)
{
    const double before = expected_of(g, from), behind = expected_of(g, to);
    const double added = sqrt(fmax(behind * behind - before * before, 0));
    for (uint32_t i = 0; i < VALUES; i++) {
        errors[i] = hypot(errors[i], added);
    }
}

static double own_error(const hb_graph *g, const hb_node *node)
{
    const hb_node *a = &g->nodes[node->a];
    const hb_stage stage = {.params = g->params,
                            .limbs = a->limbs,
                            .values = hb_node_values(g, a),
                            .polynomial = &hb_polynomial_of(g, node)->polynomial};
    const hb_quality quality = hb_stage_quality(&stage, (hb_quality){.powers = a->quality.powers});
    return exp2(-hb_quality_bits(g->params, node->limbs, quality.expected));
}

hb_quality hb_iterated_quality(const hb_graph *g, hb_node *node, hb_quality quality)
{
    const hb_node *way[MOST_BACK] = {node};
    uint32_t count = 1, source = source_of(g, node->a);
    node->own = own_error(g, node);
    while (count < MOST_BACK && g->nodes[source].op == HB_OP_POLYNOMIAL) {
        way[count++] = &g->nodes[source];
        source = source_of(g, g->nodes[source].a);
    }
    const hb_interval range = hb_interval_to_reals(g->nodes[way[count - 1]->a].interval);
    double *values = count > 1 && range.known && !node->steady ? malloc((size_t)2 * VALUES * sizeof *values) : NULL;
    if (values == NULL) { /* without memory less is expected: of a bound nothing depends on it */
        return quality;
    }
    double *errors = values + VALUES;
    const double begins = expected_of(g, &g->nodes[way[count - 1]->a]);
    for (uint32_t i = 0; i < VALUES; i++) {
        values[i] = range.low + (range.high - range.low) * ((i + 0.5) / VALUES);
        errors[i] = begins;
    }
    for (uint32_t k = count; k-- > 0;) {
        follow(g, way[k], values, errors);
        if (k > 0) {
            add_between(g, way[k], &g->nodes[way[k - 1]->a], errors);
        }
    }
    const double slots = (double)hb_codec_capacity(g->spec, g->encoding), found = largest_of(errors, fmax(slots, 2));
    const double scale = hb_quality_bits(g->params, node->limbs, 0);
    quality.expected = found > 0 ? fmax(quality.expected, log2(found) + scale) : quality.expected;
    free(values);
    return quality;
}
