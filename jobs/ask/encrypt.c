/* The encrypted tables of a job: which are there from earlier questions, and which are made. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/seed.h"
#include "cli/console.h"
#include "cli/parse.h"
#include "cli/report.h"
#include "io/files/durable.h"
#include "io/table/table.h"
#include "job.h"
#include "table/meaning.h"

#define NO_MEMORY HB_FAIL(HB_ENOMEM, "no memory for what is kept")

/* Adds the bytes of a file, and how many there are. */
static hb_status add_file(hb_digest_state *state, const char *path)
{
    enum { STEP = 1 << 20 };
    uint64_t total = 0;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    uint8_t *data = malloc(STEP);
    hb_status st = fd < 0         ? HB_FAIL(HB_ENOINPUT, "%s: cannot open: %s", path, strerror(errno))
                   : data == NULL ? NO_MEMORY
                                  : HB_OK;
    ssize_t got = 1;
    while (st == HB_OK && got != 0) {
        got = read(fd, data, STEP);
        if (got < 0 && errno != EINTR) {
            st = HB_FAIL(HB_EIO, "%s: cannot read: %s", path, strerror(errno));
        }
        hb_digest_add(state, data, got > 0 ? (size_t)got : 0);
        total += got > 0 ? (uint64_t)got : 0;
    }
    hb_digest_add_u64(state, total);
    if (data != NULL) {
        hb_wipe(data, STEP); /* plaintext */
    }
    free(data);
    if (fd >= 0) {
        close(fd);
    }
    return st;
}

/* The digest of all files of a table. */
static hb_status digest_table(const char *table, char hex[2 * HB_DIGEST_BYTES + 1])
{
    hb_table_names names;
    hb_digest_state state;
    uint8_t digest[HB_DIGEST_BYTES];
    HB_TRY(hb_table_names_find(hb_table_list_of(&table), &names));
    hb_status st = HB_OK;
    hb_digest_begin(&state, "hebatch ask");
    for (size_t i = 0; i < names.count && st == HB_OK; i++) {
        char *file = NULL, *dataset = NULL;
        st = hb_table_name_split(names.name[i], &file, &dataset);
        st = st == HB_OK ? add_file(&state, file) : st;
        free(file);
        free(dataset);
    }
    hb_digest_end(&state, digest);
    hb_hex(hex, digest, sizeof digest);
    hb_table_names_clear(&names);
    return st;
}

/* Says what a dataset is made from: the bytes of the table, the words of its command but the places, and the key. */
static hb_status find_origin(const hb_words *encrypt, const char *key_id, json_t **from)
{
    char digest[2 * HB_DIGEST_BYTES + 1];
    HB_TRY(digest_table(encrypt->word[HB_ENCRYPT_TABLE], digest));
    json_t *words = json_array();
    bool enough = words != NULL;
    for (size_t i = HB_ENCRYPT_OUT + 1; enough && i < encrypt->count; i++) {
        enough = json_array_append_new(words, hb_report_text(encrypt->word[i])) == 0;
    }
    *from = enough ? json_pack("{s:s, s:s, s:O}", "digest", digest, "key_id", key_id, "options", words) : NULL;
    json_decref(words);
    return *from != NULL ? HB_OK : NO_MEMORY;
}

/* The name of a table's file without its folder and its endings. */
static char *stem_of(const char *table)
{
    const char *slash = strstr(table, ":/") == NULL ? strrchr(table, '/') : NULL,
               *from = slash != NULL ? slash + 1 : table;
    char *stem = strndup(from, strcspn(from, ".:*?["));
    for (char *at = stem; at != NULL && *at != '\0'; at++) {
        *at = *at == '/' || *at == '\n' ? '_' : *at;
    }
    if (stem != NULL && stem[0] == '\0') {
        free(stem);
        stem = strdup("table");
    }
    return stem;
}

