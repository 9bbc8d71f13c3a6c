/* The constants of a base conversion, by value in the arguments of its kernel: no copy goes before it. What they have
 * no room for takes more launches (private to convert.cu). */
#ifndef HB_CONVERT_CONSTANTS_CUH
#define HB_CONVERT_CONSTANTS_CUH

#include "convert_sums.cuh"

#include "convert_arith.h"

/* Everything but the matrix, for up to SOURCES sources and TARGETS targets of a launch. */
template <class A, uint32_t SOURCES, uint32_t TARGETS> struct hb_convert_constants {
    typename A::weight keep[TARGETS], factors[TARGETS], weights[SOURCES];
    typename A::residue start[TARGETS], overflow_start; /* of the sums: what the centre of the words takes, and k's */
    uint64_t scale[SOURCES], quotients[SOURCES];
    uint32_t binary[SOURCES]; /* weights of a binary overflow; weights: of another one */
    uint64_t half;            /* of the overflow */
    uint16_t overflow_id;
    bool scaled, kept, overflow, is_binary;
};

/* The overflow as a word (convert_arith.h) from its sum. */
template <class A> __device__ static inline typename A::number hb_convert_binary(uint32_t sum, uint64_t half)
{
    return A::number_of(hb_overflow_shifted(sum, half, HB_OVERFLOW_WORD));
}

template <class A>
__device__ static inline typename A::number hb_convert_modular(const typename A::sum &s, uint64_t half,
                                                               const hb_modulus &m)
{
    return A::number_of(hb_overflow_shifted(A::finish(s, m), half, m.value));
}

#endif
