/* Uniform values for the slots of a result that are no cell: a phase shows all slots, also partial sums and rows of
 * others that stand in them. Each owner's part (part.h) adds round(Q pad / t), pad uniform modulo t in these slots and
 * 0 in cells. One honest owner's pads hide what stands there; the cells are as they were. In the noise they cost (t +
 * 1) / 2 an owner, which plans count (part_plan.h). BFV. */
#ifndef HB_JOINT_BFV_PADS_H
#define HB_JOINT_BFV_PADS_H

#include "scheme/codec.h"

typedef struct hb_pads hb_pads;

/* Opens pads for parts of `limbs` limbs of ciphertexts of this encoding, up to max_count at a time; borrows engine and
 * params. HB_ECONFIG when the parameters do not have the encoding; HB_ENOMEM. Closing wipes its memory; NULL is
 * allowed. */
hb_status hb_pads_open(hb_engine *engine, const hb_params *params, uint32_t limbs, hb_encoding encoding,
                       size_t max_count, hb_pads **out);
void hb_pads_close(hb_pads *pads);
/* Returns the bytes of the engine's memory that they take beside the codec's tables. */
uint64_t hb_pads_bytes(const hb_params *params, size_t max_count);
/* Adds the pads of seeds (host, [h.count], those of the parts, secret) to parts h, [count][limbs], coefficient form.
 * strays: [1] or [h.count] values (hb_values_alloc), 1 in those that are no cell and 0 in cells; one serves all. Pads
 * of part c are the uniform values, modulo t, that the seed "pad", derived from seeds[c], expands to. Errors of the
 * engine, after which h is wiped. Neither waits nor exchanges: seeds are read before it returns, strays may be read
 * until hb_finish. */
hb_status hb_pads_add(hb_pads *pads, hb_batch h, hb_batch strays, const hb_seed *seeds);

#endif
