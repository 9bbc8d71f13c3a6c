#include "job.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/console.h"
#include "cli/stop.h"
#include "io/base/durable.h"
#include "job_private.h"
#include "scheme/params.h"

const char *const hb_bench_job_names[HB_BENCH_RUNS] = {"encrypt", "decrypt", "add", "multiply"};

/* Measures all links at once, as a job uses them, and adds them up. Collective. */
static hb_status measure_links(hb_bench_context *c)
{
    hb_device device;
    hb_rates rates = {0};
    HB_TRY(hb_device_choose(&device, c->group, &c->options->device, NULL));
    c->device = c->options->device;
    /* All runs take the device that was found here, and predict no more. */
    c->device.kind = device.gpu ? "gpu" : "cpu";
    HB_TRY(hb_agree(c->group, hb_bench_link(&device, &rates)));
    uint64_t sums[] = {(uint64_t)rates.of[HB_CEILING_UPLOAD], (uint64_t)rates.of[HB_CEILING_DOWNLOAD]};
    HB_TRY(hb_agree(c->group, hb_group_sum(c->group, sums, 2)));
    c->upload = (double)sums[0];
    c->download = (double)sums[1];
    return HB_OK;
}

static double largest(const double *rates, int count)
{
    double most = rates[0];
    for (int i = 1; i < count; i++) {
        most = rates[i] > most ? rates[i] : most;
    }
    return most;
}

/* Returns the ciphertexts a second that plain files would allow; reading and writing go on at the same time, so the
 * slower one counts. */
static double files_rate(const hb_bench_context *c, const hb_bench_job_times *run, int thread_counts)
{
    const hb_bench_files *files = &c->results->files;
    const double reading = (double)run->read_bytes / largest(files->read, thread_counts);
    const double writing = (double)run->written_bytes / largest(files->write, thread_counts);
    return (double)c->results->ciphertexts / (reading > writing ? reading : writing);
}

/* Says what comes next, as it may take a while. */
static void announce(const hb_bench_context *c, const char *what)
{
    hb_console_log(c->group, c->common, "bench job    %s", what);
}

static hb_status encrypt_and_decrypt(hb_bench_context *c)
{
    announce(c, "a table and keys");
    HB_TRY(hb_bench_scratch_fill(&c->scratch, c->group, c->common, c->options->params, c->options->rows,
                                 HB_BENCH_COLUMNS));
    announce(c, hb_bench_job_names[HB_BENCH_ENCRYPT]);
    HB_TRY(hb_bench_job_encrypt(c, c->scratch.dataset, &c->results->run[HB_BENCH_ENCRYPT]));
    announce(c, hb_bench_job_names[HB_BENCH_DECRYPT]);
    return hb_bench_job_decrypt(c, &c->results->run[HB_BENCH_DECRYPT]);
}

/* Tells whether there is space for another dataset, and for a result that has both components. Collective: rank 0
 * looks. */
static hb_status fits_scratch(const hb_bench_context *c, bool *fits)
{
    const uint64_t bytes = c->results->ciphertexts * c->results->ciphertext_bytes;
    uint64_t there = 0, enough = 0;
    hb_status st = HB_OK;
    if (c->group->rank == 0) {
        st = hb_free_bytes(c->scratch.folder, &there);
        enough = there > bytes + 2 * bytes + bytes / 8;
    }
    HB_TRY(hb_agree(c->group, st));
    HB_TRY(hb_agree(c->group, hb_group_broadcast(c->group, &enough, sizeof enough, 0)));
    *fits = enough != 0;
    return HB_OK;
}

/* Tells whether products can be read afterwards: one limb is for the message, and two for the noise of a product. */
static bool has_products(const hb_params *params)
{
    return hb_params_has_slots(params) && params->data_limbs >= 3;
}

