/* The negacyclic transform modulo one modulus on the CPU (private to src). It decimates as Longa-Naehrig and Harvey:
 * stage s has 2^s groups of pairs N / 2^(s + 1) apart; group g multiplies by w[2^s + g], w[brev(i)] = psi^i
 * (hb_ring_powers). */
#ifndef HB_CPU_NTT_H
#define HB_CPU_NTT_H

#include "base/modulus.h"
#include "kernels.h"
#include "ring/ring.h"

/* The number of the last stages forward whose groups are blocks of 2 `lanes` words: each lane of a vector holds one of
 * those blocks (ntt_stages.inc). There are none for words one at a time. */
#define HB_TILE_STAGES(lanes) ((lanes) == 8 ? 4u : (lanes) == 4 ? 3u : (lanes) == 2 ? 2u : 0u)

/* One transform with its tables, which it owns; const after hb_cpu_ntt_init. */
struct hb_cpu_ntt {
    hb_modulus modulus;
    uint32_t log_n, lanes;
    size_t n;
    const hb_cpu_transform *transform;
    /* The stages before those of tiles, and the twiddles of all their groups, 2^outer. */
    uint32_t outer;
    size_t groups;
    /* Twiddles, and the inverse ones: [planes][groups], from index 1 on. For the stages of tiles: [tile][2 lanes -
     * 1][planes][lanes]. */
    uint64_t *w, *iw, *tile_w, *tile_iw;
    /* Factors of sums and of differences in the last inverse stage, canonical: 1/N, and its twiddle divided by N. */
    uint64_t last[2];
    /* How many of its two stages a pass has to keep in range, at the first of them; for the stages of tiles 0 or 1
     * each. If it is one, it is the one that runs second. */
    uint8_t reductions[HB_RING_MAX_LOG_N], inverse_reductions[HB_RING_MAX_LOG_N];
};

/* Makes the tables for `kernels`, or for words one at a time where N is too small for their tiles. psi is a primitive
 * 2N-th root of unity mod m (HB_ASSERT). It takes about 2 N words with FP64, 4 N without. HB_ENOMEM; *t is cleared on
 * failure. */
hb_status hb_cpu_ntt_init(hb_cpu_ntt *t, const hb_cpu_kernels *kernels, const hb_modulus *m, uint32_t log_n,
                          uint64_t psi);
/* Frees the tables; a zeroed *t is allowed. */
void hb_cpu_ntt_clear(hb_cpu_ntt *t);

/* Transform n canonical words in place, to canonical words: coefficient form to NTT form, and back. */
void hb_cpu_ntt_forward(const hb_cpu_ntt *t, uint64_t *x);
void hb_cpu_ntt_inverse(const hb_cpu_ntt *t, uint64_t *x);
/* The inverse, times a canonical factor, which costs nothing more. */
void hb_cpu_ntt_inverse_scaled(const hb_cpu_ntt *t, uint64_t *x, uint64_t factor);

#endif
