#include "recompute.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "batch/job/shared_dataset.h"
#include "cli/console.h"
#include "cli/parse.h"
#include "commands.h"
#include "eval_request.h"
#include "io/files/durable.h"
#include "io/files/file_lock.h"
#include "io/keys/keyfile.h"
#include "parts/part_owner.h"
#include "tables/sanitize_job.h"

/* The result that is computed again. Zeroed: none. */
typedef struct again {
    hb_group *group;
    hb_common common; /* the result goes where the log goes */
    const hb_recompute_request *request;
    hb_eval_request *eval;
    hb_recompute_inputs demands;
    hb_joint_state known; /* of the owner: the keys that he compared */
    hb_recomputed *outcome;
    hb_dataset *dataset; /* of several residues the one that is computed */
    uint32_t binding;    /* of the output that the dataset is */
    char *folder;
    int lock;                     /* of the folder, on rank 0; -1: there is none */
    bool same;                    /* the header that eval makes is that of the dataset */
    bool near;                    /* or has as many limbs, at least */
    hb_error differs;             /* why it is not, by the default of --compact */
    uint8_t sum[HB_DIGEST_BYTES]; /* on rank 0: of the result */
} again;

/* --- the folder */

/* Removes a dataset, or a file, of the private folder. */
static hb_status remove_entry(void *context, int folder, const char *path, const char *entry)
{
    (void)context;
    char *dataset;
    if (unlinkat(folder, entry, 0) == 0) {
        return HB_OK;
    }
    if (asprintf(&dataset, "%s/%s", path, entry) < 0) {
        return HB_FAIL(HB_ENOMEM, "no memory for a path");
    }
    const hb_status st = hb_remove_folder(dataset);
    free(dataset);
    return st;
}

static hb_status remove_all(const char *folder)
{
    HB_TRY(hb_folder_each(folder, remove_entry, NULL));
    return hb_remove_folder(folder);
}

/* Rank 0 makes it, and removes those of jobs that were killed. */
static hb_status make_folder(again *a)
{
    char *base;
    HB_TRY(hb_path_with(a->request->output, ".recomputed", &base));
    hb_file_lock_sweep(base, remove_all);
    const hb_status st = hb_file_lock_new_folder(base, 0700, &a->folder, &a->lock);
    free(base);
    return st;
}

