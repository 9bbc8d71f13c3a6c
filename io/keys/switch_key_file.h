/* Files of switching keys (HDF5, layout in io/README.md): relin.h5 and galois-G.h5, beside secret.h5 and public.h5.
 * Public material of some megabytes to gigabytes, packed; component 1 is a seed a part, or packed as well where another
 * program made the key. Host memory only; rlwe/switch_key.h puts keys on an engine. Written as keyfile.h says. */
#ifndef HB_IO_KEYS_SWITCH_KEY_FILE_H
#define HB_IO_KEYS_SWITCH_KEY_FILE_H

#include "io/base/pending.h"
#include "rlwe/switch_key.h"

typedef struct hb_switch_key_file {
    hb_params_spec spec;
    uint8_t key_id[HB_KEY_ID_BYTES]; /* of the key pair whose secret this switches to */
    uint32_t element;                /* g, or HB_RELINEARIZATION */
    uint32_t parts;                  /* D */
    size_t part_bytes;               /* hb_packed_bytes of all K limbs */
    uint8_t *b;                      /* [parts][part_bytes]; owned */
    hb_seed *seeds;                  /* [parts]; owned; or NULL, then ... */
    uint8_t *a;                      /* ... [parts][part_bytes]; owned */
} hb_switch_key_file;

/* What can be told of a file without reading the key in it. */
typedef struct hb_switch_key_label {
    hb_params_spec spec;
    uint8_t key_id[HB_KEY_ID_BYTES];
    uint32_t element, parts;
    bool seeded;
    uint64_t file_bytes;
    uint8_t sum[HB_DIGEST_BYTES]; /* the file's checksum, as it says */
} hb_switch_key_label;

/* "DIR/relin.h5", "DIR/galois-G.h5"; allocated. HB_ENOMEM. */
hb_status hb_switch_key_path(const char *directory, uint32_t element, char **path);
/* A growing list of elements, each once; zeroed at first. HB_ENOMEM. */
typedef struct hb_elements {
    uint32_t *element; /* [count]; freed by the caller */
    uint32_t count;
} hb_elements;
hb_status hb_elements_add(hb_elements *list, uint32_t element);
/* Removes what keygen runs that are gone left in a directory of keys: secret.h5.partial and the like. HB_ECREATE. */
hb_status hb_key_folder_sweep(const char *directory);
/* The elements of the files of such names in a directory, in order, allocated; NULL where there are none.
 * HB_ENOINPUT. */
hb_status hb_switch_key_list(const char *directory, uint32_t **elements, uint32_t *count);
/* Bytes of the file of a seeded key, at most. */
uint64_t hb_switch_key_file_bytes(const hb_params_spec *spec);

/* An empty key: elements and counts, memory for b and seeds or, not seeded, b and a. HB_ENOMEM: then it is zeroed;
 * HB_ECONFIG when the parameters have one prime only. */
hb_status hb_switch_key_file_init(hb_switch_key_file *key, const hb_params_spec *spec, uint32_t element, bool seeded);
/* HB_ECREATE when the file exists or the directory cannot be written. */
hb_status hb_switch_key_file_write(const char *path, const hb_switch_key_file *key);
/* The same but for the last step, the renaming: for files that get their names together. */
hb_status hb_switch_key_file_prepare(const char *path, const hb_switch_key_file *key, hb_pending *pending);
/* Checks format, counts against the parameters and the file's size before anything is allocated, and the checksum
 * (HB_EDATA). HB_ENOINPUT when missing. The caller clears *key. */
hb_status hb_switch_key_file_read(const char *path, hb_switch_key_file *key);
/* The same but for the key itself, which is not read, and the checksum. */
hb_status hb_switch_key_file_look(const char *path, hb_switch_key_label *label);
void hb_switch_key_file_clear(hb_switch_key_file *key);

#endif
