#include "page.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cells.h"
#include "charts.h"
#include "columns.h"
#include "headline.h"
#include "io/files/durable.h"
#include "machine/versions.h"

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

/* The beginning of every page, by which one is recognized. */
static const char mark[] = "<!doctype html>\n<html lang=\"en\" class=\"hebatch-page\">\n";

/* Light and dark; nothing is loaded, and no script would run. */
static const char head[] =
    "<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" "
    "content=\"light dark\">\n<title>hebatch report</title>\n<style>\n"
    ":root{--ink:#1c2126;--paper:#fff;--soft:#f2f4f6;--line:#d5dadf;--quiet:#5d6670;--bad:#b3261e;--good:#1a7f37;"
    "--0:#4269d0;--1:#e08a00;--2:#c2410c;--3:#2f8f83;--4:#3a7d34;--5:#a3488f;--6:#9aa3ad;--7:#8c5f3c;--8:#6a7fd1}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e4e8ec;--paper:#14181c;--soft:#1f252b;--line:#38414a;--quiet:#"
    "9aa5b0;"
    "--bad:#ff8a80;--good:#6fdc8c;--0:#7b9bf0;--1:#f2b04b;--2:#f28b66;--3:#62c4b7;--4:#7dc676;--5:#d98ac8;--6:#6d7780;"
    "--7:#c69a77;--8:#a3b2f0}}\n"
    "body{font:15px/1.45 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:1100px;margin:1.5rem "
    "auto;padding:0 1rem}\n"
    "h1{font-size:1.3rem}h2{font-size:1.15rem;overflow-wrap:anywhere;border-top:1px solid var(--line);padding-top:1rem}"
    "h3{font-size:1rem;margin:1.4rem 0 .4rem}\n"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:.5rem 0}dt{color:var(--quiet)}"
    "dd{margin:0;overflow-wrap:anywhere}\n"
    "code{white-space:pre-wrap;background:var(--soft);padding:.1rem .3rem;border-radius:3px}\n"
    ".wide{overflow-x:auto}table{border-collapse:collapse;font-size:.9rem}th,td{text-align:left;padding:.2rem .7rem "
    ".2rem 0;border-bottom:1px solid var(--line);vertical-align:top}th{color:var(--quiet);font-weight:500}"
    "td{white-space:nowrap}td "
    "code{white-space:pre-wrap}.number{text-align:right;font-variant-numeric:tabular-nums}.ranks{width:100%}.ranks "
    "td{white-space:nowrap}.bars{width:45%}\n"
    "svg.bar{display:block;width:100%;height:1.3rem;background:var(--soft)}svg.curve{width:100%;min-width:640px}"
    ".curve line{stroke:var(--line)}.curve text{fill:var(--quiet);font-size:13px}.curve polyline{fill:none;"
    "stroke-width:2}.l0{stroke:var(--0)}.l1{stroke:var(--1)}.b0{background:var(--0)}.b1{background:var(--1)}\n"
    ".legend{list-style:none;padding:0;margin:.4rem 0;display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;font-size:.9rem}"
    ".legend i{display:inline-block;width:.8rem;height:.8rem;margin-right:.35rem;border-radius:2px}\n"
    "rect.c0{fill:var(--0)}rect.c1{fill:var(--1)}rect.c2{fill:var(--2)}rect.c3{fill:var(--3)}rect.c4{fill:var(--4)}"
    "rect.c5{fill:var(--5)}rect.c6{fill:var(--6)}rect.c7{fill:var(--7)}rect.c8{fill:var(--8)}\n"
    "i.c0{background:var(--0)}i.c1{background:var(--1)}i.c2{background:var(--2)}i.c3{background:var(--3)}"
    "i.c4{background:var(--4)}i.c5{background:var(--5)}i.c6{background:var(--6)}i.c7{background:var(--7)}"
    "i.c8{background:var(--8)}\n"
    ".l2{stroke:var(--2)}.l3{stroke:var(--3)}.l4{stroke:var(--4)}.l5{stroke:var(--5)}.l6{stroke:var(--6)}.l7{stroke:"
    "var(--7)}.l8{stroke:var(--8)}\n"
    ".headline{font-size:1.25rem;line-height:1.35;margin:.6rem 0;overflow-wrap:anywhere}"
    ".headline::first-letter{text-transform:uppercase}\n"
    ".tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(11rem,1fr));gap:.7rem;margin:1rem 0}"
    ".tile{background:var(--soft);border-radius:6px;padding:.6rem .8rem}"
    ".tile i{display:block;font-style:normal;color:var(--quiet);font-size:.85rem}.tile "
    "b{font-size:1.3rem;font-weight:600}\n"
    "details{margin:.6rem 0}summary{cursor:pointer;color:var(--quiet)}\n"
    ".bad{color:var(--bad)}.good{color:var(--good)}.warnings{border-left:3px solid var(--1);padding-left:.8rem}\n"
    "</style>\n</head>\n<body>\n";

