/* Every design beside ours and the floor: many limbs, one limb alone; ours against the speeds that it is to reach. */
#include <stdio.h>

#include "figure.h"
#include "ring/ring.h"

enum { LEAST_LOG_N = 12, SIZES = HB_RING_MAX_LOG_N - LEAST_LOG_N + 1, MODULI = 8 };
static const double ns = 1e-9, us = 1e-6;

typedef struct title {
    char text[160];
} title;

/* A point of a design that takes the case. One that does not leaves a gap; one that this GPU cannot run, or that
 * computes something else, a note: the others are shown even so. */
static hb_status add_design(hb_figure_run *run, const hb_design *design, const hb_design_case *c, const char *series,
                            double unit)
{
    double seconds;
    if (c->log_n < design->min_log_n || c->log_n > design->max_log_n || c->bits > design->most_bits) {
        return HB_OK;
    }
    const hb_status st = hb_figure_time_design(run, design, c, &seconds);
    if (st == HB_EUNAVAILABLE || st == HB_EINTERNAL) {
        return hb_figure_note(run, "%s, N = 2^%u, %s: %s", design->name, c->log_n,
                              st == HB_EINTERNAL ? "WRONG" : "not here", hb_last_error()->text);
    }
    HB_TRY(st);
    return hb_figure_point(run, series, c->log_n, seconds / (double)(c->count * c->moduli) / unit);
}

/* All designs whose words have word_bytes; series by their names, `suffix` behind them. */
static hb_status add_all(hb_figure_run *run, const hb_design_case *c, uint32_t word_bytes, const char *suffix,
                         double unit)
{
    for (const hb_design *const *file = hb_designs; *file != NULL; file++) {
        for (const hb_design *design = *file; design->name != NULL; design++) {
            title t;
            snprintf(t.text, sizeof t.text, "%s%s", design->name, suffix);
            if (design->word_bytes == word_bytes) {
                HB_TRY(add_design(run, design, c, t.text, unit));
            }
        }
    }
    return HB_OK;
}

static hb_status measure_designs(hb_figure_run *run, uint32_t bits)
{
    const bool narrow = bits <= 32;
    for (uint32_t i = 0; i < SIZES; i++) {
        hb_design_case c;
        if (hb_figure_skips(run, i, SIZES)) {
            continue;
        }
        HB_TRY(hb_figure_case(run, LEAST_LOG_N + i, bits, MODULI, 0, true, &c));
        HB_TRY(hb_figure_point(run, "floor", c.log_n, hb_figure_floor(run, &c) / ns));
        if (narrow) { /* ours has words of 64 bits */
            HB_TRY(add_design(run, &hb_designs_ours[0], &c, "ours", ns));
            HB_TRY(add_all(run, &c, sizeof(uint32_t), "", ns));
        } else {
            HB_TRY(add_all(run, &c, sizeof(uint64_t), "", ns));
        }
    }
    return hb_figure_note(run, "forward, %u-bit primes, %d moduli, 1 GiB of 64-bit words or as many 32-bit words", bits,
                          MODULI);
}

static hb_status measure_60(hb_figure_run *run)
{
    return measure_designs(run, 60);
}

static hb_status measure_50(hb_figure_run *run)
{
    return measure_designs(run, 50);
}

static hb_status measure_30(hb_figure_run *run)
{
    return measure_designs(run, 30);
}

