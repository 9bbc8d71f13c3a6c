/* Shared by export and import: folders that exist completely or not at all, and the parameters and pair of a key file
 * or directory. */
#ifndef HB_SEAL_FOLDER_H
#define HB_SEAL_FOLDER_H

#include "cpu/engine.h"
#include "io/keys/keyfile.h"
#include "io/seal/object.h"

/* Names of the files in a folder of keys; a folder of ciphertexts or plaintexts has only the first. */
#define HB_SEAL_PARAMETERS "parms.seal"
#define HB_SEAL_SECRET "secret.seal"
#define HB_SEAL_PUBLIC "public.seal"
#define HB_SEAL_RELINEARIZATION "relin.seal"
#define HB_SEAL_GALOIS "galois.seal"

/* A folder that is being made: files go to NAME.partial, which is locked, and which has a mark by which later runs know
 * it. */
typedef struct hb_seal_folder {
    const char *name; /* borrowed */
    char *partial;
    int lock; /* while begun */
    bool begun;
} hb_seal_folder;

/* Begins the folder, and removes the NAME.partial of an earlier run that was killed. HB_ECREATE when NAME exists, or a
 * NAME.partial that a running process has or that hebatch did not make. Close removes a folder that was not committed;
 * a zeroed struct is allowed. */
hb_status hb_seal_folder_begin(hb_seal_folder *folder, const char *name, mode_t mode);
hb_status hb_seal_folder_commit(hb_seal_folder *folder);
/* Notes that NAME.partial is gone: its files were moved elsewhere. */
void hb_seal_folder_leave(hb_seal_folder *folder);
void hb_seal_folder_close(hb_seal_folder *folder);

/* Returns in *path FOLDER/NAME, allocated. HB_ENOMEM. */
hb_status hb_seal_path(const char *folder, const char *name, char **path);
/* Does the same; *path is NULL where there is no such file. HB_EIO, HB_ENOMEM. */
hb_status hb_seal_find(const char *folder, const char *name, char **path);

/* Parameters with a CPU engine on them. One processor reads and writes the files: an accelerator would wait for the
 * disk. Close takes a zeroed struct. */
typedef struct hb_seal_setup {
    hb_params *params;
    hb_engine *engine;
    hb_seal_chain chain;
} hb_seal_setup;
/* Opens it. HB_ECONFIG for parameters that SEAL does not support. */
hb_status hb_seal_setup_open(hb_seal_setup *setup, const hb_params_spec *spec);
void hb_seal_setup_close(hb_seal_setup *setup);

/* Finds parameters and identity of a key pair, from any file of its directory or from the directory itself: datasets
 * are matched by the identity, so switching keys alone suffice. HB_EDATA when the file is no key. */
hb_status hb_seal_identify(const char *path, hb_params_spec *spec, uint8_t key_id[HB_KEY_ID_BYTES]);

#endif
