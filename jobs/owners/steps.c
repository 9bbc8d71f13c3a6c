#include "steps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "combine.h"
#include "io/files/durable.h"
#include "joint/contribution.h"
#include "opening.h"
#include "shares.h"

/* Whether shares are dealt: with the session itself, once. */
static bool is_shared(const hb_seat *seat)
{
    return seat->round.number == 0 && seat->round.session.threshold < seat->round.session.owners;
}

/* Writes the packed rows of a component of a key. */
static hb_status put_part(hb_message_writer *writer, const char *group, const char *name, const uint8_t *packed)
{
    const hb_message_parts *parts = hb_message_writer_parts(writer);
    const uint32_t part = hb_message_find(parts, group, name);
    const hb_message_part *of = &parts->part[part];
    for (uint32_t j = 0; j < of->rows; j++) {
        HB_TRY(hb_message_put(writer, part, j, packed + j * of->row_bytes));
    }
    return HB_OK;
}

static hb_status put_public(const hb_seat *seat, hb_message_writer *writer, uint8_t *packed)
{
    hb_public_key key;
    HB_TRY(hb_owner_public(&key, &seat->secret, &seat->own, seat->round.id));
    hb_status st = hb_public_key_pack(&key, packed, NULL);
    hb_public_key_clear(&key);
    return st == HB_OK ? put_part(writer, NULL, "b", packed) : st;
}

/* packed: [2] of the rows of a component. */
static hb_status put_relin(const hb_seat *seat, hb_message_writer *writer, uint8_t *packed, size_t bytes)
{
    const uint32_t limbs = seat->round.session.relin_limbs;
    hb_switch_key key;
    if (limbs == 0) {
        return HB_OK;
    }
    HB_TRY(hb_owner_relin_first(&key, &seat->secret, &seat->own, seat->round.id, limbs));
    hb_status st = hb_switch_key_pack(&key, packed, packed + bytes);
    hb_switch_key_clear(&key);
    st = st == HB_OK ? put_part(writer, "relin", "h0", packed) : st;
    return st == HB_OK ? put_part(writer, "relin", "h1", packed + bytes) : st;
}

static hb_status put_rotation(const hb_seat *seat, hb_message_writer *writer, uint8_t *packed, uint32_t i)
{
    const hb_joint_rotation rotation = seat->round.session.rotations[i];
    char name[16];
    hb_switch_key key;
    snprintf(name, sizeof name, "%" PRIu32, rotation.element);
    HB_TRY(hb_owner_rotation(&key, &seat->secret, &seat->own, seat->round.id, rotation));
    const hb_status st = hb_switch_key_pack(&key, packed, NULL);
    hb_switch_key_clear(&key);
    return st == HB_OK ? put_part(writer, "galois", name, packed) : st;
}

