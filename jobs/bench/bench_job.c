#include "bench_job.h"

#include <inttypes.h>
#include <string.h>

#include "bench_scratch.h"
#include "bench_watch.h"
#include "decrypt_job.h"
#include "divided_engine.h"
#include "encrypt_job.h"
#include "machine.h"
#include "stop.h"

double hb_bench_share(const hb_bench_run_times *run)
{
    const double most = run->link > 0 && run->link < run->files ? run->link : run->files;
    return run->rate / most;
}

/* What every step of a benchmark has. */
typedef struct context {
    hb_group *group;
    const hb_common *common;
    const hb_bench_job_options *options;
    hb_bench_scratch scratch;
    hb_bench_watch watch;
    double upload, download; /* bytes a second of the links of all ranks together; 0: a CPU */
    hb_bench_job_results *results;
} context;

static hb_status gather_memory(hb_group *group, hb_bench_memory *memory)
{
    hb_status st = hb_group_max(group, memory->host, 3);
    st = st == HB_OK ? hb_group_max(group, memory->gpu, 3) : st;
    return hb_agree(group, st);
}

/* Collective: one run, watched. `run` is hb_encrypt_job_run or its like. */
static hb_status watched(context *c, const hb_device *device, const hb_session *session, hb_status (*run)(void *job),
                         void *job, hb_bench_run_times *times)
{
    const hb_engine *engine = device->gpu ? hb_divided_device(session->engine) : NULL;
    c->results->limb_ranks = (uint32_t)session->grid.members->size;
    hb_status st = hb_agree(c->group, hb_bench_watch_begin(&c->watch, engine));
    const double begin = hb_now();
    st = st == HB_OK ? run(job) : st;
    times->seconds = hb_now() - begin;
    hb_bench_watch_end(&c->watch, &times->memory);
    HB_TRY(st);
    times->rate = (double)c->results->ciphertexts / times->seconds;
    return gather_memory(c->group, &times->memory);
}

/* Ciphertexts a second that the links allow: values go one way, to every rank that shares the ciphertext, and packed
 * rows the other, to each its own. */
static double link_rate(const context *c, double values_way, double rows_way)
{
    const double values = (double)(c->options->params->spec.n * sizeof(uint64_t)) * c->results->limb_ranks;
    const double by_values = values_way / values, by_rows = rows_way / (double)c->results->ciphertext_bytes;
    return by_values < by_rows ? by_values : by_rows;
}

static hb_status run_encryption(void *job)
{
    return hb_encrypt_job_run(job);
}

static hb_status run_decryption(void *job)
{
    return hb_decrypt_job_run(job);
}

static hb_status encrypt(context *c)
{
    const hb_encrypt_options options = {.device = c->options->device,
                                        .limbs = c->options->limbs,
                                        .key = c->scratch.key,
                                        .table = c->scratch.table,
                                        .output = c->scratch.dataset,
                                        .order = HB_PACK_COLUMNS,
                                        .encoding =
                                            c->options->params->batching ? HB_ENCODE_SLOTS : HB_ENCODE_COEFFICIENTS,
                                        .errors = HB_GAUSSIAN};
    hb_encrypt_job job;
    hb_bench_run_times *times = &c->results->encrypt;
    hb_status st = hb_encrypt_job_open(&job, c->group, c->common, &options);
    if (st == HB_OK) {
        st = watched(c, &job.device, &job.session, run_encryption, &job, times);
        times->times = job.times;
        times->link = link_rate(c, c->upload, c->download);
    }
    hb_encrypt_job_close(&job);
    return st;
}

static hb_status decrypt(context *c)
{
    const hb_decrypt_options options = {.device = c->options->device,
                                        .limbs = c->options->limbs,
                                        .key = c->scratch.key,
                                        .input = c->scratch.dataset,
                                        .output = c->scratch.back};
    hb_decrypt_job job;
    hb_bench_run_times *times = &c->results->decrypt;
    hb_bench_scratch_forget(&c->scratch, c->group);
    hb_status st = hb_decrypt_job_open(&job, c->group, c->common, &options);
    if (st == HB_OK) {
        st = watched(c, &job.device, &job.session, run_decryption, &job, times);
        times->times = job.times;
        times->link = link_rate(c, c->download, c->upload);
    }
    hb_decrypt_job_close(&job);
    return st;
}

/* Collective: all links at once, as in the job; their sum. */
static hb_status measure_links(context *c)
{
    hb_device device;
    hb_rates rates = {0};
    HB_TRY(hb_device_choose(&device, c->group, &c->options->device));
    HB_TRY(hb_agree(c->group, hb_bench_link(&device, &rates)));
    uint64_t sums[] = {(uint64_t)rates.of[HB_CEILING_UPLOAD], (uint64_t)rates.of[HB_CEILING_DOWNLOAD]};
    HB_TRY(hb_agree(c->group, hb_group_sum(c->group, sums, 2)));
    c->upload = (double)sums[0];
    c->download = (double)sums[1];
    return HB_OK;
}

/* Collective. */
static hb_status measure_files(context *c)
{
    const double count = (double)c->results->ciphertexts;
    double write_seconds, read_seconds;
    HB_TRY(hb_bench_raw(&c->scratch, c->group, c->results->ciphertexts * c->results->ciphertext_bytes, &write_seconds,
                        &read_seconds));
    double *const seconds[] = {&write_seconds, &read_seconds};
    for (size_t i = 0; i < 2; i++) {
        uint64_t nanoseconds = (uint64_t)(*seconds[i] * 1e9);
        HB_TRY(hb_agree(c->group, hb_group_max(c->group, &nanoseconds, 1)));
        *seconds[i] = (double)(nanoseconds > 0 ? nanoseconds : 1) * 1e-9;
    }
    c->results->encrypt.files = count / write_seconds;
    c->results->decrypt.files = count / read_seconds;
    return HB_OK;
}

static hb_status measure_all(context *c)
{
    const hb_bench_job_options *o = c->options;
    hb_console_log(c->group, c->common, "plain files of %s, for comparison",
                   hb_human_bytes((double)(c->results->ciphertexts * c->results->ciphertext_bytes)).text);
    HB_TRY(measure_files(c));
    HB_TRY(measure_links(c));
    HB_TRY(hb_bench_scratch_fill(&c->scratch, c->group, o->params, o->rows, HB_BENCH_COLUMNS));
    HB_TRY(encrypt(c));
    return decrypt(c);
}

/* Sizes from the rule of packing by columns (packing.h). */
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
    context c = {.group = group, .common = common, .options = options, .results = results};
    HB_TRY(hb_agree(group, find_sizes(options, results, group->size, &bytes)));
    hb_stop_catch();
    hb_status st = hb_bench_scratch_make(&c.scratch, group, options->scratch, bytes);
    st = st == HB_OK ? measure_all(&c) : st;
    const hb_error cause = *hb_last_error();
    const hb_status removed = hb_bench_scratch_remove(&c.scratch, group);
    if (st != HB_OK) {
        hb_set_error(&cause);
        return st;
    }
    return hb_agree(group, removed);
}
