/* Al Badawi et al.: the operator % (table 1), CRT reconstruction (table 2), and the kernels beside the transforms of
 * tables 6 and 7, for the paper's primes of 31 bits: with one polynomial a call, as there, and with many. */
#include <stdio.h>

#include "crt.h"
#include "native_modulo.h"

enum { BITS = 31, BATCH = 128, ROWS = 4, NAME = 64 };

/* The four rows of tables 2, 6 and 7. */
static const uint32_t primes_of_row[ROWS] = {2, 6, 12, 24};

/* One series of a table: the printed values, and the measurement for them. */
typedef struct column {
    const char *title;
    double k80[ROWS], p100[ROWS]; /* milliseconds; 0: not in the paper */
    hb_crt_method methods[2];     /* the paper's way, and a better one */
} column;

static hb_status report(hb_figure_run *run, const char *title, const char *gpu, double x, double value)
{
    char series[NAME];
    snprintf(series, sizeof series, "%s, %s", title, gpu);
    return value == 0 ? HB_OK : hb_figure_reported(run, series, x, value);
}

/* Milliseconds for one polynomial, of `count` polynomials a call. */
static hb_status measure(hb_figure_run *run, hb_crt_method method, uint32_t log_n, uint32_t moduli, size_t count,
                         double x)
{
    hb_design_case c;
    char series[NAME];
    double seconds;
    HB_TRY(hb_figure_case(run, log_n, BITS, moduli, count, true, &c));
    HB_TRY(hb_crt_time(run, method, &c, &seconds));
    snprintf(series, sizeof series, "%s%s", hb_crt_name(method), count > 1 ? ", batch" : "");
    return hb_figure_point(run, series, x, seconds / (double)count * 1e3);
}

/* Row by row: log_n[row] is the size, x[row] where the point stands. */
static hb_status table(hb_figure_run *run, const column *columns, size_t count, const uint32_t *log_n, const double *x)
{
    for (size_t row = 0; row < ROWS; row++) {
        for (const column *k = columns; k < columns + count; k++) {
            HB_TRY(report(run, k->title, "K80", x[row], k->k80[row]));
            HB_TRY(report(run, k->title, "P100", x[row], k->p100[row]));
            if (hb_figure_skips(run, row, ROWS)) {
                continue;
            }
            for (int way = 0; way < (k->methods[0] == k->methods[1] ? 1 : 2); way++) {
                HB_TRY(measure(run, k->methods[way], log_n[row], primes_of_row[row], 1, x[row]));
                HB_TRY(measure(run, k->methods[way], log_n[row], primes_of_row[row], BATCH, x[row]));
            }
        }
    }
    return hb_figure_note(run, "one polynomial a call, or %d (\"batch\"); primes of %d bits", BATCH, BITS);
}

static hb_status measure_table_2(hb_figure_run *run)
{
    static const column columns[] = {
        {"classic, MP mod", {0.4142, 0.8057, 1.7040, 3.8620}, {0}, {HB_CRT_CLASSIC_DIVIDE, HB_CRT_CLASSIC_DIVIDE}},
        {"classic, MP sub", {0.0312, 0.0624, 0.1638, 0.5660}, {0}, {HB_CRT_CLASSIC_SUBTRACT, HB_CRT_CLASSIC_SUBTRACT}},
        {"Garner", {0.0153, 0.0506, 0.1299, 0.4252}, {0}, {HB_CRT_GARNER_NATIVE, HB_CRT_GARNER_BARRETT}},
        {"", {0}, {0}, {HB_CRT_OUR_DIGITS, HB_CRT_OUR_DIGITS}}};
    static const uint32_t log_n[ROWS] = {13, 13, 13, 13};
    static const double bits_of_q[ROWS] = {62, 186, 372, 744};
    HB_TRY(table(run, columns, sizeof columns / sizeof *columns, log_n, bits_of_q));
    return hb_figure_note(run, "ours: mixed-radix digits in 64-bit words; the product makes no number of many words");
}

