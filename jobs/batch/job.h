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

/* What the command line says to any job. */
typedef struct hb_job_options {
    hb_device_choice device;
    hb_limb_choice limbs;
    uint32_t residue;  /* which one this job makes or reads, of several; a command has a job for each */
    double max_time;   /* seconds, 0: not given; only resumable kinds have it */
    const char *trace; /* file for a trace (cli/trace.h); NULL: none */
} hb_job_options;

/* What a job leaves to the next one of its command, which is of another plain modulus. Zeroed: nothing. */
typedef struct hb_job_kept {
    hb_device device;
    hb_session session; /* started, without a key of the pair */
    /* What all of them took and did so far, as a job has it. */
    hb_job_times job_times;
    hb_pipeline_times times, own;
    uint64_t units_done, own_bytes;
} hb_job_kept;
/* Closes what is left of one that was allocated, and frees it; NULL is allowed. Collective if there is anything. */
void hb_job_kept_free(hb_job_kept *kept);

typedef struct hb_job_kind hb_job_kind;

/* What all kinds have. Set by the kind's open function: kind, group, common, options, kept, values, compared; by
 * hb_job_open, hb_job_run and the kind's functions: the rest. */
typedef struct hb_job {
    const hb_job_kind *kind;
    hb_group *group;
    const hb_common *common;
    hb_job_options options;
    hb_job_kept *kept;       /* of the job before, and by closing of this one; borrowed; NULL: it is alone */
    bool values, compared;   /* whether unit buffers hold values, and cells to compare them with (buffers.h) */
    const hb_header *header; /* whose units are read, computed and written; set by `find_out` */
    hb_device device;
    hb_session session;
    hb_plan plan;
    const hb_header *reads;  /* what runs go over in the place of the header's units; NULL: these; set by the kind */
    hb_units units;          /* of this rank, for the next hb_job_run_units; set by the kind */
    hb_cells cells;          /* made by hb_job_make_buffers, where values are asked for */
    hb_unit_buffers buffers; /* made by hb_job_make_buffers */
    hb_deadline deadline;    /* set for resumable kinds */
    hb_job_times job_times;
    hb_pipeline_times times;     /* of all runs over units together, also of the jobs before (hb_job_kept) */
    uint64_t units_done;         /* likewise, by all ranks */
    hb_pipeline_times own;       /* likewise, of this rank */
    uint64_t own_bytes;          /* likewise, of what progress counts (hb_ranks_end) */
    bool paused;                 /* the last run left units to another */
    hb_exchange_stats exchanged; /* by all ranks, once the job has run */
} hb_job;

/* What differs between kinds of jobs. Functions are called in this order; those that may be NULL say so. A function
 * marked "collective" returns the same status on all ranks; the others are rank-local, and hb_job has the ranks agree
 * on what they return. */
struct hb_job_kind {
    size_t bytes;     /* of the struct that embeds hb_job */
    const char *verb; /* what units that are through are called: "encrypted" */
    /* Whether what was made until the job was asked to stop is kept, for another to go on. Only then does the end of
     * the job's time count (cli/deadline.h). */
    bool resumable;
    bool in_order;             /* one worker computes all units of a rank, one after another */
    hb_pipeline_stages stages; /* context: the job */

    /* Opening. Opens what is read, and the session's parameters with it; sets job->header. Touches no output. */
    hb_status (*find_out)(hb_job *job);
    /* Collective: fails unless all ranks are about to do their share of the same. */
    hb_status (*compare)(hb_job *job);
    /* Returns the work that the device is chosen by. */
    hb_work (*work)(const hb_job *job);
    /* Return what the plan needs to know (hb_plan_requirements). NULL is allowed for those that may be NULL there, and
     * for the batch and what is together in one. */
    uint64_t (*worker_bytes)(const void *job, const hb_params *params, size_t batch);
    size_t (*batch)(const hb_job *job), (*together)(const hb_job *job);
    uint64_t (*fixed_bytes)(const void *job, const hb_params *params);
    uint64_t (*host_bytes)(const void *job, const hb_params *params, const hb_workers *workers);
    /* Collective: completes the plan by what will be made, which is not begun yet. */
    hb_status (*open_output)(hb_job *job);

    /* Running. Collective: begins the output, on the disk. NULL: there is none. */
    hb_status (*begin)(hb_job *job);
    /* Collective: finds what an earlier job left, on queues of the session; if there is anything, notes
     * HB_SPAN_CHECK. NULL: nothing can be there. */
    hb_status (*check)(hb_job *job);
    /* Makes the buffers, what the queues compute with, and job->units of the first run. */
    hb_status (*prepare)(hb_job *job);
    /* Returns how many threads of this rank write; with none there is no third stage. NULL: as many as read. */
    uint32_t (*writers)(const hb_job *job);
    /* Collective: runs over the units. NULL: hb_job_run_ciphertexts. */
    hb_status (*loop)(hb_job *job);
    /* Collective, after each run over units: brings what it made to the disk. NULL: nothing was. */
    hb_status (*sync)(hb_job *job);
    /* Collective: adds up what the ranks met, or fails for it. NULL: nothing. */
    hb_status (*measure)(hb_job *job);
    /* Collective: completes the output. NULL: there is none. */
    hb_status (*commit)(hb_job *job);
    /* Ends what was begun, however the run went; the last error stays. NULL: nothing to do. */
    void (*end)(hb_job *job);
    /* Closes what is the kind's own, before the session; all of it may be zero. */
    void (*close)(hb_job *job);
};

/* Open and run a job: collective, in this order, the same status on all ranks. hb_job_open takes a job whose kind,
 * group, common, options, kept, values and compared are set, the rest of it zero; it finds out everything for the plan
 * and touches nothing. hb_job_run makes the whole output or leaves nothing under its name. The caller closes in any
 * case, which zeroes all of the kind's struct. */
hb_status hb_job_open(hb_job *job);
hb_status hb_job_run(hb_job *job);
void hb_job_close(hb_job *job);

/* For the functions of a kind. Makes buffers, and cells for what they hold of a table, for units of the header;
 * rank-local. HB_ENOMEM. */
hb_status hb_job_make_buffers(hb_job *job);
/* Returns the threads of a run on this rank, from the plan on. */
hb_threads hb_job_threads(const hb_job *job);
/* Runs the stages over job->units and syncs what they made (hb_ranks_run). job->paused then tells whether the run ended
 * early for `pause` (seconds; 0: never). pulse: of units that can be left on their way, or NULL. Collective. */
hb_status hb_job_run_units(hb_job *job, hb_tally tally, double pause, hb_ranks_pulse *pulse);
/* Does the same without a pause, with a tally of ciphertexts. Collective. */
hb_status hb_job_run_ciphertexts(hb_job *job);

#endif
