/* What job.c, which says what is measured, and job_runs.c, which runs the jobs, share. */
#ifndef HB_BENCH_JOB_PRIVATE_H
#define HB_BENCH_JOB_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "job.h"
#include "scratch.h"

/* Samples of a watch. */
enum { HB_WATCH_MOST = 1024 };

/* Looks at the memory of this process and of its engine while a job runs, from a thread of its own. */
typedef struct hb_bench_watch {
    const hb_engine *engine; /* the one on a GPU; NULL: there is none */
    pthread_t thread;
    bool running;
    atomic_bool stop;
    struct {
        uint64_t host, gpu;
    } sample[HB_WATCH_MOST]; /* at equal distances from the start to now */
    size_t count, every;     /* samples; looks that each stands for */
} hb_bench_watch;

/* What every step of a benchmark has. */
typedef struct hb_bench_context {
    hb_group *group;
    const hb_common *common;
    const hb_bench_job_options *options;
    hb_device_choice device; /* of all runs: what the options' choice led to */
    hb_bench_scratch scratch;
    hb_bench_watch watch;
    double upload, download; /* bytes a second of the links of all ranks together; 0: a CPU */
    hb_bench_job_results *results;
} hb_bench_context;

/* Encrypts the table into `output`. Collective. times NULL: nothing is measured, the dataset is only wanted. */
hb_status hb_bench_job_encrypt(hb_bench_context *c, const char *output, hb_bench_job_times *times);
/* Decrypts the first dataset. Collective. */
hb_status hb_bench_job_decrypt(hb_bench_context *c, hb_bench_job_times *times);
/* Computes y = a + b or y = a * b of both datasets, and removes y. Collective. */
hb_status hb_bench_job_eval(hb_bench_context *c, const char *expression, hb_bench_job_times *times);

#endif
