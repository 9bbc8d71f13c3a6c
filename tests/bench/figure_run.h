/* The run behind a figure: its GPU with measurements, cases with the CPU engine's answers, and the points so far.
 * Private to the frame: figures and designs see figure.h and design.h. */
#ifndef HB_BENCH_FIGURE_RUN_H
#define HB_BENCH_FIGURE_RUN_H

#include <jansson.h>

#include "bench/bench.h"
#include "figure.h"
#include "ring/ring.h"

typedef struct hb_series {
    char *name;
    bool reported;
    size_t count;
    double *x, *y; /* [count] */
} hb_series;

/* The data of a figure so far. */
typedef struct hb_figure_data {
    hb_series *series;
    size_t series_count;
    char **notes;
    size_t note_count;
} hb_figure_data;

/* Which answer of the CPU engine. */
typedef enum hb_answer { HB_ANSWER_INVERSE, HB_ANSWER_FORWARD, HB_ANSWER_PRODUCT, HB_ANSWERS } hb_answer;

/* Primes of a case, found once. */
typedef struct hb_known_case {
    struct hb_known_case *next;
    uint32_t bits;
    hb_ring ring; /* its moduli and roots, in the order of the primes */
    uint64_t primes[HB_RING_MAX_MODULI];
    uint64_t *answers
        [HB_ANSWERS]; /* [2][moduli][n]: of the first and the last polynomial (words.h); NULL: not asked for yet */
} hb_known_case;

struct hb_figure_run {
    const hb_device *device; /* a GPU, current in this thread */
    double seconds;          /* for each point */
    bool quick;
    hb_rates ceilings;
    void *stream; /* a cudaStream_t */
    hb_known_case *cases;
    hb_figure_data data;
    hb_error wrong; /* the first design that computed something else; empty: none */
};

/* Ceilings are measured when `measure` is set. *run is zero before; the caller clears it whatever happens. */
hb_status hb_figure_run_init(hb_figure_run *run, const hb_device *device, bool measure);
void hb_figure_run_clear(hb_figure_run *run);
/* Forgets the points and notes of the last figure. */
void hb_figure_data_clear(hb_figure_data *data);

/* The primes of a case of this run; it has been made by hb_figure_case. */
hb_known_case *hb_figure_known(const hb_figure_run *run, const hb_design_case *c);
/* The CPU engine's results for the polynomials 0 and 1 of words.h (of HB_ANSWER_PRODUCT: their products with 0 and 1 of
 * the second operand): [2][moduli][n], kept by the run. HB_ENOMEM. */
hb_status hb_figure_answer(hb_known_case *known, hb_answer which, const uint64_t **words);

/* Whether the design takes cases like this one; HB_EUNAVAILABLE with the reason. */
hb_status hb_design_takes(const hb_design *design, const hb_design_case *c);
/* An opened design and data for it on the GPU. */
typedef struct hb_design_rig {
    const hb_design *design;
    const hb_design_case *c;
    void *state, *data;
    void *operand; /* the second one of products, where the design's order is its own; else NULL */
} hb_design_rig;
/* Opens and compares the first and the last polynomial with the CPU engine: HB_EINTERNAL where they differ or a kernel
 * fails. HB_EUNAVAILABLE only before anything ran: a case or a GPU that the design does not take. The caller closes it
 * whatever happens; *rig is zero before. */
hb_status hb_design_rig_open(hb_figure_run *run, const hb_design *design, const hb_design_case *c, hb_design_rig *rig);
void hb_design_rig_close(hb_design_rig *rig);

/* Every design at every N that it takes, or at the least of them, compared with the CPU engine; a line each on stdout.
 * pattern: of names, as fnmatch takes it; NULL: all. HB_EINTERNAL where any differs, HB_ENOINPUT where no name
 * matches. */
hb_status hb_designs_check(hb_figure_run *run, const char *pattern, bool small);

/* Tables on stdout, at most 120 columns wide: values, and how many times those of the series "ours" they are.
 * HB_ENOMEM. */
hb_status hb_figure_print(const hb_figure *figure, const hb_figure_data *data);
/* A new document: versions, date, GPU, ceilings, "figures": []. NULL when out of memory. */
json_t *hb_figures_json(const hb_figure_run *run);
/* Appends {"kind", "name", "paper", "title", "x", "y", "log_y", "series": [{"name", "reported", "points": [[x, y],
 * ...]}], "notes"} to its figures. HB_ENOMEM. */
hb_status hb_figures_json_add(json_t *document, const hb_figure *figure, const hb_figure_data *data);

#endif
