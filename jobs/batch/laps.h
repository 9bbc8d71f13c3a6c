/* What the time of a unit in a stage of the pipeline goes into. */
#ifndef HB_BATCH_LAPS_H
#define HB_BATCH_LAPS_H

#include <stdbool.h>

#include "ring/engine.h"

/* Reading and writing files; arranging: between the cells of a table and the values of ciphertexts; moving to and from
 * the engine; computing there; waiting: from when a unit, and the thread for it, were ready until it began. */
typedef enum hb_lap_kind {
    HB_LAP_READ,
    HB_LAP_ARRANGE,
    HB_LAP_UPLOAD,
    HB_LAP_COMPUTE,
    HB_LAP_DOWNLOAD,
    HB_LAP_WRITE,
    HB_LAP_WAIT,
    HB_LAPS
} hb_lap_kind;
/* "read", "arrange", ... */
extern const char *const hb_lap_names[HB_LAPS];

/* Seconds of each kind, and hb_now of the last lap. */
typedef struct hb_laps {
    double at, seconds[HB_LAPS];
} hb_laps;

/* The calling thread's laps go to *laps from now on; NULL: nowhere. */
void hb_laps_take(hb_laps *laps);
/* The time since the last lap of this thread was of this kind; nothing in a thread without laps. */
void hb_lap(hb_lap_kind kind);
/* Of what an engine was given: waits for it first, in a thread that has laps. Its failure. */
hb_status hb_lap_engine(hb_engine *engine, hb_lap_kind kind);

#endif
