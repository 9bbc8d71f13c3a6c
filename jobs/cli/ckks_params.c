/* Parameters of CKKS on the command line, in lines and in reports: the parts that other schemes lack. */
#include "ckks/params.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/outward.h"
#include "bootstrapping/chain.h"
#include "bootstrapping/eval_mod.h"
#include "bootstrapping_params.h"
#include "ckks/presets.h"
#include "console.h"
#include "params_options.h"
#include "parse.h"
#include "report.h"
#include "scheme/quality.h"

void hb_ckks_options(hb_option rows[HB_CKKS_OPTIONS], hb_ckks_choice *choice)
{
    *choice = (hb_ckks_choice){.scale_bits = HB_NOT_GIVEN, .levels = HB_NOT_GIVEN, .first_bits = HB_NOT_GIVEN};
    const hb_option own[] = {{"scale-bits", 0, HB_OPTION_NUMBER, &choice->scale_bits, "B",
                              "ckks: the scale of the lowest level is 2^B; from 64 on levels have two primes"},
                             {"levels", 0, HB_OPTION_NUMBER, &choice->levels, "L",
                              "ckks, instead of --bits: of a chain for so many products in turn"},
                             {"first-bits", 0, HB_OPTION_NUMBER, &choice->first_bits, "B",
                              "with --levels: bits of the lowest level's prime, or of each of its two (50 at most)"},
                             {"like-seal", 0, HB_OPTION_FLAG, &choice->like_seal, NULL,
                              "ckks, with --bits or --primes: word for word as Microsoft SEAL"}};
    _Static_assert(sizeof own / sizeof *own == HB_CKKS_OPTIONS, "every row is there");
    memcpy(rows, own, sizeof own);
}

static bool is_chosen(const hb_params_choice *choice)
{
    const hb_ckks_choice *own = &choice->ckks;
    return own->scale_bits != HB_NOT_GIVEN || own->levels != HB_NOT_GIVEN || own->first_bits != HB_NOT_GIVEN ||
           own->like_seal;
}

static bool makes_chain(const hb_params_choice *choice)
{
    return choice->ckks.levels != HB_NOT_GIVEN;
}

/* Replaces the literal's bootstrapping if one was given. */
static hb_status choose_bootstrapping(const hb_params_choice *all, hb_bootstrapping_spec *spec)
{
    hb_eval_mod form;
    if (all->eval_mod == NULL) {
        return HB_OK;
    }
    HB_TRY(hb_eval_mod_choose(all->eval_mod, &form));
    *spec = hb_ckks_bootstrapping(form);
    return HB_OK;
}

