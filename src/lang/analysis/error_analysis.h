/* The errors of all nodes of a complete graph, and whether results may be shown with them. */
#ifndef HB_LANG_ANALYSIS_ERROR_ANALYSIS_H
#define HB_LANG_ANALYSIS_ERROR_ANALYSIS_H

#include "facts.h"

/* HB_EDATA naming the first node that has no bits left, of reals the first whose values its level does not hold;
 * HB_ECONFIG for one that needs keys where there can be none. Sizes are there. */
hb_status hb_facts_find_errors(hb_facts *facts, hb_quality_trust trust);

/* HB_EDATA, with advice, where the node that the item stores would be meaningless: by the trusted bound, its error can
 * be as large as its values and larger than 1; or larger than 1 where keys add more than roundings do
 * (hb_params_long_digit). For reals. */
hb_status hb_facts_check_shown(const hb_facts *facts, uint32_t node, const hb_item *item, hb_quality_trust trust);
/* The bits that are wanted of a result, in parts of 1 or of another number, the bound that is to have them, and
 * the reason: words behind "are wanted". */
typedef struct hb_wanted_bits {
    double bits;
    double unit; /* log2 of what they are parts of */
    hb_quality_trust trust;
    const char *reason;
} hb_wanted_bits;
/* HB_EDATA unless a node that the item stores has as many bits left. */
hb_status hb_facts_check_wanted(const hb_facts *facts, uint32_t node, const hb_item *item,
                                const hb_wanted_bits *wanted);

/* Returns the bits of a node after decryption; of reals with the rounding of decoding, in the end to doubles. */
double hb_node_shown_bits(const hb_facts *facts, const hb_node *node, hb_quality_trust trust);

#endif
