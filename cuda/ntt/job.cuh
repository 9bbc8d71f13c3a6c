/* One limb of a transform, as the threads of a kernel see it (private): the places of its words and tables, and the
 * functions that move words between device memory, shared memory and registers. ntt_tile.cuh has the work on a tile of
 * them.
 *
 * Words travel as 64 bits: canonical at both ends of the transform, those of the arithmetic in between. A tile of rows
 * is adjacent words. A tile of columns is as many columns side by side as fill it; its words are numbered row after
 * row. In a pass on bits lo .. lo + log_e - 1 of that number, the low lo bits of a thread's number are those of its
 * words, and its other bits are those above the pass. So lanes are neighbours in memory, and a warp has the same 32 *
 * 2^log_e words of a tile of rows in pass 3 as in pass 4: between those two it waits for itself only. */
#ifndef HB_CUDA_NTT_JOB_CUH
#define HB_CUDA_NTT_JOB_CUH

#include "f64.cuh"
#include "geometry.cuh"
#include "u64.cuh"

/* One limb of one polynomial with its tables. A kernel makes one on its stack: everything in it is in registers. */
template <class A, int LOG_N, int LOG_TILE, bool FORWARD, bool NARROW = false> struct hb_ntt_job {
    using geometry = hb_ntt_geometry<A, LOG_N, LOG_TILE, NARROW>;
    using word = typename A::word;
    using registers = word[geometry::words];

    uint64_t *limb;
    const uint64_t *source; /* where its words come from */
    /* the words of the source are digits, not yet reduced, which other jobs read too; they may be 2^51 and more */
    bool digits, wide;
    const hb_ntt_pair *last; /* of an inverse one */
    const hb_ntt_args *args;
    uint32_t polynomial, index; /* index: of the limb in the launch */
    static constexpr uint32_t skip = hb_ntt_twiddles_before(LOG_N, A::f64, NARROW, FORWARD);
    const typename A::entry *table;
    typename A::prime prime;
    hb_ntt_kept<A, geometry::log_e> kept[NARROW ? HB_NTT_PASSES : 1]; /* narrow: of its passes */

    /* Finds the limb of job number `job`: jobs count through the limbs of one polynomial before the next. Polynomial c
     * of a transform of digits reads digit c % digits of polynomial c / digits of the source. */
    __device__ __forceinline__ hb_ntt_job(const hb_ntt_args &a, uint32_t job)
    {
        const uint32_t c = job / a.limbs, i = job - c * a.limbs;
        const hb_ntt_header *header =
            reinterpret_cast<const hb_ntt_header *>(a.tables + (size_t)a.table[i] * HB_NTT_TABLE_UNIT);
        limb = a.data + c * a.stride + ((size_t)a.limb[i] << LOG_N);
        args = &a;
        polynomial = c;
        index = i;
        if constexpr (FORWARD) {
            digits = a.digits > 0;
            wide = a.wide;
            const uint32_t of = digits ? c / a.digits : c, place = digits ? c - of * a.digits : i;
            source = a.in_place ? limb : a.forward.from[place].data + of * a.forward.from[place].stride;
        } else {
            last = &a.last[i];
            source = a.a.data + c * a.a.stride + ((size_t)a.limb[i] << LOG_N);
        }
        table = reinterpret_cast<const typename A::entry *>(header + 1) + skip;
        prime = A::load_prime(header);
    }

    /* Does the stages of a pass on the words of this thread. `tile` is the number among the tiles of rows, 0 for
     * columns, which reach over all of the limb. */
    template <int PASS> __device__ __forceinline__ void pass(registers &x, uint32_t tile) const
    {
        if constexpr (NARROW) {
            pass_by<PASS>(x, kept[PASS]);
        } else {
            pass_by<PASS>(x, twiddles<PASS>(tile));
        }
    }
    /* Returns where a pass finds the twiddles of this thread's group. */
    template <int PASS> __device__ __forceinline__ hb_ntt_table<A> twiddles(uint32_t tile) const
    {
        constexpr hb_ntt_pass p = geometry::shape.pass[PASS];
        constexpr int lo = geometry::lo(PASS);
        const uint32_t group = (tile << (PASS < 2 ? 0 : LOG_TILE - lo - geometry::log_e)) + (threadIdx.x >> lo);
        return {table + p.offset, p.groups, group};
    }
    /* The level that ends an inverse transform multiplies sums as well (hb_ntt_scaled_level); it is in the first pass
     * that there is, pass 2 where a tile is the limb. */
    template <int PASS, class TWIDDLES>
    __device__ __forceinline__ void pass_by(registers &x, const TWIDDLES &twiddles) const
    {
        constexpr int levels = geometry::shape.pass[PASS].levels;
        if constexpr (FORWARD) {
            constexpr int bound = hb_ntt_forward_bound<A, LOG_N, NARROW, PASS>();
            hb_ntt_forward_pass<A, geometry::log_e, levels, bound>(x, twiddles, prime);
        } else {
            constexpr bool scaled = PASS == (geometry::whole ? 2 : 0);
            constexpr int bound = hb_ntt_inverse_bound<A, LOG_N, NARROW, PASS>();
            hb_ntt_inverse_pass<A, geometry::log_e, levels, bound, scaled>(x, twiddles, prime);
            if constexpr (scaled) {
                hb_ntt_scaled_level<A, geometry::log_e>(x, *last, prime);
            }
        }
    }

    /* Loads the twiddles of the passes from FIRST to LAST into registers, in a narrow transform and before anything
     * else: their time then falls into that of the launch before. Other transforms have no registers for that. */
    template <int FIRST, int LAST> __device__ __forceinline__ void keep(uint32_t tile)
    {
        if constexpr (NARROW && FIRST <= LAST) {
            kept[FIRST].template keep<geometry::shape.pass[FIRST].levels>(twiddles<FIRST>(tile));
            keep<FIRST + 1, LAST>(tile);
        }
    }
    /* Keep the twiddles of the passes on columns, which are the same for every tile of them, and of those on rows,
     * which differ. */
    __device__ __forceinline__ void keep_columns()
    {
        keep<0, geometry::inner>(0);
    }
    __device__ __forceinline__ void keep_rows(uint32_t tile)
    {
        keep<geometry::outer, HB_NTT_PASSES - 1>(tile);
    }

    /* Reads a word that this job needs once. Where a limb makes one trip through device memory there is nothing to keep
     * in the cache in its stead; otherwise the load marks the word as the first to be evicted. */
    static __device__ __forceinline__ uint64_t read_once(const uint64_t *at)
    {
        return geometry::whole ? __ldcg(at) : __ldcs(at);
    }

    /* Move the words of this thread between device memory and registers; they are 2^LOG_STRIDE apart, and the first is
     * `first` words into the limb. Words that enter or leave the transform are canonical and of no further use here,
     * but for digits, which other jobs read; the words between the two halves had better stay in the cache. */
    template <int LOG_STRIDE> __device__ __forceinline__ void load_source(registers &x, uint32_t first) const
    {
        const uint64_t *const from = source + first;
        if (digits && wide) {
#pragma unroll
            for (int k = 0; k < geometry::words; k++) {
                x[k] = A::of_wide_digit(__ldcg(from + ((size_t)k << LOG_STRIDE)), prime);
            }
        } else if (digits) {
#pragma unroll
            for (int k = 0; k < geometry::words; k++) {
                x[k] = A::of_digit(__ldcg(from + ((size_t)k << LOG_STRIDE)), prime);
            }
        } else {
#pragma unroll
            for (int k = 0; k < geometry::words; k++) {
                x[k] = A::of_canonical(read_once(from + ((size_t)k << LOG_STRIDE)));
            }
        }
    }
    template <int LOG_STRIDE> __device__ __forceinline__ void load(registers &x, uint32_t first) const
    {
        const uint64_t *const from = limb + first;
#pragma unroll
        for (int k = 0; k < geometry::words; k++) {
            x[k] = A::of_bits(__ldcg(from + ((size_t)k << LOG_STRIDE)));
        }
    }
    template <int LOG_STRIDE, bool END> __device__ __forceinline__ void store(const registers &x, uint32_t first) const
    {
        uint64_t *const to = limb + first;
#pragma unroll
        for (int k = 0; k < geometry::words; k++) {
            uint64_t *at = to + ((size_t)k << LOG_STRIDE);
            if (END) {
                __stcs(at, A::product_to_canonical(x[k], prime));
            } else {
                __stcg(at, A::to_bits(x[k]));
            }
        }
    }

    /* Move the words of this thread in a pass between shared memory and registers. Callers wait between put and get. */
    template <int PASS> static __device__ __forceinline__ void get(registers &x, const uint64_t *shared)
    {
        constexpr int lo = geometry::lo(PASS);
        const uint64_t *at = shared + geometry::place(first<lo>());
#pragma unroll
        for (int k = 0; k < geometry::words; k++) {
            x[k] = A::of_bits(at[geometry::place(k << lo)]);
        }
    }
    template <int PASS> static __device__ __forceinline__ void put(const registers &x, uint64_t *shared)
    {
        constexpr int lo = geometry::lo(PASS);
        uint64_t *at = shared + geometry::place(first<lo>());
#pragma unroll
        for (int k = 0; k < geometry::words; k++) {
            at[geometry::place(k << lo)] = A::to_bits(x[k]);
        }
    }
    /* Returns the block of adjacent words that this thread has in pass 4, to be moved two at a time. */
    static __device__ __forceinline__ ulonglong2 *block(uint64_t *shared)
    {
        return reinterpret_cast<ulonglong2 *>(shared + geometry::place(first<0>()));
    }

    /* Returns the first word of this thread in a pass that starts at bit LO: log_e zero bits inserted into the thread's
     * number. */
    template <int LO> static __device__ __forceinline__ uint32_t first()
    {
        return (threadIdx.x >> LO << (LO + geometry::log_e)) | (threadIdx.x & ((1u << LO) - 1));
    }
    /* Returns the first word of this thread in a pass on a tile of columns, as a place in the limb. (In 64 bits the
     * compiler would add k to `row` for each of the thread's words before it shifts.) */
    template <int PASS> static __device__ __forceinline__ uint32_t in_columns(uint32_t tile)
    {
        const uint32_t i = first<geometry::lo(PASS)>(), row = i >> geometry::log_width;
        return (row << geometry::step) + (tile << geometry::log_width) + (i & ((1u << geometry::log_width) - 1));
    }

    /* All passes on the rows of a tile, from device memory and back; and all passes on its columns, likewise. */
    __device__ __forceinline__ void rows(uint64_t *shared, uint32_t tile) const;
    __device__ __forceinline__ void columns(uint64_t *shared, uint32_t tile) const;
    /* Forward: does all passes on rows, and stores the result. */
    __device__ __forceinline__ void forward_rows(registers &x, uint64_t *shared, uint32_t tile) const;
    /* Inverse: loads words and does pass 4; then does all other passes on rows. The second calls `read` once this
     * thread needs `shared` no longer. */
    __device__ __forceinline__ void inverse_begin(registers &x, uint64_t *shared, uint32_t tile) const;
    template <class READ>
    __device__ __forceinline__ void inverse_rows(registers &x, uint64_t *shared, uint32_t tile, READ read) const;

    /* Parts of these: passes 3 and 4 and the store, the store with products, and the wait for the threads that have
     * words of the same rows. */
    __device__ __forceinline__ void forward_end(registers &x, uint64_t *shared, uint32_t tile) const;
    __device__ __forceinline__ void store_products(uint64_t *to, const uint64_t *from) const;
    __device__ __forceinline__ void store_quotients(size_t first, uint64_t *from) const;
    __device__ __forceinline__ void store_automorphism(uint64_t *to, uint32_t first, const uint64_t *shared) const;
    static __device__ __forceinline__ uint32_t moved(uint32_t i, uint32_t element);
    static __device__ __forceinline__ void wait_for_rows();
};

#endif
