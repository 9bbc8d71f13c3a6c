/* Three stages over a ring of buffers: while units are computed, the next ones are read and the last ones are written.
 * Rank-local; what stages do may be collective. */
#ifndef HB_BATCH_PIPELINE_H
#define HB_BATCH_PIPELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "machine/thread_limits.h"
#include "stage_times.h"

/* How many units are in each stage at the same time, each with a thread of its own: readers and workers 1 or more;
 * writers 0 where nothing is kept. There is a buffer for each thread: more would only hold more memory. */
enum { HB_STAGES = 3, HB_PIPELINE_MOST_BUFFERS = HB_MOST_WORKERS + 2 * HB_MOST_FILE_THREADS };
typedef struct hb_threads {
    uint32_t readers, workers, writers;
} hb_threads;
uint32_t hb_pipeline_buffers(hb_threads threads);

/* A stage: does its part of one unit, which is in buffer 0 .. hb_pipeline_buffers(threads) - 1. `thread` is the number
 * of the calling thread among those of the stage. A buffer is in one stage at a time, and a thread at one unit. The
 * time that a stage has not noted (stage_times.h) when it returns counts as HB_TIME_READ, _COMPUTE or _WRITE. */
typedef hb_status (*hb_pipeline_stage)(void *context, uint32_t buffer, uint32_t thread, uint64_t unit);

/* What a run consists of. `read` and `write` begin the units in order. With one worker, `compute` runs in the caller's
 * thread; several workers each have a thread of their own, and worker w gets units w, w + workers, ..., so that every
 * rank with the same units gives each to the same worker. Threads of the pipeline have every signal blocked. */
typedef struct hb_pipeline_stages {
    hb_pipeline_stage read, compute;
    hb_pipeline_stage write; /* NULL: nothing is kept */
    /* Runs in the caller's thread, between units and many times a second while that waits: any status but HB_OK ends
     * the run. NULL: none. */
    hb_status (*tend)(void *context);
    /* Runs in a worker's thread, when it has computed its last unit or stops after a failure; for a worker whose thread
     * could not be started, in the caller's. NULL: none. */
    void (*leave)(void *context, uint32_t worker);
    /* Runs once, at the first failure, in any thread: makes workers that wait for other ranks end. NULL: none. */
    void (*interrupt)(void *context);
    /* HB_ESTOPPED of `tend`, or of `compute`, which then has done nothing of the unit, is no failure but an end in good
     * order (hb_pipeline_run). */
    bool orderly;
} hb_pipeline_stages;

/* Where the time of a run went, in seconds. wall: the whole run. first: until the first unit was through; 0 if none
 * was. stage: how long threads of each stage were at units, added up: reading, computing, writing. busy: the same time
 * by what it went into. critical: the time of the longest chain of units in stages, each of which began when the one
 * before it had ended, by what it went into; its sum is `wall`, and making a kind shorter shortens the run by that
 * kind's part of it at most. */
typedef struct hb_pipeline_times {
    hb_threads threads;
    uint64_t units; /* how many are through all stages */
    double wall, first, stage[HB_STAGES], busy[HB_TIME_KINDS], critical[HB_TIME_KINDS];
} hb_pipeline_times;

/* Runs units first .. first + count through the stages, and returns when all threads have ended.
 *
 * A failure: the first one of any stage stops all threads after the unit that each is at, and is returned with its
 * text. HB_ENOMEM when a thread cannot be started.
 *
 * An end in good order: after HB_ESTOPPED of `tend` no worker begins another unit, except for the very first one, which
 * is always gone through with, so that a job that is stopped again and again comes to an end. After HB_ESTOPPED of
 * `compute` that worker begins none. What was computed is written: a unit is either through all stages or not computed.
 * Returns HB_ESTOPPED with its text if any unit was left out.
 *
 * *times is set also after a failure. */
hb_status hb_pipeline_run(const hb_pipeline_stages *stages, void *context, hb_threads threads, uint64_t first,
                          uint64_t count, hb_pipeline_times *times);

#endif
