/* Time per item of the pieces of a job on one device, beside the least time that its ceilings allow for them. */
#ifndef HB_BENCH_BENCH_H
#define HB_BENCH_BENCH_H

#include <jansson.h>

#include "cli/console.h"
#include "device/device.h"

/* What an item can be made of, and how much of it a second the device can do at most: measured in the same run. */
typedef enum hb_ceiling {
    HB_CEILING_MEMORY,    /* bytes read or written, out of any cache */
    HB_CEILING_F64,       /* butterflies of a transform in FP64, memory apart ... */
    HB_CEILING_U64,       /* ... and in 64-bit integers */
    HB_CEILING_KEYSTREAM, /* blocks of ChaCha20, 64 bytes */
    HB_CEILING_DIGEST,    /* blocks of BLAKE2b, 128 bytes */
    HB_CEILING_UPLOAD,    /* bytes from page-locked host memory; a CPU has no such links */
    HB_CEILING_DOWNLOAD,
    HB_CEILING_BOTH, /* each way while both are busy */
    HB_CEILINGS
} hb_ceiling;

/* {amount of each that an item needs} or {what the device does a second}. */
typedef struct hb_rates {
    double of[HB_CEILINGS];
} hb_rates;

/* "memory", as in the table and in JSON. */
extern const char *const hb_ceiling_names[HB_CEILINGS];

/* The largest of cost / ceiling, in seconds; *bound: which one. 0 for an item without a cost. */
double hb_floor(const hb_rates *cost, const hb_rates *ceilings, hb_ceiling *bound);

typedef struct hb_measure {
    const char *kind; /* "ntt", ... */
    char name[64];
    size_t items; /* of a call */
    size_t samples;
    double median, least; /* seconds per item, amortised over the items of a call */
    hb_rates cost;        /* of an item */
    double floor;         /* seconds per item ... */
    hb_ceiling bound;     /* ... and which ceiling it is of */
} hb_measure;

enum { HB_BENCH_MOST = 128 };

typedef struct hb_bench_options {
    const hb_params *params;
    const hb_device *device;
    const char *const *kinds; /* NULL-terminated; empty: all of them */
    double seconds;           /* for each line, after its warm-up */
    size_t batch;             /* polynomials a call; 0: what suits the device */
    bool all_sizes;           /* the transform for every N */
    bool sustained;           /* on a GPU: without pauses between samples */
    bool processor;           /* on a CPU: the time of the process alone, where others share the machine */
} hb_bench_options;

typedef struct hb_bench_results {
    hb_rates ceilings;
    hb_measure measures[HB_BENCH_MOST];
    size_t count;
} hb_bench_results;

/* Not collective. The ceilings, then every line whose kind is wanted. HB_ENOMEM; HB_EUNAVAILABLE for a GPU that
 * fails. */
hb_status hb_bench_run(const hb_bench_options *options, hb_bench_results *results);
void hb_bench_print(const hb_group *group, const hb_common *common, const hb_bench_results *results);
/* {"ceilings", "measures"}. NULL when out of memory. */
json_t *hb_bench_json(const hb_bench_results *results);
/* Three digits and a unit from ns to s. */
hb_human hb_bench_duration(double seconds);

/* Ceilings of the device; on a GPU about a second, on a CPU `seconds` for each loop, by the clock
 * of the process with `processor`. */
hb_status hb_bench_ceilings(const hb_device *device, double seconds, bool processor, hb_rates *ceilings);
/* Those of its link alone. */
hb_status hb_bench_link(const hb_device *device, hb_rates *ceilings);

#endif
