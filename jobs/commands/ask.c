/* hebatch ask: a question about tables, from their files to its answer, by the commands that owner and server have. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ask/job.h"
#include "base/clock.h"
#include "cli/console.h"
#include "cli/stop.h"
#include "commands.h"
#include "suggest/commands.h"

#define NO_MEMORY HB_FAIL(HB_ENOMEM, "no memory for a question")

/* search, keys, encrypt, eval, decrypt */
enum { PHASES = 5, OWNER_ONLY = 0700, OTHERS = 0077 };

static hb_status run_phase(hb_asked_job *job, const char *title, const hb_words *words)
{
    return hb_phase_run(&job->phases, &(hb_phase){title, words, true}, NULL);
}

/* Makes the folder of a job, which only its owner may enter. */
static hb_status make_folder(const char *dir)
{
    struct stat info;
    if (mkdir(dir, OWNER_ONLY) == 0) {
        return HB_OK;
    }
    if (errno != EEXIST || stat(dir, &info) != 0 || !S_ISDIR(info.st_mode)) {
        return HB_FAIL(HB_ECREATE, "%s: cannot make this folder: %s", dir,
                       errno == EEXIST || errno == 0 ? "something else has its name" : strerror(errno));
    }
    return (info.st_mode & OTHERS) == 0
               ? HB_OK
               : HB_FAIL(HB_ECREATE, "%s: others may enter this folder, where the secret key goes: chmod 700 %s", dir,
                         dir);
}

/* Reads what `info` says of the public key in a folder. */
static hb_status keys_info(hb_phases *phases, const char *keys, json_t **info)
{
    hb_words words = {0};
    char *text = NULL;
    hb_status st = hb_words_add(&words, "hebatch");
    st = st == HB_OK ? hb_words_add(&words, "info") : st;
    st = st == HB_OK ? hb_words_addf(&words, "%s/public.h5", keys) : st;
    st = st == HB_OK ? hb_words_add(&words, "--json") : st;
    st = st == HB_OK ? hb_phase_run(phases, &(hb_phase){.words = &words}, &text) : st;
    hb_words_clear(&words);
    if (st == HB_OK) {
        *info = json_loads(text != NULL ? text : "", 0, NULL);
        st = *info != NULL ? HB_OK : HB_FAIL(HB_EINTERNAL, "%s: info says nothing of this key", keys);
    }
    free(text);
    return st;
}

/* Whether two keys have the same parameters. */
static bool is_same(const json_t *a, const json_t *b)
{
    static const char *const members[] = {"n", "plain", "primes", "security", "security_table", "insecure"};
    bool same = json_is_object(a) && json_is_object(b);
    for (size_t i = 0; same && i < sizeof members / sizeof *members; i++) {
        const json_t *x = json_object_get(a, members[i]), *y = json_object_get(b, members[i]);
        same = x == y || json_equal(x, y);
    }
    return same;
}

/* A job that was stopped may leave a folder without keys. */
static bool has_key(const char *keys)
{
    char *path = NULL;
    const bool has = asprintf(&path, "%s/public.h5", keys) < 0 || access(path, F_OK) == 0;
    free(path);
    return has;
}

/* Finds the folder of keys that has these parameters, else a free name for one: keys, keys-2 and on. Files that are
 * damaged are no keys. */
static hb_status find_keys(hb_phases *phases, const char *dir, const json_t *params, char **keys, bool *there)
{
    *there = false;
    for (int i = 1; i < HB_ASKED_MOST_NUMBER; i++) {
        json_t *said = NULL;
        char number[HB_ASKED_NUMBER];
        if (asprintf(keys, "%s/keys%s", dir, hb_asked_number(i, number)) < 0) {
            return NO_MEMORY;
        }
        if (!has_key(*keys)) {
            return HB_OK;
        }
        *there = keys_info(phases, *keys, &said) == HB_OK && is_same(json_object_get(said, "params"), params);
        json_decref(said);
        if (*there) {
            return HB_OK;
        }
        hb_clear_error();
        free(*keys);
        *keys = NULL;
    }
    return HB_FAIL(HB_ECREATE, "%s: too many folders of keys", dir);
}

