/* What a job computes with on this rank: parameters, the engine on them with its queues, and keys on the engine. */
#ifndef HB_SESSION_H
#define HB_SESSION_H

#include "device.h"
#include "key_ring.h"
#include "keyfile.h"
#include "pipeline.h"

typedef struct hb_session {
    hb_params *params;
    hb_engine *engine;
    hb_engine *queue[HB_PIPELINE_MOST_WORKERS]; /* [0]: the engine itself; the others: forks of it */
    hb_key_kind kind;                           /* of the key, where there is one */
    uint8_t key_id[HB_KEY_ID_BYTES];
    hb_secret_key secret;     /* loaded for HB_KEY_SECRET ... */
    hb_public_key public_key; /* ... and this one for HB_KEY_PUBLIC */
    hb_key_ring ring;         /* for computing; whoever opens the session fills it (key_store.h) */
} hb_session;

/* From a key file, whose contents are wiped once they are on the engine. The caller closes *session, also after a
 * failure, when nothing of its queues is left; closing wipes the key; a zeroed session is allowed. */
hb_status hb_session_open(hb_session *session, hb_device *device, const char *key_path);
/* Without a key: for computing, whose parameters are those of a dataset, and for making a pair. */
hb_status hb_session_open_keyless(hb_session *session, hb_device *device, const hb_params_spec *spec);
/* Opens queue[1 .. count). Once. */
hb_status hb_session_fork(hb_session *session, uint32_t count);
void hb_session_close(hb_session *session);

/* HB_EDATA, with both ids, unless the dataset was encrypted with this session's key and parameters. */
hb_status hb_session_check_key(const hb_session *session, const uint8_t key_id[HB_KEY_ID_BYTES],
                               const hb_params_spec *spec, const char *key_path, const char *dataset_path);

#endif
