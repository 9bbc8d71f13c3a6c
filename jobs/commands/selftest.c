/* hebatch selftest: known answers, in seconds: that this build computes what it should on this machine. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/modarith.h"
#include "base/prime.h"
#include "base/seed.h"
#include "bfv/params.h"
#include "check/fixture.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/report.h"
#include "commands.h"
#include "cpu/engine.h"
#include "device/device.h"
#include "scheme/params.h"

enum { COUNT = 2 }; /* ciphertexts a call */

/* Everything of one run. */
typedef struct trial {
    hb_params *params;
    hb_engine *engine;
    hb_fixture fixture;
    size_t words;             /* of COUNT plaintexts */
    uint64_t *wanted, *found; /* [words] each */
} trial;

static void trial_clear(trial *r)
{
    hb_fixture_clear(&r->fixture);
    hb_engine_close(r->engine);
    hb_params_close(r->params);
    free(r->wanted);
    free(r->found);
}

/* *r is zero before; the caller clears it whatever happens. Afterwards the fixture's values are encoded. */
static hb_status trial_init(trial *r, const hb_seed *root)
{
    hb_params_spec spec;
    HB_TRY(hb_params_preset("bfv-4096", &spec));
    HB_TRY(hb_params_open(&spec, &r->params));
    HB_TRY(hb_cpu_engine_open(&r->params->ring, &r->engine));
    HB_TRY(hb_fixture_init(&r->fixture, r->engine, r->params, root, COUNT));
    r->words = COUNT * spec.n;
    r->wanted = calloc(r->words, sizeof *r->wanted);
    r->found = calloc(r->words, sizeof *r->found);
    if (r->wanted == NULL || r->found == NULL) {
        return HB_FAIL(HB_ENOMEM, "out of memory for the self-test");
    }
    for (size_t i = 0; i < r->words; i++) {
        r->wanted[i] =
            hb_mod_pow(i, 65537, &r->params->ring.moduli[hb_bfv_of(r->params)->plain_id]); /* 0, 1, then any residue */
    }
    r->wanted[2] = spec.bfv.plain - 1;
    const hb_fixture *s = &r->fixture;
    HB_TRY(hb_upload(s->engine, s->values.data, r->wanted, r->words * sizeof *r->wanted));
    return hb_encode(s->codec, s->plain, s->values);
}

/* A polynomial or values, to `found`. */
static hb_status fetch(trial *r, hb_batch from)
{
    HB_TRY(hb_download(r->engine, r->found, from.data, r->words * sizeof *r->found));
    return hb_finish(r->engine);
}

static hb_status expect_words(const trial *r, const char *what)
{
    for (size_t i = 0; i < r->words; i++) {
        if (r->found[i] != r->wanted[i]) {
            return HB_FAIL(HB_EINTERNAL, "%s, value %zu: %" PRIu64 ", expected %" PRIu64, what, i, r->found[i],
                           r->wanted[i]);
        }
    }
    return HB_OK;
}

/* Slot i of row 0 is the plaintext at psi^(3^i), slot N/2 + i at psi^-(3^i) (semantics.md 3). */
static hb_status compare_slots(const trial *r, const uint64_t *polynomial)
{
    const hb_params *p = r->params;
    const hb_modulus *t = &p->ring.moduli[hb_bfv_of(p)->plain_id];
    size_t n = p->ring.n;
    uint64_t exponent = 1;
    for (size_t i = 0; i < n / 2; i++, exponent = 3 * exponent % (2 * n)) {
        if (i % 64 != 0) { /* the rest would take seconds */
            continue;
        }
        for (size_t row = 0; row < 2; row++) {
            uint64_t point = hb_mod_pow(p->ring.psi[hb_bfv_of(p)->plain_id], row == 0 ? exponent : 2 * n - exponent, t),
                     sum = 0;
            for (size_t j = n; j-- > 0;) {
                sum = hb_mod_add(hb_mod_mul(sum, point, t), polynomial[j], t);
            }
            if (sum != r->wanted[row * n / 2 + i]) {
                return HB_FAIL(HB_EINTERNAL, "slot %zu: %" PRIu64 ", expected %" PRIu64, row * n / 2 + i, sum,
                               r->wanted[row * n / 2 + i]);
            }
        }
    }
    return HB_OK;
}

