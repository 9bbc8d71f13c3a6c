/* The check of an engine: it accepts the CPU engine, and finds every operation that is broken, by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/prime.h"
#include "check/check.h"
#include "scheme/params.h"
#include "unit/broken_engine.h"
#include "unit/unit.h"

static hb_params *params_of(hb_params_spec spec)
{
    hb_params *params = NULL;
    spec.security = (hb_security){.level = 128};
    spec.insecure = true;
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    return params;
}

/* Both arithmetics: 30, 50 and 60 bits, = 1 mod 2048. */
static hb_params *mixed_params(void)
{
    hb_params_spec spec = {.n = 1024, .key_limbs = 3, .bfv.plain = 12289};
    const uint32_t bits[] = {30, 50, 60};
    assert_int_equal(hb_create_primes(spec.n, bits, 3, spec.primes), HB_OK);
    return params_of(spec);
}

static hb_status check_with(const hb_params *params, const engine_copy *changes)
{
    hb_engine *engine;
    assert_int_equal(hb_cpu_engine_open(&params->ring, &engine), HB_OK);
    real = engine->ops;
    engine_copy copy;
    with_changes(&copy, changes);
    now.calls = 0;
    engine->ops = &copy.ops;
    const hb_status st = hb_engine_check(engine, params, (hb_check_sample){0});
    engine->ops = real;
    hb_engine_close(engine);
    return st;
}

static void expect_refusal(const hb_params *params, const engine_copy *changes, hb_status status, const char *words)
{
    const hb_status st = check_with(params, changes);
    const char *text = hb_last_error()->text;
    if (st != status || strncmp(text, words, strlen(words)) != 0) {
        fail_msg("'%s', damage %d, calls like %u: status %d, '%s'", words, (int)now.damage, now.wanted, (int)st, text);
    }
    assert_true(now.calls > 0);
}

static void test_broken_operations(void **state)
{
    (void)state;
    hb_params *params = mixed_params();
    now.wanted = 0;
    for (size_t i = 0; i < ON_WORDS; i++) {
        for (int damage_kind = 0; damage_kind < DAMAGES; damage_kind++) {
            now.damage = (damage)damage_kind;
            expect_refusal(params, &on_words[i].changes, now.damage == FAIL ? HB_ENOMEM : HB_EUNAVAILABLE,
                           on_words[i].words);
        }
    }
    hb_params_close(params);
}

/* A way to call an operation. */
typedef struct variant {
    unsigned wanted;
    const char *words;
    engine_copy changes;
} variant;

/* Each way to call an operation is a place where it can be wrong alone. */
static void expect_refusals(const variant *variants, size_t count)
{
    hb_params *params = mixed_params();
    now.damage = LAST;
    for (size_t i = 0; i < count; i++) {
        now.wanted = variants[i].wanted;
        expect_refusal(params, &variants[i].changes, HB_EUNAVAILABLE, variants[i].words);
    }
    now.wanted = 0;
    hb_params_close(params);
}

