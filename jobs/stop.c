#include "stop.h"

#include <signal.h>
#include <string.h>

/* A handler can tell the program nothing else than through a variable of this kind. */
static volatile sig_atomic_t caught;

static void note(int signal_number)
{
    caught = signal_number;
}

void hb_stop_catch(void)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR2};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = note;
    action.sa_flags = SA_RESTART | (int)SA_RESETHAND;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        sigaction(signals[i], &action, NULL); /* cannot fail for these */
    }
}

hb_status hb_stop_check(void)
{
    const int signal_number = caught;
    return signal_number == 0
               ? HB_OK
               : HB_FAIL(HB_ESTOPPED, "stopped by signal %d (%s)", signal_number, strsignal(signal_number));
}
