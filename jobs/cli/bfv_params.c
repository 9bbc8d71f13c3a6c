/* Parameters of BFV on the command line, in lines and in reports: what they have besides those of all schemes. */
#include "bfv/params.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/prime.h"
#include "console.h"
#include "params_options.h"
#include "report.h"

static const uint64_t default_plain_bits = 20;

void hb_bfv_options(hb_option rows[HB_BFV_OPTIONS], hb_bfv_choice *choice)
{
    *choice = (hb_bfv_choice){.plain = HB_NOT_GIVEN, .plain_bits = HB_NOT_GIVEN};
    const hb_option own[HB_BFV_OPTIONS] = {
        {"plain", 't', HB_OPTION_NUMBER, &choice->plain, "T", "plain modulus t; batching needs a prime = 1 mod 2N"},
        {"plain-bits", 0, HB_OPTION_NUMBER, &choice->plain_bits, "B",
         "t = the largest prime of this size that batches (default 20)"}};
    memcpy(rows, own, sizeof own);
}

hb_status hb_bfv_choice_check(const hb_bfv_choice *choice)
{
    if (choice->plain != HB_NOT_GIVEN && choice->plain_bits != HB_NOT_GIVEN) {
        return HB_FAIL(HB_EUSAGE, "--plain and --plain-bits both choose t: give one of them");
    }
    return HB_OK;
}

static bool is_chosen(const hb_params_choice *choice)
{
    return choice->bfv.plain != HB_NOT_GIVEN || choice->bfv.plain_bits != HB_NOT_GIVEN;
}

/* The largest batching prime of that size that is not in the chain, with which t must share no factor. */
static hb_status find_plain(uint32_t bits, hb_params_spec *spec)
{
    uint64_t found[HB_MAX_LIMBS + 1];
    HB_TRY(hb_create_primes(spec->n, &bits, 1, found));
    size_t count = 1;
    while (hb_params_in_chain(spec, found[count - 1])) { /* ends: the chain has at most HB_MAX_LIMBS */
        count++;
        HB_TRY(hb_find_primes(2 * (uint64_t)spec->n, bits, count, found));
    }
    spec->bfv.plain = found[count - 1];
    return HB_OK;
}

static hb_status choose(const hb_params_choice *all, hb_params_spec *spec)
{
    const hb_bfv_choice *choice = &all->bfv;
    HB_TRY(hb_bfv_choice_check(choice));
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
    snprintf(text, HB_PARAMS_VALUE, "%" PRIu64, spec->bfv.plain);
}

static json_t *json(const hb_params_spec *spec)
{
    return json_pack("{s:o}", "plain", hb_report_integer(spec->bfv.plain, false));
}

static void print(const hb_group *group, const hb_common *common, const hb_params *params)
{
    const uint64_t t = params->spec.bfv.plain;
    hb_console_result(group, common, "t             %" PRIu64 " (%" PRIu32 " bits), batching %s", t,
                      params->ring.moduli[hb_bfv_of(params)->plain_id].bits,
                      hb_bfv_of(params)->batching ? "yes" : "no: coefficients only");
    hb_console_result(group, common,
                      "values        0 .. %" PRIu64 " unsigned, -%" PRIu64 " .. %" PRIu64 " signed; %zu a ciphertext",
                      t - 1, (t - 1) / 2, t / 2, params->spec.n);
    if (!hb_spec_switches_like_seal(&params->spec)) {
        hb_params_print_switching(group, common, params);
    }
}

const hb_params_words hb_bfv_words = {.options = "--plain, --plain-bits",
                                      .heading = "t",
                                      .is_chosen = is_chosen,
                                      .choose = choose,
                                      .value = value,
                                      .json = json,
                                      .print = print};
