/* Workers: how many queues of its engine a rank computes in at a time, how many ciphertexts each has in the work, and
 * how many threads bring them units. */
#ifndef HB_BATCH_WORKERS_H
#define HB_BATCH_WORKERS_H

#include "cli/common.h"
#include "mpi/group/group.h"
#include "pipeline.h"
#include "ranks/session.h"

/* What a rank computes in: `count` queues of its engine, each with one unit in the work, `batch` ciphertexts of it at a
 * time. */
typedef struct hb_workers {
    uint32_t count;
    uint32_t files; /* threads that read, and as many that write */
    size_t batch;
    uint64_t bytes; /* of the engine's memory, tables and keys as well */
} hb_workers;

/* What workers need of the engine's memory. */
typedef struct hb_worker_requirements {
    uint64_t units;       /* of the rank with most: more workers would be idle */
    size_t batch;         /* that is best where memory allows it, >= 1 */
    uint64_t fixed_bytes; /* for all workers together, beyond the engine's tables and a key pair */
    uint64_t (*worker_bytes)(const void *context, size_t batch); /* for each */
    const void *context;
} hb_worker_requirements;

/* As many workers as were asked for, or as suit the device, as long as there are units for them; fewer where the memory
 * asks for it, then smaller batches; one where all exchanges come from one thread. The same on all ranks of a session
 * that divides limbs. HB_ENOMEM with the bytes that are needed when not even a ciphertext at a time fits. */
hb_status hb_workers_choose(hb_workers *workers, const hb_session *session, const hb_device *device,
                            const hb_worker_requirements *requirements);
/* The threads of a pipeline; those that only check something write nothing. */
hb_threads hb_workers_threads(const hb_workers *workers, bool writes);
/* What the device is and how many queues, and with --verbose what checking it took. */
void hb_workers_print(const hb_workers *workers, const hb_device *device, const hb_group *group,
                      const hb_common *common, bool results);

#endif
