/* Correlated errors. When x is added to a value that is computed from x, as in each iteration of y = y + 0.1*f(y), both
 * have the error of x. Bounds that take errors as independent are then too small, more so with each iteration. So some
 * slots are followed through the whole graph, with the errors that operations draw there.
 *
 * A slot has a value of each node, several draws of its error, in which an error that was drawn once is the same
 * wherever it went, and its systematic error, with its sign at such a value. Values and errors of nodes that cannot be
 * followed slot by slot are drawn anew, as large as their bounds say. */
#ifndef HB_LANG_ANALYSIS_MONTE_CARLO_ERROR_H
#define HB_LANG_ANALYSIS_MONTE_CARLO_ERROR_H

#include "facts.h"
#include "rlwe/quality.h"

/* Allocate room for the slots of a complete graph, while bounds are found from the first node to the last (NULL: no
 * memory); free it, NULL too; and return HB_ENOMEM where a node was not followed for lack of memory, so that expected
 * errors are too small. */
hb_samples *hb_samples_open(const hb_facts *facts);
void hb_samples_close(hb_samples *samples);
hb_status hb_samples_check(const hb_samples *samples);

/* Returns the bounds of a node, of which `quality` follows from those of its operands: more is expected where its slots
 * say so. Values are likely to be no less than those of slots are, too (hb_node_error.moments). */
hb_quality hb_sampled_quality(hb_facts *facts, const hb_node *node, hb_quality quality);

#endif
