/* Cheddar, figures 1, 2 and 4: the transform's parameters, twiddles on the fly, and the blocking of base conversion.
 * The paper plots them and prints no values; the notes have the statements of its text. Its level has 54 limbs when
 * full, 28 when half used up, N = 2^16, and a conversion is from 14 primes, hence 28 bits (section 4.2). */
#include "cheddar.h"

#include <stdio.h>
#include <string.h>

enum { LOG_N = 16, BITS = 28, FROM = 14, LEVELS = 2 };
static const uint32_t level[LEVELS] = {54, 28};
static const double us = 1e6, ns = 1e9;

typedef struct name {
    char text[96];
} name;

typedef struct sweep {
    uint32_t n1, g1, g2, b;
} sweep;

static const hb_design *find(sweep s)
{
    name n;
    snprintf(n.text, sizeof n.text, "cheddar-%ux%u-%u-%u-%u", s.n1, (1u << LOG_N) / s.n1, s.g1, s.g2, s.b);
    const hb_design *design = hb_designs_cheddar_sweep;
    while (design->name != NULL && strcmp(design->name, n.text) != 0) {
        design++;
    }
    HB_ASSERT(design->name != NULL);
    return design;
}

/* One transform of a polynomial of so many limbs. */
static hb_status time_sweep(hb_figure_run *run, sweep s, uint32_t limbs, double *seconds)
{
    hb_design_case c;
    HB_TRY(hb_figure_case(run, LOG_N, BITS, limbs, 1, true, &c));
    return hb_figure_time_design(run, find(s), &c, seconds);
}

static uint32_t log2_of(uint32_t power)
{
    return 31 - (uint32_t)__builtin_clz(power);
}

/* Measures a split of N with the better of the granularities 8 and 16. */
static hb_status measure_split(hb_figure_run *run, uint32_t n1, uint32_t limbs)
{
    static const uint32_t words[] = {8, 16};
    sweep best = {0};
    double least = 0;
    name series;
    for (uint32_t i = 0; i < 4; i++) {
        const sweep s = {n1, words[i / 2], words[i % 2], 16};
        double seconds;
        HB_TRY(time_sweep(run, s, limbs, &seconds));
        if (i == 0 || seconds < least) {
            best = s;
            least = seconds;
        }
    }
    snprintf(series.text, sizeof series.text, "L = %u", limbs);
    HB_TRY(hb_figure_point(run, series.text, log2_of(n1), least * us));
    return hb_figure_note(run, "%u x %u, L = %u: G1 = %u, G2 = %u", n1, (1u << LOG_N) / n1, limbs, best.g1, best.g2);
}

static hb_status measure_splits(hb_figure_run *run)
{
    static const uint32_t n1[] = {32, 64, 128, 256, 512};
    const size_t count = sizeof n1 / sizeof n1[0];
    for (size_t l = 0; l < LEVELS; l++) {
        for (size_t i = 0; i < count; i++) {
            if (!hb_figure_skips(run, i, count)) {
                HB_TRY(measure_split(run, n1[i], level[l]));
            }
        }
    }
    return hb_figure_note(run, "the least of G1 and G2 of 8 and 16, B = 16; the paper: best at 128 x 512 on an A100");
}

static hb_status measure_granularities(hb_figure_run *run)
{
    static const uint32_t words[] = {4, 8, 16};
    for (size_t i = 0; i < LEVELS * 9; i++) {
        const uint32_t limbs = level[i / 9], g1 = words[i / 3 % 3], g2 = words[i % 3];
        double seconds;
        name series;
        if (hb_figure_skips(run, i % 3, 3)) {
            continue;
        }
        HB_TRY(time_sweep(run, (sweep){128, g1, g2, 16}, limbs, &seconds));
        snprintf(series.text, sizeof series.text, "L = %u, G1 = %u", limbs, g1);
        HB_TRY(hb_figure_point(run, series.text, log2_of(g2), seconds * us));
    }
    return hb_figure_note(run, "128 x 512, B = 16; the paper: best at G1 = 16, G2 = 8 on an A100");
}

static hb_status measure_columns(hb_figure_run *run)
{
    static const uint32_t b[] = {4, 8, 16, 32, 64};
    const size_t count = sizeof b / sizeof b[0];
    for (size_t i = 0; i < LEVELS * count; i++) {
        double seconds;
        name series;
        if (hb_figure_skips(run, i % count, count)) {
            continue;
        }
        HB_TRY(time_sweep(run, (sweep){128, 16, 8, b[i % count]}, level[i / count], &seconds));
        snprintf(series.text, sizeof series.text, "L = %u", level[i / count]);
        HB_TRY(hb_figure_point(run, series.text, log2_of(b[i % count]), seconds * us));
    }
    return hb_figure_note(run, "128 x 512, G1 = 16, G2 = 8; the paper: best at B = 16 on an A100");
}

static const struct {
    const char *design, *series;
} tuned[] = {
    {"cheddar", "twiddles read"}, {"cheddar-on-the-fly", "twiddles on the fly"}, {"ours", "ours, 64-bit words"}};
enum { TUNED = sizeof tuned / sizeof tuned[0] };

