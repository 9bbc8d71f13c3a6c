#include "session.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

hb_status hb_owner_name_check(const char name[HB_OWNER_NAME_BYTES])
{
    const size_t length = strnlen(name, HB_OWNER_NAME_BYTES);
    const bool fits = length >= 1 && length < HB_OWNER_NAME_BYTES;
    return fits && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == length
               ? HB_OK
               : HB_FAIL(HB_EUSAGE, "the name of an owner has 1 to %d characters of a-z, 0-9 and -",
                         HB_OWNER_NAME_BYTES - 1);
}

static hb_status check_owners(const hb_joint_session *session)
{
    if (session->owners < 2 || session->owners > HB_MOST_OWNERS) {
        return HB_FAIL(HB_EUSAGE, "joint keys of %" PRIu32 " owners; they have 2 to %d", session->owners,
                       HB_MOST_OWNERS);
    }
    for (uint32_t i = 0; i < session->owners; i++) {
        HB_TRY(hb_owner_name_check(session->cards[i].name));
        const int order = i > 0 ? strcmp(session->cards[i - 1].name, session->cards[i].name) : -1;
        if (order >= 0) {
            return HB_FAIL(HB_EUSAGE, order == 0 ? "two cards of %s" : "the card of %s is out of order",
                           session->cards[i].name);
        }
    }
    if (session->threshold < 2 || session->threshold > session->owners) {
        return HB_FAIL(HB_EUSAGE, "threshold %" PRIu32 ": 2 to %" PRIu32 " owners decrypt", session->threshold,
                       session->owners);
    }
    return session->results > 0 ? HB_OK : HB_FAIL(HB_EUSAGE, "joint keys for no results");
}

/* Whether keys are switched at the level of `limbs` limbs. */
static bool is_level(const hb_params *params, uint32_t limbs)
{
    return limbs >= 1 && limbs <= params->data_limbs && params->levels[limbs].basis.limbs == limbs;
}

static hb_status check_keys(const hb_joint_session *session, const hb_params *params)
{
    if (session->relin_limbs != 0 || session->rotation_count != 0) {
        HB_TRY(hb_params_require_switching(params));
    }
    if (session->relin_limbs != 0 && !is_level(params, session->relin_limbs)) {
        return HB_FAIL(HB_EDATA, "a relinearization key of %" PRIu32 " limbs: there is no such level",
                       session->relin_limbs);
    }
    for (uint32_t i = 0, last = 0; i < session->rotation_count; last = session->rotations[i++].element) {
        const hb_joint_rotation *rotation = &session->rotations[i];
        const bool good = (rotation->element & 1) == 1 && rotation->element < 2 * params->spec.n;
        if (!good || rotation->element <= last || !is_level(params, rotation->limbs)) {
            return HB_FAIL(HB_EDATA,
                           "the rotation key of element %" PRIu32 ", %" PRIu32
                           " limbs: elements are odd, below 2 N and in ascending order, and limbs those of a level",
                           rotation->element, rotation->limbs);
        }
    }
    return HB_OK;
}

void hb_joint_session_for(hb_joint_session *session, const hb_params *params)
{
    const hb_params_spec *spec = &params->spec;
    memcpy(session->params_digest, params->digest, HB_DIGEST_BYTES);
    session->security = spec->security;
    session->insecure = spec->insecure;
    session->secret = spec->secret;
}

/* Whether a session says of its parameters what they are. */
static bool is_for(const hb_joint_session *session, const hb_params *params)
{
    const hb_params_spec *spec = &params->spec;
    const hb_security *security = &session->security;
    return memcmp(session->params_digest, params->digest, HB_DIGEST_BYTES) == 0 &&
           security->level == spec->security.level && security->table == spec->security.table &&
           security->quantum == spec->security.quantum && session->insecure == spec->insecure &&
           session->secret == spec->secret;
}

hb_status hb_joint_session_check(const hb_joint_session *session, const hb_params *params)
{
    if (params->spec.scheme != HB_BFV) {
        return HB_FAIL(HB_ECONFIG, "joint keys of CKKS: there are none; take parameters of BFV");
    }
    if (!is_for(session, params)) {
        return HB_FAIL(HB_EDATA, "the session is of other parameters");
    }
    HB_TRY(check_owners(session));
    return check_keys(session, params);
}