/* Takes the id of keys that are there. */
static hb_status read_id(hb_asked_job *job, const char *keys)
{
    json_t *info = NULL;
    hb_status st = keys_info(&job->phases, keys, &info);
    const char *text = json_string_value(json_object_get(info, "key_id"));
    snprintf(job->key_id, sizeof job->key_id, "%s", text != NULL ? text : "");
    json_decref(info);
    return st;
}

/* Where keys, datasets and results are, or will be. */
static hb_status place(hb_asked_job *job)
{
    const hb_ask_options *options = job->options;
    char *keys = NULL;
    hb_status st;
    if (options->keys != NULL) {
        keys = strdup(options->keys);
        job->keys_there = true;
        HB_GOTO(keys != NULL ? HB_OK : NO_MEMORY);
    } else {
        const json_t *params = json_object_get(job->plan.suggested, "params");
        HB_GOTO(find_keys(&job->phases, options->dir, params, &keys, &job->keys_there));
    }
    HB_GOTO(job->keys_there ? read_id(job, keys) : HB_OK);
    st = hb_asked_place(job, keys);
done:
    free(keys);
    return st;
}

/* Keys that are there may lack some for this question: `keygen --key` adds them. Those of a folder that the user named
 * are left as they are. */
static hb_status make_keys(hb_asked_job *job)
{
    const double started = hb_now();
    const hb_words *keygen = &job->plan.keygen.words;
    hb_words more = {0};
    hb_status st = HB_OK;
    if (!job->keys_there) {
        st = run_phase(job, "makes keys", keygen);
    } else if (job->options->keys == NULL) {
        HB_GOTO(hb_words_add(&more, "hebatch"));
        HB_GOTO(hb_words_add(&more, "keygen"));
        HB_GOTO(hb_words_add(&more, "--key"));
        HB_GOTO(hb_words_addf(&more, "%s/secret.h5", job->plan.keygen.output));
        size_t i = 0;
        while (i < keygen->count && strcmp(keygen->word[i], "--out") != 0) {
            i++;
        }
        bool any = false;
        for (i += 2; i < keygen->count; i++) {
            any = true;
            HB_GOTO(hb_words_add(&more, keygen->word[i]));
        }
        job->phases.now += any ? 0 : 1;
        st = any ? run_phase(job, "adds keys to those that are there", &more) : HB_OK;
    } else {
        job->phases.now++;
    }
    st = st == HB_OK && !job->keys_there ? read_id(job, job->plan.keygen.output) : st;
done:
    hb_words_clear(&more);
    job->times.keys = hb_now() - started;
    return st;
}

static hb_status compute(hb_asked_job *job)
{
    const double started = hb_now();
    HB_TRY(run_phase(job, "computes without the secret key", &job->plan.eval.words));
    job->times.eval = hb_now() - started;
    return HB_OK;
}

/* Bytes of a file, or of the files of a folder. */
static double bytes_of(const char *path)
{
    struct stat info;
    double bytes = 0;
    DIR *folder = NULL;
    if (stat(path, &info) != 0) {
        return 0;
    }
    if (!S_ISDIR(info.st_mode) || (folder = opendir(path)) == NULL) {
        return (double)info.st_size;
    }
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (fstatat(dirfd(folder), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode)) {
            bytes += (double)info.st_size;
        }
    }
    closedir(folder);
    return bytes;
}

