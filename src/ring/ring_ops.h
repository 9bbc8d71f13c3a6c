/* Operations on polynomials over one basis (engine.h): by coefficient, word by word, in another order, and the
 * transforms. engine.h has the rules for all of them: ranges, aliasing, callers. */
#ifndef HB_RING_RING_OPS_H
#define HB_RING_RING_OPS_H

#include "base/status.h"
#include "batch.h"

typedef struct hb_permutation hb_permutation; /* permutation.h */

/* Whether something is added or subtracted. */
typedef enum hb_sign { HB_PLUS, HB_MINUS } hb_sign;

/* The table of an engine. Each entry does the work of the function below with its name. */
typedef struct hb_ring_ops {
    hb_status (*copy)(hb_engine *e, hb_batch r, hb_batch a);
    hb_status (*clear)(hb_engine *e, hb_batch r);
    hb_status (*add)(hb_engine *e, hb_batch r, hb_batch a, hb_batch b);
    hb_status (*sub)(hb_engine *e, hb_batch r, hb_batch a, hb_batch b);
    hb_status (*negate)(hb_engine *e, hb_batch r, hb_batch a);
    hb_status (*mul)(hb_engine *e, hb_batch r, hb_batch a, hb_batch b);
    hb_status (*scale)(hb_engine *e, hb_batch r, hb_batch a, const uint64_t *factors);
    hb_status (*permute)(hb_engine *e, hb_batch r, hb_batch a, const uint32_t *map);
    hb_status (*galois)(hb_engine *e, hb_batch r, hb_batch a, uint32_t element);
    hb_status (*count_zeros)(hb_engine *e, uint64_t *zeros, hb_batch a);
} hb_ring_ops;

/* Limbs first .. first + limbs - 1 of a list. */
typedef struct hb_limb_range {
    uint32_t first, limbs;
} hb_limb_range;

/* The table of an engine's transforms. */
typedef struct hb_ntt_ops {
    hb_status (*ntt)(hb_engine *e, hb_batch x);
    hb_status (*intt)(hb_engine *e, hb_batch x, const uint64_t *factors); /* NULL: ones */
    hb_status (*ntt_of)(hb_engine *e, hb_batch r, hb_batch a);
    hb_status (*ntt_mul)(hb_engine *e, hb_batch r, hb_batch a, hb_batch b);
    hb_status (*ntt_decompose)(hb_engine *e, hb_batch r, hb_batch a);
    /* Each of these may be NULL. factors: NULL: ones. */
    hb_status (*ntt_decompose_known)(hb_engine *e, hb_batch r, hb_batch a, hb_batch known);
    hb_status (*intt_of)(hb_engine *e, hb_batch r, hb_batch a, const uint64_t *factors);
    hb_status (*ntt_quotient)(hb_engine *e, hb_batch r, hb_batch b, hb_batch a, hb_batch x, const uint64_t *factors,
                              uint32_t element); /* of an automorphism; 1: none */
    hb_status (*ntt_except)(hb_engine *e, hb_batch x, uint32_t group, const hb_limb_range *done);
} hb_ntt_ops;

/* Copies r = a, by coefficient; same limbs and count. They overlap wholly or not at all. */
hb_status hb_copy(hb_engine *e, hb_batch r, hb_batch a);
/* Sets r = 0, by coefficient. */
hb_status hb_clear(hb_engine *e, hb_batch r);
/* Overwrites the words with zeros before the memory is given back; for secrets. It is issued to the queue. A batch
 * without data is allowed. */
void hb_batch_wipe(hb_engine *e, hb_batch r);

/* Compute r = a + b, a - b, -a, a * b, word by word, in either form. b.count may be 1: that polynomial serves the whole
 * batch. */
