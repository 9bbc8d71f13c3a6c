/* Long draws, with moduli that reject every second word: attempts of every depth come up. */
#include "gpu.h"

typedef struct rig {
    gpu_pair pair;
    hb_batch x, y, b, c; /* results on the GPU and the CPU; a factor on both */
    hb_seed *seeds;      /* one a polynomial, and one a distribution */
    uint64_t *found;
} rig;

static const uint16_t ids[] = {GPU_L30, GPU_L49, GPU_L60, GPU_W61};
enum { LIMBS = sizeof ids / sizeof ids[0], DISTRIBUTIONS = HB_BINOMIAL + 1 };

static void rig_open(rig *r, uint32_t log_n, size_t count)
{
    gpu_pair_open(&r->pair, log_n);
    assert_ok(hb_batch_alloc(r->pair.gpu, &r->x, count, LIMBS, ids));
    assert_ok(hb_batch_alloc(r->pair.cpu, &r->y, count, LIMBS, ids));
    assert_ok(hb_batch_alloc(r->pair.gpu, &r->b, 1, LIMBS, ids));
    assert_ok(hb_batch_alloc(r->pair.cpu, &r->c, 1, LIMBS, ids));
    r->seeds = gpu_seeds(count + DISTRIBUTIONS);
    r->found = gpu_host(count * r->x.stride * sizeof *r->found);
    assert_ok(hb_sample_uniform(r->pair.gpu, r->b, r->seeds));
    assert_ok(hb_sample_uniform(r->pair.cpu, r->c, r->seeds));
}

static void rig_close(rig *r)
{
    hb_batch_free(r->pair.gpu, &r->x);
    hb_batch_free(r->pair.cpu, &r->y);
    hb_batch_free(r->pair.gpu, &r->b);
    hb_batch_free(r->pair.cpu, &r->c);
    gpu_pair_close(&r->pair);
    free(r->seeds);
    free(r->found);
}

static void expect_equal(rig *r, const char *what)
{
    const size_t n = r->pair.ring.n, stride = r->x.stride;
    gpu_fetch(r->pair.gpu, r->found, r->x, 0, r->x.count);
    for (size_t i = 0; i < r->x.count * stride; i++) {
        if (r->found[i] != r->y.data[i]) {
            fail_msg("%s, N = %zu: polynomial %zu, limb %zu, word %zu: %llu, the CPU %llu", what, n, i / stride,
                     i % stride / n, i % n, (unsigned long long)r->found[i], (unsigned long long)r->y.data[i]);
        }
    }
}

static void check(uint32_t log_n, size_t count)
{
    rig r;
    rig_open(&r, log_n, count);
    hb_engine *gpu = r.pair.gpu, *cpu = r.pair.cpu;
    assert_ok(hb_sample_uniform(gpu, r.x, r.seeds));
    assert_ok(hb_sample_uniform(cpu, r.y, r.seeds));
    expect_equal(&r, "uniform");
    assert_ok(hb_mul_uniform(gpu, r.x, r.seeds, r.b));
    assert_ok(hb_mul_uniform(cpu, r.y, r.seeds, r.c));
    expect_equal(&r, "product with uniform");
    for (int d = HB_TERNARY; d <= HB_BINOMIAL; d++) {
        const hb_draw draw = {&r.seeds[d], HB_DRAW_ERROR_1,
                              UINT64_MAX - count / 2}; /* past the last item, from 0 again */
        assert_ok(hb_add_small(gpu, r.x, (hb_distribution)d, draw, HB_MINUS));
        assert_ok(hb_add_small(cpu, r.y, (hb_distribution)d, draw, HB_MINUS));
        expect_equal(&r, "subtracted");
        assert_ok(hb_sample_small(gpu, r.x, (hb_distribution)d, draw));
        assert_ok(hb_sample_small(cpu, r.y, (hb_distribution)d, draw));
        expect_equal(&r, "small");
    }
    static const hb_exact_flood floods[] = {{1, 1}, {64, 56}, {200, HB_EXACT_FLOOD_MOST_WIDTH}};
    for (size_t i = 0; i < sizeof floods / sizeof *floods; i++) {
        assert_ok(hb_add_exact_flood(gpu, r.x, floods[i], r.seeds));
        assert_ok(hb_add_exact_flood(cpu, r.y, floods[i], r.seeds));
        expect_equal(&r, "noise of exact bits");
    }
    rig_close(&r);
}

static void test_many_polynomials(void **state)
{
    (void)state;
    check(10, gpu_small ? 9 : 3000);
    check(12, gpu_small ? 5 : 700);
}

static void test_long_polynomials(void **state)
{
    (void)state;
    check(15, gpu_small ? 1 : 40);
    check(17, gpu_small ? 1 : 10);
}

/* The host's seeds may change as soon as a call is back, and there may be more of them than a queue stages at once. */
static void test_seeds_are_copied(void **state)
{
    (void)state;
    const size_t count = gpu_small ? 100 : 40000;
    gpu_pair p;
    hb_batch x, y;
    const uint16_t id = GPU_W50;
    gpu_pair_open(&p, 10);
    hb_seed *seeds = gpu_seeds(count), *kept = gpu_seeds(count);
    uint64_t *found = gpu_host(p.ring.n * sizeof *found);
    assert_ok(hb_batch_alloc(p.gpu, &x, count, 1, &id));
    assert_ok(hb_batch_alloc(p.cpu, &y, 1, 1, &id));
    assert_ok(hb_sample_uniform(p.gpu, x, seeds));
    memset(seeds, 0, count * sizeof *seeds);
    for (size_t c = 0; c < count; c += count / 50) {
        assert_ok(hb_sample_uniform(p.cpu, y, &kept[c]));
        gpu_fetch(p.gpu, found, x, c, 1);
        assert_memory_equal(found, y.data, p.ring.n * sizeof *found);
    }
    hb_batch_free(p.gpu, &x);
    hb_batch_free(p.cpu, &y);
    gpu_pair_close(&p);
    free(found);
    free(kept);
    free(seeds);
}

GPU_MAIN(cmocka_unit_test(test_many_polynomials), cmocka_unit_test(test_long_polynomials),
         cmocka_unit_test(test_seeds_are_copied))
