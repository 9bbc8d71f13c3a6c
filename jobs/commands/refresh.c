/* hebatch refresh: a dataset of integers with more noise budget, by passes of bootstrapping. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/outward.h"
#include "batch/cells/column_values.h"
#include "bootstrapping/eval_mod.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/parse.h"
#include "cli/trace.h"
#include "commands.h"
#include "output/resume.h"
#include "passes/job.h"
#include "run_job.h"
#include "scheme/quality.h"

/* The words of the command line. */
typedef struct words {
    const char *keys, *noise;
    uint64_t passes;
    bool force, resume, dry_run;
    hb_job_options job;
} words;

static const char *const certainties[] = {
    [HB_CERTAINTY_PROVEN] = "worst", [HB_CERTAINTY_DRAWN] = "drawn", [HB_CERTAINTY_EXPECTED] = "expected"};
enum { CERTAINTIES = sizeof certainties / sizeof *certainties };

static hb_status understand(const words *w, const hb_parsed *parsed, hb_refresh_options *options)
{
    if (w->keys == NULL || w->keys[0] == '\0') {
        return HB_FAIL(HB_EUSAGE, "--keys is missing: the folder with the keys that keygen --bootstrap made");
    }
    const size_t certainty =
        w->noise != NULL ? hb_parse_choice(w->noise, certainties, CERTAINTIES) : (size_t)HB_CERTAINTY_DRAWN;
    if (certainty == CERTAINTIES) {
        return HB_FAIL(HB_EUSAGE, "--noise %.32s: worst, drawn or expected", w->noise);
    }
    *options = (hb_refresh_options){.base = {.job = w->job,
                                             .input = parsed->operands[0],
                                             .output = parsed->operands[1],
                                             .force = w->force,
                                             .resume = w->resume,
                                             .dry_run = w->dry_run},
                                    .keys = w->keys,
                                    .certainty = (hb_certainty)certainty,
                                    .passes = w->passes < HB_REFRESH_MOST_PASSES ? (uint32_t)w->passes
                                                                                 : HB_REFRESH_MOST_PASSES};
    return HB_OK;
}