static void test_broken_variants(void **state)
{
    (void)state;
    const variant variants[] = {
        {PART, "NTT mod 12289", {.ntt.ntt = bad_ntt}},
        {PART, "inverse NTT mod 12289", {.ntt.intt = bad_intt}},
        {SCALED, "inverse NTT times factors", {.ntt.intt = bad_intt}},
        {IN_PLACE, "NTT and product mod", {.ntt.ntt_mul = bad_ntt_mul}},
        {ONE, "NTT and product with one", {.ntt.ntt_mul = bad_ntt_mul}},
        {ONE, "sum with one", {.ring.add = bad_add}},
        {ONE, "difference with one", {.ring.sub = bad_sub}},
        {ONE, "product with one", {.ring.mul = bad_mul}},
        {ONE, "product of one with uniform", {.sample.mul_uniform = bad_mul_uniform}},
        {IN_PLACE, "sum in place", {.ring.add = bad_add}},
        {IN_PLACE, "difference in place", {.ring.sub = bad_sub}},
        {IN_PLACE, "product in place", {.ring.mul = bad_mul}},
        {IN_PLACE, "negation in place", {.ring.negate = bad_negate}},
        {IN_PLACE, "scaling in place", {.ring.scale = bad_scale}},
        {IN_PLACE, "division by the last prime in place", {.rns.divide_round = bad_divide_round}},
        {SUM, "division by the last prime and sum", {.rns.divide_round = bad_divide_round}},
        {SUM | IN_PLACE, "division by the last prime and sum in place", {.rns.divide_round = bad_divide_round}},
        {APART, "division by a prime apart", {.rns.divide_round = bad_divide_round}},
        {APART | SUM, "division by a prime apart and sum", {.rns.divide_round = bad_divide_round}},
        {IN_PLACE, "mixed-radix digits in place", {.garner.garner_digits = bad_garner_digits}},
        {GAUSSIAN, "Gaussian sampling", {.sample.sample_small = bad_sample_small}},
        {BINOMIAL, "binomial sampling", {.sample.sample_small = bad_sample_small}},
        {GAUSSIAN, "adding Gaussian", {.sample.add_small = bad_add_small}},
        {BINOMIAL, "adding binomial", {.sample.add_small = bad_add_small}},
        {MINUS | TERNARY, "subtracting ternary", {.sample.add_small = bad_add_small}},
        {MINUS | GAUSSIAN, "subtracting Gaussian", {.sample.add_small = bad_add_small}},
        {MINUS | BINOMIAL, "subtracting binomial", {.sample.add_small = bad_add_small}},
        {WIDE, "adding wide noise", {.sample.add_exact_flood = bad_add_exact_flood}},
        {MINUS, "subtracting the scaled message", {.bfv.add_scaled_plain = bad_add_scaled_plain}},
        {ONE, "adding one scaled message", {.bfv.add_scaled_plain = bad_add_scaled_plain}},
        {MINUS | ONE, "subtracting one scaled message", {.bfv.add_scaled_plain = bad_add_scaled_plain}},
        {ONE, "product with one ciphertext, sizes 2 and 2", {.products.tensor = bad_tensor}},
        {UNEQUAL, "product of polynomials in the secret, sizes 3 and 2", {.products.tensor = bad_tensor}},
        {UNEQUAL | ONE, "product with one ciphertext, sizes 2 and 3", {.products.tensor = bad_tensor}},
        {IN_PLACE, "square of polynomials in the secret", {.products.tensor = bad_tensor}},
        {ONE, "product with a part of a key", {.products.key_products = bad_key_products}},
    };
    expect_refusals(variants, sizeof variants / sizeof *variants);
}

