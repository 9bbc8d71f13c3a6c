/* Mixed-radix digits, and the largest centred value, which is found by comparing digits (ring/garner_arith.h). */
#include "cuda/device/pair.cuh"

#include "ring/garner_arith.h"

#define DIGITS_THREADS (HB_SLICE_WORDS / 2) /* a pair each */

struct garner {
    hb_cuda_words inverses, quotients;
};

/* Computes the digits of a pair of coefficients (Garner's reconstruction, ring/garner.h), a thread a pair. The digits
 * below are read back from r, where the same thread has put them. r may be a: of a, step i reads limb i only. `radix`
 * is [limbs][limbs]: the weight of each lower digit modulo each prime. */
static __global__ void __launch_bounds__(DIGITS_THREADS)
    digits_kernel(const __grid_constant__ hb_cuda_scattered r, const __grid_constant__ hb_cuda_scattered a,
                  const uint64_t *radix, const __grid_constant__ garner k, const hb_modulus *moduli)
{
    const hb_slice slice = hb_slice_of(blockIdx.x, r.n, HB_SLICE_WORDS);
    const uint32_t c = slice.c, j = slice.first + 2 * threadIdx.x;
    /* Digit 0 is the residue itself. */
    hb_pair_store(hb_cuda_row(r, c, 0) + j, hb_pair_load(hb_cuda_row(a, c, 0) + j));
    for (uint32_t i = 1; i < r.limbs; i++) {
        const hb_modulus m = moduli[r.ids[i]];
        hb_u128 lower[2] = {}; /* at most 63 products below 2^122 */
        for (uint32_t below = 0; below < i; below++) {
            const hb_pair digit = hb_pair_load(hb_cuda_row(r, c, below) + j);
            const uint64_t weight = radix[i * r.limbs + below];
            lower[0] += (hb_u128)digit.of[0] * weight;
            lower[1] += (hb_u128)digit.of[1] * weight;
        }
        hb_pair x = hb_pair_load(hb_cuda_row(a, c, i) + j);
        /* One reduction ends the sum, then a digit takes one Shoup product. */
        for (uint32_t s = 0; s < 2; s++) {
            x.of[s] = hb_garner_digit(x.of[s], hb_mod_reduce_wide(lower[s], &m), k.inverses.of[i], k.quotients.of[i],
                                      m.value);
        }
        hb_pair_store(hb_cuda_row(r, c, i) + j, x);
    }
}

static hb_status garner_digits(hb_engine *e, hb_batch r, hb_batch a, const hb_garner *constants)
{
    if (r.count == 0) {
        return HB_OK;
    }
    hb_cuda_engine *cuda = hb_cuda(e);
    const hb_cuda_scattered to = hb_cuda_scattered_of(e, r);
    const garner k = {hb_cuda_words_of(constants->inverse, r.limbs), hb_cuda_quotients_of(e, r, constants->inverse)};
    void *radix;
    /* At most 64 * 64 words, 32 KiB: too many for the arguments beside the rest. */
    HB_TRY(hb_cuda_stage(cuda, constants->radix, sizeof(uint64_t) * r.limbs * r.limbs, &radix));
    digits_kernel<<<hb_cuda_slices(to, HB_SLICE_WORDS), DIGITS_THREADS, 0, cuda->stream>>>(
        to, hb_cuda_scattered_of(e, a), static_cast<const uint64_t *>(radix), k, cuda->gpu->moduli);
    HB_CUDA_LAUNCHED();
    return HB_OK;
}

#define NORM_THREADS 1024 /* 32 warps of 32 threads: block_maximum */
#define NORM_MASKS ((1u << HB_RING_MAX_LOG_N) / NORM_THREADS / 32)

/* One bit for every coefficient of a polynomial, in shared memory. A thread owns coefficients threadIdx.x + k
 * NORM_THREADS and touches no other bits, so no barrier is needed. */
struct bits {
    uint32_t mask[NORM_MASKS][NORM_THREADS];

    __device__ void fill()
    {
        for (uint32_t i = 0; i < NORM_MASKS; i++) {
            mask[i][threadIdx.x] = UINT32_MAX;
        }
    }
    /* Returns all ones or zero, to be combined with words without a branch. */
    __device__ uint64_t get(uint32_t k) const
    {
        return 0 - (uint64_t)(mask[k / 32][threadIdx.x] >> k % 32 & 1);
    }
    __device__ void clear_unless(uint32_t k, bool condition)
    {
        mask[k / 32][threadIdx.x] &= ~((uint32_t)!condition << k % 32);
    }
};

/* Returns the largest x of a warp to all of its lanes. */
__device__ static uint64_t warp_maximum(uint64_t x)
{
    for (int distance = 16; distance != 0; distance /= 2) {
        x = max(x, __shfl_xor_sync(UINT32_MAX, x, distance));
    }
    return x;
}

