/* Memory and its limit, copies, and several queues at once. */
#include "gpu.h"

#include <pthread.h>

#include "reference/slow.h"

enum { LOG_N = 12, QUEUES = 3 };

static hb_check_shape shape_of(const gpu_chain *chain, uint64_t seed)
{
    return (hb_check_shape){chain->ids, chain->limbs, GPU_PLAIN, GPU_GAMMA, 2, seed};
}

/* After every operation the account is back at its old value. */
static void test_account(void **state)
{
    (void)state;
    gpu_pair p;
    gpu_pair_open(&p, LOG_N);
    const uint64_t at_first = hb_cuda_engine_bytes(p.gpu);
    assert_true(at_first > 0);
    void *memory;
    assert_ok(hb_alloc(p.gpu, 1000000, &memory));
    const uint64_t with_memory = hb_cuda_engine_bytes(p.gpu);
    assert_true(with_memory >= at_first + 1000000 && with_memory < at_first + 1010000);
    hb_free(p.gpu, memory);
    assert_int_equal(hb_cuda_engine_bytes(p.gpu), at_first);

    const hb_check_shape shape = shape_of(&gpu_chains[GPU_CHAIN_PAIR], 1);
    assert_ok(hb_engine_check_operations(p.gpu, p.cpu, &shape));
    assert_int_equal(hb_cuda_engine_bytes(p.gpu), at_first);
    hb_engine *fork;
    assert_ok(hb_engine_fork(p.gpu, &fork));
    assert_true(hb_cuda_engine_bytes(p.gpu) == hb_cuda_engine_bytes(fork));
    assert_true(hb_cuda_engine_bytes(p.gpu) > at_first);
    hb_engine_close(fork);
    assert_int_equal(hb_cuda_engine_bytes(p.gpu), at_first);
    gpu_pair_close(&p);
}

/* Memory of one queue is memory of all, and an engine may close before its fork. */
static void test_fork_outlives(void **state)
{
    (void)state;
    gpu_pair p;
    gpu_pair_open(&p, LOG_N);
    hb_engine *fork;
    const uint16_t id = GPU_W50;
    hb_batch x;
    assert_ok(hb_engine_fork(p.gpu, &fork));
    assert_ok(hb_batch_alloc(p.gpu, &x, 2, 1, &id));
    hb_engine_close(p.gpu);
    const hb_check_shape shape = shape_of(&gpu_chains[0], 2);
    assert_ok(hb_engine_check_operations(fork, p.cpu, &shape));
    hb_batch_free(fork, &x);
    hb_engine_close(fork);
    hb_engine_close(p.cpu);
}

static void test_limit(void **state)
{
    (void)state;
    gpu_pair p;
    void *memory = NULL, *more = NULL;
    hb_engine *fork = NULL, *none = NULL;
    gpu_pair_open(&p, LOG_N);
    const uint64_t least = hb_cuda_engine_bytes(p.gpu);
    hb_engine_close(p.gpu);

    /* Too little for the tables; enough for them, but not for a queue; enough for both, and nothing else. */
    assert_int_equal(hb_cuda_engine_open(&p.ring, &gpu_device, 1000, &none), HB_ENOMEM);
    assert_null(none);
    assert_int_equal(hb_cuda_engine_open(&p.ring, &gpu_device, least - 1, &none), HB_ENOMEM);
    assert_null(none);
    assert_ok(hb_cuda_engine_open(&p.ring, &gpu_device, least, &p.gpu));
    assert_int_equal(hb_alloc(p.gpu, 1, &memory), HB_ENOMEM);
    assert_int_equal(hb_engine_fork(p.gpu, &fork), HB_ENOMEM);
    assert_null(fork);
    assert_int_equal(hb_cuda_engine_bytes(p.gpu), least);
    hb_engine_close(p.gpu);

    const uint64_t mebibyte = (uint64_t)1 << 20;
    assert_ok(hb_cuda_engine_open(&p.ring, &gpu_device, least + 2 * mebibyte, &p.gpu));
    assert_ok(hb_alloc(p.gpu, mebibyte, &memory));
    assert_int_equal(hb_alloc(p.gpu, mebibyte + 1, &more), HB_ENOMEM);
    assert_ok(hb_alloc(p.gpu, mebibyte, &more));
    assert_int_equal(hb_cuda_engine_bytes(p.gpu), least + 2 * mebibyte);
    hb_free(p.gpu, memory);
    assert_ok(hb_alloc(p.gpu, mebibyte / 2, &memory));
    hb_free(p.gpu, memory);
    hb_free(p.gpu, more);
    assert_int_equal(hb_alloc(p.gpu, SIZE_MAX, &memory), HB_ENOMEM);
    const uint16_t id = 0;
    hb_batch b;
    assert_int_equal(hb_batch_alloc(p.gpu, &b, (size_t)1 << 40, 1, &id), HB_ENOMEM);
    assert_null(b.data);
    assert_int_equal(hb_cuda_engine_bytes(p.gpu), least);
    gpu_pair_close(&p);
}

