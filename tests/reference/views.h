/* Views of some coefficients and of limbs that stand apart, in memory of their own; by index, without an engine. */
#ifndef HB_TESTS_VIEWS_H
#define HB_TESTS_VIEWS_H

#include "reference/toy.h"

enum { LOG_N = 11, N = 1 << LOG_N, COUNT = 3, LIMBS = 4, OTHERS = 2, MODULI = LIMBS + OTHERS, GAP = 4 };
enum { WORDS = COUNT * (2 * LIMBS * N + GAP) };

static const uint64_t moduli[MODULI] = {8796092858369,    (1ull << 59) - 55, 97,
                                        (1ull << 36) - 5, (1ull << 50) - 27, (1ull << 60) - 93};

/* Where the words of a view are. */
typedef enum layout { IN_PLACE, DENSE, EVERY_OTHER_LIMB, SCATTERED, LAYOUTS } layout;

/* Coefficients first .. first + n of polynomials that are whole, or that have no others. */
static const struct {
    size_t first, n;
} slices[] = {{0, 256}, {256, 768}, {1024, 1024}, {0, N}};
enum { SLICES = sizeof slices / sizeof *slices, PARTS = 3 }; /* the first three are all of a polynomial */

/* Limbs last to first, all polynomials of a limb together, the distance between them another for each limb. */
static inline const hb_limb_address *scattered(uint64_t *memory, size_t n, uint32_t limbs)
{
    static hb_limb_address rounds[16][LIMBS]; /* as many views are in use at a time at most */
    static size_t round;
    hb_limb_address *limb_addresses = rounds[round++ % 16];
    for (uint32_t l = limbs; l-- > 0;) {
        limb_addresses[l] = (hb_limb_address){memory, n + 2 + 2 * l};
        memory += COUNT * limb_addresses[l].stride;
    }
    return limb_addresses;
}

static inline hb_batch view(uint64_t *memory, layout how, size_t slice, uint32_t limbs, const uint16_t *ids)
{
    const size_t first = slices[slice].first, n = slices[slice].n;
    hb_batch v = {.ids = ids, .limbs = limbs, .count = COUNT, .n = n};
    switch (how) {
    case IN_PLACE:
        v.data = memory + first;
        v.stride = limbs * N + GAP;
        break;
    case DENSE:
        v.data = memory;
        v.limb_stride = n + 2;
        v.stride = limbs * v.limb_stride + GAP;
        break;
    case SCATTERED:
        v.limb_addresses = scattered(memory, n, limbs);
        break;
    default:
        v.data = memory + N + first;
        v.limb_stride = (size_t)2 * N;
        v.stride = limbs * v.limb_stride + GAP;
    }
    return v;
}

static inline uint64_t *at(hb_batch v, size_t c, uint32_t l, size_t j)
{
    if (v.limb_addresses != NULL) {
        return &v.limb_addresses[l].data[c * v.limb_addresses[l].stride + j];
    }
    return &v.data[c * v.stride + l * (v.limb_stride != 0 ? v.limb_stride : N) + j];
}

static inline uint64_t *untouched(void)
{
    uint64_t *memory = malloc(WORDS * sizeof *memory);
    assert_non_null(memory);
    for (size_t i = 0; i < WORDS; i++) {
        memory[i] = TOY_UNTOUCHED;
    }
    return memory;
}

/* The words of a view become those of whole polynomials. */
static inline void put(const toy *t, hb_batch v, size_t slice, hb_batch whole)
{
    for (size_t i = 0; i < COUNT * v.limbs * v.n; i++) {
        const size_t c = i / v.n / v.limbs, j = i % v.n;
        const uint32_t l = (uint32_t)(i / v.n % v.limbs);
        *at(v, c, l, j) = *toy_at(t, whole, c, l, slices[slice].first + j);
    }
}

#endif
