/* Memory of this process and of its engine while a job runs, looked at from a thread of its own. */
#ifndef HB_BENCH_WATCH_H
#define HB_BENCH_WATCH_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "job.h"

enum { HB_WATCH_MOST = 1024 };

typedef struct hb_bench_watch {
    const hb_engine *engine; /* on a GPU; else NULL */
    pthread_t thread;
    bool running;
    atomic_bool stop;
    struct {
        uint64_t host, gpu;
    } sample[HB_WATCH_MOST]; /* at equal distances from the start to now */
    size_t count, every;     /* looks a sample stands for */
} hb_bench_watch;

/* engine: stays open until the end of the watch; NULL: not on a GPU. HB_ENOMEM without a thread. */
hb_status hb_bench_watch_begin(hb_bench_watch *watch, const hb_engine *engine);
/* Once after a begin, whatever it returned. */
void hb_bench_watch_end(hb_bench_watch *watch, hb_bench_memory *memory);

#endif
