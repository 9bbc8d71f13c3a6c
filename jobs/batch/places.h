/* Where the numbers of a dataset's columns stand in the rows of a plain table: halves of complex numbers beside each
 * other, the two columns of a pair anywhere. */
#ifndef HB_BATCH_PLACES_H
#define HB_BATCH_PLACES_H

#include "io/base/schema.h"

#define HB_NO_PLACE UINT64_MAX

/* A place of a half in a row of the table. */
typedef struct hb_half_place {
    uint64_t column, word; /* HB_NO_PLACE: the table has no such half, which is 0 */
    bool wide;             /* one of a pair in a column that could be complex: the word behind it is 0 */
} hb_half_place;

/* Zeroed: every column is one word, and stands where it stands in the dataset. */
typedef struct hb_places {
    uint64_t words;      /* of a row of the table */
    hb_half_place *half; /* [2 * columns of the dataset]: real and imaginary part of each */
    uint64_t *begin;     /* [columns of the table + 1]: word of the row where a column begins */
} hb_places;

/* Finds the columns of a dataset in a table without pairs: by their names where the dataset has a pair and the table
 * all names that hb_schema_unpair gives, else by their order. An imaginary part that the dataset knows to be 0 has a
 * place where the table's column is complex. HB_EDATA where the table has not as many columns; HB_ENOMEM. The caller
 * clears; a zeroed one is allowed. */
hb_status hb_places_find(hb_places *places, const hb_schema *dataset, const hb_schema *table);
void hb_places_clear(hb_places *places);

#endif
