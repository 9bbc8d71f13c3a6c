/* Tables of twiddles on the GPU, for any reduction of reduce.cuh. */
#ifndef HB_BENCH_TABLES_CUH
#define HB_BENCH_TABLES_CUH

#include <stdlib.h>

#include "cuda/device/cuda_private.h"
#include "reduce.cuh"

extern "C" {
#include "design.h"
#include "ring/ring.h"
}

/* How a table of the inverse is scaled by 1/N. Forward tables know only HB_SCALE_APART. */
enum hb_inverse_scale {
    HB_SCALE_APART, /* not: anyone who transforms multiplies by n_inverse */
    HB_SCALE_HALVES /* every entry holds a factor 1/2, for butterflies that halve the sum as well (Zhang et al.) */
};

/* words[l][brev(i)] = root_l^i modulo primes[l], i < 2^log_n: entry 2^s + g is the factor of group g of stage s of a
 * radix-2 transform with 2^s groups. Forward: psi and its powers; else their inverses, times 1/2 with HB_SCALE_HALVES.
 * words: host memory, [moduli][n]. HB_ECONFIG: a prime that hb_modulus does not take. */
hb_status hb_table_words(const hb_design_case *c, bool forward, hb_inverse_scale scale, uint64_t *words);
/* 1/N modulo each prime. words: host memory, [moduli]. */
hb_status hb_table_n_inverse(const hb_design_case *c, uint64_t *words);

/* A copy on the current GPU, 256-byte aligned, complete for kernels of any stream; the caller releases *there with
 * cudaFree, after a failure too. *there is NULL before. HB_ENOMEM. */
hb_status hb_table_upload(const void *host, size_t bytes, void **there);

/* One direction's tables, all on the GPU. */
template <typename R> struct hb_tables {
    typename R::constants *constants; /* [moduli] */
    typename R::twiddle *twiddles;    /* [moduli][n], in the order of hb_table_words */
    typename R::twiddle *n_inverse;   /* [moduli] */
};

/* NULL pointers are allowed: what hb_tables_open left of a zeroed struct. */
template <typename R> void hb_tables_close(hb_tables<R> *t)
{
    (void)cudaFree(t->constants);
    (void)cudaFree(t->twiddles);
    (void)cudaFree(t->n_inverse);
    *t = {};
}

/* [moduli][length] words of the host, each to the twiddle of its modulus, on the GPU. */
template <typename R>
hb_status hb_table_of_words(const hb_design_case *c, const uint64_t *words, size_t length, typename R::twiddle **there)
{
    const size_t bytes = c->moduli * length * sizeof(typename R::twiddle);
    auto *host = (typename R::twiddle *)aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (host == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %zu bytes of twiddles", bytes);
    }
    for (uint32_t l = 0; l < c->moduli; l++) {
        const typename R::constants constants = R::make_constants(c->primes[l]);
        for (size_t i = l * length; i < (l + 1) * length; i++) {
            host[i] = R::make_twiddle(words[i], constants);
        }
    }
    const hb_status status = hb_table_upload(host, bytes, (void **)there);
    free(host);
    return status;
}

/* Builds the tables of the case into a zeroed struct; on failure the caller closes what there is. HB_ENOMEM. */
template <typename R>
hb_status hb_tables_fill(const hb_design_case *c, bool forward, hb_inverse_scale scale, uint64_t *words,
                         hb_tables<R> *t)
{
    typename R::constants constants[HB_RING_MAX_MODULI];
    for (uint32_t l = 0; l < c->moduli; l++) {
        constants[l] = R::make_constants(c->primes[l]);
    }
    HB_TRY(hb_table_upload(constants, c->moduli * sizeof *constants, (void **)&t->constants));
    HB_TRY(hb_table_n_inverse(c, words));
    HB_TRY(hb_table_of_words<R>(c, words, 1, &t->n_inverse));
    HB_TRY(hb_table_words(c, forward, scale, words));
    return hb_table_of_words<R>(c, words, (size_t)1 << c->log_n, &t->twiddles);
}

/* Opens *t for a case of at most HB_RING_MAX_MODULI moduli; it is zeros after a failure. HB_ENOMEM, HB_ECONFIG. */
template <typename R>
hb_status hb_tables_open(const hb_design_case *c, bool forward, hb_inverse_scale scale, hb_tables<R> *t)
{
    *t = {};
    HB_ASSERT(c->moduli <= HB_RING_MAX_MODULI);
    auto *words = (uint64_t *)malloc(((size_t)c->moduli << c->log_n) * sizeof(uint64_t));
    if (words == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for twiddles of %u moduli, N = 2^%u", c->moduli, c->log_n);
    }
    const hb_status status = hb_tables_fill<R>(c, forward, scale, words, t);
    free(words);
    if (status != HB_OK) {
        hb_tables_close(t);
    }
    return status;
}

#endif
