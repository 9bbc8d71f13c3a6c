/* Between pipeline.c, which runs the threads, and pipeline_schedule.c, which gives them units. */
#ifndef HB_BATCH_PIPELINE_PRIVATE_H
#define HB_BATCH_PIPELINE_PRIVATE_H

#include <pthread.h>
#include <stdbool.h>

#include "pipeline.h"

enum { READ, COMPUTE, WRITE, STAGES = HB_STAGES };

/* Which stage a buffer waits for: READ when it is empty. */
enum { BUSY = STAGES };

/* When something became ready, and what the time since the run began went into on the way there. */
typedef struct chain {
    double end, seconds[HB_TIME_KINDS];
} chain;

typedef struct pipeline {
    const hb_pipeline_stages *stages;
    void *context;
    hb_threads threads;
    uint64_t first, count;
    uint32_t buffers;
    double begun;
    pthread_mutex_t lock;   /* over what follows */
    pthread_cond_t changed; /* any of it */
    int next[HB_PIPELINE_MOST_BUFFERS];
    uint64_t holds[HB_PIPELINE_MOST_BUFFERS]; /* number of the unit that is or was last there */
    chain ready[HB_PIPELINE_MOST_BUFFERS];    /* of its last stage */
    uint64_t number[STAGES];                  /* of the unit that readers and writers take next */
    uint64_t own[HB_MOST_WORKERS];            /* of the unit that each worker takes next */
    uint64_t limit[HB_MOST_WORKERS];          /* units of its own that a worker leaves out: from this number on */
    uint64_t done;                            /* units that are through all stages */
    uint32_t started, gone;                   /* that were started; that have ended */
    hb_status status;                         /* of the first failure */
    hb_error error, stop;                     /* stop: the text of HB_ESTOPPED */
    bool stopped;
    double busy[HB_TIME_KINDS], stage[STAGES];
    chain last;     /* the longest one */
    double through; /* when the first unit was; 0: none was */
} pipeline;

/* One thread of the run: the caller's is worker 0 or only tends. */
typedef struct thread {
    pipeline *run;
    int stage;
    uint32_t index; /* among those of the stage */
    bool tends;
    chain chain;  /* until its last unit, or with the one that it is at */
    double began; /* that one */
} thread;

/* Takes the next unit of a stage, or a worker's own, once its buffer waits for that: buffers become ready out of order,
 * units are taken in order. False when there is nothing more to do: all taken or left out, or a stage failed. */
bool hb_pipeline_take(thread *t, uint64_t *number);
/* The unit that was taken has been through the thread's stage, which returned `status`. */
void hb_pipeline_done(thread *t, uint64_t number, hb_status status, const hb_stage_times *times);
/* Without the lock: what no stage returned. */
void hb_pipeline_fail(pipeline *p, hb_status status);
/* Without the lock: a thread of the run ends. */
void hb_pipeline_gone(pipeline *p);
/* For the caller, who computes nothing any more: tends until all threads have ended, or a stage failed. */
void hb_pipeline_tend(pipeline *p);
/* After all threads have ended: whether the run was stopped before its last unit. */
bool hb_pipeline_left_out(const pipeline *p);

#endif
