/* The search for parameters of one scheme, as one table, besides the ring and the chain that any scheme has. A new
 * scheme is a new file with its table, and a row in search.c. */
#ifndef HB_SUGGEST_SEARCH_H
#define HB_SUGGEST_SEARCH_H

#include <stdio.h>

#include "trial.h"

typedef struct hb_search {
    /* Takes over the scheme's options. HB_EUSAGE for options that exclude each other; HB_ECONFIG. */
    hb_status (*take_options)(hb_suggest_request *request, const hb_params_choice *choice);
    /* Returns HB_ECONFIG for a request that no parameters can meet. */
    hb_status (*check)(const hb_suggest_request *request);
    /* Notes that parameters must hold the values of a column. */
    void (*hold)(hb_trials *trials, hb_interval values, bool is_signed);
    /* Completes a literal with a chain that few expressions exhaust, to find the values of results. HB_EDATA where no
     * parameters hold the values of the tables. */
    hb_status (*begin)(hb_trials *trials, hb_params_spec *spec);
    /* Makes another literal, not yet completed, for expressions that no such chain has the budget for: one that
     * bootstraps. NULL: `begin` sees to it. */
    hb_status (*endless)(hb_params_spec *spec);
    /* Notes that parameters must hold numbers of so many bits; false: that is not to be chosen. NULL: constants of
     * expressions ask nothing of parameters. */
    bool (*room)(hb_trials *trials, uint32_t bits);
    /* Notes that parameters must hold the values of a result, unless they may wrap. HB_EDATA where no allowed
     * parameters do. */
    hb_status (*take)(hb_trials *trials, const hb_output *output);

    /* Returns whether an unchanged preset meets the request and the requirements. */
    bool (*fits)(const hb_trials *trials, const hb_params_spec *preset);
    double longer; /* a chain may exceed the shortest one by this part of it */
    /* Completes the literal of a chain; false: no completion meets the request and the requirements. */
    bool (*complete)(const hb_trials *trials, hb_params_spec *spec);
    /* Describes the request and the requirements in a few words. */
    void (*describe)(const hb_trials *trials, char text[160]);
    /* Returns how many bits behind the binary point a result is to keep, by the request or else by its values; NULL:
     * results of the scheme are exact. */
    double (*precision)(const hb_trials *trials, const hb_output *output);
    /* Finds the cheapest sufficient chain at ring degree n, with hb_trial_chain. */
    hb_status (*chains)(hb_trials *trials, size_t n, hb_suggestion *out, bool *found);
    bool larger; /* the next ring degree may compute faster */
    /* A preset with bootstrapping may compute faster than a chain of this ring degree or a larger one; 0: never. */
    size_t may_bootstrap_from;
    /* Asks for `count` plain moduli instead of one from now on; false: that is impossible. NULL: impossible in this
     * scheme. */
    bool (*split)(hb_trials *trials, uint32_t count);
    /* Finds whether eval packs all results of several totals into one ciphertext each, and the bits of a coefficient of
     * all their ciphertexts. NULL: the length of a chain does not decide it. HB_ENOMEM, or reasons against the
     * parameters. */
    hb_status (*packs)(const hb_program_source *source, bool *packed, uint64_t *bits);

    /* For the found parameters: prints lines of the report; gives the option of keygen that completes the chain (NULL:
     * none); and a note about the values of a result, mostly "" (NULL: none). */
    void (*print)(const hb_group *group, const hb_common *common, const hb_suggestion *found);
    hb_status (*add_option)(const hb_params *params, hb_words *to);
    hb_status (*add_chain)(const hb_params *params, hb_words *to); /* the chain as options; NULL: by its sizes */
    const char *(*remark)(const hb_params *params, const hb_output *output);
} hb_search;

/* Returns the table of a scheme. */
const hb_search *hb_search_of(hb_scheme scheme);

extern const hb_search hb_bfv_search;  /* bfv_search.c */
extern const hb_search hb_ckks_search; /* ckks_search.c */

#endif
