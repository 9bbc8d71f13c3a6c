/* The error of values by approximated functions: an error like others, which no key and no noise causes.
 *
 * Functions with a corner, relu and |x|, which are a factor times stages of sign of it. By the slopes of the stages, an
 * error of the factor would grow without end, so that no later bound would be finite. But neither function is steeper
 * than 1 anywhere. With f the function, g the factor times the stages, x + e the value of the factor,
 *     |g(x + e) - f(x)| <= |g(x + e) - f(x + e)| + |e|:
 * the bound is that of the product with an exact factor, plus the factor's error once. The error of g against f is
 * added like those of other approximations. */
#ifndef HB_LANG_ANALYSIS_APPROXIMATION_ERROR_H
#define HB_LANG_ANALYSIS_APPROXIMATION_ERROR_H

#include "facts.h"
#include "rlwe/quality.h"

/* Returns the bounds of a node with the error of its own approximation (hb_graph_add_approximation_error); where bounds
 * are `ideal`, those of a column of an operand without the error of the approximations that made it. */
hb_quality hb_node_with_approximation_error(const hb_facts *facts, const hb_node *node, hb_quality quality);

/* Finds the errors that nodes would have, down to the sources of a product, if the sources had none: both the factor
 * and its sign are made of these. Returns false where the product is none of these (hb_node_range.kink_gap), or where
 * its factor and the sign of it are not known to have all errors from the same sources. */
bool hb_kink_overlay(const hb_facts *facts, const hb_node *product, hb_error_overlay *out);
/* Returns the bounds of such a product with the error of its factor, from `quality`, which has the bounds without it;
 * over: facts with the overlay. */
hb_quality hb_kink_quality(const hb_facts *over, const hb_node *product, hb_quality quality);

/* Returns the factor of such a product. */
uint32_t hb_kink_factor(const hb_facts *facts, const hb_node *product);

#endif
