/* The switching keys of a directory, for a job: choosing the keys that a program needs. key_files.h loads them. */
#ifndef HB_KEYS_KEY_STORE_H
#define HB_KEYS_KEY_STORE_H

#include "cli/console.h"
#include "io/keys/switch_key_file.h"
#include "lang/program/program.h"
#include "ranks/session.h"

/* The keys that a job loads: the file and the level of each; the caller frees the memory. */
typedef struct hb_key_choice {
    hb_key_name file;
    uint32_t limbs; /* of the level that it is loaded for; 0: for all levels that the file serves */
} hb_key_choice;
typedef struct hb_key_choices {
    hb_key_choice *key; /* [count] */
    uint32_t count;
} hb_key_choices;

/* Chooses keys of the directory that serve the wanted operations. A rotation's step uses its own key if there is one,
 * else the keys of its terms (scheme/slots.h). Each key comes from the file that serves its level and no higher one
 * than necessary. *choices: empty where nothing is wanted, and after a failure. HB_ENOINPUT when the directory is
 * missing or none, or naming an operation whose key is missing and the keygen command that makes all missing keys; but
 * HB_EDATA when the directory has keys of another pair than key_id. Where nothing is missing it reads only file
 * names. */
hb_status hb_key_store_find(hb_key_choices *choices, const char *directory, const hb_params *params,
                            const uint8_t key_id[HB_KEY_ID_BYTES], const hb_key_requests *requests);
/* Return the bytes that they take on an engine while they are loaded, and afterwards. */
uint64_t hb_key_choices_bytes(const hb_params *params, hb_key_choices choices);

/* "relinearization key", "key of rotate(x,3)", "key of swap(x)", "key of rotate(swap(x),3)", "key to the sparse
 * secret"; for levels below the highest with ", levels 0 to 12" at the end. */
typedef struct hb_key_text {
    char text[64];
} hb_key_text;
hb_key_text hb_key_text_of(const hb_params_spec *spec, hb_key_name name);

/* "relinearization key", "Galois key" and so on: the sort alone, for reports. */
const char *hb_key_sort_text(hb_key_sort sort);

#endif
