/* Times at the parameters of two papers, beside the printed ones. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/prime.h"
#include "bench/bench_private.h"
#include "check/fixture.h"
#include "cli/console.h"
#include "cli/report.h"
#include "commands.h"
#include "machine/machine.h"

typedef enum primitive {
    KEYGEN,   /* a key pair; in table 5 with the relinearization key, as there */
    ENCRYPT,  /* with the public key */
    DECRYPT,  /* two components */
    ADD,      /* this and the next in table 5 only */
    MULTIPLY, /* and relinearize, as there */
    PRIMITIVES
} primitive;

enum { TABLE_5 = 4, TABLE_7 = 5, SETS = TABLE_5 + TABLE_7 /* parameter sets; those of table 5 come first */ };

/* Seconds; 0: not measured. */
typedef struct paper_times {
    size_t n;
    uint32_t log_q; /* as the papers print it */
    uint32_t limbs; /* with the special prime */
    uint64_t plain;
    size_t count;                 /* ciphertexts of a batch */
    double alone[PRIMITIVES];     /* one, waited for */
    double amortised[PRIMITIVES]; /* a batch a call, by its count */
} paper_times;

/* Al Badawi et al. count no special prime: it comes on top. Ozerk et al. count it, as SEAL does. */
static const struct {
    size_t n;
    uint32_t log_q, limbs, bits; /* bits: of all limbs together */
    uint64_t plain;
} sets[SETS] = {
    {1 << 11, 60, 3, 60 + 30, 2},    {1 << 12, 180, 7, 180 + 30, 2},  {1 << 13, 360, 13, 360 + 30, 2},
    {1 << 14, 720, 25, 720 + 30, 2}, {1 << 12, 109, 3, 109, 1 << 10}, {1 << 13, 152, 4, 152, 1 << 10},
    {1 << 14, 237, 5, 237, 1 << 10}, {1 << 15, 496, 9, 496, 1 << 10}, {1 << 15, 880, 16, 880, 1 << 10},
};

typedef struct paper {
    const hb_bench_options *options;
    hb_params *params;
    hb_engine *engine;
    hb_fixture fixture;
    int8_t *ternary;
    bool evaluation;
    size_t count;       /* ciphertexts of the calls that are measured now ... */
    hb_bench_body body; /* ... one of which this issues */
} paper;

static hb_ciphertexts first(const paper *x, hb_ciphertexts a)
{
    return hb_ciphertexts_view(a, x->engine, x->params, a.size, x->count, a.all.limbs);
}

static hb_status keygen(void *argument)
{
    paper *x = argument;
    const hb_seed *root = &x->fixture.root, *seed = &x->fixture.public_seed;
    hb_secret_key secret = {0};
    hb_public_key public = {0};
    hb_switch_key relinearization = {0};
    hb_seed seeds[HB_MAX_LIMBS];
    hb_status st;
    hb_seed_public(seeds, x->params->data_limbs, root, 0);
    HB_GOTO(hb_secret_draw(x->engine, x->params, root, x->ternary));
    HB_GOTO(hb_secret_key_load(&secret, x->engine, x->params, x->ternary));
    HB_GOTO(hb_public_key_generate(&public, &secret, root, seed));
    HB_GOTO(x->evaluation ? hb_switch_key_generate(&relinearization, &secret, HB_RELINEARIZATION, root, seeds) : HB_OK);
    st = hb_finish(x->engine);
done:
    hb_switch_key_clear(&relinearization);
    hb_public_key_clear(&public);
    hb_secret_key_clear(&secret);
    return st;
}

static hb_status encrypt(void *argument)
{
    paper *x = argument;
    hb_fixture *s = &x->fixture;
    return hb_encrypt(s->with_public, hb_batch_slice(s->c0, 0, x->count), hb_batch_slice(s->c1, 0, x->count), NULL,
                      hb_batch_slice(s->plain, 0, x->count), &s->root, 0);
}

/* c1 becomes c1 s: some other polynomial, as good for the next call; so is the plaintext. */
static hb_status decrypt(void *argument)
{
    paper *x = argument;
    hb_fixture *s = &x->fixture;
    const hb_batch phase = hb_batch_slice(s->phase, 0, x->count);
    HB_TRY(hb_phase(s->decryptor, phase, hb_batch_slice(s->c0, 0, x->count), hb_batch_slice(s->c1, 0, x->count)));
    return hb_decrypt(s->decryptor, hb_batch_slice(s->plain, 0, x->count), phase);
}

static hb_status add(void *argument)
{
    paper *x = argument;
    const hb_fixture *s = &x->fixture;
    return hb_evaluator_add(s->evaluator, first(x, s->narrow), first(x, s->a), first(x, s->b));
}

static hb_status multiply(void *argument)
{
    paper *x = argument;
    const hb_fixture *s = &x->fixture;
    HB_TRY(hb_evaluator_multiply(s->evaluator, first(x, s->wide), first(x, s->a), first(x, s->b)));
    return hb_evaluator_relinearize(s->evaluator, first(x, s->narrow), first(x, s->wide),
                                    hb_switch_keys_find(&s->keys, HB_RELINEARIZATION));
}

