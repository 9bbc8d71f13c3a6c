/* Operations between bases (engine.h): conversions, division by a prime, mixed radix, and products whose limbs are the
 * digits of key switching. */
#ifndef HB_RING_RNS_OPS_H
#define HB_RING_RNS_OPS_H

#include "base/status.h"
#include "basis.h"
#include "batch.h"
#include "garner.h"
#include "ring_ops.h"

/* The constants of dividing by the last prime p with rounding (semantics.md 6.7). A view: the table is borrowed. */
typedef struct hb_drop_last {
    uint16_t last_id;
    uint64_t half;           /* floor(p / 2) */
    const uint64_t *inverse; /* [limbs - 1] 1/p mod q_i */
} hb_drop_last;

/* The operands of hb_divide_blocks (mod_down.h), beside the result r, [count]. The list that is the dropped limb and
 * then r's limbs is cut into blocks of one limb or more: conversion b brings sums[b] to the limbs of block b. */
typedef struct hb_block_operands {
    const hb_batch *sums;                 /* [blocks], [count] each */
    const hb_base_conversion *conversion; /* [blocks] */
    uint32_t blocks;                      /* 1 .. HB_MAX_LIMBS */
    hb_batch dropped;                     /* [count], one limb: memory, undefined afterwards */
    const hb_base_conversion *quotient;   /* from the dropped limb to r's limbs, which it keeps */
} hb_block_operands;

/* The table of an engine's conversions. Each entry does the work of the function below with its name. */
typedef struct hb_rns_ops {
    hb_status (*base_convert)(hb_engine *e, hb_batch r, hb_batch a, const hb_base_conversion *conversion);
    /* may be NULL: hb_base_convert twice */
    hb_status (*base_convert_through)(hb_engine *e, hb_batch r, hb_batch via, hb_batch a,
                                      const hb_base_conversion *first, const hb_base_conversion *second);
    /* may be NULL: hb_base_convert for each */
    hb_status (*base_convert_each)(hb_engine *e, const hb_batch *r, const hb_batch *a,
                                   const hb_base_conversion *conversion, uint32_t count);
    /* where limbs are divided alone, else NULL: hb_base_convert for each block */
    hb_status (*divide_blocks)(hb_engine *e, hb_batch r, const hb_block_operands *x);
    /* r = b + (a divided by the prime of `last`), where b is 0 if its data is NULL, and behind its polynomials. `last`
     * has one limb, a has r's limbs. */
    hb_status (*divide_round)(hb_engine *e, hb_batch r, hb_batch b, hb_batch a, hb_batch last,
                              const hb_drop_last *constants);
} hb_rns_ops;

/* The table of an engine's operations in mixed radix. */
typedef struct hb_garner_ops {
    hb_status (*garner_digits)(hb_engine *e, hb_batch r, hb_batch a, const hb_garner *constants);
    hb_status (*infinity_norm)(hb_engine *e, uint64_t *digits, hb_batch a, const hb_garner *constants);
} hb_garner_ops;

/* The operands of hb_gadget_products, beside the result r, [2 * count]. */
typedef struct hb_gadget_operands {
    hb_batch digits, key; /* as hb_key_products has them, for two outputs */
    /* [count], leading limbs of r: limbs ranges[j] of digit j stand there, and not among the digits; data NULL: all of
     * them do. ranges: host, [d], d digits. */
    hb_batch own;
    const hb_limb_range *ranges;
    /* [count] each, leading limbs of r: summands of output i, times factors[l] in limb l; data NULL: none.
     * factors: host, canonical; then there are fewer than HB_MAX_LIMBS digits. */
    hb_batch plus[2];
    const uint64_t *factors;
    hb_batch scratch; /* like plus[0], destroyed; it may stand where the digits do. Without plus not looked at */
} hb_gadget_operands;

/* The operands of hb_combine; the arrays are the host's. Each output and each input is a batch, and all of these have
 * the same polynomials: as many, and as far apart. */
typedef struct hb_combination {
    const hb_batch *r; /* [outputs] */
    const hb_batch *a; /* [inputs] */
    uint32_t outputs, inputs;
    /* In every limb the weight of input i for output o is word o * inputs + i, counted through the rows of polynomials:
     * hb_combination_polynomials says how many there are at least. */
    hb_batch weights;
} hb_combination;

/* The operands of hb_tensor_sum, beside the result r; the arrays are the host's, and batches have r's limbs. */
#define HB_SUM_PRODUCTS 8u
#define HB_SUM_MULTIPLES 16u
typedef struct hb_tensor_sum_operands {
    const hb_batch *a, *b;        /* [products] ciphertexts of 2 components, [2 * count], as hb_tensor has them */
    const hb_batch *c;            /* [multiples] likewise */
    uint32_t products, multiples; /* at most HB_SUM_PRODUCTS and HB_SUM_MULTIPLES, together at least 1 */
    bool twice;                   /* products count twice */
    const uint64_t *weights[HB_SUM_MULTIPLES]; /* [multiples], residues of limbs: canonical */
    const uint64_t *number;                    /* residues, added to all words of component 0; NULL: nothing */
} hb_tensor_sum_operands;

