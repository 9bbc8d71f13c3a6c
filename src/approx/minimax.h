/* Best approximation by polynomials (E. Remez's exchange; barycentric as in R. Pachon, L. N. Trefethen, BIT 49,
 * 2009), in doubles: for where errors may be found a little larger than the least, and are proven elsewhere. Private
 * to the room. */
#ifndef HB_APPROX_MINIMAX_H
#define HB_APPROX_MINIMAX_H

#include "base/status.h"
#include "numbers.h"

/* Sought is the polynomial q of this degree with the least max |w (g - q)| on [-1, 1]; points are cosines. `values`
 * sets g and w > 0 at count points. */
typedef struct hb_minimax_problem {
    uint32_t degree;
    void (*values)(const void *context, uint32_t count, const hb_angle *at, double *g, double *w);
    const void *context;
    double close;  /* the search ends when the worst error exceeds the levelled one by at most this share of it */
    double enough; /* an error that is small enough: the search ends at one below, or when none can be; 0: go on */
} hb_minimax_problem;

/* At degree + 2 points, in falling order of cosines, w (g - q) is levelled: of one magnitude, with alternating
 * signs. */
typedef struct hb_minimax {
    uint32_t points; /* degree + 2 */
    hb_angle *at;    /* [points]; owned */
    double *value;   /* [points]: q there; owned */
    double *weight;  /* [points]: barycentric; owned */
    double levelled; /* that magnitude, with the sign at the first point; no polynomial has a smaller error */
    double worst;    /* the largest error that was seen */
} hb_minimax;

/* Finds the polynomial. HB_ENOMEM. Where rounding or many steps end the search, worst tells. The caller clears it
 * whatever happens. */
hb_status hb_minimax_init(hb_minimax *m, const hb_minimax_problem *problem);
/* Frees its memory; a zeroed one is allowed. */
void hb_minimax_clear(hb_minimax *m);
/* Sets q[k], k <= d, to the first Chebyshev coefficients of q. HB_ENOMEM. */
hb_status hb_minimax_coefficients(const hb_minimax *m, double *q, uint32_t d);

#endif
