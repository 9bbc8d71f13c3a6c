/* Figures of Kim et al. about their two kernels together, and table II. */
#include "figures_kim.h"

#include <math.h>
#include <stdio.h>

/* Columns and rows have 2^6 to 2^11 words. */
enum { LEAST_LOG = 6, MOST_LOG = 11 };

/* A sweep over columns: the measurement for each; x is log2 of the columns. */
typedef struct sweep {
    const char *series;
    uint32_t log_n, log_points, on_the_fly;
    bool complex;
    double best; /* microseconds */
} sweep;

static hb_status time_split(hb_figure_run *run, const sweep *s, uint32_t log_columns, double *us)
{
    hb_kim_shared shared;
    if (s->complex) {
        return hb_kim_time_complex(run, HB_KIM_LIMBS, log_columns, s->log_points, us);
    }
    hb_kim_shared_make(&shared, &(hb_kim_shared_variant){.log_columns = log_columns,
                                                         .log_points = s->log_points,
                                                         .log_row_points = s->log_points,
                                                         .on_the_fly = s->on_the_fly,
                                                         .preload = true});
    return hb_kim_time(run, &shared.design, s->log_n, HB_KIM_LIMBS, us);
}

static hb_status sweep_columns(hb_figure_run *run, sweep *s)
{
    const uint32_t first = s->log_n > LEAST_LOG + MOST_LOG ? s->log_n - MOST_LOG : LEAST_LOG;
    const uint32_t last = s->log_n - LEAST_LOG < MOST_LOG ? s->log_n - LEAST_LOG : MOST_LOG;
    s->best = INFINITY;
    for (uint32_t log_columns = first; log_columns <= last; log_columns++) {
        double us;
        if (hb_figure_skips(run, log_columns - first, last - first + 1)) {
            continue;
        }
        HB_TRY(time_split(run, s, log_columns, &us));
        s->best = us < s->best ? us : s->best;
        if (s->series != NULL) {
            HB_TRY(hb_kim_point(run, s->series, log_columns, us));
        }
    }
    return HB_OK;
}

/* The dotted line of figure 11: the best radix in registers, as the paper found it. */
static hb_status registers(hb_figure_run *run, const char *series, double us)
{
    for (uint32_t log_columns = LEAST_LOG; log_columns <= MOST_LOG; log_columns++) {
        if (!hb_figure_skips(run, log_columns - LEAST_LOG, MOST_LOG - LEAST_LOG + 1)) {
            HB_TRY(hb_kim_point(run, series, log_columns, us));
        }
    }
    return HB_OK;
}

hb_status hb_kim_figure_11a(hb_figure_run *run)
{
    static const char *const series[] = {"2 points", "4 points", "8 points"};
    double us;
    for (uint32_t i = 0; i < 3; i++) {
        HB_TRY(sweep_columns(run, &(sweep){.series = series[i], .log_n = HB_KIM_LOG_N, .log_points = i + 1}));
    }
    HB_TRY(hb_kim_time(run, hb_design_find("kim-register-16"), HB_KIM_LOG_N, HB_KIM_LIMBS, &us));
    HB_TRY(registers(run, "registers, radix 16", us));
    return hb_figure_note(run, "registers, radix 16, on the paper's Titan V: 566 us; all its two kernels were faster");
}

hb_status hb_kim_figure_11b(hb_figure_run *run)
{
    static const char *const series[] = {"2 points", "4 points", "8 points"};
    double us;
    for (uint32_t i = 0; i < 3; i++) {
        HB_TRY(sweep_columns(
            run, &(sweep){.series = series[i], .log_n = HB_KIM_LOG_N, .log_points = i + 1, .complex = true}));
    }
    HB_TRY(hb_kim_time_complex(run, HB_KIM_LIMBS, 0, 5, &us));
    HB_TRY(registers(run, "registers, radix 32", us));
    return hb_figure_note(run,
                          "registers, radix 32, on the paper's Titan V: 364.2 us; all its two kernels were faster");
}

hb_status hb_kim_figure_11c(hb_figure_run *run)
{
    static const char *const series[] = {"from tables", "last stage on the fly", "last two stages on the fly"};
    for (uint32_t i = 0; i < 3; i++) {
        HB_TRY(
            sweep_columns(run, &(sweep){.series = series[i], .log_n = HB_KIM_LOG_N, .log_points = 3, .on_the_fly = i}));
    }
    return HB_OK;
}

