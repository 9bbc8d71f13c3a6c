/* The file of sums: an identity, which steps are in them, and words mod q of each, under one checksum. For rank 0. */
#ifndef HB_EVAL_SUMS_FILE_H
#define HB_EVAL_SUMS_FILE_H

#include "batch/unit_map.h"

/* The file in memory, as it is on the disk: 64-bit words, little-endian. A mark, the identity (4), the number of steps,
 * a bit for each (steps / 64 + 1); then of every sum its register, its number of words and these; at the end the
 * checksum (4). */
typedef struct hb_eval_sums_file {
    uint64_t *words; /* [count], of [capacity]; owned */
    size_t count, capacity;
    size_t sums; /* the word at which the sums begin; set by read */
} hb_eval_sums_file;

void hb_eval_sums_file_clear(hb_eval_sums_file *file); /* Frees; a zeroed struct is allowed. */

/* Make a file: begin, any number of puts, write. Writing replaces the file that is there, all at once, and the new one
 * is then on the disk. HB_ENOMEM, HB_EIO. */
hb_status hb_eval_sums_file_begin(hb_eval_sums_file *file, const uint8_t identity[HB_DIGEST_BYTES],
                                  const hb_unit_map *steps);
hb_status hb_eval_sums_file_put(hb_eval_sums_file *file, uint32_t total, const uint64_t *words, size_t count);
hb_status hb_eval_sums_file_write(hb_eval_sums_file *file, const char *path);

/* Reads and checks the whole file: *steps, of as many units, becomes what is in it. The caller clears, also after a
 * failure. HB_ENOINPUT: there is none. HB_EDATA: it is damaged, or of something else. */
hb_status hb_eval_sums_file_read(hb_eval_sums_file *file, const char *path, const uint8_t identity[HB_DIGEST_BYTES],
                                 hb_unit_map *steps);
/* Copies the sum of this register into words [count]. HB_EDATA: the file has none, or one of another size. */
hb_status hb_eval_sums_file_get(const hb_eval_sums_file *file, uint32_t total, uint64_t *words, size_t count);

#endif
