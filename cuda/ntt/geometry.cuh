/* Numbers that follow from the shape of a transform, the size of its tiles and its arithmetic, all known to the
 * compiler, and the words of a thread by them (private). */
#ifndef HB_CUDA_NTT_GEOMETRY_CUH
#define HB_CUDA_NTT_GEOMETRY_CUH

#include "pass.cuh"

/* Tiles of 2^LOG_TILE words. */
template <class A, int LOG_N, int LOG_TILE, bool NARROW = false> struct hb_ntt_geometry {
    static constexpr hb_ntt_shape shape = hb_ntt_shape_of(LOG_N, A::f64, NARROW);
    static constexpr int log_e = shape.log_e;
    static constexpr int words = 1 << log_e; /* of a thread */
    static constexpr int threads = 1 << (LOG_TILE - log_e);
    /* On a multiprocessor: 2^16 registers, 4 a word; narrow ones are alone, and their threads have registers for all
     * twiddles. */
    static constexpr int resident = NARROW ? 1 : (1 << 14) / words / threads;
    static constexpr int tiles = 1 << (LOG_N - LOG_TILE); /* of a limb, of either kind */
    static constexpr int row = shape.row;
    static constexpr bool whole = row == LOG_N;                    /* no columns: a tile is the limb */
    static constexpr int inner = shape.pass[1].levels > 0 ? 1 : 0; /* last pass on columns */
    static constexpr int outer = shape.pass[2].levels > 0 ? 2 : 3; /* first pass on rows */
    /* A tile of columns has 2^log_width of them; words of a column that are neighbours in the tile are 2^step apart. */
    static constexpr int step = shape.pass[inner].lo;
    static constexpr int log_width = LOG_TILE - (LOG_N - step);
    static constexpr int shared_words = (1 << LOG_TILE) + (2 << (LOG_TILE - log_e));
    /* Lowest bit of a pass in the numbers of the words of a tile. */
    static __host__ __device__ constexpr int lo(int pass)
    {
        return shape.pass[pass].lo - (pass < 2 ? step - log_width : 0);
    }

    /* Where word i stands in shared memory: the accesses of pass 4, 16 bytes of a block a thread, then meet all banks,
     * and offsets of the words of a thread stay constants because their bits are none of the thread's. */
    static __device__ __forceinline__ constexpr uint32_t place(uint32_t i)
    {
        return i + ((i >> log_e) << 1);
    }
    /* Of the words of a warp, those that the lane moves between device and shared memory: this one and every 32nd. */
    static __device__ __forceinline__ uint32_t lane_word()
    {
        return (threadIdx.x & ~31u) * words + (threadIdx.x & 31);
    }
};

/* The largest words that enter a pass. */
template <class A, int LOG_N, bool NARROW, int PASS> __host__ __device__ constexpr int hb_ntt_forward_bound()
{
    if constexpr (PASS == 0) {
        return A::canonical;
    } else {
        constexpr int levels = hb_ntt_shape_of(LOG_N, A::f64, NARROW).pass[PASS - 1].levels;
        constexpr int in = hb_ntt_forward_bound<A, LOG_N, NARROW, PASS - 1>();
        return hb_ntt_forward_plan<A, hb_ntt_log_e(LOG_N, A::f64, NARROW), levels, in>().bound;
    }
}

template <class A, int LOG_N, bool NARROW, int PASS> __host__ __device__ constexpr int hb_ntt_inverse_bound()
{
    if constexpr (PASS == HB_NTT_PASSES - 1) {
        return A::canonical;
    } else {
        constexpr int levels = hb_ntt_shape_of(LOG_N, A::f64, NARROW).pass[PASS + 1].levels;
        constexpr int in = hb_ntt_inverse_bound<A, LOG_N, NARROW, PASS + 1>();
        return hb_ntt_inverse_plan<A, hb_ntt_log_e(LOG_N, A::f64, NARROW), levels, in, false>().bound;
    }
}

#endif
