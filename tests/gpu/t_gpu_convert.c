/* Base conversions of every shape around the bounds of their kernels (cuda/convert*), with each kind of overflow, kept
 * and scaled, against the CPU engine: results, and every word around them. */
#include "slices.h"

typedef enum kind { NO_OVERFLOW, BINARY, MODULAR, NEAREST, CENTRED, ROUNDED, KINDS } kind;

typedef struct shape {
    uint32_t sources, targets;
} shape;

/* Words of up to 60 bits; up to 50, the first ones, up to 49 the first of these. */
static const uint16_t sources[] = {GPU_W30, GPU_W36, GPU_W43, GPU_W48, GPU_W49, GPU_W50, GPU_L49,
                                   GPU_L50, GPU_W60, GPU_L60, GPU_W55, GPU_W59, GPU_W51, GPU_L30};
enum { SOURCES = sizeof sources / sizeof sources[0], NARROW = 8, NARROWEST = 5 };

/* The largest in every third place, the largest and the least of balanced ones in the next; else any. */
static uint64_t weight(uint64_t m, size_t i, uint64_t *seed)
{
    const uint64_t w = slow_random(seed) % m;
    const uint64_t weights[] = {m - 1, m / 2 + i / 3 % 2, w};
    return weights[i % 3];
}

static void fill_overflow(const gpu_pair *p, hb_base_conversion *c, kind which, uint64_t *seed)
{
    hb_overflow *v = c->overflow;
    static const hb_overflow_kind kinds[] = {[BINARY] = HB_OVERFLOW_BINARY,
                                             [MODULAR] = HB_OVERFLOW_MODULAR,
                                             [NEAREST] = HB_OVERFLOW_NEAREST,
                                             [CENTRED] = HB_OVERFLOW_CENTRED,
                                             [ROUNDED] = HB_OVERFLOW_ROUNDED};
    v->kind = kinds[which];
    v->id = c->from_ids[c->from_limbs - 1];
    const uint64_t m = which == BINARY    ? UINT64_C(1) << 32
                       : which == ROUNDED ? UINT64_MAX
                                          : p->ring.moduli[v->id].value;
    v->half = m / 2 + 1;
    v->inverses = which == NEAREST ? gpu_host(c->from_limbs * sizeof *v->inverses) : NULL;
    for (uint32_t i = 0; i < c->from_limbs; i++) {
        v->weights[i] = weight(m, i, seed);
        if (which == NEAREST) {
            v->inverses[i] = p->ring.moduli[c->from_ids[i]].f64_inverse;
        }
    }
    for (uint32_t o = 0; o < c->to_limbs; o++) {
        v->factors[o] = weight(p->ring.moduli[c->to_ids[o]].value, o, seed);
    }
}

static void conversion_open(const gpu_pair *p, hb_base_conversion *c, hb_batch to, hb_batch from, kind which, bool keep)
{
    uint64_t seed = from.limbs + 100 * to.limbs;
    assert_ok(hb_base_conversion_alloc(c, from.ids, from.limbs, to.ids, to.limbs, keep, which != NO_OVERFLOW));
    for (uint32_t i = 0; i < from.limbs; i++) {
        c->scale[i] = weight(p->ring.moduli[from.ids[i]].value, i, &seed);
    }
    for (uint32_t o = 0; o < to.limbs; o++) {
        const uint64_t m = p->ring.moduli[to.ids[o]].value;
        for (uint32_t i = 0; i < from.limbs; i++) {
            c->matrix[o * from.limbs + i] = weight(m, o == 1 ? 0 : i, &seed);
        }
        if (keep) {
            c->keep[o] = weight(m, o, &seed);
        }
    }
    if (which != NO_OVERFLOW) {
        fill_overflow(p, c, which, &seed);
    }
    if ((from.limbs + to.limbs) % 2 == 0) {
        hb_base_conversion_unscale(c);
    }
}

/* The widths of words and targets: any, all below 2^50, or targets below 2^49. */
typedef enum width { WIDE, NARROW_ALL, NARROWER } width;

