/* How precise decoded values are, by themselves: what was encrypted and computed with is real, so the imaginary parts
 * of slots are errors and nothing else. Errors come as large in the real parts (error.h), but for those that are a
 * multiple of the value, of which imaginary parts have none: errors of doubles, and of scales that are no quotient of
 * primes. */
#ifndef HB_CKKS_PRECISION_H
#define HB_CKKS_PRECISION_H

#include "rlwe/params.h"
#include "rlwe/quality.h"

/* Adds what the slots of one ciphertext tell. values: host, N doubles, N/2 real parts and N/2 imaginary ones, as
 * decoding makes them. What is not finite counts as an infinite error. */
void hb_ckks_precision(const hb_params_spec *spec, const uint64_t *values, hb_precision *precision);

#endif
