/* The stored rows of one unit on an engine. */
#ifndef HB_BATCH_UNIT_ROWS_H
#define HB_BATCH_UNIT_ROWS_H

#include "io/dataset/dataset.h"

/* Ciphertexts that an engine works on best at a time (hb_engine.batch_bytes). At most `unit`. The same on all
 * members that share limbs (hb_session_start). */
size_t hb_unit_batch(const hb_engine *engine, const hb_params *params, uint64_t unit);

/* Packed rows of one unit on an engine, as they are stored: [components stored][limbs that are here][count][row]. */
typedef struct hb_unit_rows {
    hb_engine *engine;
    const hb_params *params;
    const hb_header *header;
    uint8_t header_digest[HB_DIGEST_BYTES];
    uint32_t components;       /* stored */
    size_t component_bytes;    /* of the rows of one of them, of one ciphertext */
    uint8_t *packed, *digests; /* on the engine, for header->unit ciphertexts; digests: of all limbs */
    uint8_t *host_digests;     /* the engine's host memory */
    const hb_dataset *checked; /* whose unit is here, once it was checked; else NULL */
    uint64_t unit;             /* this one */
} hb_unit_rows;

/* Bytes of the engine's memory that hb_unit_rows_init takes, at most; on the member with most of them, where limbs are
 * divided. */
uint64_t hb_unit_rows_bytes(const hb_params *params, const hb_header *header);

/* Borrows everything. HB_ENOMEM. The caller clears, also after a failure; a zeroed struct is allowed. */
hb_status hb_unit_rows_init(hb_unit_rows *rows, hb_engine *engine, const hb_params *params, const hb_header *header);
void hb_unit_rows_clear(hb_unit_rows *rows);

/* Some of the `count` ciphertexts of a unit: at, at + stride, at + 2 stride ... */
typedef struct hb_unit_places {
    size_t at, stride, count;
} hb_unit_places;

/* c, of all limbs: as many polynomials as it holds, into or out of the packed rows at these places. Unpack: HB_EDATA,
 * naming the unit that was checked, when a residue is not below its modulus, on the member alone that has it. */
hb_status hb_unit_rows_pack(hb_unit_rows *rows, uint32_t component, hb_batch c, hb_unit_places places);
hb_status hb_unit_rows_unpack(hb_unit_rows *rows, uint32_t component, hb_batch c, hb_unit_places places);

/* Host rows, of the limbs that are here (hb_rows_alloc), to the engine and back; rows->count says how many. What
 * goes on before, and the transfers, are noted (stage_times.h); in a thread without times nothing is waited for. */
hb_status hb_unit_rows_upload(hb_unit_rows *rows, const hb_rows *from);
hb_status hb_unit_rows_download(hb_unit_rows *rows, hb_rows *to);
/* The sum of unit u, of the rows on the engine, on all members the same; host: their seeds and count. Waits for all
 * work before; exchanges. */
hb_status hb_unit_rows_sum(hb_unit_rows *rows, uint64_t u, const hb_rows *host, uint8_t sum[HB_DIGEST_BYTES]);
/* Uploads `host` and compares its sum with the one that the dataset stores of unit u: HB_EDATA (hb_dataset_mismatch)
 * when they differ, on all members. */
hb_status hb_unit_rows_check(hb_unit_rows *rows, uint64_t u, const hb_rows *host, const hb_dataset *dataset);

#endif
