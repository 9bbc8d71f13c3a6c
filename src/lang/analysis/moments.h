/* The likely values of a node, on which expected errors depend. Values of columns and plain tables are taken as evenly
 * spread over their ranges, and different columns as independent. Ranges (range_analysis.h) would not do: the possible
 * range of a sum is far wider than the likely one. For reals only. */
#ifndef HB_LANG_ANALYSIS_MOMENTS_H
#define HB_LANG_ANALYSIS_MOMENTS_H

#include "facts.h"
#include "scheme/quality.h"

/* Return the moments of a node, all operands of which have theirs: rows of transfer_functions.c. */
hb_moments hb_moments_of_sum(const hb_facts *facts, const hb_node *node);
hb_moments hb_moments_of_difference(const hb_facts *facts, const hb_node *node);
hb_moments hb_moments_of_negative(const hb_facts *facts, const hb_node *node);
/* The moments of values times i: their mean has no real part if that of the values has no imaginary one. */
hb_moments hb_moments_turned(const hb_facts *facts, const hb_node *node);
hb_moments hb_moments_of_combination(const hb_facts *facts, const hb_node *node);
hb_moments hb_moments_of_product(const hb_facts *facts, const hb_node *node);
/* Returns those of the product of two nodes one of which has the other for a factor, or both the same. */
hb_moments hb_moments_of_related(const hb_moments *a, const hb_moments *b);
/* Returns those of one row that stands in all. */
hb_moments hb_moments_of_row(const hb_facts *facts, const hb_node *node);
/* Returns those of a sum over all rows. */
hb_moments hb_moments_of_total(const hb_facts *facts, const hb_node *node);
/* Returns those of values that are spread evenly over the range of a node. */
hb_moments hb_moments_of_range(const hb_node *node);
/* Returns the moments of a node for the nodes that use it; those of a column or a plain table follow from its range. */
hb_moments hb_moments_of_node(const hb_facts *facts, const hb_node *node);

/* Beyond so many standard deviations none of many thousand values is likely to lie. */
#define HB_LIKELY_DEVIATIONS 4

/* Returns how large values are of which no more is known than the largest one. */
hb_magnitude hb_magnitude_up_to(double most);
/* Returns how large the values of a node may be, and are likely to be. */
hb_magnitude hb_node_values(const hb_facts *facts, const hb_node *node);
/* Returns a node, whose bounds are found, as a factor for a product with a number, a plaintext or a matrix. */
hb_quality_factor hb_node_factor(const hb_facts *facts, const hb_node *node);

#endif
