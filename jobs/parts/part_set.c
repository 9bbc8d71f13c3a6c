#include "part_set.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/name_list.h"
#include "joint/sealing.h"
#include "joint/share.h"

/* HB_EUSAGE: who may be named. */
static hb_status refuse(const hb_joint_session *session)
{
    hb_name_list names = {.more = 0};
    for (uint32_t i = 0; i < session->owners; i++) {
        hb_name_list_add(&names, session->cards[i].name);
    }
    return HB_FAIL(HB_EUSAGE, "--owners: exactly %" PRIu32 " of %s", session->threshold, names.text);
}

/* The number of the owner with this name; owners: there is none. */
static uint32_t find(const hb_joint_session *session, const char *name, size_t length)
{
    uint32_t i = 0;
    while (i < session->owners &&
           !(strlen(session->cards[i].name) == length && memcmp(session->cards[i].name, name, length) == 0)) {
        i++;
    }
    return i;
}

/* Sets a bit for each name. */
static hb_status read_names(const hb_joint_session *session, const char *text, uint64_t *bits)
{
    *bits = 0;
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, ",");
        const uint32_t owner = find(session, at, length);
        if (owner == session->owners || (*bits >> owner & 1) != 0) {
            return refuse(session);
        }
        *bits |= (uint64_t)1 << owner;
        at += length;
        if (*at == 0) {
            return HB_OK;
        }
    }
}

static hb_status read_share(hb_part_set *set, const hb_part_owner *owner)
{
    HB_TRY(hb_part_owner_read_state(owner, &set->state));
    return set->state.share != NULL
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: has no share of the secret: hebatch keygen --join until it says done",
                         owner->state_path);
}

hb_status hb_part_set_read(hb_part_set *set, const char *text, const hb_part_owner *owner)
{
    const hb_joint_session *session = &owner->session.session;
    uint64_t bits = UINT64_MAX >> (HB_MOST_OWNERS - session->owners);
    bool among = false;
    memset(set, 0, sizeof *set);
    if (text != NULL) {
        HB_TRY(read_names(session, text, &bits));
    }
    for (uint32_t i = 0; i < session->owners; i++) {
        if ((bits >> i & 1) == 0) {
            continue;
        }
        if (strcmp(session->cards[i].name, owner->party.name) == 0) {
            set->self = set->count;
            among = true;
        }
        set->card[set->count] = session->cards[i];
        set->point[set->count++] = i + 1;
    }
    if (set->count != session->threshold) {
        return refuse(session);
    }
    if (!among && text == NULL) {
        return HB_FAIL(HB_EDATA, "no card of the session is that of %s", owner->party.name);
    }
    if (!among) {
        return HB_FAIL(HB_EUSAGE, "--owners %.200s: %s, whose part it is, is none of them", text, owner->party.name);
    }
    set->bits = session->threshold < session->owners ? bits : 0;
    return set->bits != 0 ? read_share(set, owner) : HB_OK;
}

void hb_part_set_clear(hb_part_set *set)
{
    hb_joint_state_clear(&set->state);
    memset(set, 0, sizeof *set);
}

static hb_status take_share(hb_secret_key *secret, const hb_part_set *set, const hb_part_owner *owner,
                            hb_engine *engine, const hb_params *params)
{
    const hb_joint_state *state = &set->state;
    const size_t bytes = hb_packed_bytes(&params->ring, params->ids, params->key_limbs);
    uint64_t factors[HB_MAX_LIMBS];
    if (state->share_bytes != bytes + HB_SEAL_BYTES) {
        return HB_FAIL(HB_EDATA, "%s: has a share of other parameters", owner->state_path);
    }
    uint8_t *share = malloc(bytes);
    if (share == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a share");
    }
    hb_lock(share, bytes);
    hb_lagrange_factors(factors, params, params->key_limbs, set->point, set->count, set->point[set->self]);
    hb_status st = hb_share_take(share, &owner->own, state->inputs, state->share, bytes);
    if (st == HB_EDATA) {
        st = HB_FAIL(HB_EDATA,
                     "%s: its share of the secret is not what this owner kept: bring the file back, or remove it, and "
                     "hebatch keygen --join makes it again",
                     owner->state_path);
    }
    st = st == HB_OK ? hb_share_load(secret, engine, params, share, factors) : st;
    hb_wipe(share, bytes);
    free(share);
    return st;
}

hb_status hb_part_set_secret(hb_secret_key *secret, const hb_part_set *set, const hb_part_owner *owner,
                             hb_engine *engine, const hb_params *params)
{
    return set->bits == 0 ? hb_secret_key_draw(secret, engine, params, &owner->own)
                          : take_share(secret, set, owner, engine, params);
}
