/* Workers: how many queues of its engine a rank computes in at a time, how many ciphertexts each has in the work, and
 * how many threads bring them units. */
#ifndef HB_BATCH_WORKERS_H
#define HB_BATCH_WORKERS_H

#include "cli/common.h"
#include "mpi/group/group.h"
#include "pipeline.h"
#include "ranks/session.h"

/* What a rank computes in: `count` queues of its engine, each at one unit, `batch` ciphertexts of it at a time. */
typedef struct hb_workers {
    uint32_t count;
    uint32_t files; /* threads that read, and as many that write */
    size_t batch;
    uint64_t bytes; /* of the engine's memory, tables and keys included */
} hb_workers;

/* What workers need of the engine's memory. Borrowed. */
typedef struct hb_worker_requirements {
    uint64_t units;       /* of the rank with most; more workers would be idle */
    size_t batch;         /* the best one where memory allows it, >= 1: a multiple of `together`, or a whole unit */
    size_t together;      /* ciphertexts that one batch has to have: smaller ones are multiples; 0: 1 */
    bool in_order;        /* one worker has all units */
    uint64_t fixed_bytes; /* for all workers together, beyond the engine's tables and a key pair */
    uint64_t (*worker_bytes)(const void *context, size_t batch); /* for each */
    const void *context;
} hb_worker_requirements;

/* Chooses as many workers as were asked for, or as suit the device, as long as there are units for them; fewer where
 * the memory asks for it, then smaller batches; one where all exchanges come from one thread, or units are in order.
 * Rank-local, and the same on all ranks of a session that divides limbs. Returns HB_ENOMEM with the bytes that are
 * needed when not even one ciphertext at a time fits, or those that have to be together. */
hb_status hb_workers_choose(hb_workers *workers, const hb_session *session, const hb_device *device,
                            const hb_worker_requirements *requirements);
/* Returns the largest batch up to one that is a multiple of what has to be together; the least there is at least. */
size_t hb_workers_batch(size_t batch, size_t together);
/* Returns the threads of a pipeline; those of one that writes nothing have no writers. */
hb_threads hb_workers_threads(const hb_workers *workers, bool writes);
/* Prints what the device is and how many queues it has, and with --verbose what checking it took: as results on stdout
 * or as log on stderr, on rank 0. */
void hb_workers_print(const hb_workers *workers, const hb_device *device, const hb_group *group,
                      const hb_common *common, bool results);

#endif
