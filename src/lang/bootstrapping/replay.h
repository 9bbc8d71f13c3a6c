/* A solution of placement from its decisions, step by step. */
#ifndef HB_LANG_BOOTSTRAPPING_REPLAY_H
#define HB_LANG_BOOTSTRAPPING_REPLAY_H

#include "placement.h"

/* Fills in the bootstraps of a solution, whose `from` is HB_PLACEMENT_NEVER for every step, and of one without a gain
 * its slack. below, mate: [steps] the operands of a step that are below this level are bootstrapped before it, and this
 * value; HB_PLACEMENT_NEVER: no other. HB_ENOMEM. */
hb_status hb_placement_replay(const hb_placement_problem *problem, const uint8_t *below, const uint32_t *mate,
                              hb_placement *out);

#endif
