/* One modulus' negacyclic transform on the CPU (private to src). Decimation as Longa-Naehrig and Harvey: table
 * w[brev(i)] = psi^i, stage m = 1, 2, .., N/2 has m groups of pairs N/(2m) apart, group g multiplies by w[m + g]. */
#ifndef HB_CPU_NTT_H
#define HB_CPU_NTT_H

#include <stdbool.h>

#include "modulus.h"
#include "ring.h"

typedef struct hb_cpu_ntt {
    hb_modulus modulus;
    uint32_t log_n;
    size_t n;
    /* integer path: w, its Shoup quotients, their inverses; [n] each; NULL on the FP64 path */
    uint64_t *w, *w_quotient, *iw, *iw_quotient;
    uint64_t inverse_n, inverse_n_quotient;
    /* FP64 path: the same twiddles balanced to [-p/2, p/2]; [n] each, and for the last four stages once more,
     * transposed for lanes of blocks (cpu_ntt_f64.c) */
    double *f64_w, *f64_iw, *f64_tile_w, *f64_tile_iw;
    double f64_inverse_n;
    /* stage s must reduce its first operand (forward) or its sum (inverse) to stay in range */
    bool f64_reduce[HB_RING_MAX_LOG_N], f64_ireduce[HB_RING_MAX_LOG_N];
} hb_cpu_ntt;

/* psi: primitive 2N-th root of unity mod m. Takes about 4 N words. HB_ENOMEM; *t is cleared on failure. */
hb_status hb_cpu_ntt_init(hb_cpu_ntt *t, const hb_modulus *m, uint32_t log_n, uint64_t psi);
void hb_cpu_ntt_clear(hb_cpu_ntt *t);

/* In place on n canonical words; canonical results. work: [n], left with what x held on the way; the caller wipes it. */
void hb_cpu_ntt_forward(const hb_cpu_ntt *t, uint64_t *x, double *work);
void hb_cpu_ntt_inverse(const hb_cpu_ntt *t, uint64_t *x, double *work);

/* The two arithmetics behind them. */
hb_status hb_cpu_ntt_f64_init(hb_cpu_ntt *t);
void hb_cpu_ntt_f64_forward(const hb_cpu_ntt *t, uint64_t *x, double *work);
void hb_cpu_ntt_f64_inverse(const hb_cpu_ntt *t, uint64_t *x, double *work);
void hb_cpu_ntt_u64_forward(const hb_cpu_ntt *t, uint64_t *x);
void hb_cpu_ntt_u64_inverse(const hb_cpu_ntt *t, uint64_t *x);

#endif
