/* The noise that hides an owner's secret in a part of a decryption, and what it takes of the noise budget.
 *
 * A part of a ciphertext (c_0, c_1) is h_i = s_i c_1 + F_i, and c_0 + sum of h_i its phase x and the F_i. Let the noise
 * be proven to be at most 2^worst. Then x differs from round(Q m / t) by at most V = 2^worst / t + 2, of which rounding
 * the uniform values in slots that are no cell is a part. F_i hides so much (rlwe/exact_flood.h), with u = ceil(log2 V)
 * and the least w whose distance, of the N coefficients of all R ciphertexts that are ever decrypted, is at most 2^-40.
 * So all that others see is within 2^-40, in statistical distance, of a function of the message, the ciphertext and
 * their own secrets. */
#ifndef HB_JOINT_PART_PLAN_H
#define HB_JOINT_PART_PLAN_H

#include "rlwe/exact_flood.h"
#include "rlwe/params.h"

#define HB_PART_DISTANCE_BITS 40
#define HB_PART_MOST_WIDTH HB_EXACT_FLOOD_MOST_WIDTH

typedef struct hb_part_plan {
    hb_exact_flood flood;
    double distance; /* log2 of the bound of the statistical distance, of all results together */
    double worst;    /* log2 of the bound of the noise of the phase when the parts of all owners are added; for a
                        receiver rounded up, as files have it (rlwe/quality.h) */
} hb_part_plan;

/* Plans parts by so many owners of ciphertexts of `limbs` limbs with proven noise noise_worst (log2), for keys under
 * which `results` ciphertexts will ever be decrypted. receiving: the owners of the key that the parts are for
 * (receiver.h); 0: they are in the clear. HB_EUSAGE: no results, or so many that w would be too large;
 * HB_EDATA: less than 1 bit of budget would be left when the parts are added. Pure. */
hb_status hb_part_plan_make(const hb_params *params, uint32_t limbs, double noise_worst, uint32_t owners,
                            uint64_t results, uint32_t receiving, hb_part_plan *out);
/* Returns the bits of the proven noise budget with which there are parts, in the clear or for any receiver, of any
 * ciphertext under the keys of these parameters: log2 T + w + 4 at most. 0: keys of one owner, of which there are none;
 * infinite: keys for more results than there can be parts. Pure. */
double hb_part_budget(const hb_params *params);

#endif
