/* Figures of Kim et al. about transforms in registers, and the list of all their figures. */
#include "figures_kim.h"

#include <math.h>

hb_status hb_kim_time(hb_figure_run *run, const hb_design *design, uint32_t log_n, uint32_t limbs, double *us)
{
    hb_design_case c;
    double seconds = INFINITY;
    HB_ASSERT(design != NULL);
    HB_TRY(hb_figure_case(run, log_n, HB_KIM_BITS, limbs, 1, true, &c));
    const hb_status st = hb_figure_time_design(run, design, &c, &seconds);
    if (st == HB_EUNAVAILABLE) {
        HB_TRY(hb_figure_note(run, "%s: %s", design->name, hb_last_error()->text));
        hb_clear_error();
        seconds = INFINITY;
    } else if (st != HB_OK) {
        return st;
    }
    *us = seconds * 1e6;
    return HB_OK;
}

hb_status hb_kim_point(hb_figure_run *run, const char *series, double x, double us)
{
    return isfinite(us) ? hb_figure_point(run, series, x, us) : HB_OK;
}

static hb_status time_point(hb_figure_run *run, const char *series, double x, const char *design, uint32_t log_n,
                            uint32_t limbs)
{
    double us;
    HB_TRY(hb_kim_time(run, hb_design_find(design), log_n, limbs, &us));
    return hb_kim_point(run, series, x, us);
}

hb_status hb_kim_time_work(hb_figure_run *run, hb_kim_work *work, double *us)
{
    double seconds = 0;
    const hb_status st = hb_figure_time(run, hb_kim_work_issue, work, &seconds);
    hb_kim_work_close(work);
    *us = seconds * 1e6;
    return st;
}

hb_status hb_kim_time_complex(hb_figure_run *run, size_t count, uint32_t log_columns, uint32_t log_points, double *us)
{
    hb_kim_work *work;
    HB_TRY(hb_kim_complex_open(HB_KIM_LOG_N, count, log_columns, log_points, &work));
    return hb_kim_time_work(run, work, us);
}

static hb_status figure_1(hb_figure_run *run)
{
    static const char *const series[][2] = {
        {"Shoup", "kim-register-2"}, {"native %", "kim-register-2-native"}, {"Barrett", "kim-register-2-barrett"}};
    double us[3] = {0};
    for (uint32_t log_n = HB_KIM_MIN_LOG_N; log_n <= HB_KIM_LOG_N; log_n++) {
        if (hb_figure_skips(run, log_n - HB_KIM_MIN_LOG_N, HB_KIM_LOG_N - HB_KIM_MIN_LOG_N + 1)) {
            continue;
        }
        for (int i = 0; i < 3; i++) {
            HB_TRY(hb_kim_time(run, hb_design_find(series[i][1]), log_n, 45, &us[i]));
            HB_TRY(hb_kim_point(run, series[i][0], log_n, us[i]));
        }
    }
    return hb_figure_note(
        run, "N = 2^17: Shoup is %.2f times as fast as the native modulo; 2.4 times on the paper's Titan V",
        us[1] / us[0]);
}

static hb_status figure_3(hb_figure_run *run)
{
    static const uint32_t batches[] = {1, 2, 3, 5, 7, 11, 15, 21};
    const size_t count = sizeof batches / sizeof *batches;
    double ntt[HB_KIM_LIMBS + 1], dft[HB_KIM_LIMBS + 1];
    for (size_t i = 0; i < count; i++) {
        const uint32_t batch = batches[i];
        if (hb_figure_skips(run, i, count)) {
            continue;
        }
        HB_TRY(hb_kim_time(run, hb_design_find("kim-register-2"), HB_KIM_LOG_N, batch, &ntt[batch]));
        HB_TRY(hb_kim_time_complex(run, batch, 0, 1, &dft[batch]));
        HB_TRY(hb_figure_point(run, "NTT", batch, ntt[batch] * HB_KIM_LIMBS / batch));
        HB_TRY(hb_figure_point(run, "DFT, FP32", batch, dft[batch] * HB_KIM_LIMBS / batch));
    }
    HB_TRY(hb_figure_reported(run, "NTT" HB_KIM_TITAN, 1, 2751.5));
    HB_TRY(hb_figure_reported(run, "NTT" HB_KIM_TITAN, HB_KIM_LIMBS, 1426.4));
    return hb_figure_note(run, "a batch of 21 gains %.2f times (NTT), %.2f times (DFT); 1.92 and 1.84 in the paper",
                          HB_KIM_LIMBS * ntt[1] / ntt[HB_KIM_LIMBS], HB_KIM_LIMBS * dft[1] / dft[HB_KIM_LIMBS]);
}