/* Finds the dataset that was made from this, else a free name for one: that of the table, and on with -2. */
static hb_status find_dataset(const hb_ask_options *options, const char *table, const json_t *from, char **path,
                              bool *there)
{
    const char *dir = options->dir;
    const bool dry = options->dry_run;
    char *stem = stem_of(table);
    hb_status st = stem != NULL ? HB_OK : NO_MEMORY;
    *there = false;
    for (int i = 1; i < HB_ASKED_MOST_NUMBER && st == HB_OK; i++) {
        struct stat info;
        char number[HB_ASKED_NUMBER];
        st = asprintf(path, "%s/%s%s.heb", dir, stem, hb_asked_number(i, number)) >= 0 ? HB_OK : NO_MEMORY;
        if (st != HB_OK || (lstat(*path, &info) != 0 && (dry || hb_asked_discard(*path)))) {
            break;
        }
        json_t *said = hb_report_beside(*path, HB_ASKED_FROM, NULL);
        *there = said != NULL && json_equal(said, from);
        json_decref(said);
        if (*there) {
            break;
        }
        free(*path);
        *path = NULL;
    }
    free(stem);
    return st == HB_OK && *path == NULL ? HB_FAIL(HB_ECREATE, "%s: too many encrypted tables of one name", dir) : st;
}

/* Notes beside a dataset what it was made from. */
static hb_status note_origin(const char *path, const json_t *from)
{
    char *text = hb_report_dump(from), *name = NULL;
    hb_status st = text != NULL && asprintf(&name, "%s" HB_ASKED_FROM, path) >= 0 ? HB_OK : NO_MEMORY;
    st = st == HB_OK ? hb_write_file(name, text, strlen(text), 0600, true) : st;
    free(text);
    free(name);
    return st;
}

/* Finds which encrypted tables are there, and names for the others. */
static hb_status find_datasets(hb_asked_job *job)
{
    hb_asked_plan *plan = &job->plan;
    job->origin = calloc((size_t)plan->encrypts + 1, sizeof *job->origin);
    job->dataset = calloc((size_t)plan->encrypts + 1, sizeof *job->dataset);
    job->there = calloc((size_t)plan->encrypts + 1, sizeof *job->there);
    if (job->origin == NULL || job->dataset == NULL || job->there == NULL) {
        return NO_MEMORY;
    }
    for (uint32_t i = 0; i < plan->encrypts; i++) {
        const char *table = plan->encrypt[i].words.word[HB_ENCRYPT_TABLE];
        HB_TRY(find_origin(&plan->encrypt[i].words, job->key_id, &job->origin[i]));
        HB_TRY(find_dataset(job->options, table, job->origin[i], &job->dataset[i], &job->there[i]));
        /* Two tables of one job may have files of one name. */
        for (uint32_t j = 0; j < i && !job->there[i]; j++) {
            if (strcmp(job->dataset[j], job->dataset[i]) == 0) {
                char *path = job->dataset[i], *other = NULL;
                const int stem = (int)(strlen(path) - strlen(".heb"));
                job->dataset[i] = asprintf(&other, "%.*s-t%u.heb", stem, path, i + 1) >= 0 ? other : NULL;
                free(path);
            }
        }
        if (job->dataset[i] == NULL) {
            return NO_MEMORY;
        }
    }
    return HB_OK;
}

static hb_status set_word(hb_words *words, size_t at, const char *word)
{
    char *copy = strdup(word);
    if (copy == NULL) {
        return NO_MEMORY;
    }
    free(words->word[at]);
    words->word[at] = copy;
    return HB_OK;
}

static hb_status set_output(hb_asked_command *command, const char *path)
{
    free(command->output);
    command->output = strdup(path);
    return command->output != NULL ? HB_OK : NO_MEMORY;
}

/* Sets word `at` to DIR/NAME. */
static hb_status set_path(hb_words *words, size_t at, const char *dir, const char *name)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s", dir, name) < 0) {
        return NO_MEMORY;
    }
    const hb_status st = set_word(words, at, path);
    free(path);
    return st;
}