/* Makes the contributions to round 1; path NULL: for their digest alone. */
static hb_status make_first(const hb_seat *seat, const char *path, uint8_t body[HB_DIGEST_BYTES])
{
    const hb_message_subject subject = hb_seat_subject(seat, HB_MESSAGE_FIRST);
    const hb_params *params = seat->params;
    const size_t one = hb_packed_bytes(&params->ring, params->ids, params->key_limbs),
                 key = (size_t)hb_switch_key_packed_bytes(params), bytes = key > one ? key : one;
    hb_message_writer *writer = NULL;
    hb_status st;
    uint8_t *packed = malloc(2 * bytes);
    HB_GOTO(packed != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a contribution of %zu bytes", 2 * bytes));
    HB_GOTO(hb_message_writer_open(path, &subject, &writer));
    HB_GOTO(seat->round.number == 0 ? put_public(seat, writer, packed) : HB_OK);
    HB_GOTO(put_relin(seat, writer, packed, bytes));
    for (uint32_t i = 0; i < seat->round.session.rotation_count; i++) {
        HB_GOTO(put_rotation(seat, writer, packed, i));
    }
    HB_GOTO(is_shared(seat) ? hb_seat_deal(seat, writer) : HB_OK);
    st = hb_message_finish(writer, &seat->root, body);
done:
    hb_message_writer_close(writer);
    free(packed);
    return st;
}

/* Makes h2 of the sums that this owner forms himself. */
static hb_status put_second(const hb_seat *seat, hb_message_writer *writer, const hb_joint_all *firsts,
                            const uint8_t inputs[HB_DIGEST_BYTES])
{
    const hb_params *params = seat->params;
    hb_switch_key sum = {0}, second = {0};
    uint8_t *packed = NULL;
    hb_status st;
    HB_GOTO(hb_joint_sum_relin(&sum, seat->engine, params, seat->round.session.relin_limbs, firsts));
    HB_GOTO(hb_owner_relin_second(&second, &seat->secret, &seat->own, &sum, inputs));
    packed = malloc((size_t)hb_switch_key_packed_bytes(params));
    HB_GOTO(packed != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a contribution"));
    HB_GOTO(hb_switch_key_pack(&second, packed, NULL));
    st = put_part(writer, "relin", "h2", packed);
done:
    free(packed);
    hb_switch_key_clear(&sum);
    hb_switch_key_clear(&second);
    return st;
}

/* path NULL: for the digest alone. */
static hb_status make_second(const hb_seat *seat, const char *path, const hb_joint_all *firsts,
                             const uint8_t inputs[HB_DIGEST_BYTES], uint8_t body[HB_DIGEST_BYTES])
{
    const hb_message_subject subject = hb_seat_subject(seat, HB_MESSAGE_SECOND);
    hb_message_writer *writer;
    hb_status st;
    HB_TRY(hb_message_writer_open(path, &subject, &writer));
    HB_GOTO(put_part(writer, NULL, "inputs", inputs));
    HB_GOTO(seat->round.session.relin_limbs != 0 ? put_second(seat, writer, firsts, inputs) : HB_OK);
    HB_GOTO(is_shared(seat) ? hb_seat_blind(seat, writer, inputs) : HB_OK);
    st = hb_message_finish(writer, &seat->root, body);
done:
    hb_message_writer_close(writer);
    return st;
}

/* --- steps */

static hb_joint_purpose purpose_of(const hb_seat *seat)
{
    return seat->round.number == 0 ? HB_JOINT_SESSION : HB_JOINT_ROUND;
}

hb_status hb_seat_read_state(const hb_seat *seat, const char *path, hb_joint_state *state)
{
    memset(state, 0, sizeof *state);
    HB_TRY(hb_joint_state_read(path, state));
    return hb_joint_state_check(state, path, purpose_of(seat), hb_seat_card(seat)->name, seat->round.id);
}

/* A step in a round. */
typedef struct step {
    hb_owner_view view;
    hb_joint_state state;
    hb_joint_all commits, firsts, seconds;
} step;

/* Whether the files of all owners are there, each as it has to be: then the owner has nothing more to open. */
static hb_status is_over(step *x, bool *over)
{
    HB_TRY(hb_view_open_all(&x->view, &x->commits, HB_MESSAGE_COMMIT));
    HB_TRY(hb_view_open_all(&x->view, &x->firsts, HB_MESSAGE_FIRST));
    *over = hb_joint_all_there(&x->commits) && hb_joint_all_there(&x->firsts);
    if (*over && hb_joint_has_second(&x->view.seat->round)) {
        HB_TRY(hb_view_open_all(&x->view, &x->seconds, HB_MESSAGE_SECOND));
        *over = hb_joint_all_there(&x->seconds);
    }
    x->view.progress->waiting = (hb_name_list){.more = 0};
    if (!*over) {
        return HB_OK;
    }
    HB_TRY(hb_joint_check_opened(&x->commits, &x->firsts));
    return hb_joint_has_second(&x->view.seat->round) ? hb_joint_check_inputs(&x->firsts, &x->seconds) : HB_OK;
}

/* The file of the owner's of a kind is what his root gives, whose digest is made here. */
static hb_status check_body(const step *x, hb_message_kind kind, const uint8_t own[HB_DIGEST_BYTES])
{
    const hb_joint_all *all = kind == HB_MESSAGE_FIRST ? &x->firsts : &x->seconds;
    char *path;
    const hb_message_subject subject = hb_view_subject(&x->view, kind);
    HB_TRY(hb_joint_path(&path, x->view.seat->folder, &subject));
    const hb_status st = hb_view_check_own(&x->view, path, all->bodies + x->view.seat->owner * HB_DIGEST_BYTES, own);
    free(path);
    return st;
}

/* Makes the state of a round that is done, as it was, of the files of all. These show all that the owner opened, so
 * nothing is opened anew. They do not show the parts that he made since then: the state says that there is a ledger,
 * which decrypt --part asks for. */
static hb_status make_again(step *x)
{
    hb_joint_state *state = &x->state;
    const uint8_t *id = x->view.seat->round.id;
    hb_joint_bodies_digest(state->commitments, id, x->commits.owners, x->commits.bodies);
    HB_TRY(make_first(x->view.seat, NULL, state->first));
    HB_TRY(check_body(x, HB_MESSAGE_FIRST, state->first));
    if (hb_joint_has_second(&x->view.seat->round)) {
        hb_joint_bodies_digest(state->inputs, id, x->firsts.owners, x->firsts.bodies);
        HB_TRY(make_second(x->view.seat, NULL, &x->firsts, state->inputs, state->second));
        HB_TRY(check_body(x, HB_MESSAGE_SECOND, state->second));
    }
    if (is_shared(x->view.seat)) {
        HB_TRY(hb_seat_take_share(x->view.seat, &x->firsts, &x->seconds, state));
    }
    state->parts = x->view.seat->round.number == 0 ? 1 : 0; /* parts are of the session */
    HB_TRY(hb_joint_state_write(x->view.state_path, state, true));
    x->view.progress->did = x->view.progress->done = x->view.progress->again = true;
    return HB_OK;
}

/* Makes the state where none is there. */
static hb_status begin_anew(step *x)
{
    const hb_seat *seat = x->view.seat;
    bool over;
    char *own;
    x->state = hb_joint_state_begin(purpose_of(seat), hb_seat_card(seat)->name, seat->round.id);
    HB_TRY(hb_view_find_own(&x->view, HB_MESSAGE_COMMIT, HB_MESSAGE_SECOND, &own));
    if (own == NULL) {
        return hb_joint_state_write(x->view.state_path, &x->state, true);
    }
    hb_status st = is_over(x, &over);
    if (st == HB_OK && !over) {
        st = hb_view_refuse_lost(&x->view, own);
    }
    free(own);
    return st == HB_OK ? make_again(x) : st;
}

/* Reads the state, or makes it. */
static hb_status begin(step *x)
{
    bool there;
    HB_TRY(hb_path_is_there(x->view.state_path, &there));
    return there ? hb_seat_read_state(x->view.seat, x->view.state_path, &x->state) : begin_anew(x);
}

static hb_status make_first_for(void *context, const char *path, uint8_t body[HB_DIGEST_BYTES])
{
    return make_first(((const step *)context)->view.seat, path, body);
}

static hb_status do_first(step *x)
{
    const hb_opening opening = {.commit = HB_MESSAGE_COMMIT,
                                .open = HB_MESSAGE_FIRST,
                                .body = x->state.first,
                                .opened = x->state.commitments,
                                .make = make_first_for,
                                .context = x};
    return hb_view_open_committed(&x->view, &opening, &x->commits, &x->firsts);
}

static hb_status do_second(step *x)
{
    uint8_t inputs[HB_DIGEST_BYTES], own[HB_DIGEST_BYTES];
    char *path = NULL;
    bool missing;
    hb_joint_bodies_digest(inputs, x->view.seat->round.id, x->firsts.owners, x->firsts.bodies);
    hb_status st;
    HB_GOTO(hb_view_look_for(&x->view, HB_MESSAGE_SECOND, &path, &missing));
    HB_GOTO(
        hb_joint_state_set(x->state.inputs, inputs, path, "made from other first-*.h5 than are here", x->view.advice));
    HB_GOTO(hb_joint_state_write(x->view.state_path, &x->state, false));
    const bool known = hb_joint_state_knows(x->state.second);
    if (missing || !known) {
        HB_GOTO(make_second(x->view.seat, missing ? path : NULL, &x->firsts, inputs, own));
    }
    if (missing) {
        hb_view_note_made(&x->view, HB_MESSAGE_SECOND);
    }
    if (!known) {
        memcpy(x->state.second, own, sizeof own);
        HB_GOTO(hb_joint_state_write(x->view.state_path, &x->state, false));
    }
    HB_GOTO(hb_view_open_all(&x->view, &x->seconds, HB_MESSAGE_SECOND));
    HB_GOTO(
        hb_view_check_own(&x->view, path, x->seconds.bodies + x->view.seat->owner * HB_DIGEST_BYTES, x->state.second));
    st = hb_joint_check_inputs(&x->firsts, &x->seconds);
done:
    free(path);
    return st;
}

/* When all have made all: the shares of this owner are good. */
static hb_status do_last(step *x)
{
    if (is_shared(x->view.seat) && x->state.share == NULL) {
        HB_TRY(hb_seat_take_share(x->view.seat, &x->firsts, &x->seconds, &x->state));
        HB_TRY(hb_joint_state_write(x->view.state_path, &x->state, false));
        x->view.progress->did = true;
    }
    x->view.progress->done = true;
    return HB_OK;
}

static hb_status do_steps(step *x)
{
    HB_TRY(begin(x));
    if (x->view.progress->done) {
        return HB_OK;
    }
    HB_TRY(do_first(x));
    if (!hb_joint_all_there(&x->firsts)) {
        return HB_OK;
    }
    if (!hb_joint_has_second(&x->view.seat->round)) {
        return do_last(x);
    }
    HB_TRY(do_second(x));
    return hb_joint_all_there(&x->seconds) ? do_last(x) : HB_OK;
}

hb_status hb_seat_step_round(const hb_seat *seat, const char *state, hb_seat_progress *progress)
{
    int lock;
    HB_TRY(hb_joint_state_lock(state, &lock));
    step *x = calloc(1, sizeof *x);
    if (x == NULL) {
        (void)close(lock);
        return HB_FAIL(HB_ENOMEM, "no memory for a step");
    }
    *progress = (hb_seat_progress){.did = false};
    x->view = (hb_owner_view){.seat = seat,
                              .state_path = state,
                              .state = &x->state,
                              .advice = seat->round.number == 0 ? "begin a new session"
                                                                : "begin another round (--session FOLDER --more)",
                              .progress = progress};
    const hb_status st = do_steps(x);
    (void)close(lock);
    hb_joint_close_all(&x->commits);
    hb_joint_close_all(&x->firsts);
    hb_joint_close_all(&x->seconds);
    hb_joint_state_clear(&x->state);
    free(x);
    return st;
}
