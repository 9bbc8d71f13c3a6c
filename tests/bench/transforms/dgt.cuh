/* Kernels of the discrete Galois transform (Al Badawi et al., section 6.3): of N = 2 M words, M Gaussian integers
 * a_j + i a_(j+M), twisted by powers of h, h^M = i, and an M-point transform of them by g, a word. A limb stays in its
 * N words: real parts, then imaginary parts.
 *
 * Up to 2048 points are one kernel, a block for each limb: Stockham's passes, radix 8 while stages last, through shared
 * memory. More points are two kernels: M = A 2048, first the A-point transforms of the columns, each in a thread's
 * registers and followed by the powers of g that join the halves of the algorithm, then the 2048-point ones of the
 * rows. Transformed words stand in the order that leaves: g^(k1 + A k2) at 2048 k1 + k2. */
#ifndef HB_BENCH_DGT_CUH
#define HB_BENCH_DGT_CUH

#include "dgt_arith.cuh"

#define HB_DGT_LOG_ROW 11
#define HB_DGT_COLUMN_THREADS 128

template <typename R> struct hb_dgt_args {
    typename R::word *data;
    const typename R::constants *moduli; /* [count] */
    const typename R::word *powers;      /* [count][M]: of g, or of 1/g */
    const hb_gauss<R> *twists;           /* [count][M]: powers of h, or of 1/h over M */
    uint32_t count, log_m;
};

/* A thread's view of a limb. */
template <typename R> struct hb_dgt_limb {
    typename R::word *re, *im;
    const typename R::word *powers;
    const hb_gauss<R> *twists;
    typename R::constants c;

    __device__ hb_dgt_limb(const hb_dgt_args<R> &args, uint32_t limb)
    {
        const uint32_t modulus = limb % args.count;
        re = args.data + ((size_t)limb << (args.log_m + 1));
        im = re + ((size_t)1 << args.log_m);
        powers = args.powers + ((size_t)modulus << args.log_m);
        twists = args.twists + ((size_t)modulus << args.log_m);
        c = args.moduli[modulus];
    }
    template <bool TWISTED> __device__ hb_gauss<R> load(uint32_t j) const
    {
        const hb_gauss<R> x = {re[j], im[j]};
        return TWISTED ? hb_gauss_mul(x, twists[j], c) : x;
    }
    template <bool TWISTED> __device__ void store(uint32_t j, hb_gauss<R> x) const
    {
        const hb_gauss<R> y = TWISTED ? hb_gauss_mul(x, twists[j], c) : x;
        re[j] = y.re;
        im[j] = y.im;
    }
};

/* Columns of a limb: words a 2048 + b, a < 2^LOG_A, of one b. */
template <typename R, int LOG_A, bool FORWARD>
__global__ __launch_bounds__(HB_DGT_COLUMN_THREADS,
                             LOG_A < 5 ? 4 : 2) void hb_dgt_columns(const __grid_constant__ hb_dgt_args<R> args)
{
    constexpr uint32_t blocks = (1u << HB_DGT_LOG_ROW) / HB_DGT_COLUMN_THREADS;
    const hb_dgt_limb<R> limb(args, blockIdx.x / blocks);
    const uint32_t b = blockIdx.x % blocks * HB_DGT_COLUMN_THREADS + threadIdx.x;
    hb_gauss<R> x[1 << LOG_A];
#pragma unroll
    for (uint32_t a = 0; a < 1u << LOG_A; a++) {
        x[a] = limb.template load<FORWARD>((a << HB_DGT_LOG_ROW) + b);
        x[a] = FORWARD ? x[a] : hb_gauss_scale(x[a], limb.powers[a * b], limb.c);
    }
    hb_dgt_short<R, LOG_A>(x, limb.powers, HB_DGT_LOG_ROW, limb.c);
#pragma unroll
    for (uint32_t a = 0; a < 1u << LOG_A; a++) {
        x[a] = FORWARD ? hb_gauss_scale(x[a], limb.powers[a * b], limb.c) : x[a];
        limb.template store<!FORWARD>((a << HB_DGT_LOG_ROW) + b, x[a]);
    }
}

/* A pass of Stockham's algorithm on 2^LOG_ROW words, 8 of them in a thread: 2^(3 - LOG) transforms of 2^LOG words that
 * are 2^(LOG_ROW - LOG) apart. Results of the passes before it are 2^LOG_DONE words long. */
