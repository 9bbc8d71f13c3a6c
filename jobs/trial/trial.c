#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/files/durable.h"
#include "io/joint/place.h"
#include "io/keys/keyfile.h"
#include "joint/masks.h"
#include "joint/part.h"
#include "owners/combine.h"
#include "parts/part_set.h"
#include "scheme/params.h"
#include "trial_private.h"

/* --- identity */

/* H("hebatch trial"; session, key id, number of later rounds, id of each): a trial of these keys has inputs of its own,
 * and is made once. */
static void trial_id(uint8_t id[HB_DIGEST_BYTES], const hb_trial_request *request,
                     const uint8_t key_id[HB_KEY_ID_BYTES])
{
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch trial");
    hb_digest_add(&state, request->seat->file->id, HB_DIGEST_BYTES);
    hb_digest_add(&state, key_id, HB_KEY_ID_BYTES);
    hb_digest_add_u64(&state, request->rounds->count);
    for (uint32_t i = 0; i < request->rounds->count; i++) {
        hb_digest_add(&state, request->rounds->file[i].round.id, HB_DIGEST_BYTES);
    }
    hb_digest_end(&state, id);
}

/* Loads the public key, whose id the owner noted when he compared it: with another one his input might not make the
 * sum uniform. */
static hb_status load_public(hb_key_trial *x, const hb_keyfile *file, const char *path)
{
    const hb_seat *seat = x->request->seat;
    uint8_t id[HB_KEY_ID_BYTES];
    hb_joint_state known;
    if (file->kind != HB_KEY_PUBLIC || file->packed_a != NULL || !hb_params_same(&file->spec, &seat->file->spec)) {
        return HB_FAIL(HB_EDATA, "%s: is not the public key of the session", path);
    }
    hb_key_id(id, seat->params, &file->public_seed, file->packed_b, NULL);
    HB_TRY(hb_joint_state_read(x->request->state, &known));
    const bool same = memcmp(known.key_id, id, sizeof id) == 0;
    hb_joint_state_clear(&known);
    if (!same) {
        return HB_FAIL(HB_EDATA, "%s: is not the key that you compared: hebatch keygen --join .. --check KEYS first",
                       path);
    }
    trial_id(x->seat.round.id, x->request, id);
    return hb_public_key_load(&x->key, seat->engine, seat->params, file->packed_b, NULL, &file->public_seed);
}

static hb_status open_public(hb_key_trial *x)
{
    hb_keyfile file = {.packed_b = NULL};
    char *path;
    HB_TRY(hb_path_with(x->request->keys, "/" HB_KEYFILE_PUBLIC, &path));
    hb_status st = hb_keyfile_read(path, &file);
    st = st == HB_OK ? load_public(x, &file, path) : st;
    hb_keyfile_clear(&file);
    free(path);
    return st;
}

/* --- files */

static hb_status put_polynomial(hb_key_trial *x, hb_message_writer *writer, const char *group, const char *name,
                                uint32_t row, hb_batch a)
{
    const hb_message_parts *parts = hb_message_writer_parts(writer);
    const uint32_t part = hb_message_find(parts, group, name);
    uint8_t *packed = hb_trial_room(x, parts->part[part].row_bytes);
    HB_TRY(hb_share_pack(x->seat.engine, x->seat.params, packed, a));
    return hb_message_put(writer, part, row, packed);
}

/* Reads a row of a message into a polynomial. HB_EDATA where a residue is out of range. */
static hb_status get_polynomial(hb_key_trial *x, const hb_message *message, const char *group, const char *name,
                                uint32_t row, hb_batch r)
{
    const hb_message_parts *parts = hb_message_parts_in(message);
    const uint32_t part = hb_message_find(parts, group, name);
    uint8_t *packed = hb_trial_room(x, parts->part[part].row_bytes);
    HB_TRY(hb_message_get(message, part, row, packed));
    return hb_share_unpack(x->seat.engine, r, packed, "a file of a trial");
}

