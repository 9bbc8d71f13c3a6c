#include "job_file.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "cli/options.h"
#include "io/files/durable.h"

static const char *const members[] = {"eval", "keys", "inputs", "outputs", "ranges", "options", NULL};

/* A job file that is being read. */
typedef struct reader {
    const char *path;
    char *folder;
    hb_job_file *job;
} reader;

static hb_status no_memory(const reader *r)
{
    return HB_FAIL(HB_ENOMEM, "%s: no memory for the job", r->path);
}

/* Makes a path as the caller opens it; the name of a dataset behind a colon stays with it. */
static hb_status resolve(const reader *r, const char *path, char **out)
{
    const bool absolute = path[0] == '/' || strcmp(r->folder, ".") == 0;
    const size_t capacity = strlen(r->folder) + strlen(path) + 2;
    *out = malloc(capacity);
    if (!*out) {
        return no_memory(r);
    }
    snprintf(*out, capacity, "%s%s%s", absolute ? "" : r->folder, absolute ? "" : "/", path);
    return HB_OK;
}

/* Reads "eval": its statements become one text, one to a line. */
static hb_status read_expression(const reader *r, const json_t *value)
{
    const bool list = json_is_array(value);
    const size_t count = list ? json_array_size(value) : 1;
    /* Checked and measured first, then copied at once. */
    size_t capacity = 1;
    for (size_t i = 0; i < count; i++) {
        const json_t *statement = list ? json_array_get(value, i) : value;
        if (!json_is_string(statement)) {
            return HB_FAIL(HB_EUSAGE, "%s: \"eval\" is a text, or a list of texts", r->path);
        }
        capacity += json_string_length(statement) + 1;
    }
    char *text = malloc(capacity), *end = text;
    if (!text) {
        return no_memory(r);
    }
    *end = '\0';
    for (size_t i = 0; i < count; i++) {
        end = stpcpy(end, json_string_value(list ? json_array_get(value, i) : value));
        end = i + 1 < count ? stpcpy(end, "\n") : end;
    }
    r->job->expression = text;
    return HB_OK;
}

static hb_status read_keys(const reader *r, const json_t *value)
{
    if (!json_is_string(value)) {
        return HB_FAIL(HB_EUSAGE, "%s: \"keys\" is the path of a directory", r->path);
    }
    return resolve(r, json_string_value(value), &r->job->keys);
}

/* Reads "inputs" or "outputs". */
static hb_status read_bindings(const reader *r, const char *member, json_t *value, hb_binding **out, uint32_t *count)
{
    const char *name;
    json_t *path;
    /* A value that is no object has size 0; it is refused below. */
    *out = calloc(json_object_size(value) + 1, sizeof **out);
    if (!*out) {
        return no_memory(r);
    }
    if (!json_is_object(value)) {
        return HB_FAIL(HB_EUSAGE, "%s: \"%s\" is an object of names and paths", r->path, member);
    }
    json_object_foreach(value, name, path)
    {
        if (!hb_name_valid(name) || !json_is_string(path) || json_string_length(path) == 0) {
            return HB_FAIL(
                HB_EUSAGE,
                "%s: \"%s\": expected a name (letters, digits and _, no digit first) and a path, found '%.40s'",
                r->path, member, name);
        }
        /* Counted before it is filled, so that clearing frees its parts after a failure. */
        hb_binding *binding = &(*out)[(*count)++];
        binding->name = strdup(name);
        if (!binding->name) {
            return no_memory(r);
        }
        HB_TRY(resolve(r, json_string_value(path), &binding->path));
    }
    return HB_OK;
}

/* Reads "ranges", each as --range would have it. */
static hb_status read_ranges(const reader *r, json_t *value)
{
    const char *name;
    json_t *ends;
    hb_job_file *job = r->job;
    job->ranges = calloc(json_object_size(value) + 1, sizeof *job->ranges);
    if (!job->ranges) {
        return no_memory(r);
    }
    if (!json_is_object(value)) {
        return HB_FAIL(HB_EUSAGE, "%s: \"ranges\" is an object of names and [least, most]", r->path);
    }
    json_object_foreach(value, name, ends)
    {
        const json_t *least = json_array_get(ends, 0), *most = json_array_get(ends, 1);
        const bool integers = json_is_integer(least) && json_is_integer(most);
        if (json_array_size(ends) != 2 || !json_is_number(least) || !json_is_number(most) ||
            (integers ? json_integer_value(least) > json_integer_value(most)
                      : json_number_value(least) > json_number_value(most))) {
            return HB_FAIL(HB_EUSAGE, "%s: \"ranges\": expected [least, most] for %.40s, two numbers", r->path, name);
        }
        /* Counted before its name is parsed, so that clearing frees its parts. */
        hb_range *range = &job->ranges[job->range_count++];
        *range =
            (hb_range){.least = integers ? json_integer_value(least) : 0,
                       .most = integers ? json_integer_value(most) : 0,
                       .values = integers ? hb_interval_of(json_integer_value(least), json_integer_value(most))
                                          : hb_interval_of_reals(json_number_value(least), json_number_value(most))};
        if (!hb_range_parse_name(name, range)) {
            return HB_FAIL(HB_EUSAGE,
                           "%s: \"ranges\": expected a name, or one of its columns as in a.age, found '%.40s'", r->path,
                           name);
        }
    }
    return HB_OK;
}

/* A user who runs the job file of another must not write a file, or run a command, that the command line does not name.
 * Options may be shortened, so that any beginning of a name counts. */
