/* The keys of a job: those that are there, or new ones. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "batch/job/plan.h"
#include "cli/console.h"
#include "job.h"

#define NO_MEMORY HB_FAIL(HB_ENOMEM, "no memory for the keys of a question")

/* Reads what `info` says of a key in a folder. */
static hb_status key_info(hb_phases *phases, const char *keys, const char *file, json_t **info)
{
    hb_words words = {0};
    char *text = NULL;
    hb_status st = hb_words_add(&words, "hebatch");
    st = st == HB_OK ? hb_words_add(&words, "info") : st;
    st = st == HB_OK ? hb_words_addf(&words, "%s/%s", keys, file) : st;
    st = st == HB_OK ? hb_words_add(&words, "--json") : st;
    st = st == HB_OK ? hb_phase_run(phases, &(hb_phase){.words = &words}, &text) : st;
    hb_words_clear(&words);
    if (st == HB_OK) {
        *info = json_loads(text != NULL ? text : "", 0, NULL);
        st = *info != NULL ? HB_OK : HB_FAIL(HB_EINTERNAL, "%s/%s: info says nothing of this key", keys, file);
    }
    free(text);
    return st;
}

/* Whether the secret key of a folder is sealed by a passphrase. */
static hb_status is_sealed(hb_phases *phases, const char *keys, bool *sealed)
{
    json_t *info = NULL;
    const hb_status st = key_info(phases, keys, "secret.h5", &info);
    *sealed = json_is_true(json_object_get(info, "sealed"));
    json_decref(info);
    return st;
}

