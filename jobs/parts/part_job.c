#include "part_job.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "batch/unit/work.h"
#include "cli/console.h"
#include "cli/misplaced_argument.h"
#include "cli/parse.h"
#include "cli/stop.h"
#include "io/files/durable.h"
#include "part_look.h"
#include "scheme/params.h"
#include "tables/part_inputs.h"

/* --- the key that parts are for, where they are not in the clear */

static hb_status check_receiver(const hb_keyfile *file, const char *path, const hb_header *dataset,
                                const char *dataset_path)
{
    char id[2 * HB_KEY_ID_BYTES + 1];
    if (file->kind != HB_KEY_PUBLIC) {
        return HB_FAIL(HB_EUSAGE, "--to %s: is a secret key; parts are made for the public one", path);
    }
    if (!hb_params_same(&file->spec, &dataset->spec)) {
        return HB_FAIL(HB_ECONFIG, "%s has other parameters than %s: parts are for keys of the same ones", path,
                       dataset_path);
    }
    hb_hex(id, file->key_id, HB_KEY_ID_BYTES);
    return memcmp(file->key_id, dataset->key_id, sizeof file->key_id) != 0
               ? HB_OK
               : HB_FAIL(HB_EUSAGE, "--to %s: %s is under this key, %s, already", path, dataset_path, id);
}

/* Reads the public key for parts of the dataset with this header. */
static hb_status receiver_open(hb_part_receiver *receiver, const char *path, const hb_header *dataset,
                               const char *dataset_path)
{
    HB_TRY(hb_misplaced_public_key_directory(path));
    HB_TRY(hb_keyfile_read(path, &receiver->file));
    HB_TRY(check_receiver(&receiver->file, path, dataset, dataset_path));
    const hb_joint_spec *joint = &receiver->file.spec.joint;
    receiver->owners = joint->owners > 1 ? *joint : (hb_joint_spec){.owners = 0};
    return HB_OK;
}

/* Puts the key on the session's engine, of this member's limbs. */
static hb_status receiver_load(hb_part_receiver *receiver, const hb_session *session)
{
    const hb_keyfile *file = &receiver->file;
    return hb_public_key_load(&receiver->key, session->engine, session->params, file->packed_b, file->packed_a,
                              &file->public_seed);
}

static void receiver_close(hb_part_receiver *receiver)
{
    hb_public_key_clear(&receiver->key);
    hb_keyfile_clear(&receiver->file);
    memset(receiver, 0, sizeof *receiver);
}

/* Says in the facts of a part that it is for this key; in the clear, where there is none. */
static void receiver_say(const hb_part_receiver *receiver, hb_part_facts *facts)
{
    memcpy(facts->receiver, receiver->file.key_id, sizeof facts->receiver);
    facts->receiving = receiver->owners;
}

/* --- the job */

/* A server that chose the dataset would learn the secret from its part: somebody whom the owner trusts says its sum. */
static hb_status check_sum(const hb_part_job *job)
{
    const hb_part_options *options = &job->options;
    return options->sum != NULL ? hb_demanded_sum_check(options->sum, "--sum ", job->decryption.dataset, options->input)
                                : HB_OK;
}

/* The cells that the part is for. */
static hb_status select_cells(const hb_part_job *job, hb_part_facts *facts)
{
    const hb_part_options *options = &job->options;
    const hb_schema *schema = &job->base.job.header->schema;
    hb_selection selection;
    if (options->rows == NULL && options->columns == NULL) {
        return HB_OK;
    }
    if (options->to != NULL) { /* a dataset of all cells says of none that its values are uniform */
        return HB_FAIL(HB_EUSAGE, "--to: its dataset has all cells of the table: leave --rows and --columns out, or "
                                  "compute a result of the wanted columns alone");
    }
    if (schema->grouping != NULL) {
        return HB_FAIL(
            HB_EUSAGE,
            "%s: --rows and --columns of a part are those of a table, and this dataset has totals, all of which "
            "a part is for: leave the two options out",
            options->input);
    }
    hb_status st = hb_selection_read(options->rows, options->columns, schema, &selection);
    if (st == HB_OK) {
        facts->some = true;
        facts->row = selection.view.row;
        facts->rows = selection.view.rows;
        facts->columns = selection.view.count;
        facts->column = selection.columns;
        selection.columns = NULL;
    }
    hb_selection_clear(&selection);
    return st;
}

