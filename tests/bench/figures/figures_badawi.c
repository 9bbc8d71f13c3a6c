/* Al Badawi et al., tables 6 and 7: the discrete Galois transform. Reductions and the Chinese remainder theorem,
 * tables 1, 2 and the rest of these two: figures_badawi_crt.c. */
#include "figure.h"

#include <stdio.h>

/* A polynomial of N coefficients modulo q: one call transforms its residues modulo log2 q / 31 primes of 31 bits. */
typedef struct setting {
    uint32_t log_n, moduli;
    double k80[2], p100[2]; /* milliseconds in tables 6 and 7: inverse, forward */
} setting;

static const setting settings[] = {{11, 2, {0.033, 0.031}, {0.030, 0.027}},
                                   {12, 6, {0.041, 0.039}, {0.040, 0.036}},
                                   {13, 12, {0.050, 0.048}, {0.048, 0.040}},
                                   {14, 24, {0.202, 0.193}, {0.093, 0.087}}};
enum { BITS = 31, SETTINGS = sizeof settings / sizeof settings[0] };

static const struct {
    const char *design, *series;
} rows[] = {{"dgt", "DGT, %"}, {"dgt-montgomery", "DGT, Montgomery"}, {"ours", "ours: NTT, 64-bit words"}};
enum { ROWS = sizeof rows / sizeof rows[0] };

static hb_status measure_latency(hb_figure_run *run, bool forward)
{
    const double ms = 1e3;
    for (size_t i = 0; i < SETTINGS; i++) {
        const setting *s = &settings[i];
        hb_design_case c;
        HB_TRY(hb_figure_reported(run, "DGT, Tesla K80", s->log_n, s->k80[forward]));
        HB_TRY(hb_figure_reported(run, "DGT, Tesla P100", s->log_n, s->p100[forward]));
        if (hb_figure_skips(run, i, SETTINGS)) {
            continue;
        }
        HB_TRY(hb_figure_case(run, s->log_n, BITS, s->moduli, 1, forward, &c));
        for (size_t r = 0; r < ROWS; r++) {
            double seconds;
            HB_TRY(hb_figure_time_design(run, hb_design_find(rows[r].design), &c, &seconds));
            HB_TRY(hb_figure_point(run, rows[r].series, s->log_n, seconds * ms));
        }
    }
    return hb_figure_note(run, "one polynomial of 2, 6, 12 and 24 limbs with primes of %d bits", BITS);
}

static hb_status measure_forward(hb_figure_run *run)
{
    return measure_latency(run, true);
}

static hb_status measure_inverse(hb_figure_run *run)
{
    return measure_latency(run, false);
}

/* Many polynomials, to measure the transform rather than its start. */
static hb_status measure_sizes(hb_figure_run *run)
{
    enum { LEAST = 12, SIZES = 6, MODULI = 8 };
    const double ns = 1e9;
    for (uint32_t i = 0; i < SIZES * 2 * ROWS; i++) {
        const uint32_t log_n = LEAST + i / (2 * ROWS), r = i / 2 % ROWS;
        const bool forward = i % 2 == 0;
        char series[64];
        hb_design_case c;
        double seconds;
        if (hb_figure_skips(run, log_n - LEAST, SIZES)) {
            continue;
        }
        HB_TRY(hb_figure_case(run, log_n, BITS, MODULI, 0, forward, &c));
        HB_TRY(hb_figure_time_design(run, hb_design_find(rows[r].design), &c, &seconds));
        snprintf(series, sizeof series, "%s, %s", rows[r].series, forward ? "forward" : "inverse");
        HB_TRY(hb_figure_point(run, series, log_n, seconds / (double)(c.count * MODULI) * ns));
    }
    return hb_figure_note(run, "primes of %d bits; from N = 2^13 the transform takes two kernels", BITS);
}

const hb_figure hb_figures_badawi[] = {
    {"ntt", "badawi-dgt", "Al Badawi et al., tables 6, 7", "Discrete Galois transform, one polynomial", "log2 N", "ms",
     true, measure_forward},
    {"ntt", "badawi-dgt-inverse", "Al Badawi et al., tables 6, 7", "Its inverse, one polynomial", "log2 N", "ms", true,
     measure_inverse},
    {"ntt", "badawi-dgt-sizes", "Al Badawi et al., section 6.3", "Discrete Galois transform, many polynomials",
     "log2 N", "ns a limb", true, measure_sizes},
    {0},
};
