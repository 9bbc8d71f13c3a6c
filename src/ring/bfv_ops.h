/* The operations of the BFV scheme (engine.h), between plaintext and ciphertext moduli. Every member of a group has the
 * limbs of t and gamma. */
#ifndef HB_RING_BFV_OPS_H
#define HB_RING_BFV_OPS_H

#include "engine.h"

/* The constants of the message scaling floor((Q m + floor((t+1)/2)) / t) = delta m + floor((r m + h) / t) (semantics.md
 * 4.4). */
typedef struct hb_scale_plain {
    uint16_t plain_id;     /* t */
    uint64_t remainder;    /* r = Q mod t */
    uint64_t half;         /* h = floor((t + 1) / 2) */
    const uint64_t *delta; /* [limbs] floor(Q / t) mod q_i */
} hb_scale_plain;

/* How a plaintext becomes a factor of ciphertexts: coefficient m stands for m if m < half, else for m - t, in every
 * limb (semantics.md 6.6). */
typedef struct hb_plain_lift {
    uint16_t plain_id;   /* t */
    uint64_t half;       /* floor((t + 1) / 2) */
    bool keep_monomials; /* a polynomial with just one coefficient that is not 0 keeps it: where every q_i > t */
} hb_plain_lift;

/* The constants of the last step of BEHZ decryption (semantics.md 5, steps 3 to 5). */
typedef struct hb_gamma_correction {
    uint16_t plain_id, gamma_id;
    uint64_t negative_inverse_q[2]; /* -1/Q mod t, mod gamma */
    uint64_t inverse_gamma;         /* 1/gamma mod t */
} hb_gamma_correction;

/* The table of an engine. Each entry does the work of the function below with its name. */
struct hb_bfv_ops {
    hb_status (*add_scaled_plain)(hb_engine *e, hb_batch r, hb_batch plain, const hb_scale_plain *constants,
                                  hb_sign sign);
    hb_status (*lift_plain)(hb_engine *e, hb_batch r, hb_batch plain, const hb_plain_lift *constants);
    hb_status (*gamma_correct)(hb_engine *e, hb_batch r, hb_batch a, const hb_gamma_correction *constants);
};

/* Computes r += (HB_PLUS) or -= the scaled message. plain has one limb, mod t; plain.count may be 1: it serves all. */
hb_status hb_add_scaled_plain(hb_engine *e, hb_batch r, hb_batch plain, const hb_scale_plain *constants, hb_sign sign);
/* Computes r = the plaintext as a factor, in coefficient form. plain has one limb, mod t. No overlap. */
hb_status hb_lift_plain(hb_engine *e, hb_batch r, hb_batch plain, const hb_plain_lift *constants);
/* Makes messages of a, which has the limbs (t, gamma): r has one limb, mod t. */
hb_status hb_gamma_correct(hb_engine *e, hb_batch r, hb_batch a, const hb_gamma_correction *constants);

#endif
