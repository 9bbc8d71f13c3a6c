#include "rounds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/files/durable.h"

static int by_element(const void *a, const void *b)
{
    const hb_joint_rotation *x = a, *y = b;
    return (x->element > y->element) - (x->element < y->element);
}

static hb_status take_names(hb_joint_session *session, hb_joint_rotation **rotations, const hb_params_spec *spec,
                            const hb_key_names *names)
{
    *rotations = calloc(names->count + (size_t)1, sizeof **rotations);
    if (*rotations == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a list of keys");
    }
    for (uint32_t i = 0; i < names->count; i++) {
        const hb_key_name name = names->name[i];
        const uint32_t limbs = hb_key_name_limbs(spec, name);
        if (name.sort == HB_KEY_RELINEARIZATION) {
            session->relin_limbs = limbs;
        } else {
            (*rotations)[session->rotation_count++] = (hb_joint_rotation){name.element, limbs};
        }
    }
    qsort(*rotations, session->rotation_count, sizeof **rotations, by_element);
    session->rotations = *rotations;
    return HB_OK;
}

hb_status hb_joint_choose_keys(hb_joint_session *session, hb_joint_rotation **rotations, const hb_keygen_request *keys,
                               const hb_params *params)
{
    hb_key_names names = {NULL, 0};
    *rotations = NULL;
    hb_status st = hb_keygen_names(&names, keys, params);
    st = st == HB_OK ? take_names(session, rotations, &params->spec, &names) : st;
    free(names.name);
    return st;
}

static hb_status more_path(char **path, const char *folder, uint32_t number)
{
    char name[32]; /* 9 characters and a number of at most 10 */
    snprintf(name, sizeof name, HB_MORE_FILE, number);
    return hb_path_with(folder, name, path);
}

/* The limbs of the level for which a session makes the key of an element, or HB_RELINEARIZATION; 0: it makes none. */
static uint32_t limbs_of(const hb_joint_session *session, uint32_t element)
{
    uint32_t limbs = element == HB_RELINEARIZATION ? session->relin_limbs : 0;
    for (uint32_t i = 0; i < session->rotation_count; i++) {
        limbs = session->rotations[i].element == element ? session->rotations[i].limbs : limbs;
    }
    return limbs;
}

/* Does that for the session and its rounds so far; the most. */
static uint32_t made_limbs(const hb_joint_rounds *rounds, const hb_session_file *of, uint32_t element)
{
    uint32_t most = limbs_of(&of->session, element);
    for (uint32_t i = 0; i < rounds->count; i++) {
        const uint32_t limbs = limbs_of(&rounds->file[i].round.session, element);
        most = limbs > most ? limbs : most;
    }
    return most;
}

/* Whether a round makes keys alone that are not made before it. */
static hb_status check_new(const hb_joint_rounds *before, const hb_session_file *of, const hb_joint_round *round,
                           const char *path)
{
    const hb_joint_session *session = &round->session;
    if (session->relin_limbs != 0 && session->relin_limbs <= made_limbs(before, of, HB_RELINEARIZATION)) {
        return HB_FAIL(HB_EDATA, "%s: makes a relinearization key, which is made before it: remove this round's files",
                       path);
    }
    for (uint32_t i = 0; i < session->rotation_count; i++) {
        const hb_joint_rotation rotation = session->rotations[i];
        if (rotation.limbs <= made_limbs(before, of, rotation.element)) {
            return HB_FAIL(HB_EDATA,
                           "%s: makes the key of element %" PRIu32
                           ", which is made before it: remove this round's files",
                           path, rotation.element);
        }
    }
    return HB_OK;
}

static hb_status open_one(hb_joint_rounds *rounds, const char *path, uint32_t number, const hb_session_file *of,
                          const hb_params *params)
{
    hb_more_file *file = &rounds->file[rounds->count];
    bool there;
    HB_TRY(hb_path_is_there(path, &there));
    if (!there) {
        return HB_OK;
    }
    HB_TRY(hb_more_file_read(path, number, of, params, file));
    const hb_status st = check_new(rounds, of, &file->round, path);
    rounds->count++;
    return st;
}

hb_status hb_joint_rounds_open(hb_joint_rounds *rounds, const char *folder, const hb_session_file *of,
                               const hb_params *params)
{
    hb_status st = HB_OK;
    *rounds = (hb_joint_rounds){.file = calloc(HB_MOST_ROUNDS, sizeof *rounds->file)};
    if (rounds->file == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the rounds of a session");
    }
    for (uint32_t number = 1; st == HB_OK && number <= HB_MOST_ROUNDS; number++) {
        char *path;
        HB_TRY(more_path(&path, folder, number));
        st = open_one(rounds, path, number, of, params);
        free(path);
    }
    return st;
}

void hb_joint_rounds_close(hb_joint_rounds *rounds)
{
    for (uint32_t i = 0; i < rounds->count; i++) {
        hb_more_file_clear(&rounds->file[i]);
    }
    free(rounds->file);
    memset(rounds, 0, sizeof *rounds);
}

/* Takes out of the keys of a round those that are made. */
static void leave_out(hb_more_file *next, const hb_joint_rounds *rounds, const hb_session_file *of)
{
    hb_joint_session *session = &next->round.session;
    const uint32_t count = session->rotation_count;
    if (session->relin_limbs <= made_limbs(rounds, of, HB_RELINEARIZATION)) {
        session->relin_limbs = 0;
    }
    session->rotation_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const hb_joint_rotation rotation = next->rotations[i];
        if (rotation.limbs > made_limbs(rounds, of, rotation.element)) {
            next->rotations[session->rotation_count++] = rotation;
        }
    }
}

hb_status hb_joint_rounds_next(hb_more_file *next, const hb_joint_rounds *rounds, const hb_session_file *of,
                               const hb_keygen_request *keys, const hb_params *params)
{
    hb_joint_round *round = &next->round;
    hb_seed nonce;
    const uint32_t last = rounds->count > 0 ? rounds->file[rounds->count - 1].round.number : 0;
    memset(next, 0, sizeof *next);
    if (last == HB_MOST_ROUNDS) {
        return HB_FAIL(HB_EUSAGE, "--more: a session has %d later rounds at most", HB_MOST_ROUNDS);
    }
    round->number = last + 1;
    round->session = of->session;
    round->session.relin_limbs = round->session.rotation_count = 0;
    HB_TRY(hb_joint_choose_keys(&round->session, &next->rotations, keys, params));
    if (round->session.relin_limbs == 0 && round->session.rotation_count == 0) {
        return HB_FAIL(HB_EUSAGE, "--more makes no key: --for, --relin, --rotations or --swap says which");
    }
    leave_out(next, rounds, of);
    if (round->session.relin_limbs == 0 && round->session.rotation_count == 0) {
        return HB_FAIL(HB_ECREATE, "the session and its later rounds have all of these keys already");
    }
    hb_seed_random(&nonce);
    memcpy(round->session.nonce, nonce.bytes, sizeof round->session.nonce);
    HB_TRY(hb_joint_session_check(&round->session, params));
    hb_joint_round_id(round->id, of->id, round);
    return HB_OK;
}
