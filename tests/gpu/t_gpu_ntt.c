/* Transforms at the counts where a launch is cut up differently: some polynomials and their transforms by the CPU, over
 * and over again. */
#include "gpu.h"
#include "reference/slow.h"

enum { KINDS = 3, GAP = 6 }; /* different polynomials; words between two of them */

static const uint64_t untouched = 0xdeadbeefdeadbeef;

/* Random words; 0 and m - 1 in turn of no order; m - 1 alone. */
static void fill(const hb_ring *ring, const gpu_chain *chain, uint64_t *words)
{
    uint64_t random = 1;
    for (size_t i = 0; i < KINDS * chain->limbs * ring->n; i++) {
        const size_t kind = i / (chain->limbs * ring->n), limb = i / ring->n % chain->limbs;
        const uint64_t m = ring->moduli[chain->ids[limb]].value, w = slow_random(&random);
        words[i] = kind == 0 ? w % m : kind == 1 && w % 2 == 0 ? 0 : m - 1;
    }
}

/* Polynomial c of a batch is words[c mod KINDS]; the words between them are untouched. */
static void upload(hb_engine *e, hb_batch x, const uint64_t *words)
{
    const size_t row = x.limbs * e->ring->n;
    uint64_t *all = gpu_host(x.count * x.stride * sizeof *all);
    for (size_t c = 0; c < x.count; c++) {
        memcpy(all + c * x.stride, words + c % KINDS * row, row * sizeof *all);
        for (size_t i = row; i < x.stride; i++) {
            all[c * x.stride + i] = untouched;
        }
    }
    assert_ok(hb_upload(e, x.data, all, x.count * x.stride * sizeof *all));
    assert_ok(hb_finish(e));
    free(all);
}

static void expect(hb_engine *e, hb_batch x, const uint64_t *words, const char *what)
{
    const size_t row = x.limbs * e->ring->n;
    uint64_t *all = gpu_host(x.count * x.stride * sizeof *all);
    assert_ok(hb_download(e, all, x.data, x.count * x.stride * sizeof *all));
    assert_ok(hb_finish(e));
    for (size_t c = 0; c < x.count; c++) {
        const uint64_t *found = all + c * x.stride, *expected = words + c % KINDS * row;
        const bool equal = memcmp(found, expected, row * sizeof *found) == 0;
        size_t j = 0;
        while (!equal && found[j] == expected[j]) {
            j++;
        }
        for (size_t i = row; i < x.stride; i++) {
            assert_true(found[i] == untouched);
        }
        if (!equal) {
            fail_msg("%s, N = %zu, %u limbs, %zu polynomials: polynomial %zu, limb %zu, word %zu: %llu, not %llu", what,
                     e->ring->n, x.limbs, x.count, c, j / e->ring->n, j % e->ring->n, (unsigned long long)found[j],
                     (unsigned long long)expected[j]);
        }
    }
    free(all);
}

/* KINDS polynomials each. */
typedef struct answers {
    uint64_t factors[HB_MAX_LIMBS];
    uint64_t *words, *transforms;
    uint64_t *squares, *scaled; /* of the transforms; the inverse transforms of these times the factors */
} answers;

static answers open_answers(const gpu_pair *p, const gpu_chain *chain)
{
    const size_t bytes = KINDS * chain->limbs * p->ring.n * sizeof(uint64_t);
    answers a = {
        .words = gpu_host(bytes), .transforms = gpu_host(bytes), .squares = gpu_host(bytes), .scaled = gpu_host(bytes)};
    /* host memory is the CPU's */
    const hb_batch y = hb_batch_on(p->cpu, a.transforms, KINDS, chain->limbs, chain->ids);
    const hb_batch z = hb_batch_on(p->cpu, a.scaled, KINDS, chain->limbs, chain->ids);
    for (uint32_t l = 0; l < chain->limbs; l++) {
        const uint64_t m = p->ring.moduli[chain->ids[l]].value;
        a.factors[l] = l % 2 == 0 ? m - 1 : m / 3;
    }
    fill(&p->ring, chain, a.words);
    memcpy(a.transforms, a.words, bytes);
    assert_ok(hb_ntt(p->cpu, y));
    assert_ok(hb_mul(p->cpu, z, y, y));
    memcpy(a.squares, a.scaled, bytes);
    assert_ok(hb_intt(p->cpu, z));
    assert_ok(hb_scale(p->cpu, z, z, a.factors));
    return a;
}

static void close_answers(answers *a)
{
    free(a->words);
    free(a->transforms);
    free(a->squares);
    free(a->scaled);
}