static hb_status check_level(const hb_part_job *job)
{
    const hb_params *params = job->base.job.session.params;
    const uint32_t limbs = job->base.job.header->limbs;
    return limbs <= params->fresh_limbs && params->levels[limbs].basis.limbs != 0
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: its parameters have no level of %" PRIu32 " limbs", job->options.input, limbs);
}

/* Under a key that the owner did not compare nothing is made, whatever is said of the dataset. */
static hb_status check_key(const hb_part_job *job)
{
    hb_joint_state state;
    hb_status st = hb_part_owner_read_state(&job->owner, &state);
    st = st == HB_OK ? hb_part_owner_check_key(&job->owner, &state, job->base.job.header->key_id, job->options.input)
                     : st;
    hb_joint_state_clear(&state);
    return st;
}

/* The header of the part is that of the dataset, and says what it is for. */
static hb_status fill_header(hb_part_job *job)
{
    const hb_header *dataset = job->base.job.header;
    hb_part_facts *part = calloc(1, sizeof *part);
    if (part == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a part");
    }
    job->header = *dataset;
    job->header.version = 0;
    job->header.kept = 0; /* every coefficient of a part may be needed: its noise and pads stand in all */
    job->header.schema = (hb_schema){.rows = 0};
    job->header.part = part;
    snprintf(part->from, sizeof part->from, "%s", job->owner.party.name);
    hb_dataset_sum(job->decryption.dataset, part->part_of);
    part->owners = job->set.bits;
    part->u = job->plan.flood.u;
    part->w = job->plan.flood.w;
    receiver_say(&job->receiver, part);
    HB_TRY(hb_schema_copy(&job->header.schema, &dataset->schema));
    return select_cells(job, part);
}

static void fill_setting(hb_part_job *job)
{
    const hb_part_set *set = &job->set;
    job->setting = (hb_unit_part_setting){
        .dataset = job->decryption.dataset,
        .part = &job->header,
        .request = {.session_id = job->owner.session.id, .owners = set->card, .count = set->count, .plan = job->plan},
        .cells = &job->cells,
        .owner = &job->owner,
        .masked = set->bits != 0,
        .masks = {set->card, set->count, set->self, &job->owner.party.root},
        .secret = &job->base.job.session.secret,
        .receiver = job->options.to != NULL ? &job->receiver.key : NULL};
    memcpy(job->setting.request.cells, job->cells.digest, sizeof job->cells.digest);
    memcpy(job->setting.request.receiver, job->header.part->receiver, sizeof job->setting.request.receiver);
    job->signer = (hb_part_signer){hb_part_owner_sign, &job->owner};
}

hb_status hb_part_output_check(const char *output)
{
    hb_dataset *dataset = NULL;
    HB_TRY(hb_misplaced_part_name(output));
    if (!hb_path_is_folder(output)) {
        return HB_OK;
    }
    const hb_status st = hb_dataset_open(output, &dataset); /* which refuses a part */
    hb_dataset_close(dataset);
    if (st != HB_OK) {
        hb_clear_error();
        return HB_OK;
    }
    return HB_FAIL(HB_ECREATE, "%s: is a dataset, which no part replaces: choose another name, as OUT.part", output);
}

/* The owners of the key that the part is for; 0: it is in the clear. */
static uint32_t receiving(const hb_part_job *job)
{
    hb_part_facts facts = {.some = false};
    receiver_say(&job->receiver, &facts);
    return hb_part_receiving(&facts);
}

/* Every rank looks at dataset and secret for itself. */
static hb_status find_out(hb_job *base)
{
    hb_part_job *job = (hb_part_job *)base;
    const hb_part_options *options = &job->options;
    HB_TRY(hb_part_output_check(options->output));
    HB_TRY(hb_output_job_look(&job->base));
    HB_TRY(hb_decryption_open(&job->decryption, base, options->input));
    HB_TRY(hb_dataset_require_whole(job->decryption.dataset, options->input));
    HB_TRY(hb_part_dataset_check(base->header, options->input));
    HB_TRY(check_sum(job)); /* before the secret is read */
    HB_TRY(hb_session_open_keyless(&base->session, &base->header->spec));
    memcpy(base->session.key_id, base->header->key_id, sizeof base->session.key_id);
    HB_TRY(check_level(job));
    if (options->to != NULL) {
        HB_TRY(receiver_open(&job->receiver, options->to, base->header, options->input));
    }
    HB_TRY(hb_part_plan_for(base->session.params, base->header, options->input, receiving(job), &job->plan));
    HB_TRY(hb_part_owner_open(&job->owner, options->key, options->session, base->header, options->input));
    HB_TRY(hb_part_count_check(base->header, options->input));
    HB_TRY(hb_part_set_read(&job->set, options->owners, &job->owner));
    HB_TRY(check_key(job));
    HB_TRY(fill_header(job));
    HB_TRY(hb_part_cells_init(&job->cells, base->header, job->header.part));
    fill_setting(job);
    return HB_OK;
}

