/* The parts of Cheddar that only its own figures use. */
#ifndef HB_BENCH_CHEDDAR_H
#define HB_BENCH_CHEDDAR_H

#include "figure.h"

/* ntt_cheddar.cu: the sweep of figure 1, N = 2^16. Names: "cheddar-N1xN2-G1-G2-B". They are all N1 from 32 to 512 with
 * both G1 and both G2 of 8 and 16, B = 16. 128 x 512 is also there with G1 and G2 of 4, and other B. A design whose
 * name is NULL ends the list. */
extern const hb_design hb_designs_cheddar_sweep[];

/* The second part of base conversion as a product of matrices (algorithm 3): residues modulo the first `from` primes of
 * the case, [from][n], to those modulo the others, [to][n], each the sum over j of C[i][j] a[j]. A thread has Lt limbs
 * of Nt coefficients each; a block Lb times as many limbs and Nb = 256 / Lb times as many coefficients. */
typedef struct hb_cheddar_blocking {
    uint32_t lb, lt, nt; /* Lb of 1, 2, 4 with Nt = 4; Nt of 1, 2, 4, 8 with Lb = 1; Lt of 1, 2, 3, 4, 6, 8 */
} hb_cheddar_blocking;

/* Seconds of one conversion of one polynomial (figure.h: hb_figure_time), after its result was compared with the
 * host's: HB_EINTERNAL where they differ. Primes below 2^32 / from, from <= 16 (section 4.2). HB_ENOMEM. */
hb_status hb_cheddar_convert_time(hb_figure_run *run, const hb_design_case *c, uint32_t from,
                                  hb_cheddar_blocking blocking, double *seconds);

#endif