static void test_broken_conversions_and_layouts(void **state)
{
    (void)state;
    const variant variants[] = {
        {SCALED, "base conversion with factors", {.rns.base_convert = bad_base_convert}},
        {BINARY_K, "base conversion with an overflow mod", {.rns.base_convert = bad_base_convert}},
        {MODULAR_K, "base conversion with an overflow modulo a prime", {.rns.base_convert = bad_base_convert}},
        {CENTRED_K, "base conversion of centred words", {.rns.base_convert = bad_base_convert}},
        {ROUNDED_K, "base conversion with a rounded overflow", {.rns.base_convert = bad_base_convert}},
        {KEPT, "base conversion with an overflow modulo a prime", {.rns.base_convert = bad_base_convert}},
        {PART, "inner products with a key of some limbs", {.products.key_products = bad_key_products}},
        {SLICES, "copy of slices", {.ring.copy = bad_copy}},
        {LIMBS_APART, "copy to limbs apart", {.ring.copy = bad_copy}},
        {SLICES, "base conversion of slices", {.rns.base_convert = bad_base_convert}},
        {LIMBS_APART, "base conversion to limbs apart", {.rns.base_convert = bad_base_convert}},
        {LIMBS_APART | KEPT, "base conversion that keeps limbs apart", {.rns.base_convert = bad_base_convert}},
        {SLICES | UNEQUAL, "base conversion of slices from", {.rns.base_convert = bad_base_convert}},
        {FROM_APART, "base conversion of limbs apart to", {.rns.base_convert = bad_base_convert}},
        {KEPT, "two base conversions that keep", {.rns.base_convert_through = bad_base_convert_through}},
        {IN_PLACE, "two base conversions in place", {.rns.base_convert_through = bad_base_convert_through}},
        {UNEQUAL, "two base conversions to t", {.rns.base_convert_through = bad_base_convert_through}},
        {SLICES, "two base conversions of slices", {.rns.base_convert_through = bad_base_convert_through}},
        {SLICES, "mixed-radix digits of slices", {.garner.garner_digits = bad_garner_digits}},
        {LIMBS_APART, "mixed-radix digits of limbs apart", {.garner.garner_digits = bad_garner_digits}},
        {SLICES, "infinity norm of slices", {.garner.infinity_norm = bad_infinity_norm}},
        {LIMBS_APART, "infinity norm of limbs apart", {.garner.infinity_norm = bad_infinity_norm}},
        {APART, "packing into rows apart", {.rows.pack = bad_pack}},
        {APART, "unpacking rows apart", {.rows.unpack = bad_unpack}},
        {ORDERED, "coefficients of slots in powers", {.real.slots_to_coefficients = bad_slots_to_coefficients}},
        {ORDERED, "slots in powers of 3", {.real.coefficients_to_slots = bad_coefficients_to_slots}},
    };
    expect_refusals(variants, sizeof variants / sizeof *variants);
}

/* Polynomials without gaps are first met in whole encryptions, decryptions and evaluations. */
static void test_broken_without_gaps(void **state)
{
    (void)state;
    const variant variants[] = {
        {DENSE, "encoding mod 12289", {.ring.permute = bad_permute}},
        {DENSE, "encryption with the secret key", {.sample.mul_uniform = bad_mul_uniform}},
        {DENSE, "decryption of a seeded ciphertext", {.bfv.gamma_correct = bad_gamma_correct}},
        {DENSE, "encryption with the public key, component 0", {.rns.divide_round = bad_divide_round}},
        {DENSE, "noise mod", {.garner.garner_digits = bad_garner_digits}},
        {DENSE | PART, "decoding", {.ntt.ntt = bad_ntt}},
        {DENSE, "multiplication", {.products.tensor = bad_tensor}},
        {DENSE | BINARY_K, "multiplication", {.rns.base_convert = bad_base_convert}},
        {DENSE, "multiplication", {.rns.base_convert_through = bad_base_convert_through}},
        {DENSE | IN_PLACE, "squaring", {.products.tensor = bad_tensor}},
        {FROM_APART,
         "products of digits as they are made, some of them known",
         {.products.digit_products = bad_digit_products}},
        {DENSE, "relinearization", {.products.digit_products = bad_digit_products}},
        {DENSE, "rotation", {.ring.galois = bad_galois}},
    };
    expect_refusals(variants, sizeof variants / sizeof *variants);
}

/* Operations that report a number report it wrongly. */
static void test_broken_reports(void **state)
{
    (void)state;
    hb_params *params = mixed_params();
    now.damage = LAST;
    now.calls = 1;
    assert_int_equal(check_with(params, &(engine_copy){.rows.unpack = miscounting_unpack}), HB_EUNAVAILABLE);
    assert_non_null(strstr(hb_last_error()->text, "count of residues out of range: the engine says"));
    now.calls = 1;
    assert_int_equal(check_with(params, &(engine_copy){.real.round_reals = silent_round_reals}), HB_EUNAVAILABLE);
    assert_non_null(strstr(hb_last_error()->text, "first real that is refused: the engine says"));
    hb_params_close(params);
}

