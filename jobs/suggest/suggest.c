#include "suggest.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "batch/cells/wide_cells.h"
#include "batch/job/waits.h"
#include "batch/unit/work.h"
#include "bootstrapping/chain.h"
#include "chains.h"
#include "cli/console.h"
#include "commands.h"
#include "device/prediction.h"
#include "io/keys/keyfile.h"
#include "lang/text/place.h"
#include "scheme/codec.h"
#include "scheme/params.h"
#include "scheme/quality.h"
#include "search.h"

/* A preset in the place of a chain: as many primes, and hardly longer. */
static hb_status try_preset(hb_trials *s, const char *name, hb_suggestion *out, bool *found)
{
    hb_params_spec spec;
    const hb_search *search = s->search;
    bool completed = false;
    *found = false;
    HB_TRY(hb_params_preset(name, &spec));
    if (spec.scheme != s->request->scheme || spec.n != out->params->spec.n ||
        spec.key_limbs != out->params->key_limbs || hb_spec_can_bootstrap(&spec)) {
        return HB_OK;
    }
    spec.security = s->request->security;
    spec.insecure = false; /* presets for tests must not be used for data */
    hb_suggestion other = {0};
    hb_status st = HB_OK;
    if (search->fits(s, &spec)) {
        HB_GOTO(hb_trial_chain(s, &spec, &other, found));
    }
    if (!*found && search->complete(s, &spec)) {
        completed = true;
        HB_GOTO(hb_trial_chain(s, &spec, &other, found));
    }
    *found = *found && other.params->chain_bits <= (1 + search->longer) * out->params->chain_bits;
    if (*found) {
        other.preset = true;
        other.named = name;
        other.completed = completed;
        hb_suggestion_clear(out);
        *out = other;
        other = (hb_suggestion){0};
    }
done:
    hb_suggestion_clear(&other);
    return st;
}

static hb_status prefer_preset(hb_trials *s, hb_suggestion *out)
{
    const char *name;
    bool found = false;
    for (size_t i = 0; !found && (name = hb_params_preset_name(i)) != NULL; i++) {
        HB_TRY(try_preset(s, name, out, &found));
    }
    return HB_OK;
}

static hb_work work_for(const hb_suggestion *found, uint64_t rows)
{
    const uint64_t slots = hb_codec_capacity(&found->params->spec, HB_ENCODE_SLOTS);
    const uint64_t capacity = slots / hb_program_block(&found->program);
    return hb_work_program(found->params, &found->program, (rows + capacity - 1) / capacity, 0, 0,
                           (hb_totals_lanes){.ranks = 1, .workers = 1});
}

/* The cost of all rows, in butterflies, once for each plain modulus. */
static double cost(const hb_trials *s, const hb_suggestion *found)
{
    const double n = (double)found->params->spec.n;
    const hb_work work = work_for(found, s->rows);
    return (work.loop.of[HB_COST_CORE] + work.totals.of[HB_COST_CORE]) * n * log2(n) *
           hb_spec_residues(&found->params->spec);
}

/* Where other parameters are hardly cheaper, the first ones stay: ciphertexts of few rows and keys become larger. */
static const double cheaper_chain = 0.8;
/* Presets of one ring have ciphertexts and keys of nearly one size; the prediction may be off by some percent. */
static const double cheaper_preset = 0.95;

/* Whether passes over integers cannot fail, which is worth some percent. */
static bool is_sure(const hb_suggestion *s)
{
    const hb_params_spec *spec = &s->params->spec;
    return hb_bootstrapping_of_integers(&spec->bootstrapping) && isinf(hb_quality_refresh_failure(s->params, 1));
}

/* Returns whether the second does better than the first of two presets with bootstrapping. */
static bool is_better(const hb_trials *s, const hb_suggestion *first, const hb_suggestion *second)
{
    const double limit = is_sure(second) && !is_sure(first) ? 1 / cheaper_preset : cheaper_preset;
    return cost(s, second) < limit * cost(s, first);
}

/* Presets with bootstrapping, by which values have levels again and again. One that leaves more levels bootstraps less
 * often; one that leaves more bits may be the only one that does. */
