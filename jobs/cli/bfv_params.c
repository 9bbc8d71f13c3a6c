/* Parameters of BFV on the command line, in lines and in reports: the parts that other schemes lack. */
#include "bfv/params.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/outward.h"
#include "base/prime.h"
#include "bfv/chain.h"
#include "bootstrapping/chain.h"
#include "bootstrapping/eval_mod.h"
#include "bootstrapping_params.h"
#include "console.h"
#include "params_options.h"
#include "report.h"
#include "rlwe/bounds.h"
#include "scheme/quality.h"

static const uint64_t default_plain_bits = 20, default_user_primes = 6;
static const uint64_t most_plain = ((uint64_t)1 << HB_PRIME_MAX_BITS) - 1;
static const uint64_t most_of_several = 44; /* bits: three of them are 128, and chains of one product stay short */

void hb_bfv_options(hb_option rows[HB_BFV_OPTIONS], hb_bfv_choice *choice)
{
    *choice = (hb_bfv_choice){
        .plain = HB_NOT_GIVEN, .plain_bits = HB_NOT_GIVEN, .wide = HB_NOT_GIVEN, .user_primes = HB_NOT_GIVEN};
    const hb_option own[] = {
        {"plain", 't', HB_OPTION_NUMBER, &choice->plain, "T", "plain modulus t; batching needs a prime = 1 mod 2N"},
        {"plain-bits", 0, HB_OPTION_NUMBER, &choice->plain_bits, "B",
         "t = the largest prime of this size that batches (default 20)"},
        {"wide", 0, HB_OPTION_NUMBER, &choice->wide, "BITS",
         "integers of so many bits: several plain moduli, of 44 bits or --plain-bits"},
        {"user-primes", 0, HB_OPTION_NUMBER, &choice->user_primes, "U",
         "with --eval-mod, for integers: primes of 50 bits of a ciphertext (default 6)"}};
    _Static_assert(sizeof own / sizeof *own == HB_BFV_OPTIONS, "every row is there");
    memcpy(rows, own, sizeof own);
}

hb_status hb_bfv_choice_check(const hb_bfv_choice *choice)
{
    if (choice->plain != HB_NOT_GIVEN && choice->plain_bits != HB_NOT_GIVEN) {
        return HB_FAIL(HB_EUSAGE, "--plain and --plain-bits both choose t: give one of them");
    }
    if (choice->wide != HB_NOT_GIVEN && choice->plain != HB_NOT_GIVEN) {
        return HB_FAIL(HB_EUSAGE, "--plain is one modulus, --wide chooses several: leave one out");
    }
    if (choice->wide != HB_NOT_GIVEN && (choice->wide < 2 || choice->wide > HB_RESIDUES_MOST_BITS)) {
        return HB_FAIL(HB_ECONFIG, "--wide %" PRIu64 ": integers of 2 to %d bits", choice->wide, HB_RESIDUES_MOST_BITS);
    }
    return HB_OK;
}

static bool is_chosen(const hb_params_choice *choice)
{
    return choice->bfv.plain != HB_NOT_GIVEN || choice->bfv.plain_bits != HB_NOT_GIVEN ||
           choice->bfv.wide != HB_NOT_GIVEN || choice->bfv.user_primes != HB_NOT_GIVEN;
}

static bool makes_chain(const hb_params_choice *choice)
{
    return choice->preset == NULL && (choice->eval_mod != NULL || choice->bfv.user_primes != HB_NOT_GIVEN);
}

/* A chain that bootstraps. */
static hb_status chain(const hb_params_choice *all, hb_params_spec *spec)
{
    const uint64_t users = all->bfv.user_primes != HB_NOT_GIVEN ? all->bfv.user_primes : default_user_primes;
    hb_bfv_chain wanted = {.user_limbs = users < HB_MAX_LIMBS ? (uint32_t)users : HB_MAX_LIMBS};
    if (all->eval_mod == NULL) {
        return HB_FAIL(HB_EUSAGE,
                       "--user-primes is for chains that bootstrap: give their form with --eval-mod FORM, as "
                       "--eval-mod fine-sure");
    }
    if (all->digit_primes != HB_NOT_GIVEN || all->special_primes != HB_NOT_GIVEN) {
        return HB_FAIL(HB_EUSAGE, "--eval-mod finds primes and digits of integers of its own: leave out %s",
                       all->digit_primes != HB_NOT_GIVEN ? "--digit-primes" : "--special-primes");
    }
    HB_TRY(hb_eval_mod_choose(all->eval_mod, &wanted.eval_mod));
    return hb_bfv_choose_chain(spec, &wanted);
}