/* Bytes of the encrypted tables, as far as they are to be made. */
static double table_bytes(const hb_asked_job *job)
{
    const json_t *s = job->plan.suggested, *params = json_object_get(s, "params");
    const double slots = (double)json_integer_value(json_object_get(params, "n")) / (job->reals ? 2 : 1);
    const double rows = (double)json_integer_value(json_object_get(s, "rows"));
    const double each = (double)json_integer_value(json_object_get(s, "ciphertext_bytes_public"));
    const json_t *plain = json_object_get(params, "plain");
    const double residues = json_is_array(plain) ? (double)json_array_size(plain) : 1;
    uint64_t columns = 0;
    for (uint32_t i = 0; i < job->question.tables; i++) {
        const hb_asked_table *table = &job->question.table[i];
        for (uint64_t c = 0; !table->plain && c < table->survey.columns; c++) {
            columns += hb_asked_is_read(table, c);
        }
    }
    const double full = rows / (slots > 0 ? slots : 1);
    const double blocks = (double)(uint64_t)full + (full > (double)(uint64_t)full);
    return blocks * (double)columns * each * residues;
}

static void say_estimate(const hb_asked_job *job)
{
    const json_t *s = job->plan.suggested;
    const double key_bytes = (double)json_integer_value(json_object_get(s, "key_bytes"));
    const uint64_t rows = (uint64_t)json_integer_value(json_object_get(s, "rows"));
    /* Making a key costs about what writing it does; a run opens its files, and warms up. */
    const double key_rate = 40e6, least = 1;
    const double seconds = json_number_value(json_object_get(s, "seconds")) / (double)job->options->ranks +
                           (job->keys_there ? 0 : key_bytes / key_rate) + 2 * key_bytes / (4 * key_rate) + least;
    char keys[96] = "keys are there";
    if (!job->keys_there) {
        snprintf(keys, sizeof keys, "keys %s", hb_human_bytes(key_bytes).text);
    }
    hb_console_log(job->group, job->common, "about %s for your %s; %s, encrypted table %s",
                   hb_human_seconds(seconds).text, hb_human_things(rows, "row").text, keys,
                   hb_human_bytes(table_bytes(job)).text);
}

/* Writes words as a line for a shell, without its end. Questions have texts in single quotes: double ones around them
 * need no backslash, which the log would double. */
static void print_words(const hb_words *words, FILE *to)
{
    for (size_t i = 0; i < words->count; i++) {
        const char *word = words->word[i];
        fputs(i > 0 ? " " : "", to);
        if (strchr(word, '\'') != NULL && strpbrk(word, "\"$`\\!") == NULL) {
            fprintf(to, "\"%s\"", word);
        } else {
            hb_shell_word(to, word);
        }
    }
}

/* One line for a shell, or a remark that it passes over. */
static void print_line(const hb_asked_job *job, bool results, const hb_words *words, const char *remark)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (to == NULL) {
        return;
    }
    fputs(remark != NULL ? "# " : "", to);
    fputs(remark != NULL ? remark : "", to);
    if (words != NULL && job->options->ranks > 1 && strcmp(words->word[0], "hebatch") == 0) {
        fprintf(to, "mpirun -n %" PRIu64 " ", job->options->ranks);
    }
    if (words != NULL) {
        print_words(words, to);
    }
    if (fclose(to) == 0 && results) {
        hb_console_copy(job->group, job->common, text);
    } else if (text != NULL) {
        hb_console_log(job->group, job->common, "  %s", text);
    }
    free(text);
}

static void print_folder(const hb_asked_job *job, bool results)
{
    hb_words words = {0};
    if (results && hb_words_add(&words, "mkdir") == HB_OK && hb_words_add(&words, "-p") == HB_OK &&
        hb_words_add(&words, "-m") == HB_OK && hb_words_add(&words, "700") == HB_OK &&
        hb_words_add(&words, job->options->dir) == HB_OK) {
        print_line(job, true, &words, NULL);
    }
    hb_words_clear(&words);
}

