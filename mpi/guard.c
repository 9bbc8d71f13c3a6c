#include "guard.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "status.h"

typedef struct guard {
    unsigned seconds;
    hb_error reason;
} guard;

static void *watch(void *context)
{
    const guard *g = context;
    unsigned left = g->seconds;
    while (left > 0) {
        left = sleep(left);
    }
    dprintf(STDERR_FILENO, "hebatch: %s; the process could not end by itself\n", g->reason.text);
    _exit((int)HB_ECOMM);
}

void hb_guard_start(unsigned seconds, const char *reason)
{
    pthread_t thread;
    guard *g = malloc(sizeof *g); /* until the process ends */
    if (g == NULL) {
        return;
    }
    g->seconds = seconds;
    snprintf(g->reason.text, sizeof g->reason.text, "%s", reason);
    if (pthread_create(&thread, NULL, watch, g) == 0) {
        pthread_detach(thread);
    } else {
        free(g);
    }
}
