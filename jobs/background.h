/* One call in a thread of its own, beside what the caller does. */
#ifndef HB_BACKGROUND_H
#define HB_BACKGROUND_H

#include <pthread.h>
#include <stdbool.h>

#include "status.h"

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

#endif
