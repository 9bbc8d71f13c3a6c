/* What a job computes with on this rank: parameters, the engine on them with its queues, and keys on the engine. */
#ifndef HB_RANKS_SESSION_H
#define HB_RANKS_SESSION_H

#include "device/device.h"
#include "divided/exchange.h"
#include "io/keys/keyfile.h"
#include "limb_ranks.h"
#include "machine/thread_limits.h"
#include "rlwe/switch_keys.h"

typedef struct hb_session {
    hb_params *params;
    hb_keyfile file;       /* until it is on the engine */
    hb_grid grid;          /* of the job's ranks; from start on, as is all that follows */
    hb_exchange *exchange; /* with the other members; NULL: limbs are not divided */
    hb_error why_not;      /* NCCL, though it was looked for; else empty */
    hb_engine *engine;
    hb_engine *queue[HB_MOST_WORKERS]; /* [0]: the engine itself; the others: forks of it */
    hb_key_kind kind;                  /* of the key, where there is one; also before start */
    uint8_t key_id[HB_KEY_ID_BYTES];
    hb_secret_key secret;       /* loaded for HB_KEY_SECRET ... */
    hb_public_key public_key;   /* ... and this one for HB_KEY_PUBLIC */
    hb_switch_keys switch_keys; /* for computing; whoever opens the session fills it (keys/key_store.h) */
} hb_session;

/* Rank-local: parameters, from a key file, which is read. The caller closes *session, also after a failure, when
 * nothing of its queues is left; closing wipes the key; a zeroed session is allowed. */
hb_status hb_session_open(hb_session *session, const char *key_path);
/* Without a key: for computing, whose parameters are those of a dataset, and for making a pair. */
hb_status hb_session_open_keyless(hb_session *session, const hb_params_spec *spec);
/* Collective, once, after one of them, the same status on all ranks: how many ranks share the limbs of a ciphertext
 * (limb_ranks.h), the grid of them, the engine and their exchange, which levels device->memory; then
 * the key goes onto the engine and the file's contents are wiped. limbs NULL: every rank for itself. Fails as those
 * that it calls. */
hb_status hb_session_start(hb_session *session, hb_group *group, hb_device *device, const hb_limb_choice *limbs,
                           const hb_limb_requirements *requirements);
/* Tells whether this rank is the one of its members that writes what all of them know: tables, counts. */
bool hb_session_is_group_lead(const hb_session *session);
/* Opens queue[1 .. count). Once. */
hb_status hb_session_fork(hb_session *session, uint32_t count);
/* Collective once it was started. */
void hb_session_close(hb_session *session);

/* HB_EDATA, with both ids, unless the dataset was encrypted with this session's key and parameters. */
hb_status hb_session_check_key(const hb_session *session, const uint8_t key_id[HB_KEY_ID_BYTES],
                               const hb_params_spec *spec, const char *key_path, const char *dataset_path);

#endif
