#include "run.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "machine/machine.h"

void hb_run_begin(hb_run *run, hb_group *group, double age, struct hb_resident *resident)
{
    *run = (hb_run){.began = hb_now() - age,
                    .resident = resident,
                    .quiet = group->run != NULL ? group->run->quiet : NULL,
                    .before = group->run};
    group->run = run;
}

void hb_run_end(hb_run *run, hb_group *group)
{
    for (uint32_t i = 0; i < run->warnings; i++) {
        free(run->warning[i]);
    }
    run->warnings = 0;
    group->run = run->before;
}

hb_run *hb_run_of(const hb_group *group)
{
    return group->whole != NULL ? group->whole->run : group->run;
}

double hb_run_age(const hb_group *group)
{
    const hb_run *run = hb_run_of(group);
    return run != NULL ? hb_now() - run->began : hb_process_age();
}

bool hb_run_has_warned(const hb_group *group, const char *text)
{
    const hb_run *run = hb_run_of(group);
    bool found = false;
    for (uint32_t i = 0; run != NULL && i < run->warnings; i++) {
        found = found || strcmp(run->warning[i], text) == 0;
    }
    return found;
}