static hb_status make_input(void *context, const char *path, uint8_t body[HB_DIGEST_BYTES])
{
    hb_key_trial *x = context;
    const hb_message_subject subject = hb_view_subject(&x->view, HB_MESSAGE_INPUT);
    hb_message_writer *writer;
    hb_status st;
    HB_TRY(hb_message_writer_open(path, &subject, &writer));
    for (uint32_t set = 0; set < x->values.plan.shape.sets; set++) {
        HB_GOTO(hb_trial_encrypt(&x->values, &x->seed, set));
        HB_GOTO(put_polynomial(x, writer, NULL, "c0", set, hb_ciphertexts_component(x->values.one, 0)));
        HB_GOTO(put_polynomial(x, writer, NULL, "c1", set, hb_ciphertexts_component(x->values.one, 1)));
    }
    st = hb_message_finish(writer, &x->seat.root, body);
done:
    hb_message_writer_close(writer);
    return st;
}

/* Adds the input in `one` to the sum for a set; first: it is the first one. */
static hb_status add_input(hb_trial_values *x, uint32_t set, bool first)
{
    const hb_batch sum = x->sum[set].all;
    return first ? hb_copy(x->engine, sum, x->one.all) : hb_add(x->engine, sum, sum, x->one.all);
}

/* Computes the sums, when all inputs are added: results that need no key. */
static hb_status take_sums(hb_trial_values *x)
{
    for (uint32_t i = 0; i < x->plan.shape.result_count; i++) {
        const hb_trial_step *step = &x->plan.step[i];
        if (step->sort == HB_TRIAL_SUM) {
            HB_TRY(hb_ciphertexts_alloc(&x->value[i], x->engine, x->params, 2, 1, step->limbs));
            HB_TRY(hb_copy(x->engine, x->value[i].all, x->sum[step->set].all));
        }
    }
    return hb_finish(x->engine);
}

static hb_status add_inputs(hb_key_trial *x)
{
    for (uint32_t set = 0; set < x->values.plan.shape.sets; set++) {
        for (uint32_t i = 0; i < x->inputs.owners; i++) {
            const hb_message *input = x->inputs.message[i];
            HB_TRY(get_polynomial(x, input, NULL, "c0", set, hb_ciphertexts_component(x->values.one, 0)));
            HB_TRY(get_polynomial(x, input, NULL, "c1", set, hb_ciphertexts_component(x->values.one, 1)));
            HB_TRY(add_input(&x->values, set, i == 0));
        }
    }
    return take_sums(&x->values);
}

/* Computes all results of the inputs, by keys as the contributions of all add up, which are those of the folder. */
static hb_status compute_results(hb_key_trial *x)
{
    const hb_seat *seat = x->request->seat;
    const hb_joint_folders folders = {.session = seat->folder,
                                      .keys = x->request->keys,
                                      .check = true,
                                      .each = hb_trial_take_key,
                                      .context = &x->values};
    uint8_t key_id[HB_KEY_ID_BYTES];
    HB_TRY(add_inputs(x));
    return hb_joint_combine(&folders, seat->engine, seat->params, seat->file, key_id);
}

/* --- parts */

/* The owners of a set, and what this one's parts need. */
typedef struct part_maker {
    hb_part_set set;
    hb_secret_key secret;
} part_maker;

static void part_maker_close(part_maker *maker)
{
    hb_secret_key_clear(&maker->secret);
    hb_part_set_clear(&maker->set);
}

/* The caller clears the set, also after a failure. */
static hb_status read_set(hb_part_set *owners, const hb_key_trial *x, uint32_t set)
{
    const hb_joint_session *session = &x->seat.round.session;
    const uint32_t first = hb_trial_first(session, set);
    char names[HB_MOST_OWNERS * HB_OWNER_NAME_BYTES] = "";
    size_t used = 0;
    for (uint32_t i = first; i < first + session->threshold; i++) {
        used +=
            (size_t)snprintf(names + used, sizeof names - used, "%s%s", i > first ? "," : "", session->cards[i].name);
    }
    return hb_part_set_read(owners, names, &x->owner);
}

/* The caller closes it, also after a failure. */
static hb_status part_maker_open(part_maker *maker, const hb_key_trial *x, uint32_t set)
{
    *maker = (part_maker){.secret = {0}};
    HB_TRY(read_set(&maker->set, x, set));
    return hb_part_set_secret(&maker->secret, &maker->set, &x->owner, x->seat.engine, x->seat.params);
}

/* Makes the record of the part of a result. The cells of its context are the trial's id: all slots are shown, and it is
 * no part of a dataset. */
