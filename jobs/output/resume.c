#include "resume.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/report.h"
#include "io/files/durable.h"
#include "machine/versions.h"
#include "table_identity.h"

enum { VERSION = 4 }; /* goes up when the rule by which shards are laid out changes (batch/job/plan.h) */
static const size_t most_bytes = (size_t)1 << 20;         /* of job.json: a path or an expression, and some numbers */
static const json_int_t most_ranks = (json_int_t)1 << 20; /* a damaged count must not cost hours */

#define COMMAND "command"
#define HEADER_FACT "header_digest" /* key, parameters, packing and shape all stand in the header */

/* The program and library that lay out shards. Another HDF5 may place objects otherwise, and a shard is completed by
 * writing at the places where the one that made it has its mark. */
typedef struct tool_text {
    char text[96];
} tool_text;

/* Names this program and its HDF5. */
static tool_text this_tool(void)
{
    hb_versions versions;
    hb_versions_get(&versions);
    tool_text tool;
    snprintf(tool.text, sizeof tool.text, "hebatch %.40s, HDF5 %.30s", versions.program, versions.hdf5);
    return tool;
}

static hb_status job_path(const char *output, char **path)
{
    return hb_path_with(output, HB_OUTPUT_FOLDER HB_JOB_NAME, path);
}

/* Reads job.json; NULL if it is no JSON. */
static hb_status read_description(const char *output, json_t **document)
{
    char *path;
    uint8_t *text = NULL;
    size_t bytes = 0;
    mode_t mode;
    HB_TRY(job_path(output, &path));
    const hb_status st = hb_read_file(path, most_bytes, &text, &bytes, &mode);
    *document = st == HB_OK ? json_loadb((const char *)text, bytes, 0, NULL) : NULL;
    free(text);
    free(path);
    return st;
}

/* Facts in the order in which a difference is named: the header, the last one, changes with some of the others. */
static const struct {
    const char *name, *words;
} facts[] = {{"errors", "the distribution of errors"},
             {"expression", "the expression"},
             {"output", "the output's name in the expression"},
             {"reading", "the options about columns, or about missing cells"},
             {"grows", "the dataset that rows are appended to"},
             {"added", "a dataset that is added"},
             {"part", "the dataset of which it is a part"},
             {"parts", "a part, or the dataset of which they are parts"},
             {"moved", "the dataset that comes under another key, the rekeying key, or --bits"},
             {"refreshed", "the dataset, a key, --passes or --noise"},
             {"sanitized", "the dataset, --bits or --open"},
             {"inputs",
              "an input, a key, a model, --range, --precision, --gap, --noise, --bootstrap, --sanitize, an option "
              "about missing cells or the list of outputs"},
             {HEADER_FACT, "the key, the parameters, the packing, the shape of the table, a range of values, --wrap or "
                           "--compact"}};

static bool is_compared(const char *name)
{
    bool found = false;
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        found |= strcmp(facts[i].name, name) == 0;
    }
    return found;
}

/* Takes the value over; NULL: out of memory. A job that follows another says nothing of itself. */
static hb_status add(hb_resume *job, const char *name, json_t *value)
{
    bool added = job->facts != NULL && value != NULL;
    HB_ASSERT(is_compared(name));
    if (added && !job->follows) {
        added = json_object_set(job->facts, name, value) == 0;
    }
    json_decref(value);
    return added ? HB_OK : HB_FAIL(HB_ENOMEM, "out of memory for the description of the job");
}

hb_status hb_resume_describe(hb_resume *job, const char *command, const hb_header *header, uint32_t ranks)
{
    HB_ASSERT(command != NULL);
    *job = (hb_resume){
        .command = command, .facts = json_object(), .ranks = ranks, .follows = hb_spec_residue(&header->spec) > 0};
    uint8_t digest[HB_DIGEST_BYTES];
    hb_header_digest(digest, header);
    return hb_resume_add_digest(job, HEADER_FACT, digest);
}

hb_status hb_resume_add_text(hb_resume *job, const char *name, const char *text)
{
    return add(job, name, hb_report_text(text));
}

hb_status hb_resume_add_digest(hb_resume *job, const char *name, const uint8_t digest[HB_DIGEST_BYTES])
{
    char text[2 * HB_DIGEST_BYTES + 1];
    hb_hex(text, digest, HB_DIGEST_BYTES);
    return add(job, name, json_string(text));
}

void hb_resume_step(const char *output, uint64_t *step)
{
    const hb_error before = *hb_last_error();
    json_t *document = NULL;
    json_int_t there = 0;
    if (read_description(output, &document) == HB_OK &&
        json_unpack(document, "{s?I}", "step_row_blocks", &there) == 0 && there >= 0) {
        *step = (uint64_t)there;
    }
    json_decref(document);
    hb_set_error(&before);
}

