/* What `bench limbs` measures: parameters and numbers of ranks from the command line. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/prime.h"
#include "cli/params_options.h"
#include "cli/parse.h"
#include "limbs_private.h"

hb_status hb_bench_limbs_params(const char *preset, uint64_t n, uint64_t limbs, uint64_t bits, bool insecure,
                                hb_params **out)
{
    hb_option rows[HB_PARAMS_OPTIONS];
    hb_params_choice choice;
    hb_params_spec spec;
    char sizes[4 * HB_MAX_LIMBS] = "";
    hb_params_options(rows, &choice); /* for its defaults */
    choice.insecure = insecure;
    *out = NULL;
    if (limbs == 0) {
        choice.preset = preset;
    } else if (limbs >= HB_MAX_LIMBS || bits > HB_PRIME_MAX_BITS) {
        return HB_FAIL(HB_EUSAGE, "--limbs is at most %d, and --bits %d: one more prime is for switching keys",
                       HB_MAX_LIMBS - 1, HB_PRIME_MAX_BITS);
    } else {
        size_t at = 0;
        for (uint64_t i = 0; i <= limbs; i++) {
            at += (size_t)snprintf(sizes + at, sizeof sizes - at, "%s%" PRIu64, i > 0 ? "," : "", bits);
        }
        choice.n = n;
        choice.bits = sizes;
    }
    HB_TRY(hb_params_choose(&choice, &spec));
    return hb_params_open(&spec, out);
}

/* In ascending order, unless it is there or there are too many. */
static void add(hb_limbs_ranks *ranks, uint32_t k, bool brief)
{
    uint32_t at = 0;
    while (at < ranks->count && ranks->k[at] < k) {
        at++;
    }
    if (ranks->count == HB_LIMBS_MOST_K || (at < ranks->count && ranks->k[at] == k)) {
        return;
    }
    for (uint32_t i = ranks->count++; i > at; i--) {
        ranks->k[i] = ranks->k[i - 1];
        ranks->brief[i] = ranks->brief[i - 1];
    }
    ranks->k[at] = k;
    ranks->brief[at] = brief;
}

static hb_status add_listed(const hb_bench_limbs_options *options, uint32_t size, hb_limbs_ranks *ranks)
{
    uint64_t numbers[HB_LIMBS_MOST_K];
    size_t listed;
    const hb_status st = hb_parse_list(options->limbs.ranks, numbers, HB_LIMBS_MOST_K, &listed);
    if (st != HB_OK) {
        return HB_FAIL(st, "--limb-ranks: %s", hb_last_error()->text);
    }
    for (size_t i = 0; i < listed; i++) {
        if (numbers[i] == 0 || numbers[i] > options->params->data_limbs) {
            return HB_FAIL(HB_ECONFIG,
                           "--limb-ranks %" PRIu64 ": a ciphertext of %s has %" PRIu32 " limbs, and each "
                           "rank needs one",
                           numbers[i], options->params->name, options->params->data_limbs);
        }
        if (size > 1 && size % numbers[i] != 0) {
            return HB_FAIL(HB_EUSAGE, "--limb-ranks %" PRIu64 " does not divide the %" PRIu32 " ranks", numbers[i],
                           size);
        }
        add(ranks, (uint32_t)numbers[i], false);
    }
    return HB_OK;
}

hb_status hb_limbs_choose_ranks(const hb_group *group, const hb_bench_limbs_options *options, hb_limbs_ranks *ranks)
{
    const uint32_t size = (uint32_t)group->size, most = 16, limbs = options->params->data_limbs;
    const bool listed = options->limbs.ranks != NULL && strcmp(options->limbs.ranks, "auto") != 0;
    ranks->count = 0;
    HB_TRY(hb_limb_choice_check(&options->limbs));
    if (listed) {
        HB_TRY(add_listed(options, size, ranks));
    }
    for (uint32_t i = 1; !listed && i <= size && i <= limbs; i++) {
        if (size % i == 0) {
            add(ranks, i, false);
        }
    }
    for (uint32_t i = 1; i <= most && i <= limbs; i *= 2) {
        add(ranks, i, listed || size > 1 || i > most / 2);
    }
    return HB_OK;
}
