/* Primes and roots of unity, found exactly as Microsoft SEAL finds them (semantics.md 1.3 and 2.1). */
#ifndef HB_BASE_PRIME_H
#define HB_BASE_PRIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "status.h"

#define HB_PRIME_MAX_BITS 60  /* of chain primes and of t; 61 bits are left to auxiliary primes (semantics.md 1.1) */
#define HB_PRIME_MAX_COUNT 64 /* the most primes that one hb_create_primes makes */

/* Returns true iff n is prime. The test is deterministic Miller-Rabin, right for every 64-bit n. */
bool hb_is_prime(uint64_t n);

/* Finds the `count` largest primes of exactly `bits` bits congruent to 1 mod `step`, in decreasing order, 2 <= bits <=
 * 61, step >= 1. HB_ECONFIG when an argument is out of range, or when there are fewer: then the primes are set to
 * zeros. */
hb_status hb_find_primes(uint64_t step, uint32_t bits, size_t count, uint64_t *primes);

/* Makes one prime = 1 mod 2n for each entry of bits[0 .. count), as SEAL's CoeffModulus::Create does; entries of equal
 * size get increasing primes. count <= HB_PRIME_MAX_COUNT, 2 <= bits[i] <= HB_PRIME_MAX_BITS, n a power of two.
 * HB_ECONFIG when one of these does not hold or there are too few such primes; `primes` is then unchanged. */
hb_status hb_create_primes(size_t n, const uint32_t *bits, size_t count, uint64_t *primes);

/* Returns the smallest psi in [1, p) with psi^n = -1 mod p, for p prime, p = 1 mod 2n and n a power of two; 0 if there
 * is none. It looks at all n roots, as SEAL does, so that twiddle factors agree. */
uint64_t hb_smallest_root(uint64_t p, size_t n);

#endif
