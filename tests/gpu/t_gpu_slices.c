/* Operations by coefficient on views of any length, limbs close together or apart, against the CPU engine: results, and
 * every word around them. */
#include "gpu.h"
#include "reference/slow.h"

enum { GPU, CPU, SIDES };

/* The same words on both engines, and a view of some of them. */
typedef struct slices {
    size_t words;
    hb_batch all[SIDES], view[SIDES];
} slices;

static hb_engine *engine(const gpu_pair *p, int side)
{
    return side == GPU ? p->gpu : p->cpu;
}

/* Off the ends of a range of 50 bits by so much, both 25-bit pieces of a number are at their largest. */
#define WIDE_PIECES ((uint64_t)1 << 24)

/* Words of one coefficient are in turn all 0, all m - 1, all about m / 2, all of wide pieces, and random. */
static uint64_t residue(uint64_t m, size_t j, uint64_t *seed)
{
    const uint64_t w = slow_random(seed), kinds[] = {0, m - 1, m / 2 + w % 2, m - WIDE_PIECES - 1 - w % 4, w % m};
    return kinds[j % (sizeof kinds / sizeof kinds[0])];
}

static void slices_open(const gpu_pair *p, slices *s, const uint16_t *ids, uint32_t limbs, size_t count, size_t n,
                        size_t apart)
{
    const size_t head = 2, step = n * apart, stride = limbs * step + 6;
    uint64_t seed = n + limbs, *host;
    s->words = head + count * stride;
    host = gpu_host(s->words * sizeof *host);
    for (size_t i = 0; i < s->words; i++) {
        host[i] = slow_random(&seed);
    }
    for (size_t i = 0; i < count * limbs * n; i++) {
        const size_t c = i / (limbs * n), l = i / n % limbs, j = i % n;
        host[head + c * stride + l * step + j] = residue(p->ring.moduli[ids[l]].value, j + c, &seed);
    }
    for (int side = 0; side < SIDES; side++) {
        void *memory;
        assert_ok(hb_alloc(engine(p, side), s->words * sizeof *host, &memory));
        assert_ok(hb_upload(engine(p, side), memory, host, s->words * sizeof *host));
        assert_ok(hb_finish(engine(p, side)));
        s->all[side] = (hb_batch){.data = memory};
        s->view[side] = (hb_batch){.data = s->all[side].data + head,
                                   .ids = ids,
                                   .limbs = limbs,
                                   .count = count,
                                   .stride = stride,
                                   .step = step,
                                   .n = n};
    }
    free(host);
}

static void slices_close(const gpu_pair *p, slices *s)
{
    for (int side = 0; side < SIDES; side++) {
        hb_free(engine(p, side), s->all[side].data);
    }
}

static void compare(const gpu_pair *p, const slices *s, const char *what)
{
    const hb_batch *v = &s->view[GPU];
    uint64_t *words = gpu_host(s->words * sizeof *words), *expected = s->all[CPU].data; /* host memory is the CPU's */
    assert_ok(hb_download(p->gpu, words, s->all[GPU].data, s->words * sizeof *words));
    assert_ok(hb_finish(p->gpu));
    for (size_t i = 0; i < s->words; i++) {
        if (words[i] != expected[i]) {
            fail_msg("%s, %u limbs %zu apart, %zu polynomials, %zu coefficients of %zu: word %zu of %zu differs", what,
                     v->limbs, v->step, v->count, v->n, p->ring.n, i, s->words);
        }
    }
    free(words);
}

/* Weights at the borders of what is balanced and of what is not. */
static uint64_t weight(uint64_t m, size_t i, uint64_t *seed)
{
    const uint64_t w = slow_random(seed);
    return i % 5 < 2 ? m / 2 + i % 5 : i % 5 == 2 ? m - 1 : w % m;
}

static void conversion_open(const gpu_pair *p, hb_base_conversion *c, hb_batch to, hb_batch from, bool keep)
{
    const hb_modulus *moduli = p->ring.moduli;
    const uint16_t id = from.ids[0];
    uint64_t seed = to.limbs;
    assert_ok(hb_base_conversion_alloc(c, from.ids, from.limbs, to.ids, to.limbs, keep, true));
    c->overflow->binary = !keep;
    c->overflow->id = id;
    c->overflow->half = keep ? moduli[id].value / 2 + 1 : (uint64_t)1 << 31;
    for (uint32_t i = 0; i < from.limbs; i++) {
        c->scale[i] = keep ? weight(moduli[from.ids[i]].value, i, &seed) : 1;
        c->overflow->weights[i] = keep ? weight(moduli[id].value, i, &seed) : slow_random(&seed) >> 32;
    }
    for (uint32_t o = 0; o < to.limbs; o++) {
        const uint64_t m = moduli[to.ids[o]].value;
        c->overflow->factors[o] = weight(m, o, &seed);
        for (uint32_t i = 0; i < from.limbs; i++) {
            c->matrix[o * from.limbs + i] = o % 2 == 0 ? m / 2 - WIDE_PIECES - i : weight(m, i, &seed);
        }
        if (keep) {
            c->keep[o] = weight(m, o + 1, &seed);
        }
    }
}

