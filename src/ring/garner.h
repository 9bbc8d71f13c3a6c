/* Garner's CRT reconstruction in a mixed-radix system (paper 002, algorithm 4): x = d_0 + d_1 q_0 + d_2 q_0 q_1 + ...
 * with 0 <= d_i < q_i. Two numbers are compared by their digits from the last one down; no big integer is needed until
 * one is wanted. */
#ifndef HB_RING_GARNER_H
#define HB_RING_GARNER_H

#include "basis.h"

/* The constants of a reconstruction over one basis; const after hb_garner_init. */
typedef struct hb_garner {
    const hb_basis *basis; /* borrowed */
    uint64_t *inverse;     /* [limbs] C_i = (q_0 ... q_{i-1})^-1 mod q_i; C_0 = 1; owned */
    uint64_t *radix;       /* [limbs][limbs] row i: q_0 ... q_{j-1} mod q_i for j < i; owned */
    uint64_t *half; /* [limbs] mixed-radix digits of floor((Q + 1) / 2), the least x that counts as negative; owned */
} hb_garner;

/* Makes the constants of a basis, which is borrowed and outlives them. HB_ENOMEM; *garner is then cleared. */
hb_status hb_garner_init(hb_garner *garner, const hb_basis *basis);
/* Frees the constants; NULL and a zeroed one are allowed. */
void hb_garner_clear(hb_garner *garner);

/* Sets x to the number itself, from digits with digit i below q_i. Host only; variable time. */
void hb_garner_compose(const hb_garner *garner, const uint64_t *digits, hb_natural *x);

#endif
