/* The precision of bootstrapping, as a table: bits of the largest error of a slot and of the root of the mean square,
 * beside the expected and proven ones, for values of many kinds; after many bootstraps of one ciphertext; a histogram.
 *
 *   bootstrap_precision [--cpu] [--twice | --lowest] [PRESET [LOG_N [BOOTSTRAPS]]]
 *
 * PRESET: boot-16 and the like (boot-test); LOG_N: another ring degree, insecure (that of the preset); BOOTSTRAPS: of
 * one ciphertext (200). --twice: errors are bootstrapped themselves. --lowest: from the lowest level. On the GPU
 * where there is one, unless --cpu says otherwise. Fails when an error is above the proven bound. */
#include <inttypes.h>
#include <stdio.h>

#include "ckks/error.h"
#include "cpu/engine.h"
#include "cuda/engine/engine.h"
#include "reference/bootstrap_world.h"
#include "scheme/params.h"

static const char *const kind_names[HB_BOOTSTRAP_NOISE] = {[HB_BOOTSTRAP_COMPLEX] = "complex",
                                                           [HB_BOOTSTRAP_REAL] = "real",
                                                           [HB_BOOTSTRAP_PAIR] = "pair",
                                                           [HB_BOOTSTRAP_NEIGHBOURS] = "neighbours",
                                                           [HB_BOOTSTRAP_LOWEST] = "lowest"};

static hb_status open_engine(hb_engine **engine, const hb_params *params, bool cpu)
{
    int count = 0;
    hb_cuda_device device;
    if (!cpu && hb_cuda_device_count(&count) == HB_OK && count > 0) {
        HB_TRY(hb_cuda_device_get(0, &device));
        return hb_cuda_engine_open(&params->ring, &device, device.free, engine);
    }
    return hb_cpu_engine_open(&params->ring, engine);
}

/* Prints one line, and fails where the proven bound does not hold. */
static hb_status tell(bootstrap_world *w, const char *what, hb_bootstrap_kind kind, const bootstrap_errors *found)
{
    hb_quality bound;
    HB_TRY(bootstrap_bound(w, kind, 0, &bound));
    const uint32_t limbs = w->bootstrap->result_limbs;
    const double proven = hb_quality_bits(w->params, limbs, bound.worst);
    printf("%-10s %-12s %8.2f %8.2f %9.2f %8.2f %8.2f\n", kind_names[kind], what, found->largest, found->mean,
           hb_quality_bits(w->params, limbs, bound.expected),
           hb_quality_bits(w->params, limbs, bound.even) + log2(hb_error_tail(w->params)), proven);
    fflush(stdout);
    return found->largest >= proven ? HB_OK : HB_FAIL(HB_DIFFERS, "%s values are less precise than is proven", what);
}

/* Values of one kind, bootstrapped once. values: [N]. */
static hb_status measure(bootstrap_world *w, hb_bootstrap_kind kind, bootstrap_data data, double *values,
                         uint64_t *bins)
{
    const bool real = bootstrap_draws_of(kind) == BOOTSTRAP_REALS;
    bootstrap_draw(w, values, data, bootstrap_draws_of(kind));
    for (uint32_t i = 0; i < hb_bootstrap_batches(kind); i++) {
        HB_TRY(bootstrap_encrypt(w, w->a[i], values, 0));
    }
    HB_TRY(hb_bootstrap_apply(w->ev, w->bootstrap, kind, 0, w->r, w->a, &w->f.keys));
    HB_TRY(bootstrap_decrypt(w, w->r[0], 0));
    const bootstrap_errors found = bootstrap_measure(w, values, real);
    for (int i = 0; i < BOOTSTRAP_BINS; i++) {
        bins[i] += found.bins[i];
    }
    return tell(w, bootstrap_data_names[data], kind, &found);
}

/* One ciphertext, again and again. */
static hb_status repeat(bootstrap_world *w, hb_bootstrap_kind kind, uint32_t bootstraps, double *values)
{
    bootstrap_draw(w, values, BOOTSTRAP_RANDOM, bootstrap_draws_of(kind));
    HB_TRY(bootstrap_encrypt(w, w->a[0], values, 0));
    for (uint32_t i = 1; i <= bootstraps; i++) {
        HB_TRY(hb_bootstrap_apply(w->ev, w->bootstrap, kind, 0, w->r, w->a, &w->f.keys));
        if ((i & (i - 1)) == 0 || i == bootstraps) {
            HB_TRY(bootstrap_decrypt(w, w->r[0], 0));
            const bootstrap_errors found = bootstrap_measure(w, values, false);
            printf("after %4" PRIu32 " bootstraps     %8.2f %8.2f\n", i, found.largest, found.mean);
            fflush(stdout);
        }
        HB_TRY(hb_evaluator_adjust(w->ev, w->a[0], w->r[0]));
    }
    return HB_OK;
}