static hb_status compare(hb_job *base)
{
    hb_part_job *job = (hb_part_job *)base;
    uint8_t digest[HB_DIGEST_BYTES];
    HB_TRY(hb_decryption_compare(&job->decryption, base));
    hb_header_digest(digest, &job->header);
    HB_TRY(hb_group_same(base->group, digest, "the owner, the cells, or the receiver"));
    hb_part_request_digest(digest, job->header.part);
    HB_TRY(hb_agree(base->group, hb_job_same_residues(base, digest, "the dataset, or the receiver's key")));
    return hb_part_owner_unseal(&job->owner, base->group, job->options.key); /* before a device is opened */
}

/* Reading, a product, and writing: as decryption without a table. For a receiver it is encrypted as well, on the limbs
 * that it has. */
static hb_work work_of(const hb_job *base, uint32_t groups)
{
    const hb_part_job *job = (const hb_part_job *)base;
    const hb_params *params = base->session.params;
    hb_work work = hb_work_decrypt(params, base->header, NULL, (int)groups);
    if (job->options.to != NULL) {
        const hb_work fresh = hb_work_encrypt(params, &job->header, (hb_table_list){.count = 0}, (int)groups);
        hb_cost_add(&work.loop, (double)job->header.limbs / params->fresh_limbs, &fresh.loop);
    }
    work.on_disk = hb_path_is_on_disk(job->options.output);
    return work;
}

static uint64_t worker_bytes(const void *context, const hb_params *params, size_t batch)
{
    const hb_part_job *job = context; /* begins with its base */
    return hb_unit_part_bytes(params, &job->header, batch);
}

/* The receiver's key, beside that of the session. */
static uint64_t fixed_bytes(const void *context, const hb_params *params)
{
    const hb_part_job *job = context;
    const uint64_t limbs = hb_params_most_limbs(params, params->ids, params->key_limbs);
    return job->options.to != NULL ? 2 * limbs * params->spec.n * sizeof(uint64_t) : 0;
}

static hb_status describe(const hb_job *base, hb_resume *described)
{
    return hb_resume_add_digest(described, "part", ((const hb_part_job *)base)->header.part->part_of);
}

/* Puts the session beside the part, by whose cards its signature is checked. A job that was killed may have done so. */
static hb_status put_session(const hb_part_job *job)
{
    const hb_session_file *session = &job->owner.session;
    char *path;
    bool there;
    HB_TRY(hb_path_with(job->options.output, HB_OUTPUT_FOLDER HB_PART_SESSION_NAME, &path));
    hb_status st = hb_path_is_there(path, &there);
    if (st == HB_OK && !there) {
        st = hb_session_file_write(path, &session->spec, &session->session);
    }
    free(path);
    return st;
}

/* In any thread, while another process holds the ledger. */
static hb_status ask_waiting(void *context, double seconds)
{
    hb_part_job *job = context;
    const hb_job *base = &job->base.job;
    if (seconds >= 1 && !atomic_exchange(&job->told, true)) {
        hb_console_log(base->group, base->common, "%s: another process holds it; waiting for a minute at most",
                       job->owner.ledger_path);
    }
    HB_TRY(hb_stop_check());
    return hb_deadline_near(&base->deadline, hb_now(), 0, 0) ? hb_deadline_stop(&base->deadline) : HB_OK;
}

/* The ledger is there before any part is. */
static hb_status begin(hb_job *base)
{
    hb_part_job *job = (hb_part_job *)base;
    job->owner.waiting = (hb_file_lock_waiting){ask_waiting, job};
    const bool first = base->group->rank == 0;
    const bool anew = job->options.new_ledger && job->options.job.residue == 0;
    HB_TRY(hb_agree(base->group, first ? hb_part_owner_begin_ledger(&job->owner, anew) : HB_OK));
    HB_TRY(hb_agree(base->group, hb_part_owner_open_ledger(&job->owner)));
    HB_TRY(hb_output_dataset_begin(&job->base.output));
    return hb_agree(base->group, first ? put_session(job) : HB_OK);
}

