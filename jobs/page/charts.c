#include "charts.h"

#include <string.h>

#include "cells.h"
#include "cli/console.h"

/* Bars are drawn in units of a thousandth of their width; colours are classes of the page's style. */
enum { WIDTH = 1000, BAR = 22, MOST_PARTS = 32, COLOURS = 9, MOST_RANKS = 256, MOST_STEPS = 1000 };

/* Seconds that an object has, by name. */
typedef struct parts {
    const char *name[MOST_PARTS];
    double seconds[MOST_PARTS];
    size_t count;
    double sum;
} parts;

/* A file may contain anything: a value that is no time counts as 0. */
static double seconds_of(const json_t *value)
{
    const double most = 1e12, seconds = json_number_value(value);
    return seconds > 0 && seconds < most ? seconds : 0;
}

static parts parts_of(const json_t *object)
{
    parts p = {.count = 0};
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, name, value)
    {
        if (p.count < MOST_PARTS && json_is_number(value) && strcmp(name, "total") != 0) {
            p.name[p.count] = name;
            p.seconds[p.count] = seconds_of(value);
            p.sum += p.seconds[p.count++];
        }
    }
    return p;
}

/* A bar whose whole width is `whole` seconds. */
static void put_bar(FILE *to, const parts *p, double whole)
{
    double at = 0;
    fprintf(to, "<svg class=\"bar\" viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" role=\"img\">", WIDTH, BAR);
    for (size_t i = 0; i < p->count && whole > 0; i++) {
        const double width = WIDTH * p->seconds[i] / whole;
        if (width > 0) {
            fprintf(to, "<rect class=\"c%zu\" x=\"%.2f\" y=\"0\" width=\"%.2f\" height=\"%d\"><title>", i % COLOURS, at,
                    width, BAR);
            hb_page_text(to, p->name[i]);
            fprintf(to, " %s</title></rect>", hb_human_seconds(p->seconds[i]).text);
        }
        at += width;
    }
    fputs("</svg>\n", to);
}

static void put_legend(FILE *to, const parts *p, bool shares)
{
    fputs("<ul class=\"legend\">", to);
    for (size_t i = 0; i < p->count; i++) {
        fprintf(to, "<li><i class=\"c%zu\"></i>", i % COLOURS);
        hb_page_text(to, p->name[i]);
        if (shares) {
            fprintf(to, " <b>%s</b> %.1f&nbsp;%%", hb_human_seconds(p->seconds[i]).text,
                    p->sum > 0 ? 100 * p->seconds[i] / p->sum : 0);
        }
        fputs("</li>", to);
    }
    fputs("</ul>\n", to);
}

static void put_seconds(FILE *to, const char *heading, const json_t *seconds)
{
    const parts p = parts_of(seconds);
    if (!(p.sum > 0)) {
        return;
    }
    fprintf(to, "<h3>%s</h3>\n", heading);
    put_bar(to, &p, p.sum);
    put_legend(to, &p, true);
}

