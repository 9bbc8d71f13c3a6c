/* Levels of bootstrapped values that no user needs: dropping them makes all later operations cheaper. */
#ifndef HB_LANG_BOOTSTRAPPING_LEVEL_SLACK_H
#define HB_LANG_BOOTSTRAPPING_LEVEL_SLACK_H

#include "placement.h"

/* Sets placement->spare and placement->enough of a solution. spare: by how many levels the bootstrapped values of each
 * step may be brought down. enough: to which level the operands of each step may be brought down. Both hold for all
 * steps at the same time: every needed level is still there, and results keep their levels. level: [count] of the
 * values as the solution computes them, before any bootstrap. HB_ENOMEM. */
hb_status hb_placement_find_slack(const hb_placement_problem *problem, const uint8_t *level, hb_placement *placement);

#endif