/* The operands of hb_digit_products, beside the result r, [outputs * count]. */
typedef struct hb_digit_operands {
    hb_batch a;      /* [count], coefficient form: each limb is a digit, as hb_decompose has it */
    hb_batch known;  /* the transform of a, or data NULL */
    hb_batch digits; /* [count * a.limbs], limbs of r: memory, undefined afterwards */
    hb_batch key;    /* it, outputs and row as hb_key_products has them */
    uint32_t outputs, row;
} hb_digit_operands;

/* A term of hb_rotation_sums: an inner product of digits with a key and a polynomial, then an automorphism. */
typedef struct hb_rotation_term {
    const hb_permutation *by; /* of NTT form, made by hb_permutation_init_galois; NULL: none */
    hb_batch digits, key;     /* as hb_key_products has them, for two outputs; data of digits NULL: no product */
    /* [count], leading limbs of r: the digits' own limbs, as in hb_gadget_operands; data NULL: none */
    hb_batch own;
    /* [count] each, leading limbs of r: summands of output i, times factors[l] in limb l; data NULL: none */
    hb_batch plus[2];
} hb_rotation_term;

/* The operands of hb_rotation_sums, beside the result r, [2 * outputs * count]; the arrays are the host's. */
#define HB_ROTATION_TERMS 24u
#define HB_ROTATION_NONE UINT32_MAX
typedef struct hb_rotation_sum {
    /* [count]; all digits are as many; all `plus`, and all `own`, have the same limbs and lie as far apart. */
    const hb_rotation_term *terms;
    uint32_t count;              /* 1 .. HB_ROTATION_TERMS */
    const hb_limb_range *ranges; /* [d], d digits: their limbs of `own`, each limb one's; NULL: there is no `own` */
    const uint64_t *factors;     /* canonical; NULL: ones */
    /* Limbs of r; data NULL: ones, and all terms are in all sums. Where its n is not 0, a power of two from 2 on, each
     * word stands for N / n neighbours: these are polynomials in X^(N/n). */
    hb_batch plain;
    /* Entry o * row + t: which polynomial of `plain` term t is multiplied by for output o; HB_ROTATION_NONE: the term
     * is not in that sum. NULL without `plain`. */
    const uint32_t *which;
    uint32_t row;
    bool add; /* to the values that stand in r */
} hb_rotation_sum;

typedef struct hb_mod_up_operands hb_mod_up_operands; /* mod_up.h */

/* The table of an engine's products. */
typedef struct hb_product_ops {
    hb_status (*tensor)(hb_engine *e, hb_batch r, hb_batch a, hb_batch b, uint32_t a_size, uint32_t b_size);
    hb_status (*decompose)(hb_engine *e, hb_batch r, hb_batch a);
    hb_status (*key_products)(hb_engine *e, hb_batch r, hb_batch digits, hb_batch key, uint32_t outputs, uint32_t row);
    /* Each of these may be NULL. */
    hb_status (*gadget_products)(hb_engine *e, hb_batch r, const hb_gadget_operands *x);
    hb_status (*digit_products)(hb_engine *e, hb_batch r, const hb_digit_operands *x); /* all limbs are here */
    hb_status (*combine)(hb_engine *e, const hb_combination *x); /* limbs, ids: those of the weights */
    hb_status (*tensor_sum)(hb_engine *e, hb_batch r, const hb_tensor_sum_operands *x);
    hb_status (*rotation_sums)(hb_engine *e, hb_batch r, uint32_t outputs, const hb_rotation_sum *x);
    /* where limbs are divided alone, else NULL: hb_base_convert for each digit, and the transforms */
    hb_status (*mod_up_digits)(hb_engine *e, hb_batch r, const hb_mod_up_operands *x);
} hb_product_ops;

/* Converts a to r (basis.h); the overflow is kept or corrected, as the conversion says. r and a do not overlap. By
 * coefficient; exchanges. */
hb_status hb_base_convert(hb_engine *e, hb_batch r, hb_batch a, const hb_base_conversion *conversion);
/* Makes `count` conversions that do not depend on each other: r[i] from a[i] by conversion[i]; the arrays are the
 * host's. No r[i] overlaps anything else; against each other they are not checked. By coefficient; exchanges. */
hb_status hb_base_convert_each(hb_engine *e, const hb_batch *r, const hb_batch *a, const hb_base_conversion *conversion,
                               uint32_t count);
/* Converts twice in a row: via from a by `first`, r from via by `second`. The contents of via are undefined afterwards;
 * where `first` keeps, via is set before. r may be a; there is no other overlap. By coefficient; exchanges. */
hb_status hb_base_convert_through(hb_engine *e, hb_batch r, hb_batch via, hb_batch a, const hb_base_conversion *first,
                                  const hb_base_conversion *second);