/* More than the GPU has, though the limit would allow it; it still works afterwards. compute-sanitizer would tell of
 * the call that fails. */
static void test_exhausted(void **state)
{
    (void)state;
    if (gpu_small) {
        skip();
    }
    gpu_pair p;
    void *memory;
    gpu_ring(&p.ring, LOG_N);
    assert_ok(hb_cuda_engine_open(&p.ring, &gpu_device, UINT64_MAX, &p.gpu));
    assert_ok(hb_cpu_engine_open(&p.ring, &p.cpu));
    const uint64_t before = hb_cuda_engine_bytes(p.gpu);
    assert_int_equal(hb_alloc(p.gpu, 2 * gpu_device.memory, &memory), HB_ENOMEM);
    assert_int_equal(hb_cuda_engine_bytes(p.gpu), before);
    const hb_check_shape shape = shape_of(&gpu_chains[0], 3);
    assert_ok(hb_engine_check_operations(p.gpu, p.cpu, &shape));
    gpu_pair_close(&p);
}

static void test_small_rings(void **state)
{
    (void)state;
    hb_ring ring;
    hb_engine *none;
    assert_ok(hb_ring_init(&ring, 9));
    gpu_add(&ring, gpu_largest(&ring, 30));
    assert_int_equal(hb_cuda_engine_open(&ring, &gpu_device, gpu_device.free, &none), HB_ECONFIG);
    assert_null(none);
}

/* Copies of any length, to and from both kinds of host memory. */
static void test_copies(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 7, 64, 4097, 1 << 20, (1 << 20) + 1, 50000001};
    gpu_pair p;
    gpu_pair_open(&p, 10);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] - gpu_small; i++) {
        const size_t bytes = sizes[i];
        void *locked, *there;
        uint8_t *plain = gpu_host(bytes + 1);
        uint64_t random = bytes;
        assert_ok(hb_host_alloc(p.gpu, bytes, &locked));
        assert_ok(hb_alloc(p.gpu, bytes, &there));
        for (size_t j = 0; j < bytes; j++) {
            plain[j] = (uint8_t)slow_random(&random);
        }
        assert_ok(hb_upload(p.gpu, there, plain, bytes));
        assert_ok(hb_download(p.gpu, locked, there, bytes));
        assert_ok(hb_finish(p.gpu));
        assert_memory_equal(locked, plain, bytes);
        memset(plain, 0, bytes);
        assert_ok(hb_upload(p.gpu, there, locked, bytes));
        assert_ok(hb_download(p.gpu, plain, there, bytes));
        assert_ok(hb_finish(p.gpu));
        assert_memory_equal(locked, plain, bytes);
        hb_free(p.gpu, there);
        hb_host_free(p.gpu, locked);
        free(plain);
    }
    gpu_pair_close(&p);
}

/* One thread, one queue, its own CPU engine. */
typedef struct worker {
    pthread_t thread;
    hb_engine *queue, *cpu;
    uint64_t seed;
    hb_status st;
    hb_error error;
} worker;

static void *work(void *argument)
{
    worker *w = argument;
    const int rounds = gpu_small ? 1 : 5;
    for (int i = 0; i < rounds && w->st == HB_OK; i++) {
        const hb_check_shape shape = shape_of(&gpu_chains[GPU_CHAINS - 1 - w->seed % 3], w->seed + (uint64_t)i);
        w->st = hb_engine_check_operations(w->queue, w->cpu, &shape);
        w->error = *hb_last_error();
    }
    return NULL;
}

static void test_queues_at_once(void **state)
{
    (void)state;
    if (gpu_said("HEBATCH_GPU_SERIAL")) {
        skip();
    }
    static const uint32_t sizes[] = {12, 14, 16};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        gpu_pair p;
        worker workers[QUEUES] = {{0}};
        gpu_pair_open(&p, sizes[i]);
        for (int k = 0; k < QUEUES; k++) {
            workers[k].seed = (uint64_t)k;
            workers[k].queue = p.gpu;
            if (k > 0) {
                assert_ok(hb_engine_fork(p.gpu, &workers[k].queue));
            }
            assert_ok(hb_cpu_engine_open(&p.ring, &workers[k].cpu));
        }
        for (int k = 0; k < QUEUES; k++) {
            assert_int_equal(pthread_create(&workers[k].thread, NULL, work, &workers[k]), 0);
        }
        for (int k = 0; k < QUEUES; k++) {
            assert_int_equal(pthread_join(workers[k].thread, NULL), 0);
        }
        for (int k = QUEUES; k-- > 0;) {
            if (workers[k].st != HB_OK) {
                fail_msg("queue %d: %s", k, workers[k].error.text);
            }
            hb_engine_close(workers[k].cpu);
            hb_engine_close(workers[k].queue);
        }
        hb_engine_close(p.cpu);
    }
}

GPU_MAIN(cmocka_unit_test(test_account), cmocka_unit_test(test_fork_outlives), cmocka_unit_test(test_limit),
         cmocka_unit_test(test_exhausted), cmocka_unit_test(test_small_rings), cmocka_unit_test(test_copies),
         cmocka_unit_test(test_queues_at_once))
