/* A trial of another question than the one that is asked. */
#include "trial.h"

#include <stdlib.h>

hb_status hb_asked_try(const hb_asked_job *job, hb_asked_attempt *attempt, const hb_ask_options *options,
                       hb_asked_trial *found)
{
    hb_common quiet = *job->common;
    hb_asked_job *other = calloc(1, sizeof *other); /* larger than a frame should be */
    char *suggested = NULL;
    *found = (hb_asked_trial){.join = NULL};
    if (other == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a question");
    }
    quiet.quiet = true;
    *other =
        (hb_asked_job){.group = job->group, .common = &quiet, .options = options, .phases = job->phases, .folder = -1};
    other->phases.common = &quiet;
    other->reading.said = options->table;
    hb_status st = attempt(other, NULL, &suggested);
    st = st == HB_OK ? hb_asked_look_at_labels(other) : st;
    st = st == HB_EUSAGE || st == HB_ECONFIG ? hb_asked_offer(other, attempt, st, &found->offered) : st;
    hb_question *q = &other->question;
    for (uint32_t i = 0; i < q->tables && q->unread; i++) {
        if (q->table[i].read && hb_words_addf(&found->read, "%s=%s", q->table[i].name, q->table[i].path) != HB_OK) {
            st = HB_ENOMEM;
        }
    }
    found->join = q->join;
    q->join = NULL;
    hb_asked_reading_clear(&other->reading);
    hb_question_clear(&other->question);
    free(suggested);
    free(other);
    return st;
}
