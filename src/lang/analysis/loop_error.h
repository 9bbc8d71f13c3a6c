/* What is expected of the error of polynomials of polynomials, one after another as iterations of a loop are: an error
 * is multiplied by the slope where its value is, every time, and that of a value near 0 may be large for many
 * iterations while most values have come to rest. So the way of many values is followed, with their errors. */
#ifndef HB_LANG_ANALYSIS_LOOP_ERROR_H
#define HB_LANG_ANALYSIS_LOOP_ERROR_H

#include "facts.h"

/* Return room for such ways, while bounds of a graph are found from the first node to the last, NULL where there is no
 * memory; free it, NULL too; and return HB_ENOMEM where a way was not followed for lack of memory, so that too little
 * is expected. */
hb_orbits *hb_orbits_open(void);
void hb_orbits_close(hb_orbits *orbits);
hb_status hb_orbits_check(const hb_orbits *orbits);

/* Returns the bounds of a polynomial as a node, in a program with loops: those that follow from its operand, of which
 * more is expected where it is one of several polynomials in turn and that follows from all of them, and less where
 * that is systematic and does not. Sets `own` and `orbit` of its error. */
hb_quality hb_iterated_quality(hb_facts *facts, const hb_node *node, hb_quality quality);

/* Where few slots have large errors, the largest error among this many ciphertexts is expected: whether one of a few
 * ciphertexts has such a slot is chance. */
#define HB_RARE 16

/* Returns which error the largest of so many slots, 2 or more, is expected to have, `errors` being what that is of
 * slots that are all alike: of each of `count` kinds there is this share; NULL: as many of each. */
double hb_largest_expected(const double *errors, const double *share, uint32_t count, double slots);

#endif
