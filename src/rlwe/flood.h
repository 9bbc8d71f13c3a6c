/* Noise that hides the error of results, in schemes whose results hold one (ckks/flood.h): wide discrete Gaussians,
 * added to polynomials on an engine. */
#ifndef HB_RLWE_FLOOD_H
#define HB_RLWE_FLOOD_H

#include "base/seed.h"
#include "params.h"

/* Bits of precision that results keep at least, or they are not shown. */
#define HB_FLOOD_LEAST_BITS 8

/* A plan. */
typedef struct hb_flood {
    double sigma; /* of the noise in each coefficient, at the scale of the ciphertexts */
    int bits;     /* of absolute precision that are left, to which values are rounded */
} hb_flood;

/* What carries it out. */
typedef struct hb_flooder hb_flooder;

/* Opens what adds the noise to polynomials modulo the first `limbs` primes; borrows engine and params. HB_ENOMEM.
 * Closing wipes what it held; NULL is allowed. */
hb_status hb_flooder_open(hb_engine *engine, const hb_params *params, uint32_t limbs, const hb_flood *flood,
                          hb_flooder **out);
void hb_flooder_close(hb_flooder *flooder);
/* Adds noise to polynomials in NTT form, [count][limbs], as plaintexts are before they are decoded: polynomial c gets
 * that of item first + c of `root`, which is drawn at random for one run and serves nothing else; members that share
 * limbs have the same. Waits for each polynomial. */
hb_status hb_flooder_add(hb_flooder *flooder, hb_batch plain, const hb_seed *root, uint64_t first);

#endif
