/* Every operation against the CPU engine: every N, every width of modulus, one polynomial or many, one limb or many. */
#include "gpu.h"
#include "scheme/params.h"

static void check(const gpu_pair *p, const uint16_t *ids, uint32_t limbs, uint16_t plain, uint16_t gamma, size_t count)
{
    const hb_check_shape shape = {ids, limbs, plain, gamma, count, limbs + 100 * count};
    const hb_status st = hb_engine_check_operations(p->gpu, p->cpu, &shape);
    if (st != HB_OK) {
        fail_msg("N = %zu, %u limbs, t = %llu, %zu polynomials: status %d: %s", p->ring.n, limbs,
                 (unsigned long long)p->ring.moduli[plain].value, count, st, hb_last_error()->text);
    }
}

static void test_every_size(void **state)
{
    (void)state;
    static const size_t counts[] = {1, 2, 3, 7};
    for (uint32_t log_n = 10; log_n <= HB_RING_MAX_LOG_N; log_n++) {
        gpu_pair p;
        gpu_pair_open(&p, log_n);
        const size_t most = gpu_small ? 1 : log_n <= 14 ? 4 : 3;
        for (size_t chain = 0; chain < GPU_CHAINS; chain++) {
            for (size_t i = 0; i < most; i++) {
                const uint16_t plain = gpu_plains[(chain + i) % GPU_PLAINS];
                check(&p, gpu_chains[chain].ids, gpu_chains[chain].limbs, plain, GPU_GAMMA, counts[i]);
            }
        }
        gpu_pair_close(&p);
    }
}

static void test_many_polynomials(void **state)
{
    (void)state;
    static const size_t counts[] = {48, 200};
    const gpu_chain *chain = &gpu_chains[GPU_CHAIN_PAIR];
    for (uint32_t log_n = 10; log_n <= 13; log_n += gpu_small ? 3 : 1) {
        gpu_pair p;
        gpu_pair_open(&p, log_n);
        for (size_t i = 0; i < (gpu_small ? 1 : 2); i++) {
            check(&p, chain->ids, chain->limbs, gpu_plains[i], GPU_GAMMA, counts[i]);
        }
        gpu_pair_close(&p);
    }
}

/* HB_MAX_LIMBS primes of two widths in turn, then t and gamma. */
static void many_limbs_open(gpu_pair *p, uint32_t log_n, uint32_t even_bits, uint32_t odd_bits,
                            uint16_t ids[HB_MAX_LIMBS + 2])
{
    uint64_t even[HB_MAX_LIMBS], odd[HB_MAX_LIMBS];
    assert_ok(hb_ring_init(&p->ring, log_n));
    assert_ok(hb_find_primes(2 * p->ring.n, even_bits, HB_MAX_LIMBS, even));
    assert_ok(hb_find_primes(2 * p->ring.n, odd_bits, HB_MAX_LIMBS, odd));
    for (size_t i = 0; i < HB_MAX_LIMBS; i++) {
        assert_ok(hb_ring_add_modulus(&p->ring, i % 2 == 0 ? even[i] : odd[i], &ids[i]));
    }
    assert_ok(hb_ring_add_modulus(&p->ring, gpu_largest(&p->ring, log_n + 8), &ids[HB_MAX_LIMBS]));
    assert_ok(hb_ring_add_modulus(&p->ring, gpu_largest(&p->ring, 61), &ids[HB_MAX_LIMBS + 1]));
    gpu_engines_open(p);
}

/* Chains up to the longest. */
static void check_many_limbs(uint32_t even_bits, uint32_t odd_bits)
{
    static const uint32_t limbs[] = {3, 5, 8, 9, 13, 14, 15, 16, 17, 20, 21, 31, 32, 33, 63, 64};
    const size_t cases = sizeof limbs / sizeof limbs[0];
    gpu_pair p;
    uint16_t ids[HB_MAX_LIMBS + 2];
    many_limbs_open(&p, 10, even_bits, odd_bits, ids);
    for (size_t i = gpu_small ? cases - 1 : 0; i < cases; i++) {
        check(&p, ids, limbs[i], ids[HB_MAX_LIMBS], ids[HB_MAX_LIMBS + 1], 2);
    }
    gpu_pair_close(&p);
}

/* Each of the arithmetics of transforms and of base conversions, alone and beside another. */
static void test_many_limbs(void **state)
{
    (void)state;
    static const uint32_t bits[][2] = {{47, 57}, {49, 48}, {50, 49}, {55, 56}, {30, 36}, {60, 59}};
    for (size_t i = 0; i < (gpu_small ? 1 : sizeof bits / sizeof bits[0]); i++) {
        check_many_limbs(bits[i][0], bits[i][1]);
    }
}

/* The operations for which limbs are divided. */
static void test_long_rows(void **state)
{
    (void)state;
    static const struct {
        uint32_t log_n, bits, limbs;
    } cases[] = {{16, 50, 30}, {17, 50, 20}, {17, 60, 20}}; /* the CPU computes all of it, too: minutes, if more */
    for (size_t i = 0; i < sizeof cases / sizeof cases[0] && !gpu_small; i++) {
        gpu_pair p;
        uint16_t ids[HB_MAX_LIMBS + 2];
        many_limbs_open(&p, cases[i].log_n, cases[i].bits, cases[i].bits - 1, ids);
        check(&p, ids, cases[i].limbs, ids[HB_MAX_LIMBS], ids[HB_MAX_LIMBS + 1], 1);
        gpu_pair_close(&p);
    }
}

static void test_presets(void **state)
{
    (void)state;
    const char *name;
    for (size_t i = 0; (name = hb_params_chain_name(i)) != NULL && i < (gpu_small ? 1 : SIZE_MAX); i++) {
        hb_params_spec spec;
        hb_params *params;
        hb_engine *gpu;
        assert_ok(hb_params_preset(name, &spec));
        assert_ok(hb_params_open(&spec, &params));
        assert_ok(hb_cuda_engine_open(&params->ring, &gpu_device, gpu_device.free / 2, &gpu));
        assert_ok(hb_engine_check(gpu, params, (hb_check_sample){0}));
        hb_engine_close(gpu);
        hb_params_close(params);
    }
}

/* Digits of several primes, several special ones: words of 50 bits and less, and of any. */
static void test_digits(void **state)
{
    (void)state;
    static const uint32_t bits[2][9] = {{45, 40, 41, 40, 43, 41, 50, 50, 49}, {50, 60, 40, 55, 36, 45, 60, 58, 59}};
    for (uint32_t i = 0; i < 4; i++) {
        hb_params_spec spec = {.n = 4096,
                               .key_limbs = 9,
                               .special_limbs = 2 + i / 2,
                               .bfv.plain = 65537,
                               .security = {.level = 128},
                               .insecure = true};
        hb_params *params;
        hb_engine *gpu;
        assert_ok(hb_create_primes(spec.n, bits[i % 2], 9, spec.primes));
        assert_ok(hb_params_open(&spec, &params));
        assert_ok(hb_cuda_engine_open(&params->ring, &gpu_device, gpu_device.free / 2, &gpu));
        assert_ok(hb_engine_check(gpu, params, (hb_check_sample){0}));
        hb_engine_close(gpu);
        hb_params_close(params);
    }
}

GPU_MAIN(cmocka_unit_test(test_every_size), cmocka_unit_test(test_many_polynomials), cmocka_unit_test(test_many_limbs),
         cmocka_unit_test(test_long_rows), cmocka_unit_test(test_presets), cmocka_unit_test(test_digits))
