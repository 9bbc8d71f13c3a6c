/* Slots to residues and back at every N, bit by bit as the CPU engine: few plaintexts and many, apart and close, issued
 * and recorded, numbers of every size, doubles and double-doubles, and refusals. */
#include "gpu.h"
#include "reference/slow.h"
#include "ring/real_ops.h"
#include "ring/roots.h"

enum { LIMBS = 5, SIDES = 2 }; /* the GPU, the CPU */

/* The operands of one engine. */
typedef struct bench {
    hb_engine *engine;
    hb_batch slots, coefficients, back, residues;
    uint64_t *refused;
    hb_slot_tables tables;
    hb_composition composition;
    hb_real_scale scale;
} bench;

static const uint16_t chain[LIMBS] = {GPU_W50, GPU_W61, GPU_W43, GPU_L60, GPU_W30}, plain[] = {GPU_PLAIN_2};

static hb_batch batch_with_gaps(hb_engine *e, size_t count, uint32_t limbs, const uint16_t *ids, size_t gap)
{
    void *memory;
    hb_batch b = hb_batch_on(e, NULL, count, limbs, ids);
    b.stride += gap;
    assert_ok(hb_alloc(e, count * b.stride * sizeof *b.data, &memory));
    b.data = memory;
    return b;
}

/* How a check is made. */
typedef struct kind {
    size_t count, gap;
    int exponent; /* of the values */
    bool wrong;   /* one of them is no number */
    bool wide;    /* coefficients are double-doubles */
} kind;

/* Any numbers near a scale and its inverse. */
static const hb_real_scale scales[] = {
    {{0x1.fffffffff0123p39, 0}, {0, 0}, false},
    {{0x1.fffffffff0123p89, 0x1.23456789abcdep35}, {0x1.00000000076edp-90, -0x1.abcdef0123456p-145}, true}};

static void bench_open(bench *b, hb_engine *e, kind k, const uint64_t *values)
{
    static const uint64_t nothing = UINT64_MAX;
    void *memory;
    const size_t count = k.count, gap = k.gap;
    *b = (bench){.engine = e, .scale = scales[k.wide]};
    b->slots = batch_with_gaps(e, count, 1, plain, gap);
    b->coefficients = batch_with_gaps(e, k.wide ? 2 * count : count, 1, plain, 0);
    b->back = batch_with_gaps(e, count, 1, plain, gap);
    b->residues = batch_with_gaps(e, count, LIMBS, chain, gap);
    assert_ok(hb_alloc(e, sizeof *b->refused, &memory));
    b->refused = memory;
    assert_ok(hb_upload(e, b->refused, &nothing, sizeof nothing));
    for (size_t c = 0; c < count; c++) {
        assert_ok(
            hb_upload(e, b->slots.data + c * b->slots.stride, values + c * e->ring->n, e->ring->n * sizeof *values));
    }
    assert_ok(hb_finish(e));
    assert_ok(hb_slot_tables_init(&b->tables, e, count % 2 == 0 ? 5 : 3, k.wide));
    assert_ok(hb_composition_init(&b->composition, e->ring, chain, LIMBS));
}

static void bench_close(bench *b)
{
    hb_free(b->engine, b->slots.data);
    hb_free(b->engine, b->coefficients.data);
    hb_free(b->engine, b->back.data);
    hb_free(b->engine, b->residues.data);
    hb_free(b->engine, b->refused);
    hb_slot_tables_clear(&b->tables, b->engine);
}

/* There and back; a body of a recording. */
static hb_status there_and_back(void *argument)
{
    const bench *b = argument;
    hb_engine *e = b->engine;
    const hb_rounding rounding = {b->scale, b->refused, 3};
    HB_TRY(hb_slots_to_coefficients(e, b->coefficients, b->slots, &b->tables));
    HB_TRY(hb_round_reals(e, b->residues, b->coefficients, &rounding));
    HB_TRY(hb_compose_reals(e, b->coefficients, hb_batch_limbs(e, b->residues, 0, b->composition.limbs),
                            &b->composition, &b->scale));
    return hb_coefficients_to_slots(e, b->back, b->coefficients, &b->tables);
}

