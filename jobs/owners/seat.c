#include "seat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "combine.h"
#include "io/files/durable.h"
#include "io/joint/place.h"
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

static hb_status check(const hb_seat *seat, const char *state, const char *keys, uint8_t key_id[HB_KEY_ID_BYTES])
{
    const hb_joint_folders folders = {.session = seat->folder, .keys = keys, .check = true};
    hb_joint_state own;
    hb_status st;
    HB_GOTO(hb_seat_read_state(seat, state, &own));
    HB_GOTO(hb_joint_combine(&folders, seat->engine, seat->params, seat->file, key_id));
    if (memcmp(own.key_id, key_id, HB_KEY_ID_BYTES) != 0) {
        memcpy(own.key_id, key_id, sizeof own.key_id);
        st = hb_joint_state_write(state, &own, false);
    }
done:
    hb_joint_state_clear(&own);
    return st;
}

hb_status hb_seat_check(const hb_seat *seat, const char *state, const char *keys, uint8_t key_id[HB_KEY_ID_BYTES])
{
    int lock;
    HB_TRY(hb_joint_state_lock(state, &lock));
    const hb_status st = check(seat, state, keys, key_id);
    (void)close(lock);
    return st;
}
