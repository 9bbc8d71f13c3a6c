/* Bits of noise budget as levels for placement (placement.h), of integers whose noise is bootstrapped: the levels that
 * each node takes, and those that a pass adds. Placement adds them up; the analysis of errors, which follows, is exact
 * and refuses where they were too few. Then placement is tried again with some in reserve. */
#ifndef HB_LANG_BOOTSTRAPPING_NOISE_LEVELS_H
#define HB_LANG_BOOTSTRAPPING_NOISE_LEVELS_H

#include <stdlib.h>

#include "lang/analysis/facts.h"

/* The bounds that placement is to keep: by which certainty, and so many bits more for each product. */
typedef struct hb_noise_wanted {
    hb_certainty certainty;
    uint32_t reserve;
} hb_noise_wanted;

typedef struct hb_noise_levels {
    uint8_t *taken;         /* [nodes] below the lowest of its operands; of a load: its level; owned */
    double unit;            /* bits of a level, a whole number */
    uint32_t least;         /* with which values decrypt */
    uint32_t operand;       /* the least that a pass takes */
    uint32_t gain, highest; /* that a pass adds, and up to which */
    uint32_t looked_up;     /* the highest of results of look-ups; 0: the chain has none */
} hb_noise_levels;

/* Finds them for a graph whose sizes are found, and whose parameters bootstrap integers. HB_ENOMEM; errors of
 * hb_quality_refresh_bits. The caller clears *out, also after a failure. */
hb_status hb_noise_levels_find(const hb_facts *facts, hb_noise_wanted wanted, hb_noise_levels *out);
static inline void hb_noise_levels_clear(hb_noise_levels *levels)
{
    free(levels->taken);
    *levels = (hb_noise_levels){0};
}

#endif
