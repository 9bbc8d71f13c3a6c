/* hebatch sanitize: the same values in ciphertexts that do not say how they were computed. */
#include <inttypes.h>

#include "batch/unit/predicted.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/parse.h"
#include "cli/trace.h"
#include "commands.h"
#include "output/resume.h"
#include "run_job.h"
#include "tables/sanitize_job.h"

/* The words of the command line. */
typedef struct words {
    const char *key, *test_seed;
    uint64_t bits;
    bool open, force, resume, dry_run;
    hb_job_options job;
} words;

static hb_status understand(const words *w, const hb_parsed *parsed, hb_sanitize_options *options)
{
    if (w->key == NULL) {
        return HB_FAIL(HB_EUSAGE, "--key is missing: the public key, keys/public.h5");
    }
    if (w->open && w->bits != HB_NOT_GIVEN) {
        return HB_FAIL(HB_EUSAGE, "--bits: with --open nothing is hidden");
    }
    uint32_t bits;
    HB_TRY(hb_sanitize_bits(w->bits, &bits));
    *options = (hb_sanitize_options){.base = {.job = w->job,
                                              .input = parsed->operands[0],
                                              .output = parsed->operands[1],
                                              .force = w->force,
                                              .resume = w->resume,
                                              .dry_run = w->dry_run},
                                     .key = w->key,
                                     .bits = bits,
                                     .open = w->open,
                                     .test_seed = w->test_seed != NULL};
    return w->test_seed != NULL ? hb_parse_hex(w->test_seed, options->root.bytes, sizeof options->root.bytes) : HB_OK;
}

static double bits_after(const hb_job *base)
{
    return hb_predicted_budget(base->session.params, base->header).worst;
}

/* The facts that are known before the run. */
static json_t *describe(const hb_job *base)
{
    const hb_sanitize_job *job = (const hb_sanitize_job *)base;
    const hb_params *params = base->session.params;
    char id[2 * HB_KEY_ID_BYTES + 1];
    hb_hex(id, base->session.key_id, HB_KEY_ID_BYTES);
    json_t *distance = job->how.plan.open ? json_null() : json_real(base->header->past.sanitized);
    return json_pack("{s:o, s:o, s:s, s:o, s:b, s:i, s:i, s:i, s:f, s:f, s:b, s:o, s:o, s:o, s:o}", "input",
                     hb_report_text(job->base.options.input), "output", hb_report_text(job->base.options.output),
                     "key_id", id, "sanitized", distance, "opened", (int)job->how.plan.open, "limbs_before",
                     (int)job->how.plan.from, "limbs_between", (int)job->how.plan.limbs, "limbs_after",
                     (int)job->how.plan.to, "noise_budget_bits_before", job->budget, "noise_budget_bits",
                     bits_after(base), "insecure_test_seed", (int)job->options.test_seed, "params",
                     hb_report_params(params), "plan", hb_plan_json(&base->plan), "limbs",
                     hb_plan_limbs_json(&base->plan.limbs, &base->exchanged), "device",
                     hb_device_json(&base->device, base->session.engine));
}

static void print_result(const hb_job *base, const char *sum)
{
    const hb_sanitize_job *job = (const hb_sanitize_job *)base;
    hb_console_result(base->group, base->common, "%s: %s, %s, sum %s", job->base.options.output,
                      hb_human_things(base->header->ciphertexts, "ciphertext").text,
                      job->how.plan.open ? "opened" : "sanitized", sum);
}

static hb_status print_plan(hb_job *base, bool dry_run)
{
    const hb_sanitize_job *job = (const hb_sanitize_job *)base;
    if (base->options.residue > 0) {
        return HB_OK;
    }
    if (base->session.params->spec.insecure) {
        hb_console_warn_insecure(base->group, base->session.params->chain_bits);
    }
    if (job->options.test_seed) {
        hb_console_warn(base->group, "INSECURE TEST SEED: ANYONE WHO SEES THIS COMMAND LINE CAN UNDO IT");
    }
    hb_plan_print(&base->plan, base->group, base->common, dry_run);
    hb_sanitizing_print(base->group, base->common, base->session.params, base->header, &job->how.plan, job->budget,
                        dry_run);
    hb_deadline_print(&base->deadline, base->group, base->common, dry_run);
    return HB_OK;
}