/* Two special primes, digits of two: for operations that only these have. */
static hb_params *hybrid_params(void)
{
    hb_params_spec spec = {.n = 1024, .key_limbs = 6, .special_limbs = 2, .bfv.plain = 12289};
    const uint32_t bits[] = {40, 50, 45, 40, 60, 51};
    assert_int_equal(hb_create_primes(spec.n, bits, 6, spec.primes), HB_OK);
    return params_of(spec);
}

static void test_broken_digits(void **state)
{
    (void)state;
    hb_params *params = hybrid_params();
    assert_int_equal(check_with(params, &(engine_copy){.ops = {0}}), HB_OK);
    now.damage = LAST;
    now.wanted = SCATTERED | CENTRED_K;
    expect_refusal(params, &(engine_copy){.rns.base_convert = bad_base_convert}, HB_EUNAVAILABLE, "relinearization");
    hb_params_close(params);
}

/* Wrong at borders only. */
static void test_broken_borders(void **state)
{
    (void)state;
    const sabotage borders[] = {
        {"base conversion with an overflow at its border", {.rns.base_convert = off_centre_binary}},
        {"base conversion with an overflow modulo a prime", {.rns.base_convert = off_centre_modular}},
        {"base conversion of centred words", {.rns.base_convert = convert_not_centred}},
        {"plaintext as a factor", {.bfv.lift_plain = off_centre_lift}},
        {"plaintext of few terms as a factor", {.bfv.lift_plain = lift_with_exception}},
        {"monomial as a factor", {.bfv.lift_plain = lift_without_exception}},
    };
    hb_params *params = mixed_params();
    now.wanted = 0;
    for (size_t i = 0; i < sizeof borders / sizeof borders[0]; i++) {
        const hb_status st = check_with(params, &borders[i].changes);
        if (st != HB_EUNAVAILABLE || strncmp(hb_last_error()->text, borders[i].words, strlen(borders[i].words)) != 0) {
            fail_msg("%zu: '%s', not '%s'", i, hb_last_error()->text, borders[i].words);
        }
    }
    hb_params_close(params);
}

/* A message names the modulus, the polynomial and the word. */
static void test_place(void **state)
{
    (void)state;
    hb_params *params = mixed_params();
    char place[64];
    now.wanted = 0;
    now.damage = LAST;
    assert_int_equal(check_with(params, &(engine_copy){.ring.mul = bad_mul}), HB_EUNAVAILABLE);
    snprintf(place, sizeof place,
             "product mod %llu, polynomial 1, word 1023: ", (unsigned long long)params->spec.primes[2]);
    assert_non_null(strstr(hb_last_error()->text, place));
    now.damage = BEYOND;
    assert_int_equal(check_with(params, &(engine_copy){.ring.mul = bad_mul}), HB_EUNAVAILABLE);
    assert_non_null(strstr(hb_last_error()->text, "product: the engine wrote outside of the polynomials"));
    hb_params_close(params);
}

/* The engine's allocations that are not freed. */
static struct {
    int memory, host, queues;
    int alloc_fails_at; /* this many calls from now; negative: never */
} balance;

static hb_status counted_alloc(hb_engine *e, size_t bytes, void **memory)
{
    if (balance.alloc_fails_at-- == 0) {
        return refused();
    }
    balance.memory++;
    return real->memory->alloc(e, bytes, memory);
}

static void counted_free(hb_engine *e, void *memory)
{
    balance.memory--;
    real->memory->free(e, memory);
}

static hb_status counted_host_alloc(hb_engine *e, size_t bytes, void **memory)
{
    balance.host++;
    return real->memory->host_alloc(e, bytes, memory);
}

static void counted_host_free(hb_engine *e, void *memory)
{
    balance.host--;
    real->memory->host_free(e, memory);
}

static engine_copy fork_copy;

static void counted_close(hb_engine *e)
{
    balance.queues--;
    real->close(e);
}

