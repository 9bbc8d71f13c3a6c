/* Views of some of the words of an allocation, the same on both engines. */
#ifndef HB_TESTS_GPU_SLICES_H
#define HB_TESTS_GPU_SLICES_H

#include "gpu.h"
#include "reference/slow.h"

enum { GPU, CPU, SIDES };

/* The same words on both engines, and a view of some of them. */
typedef struct slices {
    size_t words;
    hb_limb_address limb_addresses[SIDES][HB_MAX_LIMBS];
    hb_batch all[SIDES], view[SIDES];
} slices;

static inline hb_engine *engine(const gpu_pair *p, int side)
{
    return side == GPU ? p->gpu : p->cpu;
}

/* Off the ends of a range of 50 bits by so much, both 25-bit pieces of a number are at their largest. */
#define WIDE_PIECES ((uint64_t)1 << 24)

/* Words of one coefficient are in turn all 0, all m - 1, all about m / 2, all of wide pieces, and random. */
static inline uint64_t residue(uint64_t m, size_t j, uint64_t *seed)
{
    const uint64_t w = slow_random(seed), kinds[] = {0, m - 1, m / 2 + w % 2, m - WIDE_PIECES - 1 - w % 4, w % m};
    return kinds[j % (sizeof kinds / sizeof kinds[0])];
}

#define SCATTERED 0 /* in place of how far limbs are apart */
#define HEAD ((size_t)2)

/* Limbs `apart` rows from each other; or last to first, all polynomials of a limb together, with other gaps between
 * them in each limb. */
static inline hb_batch view_on(uint64_t *memory, hb_batch shape, size_t apart, hb_limb_address *limb_addresses)
{
    memory += HEAD;
    if (apart != SCATTERED) {
        shape.data = memory;
        shape.limb_stride = shape.n * apart;
        shape.stride = shape.limbs * shape.limb_stride + 6;
        return shape;
    }
    for (uint32_t l = shape.limbs; l-- > 0;) {
        limb_addresses[l] = (hb_limb_address){memory, shape.n + 2 * (1 + l % 4)};
        memory += shape.count * limb_addresses[l].stride;
    }
    shape.limb_addresses = limb_addresses;
    return shape;
}

static inline void slices_fill(const gpu_pair *p, hb_batch view, uint64_t *seed)
{
    for (uint32_t l = 0; l < view.limbs; l++) {
        const hb_limb_address rows = hb_batch_limb_address(p->cpu, view, l);
        for (size_t i = 0; i < view.count * view.n; i++) {
            const size_t c = i / view.n, j = i % view.n;
            rows.data[c * rows.stride + j] = residue(p->ring.moduli[view.ids[l]].value, j + c, seed);
        }
    }
}

/* shape: ids, limbs, count, n. */
static inline void slices_open(const gpu_pair *p, slices *s, hb_batch shape, size_t apart)
{
    const size_t row = shape.n * (apart != SCATTERED ? apart : 1) + 8; /* with the widest gap */
    uint64_t seed = shape.n + shape.limbs, *host;
    s->words = HEAD + shape.count * shape.limbs * row;
    host = gpu_host(s->words * sizeof *host);
    for (size_t i = 0; i < s->words; i++) {
        host[i] = slow_random(&seed);
    }
    slices_fill(p, view_on(host, shape, apart, s->limb_addresses[CPU]), &seed);
    for (int side = 0; side < SIDES; side++) {
        void *memory;
        assert_ok(hb_alloc(engine(p, side), s->words * sizeof *host, &memory));
        assert_ok(hb_upload(engine(p, side), memory, host, s->words * sizeof *host));
        assert_ok(hb_finish(engine(p, side)));
        s->all[side] = (hb_batch){.data = memory};
        s->view[side] = view_on(memory, shape, apart, s->limb_addresses[side]);
    }
    free(host);
}

static inline void slices_close(const gpu_pair *p, slices *s)
{
    for (int side = 0; side < SIDES; side++) {
        hb_free(engine(p, side), s->all[side].data);
    }
}

/* The results, and every word around them. */
static inline void slices_compare(const gpu_pair *p, const slices *s, const char *what)
{
    const hb_batch *v = &s->view[GPU];
    uint64_t *words = gpu_host(s->words * sizeof *words), *expected = s->all[CPU].data; /* host memory is the CPU's */
    assert_ok(hb_download(p->gpu, words, s->all[GPU].data, s->words * sizeof *words));
    assert_ok(hb_finish(p->gpu));
    for (size_t i = 0; i < s->words; i++) {
        if (words[i] != expected[i]) {
            fail_msg("%s, %u limbs %s %zu apart, %zu polynomials, %zu coefficients of %zu: word %zu of %zu differs",
                     what, v->limbs, v->limb_addresses != NULL ? "scattered," : "", v->limb_stride, v->count, v->n,
                     p->ring.n, i, s->words);
        }
    }
    free(words);
}

#endif
