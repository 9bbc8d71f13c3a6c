/* Three stages over a ring of slots: while units are computed, the next are read and the last are written. */
#ifndef HB_BATCH_PIPELINE_H
#define HB_BATCH_PIPELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "machine/thread_limits.h"
#include "stage_times.h"

/* How many units are in each stage at the same time, each with a thread ("hand") of its own; writers 0: nothing is
 * kept. There is a slot for each hand: more would only hold more memory. */
enum { HB_STAGES = 3, HB_PIPELINE_MOST_SLOTS = HB_MOST_WORKERS + 2 * HB_MOST_FILE_THREADS };
typedef struct hb_crew {
    uint32_t readers, workers, writers;
} hb_crew;
uint32_t hb_pipeline_slots(hb_crew crew);

/* One unit in a stage, in slot 0 .. hb_pipeline_slots(crew) - 1, by hand 0, 1, ... of those of the stage. */
typedef hb_status (*hb_pipeline_stage)(void *context, uint32_t slot, uint32_t hand, uint64_t unit);

/* A slot is in one stage at a time, a hand at one unit. `read` and `write` begin the units in order; write NULL:
 * nothing is kept. `compute` by one worker runs in the caller's thread; several take turns, worker w gets units w, w +
 * workers, ..., so that every rank with the same units gives each to the same worker, and each runs in a thread of its
 * own. Threads of the pipeline have every signal blocked. The time that a stage has not noted (stage_times.h) when it
 * returns is HB_TIME_READ, _COMPUTE, _WRITE. `tend` (NULL: none) runs in the caller's thread, between units and many
 * times a second while it waits: what it returns but HB_OK ends the run. With `orderly` HB_ESTOPPED, also of `compute`,
 * which then has done nothing of the unit, is no failure but an end in good order (hb_pipeline_run). `leave` (NULL:
 * none): a worker has computed its last unit, or stops after a failure; in its thread. `interrupt` (NULL: none): at the
 * first failure, in any thread: workers that wait for other ranks are to end. */
typedef struct hb_pipeline_stages {
    hb_pipeline_stage read, compute, write;
    hb_status (*tend)(void *context);
    void (*leave)(void *context, uint32_t worker);
    void (*interrupt)(void *context);
    bool orderly;
} hb_pipeline_stages;

/* Seconds. stage: that hands were at units, of each stage together: reading, computing, writing; busy: the same by what
 * it went into. critical: of the longest chain of units in stages, each of which began when the one before it had
 * ended, as the run was: its sum is `wall`, and what makes a kind shorter shortens the run by as much at most. first:
 * until the first unit was through. */
typedef struct hb_pipeline_times {
    hb_crew crew;
    uint64_t units; /* that are through all stages */
    double wall, first, stage[HB_STAGES], busy[HB_TIME_KINDS], critical[HB_TIME_KINDS];
} hb_pipeline_times;

/* Units first .. first + count. The first failure of any stage stops all after the unit that each is at, and is
 * returned with its text. After an orderly HB_ESTOPPED of `tend` no worker begins another unit, but for the very first
 * one, which is always gone through with, so that whoever is stopped again and again comes to an end; after that of
 * `compute` that worker begins none. What was computed is written: a unit is either through all stages or not computed.
 * Returns HB_ESTOPPED with its text if any unit was left out. *times is set also after a failure. HB_ENOMEM when a
 * thread cannot be started. */
hb_status hb_pipeline_run(const hb_pipeline_stages *stages, void *context, hb_crew crew, uint64_t first, uint64_t count,
                          hb_pipeline_times *times);

#endif