/* Each pass: its k, and the budget behind it by the bound. NULL when out of memory. */
static json_t *passes_json(const hb_refresh_plan *plan)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < plan->passes; i++) {
        json_t *pass = json_pack("{s:i, s:f, s:f}", "k", (int)plan->k[i], "noise_budget_bits_before", plan->bits[i],
                                 "noise_budget_bits", plan->bits[i + 1]);
        if (json_array_append_new(list, pass) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

/* The facts that are known before the run. */
static json_t *describe(const hb_job *base)
{
    const hb_refresh_job *job = (const hb_refresh_job *)base;
    const hb_refresh_plan *plan = &job->plan;
    const hb_params *params = base->session.params;
    char id[2 * HB_KEY_ID_BYTES + 1], sum[2 * HB_DIGEST_BYTES + 1];
    hb_hex(id, base->session.key_id, HB_KEY_ID_BYTES);
    hb_hex(sum, job->input_sum, HB_DIGEST_BYTES);
    json_t *failure = isfinite(plan->failure_bits) ? json_real(plan->failure_bits) : json_null();
    return json_pack("{s:o, s:s, s:o, s:o, s:s, s:s, s:o, s:o, s:i, s:i, s:f, s:f, s:o, s:o, s:o, s:o, s:o, s:o}",
                     "input", hb_report_text(job->base.options.input), "input_sum", sum, "output",
                     hb_report_text(job->base.options.output), "keys", hb_report_text(job->options.keys), "key_id", id,
                     "noise", certainties[job->options.certainty], "passes", passes_json(plan), "failure_bits", failure,
                     "limbs_before", (int)hb_change_job_old(&job->base)->limbs, "limbs_after", (int)base->header->limbs,
                     "noise_budget_bits_before", plan->bits[0], "expected_bits_before", plan->expected_before,
                     hb_quality_word(params->spec.scheme),
                     hb_predicted_plan_json(hb_predicted_budget(params, base->header)), "column",
                     hb_report_columns(&base->header->schema), "params", hb_report_params(params), "plan",
                     hb_plan_json(&base->plan), "limbs", hb_plan_limbs_json(&base->plan.limbs, &base->exchanged),
                     "device", hb_device_json(&base->device, base->session.engine));
}

static void print_result(const hb_job *base, const char *sum)
{
    const hb_refresh_job *job = (const hb_refresh_job *)base;
    hb_console_result(base->group, base->common, "%s: %s, %.0f bits of noise budget, sum %s", job->base.options.output,
                      hb_human_things(base->header->ciphertexts, "ciphertext").text,
                      hb_decimal_down(job->plan.bits[job->plan.passes], 0), sum);
}

/* The bound behind passes is as certain as what they were planned from, and no more than the input's. */
static void print_certainty(const hb_refresh_job *job, hb_speaker say)
{
    static const char *const sure[] = {
        [HB_CERTAINTY_PROVEN] = "are proven",
        [HB_CERTAINTY_DRAWN] = "hold with all but 2^-64 of probability, where nobody made ciphertexts up",
        [HB_CERTAINTY_EXPECTED] = "are likely: one ciphertext in some millions has fewer bits"};
    const hb_certainty certainty = job->plan.quality.certainty;
    say(job->base.base.job.group, job->base.base.job.common, "bounds       %s%s", sure[certainty],
        certainty > job->options.certainty ? "; the input's are no surer" : "");
}

/* Prints the passes in one line, and what each begins and ends with in a line of its own, with --verbose or in a dry
 * run. */
static void print_passes(const hb_refresh_job *job, bool dry_run)
{
    const hb_job *base = &job->base.base.job;
    const hb_speaker say = hb_console_speaker(dry_run);
    const hb_refresh_plan *plan = &job->plan;
    const hb_eval_mod_form *form = hb_eval_mod_form_of(base->session.params->spec.bootstrapping.eval_mod);
    char loses[80] = "they cannot lose a ciphertext";
    if (isfinite(plan->failure_bits)) {
        snprintf(loses, sizeof loses, "|I| > %" PRIu32 " loses a ciphertext with 2^%.1f", form->bound,
                 hb_decimal_up(plan->failure_bits, 1));
    }
    say(base->group, base->common, "passes       %" PRIu32 " over %s: %.0f bits of noise budget, then %.0f; %s",
        plan->passes, hb_human_things(base->header->ciphertexts, "ciphertext").text, hb_decimal_down(plan->bits[0], 0),
        hb_decimal_down(plan->bits[plan->passes], 0), loses);
    for (uint32_t i = 0; (dry_run || base->common->verbose) && i < plan->passes; i++) {
        say(base->group, base->common, "pass         k %" PRIu32 ": %.1f bits, then %.1f", plan->k[i],
            hb_decimal_down(plan->bits[i], 1), hb_decimal_down(plan->bits[i + 1], 1));
    }
    print_certainty(job, say);
}

static hb_status print_plan(hb_job *base, bool dry_run)
{
    const hb_refresh_job *job = (const hb_refresh_job *)base;
    hb_group *group = base->group;
    if (base->options.residue > 0) {
        return HB_OK;
    }
    if (base->session.params->spec.insecure) {
        hb_console_warn_insecure(group, base->session.params->chain_bits);
    }
    hb_console_speaker(dry_run)(group, base->common, "keys         %" PRIu32 " of %s, %s on disk",
                                job->key_files->choices.count, job->options.keys,
                                hb_human_bytes((double)job->key_file_bytes).text);
    hb_plan_print(&base->plan, group, base->common, dry_run);
    print_passes(job, dry_run);
    hb_deadline_print(&base->deadline, group, base->common, dry_run);
    hb_columns_print(group, base->common, &base->header->schema, dry_run ? HB_COLUMNS_RESULTS : HB_COLUMNS_LOG);
    return HB_OK;
}

static hb_status open_job(hb_job *base, hb_group *group, const hb_common *common, void *options)
{
    return hb_refresh_job_open((hb_refresh_job *)base, group, common, options);
}

static const hb_job_command job_command = {.name = "refresh",
                                           .bytes = sizeof(hb_refresh_job),
                                           .open = open_job,
                                           .print_plan = print_plan,
                                           .print_result = print_result,
                                           .describe = describe};

/* The residues of a command share the keys of the first. */
static hb_status refresh(hb_group *group, const hb_common *common, hb_refresh_options *options)
{
    hb_output_found found = {0};
    hb_job_kept *kept = calloc(1, sizeof *kept);
    hb_status st = hb_agree(group, kept != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a session"));
    options->base.found = &found;
    options->base.kept = kept;
    st = st == HB_OK
             ? hb_command_run_job(&job_command, group, common, options->base.dry_run, options, &options->base.job)
             : st;
    hb_job_kept_free(kept);
    return st;
}

static hb_status run(hb_group *group, int argc, char **argv)
{
    enum { OWN = 8, LIMBS = OWN + HB_DEVICE_JOB_OPTIONS, ROWS = LIMBS + HB_LIMB_OPTIONS };
    words w = {.passes = 0};
    hb_option rows[ROWS] = {
        {"keys", 'k', HB_OPTION_TEXT, &w.keys, "DIR", "folder with the keys that keygen --bootstrap made"},
        {"passes", 0, HB_OPTION_ABOVE_0, &w.passes, "N", "passes at most (default: as many as give a bit or more)"},
        {"noise", 0, HB_OPTION_TEXT, &w.noise, "BOUND",
         "plan by bounds that hold with all but 2^-64 of probability, drawn (default);\nthat are proven, worst; or "
         "that are likely, expected"},
        {"resume", 0, HB_OPTION_FLAG, &w.resume, NULL, HB_RESUME_HELP},
        {"force", 'f', HB_OPTION_FLAG, &w.force, NULL, HB_FORCE_HELP},
        {"max-time", 0, HB_OPTION_DURATION, &w.job.max_time, "TIME", HB_DEADLINE_HELP},
        {"trace", 0, HB_OPTION_TEXT, &w.job.trace, "FILE", HB_TRACE_HELP},
        {"dry-run", 'n', HB_OPTION_FLAG, &w.dry_run, NULL,
         "check the dataset and the keys, print the plan and do nothing"}};
    hb_device_options(rows + OWN, HB_DEVICE_JOB_OPTIONS, &w.job.device);
    hb_limb_options(rows + LIMBS, &w.job.limbs);
    hb_parsed parsed;
    hb_refresh_options options = {.keys = NULL};
    const hb_usage usage = {&hb_command_refresh, rows, ROWS, 2, 2, 0};
    HB_TRY(hb_options_parse(&usage, group, argc, argv, &parsed));
    if (parsed.help) {
        return HB_OK;
    }
    const hb_status st = hb_agree(group, understand(&w, &parsed, &options));
    return st == HB_OK ? refresh(group, &parsed.common, &options) : st;
}

const hb_command hb_command_refresh = {
    .name = "refresh",
    .arguments = "IN.heb OUT.heb --keys DIR [OPTIONS]",
    .summary = "give a dataset of integers more noise budget, without any secret",
    .notes =
        "Passes of bootstrapping take noise out of every ciphertext; the values stay, exactly, whatever t is. For\n"
        "parameters called int-..., as int-16-sure, with keys that the owner makes once:\n"
        "  hebatch keygen --key keys/secret.h5 --bootstrap\n"
        "  hebatch refresh y.heb z.heb --keys keys\n"
        "How many passes, and what each reads, follows from the bound of the noise that IN.heb says.",
    .ranks = true,
    .run = run};
