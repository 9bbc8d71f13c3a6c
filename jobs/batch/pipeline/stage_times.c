#include "stage_times.h"

#include "base/clock.h"
#include "cli/trace.h"

const char *const hb_time_kind_names[HB_TIME_KINDS] = {"read",     "arrange", "upload", "compute",
                                                       "download", "write",   "wait"};

static _Thread_local hb_stage_times *current;

void hb_stage_times_take(hb_stage_times *times)
{
    current = times;
    if (times != NULL) {
        *times = (hb_stage_times){.at = hb_now()};
    }
}

void hb_stage_times_note(hb_time_kind kind)
{
    if (current != NULL) {
        const double now = hb_now();
        hb_trace_add((hb_trace_span){.name = hb_time_kind_names[kind], .begun = current->at, .ended = now});
        current->seconds[kind] += now - current->at;
        current->at = now;
    }
}

hb_status hb_stage_times_note_engine(hb_engine *engine, hb_time_kind kind)
{
    const hb_status st = current != NULL ? hb_finish(engine) : HB_OK;
    hb_stage_times_note(kind);
    return st;
}
