/* A table or figure of a paper, measured again: a set of series over one variable. */
#ifndef HB_BENCH_FIGURE_H
#define HB_BENCH_FIGURE_H

#include "design.h"

typedef struct hb_figure_run hb_figure_run;

typedef struct hb_figure {
    const char *kind;  /* "ntt", "reduce", "crt": `hebatch-designs KIND` prints it */
    const char *name;  /* "kim-figure-7": file names, --only */
    const char *paper; /* "Kim et al., figure 7" */
    const char *title; /* "Twiddles on the fly" */
    const char *x, *y; /* axes with their units: "log2 N", "ns a limb" */
    bool log_y;
    hb_status (*measure)(hb_figure_run *run);
} hb_figure;

extern const hb_figure hb_figures_ours[];       /* figures_ours.c: all designs beside ours and the floor; kind "ntt" */
extern const hb_figure hb_figures_ozerk[];      /* figures_ozerk.c: paper 000, tables 5, 6; name NULL at the end */
extern const hb_figure hb_figures_kim[];        /* figures_kim.c: paper 003, figures 1, 3, 4, 7, 9, 11, 12, table II */
extern const hb_figure hb_figures_cheddar[];    /* figures_cheddar.c: paper 004, figures 1, 2, 4 */
extern const hb_figure hb_figures_badawi[];     /* figures_badawi.c: paper 002, tables 6, 7: transforms */
extern const hb_figure hb_figures_reduce[];     /* figures_reduce.cu: reductions beside each other; kind "reduce" */
extern const hb_figure hb_figures_crt[];        /* figures_crt.c: residues and numbers; kind "crt" */
extern const hb_figure hb_figures_badawi_crt[]; /* figures_badawi_crt.c: paper 002, tables 1, 2, 6, 7: all else */

/* One point; series appear in the order of their first points. The text is copied. `reported`: printed in the paper
 * (its hardware is named in the series), not measured here. */
hb_status hb_figure_point(hb_figure_run *run, const char *series, double x, double value);
hb_status hb_figure_reported(hb_figure_run *run, const char *series, double x, double value);
/* A line under the table. */
hb_status hb_figure_note(hb_figure_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* True where a case is skipped because the run is a quick one (--quick: smallest and largest x only). */
bool hb_figure_skips(const hb_figure_run *run, size_t index, size_t count);

/* The case of `moduli` primes of `bits` bits for N = 2^log_n and as many polynomials as ask for `count` (0: 1 GiB of
 * data). Primes and roots are found once and kept by the run. */
hb_status hb_figure_case(hb_figure_run *run, uint32_t log_n, uint32_t bits, uint32_t moduli, size_t count, bool forward,
                         hb_design_case *c);
/* Seconds of one call on the whole data of the case: opens, fills with fixed random words, compares the first and the
 * last polynomial with the CPU engine word for word (HB_EINTERNAL where they differ: no figure of a wrong kernel), then
 * the median of at least nine samples between events, with pauses that keep the GPU from its power limit. */
hb_status hb_figure_time_design(hb_figure_run *run, const hb_design *design, const hb_design_case *c, double *seconds);
/* The same of anything: `once` issues work on the stream (a cudaStream_t). */
typedef hb_status (*hb_figure_body)(void *argument, void *stream);
hb_status hb_figure_time(hb_figure_run *run, hb_figure_body once, void *argument, double *seconds);
/* Least seconds for one limb of such a case by the ceilings of this GPU measured in this run (bench/bench.h). */
double hb_figure_floor(const hb_figure_run *run, const hb_design_case *c);
/* Memory bytes a second, and the other ceilings. */
double hb_figure_memory_rate(const hb_figure_run *run);

#endif
