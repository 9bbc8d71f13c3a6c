/* One call in a thread of its own, beside what the caller does. */
#ifndef HB_MACHINE_BACKGROUND_H
#define HB_MACHINE_BACKGROUND_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

typedef struct hb_background {
    hb_status (*work)(void *context);
    void *context;
    pthread_t thread;
    bool running;
    hb_status status; /* of the work that is done */
    hb_error error;
} hb_background;

/* The thread takes no signals. Where none can be started the work is done before this returns. The struct stays where
 * it is until the end. */
void hb_background_begin(hb_background *b, hb_status (*work)(void *context), void *context);
/* Waits for it; its status and error, also when called again. HB_OK of a zeroed struct. */
hb_status hb_background_end(hb_background *b);

/* Calls work(context, i) for every i < count, from some threads at a time, and waits for all of them; after a failure
 * no more are begun. The status and error of one that failed. */
hb_status hb_background_each(hb_status (*work)(void *context, uint32_t i), void *context, uint32_t count);

#endif
