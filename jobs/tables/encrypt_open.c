/* Finding out everything for the plan of an encryption. */
#include <string.h>

#include "batch/work.h"
#include "bfv/noise.h"
#include "cli/paths.h"
#include "cli/slips.h"
#include "encrypt_job.h"
#include "io/base/durable.h"

static hb_status fill_header(hb_encrypt_job *job)
{
    hb_header *header = &job->header;
    const hb_session *session = &job->session;
    *header = (hb_header){.spec = session->params->spec,
                          .limbs = session->params->data_limbs,
                          .components = 2,
                          .seeded = session->kind == HB_KEY_SECRET,
                          .encoding = job->options.encoding,
                          .order = job->options.order};
    memcpy(header->key_id, session->key_id, sizeof header->key_id);
    HB_TRY(hb_schema_copy(&header->schema, hb_table_schema(job->table)));
    HB_TRY(hb_encrypt_ranges_declare(&job->options.ranges, &header->schema, header->spec.bfv.plain));
    const hb_packing packing = hb_header_packing(header);
    HB_TRY(hb_packing_check(&packing));
    header->ciphertexts = hb_packing_ciphertexts(&packing);
    header->unit =
        hb_header_choose_unit(header->ciphertexts, hb_header_ciphertext_bytes(header), hb_packing_across(&packing));
    return HB_OK;
}

static hb_status open_inputs(hb_encrypt_job *job)
{
    const hb_encrypt_options *options = &job->options;
    HB_TRY(hb_slip_dataset_name(options->output));
    HB_TRY(job->group->rank == 0 ? hb_dataset_probe(options->output, options->force, options->resume) : HB_OK);
    HB_TRY(hb_session_open(&job->session, options->key));
    HB_TRY(hb_noise_require_fresh(job->session.params, job->session.kind == HB_KEY_PUBLIC)); /* of imported keys too */
    if (options->encoding == HB_ENCODE_SLOTS) {
        HB_TRY(hb_params_require_batching(job->session.params));
    }
    HB_TRY(hb_table_open(options->table, &job->table));
    HB_TRY(hb_schema_check_names(hb_table_schema(job->table), options->table));
    HB_TRY(fill_header(job));
    HB_TRY(hb_can_create(options->output));
    return hb_paths_check_input(options->output, options->table);
}

/* Collective; before anything about the header is agreed upon. */
static hb_status measure(hb_encrypt_job *job)
{
    return job->options.ranges.measured
               ? hb_encrypt_ranges_measure(job->group, job->table, &job->header.schema, job->header.spec.bfv.plain)
               : HB_OK;
}

/* Of the seed itself nothing is told. */
static void add_seed(hb_digest_state *state, const hb_seed *seed)
{
    uint8_t digest[HB_DIGEST_BYTES];
    hb_digest_state own;
    hb_digest_begin(&own, "hebatch seed");
    hb_digest_add(&own, seed->bytes, sizeof seed->bytes);
    hb_digest_end(&own, digest);
    hb_digest_add(state, digest, sizeof digest);
    hb_wipe(&own, sizeof own);
}

/* What ranks that encrypt together must have alike, but for the table's values (encrypt_job.c). */
static hb_status check_same(const hb_encrypt_job *job)
{
    const hb_encrypt_options *options = &job->options;
    uint8_t digest[HB_DIGEST_BYTES];
    hb_header_digest(digest, &job->header);
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch encrypt");
    hb_digest_add(&state, digest, sizeof digest);
    hb_digest_add_u64(&state, options->errors);
    hb_digest_add_u64(&state, options->test_seed);
    if (options->test_seed) {
        add_seed(&state, &options->root);
    }
    hb_digest_end(&state, digest);
    return hb_group_same(job->group, digest, "the key, the table, --errors or the test seed");
}

/* Rank 0 looks at the table's file. */
static hb_status describe(const hb_encrypt_job *job, hb_resume *described)
{
    if (job->group->rank != 0) {
        return HB_OK;
    }
    return hb_resume_describe_table(described, job->options.table, &job->header, job->options.errors,
                                    (uint32_t)job->session.grid.peers->size);
}

static hb_status open_output(hb_encrypt_job *job)
{
    const hb_encrypt_options *options = &job->options;
    const hb_output_request request = {options->output, &job->header, options->resume, options->force};
    hb_resume described = {0};
    hb_status st;
    HB_GOTO(hb_agree(job->group, describe(job, &described)));
    st = hb_output_dataset_open(&job->output, job->group, job->common, &request, &described);
done:
    hb_resume_clear(&described);
    return st;
}

static hb_status make_plan(hb_encrypt_job *job)
{
    hb_plan *plan = &job->plan;
    const hb_grid *grid = &job->session.grid;
    HB_TRY(hb_plan_make(plan, &job->header, (uint32_t)grid->peers->size, (uint32_t)grid->members->size));
    HB_TRY(hb_plan_memory(plan, &job->session, &job->device, hb_unit_encryptor_bytes, true, false));
    plan->parts = job->output.shards.count;
    return hb_plan_output(plan, hb_output_dataset_left(&job->output, hb_plan_dataset_bytes(plan)), job->options.output);
}

hb_status hb_encrypt_job_open(hb_encrypt_job *job, hb_group *group, const hb_common *common,
                              const hb_encrypt_options *options)
{
    *job = (hb_encrypt_job){.group = group, .common = common, .options = *options};
    hb_phases_begin(&job->phases);
    HB_TRY(hb_agree(group, hb_deadline_set(&job->deadline, options->max_time)));
    HB_TRY(hb_agree(group, open_inputs(job)));
    HB_TRY(measure(job));
    HB_TRY(check_same(job));
    const hb_work work = hb_work_encrypt(job->session.params, &job->header, group->size);
    HB_TRY(hb_device_choose(&job->device, group, &options->device, &work));
    const hb_plan_least least = {&job->device, &job->header, hb_unit_encryptor_bytes};
    const hb_limb_needs needs = hb_plan_needs(&least);
    HB_TRY(hb_session_start(&job->session, group, &job->device, &options->limbs, &needs));
    HB_TRY(open_output(job));
    return hb_agree(group, make_plan(job));
}
