#include "page.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cells.h"
#include "charts.h"
#include "io/files/durable.h"
#include "machine/versions.h"

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

/* What every page begins with, by which one is known. */
static const char mark[] = "<!doctype html>\n<html lang=\"en\" class=\"hebatch-page\">\n";

/* Light and dark; nothing is loaded, and no script would run. */
static const char head[] =
    "<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" "
    "content=\"light dark\">\n<title>hebatch: jobs</title>\n<style>\n"
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
    ".number{text-align:right;font-variant-numeric:tabular-nums}.ranks{width:100%}.ranks "
    "td{white-space:nowrap}.bars{width:45%}\n"
    "svg.bar{display:block;width:100%;height:1.3rem;background:var(--soft)}svg.curve{width:100%}"
    ".curve line{stroke:var(--line)}.curve text{fill:var(--quiet);font-size:13px}.curve polyline{fill:none;"
    "stroke-width:2}.l0{stroke:var(--0)}.l1{stroke:var(--1)}.b0{background:var(--0)}.b1{background:var(--1)}\n"
    ".legend{list-style:none;padding:0;margin:.4rem 0;display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;font-size:.9rem}"
    ".legend i{display:inline-block;width:.8rem;height:.8rem;margin-right:.35rem;border-radius:2px}\n"
    "rect.c0{fill:var(--0)}rect.c1{fill:var(--1)}rect.c2{fill:var(--2)}rect.c3{fill:var(--3)}rect.c4{fill:var(--4)}"
    "rect.c5{fill:var(--5)}rect.c6{fill:var(--6)}rect.c7{fill:var(--7)}rect.c8{fill:var(--8)}\n"
    "i.c0{background:var(--0)}i.c1{background:var(--1)}i.c2{background:var(--2)}i.c3{background:var(--3)}"
    "i.c4{background:var(--4)}i.c5{background:var(--5)}i.c6{background:var(--6)}i.c7{background:var(--7)}"
    "i.c8{background:var(--8)}\n"
    ".bad{color:var(--bad)}.good{color:var(--good)}.warnings{border-left:3px solid var(--1);padding-left:.8rem}\n"
    "</style>\n</head>\n<body>\n";

/* Where results of comparisons are none of 0 and 1. */
static void put_gap(FILE *to, const json_t *gap)
{
    if (json_number_value(gap) > 0) {
        fputs("<p>Comparisons: values within ", to);
        hb_page_value(to, gap, HB_LOOK_ERROR);
        fputs(" of a threshold of a comparison may count as a part.</p>\n", to);
    }
}

/* How it ended, or how far it is. */
static void put_end(FILE *to, const json_t *job, const json_t *report)
{
    static const hb_page_cell state[] = {
        {"state", "state", HB_LOOK_PLAIN},   {"begun", "begun", HB_LOOK_PLAIN},
        {"units", "units", HB_LOOK_PLAIN},   {"units_stored", "units stored", HB_LOOK_PLAIN},
        {"shards", "shards", HB_LOOK_PLAIN}, {"passes_done", "passes done", HB_LOOK_PLAIN},
        {"sums", "sums", HB_LOOK_PLAIN}};
    static const hb_page_cell end[] = {
        {"command", "command", HB_LOOK_CODE},     {"started", "started", HB_LOOK_PLAIN},
        {"seconds", "took", HB_LOOK_SECONDS},     {"exit_code", "exit code", HB_LOOK_PLAIN},
        {"host", "host", HB_LOOK_PLAIN},          {"ranks", "ranks", HB_LOOK_PLAIN},
        {"slurm", "job of Slurm", HB_LOOK_PLAIN}, {"peak_host_bytes", "memory of the largest rank", HB_LOOK_BYTES},
        {"version", "version", HB_LOOK_PLAIN}};
    const char *reason = json_string_value(json_object_get(report, "reason"));
    const bool dataset = json_is_integer(json_object_get(job, "units")); /* else its state is all that there is */
    hb_page_facts(to, job, state, dataset ? COUNT_OF(state) : 1);
    put_gap(to, json_object_get(job, "threshold_gap"));
    if (report == NULL) {
        fputs("<p>No run has left a report yet.</p>\n", to);
        return;
    }
    fputs("<h3>The last run that left a report</h3>\n", to);
    if (reason != NULL && reason[0] != '\0') {
        fputs("<p class=\"bad\">", to);
        hb_page_text(to, reason);
        fputs("</p>\n", to);
    }
    hb_page_facts(to, report, end, COUNT_OF(end));
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

/* What was computed, of what, with which parameters. */
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
                                        {"key_id", "key id", HB_LOOK_CODE},
                                        {"sum", "sum", HB_LOOK_CODE},
                                        {"units", "units", HB_LOOK_PLAIN},
                                        {"share", "shared", HB_LOOK_PLAIN}};
    static const hb_page_cell table[] = {{"name", "name", HB_LOOK_CODE},
                                         {"file", "file", HB_LOOK_CODE},
                                         {"rows", "rows", HB_LOOK_PLAIN},
                                         {"columns", "columns", HB_LOOK_PLAIN},
                                         {"encrypted", "encrypted", HB_LOOK_PLAIN},
                                         {"ciphertexts", "ciphertexts", HB_LOOK_PLAIN},
                                         {"limbs", "limbs", HB_LOOK_PLAIN},
                                         {"units", "units", HB_LOOK_PLAIN},
                                         {"there", "units found", HB_LOOK_PLAIN},
                                         {"may_wrap", "may wrap", HB_LOOK_PLAIN},
                                         {"sum", "sum", HB_LOOK_CODE}};
    static const hb_page_cell column[] = {{"name", "name", HB_LOOK_CODE},
                                          {"signed", "signed", HB_LOOK_PLAIN},
                                          {"values", "values", HB_LOOK_PLAIN},
                                          {"may_wrap", "may wrap", HB_LOOK_PLAIN}};
    fputs("<h3>What it was</h3>\n", to);
    hb_page_facts(to, report, what, COUNT_OF(what));
    hb_page_table(to, "Inputs", json_object_get(report, "inputs"), table, COUNT_OF(table));
    hb_page_table(to, "Outputs", json_object_get(report, "outputs"), table, COUNT_OF(table));
    hb_page_table(to, "Columns", json_object_get(report, "column"), column, COUNT_OF(column));
}

