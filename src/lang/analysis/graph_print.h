/* The text form of a graph: one line a node, operands before the nodes that use them. It shows the results of the
 * analyses, and tests compare it line by line. */
#ifndef HB_LANG_ANALYSIS_GRAPH_PRINT_H
#define HB_LANG_ANALYSIS_GRAPH_PRINT_H

#include <stdio.h>

#include "facts.h"

/* Writes the nodes that a result uses to an open stream, of a graph whose sizes, passes and errors are found
 * (ciphertext_size.h, data_passes.h, error_analysis.h). all: every node, with 0 for facts that are not found yet.
 * numbers: as in hb_program_print. The stream keeps its own error state, which the caller checks. */
void hb_facts_print(const hb_facts *facts, bool all, bool numbers, FILE *to);

#endif
