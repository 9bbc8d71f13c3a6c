/* What the measuring loop (measure.c), what an item costs at least (cost.c) and what is measured share. */
#ifndef HB_BENCH_BENCH_PRIVATE_H
#define HB_BENCH_BENCH_PRIVATE_H

#include <stdbool.h>

#include "bench.h"
#include "ring/engine.h"

/* One run of the benchmark. */
typedef struct hb_bench {
    const hb_bench_options *options;
    hb_bench_results *results;
} hb_bench;

/* Issues one call of what is measured; it need not be done when this returns. */
typedef hb_status (*hb_bench_body)(void *argument);

/* One line of the table, before it is measured. */
typedef struct hb_bench_line {
    const char *kind, *name;
    size_t items; /* what one call works on */
    hb_rates cost;
    hb_bench_body body;
} hb_bench_line;

/* Returns whether lines of this kind are wanted. */
bool hb_bench_selects(const hb_bench *bench, const char *kind);

/* What was measured of a call. */
typedef struct hb_timing {
    size_t samples;
    double median, least; /* seconds a call */
} hb_timing;

/* How long something is measured, and by which clock. */
typedef struct hb_bench_pace {
    double seconds;
    /* Of a GPU between samples, in times their length: at its power limit a GPU lowers its clock, which it would not in
     * a job. */
    double pause;
    bool processor; /* samples count only the time of this process on processors */
} hb_bench_pace;
hb_bench_pace hb_bench_pace_of(const hb_bench_options *options);
/* Warms up, then takes samples until `seconds` are over. A sample is as many calls as take a few milliseconds, and the
 * wait for the engine (NULL: none) behind them; after each comes a pause. Fails as the calls do. */
hb_status hb_bench_time(hb_bench_pace pace, hb_engine *engine, hb_bench_body body, void *argument, hb_timing *timing);
/* Does the same and adds a line to the results, if its kind is wanted. */
hb_status hb_bench_measure(hb_bench *bench, hb_engine *engine, const hb_bench_line *line, void *argument);

/* Adds the line on one ciphertext, a call waited for: "name, alone", recorded and replayed (ring/engine.h); with
 * `called` also "name, alone, called". */
hb_status hb_bench_alone(hb_bench *bench, hb_engine *engine, const hb_bench_line *line, void *argument, bool called);

/* Returns how many polynomials of `limbs` limbs a call works on: as many as were asked for; else a few that stay in a
 * CPU's cache, or on a GPU so many that neither launches nor its cache matter. `operands`: batches that are held
 * together. */
size_t hb_bench_batch(const hb_bench_options *options, const hb_ring *ring, uint32_t limbs, uint32_t operands);

/* Add to a cost what cannot be avoided: words and bytes that come from memory or go to it once, butterflies, blocks.
 * Products beside the butterflies are not counted. */
void hb_cost_words(hb_rates *cost, size_t words);
void hb_cost_bytes(hb_rates *cost, size_t bytes);
/* Adds a transform of each of the limbs, in the arithmetic that the device takes for it. */
void hb_cost_transform(hb_rates *cost, const hb_device *device, const hb_ring *ring, const uint16_t *ids,
                       uint32_t limbs);
/* Adds `times` key switches of a ciphertext of so many limbs, whose digits are made and transformed `digits` times;
 * each has a key of its own, which is read once for `count` ciphertexts. */
void hb_cost_switch(hb_rates *cost, const hb_device *device, const hb_params *params, uint32_t limbs, uint32_t times,
                    uint32_t digits, size_t count);
/* Adds the keystream of `count` polynomials of one limb. */
void hb_cost_draw(hb_rates *cost, const hb_ring *ring, size_t count);
/* Adds the digests of the packed rows of the limbs. */
void hb_cost_digest(hb_rates *cost, const hb_ring *ring, const uint16_t *ids, uint32_t limbs);
/* Adds bytes over the link; where there is none, a copy. */
void hb_cost_link(hb_rates *cost, const hb_device *device, hb_ceiling way, size_t bytes);

/* Measure all lines of their kinds: transforms; of BFV, encryption and decryption; operations on ciphertexts. */
hb_status hb_bench_ntt(hb_bench *bench);
hb_status hb_bench_bfv_pieces(hb_bench *bench);
hb_status hb_bench_bfv_evaluate(hb_bench *bench);
/* Measures CKKS: encoding, encryption and decryption, operations on ciphertexts. */
hb_status hb_bench_ckks(hb_bench *bench);
/* Measures key switching with digits of several primes, at N from 2^13 to 2^16. */
hb_status hb_bench_switch(hb_bench *bench);

#endif
