/* Results at the lowest level that keeps the bits that are asked for: smaller files, which are decrypted sooner. */
#ifndef HB_LANG_COMPILE_COMPACT_H
#define HB_LANG_COMPILE_COMPACT_H

#include "lang/analysis/facts.h"
#include "lang/lower/lower.h"

/* Defaults: the bits of the noise budget that results keep, and those of packed totals, which are only decrypted and
 * added up; for reals, the bits that they may lose. */
#define HB_COMPACT_BUDGET 10.0
#define HB_COMPACT_PACKED 4.0
#define HB_COMPACT_LOSS 0.1

/* How many bits results keep. */
typedef struct hb_compaction {
    double bits; /* of the noise budget, of reals behind the point (hb_quality_bits) */
    bool own; /* a column of fewer bits keeps its own, and one of reals in any case all but HB_COMPACT_LOSS of them */
    hb_quality_trust trust;
} hb_compaction;

/* Makes an output compact. Facts of the columns as they were are there.
 *
 * Two totals or more are packed into one ciphertext, at the lowest level that keeps the bits: the ciphertext of total
 * i, times X^i, added up, has total i in coefficient i, as every total stands in all slots. Sets symbol->packed_limbs,
 * packed_quality and computed_limbs. The graph stays, as storing packs.
 *
 * An output without such totals, or whose totals the noise of all together forbids to pack (one with proven bits is
 * packed only where all together have some), is brought down to the lowest level where all columns keep so many bits,
 * of the bound that is trusted, and reals their room; where no level keeps them they stay. Sets symbol->computed_limbs
 * of an output that it brought down. Facts of the graph are to be found once more where *lowered is set, which is left
 * alone otherwise. Either way integers whose bits are proven stay proven. HB_ENOMEM. */
hb_status hb_compact_output(hb_lowering *lowering, const hb_facts *facts, hb_symbol *symbol, const hb_compaction *how,
                            bool *lowered);
/* Returns the node of a column of an output as it was before it was brought down. */
uint32_t hb_computed_node(const hb_lowering *lowering, const hb_symbol *symbol, uint32_t column);

#endif
