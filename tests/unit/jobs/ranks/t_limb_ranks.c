/* How many ranks share limbs: refused words, and the choice of `auto` against the rule in its header, tried out number
 * by number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/prime.h"
#include "mpi/group/group_private.h"
#include "ranks/limb_model.h"
#include "ranks/limb_ranks.h"
#include "scheme/params.h"
#include "unit/unit.h"

enum { N = 1024, LIMBS = 6, MOST_RANKS = 24 };

/* A group whose other ranks are as this one, but that one of them has less memory where `tight` says so. */
static uint64_t tight; /* bit k: a k-th of the limbs does not fit there */

static hb_status same_agree(hb_group *group, hb_status mine)
{
    (void)group;
    return mine;
}

static hb_status tight_max(hb_group *group, uint64_t *values, size_t count)
{
    (void)group;
    for (size_t k = 0; k < count; k++) {
        values[k] |= values[k] <= 1 && k < 64 ? tight >> k & 1 : 0; /* flags; the bytes that are needed are all alike */
    }
    return HB_OK;
}

/* Whether rank 0's choice differs. */
static bool others_differ;

static hb_status maybe_other(hb_group *group, void *data, size_t bytes, int root)
{
    (void)group;
    (void)root;
    ((uint8_t *)data)[bytes - 1] ^= others_differ;
    return HB_OK;
}

static const hb_group_ops ops = {.agree = same_agree, .max = tight_max, .broadcast = maybe_other};

static hb_group group_of(int size)
{
    return (hb_group){.ops = &ops, .size = size, .node_size = size};
}

/* Opens parameters whose products take long enough for several ranks to be worth while. */
static hb_params *open_preset(void)
{
    hb_params_spec spec;
    hb_params *params;
    assert_int_equal(hb_params_preset("bfv-32768", &spec), HB_OK);
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    return params;
}

static hb_params *open_params(void)
{
    hb_params_spec spec = {
        .n = N, .key_limbs = LIMBS + 1, .bfv.plain = 12289, .security = {.level = 128}, .insecure = true};
    hb_params *params;
    assert_int_equal(hb_create_primes(N, (const uint32_t[]){30, 30, 30, 30, 30, 30, 31}, LIMBS + 1, spec.primes),
                     HB_OK);
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    return params;
}

enum { LIMB = 1 << 20 };

static uint64_t least_bytes(const void *context, const hb_params *params)
{
    (void)context;
    return (uint64_t)hb_params_most_limbs(params, params->ids, params->data_limbs) * LIMB;
}

static hb_status choose(hb_params *params, const char *word, int ranks, uint64_t memory, uint64_t units, uint32_t *k)
{
    hb_option rows[HB_LIMB_OPTIONS];
    hb_limb_choice choice;
    hb_limb_options(rows, &choice);
    choice.ranks = word;
    hb_group group = group_of(ranks);
    const hb_device device = {.gpu = true, .memory = memory};
    const hb_limb_requirements requirements = {units, least_bytes, NULL};
    *k = 0;
    const hb_status st = hb_limb_ranks_choose(&choice, &group, &device, &requirements, params, k);
    assert_true(st != HB_OK || params->map.members == *k);
    return st;
}

static void test_numbers(void **state)
{
    (void)state;
    const struct {
        const char *word;
        int ranks;
        hb_status status;
    } cases[] = {
        {"1", 1, HB_OK},      {"1", 5, HB_OK},        {"2", 4, HB_OK},        {"0x4", 4, HB_EUSAGE},
        {"6", 12, HB_OK},     {"0", 4, HB_EUSAGE},    {"-1", 4, HB_EUSAGE},   {"two", 4, HB_EUSAGE},
        {"", 4, HB_EUSAGE},   {"2.0", 4, HB_EUSAGE},  {"3", 4, HB_EUSAGE},    {"8", 4, HB_EUSAGE},
        {"7", 7, HB_ECONFIG}, {"12", 12, HB_ECONFIG}, {"AUTO", 4, HB_EUSAGE}, {"18446744073709551615", 4, HB_EUSAGE}};
    hb_params *params = open_params();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t k;
        assert_int_equal(choose(params, cases[i].word, cases[i].ranks, UINT64_MAX, 100, &k), cases[i].status);
        if (cases[i].status == HB_OK) {
            assert_int_equal(k, strtoul(cases[i].word, NULL, 0));
        } else {
            assert_non_null(strstr(hb_last_error()->text, cases[i].status == HB_EUSAGE ? "--limb-ranks" : "divided"));
        }
    }
    hb_params_close(params);
}

