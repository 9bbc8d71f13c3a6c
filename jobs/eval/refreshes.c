/* Noise of integers that a computation bootstraps: the plan's lines, and how likely a pass loses a ciphertext. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/outward.h"
#include "bootstrapping/eval_mod.h"
#include "cli/console.h"
#include "job_private.h"
#include "scheme/quality.h"

/* Ciphertexts that passes go over, of all row blocks and plain moduli: as often as they do. */
static double passes_over(const hb_eval_job *job)
{
    return hb_program_passes_over(&job->program, job->plan.blocks) * hb_spec_residues(&job->base.session.params->spec);
}

/* The part of these in which tables are applied. */
static double lookups_over(const hb_eval_job *job)
{
    return hb_program_lookups_over(&job->program, job->plan.blocks) * hb_spec_residues(&job->base.session.params->spec);
}

/* Returns log2 of the probability that one of them is lost. */
static double failure_of(const hb_eval_job *job)
{
    const double passes = passes_over(job);
    return passes > 0 ? hb_quality_refresh_failure(job->base.session.params, passes) : -INFINITY;
}

hb_status hb_eval_check_refreshes(const hb_eval_job *job)
{
    const double failure = failure_of(job);
    if (failure <= HB_QUALITY_MOST_FAILURE) {
        return HB_OK;
    }
    return HB_FAIL(HB_EDATA,
                   "%.0f passes over ciphertexts lose a ciphertext with 2^%.1f, and at most 2^%d is allowed: %scompute "
                   "fewer rows at a time",
                   passes_over(job), hb_decimal_up(failure, 1), HB_QUALITY_MOST_FAILURE,
                   lookups_over(job) > 0 ? "" : "take int-16-sure, with which none is ever lost, or ");
}

/* "k 12, 31, 50" */
typedef struct ranges_text {
    char text[8 * HB_BOOTSTRAP_NOTE_PASSES];
} ranges_text;

static ranges_text say_ranges(const hb_bootstrap_note *note)
{
    ranges_text out = {""};
    size_t length = 0;
    for (uint32_t i = 0; i < note->passes && i < HB_BOOTSTRAP_NOTE_PASSES; i++) {
        length += (size_t)snprintf(out.text + length, sizeof out.text - length, "%s%" PRIu32, i == 0 ? "k " : ", ",
                                   note->ranges[i]);
    }
    return out;
}

static void print_refresh(const hb_eval_job *job, const hb_bootstrap_note *note, hb_speaker say)
{
    char columns[64] = "", where[48] = "";
    if (note->values > 1) {
        snprintf(columns, sizeof columns, "%" PRIu32 " columns, ", note->values);
    }
    if (note->iterations > 0) {
        snprintf(where, sizeof where, " (in iteration %" PRIu32 " of %" PRIu32 ")", note->iteration, note->iterations);
    }
    say(job->base.group, job->base.common,
        "refresh      %s%" PRIu32 " pass%s, %s: budget %s, %.0f expected before, %s, %.0f expected after: %s%s",
        columns, note->passes, note->passes == 1 ? "" : "es", say_ranges(note).text,
        hb_human_bits(note->worst_before, false, "bits at least", "none sure").text, note->expected_before,
        hb_human_bits(note->worst_after, false, "bits at least", "none sure").text, note->expected_after, note->text,
        where);
}

/* Returns how certain the bounds of results are: as those that passes go by, and no more than those of inputs. */
static hb_certainty certainty_of(const hb_eval_job *job)
{
    hb_certainty least = hb_certainty_of(job->options.trust);
    for (uint32_t o = 0; o < job->program.output_count; o++) {
        least = hb_certainty_of_both(least, job->program.outputs[o].quality.certainty);
    }
    return least;
}

/* How sure bounds are: of rounding errors, and of integers that the form of the chain holds. */
static void print_certainty(const hb_eval_job *job, hb_speaker say)
{
    /* The words for passes, and for inputs that are less certain than these. */
    static const char *const words[][2] = {
        [HB_CERTAINTY_PROVEN] = {"are proven", "are proven"},
        [HB_CERTAINTY_DRAWN] = {"hold with all but 2^-64 (passes)", "are drawn, as those of inputs are"},
        [HB_CERTAINTY_EXPECTED] = {"are likely, and not sure (passes)", "are likely, as those of inputs are"}};
    const hb_params *params = job->base.session.params;
    const hb_eval_mod_form *form = hb_eval_mod_form_of(params->spec.bootstrapping.eval_mod);
    const hb_certainty certainty = certainty_of(job);
    const bool inputs = certainty > hb_certainty_of(job->options.trust);
    char lost[64] = "no ciphertext is ever lost";
    if (isfinite(failure_of(job))) {
        snprintf(lost, sizeof lost, "all but 2^%.1f (|I| > %" PRIu32 ")", hb_decimal_up(failure_of(job), 1),
                 form->bound);
    }
    say(job->base.group, job->base.common, "certainty    bounds %s, %s", words[certainty][inputs], lost);
}

void hb_eval_print_refreshes(const hb_eval_job *job, hb_speaker say)
{
    enum { MOST = 8 };
    const hb_description *of = &job->program.description;
    const double lookups = lookups_over(job), passes = passes_over(job) - lookups;
    if (lookups > 0) {
        say(job->base.group, job->base.common,
            "look-ups     by tables while bootstrapping: %.0f over ciphertexts, of %s, all coefficients of each",
            lookups, hb_human_things(job->plan.blocks, "row block").text);
    }
    if (passes > 0) {
        say(job->base.group, job->base.common, "bootstraps   bring noise down: %.0f passes over ciphertexts, of %s",
            passes, hb_human_things(job->plan.blocks, "row block").text);
    }
    print_certainty(job, say);
    for (uint32_t i = 0; i < of->bootstrap_count; i++) {
        if (i == MOST && job->base.common->verbose == 0) {
            say(job->base.group, job->base.common, "refresh      and %" PRIu32 " more: --verbose",
                of->bootstrap_count - i);
            return;
        }
        print_refresh(job, &of->bootstraps[i], say);
    }
}