static void show_histogram(const uint64_t *bins)
{
    double all = 0;
    for (int i = 0; i < BOOTSTRAP_BINS; i++) {
        all += (double)bins[i];
    }
    printf("\nbits   share of slots, of one bootstrap each\n");
    for (int i = 0; i < BOOTSTRAP_BINS; i++) {
        if (bins[i] > 0) {
            printf("%2d..   %.6f\n", i, (double)bins[i] / all);
        }
    }
}

static hb_status run(bootstrap_world *w, bool lowest, uint32_t bootstraps, double *values)
{
    const int first = lowest ? HB_BOOTSTRAP_LOWEST : HB_BOOTSTRAP_COMPLEX,
              end = lowest ? HB_BOOTSTRAP_NOISE : HB_BOOTSTRAP_LOWEST;
    uint64_t bins[BOOTSTRAP_BINS] = {0};
    printf("%-10s %-12s %8s %8s %9s %8s %8s\n", "kind", "values", "largest", "mean", "expected", "mean", "proven");
    for (int kind = first; kind < end; kind++) {
        for (int data = 0; data < BOOTSTRAP_DATA; data++) {
            HB_TRY(measure(w, (hb_bootstrap_kind)kind, (bootstrap_data)data, values, bins));
        }
    }
    show_histogram(bins);
    return bootstraps > 0 ? repeat(w, (hb_bootstrap_kind)first, bootstraps, values) : HB_OK;
}

/* The options. */
typedef struct request {
    bool cpu, twice, lowest;
    const char *preset;
    size_t n; /* 0: the preset's */
    uint32_t bootstraps;
} request;

static hb_status run_preset(const request *asked)
{
    static const uint32_t range_bits = 0;
    hb_params_spec spec = {.security = {.level = 128}};
    hb_params *params = NULL;
    hb_engine *engine = NULL;
    bootstrap_world w = {.params = NULL};
    hb_status st;
    HB_TRY(hb_params_preset(asked->preset, &spec));
    spec.n = asked->n > 0 ? asked->n : spec.n;
    spec.insecure |= asked->n > 0;
    HB_TRY(hb_params_open(&spec, &params));
    double *values = malloc(spec.n * sizeof *values);
    st = values != NULL ? open_engine(&engine, params, asked->cpu) : HB_FAIL(HB_ENOMEM, "no memory for values");
    if (st != HB_OK) {
        hb_params_close(params);
        free(values);
        return st;
    }
    HB_GOTO(bootstrap_world_open(
        &w, params, engine,
        &(hb_bootstrap_spec){
            .count = 1, .range_bits = &range_bits, .ranges = 1, .twice = asked->twice, .lowest = asked->lowest}));
    printf("%s, N = %zu%s\n", asked->preset, spec.n,
           asked->twice    ? ", and their errors"
           : asked->lowest ? ", from the lowest level"
                           : "");
    st = run(&w, asked->lowest, asked->bootstraps, values);
done:
    bootstrap_world_close(&w);
    free(values);
    return st;
}

int main(int argc, char **argv)
{
    request asked = {.preset = "boot-16", .bootstraps = 200};
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        asked.cpu |= strcmp(argv[i], "--cpu") == 0;
        asked.twice |= strcmp(argv[i], "--twice") == 0;
        asked.lowest |= strcmp(argv[i], "--lowest") == 0;
    }
    asked.preset = i < argc ? argv[i] : asked.preset;
    const unsigned long log_n = i + 1 < argc ? strtoul(argv[i + 1], NULL, 10) : 0;
    asked.n = log_n > 0 && log_n < 32 ? (size_t)1 << log_n : 0;
    asked.bootstraps = i + 2 < argc ? (uint32_t)strtoul(argv[i + 2], NULL, 10) : asked.bootstraps;
    hb_status st = asked.twice && asked.lowest ? HB_FAIL(HB_EUSAGE, "--twice and --lowest exclude each other") : HB_OK;
    st = st == HB_OK ? hb_seed_start() : st;
    st = st == HB_OK ? run_preset(&asked) : st;
    if (st != HB_OK) {
        printf("FAILED: %s\n", hb_last_error()->text);
    }
    return st == HB_OK ? 0 : 1;
}
