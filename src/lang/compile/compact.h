/* Results at the lowest level that keeps the bits that are asked for: smaller files, which are decrypted sooner. */
#ifndef HB_LANG_COMPILE_COMPACT_H
#define HB_LANG_COMPILE_COMPACT_H

#include "lang/analysis/facts.h"
#include "lang/lower/lower.h"

/* How many bits results keep. */
typedef struct hb_compaction {
    double bits; /* of the noise budget, of reals behind the point (hb_quality_bits) */
    hb_quality_trust trust;
} hb_compaction;

/* Brings the columns of an output down to the lowest level where all of them keep so many bits, of the bound that is
 * trusted, and reals their room; where they have fewer already they stay. Facts of the columns as they were are there;
 * those of the graph are to be found once more where *lowered is set, which is left alone otherwise. HB_ENOMEM. */
hb_status hb_compact_output(hb_lowering *lowering, const hb_facts *facts, const hb_symbol *symbol,
                            const hb_compaction *how, bool *lowered);

#endif