static hb_status issue_and_wait(void *argument)
{
    paper *x = argument;
    HB_TRY(x->body(x));
    return hb_finish(x->engine);
}

static hb_status measure(paper *x, paper_times *times)
{
    static const hb_bench_body bodies[PRIMITIVES] = {keygen, encrypt, decrypt, add, multiply};
    const hb_bench_options *o = x->options;
    const hb_bench_pace pace = hb_bench_pace_of(o);
    const size_t batch = times->count;
    for (int i = 0; i < (x->evaluation ? PRIMITIVES : ADD); i++) {
        hb_timing timing;
        x->body = bodies[i];
        x->count = batch;
        HB_TRY(hb_bench_time(pace, x->engine, x->body, x, &timing));
        times->amortised[i] = timing.median / (double)(i == KEYGEN ? 1 : batch);
        x->count = 1;
        HB_TRY(hb_bench_time(pace, x->engine, issue_and_wait, x, &timing));
        times->alone[i] = timing.median;
    }
    return HB_OK;
}

static hb_status open_set(paper *x, size_t i, paper_times *times)
{
    uint32_t bits[HB_MAX_LIMBS];
    const uint32_t limbs = sets[i].limbs;
    hb_params_spec spec = {.n = sets[i].n,
                           .key_limbs = limbs,
                           .bfv.plain = sets[i].plain,
                           .security = hb_security_default(),
                           .insecure = true};
    for (uint32_t l = 0; l < limbs; l++) {
        bits[l] = sets[i].bits / limbs + (l >= limbs - sets[i].bits % limbs);
    }
    HB_TRY(hb_create_primes(spec.n, bits, limbs, spec.primes));
    HB_TRY(hb_params_open(&spec, &x->params));
    HB_TRY(hb_device_open_ring(x->options->device, &x->params->ring, &x->engine));
    x->evaluation = i < TABLE_5;
    x->ternary = malloc(spec.n);
    if (x->ternary == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a secret key of %zu coefficients", spec.n);
    }
    const uint32_t operands = 14; /* polynomials of the stage */
    *times = (paper_times){.n = spec.n, .log_q = sets[i].log_q, .limbs = limbs, .plain = spec.bfv.plain};
    times->count = hb_bench_batch(x->options, &x->params->ring, x->params->data_limbs, operands);
    hb_seed root;
    hb_seed_random(&root);
    const hb_status st = hb_fixture_init(&x->fixture, x->engine, x->params, &root, times->count);
    hb_wipe(&root, sizeof root);
    HB_TRY(st);
    hb_seed_public(x->fixture.seeds, times->count, &x->fixture.root, 0);
    HB_TRY(hb_sample_uniform(x->engine, x->fixture.plain, x->fixture.seeds));
    return x->evaluation ? hb_fixture_evaluate(&x->fixture, 0) : HB_OK;
}

static void close_set(paper *x)
{
    hb_fixture_clear(&x->fixture);
    hb_engine_close(x->engine);
    if (x->ternary != NULL) {
        hb_wipe(x->ternary, x->params->spec.n);
    }
    free(x->ternary);
    hb_params_close(x->params);
}

enum { COLUMNS = 4 };

static const char *const primitives[PRIMITIVES] = {"KeyGen", "Enc", "Dec", "Add", "Mul"};

/* "High-Performance FV Somewhat Homomorphic Encryption on GPUs", table 5: milliseconds, as printed. GPU-FV on an NVIDIA
 * Tesla P100 and on a K80; SEAL 2.3.0-4 and NFLlib-FV on an Intel Xeon E5-2620 with 24 cores. */
static const char *const columns[COLUMNS] = {"P100", "K80", "SEAL 2.3", "NFLlib"};
static const char *const printed[PRIMITIVES][TABLE_5][COLUMNS] = {
    {{"2.786", "5.943", "4.981", "0.903"},
     {"8.147", "17.218", "35.624", "12.131"},
     {"30.943", "86.095", "212.719", "83.366"},
     {"174.508", "356.224", "1474.903", "633.42"}},
    {{"0.271", "0.541", "1.642", "0.276"},
     {"0.730", "1.440", "4.095", "1.081"},
     {"1.081", "2.645", "9.792", "4.321"},
     {"3.296", "6.657", "28.834", "17.353"}},
    {{"0.065", "0.151", "0.198", "0.396"},
     {"0.108", "0.194", "0.967", "1.494"},
     {"0.152", "0.252", "3.308", "4.645"},
     {"0.252", "0.610", "13.888", "15.36"}},
    {{"0.016", "0.037", "0.007", "0.007"},
     {"0.021", "0.052", "0.054", "0.065"},
     {"0.030", "0.068", "0.177", "0.309"},
     {"0.053", "0.127", "0.612", "1.075"}},
    {{"1.072", "3.343", "2.327", "3.231"},
     {"1.833", "3.873", "13.655", "16.722"},
     {"3.538", "7.700", "57.857", "81.363"},
     {"11.747", "28.953", "314.029", "465.587"}},
};

static const double ms = 1e3;

