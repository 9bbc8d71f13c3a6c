/* Runs jobs as the commands do, watched, beside plain files and links. */
#include "job.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/console.h"
#include "cli/stop.h"
#include "cuda/engine/engine.h"
#include "divided/engine.h"
#include "eval/job.h"
#include "io/files/durable.h"
#include "machine/machine.h"
#include "scheme/codec.h"
#include "scheme/params.h"
#include "scratch.h"
#include "tables/decrypt_job.h"
#include "tables/encrypt_job.h"

/* Samples of a watch. */
enum { MOST_SAMPLES = 1024 };

/* Looks at the memory of this process and of its engine while a job runs, from a thread of its own. */
typedef struct memory_watch {
    const hb_engine *engine; /* the one on a GPU; NULL: there is none */
    pthread_t thread;
    bool running;
    atomic_bool stop;
    struct {
        uint64_t host, gpu;
    } sample[MOST_SAMPLES]; /* at equal distances from the start to now */
    size_t count, every;    /* samples; looks that each stands for */
} memory_watch;

/* The state that all steps of a benchmark share. */
typedef struct context {
    hb_group *group;
    const hb_common *common;
    const hb_bench_job_options *options;
    hb_device_choice device; /* of all runs: the result of the options' choice */
    hb_bench_scratch scratch;
    memory_watch watch;
    double upload, download; /* bytes a second of the links of all ranks together; 0: a CPU */
    hb_bench_job_results *results;
} context;

/* Takes a sample if look number `number` is kept. */
static void look(memory_watch *watch, size_t number)
{
    if (number % watch->every != 0) {
        return;
    }
    /* From here on half as often, and every other sample goes, so that samples stay at equal distances. */
    if (watch->count == MOST_SAMPLES) {
        for (size_t i = 0; i < MOST_SAMPLES / 2; i++) {
            watch->sample[i] = watch->sample[2 * i];
        }
        watch->count /= 2;
        watch->every *= 2;
    }
    /* The peak, as the current memory would miss allocations that came and went between two samples. */
    watch->sample[watch->count].host = hb_peak_bytes();
    watch->sample[watch->count].gpu = watch->engine != NULL ? hb_cuda_engine_bytes(watch->engine) : 0;
    watch->count++;
}

/* The thread of a watch: looks until it is told to stop. */
static void *watcher(void *argument)
{
    static const struct timespec pause = {0, 5000000}; /* 5 ms */
    memory_watch *watch = argument;
    for (size_t number = 1; !atomic_load(&watch->stop); number++) {
        nanosleep(&pause, NULL);
        look(watch, number);
    }
    return NULL;
}

/* Starts the watch. The engine stays open until its end; NULL: not on a GPU. HB_ENOMEM without a thread. */
static hb_status watch_begin(memory_watch *watch, const hb_engine *engine)
{
    memset(watch, 0, sizeof *watch);
    watch->engine = engine;
    watch->every = 1;
    look(watch, 0);
    sigset_t all, before;
    sigfillset(&all); /* signals are for the thread that owns the job */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failed = pthread_create(&watch->thread, NULL, watcher, watch);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    watch->running = failed == 0;
    return watch->running ? HB_OK : HB_FAIL(HB_ENOMEM, "cannot start a thread: %s", strerror(failed));
}

/* Ends the watch, once after each begin, also a failed one. */
static void watch_end(memory_watch *watch, hb_bench_memory *memory)
{
    if (watch->running) {
        atomic_store(&watch->stop, true);
        pthread_join(watch->thread, NULL);
    }
    watch->every = 1;
    look(watch, 0);
    const size_t at[3] = {0, watch->count / 2, watch->count - 1};
    for (int i = 0; i < 3; i++) {
        memory->host[i] = watch->sample[at[i]].host;
        memory->gpu[i] = watch->sample[at[i]].gpu;
    }
}

static hb_status gather_memory(hb_group *group, hb_bench_memory *memory)
{
    hb_status st = hb_group_max(group, memory->host, 3);
    st = st == HB_OK ? hb_group_max(group, memory->gpu, 3) : st;
    return hb_agree(group, st);
}

