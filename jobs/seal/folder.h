/* What export and import share: folders that are there whole or not at all, and what a key file or directory stands
 * for. */
#ifndef HB_SEAL_FOLDER_H
#define HB_SEAL_FOLDER_H

#include "cpu/engine.h"
#include "io/keys/keyfile.h"
#include "io/seal/object.h"

/* Names of the files in a folder of keys; of the ones in a folder of ciphertexts or plaintexts there is only the
 * first. */
#define HB_SEAL_PARAMETERS "parms.seal"
#define HB_SEAL_SECRET "secret.seal"
#define HB_SEAL_PUBLIC "public.seal"
#define HB_SEAL_RELINEARIZATION "relin.seal"
#define HB_SEAL_GALOIS "galois.seal"

/* A folder in the making: files go to NAME.partial. */
typedef struct hb_seal_folder {
    const char *name; /* borrowed */
    char *partial;
    bool begun;
} hb_seal_folder;

/* HB_ECREATE when NAME or NAME.partial is there. Close removes what was not committed; a zeroed struct is allowed. */
hb_status hb_seal_folder_begin(hb_seal_folder *folder, const char *name, mode_t mode);
hb_status hb_seal_folder_commit(hb_seal_folder *folder);
void hb_seal_folder_close(hb_seal_folder *folder);

/* FOLDER/NAME, allocated. */
hb_status hb_seal_path(const char *folder, const char *name, char **path);
/* *path NULL where there is no such file. */
hb_status hb_seal_find(const char *folder, const char *name, char **path);

/* Parameters with a CPU engine on them. The files are read and written by one processor: an accelerator would wait for
 * the disk. Close takes a zeroed struct. */
typedef struct hb_seal_setup {
    hb_params *params;
    hb_engine *engine;
    hb_seal_chain chain;
} hb_seal_setup;
/* HB_ECONFIG for parameters that SEAL does not have. */
hb_status hb_seal_setup_open(hb_seal_setup *setup, const hb_params_spec *spec);
void hb_seal_setup_close(hb_seal_setup *setup);

/* Parameters and identity of a key pair, from any file of its directory or from that: it is those that datasets are
 * matched by, so switching keys alone will do. HB_EDATA when it is no key. */
hb_status hb_seal_identify(const char *path, hb_params_spec *spec, uint8_t key_id[HB_KEY_ID_BYTES]);

#endif
