/* A job with one dataset as its output (output_dataset.h): the steps of hb_job_kind that are the same in all such jobs.
 * The kinds call them from their own functions of these steps. */
#ifndef HB_OUTPUT_OUTPUT_JOB_H
#define HB_OUTPUT_OUTPUT_JOB_H

#include <jansson.h>

#include "batch/job/job.h"
#include "output_dataset.h"

/* For `find_out`, before anything is read: fails where the output has another extension, cannot be made, or is one of
 * the inputs. Ignores the header of the request. Rank-local. HB_EUSAGE; statuses of hb_output_probe and
 * hb_can_create. */
hb_status hb_output_job_look(const hb_job *job, const hb_output_request *request, const char *const *inputs,
                             size_t input_count);
/* For `open_output`: opens the output (hb_output_dataset_open), and adds to the plan the space that it still needs.
 * `describe` adds the properties that distinguish the job to those of the header; it is called on rank 0 alone, which
 * writes and compares the description. Collective. Statuses of hb_output_dataset_open and hb_plan_output. */
hb_status hb_output_job_open(hb_job *job, hb_output_dataset *out, const hb_output_request *request,
                             hb_status (*describe)(const hb_job *job, hb_resume *described));
/* For `check`, of jobs whose description names the inputs of all units: finds the units that an earlier job has
 * finished. Collective. Statuses of hb_output_dataset_check. */
hb_status hb_output_job_check(hb_job *job, hb_output_dataset *out);
/* For `prepare`: divides the missing units over the ranks, and opens the shards of this rank's share, which is
 * job->units from then on. Neighbours go to different files, so that several threads write at a time. Rank-local.
 * Statuses of hb_unit_map_divide and hb_output_dataset_expect. */
hb_status hb_output_job_divide(hb_job *job, hb_output_dataset *out);
/* For `loop`: runs over job->units. After HB_EDATA the output is not kept, as an input must change before the job can
 * go on. Collective. Statuses of hb_job_run_ciphertexts. */
hb_status hb_output_job_run(hb_job *job, hb_output_dataset *out);
/* Returns the results of a run for its report: "units" of all residues, which are those that an earlier job had
 * finished, those left to this one, and the number `done` of these that it did; "times", which it takes over; and
 * "sum", empty unless `status` is HB_OK. NULL when out of memory. */
json_t *hb_output_job_json(const hb_job *job, const hb_output_dataset *out, uint64_t done, json_t *times,
                           hb_status status);

#endif
