/* Pairs of real columns: two columns of a table become one column of ciphertexts, as its real and its imaginary
 * parts. */
#ifndef HB_TABLES_PAIRS_H
#define HB_TABLES_PAIRS_H

#include "cli/options.h"
#include "table/schema.h"

/* Makes the schema of a dataset of this table. Each text, "z=a,b", with names in double quotes where they contain other
 * characters, joins two columns into one at the place of the first. The dataset remembers the names a and b; another
 * column may take a name that is then free. NULL: there are no texts. HB_EUSAGE for malformed texts, for columns that
 * the table does not have, that are not real or in two pairs, and for names that would occur twice; HB_ENOMEM. */
hb_status hb_pairs_apply(const hb_texts *pairs, const hb_schema *table, hb_schema *out);

#endif
