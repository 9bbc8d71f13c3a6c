/* Figures as JSON: what plot.py reads. */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "figure_run.h"
#include "machine/versions.h"

/* Versions of the driver and the runtime are 1000 major + 10 minor. */
typedef struct version {
    char text[32];
} version;

static version version_of(int number)
{
    version v;
    const int major = 1000, minor = 10;
    snprintf(v.text, sizeof v.text, "%d.%d", number / major, number % major / minor);
    return v;
}

static json_t *device_json(const hb_device *device)
{
    const hb_cuda_device *card = &device->card;
    hb_cuda_versions versions;
    hb_cuda_versions_get(&versions);
    return json_pack("{s:s, s:s, s:I, s:i, s:s, s:s}", "name", card->name, "compute_capability",
                     version_of(1000 * card->major + 10 * card->minor).text, "memory", (json_int_t)card->memory,
                     "multiprocessors", card->multiprocessors, "driver", version_of(versions.driver).text, "runtime",
                     version_of(versions.runtime).text);
}

static json_t *ceilings_json(const hb_rates *ceilings)
{
    json_t *members = json_object();
    for (int i = 0; i < HB_CEILINGS; i++) {
        if (ceilings->of[i] > 0 && json_object_set_new(members, hb_ceiling_names[i], json_real(ceilings->of[i])) != 0) {
            json_decref(members);
            return NULL;
        }
    }
    return members;
}

json_t *hb_figures_json(const hb_figure_run *run)
{
    hb_versions versions;
    char date[32] = "unknown";
    const time_t now = time(NULL);
    struct tm utc;
    hb_versions_get(&versions);
    if (gmtime_r(&now, &utc) != NULL) {
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    }
    return json_pack("{s:i, s:s, s:s, s:s, s:s, s:o, s:f, s:b, s:o, s:[]}", "report_version", 1, "command", "designs",
                     "version", versions.program, "cuda", versions.cuda, "date", date, "device",
                     device_json(run->device), "seconds_each", run->seconds, "quick", (int)run->quick, "ceilings",
                     ceilings_json(&run->ceilings), "figures");
}

static json_t *series_json(const hb_series *series)
{
    json_t *points = json_array();
    for (size_t i = 0; i < series->count; i++) {
        if (isfinite(series->x[i]) && isfinite(series->y[i]) &&
            json_array_append_new(points, json_pack("[f, f]", series->x[i], series->y[i])) != 0) {
            json_decref(points);
            points = NULL; /* json_pack fails then */
            break;
        }
    }
    return json_pack("{s:s, s:b, s:o}", "name", series->name, "reported", (int)series->reported, "points", points);
}

static int append_all(json_t *series, json_t *notes, const hb_figure_data *data)
{
    int failed = 0;
    for (size_t s = 0; s < data->series_count; s++) {
        failed |= json_array_append_new(series, series_json(&data->series[s]));
    }
    for (size_t i = 0; i < data->note_count; i++) {
        failed |= json_array_append_new(notes, json_string(data->notes[i]));
    }
    return failed;
}

hb_status hb_figures_json_add(json_t *document, const hb_figure *figure, const hb_figure_data *data)
{
    json_t *series = json_array(), *notes = json_array();
    const int incomplete = append_all(series, notes, data);
    json_t *json = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:b, s:o, s:o}", "kind", figure->kind, "name",
                             figure->name, "paper", figure->paper, "title", figure->title, "x", figure->x, "y",
                             figure->y, "log_y", (int)figure->log_y, "series", series, "notes", notes);
    const int failed = json_array_append_new(json_object_get(document, "figures"), json);
    return incomplete || failed ? HB_FAIL(HB_ENOMEM, "no memory for the results") : HB_OK;
}
