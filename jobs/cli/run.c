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

double hb_run_age(const hb_group *group)
{
    return group->run != NULL ? hb_now() - group->run->began : hb_process_age();
}

bool hb_run_has_warned(const hb_group *group, const char *text)
{
    const hb_run *run = group->run;
    bool found = false;
    for (uint32_t i = 0; run != NULL && i < run->warnings; i++) {
        found = found || strcmp(run->warning[i], text) == 0;
    }
    return found;
}