static hb_status compute(hb_bench_context *c)
{
    bool fits;
    HB_TRY(fits_scratch(c, &fits));
    if (!fits) {
        return HB_OK;
    }
    announce(c, "another dataset, to compute with");
    HB_TRY(hb_bench_job_encrypt(c, c->scratch.other, NULL));
    announce(c, hb_bench_job_names[HB_BENCH_ADD]);
    HB_TRY(hb_bench_job_eval(c, "y = a + b", &c->results->run[HB_BENCH_ADD]));
    if (!has_products(c->options->params)) {
        return HB_OK;
    }
    announce(c, hb_bench_job_names[HB_BENCH_MULTIPLY]);
    return hb_bench_job_eval(c, "y = a * b", &c->results->run[HB_BENCH_MULTIPLY]);
}

static hb_status measure_all(hb_bench_context *c)
{
    hb_bench_job_results *results = c->results;
    const uint64_t bytes = results->ciphertexts * results->ciphertext_bytes;
    hb_console_log(c->group, c->common, "bench job    plain files of %s, for comparison",
                   hb_human_bytes((double)bytes).text);
    HB_TRY(hb_bench_raw(&c->scratch, c->group, bytes, &results->files));
    HB_TRY(measure_links(c));
    HB_TRY(encrypt_and_decrypt(c));
    HB_TRY(compute(c));
    for (int r = 0; r < HB_BENCH_RUNS; r++) {
        hb_bench_job_times *run = &results->run[r];
        if (run->done) {
            run->files = files_rate(c, run, HB_BENCH_THREADS);
            run->files_one = files_rate(c, run, 1);
        }
    }
    return HB_OK;
}

/* Computes sizes from the rule of packing by columns (io/base/packing.h), before anything is made. */
static hb_status find_sizes(const hb_bench_job_options *options, hb_bench_job_results *results, int ranks,
                            uint64_t *scratch_bytes)
{
    const hb_params *p = options->params;
    const uint64_t overhead = (uint64_t)1 << 20; /* of a file: what HDF5 adds, and reports */
    *results = (hb_bench_job_results){0};
    if (options->rows == 0 || options->rows > (uint64_t)1 << 40) {
        return HB_FAIL(HB_EUSAGE, "--rows %" PRIu64 ": 1 to 2^40", options->rows);
    }
    results->ciphertexts = HB_BENCH_COLUMNS * ((options->rows - 1) / p->spec.n + 1);
    results->ciphertext_bytes = hb_packed_bytes(&p->ring, p->ids, p->data_limbs) + HB_SEED_BYTES;
    /* The plain files are gone before the tables and the dataset come. */
    const uint64_t table = options->rows * HB_BENCH_COLUMNS * sizeof(uint32_t);
    *scratch_bytes =
        2 * table + results->ciphertexts * results->ciphertext_bytes + overhead * (4 + 2 * (uint64_t)ranks);
    return HB_OK;
}

hb_status hb_bench_job(hb_group *group, const hb_common *common, const hb_bench_job_options *options,
                       hb_bench_job_results *results)
{
    uint64_t bytes = 0;
    hb_bench_context *c = calloc(1, sizeof *c); /* too large for a stack */
    hb_status st = c != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a benchmark");
    st = hb_agree(group, st == HB_OK ? find_sizes(options, results, group->size, &bytes) : st);
    if (st != HB_OK) {
        free(c);
        return st;
    }
    *c = (hb_bench_context){.group = group, .common = common, .options = options, .results = results};
    /* From here on there is a folder to remove, however the run ends. */
    hb_stop_catch();
    st = hb_bench_scratch_make(&c->scratch, group, options->scratch, bytes);
    st = st == HB_OK ? measure_all(c) : st;
    /* Why the run failed matters more than why its folder stays. */
    const hb_error cause = *hb_last_error();
    const hb_status removed = hb_bench_scratch_remove(&c->scratch, group);
    free(c);
    if (st != HB_OK) {
        hb_set_error(&cause);
        return st;
    }
    return hb_agree(group, removed);
}
