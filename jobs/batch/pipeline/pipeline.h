/* Three stages over a ring of buffers: while some units are computed, the next ones are read and earlier ones are
 * written. Rank-local; the stages themselves may be collective. */
#ifndef HB_BATCH_PIPELINE_PIPELINE_H
#define HB_BATCH_PIPELINE_PIPELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "machine/thread_limits.h"
#include "stage_times.h"

/* The number of units in each stage at the same time, each with a thread of its own: readers and workers 1 or more;
 * writers 0 where nothing is written. */
enum { HB_STAGES = 3, HB_PIPELINE_MOST_BUFFERS = HB_MOST_WORKERS + 2 * HB_MOST_FILE_THREADS };
typedef struct hb_threads {
    uint32_t readers, workers, writers;
} hb_threads;
/* Returns the buffers of a run of at most `units` units, 1 or more: one for each thread, and no more than units. More
 * would only take memory, which costs time, too: a GPU's is page-locked at a few GiB a second. */
uint32_t hb_pipeline_buffers(hb_threads threads, uint64_t units);

/* A stage: does its part of one unit, which is in buffer 0 .. hb_pipeline_buffers(threads, count) - 1. `thread` is the
 * number of the calling thread within the stage. A buffer is in one stage at a time, a thread at one unit. Time that
 * the stage has not noted (stage_times.h) when it returns counts as HB_TIME_READ, _COMPUTE or _WRITE. */
typedef hb_status (*hb_pipeline_stage)(void *context, uint32_t buffer, uint32_t thread, uint64_t unit);

/* The functions of a run. `read` and `write` begin the units in order. With one worker, `compute` runs in the caller's
 * thread. Several workers each have a thread of their own, and worker w gets units w, w + workers, ...: ranks with the
 * same units give each unit to the same worker. Threads of the pipeline block every signal. */
typedef struct hb_pipeline_stages {
    hb_pipeline_stage read, compute;
    hb_pipeline_stage write; /* NULL: nothing is written */
    /* Runs in the caller's thread, between units and many times a second while that thread waits: any status but HB_OK
     * ends the run. NULL: none. */
    hb_status (*tend)(void *context);
    /* Runs in a worker's thread after its last unit, or when it stops after a failure; in the caller's thread for a
     * worker whose thread could not be started. NULL: none. */
    void (*leave)(void *context, uint32_t worker);
    /* Runs once, at the first failure, in any thread: frees workers that wait for other ranks. NULL: none. */
    void (*interrupt)(void *context);
    /* HB_ESTOPPED from `tend`, or from `compute`, which then has changed nothing of the unit, is an end in good order
     * and no failure (hb_pipeline_run). */
    bool orderly;
} hb_pipeline_stages;

/* The time of a run, in seconds. wall: the whole run. first: until the first unit was done; 0 if none was. stage: the
 * busy time of the threads of each stage, added up: reading, computing, writing. busy: the same time by kind. critical,
 * by kind: the longest chain of stages of units, each of which began when the one before it had ended; the sum is
 * `wall`. Making one kind faster shortens the run by at most that kind's critical time. */
typedef struct hb_pipeline_times {
    hb_threads threads;
    uint64_t units; /* units that have passed all stages */
    double wall, first, stage[HB_STAGES], busy[HB_TIME_KINDS], critical[HB_TIME_KINDS];
} hb_pipeline_times;

/* Runs units first .. first + count through the stages, and returns when all threads have ended.
 *
 * A failure: the first one of any stage stops every thread after its current unit, and is returned with its text.
 * HB_ENOMEM when a thread cannot be started.
 *
 * An end in good order: after HB_ESTOPPED from `tend` no worker begins another unit. The very first unit is always
 * finished, so that a job that is stopped again and again comes to an end. After HB_ESTOPPED from `compute` that worker
 * begins no more units. Computed units are written: a unit either passes all stages or is not computed. Returns
 * HB_ESTOPPED with its text if any unit was left out.
 *
 * *times is set also after a failure. */
hb_status hb_pipeline_run(const hb_pipeline_stages *stages, void *context, hb_threads threads, uint64_t first,
                          uint64_t count, hb_pipeline_times *times);

#endif