/* Computes r (one limb fewer) = floor((a + floor(p/2)) / p) for the last prime p of a. r may be the leading limbs of a.
 * Exchanges. */
hb_status hb_divide_round_last(hb_engine *e, hb_batch r, hb_batch a, const hb_drop_last *constants);
/* Computes r = b + that quotient. b has r's limbs, and as many polynomials or fewer: the others of r are the quotient
 * alone. r may be b too. Exchanges. */
hb_status hb_divide_round_add(hb_engine *e, hb_batch r, hb_batch b, hb_batch a, const hb_drop_last *constants);
/* Computes r limb i = mixed-radix digit i of the CRT value of a (garner.h). r may be a. By coefficient; exchanges. */
hb_status hb_garner_digits(hb_engine *e, hb_batch r, hb_batch a, const hb_garner *constants);
/* Finds the largest |x| over the coefficients of each polynomial, where x in [0, Q) with mixed-radix digits a stands
 * for x - Q when x >= floor((Q + 1) / 2). digits: host, [count][limbs], its mixed-radix digits. Waits for the result.
 * By coefficient; exchanges. */
hb_status hb_infinity_norm(hb_engine *e, uint64_t *digits, hb_batch a, const hb_garner *constants);

/* Multiplies ciphertexts as polynomials in the secret, word by word (semantics.md 6.2, step 2): component i of
 * ciphertext c is polynomial i * count + c. r component k = sum over i + j = k of a_i b_j; r has a_size + b_size - 1
 * components, and a_size, b_size >= 1. count = r.count / (a_size + b_size - 1); a has a_size times count polynomials, b
 * has b_size times count, or b_size: then that ciphertext serves all. r does not overlap a or b; b may be a. */
hb_status hb_tensor(hb_engine *e, hb_batch r, hb_batch a, hb_batch b, uint32_t a_size, uint32_t b_size);
/* Computes the sum over i of a_i b_i, of 3 components, where that is asked for twice; and of the multiples weights_i
 * c_i and the number, word by word in NTT form. It equals hb_tensor, hb_scale and hb_add one after the other, without
 * their intermediate results in memory. r has 3 components; without products 2. r overlaps nothing. */
hb_status hb_tensor_sum(hb_engine *e, hb_batch r, const hb_tensor_sum_operands *x);
/* Makes the digits of key switching (semantics.md 6.8, step 1): limb l of polynomial c * a.limbs + i of r = limb i of
 * polynomial c of a, an integer in [0, q_i), mod ids[l] of r. r.count = a.count * a.limbs; no overlap. a may be
 * scattered. Exchanges. */
hb_status hb_decompose(hb_engine *e, hb_batch r, hb_batch a);
/* Computes the inner products of key switching (semantics.md 6.8, step 2): polynomial k * count + c of r, k < outputs,
 * is the sum over i < d of digits[c * d + i] * key[row i + k], word by word. outputs <= row is even, count = r.count /
 * outputs, and d = digits.count / count is at most HB_MAX_LIMBS. The key has at least row d polynomials, and every
 * modulus of r and digits (which have the same limbs) among its own, in ascending order of ids. No overlap. */
hb_status hb_key_products(hb_engine *e, hb_batch r, hb_batch digits, hb_batch key, uint32_t outputs, uint32_t row);
/* Computes the same of two outputs, where a digit's own limbs may stand apart and multiples of two polynomials may be
 * added. Digits are destroyed where either is so. */
hb_status hb_gadget_products(hb_engine *e, hb_batch r, const hb_gadget_operands *x);
/* Computes the inner products of a key with digits that no other key uses: hb_key_products after hb_ntt_decompose of a,
 * or after hb_ntt_decompose_known. An engine may hold only some of the digits in memory at a time. No overlap.
 * Exchanges. */
hb_status hb_digit_products(hb_engine *e, hb_batch r, const hb_digit_operands *x);
/* Computes sums of rotated inner products, the inner loops of linear maps: with count = r.count / (2 outputs),
 * polynomial (k * outputs + o) * count + c of r, k < 2, is the sum over the terms t of plain_{o,t} times by_t( sum_i
 * digits_t[c * d + i] key_t[2 i + k] + factors plus_t[k][c] ), in NTT form. Engines keep no intermediate result in
 * memory. There are fewer digits than HB_MAX_LIMBS; they are destroyed where their own limbs stand apart. r overlaps
 * nothing. */
hb_status hb_rotation_sums(hb_engine *e, hb_batch r, uint32_t outputs, const hb_rotation_sum *x);
/* Computes linear combinations, word by word, in either form: polynomial c of r[o] is the sum over i < inputs of
 * polynomial c of a[i] times the weight of i for o, a residue in each limb. There are an input and an output at least.
 * No r[o] overlaps anything else. */
hb_status hb_combine(hb_engine *e, const hb_combination *x);
/* Returns the polynomials that weights take. */
size_t hb_combination_polynomials(const hb_ring *ring, uint32_t outputs, uint32_t inputs);

#endif