static hb_status counted_fork(hb_engine *e, hb_engine **out)
{
    balance.queues++;
    HB_TRY(real->fork(e, out));
    engine_copy_of(&fork_copy, real);
    fork_copy.ops.close = counted_close;
    (*out)->ops = &fork_copy.ops;
    return HB_OK;
}

static hb_status misaligned_alloc(hb_engine *e, size_t bytes, void **memory)
{
    HB_TRY(real->memory->alloc(e, bytes + 8, memory));
    *memory = (char *)*memory + 8;
    return HB_OK;
}

static void misaligned_free(hb_engine *e, void *memory)
{
    real->memory->free(e, (char *)memory - 8);
}

static hb_status fork_with_bad_ntt(hb_engine *e, hb_engine **out)
{
    HB_TRY(real->fork(e, out));
    engine_copy_of(&fork_copy, real);
    fork_copy.ntt.ntt = bad_ntt;
    (*out)->ops = &fork_copy.ops;
    return HB_OK;
}

static hb_status beside_with_bad_ntt(hb_engine *e, const hb_ring *ring, hb_engine **out)
{
    HB_TRY(real->beside(e, ring, out));
    engine_copy_of(&fork_copy, real);
    fork_copy.ntt.ntt = bad_ntt;
    (*out)->ops = &fork_copy.ops;
    return HB_OK;
}

static hb_status failing_fork(hb_engine *e, hb_engine **out)
{
    (void)e;
    (void)out;
    return refused();
}

static hb_status failing_host_alloc(hb_engine *e, size_t bytes, void **memory)
{
    (void)e;
    (void)bytes;
    (void)memory;
    return refused();
}

static hb_status failing_finish(hb_engine *e)
{
    (void)e;
    return refused();
}

static void test_memory(void **state)
{
    (void)state;
    hb_params *params = mixed_params();
    const engine_copy counted = {.ops = {.fork = counted_fork},
                                 .memory = {.host_alloc = counted_host_alloc,
                                            .host_free = counted_host_free,
                                            .alloc = counted_alloc,
                                            .free = counted_free}};
    int fails_at = -1;
    hb_status st;
    do { /* complete, then with each allocation failing */
        memset(&balance, 0, sizeof balance);
        balance.alloc_fails_at = fails_at;
        st = check_with(params, &counted);
        assert_int_equal(st, fails_at < 0 || balance.alloc_fails_at >= 0 ? HB_OK : HB_ENOMEM);
        assert_true(balance.memory == 0 && balance.host == 0 && balance.queues == 0);
        fails_at++;
    } while (fails_at == 0 || st != HB_OK);
    assert_true(fails_at > 20);

    now.wanted = 0;
    now.damage = LAST;
    expect_refusal(params, &(engine_copy){.ops.fork = fork_with_bad_ntt}, HB_EUNAVAILABLE, "NTT in a second queue");
    expect_refusal(params, &(engine_copy){.ops.beside = beside_with_bad_ntt}, HB_EUNAVAILABLE, "NTT in a subring");
    assert_int_equal(check_with(params, &(engine_copy){.memory = {.alloc = misaligned_alloc, .free = misaligned_free}}),
                     HB_EUNAVAILABLE);
    assert_non_null(strstr(hb_last_error()->text, "memory: "));
    assert_int_equal(check_with(params, &(engine_copy){.ops.fork = failing_fork}), HB_ENOMEM);
    assert_non_null(strstr(hb_last_error()->text, "NTT in a second queue: no paper"));
    assert_int_equal(check_with(params, &(engine_copy){.memory.host_alloc = failing_host_alloc}), HB_ENOMEM);
    assert_non_null(strstr(hb_last_error()->text, "copies through host memory: no paper"));
    assert_int_equal(check_with(params, &(engine_copy){.ops.finish = failing_finish}), HB_ENOMEM);
    hb_params_close(params);
}

