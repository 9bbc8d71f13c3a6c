/* Every kernel that a transform can take, forced by a plan, gives the words of the CPU's; also after it was timed. */
#include "gpu.h"

enum { CHAIN = GPU_CHAINS - 1, DIGITS = 5 /* a chain of at most 50 bits */, MOST = 20 /* polynomials */ };

static hb_batch batch_of(hb_engine *e, size_t count, int chain)
{
    hb_batch x;
    assert_ok(hb_batch_alloc(e, &x, count, gpu_chains[chain].limbs, gpu_chains[chain].ids));
    return x;
}

static hb_batch batch_on(hb_engine *e, size_t count)
{
    return batch_of(e, count, CHAIN);
}

static void compare(const gpu_pair *p, hb_batch gpu, hb_batch cpu, size_t count, const char *what)
{
    const size_t row = cpu.limbs * p->ring.n;
    uint64_t *found = gpu_host(row * sizeof *found);
    for (size_t c = 0; c < count; c++) {
        gpu_fetch(p->gpu, found, gpu, c, 1);
        if (memcmp(found, cpu.data + c * cpu.stride, row * sizeof *found) != 0) {
            fail_msg("N = %zu, %zu polynomials, %s: polynomial %zu is wrong", p->ring.n, count, what, c);
        }
    }
    free(found);
}

static void check(const gpu_pair *p, const char *name, size_t count, const hb_seed *seeds)
{
    char what[64];
    hb_batch x = batch_on(p->gpu, count), y = batch_on(p->gpu, count), cpu = batch_on(p->cpu, count);
    assert_ok(hb_sample_uniform(p->gpu, x, seeds));
    assert_ok(hb_sample_uniform(p->cpu, cpu, seeds));
    assert_ok(hb_ntt(p->cpu, cpu));
    assert_ok(hb_ntt_of(p->gpu, y, x));
    snprintf(what, sizeof what, "%s, out of place", name);
    compare(p, y, cpu, count, what);
    assert_ok(hb_ntt(p->gpu, x));
    snprintf(what, sizeof what, "%s, forward", name);
    compare(p, x, cpu, count, what);
    assert_ok(hb_intt(p->gpu, x));
    assert_ok(hb_intt(p->cpu, cpu));
    snprintf(what, sizeof what, "%s, inverse", name);
    compare(p, x, cpu, count, what);
    for (uint32_t l = 0; l < x.limbs; l++) { /* a launch of several is of the widest one's arithmetic */
        const hb_batch one = hb_batch_limbs(p->gpu, x, l, 1), expected = hb_batch_limbs(p->cpu, cpu, l, 1);
        assert_ok(hb_ntt(p->gpu, one));
        assert_ok(hb_ntt(p->cpu, expected));
    }
    snprintf(what, sizeof what, "%s, limb by limb", name);
    compare(p, x, cpu, count, what);
    hb_batch_free(p->gpu, &x);
    hb_batch_free(p->gpu, &y);
    hb_batch_free(p->cpu, &cpu);
}

static void check_digits(const gpu_pair *p, const char *name, const hb_seed *seeds)
{
    const size_t digits = gpu_chains[DIGITS].limbs;
    hb_batch a = batch_of(p->gpu, 1, DIGITS), a_cpu = batch_of(p->cpu, 1, DIGITS);
    hb_batch r = batch_on(p->gpu, digits), r_cpu = batch_on(p->cpu, digits);
    assert_ok(hb_sample_uniform(p->gpu, a, seeds));
    assert_ok(hb_sample_uniform(p->cpu, a_cpu, seeds));
    assert_ok(hb_ntt_decompose(p->gpu, r, a));
    assert_ok(hb_ntt_decompose(p->cpu, r_cpu, a_cpu));
    compare(p, r, r_cpu, digits, name);
    hb_batch_free(p->gpu, &a);
    hb_batch_free(p->gpu, &r);
    hb_batch_free(p->cpu, &a_cpu);
    hb_batch_free(p->cpu, &r_cpu);
}

static void test_candidates(void **state)
{
    (void)state;
    static const size_t counts[] = {1, 3, MOST};
    hb_seed *seeds = gpu_seeds(MOST);
    for (uint32_t log_n = 10; log_n <= HB_RING_MAX_LOG_N; log_n++) {
        gpu_pair p;
        gpu_pair_open(&p, log_n);
        for (uint32_t k = 0; k < HB_NTT_CANDIDATES; k++) {
            hb_cuda_ntt_plan plan;
            if (k != HB_NTT_BY_RULE && !hb_ntt_possible(k, &gpu_device, log_n)) {
                continue;
            }
            hb_ntt_plan_of(&plan, k);
            hb_cuda_ntt_use(p.gpu, &plan);
            for (size_t i = 0; i < (gpu_small || log_n > 15 ? 2 : sizeof counts / sizeof counts[0]); i++) {
                check(&p, hb_ntt_candidate_of(k)->name, counts[i], seeds);
            }
            check_digits(&p, hb_ntt_candidate_of(k)->name, seeds);
        }
        gpu_pair_close(&p);
    }
    free(seeds);
}

static void test_time(void **state)
{
    (void)state;
    hb_seed *seeds = gpu_seeds(1);
    for (uint32_t log_n = gpu_small ? 16 : 12; log_n <= (gpu_small ? 16 : HB_RING_MAX_LOG_N); log_n++) {
        gpu_pair p;
        gpu_pair_open(&p, log_n);
        for (uint32_t k = 0; k < HB_NTT_CANDIDATES; k++) {
            hb_cuda_ntt_plan plan;
            double forward = 0, inverse = 0;
            hb_ntt_plan_of(&plan, k);
            hb_cuda_ntt_use(p.gpu, &plan);
            hb_batch x = batch_on(p.gpu, 1);
            assert_ok(hb_sample_uniform(p.gpu, x, seeds));
            assert_ok(hb_cuda_ntt_time(p.gpu, x, true, &forward));
            assert_ok(hb_cuda_ntt_time(p.gpu, x, false, &inverse));
            assert_true(forward > 0 && inverse > 0);
            hb_batch_free(p.gpu, &x);
            check(&p, hb_ntt_candidate_of(k)->name, 1, seeds);
        }
        gpu_pair_close(&p);
    }
    free(seeds);
}

GPU_MAIN(cmocka_unit_test(test_candidates), cmocka_unit_test(test_time))
