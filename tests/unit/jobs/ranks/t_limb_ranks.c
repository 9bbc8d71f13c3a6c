/* How many ranks share limbs: refused words, and the choice of `auto` against the rule in its header, tried out number
 * by number; what it does once an exchange is measured. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/prime.h"
#include "batch/unit/work.h"
#include "lang/cost/op_cost.h"
#include "mpi/group/group_private.h"
#include "ranks/limb_choice.h"
#include "ranks/limb_model.h"
#include "ranks/limb_ranks.h"
#include "scheme/params.h"
#include "unit/unit.h"

enum { N = 1024, LIMBS = 6, MOST_RANKS = 24 };

/* A group whose other ranks are as this one, but that one of them has less memory where `tight` says so. */
static uint64_t tight; /* bit k: a k-th of the limbs does not fit there */

/* The numbers that are tried, ascending. */
static struct {
    uint32_t k[HB_MOST_MEMBERS];
    size_t count;
} listed;

static hb_status same_agree(hb_group *group, hb_status mine)
{
    (void)group;
    return mine;
}

static hb_status tight_max(hb_group *group, uint64_t *values, size_t count)
{
    (void)group;
    for (size_t i = 0; i < count; i++) { /* flags, of the numbers that divide the ranks; all else is alike */
        values[i] |= values[i] <= 1 && i < listed.count ? tight >> listed.k[i] & 1 : 0;
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

static hb_status take(hb_params *params, const char *word, int ranks, uint32_t *k)
{
    hb_option rows[HB_LIMB_OPTIONS];
    hb_limb_choice choice;
    hb_limb_options(rows, &choice);
    choice.ranks = word;
    hb_group group = group_of(ranks);
    *k = 0;
    const hb_status st = hb_limb_ranks_take(&choice, &group, params, k);
    assert_true(st != HB_OK || *k == 0 || params->map.members == *k);
    return st;
}

/* A job of so many items, each of so many products with relinearization; 0: of many. */
typedef struct job {
    const hb_params *params;
    uint64_t products, each;
} job;

static hb_work products(const void *context, uint32_t groups)
{
    const job *j = context;
    const uint64_t most = (j->products + groups - 1) / groups;
    hb_work work = {.params = j->params, .items = (double)most, .units = (double)most};
    const hb_opcode ops_of_one[] = {HB_OP_MULTIPLY, HB_OP_RELINEARIZE};
    for (size_t i = 0; i < 2; i++) {
        const hb_op_cost one = {.op = ops_of_one[i], .limbs = j->params->data_limbs, .to_limbs = j->params->data_limbs};
        hb_cost cost = {{0}};
        hb_op_cost_add(j->params, &one, &cost);
        hb_cost_add(&work.loop, (j->each > 0 ? (double)j->each : 3000) * (double)most, &cost);
    }
    return work;
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
        assert_int_equal(take(params, cases[i].word, cases[i].ranks, &k), cases[i].status);
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
    hb_params *params = open_params();
    uint32_t k;
    choice.exchange = "tcp";
    assert_int_equal(hb_limb_ranks_take(&choice, &group, params, &k), HB_EUSAGE);
    assert_non_null(strstr(hb_last_error()->text, "--exchange tcp"));
    choice.exchange = "nccl"; /* whether it can be had is not known here */
    assert_int_equal(hb_limb_ranks_take(&choice, &group, params, &k), HB_OK);
    others_differ = true;
    assert_int_equal(hb_limb_ranks_take(&choice, &group, params, &k), HB_EDATA);
    assert_non_null(strstr(hb_last_error()->text, "--limb-ranks"));
    others_differ = false;
    const double times[] = {0, 0.09, 0.1};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        choice.timeout = times[i];
        assert_int_equal(hb_limb_ranks_take(&choice, &group, params, &k), times[i] < 0.1 ? HB_EUSAGE : HB_OK);
        assert_true(times[i] >= 0.1 || strstr(hb_last_error()->text, "--comm-timeout") != NULL);
    }
    hb_params_close(params);
}

/* The fewest ranks that have the memory, of those that there are where these are named; parameters stay as they are. */
static void test_advice(void **state)
{
    (void)state;
    static const struct {
        uint64_t memory;
        uint32_t members, ranks, k; /* k 0: none */
    } cases[] = {{6 * LIMB, 1, 0, 2}, {3 * LIMB, 1, 0, 2}, {3 * LIMB - 1, 1, 0, 3}, {2 * LIMB, 1, 4, 4},
                 {LIMB, 1, 0, 6},     {LIMB - 1, 1, 0, 0}, {2 * LIMB, 3, 0, 4},     {2 * LIMB, 1, 5, 5},
                 {2 * LIMB, 1, 7, 0}, {3 * LIMB, 1, 2, 2}, {2 * LIMB, 1, 2, 0}};
    hb_params *params = open_params();
    const hb_limb_requirements requirements = {.rank_bytes = least_bytes};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char wanted[128] = "";
        assert_int_equal(hb_params_divide(params, cases[i].members), HB_OK);
        const hb_limb_advice advice = hb_limb_advise(params, &requirements, cases[i].memory, cases[i].ranks);
        assert_int_equal(params->map.members, cases[i].members);
        (void)snprintf(wanted, sizeof wanted,
                       "divide limbs over %u ranks with --limb-ranks %u, of which each needs %u.00 MiB", cases[i].k,
                       cases[i].k, cases[i].k > 0 ? (LIMBS + cases[i].k - 1) / cases[i].k : 0);
        assert_string_equal(advice.text, cases[i].k > 0 ? wanted : "");
    }
    hb_params_close(params);
}