static hb_batch take(const gpu_pair *p, const gpu_chain *chain, size_t count)
{
    hb_batch x = {.ids = chain->ids, .limbs = chain->limbs, .count = count, .stride = chain->limbs * p->ring.n + GAP};
    void *memory;
    assert_ok(hb_alloc(p->gpu, count * x.stride * sizeof *x.data, &memory));
    x.data = memory;
    return x;
}

/* The other last steps of a transform. */
static void check_products(const gpu_pair *p, hb_batch x, hb_batch by, const answers *a)
{
    upload(p->gpu, by, a->transforms);
    assert_ok(hb_ntt_mul(p->gpu, x, x, by));
    expect(p->gpu, x, a->squares, "NTT and product");
    assert_ok(hb_intt_scaled(p->gpu, x, a->factors));
    expect(p->gpu, x, a->scaled, "inverse NTT times factors");
}

static void check(const gpu_pair *p, const gpu_chain *chain, const answers *a, size_t count)
{
    const hb_batch x = take(p, chain, count), by = take(p, chain, count);
    const uint64_t *words = a->words, *transforms = a->transforms;
    upload(p->gpu, x, words);
    assert_ok(hb_ntt(p->gpu, x));
    expect(p->gpu, x, transforms, "NTT");
    assert_ok(hb_intt(p->gpu, x));
    expect(p->gpu, x, words, "inverse NTT");
    assert_ok(hb_intt(p->gpu, x)); /* of words that are no transform of small ones */
    assert_ok(hb_ntt(p->gpu, x));
    expect(p->gpu, x, words, "NTT of the inverse NTT");
    check_products(p, x, by, a);
    hb_free(p->gpu, x.data);
    hb_free(p->gpu, by.data);
}

static void test_counts(void **state)
{
    (void)state;
    static const size_t counts[] = {1, 2, 3, 7, 48, 133, 200, 1100}; /* an H200 has 132 multiprocessors */
    const size_t most = (size_t)1 << (gpu_small ? 20 : 25);          /* words */
    for (uint32_t log_n = 10; log_n <= HB_RING_MAX_LOG_N; log_n++) {
        gpu_pair p;
        gpu_pair_open(&p, log_n);
        for (size_t chain = 0; chain < GPU_CHAINS; chain++) {
            const gpu_chain *c = &gpu_chains[chain];
            const size_t row = c->limbs * p.ring.n;
            answers a = open_answers(&p, c);
            for (size_t i = 0; i < sizeof counts / sizeof counts[0] && counts[i] * row <= most; i++) {
                if (!gpu_small || counts[i] == 1 || counts[i] == 48) {
                    check(&p, c, &a, counts[i]);
                }
            }
            close_answers(&a);
        }
        gpu_pair_close(&p);
    }
}

/* Words beyond the range of 32-bit indices. */
static void test_large_batch(void **state)
{
    (void)state;
    enum { LOG_N = 12, SAMPLES = 5 };
    const size_t count = ((size_t)1 << (32 - LOG_N)) + 100, words = count << LOG_N;
    if (gpu_small || gpu_device.free < 2 * words * sizeof(uint64_t) + ((uint64_t)1 << 30)) {
        skip();
    }
    gpu_pair p;
    const uint16_t id = GPU_W50;
    hb_batch x, y;
    hb_seed *seeds = gpu_seeds(count);
    uint64_t *found = gpu_host(sizeof(uint64_t) << LOG_N);
    gpu_pair_open(&p, LOG_N);
    assert_ok(hb_batch_alloc(p.gpu, &x, count, 1, &id));
    assert_ok(hb_batch_alloc(p.cpu, &y, 1, 1, &id));
    assert_ok(hb_sample_uniform(p.gpu, x, seeds));
    assert_ok(hb_ntt(p.gpu, x));
    assert_ok(hb_mul(p.gpu, x, x, x));
    assert_ok(hb_intt(p.gpu, x));
    const size_t samples[SAMPLES] = {0, 1, count / 2, count - 100, count - 1};
    for (size_t i = 0; i < SAMPLES; i++) {
        assert_ok(hb_sample_uniform(p.cpu, y, &seeds[samples[i]]));
        assert_ok(hb_ntt(p.cpu, y));
        assert_ok(hb_mul(p.cpu, y, y, y));
        assert_ok(hb_intt(p.cpu, y));
        gpu_fetch(p.gpu, found, x, samples[i], 1);
        assert_memory_equal(found, y.data, sizeof(uint64_t) << LOG_N);
    }
    hb_batch_free(p.gpu, &x);
    hb_batch_free(p.cpu, &y);
    gpu_pair_close(&p);
    free(found);
    free(seeds);
}

GPU_MAIN(cmocka_unit_test(test_counts), cmocka_unit_test(test_large_batch))
