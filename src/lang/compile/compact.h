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

/* Makes outputs compact. Facts of the columns as they were are there, and are to be found once more where *lowered is
 * set.
 *
 * Two totals or more are packed into one ciphertext, at the lowest level that keeps the bits. The sums of their slots
 * merge (scheme/merge.h) where nobody else reads them: symbol->summed_limbs is set to the fewest limbs in which they
 * do, and these columns are deferred. Else the ciphertext of each total, times a power of X, is added up: every total
 * stands in all slots. Sets symbol->packed_limbs, packed_quality and computed_limbs. The graph stays, as storing packs.
 *
 * An output without such totals, or whose totals the noise of all together forbids to pack (one with proven bits is
 * packed only where all together have some), is brought down to the lowest level where all columns keep so many bits,
 * of the bound that is trusted, and reals their room; where no level keeps them they stay. Sets symbol->computed_limbs
 * of an output that it brought down. Either way integers whose bits are proven stay proven, and under keys of
 * several owners those that can be decrypted by parts (joint/part_plan.h) still can. HB_ENOMEM. */
hb_status hb_compact_outputs(hb_lowering *lowering, hb_facts *facts, hb_symbol *const *symbols, uint32_t count,
                             const hb_compaction *how, bool *lowered);
/* Returns whether sums of slots merge with the graph's parameters: then packed totals are in reverse. */
bool hb_compact_merges(const hb_graph *graph);
/* Marks the totals of these outputs whose slots merge, by their summed_limbs (deferred_sums.h). HB_ENOMEM. */
hb_status hb_compact_defer(const hb_lowering *lowering, hb_facts *facts, hb_symbol *const *symbols, uint32_t count);
/* Returns the node of a column of an output as it was before it was brought down. */
uint32_t hb_computed_node(const hb_lowering *lowering, const hb_symbol *symbol, uint32_t column);

#endif
