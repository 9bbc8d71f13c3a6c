/* hebatch rekey: a dataset under another key, without any secret. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "batch/cells/column_values.h"
#include "batch/unit/predicted.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/parse.h"
#include "cli/trace.h"
#include "commands.h"
#include "output/resume.h"
#include "rekey/job.h"
#include "run_job.h"
#include "scheme/quality.h"

/* The words of the command line. */
typedef struct words {
    const char *keys, *key, *test_seed;
    uint64_t bits;
    bool force, resume, dry_run;
    hb_job_options job;
} words;

/* Returns an option that is given, and has a meaning for the key of another person alone; NULL: none is. HEBATCH_KEY is
 * the key of other commands. */
static const char *for_another_only(const words *w)
{
    const char *of_all = getenv("HEBATCH_KEY");
    if (w->key != NULL && (of_all == NULL || strcmp(of_all, w->key) != 0)) {
        return "--key";
    }
    return w->bits != HB_NOT_GIVEN ? "--bits" : w->test_seed != NULL ? "--insecure-test-seed" : NULL;
}

static hb_status understand(const words *w, const hb_parsed *parsed, hb_rekey_options *options)
{
    if (w->keys == NULL || w->keys[0] == '\0') {
        return HB_FAIL(HB_EUSAGE, "--keys is missing: the rekeying key, or the folder where keygen --rekey put it");
    }
    uint32_t bits;
    HB_TRY(hb_sanitize_bits(w->bits, &bits));
    *options = (hb_rekey_options){.base = {.job = w->job,
                                           .input = parsed->operands[0],
                                           .output = parsed->operands[1],
                                           .force = w->force,
                                           .resume = w->resume,
                                           .dry_run = w->dry_run},
                                  .keys = w->keys,
                                  .key = w->key,
                                  .bits = bits,
                                  .another_only = for_another_only(w),
                                  .test_seed = w->test_seed != NULL};
    return w->test_seed != NULL ? hb_parse_hex(w->test_seed, options->root.bytes, sizeof options->root.bytes) : HB_OK;
}

/* The facts that are known before the run. */
static json_t *describe(const hb_job *base)
{
    const hb_rekey_job *job = (const hb_rekey_job *)base;
    const hb_params *params = base->session.params;
    const hb_header *header = base->header;
    char from[2 * HB_KEY_ID_BYTES + 1], to[2 * HB_KEY_ID_BYTES + 1], sum[2 * HB_DIGEST_BYTES + 1];
    hb_hex(from, hb_change_job_old(&job->base)->key_id, HB_KEY_ID_BYTES);
    hb_hex(to, header->key_id, HB_KEY_ID_BYTES);
    hb_hex(sum, job->input_sum, HB_DIGEST_BYTES);
    return json_pack(
        "{s:o, s:s, s:o, s:o, s:s, s:s, s:b, s:o, s:i, s:i, s:b, s:o, s:o, s:o, s:o, s:o, s:o}", "input",
        hb_report_text(job->base.options.input), "input_sum", sum, "output", hb_report_text(job->base.options.output),
        "key", hb_report_text(job->key.path), "from_key_id", from, "key_id", to, "another", (int)job->sanitizes,
        "sanitized", job->sanitizes ? json_real(header->past.sanitized) : json_null(), "limbs_before",
        (int)hb_change_job_old(&job->base)->limbs, "limbs_after", (int)header->limbs, "insecure_test_seed",
        (int)job->options.test_seed, "column", hb_report_columns(&header->schema), hb_quality_word(params->spec.scheme),
        hb_predicted_plan_json(hb_predicted_budget(params, header)), "params", hb_report_params(params), "plan",
        hb_plan_json(&base->plan), "limbs", hb_plan_limbs_json(&base->plan.limbs, &base->exchanged), "device",
        hb_device_json(&base->device, base->session.engine));
}

static void print_result(const hb_job *base, const char *sum)
{
    const hb_rekey_job *job = (const hb_rekey_job *)base;
    const hb_header *header = base->header;
    char id[2 * HB_KEY_ID_BYTES + 1];
    hb_hex(id, header->key_id, HB_KEY_ID_BYTES);
    hb_console_result(base->group, base->common, "%s: %s under key %s, %ssum %s", job->base.options.output,
                      hb_human_table(header->schema.rows, header->schema.columns).text, id,
                      job->sanitizes ? "sanitized, " : "", sum);
}

