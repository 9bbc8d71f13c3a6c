/* From types to graph: the items of a checked expression are lowered one after another. */
#ifndef HB_LANG_LOWER_LOWER_H
#define HB_LANG_LOWER_LOWER_H

#include "lang/value/lowering.h"

/* Finds the types of an expression. graph: syntax, params, spec, semantics, operands and block are set. HB_EUSAGE with
 * the place of a fault; HB_ENOMEM. The caller clears *l, also after a failure. */
hb_status hb_lower_check(hb_lowering *l);
/* Makes the graph of a checked expression; the wanted precision of functions is set. HB_EUSAGE and HB_EDATA with the
 * place for expressions that ranges or levels do not allow. As above. */
hb_status hb_lower(hb_lowering *l);
void hb_lower_clear(hb_lowering *l);
/* NULL: `name` is not assigned. */
hb_symbol *hb_lower_find(hb_lowering *l, const char *name);

/* Writes that a condition is always or never true, "'x < 200' is always true": number i of the conditions that were
 * settled (hb_lowered_notes); "" where there is none. */
#define HB_SETTLED_TEXT 96
void hb_lower_settled_text(char out[HB_SETTLED_TEXT], const hb_lowering *l, uint32_t i);

#endif