template <typename R, int LOG_ROW, int LOG_DONE> struct hb_dgt_pass {
    static constexpr int log = LOG_ROW - LOG_DONE < 3 ? LOG_ROW - LOG_DONE : 3;
    static constexpr uint32_t threads = 1u << (LOG_ROW - 3);
    static constexpr bool last = LOG_DONE + log == LOG_ROW;

    /* Word i of a thread: the transform that it belongs to, its place before the pass, and after it. */
    __device__ static uint32_t transform(int i)
    {
        return ((uint32_t)i >> log) * threads + threadIdx.x;
    }
    __device__ static uint32_t from(int i)
    {
        return transform(i) + (((uint32_t)i & ((1u << log) - 1)) << (LOG_ROW - log));
    }
    __device__ static uint32_t to(int i)
    {
        const uint32_t j = transform(i), low = j & ((1u << LOG_DONE) - 1);
        return ((j - low) << log) + low + (((uint32_t)i & ((1u << log) - 1)) << LOG_DONE);
    }

    /* apart: log2 of M over the length of the row. */
    __device__ static void run(hb_gauss<R> *x, const typename R::word *powers, uint32_t apart,
                               const typename R::constants &c)
    {
#pragma unroll
        for (int i = 0; LOG_DONE > 0 && i < 8; i++) {
            const uint32_t k = (uint32_t)i & ((1u << log) - 1), low = transform(i) & ((1u << LOG_DONE) - 1);
            if (k != 0) {
                x[i] = hb_gauss_scale(x[i], powers[(k * low) << (LOG_ROW - LOG_DONE - log + apart)], c);
            }
        }
#pragma unroll
        for (int i = 0; i < 8; i += 1 << log) {
            hb_dgt_short<R, log>(x + i, powers, LOG_ROW - log + apart, c);
        }
    }
};

/* A word in every 33 is skipped: words 8 apart lie in different banks. */
__host__ __device__ constexpr uint32_t hb_dgt_padded(uint32_t i)
{
    return i + (i >> 5);
}

/* The passes after the first 2^LOG_DONE words long, on words that the thread holds in x, to x. */
template <typename R, int LOG_ROW, int LOG_DONE>
__device__ __forceinline__ void hb_dgt_passes(hb_gauss<R> *x, typename R::word *re, typename R::word *im,
                                              const hb_dgt_limb<R> &limb, uint32_t apart)
{
    using pass = hb_dgt_pass<R, LOG_ROW, LOG_DONE>;
    pass::run(x, limb.powers, apart, limb.c);
    if constexpr (!pass::last) {
        using next = hb_dgt_pass<R, LOG_ROW, LOG_DONE + pass::log>;
        __syncthreads(); /* others may still read what the pass before wrote */
#pragma unroll
        for (int i = 0; i < 8; i++) {
            const uint32_t at = hb_dgt_padded(pass::to(i));
            re[at] = x[i].re;
            im[at] = x[i].im;
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 8; i++) {
            const uint32_t at = hb_dgt_padded(next::from(i));
            x[i] = {re[at], im[at]};
        }
        hb_dgt_passes<R, LOG_ROW, LOG_DONE + pass::log>(x, re, im, limb, apart);
    }
}

/* A row of a limb. WHOLE: there is but one, which is twisted too. */
template <typename R, int LOG_ROW, bool WHOLE, bool FORWARD>
__global__ __launch_bounds__(1 << (LOG_ROW - 3)) void hb_dgt_rows(const __grid_constant__ hb_dgt_args<R> args)
{
    __shared__ typename R::word re[hb_dgt_padded(1u << LOG_ROW)], im[hb_dgt_padded(1u << LOG_ROW)];
    using first = hb_dgt_pass<R, LOG_ROW, 0>;
    const uint32_t log_rows = args.log_m - LOG_ROW;
    const hb_dgt_limb<R> limb(args, blockIdx.x >> log_rows);
    const uint32_t start = (blockIdx.x & ((1u << log_rows) - 1)) << LOG_ROW;
    hb_gauss<R> x[8];
#pragma unroll
    for (int i = 0; i < 8; i++) {
        x[i] = limb.template load < WHOLE && FORWARD > (start + first::from(i));
    }
    hb_dgt_passes<R, LOG_ROW, 0>(x, re, im, limb, log_rows);
    /* The last pass leaves 2^log words of a transform as far apart as it found them. */
    using last = hb_dgt_pass<R, LOG_ROW, (LOG_ROW - 1) / 3 * 3>;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        limb.template store<WHOLE && !FORWARD>(start + last::to(i), x[i]);
    }
}

/* a = a b of transformed words: a thread for each Gaussian integer. */
template <typename R>
__global__ void hb_dgt_products(const __grid_constant__ hb_dgt_args<R> args, const typename R::word *b)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const hb_dgt_limb<R> limb(args, (uint32_t)(i >> args.log_m));
    const uint32_t j = (uint32_t)(i & (((size_t)1 << args.log_m) - 1));
    const typename R::word *const other = b + (limb.re - args.data);
    const hb_gauss<R> x = {other[j], other[j + ((size_t)1 << args.log_m)]};
    limb.template store<false>(j, hb_gauss_mul(limb.template load<false>(j), x, limb.c));
}

#endif
