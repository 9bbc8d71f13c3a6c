/* The methods of Al Badawi et al., a thread a coefficient. Constants are a kernel's argument, which is constant memory,
 * as in the paper (figure 3). */
#ifndef HB_BENCH_CRT_KERNELS_CUH
#define HB_BENCH_CRT_KERNELS_CUH

#include "crt_number.cuh"

extern "C" {
#include "crt.h"
}

template <typename Word, int WORDS> struct hb_crt_table {
    uint32_t moduli, log_n, shift;
    size_t coefficients; /* of all polynomials */
    hb_modulus modulus[HB_CRT_MOST];
    Word factor[HB_CRT_MOST];
    Word row[HB_CRT_MOST][WORDS];
    Word divisor[WORDS];
};

/* Reductions of a double word, any one, to [0, m); m has two bits less than a word (31 of 32). */
struct hb_crt_native {
    template <typename Word> HB_FN Word reduce(hb_wide<Word> x, const hb_modulus &m)
    {
        return (Word)(x % (Word)m.value);
    }
};
struct hb_crt_barrett {
    template <typename Word> HB_FN Word reduce(hb_wide<Word> x, const hb_modulus &m)
    {
        if constexpr (hb_word_bits<Word> == 32) {
            return (Word)hb_mod_reduce(x, &m);
        } else {
            return hb_mod_reduce_wide(x, &m);
        }
    }
};

#define HB_CRT_THREADS 64 /* a polynomial of the paper's size spreads over all multiprocessors */

/* The calling thread's coefficient, and where its first word stands among `rows` rows a polynomial. */
__device__ static inline size_t hb_crt_coefficient()
{
    return (size_t)blockIdx.x * HB_CRT_THREADS + threadIdx.x;
}
__device__ static inline size_t hb_crt_place(size_t coefficient, uint32_t log_n, uint32_t rows)
{
    const size_t n = (size_t)1 << log_n;
    return (coefficient >> log_n) * rows * n + (coefficient & (n - 1));
}

template <typename Word, int WORDS>
__device__ static inline void hb_crt_store(Word *numbers, size_t coefficient, const Word (&x)[WORDS], uint32_t log_n)
{
    Word *to = numbers + hb_crt_place(coefficient, log_n, WORDS);
#pragma unroll
    for (uint32_t w = 0; w < WORDS; w++) {
        to[(size_t)w << log_n] = x[w];
    }
}

/* Section 6.2.1: each word's product with a power of 2^b is reduced by itself, then their sum. */
template <typename Word, int WORDS, class Reduction>
__global__ void __launch_bounds__(HB_CRT_THREADS)
    hb_crt_split(Word *residues, const Word *numbers, const __grid_constant__ hb_crt_table<Word, WORDS> t)
{
    const size_t j = hb_crt_coefficient();
    if (j >= t.coefficients) {
        return;
    }
    Word x[WORDS];
    const Word *from = numbers + hb_crt_place(j, t.log_n, WORDS);
#pragma unroll
    for (uint32_t w = 0; w < WORDS; w++) {
        x[w] = from[(size_t)w << t.log_n];
    }
    Word *to = residues + hb_crt_place(j, t.log_n, t.moduli);
#pragma unroll 1
    for (uint32_t i = 0; i < t.moduli; i++) {
        hb_wide<Word> sum = 0;
#pragma unroll
        for (uint32_t w = 0; w < WORDS; w++) {
            sum += Reduction::template reduce<Word>((hb_wide<Word>)x[w] * t.row[i][w], t.modulus[i]);
        }
        to[(size_t)i << t.log_n] = Reduction::template reduce<Word>(sum, t.modulus[i]);
    }
}

/* Equation 1: x = sum y_i Q / q_i mod Q with y_i = x_i (Q / q_i)^-1 mod q_i. DIVIDE: the sum, below k Q, is divided
 * once; else it is kept below Q, as cuHE does. */
template <typename Word, int WORDS, class Reduction, bool DIVIDE>
__global__ void __launch_bounds__(HB_CRT_THREADS)
    hb_crt_classic(Word *numbers, const Word *residues, const __grid_constant__ hb_crt_table<Word, WORDS> t)
{
    const size_t j = hb_crt_coefficient();
    if (j >= t.coefficients) {
        return;
    }
    Word x[WORDS] = {}, top = 0;
    const Word *from = residues + hb_crt_place(j, t.log_n, t.moduli);
#pragma unroll 1
    for (uint32_t i = 0; i < t.moduli; i++) {
        const hb_wide<Word> product = (hb_wide<Word>)from[(size_t)i << t.log_n] * t.factor[i];
        const Word y = Reduction::template reduce<Word>(product, t.modulus[i]);
        const Word carry = hb_number_add_product<Word, WORDS>(x, y, t.row[i], WORDS);
        if constexpr (DIVIDE) {
            top += carry;
        } else {
            hb_number_correct<Word, WORDS>(x, carry, t.divisor);
        }
    }
    if constexpr (DIVIDE) {
        hb_number_divide<Word, WORDS>(x, top, t.divisor, t.shift);
    }
    hb_crt_store<Word, WORDS>(numbers, j, x, t.log_n);
}

/* The same word, of which the compiler knows nothing: through x mod q_i and then all carries of a sum it follows
 * dependences until its own stack is full (nvcc 13.0, 29 words of 64 bits). */
__device__ static inline uint32_t hb_crt_opaque(uint32_t x)
{
    asm("" : "+r"(x));
    return x;
}
__device__ static inline uint64_t hb_crt_opaque(uint64_t x)
{
    asm("" : "+l"(x));
    return x;
}

/* Algorithm 4: after step i, x is below q_0 ... q_i and has at most i + 1 words. */
template <typename Word, int WORDS, class Reduction>
__global__ void __launch_bounds__(HB_CRT_THREADS)
    hb_crt_garner(Word *numbers, const Word *residues, const __grid_constant__ hb_crt_table<Word, WORDS> t)
{
    const size_t j = hb_crt_coefficient();
    if (j >= t.coefficients) {
        return;
    }
    const Word *from = residues + hb_crt_place(j, t.log_n, t.moduli);
    Word x[WORDS] = {from[0]};
#pragma unroll 1
    for (uint32_t i = 1; i < t.moduli; i++) {
        const Word residue = from[(size_t)i << t.log_n];
        Word known = 0; /* x mod q_i */
#pragma unroll
        for (int w = WORDS - 1; w >= 0; w--) {
            if ((uint32_t)w < i) {
                const hb_wide<Word> higher = (hb_wide<Word>)known << hb_word_bits<Word>;
                known = Reduction::template reduce<Word>(higher | x[w], t.modulus[i]);
            }
        }
        const Word difference = residue + (Word)t.modulus[i].value - known; /* below 2 q_i: a word */
        const Word u = Reduction::template reduce<Word>((hb_wide<Word>)difference * t.factor[i], t.modulus[i]);
        hb_number_add_product<Word, WORDS>(x, hb_crt_opaque(u), t.row[i], i + 1);
    }
    hb_crt_store<Word, WORDS>(numbers, j, x, t.log_n);
}

#endif