static void print_commands(const hb_asked_job *job, bool results)
{
    const hb_asked_plan *plan = &job->plan;
    print_line(job, results, NULL, "the owner of the table:");
    print_folder(job, results);
    if (!job->keys_there) {
        print_line(job, results, &plan->keygen.words, NULL);
    }
    for (uint32_t i = 0; i < plan->encrypts; i++) {
        if (!results || !job->there[i]) {
            print_line(job, results, &plan->encrypt[i].words, NULL);
        }
    }
    print_line(job, results, NULL, "the server, which gets the encrypted table, and all keys but secret.h5:");
    print_line(job, results, &plan->eval.words, NULL);
    print_line(job, results, NULL, "the owner, who gets the encrypted answer:");
    for (uint32_t i = 0; i < plan->decrypts; i++) {
        print_line(job, results, &plan->decrypt[i].words, NULL);
    }
}

static void say_place(const hb_asked_job *job, const char *path, const char *what)
{
    hb_console_log(job->group, job->common, "  %-28s %10s  %s", path, hb_human_bytes(bytes_of(path)).text, what);
}

static void say_end(const hb_asked_job *job)
{
    const hb_asked_times *t = &job->times;
    const hb_asked_plan *plan = &job->plan;
    const double all = t->search + t->keys + t->encrypt + t->eval + t->decrypt;
    hb_console_log(job->group, job->common, "took %s: search %s, keys %s, encrypting %s, computing %s, decrypting %s",
                   hb_human_seconds(all).text, hb_human_seconds(t->search).text, hb_human_seconds(t->keys).text,
                   hb_human_seconds(t->encrypt).text, hb_human_seconds(t->eval).text,
                   hb_human_seconds(t->decrypt).text);
    hb_console_log(job->group, job->common, "these stay, for the next question too:");
    say_place(job, plan->keygen.output, "the keys; secret.h5 is yours alone: it opens everything");
    for (uint32_t i = 0; i < plan->encrypts; i++) {
        say_place(job, plan->encrypt[i].output, "the encrypted table");
    }
    for (uint32_t i = 0; i < plan->decrypts; i++) {
        say_place(job, plan->decrypt[i].output, "the answer, readable");
    }
    hb_console_log(job->group, job->common, "the same in separate steps:");
    print_commands(job, false);
}
static hb_status answer(hb_asked_job *job)
{
    HB_TRY(make_folder(job->options->dir));
    say_estimate(job);
    HB_TRY(make_keys(job));
    HB_TRY(hb_asked_encrypt(job));
    HB_TRY(compute(job));
    HB_TRY(hb_asked_answer(job));
    say_end(job);
    return HB_OK;
}

static hb_status ask(hb_asked_job *job)
{
    HB_TRY(hb_asked_search(job));
    HB_TRY(place(job));
    if (job->options->dry_run) {
        say_estimate(job);
        print_commands(job, true);
        return HB_OK;
    }
    return answer(job);
}

/* Says what stays of a job that did not end well. */
static hb_status told(const hb_asked_job *job, hb_status st)
{
    const hb_error cause = *hb_last_error();
    if (st == HB_OK || job->phases.now < 2 || job->options->dry_run) {
        return st;
    }
    static const char *const done[] = {"",
                                       "",
                                       "nothing is there yet",
                                       "the keys are there",
                                       "keys and encrypted table stay",
                                       "keys, encrypted table and encrypted answer stay"};
    return HB_FAIL(st, "%.400s%s%s", cause.text, job->phases.now <= PHASES ? "; " : "",
                   job->phases.now <= PHASES ? done[job->phases.now] : "");
}

static void clear(hb_asked_job *job)
{
    hb_asked_reading *reading = &job->reading;
    for (uint32_t i = 0; i < job->plan.encrypts; i++) {
        json_decref(job->origin != NULL ? job->origin[i] : NULL);
        free(job->dataset != NULL ? job->dataset[i] : NULL);
    }
    free(job->origin);
    free(job->dataset);
    free(job->there);
    hb_asked_plan_clear(&job->plan);
    free(reading->scale);
    free(reading->missing);
    free(reading->na);
    free(reading->percent);
    for (uint32_t i = 0; i < reading->categories; i++) {
        free(reading->category[i]);
    }
    hb_question_clear(&job->question);
}

