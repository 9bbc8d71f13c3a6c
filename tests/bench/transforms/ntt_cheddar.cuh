/* The kernels of Cheddar's transform (section 4.1): N = N1 N2 words of 32 bits as N1 rows of N2, a kernel for the
 * N1-point transforms of the columns and one for the N2-point ones of the rows. A thread holds G words, hence log2
 * G stages; after such a phase the threads of a block exchange their words in shared memory. A block of the columns
 * has B of them side by side, so that it touches memory in pieces of B words. */
#ifndef HB_BENCH_NTT_CHEDDAR_CUH
#define HB_BENCH_NTT_CHEDDAR_CUH

#include "cheddar_stages.cuh"

struct hb_cheddar_args {
    int32_t *data;
    const hb_montgomery32 *moduli; /* [count] */
    /* w of modulus l is at l * stride, at least [N1] for the columns. For the scaled last stage, entries 0 and 1 of the
     * inverse hold 1/N and w[1]/N. */
    const int32_t *w;
    const int32_t *low, *high; /* on the fly: w[i], i < 32, and w[32 i]; again at l * stride */
    uint32_t count, stride;
    uint32_t log_n, log_n1;
};

/* A tile of shared memory skips 4 words after every 32: its words 64 apart lie in different banks, and 16 bytes stay
 * together. */
__host__ __device__ constexpr uint32_t hb_cheddar_padded(uint32_t i)
{
    return i + (i >> 5 << 2);
}

/* One of the two kernels: transforms of 2^LOG_LEN words with 2^LOG_G in a thread, several in a block: 2^LOG_B columns,
 * or as many rows as make up two warps. */
template <bool ROWS, int LOG_LEN, int LOG_G, int LOG_B, bool FLY> struct hb_cheddar_shape {
    static_assert(LOG_G >= 2 && LOG_LEN >= LOG_G && (!ROWS || LOG_LEN >= 5), "words of a thread, and of a row");
    static constexpr bool rows = ROWS, on_the_fly = FLY;
    static constexpr int log_len = LOG_LEN, log_g = LOG_G;
    static constexpr int log_threads = LOG_LEN - LOG_G; /* of a transform */
    static constexpr int log_transforms = !ROWS ? LOG_B : log_threads < 6 ? 6 - log_threads : 0;
    static constexpr int threads = 1 << (log_threads + log_transforms);
    static constexpr int phases = (LOG_LEN + LOG_G - 1) / LOG_G;
    static constexpr uint32_t shared_words = phases > 1 ? hb_cheddar_padded(1u << (LOG_LEN + log_transforms)) : 1;
};

/* A thread's part in a transform of its block. Word e of the transform is memory[e << shift], and, in shared memory,
 * at (e << spread) + offset before padding. */
template <class SHAPE> struct hb_cheddar_part {
    static constexpr int spread = SHAPE::rows ? 0 : SHAPE::log_transforms;
    int32_t *memory;
    uint32_t shift, offset, thread, root; /* root: 2^stage + group at stage 0 of the transform */
    hb_montgomery32 m;
    const int32_t *w, *low, *high;

    __device__ explicit hb_cheddar_part(const hb_cheddar_args &args)
    {
        const uint32_t log_n2 = args.log_n - args.log_n1;
        const uint32_t log_blocks = (SHAPE::rows ? args.log_n1 : log_n2) - SHAPE::log_transforms;
        const uint32_t limb = blockIdx.x >> log_blocks, modulus = limb % args.count;
        const uint32_t mine =
            SHAPE::rows ? threadIdx.x >> SHAPE::log_threads : threadIdx.x & ((1u << SHAPE::log_transforms) - 1);
        const uint32_t block = blockIdx.x & ((1u << log_blocks) - 1);
        const uint32_t number = (block << SHAPE::log_transforms) + mine;
        int32_t *const row = args.data + ((size_t)limb << args.log_n);
        memory = row + (SHAPE::rows ? number << SHAPE::log_len : number);
        shift = SHAPE::rows ? 0 : log_n2;
        offset = SHAPE::rows ? mine << SHAPE::log_len : mine;
        thread = SHAPE::rows ? threadIdx.x & ((1u << SHAPE::log_threads) - 1) : threadIdx.x >> SHAPE::log_transforms;
        root = SHAPE::rows ? (1u << args.log_n1) + number : 1;
        m = args.moduli[modulus];
        const size_t table = (size_t)modulus * args.stride;
        w = args.w + table;
        low = args.low + table;
        high = args.high + table;
    }

    __device__ uint32_t shared_at(uint32_t e) const
    {
        return hb_cheddar_padded((e << spread) + offset);
    }
};

/* Phase PHASE: its stages, and which words a thread holds. The last phase may have fewer stages than the others: then a
 * thread has several groups of words. */
