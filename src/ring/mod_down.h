/* Division, with rounding, of polynomials by a product of primes of their basis: how special primes are left again
 * after key switching, how a level is left, or both at once. For one prime and coefficient form it is Microsoft SEAL's
 * (semantics.md 6.7). */
#ifndef HB_RING_MOD_DOWN_H
#define HB_RING_MOD_DOWN_H

#include "engine.h"

/* a / D to the nearest integer, D the product of the primes that are dropped: (a - R) / D, where R is the value of a
 * modulo D in (-D/2, D/2), as HB_OVERFLOW_ROUNDED finds it. So of one prime the quotient is the nearest integer, and of
 * several it is within 1/2 + 2^-26 of the exact one. */
typedef struct hb_mod_down {
    uint32_t limbs, dropped;        /* that stay, and that go */
    const uint16_t *ids;            /* [limbs + dropped]: the remaining limbs first; borrowed */
    uint64_t inverse[HB_MAX_LIMBS]; /* [limbs] 1/D mod q_i */
    uint64_t half;                  /* floor(D / 2) of one prime */
    /* [dropped] Factors of the dropped limbs before their conversion, and then of R. */
    uint64_t scale[HB_MAX_LIMBS];
    hb_base_conversion remainder;
    hb_base_conversion quotient; /* from the dropped and the remaining limbs to (a - R) / D */
} hb_mod_down;

/* Makes the constants for dropping the last `dropped` of ids[limbs + dropped]; limbs, dropped >= 1. All primes are odd;
 * several dropped primes are above 2^32; no remaining prime is also dropped (HB_ASSERT). The caller clears *down after
 * success and after failure. HB_ENOMEM; HB_ECONFIG where two dropped primes are equal. */
hb_status hb_mod_down_init(hb_mod_down *down, const hb_ring *ring, const uint16_t *ids, uint32_t limbs,
                           uint32_t dropped);
/* Frees the constants; a zeroed one is allowed. */
void hb_mod_down_clear(hb_mod_down *down);
/* Returns the operand of hb_divide_round_last for one dropped prime; it lives as long as `down`. */
hb_drop_last hb_mod_down_last(const hb_mod_down *down);

/* Computes r = b + the quotients of a, all in this form; where b has fewer polynomials, perhaps none, the others of r
 * are the quotients alone. a has all limbs and is destroyed; r and b have the remaining limbs; r may be b, or the
 * leading limbs of a. remainder is used in NTT form alone: memory for as many polynomials as a, of r's limbs; it may be
 * r where r is neither b nor a. Exchanges. */
hb_status hb_mod_down_apply(hb_engine *e, hb_batch r, hb_batch b, hb_batch a, hb_batch remainder,
                            const hb_mod_down *down, hb_form form);

/* Does that in NTT form and then permutes the words, as hb_permute does. r overlaps nothing then. Exchanges. */
hb_status hb_mod_down_permute(hb_engine *e, hb_batch r, hb_batch b, hb_batch a, hb_batch remainder,
                              const hb_mod_down *down, const hb_permutation *by);

/* Converts integers that are sums of products, block by block, to the limb of a prime and to limbs that stay, and
 * divides them by that prime: r = the quotients, in coefficient form. Where limbs are divided that takes one exchange
 * there and one back. By coefficient; exchanges. */
hb_status hb_divide_blocks(hb_engine *e, hb_batch r, const hb_block_operands *x);

/* Computes the quotients in NTT form of polynomials that stay as they are. dropped is memory for as many, of the limbs
 * that go; no overlap. Exchanges. */
hb_status hb_mod_down_kept(hb_engine *e, hb_batch r, hb_batch a, hb_batch dropped, const hb_mod_down *down);

#endif
