/* A trial of joint keys: which owners decrypt together, so that everybody is in a set, and of what shape it is. */
#ifndef HB_JOINT_TRIAL_SETS_H
#define HB_JOINT_TRIAL_SETS_H

#include "session.h"

/* A result of a trial of keys (jobs/trial), and the set of owners that decrypt it. */
typedef struct hb_trial_result {
    uint32_t limbs, set;
} hb_trial_result;
/* The shape of a trial: how many sets of owners there are, for each of which every owner encrypts one input, and all
 * results. */
typedef struct hb_trial_shape {
    uint32_t sets, limbs; /* limbs: of inputs */
    uint32_t result_count;
    const hb_trial_result *result; /* [result_count], borrowed */
} hb_trial_shape;
/* Returns the sets of as many owners as decrypt, of which every owner is in one or more. */
static inline uint32_t hb_trial_sets(const hb_joint_session *session)
{
    return (session->owners + session->threshold - 1) / session->threshold;
}
/* Returns the first owner of a set, who has the others behind him in the order of names; those of the last set are the
 * last owners of all. */
static inline uint32_t hb_trial_first(const hb_joint_session *session, uint32_t set)
{
    const uint32_t first = set * session->threshold, last = session->owners - session->threshold;
    return first < last ? first : last;
}
static inline bool hb_trial_has(const hb_joint_session *session, uint32_t set, uint32_t owner)
{
    const uint32_t first = hb_trial_first(session, set);
    return owner >= first && owner < first + session->threshold;
}

#endif
