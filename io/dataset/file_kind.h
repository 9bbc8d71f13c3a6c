/* Recognizes the kind of a file on disk, before any of its contents is trusted. */
#ifndef HB_IO_DATASET_FILE_KIND_H
#define HB_IO_DATASET_FILE_KIND_H

#include "base/status.h"

typedef enum hb_file_kind {
    HB_FILE_KEY,        /* io/keys/keyfile.h */
    HB_FILE_SWITCH_KEY, /* io/keys/switch_key_file.h */
    HB_FILE_KEYS,       /* a directory with files of either */
    HB_FILE_DATASET,    /* dataset.h: a folder, or one shard */
    HB_FILE_JOINT,      /* of owners of joint keys (io/joint/label.h): a file, or the folder of a session */
} hb_file_kind;

/* Inspects only the type of the file and its attributes format and kind: reading it in full may still refuse it. In a
 * folder it inspects the names. HB_ENOINPUT when missing; HB_EDATA when it is neither. */
hb_status hb_file_kind_of(const char *path, hb_file_kind *kind);

#endif
