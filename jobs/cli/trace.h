/* A trace of what the threads of every rank do, and when, for ui.perfetto.dev or chrome://tracing: Chrome's format of
 * trace events, a JSON array, in which a rank is a process and a thread of the pipeline a thread. Names are those of
 * stages and operations, numbers those of units: nothing of a table, of a key or of an expression.
 *
 * There is one trace of a process. Where there is none every function but hb_trace_open does nothing, after one look.
 * Nothing here is collective, unless a line says so. */
#ifndef HB_CLI_TRACE_H
#define HB_CLI_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi/group/group.h"

/* The explanation of the option that asks for a trace. */
#define HB_TRACE_HELP "what every thread does when, to this file, for ui.perfetto.dev"

/* What threads are for. The job's is the one that owns the group; transfers between ranks that share limbs have a lane
 * of their own, whichever thread waits for them. */
typedef enum hb_trace_lane {
    HB_LANE_JOB,
    HB_LANE_READ,
    HB_LANE_COMPUTE,
    HB_LANE_WRITE,
    HB_LANE_EXCHANGE,
    HB_LANES
} hb_trace_lane;

/* One span of time. `name` is a text of the program, without quotes and backslashes; begun, ended: as of hb_now. */
typedef struct hb_trace_span {
    const char *name;
    double begun, ended;
    const char *key; /* what `number` is; NULL: nothing */
    uint64_t number;
} hb_trace_span;

/* Begins the trace, while the process has one thread that adds to it. Events go to the file as they come, by way of
 * 64 KiB of memory, so that one of a job that is killed can be read; of several ranks each has PATH.RANK, and PATH is
 * made of them at the end (hb_trace_close). All times are those of rank 0's clock, which the others compare theirs with
 * here, to half the time of the fastest of some messages to and fro; a trace says to what. Older traces are replaced,
 * also those of ranks that this one has not. Collective, and the same status on all ranks: HB_ECREATE, also where a
 * file is there that is no trace of hebatch; HB_ECOMM, HB_ENOMEM. Does nothing where there is a trace already. */
hb_status hb_trace_open(hb_group *group, const char *path);
/* Completes the trace: rank 0 adds those of the other ranks to its own, through the group, and they remove theirs.
 * Collective, but for a broken group, where each rank only ends its own file. A trace that cannot be written is no
 * failure of a job: a warning says what is missing. */
void hb_trace_close(hb_group *group);

/* Returns whether there is a trace: for callers that would have something to find out for an event. */
bool hb_trace_is_on(void);
/* Says which lane, and which thread of it, 0 .. 99, the calling thread is from now on; at first that of the job. */
void hb_trace_enter(hb_trace_lane lane, uint32_t index);
/* Says which unit the calling thread is at; UINT64_MAX: none. Its events have the number. */
void hb_trace_unit(uint64_t unit);
/* Adds a span to the lane of the calling thread. Spans of a thread are within one another, or apart. */
void hb_trace_add(hb_trace_span span);
/* Does the same for a lane that several threads may add to. What began before the last span of the lane ended is shown
 * from then on. */
void hb_trace_add_to(hb_trace_lane lane, hb_trace_span span);

/* Brings to the file what has been in memory for a second. To be called now and then while a job runs: of one that
 * hangs no event would do so. */
void hb_trace_tend(void);

#endif
