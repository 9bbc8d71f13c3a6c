/* Operations by coefficient on views of any length, limbs close together, apart or scattered, and digits of scattered
 * polynomials, against the CPU engine: results, and every word around them. */
#include "slices.h"

/* Weights at the borders of balanced and of other words. */
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
    c->overflow->kind = keep ? HB_OVERFLOW_MODULAR : HB_OVERFLOW_BINARY;
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
    slices_compare(p, r, "copy");
    for (int side = 0; side < SIDES; side++) {
        assert_ok(hb_base_convert(engine(p, side), via->view[side], a->view[side], &there));
    }
    slices_compare(p, via, "base conversion");
    for (int side = 0; side < SIDES; side++) {
        assert_ok(
            hb_base_convert_through(engine(p, side), r->view[side], via->view[side], a->view[side], &there, &back));
    }
    slices_compare(p, r, "two base conversions");
    for (int side = 0; side < SIDES; side++) {
        assert_ok(hb_garner_digits(engine(p, side), r->view[side], a->view[side], &garner));
    }
    slices_compare(p, r, "mixed-radix digits");
    check_norm(p, r, &garner);
    for (int side = 0; side < SIDES; side++) {
        assert_ok(hb_clear(engine(p, side), r->view[side]));
    }
    slices_compare(p, r, "zeros");
    hb_garner_clear(&garner);
    hb_base_conversion_clear(&back);
    hb_base_conversion_clear(&there);
}

static void check(const gpu_pair *p, const uint16_t *ids, uint32_t limbs, uint32_t via_limbs, size_t count, size_t n)
{
    static const size_t apart[][3] = {{3, 1, 2}, {SCATTERED, SCATTERED, 1}, {1, SCATTERED, SCATTERED}};
    const hb_batch shape = {.ids = ids, .limbs = limbs, .count = count, .n = n};
    const hb_batch between = {.ids = ids + HB_MAX_LIMBS - via_limbs, .limbs = via_limbs, .count = count, .n = n};
    for (size_t i = 0; i < sizeof apart / sizeof apart[0]; i++) {
        slices a, r, via;
        slices_open(p, &a, shape, apart[i][0]);
        slices_open(p, &r, shape, apart[i][1]);
        slices_open(p, &via, between, apart[i][2]);
        check_all(p, &a, &r, &via);
        slices_close(p, &via);
        slices_close(p, &r);
        slices_close(p, &a);
    }
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

typedef hb_status (*decomposing)(hb_engine *e, hb_batch r, hb_batch a);

static void check_digits(const gpu_pair *p, const slices *r, const slices *a, decomposing decompose, const char *what)
{
    for (int side = 0; side < SIDES; side++) {
        hb_batch digits = r->view[side], from = a->view[side]; /* of whole polynomials, as these are */
        digits.limb_stride = digits.n = from.limb_stride = from.n = 0;
        assert_ok(decompose(engine(p, side), digits, from));
    }
    slices_compare(p, r, what);
}

/* Transforms in both arithmetics that reduce digits where they read them; in integers; one that has them written. */
static const struct {
    uint32_t from_limbs, to_limbs;
    uint16_t from[3], to[4];
} decompositions[] = {
    {3, 4, {GPU_W50, GPU_L50, GPU_W36}, {GPU_W49, GPU_W55, GPU_W61, GPU_W50}},
    {3, 2, {GPU_W60, GPU_W61, GPU_L60}, {GPU_W59, GPU_W61}},
    {3, 3, {GPU_W61, GPU_W30, GPU_W50}, {GPU_W30, GPU_W49, GPU_W60}},
};

/* Every structure of the transforms: so many polynomials stay in the second-level cache, or do not. */
static void test_digits(void **state)
{
    (void)state;
    static const struct {
        uint32_t log_n;
        size_t count;
    } cases[] = {{10, 3}, {12, 3}, {13, 2}, {15, 2}, {15, 20}, {17, 1}, {17, 20}};
    for (size_t i = 0; i < (gpu_small ? 1 : sizeof cases / sizeof cases[0]); i++) {
        gpu_pair p;
        gpu_pair_open(&p, cases[i].log_n);
        for (size_t k = 0; k < sizeof decompositions / sizeof decompositions[0]; k++) {
            const size_t n = p.ring.n, count = cases[i].count;
            const hb_batch from = {
                .ids = decompositions[k].from, .limbs = decompositions[k].from_limbs, .count = count, .n = n};
            const hb_batch to = {
                .ids = decompositions[k].to, .limbs = decompositions[k].to_limbs, .count = count * from.limbs, .n = n};
            slices a, r;
            slices_open(&p, &a, from, SCATTERED);
            slices_open(&p, &r, to, 1);
            check_digits(&p, &r, &a, hb_decompose, "digits");
            check_digits(&p, &r, &a, hb_ntt_decompose, "transforms of digits");
            slices_close(&p, &r);
            slices_close(&p, &a);
        }
        gpu_pair_close(&p);
    }
}

GPU_MAIN(cmocka_unit_test(test_limbs), cmocka_unit_test(test_lengths), cmocka_unit_test(test_digits))
