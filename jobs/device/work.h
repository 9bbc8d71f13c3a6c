/* Predicts, roughly, how long a job computes, before anything is opened for it: whether a GPU is worth opening.
 *
 * Work is counted in transforms of one limb, which is what most operations consist of. How long a transform takes here
 * is measured, which takes milliseconds. Reading and writing are left out, as every device waits for them alike. The
 * answer is right within a factor of two or three, which matters only to jobs that take about as long either way. */
#ifndef HB_DEVICE_WORK_H
#define HB_DEVICE_WORK_H

#include "rlwe/params.h"

/* What one rank has to do: the one that has most. The parameters are borrowed. */
typedef struct hb_work {
    const hb_params *params;
    double transforms;
} hb_work;

/* Predicted seconds. */
typedef struct hb_work_times {
    double cpu, gpu; /* that of a GPU includes opening it */
} hb_work_times;
/* Predicts the work's times on `queues` threads of the CPU, and on any GPU that this program runs on. With `checks` the
 * GPU will have its operations checked first, as no recent check is remembered (checked_file.h). Not collective.
 * HB_ENOMEM. */
hb_status hb_work_predict(const hb_work *work, uint64_t queues, bool checks, hb_work_times *times);

#endif