static hb_status try_bootstrapping(hb_trials *s, hb_suggestion *out, bool *found)
{
    hb_suggestion other = {0};
    hb_params_spec spec;
    const char *name;
    hb_status st = HB_OK;
    *found = false;
    for (size_t i = 0; (name = hb_next_bootstrapping(s, &i, &spec)) != NULL;) {
        bool does = false;
        const bool completed = !s->search->fits(s, &spec);
        if (!completed || s->search->complete(s, &spec)) {
            HB_GOTO(hb_trial_chain(s, &spec, &other, &does));
            other.completed = completed;
        }
        if (does && (!*found || is_better(s, out, &other))) {
            hb_suggestion_clear(out);
            *out = other;
            other = (hb_suggestion){0};
            out->preset = *found = true;
            out->named = name;
        }
    }
done:
    hb_suggestion_clear(&other);
    return st;
}

/* In the next ring a chain of the same levels has room for more special primes, so for fewer digits. */
static hb_status try_larger(hb_trials *s, hb_suggestion *out)
{
    const size_t n = 2 * out->params->spec.n;
    hb_suggestion other = {0};
    bool found = false;
    hb_status st = HB_OK;
    if (n <= (size_t)1 << HB_RING_MAX_LOG_N) {
        HB_GOTO(s->search->chains(s, n, &other, &found));
    }
    if (found && cost(s, &other) < cheaper_chain * cost(s, out)) {
        hb_suggestion_clear(out);
        *out = other;
        other = (hb_suggestion){0};
    }
done:
    hb_suggestion_clear(&other);
    return st;
}

/* Several plain moduli are shorter than one that holds as much, and leave more of a chain, and of a smaller ring, to
 * products: all of them together may take less. */
static hb_status try_several(hb_trials *s, hb_suggestion *out)
{
    enum { MOST = 4 };
    const hb_search *search = s->search;
    const hb_bfv_requirements one = s->bfv;
    hb_bfv_requirements best = one;
    hb_suggestion other = {0};
    hb_status st = HB_OK;
    for (uint32_t count = 2; count <= MOST; count++) {
        bool found = false;
        s->bfv = one;
        if (!search->split(s, count)) {
            break;
        }
        for (size_t n = (size_t)1 << HB_MIN_LOG_N; !found && n <= out->params->spec.n; n *= 2) {
            HB_GOTO(hb_try_chains(s, n, &other, &found));
        }
        if (found && cost(s, &other) < cheaper_chain * cost(s, out)) {
            best = s->bfv;
            hb_suggestion_clear(out);
            *out = other;
            other = (hb_suggestion){0};
        }
    }
done:
    s->bfv = best;
    hb_suggestion_clear(&other);
    return st;
}

/* Stores the seconds for so many rows on one core. */
static hb_status predict(const hb_suggestion *found, uint64_t rows, double *seconds)
{
    const hb_work work = work_for(found, rows);
    hb_speed speed;
    HB_TRY(hb_speed_of_core(found->params, (hb_speed_share){.workers = 1}, &speed));
    const hb_prediction all = hb_predict(&work, &speed, (hb_spent){0});
    *seconds = all.part[HB_PART_COMPUTE] + all.part[HB_PART_TOTALS];
    return HB_OK;
}

/* Tries presets with bootstrapping beside a long chain that does: the cheaper of the two stays. */
static hb_status compare_bootstrapping(hb_trials *s, hb_suggestion *out, bool *bootstrapping)
{
    hb_suggestion other = {0};
    bool does;
    hb_status st;
    HB_GOTO(try_bootstrapping(s, &other, &does));
    if (does && cost(s, &other) < cheaper_chain * cost(s, out)) {
        hb_suggestion_clear(out);
        *out = other;
        other = (hb_suggestion){0};
        *bootstrapping = true;
    } else if (does) {
        out->instead.name = other.named;
        out->instead.times = cost(s, &other) / cost(s, out);
    }
done:
    hb_suggestion_clear(&other);
    return st;
}

