#include "figure_run.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_private.h"
#include "gpu_words.h"

hb_status hb_figure_run_init(hb_figure_run *run, const hb_device *device, bool measure)
{
    run->device = device;
    HB_TRY(hb_gpu_stream_open(device->card.index, &run->stream));
    return measure ? hb_bench_ceilings(device, run->seconds, false, &run->ceilings) : HB_OK;
}

void hb_figure_run_clear(hb_figure_run *run)
{
    hb_figure_data_clear(&run->data);
    while (run->cases != NULL) {
        hb_known_case *known = run->cases;
        run->cases = known->next;
        for (int which = 0; which < HB_ANSWERS; which++) {
            free(known->answers[which]);
        }
        free(known);
    }
    hb_gpu_stream_close(run->stream);
    run->stream = NULL;
}

void hb_figure_data_clear(hb_figure_data *data)
{
    for (size_t s = 0; s < data->series_count; s++) {
        free(data->series[s].name);
        free(data->series[s].x);
        free(data->series[s].y);
    }
    for (size_t i = 0; i < data->note_count; i++) {
        free(data->notes[i]);
    }
    free(data->series);
    free(data->notes);
    *data = (hb_figure_data){0};
}

static hb_status no_room(void)
{
    return HB_FAIL(HB_ENOMEM, "no memory for the points of a figure");
}

static hb_status find_series(hb_figure_data *data, const char *name, bool reported, hb_series **found)
{
    for (size_t s = 0; s < data->series_count; s++) {
        if (data->series[s].reported == reported && strcmp(data->series[s].name, name) == 0) {
            *found = &data->series[s];
            return HB_OK;
        }
    }
    hb_series *more = realloc(data->series, (data->series_count + 1) * sizeof *more);
    if (more == NULL) {
        return no_room();
    }
    data->series = more;
    *found = &more[data->series_count];
    **found = (hb_series){.name = strdup(name), .reported = reported};
    if ((*found)->name == NULL) {
        return no_room();
    }
    data->series_count++;
    return HB_OK;
}

static hb_status add_point(hb_figure_run *run, const char *series, bool reported, double x, double y)
{
    hb_series *s = NULL;
    HB_TRY(find_series(&run->data, series, reported, &s));
    double *xs = realloc(s->x, (s->count + 1) * sizeof *xs);
    s->x = xs != NULL ? xs : s->x;
    double *ys = realloc(s->y, (s->count + 1) * sizeof *ys);
    s->y = ys != NULL ? ys : s->y;
    if (xs == NULL || ys == NULL) {
        return no_room();
    }
    s->x[s->count] = x;
    s->y[s->count++] = y;
    return HB_OK;
}

hb_status hb_figure_point(hb_figure_run *run, const char *series, double x, double value)
{
    return add_point(run, series, false, x, value);
}

hb_status hb_figure_reported(hb_figure_run *run, const char *series, double x, double value)
{
    return add_point(run, series, true, x, value);
}

hb_status hb_figure_note(hb_figure_run *run, const char *format, ...)
{
    hb_figure_data *data = &run->data;
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (size_t i = 0; i < data->note_count; i++) {
        if (strcmp(data->notes[i], text) == 0) { /* a loop over sizes says the same of each */
            return HB_OK;
        }
    }
    char **more = realloc(data->notes, (data->note_count + 1) * sizeof *more), *copy = strdup(text);
    data->notes = more != NULL ? more : data->notes;
    if (more == NULL || copy == NULL) {
        free(copy);
        return no_room();
    }
    more[data->note_count++] = copy;
    return HB_OK;
}

bool hb_figure_skips(const hb_figure_run *run, size_t index, size_t count)
{
    return run->quick && index != 0 && index + 1 != count;
}

double hb_figure_floor(const hb_figure_run *run, const hb_design_case *c)
{
    const hb_ring *ring = &hb_figure_known(run, c)->ring;
    const uint16_t id = 0;
    hb_rates cost = {0};
    hb_ceiling bound;
    hb_floor_words(&cost, 2 * ring->n);
    hb_floor_transform(&cost, run->device, ring, &id, 1);
    return hb_floor(&cost, &run->ceilings, &bound);
}

double hb_figure_memory_rate(const hb_figure_run *run)
{
    return run->ceilings.of[HB_CEILING_MEMORY];
}
