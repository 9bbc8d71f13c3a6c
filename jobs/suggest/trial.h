/* Trials of an expression under parameters that might do, and what these must hold, for suggest.c. */
#ifndef HB_SUGGEST_TRIAL_H
#define HB_SUGGEST_TRIAL_H

#include "expression/program/range.h"
#include "suggest.h"
#include "tables.h"

/* What all trials of a request have in common. */
typedef struct hb_trials {
    const hb_suggest_request *request; /* borrowed */
    char **reads, **assigns;           /* names, NULL-terminated */
    uint32_t read_count, assign_count;
    hb_range *ranges;
    uint32_t range_count;
    hb_ranged_table *tables; /* [read_count] */
    uint64_t rows;
    hb_schema *schemas;   /* [read_count] */
    hb_interval *columns; /* ranges of all of their columns that have their own */
    hb_operand *operands;
    hb_bfv_need bfv;
} hb_trials;

/* Names, ranges, and the values of the results, which compiling under a chain that no expression exhausts easily tells:
 * what is wrong with an expression under any parameters fails here. The caller clears it, also after a failure. */
hb_status hb_trials_init(hb_trials *trials, const hb_suggest_request *request);
void hb_trials_clear(hb_trials *trials);

/* Compiles the expression under these parameters; *out is zero before, the caller clears it whatever happens.
 * HB_ECONFIG, HB_EDATA, HB_EUSAGE when they do not do. */
hb_status hb_trial(hb_trials *trials, const hb_params_spec *spec, hb_suggestion *out);

#endif
