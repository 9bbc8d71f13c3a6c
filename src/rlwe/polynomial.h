/* Polynomials of ciphertexts in the Chebyshev basis, for schemes that support them (scheme/polynomial.h). */
#ifndef HB_RLWE_POLYNOMIAL_H
#define HB_RLWE_POLYNOMIAL_H

#include "base/chebyshev.h"
#include "params.h"

/* A plan to evaluate one polynomial at one level, of any engine and number of queues; const once it is open. The first
 * member of a scheme's. */
typedef struct hb_polynomial {
    const hb_params *params;
    uint32_t limbs, result_limbs; /* of operands and of results */
    uint32_t levels;              /* between them */
    uint32_t products;            /* of ciphertexts, each relinearized, or added to others that are */
    size_t words; /* of workspace for one ciphertext; where limbs are divided, on the member with most */
} hb_polynomial;

#endif
