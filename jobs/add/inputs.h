/* The datasets that are added up: looked at one after another, and opened again when they are read, a few at a time.
 * Rank-local. */
#ifndef HB_ADD_INPUTS_H
#define HB_ADD_INPUTS_H

#include <pthread.h>

#include "batch/pipeline.h"
#include "io/dataset/dataset.h"

/* A dataset that is open, for as many as have taken it. */
typedef struct hb_add_open {
    hb_dataset *dataset; /* NULL: none */
    size_t input;
    uint32_t users;
} hb_add_open;

/* What is kept of all of them; it does not depend on how large they are. */
typedef struct hb_add_inputs {
    char *const *paths; /* [count], borrowed */
    size_t count;
    uint32_t residue;
    uint64_t *sizes;                  /* [count] ciphertexts of a unit, at most all that there are */
    uint8_t (*sums)[HB_DIGEST_BYTES]; /* [count] of the datasets as they were looked at */
    hb_summands parts;                /* these, and what they are sums of themselves */
    size_t *part_of;                  /* [parts.count] the dataset that it is in */
    size_t most_parts;                /* that there is room for */
    uint64_t bytes;                   /* stored, of all of them */
    uint64_t largest;                 /* of the sizes */
    bool seeded;                      /* some are */
    size_t computed, encrypted;       /* 1 + the first that was computed of nobody knows what, or that was not computed
                                         at all; 0: none */
    size_t found;                     /* 1 + the first of those computed that a pattern found; 0: none */
    pthread_mutex_t lock;             /* over what is open, and over HDF5, which is called from one thread at a time */
    bool locks;                       /* the lock was made */
    hb_add_open open[HB_PIPELINE_MOST_BUFFERS + 1]; /* one more than can be taken at a time */
} hb_add_inputs;

/* Makes room for what is noted of `count` datasets. HB_ENOMEM. hb_add_inputs_close takes a zeroed struct. */
hb_status hb_add_inputs_init(hb_add_inputs *inputs, char *const *paths, size_t count, uint32_t residue);
void hb_add_inputs_close(hb_add_inputs *inputs);
/* Opens dataset `i`, which must be whole, and notes what is kept of it, and whether it was named itself or `found` by a
 * pattern; the caller closes *dataset. HB_ENOINPUT, HB_EDATA. */
hb_status hb_add_inputs_look(hb_add_inputs *inputs, size_t i, bool found, hb_dataset **dataset);
/* Once all were looked at. HB_EDATA naming two that are the same ciphertexts, or sums that have some in common. */
hb_status hb_add_inputs_check_different(const hb_add_inputs *inputs);
/* Once all were looked at. A pattern also finds a sum of an earlier job, in which rows of the others may be already:
 * HB_EDATA naming one that was computed and found by a pattern, where another was not computed. */
hb_status hb_add_inputs_check_found(const hb_add_inputs *inputs);
/* Digest of all of them, in their order. */
void hb_add_inputs_digest(const hb_add_inputs *inputs, uint8_t digest[HB_DIGEST_BYTES]);

/* Gives the dataset to whoever reads it, in any thread, until it is left; HB_PIPELINE_MOST_BUFFERS at most are taken at
 * a time. HB_EDATA where it is not what was looked at. */
hb_status hb_add_inputs_take(hb_add_inputs *inputs, size_t i, hb_dataset **dataset);
void hb_add_inputs_leave(hb_add_inputs *inputs, size_t i);

#endif
