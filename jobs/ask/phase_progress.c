#include "phase_progress.h"

#include <stdio.h>
#include <string.h>

#include "cli/console.h"

/* Reads a time as progress has it, "12.6 s" or "1:02:03", in seconds. Returns whether there is one. */
static bool read_time(const char *text, double *seconds)
{
    unsigned hours, minutes, rest;
    char unit[2];
    if (sscanf(text, "%u:%2u:%2u", &hours, &minutes, &rest) == 3) {
        *seconds = 3600.0 * hours + 60.0 * minutes + rest;
        return true;
    }
    return sscanf(text, "%lf %1[s]", seconds, unit) == 2;
}

/* Reads the line of a search for parameters. */
static bool take_search(const char *line, char how[HB_PHASE_HOW])
{
    unsigned tried;
    if (sscanf(line, "trying parameters: %u tried", &tried) != 1) {
        return false;
    }
    snprintf(how, HB_PHASE_HOW, "%s tried", hb_human_things(tried, "parameter set").text);
    return true;
}

bool hb_phase_progress(const char *line, char how[HB_PHASE_HOW])
{
    const char *percent = strstr(line, "%) in "), *eta = strstr(line, "ETA ");
    const char *from = percent;
    double seconds;
    while (from != NULL && from > line && from[-1] != '(') {
        from--;
    }
    if (from == NULL || from == line) {
        return take_search(line, how);
    }
    char left[96] = "";
    const bool loads = strncmp(line, "loaded ", strlen("loaded ")) == 0; /* before the work of the phase */
    if (eta != NULL && read_time(eta + strlen("ETA "), &seconds)) {
        snprintf(left, sizeof left, ", about %s left %s", hb_human_about(seconds).text,
                 loads ? "to load them" : "of this phase");
    }
    snprintf(how, HB_PHASE_HOW, "%s%.*s %%%s", loads ? "loads keys, " : "", (int)(percent - from), from, left);
    return true;
}
