/* A trial of another question, or of other options: whether it can be computed, and what to say of it. */
#ifndef HB_ASK_TRIAL_H
#define HB_ASK_TRIAL_H

#include "job.h"

/* The facts that a trial of a question has besides its reason. */
typedef struct hb_asked_trial {
    hb_words read; /* the tables that it reads as words of a command line, unless it reads all; owned */
    char *join;    /* the call that reads another one; NULL: none is known; owned */
    bool offered;  /* the reason has a cheaper question, which can be computed */
} hb_asked_trial;

static inline void hb_asked_trial_clear(hb_asked_trial *found)
{
    hb_words_clear(&found->read);
    free(found->join);
    *found = (hb_asked_trial){.join = NULL};
}

/* Tries a question with options; the last error says why it cannot be computed. The caller clears *found, also after a
 * failure. Errors as of hb_asked_search. */
hb_status hb_asked_try(const hb_asked_job *job, hb_asked_attempt *attempt, const hb_ask_options *options,
                       hb_asked_trial *found);

#endif
