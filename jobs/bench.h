/* Time per item of the pieces of a job, on this machine, one core. */
#ifndef HB_BENCH_H
#define HB_BENCH_H

#include <stddef.h>

#include "params.h"

typedef struct hb_measure {
    const char *kind; /* "ntt", "encode", "keygen", "encrypt", "decrypt", "pack", "digest", "reference" */
    char name[64];
    size_t samples;
    double median, least; /* seconds per item */
    double bytes;         /* of an item: what it produces, unpacked words for polynomials */
} hb_measure;

enum { HB_BENCH_MOST = 40 };

/* Which kinds to run (NULL-terminated; empty: all but references, which always run) and how long each measurement lasts
 * after its warm-up. Fills measures[0 .. *count), references first. */
hb_status hb_bench_run(const hb_params *params, const char *const *kinds, double seconds,
                       hb_measure measures[HB_BENCH_MOST], size_t *count);
/* Names of the kinds, NULL after the last. */
extern const char *const hb_bench_kinds[];

#endif