static hb_status check_option(const reader *r, const char *name)
{
    static const char *const refused[] = {"log", "trace", "passphrase"};
    if (name[0] == '\0' || name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-")] != '\0') {
        return HB_FAIL(HB_EUSAGE, "%s: \"options\": %.40s is no name of an option", r->path, name);
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        if (strncmp(refused[i], name, strlen(name)) == 0) {
            return HB_FAIL(HB_EUSAGE, "%s: \"options\": a job file cannot say %s: give --%s with the command", r->path,
                           name, refused[i]);
        }
    }
    return HB_OK;
}

/* Makes a word of the command line of an option, "--name" or "--name=value"; the caller leaves out options that are
 * false. */
static hb_status read_option(const reader *r, const char *name, const json_t *value)
{
    hb_job_file *job = r->job;
    HB_TRY(check_option(r, name));
    const size_t capacity = strlen(name) + json_string_length(value) + 32; /* 64-bit numbers have 20 characters */
    char *word = malloc(capacity);
    if (!word) {
        return no_memory(r);
    }
    job->options[job->option_count++] = word;
    if (json_is_true(value)) {
        snprintf(word, capacity, "--%s", name);
    } else if (json_is_string(value)) {
        snprintf(word, capacity, "--%s=%s", name, json_string_value(value));
    } else if (json_is_integer(value)) {
        snprintf(word, capacity, "--%s=%lld", name, (long long)json_integer_value(value));
    } else {
        return HB_FAIL(HB_EUSAGE, "%s: \"options\": %.40s is a text, an integer, true or false", r->path, name);
    }
    return HB_OK;
}

/* Reads "options"; they are parsed as words of a command line later, before the real ones. */
static hb_status read_options(const reader *r, json_t *value)
{
    const char *name;
    json_t *option;
    /* One more, so that no options are a list too. */
    r->job->options = calloc(json_object_size(value) + 1, sizeof *r->job->options);
    if (!r->job->options) {
        return no_memory(r);
    }
    if (!json_is_object(value)) {
        return HB_FAIL(HB_EUSAGE, "%s: \"options\" is an object of options of the command", r->path);
    }
    json_object_foreach(value, name, option)
    {
        if (!json_is_false(option)) {
            HB_TRY(read_option(r, name, option));
        }
    }
    return HB_OK;
}

/* Reads one member of the job. */
static hb_status read_member(const reader *r, const char *name, json_t *value)
{
    hb_job_file *job = r->job;
    if (strcmp(name, "eval") == 0) {
        return read_expression(r, value);
    }
    if (strcmp(name, "keys") == 0) {
        return read_keys(r, value);
    }
    if (strcmp(name, "inputs") == 0) {
        return read_bindings(r, name, value, &job->inputs, &job->input_count);
    }
    if (strcmp(name, "outputs") == 0) {
        return read_bindings(r, name, value, &job->outputs, &job->output_count);
    }
    if (strcmp(name, "ranges") == 0) {
        return read_ranges(r, value);
    }
    if (strcmp(name, "options") == 0) {
        return read_options(r, value);
    }
    /* A member that is not known may be a mistyped one: left out, it would change the job. */
    const char *near = hb_nearest(name, members);
    if (near == NULL) {
        return HB_FAIL(HB_EUSAGE, "%s: a job has no \"%.40s\"", r->path, name);
    }
    return HB_FAIL(HB_EUSAGE, "%s: a job has no \"%.40s\"; did you mean \"%s\"?", r->path, name, near);
}

/* Reads all members, in the order of the file, and asks for the members that are needed. */
static hb_status read_members(const reader *r, json_t *document)
{
    const char *name;
    json_t *value;
    if (!json_is_object(document)) {
        return HB_FAIL(HB_EUSAGE, "%s: a job is an object, {\"eval\": ..., \"keys\": ..., ...}", r->path);
    }
    json_object_foreach(document, name, value)
    {
        HB_TRY(read_member(r, name, value));
    }
    if (r->job->expression == NULL || r->job->keys == NULL) {
        return HB_FAIL(HB_EUSAGE, "%s: the job has no \"%s\"", r->path, r->job->expression == NULL ? "eval" : "keys");
    }
    return HB_OK;
}

hb_status hb_job_file_read(const char *path, hb_job_file *job)
{
    *job = (hb_job_file){0};
    reader r = {.path = path, .job = job};
    json_error_t error;
    json_t *document = NULL;
    hb_status st = HB_OK;
    int fd;
    uint64_t bytes;
    mode_t mode;
    HB_TRY(hb_open_file(path, true, &fd, &bytes, &mode));
    /* A second "eval" would silently win. */
    document = json_loadfd(fd, JSON_REJECT_DUPLICATES, &error);
    if (!document) {
        st = HB_FAIL(HB_EUSAGE, "%s: line %d, character %d: %s", path, error.line, error.column, error.text);
        goto done;
    }
    /* Paths of the job are relative to this folder. */
    HB_GOTO(hb_folder_of(path, &r.folder));
    HB_GOTO(read_members(&r, document));
done:
    json_decref(document);
    close(fd);
    free(r.folder);
    return st;
}

void hb_job_file_clear(hb_job_file *job)
{
    for (uint32_t i = 0; i < job->input_count; i++) {
        hb_binding_clear(&job->inputs[i]);
    }
    for (uint32_t i = 0; i < job->output_count; i++) {
        hb_binding_clear(&job->outputs[i]);
    }
    for (uint32_t i = 0; i < job->option_count; i++) {
        free(job->options[i]);
    }
    hb_ranges_free(job->ranges, job->range_count);
    free(job->expression);
    free(job->keys);
    free(job->inputs);
    free(job->outputs);
    free(job->options);
    *job = (hb_job_file){0};
}
