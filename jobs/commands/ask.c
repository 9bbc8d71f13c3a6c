/* hebatch ask: a question about tables, from their files to its answer, by the commands that owner and server have. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ask/job.h"
#include "base/clock.h"
#include "base/seed.h"
#include "cli/console.h"
#include "cli/stop.h"
#include "commands.h"
#include "io/files/durable.h"

/* search, keys, encrypt, eval, decrypt */
enum { PHASES = 5, OTHERS = 0077 };

#define NO_MEMORY HB_FAIL(HB_ENOMEM, "no memory for a question")

/* Whether a file can be made in the folder of `path`, or in the nearest one above it that is there. */
static hb_status check_place(const char *path)
{
    char *place = strdup(path);
    struct stat info;
    hb_status st = place != NULL ? HB_OK : NO_MEMORY;
    bool there = false;
    while (st == HB_OK && !there) {
        char *folder = NULL;
        st = hb_folder_of(place, &folder);
        free(place);
        place = folder;
        there = st == HB_OK && stat(place, &info) == 0;
        st = st == HB_OK && !there && errno != ENOENT && errno != ENOTDIR
                 ? HB_FAIL(HB_ECREATE, "%s: cannot be made: %s: %s", path, place, strerror(errno))
                 : st;
    }
    if (st == HB_OK && (!S_ISDIR(info.st_mode) || access(place, W_OK | X_OK) != 0)) {
        st = HB_FAIL(HB_ECREATE, "%s: cannot be made: %s %s", path, place,
                     S_ISDIR(info.st_mode) ? "may not be written to" : "is no folder");
    }
    free(place);
    return st;
}

/* Whether the folder of a job can be used, or made: only its owner may enter it. */
static hb_status check_folder(const char *dir)
{
    struct stat info;
    if (stat(dir, &info) != 0) {
        return errno == ENOENT || errno == ENOTDIR ? check_place(dir)
                                                   : HB_FAIL(HB_ECREATE, "%s: %s", dir, strerror(errno));
    }
    if (!S_ISDIR(info.st_mode)) {
        return HB_FAIL(HB_ECREATE, "%s: cannot make this folder: something else has its name", dir);
    }
    if ((info.st_mode & OTHERS) != 0) {
        return HB_FAIL(HB_ECREATE, "%s: others may enter this folder, where the secret key goes: chmod 700 %s", dir,
                       dir);
    }
    return access(dir, R_OK | W_OK | X_OK) == 0 ? HB_OK : HB_FAIL(HB_ECREATE, "%s: it may not be written to", dir);
}

/* The file of the answer is a new one, whose folder is there. */
static hb_status check_out(const char *out)
{
    struct stat info;
    char *folder = NULL;
    if (lstat(out, &info) == 0) {
        return HB_FAIL(HB_ECREATE, "%s is there already: give --out another name, or move that file away", out);
    }
    HB_TRY(hb_folder_of(out, &folder));
    const bool there = stat(folder, &info) == 0;
    const hb_status st = there ? check_place(out) : HB_FAIL(HB_ECREATE, "%s: the folder %s is not there", out, folder);
    free(folder);
    return st;
}

/* Whether a program is in one of the folders of PATH. */
static bool has_program(const char *name)
{
    const char *at = getenv("PATH");
    bool found = false;
    while (at != NULL && *at != '\0' && !found) {
        const size_t length = strcspn(at, ":");
        char *path = NULL;
        found = asprintf(&path, "%.*s/%s", (int)length, at, name) >= 0 && access(path, X_OK) == 0;
        free(path);
        at += length + (at[length] == ':');
    }
    return found;
}

static hb_status check_named_keys(const char *keys)
{
    static const char *const files[] = {"public.h5", "secret.h5"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *path = NULL;
        if (asprintf(&path, "%s/%s", keys, files[i]) < 0) {
            return NO_MEMORY;
        }
        const bool there = access(path, R_OK) == 0;
        const int error = errno;
        free(path);
        if (!there) {
            return HB_FAIL(HB_ENOINPUT, "--keys %s: cannot open %s: %s", keys, files[i], strerror(error));
        }
    }
    return HB_OK;
}

/* Refuses options that would have no effect. */
static hb_status refuse_without_effect(const hb_ask_options *options)
{
    for (size_t i = 0; i < options->searches && options->keys != NULL; i++) {
        const hb_option *row = &options->search[i];
        if (strcmp(row->name, "security") == 0 && *(const char *const *)row->value != NULL) {
            return HB_FAIL(HB_EUSAGE, "--security is for new keys: those of --keys %s are used as they are",
                           options->keys);
        }
    }
    if (options->keys != NULL && options->seal) {
        return HB_FAIL(HB_EUSAGE, "--seal is for new keys: hebatch passphrase seals those of --keys %s", options->keys);
    }
    if (options->dry_run && options->stay != HB_ASKED_STAY_ALL) {
        return HB_FAIL(HB_EUSAGE, "--leave says what stays of a question: --dry-run makes nothing");
    }
    return options->rows_match && options->table_count == 1
               ? HB_FAIL(HB_EUSAGE, "--rows-match is about the rows of several tables, and there is one")
               : HB_OK;
}

