#include "session.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/misplaced_argument.h"
#include "cli/parse.h"
#include "divided/engine.h"
#include "limb_ranks.h"
#include "scheme/codec.h"
#include "scheme/params.h"
#include "unseal.h"

hb_status hb_session_open_keyless(hb_session *session, const hb_params_spec *spec)
{
    *session = (hb_session){0};
    return hb_params_open(spec, &session->params);
}

hb_status hb_session_open(hb_session *session, const char *key_path)
{
    return hb_session_open_residue(session, key_path, 0);
}

bool hb_session_is_stdin(const char *key_path)
{
    return strcmp(key_path, "-") == 0;
}

const char *hb_session_key_name(const char *key_path)
{
    return hb_session_is_stdin(key_path) ? "standard input" : key_path;
}

hb_status hb_session_check_stdin(const hb_group *group, const char *key_path)
{
    if (key_path == NULL || !hb_session_is_stdin(key_path) || group->size == 1) {
        return HB_OK;
    }
    return HB_FAIL(HB_EUSAGE, "--key -: one rank alone reads a key from standard input, and here are %d: give a file",
                   group->size);
}

/* A stream is read once, and the job of every plain modulus reads its key. */
static hb_status read_stdin(const char *name, hb_keyfile *file)
{
    HB_TRY(hb_keyfile_read_stream(STDIN_FILENO, name, file));
    if (hb_spec_residues(&file->spec) == 1) {
        return HB_OK;
    }
    hb_keyfile_clear(file);
    return HB_FAIL(HB_EUSAGE, "%s: keys of several plain moduli are read once for each: give a file", name);
}

hb_status hb_session_open_residue(hb_session *session, const char *key_path, uint32_t residue)
{
    *session = (hb_session){0};
    HB_TRY(hb_misplaced_key_directory(key_path));
    HB_TRY(hb_session_is_stdin(key_path) ? read_stdin(hb_session_key_name(key_path), &session->file)
                                         : hb_keyfile_read(key_path, &session->file));
    session->key_name = hb_session_key_name(key_path);
    session->kind = session->file.kind;
    memcpy(session->key_id, session->file.key_id, sizeof session->key_id);
    const hb_params_spec of = hb_spec_of_residue(&session->file.spec, residue);
    return hb_params_open(&of, &session->params);
}

hb_status hb_session_state_scale(hb_session *session, uint32_t limbs, double scale)
{
    hb_params_spec spec = session->params->spec;
    HB_ASSERT(session->secret.params == NULL && session->public_key.params == NULL);
    if (!hb_codec_state_scale(&spec, limbs, scale) ||
        hb_codec_scale(&spec, limbs) == hb_codec_scale(&session->params->spec, limbs)) {
        return HB_OK;
    }
    hb_params *params;
    HB_TRY(hb_params_open(&spec, &params));
    hb_params_close(session->params);
    session->params = params;
    return HB_OK;
}

bool hb_session_is_group_lead(const hb_session *session)
{
    return session->grid.members->rank == 0;
}

bool hb_session_fits(const hb_session *session, const hb_session *started)
{
    return started->engine != NULL && hb_params_same(&session->params->spec, &started->params->spec);
}

/* Loads the key of the one file of the pair that was read; a session without a key has none. */
static hb_status load_key(hb_session *session)
{
    const hb_keyfile *file = &session->file;
    HB_ASSERT(!hb_keyfile_is_sealed(file));
    if (file->ternary != NULL) {
        return hb_secret_key_load(&session->secret, session->engine, session->params, file->ternary);
    }
    if (file->packed_b == NULL) {
        return HB_OK;
    }
    return hb_public_key_load(&session->public_key, session->engine, session->params, file->packed_b, file->packed_a,
                              &file->public_seed);
}

hb_status hb_session_take(hb_session *session, hb_session *from)
{
    const hb_session own = *session;
    HB_ASSERT(from->secret.params == NULL && from->public_key.params == NULL);
    if (!hb_session_fits(session, from)) {
        return HB_FAIL(HB_EDATA, "the files of one plain modulus have other parameters than those of another");
    }
    HB_TRY(hb_params_divide_as(own.params, &from->params->division));
    *session = *from;
    session->params = own.params;
    session->key_name = own.key_name;
    session->file = own.file;
    session->kind = own.kind;
    memcpy(session->key_id, own.key_id, sizeof session->key_id);
    hb_switch_keys_use(&session->switch_keys, own.params);
    hb_switch_keys_use(&session->resting, own.params);
    /* The engine borrows ring and map of the parameters that it was opened on, and nothing of those between. */
    if (from->first == NULL) {
        session->first = from->params;
    } else {
        hb_params_close(from->params);
    }
    memset(from, 0, sizeof *from);
    HB_TRY(load_key(session));
    hb_keyfile_clear(&session->file);
    return HB_OK;
}

