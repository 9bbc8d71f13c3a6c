/* Three stages over a ring of buffers: while units are computed, the next are read and the last are written. */
#ifndef HB_BATCH_PIPELINE_H
#define HB_BATCH_PIPELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "machine/thread_limits.h"
#include "stage_times.h"

/* How many units are in each stage at the same time, each with a thread of its own; writers 0: nothing is
 * kept. There is a buffer for each thread: more would only hold more memory. */
enum { HB_STAGES = 3, HB_PIPELINE_MOST_BUFFERS = HB_MOST_WORKERS + 2 * HB_MOST_FILE_THREADS };
typedef struct hb_threads {
    uint32_t readers, workers, writers;
} hb_threads;
uint32_t hb_pipeline_buffers(hb_threads threads);

/* A stage does its part of one unit, which is in buffer 0 .. hb_pipeline_buffers(threads) - 1, by thread 0, 1, ... of
 * those of the stage. A buffer is in one stage at a time, and a thread at one unit. The time that a stage has not noted
 * (stage_times.h) when it returns counts as HB_TIME_READ, _COMPUTE, _WRITE. */
typedef hb_status (*hb_pipeline_stage)(void *context, uint32_t buffer, uint32_t thread, uint64_t unit);

/* `read` and `write` begin the units in order. `compute` by one worker runs in the caller's thread; several run each in
 * a thread of its own, and worker w gets units w, w + workers, ..., so that every rank with the same units gives each
 * to the same worker. Threads of the pipeline have every signal blocked. */
typedef struct hb_pipeline_stages {
    hb_pipeline_stage read, compute;
    hb_pipeline_stage write; /* NULL: nothing is kept */
    /* Runs in the caller's thread, between units and many times a second while that waits: what it returns but HB_OK
     * ends the run. NULL: none. */
    hb_status (*tend)(void *context);
    /* Runs in a worker's thread, when it has computed its last unit or stops after a failure. NULL: none. */
    void (*leave)(void *context, uint32_t worker);
    /* Runs at the first failure, in any thread: workers that wait for other ranks are to end. NULL: none. */
    void (*interrupt)(void *context);
    /* HB_ESTOPPED of `tend`, or of `compute`, which then has done nothing of the unit, is no failure but an end in good
     * order (hb_pipeline_run). */
    bool orderly;
} hb_pipeline_stages;

/* Seconds. stage: that threads were at units, of each stage together: reading, computing, writing; busy: the same by
 * what it went into. critical: of the longest chain of units in stages, each of which began when the one before it had
 * ended, as the run was: its sum is `wall`, and what makes a kind shorter shortens the run by as much at most. first:
 * until the first unit was through. */
typedef struct hb_pipeline_times {
    hb_threads threads;
    uint64_t units; /* that are through all stages */
    double wall, first, stage[HB_STAGES], busy[HB_TIME_KINDS], critical[HB_TIME_KINDS];
} hb_pipeline_times;

/* Units first .. first + count. The first failure of any stage stops all after the unit that each is at, and is
 * returned with its text. After an orderly HB_ESTOPPED of `tend` no worker begins another unit, but for the very first
 * one, which is always gone through with, so that whoever is stopped again and again comes to an end; after that of
 * `compute` that worker begins none. What was computed is written: a unit is either through all stages or not computed.
 * Returns HB_ESTOPPED with its text if any unit was left out. *times is set also after a failure. HB_ENOMEM when a
 * thread cannot be started. */
hb_status hb_pipeline_run(const hb_pipeline_stages *stages, void *context, hb_threads threads, uint64_t first,
                          uint64_t count, hb_pipeline_times *times);

#endif
