/* What a job computes with on this rank: parameters, the engine on them with its queues, and keys on the engine. */
#ifndef HB_RANKS_SESSION_H
#define HB_RANKS_SESSION_H

#include "device/device.h"
#include "divided/exchange.h"
#include "io/keys/keyfile.h"
#include "limb_ranks.h"
#include "machine/thread_limits.h"
#include "rlwe/switch_keys.h"

/* A session of one rank. Zeroed: nothing is open. */
typedef struct hb_session {
    hb_params *params;
    hb_params *first;      /* what the engine was opened on, where another job did that (hb_session_take); else NULL */
    const char *key_name;  /* what messages call the key, borrowed; NULL: there is none */
    hb_keyfile file;       /* contents of the key file, until the key is on the engine; sealed until the start */
    hb_grid grid;          /* of the job's ranks; set by hb_session_start, as is what follows */
    hb_exchange *exchange; /* with the other members; NULL: limbs are not divided */
    hb_error why_not;      /* why it is not NCCL though that was looked for; else empty */
    hb_engine *engine;
    hb_engine *queue[HB_MOST_WORKERS]; /* [0]: the engine itself; the others: forks of it */
    hb_key_kind kind;                  /* of the key, where there is one; kind and id are set by open */
    uint8_t key_id[HB_KEY_ID_BYTES];
    hb_secret_key secret;       /* loaded for HB_KEY_SECRET */
    hb_public_key public_key;   /* loaded for HB_KEY_PUBLIC */
    hb_switch_keys switch_keys; /* for computing; whoever opens the session fills it (keys/key_store.h) ... */
    double switch_seconds;      /* ... which took so long, all together */
} hb_session;

/* Returns whether a key is to be read from standard input: "-". */
bool hb_session_is_stdin(const char *key_path);
/* Returns what messages call the key: its path, or "standard input". */
const char *hb_session_key_name(const char *key_path);
/* Returns HB_EUSAGE for a key from standard input where there are several ranks: each reads the key for itself, and a
 * launcher gives the stream to one. HB_OK for files, and where no key is given, NULL. Rank-local. */
hb_status hb_session_check_stdin(const hb_group *group, const char *key_path);
/* Reads a key file, or standard input, which is there once, and opens its parameters. Rank-local. The caller closes
 * *session, also after a failure, when nothing is left of its queues. HB_ENOINPUT (also for a folder in the place of a
 * key), HB_EDATA, HB_ENOMEM; HB_EUSAGE for a key of several plain moduli on standard input. */
hb_status hb_session_open(hb_session *session, const char *key_path);
/* The same for one of the plain moduli that the parameters have, if they have several: residue 0 is what
 * hb_session_open opens. */
hb_status hb_session_open_residue(hb_session *session, const char *key_path, uint32_t residue);
/* Opens parameters without a key: for computing, whose parameters are those of a dataset, and for making a pair.
 * Rank-local. */
hb_status hb_session_open_keyless(hb_session *session, const hb_params_spec *spec);
/* Completes a session that was opened: chooses how many ranks share the limbs of a ciphertext (limb_ranks.h), opens the
 * grid of the ranks, the engine and their exchange, which levels device->memory, opens the key if it is sealed
 * (unseal.h), puts it onto the engine and wipes the contents of its file. Collective, once, the same status on all
 * ranks. limbs NULL: every rank is for itself. It fails as what it calls. */
hb_status hb_session_start(hb_session *session, hb_group *group, hb_device *device, const hb_limb_choice *limbs,
                           const hb_limb_requirements *requirements);
/* Completes a session that was opened without a key in the other way: by ranks, engine, queues and switching keys of
 * one that was started so, whose parameters differ in the plain modulus alone. *from is zeroed. Rank-local; HB_EDATA
 * for other parameters or another key id: then both are as they were. */
hb_status hb_session_take(hb_session *session, hb_session *from);
/* Tells whether this rank is the one of its members that writes what all of them know: tables, counts. */
bool hb_session_is_group_lead(const hb_session *session);
/* Opens those of queue[1 .. count) that are not there, as forks of the engine, and closes those behind them; count is
 * at most HB_MOST_WORKERS. Rank-local. HB_ENOMEM. */
hb_status hb_session_fork(hb_session *session, uint32_t count);
/* Wipes the keys and closes everything; a zeroed session is allowed. Collective if the session was started. */
void hb_session_close(hb_session *session);

/* Returns HB_EDATA, with both ids, unless the dataset was encrypted with this session's key and parameters.
 * Rank-local. */
hb_status hb_session_check_key(const hb_session *session, const uint8_t key_id[HB_KEY_ID_BYTES],
                               const hb_params_spec *spec, const char *key_path, const char *dataset_path);

#endif
