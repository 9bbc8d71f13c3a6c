/* Fetched rows: a few of many, selected by a condition that the server does not know. For a key k of the rows there are
 * power sums mod a prime t, p_j = sum of k^j, and for every other value v the sums of v k^j; the rows follow from them.
 * Newton's identities turn p_1 .. p_n into the polynomial whose roots are the n keys (its coefficients are their
 * elementary symmetric functions); Cantor's and Zassenhaus' method (Math. Comp. 36, 1981) finds its roots; and the sums
 * of v k^j are a linear system in the values v, Vandermonde's, which Lagrange's polynomials solve. */
#ifndef HB_TABLE_FETCHED_H
#define HB_TABLE_FETCHED_H

#include <stddef.h>

#include "base/modulus.h"

/* The most rows that are fetched at a time. */
#define HB_MOST_FETCHED 128u

/* Finds the keys. sums: p_0, which is their number n, to p_most, residues; most < t, at most HB_MOST_FETCHED. keys
 * [most]: residues, in ascending order, each as often as it occurs. HB_EDATA where there are more, or where no keys
 * have these sums. In variable time, as the caller may see the keys. HB_ENOMEM. */
hb_status hb_fetched_keys(const hb_modulus *t, const uint64_t *sums, size_t most, uint64_t *keys, size_t *count);
/* Finds the values that belong to keys, all of them different: sums [count] of v k^j, values [count]. HB_ENOMEM. */
hb_status hb_fetched_values(const hb_modulus *t, const uint64_t *keys, size_t count, const uint64_t *sums,
                            uint64_t *values);

#endif
