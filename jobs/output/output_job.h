/* A job with one dataset as its output (output_dataset.h), and the steps of hb_job_kind that are the same in all such
 * jobs. A kind embeds hb_output_job as the first member of its own struct, and names the steps in its table; where it
 * does more in one, its own function calls the step from here. */
#ifndef HB_OUTPUT_OUTPUT_JOB_H
#define HB_OUTPUT_OUTPUT_JOB_H

#include <jansson.h>

#include "batch/job/job.h"
#include "output_dataset.h"

/* The members of all such kinds. The kind's open function sets `request`, `inputs` and `describe`; `find_out` sets the
 * members of the request that are known later. The kind's close function closes the output. */
typedef struct hb_output_job {
    hb_job job;                /* its units are those that are not stored yet */
    hb_output_request request; /* path and header stay where they are until the job is closed */
    const char *const *inputs; /* [input_count] the datasets that it reads, of which none is the output; borrowed */
    size_t input_count;
    hb_output_dataset output; /* open from `open_output` on */
    /* Adds the properties that distinguish the job to those of the header. Called on rank 0 alone, which writes and
     * compares the description. */
    hb_status (*describe)(const hb_job *job, hb_resume *described);
} hb_output_job;

/* For `find_out`, before anything is read: fails where the output has another extension, cannot be made, or is one of
 * the inputs, of which none may be missing. Ignores the header of the request. Rank-local. HB_EUSAGE; HB_ENOINPUT;
 * statuses of hb_output_probe and hb_can_create. */
hb_status hb_output_job_look(const hb_output_job *job);
/* `open_output`: opens the output (hb_output_dataset_open), and adds to the plan the space that it still needs.
 * Collective. Statuses of hb_output_dataset_open and hb_plan_output. */
hb_status hb_output_job_open(hb_job *base);
/* `begin`: hb_output_dataset_begin. Collective. */
hb_status hb_output_job_begin(hb_job *base);
/* `check`, of jobs whose description names the inputs of all units: finds the units that an earlier job has finished.
 * Collective. Statuses of hb_output_dataset_check. */
hb_status hb_output_job_check(hb_job *base);
/* For `prepare`: divides the missing units over the ranks, and opens the shards of this rank's share, which is
 * job->units from then on. Neighbours go to different files, so that several threads write at a time. Rank-local.
 * Statuses of hb_unit_map_divide and hb_output_dataset_expect. */
hb_status hb_output_job_divide(hb_output_job *job);
/* The stage `write`, in a writer's thread: the rows and the sum of unit u, which are in the job's buffer, go to their
 * places (hb_output_dataset_write). */
hb_status hb_output_job_write(void *context, uint32_t buffer, uint32_t thread, uint64_t u);
/* `loop`: runs over job->units. After HB_EDATA the output is not kept, as an input must change before the job can go
 * on. Collective. Statuses of hb_job_run_ciphertexts. */
hb_status hb_output_job_run(hb_job *base);
/* `sync`, `commit`, `end`: those of the output. The first two are collective. */
hb_status hb_output_job_sync(hb_job *base);
hb_status hb_output_job_commit(hb_job *base);
void hb_output_job_end(hb_job *base);
/* Returns the results of a run for its report: "units" of all residues, which are those that an earlier job had
 * finished, those left to this one, and the number `done` of these that it did; "times", which it takes over; and
 * "sum", empty unless `status` is HB_OK. NULL when out of memory. */
json_t *hb_output_job_json(const hb_output_job *job, uint64_t done, json_t *times, hb_status status);

#endif
