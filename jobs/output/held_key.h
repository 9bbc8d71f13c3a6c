/* A secret of a job in a file of its own beside the unfinished output, NAME.partial.key (0600), with the file's lock.
 * The job holds the lock until it ends, so it never removes or replaces the file of another job: NAME.partial is free
 * for the next job as soon as the output has its name, and that is before the secret is removed. Rank 0 holds it for
 * its job; nothing here is collective. */
#ifndef HB_OUTPUT_HELD_KEY_H
#define HB_OUTPUT_HELD_KEY_H

#include <stdbool.h>

#include "base/seed.h"

#define HB_HELD_KEY ".partial.key" /* behind the name of the output */

typedef struct hb_held_key {
    bool held;
    int file; /* where held: its lock is */
} hb_held_key;

/* Reads the secret of an earlier job, without the lock; *found is false where there is none or the file has another
 * size. The caller keeps *secret out of swap and wipes it. HB_EIO, HB_EDATA. */
hb_status hb_held_key_find(const char *path, hb_seed *secret, bool *found);
/* Takes the lock of an earlier job's file and reads the secret; holds nothing where *found is false. HB_ECREATE:
 * another job has the lock; HB_EIO, HB_EDATA. */
hb_status hb_held_key_take(hb_held_key *key, const char *path, hb_seed *secret, bool *found);
/* Stores the secret in a new file, in the place of an ended job's, and holds its lock. HB_ECREATE: another job holds
 * the file that is there; HB_EIO. */
hb_status hb_held_key_make(hb_held_key *key, const char *path, const hb_seed *secret);
/* Where it is held: overwrites the secret, removes the file and releases the lock. Failures are ignored. */
void hb_held_key_remove(hb_held_key *key, const char *path);
/* Releases the lock, if it is held, and leaves the file. */
void hb_held_key_release(hb_held_key *key);

#endif