hb_status hb_kim_figure_12a(hb_figure_run *run)
{
    for (uint32_t log_n = HB_KIM_MIN_LOG_N; log_n <= HB_KIM_LOG_N; log_n++) {
        for (uint32_t on_the_fly = 0; on_the_fly <= 2; on_the_fly += 2) {
            char series[64];
            snprintf(series, sizeof series, "N = 2^%u%s", log_n, on_the_fly > 0 ? ", on the fly" : "");
            HB_TRY(sweep_columns(
                run, &(sweep){.series = series, .log_n = log_n, .log_points = 3, .on_the_fly = on_the_fly}));
        }
    }
    return HB_OK;
}

/* Bytes of one limb: read and written by either kernel, and the table read once. */
static hb_status bytes_of(hb_figure_run *run, const char *name, uint32_t log_n, double *bytes)
{
    const hb_design *design = hb_design_find(name);
    hb_design_case c;
    void *state;
    HB_ASSERT(design != NULL);
    HB_TRY(hb_figure_case(run, log_n, HB_KIM_BITS, 1, 1, true, &c));
    HB_TRY(design->open(design, &c, &state));
    *bytes = (double)((size_t)(4 * design->word_bytes) << log_n) + (double)design->table_bytes(state);
    design->close(state);
    return HB_OK;
}

hb_status hb_kim_figure_12c(hb_figure_run *run)
{
    static const double paper[] = {24.5, 23.5, 24.5, 25.1};
    for (uint32_t log_n = HB_KIM_MIN_LOG_N; log_n <= HB_KIM_LOG_N; log_n++) {
        double tables, last_two;
        HB_TRY(bytes_of(run, "kim-shared-8", log_n, &tables));
        HB_TRY(bytes_of(run, "kim-shared-8-fly-2", log_n, &last_two));
        HB_TRY(hb_figure_point(run, "words and twiddles, counted", log_n, 100 * (1 - last_two / tables)));
        HB_TRY(hb_figure_reported(run, "accesses" HB_KIM_TITAN, log_n, paper[log_n - HB_KIM_MIN_LOG_N]));
    }
    return hb_figure_note(run, "counted, not measured: every word read and written by both kernels, every twiddle read "
                               "once; a cache that holds them all leaves nothing to save");
}

hb_status hb_kim_table_2(hb_figure_run *run)
{
    static const double paper[][3] = {{166, 48.6, 44.1}, {340, 92.0, 84.2}, {693, 171.8, 156.3}, {1427, 329.0, 304.2}};
    static const char *const series[] = {"radix 2" HB_KIM_TITAN, "two kernels" HB_KIM_TITAN,
                                         "two kernels, on the fly" HB_KIM_TITAN};
    const uint32_t sizes = HB_KIM_LOG_N - HB_KIM_MIN_LOG_N + 1;
    for (uint32_t i = 0; i < sizes; i++) {
        const uint32_t log_n = HB_KIM_MIN_LOG_N + i;
        sweep tables = {.log_n = log_n, .log_points = 3}, fly = {.log_n = log_n, .log_points = 3, .on_the_fly = 2};
        double radix_2, ours;
        if (hb_figure_skips(run, i, sizes)) {
            continue;
        }
        HB_TRY(hb_kim_time(run, hb_design_find("ours"), log_n, HB_KIM_LIMBS, &ours));
        HB_TRY(hb_kim_time(run, hb_design_find("kim-register-2"), log_n, HB_KIM_LIMBS, &radix_2));
        HB_TRY(sweep_columns(run, &tables));
        HB_TRY(sweep_columns(run, &fly));
        HB_TRY(hb_kim_point(run, "ours", log_n, ours));
        HB_TRY(hb_kim_point(run, "radix 2", log_n, radix_2));
        HB_TRY(hb_kim_point(run, "two kernels", log_n, tables.best));
        HB_TRY(hb_kim_point(run, "two kernels, on the fly", log_n, fly.best));
        for (int column = 0; column < 3; column++) {
            HB_TRY(hb_figure_reported(run, series[column], log_n, paper[i][column]));
        }
    }
    return hb_figure_note(run,
                          "two kernels: 8 points a thread and the fastest columns for each N; on the fly: the last "
                          "two stages");
}
