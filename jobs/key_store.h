/* The switching keys of a directory, for a job: which of them a program needs, and loading those on an engine. */
#ifndef HB_KEY_STORE_H
#define HB_KEY_STORE_H

#include "session.h"
#include "switch_key_file.h"

/* What a program rotates, swaps and relinearizes by (program.h). */
typedef struct hb_key_wants {
    bool relinearization, swap;
    const int64_t *steps; /* [step_count], each 0 < |step| < n / 2; borrowed */
    uint32_t step_count;
} hb_key_wants;

/* The keys that serve the wants, as the files of the directory do: a step by a key of its own if it is there, else by
 * its non-adjacent form (galois.h). *elements: empty where nothing is wanted and after a failure; the caller frees its
 * list. HB_ENOINPUT when the directory is missing or none, or naming an operation whose key is missing and the keygen
 * command that makes all that are missing; but HB_EDATA when the directory has keys of another pair than key_id. Where
 * nothing is missing it looks at names only. */
hb_status hb_key_store_find(hb_elements *elements, const char *directory, const hb_params *params,
                            const uint8_t key_id[HB_KEY_ID_BYTES], const hb_key_wants *wants);
/* Loads them on the session's engine, rank-local: the whole files are read and checked; of divided limbs the engine
 * takes those that are here. HB_EDATA when a key is of another key pair than key_id or has other parameters. The caller
 * clears *ring, also after a failure. */
hb_status hb_key_store_load(hb_key_ring *ring, const hb_session *session, const char *directory,
                            const uint8_t key_id[HB_KEY_ID_BYTES], hb_elements elements);

/* "relinearization key", "key of rotate(x,3)", "key of swap(x)", "key of rotate(swap(x),3)". */
typedef struct hb_key_text {
    char text[40];
} hb_key_text;
hb_key_text hb_key_text_of(size_t n, uint32_t element);

#endif