/* Whether two keys have the same parameters: all that is said of them but their name. */
static bool is_same(const json_t *a, const json_t *b)
{
    json_t *x = json_copy((json_t *)a), *y = json_copy((json_t *)b);
    json_object_del(x, "name");
    json_object_del(y, "name");
    const bool same = json_is_object(x) && json_is_object(y) && json_equal(x, y);
    json_decref(x);
    json_decref(y);
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

/* Finds the folder of keys that has the parameters of the plan, and whose secret key is sealed where that is asked for,
 * else a free name for one: keys, keys-2 and on. Files that are damaged are no keys. */
static hb_status find_keys(hb_asked_job *job, char **keys)
{
    hb_phases *phases = &job->phases;
    const char *dir = job->options->dir;
    const json_t *params = json_object_get(job->plan.suggested, "params");
    for (int i = 1; i < HB_ASKED_MOST_NUMBER; i++) {
        json_t *said = NULL;
        char number[HB_ASKED_NUMBER];
        if (asprintf(keys, "%s/keys%s", dir, hb_asked_number(i, number)) < 0) {
            return NO_MEMORY;
        }
        if (!has_key(*keys)) {
            return HB_OK;
        }
        job->keys_there = key_info(phases, *keys, "public.h5", &said) == HB_OK &&
                          is_same(json_object_get(said, "params"), params) &&
                          is_sealed(phases, *keys, &job->sealed) == HB_OK && (job->sealed || !job->options->seal);
        json_decref(said);
        if (job->keys_there) {
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
    hb_status st = key_info(&job->phases, keys, "public.h5", &info);
    const char *text = json_string_value(json_object_get(info, "key_id"));
    snprintf(job->key_id, sizeof job->key_id, "%s", text != NULL ? text : "");
    json_decref(info);
    return st;
}

/* The command that adds the keys which this question needs to those that are there. `dry`: it says which. */
static hb_status more_words(const hb_asked_plan *plan, const char *keys, bool dry, hb_words *more)
{
    const hb_words *keygen = &plan->keygen.words;
    size_t i = 0;
    HB_TRY(hb_words_add(more, "hebatch"));
    HB_TRY(hb_words_add(more, "keygen"));
    HB_TRY(hb_words_add(more, "--key"));
    HB_TRY(hb_words_addf(more, "%s/secret.h5", keys));
    while (i < keygen->count && strcmp(keygen->word[i], "--out") != 0 && strcmp(keygen->word[i], "--key") != 0) {
        i++;
    }
    for (i += 2; i < keygen->count; i++) {
        HB_TRY(hb_words_add(more, keygen->word[i]));
    }
    if (dry) {
        HB_TRY(hb_words_add(more, "--dry-run"));
    }
    return dry ? hb_words_add(more, "--json") : HB_OK;
}

/* Refuses keys of a folder that the user named where some are missing: such a folder gets no more. */
static hb_status refuse_missing(const char *keys, const json_t *said, const hb_words *more)
{
    size_t i, missing = 0;
    const json_t *key;
    char *line = NULL;
    json_array_foreach(json_object_get(said, "keys"), i, key)
    {
        missing += !json_is_true(json_object_get(key, "was_there"));
    }
    FILE *to = missing > 0 ? open_memstream(&line, &(size_t){0}) : NULL;
    if (to == NULL) {
        return missing == 0 ? HB_OK : NO_MEMORY;
    }
    const hb_words shown = {more->word, more->count - 2}; /* without --dry-run --json */
    hb_words_print(&shown, to);
    const hb_status st = fclose(to) == 0
                             ? HB_FAIL(HB_ENOINPUT, "%s lacks %s for this question; this line makes them: %s", keys,
                                       hb_human_things(missing, "key").text, line)
                             : NO_MEMORY;
    free(line);
    return st;
}

/* Looks at keys that are there, before anything is made: whether the passphrase opens a sealed one, and whether a
 * folder that the user named has all that the question needs. */
static hb_status look_at_keys(hb_asked_job *job, const char *keys)
{
    hb_words more = {0};
    char *text = NULL;
    json_t *said = NULL;
    hb_status st;
    if (job->options->dry_run || (!job->sealed && job->options->keys == NULL)) {
        return HB_OK;
    }
    HB_GOTO(more_words(&job->plan, keys, true, &more));
    st = hb_phase_run(&job->phases, &(hb_phase){.words = &more, .secret = true}, &text);
    if (st == HB_ECONFIG && job->options->keys != NULL) {
        const hb_error cause = *hb_last_error();
        st = HB_FAIL(st, "--keys %s: %.380s; without --keys new ones are made", keys, cause.text);
    }
    HB_GOTO(st);
    said = json_loads(text != NULL ? text : "", 0, NULL);
    HB_GOTO(job->options->keys != NULL ? refuse_missing(keys, said, &more) : HB_OK);
done:
    json_decref(said);
    free(text);
    hb_words_clear(&more);
    return st;
}

/* Whether the encrypted dataset of a table is there already. */
static bool is_there(const hb_asked_job *job, const char *table)
{
    bool there = false;
    for (uint32_t i = 0; i < job->plan.encrypts; i++) {
        there = there || (job->there[i] && strcmp(job->plan.encrypt[i].name, table) == 0);
    }
    return there;
}

/* Bytes of the encrypted tables that the question needs, of all or of those alone that are not there. Columns that only
 * make others are not encrypted. */
static double table_bytes(const hb_asked_job *job, bool missing_alone)
{
    const json_t *s = job->plan.suggested, *params = json_object_get(s, "params");
    const double slots = (double)json_integer_value(json_object_get(params, "n")) / (job->reals ? 2 : 1);
    const double rows = (double)json_integer_value(json_object_get(s, "rows"));
    const double each = (double)json_integer_value(json_object_get(s, "ciphertext_bytes_public"));
    const json_t *plains = json_object_get(params, "plains"); /* several: each has ciphertexts of its own */
    const double residues = plains != NULL ? (double)json_array_size(plains) : 1;
    uint64_t columns = 0;
    for (uint32_t i = 0; i < job->question.tables; i++) {
        const hb_asked_table *table = &job->question.table[i];
        const bool counts = !table->plain && !(missing_alone && is_there(job, table->name));
        for (uint64_t c = 0; counts && c < table->survey.columns; c++) {
            columns += hb_asked_is_picked(table, c) * (uint64_t)(table->survey.column[c].missing > 0 ? 2 : 1);
        }
    }
    return ceil(rows / (slots > 0 ? slots : 1)) * (double)columns * each * residues;
}

/* Finds the room that files need which are not there yet, and refuses a disk without it. */
static hb_status find_room(hb_asked_job *job)
{
    uint64_t free_bytes;
    job->bytes.tables = table_bytes(job, false);
    job->bytes.keys = (double)json_integer_value(json_object_get(job->plan.suggested, "key_bytes"));
    const double needed = (job->keys_there ? 0 : job->bytes.keys) + table_bytes(job, true);
    return hb_plan_space(job->options->dir, (uint64_t)needed, &free_bytes);
}

/* Says how long it takes on a machine that does nothing else. The search measured a transform on this machine. Files
 * are made and read at a rate that was measured, with 2 cores of a server: questions about 100 to 200000 rows took
 * between half of what is said and 1.5 times that, and 3 times that while other jobs ran. */
static void say_estimate(const hb_asked_job *job)
{
    const json_t *s = job->plan.suggested;
    const uint64_t rows = (uint64_t)json_integer_value(json_object_get(s, "rows"));
    const double rate = 150e6, start = 0.5; /* bytes a second, seconds */
    const double computing = json_number_value(json_object_get(s, "seconds")) / (double)job->options->ranks;
    const double bytes = job->bytes.keys * (job->keys_there ? 0.5 : 1.5) + 2 * job->bytes.tables;
    char keys[96] = "keys are there";
    if (!job->keys_there) {
        snprintf(keys, sizeof keys, "keys %s", hb_human_bytes(job->bytes.keys).text);
    }
    hb_console_log(job->group, job->common, "about %s for your %s, longer where other jobs run; %s, encrypted table %s",
                   hb_human_about(computing + bytes / rate + start).text, hb_human_things(rows, "row").text, keys,
                   hb_human_bytes(job->bytes.tables).text);
}

/* Reads the passphrase of a sealed key once for all commands, where it is asked for on the terminal or comes from an
 * open file; other sources are read by each command. fresh: a new passphrase. */
static hb_status ask_passphrase(hb_phases *phases, const char *keys, bool fresh)
{
    const char *where = phases->common->passphrase;
    char *name = NULL;
    if (where != NULL && strncmp(where, "fd:", 3) != 0) {
        return HB_OK;
    }
    if (asprintf(&name, "%s/secret.h5", keys) < 0) {
        return NO_MEMORY;
    }
    const hb_status st = hb_passphrase_read(&phases->passphrase, name, NULL, fresh);
    free(name);
    return st;
}

hb_status hb_asked_find_keys(hb_asked_job *job)
{
    const hb_ask_options *options = job->options;
    char *keys = NULL;
    hb_status st;
    job->sealed = options->seal;
    if (options->keys != NULL) {
        keys = strdup(options->keys);
        job->keys_there = true;
        HB_GOTO(keys != NULL ? HB_OK : NO_MEMORY);
        HB_GOTO(is_sealed(&job->phases, keys, &job->sealed));
    } else {
        HB_GOTO(find_keys(job, &keys));
        job->sealed = job->keys_there ? job->sealed : options->seal;
        HB_GOTO(!job->keys_there && options->seal ? hb_words_add(&job->plan.keygen.words, "--seal") : HB_OK);
    }
    HB_GOTO(job->keys_there ? read_id(job, keys) : HB_OK);
    HB_GOTO(hb_asked_place(job, keys));
    HB_GOTO(find_room(job));
    if (job->sealed && !options->dry_run) {
        HB_GOTO(ask_passphrase(&job->phases, keys, !job->keys_there));
    }
    HB_GOTO(job->keys_there ? look_at_keys(job, keys) : HB_OK);
    say_estimate(job);
done:
    free(keys);
    return st;
}

/* Keys that are there may lack some for this question: `keygen --key` adds them. Keys of a folder that the user named
 * stay as they are. */
hb_status hb_asked_make_keys(hb_asked_job *job)
{
    const double started = hb_now();
    const char *keys = job->plan.keygen.output;
    hb_words more = {0};
    hb_status st;
    job->key_files = hb_asked_count_files(keys);
    hb_phase_begin(&job->phases);
    if (!job->keys_there) {
        HB_GOTO(hb_phase_run(&job->phases, &(hb_phase){"makes keys", &job->plan.keygen.words, true, true}, NULL));
        HB_GOTO(read_id(job, keys));
        goto done;
    }
    HB_GOTO(more_words(&job->plan, keys, false, &more));
    if (job->options->keys == NULL && more.count > 4) { /* the question needs some */
        HB_GOTO(hb_phase_run(&job->phases, &(hb_phase){"adds keys to those that are there", &more, true, true}, NULL));
    }
done:
    hb_words_clear(&more);
    job->times.keys = hb_now() - started;
    return st;
}