static const uint32_t table_6_log_n[ROWS] = {11, 12, 13, 14};
static const double table_6_x[ROWS] = {11, 12, 13, 14};

static hb_status measure_table_6_crt(hb_figure_run *run)
{
    static const column columns[] = {{"CRT",
                                      {0.007, 0.022, 0.091, 1.057},
                                      {0.004, 0.012, 0.040, 0.218},
                                      {HB_CRT_SPLIT_NATIVE, HB_CRT_SPLIT_BARRETT}},
                                     {"CRT reconstruct",
                                      {0.024, 0.056, 0.131, 1.409},
                                      {0.014, 0.037, 0.100, 0.323},
                                      {HB_CRT_GARNER_NATIVE, HB_CRT_GARNER_BARRETT}}};
    return table(run, columns, sizeof columns / sizeof *columns, table_6_log_n, table_6_x);
}

static hb_status measure_table_6_conversion(hb_figure_run *run)
{
    static const column columns[] = {{"fast base conversion",
                                      {0.023, 0.064, 0.183, 0.858},
                                      {0.012, 0.030, 0.062, 0.318},
                                      {HB_CRT_OUR_CONVERSION, HB_CRT_OUR_CONVERSION}},
                                     {"fast RNS floor",
                                      {0.050, 0.140, 0.443, 2.090},
                                      {0.028, 0.069, 0.164, 0.790},
                                      {HB_CRT_OUR_FLOOR, HB_CRT_OUR_FLOOR}}};
    HB_TRY(table(run, columns, sizeof columns / sizeof *columns, table_6_log_n, table_6_x));
    return hb_figure_note(run, "to as many primes and %d more; ours: 64-bit words", HB_CRT_TARGETS);
}

/* Milliseconds; the paper's %, and algorithm 2 of NFLlib. */
static hb_status measure_table_1(hb_figure_run *run)
{
    static const double native[ROWS] = {0.0089, 0.0091, 0.0097, 0.0100}, nfl[ROWS] = {0.0093, 0.0094, 0.0099, 0.0102};
    static const uint32_t log_count[] = {11, 12, 13, 14, 20, 24}; /* the last two fill a GPU of today */
    enum { CASES = sizeof log_count / sizeof *log_count };
    for (size_t i = 0; i < CASES; i++) {
        if (i < ROWS) {
            HB_TRY(hb_figure_reported(run, "%, K80", log_count[i], native[i]));
            HB_TRY(hb_figure_reported(run, "NFLlib, K80", log_count[i], nfl[i]));
        }
        for (int way = 0; way < HB_MODULO_WAYS && !hb_figure_skips(run, i, CASES); way++) {
            double seconds;
            HB_TRY(hb_modulo_time(run, (hb_modulo_way)way, (size_t)1 << log_count[i], &seconds));
            HB_TRY(hb_figure_point(run, hb_modulo_name((hb_modulo_way)way), log_count[i], seconds * 1e3));
        }
    }
    return hb_figure_note(run, "the paper's integers have 62 bits; ours are below 2^32 p, as NFLlib's algorithm asks");
}

const hb_figure hb_figures_badawi_crt[] = {
    {"reduce", "badawi-table-1", "Al Badawi et al., table 1", "Integers of 62 bits modulo a prime of 30",
     "log2 integers", "ms", true, measure_table_1},
    {"crt", "badawi-table-2", "Al Badawi et al., table 2", "CRT reconstruction of 8192 coefficients", "bits of Q",
     "ms a polynomial", true, measure_table_2},
    {"crt", "badawi-tables-6-7-crt", "Al Badawi et al., tables 6 and 7", "Numbers to residues and back", "log2 N",
     "ms a polynomial", true, measure_table_6_crt},
    {"crt", "badawi-tables-6-7-conversion", "Al Badawi et al., tables 6 and 7", "Base conversion and floor", "log2 N",
     "ms a polynomial", true, measure_table_6_conversion},
    {0},
};