static void put_params(FILE *to, const json_t *params)
{
    static const hb_page_cell cells[] = {{"name", "name", HB_LOOK_CODE},
                                         {"n", "ring degree", HB_LOOK_PLAIN},
                                         {"plain", "plain modulus", HB_LOOK_PLAIN},
                                         {"scale_bits", "bits of the scale", HB_LOOK_PLAIN},
                                         {"bits", "bits of the primes", HB_LOOK_PLAIN},
                                         {"special_primes", "special primes", HB_LOOK_PLAIN},
                                         {"digit_primes", "primes of a digit", HB_LOOK_PLAIN},
                                         {"security", "bits of security", HB_LOOK_PLAIN},
                                         {"security_table", "by the table of", HB_LOOK_PLAIN},
                                         {"security_model", "against", HB_LOOK_PLAIN}};
    if (!json_is_object(params)) {
        return;
    }
    fputs("<h3>Parameters</h3>\n", to);
    if (json_is_true(json_object_get(params, "insecure"))) {
        fputs("<p class=\"bad\">INSECURE: above the security table</p>\n", to);
    }
    hb_page_facts(to, params, cells, COUNT_OF(cells));
}

static void put_times(FILE *to, const json_t *report)
{
    static const hb_page_cell loop_cells[] = {{"units", "units", HB_LOOK_PLAIN},
                                              {"readers", "threads that read", HB_LOOK_PLAIN},
                                              {"queues", "that compute", HB_LOOK_PLAIN},
                                              {"writers", "that write", HB_LOOK_PLAIN},
                                              {"limited_by", "limited by", HB_LOOK_PLAIN}};
    const json_t *times = json_object_get(report, "times"), *loop = json_object_get(times, "loop");
    hb_page_seconds(to, "Phases, as rank 0 saw them", json_object_get(times, "phases"));
    hb_page_seconds(to, "The loop over units: the critical path of the rank that took longest",
                    json_object_get(loop, "critical"));
    hb_page_facts(to, loop, loop_cells, COUNT_OF(loop_cells));
    hb_page_ranks(to, json_object_get(report, "by_rank"));
}

/* Bits of BFV and of CKKS stand under names of their own; of a decryption they are one object. */
static void put_quality(FILE *to, const json_t *report)
{
    static const struct {
        const char *member, *title, *steps;
    } words[] = {{"noise_budget_bits", "Noise budget in bits", "Noise budget in bits, by step of the plan"},
                 {"precision_bits", "Bits of precision", "Bits of precision, by step of the plan"}};
    static const hb_page_cell cells[] = {
        {"operation", "operation", HB_LOOK_PLAIN},  {"node", "of", HB_LOOK_CODE},
        {"limbs", "limbs", HB_LOOK_PLAIN},          {"depth", "depth", HB_LOOK_PLAIN},
        {"values", "values", HB_LOOK_PLAIN},        {"proven", "proven", HB_LOOK_BITS},
        {"assumed", "assumed", HB_LOOK_BITS},       {"expected", "expected", HB_LOOK_BITS},
        {"iterations", "iterations", HB_LOOK_PLAIN}};
    static const hb_page_cell measured[] = {{"least", "least", HB_LOOK_BITS},
                                            {"mean", "mean", HB_LOOK_BITS},
                                            {"proven", "proven", HB_LOOK_BITS},
                                            {"assumed", "assumed", HB_LOOK_BITS},
                                            {"expected", "expected", HB_LOOK_BITS}};
    const json_t *steps = json_object_get(report, "steps");
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        const json_t *quality = json_object_get(report, words[i].member);
        if (json_is_object(quality)) {
            fprintf(to, "<h3>%s, measured</h3>\n", words[i].title);
            hb_page_facts(to, quality, measured, COUNT_OF(measured));
        } else if (quality != NULL) {
            hb_page_table(to, words[i].title, quality, cells, COUNT_OF(cells));
            hb_page_steps(to, words[i].steps, steps);
            hb_page_table(to, "Steps of the plan", steps, cells, COUNT_OF(cells));
        }
    }
}

static void put_plan(FILE *to, const json_t *report)
{
    static const hb_page_cell bootstraps[] = {{"node", "of", HB_LOOK_CODE},
                                              {"values", "values", HB_LOOK_PLAIN},
                                              {"limbs", "limbs", HB_LOOK_PLAIN},
                                              {"proven", "proven", HB_LOOK_BITS},
                                              {"expected", "expected", HB_LOOK_BITS}};
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
    fputs("<h3>Plan and machine</h3>\n", to);
    hb_page_facts(to, report, whole, COUNT_OF(whole));
    hb_page_facts(to, json_object_get(report, "limbs"), patterns, COUNT_OF(patterns));
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
        put_params(to, json_object_get(report, "params"));
        put_times(to, report);
        put_quality(to, report);
        put_plan(to, report);
    }
}

static void put_page(FILE *to, const json_t *jobs)
{
    hb_versions versions;
    size_t i;
    json_t *job;
    hb_versions_get(&versions);
    fprintf(to, "%s%s<h1>Jobs of hebatch</h1>\n", mark, head);
    json_array_foreach(jobs, i, job)
    {
        put_job(to, job);
    }
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
