/* The switching keys of a directory, for a job: which of them a program needs, and loading those on an engine. */
#ifndef HB_KEYS_KEY_STORE_H
#define HB_KEYS_KEY_STORE_H

#include "expression/program/program.h"
#include "io/keys/switch_key_file.h"
#include "machine/background.h"
#include "ranks/session.h"

/* The keys that a job loads: from which files, and for which level each; its memory is the caller's to free. */
typedef struct hb_key_choice {
    hb_key_name file;
    uint32_t limbs; /* of the level for which it is loaded; 0: for all that the file serves */
} hb_key_choice;
typedef struct hb_key_choices {
    hb_key_choice *key; /* [count] */
    uint32_t count;
} hb_key_choices;

/* Chooses the keys that serve what is wanted, as the files of the directory do: of a rotation's step the key of its own
 * if it is there, else those of its terms (scheme/slots.h), each from the file that serves the level and no higher one
 * than it must. *choices: empty where nothing is wanted and after a failure. HB_ENOINPUT when the directory is missing
 * or none, or naming an operation whose key is missing and the keygen command that makes all that are missing; but
 * HB_EDATA when the directory has keys of another pair than key_id. Where nothing is missing it looks at names only. */
hb_status hb_key_store_find(hb_key_choices *choices, const char *directory, const hb_params *params,
                            const uint8_t key_id[HB_KEY_ID_BYTES], const hb_key_requests *requests);
/* Returns in *missing, whose memory is the caller's to free, those that are not among `held`; NULL: nothing is. Held
 * are keys that were loaded from the directory as other choices of the same pair wanted them. HB_ENOMEM. */
hb_status hb_key_choices_missing(hb_key_choices *missing, const hb_params *params, hb_key_choices choices,
                                 const hb_switch_keys *held);
/* Frees of `held` what is not among the choices: which keys there are decides what rotations are composed of. */
void hb_key_choices_keep(const hb_params *params, hb_key_choices choices, hb_switch_keys *held);
/* Returns the bytes that they take on an engine while they are loaded, and afterwards. */
uint64_t hb_key_choices_bytes(const hb_params *params, hb_key_choices choices);
/* Looks at the headers of their files, as loading checks them, without reading a key, and returns in *bytes what the
 * files hold. HB_EDATA as of loading, HB_ENOINPUT. */
hb_status hb_key_choices_look(const char *directory, const hb_params *params, const uint8_t key_id[HB_KEY_ID_BYTES],
                              hb_key_choices choices, uint64_t *bytes);
/* Reads and checks the file of the first of them, and returns how many of its bytes a second that took in *rate. */
hb_status hb_key_choices_time(const char *directory, hb_key_choices choices, double *rate);
/* The file of the first of them, read and checked while the device opens. HDF5 is for one thread at a time: the caller
 * makes no call of it before `wait`, after which the file stays until it is loaded or `end` drops it, which also waits.
 * A zeroed struct is allowed, and begin of no keys; the struct stays where it is. */
typedef struct hb_key_ahead {
    hb_background reading;
    char *path;
    hb_switch_key_file file;
} hb_key_ahead;
void hb_key_ahead_begin(hb_key_ahead *ahead, const char *directory, hb_key_choices choices);
void hb_key_ahead_wait(hb_key_ahead *ahead);
void hb_key_ahead_end(hb_key_ahead *ahead);
/* Loads them on the session's engine, rank-local; ahead, or NULL, has read the first, and each of the others is read
 * while the one before it is loaded: the whole files are read and checked; the engine takes what is for the level, and
 * of divided limbs those that are here. HB_EDATA when a key is of another key pair than key_id or has other parameters.
 * The caller clears *keys, also after a failure. */
hb_status hb_key_store_load(hb_switch_keys *keys, const hb_session *session, const char *directory,
                            const uint8_t key_id[HB_KEY_ID_BYTES], hb_key_choices choices, hb_key_ahead *ahead);

/* "relinearization key", "key of rotate(x,3)", "key of swap(x)", "key of rotate(swap(x),3)"; of levels below the
 * highest with ", levels 0 to 12" behind; "key to the sparse secret". */
typedef struct hb_key_text {
    char text[64];
} hb_key_text;
hb_key_text hb_key_text_of(const hb_params_spec *spec, hb_key_name name);

/* "relinearization key", "Galois key" and so on: the sort alone, as reports have it. */
const char *hb_key_sort_text(hb_key_sort sort);

#endif
