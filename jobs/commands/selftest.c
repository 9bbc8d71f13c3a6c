/* hebatch selftest: known answers, in seconds: they check that this build computes rightly on this machine. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/modarith.h"
#include "base/prime.h"
#include "base/seed.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/report.h"
#include "commands.h"
#include "cpu/engine.h"
#include "device/device.h"
#include "scheme/params.h"
#include "selftest.h"

enum { LOG_N = 10, N = 1 << LOG_N };

/* Microsoft SEAL's primes for CoeffModulus::Create(4096, {36, 36, 37}), and the smallest root of the first. */
static hb_status primes_and_roots(void)
{
    static const uint32_t bits[] = {36, 36, 37};
    static const uint64_t expected[] = {68719230977, 68719403009, 137438822401}, root = 29008497;
    uint64_t primes[3];
    HB_TRY(hb_create_primes(4096, bits, 3, primes));
    if (memcmp(primes, expected, sizeof primes) != 0) {
        return HB_FAIL(HB_EINTERNAL, "primes of 36, 36 and 37 bits: %" PRIu64 ", %" PRIu64 ", %" PRIu64, primes[0],
                       primes[1], primes[2]);
    }
    uint64_t found = hb_smallest_root(primes[0], 4096);
    if (found != root) {
        return HB_FAIL(HB_EINTERNAL, "smallest root mod %" PRIu64 ": %" PRIu64 ", expected %" PRIu64, primes[0], found,
                       root);
    }
    return HB_OK;
}

static uint32_t bit_reversed(uint32_t i)
{
    uint32_t r = 0;
    for (uint32_t bit = 0; bit < LOG_N; bit++) {
        r |= ((i >> bit) & 1) << (LOG_N - 1 - bit);
    }
    return r;
}

/* sum_j x_j point^j mod m. */
static uint64_t evaluate(const uint64_t *x, uint64_t point, const hb_modulus *m)
{
    uint64_t sum = 0;
    for (size_t j = N; j-- > 0;) {
        sum = hb_mod_add(hb_mod_mul(sum, point, m), x[j], m);
    }
    return sum;
}

/* words[0 .. N): a polynomial; words[N .. 2 N): its transform by the engine. */
static hb_status compare_with_evaluation(const uint64_t *words, const hb_modulus *m, uint64_t psi)
{
    for (uint32_t i = 0; i < N; i++) {
        uint64_t point = hb_mod_pow(psi, 2 * bit_reversed(i) + 1, m), expected = evaluate(words, point, m);
        if (words[N + i] != expected) {
            return HB_FAIL(HB_EINTERNAL, "NTT mod %" PRIu64 ", index %" PRIu32 ": %" PRIu64 ", expected %" PRIu64,
                           m->value, i, words[N + i], expected);
        }
    }
    return HB_OK;
}

static hb_status ntt(uint32_t prime_bits)
{
    hb_ring *ring = malloc(sizeof *ring);
    uint64_t *words = malloc(3 * N * sizeof *words);
    hb_engine *engine = NULL;
    hb_batch x = {0};
    hb_status st = HB_OK;
    if (ring == NULL || words == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "out of memory for the self-test"));
    }
    uint64_t prime;
    uint16_t id;
    HB_GOTO(hb_create_primes(N, &prime_bits, 1, &prime));
    HB_GOTO(hb_ring_init(ring, LOG_N));
    HB_GOTO(hb_ring_add_modulus(ring, prime, &id));
    const hb_modulus *m = &ring->moduli[id];
    for (uint64_t j = 0; j < N; j++) {
        words[j] = hb_mod_pow(j + 3, 65537, m); /* anything that fills the whole range; 65537 = 2^16 + 1 */
    }
    HB_GOTO(hb_cpu_engine_open(ring, &engine));
    HB_GOTO(hb_batch_alloc(engine, &x, 1, 1, &id));
    HB_GOTO(hb_upload(engine, x.data, words, N * sizeof *words));
    HB_GOTO(hb_ntt(engine, x));
    HB_GOTO(hb_download(engine, words + N, x.data, N * sizeof *words));
    HB_GOTO(hb_intt(engine, x));
    HB_GOTO(hb_download(engine, words + 2 * N, x.data, N * sizeof *words));
    HB_GOTO(hb_finish(engine));
    HB_GOTO(compare_with_evaluation(words, m, ring->psi[id]));
    if (memcmp(words, words + 2 * N, N * sizeof *words) != 0) {
        HB_GOTO(HB_FAIL(HB_EINTERNAL, "inverse NTT mod %" PRIu64 " does not give the polynomial back", prime));
    }