template <class SHAPE, int PHASE> struct hb_cheddar_phase {
    static constexpr int first = PHASE * SHAPE::log_g; /* stage */
    static constexpr int stages = SHAPE::log_len - first < SHAPE::log_g ? SHAPE::log_len - first : SHAPE::log_g;
    static constexpr int log_groups = SHAPE::log_g - stages;
    static constexpr int log_apart = SHAPE::log_len - first - stages; /* words of a group */
    static constexpr bool adjacent = SHAPE::rows && log_apart == 0;   /* all words of a thread */

    /* Group u of a thread. For a row, those of a thread are adjacent; of columns, those of threads: fewer conflicts. */
    __device__ static uint32_t group(uint32_t thread, uint32_t u)
    {
        return SHAPE::rows ? (thread << log_groups) + u : (u << SHAPE::log_threads) + thread;
    }
    /* Where word i of a thread is in the transform. */
    __device__ static uint32_t place(uint32_t thread, int i)
    {
        const uint32_t g = group(thread, (uint32_t)i >> stages), k = (uint32_t)i & ((1u << stages) - 1);
        const uint32_t low = g & ((1u << log_apart) - 1);
        return ((g - low) << stages) + (k << log_apart) + low;
    }

    /* From device memory, or from shared memory. */
    template <bool MEMORY>
    __device__ static void load(int32_t *x, const hb_cheddar_part<SHAPE> &part, const int32_t *shared)
    {
        if constexpr (adjacent) {
            const uint32_t e = place(part.thread, 0);
            hb_cheddar_load<SHAPE::log_g>(x, MEMORY ? part.memory + e : shared + part.shared_at(e));
        } else {
#pragma unroll
            for (int i = 0; i < 1 << SHAPE::log_g; i++) {
                const uint32_t e = place(part.thread, i);
                x[i] = MEMORY ? part.memory[(size_t)e << part.shift] : shared[part.shared_at(e)];
            }
        }
    }
    template <bool MEMORY>
    __device__ static void store(const int32_t *x, const hb_cheddar_part<SHAPE> &part, int32_t *shared)
    {
        if constexpr (adjacent) {
            const uint32_t e = place(part.thread, 0);
            hb_cheddar_store<SHAPE::log_g>(MEMORY ? part.memory + e : shared + part.shared_at(e), x);
        } else {
#pragma unroll
            for (int i = 0; i < 1 << SHAPE::log_g; i++) {
                const uint32_t e = place(part.thread, i);
                (MEMORY ? part.memory[(size_t)e << part.shift] : shared[part.shared_at(e)]) = x[i];
            }
        }
    }

    template <bool FORWARD> __device__ static void transform(int32_t *x, const hb_cheddar_part<SHAPE> &part)
    {
        constexpr bool scaled = !SHAPE::rows && !FORWARD && PHASE == 0;
#pragma unroll
        for (uint32_t u = 0; u < 1u << log_groups; u++) {
            const uint32_t base = (part.root << first) + (group(part.thread, u) >> log_apart);
            int32_t w[1 << stages];
            if constexpr (SHAPE::on_the_fly) {
                hb_cheddar_generate<stages>(w, base, part.low, part.high, part.m);
            } else {
                hb_cheddar_factors<stages>(w, base, part.w);
            }
            w[0] = scaled ? part.w[0] : 0;
            hb_cheddar_stages<stages, FORWARD, scaled>(x + (u << stages), w, part.m);
        }
    }
};

/* Step STEP of a kernel and those after it. The words of a thread in a phase are its own from when it reads them: only
 * between a phase and the next do threads wait for each other. */
template <class SHAPE, bool FORWARD, int STEP>
__device__ __forceinline__ void hb_cheddar_run(const hb_cheddar_part<SHAPE> &part, int32_t *shared)
{
    using phase = hb_cheddar_phase<SHAPE, FORWARD ? STEP : SHAPE::phases - 1 - STEP>;
    constexpr bool last = STEP == SHAPE::phases - 1, to_canonical = last && SHAPE::rows == FORWARD;
    int32_t x[1 << SHAPE::log_g];
    phase::template load<STEP == 0>(x, part, shared);
    phase::template transform<FORWARD>(x, part);
    if constexpr (to_canonical) {
#pragma unroll
        for (int32_t &word : x) {
            word = hb_montgomery32_canonical(FORWARD ? hb_montgomery32_correct(word, part.m) : word, part.m);
        }
    }
    phase::template store<last>(x, part, shared);
    if constexpr (!last) {
        __syncthreads();
        hb_cheddar_run<SHAPE, FORWARD, STEP + 1>(part, shared);
    }
}

template <class SHAPE, bool FORWARD>
__global__ __launch_bounds__(SHAPE::threads) void hb_cheddar_kernel(const __grid_constant__ hb_cheddar_args args)
{
    __shared__ __align__(16) int32_t shared[SHAPE::shared_words];
    hb_cheddar_run<SHAPE, FORWARD, 0>(hb_cheddar_part<SHAPE>(args), shared);
}

#endif
