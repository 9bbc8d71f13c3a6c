/* Ozerk et al., tables 5 and 6: their five designs for one transform alone, with primes of 30 and of 61 bits. Beside
 * ours stand only the values that the paper's text repeats from its tables. */
#include "figure.h"

/* A design under the name that a table gives it. */
typedef struct table_row {
    const char *series, *design;
    uint32_t bits;
} table_row;

#define MIN_LOG_N 11 /* the paper's n = 2048 */

/* Seconds of one call; 0 where the design does not take the case or this GPU, which only a note says. */
static hb_status time_row(hb_figure_run *run, const table_row *row, const hb_design_case *c, double *seconds)
{
    const hb_design *design = hb_design_find(row->design);
    HB_ASSERT(design != NULL);
    *seconds = 0;
    if (c->log_n > design->max_log_n || c->bits > design->most_bits) {
        return HB_OK;
    }
    const hb_status st = hb_figure_time_design(run, design, c, seconds);
    if (st == HB_EUNAVAILABLE) {
        *seconds = 0;
        return hb_figure_note(run, "%s, N = 2^%u: %s", row->series, c->log_n, hb_last_error()->text);
    }
    return st;
}

/* One transform alone for each row and N up to 2^max_log_n: microseconds. */
static hb_status measure_rows(hb_figure_run *run, const table_row *rows, size_t count, uint32_t max_log_n, bool forward)
{
    for (uint32_t log_n = MIN_LOG_N; log_n <= max_log_n; log_n++) {
        if (hb_figure_skips(run, log_n - MIN_LOG_N, max_log_n - MIN_LOG_N + 1)) {
            continue;
        }
        for (const table_row *row = rows; row < rows + count; row++) {
            hb_design_case c;
            double seconds;
            HB_TRY(hb_figure_case(run, log_n, row->bits, 1, 1, forward, &c));
            HB_TRY(time_row(run, row, &c, &seconds));
            if (seconds > 0) {
                HB_TRY(hb_figure_point(run, row->series, log_n, seconds * 1e6));
            }
        }
    }
    return hb_figure_note(run,
                          "one transform of one limb at a time: most of the GPU idles, and latency is what counts");
}

static const table_row table_5[] = {
    {"D1: one kernel", "single-32", 30},
    {"D2: a kernel a stage", "stages-32", 30},
    {"D3: one kernel, shared memory", "single-32-shared", 30},
    {"D4: one kernel, warp shuffles", "single-32-warps", 30},
    {"D5: hybrid", "hybrid-32", 30},
    {"D5, tiles of 2^15", "hybrid-32-large", 30},
    {"ours", "ours", 30},
};
#define TABLE_5_ROWS (sizeof table_5 / sizeof *table_5)
#define TABLE_5_MAX_LOG_N 16

static hb_status measure_table_5(hb_figure_run *run)
{
    return measure_rows(run, table_5, TABLE_5_ROWS, TABLE_5_MAX_LOG_N, true);
}

static hb_status measure_table_5_inverse(hb_figure_run *run)
{
    return measure_rows(run, table_5, TABLE_5_ROWS, TABLE_5_MAX_LOG_N, false);
}

/* Statements of the paper's text about table 5: the ratio of one design's time to another's. */
typedef struct ratio {
    const char *series, *reported;
    const table_row *slower, *faster;
    uint32_t first_log_n; /* of the three values of the paper */
    double values[3];
} ratio;

static const ratio ratios[] = {
    {"D2 / D3", "D2 / D3, GTX 980", &table_5[1], &table_5[2], 11, {9.4, 6.1, 3.2}},
    {"D1 / D2", "D1 / D2, GTX 980", &table_5[0], &table_5[1], 14, {1.5, 1.5, 2.4}},
};

static hb_status measure_ratio(hb_figure_run *run, const ratio *r)
{
    for (uint32_t i = 0; i < 3; i++) {
        hb_design_case c;
        double slower, faster;
        const uint32_t log_n = r->first_log_n + i;
        HB_TRY(hb_figure_reported(run, r->reported, log_n, r->values[i]));
        if (hb_figure_skips(run, i, 3)) {
            continue;
        }
        HB_TRY(hb_figure_case(run, log_n, 30, 1, 1, true, &c));
        HB_TRY(time_row(run, r->slower, &c, &slower));
        HB_TRY(time_row(run, r->faster, &c, &faster));
        if (slower > 0 && faster > 0) {
            HB_TRY(hb_figure_point(run, r->series, log_n, slower / faster));
        }
    }
    return HB_OK;
}