/* Where results of comparisons are none of 0 and 1. */
static void put_gap(FILE *to, const json_t *gap)
{
    if (json_number_value(gap) > 0) {
        fputs("<p>Comparisons: rows whose value is within ", to);
        hb_page_value(to, gap, HB_LOOK_ERROR);
        fputs(" of a threshold are not decided: each may count as a part.</p>\n", to);
    }
}

static void open_fold(FILE *to, const char *title)
{
    fprintf(to, "<details><summary>%s</summary>\n", title);
}

static void close_fold(FILE *to)
{
    fputs("</details>\n", to);
}

/* The state of a job by its files. */
static void put_state(FILE *to, const json_t *job)
{
    static const hb_page_cell state[] = {
        {"state", "state", HB_LOOK_PLAIN},   {"begun", "begun", HB_LOOK_PLAIN},
        {"units", "units", HB_LOOK_PLAIN},   {"units_stored", "units stored", HB_LOOK_PLAIN},
        {"shards", "shards", HB_LOOK_PLAIN}, {"passes_done", "passes done", HB_LOOK_PLAIN},
        {"sums", "sums", HB_LOOK_PLAIN}};
    const bool dataset = json_is_integer(json_object_get(job, "units")); /* else its state is all that there is */
    hb_page_facts(to, job, state, dataset ? COUNT_OF(state) : 1);
}

static bool is_done(const json_t *job)
{
    const char *state = json_string_value(json_object_get(job, "state"));
    return state != NULL && strcmp(state, "done") == 0;
}

/* The answer, how it ended, or how far it is. */
static void put_end(FILE *to, const json_t *job, const json_t *report)
{
    const char *reason = json_string_value(json_object_get(report, "reason"));
    if (report != NULL) {
        hb_page_head(to, report);
    }
    if (reason != NULL && reason[0] != '\0') {
        fputs("<p class=\"bad\">", to);
        hb_page_text(to, reason);
        fputs("</p>\n", to);
    }
    if (report == NULL || !is_done(job)) {
        put_state(to, job);
    }
    put_gap(to, json_object_get(job, "threshold_gap"));
    if (report == NULL) {
        fputs("<p>No run has left a report yet.</p>\n", to);
    }
}

/* The last run that left a report. */
static void put_run(FILE *to, const json_t *job, const json_t *report)
{
    static const hb_page_cell end[] = {
        {"command", "command", HB_LOOK_CODE},     {"started", "started", HB_LOOK_PLAIN},
        {"seconds", "took", HB_LOOK_SECONDS},     {"exit_code", "exit code", HB_LOOK_PLAIN},
        {"host", "host", HB_LOOK_PLAIN},          {"ranks", "ranks", HB_LOOK_PLAIN},
        {"slurm", "job of Slurm", HB_LOOK_PLAIN}, {"peak_host_bytes", "memory of the largest rank", HB_LOOK_BYTES},
        {"version", "version", HB_LOOK_PLAIN}};
    open_fold(to, "The run: when, where, and how it ended");
    hb_page_facts(to, report, end, COUNT_OF(end));
    if (is_done(job)) {
        put_state(to, job);
    }
    close_fold(to);
}

static void put_warnings(FILE *to, const json_t *warnings)
{
    enum { MOST = 100 };
    const size_t count = json_array_size(warnings);
    if (count == 0) {
        return;
    }
    fputs("<h3>Warnings</h3>\n<div class=\"warnings\">\n", to);
    for (size_t i = 0; i < count && i < MOST; i++) {
        fputs("<p>", to);
        hb_page_value(to, json_array_get(warnings, i), HB_LOOK_PLAIN);
        fputs("</p>\n", to);
    }
    if (count > MOST) {
        fprintf(to, "<p>and %zu more</p>\n", count - MOST);
    }
    fputs("</div>\n", to);
}

