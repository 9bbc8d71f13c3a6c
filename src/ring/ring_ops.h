/* Operations on polynomials over one basis (engine.h): by coefficient, word by word, in another order, and the
 * transforms. */
#ifndef HB_RING_RING_OPS_H
#define HB_RING_RING_OPS_H

#include "base/status.h"
#include "batch.h"

typedef enum hb_sign { HB_PLUS, HB_MINUS } hb_sign;

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

typedef struct hb_ntt_ops {
    hb_status (*ntt)(hb_engine *e, hb_batch x);
    hb_status (*intt)(hb_engine *e, hb_batch x, const uint64_t *factors); /* NULL: ones */
    hb_status (*ntt_of)(hb_engine *e, hb_batch r, hb_batch a);
    hb_status (*ntt_mul)(hb_engine *e, hb_batch r, hb_batch a, hb_batch b);
    hb_status (*ntt_decompose)(hb_engine *e, hb_batch r, hb_batch a);
} hb_ntt_ops;

/* r = a; by coefficient. Whole or no overlap. Same limbs and count. */
hb_status hb_copy(hb_engine *e, hb_batch r, hb_batch a);
/* r = 0; by coefficient. */
hb_status hb_clear(hb_engine *e, hb_batch r);

/* r = a + b, a - b, -a, a * b, word by word. b.count may be 1: that polynomial serves the whole batch. */
hb_status hb_add(hb_engine *e, hb_batch r, hb_batch a, hb_batch b);
hb_status hb_sub(hb_engine *e, hb_batch r, hb_batch a, hb_batch b);
hb_status hb_negate(hb_engine *e, hb_batch r, hb_batch a);
hb_status hb_mul(hb_engine *e, hb_batch r, hb_batch a, hb_batch b);
/* r = a * factors[l] in limb l; factors: host, [limbs], canonical. */
hb_status hb_scale(hb_engine *e, hb_batch r, hb_batch a, const uint64_t *factors);

/* r[j] = a[map[j]] in every limb; map: [n], a permutation, in memory of the engine; r and a do not overlap. */
hb_status hb_permute(hb_engine *e, hb_batch r, hb_batch a, const uint32_t *map);
/* The automorphism X -> X^element in coefficient form: coefficient i goes to i * element mod n, negated where i *
 * element mod 2n >= n (semantics.md 6.9). element: odd, below 2n. r and a do not overlap. */
hb_status hb_galois(hb_engine *e, hb_batch r, hb_batch a, uint32_t element);

/* *zeros (host): words of a that are 0, in all limbs. Waits; exchanges. */
hb_status hb_count_zeros(hb_engine *e, uint64_t *zeros, hb_batch a);

/* Negacyclic transform in place (semantics.md 2.2, 2.3): natural order in, bit-reversed order out, and its inverse with
 * 1/N. Every modulus needs a root in the ring. */
hb_status hb_ntt(hb_engine *e, hb_batch x);
hb_status hb_intt(hb_engine *e, hb_batch x);
/* The inverse times factors[l] in limb l, at the cost of the inverse; factors: host, [limbs], canonical. What a base
 * conversion scales by (basis.h) need not be done there. */
hb_status hb_intt_scaled(hb_engine *e, hb_batch x, const uint64_t *factors);
/* r = the transform of a, which stays as it is. No overlap. */
hb_status hb_ntt_of(hb_engine *e, hb_batch r, hb_batch a);
/* r = (the transform of a) * b, word by word; b, in NTT form, is elsewhere. b.count may be 1: that polynomial serves
 * the whole batch. */
hb_status hb_ntt_mul(hb_engine *e, hb_batch r, hb_batch a, hb_batch b);

/* The transforms of what hb_decompose makes (rns_ops.h), without the digits themselves ever standing in memory where the
 * moduli allow that. Exchanges. */
hb_status hb_ntt_decompose(hb_engine *e, hb_batch r, hb_batch a);

#endif
