/* Where the numbers of a dataset's columns stand in the rows of a plain table. Both parts of a complex number stand
 * beside each other; the two columns of a pair stand anywhere. */
#ifndef HB_BATCH_CELLS_PLACES_H
#define HB_BATCH_CELLS_PLACES_H

#include "table/schema.h"

#define HB_NO_PLACE UINT64_MAX

/* The place of a real or imaginary part in a row of the table. */
typedef struct hb_half_place {
    uint64_t column, word; /* HB_NO_PLACE: the table does not have this part, which is 0 */
    bool wide;             /* a part of a pair, in a column that could be complex: the next word is 0 */
} hb_half_place;

/* Zeroed: every column is one word, at the place that it has in the dataset. */
typedef struct hb_places {
    uint64_t words;      /* of a row of the table */
    hb_half_place *half; /* [2 * columns of the dataset]: real and imaginary part of each */
    uint64_t *begin;     /* [columns of the table + 1]: word of the row where a column begins */
} hb_places;

/* Finds the columns of a dataset in a table without pairs: by name where the dataset has a pair and the table has all
 * names that hb_schema_unpair gives, else by order. An imaginary part that is known to be 0 has a place only where the
 * table's column is complex. HB_EDATA where the number of columns differs; HB_ENOMEM. The caller clears; a zeroed
 * struct is allowed. */
hb_status hb_places_find(hb_places *places, const hb_schema *dataset, const hb_schema *table);
void hb_places_clear(hb_places *places);

#endif
