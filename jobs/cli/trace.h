/* A trace of the work of the threads of every rank, with its times, for ui.perfetto.dev or chrome://tracing: Chrome's
 * format of trace events, a JSON array, in which a rank is a process and a thread of the pipeline a thread. Names are
 * those of stages and operations, numbers those of units: nothing of a table, of a key or of an expression.
 *
 * There is one trace of a process at a time. Where there is none every function but hb_trace_open does nothing, after
 * one look. Nothing here is collective, unless a line says so. */
#ifndef HB_CLI_TRACE_H
#define HB_CLI_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi/group/group.h"

/* The help of the option that asks for a trace. */
#define HB_TRACE_HELP "what every thread does when, to this file, for ui.perfetto.dev"

/* The roles of threads. HB_LANE_JOB's thread owns the group. Transfers between ranks that share limbs have a lane of
 * their own, whichever thread waits for them. */
typedef enum hb_trace_lane {
    HB_LANE_JOB,
    HB_LANE_READ,
    HB_LANE_COMPUTE,
    HB_LANE_WRITE,
    HB_LANE_EXCHANGE,
    HB_LANES
} hb_trace_lane;

/* One span of time. `name` is a literal of the program, without quotes and backslashes; begun, ended: times of
 * hb_now. */
typedef struct hb_trace_span {
    const char *name;
    double begun, ended;
    const char *key; /* the meaning of `number`; NULL: none */
    uint64_t number;
} hb_trace_span;

/* Begins the trace, while the process has one thread that adds to it. Events go to the file as they come, through 64
 * KiB of memory, so that the trace of a killed job can be read. With several ranks each writes PATH.RANK, and PATH is
 * made of them at the end (hb_trace_close). All times are those of rank 0's clock, which the others compare theirs with
 * here, to half the time of the fastest of some messages to and fro, which the trace says. Older traces are replaced,
 * also those of ranks that this one has not. Collective, and the same status on all ranks: HB_ECREATE, also where a
 * file is there that is no trace of hebatch; HB_ECOMM, HB_ENOMEM. Does nothing where there is a trace already. */
hb_status hb_trace_open(hb_group *group, const char *path);
/* Completes the trace: rank 0 adds the traces of the other ranks to its own, through the group, and they remove theirs.
 * Collective, except for a broken group, where each rank only ends its own file. A trace that cannot be written is no
 * failure of a job: a warning names the missing part. */
void hb_trace_close(hb_group *group);

/* Returns whether there is a trace: for callers whose events take time to prepare. */
bool hb_trace_is_on(void);
/* Sets the lane of the calling thread, and its number there, 0 .. 99; at first threads are in the job's lane. */
void hb_trace_enter(hb_trace_lane lane, uint32_t index);
/* Sets the unit of the calling thread; UINT64_MAX: none. Its events carry the number. */
void hb_trace_unit(uint64_t unit);
/* Adds a span to the lane of the calling thread. Two spans of a thread must be nested or disjoint. */
void hb_trace_add(hb_trace_span span);
/* Does the same for a lane that several threads may add to. A span that begins before the lane's last span ended is
 * shown from that end on. */
void hb_trace_add_to(hb_trace_lane lane, hb_trace_span span);

/* Writes events that have been in memory for a second to the file. Called now and then while a job runs: a job that
 * hangs adds no event that would do so. */
void hb_trace_tend(void);

#endif