static hb_status open_job(hb_job *base, hb_group *group, const hb_common *common, void *options)
{
    return hb_sanitize_job_open((hb_sanitize_job *)base, group, common, options);
}

static const hb_job_command job_command = {.name = "sanitize",
                                           .bytes = sizeof(hb_sanitize_job),
                                           .open = open_job,
                                           .print_plan = print_plan,
                                           .print_result = print_result,
                                           .describe = describe};

static hb_status run(hb_group *group, int argc, char **argv)
{
    enum { OWN = 9, LIMBS = OWN + HB_DEVICE_JOB_OPTIONS, ROWS = LIMBS + HB_LIMB_OPTIONS };
    words w = {.bits = HB_NOT_GIVEN};
    hb_option rows[ROWS] = {
        {"key", 'k', HB_OPTION_TEXT, &w.key, "FILE", "public.h5 of the dataset; -: standard input"},
        {"bits", 0, HB_OPTION_NUMBER, &w.bits, "BITS",
         "all ciphertexts together are within 2^-BITS of others of the same values\n(default 40; 20 to 60)"},
        {"open", 0, HB_OPTION_FLAG, &w.open, NULL,
         "only add encryptions of zero whose seed OUT.heb says, so that all can\ncheck them: nothing is hidden"},
        {"resume", 0, HB_OPTION_FLAG, &w.resume, NULL, HB_RESUME_HELP},
        {"force", 'f', HB_OPTION_FLAG, &w.force, NULL, HB_FORCE_HELP},
        {"max-time", 0, HB_OPTION_DURATION, &w.job.max_time, "TIME", HB_DEADLINE_HELP},
        {"trace", 0, HB_OPTION_TEXT, &w.job.trace, "FILE", HB_TRACE_HELP},
        {"dry-run", 'n', HB_OPTION_FLAG, &w.dry_run, NULL, "check the header, print the plan and do nothing"},
        {"insecure-test-seed", 0, HB_OPTION_TEXT, &w.test_seed, "HEX",
         "tests only: the same 64 hexadecimal digits give the same bytes"}};
    hb_device_options(rows + OWN, HB_DEVICE_JOB_OPTIONS, &w.job.device);
    hb_limb_options(rows + LIMBS, &w.job.limbs);
    hb_parsed parsed;
    hb_sanitize_options options = {.bits = 0};
    const hb_usage usage = {&hb_command_sanitize, rows, ROWS, 2, 2, 0};
    HB_TRY(hb_options_parse(&usage, group, argc, argv, &parsed));
    if (parsed.help) {
        return HB_OK;
    }
    hb_output_found found = {0};
    hb_status st = hb_session_check_stdin(group, w.key);
    st = hb_agree(group, st == HB_OK ? understand(&w, &parsed, &options) : st);
    options.base.found = &found;
    st = st == HB_OK ? hb_command_run_job(&job_command, group, &parsed.common, w.dry_run, &options, &options.base.job)
                     : st;
    hb_wipe(&options, sizeof options);
    return st;
}

const hb_command hb_command_sanitize = {
    .name = "sanitize",
    .arguments = "--key FILE IN.heb OUT.heb [OPTIONS]",
    .summary = "hide from key holders how a dataset was computed",
    .notes = "The values stay, and so do names, ranges and shapes; noise, component 1 and slots that hold no cell say\n"
             "nothing of the computation any more. BFV, with some 50 bits of noise budget that are left.\n"
             "  hebatch sanitize y.heb z.heb --key keys/public.h5",
    .ranks = true,
    .run = run};
