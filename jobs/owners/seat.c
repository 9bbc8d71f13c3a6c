#include "seat.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "steps.h"

static hb_status draw_secret(hb_seat *seat)
{
    const size_t n = seat->params->spec.n;
    int8_t *ternary = malloc(n);
    if (ternary == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a secret");
    }
    hb_lock(ternary, n);
    hb_status st = hb_secret_draw(seat->engine, seat->params, &seat->own, ternary);
    st = st == HB_OK ? hb_secret_key_load(&seat->secret, seat->engine, seat->params, ternary) : st;
    hb_wipe(ternary, n);
    free(ternary);
    return st;
}

hb_status hb_seat_open(hb_seat *seat, hb_engine *engine, const hb_params *params, const hb_session_file *file,
                       const char *folder, const hb_party_file *party)
{
    const hb_joint_session *session = &file->session;
    hb_owner_card card;
    memset(seat, 0, sizeof *seat);
    HB_ASSERT(party->seal == NULL);
    HB_TRY(hb_party_card(&card, &party->root, party->name));
    uint32_t owner = 0;
    while (owner < session->owners && memcmp(&session->cards[owner], &card, sizeof card) != 0) {
        owner++;
    }
    if (owner == session->owners) {
        return HB_FAIL(HB_EDATA, "no card of the session is that of %s", party->name);
    }
    *seat = (hb_seat){.engine = engine, .params = params, .file = file, .folder = folder, .owner = owner};
    hb_lock(seat, sizeof *seat);
    seat->root = party->root;
    hb_owner_root(&seat->own, &seat->root, file->id);
    const hb_status st = draw_secret(seat);
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

static hb_status check(const hb_seat *seat, const char *state, const char *keys, uint8_t key_id[HB_KEY_ID_BYTES])
{
    const hb_joint_folders folders = {.session = seat->folder, .keys = keys, .check = true};
    hb_joint_state own;
    hb_status st;
    HB_TRY(hb_joint_state_read(state, &own));
    HB_GOTO(hb_seat_check_state(seat, &own, state));
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
