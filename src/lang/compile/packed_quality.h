/* Bounds of totals that are packed into one ciphertext, one in each coefficient (compact.h). Each column of the value
 * is such a total, all at one level; facts have their bounds. */
#ifndef HB_LANG_COMPILE_PACKED_QUALITY_H
#define HB_LANG_COMPILE_PACKED_QUALITY_H

#include "lang/analysis/facts.h"
#include "lang/lower/lower.h"

/* Returns the node of a column. */
static inline const hb_node *hb_packed_column(const hb_lowering *lowering, const hb_value *value, uint32_t column)
{
    return &lowering->graph.nodes[lowering->pool[value->first + column]];
}
/* Returns the bound of the ciphertext at the level of `limbs` limbs. summed: the sums of slots merge in so many limbs
 * (scheme/merge.h), no fewer than that, and no more than the columns have. 0: every total stands in all slots of its
 * own ciphertext, and these, each times a power of X, are added up at the level of the columns. values: those of any
 * column. */
hb_quality hb_packed_quality(const hb_lowering *lowering, const hb_facts *facts, const hb_value *value,
                             hb_magnitude values, uint32_t summed, uint32_t limbs);

#endif