static hb_status measure_alone(hb_figure_run *run)
{
    static const struct {
        uint32_t log_n;
        double best;
    } seen[] = {{12, 5.2}, {15, 6.4}, {16, 7.1}};
    for (uint32_t i = 0; i < SIZES; i++) {
        hb_design_case wide, medium, narrow;
        if (hb_figure_skips(run, i, SIZES)) {
            continue;
        }
        HB_TRY(hb_figure_case(run, LEAST_LOG_N + i, 60, 1, 1, true, &wide));
        HB_TRY(hb_figure_case(run, LEAST_LOG_N + i, 50, 1, 1, true, &medium));
        HB_TRY(hb_figure_case(run, LEAST_LOG_N + i, 30, 1, 1, true, &narrow));
        HB_TRY(add_all(run, &wide, sizeof(uint64_t), "", us));
        HB_TRY(add_design(run, &hb_designs_ours[0], &medium, "ours, 50-bit prime", us));
        HB_TRY(add_all(run, &narrow, sizeof(uint32_t), ", 30-bit prime", us));
    }
    for (size_t i = 0; i < sizeof seen / sizeof seen[0]; i++) {
        const double share = 0.7; /* the goal for ours, as a share of the best seen */
        HB_TRY(hb_figure_reported(run, "target", seen[i].log_n, share * seen[i].best));
        HB_TRY(hb_figure_reported(run, "GPU-NTT, H200", seen[i].log_n, seen[i].best));
    }
    return hb_figure_note(run, "forward, 60-bit prime but where a series says another");
}

/* Results of libraries on an H200 with CUDA 13.0 in November 2026, and the goal for ours. */
static hb_status report_targets(hb_figure_run *run)
{
    static const struct {
        const char *series;
        double at[SIZES]; /* 0: none */
    } reported[] = {{"target, to 50 bits", {18, 40, 90, 190, 390, 830}},
                    {"target, 51 to 61 bits", {36, 80, 170, 350, 720, 1550}},
                    {"Phantom, 60 bits, H200", {98, 190, 379, 746, 1437, 3332}},
                    {"GPU-NTT, 60 bits, H200", {99, 207, 437, 923, 1955, 4290}},
                    {"GPU-NTT, 30 bits, H200", {57, 114, 241, 508, 1075, 2397}},
                    {"Cheddar, 29 bits, H200", {0, 0, 0, 0, 497, 0}}};
    for (size_t s = 0; s < sizeof reported / sizeof reported[0]; s++) {
        for (uint32_t i = 0; i < SIZES; i++) {
            if (reported[s].at[i] > 0) {
                HB_TRY(hb_figure_reported(run, reported[s].series, LEAST_LOG_N + i, reported[s].at[i]));
            }
        }
    }
    return HB_OK;
}

static hb_status measure_targets(hb_figure_run *run)
{
    static const uint32_t bits[] = {48, 50, 55, 60};
    for (size_t b = 0; b < sizeof bits / sizeof bits[0]; b++) {
        for (uint32_t i = 0; i < SIZES; i++) {
            title forward, inverse, least;
            hb_design_case c;
            if (hb_figure_skips(run, i, SIZES)) {
                continue;
            }
            snprintf(forward.text, sizeof forward.text, "forward, %u bits", bits[b]);
            snprintf(inverse.text, sizeof inverse.text, "inverse, %u bits", bits[b]);
            snprintf(least.text, sizeof least.text, "floor, %u bits", bits[b]);
            HB_TRY(hb_figure_case(run, LEAST_LOG_N + i, bits[b], MODULI, 0, true, &c));
            HB_TRY(add_design(run, &hb_designs_ours[0], &c, forward.text, ns));
            c.forward = false;
            HB_TRY(add_design(run, &hb_designs_ours[0], &c, inverse.text, ns));
            HB_TRY(hb_figure_point(run, least.text, c.log_n, hb_figure_floor(run, &c) / ns));
        }
    }
    return report_targets(run);
}

const hb_figure hb_figures_ours[] = {
    {"ntt", "designs-60", "All papers", "Transforms of many limbs, 60-bit primes", "log2 N", "ns a limb", true,
     measure_60},
    {"ntt", "designs-50", "All papers", "Transforms of many limbs, 50-bit primes", "log2 N", "ns a limb", true,
     measure_50},
    {"ntt", "designs-30", "All papers", "Transforms of many limbs, 30-bit primes", "log2 N", "ns a limb", true,
     measure_30},
    {"ntt", "designs-alone", "All papers", "One limb alone", "log2 N", "us", true, measure_alone},
    {"ntt", "ours-targets", "Ours", "Ours beside what it is to reach", "log2 N", "ns a limb", true, measure_targets},
    {0}};
