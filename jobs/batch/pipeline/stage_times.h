/* Times the activities of a unit in a stage of the pipeline. Notes belong to the calling thread. */
#ifndef HB_BATCH_PIPELINE_STAGE_TIMES_H
#define HB_BATCH_PIPELINE_STAGE_TIMES_H

#include <stdbool.h>

#include "ring/engine.h"

/* The kinds of time: reading and writing files; arranging, between the cells of a table and the values of ciphertexts;
 * moving to and from the engine; computing there; waiting, from the moment when a unit and its thread were ready until
 * it began. */
typedef enum hb_time_kind {
    HB_TIME_READ,
    HB_TIME_ARRANGE,
    HB_TIME_UPLOAD,
    HB_TIME_COMPUTE,
    HB_TIME_DOWNLOAD,
    HB_TIME_WRITE,
    HB_TIME_WAIT,
    HB_TIME_KINDS
} hb_time_kind;
/* Names for reports: "read", "arrange", ... */
extern const char *const hb_time_kind_names[HB_TIME_KINDS];

/* The time of the last note (hb_now), and the seconds of each kind so far. */
typedef struct hb_stage_times {
    double at, seconds[HB_TIME_KINDS];
} hb_stage_times;

/* Zeroes *times and sends the notes of the calling thread there from now on; NULL: nowhere. */
void hb_stage_times_take(hb_stage_times *times);
/* Counts the time since the last note of this thread to this kind; does nothing in a thread without times. */
void hb_stage_times_note(hb_time_kind kind);
/* Does the same for calls that the engine may still be executing: waits for the engine first, in a thread that has
 * times. Returns the engine's failure. */
hb_status hb_stage_times_note_engine(hb_engine *engine, hb_time_kind kind);

#endif