/* Refuses, before anything else, options that cannot be followed. */
static hb_status check_options(const hb_ask_options *options)
{
    HB_TRY(refuse_without_effect(options));
    HB_TRY(check_folder(options->dir));
    if (options->out != NULL) {
        HB_TRY(check_out(options->out));
    }
    if (options->keys != NULL) {
        HB_TRY(check_named_keys(options->keys));
    }
    return options->ranks == 1 || has_program("mpirun")
               ? HB_OK
               : HB_FAIL(HB_EUNAVAILABLE, "--ranks: mpirun is not found; leave out --ranks, or load the module of MPI");
}

static hb_status compute(hb_asked_job *job)
{
    const double started = hb_now();
    const hb_phase phase = {"computes without the secret key", &job->plan.eval.words, .shared = true};
    hb_phase_begin(&job->phases);
    HB_TRY(hb_phase_run(&job->phases, &phase, NULL));
    job->times.eval = hb_now() - started;
    return HB_OK;
}

static hb_status run_phases(hb_asked_job *job)
{
    HB_TRY(hb_asked_make_keys(job));
    HB_TRY(hb_asked_encrypt(job));
    HB_TRY(compute(job));
    return hb_asked_answer(job);
}

static hb_status answer(hb_asked_job *job)
{
    HB_TRY(hb_asked_take_folder(job, true));
    return hb_asked_leave(job, run_phases(job));
}

static hb_status ask(hb_asked_job *job)
{
    HB_TRY(check_options(job->options));
    HB_TRY(hb_table_words_check_round(&job->options->table));
    HB_TRY(hb_asked_take_folder(job, false));
    HB_TRY(hb_asked_search(job));
    HB_TRY(hb_asked_find_keys(job));
    if (job->options->dry_run) {
        hb_asked_say_commands(job, true);
        return HB_OK;
    }
    return answer(job);
}

static void clear(hb_asked_job *job)
{
    for (uint32_t i = 0; i < job->plan.encrypts; i++) {
        json_decref(job->origin != NULL ? job->origin[i] : NULL);
        free(job->dataset != NULL ? job->dataset[i] : NULL);
    }
    free(job->origin);
    free(job->dataset);
    free(job->there);
    hb_asked_plan_clear(&job->plan);
    hb_wipe(&job->phases.passphrase, sizeof job->phases.passphrase);
    hb_asked_reading_clear(&job->reading);
    hb_question_clear(&job->question);
    if (job->folder >= 0) {
        close(job->folder); /* with its lock */
    }
}

static hb_status run_ask(const hb_group *group, const hb_common *common, const hb_ask_options *options)
{
    hb_asked_job *job = calloc(1, sizeof *job); /* larger than a frame should be */
    if (job == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a question");
    }
    *job = (hb_asked_job){.group = group,
                          .common = common,
                          .options = options,
                          .folder = -1,
                          .phases = {.group = group,
                                     .common = common,
                                     .count = PHASES,
                                     .ranks = options->ranks,
                                     .terminal = isatty(STDERR_FILENO) == 1}};
    hb_stop_catch();
    signal(SIGUSR1, SIG_IGN); /* commands inherit it, and do not end of a question that comes too early */
    const hb_status st = ask(job);
    clear(job);
    free(job);
    return st;
}

/* Options of ask alone, then those that go to params suggest. */
enum { OWN = 10, SEARCH = 4, ROWS = OWN + SEARCH + HB_TABLE_READ_OPTIONS };

typedef struct ask_words {
    hb_ask_options ask;
    const char *noise, *security, *leave;
    uint64_t precision;
    const char *gap;
} ask_words;

