#include "part_owner.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/files/durable.h"
#include "io/joint/place.h"
#include "owners/party.h"
#include "ranks/share_root.h"
#include "tables/part_inputs.h"

static hb_status read_session(const char *path, hb_session_file *session)
{
    if (!hb_path_is_folder(path)) {
        return hb_session_file_read(path, session);
    }
    char *file;
    HB_TRY(hb_path_with(path, "/" HB_SESSION_FILE, &file));
    const hb_status st = hb_session_file_read(file, session);
    free(file);
    return st;
}

/* Whether a card of the session is this owner's. */
static hb_status check_card(const hb_part_owner *owner)
{
    hb_owner_card card;
    uint32_t place;
    HB_TRY(hb_party_card(&card, &owner->party.root, owner->party.name));
    return hb_party_find(&owner->session.session, &card, &place);
}

hb_status hb_part_owner_open(hb_part_owner *owner, const char *party_path, const char *session_path,
                             const hb_header *dataset, const char *dataset_path)
{
    HB_TRY(hb_party_file_read(party_path, &owner->party));
    HB_TRY(read_session(session_path, &owner->session));
    HB_TRY(hb_part_session_check(&owner->session, session_path, dataset, dataset_path));
    HB_TRY(hb_joint_place(&owner->state_path, party_path, owner->session.id, HB_STATE_ENDING));
    return hb_joint_place(&owner->ledger_path, party_path, owner->session.id, HB_LEDGER_ENDING);
}

hb_status hb_part_owner_borrow(hb_part_owner *owner, const hb_party_file *party, const hb_session_file *session,
                               const char *state_path)
{
    *owner = (hb_part_owner){.party = *party, .session = *session, .borrowed = true};
    hb_lock(owner, sizeof *owner);
    hb_owner_root(&owner->own, &party->root, session->id);
    owner->state_path = strdup(state_path);
    if (owner->state_path == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a name");
    }
    return hb_joint_place_beside(&owner->ledger_path, state_path, NULL, HB_LEDGER_ENDING);
}

hb_status hb_part_owner_unseal(hb_part_owner *owner, hb_group *group, const char *party_path)
{
    bool sealed = owner->party.seal != NULL;
    HB_TRY(hb_agree(group, hb_group_broadcast(group, &sealed, sizeof sealed, 0)));
    /* The first rank alone gets a passphrase. */
    HB_TRY(hb_agree(group, group->rank == 0 ? hb_party_unseal(&owner->party, party_path) : HB_OK));
    if (sealed && group->size > 1) {
        hb_lock(&owner->party.root, sizeof owner->party.root);
        HB_TRY(hb_agree(group, hb_share_seed(group, &owner->party.root)));
    }
    HB_TRY(hb_agree(group, check_card(owner)));
    hb_lock(&owner->own, sizeof owner->own);
    hb_owner_root(&owner->own, &owner->party.root, owner->session.id);
    return HB_OK;
}

void hb_part_owner_close(hb_part_owner *owner)
{
    hb_ledger_close(owner->ledger);
    if (!owner->borrowed) {
        hb_party_file_clear(&owner->party);
        hb_session_file_clear(&owner->session);
    }
    free(owner->state_path);
    free(owner->ledger_path);
    hb_wipe(owner, sizeof *owner);
}

hb_status hb_part_owner_read_state(const hb_part_owner *owner, hb_joint_state *state)
{
    bool there;
    *state = (hb_joint_state){.parts = 0};
    HB_TRY(hb_path_is_there(owner->state_path, &there));
    if (!there) {
        return HB_FAIL(
            HB_EDATA,
            "%s: is gone: bring it back, or hebatch keygen --join FOLDER --key PARTY.h5 makes it again of the "
            "files of all owners, and with --check KEYS compares the keys",
            owner->state_path);
    }
    HB_TRY(hb_joint_state_read(owner->state_path, state));
    return hb_joint_state_check(state, owner->state_path, HB_JOINT_SESSION, owner->party.name, owner->session.id);
}

hb_status hb_part_owner_check_key(const hb_part_owner *owner, const hb_joint_state *state,
                                  const uint8_t key_id[HB_KEY_ID_BYTES], const char *dataset_path)
{
    char theirs[2 * HB_KEY_ID_BYTES + 1], own[2 * HB_KEY_ID_BYTES + 1];
    const uint8_t zeros[HB_KEY_ID_BYTES] = {0};
    if (memcmp(state->key_id, zeros, sizeof zeros) == 0) {
        return HB_FAIL(HB_EDATA,
                       "%s: notes no keys that you compared, and a part under a made-up key tells your secret: hebatch "
                       "keygen --join FOLDER --key PARTY.h5 --check KEYS",
                       owner->state_path);
    }
    if (memcmp(state->key_id, key_id, HB_KEY_ID_BYTES) == 0) {
        return HB_OK;
    }
    hb_hex(theirs, key_id, HB_KEY_ID_BYTES);
    hb_hex(own, state->key_id, HB_KEY_ID_BYTES);
    return HB_FAIL(
        HB_EDATA,
        "%s: is under key %s, and you compared key %s: a part under a made-up key tells your secret; hebatch "
        "keygen --join FOLDER --key PARTY.h5 --check KEYS says which keys are those of the session",
        dataset_path, theirs, own);
}

