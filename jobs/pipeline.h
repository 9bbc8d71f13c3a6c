/* Three stages over a ring of slots: while one unit is computed, the next is read and the last is written. */
#ifndef HB_PIPELINE_H
#define HB_PIPELINE_H

#include <stdint.h>

#include "status.h"

/* One slot a stage: more would only hold more memory. */
enum { HB_PIPELINE_SLOTS = 3 };

/* What happens to one unit in slot 0 .. HB_PIPELINE_SLOTS - 1. A slot is in one stage at a time; each stage sees the
 * units in order. `read` and `write` run in threads of their own, with every signal blocked; `compute` runs in the
 * caller's. write NULL: nothing is kept. */
typedef struct hb_pipeline_stages {
    hb_status (*read)(void *context, uint32_t slot, uint64_t unit);
    hb_status (*compute)(void *context, uint32_t slot, uint64_t unit);
    hb_status (*write)(void *context, uint32_t slot, uint64_t unit);
} hb_pipeline_stages;

/* Seconds: that each stage was busy, and of the whole. */
typedef struct hb_pipeline_times {
    double read, compute, write, wall;
} hb_pipeline_times;

/* Units first .. first + count. The first failure of any stage stops all three after the unit that each is at, and is
 * returned with its text. *times is set also after a failure. HB_ENOMEM when a thread cannot be started. */
hb_status hb_pipeline_run(const hb_pipeline_stages *stages, void *context, uint64_t first, uint64_t count,
                          hb_pipeline_times *times);

#endif