/* The computation, its inputs and its parameters. */
static void put_what(FILE *to, const json_t *report)
{
    static const hb_page_cell what[] = {{"expression", "expression", HB_LOOK_CODE},
                                        {"model", "model", HB_LOOK_PLAIN},
                                        {"table", "table", HB_LOOK_CODE},
                                        {"input", "input", HB_LOOK_CODE},
                                        {"output", "output", HB_LOOK_CODE},
                                        {"packing", "packing", HB_LOOK_PLAIN},
                                        {"encoding", "encoding", HB_LOOK_PLAIN},
                                        {"errors", "errors", HB_LOOK_PLAIN},
                                        {"keys", "keys", HB_LOOK_CODE},
                                        {"key_kind", "key", HB_LOOK_PLAIN},
                                        {"key_id", "key id", HB_LOOK_HASH},
                                        {"sum", "sum", HB_LOOK_HASH},
                                        {"units", "units", HB_LOOK_PLAIN},
                                        {"share", "shared", HB_LOOK_PLAIN}};
    static const hb_page_cell table[] = {{"name", "name", HB_LOOK_CODE},
                                         {"file", "file", HB_LOOK_CODE},
                                         {"rows", "rows", HB_LOOK_PLAIN},
                                         {"columns", "columns", HB_LOOK_PLAIN},
                                         {"encrypted", "encrypted", HB_LOOK_PLAIN},
                                         {"ciphertexts", "ciphertexts", HB_LOOK_PLAIN},
                                         {"stored_bytes", "size", HB_LOOK_BYTES},
                                         {"limbs", "limbs", HB_LOOK_PLAIN},
                                         {"units", "units", HB_LOOK_PLAIN},
                                         {"there", "units found", HB_LOOK_PLAIN},
                                         {"may_wrap", "may wrap", HB_LOOK_PLAIN},
                                         {"sum", "sum", HB_LOOK_HASH}};
    static const hb_page_cell column[] = {{"name", "name", HB_LOOK_CODE},
                                          {"signed", "signed", HB_LOOK_PLAIN},
                                          {"values", "values", HB_LOOK_PLAIN},
                                          {"may_wrap", "may wrap", HB_LOOK_PLAIN}};
    fputs("<h3>What was done</h3>\n", to);
    hb_page_facts(to, report, what, COUNT_OF(what));
    hb_page_table(to, "Results", json_object_get(report, "outputs"), table, COUNT_OF(table));
    hb_page_table(to, "Inputs", json_object_get(report, "inputs"), table, COUNT_OF(table));
    json_t *columns = hb_page_columns(json_object_get(report, "column"));
    if (json_array_size(columns) > 0) {
        open_fold(to, "Columns");
        hb_page_table(to, NULL, columns, column, COUNT_OF(column));
        close_fold(to);
    }
    json_decref(columns);
}

static void put_params(FILE *to, const json_t *params)
{
    static const hb_page_cell cells[] = {{"name", "name", HB_LOOK_CODE},
                                         {"n", "ring degree", HB_LOOK_PLAIN},
                                         {"plain", "plain modulus", HB_LOOK_PLAIN},
                                         {"plains", "plain moduli", HB_LOOK_PLAIN},
                                         {"scale_bits", "bits of the scale", HB_LOOK_PLAIN},
                                         {"bits", "bits of the primes", HB_LOOK_PLAIN},
                                         {"special_primes", "special primes", HB_LOOK_PLAIN},
                                         {"digit_primes", "most primes of a digit", HB_LOOK_PLAIN},
                                         {"security", "bits of security", HB_LOOK_PLAIN},
                                         {"security_table", "by the table of", HB_LOOK_PLAIN},
                                         {"security_model", "against", HB_LOOK_PLAIN}};
    if (!json_is_object(params)) {
        return;
    }
    if (json_is_true(json_object_get(params, "insecure"))) {
        fputs("<p class=\"bad\">INSECURE: above the security table</p>\n", to);
    }
    open_fold(to, "Parameters");
    hb_page_facts(to, params, cells, COUNT_OF(cells));
    close_fold(to);
}

static void put_times(FILE *to, const json_t *report)
{
    static const hb_page_cell loop_cells[] = {{"units", "steps of the loop", HB_LOOK_PLAIN},
                                              {"readers", "threads that read", HB_LOOK_PLAIN},
                                              {"queues", "that compute", HB_LOOK_PLAIN},
                                              {"writers", "that write", HB_LOOK_PLAIN},
                                              {"limited_by", "limited by", HB_LOOK_PLAIN}};
    const json_t *times = json_object_get(report, "times");
    hb_page_times(to, times, json_object_get(report, "by_rank"));
    if (json_is_object(json_object_get(times, "loop"))) {
        open_fold(to, "Threads of the loop");
        hb_page_facts(to, json_object_get(times, "loop"), loop_cells, COUNT_OF(loop_cells));
        close_fold(to);
    }
}

