/* The arguments that the choice of a kernel passes to the kernels of the transforms (private). */
#ifndef HB_CUDA_NTT_LAUNCH_H
#define HB_CUDA_NTT_LAUNCH_H

#include "cuda/device/cuda_private.h"
#include "shape.h"

extern "C" {
#include "plan.h"
}

/* Starts the tables of a modulus; the twiddles follow it (hb_ntt_twiddles_before).
 *
 * For a word x < 32p of the integer arithmetic, floor(floor(x / 2^shift) factor / 2^(32 + quotient_shift)) is floor(x /
 * p) or one less: shift = max(0, bits - 27) leaves 32 bits of x, factor = floor(2^(31 + bits) / p) has 32 bits, 32 +
 * quotient_shift + shift = 31 + bits, and each of the two roundings moves the quotient by at most 2^-26. */
struct hb_ntt_header {
    uint64_t value;
    double f64_value, f64_inverse;
    uint32_t factor, shift, quotient_shift, zero;
    uint64_t barrett_hi, barrett_lo; /* as in hb_modulus */
    uint64_t unused;
};
#define HB_NTT_TABLE_UNIT 64 /* bytes; tables are aligned to it */
static_assert(sizeof(hb_ntt_header) == HB_NTT_TABLE_UNIT, "tables start on a unit");

/* One modulus of the ring, as the host knows its tables. */
struct hb_ntt_modulus {
    bool present, f64;
    uint32_t bits;
    uint32_t table; /* where they start, in units */
    size_t bytes;
    uint64_t last[2]; /* factors of sums and differences in the last inverse stage: 1/N, and its twiddle divided by N */
};

/* The transforms of one gpu: its tables, and where each modulus has them. Const after hb_cuda_ntt_open but for the
 * plan. */
struct hb_cuda_ntt {
    uint8_t *tables; /* on the GPU */
    size_t bytes;
    hb_ntt_modulus moduli[HB_RING_MAX_MODULI];
    hb_cuda_ntt_plan plan;
};

/* Two twiddles, of either arithmetic: the last level of an inverse transform takes them by value. */
union hb_ntt_pair {
    double f64[2];
    ulonglong2 u64[2]; /* each beside its quotient */
};

/* A factor of either arithmetic, with its quotient in integers. */
union hb_ntt_factor {
    double f64;
    ulonglong2 u64;
};

/* Some limbs of all polynomials, limb after limb as in the batch that is transformed. */
struct hb_ntt_rows {
    uint64_t *data;
    size_t stride;
};

/* The most limbs of a launch: several polynomials can be taken as one. */
#define HB_NTT_MAX_ROWS 256

/* The arguments of a kernel: `limbs` chosen limbs of every polynomial, all of one arithmetic. A job is one limb of one
 * polynomial; job j is limb j % limbs of polynomial j / limbs.
 *
 * Forward transforms take their words in place (in_place) or from `from`. Limb i then comes from place i. With digits >
 * 0, all limbs of polynomial c come from polynomial c / digits of place c % digits, whose words the arithmetic can
 * reduce (of_digit, of_wide_digit). They multiply their results by the same words of `by`, unless that is NULL.
 *
 * With `quotient`, `to` gets b + (a - result) factor instead, or its automorphism; b is 0 in polynomials from `b_count`
 * on. Inverse transforms take their words from `a`. */
struct hb_ntt_args {
    uint64_t *data;
    size_t stride;
    union {
        struct {
            hb_limb_address from[HB_MAX_LIMBS];
            hb_ntt_factor factor[HB_MAX_LIMBS]; /* of limb i */
        } forward;
        hb_ntt_pair last[HB_MAX_LIMBS]; /* inverse: hb_ntt_modulus.last of limb i, times its factor */
    };
    uint32_t digits;
    bool wide; /* digits may be 2^51 and more */
    bool in_place, quotient;
    const uint64_t *by; /* or NULL */
    size_t by_stride;   /* 0: one polynomial for all */
    hb_ntt_rows a, b, to;
    uint32_t b_count;
    uint32_t element, inverse; /* of the automorphism that quotients are stored by, modulo 2N; 1: none */
    uint32_t limbs, jobs;
    uint32_t lead; /* one-launch kernel: jobs between the first half of a job and its second */
    const uint8_t *tables;
    uint32_t *work;                  /* counters, zero between launches */
    uint32_t table[HB_NTT_MAX_ROWS]; /* of limb i, in units */
    uint8_t limb[HB_NTT_MAX_ROWS];   /* its number in the batch */
};

/* A launch as the structures take it: the arguments, and the parameters that select the kernel. */
struct hb_ntt_launch {
    hb_ntt_args args;
    int log_n;
    bool f64;
    hb_ntt_arithmetic arithmetic;
    bool forward;
    bool narrow; /* shape.h */
    bool sm90;   /* as in hb_cuda_device */
    cudaStream_t stream;
};

/* Launches of the structures, each in the file of its name. They issue to launch->stream and wait for nothing. */
hb_status hb_ntt_launch_single(const hb_ntt_launch *launch);   /* 2^10 .. 2^12: a thread block a limb */
hb_status hb_ntt_launch_cluster(const hb_ntt_launch *launch);  /* 2^12 .. 2^16: a cluster of thread blocks a limb */
hb_status hb_ntt_launch_two(const hb_ntt_launch *launch);      /* 2^13 .. 2^17: columns, then rows */
hb_status hb_ntt_launch_dataflow(const hb_ntt_launch *launch); /* 2^16 .. 2^17: the same two in one launch */

#endif
