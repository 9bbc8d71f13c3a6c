/* Properties of calls of an engine's operations, and damage to the results of some. */
#ifndef HB_TESTS_BROKEN_CALLS_H
#define HB_TESTS_BROKEN_CALLS_H

#include <stdbool.h>
#include <stddef.h>

#include "reference/engine_copy.h"

static const hb_engine_ops *real; /* the CPU engine's */

/* The damage to a call. */
typedef enum damage {
    FIRST,  /* a bit of the first word of the result */
    LAST,   /* a bit of the last */
    BEYOND, /* a bit of the word behind the first polynomial */
    SKIP,   /* the call does nothing */
    FAIL,   /* the call fails */
    DAMAGES
} damage;

/* Properties of a call. */
enum {
    IN_PLACE = 1,
    ONE = 2,
    MINUS = 4,
    TERNARY = 8,
    GAUSSIAN = 16,
    BINOMIAL = 32,
    PART = 64,
    DENSE = 128,
    APART = 256,     /* packed rows */
    UNEQUAL = 512,   /* sizes of factors */
    BINARY_K = 1024, /* overflows */
    MODULAR_K = 2048,
    KEPT = 4096,
    SCALED = 8192,
    SLICES = 16384,
    LIMBS_APART = 32768,
    SUM = 65536,
    FROM_APART = 131072,
    CENTRED_K = 262144,
    ROUNDED_K = 524288,
    SCATTERED = 1048576,
    ORDERED = 2097152, /* slots in an order of their own */
    WIDE = 4194304     /* more than a word */
};

static struct {
    damage damage;
    unsigned wanted; /* calls that are like this are damaged */
    size_t calls;
} now;

static bool hit(const hb_engine *e, hb_batch r, unsigned like)
{
    now.calls++;
    like |= r.count > 1 && r.stride == r.limbs * e->ring->n ? DENSE : 0U;
    like |= r.limb_addresses != NULL ? SCATTERED : 0U;
    like |= (r.n != 0 ? SLICES : 0U) | (r.limb_stride > e->ring->n ? LIMBS_APART : 0U);
    return (like & now.wanted) == now.wanted;
}

static inline hb_status refused(void)
{
    return HB_FAIL(HB_ENOMEM, "no paper");
}

static void flip(const hb_engine *e, hb_batch r)
{
    const size_t n = r.n != 0 ? r.n : e->ring->n, limb_stride = r.limb_stride != 0 ? r.limb_stride : e->ring->n;
    if (r.limb_addresses != NULL) { /* it has no end: the last word of the first polynomial */
        r.limb_addresses[now.damage == FIRST ? 0 : r.limbs - 1].data[now.damage == FIRST ? 0 : n - 1] ^= 1;
        return;
    }
    const size_t beyond = (r.limbs - 1) * limb_stride + n;
    r.data[now.damage == FIRST ? 0 : now.damage == LAST ? (r.count - 1) * r.stride + beyond - 1 : beyond] ^= 1;
}

/* An operation whose result is a batch. */
#define SPOIL(e, r, like, call)                              \
    do {                                                     \
        if (!hit(e, r, like)) {                              \
            return call;                                     \
        }                                                    \
        if (now.damage == FAIL) {                            \
            return refused();                                \
        }                                                    \
        hb_status st_ = now.damage == SKIP ? HB_OK : (call); \
        if (now.damage != SKIP) {                            \
            flip(e, r);                                      \
        }                                                    \
        return st_;                                          \
    } while (0)

static unsigned like_of(hb_batch r, hb_batch a, hb_batch b)
{
    return (r.data == a.data ? IN_PLACE : 0U) | (b.count == 1 && r.count > 1 ? ONE : 0U);
}

#endif
