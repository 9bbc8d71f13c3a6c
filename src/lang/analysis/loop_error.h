/* The expected error of polynomials of polynomials, as in the iterations of a loop. Each one multiplies an error by the
 * slope at its value. Near 0 that slope may be large for many iterations, while most values have converged. So many
 * values are followed through the loop, with their errors. */
#ifndef HB_LANG_ANALYSIS_LOOP_ERROR_H
#define HB_LANG_ANALYSIS_LOOP_ERROR_H

#include "facts.h"

/* Allocate room for the followed values, while bounds of a graph are found from the first node to the last (NULL: no
 * memory); free it, NULL too; and return HB_ENOMEM where values were not followed for lack of memory, so that expected
 * errors are too small. */
hb_orbits *hb_orbits_open(void);
void hb_orbits_close(hb_orbits *orbits);
hb_status hb_orbits_check(const hb_orbits *orbits);

/* Returns the bounds of a polynomial as a node, in a program with loops: the bounds that follow from its operand, with
 * another expected error where it is one of several polynomials in turn: a larger one where all of them together give
 * more, a smaller one where a systematic error is less by all of them together. Sets `own` and `orbit` of its error. */
hb_quality hb_iterated_quality(hb_facts *facts, const hb_node *node, hb_quality quality);

/* Where few slots have large errors, the largest error among this many ciphertexts is expected: whether one of a few
 * ciphertexts has such a slot is chance. */
#define HB_RARE 16

/* Returns the expected largest error among `slots` slots, 2 or more, of `count` kinds. errors: of each kind, the
 * expected largest error if all slots were of that kind. share: the share of slots of each kind; NULL: equal shares. */
double hb_largest_expected(const double *errors, const double *share, uint32_t count, double slots);

#endif
