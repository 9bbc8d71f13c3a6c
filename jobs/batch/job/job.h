/* A job: the work of the ranks on the units of a dataset, in the one order that all kinds of jobs have. A kind embeds
 * hb_job as the first member of its own struct, and provides functions for the steps that differ. */
#ifndef HB_BATCH_JOB_JOB_H
#define HB_BATCH_JOB_JOB_H

#include "batch/cells/cells.h"
#include "batch/unit/buffers.h"
#include "batch/unit/predicted.h"
#include "cli/deadline.h"
#include "job_times.h"
#include "plan.h"
#include "ranks.h"

/* The counts of a rank beside those of units: bytes as progress counts them (hb_ranks_end), and instructions of totals
 * that it has computed (eval). */
typedef struct hb_own_counts {
    uint64_t bytes, totals;
} hb_own_counts;

/* The sums over the jobs that a command ran so far, one for each residue: its report is of all residues. Zeroed: it ran
 * none. (A job that was stopped and is resumed is another thing: an earlier job of the same residue.) */
typedef struct hb_residues_so_far {
    /* With the meanings of hb_job's members. */
    hb_job_times job_times;
    hb_pipeline_times times, own;
    uint64_t units_done;
    hb_own_counts counts;
    hb_progress_others progress; /* `before` and `seconds`, of hb_job_run_ciphertexts */
    hb_exchange_stats exchanged;
    uint64_t output_bytes, free_bytes; /* of the first plan, which counts the output of all residues ... */
    hb_prediction time;                /* ... and their time */
    bool decrypted;                    /* the next two are set */
    hb_quality_measured measured;      /* of all ranks, by hb_decryption_measure */
    hb_predicted predicted;            /* of the residue with the fewest proven bits */
    bool agreed;                       /* find_out has failed on all ranks alike, which have agreed on it */
    hb_table *table;                   /* that all residues are made of, or compared with (hb_job_open_table) */
    hb_schema ranges;                  /* its measured ranges; without columns: none are. The command frees both */
    bool noted;                        /* the next one is set, by hb_job_same_residues */
    uint8_t same[HB_DIGEST_BYTES];
} hb_residues_so_far;

/* Options common to all jobs. */
typedef struct hb_job_options {
    hb_device_choice device;
    hb_limb_choice limbs;
    uint32_t residue; /* the residue that this job makes or reads, of several; a command runs a job for each */
    hb_residues_so_far *so_far; /* closing writes the sums with this job's; borrowed; NULL: no other job */
    double max_time;            /* seconds, 0: not given; only resumable kinds have it */
    const char *trace;          /* file for a trace (cli/trace.h); NULL: none */
} hb_job_options;

/* State that a job leaves to the next job of its command, which has another plain modulus. Zeroed: nothing. */
typedef struct hb_job_kept {
    hb_device device;
    hb_session session; /* started, without a key of the pair */
} hb_job_kept;
/* Closes and frees the allocated state; NULL is allowed. Collective if a session is open in it. */
void hb_job_kept_free(hb_job_kept *kept);

typedef struct hb_job_kind hb_job_kind;

/* The members of all kinds. The kind's open function sets kind, group, common, options, kept, values and compared;
 * hb_job_open, hb_job_run and the kind's functions set the rest. */
typedef struct hb_job {
    const hb_job_kind *kind;
    hb_group *group;
    const hb_common *common;
    hb_job_options options;
    hb_job_kept *kept;     /* state from the job before; closing leaves this job's here; borrowed; NULL: no other job */
    bool values, compared; /* whether unit buffers hold values, and cells to compare them with (buffers.h) */
    const hb_header *header; /* whose units are read, computed and written; set by `find_out` */
    hb_device device;
    hb_session session;
    hb_plan plan;
    const hb_header *reads; /* the units that runs go over, if they are not the header's; else NULL; set by the kind */
    hb_units units;         /* of this rank, for the next hb_job_run_units; set by the kind */
    hb_progress_work measure; /* of that run (hb_ranks_work); set by the kind, or zero */
    hb_cells cells;           /* made by hb_job_make_buffers, where values are asked for */
    hb_unit_buffers buffers;  /* made by hb_job_make_buffers */
    hb_deadline deadline;     /* set for resumable kinds */
    hb_job_times job_times;
    hb_pipeline_times times;     /* of all runs over units, with those of the residues before (hb_residues_so_far) */
    uint64_t units_done;         /* likewise, by all ranks */
    hb_pipeline_times own;       /* likewise, of this rank */
    hb_own_counts counts;        /* likewise */
    bool paused;                 /* the last run left units for a later run */
    hb_exchange_stats exchanged; /* likewise, by all ranks, once the job has run */
} hb_job;

/* The functions that differ between kinds of jobs, in the order of their calls. A function that may be NULL says so. A
 * function marked "collective" returns the same status on all ranks; the others are rank-local, and hb_job makes the
 * ranks agree on their statuses. */