/* Numbers that a literal has no room for are of no use to any. */
static uint32_t narrow(uint64_t number)
{
    return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

static hb_status chain(const hb_params_choice *all, hb_params_spec *spec)
{
    const hb_ckks_choice *choice = &all->ckks;
    if (choice->scale_bits == HB_NOT_GIVEN) {
        return HB_FAIL(HB_EUSAGE, "--levels needs a scale: give it with --scale-bits B, as --scale-bits 40");
    }
    if (choice->like_seal || all->digit_primes != HB_NOT_GIVEN) {
        return HB_FAIL(HB_EUSAGE, "--levels finds primes and digits of its own: give --bits or --primes with %s",
                       choice->like_seal ? "--like-seal" : "--digit-primes");
    }
    if (all->special_primes == 0 || choice->first_bits == 0) {
        return HB_FAIL(HB_ECONFIG, "--levels: a chain has one special prime or more, and a q_0");
    }
    HB_TRY(choose_bootstrapping(all, &spec->bootstrapping));
    const hb_ckks_chain wanted = {.first_bits = choice->first_bits != HB_NOT_GIVEN ? narrow(choice->first_bits) : 0,
                                  .scale_bits = narrow(choice->scale_bits),
                                  .levels = narrow(choice->levels),
                                  .special_limbs =
                                      all->special_primes != HB_NOT_GIVEN ? narrow(all->special_primes) : 0};
    return hb_ckks_choose_chain(spec, &wanted);
}

static hb_status choose(const hb_params_choice *all, hb_params_spec *spec)
{
    const hb_ckks_choice *choice = &all->ckks;
    if (makes_chain(all)) {
        return HB_OK;
    }
    if (choice->first_bits != HB_NOT_GIVEN) {
        return HB_FAIL(HB_EUSAGE, "--first-bits goes with --levels; --bits has the size of every prime");
    }
    if (choice->like_seal && all->preset != NULL) {
        return HB_FAIL(HB_EUSAGE, "--like-seal goes with --n, --bits or --primes; presets called seal-ckks-... are "
                                  "like SEAL");
    }
    if (choice->scale_bits == HB_NOT_GIVEN && spec->ckks.scale_bits == 0) {
        return HB_FAIL(HB_EUSAGE, "parameters of CKKS need a scale: give it with --scale-bits B, as --scale-bits 40");
    }
    const uint32_t own = spec->ckks.scale_bits, said = narrow(choice->scale_bits);
    if (all->preset != NULL && choice->scale_bits != HB_NOT_GIVEN && (said > own + 1 || said + 1 < own)) {
        return HB_FAIL(HB_ECONFIG,
                       "%.64s has a scale of 2^%" PRIu32
                       " and primes for it; for another one: --n %zu --levels L --scale-bits %" PRIu32,
                       all->preset, own, spec->n, said);
    }
    if (choice->scale_bits != HB_NOT_GIVEN) {
        spec->ckks.scale_bits = narrow(choice->scale_bits);
        spec->ckks.level_primes = hb_ckks_level_primes(spec->ckks.scale_bits);
    }
    spec->ckks.like_seal = spec->ckks.like_seal || choice->like_seal;
    return choose_bootstrapping(all, &spec->bootstrapping);
}

static void value(char text[HB_PARAMS_VALUE], const hb_params_spec *spec)
{
    snprintf(text, HB_PARAMS_VALUE, "2^%" PRIu32, spec->ckks.scale_bits);
}

/* The exact scales, from the lowest level up. */
static json_t *scales_json(const hb_params_spec *spec)
{
    hb_exact_scale scales[HB_MAX_LIMBS];
    char text[HB_EXACT_SCALE_TEXT];
    json_t *list = json_array();
    const uint32_t levels = hb_ckks_scales(scales, spec);
    for (uint32_t l = 0; l < levels; l++) {
        hb_exact_scale_text(text, scales[l]);
        if (json_array_append_new(list, json_string(text)) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

/* log2 of the probability that a bootstrap fails for a ciphertext; without bootstrapping it is not asked for. */
static double failure_of(const hb_params_spec *spec)
{
    return hb_spec_can_bootstrap(spec) ? hb_eval_mod_form_of(spec->bootstrapping.eval_mod)->failure_bits : 0;
}

static json_t *json(const hb_params_spec *spec)
{
    return json_pack("{s:s, s:i, s:o, s:b, s:i, s:o}", "scheme", "ckks", "scale_bits", (int)spec->ckks.scale_bits,
                     "scales", scales_json(spec), "like_seal", spec->ckks.like_seal, "level_primes",
                     (int)hb_spec_level_limbs(spec), "bootstrapping", hb_bootstrapping_json(spec, failure_of(spec)));
}

/* The levels and bits that a bootstrap leaves. */
typedef struct remains {
    uint32_t fresh_levels;   /* of ciphertexts as they are encrypted: products one after another */
    uint32_t levels;         /* until the next bootstrap */
    double proven, expected; /* bits (hb_quality_bits) */
} remains;

/* Finds the rest of values in [-1, 1] without an error of their own. Returns false where there is no bootstrapping. */
static bool bootstraps(const hb_params *params, remains *left)
{
    const hb_quality_factor values = {.quality = {.powers = 1}, .size = 2, .values = {.most = 0, .mean = 0}};
    hb_quality quality;
    if (!hb_params_can_bootstrap(params) ||
        hb_quality_bootstrap(params, HB_BOOTSTRAP_COMPLEX, 0, false, values, &quality) != HB_OK) {
        return false;
    }
    const hb_bootstrapping_levels l = hb_bootstrapping_levels_of(&params->spec);
    *left = (remains){.fresh_levels = hb_params_level(params, params->fresh_limbs),
                      .levels = l.out - l.stc,
                      .proven = hb_quality_bits(params, l.out + 1, quality.worst),
                      .expected = hb_quality_bits(params, l.out + 1, quality.expected)};
    return true;
}

static bool left_row(char row[HB_PARAMS_LEFT], const hb_params *params)
{
    remains left;
    if (!bootstraps(params, &left)) {
        return false;
    }
    snprintf(row, HB_PARAMS_LEFT, "%12" PRIu32 " %22" PRIu32 " %12.1f %14.1f  %s", left.fresh_levels, left.levels,
             hb_decimal_down(left.proven, 1), hb_decimal_down(left.expected, 1),
             hb_failure_number_of(failure_of(&params->spec)).text);
    return true;
}

static json_t *left_json(const hb_params *params)
{
    remains left;
    return bootstraps(params, &left)
               ? json_pack("{s:i, s:i, s:f, s:f}", "fresh_levels", (int)left.fresh_levels, "levels", (int)left.levels,
                           "proven", left.proven, "expected", left.expected)
               : json_null();
}

/* Prints the levels of each stage, from the highest one down, and a bootstrap's remaining levels and probability of
 * failure. */
static void print_bootstrapping(const hb_group *group, const hb_common *common, const hb_params *params)
{
    const hb_params_spec *spec = &params->spec;
    const hb_bootstrapping_levels l = hb_bootstrapping_levels_of(spec);
    remains left;
    char undone[64] = "";
    if (l.join > l.out) {
        snprintf(undone, sizeof undone, ", the highest %" PRIu32 " by what undoes the sine as well", l.join - l.out);
    }
    hb_console_result(group, common,
                      "bootstrapping %s: from level %" PRIu32 " to level %" PRIu32 ", %" PRIu32
                      " products between two bootstraps; %s",
                      hb_eval_mod_word(spec->bootstrapping.eval_mod), l.stc, l.out, l.out - l.stc,
                      hb_failure_text_of(failure_of(spec)).text);
    if (bootstraps(params, &left)) {
        hb_console_result(group, common, "              leaves %s, %s, of values within 1",
                          hb_human_bits(left.proven, true, "bits proven", "no bits proven").text,
                          hb_human_bits(left.expected, true, "expected", "none expected").text);
    }
    hb_console_result(group, common, "              levels %" PRIu32 " .. %" PRIu32 " coefficients to slots", l.top,
                      l.eval_mod + 1);
    hb_console_result(group, common, "              levels %" PRIu32 " .. %" PRIu32 " EvalMod", l.eval_mod, l.join + 1);
    hb_console_result(group, common, "              levels %" PRIu32 " .. %" PRIu32 " computed on%s", l.join, l.stc + 1,
                      undone);
    hb_console_result(
        group, common,
        "              levels %" PRIu32 " .. 1 slots to coefficients; computed on where no bootstrap follows", l.stc);
}

static void print_scales(const hb_group *group, const hb_common *common, const hb_params *params)
{
    char text[HB_EXACT_SCALE_TEXT];
    bool apart = false;
    for (uint32_t limbs = params->fresh_limbs; limbs > 0; limbs -= hb_params_level_limbs(params)) {
        const hb_exact_scale scale = hb_ckks_scale(params, limbs);
        hb_exact_scale_text(text, scale);
        hb_console_result(group, common, "%-13s level %-3" PRIu32 " 2^%-10.6f %s",
                          limbs == params->fresh_limbs ? "scale" : "", hb_params_level(params, limbs),
                          hb_exact_scale_log2(scale), text);
        const bool lowest = limbs == hb_params_level_limbs(params);
        apart = apart || (!lowest && !hb_ckks_products_go_down(&params->spec, limbs));
    }
    if (params->spec.ckks.like_seal) {
        hb_console_result(group, common, "              as Microsoft SEAL has them of squares that are rescaled%s",
                          apart ? "; where the next is no quotient, primes are too far from the scale for products"
                                : "");
    }
}

static void print(const hb_group *group, const hb_common *common, const hb_params *params)
{
    hb_console_result(group, common, "levels        %" PRIu32 ": products one after another%s",
                      hb_params_level(params, params->fresh_limbs),
                      hb_params_level_limbs(params) > 1 ? ", two primes each" : "");
    hb_console_result(group, common, "values        %zu complex numbers a ciphertext", params->spec.n / 2);
    print_scales(group, common, params);
    if (hb_params_can_bootstrap(params)) {
        print_bootstrapping(group, common, params);
    }
    hb_params_print_switching(group, common, params);
    hb_console_result(group, common, "secret        uniform ternary; errors Gaussian of standard deviation 3.2");
    if (hb_params_can_bootstrap(params)) {
        hb_bootstrapping_print_sparse(group, common, &params->spec);
    }
}

const hb_params_words hb_ckks_words = {.options = "--scale-bits, --levels, --first-bits, --like-seal",
                                       .asked = "--scale-bits, --levels, --first-bits, --like-seal",
                                       .heading = "scale",
                                       .is_chosen = is_chosen,
                                       .makes_chain = makes_chain,
                                       .chain = chain,
                                       .choose = choose,
                                       .value = value,
                                       .json = json,
                                       .print = print,
                                       .left_heading =
                                           "fresh levels levels after bootstrap  bits proven  bits expected  fails, a "
                                           "ciphertext",
                                       .left = left_row,
                                       .left_json = left_json};