static hb_status run_ask(const hb_group *group, const hb_common *common, const hb_ask_options *options)
{
    hb_asked_job job = {.group = group,
                        .common = common,
                        .options = options,
                        .phases = {.group = group,
                                   .common = common,
                                   .count = PHASES,
                                   .ranks = options->ranks,
                                   .terminal = isatty(STDERR_FILENO) == 1}};
    hb_stop_catch();
    signal(SIGUSR1, SIG_IGN); /* commands inherit it, and do not end of a question that comes too early */
    const hb_status st = told(&job, ask(&job));
    clear(&job);
    return st;
}

/* Options of ask alone, then those that go to params suggest. */
enum { OWN = 7, SEARCH = 4, ROWS = OWN + SEARCH + HB_TABLE_COLUMN_OPTIONS };

typedef struct ask_words {
    hb_ask_options ask;
    const char *noise, *security;
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
        {"dry-run", 0, HB_OPTION_FLAG, &w->ask.dry_run, NULL, "print the commands of owner and server, run none"},
        {"ranks", 0, HB_OPTION_ABOVE_0, &w->ask.ranks, "N", "processes that encrypt and compute, by mpirun"},
        {"range", 0, HB_OPTION_TEXT, &w->ask.range, "COLUMN=LO..HI,..",
         "least and greatest value, PUBLIC (default: those of the table)"},
        {"scheme", 0, HB_OPTION_TEXT, &w->ask.scheme, "NAME",
         "bfv: exact; ckks: approximate, with sigmoid, exp, division\n(default: as the question needs it)"},
        {"precision", 0, HB_OPTION_ABOVE_0, &w->precision, "BITS", "for ckks: bits behind the point that results keep"},
        {"noise", 0, HB_OPTION_TEXT, &w->noise, "BOUND", "worst, proven (default), or expected: cheaper"},
        {"security", 0, HB_OPTION_TEXT, &w->security, "BITS", "128 (default), 192 or 256"},
        {"gap", 0, HB_OPTION_TEXT, &w->gap, "G", "for ckks: how near to each other values are still compared"}};
    _Static_assert(sizeof own / sizeof *own == OWN + SEARCH, "every row is there");
    memcpy(rows, own, sizeof own);
    hb_table_options(rows + OWN + SEARCH, HB_TABLE_COLUMN_OPTIONS, &w->ask.table);
}

static hb_status run(hb_group *group, int argc, char **argv)
{
    ask_words w = {.ask = {.dir = "hebatch-ask", .ranks = 1}};
    hb_parsed parsed;
    hb_option rows[ROWS];
    rows_of(rows, &w);
    const hb_usage usage = {&hb_command_ask, rows, ROWS, 2, 64, 0};
    HB_TRY(hb_options_parse(&usage, group, argc, argv, &parsed));
    if (parsed.help) {
        return HB_OK;
    }
    w.ask.question = parsed.operands[0];
    w.ask.tables = parsed.operands + 1;
    w.ask.table_count = parsed.operand_count - 1;
    w.ask.search = rows + OWN;
    w.ask.searches = SEARCH;
    return run_ask(group, &parsed.common, &w.ask);
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
        "  hebatch ask 'b = sum(lookup(h.ward, w))' h=patients.csv w=wards.csv --dry-run\n\n"
        "Columns of a single TABLE need no name in front; several tables are NAME=FILE, and columns NAME.COLUMN.\n"
        "Texts are read as categories, decimals with the digits that they have, dates as dates. Missing cells keep\n"
        "their rows: count, sum, mean and the like skip the cells. hebatch help language lists what can be asked.",
    .ranks = false,
    .run = run};