struct hb_job_kind {
    size_t bytes;        /* of the struct that embeds hb_job */
    const char *command; /* that people give for a dataset, as status calls it: "decrypt --part"; NULL: makes none */
    const char *verb;    /* participle for finished units: "encrypted" */
    /* Whether a stopped job keeps its output so far, for another job to continue. Only then does the job's time limit
     * count (cli/deadline.h). */
    bool resumable;
    bool in_order;             /* one worker computes all units of a rank, one after another */
    hb_pipeline_stages stages; /* context: the job */

    /* Opening. Opens the inputs, and the session's parameters with them; sets job->header. Writes nothing. Ranks may
     * look at a table together (shared_table.h). */
    hb_status (*find_out)(hb_job *job);
    /* Collective: fails unless all ranks are about to do their share of the same job. */
    hb_status (*compare)(hb_job *job);
    /* Returns the work of the rank with most, where `groups` ranks, or groups of such as share limbs, have different
     * ciphertexts: by which device and ranks are chosen, and the time is predicted. */
    hb_work (*work)(const hb_job *job, uint32_t groups);
    /* Collective, once the session is there: lays out job->header for its device and ranks. NULL: it stays as it is. */
    hb_status (*lay_out)(hb_job *job);
    /* Return the plan's requirements (hb_plan_requirements). `batch`, `together`, and the functions whose counterparts
     * there may be NULL, may be NULL. */
    uint64_t (*worker_bytes)(const void *job, const hb_params *params, size_t batch);
    size_t (*batch)(const hb_job *job), (*together)(const hb_job *job);
    uint64_t (*fixed_bytes)(const void *job, const hb_params *params);
    uint64_t (*host_bytes)(const void *job, const hb_params *params, const hb_workers *workers);
    bool refuses; /* as in hb_plan_requirements */
    /* Collective: adds the output to the plan; the output is not begun yet. */
    hb_status (*open_output)(hb_job *job);

    /* Running. Collective: begins the output, on the disk. NULL: there is none. */
    hb_status (*begin)(hb_job *job);
    /* Collective: finds the units that an earlier job left, on queues of the session; if there are any, notes
     * HB_SPAN_CHECK. NULL: an earlier job leaves nothing. */
    hb_status (*check)(hb_job *job);
    /* Makes the buffers, the workspaces of the queues, and job->units of the first run. */
    hb_status (*prepare)(hb_job *job);
    /* Returns how many threads of this rank write; 0: there is no third stage. NULL: as many as read. */
    uint32_t (*writers)(const hb_job *job);
    /* Collective: runs over the units. NULL: hb_job_run_ciphertexts. */
    hb_status (*loop)(hb_job *job);
    /* Collective, after each run over units: brings its output to the disk. NULL: it has none. */
    hb_status (*sync)(hb_job *job);
    /* Collective: adds up the measurements of the ranks, and fails if they say so. NULL: nothing to add. */
    hb_status (*measure)(hb_job *job);
    /* Collective: completes the output. NULL: there is none. */
    hb_status (*commit)(hb_job *job);
    /* Ends what `begin` began, after success and failure; the last error stays. NULL: nothing to do. */
    void (*end)(hb_job *job);
    /* Closes the kind's own members, before the session; all of them may be zero. */
    void (*close)(hb_job *job);
};

/* Open and run a job: collective, in this order, with the same status on all ranks. hb_job_open takes a job whose kind,
 * group, common, options, kept, values and compared are set and whose other members are zero; it makes the plan and
 * writes nothing. hb_job_run makes the whole output or leaves nothing under its name. The caller closes in any case,
 * which zeroes the whole struct of the kind. */
hb_status hb_job_open(hb_job *job);
hb_status hb_job_run(hb_job *job);
void hb_job_close(hb_job *job);

/* For the function `lay_out` of a kind: makes the plan with the header as it is laid out now. Rank-local. HB_ENOMEM,
 * HB_EDATA. */
hb_status hb_job_make_plan(const hb_job *job, hb_plan *plan);
/* For it and later: returns how fast the device is that was chosen and opened, alone or with those who share limbs. */
hb_speed hb_job_speed(const hb_job *job);
/* For the functions of a kind. Makes buffers for units of the header, and the cells that map them to a table;
 * rank-local. HB_ENOMEM. */
hb_status hb_job_make_buffers(hb_job *job);
/* Returns the threads of a run on this rank, from the plan on. */
hb_threads hb_job_threads(const hb_job *job);
/* For `find_out` or `compare`: notes the digest with the first residue of a command, and returns HB_EDATA, naming what
 * it is of, where it is another one with a later residue. Rank-local. */
hb_status hb_job_same_residues(const hb_job *job, const uint8_t digest[HB_DIGEST_BYTES], const char *what);
/* Runs the stages over job->units and syncs their output (hb_ranks_run). job->paused then tells whether the run ended
 * early for `pause` (seconds; 0: never). pulse: for units that can be interrupted; NULL: they cannot. Collective.
 * Errors of hb_ranks_run and of the kind's `sync`. */
hb_status hb_job_run_units(hb_job *job, hb_tally tally, double pause, hb_ranks_pulse *pulse);
/* Does the same without a pause, with a tally of ciphertexts. Collective. */
hb_status hb_job_run_ciphertexts(hb_job *job);

#endif