hb_status hb_add(hb_engine *e, hb_batch r, hb_batch a, hb_batch b);
hb_status hb_sub(hb_engine *e, hb_batch r, hb_batch a, hb_batch b);
hb_status hb_negate(hb_engine *e, hb_batch r, hb_batch a);
hb_status hb_mul(hb_engine *e, hb_batch r, hb_batch a, hb_batch b);
/* Computes r = a + b, where b has as many polynomials or fewer, perhaps no data: the others of r are those of a. */
hb_status hb_add_leading(hb_engine *e, hb_batch r, hb_batch a, hb_batch b);
/* Computes r = a * factors[l] in limb l; factors: host, [limbs], canonical. */
hb_status hb_scale(hb_engine *e, hb_batch r, hb_batch a, const uint64_t *factors);

/* Computes r[j] = a[map[j]] in every limb. map: [n], a permutation, in memory of the engine. r and a do not overlap. */
hb_status hb_permute(hb_engine *e, hb_batch r, hb_batch a, const uint32_t *map);
/* Applies the automorphism X -> X^element in coefficient form: coefficient i goes to i * element mod n, negated where i
 * * element mod 2n >= n (semantics.md 6.9). element is odd and below 2n. r and a do not overlap. */
hb_status hb_galois(hb_engine *e, hb_batch r, hb_batch a, uint32_t element);

/* Sets *zeros (host) to the number of words of a that are 0, in all limbs. Waits; exchanges. */
hb_status hb_count_zeros(hb_engine *e, uint64_t *zeros, hb_batch a);

/* Transform in place, negacyclically (semantics.md 2.2, 2.3): natural order in, bit-reversed order out; and its inverse
 * with 1/N. Every modulus needs a root in the ring. */
hb_status hb_ntt(hb_engine *e, hb_batch x);
hb_status hb_intt(hb_engine *e, hb_batch x);
/* The inverse times factors[l] in limb l, at the cost of the inverse; factors: host, [limbs], canonical. The scale of a
 * base conversion (basis.h) can be merged into these factors. */
hb_status hb_intt_scaled(hb_engine *e, hb_batch x, const uint64_t *factors);
/* Computes r = the transform of a, which stays as it is. No overlap. */
hb_status hb_ntt_of(hb_engine *e, hb_batch r, hb_batch a);
/* Computes r = the inverse transform of a, which stays as it is, times factors[l] in limb l; NULL: ones; else host,
 * [limbs], canonical. No overlap. */
hb_status hb_intt_of(hb_engine *e, hb_batch r, hb_batch a, const uint64_t *factors);
/* Computes r = b + (a - the transform of x) * factors[l] in limb l, which ends a division in NTT form, and then
 * permutes the words of that as hb_permute does, unless `by` is NULL; factors: host, [limbs], canonical. b may have
 * fewer polynomials, or no data: nothing is added to the other polynomials of r. x is destroyed. With `by`, r overlaps
 * nothing; else it may be a or b, or x where it is neither of these. There is no other overlap. */
hb_status hb_ntt_quotient(hb_engine *e, hb_batch r, hb_batch b, hb_batch a, hb_batch x, const uint64_t *factors,
                          const hb_permutation *by);
/* Transforms in place, but for the limbs done[j] of polynomials j, j + group, j + 2 group, .., which stay as they are;
 * done: host, [group], and x.count is a multiple of group. */
hb_status hb_ntt_except(hb_engine *e, hb_batch x, uint32_t group, const hb_limb_range *done);
/* Computes r = (the transform of a) * b, word by word. b, in NTT form, does not overlap r or a; r may be a. b.count may
 * be 1: that polynomial serves the whole batch. */
hb_status hb_ntt_mul(hb_engine *e, hb_batch r, hb_batch a, hb_batch b);

/* Computes the transforms of the digits of hb_decompose (rns_ops.h). Where the moduli allow it, the digits themselves
 * are never written to memory. Exchanges. */
hb_status hb_ntt_decompose(hb_engine *e, hb_batch r, hb_batch a);
/* Computes the same where `known`, the transform of a, is at hand: modulo its own prime a digit is transformed already.
 * known has the shape of a, and does not overlap r. */
hb_status hb_ntt_decompose_known(hb_engine *e, hb_batch r, hb_batch a, hb_batch known);

#endif