static hb_status set_keys(hb_asked_plan *plan, const char *keys)
{
    for (size_t i = 0; i + 1 < plan->keygen.words.count; i++) {
        if (strcmp(plan->keygen.words.word[i], "--out") == 0) {
            HB_TRY(set_word(&plan->keygen.words, i + 1, keys));
        }
    }
    for (uint32_t i = 0; i < plan->encrypts; i++) {
        HB_TRY(set_path(&plan->encrypt[i].words, HB_WORD_KEY, keys, "public.h5"));
    }
    for (uint32_t i = 0; i < plan->decrypts; i++) {
        HB_TRY(set_path(&plan->decrypt[i].words, HB_WORD_KEY, keys, "secret.h5"));
    }
    HB_TRY(set_word(&plan->eval.words, HB_WORD_KEY, keys));
    return set_output(&plan->keygen, keys);
}

/* Sets a word NAME=.. of eval. */
static hb_status bind(hb_words *eval, const char *name, const char *path)
{
    const size_t length = strlen(name);
    for (size_t i = HB_EVAL_FIRST; i < eval->count; i++) {
        if (strncmp(eval->word[i], name, length) == 0 && eval->word[i][length] == '=') {
            char *word = NULL;
            if (asprintf(&word, "%s=%s", name, path) < 0) {
                return NO_MEMORY;
            }
            const hb_status st = set_word(eval, i, word);
            free(word);
            return st;
        }
    }
    return HB_FAIL(HB_EINTERNAL, "params suggest binds no %s", name);
}

static hb_status set_dataset(hb_asked_plan *plan, uint32_t i, const char *path)
{
    hb_asked_command *encrypt = &plan->encrypt[i];
    if (encrypt->output == NULL) { /* it is NAME.heb still */
        HB_TRY(bind(&plan->eval.words, encrypt->name, path));
    }
    HB_TRY(set_word(&encrypt->words, HB_ENCRYPT_OUT, path));
    return set_output(encrypt, path);
}

/* Whether a path is that of a dataset of this job, which need not be there yet. */
static bool is_dataset(const hb_asked_job *job, const char *path)
{
    uint32_t i = 0;
    while (i < job->plan.encrypts && strcmp(job->dataset[i], path) != 0) {
        i++;
    }
    return i < job->plan.encrypts;
}

/* The first of NAME, NAME-2 and on for which neither ciphertexts nor answer are there. */
static hb_status free_name(const hb_asked_job *job, const char *name, char **out)
{
    const char *dir = job->options->dir;
    for (int i = 1;; i++) {
        char *heb = NULL, *csv = NULL;
        struct stat info;
        char number[HB_ASKED_NUMBER];
        const bool enough = asprintf(out, "%s/%s%s", dir, name, hb_asked_number(i, number)) >= 0 &&
                            asprintf(&heb, "%s.heb", *out) >= 0 && asprintf(&csv, "%s.csv", *out) >= 0;
        const bool taken = enough && (is_dataset(job, heb) || lstat(heb, &info) == 0 || lstat(csv, &info) == 0 ||
                                      !(job->options->dry_run || hb_asked_discard(heb)));
        free(heb);
        free(csv);
        if (!enough || !taken) {
            return enough ? HB_OK : NO_MEMORY;
        }
        free(*out);
    }
}

static hb_status set_results(hb_asked_job *job)
{
    hb_asked_plan *plan = &job->plan;
    for (uint32_t i = 0; i < plan->decrypts; i++) {
        hb_words *words = &plan->decrypt[i].words;
        char *base = NULL, *heb = NULL, *csv = NULL;
        const char *name = plan->decrypt[i].name;
        hb_status st = free_name(job, name, &base);
        if (st == HB_OK && (asprintf(&heb, "%s.heb", base) < 0 || asprintf(&csv, "%s.csv", base) < 0)) {
            st = NO_MEMORY;
        }
        st = st == HB_OK ? bind(&plan->eval.words, name, heb) : st;
        st = st == HB_OK ? set_word(words, HB_DECRYPT_FROM, heb) : st;
        st = st == HB_OK ? set_word(words, HB_DECRYPT_TO, csv) : st;
        st = st == HB_OK ? set_output(&plan->decrypt[i], csv) : st;
        free(base);
        free(heb);
        free(csv);
        HB_TRY(st);
    }
    return HB_OK;
}

