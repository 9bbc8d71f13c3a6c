/* hebatch decrypt --part: one owner's part of a decryption under joint keys. */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/params_options.h"
#include "cli/parse.h"
#include "cli/paths.h"
#include "decrypt.h"
#include "run_job.h"

/* The key that the part is for; NULL: it is in the clear. */
static json_t *receiver_json(const hb_part_job *job)
{
    char id[2 * HB_KEY_ID_BYTES + 1];
    hb_hex(id, job->header.part->receiver, HB_KEY_ID_BYTES);
    return job->options.to != NULL ? json_pack("{s:o, s:s, s:i}", "key", hb_report_text(job->options.to), "key_id", id,
                                               "owners", (int)hb_part_receiving(job->header.part))
                                   : NULL;
}

/* The results that the ledger has, and those that are left of the promised ones. NULL where it cannot be read: the job
 * itself says why. */
static json_t *results_json(const hb_part_job *job)
{
    const uint64_t promised = job->owner.session.session.results;
    const hb_error before = *hb_last_error();
    uint64_t recorded;
    const hb_status st = hb_part_owner_recorded(&job->owner, &recorded);
    hb_set_error(&before);
    return st == HB_OK
               ? json_pack("{s:I, s:I, s:I}", "promised", (json_int_t)promised, "recorded", (json_int_t)recorded,
                           "left", (json_int_t)(promised > recorded ? promised - recorded : 0))
               : NULL;
}

static json_t *describe(const hb_job *base)
{
    const hb_part_job *job = (const hb_part_job *)base;
    char id[2 * HB_KEY_ID_BYTES + 1], session[2 * HB_DIGEST_BYTES + 1];
    hb_hex(id, job->base.job.session.key_id, HB_KEY_ID_BYTES);
    hb_hex(session, job->owner.session.id, HB_DIGEST_BYTES);
    return json_pack("{s:o, s:o, s:s, s:s, s:s, s:o*, s:b, s:O*, s:i, s:i, s:I, s:o*, s:o, s:o, s:o, s:o}", "input",
                     hb_report_text(job->options.input), "output", hb_report_text(job->options.output), "from",
                     job->owner.party.name, "key_id", id, "session", session, "receiver", receiver_json(job),
                     "recomputed", (int)job->options.recomputed, "inputs", job->options.inputs, "noise_u",
                     (int)job->plan.flood.u, "noise_w", (int)job->plan.flood.w, "counted",
                     (json_int_t)hb_part_count(job->base.job.header), "results", results_json(job), "params",
                     hb_report_params(job->base.job.session.params), "plan", hb_plan_json(&job->base.job.plan), "limbs",
                     hb_plan_limbs_json(&job->base.job.plan.limbs, &job->base.job.exchanged), "device",
                     hb_device_json(&job->base.job.device, job->base.job.session.engine));
}

/* The sum of a part is in its report alone: nobody compares it. */
static void print_result(const hb_job *base, const char *sum)
{
    (void)sum;
    const hb_part_job *job = (const hb_part_job *)base;
    const hb_joint_session *session = &job->owner.session.session;
    char key[sizeof ", for key " + (size_t)2 * HB_KEY_ID_BYTES] = "";
    if (job->options.to != NULL) {
        memcpy(key, ", for key ", sizeof ", for key ");
        hb_hex(key + strlen(key), job->header.part->receiver, HB_KEY_ID_BYTES);
    }
    hb_console_result(base->group, base->common, "%s: the part of %s, one of %" PRIu32 "%s", job->options.output,
                      job->owner.party.name, session->threshold, key);
}

/* How many results are left. */
static void print_left(const hb_job *base, bool dry_run)
{
    json_t *results = base->group->rank == 0 ? results_json((const hb_part_job *)base) : NULL;
    if (results != NULL) {
        hb_console_speaker(dry_run)(base->group, base->common,
                                    "ledger       %" PRIu64 " results recorded, %" PRIu64 " left",
                                    (uint64_t)json_integer_value(json_object_get(results, "recorded")),
                                    (uint64_t)json_integer_value(json_object_get(results, "left")));
    }
    json_decref(results);
}

static hb_status print_plan(hb_job *base, bool dry_run)
{
    const hb_part_job *job = (const hb_part_job *)base;
    if (base->options.residue > 0) {
        return HB_OK;
    }
    if (base->session.params->spec.insecure) {
        hb_console_warn_insecure(base->group, base->session.params->chain_bits);
    }
    if (job->options.trust) {
        hb_console_warn(base->group,
                        "%s: its sum is compared with nothing (--trust): a part of a dataset that somebody made up "
                        "gives away the secret of %s",
                        job->options.input, job->owner.party.name);
    }
    if (job->options.to != NULL) { /* which owners compare, before anything is made */
        char id[2 * HB_KEY_ID_BYTES + 1];
        hb_hex(id, job->header.part->receiver, HB_KEY_ID_BYTES);
        hb_console_speaker(dry_run)(base->group, base->common, "receiver     %s, key %s", job->options.to, id);
    }
    hb_plan_print(&base->plan, base->group, base->common, dry_run);
    char counted[HB_PARAMS_COUNTED];
    hb_params_counted(counted, &base->header->spec);
    hb_console_speaker(dry_run)(base->group, base->common,
                                "counted      %" PRIu64 " of the %" PRIu64 " ciphertexts that the keys were made for%s",
                                hb_part_count(base->header), base->header->spec.joint.results, counted);
    print_left(base, dry_run);
    return HB_OK;
}

static hb_status open_job(hb_job *base, hb_group *group, const hb_common *common, void *options)
{
    return hb_part_job_open((hb_part_job *)base, group, common, options);
}

static const hb_job_command job_command = {.name = "decrypt --part",
                                           .bytes = sizeof(hb_part_job),
                                           .open = open_job,
                                           .print_plan = print_plan,
                                           .print_result = print_result,
                                           .describe = describe};

/* Computes the dataset again, where that is asked for, and takes the sum. Collective. The caller drops made->inputs. */
static hb_status recompute(hb_group *group, const hb_common *common, hb_part_options *options,
                           const hb_recompute_request *request, hb_recomputed *made)
{
    const hb_output_request output = {
        .path = options->output, .resume = options->resume, .force = options->force, .dry_run = options->dry_run};
    if (request == NULL) {
        return HB_OK;
    }
    /* It may take long: first whether the part can be stored. */
    HB_TRY(hb_agree(group, hb_part_output_check(options->output)));
    HB_TRY(hb_agree(group, hb_inputs_are_there(&options->input, 1)));
    HB_TRY(hb_agree(group, group->rank == 0 ? hb_output_probe(group, common, &output) : HB_OK));
    HB_TRY(hb_recompute(group, common, request, made));
    options->sum = options->dry_run ? NULL : made->sum;
    options->recomputed = true;
    options->inputs = made->inputs;
    return HB_OK;
}

hb_status hb_decrypt_part_run(hb_group *group, const hb_common *common, const hb_part_options *options,
                              const hb_recompute_request *again)
{
    hb_part_options own = *options;
    hb_recomputed made = {.inputs = NULL};
    (void)umask(077); /* who has all parts has the result: they go to who combines them, and to nobody else */
    hb_status st = recompute(group, common, &own, again, &made);
    st = st == HB_OK ? hb_command_run_job(&job_command, group, common, own.dry_run, &own, &own.job) : st;
    json_decref(made.inputs);
    return st;
}