/* Cores of that speed beside one another; every rank has so many bytes. */
static hb_device cores(uint64_t memory)
{
    hb_device device = {.gpu = true, .memory = memory};
    device.core = (hb_speed){.core = 1, .workers = 1, .files = 1, .processors = 1};
    return device;
}

/* Predicts one number, by itself. */
static double seconds_of(const hb_limb_trials *trials, job *j, hb_params *params, int ranks, uint32_t k,
                         const hb_exchange_cost *cost)
{
    hb_speed speed = trials->speed;
    assert_int_equal(hb_limb_divide(params, k, &speed, cost), HB_OK);
    const hb_work work = products(j, (uint32_t)ranks / k);
    hb_speed_divide(params, cost, trials->one_thread, &speed);
    speed.opening = trials->open == k ? 0 : speed.opening;
    const hb_prediction p = hb_predict(&work, &speed, (hb_spent){0});
    assert_int_equal(hb_params_divide(params, 1), HB_OK);
    return hb_prediction_total(&p);
}

static bool fits(const hb_params *params, uint64_t memory, uint32_t k)
{
    return (params->data_limbs + k - 1) / k * (uint64_t)LIMB <= memory && (tight >> k & 1) == 0;
}

/* The rule, word by word; 0: none. `free`: exchanges cost nothing. */
static uint32_t wanted(const hb_limb_trials *trials, job *j, hb_params *params, int ranks, uint64_t memory, bool free)
{
    const hb_exchange_cost usual = hb_limb_usual_cost(!trials->one_thread), none = {.start = {0}};
    double least = 0;
    uint32_t best = 0;
    for (size_t i = 0; i < listed.count; i++) {
        const uint32_t k = listed.k[i];
        if (fits(params, memory, k)) {
            const double seconds = seconds_of(trials, j, params, ranks, k, free ? &none : &usual);
            best = best == 0 || seconds < least ? k : best;
            least = best == k ? seconds : least;
        }
    }
    return best;
}

static void list(const hb_params *params, int ranks)
{
    listed.count = 0;
    for (uint32_t k = 1; k <= params->data_limbs && k <= (uint32_t)ranks; k++) {
        if ((uint32_t)ranks % k == 0) {
            listed.k[listed.count++] = k;
        }
    }
}

static void test_auto(void **state)
{
    (void)state;
    hb_params *params = open_preset();
    const uint64_t tights[] = {0, 1 << 1, 1 << 1 | 1 << 2, UINT64_MAX}, sizes[] = {1, 3, 20, 100000};
    hb_limb_trials *trials = malloc(sizeof *trials);
    bool shared = false, apart = false;
    for (size_t i = 0; i < 4 * 4 * 2; i++) {
        for (int ranks = 1; ranks <= MOST_RANKS; ranks += 1 + ranks / 3) {
            job j = {params, sizes[i % 4], 0};
            const uint64_t memory = (i / 16 == 0 ? params->data_limbs : params->data_limbs / 3) * (uint64_t)LIMB;
            const hb_device device = cores(memory);
            hb_group group = group_of(ranks);
            tight = tights[i / 4 % 4];
            list(params, ranks);
            const hb_status st = hb_limb_trials_begin(trials, &group, &device, i % 2 == 0,
                                                      &(hb_limb_requirements){least_bytes, products, &j}, params);
            const uint32_t k = st == HB_OK ? trials->trial[trials->chosen].k : 0;
            uint32_t expected = wanted(trials, &j, params, ranks, memory, false);
            expected = expected == 1 ? wanted(trials, &j, params, ranks, memory, true) : expected;
            assert_int_equal(st, expected > 0 ? HB_OK : HB_ENOMEM);
            assert_int_equal(k, expected);
            assert_true(st != HB_OK || params->map.members == 1);
            shared = shared || (k > 1 && tight == 0 && i / 16 == 0);
            apart = apart || (k == 1 && ranks > 1);
        }
    }
    assert_true(shared && apart); /* idle ranks help somewhere, and ranks that are busy do not */
    tight = 0;
    free(trials);
    hb_params_close(params);
}

/* The memory of a rank. */
static uint64_t rank_bytes = UINT64_MAX;

/* Trials on four ranks alike, and the exchange of those that were chosen. */
typedef struct four {
    hb_params *params;
    job job;
    hb_limb_trials trials;
    hb_exchange exchange;
} four;

