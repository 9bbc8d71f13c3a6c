#include "params_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/prime.h"
#include "parse.h"
#include "scheme/params.h"

static const uint64_t default_plain_bits = 20;

void hb_params_options(hb_option rows[HB_PARAMS_OPTIONS], hb_params_choice *choice)
{
    *choice = (hb_params_choice){
        .n = HB_NOT_GIVEN, .plain = HB_NOT_GIVEN, .plain_bits = HB_NOT_GIVEN, .security_table = HB_NOT_GIVEN};
    const hb_option values[HB_PARAMS_OPTIONS] = {
        {"params", 'p', HB_OPTION_TEXT, &choice->preset, "NAME",
         "preset, as bfv-8192; `hebatch params list` shows them"},
        {"n", 0, HB_OPTION_NUMBER, &choice->n, "N", "instead of a preset: ring degree, 1024 to 131072"},
        {"primes", 0, HB_OPTION_TEXT, &choice->primes, "A,B,..",
         "with --n: the chain, each = 1 mod 2N; the last one is special"},
        {"bits", 0, HB_OPTION_TEXT, &choice->bits, "B,B,..",
         "with --n: sizes of the primes of the chain, 2 to 60 bits"},
        {"plain", 't', HB_OPTION_NUMBER, &choice->plain, "T", "plain modulus t; batching needs a prime = 1 mod 2N"},
        {"plain-bits", 0, HB_OPTION_NUMBER, &choice->plain_bits, "B",
         "t = the largest prime of this size that batches (default 20)"},
        {"security", 0, HB_OPTION_TEXT, &choice->security, "BITS",
         "128 (default), 192 or 256; 128q, 192q, 256q: against quantum computers"},
        {"security-table", 0, HB_OPTION_NUMBER, &choice->security_table, "YEAR",
         "2024: by the guidelines of ePrint 2024/463 (default); 2018: by the\nHE standard and SEAL (default for "
         "seal-...)"},
        {"insecure", 0, HB_OPTION_FLAG, &choice->insecure, NULL,
         "allow a chain above that table; stamped into every file made"}};
    memcpy(rows, values, sizeof values);
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

static hb_status choose_plain(const hb_params_choice *choice, hb_params_spec *spec)
{
    if (choice->plain != HB_NOT_GIVEN && choice->plain_bits != HB_NOT_GIVEN) {
        return HB_FAIL(HB_EUSAGE, "--plain and --plain-bits both choose t: give one of them");
    }
    if (choice->plain != HB_NOT_GIVEN) {
        spec->bfv.plain = choice->plain;
        return HB_OK;
    }
    if (spec->bfv.plain != 0 && choice->plain_bits == HB_NOT_GIVEN) {
        return HB_OK; /* the preset's */
    }
    uint64_t size = choice->plain_bits != HB_NOT_GIVEN ? choice->plain_bits : default_plain_bits;
    if (size > HB_PRIME_MAX_BITS) {
        return HB_FAIL(HB_ECONFIG, "--plain-bits %" PRIu64 ": t has 2 to %d bits", size, HB_PRIME_MAX_BITS);
    }
    return find_plain((uint32_t)size, spec);
}

hb_status hb_security_choose(const char *level, uint64_t year, hb_security *security)
{
    hb_security chosen = *security;
    if (level != NULL) {
        chosen.quantum = level[0] != '\0' && level[strlen(level) - 1] == 'q';
        chosen.level = strncmp(level, "128", 3) == 0   ? 128
                       : strncmp(level, "192", 3) == 0 ? 192
                       : strncmp(level, "256", 3) == 0 ? 256
                                                       : 0;
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
    HB_TRY(choose_plain(choice, &chosen));
    HB_TRY(hb_security_choose(choice->security, choice->security_table, &chosen.security));
    chosen.insecure = choice->insecure;
    *spec = chosen;
    return HB_OK;
}