hb_status hb_asked_place(hb_asked_job *job, const char *keys)
{
    HB_TRY(find_datasets(job));
    HB_TRY(set_keys(&job->plan, keys));
    for (uint32_t i = 0; i < job->plan.encrypts; i++) {
        HB_TRY(set_dataset(&job->plan, i, job->dataset[i]));
    }
    return set_results(job);
}

/* The unit that a name means; HB_TIME_NONE: it means none. */
static hb_time_unit unit_called(const char *name)
{
    hb_time_unit unit = HB_TIME_DAYS;
    while (unit > HB_TIME_NONE && (name == NULL || strcmp(hb_time_unit_name(unit), name) != 0)) {
        unit--;
    }
    return unit;
}

/* An end of the range of a column, as its cells are written. */
static const char *end_text(const json_t *column, const char *which, char room[HB_MEANING_TEXT])
{
    const json_t *said = json_object_get(column, "meaning"),
                 *end = json_object_get(json_object_get(column, "values"), which);
    const char *kind = json_string_value(json_object_get(said, "kind")),
               *scale = json_string_value(json_object_get(said, "scale"));
    const char *word = json_string_value(end);
    hb_meaning meaning = {.scale = scale != NULL ? strtoull(scale, NULL, 10) : 0};
    if (kind != NULL && strcmp(kind, "date") == 0) {
        meaning.kind = HB_MEANING_DATE;
    } else if (kind != NULL && strcmp(kind, "time") == 0) {
        meaning.kind = HB_MEANING_TIME;
        meaning.zoned = json_is_true(json_object_get(said, "zone"));
        meaning.unit = unit_called(json_string_value(json_object_get(said, "unit")));
    }
    if (word == NULL) {
        snprintf(room, HB_MEANING_TEXT, "%.4g", json_number_value(end));
        return room;
    }
    const char *text =
        hb_meaning_is_plain(&meaning) ? NULL : hb_meaning_text(&meaning, true, (uint64_t)strtoll(word, NULL, 10), room);
    return text != NULL ? text : word;
}

/* Prints the part of a column that anybody can read who gets the encrypted table. */
static void print_public(const json_t *column, FILE *to)
{
    const char *name = json_string_value(json_object_get(column, "name"));
    const json_t *labels = json_object_get(json_object_get(column, "meaning"), "labels"),
                 *values = json_object_get(column, "values");
    const bool masked = json_object_get(column, "mask") != NULL, ranged = json_is_object(values);
    char least[HB_MEANING_TEXT], most[HB_MEANING_TEXT];
    const bool braced = json_is_array(labels) || ranged || masked;
    fprintf(to, "%s%s", name != NULL ? name : "", braced ? " (" : "");
    if (json_is_array(labels)) {
        fprintf(to, "its %s", hb_human_things(json_array_size(labels), "text").text);
    } else if (ranged) {
        fprintf(to, "%s..%s", end_text(column, "least", least), end_text(column, "most", most));
    }
    fprintf(to, "%s%s",
            !masked                           ? ""
            : json_is_array(labels) || ranged ? ", cells may be missing"
                                              : "cells may be missing",
            braced ? ")" : "");
}

/* How many columns of an encrypted table are no masks, which stand behind all others. */
static size_t count_shown(const json_t *columns)
{
    size_t i, masks = 0;
    const json_t *column;
    json_array_foreach(columns, i, column)
    {
        masks += json_object_get(column, "mask") != NULL;
    }
    return json_array_size(columns) - masks;
}