done:
    hb_batch_free(engine, &x);
    hb_engine_close(engine);
    free(words);
    free(ring);
    return st;
}

static hb_status ntt_fp64(void)
{
    return ntt(HB_F64_MAX_BITS);
}

static hb_status ntt_integer(void)
{
    return ntt(60);
}

static hb_status expect_bytes(const char *what, const uint8_t *found, const uint8_t *expected, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if (found[i] != expected[i]) {
            return HB_FAIL(HB_EINTERNAL, "%s, byte %zu: %02x, expected %02x", what, i, found[i], expected[i]);
        }
    }
    return HB_OK;
}

/* RFC 8439 section 2.3.2: key 00 .. 1f, nonce 00 00 00 09 00 00 00 4a 00 00 00 00, block 1. The first four bytes of the
 * nonce are purpose + 256 attempt, the last eight the item, both little-endian. */
static hb_status chacha20(void)
{
    static const uint8_t expected[64] = {0x10, 0xf1, 0xe7, 0xe4, 0xd1, 0x3b, 0x59, 0x15, 0x50, 0x0f, 0xdd, 0x1f, 0xa3,
                                         0x20, 0x71, 0xc4, 0xc7, 0xd1, 0xf4, 0xc7, 0x33, 0xc0, 0x68, 0x03, 0x04, 0x22,
                                         0xaa, 0x9a, 0xc3, 0xd4, 0x6c, 0x4e, 0xd2, 0x82, 0x64, 0x46, 0x07, 0x9f, 0xaa,
                                         0x09, 0x14, 0xc2, 0xd7, 0x05, 0xd9, 0x8b, 0x02, 0xa2, 0xb5, 0x12, 0x9c, 0xd1,
                                         0xde, 0x16, 0x4e, 0xb9, 0xcb, 0xd0, 0x83, 0xe8, 0xa2, 0x50, 0x3c, 0x4e};
    hb_seed key;
    for (uint8_t i = 0; i < HB_SEED_BYTES; i++) {
        key.bytes[i] = i;
    }
    uint8_t stream[128];
    hb_keystream(stream, sizeof stream, (hb_draw){&key, (hb_purpose)0, 0x4a000000}, 0x090000);
    return expect_bytes("ChaCha20 of RFC 8439, 2.3.2", stream + 64, expected, sizeof expected);
}

/* The row i^2 mod 251, i < 5000, two leaves; the answer is from Python's hashlib.blake2b with base/digest.h's rule. */
static hb_status digest(void)
{
    static const uint8_t expected[HB_DIGEST_BYTES] = {0x1e, 0xd7, 0x19, 0xb0, 0x0b, 0x3d, 0xd4, 0xce, 0xb4, 0xee, 0xdc,
                                                      0x76, 0x3f, 0xf6, 0x5c, 0x59, 0x82, 0x5d, 0xcc, 0x24, 0x8a, 0x78,
                                                      0xac, 0x9e, 0x10, 0x8a, 0xe3, 0x6a, 0xbc, 0xae, 0x93, 0x99};
    static uint8_t row[5000];
    for (uint32_t i = 0; i < sizeof row; i++) {
        row[i] = (uint8_t)(i * i % 251);
    }
    uint8_t found[HB_DIGEST_BYTES];
    hb_digest_row(found, row, sizeof row);
    return expect_bytes("BLAKE2b of a row", found, expected, sizeof expected);
}

