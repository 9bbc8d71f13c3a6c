/* Between pipeline.c, which runs the threads, and pipeline_schedule.c, which gives them units. */
#ifndef HB_BATCH_PIPELINE_PRIVATE_H
#define HB_BATCH_PIPELINE_PRIVATE_H

#include <pthread.h>
#include <stdbool.h>

#include "pipeline.h"

enum { READ, COMPUTE, WRITE, STAGES = HB_STAGES }; /* a stage, or what a buffer waits for: READ when it is empty */

/* A buffer that a thread is at waits for no stage. */
enum { BUSY = STAGES };

/* When a buffer or a thread became ready, and what the time from the beginning of the run until then went into, along
 * the longest chain of units in stages that led there. */
typedef struct chain {
    double end, seconds[HB_TIME_KINDS];
} chain;

/* One run, in the memory of hb_pipeline_run, shared by its threads. Unit numbers count from 0 within the run; number n
 * is in buffer n mod buffers. */
typedef struct pipeline {
    const hb_pipeline_stages *stages;
    void *context;
    hb_threads threads;
    uint64_t first, count;
    uint32_t buffers;
    double begun;
    pthread_mutex_t lock;                     /* over all that follows */
    pthread_cond_t changed;                   /* any of that has */
    int next[HB_PIPELINE_MOST_BUFFERS];       /* the stage that each buffer waits for, or BUSY */
    uint64_t holds[HB_PIPELINE_MOST_BUFFERS]; /* number of the unit that is or was last there */
    chain ready[HB_PIPELINE_MOST_BUFFERS];    /* when its last stage ended */
    uint64_t number[STAGES];                  /* the unit that readers, or writers, take next */
    uint64_t own[HB_MOST_WORKERS];            /* the unit that each worker takes next */
    uint64_t limit[HB_MOST_WORKERS];          /* from this number on a worker leaves out units of its own */
    uint64_t done;                            /* units that are through all stages */
    uint32_t started, gone;                   /* threads that were started; those that have ended */
    hb_status status;                         /* of the first failure */
    hb_error error, stop;                     /* of the first failure; the text of the first HB_ESTOPPED */
    bool stopped;
    double busy[HB_TIME_KINDS], stage[STAGES];
    chain last;     /* the one that ended last */
    double through; /* when the first unit was through; 0: none is */
} pipeline;

/* One thread of the run. The caller's is worker 0, or computes nothing and only tends. */
typedef struct thread {
    pipeline *run;
    int stage;
    uint32_t index; /* among the threads of the stage */
    bool tends;
    chain chain;  /* until its last unit ended, or until the one that it is at began */
    double began; /* when it began that one */
} thread;

/* Takes the next unit of the thread's stage, or the worker's own next unit, waiting until its buffer waits for that
 * stage: buffers become ready out of order, units are taken in order. Returns false when there is nothing more to do,
 * as all units are taken or left out, or a stage failed. */
bool hb_pipeline_take(thread *t, uint64_t *number);
/* Notes that the unit that was taken has been through the thread's stage, which returned `status`, with the last error
 * behind it, and took `times`. */
void hb_pipeline_done(thread *t, uint64_t number, hb_status status, const hb_stage_times *times);
/* Notes a failure that no stage returned. The caller does not hold the lock. */
void hb_pipeline_fail(pipeline *p, hb_status status);
/* Notes that a thread of the run ends. The caller does not hold the lock. */
void hb_pipeline_gone(pipeline *p);
/* Tends until all threads have ended or a stage failed: for the calling thread once it computes nothing any more. */
void hb_pipeline_tend(pipeline *p);
/* Returns, after all threads have ended, whether the run was stopped before its last unit. */
bool hb_pipeline_left_out(const pipeline *p);

#endif
