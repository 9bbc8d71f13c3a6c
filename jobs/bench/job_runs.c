/* Runs jobs as the commands do, watched. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "cuda/engine/engine.h"
#include "divided/engine.h"
#include "eval/job.h"
#include "job_private.h"
#include "machine/machine.h"
#include "scheme/params.h"
#include "tables/decrypt_job.h"
#include "tables/encrypt_job.h"

/* Takes a sample if look number `number` is one of those that are kept. */
static void look(hb_bench_watch *watch, size_t number)
{
    if (number % watch->every != 0) {
        return;
    }
    /* From here on half as often, and every other sample goes, so that samples stay at equal distances. */
    if (watch->count == HB_WATCH_MOST) { /* from here on half as often, and so it shall have been before */
        for (size_t i = 0; i < HB_WATCH_MOST / 2; i++) {
            watch->sample[i] = watch->sample[2 * i];
        }
        watch->count /= 2;
        watch->every *= 2;
    }
    watch->sample[watch->count].host = hb_peak_bytes();
    watch->sample[watch->count].gpu = watch->engine != NULL ? hb_cuda_engine_bytes(watch->engine) : 0;
    watch->count++;
}

static void *watcher(void *argument)
{
    static const struct timespec pause = {0, 5000000}; /* 5 ms */
    hb_bench_watch *watch = argument;
    for (size_t number = 1; !atomic_load(&watch->stop); number++) {
        nanosleep(&pause, NULL);
        look(watch, number);
    }
    return NULL;
}

/* Starts the watch. The engine stays open until its end; NULL: not on a GPU. HB_ENOMEM without a thread. */
static hb_status watch_begin(hb_bench_watch *watch, const hb_engine *engine)
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

/* Ends the watch, once after a begin, whatever that returned. */
static void watch_end(hb_bench_watch *watch, hb_bench_memory *memory)
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
static hb_status watched(hb_bench_context *c, hb_job *job, hb_bench_job_times *times)
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
static double link_rate(const hb_bench_context *c, double up, double down)
{
    const double uploading = up / c->upload, downloading = down / c->download;
    return c->upload > 0 ? (double)c->results->ciphertexts / (uploading > downloading ? uploading : downloading) : 0;
}

/* Returns the bytes of all values over the links: they go to every rank that shares the ciphertext, while packed rows
 * go to each rank its own. */
static double value_bytes(const hb_bench_context *c)
{
    return (double)(c->results->ciphertexts * c->options->params->spec.n * sizeof(uint64_t)) * c->results->limb_ranks;
}

static uint64_t dataset_bytes(const hb_bench_context *c)
{
    return c->results->ciphertexts * c->results->ciphertext_bytes;
}

/* Runs a job that was opened. The process was there before the job, so the span of its start is none of it. */
static hb_status run(hb_bench_context *c, hb_job *job, hb_bench_job_times *times)
{
    const hb_status st = watched(c, job, times);
    times->job_times = job->job_times;
    times->job_times.seconds[HB_SPAN_START] = 0;
    times->times = job->times;
    return st;
}

static void close_job(hb_job *job, hb_bench_job_times *times)
{
    const double begin = hb_now();
    hb_job_close(job);
    times->close = hb_now() - begin;
}

static hb_job_options job_options(const hb_bench_context *c)
{
    return (hb_job_options){.device = c->device, .limbs = c->options->limbs};
}

hb_status hb_bench_job_encrypt(hb_bench_context *c, const char *output, hb_bench_job_times *times)
{
    hb_bench_job_times dropped;
    hb_bench_job_times *to = times != NULL ? times : &dropped;
    const hb_encrypt_options options = {.job = job_options(c),
                                        .key = c->scratch.key,
                                        .table = c->scratch.table,
                                        .output = output,
                                        .order = HB_PACK_COLUMNS,
                                        .encoding = hb_params_has_slots(c->options->params) ? HB_ENCODE_SLOTS
                                                                                            : HB_ENCODE_COEFFICIENTS,
                                        .errors = HB_GAUSSIAN};
    hb_encrypt_job job;
    hb_status st = hb_encrypt_job_open(&job, c->group, c->common, &options);
    if (st == HB_OK) {
        st = run(c, &job.base, to);
        to->written_bytes = dataset_bytes(c);
        to->link = link_rate(c, value_bytes(c), (double)dataset_bytes(c));
    }
    close_job(&job.base, to);
    return st;
}

hb_status hb_bench_job_decrypt(hb_bench_context *c, hb_bench_job_times *times)
{
    const hb_decrypt_options options = {
        .job = job_options(c), .key = c->scratch.key, .input = c->scratch.dataset, .output = c->scratch.back};
    hb_decrypt_job job;
    /* The dataset was just written and is in memory: it shall be read from where it is stored. */
    hb_bench_scratch_forget(&c->scratch, c->group);
    hb_status st = hb_decrypt_job_open(&job, c->group, c->common, &options);
    if (st == HB_OK) {
        st = run(c, &job.base, times);
        times->read_bytes = dataset_bytes(c);
        times->link = link_rate(c, (double)dataset_bytes(c), value_bytes(c));
    }
    close_job(&job.base, times);
    return st;
}

hb_status hb_bench_job_eval(hb_bench_context *c, const char *expression, hb_bench_job_times *times)
{
    char a[] = "a", b[] = "b", y[] = "y";
    hb_bench_scratch *scratch = &c->scratch;
    const hb_binding bindings[] = {{a, scratch->dataset, HB_BINDING_INPUT},
                                   {b, scratch->other, HB_BINDING_INPUT},
                                   {y, scratch->result, HB_BINDING_OUTPUT}};
    const hb_eval_options options = {.job = job_options(c),
                                     .keys = scratch->keys,
                                     .expression = expression,
                                     .wrap = true, /* nobody reads what comes out */
                                     .bindings = bindings,
                                     .binding_count = sizeof bindings / sizeof bindings[0]};
    hb_eval_job job;
    hb_bench_scratch_forget(scratch, c->group);
    hb_status st = hb_eval_job_open(&job, c->group, c->common, &options);
    if (st == HB_OK) {
        st = run(c, &job.base, times);
        times->read_bytes = 2 * dataset_bytes(c);
        times->written_bytes = job.outputs.headers[0]->ciphertexts * hb_header_ciphertext_bytes(job.outputs.headers[0]);
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
