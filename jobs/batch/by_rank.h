/* What each rank did of a job, for its report. */
#ifndef HB_BATCH_BY_RANK_H
#define HB_BATCH_BY_RANK_H

#include <jansson.h>

#include "job.h"

/* Gathers what every rank did, and where. Collective, and the same status on all ranks. *out, on rank 0: [{"rank",
 * "host", "units": those that are through, "bytes": of what progress counts in them, "wall": seconds of its loops,
 * "busy": seconds by kind, "received_bytes": of limbs, from ranks that share them, "peak_host_bytes"}, ...], for the
 * caller to free; on other ranks NULL. HB_ENOMEM, HB_ECOMM. */
hb_status hb_by_rank_gather(const hb_job *job, json_t **out);

#endif
