/* One call in a thread of its own, beside the caller's work. */
#ifndef HB_MACHINE_BACKGROUND_H
#define HB_MACHINE_BACKGROUND_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

/* One call that runs. Zeroed: no call was begun. All members are private to this module; status and error belong to the
 * thread until hb_background_end returns. */
typedef struct hb_background {
    hb_status (*work)(void *context);
    void *context;
    pthread_t thread;
    bool running;
    hb_status status; /* of the work that is done */
    hb_error error;
} hb_background;

/* Calls work(context) in a new thread, which blocks all signals. Returns false where no thread can be started: then no
 * call was begun. *b must not move, and must be ended before its memory is freed. */
bool hb_background_start(hb_background *b, hb_status (*work)(void *context), void *context);
/* Starts it likewise; where no thread can be started, the work is done before this returns. */
void hb_background_begin(hb_background *b, hb_status (*work)(void *context), void *context);
/* Waits for the thread and returns its status, with its error as the last error of the calling thread; each further
 * call returns the same; HB_OK for a zeroed struct. */
hb_status hb_background_end(hb_background *b);

/* Calls work(context, i) for every i < count, from the calling thread and up to three others, in no particular order,
 * and waits for all of them; after a failure it begins no more calls. Returns the status and error of one that
 * failed. */
hb_status hb_background_each(hb_status (*work)(void *context, uint32_t i), void *context, uint32_t count);

#endif
