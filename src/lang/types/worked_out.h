/* A result that decryption works out, from sums and counts, is only stored, or put beside others, and nothing is
 * computed with it. */
#ifndef HB_LANG_TYPES_WORKED_OUT_H
#define HB_LANG_TYPES_WORKED_OUT_H

#include "lang/types/check.h"
#include "table/grouping.h"

/* The words for numbers of rows. */
extern const char hb_numbers_of_rows[];
/* Returns the noun for such values in messages: "means". */
const char *hb_worked_out_words(const hb_grouping *grouping);
/* Returns HB_EUSAGE at a place of the text: expressions cannot compute with these values. */
hb_status hb_fail_worked_out(const char *text, uint32_t at, const char *words);
/* HB_EUSAGE where a type is a whole dataset of such: its columns are but the sums that they are worked out from. */
hb_status hb_types_no_stored_parts(const hb_types *types, const hb_type *type);
/* HB_EUSAGE where the item does not pick a column of the dataset by its own name, but one that decryption shows. */
hb_status hb_types_part(const hb_types *types, const hb_item *item, const hb_operand *operand);

#endif
