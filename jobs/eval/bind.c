/* Which words of a job are its inputs and which its outputs, and whether the outputs can be. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "cli/misplaced_argument.h"
#include "cli/paths.h"
#include "io/files/durable.h"
#include "job_private.h"
#include "lang/text/binding.h"

/* Names of an expression, found by a hash: there may be very many outputs. */
typedef struct name_set {
    char *const *names;
    hb_index_table table;
} name_set;

typedef struct wanted {
    char *const *names;
    const char *name;
} wanted;

static bool is_wanted(const void *context, uint32_t index)
{
    const wanted *w = context;
    return strcmp(w->names[index], w->name) == 0;
}

static uint32_t *find_name(const name_set *set, const char *name)
{
    const wanted w = {set->names, name};
    return hb_index_table_find(&set->table, hb_hash_text(name), is_wanted, &w);
}

/* names: NULL-terminated, borrowed. */
static hb_status make_set(name_set *set, char *const *names)
{
    uint32_t count = 0;
    while (names[count] != NULL) {
        count++;
    }
    *set = (name_set){.names = names};
    HB_TRY(hb_index_table_init(&set->table, count));
    for (uint32_t i = 0; i < count; i++) {
        *find_name(set, names[i]) = i;
    }
    return HB_OK;
}

static bool set_has(const name_set *set, const char *name)
{
    return *find_name(set, name) != HB_NO_INDEX;
}

/* Returns a name that the expression reads and no word binds, which perhaps is a column of an input that is bound but
 * not read; NULL if there is none. */
static const char *unbound(const hb_eval_options *options, char *const *reads)
{
    while (*reads != NULL &&
           hb_binding_find(options->bindings, options->binding_count, *reads) < options->binding_count) {
        reads++;
    }
    return *reads;
}

/* Refuses a word that cannot be right; the messages suggest the likely meaning. */
static hb_status check_binding(const hb_eval_options *options, uint32_t i, bool assigned, const name_set *names)
{
    const hb_binding *binding = &options->bindings[i];
    /* A name may be read and assigned: then the result would replace the input. */
    const bool read = set_has(names, binding->name);
    if (read && assigned) {
        return HB_FAIL(HB_EUSAGE,
                       "%s is both read and assigned: give the result another name; before a loop that changes it: r = "
                       "%s; repeat ...",
                       binding->name, binding->name);
    }
    /* A job file says on which side a name is; the expression decides, and they must agree. */
    if (binding->side == (assigned ? HB_BINDING_INPUT : HB_BINDING_OUTPUT)) {
        return HB_FAIL(HB_EUSAGE, "%s=%s: the job has it among its %s, but the expression %s it", binding->name,
                       binding->path, assigned ? "inputs" : "outputs", assigned ? "assigns" : "does not assign");
    }
    if (read || assigned) {
        return HB_OK;
    }
    if (options->model != NULL) {
        return HB_FAIL(HB_EUSAGE, "%s=%s: a model has no %s: it reads x=IN.heb and makes y=OUT.heb", binding->name,
                       binding->path, binding->name);
    }
    const char *column = unbound(options, names->names);
    if (column == NULL) {
        return HB_FAIL(HB_EUSAGE, "%s=%s: the expression has no %s", binding->name, binding->path, binding->name);
    }
    return HB_FAIL(HB_EUSAGE, "%s=%s: the expression has no %s; if %s is one of its columns, write %s.%s",
                   binding->name, binding->path, binding->name, column, binding->name, column);
}

/* Opens an input, or notes an output, which is opened when the program is known. */
static hb_status take_binding(hb_eval_job *job, const hb_binding *binding, bool assigned, char *const *weights)
{
    if (!assigned) {
        hb_eval_input *input = &job->inputs.input[job->inputs.count++];
        HB_TRY(hb_eval_input_open(input, binding->name, binding->path, job->options.job.residue, job->base.group));
        input->serves_all = input->dataset != NULL && hb_names_have(weights, binding->name);
        return HB_OK;
    }
    job->outputs.names[job->outputs.count] = binding->name;
    job->outputs.output[job->outputs.count++].path = binding->path;
    return HB_OK;
}

/* Refuses a job that would store nothing, and names the possible outputs. */
static hb_status check_outputs(const hb_eval_job *job, char *const *assigns)
{
    if (job->outputs.count > 0) {
        return HB_OK;
    }
    if (assigns[0] == NULL) {
        return HB_FAIL(HB_EUSAGE, "the expression assigns nothing: write NAME = ...");
    }
    return HB_FAIL(HB_EUSAGE, "nothing would be stored: add %s=OUT.heb", assigns[0]);
}