/* Runs a job that was opened, watched. Collective. */
static hb_status watched(context *c, hb_job *job, hb_bench_job_times *times)
{
    const hb_engine *engine = job->device.gpu ? hb_divided_device(job->session.engine) : NULL;
    c->results->limb_ranks = (uint32_t)job->session.grid.members->size;
    hb_status st = hb_agree(c->group, watch_begin(&c->watch, engine));
    const double begin = hb_now();
    st = st == HB_OK ? hb_job_run(job) : st;
    times->seconds = hb_now() - begin;
    watch_end(&c->watch, &times->memory);
    HB_TRY(st);
    times->rate = (double)c->results->ciphertexts / times->seconds;
    times->done = true;
    return gather_memory(c->group, &times->memory);
}

/* Returns the ciphertexts a second that the links allow, where these are the bytes of all ciphertexts each way; 0 on a
 * CPU. */
static double link_rate(const context *c, double up, double down)
{
    const double uploading = up / c->upload, downloading = down / c->download;
    return c->upload > 0 ? (double)c->results->ciphertexts / (uploading > downloading ? uploading : downloading) : 0;
}

/* Returns the bytes of all values over the links: they go to every rank that shares the ciphertext, while packed rows
 * go to each rank its own. */
static double value_bytes(const context *c)
{
    return (double)(c->results->ciphertexts * c->options->params->spec.n * sizeof(uint64_t)) * c->results->limb_ranks;
}

static uint64_t dataset_bytes(const context *c)
{
    return c->results->ciphertexts * c->results->ciphertext_bytes;
}

/* Runs a job that was opened. */
static hb_status run(context *c, hb_job *job, hb_bench_job_times *times)
{
    const hb_status st = watched(c, job, times);
    times->job_times = job->job_times;
    hb_job_times_drop_start(&times->job_times);
    times->times = job->times;
    return st;
}

static void close_job(hb_job *job, hb_bench_job_times *times)
{
    const double begin = hb_now();
    hb_job_close(job);
    times->close = hb_now() - begin;
}

static hb_job_options job_options(const context *c)
{
    return (hb_job_options){.device = c->device, .limbs = c->options->limbs};
}

static hb_encoding encoding_of(const hb_params *params)
{
    return hb_params_has_slots(params) ? HB_ENCODE_SLOTS : HB_ENCODE_COEFFICIENTS;
}

/* Encrypts the table into `output`. Collective. times NULL: nothing is measured, the dataset is only wanted. */
static hb_status time_encrypt(context *c, const char *output, hb_bench_job_times *times)
{
    hb_bench_job_times dropped;
    hb_bench_job_times *to = times != NULL ? times : &dropped;
    const char *table = c->scratch.table;
    hb_reading reading = {0}; /* nothing is said of the table */
    const hb_encrypt_options options = {.job = job_options(c),
                                        .key = c->scratch.key,
                                        .tables = hb_table_list_of(&table),
                                        .reading = &reading,
                                        .output = output,
                                        .packing = HB_CHOOSE_COLUMNS,
                                        .encoding = encoding_of(c->options->params),
                                        .errors = HB_GAUSSIAN};
    hb_encrypt_job *job = calloc(1, sizeof *job); /* larger than a frame should be */
    if (job == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory to encrypt a table");
    }
    hb_status st = hb_encrypt_job_open(job, c->group, c->common, &options);
    if (st == HB_OK) {
        st = run(c, &job->base.job, to);
        to->written_bytes = dataset_bytes(c);
        /* Values go up the link, rows come down. */
        to->link = link_rate(c, value_bytes(c), (double)dataset_bytes(c));
    }
    close_job(&job->base.job, to);
    free(job);
    return st;
}

