/* The file format of checkpoints of steps and of sums: an identity, and sections of words, under one checksum.
 * Rank-local. */
#ifndef HB_EVAL_CHECKPOINT_FILE_H
#define HB_EVAL_CHECKPOINT_FILE_H

#include "base/digest.h"
#include "base/status.h"

/* The file in memory, as on the disk, in 64-bit words, little-endian: a mark; the identity (4); for every section its
 * key, its number of words, and the words; at the end the checksum (4). */
typedef struct hb_checkpoint_file {
    uint64_t *words; /* [count], of [capacity]; owned; without the checksum */
    size_t count, capacity;
} hb_checkpoint_file;

void hb_checkpoint_file_clear(hb_checkpoint_file *file); /* Frees; a zeroed struct is allowed. */

/* Make a file: begin, any number of puts, write. put copies `words`; for NULL it puts zeros. write replaces the
 * existing file atomically and brings the new one to the disk; no put follows it. HB_ENOMEM, HB_EIO. */
hb_status hb_checkpoint_file_begin(hb_checkpoint_file *file, const uint8_t identity[HB_DIGEST_BYTES]);
hb_status hb_checkpoint_file_put(hb_checkpoint_file *file, uint64_t key, const uint64_t *words, size_t count);
hb_status hb_checkpoint_file_write(hb_checkpoint_file *file, const char *path);

/* Reads and checks the whole file. identity NULL: any identity is accepted. The caller clears, also after a failure.
 * HB_ENOINPUT: there is no file. HB_EDATA: it is damaged, or has another identity. */
hb_status hb_checkpoint_file_read(hb_checkpoint_file *file, const char *path, const uint8_t identity[HB_DIGEST_BYTES]);
/* Returns the words of the section with this key, and their number in *count; they belong to the file and may be
 * changed. NULL: there is no such section. */
uint64_t *hb_checkpoint_file_find(const hb_checkpoint_file *file, uint64_t key, size_t *count);

#endif
