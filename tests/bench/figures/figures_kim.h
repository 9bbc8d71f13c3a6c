/* Declarations that the files of Kim et al.'s figures share: their sizes, 21 limbs of 60-bit primes, one polynomial.
 * Their GPU was a Titan V; its values are given where the paper's text or a table prints them. */
#ifndef HB_BENCH_FIGURES_KIM_H
#define HB_BENCH_FIGURES_KIM_H

#include "figure.h"
#include "kim.h"

enum { HB_KIM_LIMBS = 21, HB_KIM_BITS = 60, HB_KIM_MIN_LOG_N = 14, HB_KIM_LOG_N = 17 };
#define HB_KIM_TITAN " (paper, Titan V)"

/* Microseconds of a transform of `limbs` limbs; infinite, with a note, where this GPU cannot. */
hb_status hb_kim_time(hb_figure_run *run, const hb_design *design, uint32_t log_n, uint32_t limbs, double *us);
/* Microseconds of work, which is closed. */
hb_status hb_kim_time_work(hb_figure_run *run, hb_kim_work *work, double *us);
/* Microseconds of `count` complex transforms of 2^17 numbers (hb_kim_complex_open). */
hb_status hb_kim_time_complex(hb_figure_run *run, size_t count, uint32_t log_columns, uint32_t log_points, double *us);
/* Adds a point; leaves out infinite values. */
hb_status hb_kim_point(hb_figure_run *run, const char *series, double x, double us);

/* figures_kim_columns.c: the kernel for columns alone */
hb_status hb_kim_figure_7(hb_figure_run *run);
hb_status hb_kim_figure_9(hb_figure_run *run);
/* figures_kim_shared.c: two kernels */
hb_status hb_kim_figure_11a(hb_figure_run *run);
hb_status hb_kim_figure_11b(hb_figure_run *run);
hb_status hb_kim_figure_11c(hb_figure_run *run);
hb_status hb_kim_figure_12a(hb_figure_run *run);
hb_status hb_kim_figure_12c(hb_figure_run *run);
hb_status hb_kim_table_2(hb_figure_run *run);

#endif