static hb_status figure_4(hb_figure_run *run)
{
    for (uint32_t log_radix = 1; log_radix <= 7; log_radix++) {
        static const char *const names[] = {"kim-register-2",  "kim-register-4",  "kim-register-8",  "kim-register-16",
                                            "kim-register-32", "kim-register-64", "kim-register-128"};
        double us;
        if (hb_figure_skips(run, log_radix - 1, 7)) {
            continue;
        }
        HB_TRY(time_point(run, "N = 2^16", log_radix, names[log_radix - 1], 16, HB_KIM_LIMBS));
        HB_TRY(time_point(run, "N = 2^17", log_radix, names[log_radix - 1], HB_KIM_LOG_N, HB_KIM_LIMBS));
        HB_TRY(hb_kim_time_complex(run, HB_KIM_LIMBS, 0, log_radix, &us));
        HB_TRY(hb_figure_point(run, "DFT, FP32, N = 2^17", log_radix, us));
    }
    HB_TRY(hb_figure_reported(run, "N = 2^16" HB_KIM_TITAN, 1, 693));
    HB_TRY(hb_figure_reported(run, "N = 2^17" HB_KIM_TITAN, 1, 1426.4));
    HB_TRY(hb_figure_reported(run, "N = 2^17" HB_KIM_TITAN, 4, 566));
    HB_TRY(hb_figure_reported(run, "DFT, N = 2^17" HB_KIM_TITAN, 5, 364.2));
    return hb_figure_note(run, "passes over the data, N = 2^17: 17, 9, 6, 5, 4, 3, 3 for radix 2 to 128");
}

#define KIND "ntt"
#define US_21 "us for 21 limbs"
const hb_figure hb_figures_kim[] = {
    {KIND, "kim-figure-1", "Kim et al., figure 1", "Modular multiplications, radix 2", "log2 N", "us for 45 limbs",
     true, figure_1},
    {KIND, "kim-figure-3", "Kim et al., figure 3", "Radix 2 by batches, N = 2^17", "limbs of a batch",
     "us for 21 transforms", false, figure_3},
    {KIND, "kim-figure-4", "Kim et al., figures 4 and 5", "High radix in registers", "log2 radix", US_21, false,
     figure_4},
    {KIND, "kim-figure-7", "Kim et al., figure 7", "Coalesced accesses of the columns, N = 2^17", "log2 columns", US_21,
     false, hb_kim_figure_7},
    {KIND, "kim-figure-9", "Kim et al., figure 9", "Twiddles of the columns, N = 2^17", "log2 columns", US_21, false,
     hb_kim_figure_9},
    {KIND, "kim-figure-11a", "Kim et al., figure 11 a", "Points of a thread, N = 2^17", "log2 columns", US_21, false,
     hb_kim_figure_11a},
    {KIND, "kim-figure-11b", "Kim et al., figure 11 b", "Points of a thread, DFT in FP32, N = 2^17", "log2 columns",
     US_21, false, hb_kim_figure_11b},
    {KIND, "kim-figure-11c", "Kim et al., figure 11 c", "Twiddles on the fly, N = 2^17", "log2 columns", US_21, false,
     hb_kim_figure_11c},
    {KIND, "kim-figure-12a", "Kim et al., figure 12 a", "Columns and rows for every N", "log2 columns", US_21, true,
     hb_kim_figure_12a},
    {KIND, "kim-figure-12c", "Kim et al., figure 12 c", "Memory accesses that twiddles on the fly save", "log2 N", "%",
     false, hb_kim_figure_12c},
    {KIND, "kim-table-2", "Kim et al., table II", "Radix 2 and the best of two kernels", "log2 N", US_21, true,
     hb_kim_table_2},
    {0}};
