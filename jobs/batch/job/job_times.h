/* The time of a job from the start of the process: spans, one after another, and the stages of the pipeline within the
 * loop over units. Rank-local. */
#ifndef HB_BATCH_JOB_JOB_TIMES_H
#define HB_BATCH_JOB_JOB_TIMES_H

#include <jansson.h>

#include "batch/pipeline/pipeline.h"
#include "cli/common.h"
#include "mpi/group/group.h"

/* The activities of a job, in their order; one may occur several times. */
typedef enum hb_job_span {
    HB_SPAN_START,  /* the process, its launcher, the command line */
    HB_SPAN_OPEN,   /* device, key and input, the plan */
    HB_SPAN_OUTPUT, /* making the output, without its contents */
    HB_SPAN_MEMORY, /* making buffers and queues; waiting for the space of the output */
    HB_SPAN_CHECK,  /* checking the units that an earlier job left */
    HB_SPAN_LOOP,   /* the runs over units */
    HB_SPAN_TOTALS, /* eval: sums over all ranks */
    HB_SPAN_SYNC,   /* bringing the rest of the output to the disk */
    HB_SPAN_COMMIT, /* giving the output its name, and everything after that */
    HB_SPANS
} hb_job_span;
/* Names for reports: "start", "open", ... */
extern const char *const hb_job_span_names[HB_SPANS];

/* The spans of this rank. Jobs agree after each span, so all ranks have nearly the same spans. */
typedef struct hb_job_times {
    double at;     /* hb_now of the last end */
    double before; /* seconds before the first run over units; 0: no run has ended yet */
    double seconds[HB_SPANS];
    double predicted[HB_SPANS]; /* as the plan had them, of all residues; zeros: it had none */
} hb_job_times;

/* Begins: the time from the start of the process until now is HB_SPAN_START. */
void hb_job_times_begin(hb_job_times *times, double age);
/* Counts the time since the last call of this function, or since begin, to this span. */
void hb_job_times_end(hb_job_times *times, hb_job_span span);
/* Sets the start to 0, for a job that did not begin with the process. */
void hb_job_times_drop_start(hb_job_times *times);
/* Returns the seconds of all spans. */
double hb_job_times_total(const hb_job_times *times);
/* Returns the seconds from the start of the process until the first unit was done; 0 if none was. */
double hb_job_times_first(const hb_job_times *times, const hb_pipeline_times *loop);

/* Adds the times of a further run with the same threads; `first` stays that of the first run. */
void hb_pipeline_times_add(hb_pipeline_times *to, const hb_pipeline_times *more);
/* Returns the kind of time that takes most of the critical chain, and in *share its part of the wall time; a share of 0
 * where nothing ran. */
hb_time_kind hb_pipeline_limit(const hb_pipeline_times *times, double *share);
/* Returns the kind in words: "reading", "arranging cells", ... */
const char *hb_pipeline_limit_words(hb_time_kind kind);

/* Returns {"read", "compute", "write": busy seconds of a thread of each stage, on average, "wall": of the loop,
 * "phases": {..., "total"}, "predicted": the same as the plan had them, "loop": {"units", "readers", "queues",
 * "writers", "busy", "critical": seconds by kind, "limited_by", "limited_share"}, "first_unit"}. The caller owns it;
 * NULL when out of memory. */
json_t *hb_job_times_json(const hb_job_times *times, const hb_pipeline_times *loop);
/* Returns seconds by kind, {"read", "arrange", ...}; NULL when out of memory. */
json_t *hb_time_kinds_json(const double seconds[HB_TIME_KINDS]);
/* Logs the spans beside what was predicted, the stages, and the stage that limits the loop, on rank 0's stderr. */
void hb_job_times_log(const hb_group *group, const hb_common *common, const hb_job_times *times,
                      const hb_pipeline_times *loop);

#endif
