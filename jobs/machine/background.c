#include "background.h"

#include <signal.h>
#include <stdatomic.h>

/* Errors are kept per thread (base/status.h), so a failure's text is carried to the one that waits. */
static void *run(void *argument)
{
    hb_background *b = argument;
    b->status = b->work(b->context);
    if (b->status != HB_OK) {
        b->error = *hb_last_error();
    }
    return NULL;
}

bool hb_background_start(hb_background *b, hb_status (*work)(void *context), void *context)
{
    sigset_t all, before;
    *b = (hb_background){.work = work, .context = context};
    sigfillset(&all);
    /* A new thread inherits the mask: signals are for the main thread, which handles them. */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    b->running = pthread_create(&b->thread, NULL, run, b) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return b->running;
}

void hb_background_begin(hb_background *b, hb_status (*work)(void *context), void *context)
{
    if (!hb_background_start(b, work, context)) {
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

/* The state that the threads of hb_background_each share. */
typedef struct each {
    hb_status (*work)(void *context, uint32_t i);
    void *context;
    uint32_t count;
    atomic_uint next;
    atomic_bool failed;
} each;

/* Takes free numbers until there are none or a call has failed. Runs in every thread of the call. */
static hb_status some_of_each(void *context)
{
    each *all = context;
    uint32_t i;
    while (!atomic_load(&all->failed) && (i = atomic_fetch_add(&all->next, 1)) < all->count) {
        const hb_status st = all->work(all->context, i);
        if (st != HB_OK) {
            atomic_store(&all->failed, true);
            return st;
        }
    }
    return HB_OK;
}

hb_status hb_background_each(hb_status (*work)(void *context, uint32_t i), void *context, uint32_t count)
{
    enum { HELPERS = 3 }; /* beside the caller: the work is bound by memory bandwidth, which four threads saturate */
    each all = {.work = work, .context = context, .count = count};
    hb_background helpers[HELPERS];
    const uint32_t others = count > 0 ? count - 1 : 0, some = others < HELPERS ? others : HELPERS;
    for (uint32_t i = 0; i < some; i++) {
        hb_background_begin(&helpers[i], some_of_each, &all);
    }
    /* The caller takes its part too, so all is done even where no thread could be started. */
    hb_status st = some_of_each(&all);
    /* Ending a helper that failed replaces the last error; the first failure found is the one that is told. */
    hb_error error = *hb_last_error();
    for (uint32_t i = 0; i < some; i++) {
        const hb_status helped = hb_background_end(&helpers[i]);
        if (st == HB_OK && helped != HB_OK) {
            st = helped;
            error = *hb_last_error();
        }
    }
    if (st != HB_OK) {
        hb_set_error(&error);
    }
    return st;
}
