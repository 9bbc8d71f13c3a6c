#include "params_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/prime.h"
#include "console.h"
#include "parse.h"
#include "report.h"
#include "rlwe/switch_key.h"
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

void hb_params_counted(char text[HB_PARAMS_COUNTED], const hb_params_spec *spec)
{
    text[0] = '\0';
    if (hb_spec_residues(spec) > 1) {
        snprintf(text, HB_PARAMS_COUNTED, ", those of all %" PRIu32 " plain moduli", hb_spec_residues(spec));
    }
}

void hb_params_print_switching(const hb_group *group, const hb_common *common, const hb_params *params)
{
    if (!hb_params_can_switch(params)) {
        return;
    }
    const double seeds = (double)params->gadget.digits.count * HB_SEED_BYTES;
    hb_console_result(group, common,
                      "key switching %" PRIu32 " digits; primes a digit up to %" PRIu32 ", special primes %" PRIu32,
                      params->gadget.digits.count, params->gadget.alpha, params->special_limbs);
    hb_console_result(group, common, "key           %s on disk (seeded), %s in the memory of a device",
                      hb_human_bytes((double)hb_switch_key_packed_bytes(params) + seeds).text,
                      hb_human_bytes((double)hb_switch_key_prepared_bytes(params)).text);
}

void hb_params_options(hb_option rows[HB_PARAMS_OPTIONS], hb_params_choice *choice)
{
    enum { CHAIN = 8, SECURITY = 3 };
    *choice = (hb_params_choice){.n = HB_NOT_GIVEN,
                                 .special_primes = HB_NOT_GIVEN,
                                 .digit_primes = HB_NOT_GIVEN,
                                 .security_table = HB_NOT_GIVEN};
    const hb_option chain[] = {
        {"params", 'p', HB_OPTION_TEXT, &choice->preset, "NAME",
         "preset, as bfv-8192; `hebatch params list` shows them"},
        {"n", 0, HB_OPTION_NUMBER, &choice->n, "N", "instead of a preset: ring degree, 1024 to 131072"},
        {"primes", 0, HB_OPTION_TEXT, &choice->primes, "A,B,..",
         "with --n: the chain, each = 1 mod 2N; the last one is special"},
        {"bits", 0, HB_OPTION_TEXT, &choice->bits, "B,B,..",
         "with --n: sizes of the primes of the chain, 2 to 60 bits"},
        {"scheme", 0, HB_OPTION_TEXT, &choice->scheme, "NAME",
         "bfv, exact integers (default); ckks, approximate reals"},
        {"special-primes", 0, HB_OPTION_NUMBER, &choice->special_primes, "P",
         "primes at the end that are special (default 1), not below any digit"},
        {"digit-primes", 0, HB_OPTION_NUMBER, &choice->digit_primes, "D",
         "most primes of a digit (default: as many as there are special ones)"},
        {"eval-mod", 0, HB_OPTION_TEXT, &choice->eval_mod, "FORM",
         "with --n: levels for bootstrapping: cubic, light, fine; sure, fine-sure (cannot fail)"}};
    _Static_assert(sizeof chain / sizeof *chain == CHAIN, "every row is there");
    const hb_option security[] = {{"security", 0, HB_OPTION_TEXT, &choice->security, "BITS",
                                   "128 (default), 192 or 256; 128q, 192q, 256q: against quantum computers"},
                                  {"security-table", 0, HB_OPTION_NUMBER, &choice->security_table, "YEAR",
                                   "2024: ePrint 2024/463 (default); 2018: HE standard (default: seal-...)"},
                                  {"insecure", 0, HB_OPTION_FLAG, &choice->insecure, NULL,
                                   "allow a chain above that table; stamped into every file made"}};
    _Static_assert(sizeof security / sizeof *security == SECURITY, "every row is there");
    memcpy(rows, chain, sizeof chain);
    hb_bfv_options(rows + CHAIN, &choice->bfv);
    hb_ckks_options(rows + CHAIN + HB_BFV_OPTIONS, &choice->ckks);
    memcpy(rows + CHAIN + HB_BFV_OPTIONS + HB_CKKS_OPTIONS, security, sizeof security);
}