/* Finds the first parameters that do, not yet the best. *bootstrapping: they have it, and are the best. */
static hb_status find_first(hb_trials *s, hb_suggestion *out, bool *bootstrapping, bool *found)
{
    const hb_search *search = s->search;
    *found = *bootstrapping = false;
    HB_TRY(hb_trials_find_results(s));
    for (size_t n = (size_t)1 << HB_MIN_LOG_N; !*found && n <= (size_t)1 << HB_RING_MAX_LOG_N; n *= 2) {
        HB_TRY(search->chains(s, n, out, found));
    }
    if (!*found) {
        HB_TRY(try_bootstrapping(s, out, found));
        *bootstrapping = *found;
    } else if (search->may_bootstrap_from > 0 && out->params->spec.n >= search->may_bootstrap_from) {
        HB_TRY(compare_bootstrapping(s, out, bootstrapping));
    }
    return HB_OK;
}

/* The same. Without a given precision, functions have a default, which may be too little for the results: then the
 * precision of the results is asked for, of eval, too. request: that of the trials. */
static hb_status find_precise(hb_trials *s, hb_suggest_request *request, hb_suggestion *out, bool *bootstrapping,
                              bool *found)
{
    const hb_trials start = *s;
    HB_TRY(find_first(s, out, bootstrapping, found));
    if (!*found && s->search->precision != NULL && request->precision == 0 && s->ckks.precision >= 1) {
        request->precision = (uint32_t)ceil(s->ckks.precision);
        s->bfv = start.bfv;
        s->ckks = start.ckks;
        return find_first(s, out, bootstrapping, found);
    }
    return HB_OK;
}

/* Judges the parameters of keys that are there, instead of a search. */
static hb_status try_keys(hb_trials *s, hb_suggestion *out)
{
    hb_keyfile key = {0};
    char *path = NULL;
    const char *keys = s->request->judged.keys;
    bool found = false;
    hb_status st = asprintf(&path, "%s/%s", keys, HB_KEYFILE_PUBLIC) >= 0 ? HB_OK : HB_ENOMEM;
    HB_GOTO(st == HB_OK ? hb_keyfile_read(path, &key) : HB_FAIL(HB_ENOMEM, "no memory for the name of a key"));
    if (key.spec.scheme != s->request->scheme) {
        HB_GOTO(HB_FAIL(HB_EDATA, "--keys %s: these are keys of %s, and the results need %s", keys,
                        hb_scheme_name(key.spec.scheme), hb_scheme_name(s->request->scheme)));
    }
    HB_GOTO(hb_trials_find_results(s));
    if (hb_spec_residues(&key.spec) > 1 || s->search->fits(s, &key.spec)) {
        HB_GOTO(hb_trial_chain(s, &key.spec, out, &found));
    }
    st = found ? HB_OK
               : HB_FAIL(HB_EDATA,
                         "--keys %s: the parameters of these keys are too small for these results; without --keys, "
                         "others are found",
                         keys);
done:
    hb_keyfile_clear(&key);
    free(path);
    return st;
}

/* Judges the preset that was named, instead of a search. */
static hb_status try_named(hb_trials *s, hb_suggestion *out)
{
    const char *name = s->request->judged.preset;
    hb_params_spec spec;
    bool found = false;
    HB_TRY(hb_params_preset(name, &spec));
    spec.security = s->request->security;
    spec.insecure = s->request->judged.insecure;
    HB_TRY(hb_trials_find_results(s));
    const bool completed = !s->search->fits(s, &spec);
    if (!completed || s->search->complete(s, &spec)) {
        HB_TRY(hb_trial_chain(s, &spec, out, &found));
    }
    if (!found) {
        return HB_FAIL(HB_EDATA, "--params %s: is too small for these results; without --params, others are found",
                       name);
    }
    out->preset = true;
    out->named = name;
    out->completed = completed;
    return HB_OK;
}

/* Whether some parameters hold result i without the others. start: the state before any search, for *one. */
static hb_status search_alone(const hb_trials *s, const hb_trials *start, uint32_t i, hb_trials *one, bool *found)
{
    char *only[] = {s->assigns[i], NULL};
    hb_suggest_request request = *start->request;
    hb_suggestion trial = {0};
    bool bootstrapping;
    *one = *s;
    one->request = &request;
    one->assigns = only;
    one->assign_count = 1;
    one->bfv = start->bfv;
    one->ckks = start->ckks;
    const hb_status st = find_precise(one, &request, &trial, &bootstrapping, found);
    one->request = start->request;
    one->assigns = s->assigns;
    hb_suggestion_clear(&trial);
    return st;
}

