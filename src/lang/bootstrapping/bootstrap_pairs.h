/* Which real values are bootstrapped two at a time. */
#ifndef HB_LANG_BOOTSTRAPPING_BOOTSTRAP_PAIRS_H
#define HB_LANG_BOOTSTRAPPING_BOOTSTRAP_PAIRS_H

#include "value_classes.h"

/* Which nodes of a graph are bootstrapped. */
typedef struct hb_bootstraps {
    const uint32_t *from, *spare, *enough; /* of statements: hb_placement, borrowed */
    bool *wanted;                          /* [nodes] whose value is bootstrapped: roots (value_classes.h); owned */
    uint32_t *mate;                        /* [nodes] together with which; HB_NO_NODE: alone; owned */
} hb_bootstraps;

/* Finds the values that are bootstrapped, and pairs of them. A pair has two real values of the same range, both columns
 * or both totals, that the same pass computes. Both are bootstrapped from the same statement on, or from statements
 * whose operands were bootstrapped equally often before. So no value of a pair depends on the other, or on values that
 * wait for it. Values of one statement are paired first, then those of neighbouring statements. HB_ENOMEM. The caller
 * clears *out, also after a failure. */
hb_status hb_bootstraps_find(const hb_facts *facts, const hb_value_classes *statements, const hb_placement *placement,
                             hb_bootstraps *out);
void hb_bootstraps_clear(hb_bootstraps *bootstraps);

/* Returns whether a node takes an operand bootstrapped. */
bool hb_bootstraps_taken(const hb_bootstraps *bootstraps, const hb_value_classes *statements, uint32_t operand,
                         uint32_t node);

#endif