/* The keys that are made, and the nonce behind them. */
static void add_keys(hb_digest_state *state, const hb_joint_session *session)
{
    hb_digest_add_u64(state, session->relin_limbs);
    hb_digest_add_u64(state, session->rotation_count);
    for (uint32_t i = 0; i < session->rotation_count; i++) {
        hb_digest_add_u64(state, session->rotations[i].element);
        hb_digest_add_u64(state, session->rotations[i].limbs);
    }
    hb_digest_add(state, session->nonce, sizeof session->nonce);
}

void hb_joint_session_id(uint8_t id[HB_DIGEST_BYTES], const hb_joint_session *session)
{
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch session");
    hb_digest_add(&state, session->params_digest, sizeof session->params_digest);
    hb_digest_add_u64(&state, session->security.level);
    hb_digest_add_u64(&state, hb_security_year(session->security.table));
    hb_digest_add_u64(&state, session->security.quantum);
    hb_digest_add_u64(&state, session->insecure);
    hb_digest_add_u64(&state, (uint64_t)session->secret);
    hb_digest_add_u64(&state, session->owners);
    for (uint32_t i = 0; i < session->owners; i++) {
        const hb_owner_card *card = &session->cards[i];
        hb_digest_add_text(&state, card->name);
        hb_digest_add(&state, card->sign, sizeof card->sign);
        hb_digest_add(&state, card->box, sizeof card->box);
        hb_digest_add(&state, card->nonce, sizeof card->nonce);
    }
    hb_digest_add_u64(&state, session->threshold);
    hb_digest_add_u64(&state, session->results);
    add_keys(&state, session);
    hb_digest_end(&state, id);
}

void hb_joint_round_id(uint8_t id[HB_DIGEST_BYTES], const uint8_t session_id[HB_DIGEST_BYTES],
                       const hb_joint_round *round)
{
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch more");
    hb_digest_add(&state, session_id, HB_DIGEST_BYTES);
    hb_digest_add_u64(&state, round->number);
    add_keys(&state, &round->session);
    hb_digest_end(&state, id);
}

static void common_seed(hb_seed *seed, const uint8_t id[HB_DIGEST_BYTES])
{
    _Static_assert(HB_SEED_BYTES == HB_DIGEST_BYTES, "a digest is a seed");
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch crs");
    hb_digest_add(&state, id, HB_DIGEST_BYTES);
    hb_digest_end(&state, seed->bytes);
}

void hb_joint_public_seed(hb_seed *seed, const uint8_t id[HB_DIGEST_BYTES])
{
    hb_seed common;
    common_seed(&common, id);
    hb_seed_derive(seed, &common, "public");
}

void hb_joint_switch_seeds(hb_seed *seeds, uint32_t count, const uint8_t id[HB_DIGEST_BYTES], uint32_t element)
{
    hb_seed common;
    common_seed(&common, id);
    for (uint32_t j = 0; j < count; j++) {
        char label[32]; /* 8 characters and two numbers of at most 10 */
        if (element == HB_RELINEARIZATION) {
            snprintf(label, sizeof label, "relin %" PRIu32, j);
        } else {
            snprintf(label, sizeof label, "galois %" PRIu32 " %" PRIu32, element, j);
        }
        hb_seed_derive(&seeds[j], &common, label);
    }
}

void hb_owner_root(hb_seed *own, const hb_seed *root, const uint8_t id[HB_DIGEST_BYTES])
{
    hb_seed_derive_for(own, "hebatch own", root, id);
}

void hb_joint_commitment(uint8_t digest[HB_DIGEST_BYTES], const uint8_t id[HB_DIGEST_BYTES], const char *name,
                         const uint8_t body[HB_DIGEST_BYTES])
{
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch commit");
    hb_digest_add(&state, id, HB_DIGEST_BYTES);
    hb_digest_add_text(&state, name);
    hb_digest_add(&state, body, HB_DIGEST_BYTES);
    hb_digest_end(&state, digest);
}

void hb_joint_bodies_digest(uint8_t digest[HB_DIGEST_BYTES], const uint8_t id[HB_DIGEST_BYTES], uint32_t owners,
                            const uint8_t *bodies)
{
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch inputs");
    hb_digest_add(&state, id, HB_DIGEST_BYTES);
    hb_digest_add_u64(&state, owners);
    hb_digest_add(&state, bodies, (size_t)owners * HB_DIGEST_BYTES);
    hb_digest_end(&state, digest);
}