void hb_resume_clear(hb_resume *job)
{
    json_decref(job->facts);
    *job = (hb_resume){0};
}

/* Returns the text of job.json, with a line break at the end; it is not terminated. The caller frees *text. */
static hb_status write_text(const hb_resume *job, const char *output, char **text, size_t *bytes)
{
    json_t *document =
        json_pack("{s:i, s:s, s:s, s:b, s:I, s:o*, s:o*}", "job_version", VERSION, "tool", this_tool().text, COMMAND,
                  job->command, "resumable", (int)(job->facts != NULL), "ranks", (json_int_t)job->ranks,
                  "step_row_blocks", job->step > 0 ? json_integer((json_int_t)job->step) : NULL, "table",
                  job->tables.count > 0 ? hb_report_tables(job->tables) : NULL);
    *text = NULL;
    /* The first keys are the same for all kinds of jobs; the facts come behind them. */
    if (document != NULL && (job->facts == NULL || json_object_update(document, job->facts) == 0)) {
        *text = hb_report_dump(document);
    }
    json_decref(document);
    if (*text == NULL) {
        return HB_FAIL(HB_ENOMEM, "out of memory for the description of the job that makes %s", output);
    }
    *bytes = strlen(*text);
    (*text)[(*bytes)++] = '\n'; /* in the place of the final zero */
    return HB_OK;
}

/* Fails for another command, then for the first fact that differs, then for another program. */
static hb_status compare(const hb_resume *job, const json_t *old, const char *path)
{
    const char *command = json_string_value(json_object_get(old, COMMAND));
    if (strcmp(command, job->command) != 0) {
        return HB_FAIL(HB_EDATA,
                       "%s: cannot be continued: it is of hebatch %.40s; --force without --resume starts again", path,
                       command);
    }
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        const json_t *mine = json_object_get(job->facts, facts[i].name), *its = json_object_get(old, facts[i].name);
        /* One that only the job before had was said of its table, or of its output. */
        if (!job->follows && (mine != NULL || its != NULL) && !json_equal(mine, its)) {
            return HB_FAIL(HB_EDATA, "%s: cannot be continued: %s has changed; --force without --resume starts again",
                           path, facts[i].words);
        }
    }
    /* Last, so that another key is told first. */
    const char *tool = json_string_value(json_object_get(old, "tool"));
    if (strcmp(tool, this_tool().text) != 0) {
        return HB_FAIL(HB_EDATA, "%s: was begun by %.80s: continue it with that, or start again with --force", path,
                       tool);
    }
    return HB_OK;
}

/* Tells whether the file has all that it should, for this kind of job if it is of its command. It may be damaged, so
 * types are checked before values are used. */
static bool is_description(const hb_resume *job, json_t *old, json_int_t *ranks)
{
    const char *tool, *command, *name;
    json_int_t version;
    json_t *value;
    if (json_unpack(old, "{s:I, s:s, s:s, s:I}", "job_version", &version, "tool", &tool, COMMAND, &command, "ranks",
                    ranks) != 0) {
        return false;
    }
    /* A description of another kind of job has other facts. */
    const bool same = strcmp(command, job->command) == 0;
    json_object_foreach(job->facts, name, value)
    {
        const json_t *there = json_object_get(old, name);
        if (same && (there == NULL || json_typeof(there) != json_typeof(value))) {
            return false;
        }
    }
    return version == VERSION && *ranks >= 1 && *ranks <= most_ranks;
}

/* Takes the layout from the file only once everything else agrees. */
static hb_status take(hb_resume *job, const char *path, json_t *document)
{
    json_int_t ranks = 0;
    if (document == NULL || !is_description(job, document, &ranks)) {
        return HB_FAIL(HB_EDATA,
                       "%s: does not describe a job that this version can continue; --force without "
                       "--resume starts again",
                       path);
    }
    HB_TRY(compare(job, document, path));
    job->ranks = (uint32_t)ranks;
    return HB_OK;
}

/* Returns false where that is unknown: the next use of the path then gives the reason. */
static bool is_there(const char *output, const char *suffix)
{
    char *path;
    bool there = false;
    if (hb_path_with(output, suffix, &path) != HB_OK) {
        return false;
    }
    if (hb_path_is_there(path, &there) != HB_OK) {
        hb_clear_error();
    }
    free(path);
    return there;
}

/* Returns `st` with its error, unless a job is at NAME.partial: that reason comes first. HB_OK if a job has just
 * completed it, so that it is gone. */
static hb_status unless_held(const char *output, hb_status st)
{
    hb_hold hold = HB_HOLD_NONE;
    const hb_error before = *hb_last_error();
    const hb_status held = hb_dataset_take(output, &hold);
    hb_dataset_release(&hold);
    if (held == HB_OK) {
        hb_set_error(&before);
        return st;
    }
    return held == HB_ENOINPUT ? HB_OK : held;
}