/* After HB_EDATA an input must change before the job can go on. */
static hb_status check(hb_job *base)
{
    hb_part_job *job = (hb_part_job *)base;
    const hb_status st = hb_part_look(job);
    job->base.output.discard = st == HB_EDATA;
    return st == HB_OK ? hb_output_job_check(base) : st;
}

static hb_status prepare(hb_job *base)
{
    hb_part_job *job = (hb_part_job *)base;
    const hb_workers *workers = &base->plan.workers;
    hb_session *session = &base->session;
    HB_TRY(hb_output_job_divide(&job->base));
    if (base->units.mine.count == 0) {
        return HB_OK;
    }
    HB_TRY(hb_job_make_buffers(base));
    HB_TRY(hb_part_set_secret(&session->secret, &job->set, &job->owner, session->engine, session->params));
    if (job->options.to != NULL) {
        HB_TRY(receiver_load(&job->receiver, session));
    }
    for (uint32_t i = 0; i < workers->count; i++) {
        HB_TRY(hb_unit_part_init(&job->unit[i], &job->setting, session->queue[i], workers->batch));
    }
    return HB_OK;
}

static hb_status read_unit(void *context, uint32_t buffer, uint32_t thread, uint64_t u)
{
    (void)thread;
    hb_part_job *job = context;
    return hb_dataset_read(job->decryption.dataset, u, &job->base.job.buffers.buffer[buffer].rows);
}

/* In a worker's thread, on its queue. */
static hb_status make_unit(void *context, uint32_t buffer, uint32_t worker, uint64_t u)
{
    hb_part_job *job = context;
    return hb_unit_part_make(&job->unit[worker], &job->base.job.buffers.buffer[buffer], u);
}

/* In a writer's thread: the disk takes a millisecond for the ledger, in which workers make the next units. */
static hb_status write_unit(void *context, uint32_t buffer, uint32_t thread, uint64_t u)
{
    hb_part_job *job = context;
    HB_TRY(hb_ledger_sync(job->owner.ledger));
    return hb_output_job_write(context, buffer, thread, u);
}

/* All parts are written, and none has its name: a job that is killed here is made to the end by the same line. */
static hb_status commit(hb_job *base)
{
    const hb_part_job *job = (const hb_part_job *)base;
    HB_TRY(hb_agree(base->group, base->group->rank == 0 ? hb_part_owner_note_ledger(&job->owner) : HB_OK));
    return hb_output_job_commit(base);
}

static void close_own(hb_job *base)
{
    hb_part_job *job = (hb_part_job *)base;
    for (uint32_t i = 0; i < HB_MOST_WORKERS; i++) {
        hb_unit_part_clear(&job->unit[i]);
    }
    hb_output_dataset_close(&job->base.output);
    hb_header_clear(&job->header);
    hb_part_cells_clear(&job->cells);
    hb_part_set_clear(&job->set);
    receiver_close(&job->receiver);
    hb_part_owner_close(&job->owner);
    hb_decryption_close(&job->decryption);
}

static const hb_job_kind kind = {.bytes = sizeof(hb_part_job),
                                 .command = "decrypt --part",
                                 .verb = "done",
                                 .resumable = true,
                                 .stages = {.read = read_unit, .compute = make_unit, .write = write_unit},
                                 .find_out = find_out,
                                 .compare = compare,
                                 .work = work_of,
                                 .worker_bytes = worker_bytes,
                                 .fixed_bytes = fixed_bytes,
                                 .open_output = hb_output_job_open,
                                 .begin = begin,
                                 .check = check,
                                 .prepare = prepare,
                                 .loop = hb_output_job_run,
                                 .sync = hb_output_job_sync,
                                 .commit = commit,
                                 .end = hb_output_job_end,
                                 .close = close_own};

hb_status hb_part_job_open(hb_part_job *job, hb_group *group, const hb_common *common, const hb_part_options *options)
{
    *job = (hb_part_job){.base = {.job = {.kind = &kind, .group = group, .common = common, .options = options->job},
                                  .inputs = &job->options.input,
                                  .input_count = 1,
                                  .describe = describe,
                                  .request = {.path = options->output,
                                              .header = &job->header,
                                              .resume = options->resume,
                                              .force = options->force,
                                              .dry_run = options->dry_run,
                                              .signer = &job->signer,
                                              .found = options->found}},
                         .options = *options};
    return hb_job_open(&job->base.job);
}
