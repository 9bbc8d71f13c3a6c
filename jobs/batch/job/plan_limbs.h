/* How the ranks of a job share limbs, for the plan and the reports. */
#ifndef HB_BATCH_JOB_PLAN_LIMBS_H
#define HB_BATCH_JOB_PLAN_LIMBS_H

#include <jansson.h>

#include "cli/common.h"
#include "mpi/group/group.h"
#include "ranks/session.h"

/* How the ranks of a job share limbs. */
typedef struct hb_plan_limbs {
    uint32_t ranks, groups; /* ranks that share each ciphertext; groups of such ranks */
    uint32_t most;          /* limbs of a fresh ciphertext on the rank with most */
    char exchange[48];      /* "MPI", "NCCL 2.28.3", "direct copies, and NCCL .."; "": limbs are not divided */
    const char
        *why_not; /* why a faster exchange is not used though it was wanted, else ""; borrowed from the session */
    const hb_limb_trials *trials; /* by which the number of ranks was chosen; borrowed; NULL: it was given */
} hb_plan_limbs;

/* Returns how a started session shares limbs. */
hb_plan_limbs hb_plan_limbs_of(const hb_session *session);
/* Prints lines, as results on stdout or as log on stderr: how limbs are divided, if they are; and what was predicted of
 * each number of ranks, if one was chosen. Rank 0. */
void hb_plan_limbs_print(const hb_plan_limbs *limbs, const hb_group *group, const hb_common *common, bool results);
/* Returns {"limb_ranks", "groups", "rank_limbs", "exchange", "all_gather", "all_to_all", "broadcast"}. Each of the last
 * three is {"transfers", "bytes", "seconds"} of all ranks together; bytes as received. Where the number was chosen,
 * also "predicted": [{"limb_ranks", "fits", "seconds", "measured"}]. The caller owns it; NULL when out of memory. */
json_t *hb_plan_limbs_json(const hb_plan_limbs *limbs, const hb_exchange_stats *exchanged);

#endif
