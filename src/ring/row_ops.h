/* Packed rows: polynomials as they are stored (engine.h). On a GPU packed rows are 8-byte aligned; rows that get
 * digests, and the digests, are 16-byte aligned. */
#ifndef HB_RING_ROW_OPS_H
#define HB_RING_ROW_OPS_H

#include "base/status.h"
#include "batch.h"

/* The table of an engine. Each entry does the work of the function below with its name. */
typedef struct hb_row_ops {
    hb_status (*pack)(hb_engine *e, hb_packed to, hb_batch a);
    hb_status (*unpack)(hb_engine *e, hb_batch r, hb_packed from, size_t *out_of_range);
    hb_status (*digest_rows)(hb_engine *e, uint8_t *digests, hb_packed rows, const uint16_t *ids, uint32_t limbs);
} hb_row_ops;

/* Packs bits: each polynomial of `a` becomes one row of hb_packed_row_bytes in each limb. The last row is below
 * to.rows. */
hb_status hb_pack(hb_engine *e, hb_packed to, hb_batch a);
/* Unpacks rows. *out_of_range (host) is the number of words that are not below their modulus, of the limbs that are
 * here; if there are any, r must not be used. Waits. */
hb_status hb_unpack(hb_engine *e, hb_batch r, hb_packed from, size_t *out_of_range);
/* Computes the digest (base/digest.h) of every packed row: digests [limbs][rows.rows][32], of all limbs, in memory of
 * the engine; rows.first is not used. Where limbs are divided those of one member stand behind those of another, as
 * they come in one exchange: limb i of the list at hb_digest_place. Exchanges. */
hb_status hb_digest_rows(hb_engine *e, uint8_t *digests, hb_packed rows, const uint16_t *ids, uint32_t limbs);
/* Returns the place of limb i of a list among its digests; i itself where limbs are not divided. */
uint32_t hb_digest_place(const hb_engine *e, const uint16_t *ids, uint32_t limbs, uint32_t i);

#endif
