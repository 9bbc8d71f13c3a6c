/* How good ciphertexts are: bounds of their error, before anything is computed.
 *
 * What the error is, every scheme says (of BFV it is the invariant noise: bfv/noise.h); both bounds are log2 of it.
 * `worst` is proven: no ciphertext of honest keys exceeds it, whatever was drawn and whatever the other party's slots
 * hold. `expected` is what the largest of n coefficients comes to when errors and uniform parts are taken as
 * independent, and the secret and repeated factors as the same each time. */
#ifndef HB_RLWE_QUALITY_H
#define HB_RLWE_QUALITY_H

#include <stdint.h>

typedef struct hb_quality {
    double worst, expected;
    uint32_t powers; /* of the secret, the highest in it; 0: nobody knows, as of what comes from a file */
} hb_quality;

/* What a plaintext that multiplies a ciphertext holds. */
typedef enum hb_plain_factor {
    HB_FACTOR_CONSTANT, /* one value in every slot */
    HB_FACTOR_ANY       /* any values */
} hb_plain_factor;

/* A bound as files store it: in 1024ths of a bit, rounded up; 0 where it is negative. */
uint64_t hb_quality_to_file(double log2_error);
double hb_quality_from_file(uint64_t stored);

#endif
