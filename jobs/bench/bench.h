/* Measures the time per item of the pieces of a job on one device, beside the least time that the device's ceilings
 * allow. Rank-local. */
#ifndef HB_BENCH_BENCH_H
#define HB_BENCH_BENCH_H

#include <jansson.h>

#include "cli/console.h"
#include "device/device.h"

/* The resources that an item consumes. The ceiling of a resource is the most that the device does of it in a second,
 * measured in the same run. */
typedef enum hb_ceiling {
    HB_CEILING_MEMORY,    /* bytes read or written outside all caches */
    HB_CEILING_F64,       /* butterflies of a transform in FP64, without memory traffic */
    HB_CEILING_U64,       /* butterflies of a transform in 64-bit integers, without memory traffic */
    HB_CEILING_KEYSTREAM, /* blocks of ChaCha20, 64 bytes */
    HB_CEILING_DIGEST,    /* blocks of BLAKE2b, 128 bytes */
    HB_CEILING_UPLOAD,    /* bytes from page-locked host memory; a CPU has no such link */
    HB_CEILING_DOWNLOAD,  /* bytes to page-locked host memory */
    HB_CEILING_BOTH,      /* bytes each way while both ways are busy */
    HB_CEILINGS
} hb_ceiling;

/* By ceiling: the amount that an item needs, or the amount that the device does in a second. */
typedef struct hb_rates {
    double of[HB_CEILINGS];
} hb_rates;

/* Names in the table and in JSON: "memory", ... */
extern const char *const hb_ceiling_names[HB_CEILINGS];

/* Returns the least seconds of an item, the largest cost / ceiling, and in *bound the ceiling that gives it; 0 for an
 * item without a cost. */
double hb_floor(const hb_rates *cost, const hb_rates *ceilings, hb_ceiling *bound);

/* One measured line of the table. */
typedef struct hb_measure {
    const char *kind; /* "ntt", ... */
    char name[64];
    size_t items; /* items of one call */
    size_t samples;
    double median, least; /* seconds per item, amortised over the items of a call */
    hb_rates cost;        /* of an item */
    double floor;         /* least seconds per item */
    size_t launches;      /* launches that a call gives to a GPU at once; 0: for other calls */
    hb_ceiling bound;     /* the ceiling that gives `floor` */
} hb_measure;

enum { HB_BENCH_MOST = 128, HB_BENCH_MOST_NOTES = 16 };

/* Options of the benchmark. Borrowed. */
typedef struct hb_bench_options {
    const hb_params *params;
    const hb_device *device;
    const char *const *kinds; /* NULL-terminated; empty: all kinds */
    double seconds;           /* seconds for each line, after its warm-up */
    size_t batch;             /* polynomials a call; 0: as many as suit the device */
    uint32_t log_n;           /* of key switching; 0: that of params */
    bool all_sizes;           /* the transform for every N */
    bool sustained;           /* on a GPU: without pauses between samples */
    bool processor;           /* on a CPU: count only the time of this process, where others share the machine */
} hb_bench_options;

/* The measurements of this rank. */
typedef struct hb_bench_results {
    hb_rates ceilings;
    hb_measure measures[HB_BENCH_MOST];
    size_t count;
    char left_out[HB_BENCH_MOST_NOTES][160]; /* wanted lines that are not measured, and why */
    size_t left_out_count;
} hb_bench_results;

/* Measures the ceilings, then every line whose kind is wanted. Not collective. HB_ENOMEM; HB_EUNAVAILABLE for a GPU
 * that fails; HB_ECONFIG where the parameters support none of the wanted kinds. */
hb_status hb_bench_run(const hb_bench_options *options, hb_bench_results *results);
void hb_bench_print(const hb_group *group, const hb_common *common, const hb_bench_results *results);
/* Returns {"ceilings", "measures", "left_out"}; the caller owns it. NULL when out of memory. */
json_t *hb_bench_json(const hb_bench_results *results);
/* Returns a time in three digits with a unit from ns to s. */
hb_human hb_bench_duration(double seconds);

/* Measures the ceilings of the device: on a GPU in about a second, on a CPU in `seconds` for each loop; `processor`
 * counts only the time of this process. HB_ENOMEM, HB_EUNAVAILABLE. */
hb_status hb_bench_ceilings(const hb_device *device, double seconds, bool processor, hb_rates *ceilings);
/* Measures only the ceilings of the device's link and sets those; 0 for a CPU. */
hb_status hb_bench_link(const hb_device *device, hb_rates *ceilings);

#endif