/* That it is the session's ledger, the one who opens it sees. */
static hb_status check_records(const hb_part_owner *owner, uint64_t least)
{
    uint8_t session[HB_DIGEST_BYTES];
    uint64_t count;
    HB_TRY(hb_ledger_read_count(owner->ledger_path, session, &count));
    return count >= least || memcmp(session, owner->session.id, sizeof session) != 0
               ? HB_OK
               : HB_FAIL(HB_EDATA,
                         "%s: has %" PRIu64 " records, and had %" PRIu64
                         ": an older one was put back, which does not know all parts that were made, and a second part "
                         "of a ciphertext tells the secret; bring the newest one back",
                         owner->ledger_path, count, least);
}

/* Begins the ledger that is not there, by what the state says. */
static hb_status begin_ledger(const hb_part_owner *owner, hb_joint_state *state, bool anew)
{
    bool there;
    HB_TRY(hb_path_is_there(owner->ledger_path, &there));
    if (there && anew) {
        return HB_FAIL(HB_EUSAGE, "--new-ledger: %s is there, and goes on: leave the option out", owner->ledger_path);
    }
    if (!there && state->parts > 0 && !anew) {
        return HB_FAIL(HB_EDATA,
                       "%s: is gone: which parts were made is not known, and a second part of a ciphertext tells the "
                       "secret; bring it back, or --new-ledger if no part was made, or none that anybody has",
                       owner->ledger_path);
    }
    if (there && state->parts > 0) {
        return check_records(owner, state->parts - 1);
    }
    /* After a kill between the two the same line begins a first ledger, and --new-ledger one that was lost. */
    const bool lost = state->parts > 0;
    if (!there && !lost) {
        HB_TRY(hb_ledger_create(owner->ledger_path, owner->session.id));
    }
    state->parts = 1;
    HB_TRY(hb_joint_state_write(owner->state_path, state, false));
    return lost ? hb_ledger_create(owner->ledger_path, owner->session.id) : HB_OK;
}

/* All records of the ledger, also those of other processes, are on the disk before they are counted. */
static hb_status note_records(const hb_part_owner *owner, hb_joint_state *state)
{
    hb_ledger *ledger;
    HB_TRY(hb_ledger_open_asking(owner->ledger_path, owner->session.id, owner->session.session.results, owner->waiting,
                                 &ledger));
    const hb_status st = hb_ledger_sync(ledger);
    const uint64_t count = hb_ledger_count(ledger);
    hb_ledger_close(ledger);
    HB_TRY(st);
    if (state->parts >= 1 + count) {
        return HB_OK;
    }
    state->parts = 1 + count;
    return hb_joint_state_write(owner->state_path, state, false);
}

hb_status hb_part_owner_begin_ledger(const hb_part_owner *owner, bool anew)
{
    int lock;
    hb_joint_state state;
    HB_TRY(hb_joint_state_lock_patiently(owner->state_path, &lock));
    hb_status st = hb_part_owner_read_state(owner, &state);
    st = st == HB_OK ? begin_ledger(owner, &state, anew) : st;
    hb_joint_state_clear(&state);
    (void)close(lock);
    return st;
}

hb_status hb_part_owner_note_ledger(const hb_part_owner *owner)
{
    int lock;
    hb_joint_state state;
    HB_TRY(hb_joint_state_lock_patiently(owner->state_path, &lock));
    hb_status st = hb_part_owner_read_state(owner, &state);
    st = st == HB_OK ? note_records(owner, &state) : st;
    hb_joint_state_clear(&state);
    (void)close(lock);
    return st;
}

hb_status hb_part_owner_open_ledger(hb_part_owner *owner)
{
    return hb_ledger_open_asking(owner->ledger_path, owner->session.id, owner->session.session.results, owner->waiting,
                                 &owner->ledger);
}

hb_status hb_part_owner_recorded(const hb_part_owner *owner, uint64_t *recorded)
{
    uint8_t session[HB_DIGEST_BYTES];
    bool there;
    *recorded = 0;
    HB_TRY(hb_path_is_there(owner->ledger_path, &there));
    return there ? hb_ledger_read_count(owner->ledger_path, session, recorded) : HB_OK;
}

void hb_part_owner_sign(void *context, const uint8_t sum[HB_DIGEST_BYTES], uint8_t signature[HB_SIGNATURE_BYTES])
{
    const hb_part_owner *owner = context;
    const hb_signed_facts facts = hb_part_signed_facts(owner->party.name, owner->session.id, sum);
    hb_party_sign(signature, &owner->party.root, &facts);
}