static hb_status record_of(hb_ledger_record *record, const hb_key_trial *x, uint32_t result, const hb_part_set *set)
{
    const hb_trial_step *step = &x->values.plan.step[result];
    const hb_params *params = x->seat.params;
    uint8_t rows[HB_MAX_LIMBS][HB_DIGEST_BYTES];
    const uint8_t *at = x->packed;
    hb_part_request request = {
        .session_id = x->request->seat->file->id, .owners = set->card, .count = set->count, .plan = step->plan};
    HB_TRY(hb_share_pack(x->seat.engine, params, x->packed, hb_ciphertexts_component(x->values.value[result], 1)));
    for (uint32_t l = 0; l < step->limbs; l++) {
        const size_t bytes = hb_packed_row_bytes(params->spec.n, &params->ring.moduli[params->ids[l]]);
        hb_digest_row(rows[l], at, bytes);
        at += bytes;
    }
    memcpy(request.cells, x->seat.round.id, sizeof request.cells);
    hb_part_c1_digest(record->c1, step->limbs, rows[0]);
    hb_part_context(record->context, &request, record->c1);
    return HB_OK;
}

/* Makes the records of the owner's parts, [results] at most. */
static hb_status make_records(const hb_key_trial *x, hb_ledger_record *records, size_t *count)
{
    *count = 0;
    for (uint32_t set = 0; set < x->values.plan.shape.sets; set++) {
        if (!hb_trial_has(&x->seat.round.session, set, x->seat.owner)) {
            continue;
        }
        hb_part_set owners;
        hb_status st = read_set(&owners, x, set);
        for (uint32_t i = 0; st == HB_OK && i < x->values.plan.shape.result_count; i++) {
            st = x->values.plan.step[i].set == set ? record_of(&records[(*count)++], x, i, &owners) : HB_OK;
        }
        hb_part_set_clear(&owners);
        HB_TRY(st);
    }
    return HB_OK;
}

/* Records all of the owner's parts, or none where there is no room for all of them. */
static hb_status record_parts(const hb_key_trial *x)
{
    size_t count;
    hb_ledger_record *records = calloc(x->values.plan.shape.result_count, sizeof *records);
    if (records == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the records of parts");
    }
    hb_status st = make_records(x, records, &count);
    st = st == HB_OK ? hb_ledger_add_parts(x->owner.ledger, records, count, 0) : st;
    st = st == HB_OK ? hb_ledger_sync(x->owner.ledger) : st;
    free(records);
    /* Before anything of the parts leaves: an older ledger is refused from here on. */
    return st == HB_OK ? hb_part_owner_note_ledger(&x->owner) : st;
}

/* Makes the part of a result in h, which was recorded: flooded, and masked where not all decrypt. */
static hb_status make_part(hb_key_trial *x, uint32_t result, const part_maker *maker, hb_batch h)
{
    const hb_trial_step *step = &x->values.plan.step[result];
    const hb_mask_owners owners = {maker->set.card, maker->set.count, maker->set.self, &x->seat.root};
    hb_ledger_record record;
    hb_masks *masks = NULL;
    hb_seed seed;
    hb_status st;
    HB_GOTO(hb_copy(x->seat.engine, h, hb_ciphertexts_component(x->values.value[result], 1)));
    HB_GOTO(record_of(&record, x, result, &maker->set));
    hb_part_seed(&seed, &x->owner.own, record.context);
    st = hb_part_make(x->seat.engine, &maker->secret, step->plan.flood, h, h, &seed);
    hb_wipe(&seed, sizeof seed);
    HB_GOTO(st);
    if (maker->set.bits != 0) {
        HB_GOTO(hb_masks_open(x->seat.engine, x->seat.params, step->limbs, &owners, 1, &masks));
        HB_GOTO(hb_masks_add(masks, h, record.context, sizeof record));
    }
done:
    hb_masks_close(masks);
    return st;
}

static hb_status put_part(hb_key_trial *x, hb_message_writer *writer, uint32_t result, const part_maker *maker)
{
    const hb_params *params = x->seat.params;
    char name[16];
    hb_batch h = {0};
    hb_status st;
    snprintf(name, sizeof name, "%" PRIu32, result);
    HB_GOTO(hb_batch_alloc_locked(x->seat.engine, &h, 1, x->values.plan.step[result].limbs, params->ids));
    HB_GOTO(make_part(x, result, maker, h));
    st = put_polynomial(x, writer, "parts", name, 0, h);
done:
    hb_batch_wipe(x->seat.engine, h);
    hb_batch_free(x->seat.engine, &h);
    return st;
}

