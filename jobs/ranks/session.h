/* The session of a job on this rank: parameters, the engine on them with its queues, and keys on the engine. */
#ifndef HB_RANKS_SESSION_H
#define HB_RANKS_SESSION_H

#include "device/device.h"
#include "divided/exchange.h"
#include "io/keys/keyfile.h"
#include "limb_choice.h"
#include "limb_ranks.h"
#include "machine/thread_limits.h"
#include "rlwe/switch_keys.h"

/* A session of one rank. Zeroed: nothing is open. */
typedef struct hb_session {
    hb_params *params;
    hb_params *first; /* the parameters that the engine was opened on, by another job (hb_session_take); else NULL */
    const char *key_name;  /* the key's name in messages, borrowed; NULL: there is no key */
    hb_keyfile file;       /* contents of the key file, until the key is on the engine; sealed until hb_session_start */
    hb_grid grid;          /* of the job's ranks; hb_session_start sets it and the members below */
    hb_exchange *exchange; /* with the other members; NULL: limbs are not divided */
    hb_limb_trials *trials;  /* by which the number of ranks was chosen, owned; NULL: it was given */
    double exchange_seconds; /* in which the exchange was opened and measured */
    hb_error why_not;        /* why there are no direct copies, or no NCCL, though they were wanted; else empty */
    hb_engine *engine;
    hb_engine *queue[HB_MOST_WORKERS]; /* [0]: the engine itself; the others: forks of it */
    hb_key_kind kind;                  /* of the key, if there is one; open sets kind and id */
    uint8_t key_id[HB_KEY_ID_BYTES];
    hb_secret_key secret;       /* loaded for HB_KEY_SECRET */
    hb_public_key public_key;   /* loaded for HB_KEY_PUBLIC */
    hb_switch_keys switch_keys; /* for computing; the session's opener fills it (keys/key_files.h) ... */
    double switch_seconds;      /* ... in this many seconds */
    hb_switch_keys resting;     /* keys that earlier jobs left, the one that rests longest first ... */
    uint64_t resting_most;      /* ... and the bytes of the engine that they may take while this job runs */
} hb_session;

/* Returns whether the key comes from standard input: "-". */
bool hb_session_is_stdin(const char *key_path);
/* Returns the key's name in messages: its path, or "standard input". */
const char *hb_session_key_name(const char *key_path);
/* Returns HB_EUSAGE for a key from standard input with several ranks: each rank reads the key for itself, and a
 * launcher gives the stream to only one. HB_OK for files, and for NULL: no key is given. Rank-local. */
hb_status hb_session_check_stdin(const hb_group *group, const char *key_path);
/* Reads a key file, or standard input, which can be read only once, and opens the key's parameters. Rank-local. The
 * caller closes *session, also after a failure, once nothing of its queues is left. HB_ENOINPUT (also for a folder in
 * the place of a key), HB_EDATA, HB_ENOMEM; HB_EUSAGE for a key of several plain moduli on standard input. */
hb_status hb_session_open(hb_session *session, const char *key_path);
/* Does the same for one of several plain moduli: hb_session_open opens residue 0. */
hb_status hb_session_open_residue(hb_session *session, const char *key_path, uint32_t residue);
/* Opens parameters without a key: for computing, with the parameters of a dataset, and for making a pair. Rank-local.
 * HB_ECONFIG. */
hb_status hb_session_open_keyless(hb_session *session, const hb_params_spec *spec);
/* Completes an opened session: chooses how many ranks share the limbs of a ciphertext (limb_choice.h); opens the grid
 * of the ranks, the engine, and their exchange, which levels device->memory; opens the key if it is sealed (unseal.h),
 * puts it onto the engine and wipes the contents of its file. Collective, once, the same status on all ranks. limbs
 * NULL: limbs are not divided. Fails as the functions that it calls. */
hb_status hb_session_start(hb_session *session, hb_group *group, hb_device *device, const hb_limb_choice *limbs,
                           const hb_limb_requirements *requirements);
/* Completes an opened session in another way: takes ranks, engine, queues and resting keys from a started session that
 * has no key of a pair and whose parameters differ in the plain modulus alone, and puts its own key onto the engine.
 * *from is zeroed. Rank-local. HB_EDATA for other parameters, with both sessions unchanged; errors of loading a key. */
hb_status hb_session_take(hb_session *session, hb_session *from);
/* Makes a started session one that another can take: wipes its key of a pair, and lets its switching keys rest, but for
 * those that came from no file by which they are found again. Rank-local. */
void hb_session_leave(hb_session *session);
/* Returns whether both sessions, one of them started, are of the same parameters but for the plain modulus. */
bool hb_session_fits(const hb_session *session, const hb_session *started);
/* Returns whether this rank is the one of its members that writes data which all of them have: tables, counts. */
bool hb_session_is_group_lead(const hb_session *session);
/* Opens the missing ones of queue[1 .. count) as forks of the engine, and closes later ones; count is at most
 * HB_MOST_WORKERS. Collective where limbs are divided: all members pass the same count. HB_ENOMEM; HB_EPEER,
 * HB_ECOMM. */
hb_status hb_session_fork(hb_session *session, uint32_t count);
/* Wipes the keys and closes everything; a zeroed session is allowed. Collective if the session was started. */
void hb_session_close(hb_session *session);

/* Turns the parameters of a session, opened and not started, into those of ciphertexts with that scale
 * (hb_codec_state_scale), where the scheme has scales. Rank-local. HB_ENOMEM. */
hb_status hb_session_state_scale(hb_session *session, uint32_t limbs, double scale);
/* Returns HB_EDATA, with both ids, unless the session's key has this id, in hexadecimal digits; NULL: any id. HB_EUSAGE
 * for a malformed id. Rank-local. */
hb_status hb_session_require_key(const hb_session *session, const char *key_id);
/* Returns HB_EDATA, with both ids, unless the dataset was encrypted with this session's key and parameters.
 * Rank-local. */
hb_status hb_session_check_key(const hb_session *session, const uint8_t key_id[HB_KEY_ID_BYTES],
                               const hb_params_spec *spec, const char *key_path, const char *dataset_path);

#endif
