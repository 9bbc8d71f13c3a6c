/* Products with powers of X, which are exact: in NTT form by the transform of the power, in coefficient form by a
 * permutation and signs. Coefficients that go over the end come back negated. */
#ifndef HB_SCHEME_POWER_OF_X_H
#define HB_SCHEME_POWER_OF_X_H

#include "ring/permutation.h"
#include "rlwe/ciphertexts.h"

/* Makes X^exponent, below N, in NTT form, in the limbs of one polynomial that are here. words [N], host: for its use.
 * Waits. */
hb_status hb_power_of_x(hb_engine *engine, hb_batch to, uint32_t exponent, uint64_t *words);

/* A power as a factor, in memory of the engine. */
typedef struct hb_power {
    hb_permutation shift; /* in coefficient form; else zeroed */
    hb_batch factor;      /* signs, or the transform */
} hb_power;

/* Makes X^exponent, below N, for ciphertexts of the parameters' form with these limbs, or with fewer. Waits. HB_ENOMEM;
 * the caller clears, also after a failure. Clear allows a zeroed one. */
hb_status hb_power_init(hb_power *power, hb_engine *engine, const hb_params *params, uint32_t exponent, uint32_t limbs);
void hb_power_clear(hb_power *power, hb_engine *engine);
/* Returns the bytes of the engine's memory that one takes, at most. */
uint64_t hb_power_bytes(const hb_params *params, uint32_t limbs);
/* Computes r = X^exponent a; no overlap. */
hb_status hb_power_times(hb_engine *engine, const hb_power *power, hb_ciphertexts r, hb_ciphertexts a);

#endif