bool hb_params_is_chosen(const hb_params_choice *choice)
{
    bool any = choice->preset != NULL || choice->primes != NULL || choice->bits != NULL || choice->n != HB_NOT_GIVEN ||
               choice->scheme != NULL || choice->special_primes != HB_NOT_GIVEN ||
               choice->digit_primes != HB_NOT_GIVEN || choice->security != NULL ||
               choice->security_table != HB_NOT_GIVEN || choice->eval_mod != NULL;
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

/* Options of one scheme say nothing of another. */
static hb_status check_others(const hb_params_choice *choice, hb_scheme scheme)
{
    for (size_t i = 0; i < HB_SCHEMES; i++) {
        if (i != (size_t)scheme && words[i]->is_chosen(choice)) {
            return HB_FAIL(HB_EUSAGE, "%s: one of these was given, and the parameters are of %s", words[i]->options,
                           hb_scheme_name(scheme));
        }
    }
    return HB_OK;
}

hb_status hb_params_choose_scheme(const hb_params_choice *choice, hb_scheme *scheme)
{
    char known[64] = "";
    *scheme = HB_BFV;
    for (size_t i = 0; i < HB_SCHEMES; i++) {
        const char *word = hb_scheme_word((hb_scheme)i);
        const bool named = choice->scheme != NULL && strcmp(choice->scheme, word) == 0;
        if (named || (choice->scheme == NULL && words[i]->is_chosen(choice))) {
            *scheme = (hb_scheme)i;
            return check_others(choice, *scheme);
        }
        const size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i == 0 ? "" : ", ", word);
    }
    return choice->scheme == NULL ? HB_OK
                                  : HB_FAIL(HB_EUSAGE, "--scheme %.32s: no scheme has this name; the schemes are %s",
                                            choice->scheme, known);
}

static hb_status check_scheme(const hb_params_choice *choice, hb_scheme scheme)
{
    if (choice->scheme != NULL && strcmp(choice->scheme, hb_scheme_word(scheme)) != 0) {
        return HB_FAIL(HB_EUSAGE, "--scheme %.32s, and --params %.64s is of %s", choice->scheme, choice->preset,
                       hb_scheme_name(scheme));
    }
    return check_others(choice, scheme);
}

/* Applies the options of key switching. */
static hb_status choose_digits(const hb_params_choice *choice, hb_params_spec *spec)
{
    const struct {
        const char *option;
        uint64_t given;
        uint32_t *to;
    } numbers[] = {{"--special-primes", choice->special_primes, &spec->special_limbs},
                   {"--digit-primes", choice->digit_primes, &spec->digit_limbs}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (numbers[i].given == HB_NOT_GIVEN) {
            continue;
        }
        if (numbers[i].given < 1 || numbers[i].given > HB_MAX_LIMBS) {
            return HB_FAIL(HB_ECONFIG, "%s %" PRIu64 ": 1 to %d", numbers[i].option, numbers[i].given, HB_MAX_LIMBS);
        }
        *numbers[i].to = (uint32_t)numbers[i].given;
    }
    return HB_OK;
}

/* A chain of its own. */
static hb_status choose_own(const hb_params_choice *choice, hb_params_spec *spec)
{
    HB_TRY(hb_params_choose_scheme(choice, &spec->scheme));
    const hb_params_words *own = hb_params_words_of(spec);
    const bool makes_chain = own->makes_chain != NULL && own->makes_chain(choice);
    if (choice->n == HB_NOT_GIVEN || (choice->primes != NULL) + (choice->bits != NULL) + makes_chain != 1) {
        return HB_FAIL(HB_EUSAGE, "choose parameters with --params NAME, or with --n N and one of --primes and --bits, "
                                  "for CKKS --levels, for integers that bootstrap --eval-mod");
    }
    if (choice->n > (uint64_t)1 << HB_RING_MAX_LOG_N || (choice->n & (choice->n - 1)) != 0) {
        return HB_FAIL(HB_ECONFIG, "--n %" PRIu64 " is not a power of two from %d to %d", choice->n, 1 << HB_MIN_LOG_N,
                       1 << HB_RING_MAX_LOG_N);
    }
    spec->n = (size_t)choice->n;
    return makes_chain ? own->chain(choice, spec) : choose_chain(choice, spec);
}

hb_status hb_params_choose(const hb_params_choice *choice, hb_params_spec *spec)
{
    hb_params_spec chosen = {.security = hb_security_default()};
    bool own_chain = choice->n != HB_NOT_GIVEN || choice->primes != NULL || choice->bits != NULL;
    for (size_t i = 0; i < HB_SCHEMES; i++) {
        own_chain = own_chain || (words[i]->makes_chain != NULL && words[i]->makes_chain(choice));
    }
    if (choice->preset != NULL && own_chain) {
        return HB_FAIL(HB_EUSAGE, "--params names a whole chain: leave out --n, --primes and --bits, or --params");
    }
    if (choice->preset != NULL && choice->eval_mod != NULL) {
        return HB_FAIL(HB_EUSAGE, "--eval-mod goes with --n; presets called boot-... and int-... have levels for it");
    }
    HB_TRY(choice->preset != NULL ? hb_params_preset(choice->preset, &chosen) : choose_own(choice, &chosen));
    HB_TRY(check_scheme(choice, chosen.scheme));
    HB_TRY(choose_digits(choice, &chosen));
    HB_TRY(hb_params_words_of(&chosen)->choose(choice, &chosen));
    HB_TRY(hb_security_choose(choice->security, choice->security_table, &chosen.security));
    chosen.insecure = choice->insecure || (choice->for_tests && chosen.insecure);
    *spec = chosen;
    return HB_OK;
}
