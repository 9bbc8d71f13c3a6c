/* Figures of Kim et al. about the first of their two kernels, the one for columns. */
#include "figures_kim.h"

#include <math.h>

enum { MIN_LOG_COLUMNS = 6, MAX_LOG_COLUMNS = 10 };

/* The kernel for columns, after the whole design has been compared with the CPU; radices as the paper's R1 and R2. */
static hb_status time_columns(hb_figure_run *run, uint32_t log_columns, bool preload, bool apart, double *us)
{
    hb_design_case c;
    hb_kim_shared shared;
    hb_kim_work *work;
    double all;
    hb_kim_shared_make(&shared, &(hb_kim_shared_variant){.log_columns = log_columns,
                                                         .log_points = (log_columns + 1) / 2,
                                                         .log_row_points = 3,
                                                         .preload = preload,
                                                         .apart = apart});
    HB_TRY(hb_kim_time(run, &shared.design, HB_KIM_LOG_N, HB_KIM_LIMBS, &all));
    *us = INFINITY;
    if (!isfinite(all)) {
        return HB_OK;
    }
    HB_TRY(hb_figure_case(run, HB_KIM_LOG_N, HB_KIM_BITS, HB_KIM_LIMBS, 1, true, &c));
    HB_TRY(hb_kim_columns_open(&shared, &c, &work));
    return hb_kim_time_work(run, work, us);
}

/* Two ways to run columns of 2^6 to 2^10, and the average gain of the second. */
typedef struct way {
    const char *series;
    bool preload, apart;
} way;
static hb_status compare_columns(hb_figure_run *run, const way ways[2], const char *paper)
{
    double gain = 0;
    int points = 0;
    for (uint32_t log_columns = MIN_LOG_COLUMNS; log_columns <= MAX_LOG_COLUMNS; log_columns++) {
        double us[2];
        if (hb_figure_skips(run, log_columns - MIN_LOG_COLUMNS, MAX_LOG_COLUMNS - MIN_LOG_COLUMNS + 1)) {
            continue;
        }
        for (int i = 0; i < 2; i++) {
            HB_TRY(time_columns(run, log_columns, ways[i].preload, ways[i].apart, &us[i]));
            HB_TRY(hb_kim_point(run, ways[i].series, log_columns, us[i]));
        }
        gain += us[0] / us[1] - 1;
        points++;
    }
    return hb_figure_note(run, "%s: %.1f %% faster on average; %s on the paper's Titan V", ways[1].series,
                          100 * gain / points, paper);
}

hb_status hb_kim_figure_7(hb_figure_run *run)
{
    return compare_columns(run, (way[]){{"not coalesced", false, true}, {"coalesced", false, false}}, "21.6 %");
}

hb_status hb_kim_figure_9(hb_figure_run *run)
{
    return compare_columns(
        run, (way[]){{"twiddles from memory", false, false}, {"twiddles in shared memory", true, false}}, "8.4 %");
}