static hb_status measure_ratios(hb_figure_run *run)
{
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++) {
        HB_TRY(measure_ratio(run, &ratios[i]));
    }
    return HB_OK;
}

static const table_row table_6[] = {
    {"30 bits, hybrid", "hybrid-32", 30},
    {"61 bits, hybrid", "hybrid", 61},
    {"61 bits, hybrid, tiles of 2^14", "hybrid-large", 61},
    {"30 bits, ours", "ours", 30},
    {"61 bits, ours", "ours", 61},
};
#define TABLE_6_ROWS (sizeof table_6 / sizeof *table_6)
#define TABLE_6_MAX_LOG_N 15

static hb_status measure_table_6(hb_figure_run *run)
{
    HB_TRY(measure_rows(run, table_6, TABLE_6_ROWS, TABLE_6_MAX_LOG_N, true));
    HB_TRY(hb_figure_reported(run, "61 bits, GTX 980", 15, 73));
    HB_TRY(hb_figure_reported(run, "61 bits, GTX 1080", 15, 36));
    return hb_figure_reported(run, "61 bits, Tesla V100", 15, 39);
}

static hb_status measure_table_6_inverse(hb_figure_run *run)
{
    HB_TRY(measure_rows(run, table_6, TABLE_6_ROWS, TABLE_6_MAX_LOG_N, false));
    return hb_figure_reported(run, "61 bits, Tesla V100", 15, 23);
}

/* Moduli of the paper's parameter sets of BFV (section 5.1) by N: all of a polynomial's are one launch. */
static const struct {
    uint32_t log_n, moduli;
} sets[] = {{12, 3}, {13, 4}, {14, 5}, {15, 9}, {15, 16}};
#define SETS (sizeof sets / sizeof *sets)

static const table_row batch[] = {
    {"D1: one kernel", "single", 55},
    {"D2: a kernel a stage", "stages", 55},
    {"D3: one kernel, shared memory", "single-shared", 55},
    {"D4: one kernel, warp shuffles", "single-warps", 55},
    {"D5: hybrid", "hybrid", 55},
    {"D5, tiles of 2^14", "hybrid-large", 55},
    {"D5, Shoup", "hybrid-shoup", 55},
    {"ours", "ours", 55},
};

static hb_status measure_batch(hb_figure_run *run)
{
    for (size_t i = 0; i < SETS; i++) {
        hb_design_case c;
        if (hb_figure_skips(run, i, SETS)) {
            continue;
        }
        HB_TRY(hb_figure_case(run, sets[i].log_n, 55, sets[i].moduli, 0, true, &c));
        const double limbs = (double)c.count * c.moduli, x = (double)(c.moduli << c.log_n);
        for (const table_row *row = batch; row < batch + sizeof batch / sizeof *batch; row++) {
            double seconds;
            HB_TRY(time_row(run, row, &c, &seconds));
            if (seconds > 0) {
                HB_TRY(hb_figure_point(run, row->series, x, seconds / limbs * 1e9));
            }
        }
        HB_TRY(hb_figure_point(run, "floor", x, hb_figure_floor(run, &c) * 1e9));
    }
    return hb_figure_note(run,
                          "a batch of 1 GiB in one call, 55-bit primes; moduli at N = 2^12 .. 2^15: 3, 4, 5, 9, 16");
}

#define US "us a transform"

const hb_figure hb_figures_ozerk[] = {
    {"ntt", "ozerk-table-5", "Ozerk et al., table 5", "Five designs, 30-bit primes, forward", "log2 N", US, true,
     measure_table_5},
    {"ntt", "ozerk-table-5-inverse", "Ozerk et al., table 5", "Five designs, 30-bit primes, inverse", "log2 N", US,
     true, measure_table_5_inverse},
    {"ntt", "ozerk-table-5-ratios", "Ozerk et al., table 5", "Shared memory against many kernels", "log2 N", "times",
     false, measure_ratios},
    {"ntt", "ozerk-table-6", "Ozerk et al., table 6", "The hybrid design, forward", "log2 N", US, true,
     measure_table_6},
    {"ntt", "ozerk-table-6-inverse", "Ozerk et al., table 6", "The hybrid design, inverse", "log2 N", US, true,
     measure_table_6_inverse},
    {"ntt", "ozerk-batch", "Ozerk et al., section 5.1", "The five designs, batches of all moduli",
     "words of a polynomial", "ns a limb", true, measure_batch},
    {NULL},
};