static void check_norm(const gpu_pair *p, const slices *a, const hb_garner *garner)
{
    const hb_batch *view = a->view;
    const size_t words = view->count * view->limbs;
    uint64_t *digits[SIDES];
    for (int side = 0; side < SIDES; side++) {
        digits[side] = gpu_host(words * sizeof **digits);
        assert_ok(hb_infinity_norm(engine(p, side), digits[side], view[side], garner));
    }
    assert_memory_equal(digits[GPU], digits[CPU], words * sizeof **digits);
    free(digits[GPU]);
    free(digits[CPU]);
}

/* All operations; a and r have the same limbs. */
static void check_all(const gpu_pair *p, const slices *a, const slices *r, const slices *via)
{
    hb_base_conversion there, back;
    hb_basis basis;
    hb_garner garner;
    conversion_open(p, &there, via->view[CPU], a->view[CPU], true);
    conversion_open(p, &back, a->view[CPU], via->view[CPU], false);
    assert_ok(hb_basis_init(&basis, &p->ring, a->view[CPU].ids, a->view[CPU].limbs));
    assert_ok(hb_garner_init(&garner, &basis));
    for (int side = 0; side < SIDES; side++) {
        assert_ok(hb_copy(engine(p, side), r->view[side], a->view[side]));
    }
    compare(p, r, "copy");
    for (int side = 0; side < SIDES; side++) {
        assert_ok(hb_base_convert(engine(p, side), via->view[side], a->view[side], &there));
    }
    compare(p, via, "base conversion");
    for (int side = 0; side < SIDES; side++) {
        assert_ok(
            hb_base_convert_through(engine(p, side), r->view[side], via->view[side], a->view[side], &there, &back));
    }
    compare(p, r, "two base conversions");
    for (int side = 0; side < SIDES; side++) {
        assert_ok(hb_garner_digits(engine(p, side), r->view[side], a->view[side], &garner));
    }
    compare(p, r, "mixed-radix digits");
    check_norm(p, r, &garner);
    for (int side = 0; side < SIDES; side++) {
        assert_ok(hb_clear(engine(p, side), r->view[side]));
    }
    compare(p, r, "zeros");
    hb_garner_clear(&garner);
    hb_base_conversion_clear(&back);
    hb_base_conversion_clear(&there);
}

static void check(const gpu_pair *p, const uint16_t *ids, uint32_t limbs, uint32_t via_limbs, size_t count, size_t n)
{
    slices a, r, via;
    slices_open(p, &a, ids, limbs, count, n, 3);
    slices_open(p, &r, ids, limbs, count, n, 1);
    slices_open(p, &via, ids + HB_MAX_LIMBS - via_limbs, via_limbs, count, n, 2);
    check_all(p, &a, &r, &via);
    slices_close(p, &via);
    slices_close(p, &r);
    slices_close(p, &a);
}

static void ring_open(gpu_pair *p, uint32_t log_n, uint32_t bits, uint16_t ids[HB_MAX_LIMBS])
{
    uint64_t primes[HB_MAX_LIMBS];
    assert_ok(hb_ring_init(&p->ring, log_n));
    assert_ok(hb_find_primes(2 * p->ring.n, bits, HB_MAX_LIMBS, primes));
    for (size_t i = 0; i < HB_MAX_LIMBS; i++) {
        assert_ok(hb_ring_add_modulus(&p->ring, primes[i], &ids[i]));
    }
    gpu_engines_open(p);
}

/* Every arithmetic of base conversion, few sources and many, one slice and several. */
static void test_limbs(void **state)
{
    (void)state;
    static const uint32_t bits[] = {50, 49, 43, 31, 56, 60};
    static const uint32_t limbs[][2] = {{1, 2}, {3, 5}, {10, 11}, {12, 15}, {15, 16}, {30, 33}, {60, 63}, {64, 64}};
    for (size_t b = 0; b < (gpu_small ? 1 : sizeof bits / sizeof bits[0]); b++) {
        gpu_pair p;
        uint16_t ids[HB_MAX_LIMBS];
        ring_open(&p, 10, bits[b], ids);
        for (size_t i = 0; i < sizeof limbs / sizeof limbs[0]; i++) {
            check(&p, ids, limbs[i][0], limbs[i][1], 1 + i % 3, HB_SLICE_WORDS * (1 + i % 3));
        }
        gpu_pair_close(&p);
    }
}

static void test_lengths(void **state)
{
    (void)state;
    static const uint32_t log_n[] = {11, 14, 17};
    for (size_t i = 0; i < (gpu_small ? 1 : sizeof log_n / sizeof log_n[0]); i++) {
        gpu_pair p;
        uint16_t ids[HB_MAX_LIMBS];
        ring_open(&p, log_n[i], 50, ids);
        const size_t all = p.ring.n / HB_SLICE_WORDS, lengths[] = {1, 3, 5, all / 3, all / 2 + 1, all - 1, all};
        for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
            check(&p, ids, 4, 6, lengths[k] < 100 ? 7 : 2, (lengths[k] == 0 ? 1 : lengths[k]) * HB_SLICE_WORDS);
        }
        check(&p, ids, 30, 33, 1, p.ring.n / 4);
        gpu_pair_close(&p);
    }
}

GPU_MAIN(cmocka_unit_test(test_limbs), cmocka_unit_test(test_lengths))
