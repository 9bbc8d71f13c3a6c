/* The time of a whole job, predicted in parts: one model for the choice of a device, plans, and reports. Pure. */
#ifndef HB_DEVICE_PREDICTION_H
#define HB_DEVICE_PREDICTION_H

#include "speed.h"
#include "work.h"

/* Parts, in the order of a job. */
typedef enum hb_time_part {
    HB_PART_START,     /* the process, its launcher, the command line */
    HB_PART_DRIVER,    /* the driver of a GPU, and its context */
    HB_PART_TABLES,    /* tables of the moduli, and the engine */
    HB_PART_CHECK,     /* a GPU's operations against the CPU's */
    HB_PART_EXCHANGE,  /* the exchange of ranks that share limbs, opened and measured */
    HB_PART_INPUTS,    /* inputs that are opened, a table that is gone through, a program that is compiled */
    HB_PART_KEYS,      /* files of keys, read, digested, and prepared on the engine */
    HB_PART_OUTPUT,    /* making the output */
    HB_PART_MEMORY,    /* buffers, which are touched for the first time */
    HB_PART_DIAGONALS, /* of matrices and bootstrapping, which are encoded */
    /* Beside one another in the loop: seconds of all threads of a rank together. */
    HB_PART_READ,
    HB_PART_ARRANGE, /* cells of a table to values of ciphertexts, or back */
    HB_PART_UPLOAD,
    HB_PART_COMPUTE,
    HB_PART_DOWNLOAD,
    HB_PART_WRITE,
    HB_PART_FILL, /* one unit goes through all stages before they are all busy */
    HB_PART_TOTALS,
    HB_PART_COMMIT, /* the rest of the output, its text and its name */
    HB_PARTS
} hb_time_part;
enum { HB_PART_LOOP_FIRST = HB_PART_READ, HB_PART_LOOP_LAST = HB_PART_FILL };

/* Seconds by part, for all plain moduli. Zeroed: nothing is predicted. A part that was measured since may be set. */
typedef struct hb_prediction {
    double part[HB_PARTS];
    double files, queues, processors; /* that the loop has */
    double disk;                      /* the loop takes at least so long for what a disk writes */
    bool arranges_last, queues_write, gpu;
} hb_prediction;

/* Seconds that are over when a plan is made, and so are known. */
typedef struct hb_spent {
    double start, inputs;
} hb_spent;

/* The seconds of one item of a job that computes in batches, and of each batch. */
typedef struct hb_batch_times {
    double compute;     /* of an item in a batch, ... */
    double once;        /* ... and those that each batch takes beyond its items */
    double move;        /* of an item between host and device, where each way has its own link */
    double read, write; /* of an item, by one thread */
    double memory;      /* in which a buffer gets the memory of an item */
    double enough;      /* items: a batch of more is not computed faster */
} hb_batch_times;
/* The speed is of the work's parameters. */
hb_batch_times hb_predict_batch(const hb_work *work, const hb_speed *speed);

/* The speed is of these parameters. */
hb_prediction hb_predict(const hb_work *work, const hb_speed *speed, hb_spent spent);
/* Returns the seconds of the loop: those of its slowest stage, and of the filling. bound: HB_PART_READ, _ARRANGE,
 * _UPLOAD, _COMPUTE, _DOWNLOAD or _WRITE, what that stage has most of. */
double hb_prediction_loop(const hb_prediction *prediction, hb_time_part *bound);
/* Returns the sum of the loop and of the parts before and after it. */
double hb_prediction_total(const hb_prediction *prediction);

#endif