static void assert_equal(const char *what, hb_batch gpu, hb_batch cpu, hb_engine *engines[SIDES])
{
    const size_t n = engines[0]->ring->n, row = gpu.limbs * n;
    uint64_t *a = gpu_host(row * sizeof *a), *b = gpu_host(row * sizeof *b);
    for (size_t c = 0; c < gpu.count; c++) {
        gpu_fetch(engines[0], a, gpu, c, 1);
        gpu_fetch(engines[1], b, cpu, c, 1);
        for (size_t j = 0; j < row; j++) {
            if (a[j] != b[j]) {
                fail_msg("%s, N = %zu, polynomial %zu, word %zu: %llx, not %llx", what, n, c, j,
                         (unsigned long long)a[j], (unsigned long long)b[j]);
            }
        }
    }
    free(a);
    free(b);
}

static void assert_same(bench b[SIDES])
{
    hb_engine *engines[SIDES] = {b[0].engine, b[1].engine};
    uint64_t refused[SIDES];
    assert_equal("residues", b[0].residues, b[1].residues, engines);
    assert_equal("slots", b[0].back, b[1].back, engines);
    for (int side = 0; side < SIDES; side++) {
        assert_ok(hb_download(engines[side], &refused[side], b[side].refused, sizeof refused[side]));
        assert_ok(hb_finish(engines[side]));
    }
    assert_true(refused[0] == refused[1]);
}

/* Reals in [-1, 1) times 2^exponent. */
static void fill(uint64_t *values, size_t words, int exponent)
{
    uint64_t random = words + (uint64_t)exponent;
    for (size_t i = 0; i < words; i++) {
        values[i] = hb_real_word(ldexp((double)(int64_t)slow_random(&random), exponent - 63));
    }
}

static void check(const gpu_pair *p, kind k)
{
    const size_t words = k.count * p->ring.n;
    uint64_t *values = gpu_host(words * sizeof *values);
    bench b[SIDES];
    hb_recording *recording;
    fill(values, words, k.exponent);
    if (k.wrong) { /* one makes a whole plaintext no number */
        values[words - 1] = hb_real_word(NAN);
    }
    bench_open(&b[0], p->gpu, k, values);
    bench_open(&b[1], p->cpu, k, values);
    for (int side = 0; side < SIDES; side++) {
        assert_ok(there_and_back(&b[side]));
    }
    assert_same(b);
    /* Again from other slots, by a recording. */
    assert_ok(hb_record(p->gpu, there_and_back, &b[0], &recording));
    for (int side = 0; side < SIDES; side++) {
        assert_ok(hb_copy(b[side].engine, b[side].slots, b[side].back));
    }
    assert_ok(hb_replay(recording));
    assert_ok(there_and_back(&b[1]));
    assert_same(b);
    assert_ok(hb_finish(p->gpu));
    hb_recording_free(recording);
    bench_close(&b[0]);
    bench_close(&b[1]);
    free(values);
}

static void test_there_and_back(void **state)
{
    (void)state;
    for (uint32_t log_n = 10; log_n <= HB_RING_MAX_LOG_N; log_n++) {
        gpu_pair p;
        gpu_pair_open(&p, log_n);
        for (int wide = 0; wide <= 1; wide++) {
            check(&p, (kind){1, 0, 0, false, wide});
            if (!gpu_small) {
                check(&p, (kind){3, 64, 20, false, wide});
                check(&p, (kind){log_n <= 14 ? 70 : 9, 0, -30, false, wide});
            }
            check(&p, (kind){2, 0, wide ? 73 : 60, false, wide}); /* much is refused */
            check(&p, (kind){3, 0, 0, true, wide});
        }
        gpu_pair_close(&p);
    }
}

GPU_MAIN(cmocka_unit_test(test_there_and_back))
