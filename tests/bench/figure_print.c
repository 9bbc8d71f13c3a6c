/* Figures as tables, and as JSON, which plot.py reads. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "figure_run.h"
#include "machine/versions.h"

enum { WIDTH = 120, LEAST_CELL = 9, GAP = 2 };

typedef struct cell {
    char text[160];
} cell;

/* Series and the union of their x, one of them as rows and the other as columns. */
typedef struct table {
    const hb_figure_data *data;
    double *x; /* ascending */
    size_t x_count;
    bool x_rows;
    const hb_series *rate; /* values are printed as multiples of this one's; NULL: as they are */
} table;

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool collect_x(table *t)
{
    size_t points = 0;
    for (size_t s = 0; s < t->data->series_count; s++) {
        points += t->data->series[s].count;
    }
    t->x = malloc((points + 1) * sizeof *t->x);
    for (size_t s = 0, at = 0; t->x != NULL && s < t->data->series_count; s++) {
        memcpy(t->x + at, t->data->series[s].x, t->data->series[s].count * sizeof *t->x);
        at += t->data->series[s].count;
    }
    if (t->x == NULL) {
        return false;
    }
    qsort(t->x, points, sizeof *t->x, compare_doubles);
    for (size_t i = 0; i < points; i++) {
        if (t->x_count == 0 || t->x[t->x_count - 1] < t->x[i]) {
            t->x[t->x_count++] = t->x[i];
        }
    }
    return true;
}

/* NAN where there is none. */
static double value_at(const hb_series *series, double x)
{
    for (size_t i = 0; i < series->count; i++) {
        if (!(series->x[i] < x) && !(series->x[i] > x)) {
            return series->y[i];
        }
    }
    return (double)NAN;
}

/* Four digits where they are to be read at a glance; "-" for none. */
static cell number(double value)
{
    cell c = {"-"};
    const double size = fabs(value), large = 1e7, small = 1e-3;
    const int decimals = size >= 999.5 ? 0 : size >= 99.95 ? 1 : size >= 9.995 ? 2 : 3;
    if (!isnan(value)) {
        const bool apart = size >= large || (size > 0 && size < small);
        snprintf(c.text, sizeof c.text, apart ? "%.*e" : "%.*f", apart ? 2 : decimals, value);
    }
    return c;
}

static cell series_name(const table *t, size_t s)
{
    cell c;
    const hb_series *series = &t->data->series[s];
    snprintf(c.text, sizeof c.text, "%s%s", series->name, series->reported ? " *" : "");
    return c;
}

static cell x_name(const table *t, size_t i)
{
    cell c;
    snprintf(c.text, sizeof c.text, "%.10g", t->x[i]);
    return c;
}

static cell row_name(const table *t, size_t row)
{
    return t->x_rows ? x_name(t, row) : series_name(t, row);
}

static cell column_name(const table *t, size_t column)
{
    return t->x_rows ? series_name(t, column) : x_name(t, column);
}

static cell value_cell(const table *t, size_t row, size_t column)
{
    const size_t s = t->x_rows ? column : row, i = t->x_rows ? row : column;
    const double value = value_at(&t->data->series[s], t->x[i]);
    return number(t->rate == NULL ? value : value / value_at(t->rate, t->x[i]));
}

static int width_of(const table *t, size_t column)
{
    const int width = (int)strlen(column_name(t, column).text) + GAP;
    return width > LEAST_CELL ? width : LEAST_CELL;
}

static size_t rows_of(const table *t)
{
    return t->x_rows ? t->x_count : t->data->series_count;
}

static size_t columns_of(const table *t)
{
    return t->x_rows ? t->data->series_count : t->x_count;
}

static int label_width(const table *t)
{
    size_t width = 0;
    for (size_t row = 0; row < rows_of(t); row++) {
        const size_t length = strlen(row_name(t, row).text);
        width = length > width ? length : width;
    }
    return (int)width;
}

/* The first column that does not stand beside those from `first` on, at least one. */
static size_t fitting(const table *t, size_t first)
{
    int width = label_width(t) + width_of(t, first);
    size_t end = first + 1;
    while (end < columns_of(t) && width + width_of(t, end) <= WIDTH) {
        width += width_of(t, end++);
    }
    return end;
}

static void print_block(const table *t, size_t first, size_t end)
{
    const int label = label_width(t);
    printf("  %-*s", label, "");
    for (size_t column = first; column < end; column++) {
        printf("%*s", width_of(t, column), column_name(t, column).text);
    }
    for (size_t row = 0; row < rows_of(t); row++) {
        printf("\n  %-*s", label, row_name(t, row).text);
        for (size_t column = first; column < end; column++) {
            printf("%*s", width_of(t, column), value_cell(t, row, column).text);
        }
    }
    printf("\n");
}

static void print_table(const table *t)
{
    for (size_t first = 0, end; first < columns_of(t); first = end) {
        end = fitting(t, first);
        print_block(t, first, end);
    }
}

/* Series as rows, unless they fit only as columns. */
static bool choose_rows(const table *t)
{
    table other = *t;
    other.x_rows = true;
    return fitting(t, 0) < columns_of(t) && fitting(&other, 0) == columns_of(&other);
}

static const hb_series *find(const hb_figure_data *data, const char *name)
{
    for (size_t s = 0; s < data->series_count; s++) {
        if (strcmp(data->series[s].name, name) == 0) {
            return &data->series[s];
        }
    }
    return NULL;
}

static bool any_reported(const hb_figure_data *data)
{
    for (size_t s = 0; s < data->series_count; s++) {
        if (data->series[s].reported) {
            return true;
        }
    }
    return false;
}

hb_status hb_figure_print(const hb_figure *figure, const hb_figure_data *data)
{
    table t = {.data = data};
    if (!collect_x(&t)) {
        return HB_FAIL(HB_ENOMEM, "no memory for a table");
    }
    printf("\n%s: %s\n%s\n", figure->name, figure->title, figure->paper);
    if (t.x_count > 0) {
        t.x_rows = choose_rows(&t);
        printf("%s over %s%s\n", figure->y, figure->x, any_reported(data) ? "; *: as printed, not measured here" : "");
        print_table(&t);
        t.rate = find(data, "ours");
        if (t.rate != NULL && data->series_count > 1) {
            printf("times ours\n");
            print_table(&t);
        }
    }
    for (size_t i = 0; i < data->note_count; i++) {
        printf("  %s\n", data->notes[i]);
    }
    free(t.x);
    return HB_OK;
}

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