/* Answers for a NAME.partial without job.json, or for none. */
static hb_status find_none(const char *output, bool force)
{
    if (!is_there(output, ".partial") || force || hb_dataset_is_empty(output)) {
        return HB_OK;
    }
    return unless_held(
        output, HB_FAIL(HB_ECREATE,
                        "%s.partial: has no " HB_JOB_NAME ", so it cannot be continued; --force starts again", output));
}

/* Reads job.json; *found and HB_OK if `job` would continue the job that it describes. */
static hb_status look(hb_resume *job, const char *output, bool *found)
{
    char *path;
    json_t *document;
    *found = false;
    HB_TRY(job_path(output, &path));
    /* A file that cannot be read is reported as it is: whether a job holds it is asked afterwards. */
    hb_status st = read_description(output, &document);
    if (st == HB_OK) {
        st = take(job, path, document);
        json_decref(document);
        *found = st == HB_OK;
    }
    free(path);
    return st;
}

hb_status hb_resume_find(hb_resume *job, const char *output, bool force, bool *found)
{
    *found = false;
    /* Nothing is locked here, so a running job may rename the folder between any two looks. */
    const hb_status st = is_there(output, HB_OUTPUT_FOLDER HB_JOB_NAME) ? look(job, output, found) : HB_ENOINPUT;
    if (st == HB_OK || is_there(output, HB_OUTPUT_FOLDER HB_JOB_NAME)) {
        return st == HB_OK ? HB_OK : unless_held(output, st);
    }
    return find_none(output, force); /* there is none, or no longer: a job has just completed it */
}

hb_status hb_resume_begin(const hb_resume *job, const char *output, bool force, bool resume, hb_hold *hold)
{
    char *text;
    size_t bytes = 0;
    HB_TRY(write_text(job, output, &text, &bytes));
    hb_over over = resume ? HB_OVER_EMPTY : HB_OVER_NOTHING;
    if (force) {
        over = HB_OVER_ALL;
    }
    const hb_status st = hb_dataset_begin(output, (hb_begin){over, job->grows, text, bytes}, hold);
    free(text);
    return st;
}

hb_status hb_resume_begin_once(const char *output, const char *command, bool force, hb_hold *hold)
{
    return hb_resume_begin(&(hb_resume){.command = command, .ranks = 1}, output, force, false, hold);
}

/* Whether the job that left NAME.partial, which is held, was to make the dataset that is there, and did. */
static bool has_appended(const char *output, const hb_header *there)
{
    hb_dataset_state state;
    hb_resume made;
    json_t *document = NULL;
    bool done = false;
    if (hb_resume_describe(&made, "", there, 1) == HB_OK && hb_dataset_look(output, &state) == HB_OK &&
        state.parts == 0 && state.unreadable == 0 && read_description(output, &document) == HB_OK) {
        done = json_equal(json_object_get(made.facts, HEADER_FACT), json_object_get(document, HEADER_FACT));
    }
    json_decref(document);
    hb_resume_clear(&made);
    hb_clear_error();
    return done;
}

hb_status hb_resume_sweep_done(const char *output, const hb_header *there)
{
    hb_hold hold = HB_HOLD_NONE;
    const hb_status st = hb_dataset_take(output, &hold);
    if (st == HB_ENOINPUT) { /* there is none */
        hb_clear_error();
        return HB_OK;
    }
    if (st == HB_OK && has_appended(output, there)) {
        hb_dataset_abandon(output);
    }
    hb_dataset_release(&hold);
    return st;
}

/* Reads job.json of the folder that is held now, so no other job changes it any more. The shards were laid out in
 * memory for the ranks that the first look found. */
static hb_status reread_description(hb_resume *job, const char *output)
{
    const uint32_t ranks = job->ranks;
    bool found;
    HB_TRY(look(job, output, &found));
    if (job->ranks != ranks) {
        return HB_FAIL(HB_ECREATE, "%s.partial: another job has begun it anew; start again to continue that", output);
    }
    return HB_OK;
}

hb_status hb_resume_take(hb_resume *job, const char *output, bool force, hb_hold *hold)
{
    hb_status st = hb_dataset_take(output, hold);
    if (st == HB_ENOINPUT) {
        return HB_FAIL(HB_ECREATE, "%s.partial: another job has completed or removed it meanwhile", output);
    }
    /* Under the lock: between the find and here another job may have begun the output anew or gone on with it. */
    st = st == HB_OK ? reread_description(job, output) : st;
    st = st == HB_OK ? hb_dataset_check_target(output, force || job->grows) : st;
    if (st != HB_OK) {
        hb_dataset_release(hold);
    }
    return st;
}
