#include "seat.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "combine.h"
#include "io/joint/place.h"
#include "opening.h"
#include "rounds.h"
#include "steps.h"

hb_status hb_seat_open(hb_seat *seat, hb_engine *engine, const hb_params *params, const hb_session_file *file,
                       const char *folder, const hb_party_file *party)
{
    hb_owner_card card;
    memset(seat, 0, sizeof *seat);
    HB_ASSERT(party->seal == NULL);
    HB_TRY(hb_party_card(&card, &party->root, party->name));
    uint32_t owner;
    HB_TRY(hb_party_find(&file->session, &card, &owner));
    *seat = (hb_seat){.engine = engine, .params = params, .file = file, .folder = folder, .owner = owner};
    memcpy(seat->round.id, file->id, sizeof seat->round.id);
    seat->round.session = file->session;
    hb_lock(seat, sizeof *seat);
    seat->root = party->root;
    hb_owner_root(&seat->own, &seat->root, file->id);
    const hb_status st = hb_secret_key_draw(&seat->secret, engine, params, &seat->own);
    if (st != HB_OK) {
        hb_seat_close(seat);
    }
    return st;
}

void hb_seat_close(hb_seat *seat)
{
    hb_secret_key_clear(&seat->secret);
    hb_wipe(seat, sizeof *seat);
}

/* --- steps */

static void add_progress(hb_seat_progress *sum, const hb_seat_progress *of)
{
    sum->did = sum->did || of->did;
    sum->done = sum->done && of->done;
    sum->again = sum->again || of->again;
    hb_name_list_join(&sum->made, &of->made);
    hb_name_list_join(&sum->waiting, &of->waiting);
}

/* The step in a later round, whose draws are of its own. */
static hb_status step_later(const hb_seat *seat, const hb_joint_round *round, const char *state,
                            hb_seat_progress *progress)
{
    hb_seat own = *seat;
    hb_seat_progress more;
    char *path;
    hb_lock(&own, sizeof own);
    own.round = *round;
    hb_owner_root(&own.own, &own.root, round->id);
    hb_status st = hb_joint_place_beside(&path, state, round->id, HB_STATE_ENDING);
    if (st == HB_OK) {
        st = hb_seat_step_round(&own, path, &more);
        free(path);
    }
    hb_wipe(&own, sizeof own);
    if (st == HB_OK) {
        add_progress(progress, &more);
    }
    return st;
}

hb_status hb_seat_step(hb_seat *seat, const char *state, hb_seat_progress *progress)
{
    hb_joint_rounds rounds;
    HB_TRY(hb_seat_step_round(seat, state, progress));
    if (!progress->done) {
        return HB_OK;
    }
    hb_status st = hb_joint_rounds_open(&rounds, seat->folder, seat->file, seat->params);
    for (uint32_t i = 0; st == HB_OK && i < rounds.count; i++) {
        st = step_later(seat, &rounds.file[i].round, state, progress);
    }
    hb_joint_rounds_close(&rounds);
    return st;
}

/* --- the keys that others made */

typedef struct checking {
    const hb_seat *seat;
    const char *state; /* path */
    hb_checked_keys checked;
} checking;

/* Reads the owner's state of a round; the caller clears it. */
static hb_status read_round_state(const checking *x, const hb_joint_round *round, char **path, hb_joint_state *state)
{
    const bool later = round->number > 0;
    HB_TRY(hb_joint_place_beside(path, x->state, later ? round->id : NULL, HB_STATE_ENDING));
    HB_TRY(hb_joint_state_read(*path, state));
    return hb_joint_state_check(state, *path, later ? HB_JOINT_ROUND : HB_JOINT_SESSION, hb_seat_card(x->seat)->name,
                                round->id);
}

/* Keys are of the contributions for which this owner opened his, and not of others that were chosen in view of it. */
static hb_status compare_round(void *context, const hb_joint_round *round, const hb_joint_all *commits,
                               const hb_joint_all *firsts)
{
    const checking *x = context;
    uint8_t own[HB_DIGEST_BYTES], inputs[HB_DIGEST_BYTES];
    char *path = NULL;
    hb_joint_state state = {.parts = 0};
    hb_joint_bodies_digest(own, round->id, commits->owners, commits->bodies);
    hb_joint_bodies_digest(inputs, round->id, firsts->owners, firsts->bodies);
    hb_status st = read_round_state(x, round, &path, &state);
    if (st == HB_OK && (memcmp(state.commitments, own, sizeof own) != 0 ||
                        (hb_joint_has_second(round) && memcmp(state.inputs, inputs, sizeof inputs) != 0))) {
        st = HB_FAIL(HB_EDATA,
                     "%s: has other contributions than those for which you opened yours, or you have not made all of "
                     "yours: hebatch keygen --join until it says done, of the files that were there then",
                     x->seat->folder);
    }
    hb_joint_state_clear(&state);
    free(path);
    return st;
}

/* Takes over key id and list where they are other than those noted. */
static hb_status note_keys(checking *x, hb_joint_state *own, const uint8_t key_id[HB_KEY_ID_BYTES])
{
    const hb_checked_keys *known = &own->checked;
    const size_t bytes = (size_t)x->checked.count * HB_DIGEST_BYTES;
    if (memcmp(own->key_id, key_id, HB_KEY_ID_BYTES) == 0 && known->count == x->checked.count &&
        memcmp(known->sum, x->checked.sum, bytes) == 0) {
        return HB_OK;
    }
    memcpy(own->key_id, key_id, sizeof own->key_id);
    hb_checked_keys_clear(&own->checked);
    own->checked = x->checked;
    x->checked = (hb_checked_keys){.count = 0};
    return hb_joint_state_write(x->state, own, false);
}

static hb_status check(checking *x, const char *keys, uint8_t key_id[HB_KEY_ID_BYTES])
{
    const hb_seat *seat = x->seat;
    const hb_joint_folders folders = {.session = seat->folder,
                                      .keys = keys,
                                      .check = true,
                                      .opened = compare_round,
                                      .context = x,
                                      .checked = &x->checked};
    hb_joint_state own;
    hb_status st;
    HB_GOTO(hb_seat_read_state(seat, x->state, &own));
    HB_GOTO(hb_joint_combine(&folders, seat->engine, seat->params, seat->file, key_id));
    st = note_keys(x, &own, key_id);
done:
    hb_joint_state_clear(&own);
    hb_checked_keys_clear(&x->checked);
    return st;
}

hb_status hb_seat_check(const hb_seat *seat, const char *state, const char *keys, uint8_t key_id[HB_KEY_ID_BYTES])
{
    int lock;
    HB_TRY(hb_joint_state_lock(state, &lock));
    checking x = {.seat = seat, .state = state};
    const hb_status st = check(&x, keys, key_id);
    (void)close(lock);
    return st;
}
