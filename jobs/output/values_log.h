/* Records the values of which stored units of an unfinished dataset were made, so that a resumed job finds out whether
 * its table has these values: a file of the same size, inode and time may hold others.
 *
 * A plain digest of values would let a reader of NAME.partial test guesses of them. So digests are keyed with a secret
 * key, NAME.partial.key beside it, which goes when the dataset is complete. Each rank writes a record for each unit
 * that it has made, into a file of its own in NAME.partial (HB_VALUES_NAME), before the unit's sum is there. A record
 * names the unit by its sum, so it says nothing of a unit that was made again later. */
#ifndef HB_OUTPUT_VALUES_LOG_H
#define HB_OUTPUT_VALUES_LOG_H

#include <stdatomic.h>

#include "base/digest.h"
#include "base/seed.h"
#include "held_key.h"
#include "mpi/group/group.h"

/* The log of one rank, with the records of all ranks of earlier jobs. */
typedef struct hb_values_log {
    hb_seed key;                      /* of the digests (hb_values_digest); secret */
    hb_held_key held;                 /* on rank 0: its file */
    int file;                         /* of this rank's records */
    _Atomic uint64_t next;            /* the place of the next one in it, counted in records */
    struct hb_values_record *records; /* [count] owned: of earlier jobs, in the order of units */
    size_t count;
} hb_values_log;

/* Whether a unit was made of the values that the table has now. */
typedef enum hb_values_known { HB_VALUES_UNKNOWN, HB_VALUES_SAME, HB_VALUES_OTHER } hb_values_known;

/* Collective, behind hb_output_dataset_begin: makes the key and empty logs, or, where the dataset is `resumed`, reads
 * the logs that are there. Without its key a log says nothing, and is removed. Close clears *log, also after a
 * failure. HB_ECREATE, HB_ENOINPUT, HB_EIO, HB_ENOMEM; HB_EDATA: a log is too long, or changes. */
hb_status hb_values_log_open(hb_values_log *log, hb_group *group, const char *output, bool resumed);
/* Rank-local, from any thread: records that unit u, with this sum, was made of values with this digest. HB_EIO. */
hb_status hb_values_log_add(hb_values_log *log, uint64_t u, const uint8_t sum[HB_DIGEST_BYTES],
                            const uint8_t digest[HB_DIGEST_BYTES]);
/* Rank-local, from any thread: looks among the records of earlier jobs. */
hb_values_known hb_values_log_find(const hb_values_log *log, uint64_t u, const uint8_t sum[HB_DIGEST_BYTES],
                                   const uint8_t digest[HB_DIGEST_BYTES]);
/* Rank-local: removes the key and the logs where the job is `over`, as its output is complete or useless, on rank 0;
 * brings them to the disk where it is not; wipes and frees. A failure costs work that is done again, and no more.
 * Allows a struct that open has not seen, with file -1. */
void hb_values_log_close(hb_values_log *log, const char *output, bool over);

#endif