static hb_status print_plan(hb_job *base, bool dry_run)
{
    const hb_rekey_job *job = (const hb_rekey_job *)base;
    if (base->options.residue > 0) {
        return HB_OK;
    }
    hb_group *group = base->group;
    const hb_common *common = base->common;
    if (base->session.params->spec.insecure) {
        hb_console_warn_insecure(group, base->session.params->chain_bits);
    }
    if (job->options.test_seed) {
        hb_console_warn(group, "INSECURE TEST SEED: ANYONE WHO SEES THIS COMMAND LINE CAN FIND THE OLD SECRET KEY");
    }
    hb_console_speaker(dry_run)(group, common, "key          %s%s", job->key.path,
                                job->sanitizes ? ", to the pair of another person" : "");
    hb_plan_print(&base->plan, group, common, dry_run);
    if (job->sanitizes) {
        hb_sanitizing_print(group, common, base->session.params, base->header, &job->how.plan, job->budget, dry_run);
    } else {
        hb_predicted_plan_print(group, common, hb_predicted_budget(base->session.params, base->header), "the data is",
                                dry_run);
    }
    hb_deadline_print(&base->deadline, group, common, dry_run);
    hb_columns_print(group, common, &base->header->schema, dry_run ? HB_COLUMNS_RESULTS : HB_COLUMNS_LOG);
    return HB_OK;
}

static hb_status open_job(hb_job *base, hb_group *group, const hb_common *common, void *options)
{
    return hb_rekey_job_open((hb_rekey_job *)base, group, common, options);
}

static const hb_job_command job_command = {.name = "rekey",
                                           .bytes = sizeof(hb_rekey_job),
                                           .open = open_job,
                                           .print_plan = print_plan,
                                           .print_result = print_result,
                                           .describe = describe};

static hb_status run(hb_group *group, int argc, char **argv)
{
    enum { OWN = 9, LIMBS = OWN + HB_DEVICE_JOB_OPTIONS, ROWS = LIMBS + HB_LIMB_OPTIONS };
    words w = {.bits = HB_NOT_GIVEN};
    hb_option rows[ROWS] = {
        {"keys", 'k', HB_OPTION_TEXT, &w.keys, "PATH",
         "the rekeying key of keygen --rekey, or a folder where there is one from the\ndataset's key"},
        {"key", 0, HB_OPTION_TEXT, &w.key, "FILE",
         "to the pair of another person: its public.h5, with which the data are\nsanitized; -: standard input"},
        {"bits", 0, HB_OPTION_NUMBER, &w.bits, "BITS",
         "to the pair of another person: all ciphertexts together are within 2^-BITS\nof others of the same values "
         "(default 40; 20 to 60)"},
        {"resume", 0, HB_OPTION_FLAG, &w.resume, NULL, HB_RESUME_HELP},
        {"force", 'f', HB_OPTION_FLAG, &w.force, NULL, HB_FORCE_HELP},
        {"max-time", 0, HB_OPTION_DURATION, &w.job.max_time, "TIME", HB_DEADLINE_HELP},
        {"trace", 0, HB_OPTION_TEXT, &w.job.trace, "FILE", HB_TRACE_HELP},
        {"dry-run", 'n', HB_OPTION_FLAG, &w.dry_run, NULL,
         "check the dataset and the key, print the plan and do nothing"},
        {"insecure-test-seed", 0, HB_OPTION_TEXT, &w.test_seed, "HEX",
         "tests only: the same 64 hexadecimal digits give the same bytes"}};
    hb_device_options(rows + OWN, HB_DEVICE_JOB_OPTIONS, &w.job.device);
    hb_limb_options(rows + LIMBS, &w.job.limbs);
    hb_parsed parsed;
    hb_rekey_options options = {.keys = NULL};
    const hb_usage usage = {&hb_command_rekey, rows, ROWS, 2, 2, 0};
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

const hb_command hb_command_rekey = {.name = "rekey",
                                     .arguments = "OLD.heb NEW.heb --keys PATH [OPTIONS]",
                                     .summary = "bring a dataset under another key, without any secret",
                                     .notes =
                                         "The key is made by the owner of both pairs, and deleted after use:\n"
                                         "  hebatch keygen --rekey old/secret.h5 --key new/secret.h5 --out moves\n"
                                         "  hebatch rekey old.heb new.heb --keys moves\n"
                                         "What the old key could open, copies of OLD.heb too, it opens for ever.\n"
                                         "To the pair of another person, from whom the old secret stays hidden:\n"
                                         "  hebatch keygen --rekey old/secret.h5 --to theirs/public.h5 --out away\n"
                                         "  hebatch rekey old.heb theirs.heb --keys away --key theirs/public.h5\n"
                                         "The data are sanitized on the way, for 50 to 70 bits of noise budget (BFV).",
                                     .ranks = true,
                                     .run = run};
