#include "laps.h"

#include "base/clock.h"

const char *const hb_lap_names[HB_LAPS] = {"read", "arrange", "upload", "compute", "download", "write", "wait"};

static _Thread_local hb_laps *current;

void hb_laps_take(hb_laps *laps)
{
    current = laps;
    if (laps != NULL) {
        *laps = (hb_laps){.at = hb_now()};
    }
}

void hb_lap(hb_lap_kind kind)
{
    if (current != NULL) {
        const double now = hb_now();
        current->seconds[kind] += now - current->at;
        current->at = now;
    }
}

hb_status hb_lap_engine(hb_engine *engine, hb_lap_kind kind)
{
    const hb_status st = current != NULL ? hb_finish(engine) : HB_OK;
    hb_lap(kind);
    return st;
}
