/* Trials of an expression under parameters that might do, for params_suggest.c. */
#ifndef HB_PARAMS_TRIAL_H
#define HB_PARAMS_TRIAL_H

#include "params_suggest.h"
#include "range.h"

/* What all trials of a wish have in common. */
typedef struct hb_trials {
    const hb_suggest_wish *wish; /* borrowed */
    char **reads, **assigns;     /* names, NULL-terminated */
    uint32_t read_count, assign_count;
    hb_range *ranges;
    uint32_t range_count;
    hb_schema *schemas;   /* [read_count] */
    hb_interval *columns; /* ranges of all of their columns that have their own */
    hb_operand *operands;
    uint64_t plain_least; /* t must be this or more for all values */
} hb_trials;

/* Names, ranges, and the values of the results, which compiling under a chain that no expression exhausts easily tells:
 * what is wrong with an expression under any parameters fails here. The caller clears it, also after a failure. */
hb_status hb_trials_init(hb_trials *trials, const hb_suggest_wish *wish);
void hb_trials_clear(hb_trials *trials);

/* The smallest prime = 1 mod 2N that holds all values and is not in the chain; 0: there is none of 60 bits. */
uint64_t hb_trials_plain(const hb_trials *trials, const hb_params_spec *spec);

/* Compiles the expression under these parameters; *out is zero before, the caller clears it whatever happens.
 * HB_ECONFIG, HB_EDATA, HB_EUSAGE when they do not do. */
hb_status hb_trial(hb_trials *trials, const hb_params_spec *spec, hb_suggestion *out);

#endif