static bool has_origin(const void *context, const hb_switch_key *key)
{
    static const uint8_t none[sizeof key->origin];
    (void)context;
    return memcmp(key->origin, none, sizeof none) != 0;
}

void hb_session_leave(hb_session *session)
{
    hb_secret_key_clear(&session->secret);
    hb_public_key_clear(&session->public_key);
    hb_keyfile_clear(&session->file);
    session->key_name = NULL;
    const hb_error before = *hb_last_error();
    if (hb_switch_keys_move(&session->resting, &session->switch_keys, has_origin, NULL) != HB_OK) {
        hb_set_error(&before); /* the next job loads them again */
    }
    hb_switch_keys_clear(&session->switch_keys);
}

hb_status hb_session_fork(hb_session *session, uint32_t count)
{
    for (uint32_t i = 1; i < HB_MOST_WORKERS; i++) {
        if (i >= count) {
            hb_engine_close(session->queue[i]);
            session->queue[i] = NULL;
        } else if (session->queue[i] == NULL) {
            HB_TRY(hb_engine_fork(session->engine, &session->queue[i]));
        }
    }
    return HB_OK;
}

void hb_session_close(hb_session *session)
{
    /* Everything on the engine goes before the engine, forks before their origin, the engine before its exchange, and
     * the exchange before the grid. */
    hb_switch_keys_clear(&session->switch_keys);
    hb_switch_keys_clear(&session->resting);
    hb_secret_key_clear(&session->secret);
    hb_public_key_clear(&session->public_key);
    for (uint32_t i = HB_MOST_WORKERS; i-- > 1;) {
        hb_engine_close(session->queue[i]);
    }
    hb_engine_close(session->engine);
    hb_exchange_close(session->exchange);
    hb_grid_close(&session->grid);
    hb_params_close(session->params);
    hb_params_close(session->first);
    hb_keyfile_clear(&session->file);
    free(session->trials);
    memset(session, 0, sizeof *session);
}

hb_status hb_session_require_key(const hb_session *session, const char *key_id)
{
    uint8_t wanted[HB_KEY_ID_BYTES];
    char own[2 * HB_KEY_ID_BYTES + 1];
    if (key_id == NULL) {
        return HB_OK;
    }
    if (hb_parse_hex(key_id, wanted, sizeof wanted) != HB_OK) {
        return HB_FAIL(HB_EUSAGE, "--key-id: '%.80s' is no id of a key: keygen and info print %d hexadecimal digits",
                       key_id, 2 * HB_KEY_ID_BYTES);
    }
    hb_hex(own, session->key_id, HB_KEY_ID_BYTES);
    return memcmp(session->key_id, wanted, sizeof wanted) == 0
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: is key %s, and --key-id says %.32s: somebody may have exchanged it",
                         session->key_name, own, key_id);
}

hb_status hb_session_check_key(const hb_session *session, const uint8_t key_id[HB_KEY_ID_BYTES],
                               const hb_params_spec *spec, const char *key_path, const char *dataset_path)
{
    const hb_scheme scheme = session->params->spec.scheme;
    if (scheme != spec->scheme) {
        return HB_FAIL(HB_EDATA, "%s was encrypted with a key of %s, but %s is a key of %s", dataset_path,
                       hb_scheme_name(spec->scheme), key_path, hb_scheme_name(scheme));
    }
    if (memcmp(session->key_id, key_id, HB_KEY_ID_BYTES) != 0) {
        char own[2 * HB_KEY_ID_BYTES + 1], wanted[2 * HB_KEY_ID_BYTES + 1];
        hb_hex(own, session->key_id, HB_KEY_ID_BYTES);
        hb_hex(wanted, key_id, HB_KEY_ID_BYTES);
        return HB_FAIL(HB_EDATA, "%s was encrypted with key %s, but %s is key %s", dataset_path, wanted, key_path, own);
    }
    if (!hb_keys_same(session->key_id, &session->params->spec, key_id, spec)) {
        return HB_FAIL(HB_EDATA, "%s names the key of %s but has other parameters or owners: one of them is damaged",
                       dataset_path, key_path);
    }
    return HB_OK;
}

