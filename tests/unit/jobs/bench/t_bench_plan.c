/* The plan that measuring leads to, on a GPU whose kernels take the time that is said here. Defines all of the CUDA
 * folder that this takes; the engine is a CPU's. */
#include "unit/scratch.h"

#include "bench/plan.h"
#include "cpu/engine.h"
#include "cuda/engine/engine.h"

static const hb_device device = {
    .gpu = true,
    .card = {.name = "Fake", .multiprocessors = 132, .l2 = (uint64_t)50 << 20, .sm90 = true, .fast_f64 = true},
    .memory = (uint64_t)1 << 30};
enum { BYTES = 1 << 22 };

static const hb_device *in_use; /* whose GPU it is */
static hb_cuda_ntt_plan plan;   /* of the engine */
static uint32_t calls, failing; /* the call that fails; 0: none */

/* Seconds that a kernel takes. */
static double time_of(uint32_t kernel, hb_ntt_kind kind, size_t jobs)
{
    double one = 1e-6;
    switch (kernel) {
    case HB_NTT_TWO:
    case HB_NTT_NARROW_CLUSTER:
    case HB_NTT_NARROW_TWO:
        one *= 1.01; /* the rules' for small batches: 1 % is noise */
        break;
    case HB_NTT_CLUSTER:
        one *= kind.log_n == 13 && !kind.forward && kind.arithmetic == HB_NTT_U64_61 && jobs >= 8 ? 0.5 : 1;
        break;
    case HB_NTT_DATAFLOW_150:
        one *= jobs >= 4 ? 0.9 : 2;
        break;
    default:
        break;
    }
    return one * (double)jobs;
}

bool hb_cuda_built(void)
{
    return true;
}

void hb_cuda_versions_get(hb_cuda_versions *versions)
{
    *versions = (hb_cuda_versions){13000, 13000};
}

hb_status hb_cuda_device_count(int *count)
{
    *count = 1;
    return HB_OK;
}

hb_status hb_cuda_device_get(int index, hb_cuda_device *card)
{
    (void)index;
    *card = in_use->card;
    return HB_OK;
}

bool hb_cuda_device_peers(int a, int b)
{
    (void)a;
    (void)b;
    return false;
}

hb_status hb_cuda_engine_open(const hb_ring *ring, const hb_cuda_device *card, uint64_t memory_limit, hb_engine **out)
{
    (void)card;
    (void)memory_limit;
    return hb_cpu_engine_open(ring, out);
}

size_t hb_cuda_engine_recorded(const hb_engine *engine)
{
    (void)engine;
    return 0;
}

uint64_t hb_cuda_engine_bytes(const hb_engine *engine)
{
    (void)engine;
    return 0;
}

void hb_cuda_ntt_use(hb_engine *engine, const hb_cuda_ntt_plan *wanted)
{
    (void)engine;
    plan = *wanted;
}

hb_status hb_cuda_ntt_time(hb_engine *engine, hb_batch x, bool forward, double *seconds)
{
    const hb_modulus *m = &engine->ring->moduli[x.ids[0]];
    const uint32_t bits = m->bits;
    const hb_ntt_kind kind = {engine->ring->log_n,
                              bits == 49   ? HB_NTT_F64_49
                              : bits == 50 ? HB_NTT_F64_50
                              : bits == 59 ? HB_NTT_U64_59
                                           : HB_NTT_U64_61,
                              forward};
    const size_t jobs = x.count * x.limbs;
    for (uint32_t l = 0; l < x.limbs; l++) { /* of one arithmetic, words in range */
        assert_int_equal(engine->ring->moduli[x.ids[l]].bits, bits);
        assert_true(x.data[(x.count - 1) * x.stride + l * engine->ring->n] < engine->ring->moduli[x.ids[l]].value);
    }
    assert_true(jobs * engine->ring->n * sizeof(uint64_t) <= BYTES);
    if (++calls == failing) {
        return HB_FAIL(HB_EUNAVAILABLE, "fell off the bus");
    }
    *seconds = time_of(hb_ntt_choose(&plan, &in_use->card, kind, jobs), kind, jobs);
    return HB_OK;
}

static hb_plan_results results;

static uint32_t chosen(uint32_t log_n, hb_ntt_arithmetic arithmetic, bool forward, uint32_t class)
{
    return results.plan.choice[hb_ntt_row_of((hb_ntt_kind){log_n, arithmetic, forward})][class];
}

