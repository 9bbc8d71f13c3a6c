/* Between the measuring loop (bench.c), what an item costs at least (ceilings.c) and what is measured. */
#ifndef HB_BENCH_BENCH_PRIVATE_H
#define HB_BENCH_BENCH_PRIVATE_H

#include <stdbool.h>

#include "bench.h"
#include "ring/engine.h"

typedef struct hb_bench {
    const hb_bench_options *options;
    hb_bench_results *results;
} hb_bench;

/* Issues one call. */
typedef hb_status (*hb_bench_body)(void *argument);

/* One line of the table. */
typedef struct hb_bench_line {
    const char *kind, *name;
    size_t items; /* that one call works on */
    hb_rates cost;
    hb_bench_body body;
} hb_bench_line;

bool hb_bench_selects(const hb_bench *bench, const char *kind);

typedef struct hb_timing {
    size_t samples;
    double median, least; /* seconds a call */
} hb_timing;

/* How long it is measured, and by which clock. */
typedef struct hb_bench_pace {
    double seconds;
    double pause;   /* of a GPU between samples, in times their length: at its power limit it lowers its clock, as in a
                       job it would not */
    bool processor; /* samples count the time of this process on processors alone */
} hb_bench_pace;
hb_bench_pace hb_bench_pace_of(const hb_bench_options *options);
/* Warm-up, then samples until `seconds` are over. A sample is as many calls as take a few milliseconds, and the wait
 * for the engine (NULL: none) behind them; after each a pause. */
hb_status hb_bench_time(hb_bench_pace pace, hb_engine *engine, hb_bench_body body, void *argument, hb_timing *timing);
/* The same as a line of the results, if its kind is wanted. */
hb_status hb_bench_measure(hb_bench *bench, hb_engine *engine, const hb_bench_line *line, void *argument);

/* The line on one ciphertext, a call waited for: "name, alone", recorded and replayed (ring/engine.h); where `called`
 * also "name, alone, called". */
hb_status hb_bench_alone(hb_bench *bench, hb_engine *engine, const hb_bench_line *line, void *argument, bool called);

/* Polynomials of `limbs` limbs a call: as asked for; else a few that stay in a CPU's cache, or on a GPU so many that
 * neither launches nor its cache matter. operands: that are held together. */
size_t hb_bench_batch(const hb_bench_options *options, const hb_ring *ring, uint32_t limbs, uint32_t operands);

/* What cannot be avoided: words that come from and go to memory once, butterflies, blocks. Products beside the
 * butterflies are not counted. */
void hb_cost_words(hb_rates *cost, size_t words);
void hb_cost_bytes(hb_rates *cost, size_t bytes);
/* A transform of each of the limbs. */
void hb_cost_transform(hb_rates *cost, const hb_device *device, const hb_ring *ring, const uint16_t *ids,
                       uint32_t limbs);
/* `times` key switches of a ciphertext at the data level, whose digits are made and transformed `digits` times; each
 * with a key of its own, which is read once for `count` ciphertexts. */
void hb_cost_switch(hb_rates *cost, const hb_device *device, const hb_params *params, uint32_t times, uint32_t digits,
                    size_t count);
/* `count` polynomials' worth of keystream. */
void hb_cost_draw(hb_rates *cost, const hb_ring *ring, size_t count);
/* Digests of the packed rows of the limbs. */
void hb_cost_digest(hb_rates *cost, const hb_ring *ring, const uint16_t *ids, uint32_t limbs);
/* Bytes over the link; where there is none, a copy. */
void hb_cost_link(hb_rates *cost, const hb_device *device, hb_ceiling way, size_t bytes);

hb_status hb_bench_ntt(hb_bench *bench);
hb_status hb_bench_scheme(hb_bench *bench);
hb_status hb_bench_evaluate(hb_bench *bench);

#endif
