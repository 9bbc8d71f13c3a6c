/* Recordings on the GPU and their queues: bodies that cannot be recorded, bodies that fail, the order, several at
 * once. */
#include "gpu.h"

#include <pthread.h>

#include "base/modarith.h"

/* A queue, a = a + b in it, and then something else. */
enum { LOG_N = 12, COUNT = 2, QUEUES = 4, MANY = 2100 };

typedef struct queue {
    hb_engine *engine;
    hb_batch a, b;
    hb_status (*more)(struct queue *q);
    int calls;
    uint64_t zeros;
    uint64_t *host; /* [limbs * n] */
    hb_batch many;  /* [MANY] of one limb */
    pthread_t thread;
    hb_status st; /* of the thread */
} queue;

static hb_status body(void *argument)
{
    queue *q = argument;
    q->calls++;
    HB_TRY(hb_add(q->engine, q->a, q->a, q->b));
    return q->more != NULL ? q->more(q) : HB_OK;
}

static void queue_open(queue *q, hb_engine *e)
{
    const gpu_chain *chain = &gpu_chains[GPU_CHAIN_PAIR];
    hb_seed *seeds = gpu_seeds(2 * COUNT);
    *q = (queue){.engine = e};
    assert_ok(hb_batch_alloc(e, &q->a, COUNT, chain->limbs, chain->ids));
    assert_ok(hb_batch_alloc(e, &q->b, COUNT, chain->limbs, chain->ids));
    assert_ok(hb_sample_uniform(e, q->a, seeds));
    assert_ok(hb_sample_uniform(e, q->b, seeds + COUNT));
    assert_ok(hb_finish(e));
    free(seeds);
}

static void queue_close(queue *q)
{
    hb_batch_free(q->engine, &q->a);
    hb_batch_free(q->engine, &q->b);
}

static uint64_t *words_of(const queue *q)
{
    uint64_t *words = gpu_host(q->a.count * q->a.stride * sizeof *words);
    gpu_fetch(q->engine, words, q->a, 0, q->a.count);
    return words;
}

/* a is `before` and `times` that of b. */
static bool is_sum(const queue *q, const uint64_t *before, uint64_t times)
{
    const size_t n = q->engine->ring->n, words = q->a.count * q->a.stride;
    uint64_t *now = words_of(q), *b = gpu_host(words * sizeof *b);
    gpu_fetch(q->engine, b, q->b, 0, q->b.count);
    bool same = true;
    for (size_t j = 0; j < words; j++) {
        const uint64_t m = q->engine->ring->moduli[q->a.ids[j / n % q->a.limbs]].value;
        const hb_u128 sum = (hb_u128)b[j] * times + before[j];
        same = same && now[j] == (uint64_t)(sum % m);
    }
    free(now);
    free(b);
    return same;
}

static hb_status count_zeros(queue *q)
{
    return hb_count_zeros(q->engine, &q->zeros, q->b);
}

static hb_status allocate(queue *q)
{
    void *memory = NULL;
    HB_TRY(hb_alloc(q->engine, 4096, &memory));
    hb_free(q->engine, memory);
    return HB_OK;
}

static hb_status allocate_on_host(queue *q)
{
    void *memory = NULL;
    HB_TRY(hb_host_alloc(q->engine, 4096, &memory));
    hb_host_free(q->engine, memory);
    return HB_OK;
}

static hb_status upload(queue *q)
{
    return hb_upload(q->engine, q->b.data, q->host, q->b.limbs * q->engine->ring->n * sizeof *q->host);
}

static hb_status download(queue *q)
{
    return hb_download(q->engine, q->host, q->b.data, q->b.limbs * q->engine->ring->n * sizeof *q->host);
}

/* More seeds than a recording keeps. */
static hb_status draw_many(queue *q)
{
    hb_seed *seeds = gpu_seeds(MANY);
    const hb_status st = hb_sample_uniform(q->engine, q->many, seeds);
    free(seeds);
    return st;
}

/* A body that cannot be recorded leaves no trace, and is called. */
static void test_called(void **state)
{
    (void)state;
    hb_status (*const more[])(queue *) = {count_zeros, allocate, allocate_on_host, upload, download, draw_many};
    gpu_pair p;
    queue q;
    gpu_pair_open(&p, LOG_N);
    queue_open(&q, p.gpu);
    assert_ok(hb_batch_alloc(p.gpu, &q.many, MANY, 1, gpu_chains[0].ids));
    q.host = gpu_host(q.b.limbs * p.ring.n * sizeof *q.host);
    gpu_fetch(p.gpu, q.host, q.b, 0, 1); /* uploaded words are there already */
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++) {
        hb_recording *r = NULL;
        uint64_t *before = words_of(&q);
        const uint64_t held = hb_cuda_engine_bytes(p.gpu);
        q.more = more[i];
        q.calls = 0;
        assert_ok(hb_record(p.gpu, body, &q, &r));
        assert_int_equal(hb_cuda_engine_bytes(p.gpu), held);
        assert_true(is_sum(&q, before, 0));
        q.zeros = UINT64_MAX;
        assert_ok(hb_replay(r));
        assert_ok(hb_replay(r));
        assert_int_equal(q.calls, 3);
        assert_true(is_sum(&q, before, 2));
        assert_true(more[i] != count_zeros || q.zeros < q.b.limbs * q.b.count * p.ring.n);
        hb_recording_free(r);
        free(before);
    }
    hb_batch_free(p.gpu, &q.many);
    free(q.host);
    queue_close(&q);
    gpu_pair_close(&p);
}

