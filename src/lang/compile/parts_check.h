/* Results under keys of several owners: whether their noise leaves room for the parts by which they are decrypted. */
#ifndef HB_LANG_COMPILE_PARTS_CHECK_H
#define HB_LANG_COMPILE_PARTS_CHECK_H

#include "lang/analysis/facts.h"
#include "lang/lower/lower.h"

/* Returns HB_EDATA, naming the first output of which owners could not make parts (joint/part_plan.h) as it is stored:
 * with less than 1 bit of budget left once these are added. HB_EUSAGE for keys with more results than parts can hide.
 * HB_OK for keys of one owner. Outputs are at the levels where they are stored. */
hb_status hb_parts_check(const hb_lowering *lowering, const hb_facts *facts, hb_symbol *const *symbols, uint32_t count);

#endif