/* The parts of the results of a set. */
static hb_status put_set(hb_key_trial *x, hb_message_writer *writer, uint32_t set)
{
    part_maker maker;
    hb_status st = part_maker_open(&maker, x, set);
    for (uint32_t i = 0; st == HB_OK && i < x->values.plan.shape.result_count; i++) {
        st = x->values.plan.step[i].set == set ? put_part(x, writer, i, &maker) : HB_OK;
    }
    part_maker_close(&maker);
    return st;
}

static hb_status make_parts(void *context, const char *path, uint8_t body[HB_DIGEST_BYTES])
{
    hb_key_trial *x = context;
    const hb_message_subject subject = hb_view_subject(&x->view, HB_MESSAGE_PART);
    hb_message_writer *writer;
    hb_status st;
    HB_TRY(record_parts(x));
    HB_TRY(hb_message_writer_open(path, &subject, &writer));
    for (uint32_t set = 0; set < x->values.plan.shape.sets; set++) {
        if (hb_trial_has(&x->seat.round.session, set, x->seat.owner)) {
            HB_GOTO(put_set(x, writer, set));
        }
    }
    st = hb_message_finish(writer, &x->seat.root, body);
done:
    hb_message_writer_close(writer);
    return st;
}

/* --- outcome */

/* Adds the parts of a result to its component 0. */
static hb_status add_parts(hb_key_trial *x, uint32_t result)
{
    const hb_joint_session *session = &x->seat.round.session;
    const uint32_t first = hb_trial_first(session, x->values.plan.step[result].set);
    const hb_batch phase = hb_ciphertexts_component(x->values.value[result], 0),
                   part = hb_ciphertexts_component(x->values.value[result], 1); /* which is not needed any more */
    char name[16];
    snprintf(name, sizeof name, "%" PRIu32, result);
    for (uint32_t i = first; i < first + session->threshold; i++) {
        HB_TRY(get_polynomial(x, x->parts.message[i], "parts", name, 0, part));
        HB_TRY(hb_add(x->seat.engine, phase, phase, part));
    }
    return hb_finish(x->seat.engine);
}

/* Adds all parts of each result up, which are there, and compares it with the values that owners opened. HB_EDATA
 * naming the result that is wrong. */
static hb_status compare_all(hb_key_trial *x, hb_trial_outcome *outcome)
{
    *outcome = (hb_trial_outcome){.noise = -1};
    outcome->left_out = x->values.plan.left_out;
    for (uint32_t i = 0; i < x->values.plan.shape.result_count; i++) {
        const hb_trial_step *step = &x->values.plan.step[i];
        double noise;
        HB_TRY(add_parts(x, i));
        HB_TRY(hb_trial_compare(&x->values, i, &noise));
        outcome->sums += step->sort == HB_TRIAL_SUM;
        outcome->products += step->sort == HB_TRIAL_PRODUCT;
        outcome->rotations += step->sort == HB_TRIAL_ROTATION;
        if (noise > outcome->noise) {
            outcome->noise = noise;
            outcome->proven = step->plan.worst;
        }
    }
    return HB_OK;
}

/* --- steps */

/* The ledger is there before anything is. */
static hb_status open_ledger(hb_key_trial *x)
{
    HB_TRY(hb_part_owner_begin_ledger(&x->owner, false));
    return hb_part_owner_open_ledger(&x->owner);
}

/* As long as he has decided nothing about parts, an owner sees that all of his will have room: who finds out later has
 * let others commit to theirs in vain. */
static hb_status check_room(const hb_key_trial *x)
{
    const uint64_t takes = hb_trial_takes(&x->values.plan, &x->seat.round.session, x->seat.owner),
                   promised = x->request->seat->file->session.results, used = hb_ledger_count(x->owner.ledger),
                   left = used < promised ? promised - used : 0;
    return hb_joint_state_knows(x->state.seeds) || takes <= left
               ? HB_OK
               : HB_FAIL(HB_EDATA,
                         "a trial of these keys takes %" PRIu64 " results of you, and %" PRIu64 " of %" PRIu64
                         " are left: use the keys without a trial, or begin a session with more --results",
                         takes, left, promised);
}