static hb_status finish(queue *q)
{
    return hb_finish(q->engine);
}

static hb_status fail_on_purpose(queue *q)
{
    (void)q;
    return HB_FAIL(HB_EDATA, "on purpose");
}

/* A body that fails issues nothing, and the queue goes on. */
static void test_failing(void **state)
{
    (void)state;
    const struct {
        hb_status (*more)(queue *);
        hb_status status;
    } rows[] = {{fail_on_purpose, HB_EDATA}, {finish, HB_EUNAVAILABLE}};
    gpu_pair p;
    queue q;
    gpu_pair_open(&p, LOG_N);
    queue_open(&q, p.gpu);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        hb_recording *r = NULL;
        uint64_t *before = words_of(&q);
        const uint64_t held = hb_cuda_engine_bytes(p.gpu);
        q.more = rows[i].more;
        assert_int_equal(hb_record(p.gpu, body, &q, &r), rows[i].status);
        assert_null(r);
        assert_int_equal(hb_cuda_engine_bytes(p.gpu), held);
        assert_true(is_sum(&q, before, 0));
        q.more = NULL;
        assert_ok(body(&q));
        assert_true(is_sum(&q, before, 1));
        free(before);
    }
    queue_close(&q);
    gpu_pair_close(&p);
}

/* Replays, calls and other recordings in turn, in the order of the queue. */
static void test_order(void **state)
{
    (void)state;
    gpu_pair p;
    queue q;
    hb_recording *add = NULL, *also = NULL;
    gpu_pair_open(&p, LOG_N);
    queue_open(&q, p.gpu);
    uint64_t *before = words_of(&q);
    assert_ok(hb_record(p.gpu, body, &q, &add));
    assert_ok(hb_record(p.gpu, body, &q, &also));
    for (int i = 0; i < 20; i++) {
        assert_ok(hb_replay(add));
        assert_ok(body(&q));
        assert_ok(hb_replay(also));
    }
    assert_true(is_sum(&q, before, 60));
    hb_recording_free(add);
    assert_ok(hb_replay(also));
    assert_true(is_sum(&q, before, 61));
    hb_recording_free(also);
    free(before);
    queue_close(&q);
    gpu_pair_close(&p);
}

/* One queue of several: recordings come and go beside those of the others, and beside memory that does. Checked by the
 * main thread alone. */
static void *record_often(void *argument)
{
    queue *q = argument;
    hb_status st = HB_OK;
    for (int i = 0; i < (gpu_small ? 2 : 50) && st == HB_OK; i++) {
        hb_recording *r = NULL;
        void *memory = NULL;
        HB_GOTO(hb_record(q->engine, body, q, &r));
        HB_GOTO(hb_replay(r));
        HB_GOTO(hb_alloc(q->engine, 1 << 20, &memory));
        hb_free(q->engine, memory);
        HB_GOTO(hb_replay(r));
        hb_recording_free(r);
    }
done:
    q->st = st;
    return NULL;
}

static void test_queues(void **state)
{
    (void)state;
    gpu_pair p;
    queue q[QUEUES];
    uint64_t *before[QUEUES];
    gpu_pair_open(&p, LOG_N);
    for (int i = 0; i < QUEUES; i++) {
        hb_engine *e = p.gpu;
        if (i > 0) {
            assert_ok(hb_engine_fork(p.gpu, &e));
        }
        queue_open(&q[i], e);
        before[i] = words_of(&q[i]);
    }
    for (int i = 0; i < QUEUES; i++) {
        assert_int_equal(pthread_create(&q[i].thread, NULL, record_often, &q[i]), 0);
    }
    const int times = gpu_small ? 2 : 50;
    for (int i = 0; i < QUEUES; i++) {
        assert_int_equal(pthread_join(q[i].thread, NULL), 0);
        assert_int_equal(q[i].st, HB_OK);
        assert_int_equal(q[i].calls, times); /* all were recorded */
        assert_true(is_sum(&q[i], before[i], 2 * (uint64_t)times));
        free(before[i]);
        queue_close(&q[i]);
        if (i > 0) {
            hb_engine_close(q[i].engine);
        }
    }
    gpu_pair_close(&p);
}

GPU_MAIN(cmocka_unit_test(test_called), cmocka_unit_test(test_failing), cmocka_unit_test(test_order),
         cmocka_unit_test(test_queues))