static void test_words(void **state)
{
    (void)state;
    hb_option rows[HB_LIMB_OPTIONS];
    hb_limb_choice choice;
    hb_limb_options(rows, &choice);
    assert_string_equal(choice.ranks, "1");
    assert_string_equal(choice.exchange, "auto");
    assert_true(choice.timeout == 180);
    hb_group group = group_of(2);
    const hb_device device = {.gpu = false};
    hb_params *params = open_params();
    uint32_t k;
    choice.exchange = "tcp";
    assert_int_equal(hb_limb_ranks_choose(&choice, &group, &device, NULL, params, &k), HB_EUSAGE);
    assert_non_null(strstr(hb_last_error()->text, "--exchange tcp"));
    choice.exchange = "nccl"; /* whether it can be had is not known here */
    assert_int_equal(hb_limb_ranks_choose(&choice, &group, &device, NULL, params, &k), HB_OK);
    others_differ = true;
    assert_int_equal(hb_limb_ranks_choose(&choice, &group, &device, NULL, params, &k), HB_EDATA);
    assert_non_null(strstr(hb_last_error()->text, "--limb-ranks"));
    others_differ = false;
    const double times[] = {0, 0.09, 0.1};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        choice.timeout = times[i];
        assert_int_equal(hb_limb_ranks_choose(&choice, &group, &device, NULL, params, &k),
                         times[i] < 0.1 ? HB_EUSAGE : HB_OK);
        assert_true(times[i] >= 0.1 || strstr(hb_last_error()->text, "--comm-timeout") != NULL);
    }
    hb_params_close(params);
}

static bool fits(const hb_params *params, int ranks, uint64_t memory, uint32_t k)
{
    return (uint32_t)ranks % k == 0 && (params->data_limbs + k - 1) / k * (uint64_t)LIMB <= memory &&
           (tight >> k & 1) == 0;
}

/* The rule, word by word; 0: none. */
static uint32_t wanted(const hb_params *params, int ranks, uint64_t memory, uint64_t units)
{
    uint32_t least = 0, best;
    for (uint32_t k = params->data_limbs; k >= 1; k--) {
        least = fits(params, ranks, memory, k) ? k : least;
    }
    best = least;
    double seconds = 0;
    for (uint32_t k = least; least > 0 && k <= params->data_limbs && k <= (uint32_t)ranks; k++) {
        const uint64_t groups = (uint64_t)ranks / k;
        uint64_t rounds = 0;
        while (rounds * groups < units) {
            rounds++;
        }
        const double own = (double)rounds * (k == 1 ? 1 : hb_limb_relative_seconds(params, k, true));
        if (fits(params, ranks, memory, k) && units > 0 && units < (uint64_t)ranks / least &&
            (k == least || own < seconds)) {
            best = k;
            seconds = own;
        }
    }
    return best;
}

static void test_auto(void **state)
{
    (void)state;
    hb_params *params = open_preset(), *whole = open_preset();
    const uint64_t tights[] = {0, 1 << 1, 1 << 1 | 1 << 2, 1 << 3, UINT64_MAX};
    const uint64_t most = params->data_limbs;
    bool larger = false;
    for (size_t t = 0; t < sizeof tights / sizeof tights[0]; t++) {
        tight = tights[t];
        for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
            for (uint64_t limbs = 0; limbs <= most; limbs += 1 + limbs / 4) {
                for (uint64_t units = 0; units <= MOST_RANKS + 1; units += 1 + units / 4) {
                    uint32_t k;
                    const uint32_t expected = wanted(whole, ranks, limbs * LIMB, units);
                    const hb_status st = choose(params, "auto", ranks, limbs * LIMB, units, &k);
                    assert_int_equal(st, expected > 0 ? HB_OK : HB_ENOMEM);
                    assert_int_equal(k, expected);
                    larger |= limbs >= most / 2 && k > 1 && tight == 0;
                }
            }
        }
    }
    assert_true(larger); /* idle ranks do help somewhere */
    tight = 0;
    hb_params_close(whole);
    hb_params_close(params);
}

HB_UNIT(limb_ranks)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers), cmocka_unit_test(test_words),
                                       cmocka_unit_test(test_auto)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
