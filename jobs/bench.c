#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_private.h"
#include "machine.h"

const char *const hb_bench_kinds[] = {"ntt", "encode", "keygen", "encrypt", "decrypt", "pack", "digest", NULL};

bool hb_bench_wants(const hb_bench *bench, const char *kind)
{
    if (bench->kinds[0] == NULL) {
        return true;
    }
    for (const char *const *k = bench->kinds; *k != NULL; k++) {
        if (strcmp(*k, kind) == 0) {
            return true;
        }
    }
    return false;
}

static int compare_seconds(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

hb_status hb_bench_measure(hb_bench *bench, const char *kind, const char *name, size_t items, double item_bytes,
                           hb_bench_body body, void *argument)
{
    enum { FEWEST = 5, MOST = 4096 }; /* samples; a median of fewer says little */
    static const double warm_up = 0.2;
    HB_ASSERT(bench->count < HB_BENCH_MOST);
    double *samples = malloc(MOST * sizeof *samples);
    if (samples == NULL) {
        return HB_FAIL(HB_ENOMEM, "out of memory for the samples");
    }
    hb_status st = HB_OK;
    size_t count = 0;
    double start = hb_now();
    do {
        HB_GOTO(body(argument));
    } while (hb_now() - start < warm_up * bench->seconds);
    start = hb_now();
    for (double end = start; count < MOST && (count < FEWEST || end - start < bench->seconds); count++) {
        double begin = hb_now();
        HB_GOTO(body(argument));
        end = hb_now();
        samples[count] = (end - begin) / (double)items;
    }
    qsort(samples, count, sizeof *samples, compare_seconds);
    hb_measure *measure = &bench->measures[bench->count++];
    *measure = (hb_measure){.kind = kind,
                            .samples = count,
                            .median = (samples[(count - 1) / 2] + samples[count / 2]) / 2,
                            .least = samples[0],
                            .bytes = item_bytes};
    snprintf(measure->name, sizeof measure->name, "%s", name);
done:
    free(samples);
    return st;
}

hb_status hb_bench_run(const hb_params *params, const char *const *kinds, double seconds,
                       hb_measure measures[HB_BENCH_MOST], size_t *count)
{
    hb_bench bench = {.kinds = kinds, .seconds = seconds, .measures = measures};
    HB_TRY(hb_bench_references(&bench));
    if (hb_bench_wants(&bench, "ntt")) {
        HB_TRY(hb_bench_ntt(&bench, params));
    }
    HB_TRY(hb_bench_scheme(&bench, params));
    *count = bench.count;
    return HB_OK;
}