static void check(const gpu_pair *p, shape s, width narrow, kind which, bool keep, size_t count, size_t apart)
{
    uint16_t from[HB_MAX_LIMBS], to[HB_MAX_LIMBS];
    slices a, r;
    hb_base_conversion c;
    char what[100];
    for (uint32_t i = 0; i < HB_MAX_LIMBS; i++) {
        from[i] = sources[i % (which == NEAREST || narrow ? NARROW : SOURCES)];
        to[i] = narrow == NARROWER ? sources[(i + s.sources) % NARROWEST]
                : narrow           ? sources[(i + s.sources) % NARROW]
                         : (uint16_t)((i + s.sources) % (keep ? GPU_PLAIN : GPU_MODULI)); /* residues are wide */
    }
    const size_t n = apart == SCATTERED ? p->ring.n - HB_SLICE_WORDS : p->ring.n;
    slices_open(p, &a, (hb_batch){.ids = from, .limbs = s.sources, .count = count, .n = n}, apart);
    slices_open(p, &r, (hb_batch){.ids = to, .limbs = s.targets, .count = count, .n = n}, apart);
    conversion_open(p, &c, r.view[CPU], a.view[CPU], which, keep);
    for (int side = 0; side < SIDES; side++) {
        assert_ok(hb_base_convert(engine(p, side), r.view[side], a.view[side], &c));
    }
    snprintf(what, sizeof what, "base conversion, %u to %u, overflow %d%s", s.sources, s.targets, which,
             keep ? ", kept" : "");
    slices_compare(p, &r, what);
    hb_base_conversion_clear(&c);
    slices_close(p, &a);
    slices_close(p, &r);
}

/* All that there are of few sources; about multiples of four, with the overflow or without; the longest. */
static void test_shapes(void **state)
{
    (void)state;
    static const shape shapes[] = {{1, 1},   {2, 3},   {3, 2},   {4, 5},   {5, 4},   {6, 9},   {7, 1},
                                   {7, 8},   {8, 2},   {8, 9},   {9, 3},   {11, 4},  {12, 5},  {13, 7},
                                   {15, 19}, {16, 16}, {17, 20}, {19, 15}, {20, 21}, {21, 17}, {31, 33},
                                   {32, 32}, {33, 31}, {47, 64}, {60, 60}, {63, 61}, {64, 3},  {64, 64}};
    gpu_pair p;
    gpu_pair_open(&p, 10);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        for (int which = 0; which < KINDS && (!gpu_small || i % 9 == 0); which++) {
            check(&p, shapes[i], WIDE, (kind)which, i % 2 == 0, 1, 1);
            check(&p, shapes[i], WIDE, (kind)which, i % 2 != 0, 3, SCATTERED);
        }
    }
    gpu_pair_close(&p);
}

/* Sums of words below 2^50 in pairs of doubles, of all numbers of sources that have a kernel: of up to 10 products, of
 * up to 12 where targets are below 2^49. */
static void test_narrow(void **state)
{
    (void)state;
    gpu_pair p;
    gpu_pair_open(&p, 10);
    for (uint32_t sources_of = 1; sources_of <= 11; sources_of++) {
        for (int which = 0; which < KINDS && (!gpu_small || sources_of % 4 == 0); which++) {
            const shape s = {sources_of, 8 + sources_of};
            for (int narrow = NARROW_ALL; narrow <= NARROWER; narrow++) {
                check(&p, s, (width)narrow, (kind)which, sources_of % 2 == 0, 1, 1);
                check(&p, s, (width)narrow, (kind)which, sources_of % 2 != 0, 3, SCATTERED);
            }
        }
    }
    gpu_pair_close(&p);
}

/* So many coefficients that thread blocks go over several slices each, with weights that they keep or make again. */
static void test_many_polynomials(void **state)
{
    (void)state;
    static const shape shapes[] = {{7, 5}, {15, 19}, {17, 28}};
    gpu_pair p;
    gpu_pair_open(&p, 10);
    for (size_t i = 0; i < (gpu_small ? 1 : sizeof shapes / sizeof shapes[0]); i++) {
        check(&p, shapes[i], false, i % 2 == 0 ? MODULAR : BINARY, false, gpu_small ? 5 : 1100, 1);
    }
    gpu_pair_close(&p);
}

GPU_MAIN(cmocka_unit_test(test_shapes), cmocka_unit_test(test_narrow), cmocka_unit_test(test_many_polynomials))
