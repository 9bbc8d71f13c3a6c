/* The parts of all owners (part_inputs.h), read and added up unit by unit, in jobs that combine them. */
#ifndef HB_TABLES_PART_SUMS_H
#define HB_TABLES_PART_SUMS_H

#include "part_inputs.h"

/* The parts of one unit on a queue, and their sums. Zeroed: there is no room for them. */
typedef struct hb_part_sum {
    hb_unit_rows rows;
    hb_batch sum[2], h; /* [unit] each component that parts have, [batch] */
} hb_part_sum;

/* Room for the parts of a unit in each buffer, and for their sums on each queue. Zeroed: none. */
typedef struct hb_part_sums {
    hb_part_inputs *inputs; /* borrowed */
    hb_engine *engine;
    hb_rows *rows; /* [buffers][parts] */
    hb_part_sum unit[HB_MOST_WORKERS];
} hb_part_sums;

/* Return the bytes of the engine's memory that the sums of a worker take, on the member with most limbs; and the bytes
 * of host memory that rows of parts take beside so many buffers. */
uint64_t hb_part_sums_worker_bytes(const hb_params *params, const hb_part_inputs *inputs, size_t batch);
uint64_t hb_part_sums_host_bytes(const hb_params *params, const hb_part_inputs *inputs, uint32_t buffers);

/* Rank-local: makes the room, on the queues of the job's session. HB_ENOMEM. The caller closes, also after a failure,
 * before inputs and session. */
hb_status hb_part_sums_prepare(hb_part_sums *sums, hb_part_inputs *inputs, const hb_job *job);
void hb_part_sums_close(hb_part_sums *sums);
/* In a reader's thread: reads the parts of unit u. */
hb_status hb_part_sums_read(hb_part_sums *sums, uint32_t buffer, uint64_t u);
/* In a worker's thread: adds them up, after the sum of each was checked. Component i of the `count` ciphertexts is a
 * slice of sums->unit[worker].sum[i] then, in the order of the ring, until the worker's next unit. Exchanges. */
hb_status hb_part_sums_add(hb_part_sums *sums, uint32_t buffer, uint32_t worker, uint64_t u, size_t *count);

#endif