/* Decrypts the first dataset. Collective. */
static hb_status time_decrypt(context *c, hb_bench_job_times *times)
{
    const hb_decrypt_options options = {
        .job = job_options(c), .key = c->scratch.key, .input = c->scratch.dataset, .output = c->scratch.back};
    hb_decrypt_job job;
    /* The dataset was just written and is in memory: it shall be read from where it is stored. */
    hb_bench_scratch_forget(&c->scratch, c->group);
    hb_status st = hb_decrypt_job_open(&job, c->group, c->common, &options, NULL);
    if (st == HB_OK) {
        st = run(c, &job.base, times);
        times->read_bytes = dataset_bytes(c);
        /* Rows go up the link, values come down. */
        times->link = link_rate(c, (double)dataset_bytes(c), value_bytes(c));
    }
    close_job(&job.base, times);
    return st;
}

/* Computes y = a + b or y = a * b of both datasets, and removes y. Collective. */
static hb_status time_eval(context *c, const char *expression, hb_bench_job_times *times)
{
    char a[] = "a", b[] = "b", y[] = "y";
    hb_bench_scratch *scratch = &c->scratch;
    const bool wraps = hb_codec_cell_type(c->options->params->spec.scheme) == HB_CELL_INTEGER;
    const hb_binding bindings[] = {{a, scratch->dataset, HB_BINDING_INPUT},
                                   {b, scratch->other, HB_BINDING_INPUT},
                                   {y, scratch->result, HB_BINDING_OUTPUT}};
    const hb_eval_options options = {.job = job_options(c),
                                     .keys = scratch->keys,
                                     .expression = expression,
                                     .wrap = wraps, /* the results are not read */
                                     .bindings = bindings,
                                     .binding_count = sizeof bindings / sizeof bindings[0]};
    hb_eval_job job;
    hb_bench_scratch_forget(scratch, c->group);
    hb_status st = hb_eval_job_open(&job, c->group, c->common, &options, NULL);
    if (st == HB_OK) {
        st = run(c, &job.base, times);
        times->read_bytes = 2 * dataset_bytes(c);
        times->written_bytes = job.outputs.headers[0]->ciphertexts * hb_header_ciphertext_bytes(job.outputs.headers[0]);
        /* Rows go both ways. */
        times->link = link_rate(c, (double)times->read_bytes, (double)times->written_bytes);
    }
    close_job(&job.base, times);
    const hb_error cause = *hb_last_error();
    const hb_status removed = hb_agree(c->group, hb_bench_scratch_remove_dataset(scratch->result, c->group));
    if (st != HB_OK) {
        hb_set_error(&cause);
        return st;
    }
    return removed;
}

const char *const hb_bench_job_names[HB_BENCH_RUNS] = {"encrypt", "decrypt", "add", "multiply"};

/* Measures all links at once, as a job uses them, and adds them up. Collective. */
static hb_status measure_links(context *c)
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

/* Returns the ciphertexts a second that plain files would allow: ciphertexts that are read alone, ciphertexts that are
 * written alone, or all of them together where a job does both: the slowest of these. */
static double files_rate(const context *c, const hb_bench_job_times *run, int thread_counts)
{
    const hb_bench_files *files = &c->results->files;
    const double read = (double)run->read_bytes, written = (double)run->written_bytes;
    const double reading = read / largest(files->read, thread_counts);
    const double writing = written / largest(files->write, thread_counts);
    const double both = read > 0 && written > 0 ? (read + written) / largest(files->both, thread_counts) : 0;
    return (double)c->results->ciphertexts / fmax(both, fmax(reading, writing));
}

/* Announces the next step, as it may take a while. */
static void announce(const context *c, const char *what)
{
    hb_console_log(c->group, c->common, "bench job    %s", what);
}

/* Makes the inputs and runs the two jobs that every set of parameters has. Collective. */
static hb_status encrypt_and_decrypt(context *c)
{
    announce(c, "a table and keys");
    HB_TRY(hb_bench_scratch_fill(&c->scratch, c->group, c->common, c->options->params, c->options->rows,
                                 HB_BENCH_COLUMNS));
    announce(c, hb_bench_job_names[HB_BENCH_ENCRYPT]);
    HB_TRY(time_encrypt(c, c->scratch.dataset, &c->results->run[HB_BENCH_ENCRYPT]));
    announce(c, hb_bench_job_names[HB_BENCH_DECRYPT]);
    return time_decrypt(c, &c->results->run[HB_BENCH_DECRYPT]);
}

