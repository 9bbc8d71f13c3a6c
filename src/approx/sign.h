/* The sign as a composition of odd polynomials (E. Lee, J.-W. Lee, J.-S. No, Y.-S. Kim, Minimax Approximation of
 * Sign Function by Composite Polynomial for Homomorphic Comparison, IACR ePrint 2020/834). Private to the room.
 *
 * The first stage is the best odd approximation of 1 on [gap, 1], in units of the larger end. Its image [1 - e, 1 + e]
 * is scaled into [-1, 1]. The next stage is best on that interval, and so on. The degrees are found by dynamic
 * programming: the closer an interval is to 1, the closer is its image under a stage. So among all ways to spend so
 * many levels and products, only the one that comes closest is kept. */
#ifndef HB_APPROX_SIGN_H
#define HB_APPROX_SIGN_H

#include "approx.h"

/* Approximates the sign as hb_approximate_within does. The request has been checked, but for the gap. */
hb_status hb_approximate_sign(hb_approximation *out, const hb_approximation_request *request, uint32_t most_degree);

#endif
