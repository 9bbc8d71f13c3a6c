/* The part of each rank in a job, for its report. */
#ifndef HB_BATCH_JOB_BY_RANK_H
#define HB_BATCH_JOB_BY_RANK_H

#include <jansson.h>

#include "job.h"

/* Gathers the work of every rank. Collective; all ranks return the same status. On rank 0 *out is [{"rank", "host",
 * "units": units done, "bytes": bytes that progress counts in them, "wall": seconds of its loops, "busy": seconds by
 * kind, "received_bytes": limbs received from ranks that share them, "peak_host_bytes"}, ...], which the caller frees;
 * on other ranks NULL. HB_ENOMEM, HB_ECOMM. */
hb_status hb_by_rank_gather(const hb_job *job, json_t **out);

#endif