static void print_table_5(const hb_group *group, const hb_common *common, const paper_times *times)
{
    hb_console_result(group, common,
                      "Al Badawi et al., table 5: t = 2, primes of 30 bits, one more for key switching; milliseconds");
    hb_console_result(group, common, "%-7s %6s %6s %7s %12s %12s %10s %10s %10s %10s", "", "N", "log q", "a call",
                      "amortised", "alone", columns[0], columns[1], columns[2], columns[3]);
    for (int i = 0; i < PRIMITIVES; i++) {
        for (size_t s = 0; s < TABLE_5; s++) {
            const char *const *theirs = printed[i][s];
            hb_console_result(group, common, "%-7s %6zu %6" PRIu32 " %7zu %12.6f %12.6f %10s %10s %10s %10s",
                              primitives[i], times[s].n, times[s].log_q, i == KEYGEN ? (size_t)1 : times[s].count,
                              ms * times[s].amortised[i], ms * times[s].alone[i], theirs[0], theirs[1], theirs[2],
                              theirs[3]);
        }
    }
}

/* The paper's text gives for its largest set what SEAL 3.5 on an Intel Core i9-7900X takes times a Tesla V100. */
static void print_table_7(const hb_group *group, const hb_common *common, const paper_times *times)
{
    static const char *const largest[ADD] = {"141.95", "94.39", "90.13"};
    hb_console_result(group, common,
                      "Ozerk et al., table 7: t = 1024; milliseconds; theirs: how much faster a V100 is than SEAL 3.5");
    hb_console_result(group, common, "%-7s %6s %6s %7s %12s %12s %10s", "", "N", "log q", "a call", "amortised",
                      "alone", "speed-up");
    for (int i = 0; i < ADD; i++) {
        for (size_t s = 0; s < TABLE_7; s++) {
            hb_console_result(group, common, "%-7s %6zu %6" PRIu32 " %7zu %12.6f %12.6f %10s", primitives[i],
                              times[s].n, times[s].log_q, i == KEYGEN ? (size_t)1 : times[s].count,
                              ms * times[s].amortised[i], ms * times[s].alone[i], s + 1 == TABLE_7 ? largest[i] : "");
        }
    }
}

static json_t *time_json(const paper_times *times, size_t set, int i)
{
    json_t *row = json_pack("{s:s, s:i, s:I, s:i, s:i, s:o, s:I, s:f, s:f}", "primitive", primitives[i], "table",
                            set < TABLE_5 ? 5 : 7, "n", (json_int_t)times->n, "log_q", (int)times->log_q, "limbs",
                            (int)times->limbs, "plain", hb_report_integer(times->plain, false), "items",
                            i == KEYGEN ? (json_int_t)1 : (json_int_t)times->count, "amortised_ms",
                            ms * times->amortised[i], "alone_ms", ms * times->alone[i]);
    for (int c = 0; row != NULL && set < TABLE_5 && c < COLUMNS; c++) {
        if (json_object_set_new(row, columns[c], json_string(printed[i][set][c])) != 0) {
            json_decref(row);
            row = NULL;
        }
    }
    return row;
}

/* A list of all; NULL when out of memory. */
static json_t *times_json(const paper_times times[SETS])
{
    json_t *rows = json_array();
    for (size_t s = 0; s < SETS; s++) {
        for (int i = 0; i < (s < TABLE_5 ? PRIMITIVES : ADD); i++) {
            if (json_array_append_new(rows, time_json(&times[s], s, i)) != 0) {
                json_decref(rows);
                return NULL;
            }
        }
    }
    return rows;
}

/* The sets are the papers', however insecure by now. */
static hb_status measure_sets(const hb_bench_options *options, paper_times times[SETS])
{
    for (size_t i = 0; i < SETS; i++) {
        paper x = {.options = options};
        hb_status st = open_set(&x, i, &times[i]);
        if (st == HB_OK) {
            st = measure(&x, &times[i]);
        }
        close_set(&x);
        HB_TRY(st);
    }
    return HB_OK;
}

hb_status hb_papers(hb_group *group, const hb_common *common, const hb_design_words *words)
{
    hb_device device;
    paper_times times[SETS];
    char name[sizeof(hb_device_name)];
    HB_TRY(hb_device_choose(&device, group, &words->device, NULL));
    if (device.gpu) {
        snprintf(name, sizeof name, "%s", hb_device_name_of(&device).text);
    } else {
        hb_machine_cpu(name, sizeof name);
    }
    hb_console_result(group, common, "%s%s", name, device.gpu ? "" : ", one core");
    const hb_bench_options options = {.device = &device, .seconds = words->seconds, .batch = (size_t)words->batch};
    HB_TRY(measure_sets(&options, times));
    print_table_5(group, common, times);
    print_table_7(group, common, times + TABLE_5);
    if (!common->json) {
        return HB_OK;
    }
    return hb_report_results(group, "designs",
                             json_pack("{s:{s:s, s:s}, s:f, s:o}", "device", "kind", device.gpu ? "gpu" : "cpu", "name",
                                       name, "seconds_each", words->seconds, "paper", times_json(times)));
}