static four *open_four(uint64_t items)
{
    four *f = calloc(1, sizeof *f);
    f->params = open_preset();
    f->job = (job){f->params, items, 0};
    f->exchange.cost = hb_limb_usual_cost(true);
    list(f->params, 4);
    return f;
}

static void close_four(four *f)
{
    tight = 0;
    hb_params_close(f->params);
    free(f);
}

/* Chooses, without a measurement or with that of the exchange, and returns the number that is chosen. */
static uint32_t choose_on(four *f, const hb_device *device, uint64_t (*needs)(const void *, const hb_params *),
                          bool measured)
{
    const hb_limb_requirements requirements = {needs, products, &f->job};
    hb_limb_trials *trials = &f->trials;
    hb_group group = group_of(4);
    assert_int_equal(measured ? hb_limb_trials_measured(trials, &group, device, &f->exchange, &requirements, f->params)
                              : hb_limb_trials_begin(trials, &group, device, device->gpu, &requirements, f->params),
                     HB_OK);
    f->exchange.members = trials->trial[trials->chosen].k;
    return f->exchange.members;
}

static uint32_t choose(four *f, uint64_t (*needs)(const void *, const hb_params *), bool measured)
{
    const hb_device device = cores(rank_bytes);
    return choose_on(f, &device, needs, measured);
}

/* Seconds that a transfer takes decide; what was measured of one number counts for others until they are measured. */
static void test_measured(void **state)
{
    (void)state;
    four *f = open_four(2000); /* 500 items of each of 4 ranks, or 2000 of one group */
    const hb_limb_trial *t = f->trials.trial;
    tight = 1 << 1; /* the keys do not fit one rank */
    assert_int_equal(choose(f, least_bytes, false), 2);
    const double to_open = t[1].seconds, others = t[2].seconds;
    assert_int_equal(choose(f, least_bytes, true), 2); /* as expected */
    assert_true(t[1].measured && !t[2].measured && !t[0].fits);
    assert_true(t[1].seconds > 0 && t[1].seconds < t[2].seconds);
    /* At the same cost, but the exchange of two is open by now, and that of four would have to be opened. */
    assert_true(t[1].seconds < to_open - 0.5 && t[2].seconds == others);
    tight = 0;
    f->job.products = 4; /* few: ranks could help, but not over such links */
    const uint32_t k = choose(f, least_bytes, false);
    for (int p = 0; p < HB_PATTERNS; p++) {
        f->exchange.cost.byte[p] *= 1e6;
    }
    assert_int_equal(k > 1 ? choose(f, least_bytes, true) : k, 1);
    close_four(f);
}

/* Short jobs on CPUs, where one rank is soonest at the usual cost: exchanges of some are measured, as these are opened
 * in less than the second that communicators of NCCL take. */
static void test_short(void **state)
{
    (void)state;
    four *f = open_four(1);
    hb_device device = {.core = {.core = 1, .workers = 1, .files = 1, .processors = 1}};
    device.core.each.of[HB_COST_TRANSFORMS] = 1e-4;
    const hb_limb_trial *t = f->trials.trial;
    bool measures = false;
    for (f->job.products = 1; f->job.products <= 8; f->job.products++) {
        for (f->job.each = 1; f->job.each <= 4; f->job.each++) {
            const uint32_t k = choose_on(f, &device, least_bytes, false);
            const bool soonest = t[0].seconds <= t[1].seconds && t[0].seconds <= t[2].seconds;
            assert_true(f->trials.one_thread);
            measures = measures || (k > 1 && soonest && t[0].seconds < 0.9);
        }
    }
    assert_true(measures);
    close_four(f);
}

/* Ranks need more where transfers are slow, as other limbs lie together then, or keys are integers. */
static uint64_t more_over_slow_links(const void *context, const hb_params *params)
{
    const bool slow = params->division.members > 1 && params->division.travel > 1000;
    return least_bytes(context, params) * (slow ? 100 : 1);
}

static void test_needs(void **state)
{
    (void)state;
    four *f = open_four(2000);
    const hb_limb_trial *t = f->trials.trial;
    rank_bytes = 50 * (uint64_t)LIMB;
    tight = 1 << 1;
    assert_int_equal(choose(f, more_over_slow_links, false), 2);
    assert_true(t[1].fits && t[2].fits);
    const uint64_t before = t[1].bytes;
    tight = 0;
    for (int p = 0; p < HB_PATTERNS; p++) {
        f->exchange.cost.byte[p] *= 1e6;
    }
    assert_int_equal(choose(f, more_over_slow_links, true), 1);
    assert_true(t[0].fits && !t[1].fits && !t[2].fits && t[1].bytes == 100 * before);
    rank_bytes = UINT64_MAX;
    close_four(f);
}

HB_UNIT(limb_ranks)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers),  cmocka_unit_test(test_words),
                                       cmocka_unit_test(test_advice),   cmocka_unit_test(test_auto),
                                       cmocka_unit_test(test_measured), cmocka_unit_test(test_short),
                                       cmocka_unit_test(test_needs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
