#include "background.h"

#include <signal.h>

static void *run(void *argument)
{
    hb_background *b = argument;
    b->status = b->work(b->context);
    if (b->status != HB_OK) {
        b->error = *hb_last_error();
    }
    return NULL;
}

void hb_background_begin(hb_background *b, hb_status (*work)(void *context), void *context)
{
    sigset_t all, before;
    *b = (hb_background){.work = work, .context = context};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    b->running = pthread_create(&b->thread, NULL, run, b) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!b->running) {
        run(b);
    }
}

hb_status hb_background_end(hb_background *b)
{
    if (b->running) {
        pthread_join(b->thread, NULL);
        b->running = false;
    }
    if (b->status != HB_OK) {
        hb_set_error(&b->error);
    }
    return b->status;
}
