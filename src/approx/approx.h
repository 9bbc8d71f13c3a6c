/* Functions of reals as polynomials in the Chebyshev basis, with proven errors. Encrypted reals can only be added and
 * multiplied, so that exp and the like become polynomials.
 *
 * Every number here is the same on every machine: functions are MPFR's, rounded correctly, doubles meet in + - * /
 * alone. How polynomials are found: minimax.h, expansion.h; of sign: sign.h. Their degrees and errors: README.md. */
#ifndef HB_APPROX_APPROX_H
#define HB_APPROX_APPROX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/chebyshev.h"
#include "base/status.h"

/* The functions that can be approximated. sigmoid = 1 / (1 + e^-x), inv = 1 / x, rsqrt = 1 / sqrt(x), gelu = x (1 +
 * erf(x / sqrt 2)) / 2, silu = x sigmoid(x); log is the natural one. */
typedef enum hb_function {
    HB_SIGMOID,
    HB_TANH,
    HB_EXP,
    HB_LOG,
    HB_INV,
    HB_SQRT,
    HB_RSQRT,
    HB_ERF,
    HB_GELU,
    HB_SILU,
    HB_SIGN,
    HB_FUNCTIONS
} hb_function;

/* A request for an approximation. low < high are at most HB_APPROXIMATION_MOST_END in magnitude; of sign only the
 * larger magnitude counts, as its interval is taken symmetric. */
typedef struct hb_approximation_request {
    hb_function function;
    double low, high;
    double bits; /* the error is to be at most 2^-bits, absolute; from HB_APPROXIMATION_LEAST_BITS to _MOST_BITS */
    /* For sign, above 0 and below the larger magnitude, of which it is at least HB_APPROXIMATION_LEAST_GAP: nothing
     * is said of x in (-gap, gap) but that results are in [-1 - error, 1 + error], to within
     * HB_APPROXIMATION_GAP_EXCESS. Others: 0. */
    double gap;
} hb_approximation_request;

/* Coefficients are doubles, so the best error of a polynomial is near 2^-50 of its largest values. */
#define HB_APPROXIMATION_LEAST_BITS (-64)
#define HB_APPROXIMATION_MOST_BITS 50
/* The largest ends of intervals; the smallest gaps, as shares of them. */
#define HB_APPROXIMATION_MOST_END 0x1p100
#define HB_APPROXIMATION_LEAST_GAP 0x1p-20
/* By how much results within the gap may be larger than those beside it. */
#define HB_APPROXIMATION_GAP_EXCESS 0x1p-18

/* By how much, in gaps, x may be off where a composition of sign takes it, and is a factor beside it. */
#define HB_APPROXIMATION_CORNER_OFF (1.0 / 24)

/* f(x) ~ stage[stages - 1](... stage[0](u)), u = (2 x - low - high) / (high - low). */
typedef struct hb_approximation {
    double low, high; /* of the request; -m and m of sign, m the larger magnitude */
    double gap;       /* of the request */
    uint32_t stages;  /* 1 but of sign */
    /* [stages], owned. Degrees are at least 1; that of one which is a constant to these bits, too, with 0 for its c_1.
     * Coefficients that parity makes 0 are 0. Each stage but the last has results in [-1, 1], by margin[i] at least,
     * where u is in [-1, 1]. */
    hb_chebyshev *stage;
    /* [stages], owned. The error holds as well where the result of stage i, not of the last one, is off by up to
     * margin[i]; that of the last is 0. The input of the first stage is exact: an error of it counts as part of x, and
     * so of the gap. */
    double *margin;
    double error; /* proven: |f - composition| <= error on [low, high], of sign but in (-gap, gap), as real numbers */
    /* For sign, proven: |x| |composition(x + e) - sign(x)| <= corner where |x| and |e| are at most 1 + and
     * HB_APPROXIMATION_CORNER_OFF times the gap, also where results of stages are off by their margins. Others: 0. */
    double corner;
} hb_approximation;

/* Finds the approximation of least depth, sum of ceil(log2(degree + 1)) over stages, then of least degree (of sign:
 * of fewest products) with an error of at most 2^-bits. More bits never give a smaller degree. HB_EDATA, with a
 * sentence that names the interval, where f is not defined on all of it (sqrt is at 0). HB_ECONFIG where no polynomial
 * of degree up to HB_CHEBYSHEV_MOST_DEGREE does it or doubles cannot hold one; the message names a request that would
 * work. HB_EUSAGE where the request breaks the rules above; HB_ENOMEM. The caller clears it, also after a failure.
 * Takes some milliseconds, below a second at the largest degrees. Host. */
hb_status hb_approximate(hb_approximation *out, const hb_approximation_request *request);
/* Finds the same, of sign with stages of at most that degree, 3 or more: shorter ones lose less to errors when they are
 * evaluated, and take as many levels or more. For other functions the degree is not looked at. */
hb_status hb_approximate_within(hb_approximation *out, const hb_approximation_request *request, uint32_t most_degree);
/* Frees its memory; a zeroed one is allowed. */
void hb_approximation_clear(hb_approximation *approximation);
/* Returns the levels that it takes: the sum of hb_chebyshev_levels over its stages. */
uint32_t hb_approximation_depth(const hb_approximation *approximation);

/* Returns the name of a function, "sigmoid", as expressions have it. */
const char *hb_function_name(hb_function function);
/* Returns the function of this name, HB_FUNCTIONS where none has it. */
hb_function hb_function_find(const char *name);
/* Sets least and most to the smallest doubles' interval that holds all f(x), low <= x <= high: true values, rounded
 * outwards. For sign it is {-1}, {1} or [-1, 1], with 0 only where x can be 0. HB_EDATA with a sentence where f is
 * not defined on all of the interval; HB_EUSAGE where it is none of finite ends; infinite where doubles have no such
 * number. */
hb_status hb_function_range(hb_function function, double low, double high, double *least, double *most);

#endif
