/* Computing an expression over datasets: what the ranks do, in order. */
#ifndef HB_EVAL_JOB_H
#define HB_EVAL_JOB_H

#include "batch/phases.h"
#include "cli/deadline.h"
#include "expression/program/range.h"
#include "expression/text/binding.h"
#include "keys/key_store.h"
#include "output/output_dataset.h"
#include "sums.h"
#include "unit.h"

typedef struct hb_eval_options {
    hb_device_choice device;
    hb_limb_choice limbs;
    const char *keys; /* directory; NULL: none is given */
    const char *expression;
    const hb_binding *bindings; /* of inputs and outputs: the expression says which */
    uint32_t binding_count;
    const hb_range *ranges;
    uint32_t range_count;
    hb_noise_trust trust;
    uint64_t batch;   /* row blocks at a time; 0: what suits the device */
    double max_time;  /* seconds; 0: not given */
    double keep_sums; /* seconds after which sums over rows are stored again */
    bool wrap;        /* results may wrap around mod t */
    bool force, resume;
} hb_eval_options;

/* What is known of an input's values: declared, stored with a dataset, or seen in a small plain table. *columns:
 * allocated, one entry a column of all inputs, borrowed by the operands. HB_EUSAGE for a range of something that is not
 * read; HB_EDATA for one that no value is in. */
hb_status hb_eval_ranges(const hb_eval_options *options, hb_eval_input *inputs, hb_operand *operands, uint32_t count,
                         hb_interval **columns);

typedef struct hb_eval_output {
    const char *path;
    hb_header header;
    hb_output_dataset dataset;
} hb_eval_output;

/* What the job reads, makes and needs. */
typedef struct hb_eval_plan {
    uint64_t blocks, steps, rank_steps;  /* row blocks; steps of them all, and of the rank with most */
    hb_plan_limbs limbs;                 /* how ranks share them */
    hb_lanes lanes;                      /* of each rank */
    uint64_t key_bytes;                  /* of the switching keys, on the engine of the rank with most of their limbs */
    uint64_t host_bytes;                 /* buffers a rank; on the CPU all of it */
    uint64_t device_bytes, device_limit; /* on the GPU, a rank; 0: on the CPU */
    uint64_t input_bytes, output_bytes;  /* of all datasets; of the outputs those that are not there yet */
    uint64_t free_bytes;                 /* where the outputs go; of several disks, on the fullest */
    double seconds;                      /* to compute, by the rank with most; 0: not estimated */
} hb_eval_plan;

typedef struct hb_eval_job hb_eval_job;
struct hb_eval_job {
    hb_group *group;
    const hb_common *common;
    hb_eval_options options;
    hb_device device;
    hb_session session; /* with the switching keys */
    hb_eval_input *inputs;
    uint32_t input_count;
    hb_eval_output *outputs;
    uint32_t output_count;
    const char **output_names; /* [output_count], borrowed */
    const hb_header **headers; /* [output_count], of the outputs */
    hb_program program;
    hb_elements keys;                  /* that the program needs (keys/key_store.h) */
    hb_key_ahead ahead;                /* the first of them */
    uint8_t identity[HB_DIGEST_BYTES]; /* rank 0: of inputs and keys (hb_eval_job_identify) */
    hb_seed root;                      /* of digests that members compare; wiped by close */
    hb_eval_plan plan;
    hb_header steps; /* hb_eval_step_header */
    hb_eval_setting setting;
    hb_eval_buffer buffer[HB_PIPELINE_MOST_BUFFERS];
    hb_unit_evaluator evaluator[HB_MOST_WORKERS]; /* [plan.lanes.count] */
    hb_deadline deadline;
    hb_eval_sums sums; /* of the pass that runs now */
    uint32_t pass;     /* that runs now */
    hb_phases phases;
    hb_pipeline_times times;     /* of all passes together */
    uint64_t steps_done;         /* of all ranks and passes */
    hb_exchange_stats exchanged; /* by all ranks, once the run is done */
};

/* Collective, in this order; each returns the same status on all ranks. Open finds out everything for the plan, divides
 * the ranks and the limbs, loads the keys, and touches nothing. Run makes all outputs or leaves nothing under their
 * names; NAME.partial stays to be continued, unless the input or the expression was bad. The caller closes in any
 * case. */
hb_status hb_eval_job_open(hb_eval_job *job, hb_group *group, const hb_common *common, const hb_eval_options *options);
hb_status hb_eval_job_run(hb_eval_job *job);
/* The same, with a report, the same one, beside each output; prints the results. */
hb_status hb_eval_job_run_and_report(hb_eval_job *job);
void hb_eval_job_close(hb_eval_job *job);

/* The parts of open, rank-local: opens what the expression reads and compiles it (names.c); lays out steps and
 * outputs. */
hb_status hb_eval_job_open_inputs(hb_eval_job *job);
hb_status hb_eval_job_compile(hb_eval_job *job);
hb_status hb_eval_job_lay_out(hb_eval_job *job);
/* Collective: opens the engine, by the choice of how limbs are divided, and plans what the ranks compute on it. */
hb_status hb_eval_job_start(hb_eval_job *job);
/* Of everything that the results follow from but the expression and the outputs' headers. Rank-local: sets
 * job->identity, for which plain tables are read (output/table_identity.h). */
hb_status hb_eval_job_identify(hb_eval_job *job);
/* Collective: that every rank is about to do its share of the same. */
hb_status hb_eval_job_check_same(hb_eval_job *job);

/* Collective, where limbs are divided: draws job->root, and compares plain tables of one row among members; those with
 * rows are compared as they are read. HB_EDATA. */
hb_status hb_eval_job_check_tables(hb_eval_job *job);

/* Collective: what the pass has added up, in lane 0 of all ranks, in the other lanes as before. */
hb_status hb_eval_job_add_up(hb_eval_job *job, uint32_t pass);
/* Collective: the sums that the pass accumulated, of all lanes and ranks, and its totals' instructions; the
 * first group of members stores their outputs. */
hb_status hb_eval_job_totals(hb_eval_job *job, uint32_t pass);

/* Collective among the members that share limbs, as the program exchanges; the caller agrees: sets plan.seconds by
 * running the program on one batch of random residues. Reading and writing are not in it. */
hb_status hb_eval_job_estimate(hb_eval_job *job);

/* Whether bounds of noise depend on what was assumed of imported inputs. */
bool hb_eval_assumes(const hb_eval_job *job);
/* As results on stdout, or as log on stderr; NULL when out of memory. */
void hb_eval_job_print(const hb_eval_job *job, bool results);
json_t *hb_eval_job_json(const hb_eval_job *job);

#endif