static void rows_of(hb_option rows[ROWS], ask_words *w)
{
    const hb_option own[] = {
        {"dir", 0, HB_OPTION_TEXT, &w->ask.dir, "DIR",
         "where keys, encrypted tables and answers stay (default: hebatch-ask)"},
        {"keys", 0, HB_OPTION_TEXT, &w->ask.keys, "DIR", "use the keys of this folder, as they are"},
        {"out", 0, HB_OPTION_TEXT, &w->ask.out, "FILE", "the answer to a new file, as CSV; else it is printed"},
        {"seal", 0, HB_OPTION_FLAG, &w->ask.seal, NULL,
         "seal the secret key of new keys by a passphrase, from where --passphrase says or asked for"},
        {"leave", 0, HB_OPTION_TEXT, &w->leave, "WHAT",
         "what stays in DIR: all (default); tables: keys and encrypted tables; none: nothing of this question"},
        {"dry-run", 0, HB_OPTION_FLAG, &w->ask.dry_run, NULL, "print the commands of owner and server, run none"},
        {"ranks", 0, HB_OPTION_ABOVE_0, &w->ask.ranks, "N", "processes that encrypt and compute, by mpirun"},
        {"range", 0, HB_OPTION_TEXT, &w->ask.range, "COLUMN=LO..HI,..",
         "least and greatest value, PUBLIC (default: those of the table)"},
        {"rows-match", 0, HB_OPTION_FLAG, &w->ask.rows_match, NULL,
         "rows of several tables belong together, row 1 with row 1; no key is compared"},
        {"scheme", 0, HB_OPTION_TEXT, &w->ask.scheme, "NAME",
         "bfv: exact; ckks: approximate, with sigmoid, exp, division\n(default: as the question needs it)"},
        {"precision", 0, HB_OPTION_ABOVE_0, &w->precision, "BITS", "for ckks: bits behind the point that results keep"},
        {"noise", 0, HB_OPTION_TEXT, &w->noise, "BOUND", "worst (default): proven; expected: likely, cheaper"},
        {"security", 0, HB_OPTION_TEXT, &w->security, "BITS",
         "bits of security of new keys: 128 (default), 192 or 256"},
        {"gap", 0, HB_OPTION_TEXT, &w->gap, "G",
         "for ckks: comparisons are right from that far on, a share of the most\nthat sides differ by, as 2^-12 "
         "(default 2^-8)"}};
    _Static_assert(sizeof own / sizeof *own == OWN + SEARCH, "every row is there");
    memcpy(rows, own, sizeof own);
    hb_table_options(rows + OWN + SEARCH, HB_TABLE_READ_OPTIONS, &w->ask.table);
    for (size_t i = OWN + SEARCH; i < ROWS; i++) {
        if (strcmp(rows[i].name, "missing") == 0) {
            rows[i].help = "cells that are empty, NA, NaN, null: mask (default), which skips them, drop, which leaves\n"
                           "their rows out, refuse, VALUE, COLUMN=..";
        } else if (strcmp(rows[i].name, "columns") == 0) {
            rows[i].help = "the question reads none but these columns";
        }
    }
}

static hb_status parse_leave(const char *word, hb_asked_stay *stay)
{
    static const char *const words[] = {
        [HB_ASKED_STAY_ALL] = "all", [HB_ASKED_STAY_TABLES] = "tables", [HB_ASKED_STAY_NONE] = "none"};
    for (size_t i = 0; word != NULL && i < sizeof words / sizeof *words; i++) {
        if (strcmp(word, words[i]) == 0) {
            *stay = (hb_asked_stay)i;
            return HB_OK;
        }
    }
    return word == NULL ? HB_OK : HB_FAIL(HB_EUSAGE, "--leave %.40s: it is all, tables or none", word);
}

static hb_status run(hb_group *group, int argc, char **argv)
{
    ask_words w = {.ask = {.dir = "hebatch-ask", .ranks = 1}};
    hb_parsed parsed;
    hb_asked_texts kept;
    hb_option rows[ROWS];
    rows_of(rows, &w);
    const hb_usage usage = {&hb_command_ask, rows, ROWS, 2, 64, 0};
    HB_TRY(hb_options_parse(&usage, group, argc, argv, &parsed));
    if (parsed.help) {
        return HB_OK;
    }
    HB_TRY(parse_leave(w.leave, &w.ask.stay));
    w.ask.question = parsed.operands[0];
    w.ask.tables = parsed.operands + 1;
    w.ask.table_count = parsed.operand_count - 1;
    w.ask.search = rows + OWN;
    w.ask.searches = SEARCH;
    hb_status st = hb_asked_unqualify(&w.ask, &kept);
    st = st == HB_OK ? run_ask(group, &parsed.common, &w.ask) : st;
    hb_asked_texts_clear(&kept);
    return st;
}

const hb_command hb_command_ask = {
    .name = "ask",
    .arguments = "'QUESTION' TABLE ... [OPTIONS]",
    .summary = "answer a question about a table: keys, encryption, computing and decryption in one",
    .notes =
        "\nExamples:\n"
        "  hebatch ask 'groupby(condition, count(), mean(age))' patients.csv\n"
        "  hebatch ask \"count(age >= 65 and sex == 'f')\" patients.csv --out answer.csv\n"
        "  hebatch ask 'n = count(age > 80); m = mean(weight_kg)' patients.csv --na unknown\n"
        "  hebatch ask 'groupby(ages, mean(\"Height (cm)\"))' patients.csv --derive 'ages=bin(age, 0..64, 65..)'\n"
        "  hebatch ask 'groupby(ward, count())' patients.csv --fold ward   (\"icu \" and ICU are one ward)\n"
        "  hebatch ask 'b = sum(lookup(h.ward, w))' h=patients.csv w=wards.csv --dry-run\n\n"
        "Columns of a single TABLE need no name in front; several tables are NAME=FILE, and columns NAME.COLUMN, in\n"
        "options, too; an option holds for the columns of that name in all tables.\n"
        "Names of columns with blanks or signs stand in double quotes, texts in single ones.\n"
        "Texts are read as categories, decimals with the digits that they have, dates as dates, times in the largest\n"
        "unit in which all are whole. Missing cells keep their rows: count, sum, mean and the like skip the cells.\n"
        "hebatch help language lists what can be asked.",
    .ranks = false,
    .run = run};
