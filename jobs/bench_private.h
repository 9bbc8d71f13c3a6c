/* Between the measuring loop (bench.c) and what is measured (bench_*.c). */
#ifndef HB_BENCH_PRIVATE_H
#define HB_BENCH_PRIVATE_H

#include <stdbool.h>

#include "bench.h"
#include "console.h"
#include "engine.h"

typedef struct hb_bench {
    const char *const *kinds;
    double seconds;
    hb_measure *measures;
    size_t count;
} hb_bench;

/* One call works on `items` items. */
typedef hb_status (*hb_bench_body)(void *argument);

bool hb_bench_wants(const hb_bench *bench, const char *kind);
/* Warm-up, then samples until the time is over; appends the measure. name: copied. */
hb_status hb_bench_measure(hb_bench *bench, const char *kind, const char *name, size_t items, double item_bytes,
                           hb_bench_body body, void *argument);

hb_status hb_bench_references(hb_bench *bench);
hb_status hb_bench_ntt(hb_bench *bench, const hb_params *params);
hb_status hb_bench_scheme(hb_bench *bench, const hb_params *params);

#endif
