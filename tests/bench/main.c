/* hebatch-designs: what `hebatch bench ntt --designs`, `bench reduce` and `bench crt` start. One rank, one GPU. */
#include <fnmatch.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/seed.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/report.h"
#include "figure_run.h"
#include "mpi/group/group.h"

/* What the command line says. */
typedef struct words {
    const char *kind, *only, *paper, *out;
    double seconds;
    bool quick, list, check, small;
    hb_device_choice device;
} words;

/* Papers by the numbers that src/README.md "Sources" gives them, and a word that `paper` of their figures has. */
static const char *const papers[][2] = {
    {"000", "zerk"}, {"001", "zerk"}, {"002", "Badawi"}, {"003", "Kim"}, {"004", "Cheddar"}};
static const char *const kinds[] = {"ntt", "reduce", "crt", NULL};

static const char *paper_word(const char *given)
{
    for (size_t i = 0; i < sizeof papers / sizeof papers[0]; i++) {
        if (strcmp(given, papers[i][0]) == 0) {
            return papers[i][1];
        }
    }
    return given;
}

static bool wants(const words *w, const hb_figure *figure)
{
    return (w->kind == NULL || strcmp(w->kind, figure->kind) == 0) &&
           (w->only == NULL || fnmatch(w->only, figure->name, 0) == 0) &&
           (w->paper == NULL || strcasestr(figure->paper, paper_word(w->paper)) != NULL);
}

/* The next figure that is wanted after *file, *figure, which begin as hb_figures and NULL; NULL: no more. */
static const hb_figure *next_figure(const words *w, const hb_figure *const **file, const hb_figure *figure)
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

static void list(const words *w)
{
    const hb_figure *const *file = hb_figures;
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
static hb_status show(hb_figure_run *run, const hb_common *common, const words *w, const hb_figure *figure,
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
static hb_status show_all(hb_figure_run *run, const hb_common *common, const words *w)
{
    json_t *document = hb_figures_json(run);
    if (document == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the results");
    }
    hb_status first = HB_OK;
    hb_error cause = {0};
    const hb_figure *const *file = hb_figures;
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

static hb_status measure(hb_group *group, const hb_common *common, const words *w)
{
    hb_device device;
    hb_figure_run run = {.seconds = w->seconds, .quick = w->quick};
    int gpus;
    HB_TRY(hb_cuda_device_count(&gpus));
    if (gpus == 0) {
        return HB_FAIL(HB_EUNAVAILABLE, "no NVIDIA GPU that this process may use, or no driver: designs need one");
    }
    HB_TRY(hb_device_choose(&device, group, &w->device, NULL));
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

static hb_status check_words(const hb_parsed *parsed, words *w)
{
    for (size_t i = 0; parsed->operand_count > 0; i++) {
        if (kinds[i] == NULL) {
            return HB_FAIL(HB_EUSAGE, "the designs of papers are of ntt, reduce and crt, not '%s'",
                           parsed->operands[0]);
        }
        if (strcmp(kinds[i], parsed->operands[0]) == 0) {
            w->kind = kinds[i];
            break;
        }
    }
    if (w->small && !w->check) {
        return HB_FAIL(HB_EUSAGE, "--small is for --check");
    }
    if (strcmp(w->device.kind, "cpu") == 0) {
        return HB_FAIL(HB_EUSAGE, "--device cpu: the designs of papers are for a GPU");
    }
    w->device.kind = "gpu";
    const hb_figure *const *file = hb_figures;
    if (!w->check && !w->list && next_figure(w, &file, NULL) == NULL) {
        return HB_FAIL(HB_ENOINPUT, "no figure is called that; --list has their names");
    }
    if (!w->check && !w->list && w->kind == NULL) {
        return HB_FAIL(HB_EUSAGE, "what to measure: ntt, reduce or crt");
    }
    return HB_OK;
}

static hb_status run(hb_group *group, int argc, char **argv)
{
    enum { OWN = 8, ROWS = OWN + HB_DEVICE_OPTIONS };
    words w = {.seconds = 0.3};
    hb_parsed parsed;
    hb_option rows[ROWS] = {
        {"seconds", 0, HB_OPTION_DURATION, &w.seconds, "TIME", "for each point (default 0.3s)"},
        {"only", 0, HB_OPTION_TEXT, &w.only, "NAME", "figures of this name, as 'kim-*'; with --check: designs"},
        {"paper", 0, HB_OPTION_TEXT, &w.paper, "PAPER", "figures of this paper: 000 to 004, or a word of its authors"},
        {"quick", 0, HB_OPTION_FLAG, &w.quick, NULL, "the smallest and the largest case of each figure"},
        {"out", 'o', HB_OPTION_TEXT, &w.out, "FILE", "results as JSON also to this file, for plot.py"},
        {"list", 0, HB_OPTION_FLAG, &w.list, NULL, "figures and designs, nothing measured"},
        {"check", 0, HB_OPTION_FLAG, &w.check, NULL, "every design against the CPU, nothing measured ..."},
        {"small", 0, HB_OPTION_FLAG, &w.small, NULL, "... at the smallest N it takes"}};
    hb_device_options(rows + OWN, HB_DEVICE_OPTIONS, &w.device);
    static const hb_command command = {.name = "bench",
                                       .arguments = "{ntt --designs | reduce | crt} [OPTIONS]",
                                       .summary =
                                           "designs of papers beside ours and the least time that this GPU allows for"};
    HB_TRY(hb_options_parse(&command, group, rows, ROWS, 0, 1, argc, argv, &parsed));
    if (parsed.help) {
        return HB_OK;
    }
    HB_TRY(check_words(&parsed, &w));
    if (w.list) {
        list(&w);
        return HB_OK;
    }
    return measure(group, &parsed.common, &w);
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is a failed write, with a reason and an exit code */
    hb_common common;
    hb_options_peek(argc, argv, &common);
    hb_group *group = NULL;
    hb_status st = hb_group_open_alone(&group);
    st = st == HB_OK ? hb_seed_start() : st;
    st = st == HB_OK ? run(group, argc, argv) : st;
    st = st == HB_OK ? hb_console_finish() : st;
    if (st != HB_OK) {
        fflush(stdout);
        hb_console_error(NULL, &common, "bench");
    }
    hb_group_close(group);
    return (int)st;
}
