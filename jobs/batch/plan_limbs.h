/* How the ranks of a job share limbs, as the plan and the reports say it. */
#ifndef HB_BATCH_PLAN_LIMBS_H
#define HB_BATCH_PLAN_LIMBS_H

#include <jansson.h>

#include "cli/common.h"
#include "mpi/group/group.h"
#include "ranks/session.h"

typedef struct hb_plan_limbs {
    uint32_t ranks, groups; /* that share each ciphertext; of such ranks */
    uint32_t most;          /* limbs of a fresh ciphertext on the rank with most */
    char exchange[32];      /* "MPI", "NCCL 2.28.3"; "": limbs are not divided */
    const char *why_not;    /* NCCL, though it was looked for; else "". Borrowed from the session */
} hb_plan_limbs;

/* Of a session that was started. */
hb_plan_limbs hb_plan_limbs_of(const hb_session *session);
/* A line of results on stdout, or of log on stderr; none where limbs are not divided. */
void hb_plan_limbs_print(const hb_plan_limbs *limbs, const hb_group *group, const hb_common *common, bool results);
/* {"limb_ranks", "groups", "rank_limbs", "exchange", "all_gather", "all_to_all", "broadcast"}, the last three of all
 * ranks together {"transfers", "bytes", "seconds"}; bytes as received. NULL when out of memory. */
json_t *hb_plan_limbs_json(const hb_plan_limbs *limbs, const hb_exchange_stats *exchanged);

#endif
