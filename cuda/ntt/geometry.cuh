/* The numbers that follow from the shape of a transform, the size of its tiles and its arithmetic, all known to the
 * compiler, and with them the words of a thread (private). */
#ifndef HB_CUDA_NTT_GEOMETRY_CUH
#define HB_CUDA_NTT_GEOMETRY_CUH

#include "pass.cuh"

/* The geometry of a transform of 2^LOG_N words in tiles of 2^LOG_TILE, in arithmetic A. */
template <class A, int LOG_N, int LOG_TILE, bool NARROW = false> struct hb_ntt_geometry {
    static constexpr hb_ntt_shape shape = hb_ntt_shape_of(LOG_N, A::f64, NARROW);
    static constexpr int log_e = shape.log_e;
    static constexpr int words = 1 << log_e; /* of a thread */
    static constexpr int threads = 1 << (LOG_TILE - log_e);
    /* Thread blocks of a multiprocessor: it has 2^16 registers, and a word takes 4 of them. Narrow blocks are alone,
     * and their threads have registers for all twiddles. */
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
    /* Returns the lowest bit of a pass in the numbers of the words of a tile. In a tile of columns the rows are
     * 2^log_width apart rather than 2^step. */
    static __host__ __device__ constexpr int lo(int pass)
    {
        return shape.pass[pass].lo - (pass < 2 ? step - log_width : 0);
    }

    /* Returns where word i stands in shared memory. Every 2^log_e words two are left free: the accesses of pass 4, 16
     * bytes of a block a thread, then meet all banks. Offsets of the words of a thread stay constants, because their
     * bits are none of the thread's. */
    static __device__ __forceinline__ constexpr uint32_t place(uint32_t i)
    {
        return i + ((i >> log_e) << 1);
    }
    /* Returns the first of the words of a warp that this lane moves between device and shared memory; the others are
     * every 32nd from there, so the lanes of a warp move neighbours. */
    static __device__ __forceinline__ uint32_t lane_word()
    {
        return (threadIdx.x & ~31u) * words + (threadIdx.x & 31);
    }
};

/* Returns the bound of the words that enter a pass, in units of p / 1024: the bound of the pass before (pass.cuh).
 * Forward transforms begin with pass 0, inverse ones with pass 4, on canonical words. */
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

/* Inverse: the bound of the pass after it, as passes run backwards. */
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
