#include "watch.h"

#include <signal.h>
#include <string.h>
#include <time.h>

#include "cuda/engine/engine.h"
#include "machine/machine.h"

static void look(hb_bench_watch *watch, size_t number)
{
    if (number % watch->every != 0) {
        return;
    }
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

hb_status hb_bench_watch_begin(hb_bench_watch *watch, const hb_engine *engine)
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

void hb_bench_watch_end(hb_bench_watch *watch, hb_bench_memory *memory)
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