/* A bar for each rank with the busy time of its threads, all to one scale, and its work. */
static void put_ranks(FILE *to, const json_t *by_rank)
{
    const size_t ranks = json_array_size(by_rank);
    double most = 0;
    for (size_t r = 0; r < ranks && r < MOST_RANKS; r++) {
        const double sum = parts_of(json_object_get(json_array_get(by_rank, r), "busy")).sum;
        most = sum > most ? sum : most;
    }
    if (ranks == 0) {
        return;
    }
    fputs("<details><summary>Ranks: what all threads of each were busy with</summary>\n<div class=\"wide\"><table "
          "class=\"ranks\">\n"
          "<tr><th>rank</th><th>host</th><th>units</th><th>bytes</th><th>received</th><th>memory</th><th>loop</th>"
          "<th class=\"bars\"></th></tr>\n",
          to);
    for (size_t r = 0; r < ranks && r < MOST_RANKS; r++) {
        static const hb_page_cell cells[] = {
            {"rank", "", HB_LOOK_PLAIN},  {"host", "", HB_LOOK_PLAIN},           {"units", "", HB_LOOK_PLAIN},
            {"bytes", "", HB_LOOK_BYTES}, {"received_bytes", "", HB_LOOK_BYTES}, {"peak_host_bytes", "", HB_LOOK_BYTES},
            {"wall", "", HB_LOOK_SECONDS}};
        const json_t *rank = json_array_get(by_rank, r);
        const parts p = parts_of(json_object_get(rank, "busy"));
        fputs("<tr>", to);
        for (size_t c = 0; c < sizeof cells / sizeof cells[0]; c++) {
            fputs("<td>", to);
            hb_page_value(to, json_object_get(rank, cells[c].member), cells[c].look);
            fputs("</td>", to);
        }
        fputs("<td>", to);
        put_bar(to, &p, most);
        fputs("</td></tr>\n", to);
    }
    fputs("</table></div>\n", to);
    if (ranks > MOST_RANKS) {
        fprintf(to, "<p>and %zu more, which the report has</p>\n", ranks - MOST_RANKS);
    }
    const parts first = parts_of(json_object_get(json_array_get(by_rank, 0), "busy"));
    put_legend(to, &first, false);
    fputs("</details>\n", to);
}

void hb_page_times(FILE *to, const json_t *times, const json_t *by_rank)
{
    put_seconds(to, "Where the time went, as rank 0 saw it", json_object_get(times, "phases"));
    put_seconds(to, "What the plan had predicted", json_object_get(times, "predicted"));
    put_seconds(to, "The loop over units: the critical path of the rank that took longest",
                json_object_get(json_object_get(times, "loop"), "critical"));
    put_ranks(to, by_rank);
}

/* Bits of a step, within the range of the drawing. */
static double bits_of(const json_t *step)
{
    const char *member = hb_page_certainties[hb_page_certainty(step)];
    const double most = 1e4, bits = json_number_value(json_object_get(step, member));
    return bits > most ? most : bits < -most ? -most : bits;
}

/* The statements whose steps a report has: where each begins in the expression, its text, and the bits of its value. */
enum { MOST_LINES = COLOURS };
typedef struct statements {
    const json_t *result[MOST_LINES];
    size_t count, more;
} statements;

static json_int_t place_of(const json_t *object)
{
    return json_integer_value(json_object_get(object, "at"));
}

static const char *text_of(const json_t *object)
{
    const char *text = json_string_value(json_object_get(object, "node"));
    return text != NULL ? text : "";
}

/* NAME = ..., and no part of a statement. */
static bool is_statement(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    text += strspn(text, " ");
    const size_t name = strspn(text, letters);
    text += name;
    text += strspn(text, " ");
    return name > 0 && text[0] == '=' && text[1] != '=';
}

/* In the order of the expression. */
static statements statements_of(const json_t *results)
{
    statements s = {.count = 0};
    size_t i;
    json_t *one;
    json_array_foreach(results, i, one)
    {
        if (!is_statement(text_of(one))) {
            continue;
        }
        if (s.count == MOST_LINES) {
            s.more++;
            continue;
        }
        size_t to = s.count++;
        for (; to > 0 && place_of(s.result[to - 1]) > place_of(one); to--) {
            s.result[to] = s.result[to - 1];
        }
        s.result[to] = one;
    }
    return s;
}

/* The statement that a step is part of: the last that begins before it. */
static size_t statement_of(const statements *s, const json_t *step)
{
    size_t found = 0;
    while (found + 1 < s->count && place_of(s->result[found + 1]) <= place_of(step)) {
        found++;
    }
    return found;
}

/* The range of the curves, and how they are drawn. */
typedef struct axes {
    const json_t *steps;
    size_t count;
    double least, most;
} axes;
enum { LEFT = 60, TOP = 10, HEIGHT = 200, CHART = 240 };

