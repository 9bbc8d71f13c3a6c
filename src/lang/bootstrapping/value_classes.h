/* A graph as steps for placement: one statement for all columns that are treated alike, so that all of them are
 * bootstrapped or none, and in pairs. Changes of level are no steps: placement has yet to find the levels. */
#ifndef HB_LANG_BOOTSTRAPPING_VALUE_CLASSES_H
#define HB_LANG_BOOTSTRAPPING_VALUE_CLASSES_H

#include "lang/analysis/facts.h"
#include "noise_levels.h"
#include "placement.h"

typedef struct hb_value_classes {
    uint32_t *of;   /* [nodes] the statement that a node's value is of; HB_NO_NODE: it is plain, or not used */
    uint32_t *root; /* [nodes] the oldest node with the same value, at any level */
    hb_placement_step *steps; /* [count] */
    uint32_t *first;          /* [count] a node of each */
    uint32_t count;
    hb_placement_problem problem;
    uint32_t *operands; /* of all steps */
    double *costs;      /* [count][levels] */
} hb_value_classes;

/* Finds the statements of a graph whose sizes and passes are found, and the problem of placing bootstraps. noise: of
 * integers, whose levels are bits of budget; NULL: of reals, where the graph has no limit of levels, and operations
 * cost less on lower ones. HB_ENOMEM. The caller clears *out, also after a failure. */
hb_status hb_value_classes_find(const hb_facts *facts, const hb_noise_levels *noise, hb_value_classes *out);
void hb_value_classes_clear(hb_value_classes *statements);

#endif