/* Tells whether there is space for another dataset, and for a result that has both components. Collective: rank 0
 * looks. */
static hb_status fits_scratch(const context *c, bool *fits)
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
    return hb_params_has_slots(params) && params->fresh_limbs >= 3;
}

/* Runs the jobs that compute, as far as space and parameters allow. Collective. */
static hb_status compute(context *c)
{
    bool fits;
    HB_TRY(fits_scratch(c, &fits));
    /* Encryption and decryption were measured; the rest is left out. */
    if (!fits) {
        return HB_OK;
    }
    announce(c, "another dataset, to compute with");
    HB_TRY(time_encrypt(c, c->scratch.other, NULL));
    announce(c, hb_bench_job_names[HB_BENCH_ADD]);
    HB_TRY(time_eval(c, "y = a + b", &c->results->run[HB_BENCH_ADD]));
    if (!has_products(c->options->params)) {
        return HB_OK;
    }
    announce(c, hb_bench_job_names[HB_BENCH_MULTIPLY]);
    return time_eval(c, "y = a * b", &c->results->run[HB_BENCH_MULTIPLY]);
}

/* Measures the bounds of the jobs first, then runs them. Collective. */
static hb_status measure_all(context *c)
{
    hb_bench_job_results *results = c->results;
    const uint64_t bytes = results->ciphertexts * results->ciphertext_bytes;
    hb_console_log(c->group, c->common, "bench job    plain files of %s, for comparison",
                   hb_human_bytes((double)bytes).text);
    /* First, while the folder has nothing else in it. */
    HB_TRY(hb_bench_plain_files(&c->scratch, c->group, bytes, &results->files));
    HB_TRY(measure_links(c));
    HB_TRY(encrypt_and_decrypt(c));
    HB_TRY(compute(c));
    /* Rates of plain files for the bytes that each run has read and written. */
    for (int r = 0; r < HB_BENCH_RUNS; r++) {
        hb_bench_job_times *run = &results->run[r];
        if (run->done) {
            run->files = files_rate(c, run, HB_BENCH_THREADS);
            run->files_one = files_rate(c, run, 1);
        }
    }
    return HB_OK;
}

/* Computes sizes from the rule of packing by columns (src/table/packing.h), before anything is made. */
static hb_status find_sizes(const hb_bench_job_options *options, hb_bench_job_results *results, int ranks,
                            uint64_t *scratch_bytes)
{
    const hb_params *p = options->params;
    const uint64_t overhead = (uint64_t)1 << 20; /* of a file: HDF5's own data, and reports */
    *results = (hb_bench_job_results){0};
    if (options->rows == 0 || options->rows > (uint64_t)1 << 40) {
        return HB_FAIL(HB_EUSAGE, "--rows %" PRIu64 ": 1 to 2^40", options->rows);
    }
    results->ciphertexts = HB_BENCH_COLUMNS * ((options->rows - 1) / hb_codec_capacity(&p->spec, encoding_of(p)) + 1);
    results->ciphertext_bytes = hb_packed_bytes(&p->ring, p->ids, p->fresh_limbs) + HB_SEED_BYTES;
    /* The plain files, twice the dataset, are gone before the tables and the dataset come. */
    const uint64_t tables = 2 * options->rows * HB_BENCH_COLUMNS * sizeof(uint32_t);
    const uint64_t dataset = results->ciphertexts * results->ciphertext_bytes;
    *scratch_bytes = dataset + (tables > dataset ? tables : dataset) + overhead * (4 + 2 * (uint64_t)ranks);
    return HB_OK;
}

hb_status hb_bench_job(hb_group *group, const hb_common *common, const hb_bench_job_options *options,
                       hb_bench_job_results *results)
{
    uint64_t bytes = 0;
    context *c = calloc(1, sizeof *c); /* too large for a stack */
    hb_status st = c != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a benchmark");
    st = hb_agree(group, st == HB_OK ? find_sizes(options, results, group->size, &bytes) : st);
    if (st != HB_OK) {
        free(c);
        return st;
    }
    *c = (context){.group = group, .common = common, .options = options, .results = results};
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
