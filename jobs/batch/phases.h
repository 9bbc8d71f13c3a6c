/* Where the time of a job goes, from the start of the process on: phases, one after another, and within the loop over
 * the units the stages of the pipeline. */
#ifndef HB_BATCH_PHASES_H
#define HB_BATCH_PHASES_H

#include <jansson.h>

#include "cli/common.h"
#include "mpi/group/group.h"
#include "pipeline.h"

typedef enum hb_job_phase {
    HB_PHASE_START,  /* the process, its launcher, the command line */
    HB_PHASE_OPEN,   /* device, key and input, the plan */
    HB_PHASE_OUTPUT, /* made, but for its contents */
    HB_PHASE_MEMORY, /* buffers and queues; and the space of the output that is not taken yet */
    HB_PHASE_CHECK,  /* of what an earlier job left */
    HB_PHASE_LOOP,
    HB_PHASE_TOTALS, /* of eval: sums over all ranks */
    HB_PHASE_SYNC,   /* what was written comes to the disk, as far as it is not there */
    HB_PHASE_COMMIT,
    HB_PHASES
} hb_job_phase;
/* "start", "open", ... */
extern const char *const hb_job_phase_names[HB_PHASES];

/* As this rank saw them; jobs agree after each, so that the other ranks see nearly the same. */
typedef struct hb_phases {
    double at; /* hb_now of the last end */
    double seconds[HB_PHASES];
} hb_phases;

/* The time of the process until now is its start. */
void hb_phases_begin(hb_phases *phases);
/* The time since the last end, or the beginning, was of this phase. */
void hb_phases_end(hb_phases *phases, hb_job_phase phase);
/* Of all of them. */
double hb_phases_total(const hb_phases *phases);
/* From the start of the process until the first unit was through; 0: none was. */
double hb_phases_first(const hb_phases *phases, const hb_pipeline_times *loop);

/* Of several runs one after another, with the same hands; first: of the first. */
void hb_pipeline_times_add(hb_pipeline_times *to, const hb_pipeline_times *more);
/* The kind that most of the critical chain was of, and its share of it; a share of 0 where nothing ran. */
hb_time_kind hb_pipeline_limit(const hb_pipeline_times *times, double *share);
/* "reading", "arranging cells", ... */
const char *hb_pipeline_limit_words(hb_time_kind kind);

/* {"read", "compute", "write": busy seconds of a hand of each stage, on average, "wall": of the loop, "phases":
 * {..., "total"}, "loop": {"units", "readers", "queues", "writers", "busy", "critical": seconds by kind, "limited_by",
 * "limited_share"}, "first_unit"}; NULL when out of memory. */
json_t *hb_phases_json(const hb_phases *phases, const hb_pipeline_times *loop);
/* Rank 0, on stderr: phases, stages, what limits the loop. */
void hb_phases_log(const hb_group *group, const hb_common *common, const hb_phases *phases,
                   const hb_pipeline_times *loop);

#endif