/* Opens the device's engine, which has all limbs and is checked with all of them as it opens. */
static hb_status open_device(hb_session *session, hb_device *device)
{
    HB_TRY(hb_params_divide(session->params, 1));
    return hb_device_open(device, session->params, &session->engine);
}

/* Opens the grid of groups of k ranks, and their exchange. Collective. */
static hb_status open_exchange(hb_session *session, hb_group *group, hb_device *device, const hb_limb_choice *choice,
                               uint32_t k)
{
    const double begun = hb_now();
    HB_TRY(hb_grid_open(&session->grid, group, k));
    if (k > 1) {
        HB_TRY(hb_limb_exchange_open(&session->grid, device, session->engine, choice, &session->exchange,
                                     &session->why_not));
        session->exchange_seconds += hb_now() - begun;
    }
    return HB_OK;
}

static void close_exchange(hb_session *session)
{
    hb_exchange_close(session->exchange);
    session->exchange = NULL;
    hb_grid_close(&session->grid);
}

/* Opens the exchange of k ranks; where that number was predicted, the one of the number with which the job is still
 * predicted to end soonest at the cost that was measured. Collective. */
static hb_status open_best(hb_session *session, hb_group *group, hb_device *device, const hb_limb_choice *choice,
                           const hb_limb_requirements *requirements, uint32_t k)
{
    hb_limb_trials *trials = session->trials;
    bool settled = trials == NULL;
    HB_TRY(open_exchange(session, group, device, choice, k));
    while (k > 1 && !settled) {
        const uint32_t before = k;
        HB_TRY(hb_limb_trials_measured(trials, group, device, session->exchange, requirements, session->params));
        k = trials->trial[trials->chosen].k;
        settled = k == before;
        if (!settled) {
            settled = trials->trial[trials->chosen].measured;
            close_exchange(session);
            HB_TRY(open_exchange(session, group, device, choice, k));
        }
    }
    return HB_OK;
}

/* Puts an engine of divided limbs in the place of the device's. Collective. */
static hb_status divide(hb_session *session, const hb_device *device)
{
    hb_group *all = session->grid.all;
    hb_params *params = session->params;
    const hb_exchange_cost *cost = &session->exchange->cost;
    hb_speed speed;
    /* Costs and speed are the same on all ranks, and so is what follows from them. */
    HB_TRY(hb_limb_speed(all, device, params, &speed));
    HB_TRY(hb_agree(all, hb_limb_divide(params, session->exchange->members, &speed, cost)));
    hb_engine *engine = session->engine;
    /* The divided engine takes the device's over, also when opening it fails. */
    session->engine = NULL;
    const hb_status st = hb_divided_engine_open(engine, &session->params->map, session->exchange, HB_DIVIDE_BY_COST,
                                                device->memory, &session->engine);
    return hb_agree(all, st);
}

hb_status hb_session_start(hb_session *session, hb_group *group, hb_device *device, const hb_limb_choice *limbs,
                           const hb_limb_requirements *requirements)
{
    uint32_t k = 1;
    if (session->key_name != NULL) {
        HB_TRY(hb_unseal_all(group, &session->file, session->key_name)); /* before a device is taken */
    }
    if (limbs != NULL) {
        HB_TRY(hb_limb_ranks_take(limbs, group, session->params, &k));
    }
    if (k == 0) {
        session->trials = calloc(1, sizeof *session->trials);
        HB_TRY(
            hb_agree(group, session->trials != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a choice of ranks")));
        HB_TRY(hb_limb_trials_begin(session->trials, group, device, hb_limb_tries_nccl(limbs, device), requirements,
                                    session->params));
        k = session->trials->trial[session->trials->chosen].k;
    }
    /* On each rank by itself; the exchange is opened once all have an engine. */
    HB_TRY(hb_agree(group, open_device(session, device)));
    HB_TRY(open_best(session, group, device, limbs, requirements, k));
    if (limbs != NULL) {
        /* A rank that only stands still holds up those that share limbs with it, wherever it stands. */
        hb_board_set_limit(group->board, limbs->timeout, session->exchange != NULL);
    }
    if (session->exchange != NULL) {
        HB_TRY(divide(session, device));
    }
    /* After dividing, which replaces the engine. */
    session->queue[0] = session->engine;
    /* On the engine of divided limbs, so that each member loads its own limbs. */
    HB_TRY(hb_agree(group, load_key(session)));
    hb_keyfile_clear(&session->file);
    return HB_OK;
}