/* Names the least t that batches where a size has none. */
static hb_status fail_plain(uint32_t bits, const hb_params_spec *spec)
{
    const uint64_t step = 2 * (uint64_t)spec->n, least = hb_params_nearest_prime(spec, step, step, 2, most_plain);
    return HB_FAIL(HB_ECONFIG,
                   "--plain-bits %" PRIu32 ": no t of this size batches at N = %zu, as t is a prime = 1 mod 2N; the "
                   "least that does is %" PRIu64 ", of %d bits",
                   bits, spec->n, least, 64 - __builtin_clzll(least));
}

/* The largest batching prime of that size that is not in the chain, with which t must share no factor. */
static hb_status find_plain(uint32_t bits, hb_params_spec *spec)
{
    uint64_t found[HB_MAX_LIMBS + 1];
    if (hb_create_primes(spec->n, &bits, 1, found) != HB_OK) {
        return fail_plain(bits, spec);
    }
    size_t count = 1;
    while (hb_params_in_chain(spec, found[count - 1])) { /* ends: the chain has at most HB_MAX_LIMBS */
        count++;
        HB_TRY(hb_find_primes(2 * (uint64_t)spec->n, bits, count, found));
    }
    spec->bfv.plain = found[count - 1];
    return HB_OK;
}

hb_status hb_bfv_find_plains(uint32_t bits, uint32_t count, hb_params_spec *spec)
{
    uint64_t found[HB_MAX_LIMBS + HB_MOST_RESIDUES];
    hb_bfv_spec *bfv = &spec->bfv;
    *bfv = (hb_bfv_spec){.plain_count = 0};
    for (size_t looked = 1; bfv->plain_count < count; looked++) {
        if (hb_find_primes(2 * (uint64_t)spec->n, bits, looked, found) != HB_OK) {
            return HB_FAIL(HB_ECONFIG,
                           "there are fewer than %" PRIu32 " primes of %" PRIu32 " bits that batch at N = %zu", count,
                           bits, spec->n);
        }
        if (!hb_params_in_chain(spec, found[looked - 1])) {
            bfv->plains[bfv->plain_count++] = found[looked - 1];
        }
    }
    bfv->plain = bfv->plains[0]; /* the largest, whose noise is the worst */
    if (count == 1) {
        *bfv = (hb_bfv_spec){.plain = bfv->plain};
    }
    return HB_OK;
}

/* Several, of one size, whose product holds integers of so many bits. */
static hb_status choose_several(const hb_bfv_choice *choice, hb_params_spec *spec)
{
    hb_residues residues;
    const bool sized = choice->plain_bits != HB_NOT_GIVEN;
    const uint64_t wide = choice->wide, most = sized ? choice->plain_bits : most_of_several;
    /* The largest primes below 2^b are so near to it that b - 1 bits are theirs in any case. */
    uint64_t count = most > 1 ? (wide + most - 2) / (most - 1) : HB_MOST_RESIDUES + 1;
    count = count < 2 ? 2 : count;
    const uint64_t bits = sized ? choice->plain_bits : wide / count + 1;
    if (count > HB_MOST_RESIDUES || bits > HB_PRIME_MAX_BITS) {
        return HB_FAIL(HB_ECONFIG, "%" PRIu64 " plain moduli of %" PRIu64 " bits: %d of %d bits at most", count, bits,
                       HB_MOST_RESIDUES, HB_PRIME_MAX_BITS);
    }
    HB_TRY(hb_bfv_find_plains((uint32_t)bits, (uint32_t)count, spec));
    HB_TRY(hb_residues_init(&residues, spec->bfv.plains, spec->bfv.plain_count));
    return hb_wide_bits(residues.product) > wide
               ? HB_OK
               : HB_FAIL(HB_ECONFIG,
                         "--wide %" PRIu64 ": %" PRIu64 " plain moduli of %" PRIu64
                         " bits at N = %zu have a product of %" PRIu32 " bits; give a larger --plain-bits",
                         wide, count, bits, spec->n, hb_wide_bits(residues.product));
}

