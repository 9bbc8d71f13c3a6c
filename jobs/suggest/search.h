/* How parameters of a scheme are found, besides what any scheme has, the ring and the chain: one table a scheme. A new
 * scheme is a new file with its table, and a row in search.c. */
#ifndef HB_SUGGEST_SEARCH_H
#define HB_SUGGEST_SEARCH_H

#include <stdio.h>

#include "trial.h"

typedef struct hb_search {
    /* Takes over what options ask for. HB_EUSAGE for options that exclude one another; HB_ECONFIG. */
    hb_status (*ask)(hb_suggest_request *request, const hb_params_choice *choice);
    /* HB_ECONFIG for a request that no parameters can meet. */
    hb_status (*check)(const hb_suggest_request *request);
    /* Notes that parameters must hold the values of a column. */
    void (*hold)(hb_trials *trials, hb_interval values, bool is_signed);
    /* Completes a literal of a chain that no expression exhausts easily, for finding out what values results have.
     * HB_EDATA where no parameters hold those of the tables. */
    hb_status (*begin)(hb_trials *trials, hb_params_spec *spec);
    /* Notes that parameters must hold those of a result, unless they may wrap. HB_EDATA where none does that may be
     * chosen. */
    hb_status (*take)(hb_trials *trials, const hb_output *output);

    /* Whether a preset as it is has what is asked for and needed. */
    bool (*fits)(const hb_trials *trials, const hb_params_spec *preset);
    double longer; /* by this part it may be longer than the shortest chain */
    /* Completes the literal of a chain; false: nothing that is asked for and needed goes with it. */
    bool (*complete)(const hb_trials *trials, hb_params_spec *spec);
    /* What is needed, or was asked for, in a few words. */
    void (*describe)(const hb_trials *trials, char text[96]);
    /* Whether results keep the precision that is asked for; NULL: none can be asked for. */
    bool (*enough)(const hb_trials *trials, const hb_suggestion *found);
    /* Finds the cheapest chain at ring degree n that does, by hb_trial_chain; NULL: of primes as even as possible
     * (suggest.c). */
    hb_status (*chains)(hb_trials *trials, size_t n, hb_suggestion *out, bool *found);
    bool larger; /* the next ring degree may compute faster */
    /* Asks for `count` plain moduli in the place of one from now on; false: that is not to be had. NULL: of none. */
    bool (*split)(hb_trials *trials, uint32_t count);

    /* Of parameters that were found: a line of the report, what completed the chain as an option of keygen (NULL:
     * nothing did), and what is to be said about the values of a result, "" mostly (NULL: of none). */
    void (*print)(const hb_group *group, const hb_common *common, const hb_params *params);
    void (*print_option)(const hb_params *params, FILE *to);
    void (*print_chain)(const hb_params *params, FILE *to); /* the chain as options; NULL: by its sizes */
    const char *(*remark)(const hb_params *params, const hb_output *output);
} hb_search;

/* Returns the table of a scheme. */
const hb_search *hb_search_of(hb_scheme scheme);

extern const hb_search hb_bfv_search;  /* bfv_search.c */
extern const hb_search hb_ckks_search; /* ckks_search.c */

#endif
