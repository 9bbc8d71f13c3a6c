/* Packed rows as kernels take them. */
#ifndef HB_CUDA_ROWS_PACKED_CUH
#define HB_CUDA_ROWS_PACKED_CUH

#include "base/bits.h"
#include "cuda/device/cuda_private.h"

/* Packed rows, by value in a kernel's arguments. A row has N * bits / 8 bytes, a multiple of 128 as N >= 2^10. */
struct hb_cuda_packed {
    uint8_t *rows[HB_MAX_LIMBS]; /* the row `first` of each limb */
    uint8_t bits[HB_MAX_LIMBS];  /* of a residue of each limb */
    size_t stride;                 /* rows from one polynomial to the next */
    uint32_t log_n;
};

/* Returns the view of packed rows: limbs stand one behind the other, each with p.rows rows of its own width. */
static inline hb_cuda_packed hb_cuda_packed_of(const hb_engine *e, hb_packed p, const uint16_t *ids, uint32_t limbs)
{
    hb_cuda_packed view = {};
    view.stride = p.stride;
    view.log_n = e->ring->log_n;
    for (uint32_t l = 0; l < limbs; l++) {
        const hb_modulus *m = &e->ring->moduli[ids[l]];
        const size_t bytes = hb_packed_row_bytes(e->ring->n, m);
        view.rows[l] = p.bytes + p.first * bytes;
        view.bits[l] = (uint8_t)hb_residue_bits(m);
        p.bytes += p.rows * bytes;
    }
    return view;
}

/* Returns the words of row first + c * stride of limb l. */
__device__ static inline uint64_t *hb_cuda_packed_row(const hb_cuda_packed &p, size_t c, uint32_t l)
{
    return reinterpret_cast<uint64_t *>(p.rows[l] + ((c * p.stride * p.bits[l]) << (p.log_n - 3)));
}

#endif
