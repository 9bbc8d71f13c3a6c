/* The gap of comparisons, as --gap says it. */
#ifndef HB_COMMANDS_GAP_H
#define HB_COMMANDS_GAP_H

#include "base/status.h"

/* Parses 2^-B, or a decimal, between 0 and 1 (hb_program_source: gap); NULL leaves it alone. HB_EUSAGE. */
hb_status hb_gap_parse(const char *text, double *gap);

#endif
