/* A job: what the ranks do with the units of a dataset, in the one order that all kinds of jobs have. A kind embeds
 * hb_job first in a struct of its own, and gives functions for what differs. */
#ifndef HB_BATCH_JOB_H
#define HB_BATCH_JOB_H

#include "buffers.h"
#include "cells.h"
#include "cli/deadline.h"
#include "job_times.h"
#include "plan.h"
#include "ranks.h"

/* What the command line says of any job. */
typedef struct hb_job_options {
    hb_device_choice device;
    hb_limb_choice limbs;
    double max_time; /* seconds; 0: not given; of kinds that keep what they made */
} hb_job_options;

typedef struct hb_job_kind hb_job_kind;

typedef struct hb_job {
    const hb_job_kind *kind;
    hb_group *group;
    const hb_common *common;
    hb_job_options options;
    bool values, compared;   /* whether unit buffers hold values, and cells to compare them with (buffers.h) */
    const hb_header *header; /* whose units are read, computed and written; set by `find_out` */
    hb_device device;
    hb_session session;
    hb_plan plan;
    hb_units units; /* of this rank, for the next hb_job_run_units */
    hb_cells cells; /* these two where hb_job_make_buffers made them */
    hb_unit_buffers buffers;
    hb_deadline deadline; /* of kinds that keep what they made */
    hb_job_times job_times;
    hb_pipeline_times times;     /* of all runs over units together */
    uint64_t units_done;         /* likewise, of all ranks */
    bool paused;                 /* the last run left units to another */
    hb_exchange_stats exchanged; /* by all ranks, once the job has run */
} hb_job;

/* What differs between kinds of jobs. Functions are called in this order; those that may be NULL say so. "Collective":
 * it returns the same status on all ranks; the others are rank-local, and the ranks agree on what they return. */
struct hb_job_kind {
    size_t bytes;     /* of the struct that embeds hb_job */
    const char *verb; /* of units that are through: "encrypted" */
    /* What was made until the job was asked to stop is kept, for another to go on. Only then does the end of the job's
     * time count (cli/deadline.h). */
    bool keeps;
    hb_pipeline_stages stages; /* context: the job */

    /* Opening. Opens what is read, and the session's parameters with it; sets job->header. Touches nothing. */
    hb_status (*find_out)(hb_job *job);
    /* Collective: fails unless all ranks are about to do their share of the same. */
    hb_status (*compare)(hb_job *job);
    /* Tells what the device is chosen by. */
    hb_work (*work)(const hb_job *job);
    /* The plan's needs (hb_plan_requirements); those of them that may be NULL there, and the batch, may be NULL. */
    uint64_t (*worker_bytes)(const void *job, const hb_params *params, size_t batch);
    size_t (*batch)(const hb_job *job);
    uint64_t (*fixed_bytes)(const void *job, const hb_params *params);
    uint64_t (*host_bytes)(const void *job, const hb_params *params, const hb_workers *workers);
    /* Collective: completes the plan by what will be made, which is not begun yet. */
    hb_status (*open_output)(hb_job *job);

    /* Running. Collective: begins the output. NULL: there is none. */
    hb_status (*begin)(hb_job *job);
    /* Collective: finds what an earlier job left, on queues of the session; if there is anything, notes
     * HB_SPAN_CHECK. NULL: nothing can be there. */
    hb_status (*check)(hb_job *job);
    /* Makes buffers and what the queues compute with, and the units of the first run. */
    hb_status (*prepare)(hb_job *job);
    /* Tells how many threads write; with none there is no third stage. NULL: as many as read. */
    uint32_t (*writers)(const hb_job *job);
    /* Collective: runs over the units. NULL: hb_job_run_ciphertexts. */
    hb_status (*loop)(hb_job *job);
    /* Collective, after each run over units: brings what it made to the disk. NULL: nothing was. */
    hb_status (*sync)(hb_job *job);
    /* Collective: adds up what the ranks met. NULL: nothing. */
    hb_status (*measure)(hb_job *job);
    /* Collective: completes the output. NULL: there is none. */
    hb_status (*commit)(hb_job *job);
    /* Ends what was begun, however the run went. NULL: nothing to do. */
    void (*end)(hb_job *job);
    /* Closes what is the kind's own; all of it may be zero. */
    void (*close)(hb_job *job);
};

/* Opening and running are collective, in this order, and return the same status on all ranks. Open takes a job whose
 * kind, group, common, options, values and compared are set, the rest of it zero; it finds out everything for the plan
 * and touches nothing. Run makes the whole output or leaves nothing under its name. The caller closes in any case,
 * which zeroes all of the kind's struct. */
hb_status hb_job_open(hb_job *job);
hb_status hb_job_run(hb_job *job);
void hb_job_close(hb_job *job);

/* For the functions of a kind. Makes buffers, and cells for what they hold of a table, for units of the header. */
hb_status hb_job_make_buffers(hb_job *job);
/* The threads of a run. */
hb_threads hb_job_threads(const hb_job *job);
/* Collective: runs the stages over job->units and syncs what they made (hb_ranks_run); job->paused tells whether the
 * run ended for `pause` (seconds; 0: never). */
hb_status hb_job_run_units(hb_job *job, hb_tally tally, double pause);
/* Collective: the same, once, with a tally of ciphertexts. */
hb_status hb_job_run_ciphertexts(hb_job *job);

#endif