static bool is_there(const char *path, const char *suffix)
{
    char *name;
    struct stat info;
    if (hb_path_with(path, suffix, &name) != HB_OK) {
        return false;
    }
    const bool there = lstat(name, &info) == 0;
    free(name);
    return there;
}

/* Whether an output is there or cannot be. Outputs get their names one after another, so a job that was killed
 * meanwhile leaves one that is finished and one that is not. */
static hb_status probe(const hb_eval_job *job, uint32_t o)
{
    const hb_eval_options *options = &job->options;
    const char *path = job->outputs.output[o].path;
    const hb_output_request request = {
        .path = path, .resume = options->resume, .force = options->force, .dry_run = options->dry_run};
    const hb_status st = hb_output_probe(job->base.group, job->base.common, &request);
    if (st != HB_ECREATE || !options->resume || options->force || !is_there(path, "")) {
        return st;
    }
    const hb_error cause = *hb_last_error();
    for (uint32_t p = 0; p < job->outputs.count; p++) {
        const char *other = job->outputs.output[p].path;
        if (is_there(other, ".partial")) {
            return HB_FAIL(HB_ECREATE,
                           "%s: is finished, and %s.partial is not; --resume --force makes the one again and goes on "
                           "with the other",
                           path, other);
        }
    }
    hb_set_error(&cause);
    return st;
}

/* Refuses outputs that are also inputs, or made twice: an existing dataset is replaced only when all is done. */
static hb_status check_places(const hb_eval_job *job)
{
    const uint32_t outputs = job->outputs.count, inputs = job->inputs.count;
    const char **paths = calloc((size_t)outputs + inputs + 1, sizeof *paths);
    if (paths == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %u paths", outputs + inputs);
    }
    for (uint32_t o = 0; o < outputs; o++) {
        paths[o] = job->outputs.output[o].path;
    }
    for (uint32_t i = 0; i < inputs; i++) {
        paths[outputs + i] = job->inputs.input[i].path;
    }
    const hb_status st = hb_paths_check(paths, outputs, paths + outputs, inputs);
    free(paths);
    return st;
}

/* Refuses outputs that cannot be, now, before keys and a device are opened. */
static hb_status check_paths(const hb_eval_job *job)
{
    for (uint32_t o = 0; o < job->outputs.count; o++) {
        const char *path = job->outputs.output[o].path;
        /* Names that look like tables first: the likeliest slip. */
        HB_TRY(hb_misplaced_dataset_name(path));
        HB_TRY(hb_can_create(path));
    }
    HB_TRY(check_places(job));
    for (uint32_t o = 0; o < job->outputs.count && job->base.group->rank == 0 && job->options.job.residue == 0; o++) {
        HB_TRY(probe(job, o));
    }
    return HB_OK;
}

static hb_status check_bound_once(const hb_eval_options *options)
{
    const char **names = calloc((size_t)options->binding_count + 1, sizeof *names);
    if (names == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %u names", options->binding_count);
    }
    for (uint32_t i = 0; i < options->binding_count; i++) {
        names[i] = options->bindings[i].name;
    }
    name_set set;
    hb_status st = make_set(&set, (char *const *)(uintptr_t)names);
    for (uint32_t i = 0; st == HB_OK && i < options->binding_count; i++) {
        const hb_binding *binding = &options->bindings[i];
        if (*find_name(&set, binding->name) != i) { /* the last of that name is there */
            st = HB_FAIL(HB_EUSAGE, "%s=%s: %s is bound twice", binding->name, binding->path, binding->name);
        }
    }
    hb_index_table_clear(&set.table);
    free(names);
    return st;
}

hb_status hb_eval_bind(hb_eval_job *job, char *const *reads, char *const *assigns, char *const *weights)
{
    const hb_eval_options *options = &job->options;
    name_set read = {0}, assigned = {0};
    hb_status st = check_bound_once(options);
    st = st == HB_OK ? make_set(&read, reads) : st;
    st = st == HB_OK ? make_set(&assigned, assigns) : st;
    for (uint32_t i = 0; st == HB_OK && i < options->binding_count; i++) {
        const hb_binding *binding = &options->bindings[i];
        /* A name that the expression assigns is an output; it must read every other name. */
        const bool is_output = set_has(&assigned, binding->name);
        st = check_binding(options, i, is_output, &read);
        st = st == HB_OK ? take_binding(job, binding, is_output, weights) : st;
    }
    hb_index_table_clear(&read.table);
    hb_index_table_clear(&assigned.table);
    HB_TRY(st);
    HB_TRY(check_outputs(job, assigns));
    return check_paths(job);
}
