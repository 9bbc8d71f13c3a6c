/* Functions of reals in a graph: polynomials in the Chebyshev basis after each other, of a value whose interval is
 * mapped onto [-1, 1]. */
#ifndef HB_LANG_IR_FUNCTION_H
#define HB_LANG_IR_FUNCTION_H

#include "approx/approx.h"
#include "graph.h"

/* An interval that values are mapped from: u = factor * x + offset is in [-1, 1] for x in [low, high]. */
typedef struct hb_mapping {
    double low, high;
    double factor, offset;
} hb_mapping;

/* For sign: an approximation for a gap takes arguments that are off by this share of it. */
#define HB_GAP_SHARE 0.75

/* Where a function that is to be approximated must not be asked. */
typedef enum hb_pole {
    HB_POLE_NONE,
    HB_POLE_BELOW, /* at the lower end of the interval, or below it */
    HB_POLE_ABOVE
} hb_pole;

/* The mapping of exactly that interval, low < high. */
hb_mapping hb_mapping_of(double low, double high);
/* A mapping of an interval with these values in it. free: a factor takes no level, or one more does not matter; the
 * interval is then wider than the values only by their errors. Otherwise its factor is an integer where possible
 * (values at most 2 apart), as an integer takes no level. */
hb_mapping hb_mapping_around(hb_interval values, bool free, hb_pole pole);

/* Makes factor * a + offset, at rest, as the first of the stages takes it. Refusals of products, HB_ENOMEM. */
hb_status hb_graph_mapped(hb_graph *graph, uint32_t a, const hb_mapping *mapping, uint32_t *out);
/* Makes the stages of the approximation, one after another, of `a`, whose values are within the mapping's interval,
 * which is the approximation's. off: the error of these values with which a sign is still right outside its gap, or at
 * a corner. range: the values of the function. In slots that hold no row the result is 0 where `a` is (up to errors),
 * but for a sign. *out: at rest. The node knows the error of the approximation. Refusals of products, HB_ENOMEM. */
hb_status hb_graph_approximated(hb_graph *graph, uint32_t a, const hb_mapping *mapping,
                                const hb_approximation *approximation, double off, hb_interval range, uint32_t *out);

#endif
