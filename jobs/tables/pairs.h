/* Pairs of real columns: two columns of a table in one column of ciphertexts, as its real and its imaginary parts. */
#ifndef HB_TABLES_PAIRS_H
#define HB_TABLES_PAIRS_H

#include "cli/options.h"
#include "io/base/schema.h"

/* Makes the schema of a dataset of this table: each text, "z=a,b", with names in double quotes where they have other
 * signs, makes one column of two, where the first of them stood. The names stay with the column; a name that is not
 * given another column may have. NULL: there are no texts. HB_EUSAGE for other texts, for columns that the table does
 * not have, that are not real or in two pairs, and for names that would be there twice; HB_ENOMEM. */
hb_status hb_pairs_apply(const hb_texts *pairs, const hb_schema *table, hb_schema *out);

#endif
