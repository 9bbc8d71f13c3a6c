/* How far a command is, by a line of its stderr. */
#ifndef HB_ASK_PHASE_PROGRESS_H
#define HB_ASK_PHASE_PROGRESS_H

#include <stdbool.h>

enum { HB_PHASE_HOW = 128 };
/* Finds "(25%)" in a line of progress, and what it says of the time that is left, or how many parameters a search has
 * tried: "25 %, about 2 minutes left", "14 parameter sets tried". False for any other line, which leaves `how` as it
 * is. */
bool hb_phase_progress(const char *line, char how[HB_PHASE_HOW]);

#endif