/* The rule's kernel, up to 2^19 words, which leave a multiprocessor less than 2^12. */
static uint32_t rule_of(uint32_t log_n)
{
    return log_n < 14 ? HB_NTT_NARROW_CLUSTER : HB_NTT_NARROW_TWO;
}

static void test_choice(void **state)
{
    (void)state;
    in_use = &device;
    assert_ok(hb_bench_plan(&device, BYTES, &results));
    for (int a = 0; a < HB_NTT_ARITHMETICS; a++) {
        const hb_ntt_arithmetic arithmetic = (hb_ntt_arithmetic)a;
        assert_int_equal(chosen(11, arithmetic, true, 0), HB_NTT_BY_RULE);        /* nothing to choose */
        assert_int_equal(chosen(12, arithmetic, true, 0), HB_NTT_NARROW_CLUSTER); /* within the noise of the others */
        assert_int_equal(chosen(13, arithmetic, true, 0), HB_NTT_NARROW_CLUSTER);
        assert_int_equal(chosen(13, arithmetic, true, 5), HB_NTT_NARROW_CLUSTER);
        assert_int_equal(chosen(16, arithmetic, true, 1), HB_NTT_NARROW_TWO);
        assert_int_equal(chosen(16, arithmetic, false, 2), HB_NTT_DATAFLOW_150);
        assert_int_equal(chosen(17, arithmetic, false, 2), HB_NTT_DATAFLOW_150);
        assert_int_equal(chosen(17, arithmetic, false, 16), HB_NTT_DATAFLOW_150); /* as the largest that fits */
    }
    assert_int_equal(chosen(13, HB_NTT_U64_61, false, 2), HB_NTT_NARROW_CLUSTER);
    assert_int_equal(chosen(13, HB_NTT_U64_61, false, 3), HB_NTT_CLUSTER);
    assert_int_equal(chosen(13, HB_NTT_U64_61, false, 16), HB_NTT_CLUSTER);
    assert_int_equal(chosen(13, HB_NTT_U64_61, true, 3), HB_NTT_NARROW_CLUSTER);
    assert_int_equal(chosen(13, HB_NTT_U64_59, false, 3), HB_NTT_NARROW_CLUSTER);
    assert_int_equal(chosen(14, HB_NTT_U64_61, false, 3), HB_NTT_NARROW_TWO);
    /* 4 MiB: 8 classes of 2^12, one fewer for each size up. */
    assert_int_equal(results.count, 2 * HB_NTT_ARITHMETICS * (8 + 7 + 6 + 5 + 4 + 3));
    for (size_t i = 0; i < results.count; i++) {
        const hb_plan_line *line = &results.lines[i];
        assert_int_equal(line->rule, rule_of(line->kind.log_n));
        for (uint32_t k = 0; k < HB_NTT_CANDIDATES; k++) {
            const bool possible = hb_ntt_possible(k, &device.card, line->kind.log_n);
            assert_true(line->seconds[k] == (possible ? time_of(k, line->kind, line->jobs) / (double)line->jobs : 0));
        }
    }
}

/* No FP64 transforms, no clusters: there is a choice from 2^14 on. */
static void test_older(void **state)
{
    (void)state;
    hb_device older = device;
    older.card.sm90 = older.card.fast_f64 = false;
    in_use = &older;
    assert_ok(hb_bench_plan(&older, BYTES, &results));
    assert_int_equal(chosen(13, HB_NTT_U64_61, false, 3), HB_NTT_BY_RULE);
    assert_int_equal(chosen(16, HB_NTT_F64_50, false, 3), HB_NTT_BY_RULE);
    assert_int_equal(chosen(16, HB_NTT_U64_59, false, 3), HB_NTT_DATAFLOW_150);
    assert_int_equal(results.count, 2 * 2 * (6 + 5 + 4 + 3));
}

static void test_failures(void **state)
{
    (void)state;
    const hb_device cpu = {0};
    in_use = &device;
    assert_refused(hb_bench_plan(&cpu, BYTES, &results), HB_EUNAVAILABLE, "CPU");
    for (failing = 1; failing < 100; failing += 40) {
        calls = 0;
        assert_refused(hb_bench_plan(&device, BYTES, &results), HB_EUNAVAILABLE, "bus");
    }
    failing = 0;
}

int main(void)
{
    assert_ok(hb_seed_start());
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_choice), cmocka_unit_test(test_older),
                                       cmocka_unit_test(test_failures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
