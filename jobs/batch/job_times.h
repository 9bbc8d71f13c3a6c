/* Where the time of a job goes, from the start of the process on: spans, one after another, and within the loop over
 * the units the stages of the pipeline. */
#ifndef HB_BATCH_JOB_TIMES_H
#define HB_BATCH_JOB_TIMES_H

#include <jansson.h>

#include "cli/common.h"
#include "mpi/group/group.h"
#include "pipeline.h"

typedef enum hb_job_span {
    HB_SPAN_START,  /* the process, its launcher, the command line */
    HB_SPAN_OPEN,   /* device, key and input, the plan */
    HB_SPAN_OUTPUT, /* made, but for its contents */
    HB_SPAN_MEMORY, /* buffers and queues; and the space of the output that is not taken yet */
    HB_SPAN_CHECK,  /* of what an earlier job left */
    HB_SPAN_LOOP,
    HB_SPAN_TOTALS, /* of eval: sums over all ranks */
    HB_SPAN_SYNC,   /* what was written comes to the disk, as far as it is not there */
    HB_SPAN_COMMIT,
    HB_SPANS
} hb_job_span;
/* "start", "open", ... */
extern const char *const hb_job_span_names[HB_SPANS];

/* As this rank saw them; jobs agree after each, so that the other ranks see nearly the same. */
typedef struct hb_job_times {
    double at; /* hb_now of the last end */
    double seconds[HB_SPANS];
} hb_job_times;

/* The time of the process until now is its start. */
void hb_job_times_begin(hb_job_times *times);
/* The time since the last end, or the beginning, was of this span. */
void hb_job_times_end(hb_job_times *times, hb_job_span span);
/* Of all of them. */
double hb_job_times_total(const hb_job_times *times);
/* From the start of the process until the first unit was through; 0: none was. */
double hb_job_times_first(const hb_job_times *times, const hb_pipeline_times *loop);

/* Of several runs one after another, with the same threads; first: of the first. */
void hb_pipeline_times_add(hb_pipeline_times *to, const hb_pipeline_times *more);
/* The kind that most of the critical chain was of, and its share of it; a share of 0 where nothing ran. */
hb_time_kind hb_pipeline_limit(const hb_pipeline_times *times, double *share);
/* "reading", "arranging cells", ... */
const char *hb_pipeline_limit_words(hb_time_kind kind);

/* {"read", "compute", "write": busy seconds of a thread of each stage, on average, "wall": of the loop, "phases":
 * {..., "total"}, "loop": {"units", "readers", "queues", "writers", "busy", "critical": seconds by kind, "limited_by",
 * "limited_share"}, "first_unit"}; NULL when out of memory. */
json_t *hb_job_times_json(const hb_job_times *times, const hb_pipeline_times *loop);
/* Rank 0, on stderr: spans, stages, what limits the loop. */
void hb_job_times_log(const hb_group *group, const hb_common *common, const hb_job_times *times,
                      const hb_pipeline_times *loop);

#endif
