/* The stored rows of one unit on an engine. Rank-local, except where a function says "exchanges". Functions that work
 * on the engine also return its errors (ring/engine.h). */
#ifndef HB_BATCH_UNIT_UNIT_ROWS_H
#define HB_BATCH_UNIT_UNIT_ROWS_H

#include "io/dataset/dataset.h"

/* Returns the best number of ciphertexts for an engine to work on at a time (hb_engine.batch_bytes), 1 to `unit`. It is
 * the same on all members that share limbs (hb_session_start has levelled it). */
size_t hb_unit_batch(const hb_engine *engine, const hb_params *params, uint64_t unit);

/* Packed rows of one unit on an engine, as they are stored: [components stored][limbs on this engine][count][row]. All
 * pointers but the memory are borrowed. */
typedef struct hb_unit_rows {
    hb_engine *engine;
    const hb_params *params;
    const hb_header *header;
    uint8_t header_digest[HB_DIGEST_BYTES];
    uint32_t components;       /* stored ones: 1 or 2 */
    size_t component_bytes;    /* rows of one component of one ciphertext, for the limbs on this engine */
    uint8_t *packed, *digests; /* on the engine, for header->unit ciphertexts; digests: of all limbs */
    uint8_t *own;              /* the memory that `packed` is in, but while it is lent another's */
    uint8_t *host_digests;     /* the engine's host memory */
    const hb_dataset *checked; /* dataset whose unit is here, once it was checked; else NULL */
    uint64_t unit;             /* the number of that unit */
} hb_unit_rows;

/* Returns the bytes of the engine's memory that hb_unit_rows_init takes for each, at most, on the member with most
 * limbs. */
uint64_t hb_unit_rows_bytes(const hb_params *params, const hb_header *header);

/* Makes rows[count] for a unit of the header each, in one piece of memory; borrows everything. HB_ENOMEM. The caller
 * clears all of them, also after a failure and before the engine closes; zeroed ones are allowed. */
hb_status hb_unit_rows_init(hb_unit_rows *rows, size_t count, hb_engine *engine, const hb_params *params,
                            const hb_header *header);
void hb_unit_rows_clear(hb_unit_rows *rows, size_t count);

/* Makes another queue of the same engine work on the rows from now on, once all work on them is done. */
void hb_unit_rows_move(hb_unit_rows *rows, hb_engine *engine);

/* Lends the rows the memory of another for a unit of the header, which stays the lender's: what comes later goes there.
 * NULL: they have their own again. */
void hb_unit_rows_lend(hb_unit_rows *rows, uint8_t *packed);
/* Notes that the rows, in memory that was lent, are those of a unit that was checked before. */
void hb_unit_rows_know(hb_unit_rows *rows, uint64_t u, const hb_dataset *dataset);
/* Returns the bytes of the packed rows of a unit of the header, for the limbs on this engine. */
uint64_t hb_unit_rows_packed_bytes(const hb_engine *engine, const hb_header *header);

/* Turns the rows to another dataset, with the same limbs, units that are no larger, and no more stored components than
 * the memory is for. Borrows the header until the next turn. */
void hb_unit_rows_turn_to(hb_unit_rows *rows, const hb_header *header);

/* Some of the `count` ciphertexts of a unit: at, at + stride, at + 2 stride ... */
typedef struct hb_unit_rows_view {
    size_t at, stride, count;
} hb_unit_rows_view;

/* Move c, with all limbs and as many polynomials as it holds, into or out of the packed rows at these places. Where the
 * header keeps some coefficients of component 0, pack changes c: the others become 0, and it has coefficient form.
 * hb_unit_rows_unpack returns HB_EDATA, naming the checked unit, for a residue that is not below its modulus, only on
 * the member that has this residue. */
hb_status hb_unit_rows_pack(hb_unit_rows *rows, uint32_t component, hb_batch c, hb_unit_rows_view places);
hb_status hb_unit_rows_unpack(hb_unit_rows *rows, uint32_t component, hb_batch c, hb_unit_rows_view places);

/* Returns a view of the coefficients from `kept` on, of polynomials of n. kept: a multiple of HB_SLICE_WORDS below n,
 * as views of some coefficients have (ring/batch.h). */
static inline hb_batch hb_unit_rows_behind(hb_batch c, size_t n, uint32_t kept)
{
    HB_ASSERT(kept % HB_SLICE_WORDS == 0 && kept < n);
    c.data += kept;
    c.limb_stride = n;
    c.n = n - kept;
    return c;
}
/* Expands the seeds [c1.count] (host) of ciphertexts into c1, in that form. */
hb_status hb_unit_rows_expand(hb_engine *engine, hb_batch c1, const hb_seed *seeds, hb_form form);
/* Brings the ciphertexts at these places, which follow one another, into c0 and c1, in the form of the header.
 * Component 1 of seeded ciphertexts comes of the seeds that `host` has of the unit. Errors of hb_unit_rows_unpack. */
hb_status hb_unit_rows_load(hb_unit_rows *rows, hb_batch c0, hb_batch c1, const hb_rows *host,
                            hb_unit_rows_view places);
/* Finds the first ciphertext whose component 1 is 0, which anyone can read without a key; *place = c1.count: none.
 * Waits; exchanges. */
hb_status hb_unit_rows_find_transparent(hb_engine *engine, const hb_params *params, hb_batch c1, size_t *place);

/* Move host rows, of the limbs on this engine (hb_rows_alloc), to the engine and back; rows->count is their number.
 * Note earlier work and the transfers (stage_times.h); in a thread without times they do not wait. */
hb_status hb_unit_rows_upload(hb_unit_rows *rows, const hb_rows *from);
hb_status hb_unit_rows_download(hb_unit_rows *rows, hb_rows *to);
/* Computes the sum of unit u from the rows on the engine, and from the seeds and the count of `host`; the same on all
 * members. Waits for all earlier work. Exchanges. */
hb_status hb_unit_rows_sum(hb_unit_rows *rows, uint64_t u, const hb_rows *host, uint8_t sum[HB_DIGEST_BYTES]);
/* Uploads `host` and compares its sum with the stored sum of unit u of the dataset. Returns HB_EDATA
 * (hb_dataset_mismatch) when they differ, on all members. Exchanges. */
hb_status hb_unit_rows_check(hb_unit_rows *rows, uint64_t u, const hb_rows *host, const hb_dataset *dataset);

#endif
