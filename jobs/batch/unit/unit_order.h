/* The order in which component 0 of packed totals is stored, so that the coefficients of totals come first, as the file
 * may have these alone (io/README.md). Rank-local. */
#ifndef HB_BATCH_UNIT_UNIT_ORDER_H
#define HB_BATCH_UNIT_UNIT_ORDER_H

#include "ring/permutation.h"
#include "rlwe/params.h"

/* Zeroed: not open. */
typedef struct hb_unit_order {
    hb_engine *engine; /* borrowed; NULL: not open */
    bool ntt;          /* polynomials come and go in NTT form */
    hb_permutation permutation;
    hb_batch room; /* a polynomial */
} hb_unit_order;

/* Opens the order for polynomials of `limbs` limbs, in the form of the scheme. Waits. HB_ENOMEM. The caller
 * closes, also after a failure and before the engine closes. */
hb_status hb_unit_order_open(hb_unit_order *order, hb_engine *engine, const hb_params *params, uint32_t limbs);
/* Wipes its memory, which had phases. */
void hb_unit_order_close(hb_unit_order *order);
/* Returns the most bytes of the engine's memory that it takes. */
uint64_t hb_unit_order_bytes(const hb_params *params, uint32_t limbs);

/* Bring polynomials from the order of the ring into that of files, coefficient hb_merged_coefficient(i) to place i
 * (scheme/merge.h), and back. */
hb_status hb_unit_order_to_file(const hb_unit_order *order, hb_batch c);
hb_status hb_unit_order_to_ring(const hb_unit_order *order, hb_batch c);

#endif