/* Without his state nobody knows for which commitments an owner opened his files. */
static hb_status begin(hb_key_trial *x)
{
    const char *name = hb_seat_card(&x->seat)->name;
    char *own;
    bool there;
    HB_TRY(hb_path_is_there(x->state_path, &there));
    if (there) {
        HB_TRY(hb_joint_state_read(x->state_path, &x->state));
        HB_TRY(hb_joint_state_check(&x->state, x->state_path, HB_JOINT_TRIAL, name, x->seat.round.id));
        return check_room(x);
    }
    HB_TRY(hb_view_find_own(&x->view, HB_MESSAGE_INPUT_COMMIT, HB_MESSAGE_PART, &own));
    if (own != NULL) {
        const hb_status st = hb_view_refuse_lost(&x->view, own);
        free(own);
        return st;
    }
    x->state = hb_joint_state_begin(HB_JOINT_TRIAL, name, x->seat.round.id);
    HB_TRY(check_room(x));
    return hb_joint_state_write(x->state_path, &x->state, true);
}

static hb_status do_steps(hb_key_trial *x, hb_trial_outcome *outcome)
{
    const hb_opening input = {HB_MESSAGE_INPUT_COMMIT, HB_MESSAGE_INPUT, x->state.first,
                              x->state.commitments,    make_input,       x};
    const hb_opening parts = {HB_MESSAGE_PART_COMMIT, HB_MESSAGE_PART, x->state.second, x->state.inputs, make_parts, x};
    bool good;
    HB_TRY(open_ledger(x));
    HB_TRY(begin(x));
    HB_TRY(hb_view_open_committed(&x->view, &input, &x->inputs_committed, &x->inputs));
    if (!hb_joint_all_there(&x->inputs)) {
        return HB_OK;
    }
    HB_TRY(hb_trial_open_seeds(x, &good));
    if (!good) {
        return HB_OK;
    }
    HB_TRY(compute_results(x));
    HB_TRY(hb_view_open_committed(&x->view, &parts, &x->parts_committed, &x->parts));
    if (!hb_joint_all_there(&x->parts)) {
        return HB_OK;
    }
    HB_TRY(compare_all(x, outcome));
    x->view.progress->done = true;
    return HB_OK;
}

/* Opens everything but the state. */
static hb_status open_trial(hb_key_trial *x)
{
    const hb_seat *seat = x->request->seat;
    const hb_params *params = seat->params;
    HB_TRY(open_public(x));
    HB_TRY(hb_trial_values_open(&x->values, seat, x->request->rounds, &x->key));
    hb_seed_derive_for(&x->seed, "hebatch tried", &seat->own, x->seat.round.id);
    x->packed_bytes = hb_packed_bytes(&params->ring, params->ids, params->key_limbs);
    x->packed = malloc(x->packed_bytes);
    if (x->packed == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a polynomial");
    }
    HB_TRY(hb_joint_place_beside(&x->state_path, x->request->state, x->seat.round.id, HB_STATE_ENDING));
    x->view.state_path = x->state_path;
    return hb_part_owner_borrow(&x->owner, x->request->party, seat->file, x->request->state);
}

static void close_trial(hb_key_trial *x)
{
    hb_joint_all *const all[] = {&x->inputs_committed, &x->inputs, &x->opened, &x->parts_committed, &x->parts};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        hb_joint_close_all(all[i]);
    }
    free(x->state_path);
    free(x->packed);
    hb_joint_state_clear(&x->state);
    hb_trial_values_close(&x->values);
    hb_public_key_clear(&x->key);
    hb_part_owner_close(&x->owner);
    hb_wipe(x, sizeof *x);
    free(x);
}

hb_status hb_trial_take_step(const hb_trial_request *request, hb_seat_progress *progress, hb_trial_outcome *outcome)
{
    const hb_joint_rounds *rounds = request->rounds;
    int lock = -1;
    hb_status st;
    hb_key_trial *x = calloc(1, sizeof *x);
    if (x == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a trial");
    }
    hb_lock(x, sizeof *x);
    *progress = (hb_seat_progress){.did = false};
    x->request = request;
    x->seat = *request->seat;
    x->seat.round.number = rounds->count > 0 ? rounds->file[rounds->count - 1].round.number : 0;
    x->view = (hb_owner_view){.seat = &x->seat,
                              .trial = &x->values.plan.shape,
                              .state = &x->state,
                              .advice = "this trial is over; try the keys of a later round, or of a new session",
                              .progress = progress};
    HB_GOTO(open_trial(x));
    HB_GOTO(hb_joint_state_lock(x->state_path, &lock));
    st = do_steps(x, outcome);
done:
    if (lock >= 0) {
        (void)close(lock);
    }
    close_trial(x);
    return st;
}
