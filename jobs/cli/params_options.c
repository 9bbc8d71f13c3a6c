#include "params_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/prime.h"
#include "parse.h"
#include "scheme/params.h"

static const hb_params_words *const words[] = {[HB_BFV] = &hb_bfv_words, [HB_CKKS] = &hb_ckks_words};
HB_ROW_PER_SCHEME(words);

const hb_params_words *hb_params_words_of(const hb_params_spec *spec)
{
    HB_ASSERT((size_t)spec->scheme < HB_SCHEMES);
    return words[spec->scheme];
}

void hb_params_brief(char text[HB_PARAMS_BRIEF], const hb_params_spec *spec)
{
    char value[HB_PARAMS_VALUE];
    hb_params_words_of(spec)->value(value, spec);
    snprintf(text, HB_PARAMS_BRIEF, "%s %s", hb_params_words_of(spec)->heading, value);
}

void hb_params_options(hb_option rows[HB_PARAMS_OPTIONS], hb_params_choice *choice)
{
    enum { CHAIN = 4, SECURITY = 3 };
    *choice = (hb_params_choice){.n = HB_NOT_GIVEN, .security_table = HB_NOT_GIVEN};
    const hb_option chain[CHAIN] = {
        {"params", 'p', HB_OPTION_TEXT, &choice->preset, "NAME",
         "preset, as bfv-8192; `hebatch params list` shows them"},
        {"n", 0, HB_OPTION_NUMBER, &choice->n, "N", "instead of a preset: ring degree, 1024 to 131072"},
        {"primes", 0, HB_OPTION_TEXT, &choice->primes, "A,B,..",
         "with --n: the chain, each = 1 mod 2N; the last one is special"},
        {"bits", 0, HB_OPTION_TEXT, &choice->bits, "B,B,..",
         "with --n: sizes of the primes of the chain, 2 to 60 bits"}};
    const hb_option security[SECURITY] = {
        {"security", 0, HB_OPTION_TEXT, &choice->security, "BITS",
         "128 (default), 192 or 256; 128q, 192q, 256q: against quantum computers"},
        {"security-table", 0, HB_OPTION_NUMBER, &choice->security_table, "YEAR",
         "2024: by the guidelines of ePrint 2024/463 (default); 2018: by the\nHE standard and SEAL (default for "
         "seal-...)"},
        {"insecure", 0, HB_OPTION_FLAG, &choice->insecure, NULL,
         "allow a chain above that table; stamped into every file made"}};
    memcpy(rows, chain, sizeof chain);
    hb_bfv_options(rows + CHAIN, &choice->bfv);
    memcpy(rows + CHAIN + HB_BFV_OPTIONS, security, sizeof security);
}

bool hb_params_is_chosen(const hb_params_choice *choice)
{
    bool any = choice->preset != NULL || choice->primes != NULL || choice->bits != NULL || choice->n != HB_NOT_GIVEN ||
               choice->security != NULL || choice->security_table != HB_NOT_GIVEN;
    for (size_t i = 0; i < HB_SCHEMES; i++) {
        any = any || words[i]->is_chosen(choice);
    }
    return any;
}

static hb_status choose_chain(const hb_params_choice *choice, hb_params_spec *spec)
{
    uint64_t numbers[HB_MAX_LIMBS];
    size_t count = 0;
    if (choice->primes != NULL) {
        hb_status st = hb_parse_list(choice->primes, numbers, HB_MAX_LIMBS, &count);
        if (st != HB_OK) {
            return HB_FAIL(st, "--primes: %s", hb_last_error()->text);
        }
        memcpy(spec->primes, numbers, count * sizeof numbers[0]);
    } else {
        hb_status st = hb_parse_list(choice->bits, numbers, HB_MAX_LIMBS, &count);
        if (st != HB_OK) {
            return HB_FAIL(st, "--bits: %s", hb_last_error()->text);
        }
        uint32_t bits[HB_MAX_LIMBS];
        for (size_t i = 0; i < count; i++) {
            if (numbers[i] > HB_PRIME_MAX_BITS) {
                return HB_FAIL(HB_ECONFIG, "--bits: a prime of %" PRIu64 " bits; sizes are 2 to %d", numbers[i],
                               HB_PRIME_MAX_BITS);
            }
            bits[i] = (uint32_t)numbers[i];
        }
        HB_TRY(hb_create_primes(spec->n, bits, count, spec->primes));
    }
    spec->key_limbs = (uint32_t)count;
    return HB_OK;
}

hb_status hb_security_choose(const char *level, uint64_t year, hb_security *security)
{
    hb_security chosen = *security;
    if (level != NULL) {
        chosen.quantum = level[0] != '\0' && level[strlen(level) - 1] == 'q';
        chosen.level = 0;
        if (strncmp(level, "128", 3) == 0) {
            chosen.level = 128;
        } else if (strncmp(level, "192", 3) == 0) {
            chosen.level = 192;
        } else if (strncmp(level, "256", 3) == 0) {
            chosen.level = 256;
        }
        if (chosen.level == 0 || strlen(level) != (chosen.quantum ? 4 : 3)) {
            return HB_FAIL(
                HB_ECONFIG,
                "--security %.32s; the tables have 128, 192 and 256, and 128q, 192q and 256q against quantum "
                "computers",
                level);
        }
    }
    if (year != HB_NOT_GIVEN) {
        HB_TRY(hb_security_of_year(year, &chosen.table));
    } else if (chosen.quantum) {
        chosen.table = HB_SECURITY_2024; /* no other has it */
    }
    HB_TRY(hb_security_check(chosen));
    *security = chosen;
    return HB_OK;
}

hb_status hb_params_choose(const hb_params_choice *choice, hb_params_spec *spec)
{
    hb_params_spec chosen = {.security = hb_security_default()};
    bool own_chain = choice->n != HB_NOT_GIVEN || choice->primes != NULL || choice->bits != NULL;
    if (choice->preset != NULL && own_chain) {
        return HB_FAIL(HB_EUSAGE, "--params names a whole chain: leave out --n, --primes and --bits, or --params");
    }
    if (choice->preset != NULL) {
        HB_TRY(hb_params_preset(choice->preset, &chosen));
    } else if (choice->n == HB_NOT_GIVEN || (choice->primes == NULL) == (choice->bits == NULL)) {
        return HB_FAIL(HB_EUSAGE, "choose parameters with --params NAME, or with --n N and one of --primes and --bits");
    } else if (choice->n > (uint64_t)1 << HB_RING_MAX_LOG_N || (choice->n & (choice->n - 1)) != 0) {
        return HB_FAIL(HB_ECONFIG, "--n %" PRIu64 " is not a power of two from %d to %d", choice->n, 1 << HB_MIN_LOG_N,
                       1 << HB_RING_MAX_LOG_N);
    } else {
        chosen.n = (size_t)choice->n;
        HB_TRY(choose_chain(choice, &chosen));
    }
    HB_TRY(hb_params_words_of(&chosen)->choose(choice, &chosen));
    HB_TRY(hb_security_choose(choice->security, choice->security_table, &chosen.security));
    chosen.insecure = choice->insecure;
    *spec = chosen;
    return HB_OK;
}
