/* Recordings (engine.h): the engine's own where it has them, else the body and its argument, to be called again. */
#include <stdlib.h>

#include "engine.h"

struct hb_recording {
    hb_engine *engine;
    hb_status (*body)(void *);
    void *argument;
    void *tape; /* the engine's own; NULL: replays call the body */
};

hb_status hb_record(hb_engine *e, hb_status (*body)(void *), void *argument, hb_recording **out)
{
    *out = NULL;
    HB_ASSERT(!e->in_body);
    hb_recording *r = malloc(sizeof *r);
    if (r == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a recording");
    }
    *r = (hb_recording){.engine = e, .body = body, .argument = argument};
    if (e->ops->record != NULL) {
        /* While it is set, calls that cannot be replayed fail (hb_finish), whether the body is recorded or called. */
        e->in_body = true;
        const hb_status st = e->ops->record->record(e, body, argument, &r->tape);
        e->in_body = false;
        /* The body failed of itself: nothing was recorded, and there is nothing to forget. */
        if (st != HB_OK) {
            free(r);
            return st;
        }
    }
    *out = r;
    return HB_OK;
}

hb_status hb_replay(hb_recording *recording)
{
    hb_engine *e = recording->engine;
    HB_ASSERT(!e->in_body);
    /* The recorded work is replayed, even if the body would act differently now. */
    if (recording->tape != NULL) {
        return e->ops->record->replay(e, recording->tape);
    }
    e->in_body = true;
    const hb_status st = recording->body(recording->argument);
    e->in_body = false;
    return st;
}

void hb_recording_free(hb_recording *recording)
{
    if (recording == NULL) {
        return;
    }
    HB_ASSERT(!recording->engine->in_body);
    if (recording->tape != NULL) {
        recording->engine->ops->record->forget(recording->engine, recording->tape);
    }
    free(recording);
}
