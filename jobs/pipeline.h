/* Three stages over a ring of slots: while units are computed, the next is read and the last is written. */
#ifndef HB_PIPELINE_H
#define HB_PIPELINE_H

#include <stdint.h>

#include "status.h"

/* Units that are computed at the same time, each by its own worker; a slot for each of them, and one for each of the
 * other stages: more would only hold more memory. */
enum { HB_PIPELINE_MOST_WORKERS = 8, HB_PIPELINE_MOST_SLOTS = HB_PIPELINE_MOST_WORKERS + 2 };
uint32_t hb_pipeline_slots(uint32_t workers);

/* What happens to one unit in slot 0 .. hb_pipeline_slots(workers) - 1. A slot is in one stage at a time. `read` and
 * `write` see the units in order, each in a thread of its own; write NULL: nothing is kept. `compute` by one worker
 * runs in the caller's thread; several take turns, worker w gets units w, w + workers, ..., so that every rank with the
 * same units gives each to the same worker, and each runs in a thread of its own. Those threads have every signal
 * blocked. `tend` (NULL: none) runs in the caller's thread, between units and many times a second while it waits: what
 * it returns but HB_OK ends the run. `leave` (NULL: none): a worker has computed its last unit, or stops after a failure;
 * in its thread. `interrupt` (NULL: none): at the first failure, in any thread: workers that wait for other ranks are to
 * end. */
typedef struct hb_pipeline_stages {
    hb_status (*read)(void *context, uint32_t slot, uint64_t unit);
    hb_status (*compute)(void *context, uint32_t slot, uint32_t worker, uint64_t unit);
    hb_status (*write)(void *context, uint32_t slot, uint64_t unit);
    hb_status (*tend)(void *context);
    void (*leave)(void *context, uint32_t worker);
    void (*interrupt)(void *context);
} hb_pipeline_stages;

/* Seconds: that each stage was busy (compute: the mean of its workers), and of the whole. */
typedef struct hb_pipeline_times {
    double read, compute, write, wall;
} hb_pipeline_times;

/* Units first .. first + count. The first failure of any stage stops all after the unit that each is at, and is
 * returned with its text. *times is set also after a failure. HB_ENOMEM when a thread cannot be started. */
hb_status hb_pipeline_run(const hb_pipeline_stages *stages, void *context, uint32_t workers, uint64_t first,
                          uint64_t count, hb_pipeline_times *times);

#endif