static hb_status choose(const hb_params_choice *all, hb_params_spec *spec)
{
    const hb_bfv_choice *choice = &all->bfv;
    HB_TRY(hb_bfv_choice_check(choice));
    if (all->preset != NULL && choice->user_primes != HB_NOT_GIVEN) {
        return HB_FAIL(HB_EUSAGE, "--user-primes goes with --n and --eval-mod; presets called int-... have theirs");
    }
    if (choice->wide != HB_NOT_GIVEN) {
        return choose_several(choice, spec);
    }
    if (choice->plain != HB_NOT_GIVEN) {
        spec->bfv.plain = choice->plain;
        return HB_OK;
    }
    if (spec->bfv.plain != 0 && choice->plain_bits == HB_NOT_GIVEN) {
        return HB_OK; /* the preset's */
    }
    const uint64_t size = choice->plain_bits != HB_NOT_GIVEN ? choice->plain_bits : default_plain_bits;
    if (size > HB_PRIME_MAX_BITS) {
        return HB_FAIL(HB_ECONFIG, "--plain-bits %" PRIu64 ": t has 2 to %d bits", size, HB_PRIME_MAX_BITS);
    }
    return find_plain((uint32_t)size, spec);
}

static void value(char text[HB_PARAMS_VALUE], const hb_params_spec *spec)
{
    if (hb_spec_residues(spec) > 1) {
        snprintf(text, HB_PARAMS_VALUE, "%" PRIu32 " of %d bits", spec->bfv.plain_count,
                 64 - __builtin_clzll(spec->bfv.plains[0]));
        return;
    }
    snprintf(text, HB_PARAMS_VALUE, "%" PRIu64, spec->bfv.plain);
}

/* log2 of the probability that a pass of bootstrapping fails for a ciphertext; without bootstrapping it is not asked
 * for. */
static double failure_of(const hb_params_spec *spec)
{
    const hb_params of = {.spec = *spec};
    return hb_spec_can_bootstrap(spec) ? hb_quality_refresh_failure(&of, 1) : 0;
}

/* The bits of noise budget that a pass gives. */
typedef struct gains {
    double drawn, expected;
} gains;

/* Finds what a pass gives where noise is as large as it can read. Returns false where there is no bootstrapping. */
static bool bootstraps(const hb_params *params, gains *out)
{
    if (!hb_params_can_bootstrap(params)) {
        return false;
    }
    const double modulus = hb_log_modulus(params, params->fresh_limbs),
                 most = modulus - hb_eval_mod_form_of(params->spec.bootstrapping.eval_mod)->ratio_bits;
    const hb_quality worst = {.worst = most, .expected = most - hb_quality_margin(params), .powers = 1};
    hb_quality behind;
    if (hb_quality_refresh(params, HB_CERTAINTY_DRAWN, 0, worst, &behind) != HB_OK) {
        return false;
    }
    *out = (gains){most - behind.worst, most - behind.expected};
    return true;
}

static bool left_row(char row[HB_PARAMS_LEFT], const hb_params *params)
{
    gains gain;
    if (!bootstraps(params, &gain)) {
        return false;
    }
    snprintf(row, HB_PARAMS_LEFT, "%14" PRIu32 " %6.0f %16.1f %10.1f  %s", params->fresh_limbs,
             hb_decimal_down(hb_log_modulus(params, params->fresh_limbs), 0), hb_decimal_down(gain.drawn, 1),
             hb_decimal_down(gain.expected, 1), hb_failure_number_of(failure_of(&params->spec)).text);
    return true;
}

static json_t *left_json(const hb_params *params)
{
    gains gain;
    return bootstraps(params, &gain)
               ? json_pack("{s:i, s:f, s:f, s:f}", "user_primes", (int)params->fresh_limbs, "user_bits",
                           hb_log_modulus(params, params->fresh_limbs), "drawn", gain.drawn, "expected", gain.expected)
               : json_null();
}

static json_t *json(const hb_params_spec *spec)
{
    json_t *plains = hb_spec_residues(spec) > 1 ? json_array() : NULL;
    for (uint32_t i = 0; plains != NULL && i < spec->bfv.plain_count; i++) {
        (void)json_array_append_new(plains, hb_report_integer(spec->bfv.plains[i], false));
    }
    return json_pack("{s:o, s:o*, s:o}", "plain", hb_report_integer(spec->bfv.plain, false), "plains", plains,
                     "bootstrapping", hb_bootstrapping_json(spec, failure_of(spec)));
}

