/* Noise that hides the error of results, in schemes whose results have errors (ckks/flood.h): wide discrete Gaussians,
 * added to polynomials on an engine. */
#ifndef HB_RLWE_FLOOD_H
#define HB_RLWE_FLOOD_H

#include "base/seed.h"
#include "params.h"

/* The least bits of precision of results that are shown. */
#define HB_FLOOD_LEAST_BITS 8

/* A plan. */
typedef struct hb_flood {
    double sigma; /* of the noise in each coefficient, at the scale of the ciphertexts */
    int bits;     /* of absolute precision that remain, to which values are rounded */
} hb_flood;

/* Executes a plan. */
typedef struct hb_flooder hb_flooder;

/* Opens a flooder of polynomials modulo the first `limbs` primes; borrows engine and params. HB_ENOMEM. Closing wipes
 * its memory; NULL is allowed. */
hb_status hb_flooder_open(hb_engine *engine, const hb_params *params, uint32_t limbs, const hb_flood *flood,
                          hb_flooder **out);
void hb_flooder_close(hb_flooder *flooder);
/* Adds noise to polynomials in NTT form, [count][limbs], plaintexts before they are decoded. Polynomial c gets the
 * noise of item first + c of `root`. root is drawn at random for one run and has no other use; members that share limbs
 * have the same. Waits for each polynomial. */
hb_status hb_flooder_add(hb_flooder *flooder, hb_batch plain, const hb_seed *root, uint64_t first);

#endif