/* Returns the largest x of the block to each of its threads, all of which call it. */
__device__ static uint64_t block_maximum(uint64_t x, uint64_t *of_warps)
{
    x = warp_maximum(x);
    if (threadIdx.x % 32 == 0) {
        of_warps[threadIdx.x / 32] = x;
    }
    __syncthreads();
    x = warp_maximum(of_warps[threadIdx.x % 32]);
    __syncthreads(); /* before the next call writes */
    return x;
}

/* Computes the digits of the largest |x| of a polynomial; a block has one, counted from `first`. Every coefficient of
 * every limb is read for all digits, and no branch depends on them: the time tells nothing about the noise. `running`
 * marks the coefficients that have the largest y so far. */
__global__ void __launch_bounds__(NORM_THREADS)
    norm_kernel(uint64_t *digits, const __grid_constant__ hb_cuda_scattered a, uint32_t first,
                const __grid_constant__ hb_cuda_words half, const hb_modulus *moduli)
{
    __shared__ bits negative, running;
    __shared__ uint64_t of_warps[NORM_THREADS / 32], largest[HB_MAX_LIMBS];
    const uint32_t mine = (a.n + NORM_THREADS - 1 - threadIdx.x) / NORM_THREADS;
    const auto row_of = [&](uint32_t l) { return hb_cuda_row(a, first + blockIdx.x, l) + threadIdx.x; };
    /* Bits beyond the last coefficient are set too, but no loop below reaches them. */
    negative.fill();
    running.fill();
    /* First the sign: x is negative when its digits are not below those of half, compared from the lowest digit up. */
    for (uint32_t k = 0; k < mine; k++) {
        uint64_t below = UINT64_MAX;
        for (uint32_t l = 0; l < a.limbs; l++) {
            below = hb_garner_compare(below, row_of(l)[k * NORM_THREADS], half.of[l]);
        }
        negative.clear_unless(k, below != 0);
    }
    /* Then the largest y, from the highest digit down: each digit's maximum among the coefficients still running, and
     * only threads that have it run on. A 0 from others does not disturb: digits are not negative. */
    for (uint32_t l = a.limbs; l-- > 0;) {
        const uint64_t m = moduli[a.ids[l]].value;
        const uint64_t *row = row_of(l);
        uint64_t maximum = 0;
        for (uint32_t k = 0; k < mine; k++) {
            maximum = max(maximum, hb_garner_fold(row[k * NORM_THREADS], negative.get(k), m) & running.get(k));
        }
        maximum = block_maximum(maximum, of_warps);
        for (uint32_t k = 0; k < mine; k++) {
            running.clear_unless(k, hb_garner_fold(row[k * NORM_THREADS], negative.get(k), m) == maximum);
        }
        if (threadIdx.x == 0) {
            largest[l] = maximum;
        }
    }
    /* |x| is y, or y + 1 for a negative x: if any of the largest is negative the answer is y + 1. */
    uint64_t one_is_negative = 0;
    for (uint32_t k = 0; k < mine; k++) {
        one_is_negative |= running.get(k) & negative.get(k);
    }
    uint64_t carry = __syncthreads_or(one_is_negative != 0) != 0; /* then y < Q / 2, so that the sum fits */
    if (threadIdx.x == 0) {
        for (uint32_t l = 0; l < a.limbs; l++) {
            digits[(size_t)blockIdx.x * a.limbs + l] = hb_garner_carry(largest[l], &carry, moduli[a.ids[l]].value);
        }
    }
}

/* Polynomials go through the staging memory and the host waits for each part. */
static hb_status infinity_norm(hb_engine *e, uint64_t *digits, hb_batch a, const hb_garner *constants)
{
    hb_cuda_engine *cuda = hb_cuda(e);
    const hb_cuda_scattered from = hb_cuda_scattered_of(e, a);
    const hb_cuda_words half = hb_cuda_words_of(constants->half, a.limbs);
    /* As many polynomials at a time as have their digits in the staging memory, 2^17 words. */
    const size_t words = HB_CUDA_STAGE_BYTES / sizeof *digits, most = words / a.limbs;
    for (size_t done = 0; done < a.count; done += most) {
        const size_t count = a.count - done < most ? a.count - done : most;
        const size_t bytes = count * a.limbs * sizeof *digits;
        void *host, *there;
        HB_TRY(hb_cuda_staging(cuda, bytes, &host, &there));
        norm_kernel<<<(uint32_t)count, NORM_THREADS, 0, cuda->stream>>>(
            static_cast<uint64_t *>(there), from, static_cast<uint32_t>(done), half, cuda->gpu->moduli);
        HB_CUDA_LAUNCHED();
        HB_CUDA(cudaMemcpyAsync(host, there, bytes, cudaMemcpyDeviceToHost, cuda->stream));
        HB_TRY(hb_cuda_wait(cuda));
        memcpy(digits + done * a.limbs, host, bytes);
    }
    return HB_OK;
}

static constexpr hb_garner_ops make_ops()
{
    hb_garner_ops ops = {};
    ops.garner_digits = hb_on_gpu<garner_digits>::call;
    ops.infinity_norm = hb_on_gpu<infinity_norm>::call;
    return ops;
}

constexpr hb_garner_ops hb_cuda_garner_ops = make_ops();
