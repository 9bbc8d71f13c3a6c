/* The stored rows of one unit on an engine. Rank-local, except for the exchanges that are named. */
#ifndef HB_BATCH_UNIT_ROWS_H
#define HB_BATCH_UNIT_ROWS_H

#include "io/dataset/dataset.h"

/* Returns how many ciphertexts an engine works on best at a time (hb_engine.batch_bytes), 1 to `unit`. It is the same
 * on all members that share limbs (hb_session_start has levelled it). */
size_t hb_unit_batch(const hb_engine *engine, const hb_params *params, uint64_t unit);

/* Packed rows of one unit on an engine, as they are stored: [components stored][limbs that are here][count][row]. All
 * pointers but the memory are borrowed. */
typedef struct hb_unit_rows {
    hb_engine *engine;
    const hb_params *params;
    const hb_header *header;
    uint8_t header_digest[HB_DIGEST_BYTES];
    uint32_t components;       /* stored ones: 1 or 2 */
    size_t component_bytes;    /* rows of one component of one ciphertext, of the limbs that are here */
    uint8_t *packed, *digests; /* on the engine, for header->unit ciphertexts; digests: of all limbs */
    uint8_t *host_digests;     /* the engine's host memory */
    const hb_dataset *checked; /* dataset whose unit is here, once it was checked; else NULL */
    uint64_t unit;             /* the number of that unit */
} hb_unit_rows;

/* Returns the bytes of the engine's memory that hb_unit_rows_init takes, at most, on the member with most limbs. */
uint64_t hb_unit_rows_bytes(const hb_params *params, const hb_header *header);

/* Allocates for units of the header; borrows everything. HB_ENOMEM. The caller clears, also after a failure and before
 * the engine closes; a zeroed struct is allowed. */
hb_status hb_unit_rows_init(hb_unit_rows *rows, hb_engine *engine, const hb_params *params, const hb_header *header);
void hb_unit_rows_clear(hb_unit_rows *rows);

/* Has another queue of the same engine work on the rows from now on, once all work on them is done. */
void hb_unit_rows_move(hb_unit_rows *rows, hb_engine *engine);

/* Makes the rows those of another dataset: of the same limbs, with units that are no larger and no more components
 * stored than those that the memory is for. Borrows the header until the next turn. */
void hb_unit_rows_turn_to(hb_unit_rows *rows, const hb_header *header);

/* Some of the `count` ciphertexts of a unit: at, at + stride, at + 2 stride ... */
typedef struct hb_unit_rows_view {
    size_t at, stride, count;
} hb_unit_rows_view;

/* Move c, of all limbs, as many polynomials as it holds, into or out of the packed rows at these places.
 * hb_unit_rows_unpack returns HB_EDATA, naming the unit that was checked, when a residue is not below its modulus, on
 * that member alone that has the residue. */
hb_status hb_unit_rows_pack(hb_unit_rows *rows, uint32_t component, hb_batch c, hb_unit_rows_view places);
hb_status hb_unit_rows_unpack(hb_unit_rows *rows, uint32_t component, hb_batch c, hb_unit_rows_view places);

/* Makes c1 what the seeds [c1.count] of ciphertexts stand for, in that form; seeds: host. */
hb_status hb_unit_rows_expand(hb_engine *engine, hb_batch c1, const hb_seed *seeds, hb_form form);
/* Finds the first ciphertext whose component 1 is 0, which anyone can read without a key; *place = c1.count: there is
 * none. Waits; exchanges. */
hb_status hb_unit_rows_find_transparent(hb_engine *engine, const hb_params *params, hb_batch c1, size_t *place);

/* Move host rows, of the limbs that are here (hb_rows_alloc), to the engine and back; rows->count says how many. What
 * goes on before, and the transfers, are noted (stage_times.h); in a thread without times nothing is waited for. */
hb_status hb_unit_rows_upload(hb_unit_rows *rows, const hb_rows *from);
hb_status hb_unit_rows_download(hb_unit_rows *rows, hb_rows *to);
/* Computes the sum of unit u from the rows on the engine, and from the seeds and the count of `host`; the same on all
 * members. Waits for all work before. Exchanges. */
hb_status hb_unit_rows_sum(hb_unit_rows *rows, uint64_t u, const hb_rows *host, uint8_t sum[HB_DIGEST_BYTES]);
/* Uploads `host` and compares its sum with the one that the dataset stores of unit u. Returns HB_EDATA
 * (hb_dataset_mismatch) when they differ, on all members. Exchanges. */
hb_status hb_unit_rows_check(hb_unit_rows *rows, uint64_t u, const hb_rows *host, const hb_dataset *dataset);

#endif