static hb_status slots(void)
{
    const hb_seed root = {{1}};
    trial r = {0};
    hb_status st;
    HB_GOTO(trial_init(&r, &root));
    HB_GOTO(fetch(&r, r.fixture.plain));
    HB_GOTO(compare_slots(&r, r.found));
    HB_GOTO(hb_decode(r.fixture.codec, r.fixture.values, r.fixture.plain));
    HB_GOTO(fetch(&r, r.fixture.values));
    st = expect_words(&r, "decoding");
done:
    trial_clear(&r);
    return st;
}

/* Encrypts with one of the keys, decrypts, compares, and looks for noise budget that is left. The plaintext that comes
 * back takes the place of the one that went in. */
static hb_status round_trip(trial *r, hb_encryptor *encryptor)
{
    hb_fixture *s = &r->fixture;
    const bool with_secret = encryptor == s->with_secret;
    const char *what = with_secret ? "round trip with the secret key" : "round trip with the public key";
    HB_TRY(hb_encode(s->codec, s->plain, s->values));
    HB_TRY(hb_encrypt(encryptor, s->c0, s->c1, s->seeds, s->plain, &s->root, 0));
    hb_batch_wipe(s->engine, s->plain);
    if (with_secret) {
        HB_TRY(hb_phase_seeded(s->decryptor, s->phase, s->c0, s->seeds));
    } else {
        HB_TRY(hb_phase(s->decryptor, s->phase, s->c0, s->c1));
    }
    HB_TRY(hb_decrypt(s->decryptor, s->plain, s->phase));
    HB_TRY(hb_decryptor_measure(s->decryptor, s->budgets, s->phase));
    HB_TRY(hb_decode(s->codec, s->values, s->plain));
    HB_TRY(fetch(r, s->values));
    HB_TRY(expect_words(r, what));
    for (size_t i = 0; i < COUNT; i++) {
        if (s->budgets[i] == 0) {
            return HB_FAIL(HB_EINTERNAL, "%s: no noise budget is left", what);
        }
    }
    return HB_OK;
}

/* Encryption with either key, and decryption. */
static hb_status scheme(void)
{
    const hb_seed root = {{2}};
    trial r = {0};
    hb_status st;
    HB_GOTO(trial_init(&r, &root));
    HB_GOTO(round_trip(&r, r.fixture.with_secret));
    st = round_trip(&r, r.fixture.with_public);
done:
    trial_clear(&r);
    return st;
}

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

/* Each returns HB_EINTERNAL with what was expected and what came, or an error of its own. NULL name after the last. */
typedef struct selftest {
    const char *name;
    hb_status (*run)(void);
} selftest;
static const selftest selftests[] = {{"primes and roots as Microsoft SEAL's", primes_and_roots},
                                     {"NTT against direct evaluation, FP64 arithmetic", ntt_fp64},
                                     {"NTT against direct evaluation, integer arithmetic", ntt_integer},
                                     {"ChaCha20, RFC 8439", chacha20},
                                     {"BLAKE2b digest of a row", digest},
                                     {"slots against direct evaluation", slots},
                                     {"encrypt and decrypt, public and secret key", scheme},
                                     {NULL, NULL}};

/* Who tells of the tests, and those that have passed. */
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

static hb_status run_tests(const telling *t)
{
    for (const selftest *test = selftests; test->name != NULL; test++) {
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
    for (size_t i = 0; (preset = hb_params_preset_name(i)) != NULL; i++) {
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
    hb_option rows[HB_DEVICE_OPTIONS];
    hb_parsed parsed;
    hb_device_options(rows, HB_DEVICE_OPTIONS, &choice);
    const hb_usage usage = {&hb_command_selftest, rows, HB_DEVICE_OPTIONS, 0, 0};
    HB_TRY(hb_options_parse(&usage, group, argc, argv, &parsed));
    if (parsed.help) {
        return HB_OK;
    }
    const telling t = {group, &parsed.common, json_array()};
    hb_status st;
    double start = hb_now();
    choice.check = "always"; /* it is what the command is for */
    HB_GOTO(run_tests(&t));
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
