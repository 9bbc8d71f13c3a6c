/* The datasets that are added. Each is inspected once, its shards by one rank each, and opened again when it is read, a
 * few at a time, where a rank looks at the shards that it reads. Rank-local. */
#ifndef HB_ADD_INPUTS_H
#define HB_ADD_INPUTS_H

#include <pthread.h>

#include "batch/pipeline/pipeline.h"
#include "io/dataset/dataset.h"
#include "mpi/group/group.h"

/* An open dataset, with the number of its users. */
typedef struct hb_add_open {
    hb_dataset *dataset; /* NULL: none */
    size_t input;
    uint32_t users;
} hb_add_open;

/* The facts kept about all datasets; their size does not depend on the size of the datasets. */
typedef struct hb_add_inputs {
    char *const *paths; /* [count], borrowed */
    size_t count;
    uint32_t residue;
    hb_dataset_ranks ranks;
    uint64_t shards;                  /* of the datasets that were inspected so far */
    uint64_t *sizes;                  /* [count] ciphertexts of a unit, at most all that the dataset has */
    uint8_t (*sums)[HB_DIGEST_BYTES]; /* [count] digests of the datasets as they were inspected */
    hb_summands parts;                /* the datasets, and the summands of datasets that are sums */
    size_t *part_of;                  /* [parts.count] the dataset that a part belongs to */
    size_t most_parts;                /* parts that there is room for */
    uint64_t bytes;                   /* bytes stored of all datasets */
    uint64_t largest;                 /* of the sizes */
    bool seeded;                      /* some dataset is seeded */
    size_t computed, encrypted;       /* 1 + the first that was computed of unknown data; not computed; 0: none */
    size_t found;                     /* 1 + the first of those computed that a pattern found; 0: none */
    pthread_mutex_t lock;             /* over `open`, and over HDF5, which is called from one thread at a time */
    bool locks;                       /* the lock was made */
    hb_add_open open[HB_PIPELINE_MOST_BUFFERS + 1]; /* one more than can be taken at a time */
} hb_add_inputs;

/* Makes room for the facts about `count` datasets, which all ranks of the group inspect. HB_ENOMEM. hb_add_inputs_close
 * takes a zeroed struct. */
hb_status hb_add_inputs_init(hb_add_inputs *inputs, char *const *paths, size_t count, uint32_t residue,
                             hb_group *group);
void hb_add_inputs_close(hb_add_inputs *inputs);
/* Opens dataset `i`, which must be whole, and keeps its facts. `found`: a pattern found it, the user did not name it.
 * The caller closes *dataset. HB_ENOINPUT, HB_EDATA. */
hb_status hb_add_inputs_look(hb_add_inputs *inputs, size_t i, bool found, hb_dataset **dataset);
/* Called once all datasets were inspected. HB_EDATA naming two that are the same ciphertexts, or sums with a common
 * summand. */
hb_status hb_add_inputs_check_different(const hb_add_inputs *inputs);
/* Called once all datasets were inspected. A pattern may also find the sum of an earlier job, which may already contain
 * rows of the other datasets. HB_EDATA naming a computed dataset found by a pattern, where another dataset was not
 * computed. */
hb_status hb_add_inputs_check_found(const hb_add_inputs *inputs);

/* Gives the dataset to a reader of its unit u, in any thread, until hb_add_inputs_leave; at most
 * HB_PIPELINE_MOST_BUFFERS are taken at a time. HB_EDATA where the dataset has changed since it was inspected; errors
 * of opening. */
hb_status hb_add_inputs_take(hb_add_inputs *inputs, size_t i, uint64_t u, hb_dataset **dataset);
void hb_add_inputs_leave(hb_add_inputs *inputs, size_t i);

#endif
