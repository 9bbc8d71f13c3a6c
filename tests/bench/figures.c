/* The choice of figures, and their output: tables, one JSON document, a list. */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "cli/console.h"
#include "cli/report.h"
#include "commands.h"
#include "figure_run.h"

/* All figures, a file's after another's. */
static const hb_figure *const all[] = {hb_figures_ours,    hb_figures_ozerk,  hb_figures_kim,
                                       hb_figures_cheddar, hb_figures_badawi, hb_figures_badawi_crt,
                                       hb_figures_reduce,  hb_figures_crt,    NULL};

/* Papers by the numbers that src/README.md "Sources" gives them, and a word that `paper` of their figures has. */
static const char *const papers[][2] = {
    {"000", "zerk"}, {"001", "zerk"}, {"002", "Badawi"}, {"003", "Kim"}, {"004", "Cheddar"}};

static const char *paper_word(const char *given)
{
    for (size_t i = 0; i < sizeof papers / sizeof papers[0]; i++) {
        if (strcmp(given, papers[i][0]) == 0) {
            return papers[i][1];
        }
    }
    return given;
}

static bool wants(const hb_design_words *w, const hb_figure *figure)
{
    return (w->kind == NULL || strcmp(w->kind, figure->kind) == 0) &&
           (w->only == NULL || fnmatch(w->only, figure->name, 0) == 0) &&
           (w->paper == NULL || strcasestr(figure->paper, paper_word(w->paper)) != NULL);
}

/* The next figure that is wanted after *file, *figure, which begin as `all` and NULL; NULL: no more. */
static const hb_figure *next_figure(const hb_design_words *w, const hb_figure *const **file, const hb_figure *figure)
{
    figure = figure == NULL ? **file : figure + 1;
    while (figure != NULL) {
        if (figure->name == NULL) {
            figure = *++*file;
        } else if (wants(w, figure)) {
            return figure;
        } else {
            figure++;
        }
    }
    return NULL;
}

static void list(const hb_design_words *w)
{
    const hb_figure *const *file = all;
    printf("figures\n");
    for (const hb_figure *f = NULL; (f = next_figure(w, &file, f)) != NULL;) {
        printf("  %-7s %-28s %s: %s\n", f->kind, f->name, f->paper, f->title);
    }
    printf("designs\n");
    for (const hb_design *const *designs = hb_designs; *designs != NULL; designs++) {
        for (const hb_design *d = *designs; d->name != NULL; d++) {
            printf("  %-36s %u-bit words, primes to %2u bits, N 2^%u to 2^%u%s  %s: %s\n", d->name, 8 * d->word_bytes,
                   d->most_bits, d->min_log_n, d->max_log_n, d->forward_only ? ", forward" : "", d->source, d->title);
        }
    }
}

/* One figure, as far as it comes. The JSON document is written after each: a run that is cut short has the others. */
static hb_status show(hb_figure_run *run, const hb_common *common, const hb_design_words *w, const hb_figure *figure,
                      json_t *document)
{
    hb_status st = figure->measure(run);
    const hb_error cause = st != HB_OK ? *hb_last_error() : run->wrong;
    if (st != HB_OK) {
        HB_TRY(hb_figure_note(run, "not complete: %s", cause.text));
    }
    if (cause.text[0] != '\0') { /* a figure may go on where a design is wrong: the run fails even so */
        st = st != HB_OK ? st : HB_EINTERNAL;
        run->wrong = (hb_error){.text = ""};
        hb_set_error(&cause);
        hb_console_error(NULL, common, figure->name);
    }
    if (!common->json) {
        HB_TRY(hb_figure_print(figure, &run->data));
        fflush(stdout);
    }
    HB_TRY(hb_figures_json_add(document, figure, &run->data));
    if (w->out != NULL && json_dump_file(document, w->out, JSON_COMPACT | JSON_REAL_PRECISION(6)) != 0) {
        return HB_FAIL(HB_ECREATE, "cannot write %s", w->out);
    }
    hb_figure_data_clear(&run->data);
    hb_set_error(&cause);
    return st;
}

/* All that are wanted; a figure that fails does not keep the others back. The first failure is the result. */
static hb_status show_all(hb_figure_run *run, const hb_common *common, const hb_design_words *w)
{
    json_t *document = hb_figures_json(run);
    if (document == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the results");
    }
    hb_status first = HB_OK;
    hb_error cause = {0};
    const hb_figure *const *file = all;
    for (const hb_figure *figure = NULL; (figure = next_figure(w, &file, figure)) != NULL;) {
        const hb_status st = show(run, common, w, figure, document);
        if (st != HB_OK && first == HB_OK) {
            first = st;
            cause = *hb_last_error();
        }
    }
    if (common->json) {
        hb_report_print(document);
    }
    json_decref(document);
    if (first != HB_OK) {
        hb_set_error(&cause);
    }
    return first;
}

static void print_head(const hb_figure_run *run)
{
    printf("%s\n", hb_device_name_of(run->device).text);
    for (int i = 0; i < HB_CEILINGS; i++) {
        if (run->ceilings.of[i] > 0) {
            printf("%s%s %s/s", i == 0 ? "ceilings: " : ", ", hb_ceiling_names[i],
                   hb_human_count(run->ceilings.of[i]).text);
        }
    }
    printf("\nmedians of samples between events, the GPU idle for three times their length after each; calls below a\n"
           "millisecond are replayed from a CUDA graph of many\n");
}

static hb_status measure(hb_group *group, const hb_common *common, const hb_design_words *w)
{
    hb_device device;
    hb_device_choice choice = w->device;
    hb_figure_run run = {.seconds = w->seconds, .quick = w->quick};
    int gpus;
    HB_TRY(hb_cuda_device_count(&gpus));
    if (gpus == 0) {
        return HB_FAIL(HB_EUNAVAILABLE, "no NVIDIA GPU that this process may use, or no driver: designs need one");
    }
    choice.kind = "gpu";
    HB_TRY(hb_device_choose(&device, group, &choice, NULL));
    hb_status st;
    HB_GOTO(hb_figure_run_init(&run, &device, !w->check));
    if (w->check) {
        st = hb_designs_check(&run, w->only, w->small);
    } else {
        if (!common->json) {
            print_head(&run);
        }
        st = show_all(&run, common, w);
    }
done:
    hb_figure_run_clear(&run);
    return st;
}

hb_status hb_designs_figures(hb_group *group, const hb_common *common, const hb_design_words *w)
{
    const hb_figure *const *file = all;
    if (strcmp(w->device.kind, "cpu") == 0) {
        return HB_FAIL(HB_EUSAGE, "--device cpu: the designs of papers are for a GPU");
    }
    if (w->list) {
        list(w);
        return HB_OK;
    }
    if (!w->check && next_figure(w, &file, NULL) == NULL) {
        return HB_FAIL(HB_ENOINPUT, "no figure is called that; --list has their names");
    }
    if (!w->check && w->kind == NULL) {
        return HB_FAIL(HB_EUSAGE, "what to measure: ntt, reduce, crt or bfv");
    }
    return measure(group, common, w);
}