static double height_of(const axes *a, double bits)
{
    return TOP + HEIGHT * (a->most - bits) / (a->most - a->least);
}

static double across(const axes *a, size_t step)
{
    return LEFT + (double)(WIDTH - LEFT - TOP) * (double)(step + 1) / (double)a->count;
}

/* One line for a statement: the least bits that any of its values has had so far, and those of the last. A statement
 * without steps of its own, which others have made already, is a short line at the end. */
static void put_curve(FILE *to, const axes *a, const statements *s, size_t statement)
{
    enum { SHORT = 30 };
    const double result = bits_of(s->result[statement]);
    double least = 0, last = WIDTH - TOP - SHORT;
    bool any = false;
    fprintf(to, "<polyline class=\"l%zu\" points=\"", statement);
    for (size_t i = 0; i < a->count; i++) {
        const json_t *step = json_array_get(a->steps, i);
        const double bits = bits_of(step), at = across(a, i);
        if (statement_of(s, step) == statement) {
            least = any && least < bits ? least : bits;
            fprintf(to, "%.1f,%.1f %.1f,%.1f ", any ? last : at, height_of(a, least), at, height_of(a, least));
            last = at;
            any = true;
        }
    }
    fprintf(to, "%.1f,%.1f %.1f,%.1f", last, height_of(a, result), any ? last : WIDTH - TOP, height_of(a, result));
    fputs("\"><title>", to);
    hb_page_text(to, text_of(s->result[statement]));
    fputs("</title></polyline>\n", to);
}

static void widen(axes *a, double bits)
{
    a->least = bits < a->least ? bits : a->least;
    a->most = bits > a->most ? bits : a->most;
}

static axes axes_of(const json_t *steps, const statements *s)
{
    axes a = {.steps = steps, .count = json_array_size(steps), .most = 1};
    a.count = a.count < MOST_STEPS ? a.count : MOST_STEPS;
    for (size_t i = 0; i < a.count; i++) {
        widen(&a, bits_of(json_array_get(steps, i)));
    }
    for (size_t i = 0; i < s->count; i++) {
        widen(&a, bits_of(s->result[i]));
    }
    return a;
}

static void put_statements(FILE *to, const statements *s)
{
    fputs("<ul class=\"legend\">", to);
    for (size_t i = 0; i < s->count; i++) {
        fprintf(to, "<li><i class=\"c%zu\"></i>", i);
        hb_page_text(to, text_of(s->result[i]));
        fputs("</li>", to);
    }
    if (s->more > 0) {
        fprintf(to, "<li>and %zu more, with the last of these</li>", s->more);
    }
    fputs("</ul>\n", to);
}

void hb_page_steps(FILE *to, const char *heading, const json_t *results, const json_t *steps)
{
    enum { LINES = 4 };
    const statements s = statements_of(results);
    const axes a = axes_of(steps, &s);
    if (a.count < 2 || s.count == 0) {
        return;
    }
    fprintf(to, "<h3>%s</h3>\n<div class=\"wide\"><svg class=\"curve\" viewBox=\"0 0 %d %d\" role=\"img\">\n", heading,
            WIDTH, CHART);
    for (int i = 0; i <= LINES; i++) {
        const double bits = a.least + (a.most - a.least) * i / LINES, y = height_of(&a, bits);
        fprintf(to, "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/><text x=\"4\" y=\"%.1f\">%.0f</text>\n", LEFT,
                WIDTH - TOP, y, y, y + 4, bits);
    }
    for (size_t i = 0; i < s.count; i++) {
        put_curve(to, &a, &s, i);
    }
    fprintf(to,
            "<text x=\"%d\" y=\"%d\">step 1</text><text x=\"%d\" y=\"%d\" text-anchor=\"end\">step "
            "%zu</text></svg></div>\n",
            LEFT, CHART - 6, WIDTH - TOP, CHART - 6, a.count);
    put_statements(to, &s);
}