/* Bits of BFV and of CKKS stand under names of their own; of a decryption they are one object. */
static void put_quality(FILE *to, const json_t *report)
{
    static const struct {
        const char *member, *title, *steps;
    } words[] = {
        {"noise_budget_bits", "Noise budget in bits", "Noise budget in bits: the least so far, a line a statement"},
        {"precision_bits", "Bits of precision", "Bits of precision: the least so far, a line a statement"}};
    static const hb_page_cell cells[] = {
        {"operation", "operation", HB_LOOK_PLAIN},  {"node", "of", HB_LOOK_CODE},
        {"limbs", "limbs", HB_LOOK_PLAIN},          {"depth", "depth", HB_LOOK_PLAIN},
        {"values", "values", HB_LOOK_PLAIN},        {"proven", "proven", HB_LOOK_BITS},
        {"drawn", "drawn", HB_LOOK_BITS},           {"likely", "likely", HB_LOOK_BITS},
        {"assumed", "assumed", HB_LOOK_BITS},       {"expected", "expected", HB_LOOK_BITS},
        {"iterations", "iterations", HB_LOOK_PLAIN}};
    static const hb_page_cell measured[] = {{"least", "least", HB_LOOK_BITS},      {"mean", "mean", HB_LOOK_BITS},
                                            {"proven", "proven", HB_LOOK_BITS},    {"drawn", "drawn", HB_LOOK_BITS},
                                            {"likely", "likely", HB_LOOK_BITS},    {"assumed", "assumed", HB_LOOK_BITS},
                                            {"expected", "expected", HB_LOOK_BITS}};
    const json_t *steps = json_object_get(report, "steps");
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        const json_t *quality = json_object_get(report, words[i].member);
        if (json_is_object(quality)) {
            fprintf(to, "<h3>%s, measured</h3>\n", words[i].title);
            hb_page_facts(to, quality, measured, COUNT_OF(measured));
        } else if (quality != NULL) {
            hb_page_table(to, words[i].title, quality, cells, COUNT_OF(cells));
            hb_page_steps(to, words[i].steps, quality, steps);
            fprintf(to, "<details><summary>Steps of the plan (%zu)</summary>\n", json_array_size(steps));
            hb_page_table(to, NULL, steps, cells, COUNT_OF(cells));
            close_fold(to);
        }
    }
}

static void put_plan(FILE *to, const json_t *report)
{
    static const hb_page_cell bootstraps[] = {
        {"node", "of", HB_LOOK_CODE},       {"values", "values", HB_LOOK_PLAIN},   {"passes", "passes", HB_LOOK_PLAIN},
        {"k", "k", HB_LOOK_PLAIN},          {"limbs", "limbs", HB_LOOK_PLAIN},     {"bound", "bound", HB_LOOK_BITS},
        {"proven", "proven", HB_LOOK_BITS}, {"expected", "expected", HB_LOOK_BITS}};
    static const hb_page_cell functions[] = {{"name", "name", HB_LOOK_PLAIN},     {"node", "of", HB_LOOK_CODE},
                                             {"interval", "on", HB_LOOK_PLAIN},   {"degrees", "degrees", HB_LOOK_PLAIN},
                                             {"levels", "levels", HB_LOOK_PLAIN}, {"error", "error", HB_LOOK_ERROR}};
    static const hb_page_cell whole[] = {{"plan", "plan", HB_LOOK_PLAIN},
                                         {"device", "device", HB_LOOK_PLAIN},
                                         {"limbs", "limbs and exchange", HB_LOOK_PLAIN},
                                         {"libraries", "libraries", HB_LOOK_PLAIN}};
    static const hb_page_cell runs[] = {{"started", "started", HB_LOOK_PLAIN}, {"seconds", "took", HB_LOOK_SECONDS},
                                        {"host", "host", HB_LOOK_PLAIN},       {"ranks", "ranks", HB_LOOK_PLAIN},
                                        {"slurm", "Slurm", HB_LOOK_PLAIN},     {"version", "version", HB_LOOK_PLAIN},
                                        {"exit_code", "exit", HB_LOOK_PLAIN},  {"reason", "reason", HB_LOOK_PLAIN}};
    static const hb_page_cell patterns[] = {{"all_gather", "gathered from all", HB_LOOK_PLAIN},
                                            {"all_to_all", "from each to each", HB_LOOK_PLAIN},
                                            {"broadcast", "from one to all", HB_LOOK_PLAIN}};
    hb_page_table(to, "Bootstrapping", json_object_get(report, "bootstraps"), bootstraps, COUNT_OF(bootstraps));
    hb_page_table(to, "Functions as polynomials", json_object_get(report, "functions"), functions, COUNT_OF(functions));
    hb_page_table(to, "Earlier runs", json_object_get(report, "runs_before"), runs, COUNT_OF(runs));
    open_fold(to, "Plan and machine");
    hb_page_facts(to, report, whole, COUNT_OF(whole));
    hb_page_facts(to, json_object_get(report, "limbs"), patterns, COUNT_OF(patterns));
    close_fold(to);
}

