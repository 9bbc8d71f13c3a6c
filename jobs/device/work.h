/* Predicts roughly how long a job computes, before anything is opened for it: this tells whether a GPU is worth
 * opening.
 *
 * Work is counted in transforms of one limb, as most operations consist of them. The time of a transform on this
 * machine is measured, which takes milliseconds. Reading and writing are left out, as every device waits for them
 * alike. The prediction is right within a factor of two or three, which matters only to jobs that take about as long on
 * either device. */
#ifndef HB_DEVICE_WORK_H
#define HB_DEVICE_WORK_H

#include "rlwe/params.h"

/* The work of the rank that has most. The parameters are borrowed. */
typedef struct hb_work {
    const hb_params *params;
    double transforms;
} hb_work;

/* Predicted seconds. */
typedef struct hb_work_times {
    double cpu, gpu; /* the GPU's time includes opening it */
} hb_work_times;
/* Predicts the work's times on `queues` threads of the CPU, and on any GPU that this program runs on. With `checks` the
 * time of the GPU includes the check of its operations, as no recent check is remembered (checked_file.h). Not
 * collective. HB_ENOMEM. */
hb_status hb_work_predict(const hb_work *work, uint64_t queues, bool checks, hb_work_times *times);

#endif
