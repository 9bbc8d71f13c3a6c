#include "deadline.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "console.h"

static const char variable[] = "SLURM_JOB_END_TIME";

/* Units differ, and a disk may be slower when it fills: by how many times. Files are synced, ranks agree, a report is
 * written: seconds for that. */
static const double slower = 1.5, end = 2; /* times, seconds */

hb_status hb_deadline_set(hb_deadline *deadline, double seconds, double age)
{
    *deadline = (hb_deadline){.source = "--max-time"};
    if (seconds > 0) {
        /* The launcher's and the process's start count too, as they do for who set the limit. */
        deadline->at = hb_now() - age + seconds;
        return HB_OK;
    }
    const char *text = getenv(variable);
    if (text == NULL || text[0] == '\0') {
        return HB_OK;
    }
    char *rest;
    errno = 0;
    const long long since_1970 = strtoll(text, &rest, 10);
    if (errno != 0 || rest == text || *rest != '\0' || since_1970 <= 0) {
        return HB_FAIL(HB_EUSAGE, "%s in the environment is no time: unset it, or give --max-time", variable);
    }
    struct timespec clock;
    clock_gettime(CLOCK_REALTIME, &clock); /* cannot fail on Linux */
    const double left = (double)(since_1970 - clock.tv_sec) - 1e-9 * (double)clock.tv_nsec, now = hb_now();
    /* Two clocks: only the time that is left can be carried from one to the other. */
    deadline->at = now + left > 0 ? now + left : 1e-9; /* however long it is over */
    deadline->source = variable;
    return HB_OK;
}

bool hb_deadline_near(const hb_deadline *deadline, double now, double compute, double write)
{
    return deadline->at > 0 && now + slower * (compute + write) + end + deadline->reserve >= deadline->at;
}

hb_status hb_deadline_stop(const hb_deadline *deadline)
{
    return HB_FAIL(HB_ESTOPPED, "stopped: there is no time for another unit (%s)", deadline->source);
}

void hb_deadline_print(const hb_deadline *deadline, const hb_group *group, const hb_common *common, bool results)
{
    const double left = deadline->at - hb_now();
    if (deadline->at > 0) {
        hb_console_speaker(results)(group, common, "time         %s, then it stops (%s)",
                                    hb_human_seconds(left > 0 ? left : 0).text, deadline->source);
    }
}