static const hb_selftest own[] = {{"primes and roots as Microsoft SEAL's", primes_and_roots},
                                  {"NTT against direct evaluation, FP64 arithmetic", ntt_fp64},
                                  {"NTT against direct evaluation, integer arithmetic", ntt_integer},
                                  {"ChaCha20, RFC 8439", chacha20},
                                  {"BLAKE2b digest of a row", digest},
                                  {NULL, NULL}};

/* The reporter of the tests, and the tests that have passed. */
typedef struct telling {
    const hb_group *group;
    const hb_common *common;
    json_t *passed;
} telling;

static hb_status tell(const telling *t, const char *name)
{
    hb_console_result(t->group, t->common, "passed  %s", name);
    if (json_array_append_new(t->passed, hb_report_text(name)) != 0) {
        return HB_FAIL(HB_ENOMEM, "out of memory for the results");
    }
    return HB_OK;
}

static hb_status run_tests(const telling *t, const hb_selftest *tests)
{
    for (const hb_selftest *test = tests; test->name != NULL; test++) {
        const hb_status st = test->run();
        if (st != HB_OK) {
            return HB_FAIL(st, "self-test '%s' failed: %s", test->name, hb_last_error()->text);
        }
        HB_TRY(tell(t, test->name));
    }
    return HB_OK;
}

/* Every operation of the GPU against the CPU engine, which the tests above have checked. */
static hb_status check_gpu(const telling *t, hb_device *device)
{
    const char *preset;
    for (size_t i = 0; (preset = hb_params_chain_name(i)) != NULL; i++) {
        hb_params_spec spec;
        hb_params *params = NULL;
        hb_engine *engine = NULL;
        char name[sizeof(hb_device_name) + 128];
        hb_status st;
        HB_GOTO(hb_params_preset(preset, &spec));
        HB_GOTO(hb_params_open(&spec, &params));
        HB_GOTO(hb_device_open(device, params, &engine));
        snprintf(name, sizeof name, "%s against the CPU, %s, %s", hb_device_name_of(device).text, preset,
                 hb_human_seconds(device->check_seconds).text);
        HB_GOTO(tell(t, name));
    done:
        hb_engine_close(engine);
        hb_params_close(params);
        HB_TRY(st);
    }
    return HB_OK;
}

static hb_status run(hb_group *group, int argc, char **argv)
{
    hb_device_choice choice;
    hb_device device;
    bool full = false;
    hb_option rows[1 + HB_DEVICE_OPTIONS] = {
        {"full", 0, HB_OPTION_FLAG, &full, NULL,
         "compare a GPU on all primes of all presets: takes longer than on a sample"}};
    hb_parsed parsed;
    hb_device_options(rows + 1, HB_DEVICE_OPTIONS, &choice);
    const hb_usage usage = {&hb_command_selftest, rows, 1 + HB_DEVICE_OPTIONS, 0, 0, 0};
    HB_TRY(hb_options_parse(&usage, group, argc, argv, &parsed));
    if (parsed.help) {
        return HB_OK;
    }
    const telling t = {group, &parsed.common, json_array()};
    hb_status st;
    double start = hb_now();
    choice.check = full ? "full" : "always"; /* the purpose of the command */
    HB_GOTO(run_tests(&t, own));
    HB_GOTO(run_tests(&t, hb_selftests_bfv));
    HB_GOTO(run_tests(&t, hb_selftests_ckks));
    HB_GOTO(hb_device_choose(&device, group, &choice, NULL));
    if (device.gpu) {
        HB_GOTO(check_gpu(&t, &device));
    }
    hb_console_log(group, &parsed.common, "self-test passed in %s", hb_human_seconds(hb_now() - start).text);
    if (parsed.common.json) {
        HB_GOTO(hb_report_results(group, "selftest", json_pack("{s:O}", "passed", t.passed)));
    }
done:
    json_decref(t.passed);
    return st;
}

const hb_command hb_command_selftest = {.name = "selftest",
                                        .arguments = "[OPTIONS]",
                                        .summary = "check arithmetic, randomness and encryption against known answers",
                                        .ranks = false,
                                        .run = run};