static hb_status measure_on_the_fly(hb_figure_run *run)
{
    for (size_t i = 0; i < LEVELS * TUNED; i++) {
        hb_design_case c;
        double seconds;
        HB_TRY(hb_figure_case(run, LOG_N, BITS, level[i / TUNED], 1, true, &c));
        HB_TRY(hb_figure_time_design(run, hb_design_find(tuned[i % TUNED].design), &c, &seconds));
        HB_TRY(hb_figure_point(run, tuned[i % TUNED].series, c.moduli, seconds * us));
    }
    return hb_figure_note(run, "the paper: on the fly 18.5 %% (L = 54) and 14.5 %% (L = 28) faster on an RTX 4090");
}

/* Many polynomials: the time of a limb, both ways. */
static hb_status measure_sizes(hb_figure_run *run)
{
    enum { LEAST = 12, SIZES = 6, MODULI = 8 };
    for (uint32_t i = 0; i < SIZES * 2 * TUNED; i++) {
        const uint32_t log_n = LEAST + i / (2 * TUNED), which = i / 2 % TUNED;
        const bool forward = i % 2 == 0;
        hb_design_case c;
        double seconds;
        name series;
        if (hb_figure_skips(run, log_n - LEAST, SIZES)) {
            continue;
        }
        HB_TRY(hb_figure_case(run, log_n, BITS, MODULI, 0, forward, &c));
        HB_TRY(hb_figure_time_design(run, hb_design_find(tuned[which].design), &c, &seconds));
        snprintf(series.text, sizeof series.text, "%s, %s", tuned[which].series, forward ? "forward" : "inverse");
        HB_TRY(hb_figure_point(run, series.text, log_n, seconds / (double)(c.count * MODULI) * ns));
    }
    return hb_figure_note(run, "%d-bit primes; N1 x 512, tuned at N = 2^16 and carried over to other N", BITS);
}

/* Figure 4: Nb = 256 / Lb. */
static hb_status measure_conversion(hb_figure_run *run, uint32_t limbs)
{
    static const hb_cheddar_blocking shape[] = {{1, 0, 1}, {1, 0, 2}, {1, 0, 4}, {1, 0, 8}, {2, 0, 4}, {4, 0, 4}};
    static const uint32_t lt[] = {1, 2, 3, 4, 6, 8};
    const size_t count = sizeof lt / sizeof lt[0];
    hb_design_case c;
    HB_TRY(hb_figure_case(run, LOG_N, BITS, FROM + limbs, 1, true, &c));
    const double bytes = (double)((size_t)c.moduli * sizeof(int32_t) << LOG_N);
    for (size_t i = 0; i < count * (sizeof shape / sizeof shape[0]); i++) {
        hb_cheddar_blocking b = shape[i / count];
        double seconds;
        name series;
        if (hb_figure_skips(run, i % count, count)) {
            continue;
        }
        b.lt = lt[i % count];
        HB_TRY(hb_cheddar_convert_time(run, &c, FROM, b, &seconds));
        snprintf(series.text, sizeof series.text, "Lb = %u, Nt = %u", b.lb, b.nt);
        HB_TRY(hb_figure_point(run, series.text, b.lt, seconds * us));
    }
    return hb_figure_note(run, "from %d to %u primes of %d bits; residues once to and from memory: %.1f us", FROM,
                          limbs, BITS, bytes / hb_figure_memory_rate(run) * us);
}

static hb_status measure_full(hb_figure_run *run)
{
    HB_TRY(measure_conversion(run, level[0]));
    return hb_figure_note(run, "the paper takes Lb = 1, Nb = 256, Lt = 3, Nt = 4: 1.98 times as fast as the kernel of "
                               "100x on an A100");
}

static hb_status measure_half(hb_figure_run *run)
{
    HB_TRY(measure_conversion(run, level[1]));
    return hb_figure_note(run, "the paper takes Lb = 1, Nb = 256, Lt = 3, Nt = 4: 1.69 times as fast as the kernel of "
                               "100x on an A100");
}

const hb_figure hb_figures_cheddar[] = {
    {"ntt", "cheddar-figure-1a", "Cheddar, figure 1 (a)", "Rows and columns, N = 2^16", "log2 N1", "us", false,
     measure_splits},
    {"ntt", "cheddar-figure-1b", "Cheddar, figure 1 (b)", "Words of a thread, 128 x 512", "log2 G2", "us", false,
     measure_granularities},
    {"ntt", "cheddar-figure-1-columns", "Cheddar, section 4.1", "Columns of a block, 128 x 512", "log2 B", "us", false,
     measure_columns},
    {"ntt", "cheddar-figure-2", "Cheddar, figure 2", "Twiddles on the fly, N = 2^16", "L", "us", false,
     measure_on_the_fly},
    {"ntt", "cheddar-sizes", "Cheddar, section 4.1", "Both ways, many polynomials", "log2 N", "ns a limb", true,
     measure_sizes},
    {"crt", "cheddar-figure-4-full", "Cheddar, figure 4 (a), (b)", "Base conversion, L = 54", "Lt", "us", false,
     measure_full},
    {"crt", "cheddar-figure-4-half", "Cheddar, figure 4 (c), (d)", "Base conversion, L = 28", "Lt", "us", false,
     measure_half},
    {0},
};
