/* The quality of ciphertexts: bounds of their error, before anything is computed.
 *
 * Every scheme defines its error (BFV: the invariant noise, bfv/noise.h; CKKS: the largest error of a slot, times the
 * scale, ckks/error.h); the bounds are its log2. `worst` is proven: no ciphertext of honest keys exceeds it, for any
 * draws and any contents of the other party's slots. `expected` is the likely maximum over n coefficients, or slots. It
 * takes errors and uniform parts as independent, the secret and repeated factors as the same each time, and the
 * systematic part (below) with the same sign everywhere. */
#ifndef HB_RLWE_QUALITY_H
#define HB_RLWE_QUALITY_H

#include <stddef.h>
#include <stdint.h>

/* The systematic part of an expected error: it follows from the values, not from draws, like the error of a function's
 * approximation. Drawn errors have either sign; this part may have the same sign in any number of slots. log2 of it for
 * the likely values: of the largest slot, and of the root mean square over the slots; 0: none. */
typedef struct hb_systematic {
    double most, mean;
} hb_systematic;

/* How certain a bound is. */
typedef enum hb_certainty {
    HB_CERTAINTY_PROVEN,  /* for any draws */
    HB_CERTAINTY_DRAWN,   /* of roundings that nobody chose, with all but 2^-64 of probability */
    HB_CERTAINTY_EXPECTED /* likely: one ciphertext in some millions exceeds it */
} hb_certainty;

typedef struct hb_quality {
    double worst, expected;
    hb_certainty certainty; /* of `worst`: no more than that of any bound that it was made of */
    uint32_t powers;        /* the highest power of the secret in it; 0: unknown, as for ciphertexts from a file */
    /* Proven like `worst`: the root of the sum of the squares of all coefficients of the error, or of the mean of those
     * of all slots; 0: unknown, and no more than `worst`. In CKKS only. */
    double norm;
    /* The value of `expected` for an error with the same mean square, spread evenly over the slots; 0: unknown, taken
     * as `expected`. In BFV, behind a pass: the expected largest coefficient of a normal error with this root mean
     * square; products use it. */
    double even;
    double peak; /* expected where values are largest; 0: unknown, taken as `even`. In CKKS only */
    /* The part of its mean square over the slots that comes from one number common to all slots of all ciphertexts of a
     * column, as in totals: 0, errors of slots are independent, to 1. In CKKS only. */
    double common;
    hb_systematic systematic; /* contained in `expected`, and not in even, peak and common. In CKKS only. */
} hb_quality;

/* Returns `norm`, or its bound where it is unknown. */
static inline double hb_quality_known_norm(hb_quality a)
{
    return a.norm > 0 ? a.norm : a.worst;
}

/* Returns log2 of the error of exact values that is believed with that certainty. margin: hb_quality_margin: a drawn
 * bound is so many bits above the expected one; a likely bound one bit less. */
static inline double hb_quality_bound(hb_quality a, hb_certainty certainty, double margin)
{
    const double likely = a.expected + margin - (certainty == HB_CERTAINTY_EXPECTED ? 1 : 0);
    return certainty == HB_CERTAINTY_PROVEN || a.worst < likely ? a.worst : likely;
}
/* Returns the less certain of two. */
static inline hb_certainty hb_certainty_of_both(hb_certainty a, hb_certainty b)
{
    return a > b ? a : b;
}

/* The size of the values of a ciphertext or a plaintext, for schemes whose errors grow with them (BFV's do not): log2
 * of the largest magnitude, which the proven bounds use, and of the root mean square, which the expected one uses. A
 * caller that does not know the mean passes the largest twice. */
typedef struct hb_magnitude {
    double most, mean;
    double common; /* the square of the mean over the mean of the squares: 1 for equal values, 0 for values around 0 */
    double peak;   /* log2 of the expected largest: `mean` .. `most` */
} hb_magnitude;

/* Returns a bound of the root of the mean square of the error, times the tail. */
static inline double hb_quality_even(hb_quality a)
{
    return a.even != 0 ? a.even : a.expected;
}

/* Returns the magnitude of the squares of values, which are taken to be powers of one evenly spread variable. */
hb_magnitude hb_magnitude_squared(hb_magnitude values);

/* The contents of a plaintext that multiplies a ciphertext. */
typedef enum hb_plain_factor {
    HB_FACTOR_CONSTANT, /* one value in every slot */
    HB_FACTOR_ANY       /* any values */
} hb_plain_factor;

/* The slots of a ciphertext that hold values: the first `columns` from row * stride on, of each of so many rows. */
typedef struct hb_filled_slots {
    size_t rows, columns, stride;
} hb_filled_slots;

/* The errors measured in decoded values of any number of ciphertexts. Zeroed: none. */
typedef struct hb_precision {
    uint64_t count; /* measured values */
    double largest; /* magnitude of an error */
    double squares; /* their sum */
} hb_precision;

/* Adds the measurements of others. */
void hb_precision_add(hb_precision *to, const hb_precision *more);
/* Return the bits of absolute precision (scheme/quality.h: hb_quality_bits) by the largest error, and by the root mean
 * square; infinite where all errors are 0, or nothing was measured. */
double hb_precision_least_bits(const hb_precision *precision);
double hb_precision_mean_bits(const hb_precision *precision);

/* Returns a bound as files store it: in 1024ths of a bit, rounded up; 0 where it is negative; at most the bits of the
 * longest modulus, which no error exceeds. */
#define HB_QUALITY_MOST_BITS 3840 /* 64 primes of 60 bits */
uint64_t hb_quality_to_file(double log2_error);
double hb_quality_from_file(uint64_t stored);

#endif
