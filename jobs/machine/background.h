/* One call in a thread of its own, beside what the caller does. */
#ifndef HB_MACHINE_BACKGROUND_H
#define HB_MACHINE_BACKGROUND_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

/* One call on its way. Zeroed: nothing was begun. All members belong to this module; status and error are the thread's
 * until the end was awaited. */
typedef struct hb_background {
    hb_status (*work)(void *context);
    void *context;
    pthread_t thread;
    bool running;
    hb_status status; /* of the work that is done */
    hb_error error;
} hb_background;

/* Calls work(context) in a new thread, which takes no signals; where none can be started the work is done before this
 * returns. *b stays where it is, and is ended, before its memory goes. */
void hb_background_begin(hb_background *b, hb_status (*work)(void *context), void *context);
/* Waits for the thread and returns its status, with its error as the last error of the calling thread; the same again
 * when called again, HB_OK for a zeroed struct. */
hb_status hb_background_end(hb_background *b);

/* Calls work(context, i) for every i < count, from the calling thread and up to three others, in no particular order,
 * and waits for all of them; after a failure no more are begun. Returns the status and error of one that failed. */
hb_status hb_background_each(hb_status (*work)(void *context, uint32_t i), void *context, uint32_t count);

#endif