/* Prints several plain moduli and the range that they hold together. */
static void print_several(const hb_group *group, const hb_common *common, const hb_params *params)
{
    hb_residues residues;
    char text[32 * HB_MOST_RESIDUES] = "", all[HB_WIDE_TEXT], least[HB_WIDE_TEXT], most[HB_WIDE_TEXT];
    const hb_bfv_spec *bfv = &params->spec.bfv;
    if (hb_residues_init(&residues, bfv->plains, bfv->plain_count) != HB_OK) {
        return; /* parameters that are open have good ones */
    }
    for (uint32_t i = 0; i < bfv->plain_count; i++) {
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%" PRIu64, i > 0 ? ", " : "", bfv->plains[i]);
    }
    hb_console_result(group, common, "t             %" PRIu32 " plain moduli: %s; their product has %" PRIu32 " bits",
                      bfv->plain_count, text, hb_wide_bits(residues.product));
    hb_wide_text(all, hb_residues_most(&residues, false));
    hb_wide_text(least, hb_residues_least(&residues, true));
    hb_wide_text(most, hb_residues_most(&residues, true));
    hb_console_result(group, common, "values        0 .. %s unsigned, %s .. %s signed; %zu in %" PRIu32 " ciphertexts",
                      all, least, most, params->spec.n, bfv->plain_count);
}

/* Prints what users have, and the levels of each stage of a pass, from the highest one down. */
static void print_bootstrapping(const hb_group *group, const hb_common *common, const hb_params *params)
{
    const hb_params_spec *spec = &params->spec;
    const hb_bootstrapping_levels l = hb_bootstrapping_levels_of(spec);
    hb_console_result(group, common, "bootstrapping %s: of noise, whatever t is; a pass %s",
                      hb_eval_mod_word(spec->bootstrapping.eval_mod), hb_failure_text_of(failure_of(spec)).text);
    gains gain;
    if (bootstraps(params, &gain)) {
        hb_console_result(group, common,
                          "              gives %.1f bits of budget with all but 2^-64 of probability, %.1f expected",
                          hb_decimal_down(gain.drawn, 1), hb_decimal_down(gain.expected, 1));
    }
    hb_console_result(group, common, "              levels %" PRIu32 " .. %" PRIu32 " coefficients to slots", l.top,
                      l.eval_mod + 1);
    hb_console_result(group, common, "              levels %" PRIu32 " .. %" PRIu32 " EvalMod", l.eval_mod, l.join + 1);
    if (l.join > l.out) {
        hb_console_result(group, common, "              levels %" PRIu32 " .. %" PRIu32 " what undoes the sine%s",
                          l.join, l.out + 1, spec->bootstrapping.table_levels > 0 ? ", or applies a table" : "");
    }
    hb_console_result(group, common, "              levels %" PRIu32 " .. %" PRIu32 " slots to coefficients", l.out,
                      l.coefficients + 1);
    hb_console_result(group, common,
                      "              levels %" PRIu32 " .. 0 of users: %" PRIu32 " primes, %.1f bits; a "
                      "pass begins and ends at the highest of them",
                      l.coefficients, params->fresh_limbs,
                      hb_decimal_down(hb_log_modulus(params, params->fresh_limbs), 1));
}

/* Prints how keys are switched, and the secrets where there are two. */
static void print_switching(const hb_group *group, const hb_common *common, const hb_params *params)
{
    if (hb_params_can_bootstrap(params)) {
        print_bootstrapping(group, common, params);
    }
    if (!hb_spec_switches_like_seal(&params->spec)) {
        hb_params_print_switching(group, common, params);
    }
    if (hb_params_can_bootstrap(params)) {
        hb_console_result(group, common, "secret        uniform ternary");
        hb_bootstrapping_print_sparse(group, common, &params->spec);
    }
}

static void print(const hb_group *group, const hb_common *common, const hb_params *params)
{
    if (hb_spec_residues(&params->spec) > 1) {
        print_several(group, common, params);
        print_switching(group, common, params);
        return;
    }
    const uint64_t t = params->spec.bfv.plain;
    hb_console_result(group, common, "t             %" PRIu64 " (%" PRIu32 " bits), batching %s", t,
                      params->ring.moduli[hb_bfv_of(params)->plain_id].bits,
                      hb_bfv_of(params)->batching ? "yes" : "no: coefficients only");
    hb_console_result(group, common,
                      "values        0 .. %" PRIu64 " unsigned, -%" PRIu64 " .. %" PRIu64 " signed; %zu a ciphertext",
                      t - 1, (t - 1) / 2, t / 2, params->spec.n);
    print_switching(group, common, params);
}

const hb_params_words hb_bfv_words = {.options = "--plain, --plain-bits, --wide, --user-primes",
                                      .asked = "--plain, --plain-bits, --wide",
                                      .heading = "t",
                                      .is_chosen = is_chosen,
                                      .makes_chain = makes_chain,
                                      .chain = chain,
                                      .choose = choose,
                                      .value = value,
                                      .json = json,
                                      .print = print,
                                      .left_heading = "users' primes   bits  a pass gives drawn  expected  fails, a "
                                                      "ciphertext",
                                      .left = left_row,
                                      .left_json = left_json};
