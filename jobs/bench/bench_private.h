/* Declarations shared by the measuring loop (measure.c), the least costs of items (floor.c) and the measured lines. */
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

/* Issues one measured call; it may still be running when this returns. */
typedef hb_status (*hb_bench_body)(void *argument);

/* One line of the table, before it is measured. */
typedef struct hb_bench_line {
    const char *kind, *name;
    size_t items; /* items of one call */
    hb_rates cost;
    hb_bench_body body;
} hb_bench_line;

/* Returns whether lines of this kind are wanted. */
bool hb_bench_selects(const hb_bench *bench, const char *kind);

/* The measurements of one call. */
typedef struct hb_timing {
    size_t samples;
    double median, least; /* seconds a call */
} hb_timing;

/* How long a measurement takes, and which clock it uses. */
typedef struct hb_bench_pace {
    double seconds;
    /* Pause of a GPU between samples, relative to their length: at its power limit a GPU lowers its clock, which it
     * would not do in a job. */
    double pause;
    bool processor; /* samples count only the time of this process on processors */
} hb_bench_pace;
hb_bench_pace hb_bench_pace_of(const hb_bench_options *options);
/* Warms up, then takes samples for `seconds`. A sample is as many calls as take a few milliseconds, and the wait for
 * the engine after them (NULL: no wait); a pause follows each sample. Fails as the calls do. */
hb_status hb_bench_time(hb_bench_pace pace, hb_engine *engine, hb_bench_body body, void *argument, hb_timing *timing);
/* Does the same and adds a line to the results, if its kind is wanted. */
hb_status hb_bench_measure(hb_bench *bench, hb_engine *engine, const hb_bench_line *line, void *argument);

/* Notes in the results that lines of this kind, if wanted, are not measured, and why; once for each reason. */
void hb_bench_leave_out(hb_bench *bench, const char *kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds the line for one ciphertext, waiting for each call: "name, alone", recorded and replayed (ring/engine.h); with
 * `called` also "name, alone, called". */
hb_status hb_bench_alone(hb_bench *bench, hb_engine *engine, const hb_bench_line *line, void *argument, bool called);

/* Returns the number of polynomials of `limbs` limbs in a call: the wanted number; else a few that stay in a CPU's
 * cache, or on a GPU so many that neither launches nor its cache matter. `operands`: batches that are held at the same
 * time. */
size_t hb_bench_batch(const hb_bench_options *options, const hb_ring *ring, uint32_t limbs, uint32_t operands);

/* Add unavoidable work to a cost: words and bytes that cross the memory once, butterflies, blocks. Products other than
 * those of the butterflies are not counted. Predictions of time are the cost model's (lang/cost), which was fitted to
 * these measurements. */
void hb_floor_words(hb_rates *cost, size_t words);
void hb_floor_bytes(hb_rates *cost, size_t bytes);
/* Adds a transform of each limb, in the arithmetic that the device uses for it. */
void hb_floor_transform(hb_rates *cost, const hb_device *device, const hb_ring *ring, const uint16_t *ids,
                        uint32_t limbs);
/* Adds `times` key switches of a ciphertext with that many limbs, whose digits are made and transformed `digits` times.
 * Each switch has a key of its own, which is read once for `count` ciphertexts. */
void hb_floor_switch(hb_rates *cost, const hb_device *device, const hb_params *params, uint32_t limbs, uint32_t times,
                     uint32_t digits, size_t count);
/* Adds the keystream of `count` polynomials of one limb. */
void hb_floor_draw(hb_rates *cost, const hb_ring *ring, size_t count);
/* Adds the digests of the packed rows of the limbs. */
void hb_floor_digest(hb_rates *cost, const hb_ring *ring, const uint16_t *ids, uint32_t limbs);
/* Adds bytes over the link; a copy, where there is no link. */
void hb_floor_link(hb_rates *cost, const hb_device *device, hb_ceiling way, size_t bytes);

/* Measure all lines of their kinds: transforms; encryption and decryption with BFV; operations on ciphertexts. */
hb_status hb_bench_ntt(hb_bench *bench);
hb_status hb_bench_bfv_pieces(hb_bench *bench);
hb_status hb_bench_bfv_evaluate(hb_bench *bench);
/* Measures CKKS: encoding, encryption and decryption, operations on ciphertexts. */
hb_status hb_bench_ckks(hb_bench *bench);
/* Measures key switching with digits of several primes, at N from 2^13 to 2^16. */
hb_status hb_bench_switch(hb_bench *bench);

#endif