static void say_public(const hb_asked_job *job, const json_t *columns, const char *table)
{
    char *text = NULL;
    size_t size;
    const size_t shown = count_shown(columns);
    FILE *to = open_memstream(&text, &size);
    if (to == NULL) {
        return;
    }
    for (size_t i = 0; i < shown; i++) {
        fputs(i > 0 ? ", " : "", to);
        print_public(json_array_get(columns, i), to);
    }
    if (fclose(to) == 0) {
        hb_console_log(job->group, job->common,
                       "PUBLIC, readable by everyone who gets the encrypted %s: its number of rows, and of the columns "
                       "the texts or the least and greatest value, and whether cells may be missing: %s; the cells are "
                       "secret",
                       table, text);
    }
    free(text);
}

/* Which rows are left out, and for which columns. */
static void say_left_out(const hb_asked_job *job, const json_t *report, const char *table)
{
    const json_t *missing = json_object_get(report, "missing"), *columns = json_object_get(missing, "column"), *column;
    const json_int_t rows = json_integer_value(json_object_get(missing, "rows_left_out"));
    char *text = NULL;
    size_t i, size;
    FILE *to = rows > 0 ? open_memstream(&text, &size) : NULL;
    if (to == NULL) {
        return;
    }
    json_array_foreach(columns, i, column)
    {
        const char *name = json_string_value(json_object_get(column, "name"));
        fprintf(to, "%s%" JSON_INTEGER_FORMAT " for %s", i > 0 ? ", " : ": ",
                json_integer_value(json_object_get(column, "rows_left_out")), name != NULL ? name : "");
    }
    if (fclose(to) == 0) {
        hb_console_warn(job->group,
                        "dropped %" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT
                        " rows of %s, as a cell is missing%s; they count in no result",
                        rows, json_integer_value(json_object_get(missing, "rows_there")), table, text);
    }
    free(text);
}

/* Says what is public of an encrypted table, and what was left out. */
static void say_table(const hb_asked_job *job, uint32_t i)
{
    const hb_asked_command *encrypt = &job->plan.encrypt[i];
    json_t *report = hb_report_beside(encrypt->output, HB_REPORT_SUFFIX, NULL);
    const char *table = encrypt->words.word[HB_ENCRYPT_TABLE];
    if (report != NULL) {
        say_left_out(job, report, table);
        say_public(job, json_object_get(report, "column"), table);
    }
    json_decref(report);
}

/* Encrypts one table, and notes what it was. The key is known now, and the file may have changed. */
static hb_status encrypt_table(hb_asked_job *job, uint32_t i, const char *title)
{
    const hb_asked_command *command = &job->plan.encrypt[i];
    json_t *before = NULL, *after = NULL;
    hb_status st;
    HB_GOTO(find_origin(&command->words, job->key_id, &before));
    HB_GOTO(hb_phase_run(&job->phases, &(hb_phase){title, &command->words, .shared = true}, NULL));
    HB_GOTO(find_origin(&command->words, job->key_id, &after));
    if (json_equal(before, after)) { /* else nobody knows which bytes were read */
        HB_GOTO(note_origin(command->output, after));
    }
    say_table(job, i);
done:
    json_decref(before);
    json_decref(after);
    return st;
}

hb_status hb_asked_encrypt(hb_asked_job *job)
{
    const double started = hb_now();
    const hb_asked_plan *plan = &job->plan;
    hb_phase_begin(&job->phases);
    for (uint32_t i = 0; i < plan->encrypts; i++) {
        char title[128];
        snprintf(title, sizeof title, "encrypts %s", plan->encrypt[i].words.word[HB_ENCRYPT_TABLE]);
        if (!job->there[i]) {
            HB_TRY(encrypt_table(job, i, title));
            continue;
        }
        hb_console_log(job->group, job->common, "[%u/%u] %s: it is there, %s", job->phases.now, job->phases.count,
                       title, plan->encrypt[i].output);
        say_table(job, i);
    }
    job->times.encrypt = hb_now() - started;
    return HB_OK;
}