/* All ranks have its name then. Collective. */
static hb_status share_folder(again *a)
{
    const size_t bytes = strlen(a->request->output) + sizeof ".recomputed." + HB_FILE_LOCK_DIGITS;
    HB_TRY(hb_agree(a->group, a->group->rank == 0 ? make_folder(a) : HB_OK));
    char *name = calloc(bytes + 1, 1);
    hb_status st = hb_agree(a->group, name != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a path"));
    if (st == HB_OK && a->group->rank == 0) {
        snprintf(name, bytes, "%s", a->folder);
    }
    st = st == HB_OK ? hb_group_broadcast(a->group, name, bytes, 0) : st;
    if (a->folder == NULL) {
        a->folder = name;
        name = NULL;
    }
    free(name);
    return hb_agree(a->group, st);
}

/* After success and failure; the last error stays. */
static void leave(again *a)
{
    const hb_error cause = *hb_last_error();
    if (a->lock >= 0) {
        if (remove_all(a->folder) != HB_OK) {
            hb_console_warn(a->group, "%s is left: %s", a->folder, hb_last_error()->text);
        }
        (void)close(a->lock);
    }
    free(a->folder);
    hb_dataset_close(a->dataset);
    if (a->eval != NULL) {
        hb_eval_request_clear(a->eval);
    }
    free(a->eval);
    hb_recompute_inputs_clear(&a->demands);
    hb_joint_state_clear(&a->known);
    hb_set_error(&cause);
}

/* --- which output it is */

static bool is_same_place(const char *a, const char *b)
{
    struct stat one, other;
    return strcmp(a, b) == 0 ||
           (stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino);
}

static hb_status refuse_outputs(const again *a, char *const *assigns)
{
    return assigns[0] == NULL
               ? HB_FAIL(HB_EUSAGE, "the expression assigns nothing: write NAME = ...")
               : HB_FAIL(HB_EUSAGE,
                         "the expression assigns %s and others: say which were stored, as eval was told, one of them "
                         "as NAME=%s",
                         assigns[0], a->request->input);
}

/* The output that was bound to the dataset; the only one that was bound; or, where none was, the only one. */
static hb_status find_output(again *a, char *const *assigns)
{
    hb_eval_request *r = a->eval;
    uint32_t bound = 0, places = 0, at = 0, last = 0;
    for (uint32_t i = 0; i < r->options.binding_count; i++) {
        const hb_binding *binding = &r->bindings[i];
        if (!hb_names_have(assigns, binding->name)) {
            continue;
        }
        bound++;
        last = i;
        if (is_same_place(binding->path, a->request->input)) {
            places++;
            at = i;
        }
    }
    if (places == 1 || bound == 1) {
        a->binding = places == 1 ? at : last;
        return HB_OK;
    }
    if (bound > 0 || assigns[0] == NULL || assigns[1] != NULL) {
        return refuse_outputs(a, assigns);
    }
    hb_binding *own = &r->bindings[r->options.binding_count];
    *own = (hb_binding){.name = strdup(assigns[0]), .path = strdup(a->request->input)};
    a->binding = r->options.binding_count++;
    return own->name != NULL && own->path != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a name");
}

/* Outputs go to the private folder; in a dry run they would. */
static hb_status move_outputs(again *a, char *const *assigns)
{
    hb_eval_request *r = a->eval;
    for (uint32_t i = 0; i < r->options.binding_count; i++) {
        hb_binding *binding = &r->bindings[i];
        if (!hb_names_have(assigns, binding->name)) {
            continue;
        }
        free(binding->path);
        if (asprintf(&binding->path, "%s%s%" PRIu32 ".heb", a->folder != NULL ? a->folder : a->request->output,
                     a->folder != NULL ? "/" : ".recomputed.", i) < 0) {
            binding->path = NULL;
            return HB_FAIL(HB_ENOMEM, "no memory for a path");
        }
    }
    return HB_OK;
}

/* --- the job of eval */

/* Opens a residue of the dataset, whose header says how it was computed and opened. Collective. */
static hb_status turn_to(again *a, uint32_t residue)
{
    if (hb_spec_residue(&hb_dataset_header(a->dataset)->spec) == residue) {
        return HB_OK;
    }
    hb_dataset *next = NULL;
    HB_TRY(hb_agree(a->group,
                    hb_dataset_open_among(a->request->input, residue, hb_shared_dataset_ranks(a->group), &next)));
    hb_dataset_close(a->dataset);
    a->dataset = next;
    return HB_OK;
}

static uint32_t residues_of(const again *a)
{
    return hb_spec_residues(&hb_dataset_header(a->dataset)->spec);
}

/* Which output of the job is the result. */
static uint32_t output_of(const again *a, const hb_eval_job *job)
{
    uint32_t o = 0;
    while (strcmp(job->outputs.names[o], a->eval->bindings[a->binding].name) != 0) {
        o++;
    }
    return o;
}

/* The header that the output has, or would have once it is opened by an encryption of zero. */
static hb_status header_of(const again *a, const hb_eval_job *job, hb_header *header)
{
    const hb_header_past *past = &hb_dataset_header(a->dataset)->past;
    hb_sanitize_plan plan;
    *header = job->outputs.output[output_of(a, job)].header;
    if (!past->opened) {
        return HB_OK;
    }
    const hb_quality quality = hb_predicted_quality(job->base.session.params, header);
    HB_TRY(hb_header_sanitize(header, job->base.session.params, quality, 0, a->request->input, &plan));
    header->past.zero_seed = past->zero_seed;
    return HB_OK;
}

static hb_status compare_headers(again *a, const hb_eval_job *job, bool *same)
{
    const hb_header *dataset = hb_dataset_header(a->dataset);
    uint8_t mine[HB_DIGEST_BYTES], digest[HB_DIGEST_BYTES];
    hb_header header;
    *same = false;
    HB_TRY(header_of(a, job, &header));
    hb_header_digest(mine, &header);
    hb_header_digest(digest, dataset);
    a->near = header.limbs == dataset->limbs;
    *same = memcmp(mine, digest, sizeof mine) == 0;
    if (*same) {
        return HB_OK;
    }
    if (memcmp(header.key_id, dataset->key_id, sizeof header.key_id) != 0) {
        return HB_FAIL(HB_EDATA, "%s is under another key than the inputs of --recompute", a->request->input);
    }
    if (header.limbs != dataset->limbs) {
        return HB_FAIL(HB_EDATA,
                       "%s has %" PRIu32 " limbs, and --recompute makes %" PRIu32
                       ": another expression, or other inputs, or another --compact",
                       a->request->input, dataset->limbs, header.limbs);
    }
    return HB_FAIL(HB_EDATA,
                   "%s is not what --recompute makes, by its columns, ranges, sizes or bounds: another expression, "
                   "other inputs, or other options of eval",
                   a->request->input);
}

/* Opened: compares before anything is computed, as headers are in the sum; then runs. */
static hb_status run_opened(again *a, hb_eval_job *job, bool last)
{
    HB_TRY(hb_agree(a->group, hb_recompute_inputs_check(&a->demands, job)));
    hb_status st = compare_headers(a, job, &a->same);
    uint64_t same = a->same ? 0 : 1;
    HB_TRY(hb_group_max(a->group, &same, 1));
    a->same = same == 0;
    if (!a->same && !last) {
        a->differs = *hb_last_error();
        return HB_OK; /* with another --compact, then */
    }
    HB_TRY(hb_agree(a->group, st));
    HB_TRY(hb_agree(a->group, a->request->dry_run ? hb_eval_job_estimate(job) : HB_OK));
    if (a->eval->options.job.residue == 0) {
        hb_eval_job_print(job, false);
        hb_recompute_inputs_print(job, a->group, &a->common);
        a->outcome->inputs = a->group->rank == 0 ? hb_recompute_inputs_json(job) : NULL;
    }
    hb_console_residue(a->group, &a->common, a->eval->options.job.residue, residues_of(a));
    if (a->request->dry_run) {
        return HB_OK;
    }
    HB_TRY(hb_eval_job_run_and_report(job));
    memcpy(a->sum, job->outputs.output[output_of(a, job)].dataset.sum, sizeof a->sum);
    return HB_OK;
}

static hb_status run_residue(again *a, hb_eval_job *job, hb_job_kept *kept, bool last)
{
    HB_TRY(turn_to(a, a->eval->options.job.residue));
    hb_status st = hb_eval_job_open(job, a->group, &a->common, &a->eval->options, kept);
    st = st == HB_OK ? run_opened(a, job, last) : st;
    hb_job_close(&job->base);
    return st;
}

/* As eval does: one residue after another, with what the first one has opened; in a dry run the first. */
static hb_status run_eval(again *a, bool last)
{
    uint32_t *residue = &a->eval->options.job.residue;
    const uint32_t residues = a->request->dry_run ? 1 : residues_of(a);
    hb_eval_job *job = calloc(1, sizeof *job); /* stacks are short */
    hb_job_kept *kept = calloc(1, sizeof *kept);
    hb_residues_so_far so_far = {0};
    a->eval->options.job.so_far = &so_far;
    hb_status st = hb_agree(a->group, job != NULL && kept != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a job"));
    a->same = true;
    for (*residue = 0; st == HB_OK && a->same && *residue < residues; ++*residue) {
        st = run_residue(a, job, kept, last);
    }
    hb_job_kept_free(kept);
    hb_table_close(so_far.table);
    hb_schema_clear(&so_far.ranges);
    free(job);
    return st;
}

/* A dataset does not say whether its eval was told to leave it in all limbs: the headers tell. Where neither makes the
 * dataset's, the reason is that of the one with its limbs, or of the default. */
static hb_status find_and_run(again *a)
{
    hb_eval_options *options = &a->eval->options;
    const bool both = options->compact == HB_COMPACT_AUTO;
    HB_TRY(run_eval(a, !both));
    if (a->same || !both) {
        return HB_OK;
    }
    const bool near = a->near;
    options->compact = 0;
    options->force = !a->request->dry_run; /* a residue may have been made before another one was different */
    const hb_status st = run_eval(a, true);
    if (st == HB_EDATA && !a->same && (near || !a->near)) {
        hb_set_error(&a->differs);
    }
    return st;
}

/* --- an encryption of zero whose seed the dataset says */

static hb_status open_residue(again *a, hb_sanitize_job *job, hb_sanitize_options *options, uint32_t residue)
{
    HB_TRY(turn_to(a, residue));
    options->base.job.residue = residue;
    options->zero = &hb_dataset_header(a->dataset)->past.zero_seed;
    hb_status st = hb_sanitize_job_open(job, a->group, &a->common, options);
    hb_output_job *base = &job->base.base;
    st = st == HB_OK ? hb_job_run(&base->job) : st;
    memcpy(a->sum, base->output.sum, sizeof a->sum);
    hb_job_close(&base->job);
    return st;
}

static hb_status open_again(again *a)
{
    hb_sanitize_job *job = calloc(1, sizeof *job);
    char *key = NULL, *made = NULL;
    hb_output_found found = {0};
    hb_residues_so_far so_far = {0};
    hb_status st = job != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a job");
    st = st == HB_OK ? hb_path_with(a->eval->options.keys, "/" HB_KEYFILE_PUBLIC, &key) : st;
    if (st == HB_OK && asprintf(&made, "%s/opened.heb", a->folder) < 0) {
        made = NULL;
        st = HB_FAIL(HB_ENOMEM, "no memory for a path");
    }
    st = hb_agree(a->group, st);
    if (st == HB_OK) {
        hb_sanitize_options options = {
            .base = {.job = {.device = a->request->job.device, .limbs = a->request->job.limbs, .so_far = &so_far},
                     .input = a->eval->bindings[a->binding].path,
                     .output = made,
                     .found = &found},
            .key = key,
            .bits = HB_SANITIZE_BITS,
            .open = true,
            .checked = &a->known.checked,
            .test_seed = true};
        for (uint32_t r = 0; st == HB_OK && r < residues_of(a); r++) {
            st = open_residue(a, job, &options, r);
        }
    }
    free(key);
    free(made);
    free(job);
    return st;
}

/* --- all of it */

/* Which keys the owner compared; the key of the dataset is one of them. */
static hb_status read_known(again *a)
{
    const hb_recompute_request *request = a->request;
    const hb_header *dataset = hb_dataset_header(a->dataset);
    hb_part_owner owner = {.ledger = NULL};
    hb_status st = hb_part_owner_open(&owner, request->key, request->session, dataset, request->input);
    st = st == HB_OK ? hb_part_owner_read_state(&owner, &a->known) : st;
    st = st == HB_OK ? hb_part_owner_check_key(&owner, &a->known, dataset->key_id, request->input) : st;
    hb_part_owner_close(&owner);
    return st;
}

/* Rank-local. */
static hb_status prepare(again *a)
{
    const hb_recompute_request *request = a->request;
    char **reads = NULL, **assigns = NULL;
    hb_parsed parsed = {.help = false};
    HB_TRY(hb_dataset_open_among(request->input, 0, hb_shared_dataset_ranks(a->group), &a->dataset));
    const hb_header_past *past = &hb_dataset_header(a->dataset)->past;
    if (past->sanitized > 0) {
        return HB_FAIL(HB_EDATA,
                       "%s is sanitized, with noise that nobody draws again: --recompute cannot make it; hebatch "
                       "sanitize --open makes datasets that it can, or take --sum from who made it",
                       request->input);
    }
    HB_TRY(read_known(a));
    a->eval = calloc(1, sizeof *a->eval);
    if (a->eval == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a request");
    }
    HB_TRY(hb_eval_request_read(a->eval, &hb_command_eval, a->group, (int)request->line.count, request->line.word,
                                &parsed));
    hb_eval_options *options = &a->eval->options;
    options->job = (hb_job_options){.device = request->job.device, .limbs = request->job.limbs};
    options->force = options->resume = false;
    options->dry_run = request->dry_run;
    options->sanitize = 0;
    options->wrap = true; /* the header says where results may have */
    options->found = NULL;
    options->checked = &a->known.checked;
    if (past->opened && options->keys == NULL) {
        return HB_FAIL(HB_EUSAGE, "--keys DIR is missing: %s was opened with its public key", request->input);
    }
    HB_TRY(hb_program_names(options->expression, &reads, &assigns));
    hb_status st = hb_recompute_inputs_read(&a->demands, a->eval->bindings, options->binding_count, assigns);
    st = st == HB_OK ? find_output(a, assigns) : st;
    st = st == HB_OK ? move_outputs(a, assigns) : st;
    hb_names_free(reads);
    hb_names_free(assigns);
    return st;
}

/* Rank 0 has the sum. Collective. */
static hb_status compare_sums(again *a, char text[2 * HB_DIGEST_BYTES + 1])
{
    uint8_t own[HB_DIGEST_BYTES];
    char said[2 * HB_DIGEST_BYTES + 1];
    HB_TRY(hb_group_broadcast(a->group, a->sum, sizeof a->sum, 0));
    hb_hex(text, a->sum, sizeof a->sum);
    hb_dataset_sum(a->dataset, own);
    hb_hex(said, own, sizeof own);
    return memcmp(own, a->sum, sizeof own) == 0
               ? HB_OK
               : HB_FAIL(HB_EDATA,
                         "sum of %s is %s, and --recompute makes %s: it is another result, or one of other "
                         "inputs",
                         a->request->input, said, text);
}

static hb_status compute(again *a)
{
    if (!a->request->dry_run) {
        HB_TRY(share_folder(a));
    }
    HB_TRY(hb_agree(a->group, prepare(a)));
    HB_TRY(find_and_run(a));
    if (a->request->dry_run) {
        return HB_OK;
    }
    if (hb_dataset_header(a->dataset)->past.opened) {
        HB_TRY(open_again(a));
    }
    return hb_agree(a->group, compare_sums(a, a->outcome->sum));
}

hb_status hb_recompute(hb_group *group, const hb_common *common, const hb_recompute_request *request,
                       hb_recomputed *made)
{
    again a = {.group = group, .common = *common, .request = request, .outcome = made, .lock = -1};
    *made = (hb_recomputed){.inputs = NULL};
    a.common.json = false;
    a.common.piped = true;
    const hb_status st = compute(&a);
    leave(&a);
    return st;
}