/* Words of the tables that need an explanation. */
static void put_words(FILE *to)
{
    static const char *const words[][2] = {
        {"unit", "a part of a job that is computed and stored at once: some ciphertexts, or a block of rows"},
        {"units found", "units that an earlier run had left, and that were not computed again"},
        {"may wrap", "values may have left the range that they were encrypted for; then they are wrong"},
        {"noise budget", "bits that further computing may use up; a result without any is not decrypted right"},
        {"precision", "bits behind the point that are right"},
        {"proven", "holds always; assumed: holds under an assumption; expected: what is likely"},
        {"drawn",
         "holds for all but 2^-64 of ciphertexts, where nobody made them up; likely: for all but one in millions"},
        {"limbs", "primes that ciphertexts are stored modulo; products take some away"},
        {"depth", "products of ciphertexts one after another"},
        {"arrange", "to bring numbers into the order in which they are computed with"},
        {"critical path", "how long the loop waited for each kind of work"},
        {"totals", "sums over rows that are made when the loop has ended"},
        {"open", "reading keys and inputs; output: making the files of results; commit: giving them their names"},
    };
    open_fold(to, "What the words mean");
    fputs("<dl>\n", to);
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        fprintf(to, "<dt>%s</dt><dd>%s</dd>\n", words[i][0], words[i][1]);
    }
    fputs("</dl>\n", to);
    close_fold(to);
}

static void put_job(FILE *to, const json_t *job)
{
    const json_t *report = json_object_get(job, "report");
    report = json_is_object(report) ? report : NULL;
    fputs("<h2>", to);
    hb_page_value(to, json_object_get(job, "file"), HB_LOOK_PLAIN);
    fputs("</h2>\n", to);
    put_end(to, job, report);
    if (report != NULL) {
        put_warnings(to, json_object_get(report, "warnings"));
        put_what(to, report);
        put_quality(to, report);
        put_times(to, report);
        put_run(to, job, report);
        put_params(to, json_object_get(report, "params"));
        put_plan(to, report);
    }
}

static void put_page(FILE *to, const json_t *jobs)
{
    hb_versions versions;
    size_t i;
    json_t *job;
    hb_versions_get(&versions);
    fprintf(to, "%s%s<h1>hebatch report</h1>\n", mark, head);
    json_array_foreach(jobs, i, job)
    {
        put_job(to, job);
    }
    put_words(to);
    fprintf(to, "<p>made by hebatch %s</p>\n</body>\n</html>\n", versions.program);
}

/* Refuses the name of a file that is no page. */
static hb_status probe(const char *path)
{
    char begin[sizeof mark] = "";
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 && errno == ENOENT) {
        return HB_OK;
    }
    const ssize_t bytes = fd >= 0 ? read(fd, begin, sizeof mark - 1) : -1;
    if (fd >= 0) {
        close(fd);
    }
    return bytes == (ssize_t)sizeof mark - 1 && memcmp(begin, mark, sizeof mark - 1) == 0
               ? HB_OK
               : HB_FAIL(HB_ECREATE, "%s: exists and is no page of hebatch", path);
}

hb_status hb_page_write(const json_t *jobs, const char *path)
{
    char *text = NULL;
    size_t bytes = 0;
    hb_status st = HB_OK;
    HB_TRY(probe(path));
    FILE *to = open_memstream(&text, &bytes);
    if (to == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the page %s", path);
    }
    put_page(to, jobs);
    const bool failed = ferror(to) != 0;
    if (fclose(to) != 0 || failed) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "no memory for the page %s", path));
    }
    st = hb_write_file(path, text, bytes, 0644, true);
done:
    free(text);
    return st;
}