static void test_accepts(void **state)
{
    (void)state;
    const hb_params_spec specs[] = {
        {.n = 2048, .key_limbs = 1, .primes = {18014398492704769}, .bfv.plain = 65536}, /* one limb, t without a root */
        {.n = 1024, .key_limbs = 2, .primes = {1073707009, 1073698817}, .bfv.plain = 12289},
        {.scheme = HB_CKKS, /* digits of two primes */
         .n = 1024,
         .key_limbs = 6,
         .primes = {1125899887312897, 2199021813761, 2199020634113, 2199018405889, 1125899903827969, 1125899902124033},
         .special_limbs = 2,
         .ckks.scale_bits = 41},
        {.scheme = HB_CKKS, /* levels of two primes */
         .n = 1024,
         .key_limbs = 6,
         .primes = {0x3fffffcc0001, 0x3fffffb20001, 0x10000140001, 0xffffe80001, 0x3ffffffd20001, 0x3ffffffb80001},
         .special_limbs = 2,
         .ckks = {.scale_bits = 80, .level_primes = 2}},
        {.scheme = HB_CKKS, /* as SEAL's, without a special prime */
         .n = 1024,
         .key_limbs = 1,
         .primes = {1125899906826241},
         .ckks = {.scale_bits = 40, .like_seal = true}},
    };
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        hb_params *params = params_of(specs[i]);
        assert_int_equal(check_with(params, &(engine_copy){.ops = {0}}), HB_OK);
        hb_params_close(params);
    }
}

/* Any ring; as many limbs as there may be. */
static void test_rings(void **state)
{
    (void)state;
    enum { LOG_N = 6 };
    hb_ring ring;
    uint64_t primes[HB_MAX_LIMBS];
    uint16_t ids[HB_MAX_LIMBS + 2];
    assert_int_equal(hb_ring_init(&ring, LOG_N), HB_OK);
    for (uint32_t half = 0; half < 2; half++) { /* 32 primes of 49 bits, then 32 of 61 */
        assert_int_equal(hb_find_primes(2 << LOG_N, half == 0 ? 49 : 61, HB_MAX_LIMBS / 2, primes), HB_OK);
        for (uint32_t i = 0; i < HB_MAX_LIMBS / 2; i++) {
            assert_int_equal(hb_ring_add_modulus(&ring, primes[i], &ids[half * HB_MAX_LIMBS / 2 + i]), HB_OK);
        }
    }
    assert_int_equal(hb_ring_add_modulus(&ring, 2, &ids[HB_MAX_LIMBS]), HB_OK);
    assert_int_equal(hb_ring_add_modulus(&ring, (1ull << 60) + 1, &ids[HB_MAX_LIMBS + 1]), HB_OK);
    hb_engine *engine, *cpu;
    assert_int_equal(hb_cpu_engine_open(&ring, &engine), HB_OK);
    assert_int_equal(hb_cpu_engine_open(&ring, &cpu), HB_OK);
    const uint32_t limbs[] = {1, 2, 5, HB_MAX_LIMBS};
    for (size_t i = 0; i < sizeof limbs / sizeof limbs[0]; i++) {
        const hb_check_shape shape = {ids, limbs[i], ids[HB_MAX_LIMBS], ids[HB_MAX_LIMBS + 1], i + 1, i};
        assert_int_equal(hb_engine_check_operations(engine, cpu, &shape), HB_OK);
    }
    hb_engine_close(engine);
    hb_engine_close(cpu);
}

static int start(void **state)
{
    (void)state;
    return hb_seed_start() != HB_OK;
}

HB_UNIT(engine_check)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepts),
        cmocka_unit_test(test_rings),
        cmocka_unit_test(test_broken_operations),
        cmocka_unit_test(test_broken_variants),
        cmocka_unit_test(test_broken_conversions_and_layouts),
        cmocka_unit_test(test_broken_without_gaps),
        cmocka_unit_test(test_broken_reports),
        cmocka_unit_test(test_broken_digits),
        cmocka_unit_test(test_broken_borders),
        cmocka_unit_test(test_place),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
