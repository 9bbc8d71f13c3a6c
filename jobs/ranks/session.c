#include "session.h"

#include <string.h>

#include "cli/parse.h"
#include "cli/slips.h"

hb_status hb_session_open_keyless(hb_session *session, const hb_params_spec *spec)
{
    *session = (hb_session){0};
    return hb_params_open(spec, &session->params);
}

hb_status hb_session_open(hb_session *session, const char *key_path)
{
    *session = (hb_session){0};
    HB_TRY(hb_slip_key_directory(key_path));
    HB_TRY(hb_keyfile_read(key_path, &session->file));
    session->kind = session->file.kind;
    memcpy(session->key_id, session->file.key_id, sizeof session->key_id);
    return hb_params_open(&session->file.spec, &session->params);
}

bool hb_session_leads(const hb_session *session)
{
    return session->grid.members->rank == 0;
}

hb_status hb_session_fork(hb_session *session, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        HB_TRY(hb_engine_fork(session->engine, &session->queue[i]));
    }
    return HB_OK;
}

void hb_session_close(hb_session *session)
{
    hb_switch_keys_clear(&session->ring);
    hb_secret_key_clear(&session->secret);
    hb_public_key_clear(&session->public_key);
    for (uint32_t i = HB_MOST_WORKERS; i-- > 1;) {
        hb_engine_close(session->queue[i]);
    }
    hb_engine_close(session->engine);
    hb_exchange_close(session->exchange);
    hb_grid_close(&session->grid);
    hb_params_close(session->params);
    hb_keyfile_clear(&session->file);
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
