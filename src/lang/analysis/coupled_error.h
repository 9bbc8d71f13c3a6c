/* Errors of two row blocks as one ciphertext, a + i b of real values (bootstrapping/coupling.h). Values of a coupled
 * node count as real ones, sqrt(2) times as large as those of a row block (hb_node_shape). */
#ifndef HB_LANG_ANALYSIS_COUPLED_ERROR_H
#define HB_LANG_ANALYSIS_COUPLED_ERROR_H

#include "facts.h"

/* Return the bounds of a node that couples row blocks, and of one that brings them apart, twice as large: rows of
 * transfer_functions.c. */
hb_quality hb_coupled_quality(const hb_facts *facts, const hb_node *node);
hb_quality hb_uncoupled_quality(const hb_facts *facts, const hb_node *node);

#endif
