#include "table.h"

#include <inttypes.h>
#include <math.h>

#include "base/outward.h"
#include "bfv/noise.h"
#include "bootstrapping/chain.h"
#include "rlwe/bounds.h"

/* The bits to which results, times t, are right, as a root mean square, at N = 1024 with t = 1: two for each bit of t
 * fewer, as the polynomial's slope is t times that of its operand, and log2 of N / 1024. Measured with the table that
 * has its largest and its least entry by turns: its polynomial is the steepest. Others have one to nine bits more. */
static const double read_bits = 36.4;

/* From the root mean square of an error to the bound that all but 2^-64 of ciphertexts keep, in bits (noise.c). */
static const double drawn_tail = 6.2;

/* The way to q_0, the raise and the maps move a coefficient by less than this, in steps of the message. */
static const double own_delta = 0x1p-18;

/* Keeps a root of what is missed above 0 where delta is 0. */
static const double least_missed = 1e-300;

hb_status hb_refresh_table_bits(const hb_params *params, uint32_t *bits)
{
    const uint64_t t = params->spec.bfv.plain;
    const uint32_t levels = params->spec.bootstrapping.table_levels;
    *bits = 0;
    if (params->spec.scheme != HB_BFV || levels == 0) {
        return HB_FAIL(HB_ECONFIG, "parameters %s have no levels for tables: take int-16-table-4 or int-16-table-8",
                       params->name);
    }
    while (t >> *bits > 1) {
        ++*bits;
    }
    return t == (uint64_t)1 << *bits && *bits >= 2 && *bits <= levels
               ? HB_OK
               : HB_FAIL(HB_ECONFIG,
                         "t = %" PRIu64 " has no tables with parameters %s: t is a power of two from 4 to %" PRIu64, t,
                         params->name, (uint64_t)1 << levels);
}

/* Returns log2 of what a table makes of a coefficient that is delta steps off, times t: t (1 - K), K = (sin(pi delta) /
 * (t sin(pi delta / t)))^2. */
static double missed(double t, double delta)
{
    const double pi = 3.14159265358979323846, root = sin(pi * delta) / (t * sin(pi * delta / t));
    return log2(t * (1 - root * root));
}

static hb_status check(double delta, double limit)
{
    return delta < limit
               ? HB_OK
               : HB_FAIL(HB_EDATA,
                         "too little noise budget is left for a table, by %.1f bits: coefficients may be nearer to "
                         "another integer than the table allows",
                         fmax(hb_decimal_up(log2(delta / limit), 1), 0.1));
}

hb_status hb_refresh_table_noise(const hb_params *params, hb_certainty certainty, hb_quality a, hb_quality *out)
{
    uint32_t bits;
    HB_TRY(hb_refresh_table_bits(params, &bits));
    if (certainty == HB_CERTAINTY_PROVEN) {
        return HB_FAIL(HB_ECONFIG, "no bound of the noise behind a table is proven: take --noise drawn or expected");
    }
    const double n = (double)params->spec.n, t = (double)params->spec.bfv.plain;
    const double q = hb_log_modulus(params, hb_params_fresh_limbs(params));
    const double delta = exp2(hb_quality_bound(a, certainty, HB_NOISE_MARGIN) - q) + own_delta,
                 likely = fmin(exp2(a.expected - q) + own_delta, delta);
    const double read = -(read_bits - 2.0 * bits - log2(n / 1024)), tail = log2(sqrt(2 * log(2 * n)));
    HB_TRY(check(delta, 0.5));
    const double worst = exp2(missed(t, delta)) + exp2(read + drawn_tail);
    /* Near 0 a result misses by the square of delta: so half of the missing bits are reported. */
    HB_TRY(check(delta * sqrt(fmax(2 * worst, least_missed)), delta));
    *out = (hb_quality){.worst = q + log2(worst) + HB_BOUND_SLACK,
                        .expected = q + log2(exp2(missed(t, likely)) + exp2(read + drawn_tail - HB_NOISE_MARGIN)) +
                                    HB_BOUND_SLACK,
                        .even = q + log2(exp2(missed(t, likely)) + exp2(read + tail)) + HB_BOUND_SLACK,
                        .powers = 1,
                        .certainty = hb_certainty_of_both(certainty, a.certainty)};
    return HB_OK;
}
