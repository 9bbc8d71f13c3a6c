/* Polynomials of ciphertexts in the Chebyshev basis, which a scheme may have (scheme/polynomial.h). */
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
    uint32_t products;            /* of ciphertexts, each relinearized or added to others that are */
    size_t words; /* of workspace that one ciphertext takes; on the member with most, where limbs are divided */
} hb_polynomial;

#endif
