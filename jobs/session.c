#include "session.h"

#include <string.h>

#include "hex.h"
#include "slips.h"

hb_status hb_session_open_keyless(hb_session *session, hb_device *device, const hb_params_spec *spec)
{
    *session = (hb_session){0};
    HB_TRY(hb_params_open(spec, &session->params));
    HB_TRY(hb_device_open(device, session->params, &session->engine));
    session->queue[0] = session->engine;
    return HB_OK;
}

hb_status hb_session_fork(hb_session *session, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        HB_TRY(hb_engine_fork(session->engine, &session->queue[i]));
    }
    return HB_OK;
}

static hb_status load(hb_session *session, const hb_keyfile *file)
{
    session->kind = file->kind;
    memcpy(session->key_id, file->key_id, sizeof session->key_id);
    if (file->kind == HB_KEY_SECRET) {
        return hb_secret_key_load(&session->secret, session->engine, session->params, file->ternary);
    }
    return hb_public_key_load(&session->public_key, session->engine, session->params, file->packed_b, file->packed_a,
                              &file->public_seed);
}

hb_status hb_session_open(hb_session *session, hb_device *device, const char *key_path)
{
    *session = (hb_session){0};
    hb_keyfile file = {0};
    hb_status st = HB_OK;
    HB_GOTO(hb_slip_key_directory(key_path));
    HB_GOTO(hb_keyfile_read(key_path, &file));
    HB_GOTO(hb_session_open_keyless(session, device, &file.spec));
    HB_GOTO(load(session, &file));
done:
    hb_keyfile_clear(&file);
    return st;
}

void hb_session_close(hb_session *session)
{
    hb_key_ring_clear(&session->ring);
    hb_secret_key_clear(&session->secret);
    hb_public_key_clear(&session->public_key);
    for (uint32_t i = HB_PIPELINE_MOST_WORKERS; i-- > 0;) {
        hb_engine_close(session->queue[i]);
    }
    hb_params_close(session->params);
    memset(session, 0, sizeof *session);
}

hb_status hb_session_check_key(const hb_session *session, const uint8_t key_id[HB_KEY_ID_BYTES],
                               const hb_params_spec *spec, const char *key_path, const char *dataset_path)
{
    if (memcmp(session->key_id, key_id, HB_KEY_ID_BYTES) != 0) {
        char own[2 * HB_KEY_ID_BYTES + 1], wanted[2 * HB_KEY_ID_BYTES + 1];
        hb_hex(own, session->key_id, HB_KEY_ID_BYTES);
        hb_hex(wanted, key_id, HB_KEY_ID_BYTES);
        return HB_FAIL(HB_EDATA, "%s was encrypted with key %s, but %s is key %s", dataset_path, wanted, key_path, own);
    }
    if (!hb_params_same(&session->params->spec, spec)) {
        return HB_FAIL(HB_EDATA, "%s names the key of %s but has other parameters: one of them is damaged",
                       dataset_path, key_path);
    }
    return HB_OK;
}