/* Says which result is refused: one that no parameters hold even alone, or all of them together. */
static hb_status none_found(const hb_trials *s, const hb_trials *start)
{
    const hb_suggest_request *request = s->request;
    hb_trials refused = *s;
    bool found = true;
    char bound[160], result[160] = "this";
    for (uint32_t i = 0; s->assign_count > 1 && found && i < s->assign_count; i++) {
        HB_TRY(search_alone(s, start, i, &refused, &found));
    }
    const bool together = s->assign_count > 1 && found;
    refused = together ? *s : refused;
    s->search->describe(&refused, bound);
    if (together) {
        snprintf(result, sizeof result, "all results together");
    } else if (refused.deepest_at > 0) {
        char where[48];
        hb_place(where, request->expression, refused.deepest_at);
        snprintf(result, sizeof result, "%s (%s)", refused.deepest, where);
    }
    return HB_FAIL(HB_EDATA, "no parameters of %" PRIu32 " bits of security hold %s: %s%s%s%s", request->security.level,
                   result, bound,
                   together              ? "; each alone has parameters: ask for one after the other"
                   : s->assign_count > 1 ? "; leave it out: others may have parameters"
                                         : "",
                   start->request->precision > 1 ? "; a smaller --precision asks for less" : "",
                   request->trust == HB_QUALITY_WORST ? "; --noise expected asks for less than the proven bound" : "");
}

/* Refuses results that no decryption shows, before there are keys: eval would. */
static hb_status check_shown(const hb_suggestion *found)
{
    for (uint32_t o = 0; o < found->program.output_count; o++) {
        const hb_output *output = &found->program.outputs[o];
        HB_TRY(hb_wide_check_shown(&output->schema, &found->params->spec, output->name, output->unranged));
    }
    return HB_OK;
}

hb_status hb_params_suggest(hb_suggestion *suggestion, const hb_suggest_request *request)
{
    const hb_search *search = hb_search_of(request->scheme);
    hb_trials s = {0}, start;
    hb_suggest_request own = *request;
    bool found = false, bootstrapping;
    hb_status st;
    *suggestion = (hb_suggestion){0};
    if (request->gap > 0 && search->precision == NULL) {
        HB_GOTO(
            HB_FAIL(HB_EUSAGE, "--gap: comparisons of %s are exact; it is for reals", hb_scheme_name(request->scheme)));
    }
    if (request->precision != 0 && search->precision == NULL) {
        HB_GOTO(HB_FAIL(HB_EUSAGE, "--precision: results of %s are exact; reals are for --scheme ckks",
                        hb_scheme_name(request->scheme)));
    }
    if (request->share != 0 && search->precision == NULL) {
        HB_GOTO(HB_FAIL(HB_EUSAGE, "--share: results of %s are exact, and there is nothing to hide",
                        hb_scheme_name(request->scheme)));
    }
    hb_waits_mark(request->group, HB_SPAN_OPEN); /* tables, whose values are looked at */
    HB_GOTO(hb_trials_init(&s, request, search));
    hb_waits_mark_search(request->group, 0);
    start = s;
    s.request = &own;
    if (request->judged.keys != NULL || request->judged.preset != NULL) {
        HB_GOTO(request->judged.keys != NULL ? try_keys(&s, suggestion) : try_named(&s, suggestion));
        found = bootstrapping = suggestion->judged = true;
    } else {
        HB_GOTO(find_precise(&s, &own, suggestion, &bootstrapping, &found));
    }
    HB_GOTO(found ? HB_OK : none_found(&s, &start));
    if (!bootstrapping) {
        HB_GOTO(search->larger ? try_larger(&s, suggestion) : HB_OK);
        HB_GOTO(search->split != NULL ? try_several(&s, suggestion) : HB_OK);
        HB_GOTO(hb_leave_room_to_pack(&s, suggestion));
        HB_GOTO(prefer_preset(&s, suggestion));
    }
    HB_GOTO(check_shown(suggestion));
    suggestion->rows = s.rows;
    HB_GOTO(predict(suggestion, 1000000, &suggestion->seconds));
    HB_GOTO(predict(suggestion, s.rows, &suggestion->own_seconds));
    st = hb_suggestion_find_commands(&s, suggestion);
done:
    hb_board_mark(request->group->board, 0);
    hb_trials_clear(&s);
    return st;
}
