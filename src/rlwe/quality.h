/* How good ciphertexts are: bounds of their error, before anything is computed.
 *
 * What the error is, every scheme says (of BFV it is the invariant noise: bfv/noise.h; of CKKS the largest error of a
 * slot, times the scale: ckks/error.h); the bounds are log2 of it. `worst` is proven: no ciphertext of honest keys
 * exceeds it, whatever was drawn and whatever the other party's slots hold. `expected` is what the largest of n
 * coefficients, or slots, comes to when errors and uniform parts are taken as independent, and the secret and repeated
 * factors as the same each time; what is systematic (below) is all taken to have one sign. */
#ifndef HB_RLWE_QUALITY_H
#define HB_RLWE_QUALITY_H

#include <stdint.h>

/* The systematic part of an expected error: what is not drawn, but follows from the values, as what the approximation
 * of a function misses it by. Where drawn errors go both ways it may go one, however many there are. log2 of what it is
 * for the likely values: of the largest slot, and of the root of the mean square over the slots; 0: there is none. */
typedef struct hb_systematic {
    double most, mean;
} hb_systematic;

typedef struct hb_quality {
    double worst, expected;
    uint32_t powers; /* of the secret, the highest in it; 0: nobody knows, as of what comes from a file */
    /* Proven as `worst` is, of the root of the sum of the squares of all coefficients of the error, or of the mean of
     * those of all slots; 0: nobody knows, and it is no more than `worst`. In CKKS only. */
    double norm;
    /* What `expected` would be of an error with the same mean square over the slots that no slot has more of than
     * others; 0: nobody knows, and it is as `expected`. In CKKS only. */
    double even;
    double peak; /* what is expected where values are largest; 0: nobody knows, and it is as `even`. In CKKS only */
    /* How much of its mean square over the slots is that of one number which all slots have, of all ciphertexts of a
     * column, as totals do: 0, errors of slots are independent, to 1. In CKKS only. */
    double common;
    hb_systematic systematic; /* in `expected`, and in none of even, peak and common. In CKKS only. */
} hb_quality;

/* Returns `norm`, or what is taken for it where nobody knows. */
static inline double hb_quality_known_norm(hb_quality a)
{
    return a.norm > 0 ? a.norm : a.worst;
}

/* How large the values of a ciphertext or a plaintext are, for schemes whose errors grow with them (of BFV's none
 * does): log2 of the largest magnitude, by which the proven bounds go, and of the root of the mean square, by which the
 * expected one goes. Who knows no mean says the largest twice. */
typedef struct hb_magnitude {
    double most, mean;
    double common; /* the square of the mean over the mean of the squares: 1 of equal values, 0 of such around 0 */
    double peak;   /* log2 of what the largest is expected to be: `mean` .. `most` */
} hb_magnitude;

/* Returns the magnitude of the squares of values, which are taken to be powers of one evenly spread variable. */
hb_magnitude hb_magnitude_squared(hb_magnitude values);

/* What a plaintext that multiplies a ciphertext holds. */
typedef enum hb_plain_factor {
    HB_FACTOR_CONSTANT, /* one value in every slot */
    HB_FACTOR_ANY       /* any values */
} hb_plain_factor;

/* What decoded values have told of their own errors, those of any number of ciphertexts together. Zeroed: nothing. */
typedef struct hb_precision {
    uint64_t count; /* values that were looked at */
    double largest; /* magnitude of an error */
    double squares; /* their sum */
} hb_precision;

/* Adds what others have told. */
void hb_precision_add(hb_precision *to, const hb_precision *more);
/* Return the bits of absolute precision (scheme/quality.h: hb_quality_bits) by the largest error, and by the root of
 * the mean square; infinite where all errors are 0, or nothing was looked at. */
double hb_precision_least_bits(const hb_precision *precision);
double hb_precision_mean_bits(const hb_precision *precision);

/* A bound as files store it: in 1024ths of a bit, rounded up; 0 where it is negative, and where it is more than the
 * longest modulus has, which no error exceeds, that. */
#define HB_QUALITY_MOST_BITS 3840 /* 64 primes of 60 bits */
uint64_t hb_quality_to_file(double log2_error);
double hb_quality_from_file(uint64_t stored);

#endif
