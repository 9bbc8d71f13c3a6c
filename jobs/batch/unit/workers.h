/* Workers: the queues that a rank computes in at the same time, the ciphertexts that each works on, and the threads
 * that read and write their units. */
#ifndef HB_BATCH_UNIT_WORKERS_H
#define HB_BATCH_UNIT_WORKERS_H

#include "batch/pipeline/pipeline.h"
#include "cli/common.h"
#include "mpi/group/group.h"
#include "ranks/session.h"

/* The workers of a rank: `count` queues of its engine, each at one unit, `batch` ciphertexts of it at a time. */
typedef struct hb_workers {
    uint32_t count;
    uint32_t files; /* threads that read, and as many that write */
    uint64_t units; /* of the rank with most, 1 or more */
    size_t batch;
    uint64_t bytes; /* of the engine's memory, tables and keys included */
} hb_workers;

/* The needs of workers for the engine's memory. Borrowed. */
typedef struct hb_worker_requirements {
    uint64_t units;       /* of the rank with most; more workers would be idle */
    size_t batch;         /* the best batch if memory allows it, >= 1: a multiple of `together`, or a whole unit */
    size_t together;      /* ciphertexts that one batch must have; every batch is a multiple of it; 0: 1 */
    bool in_order;        /* one worker has all units */
    uint64_t fixed_bytes; /* for all workers together, beyond the engine's tables and a key pair */
    uint64_t (*worker_bytes)(const void *context, size_t batch); /* for each */
    const void *context;
} hb_worker_requirements;

/* Chooses the wanted number of workers, or the number that suits the device, but at most one for each unit. Where
 * memory is short it takes fewer workers, and then smaller batches. It takes one worker where all exchanges come from
 * one thread, or units are in order. Rank-local, and the same on all ranks of a session that divides limbs. Returns
 * HB_ENOMEM with the bytes that are needed when not even one ciphertext, or `together` ciphertexts, fit. */
hb_status hb_workers_choose(hb_workers *workers, const hb_session *session, const hb_device *device,
                            const hb_worker_requirements *requirements);
/* Returns the largest multiple of `together` up to `batch`; at least `together`. */
size_t hb_workers_batch(size_t batch, size_t together);
/* Returns the threads of a pipeline; a pipeline that writes nothing has no writers. */
hb_threads hb_workers_threads(const hb_workers *workers, bool writes);
/* Prints the device and the number of its queues, and with --verbose the time of checking it: as results on stdout or
 * as log on stderr, on rank 0. */
void hb_workers_print(const hb_workers *workers, const hb_device *device, const hb_group *group,
                      const hb_common *common, bool results);

#endif
