/* What is known of a sum of datasets before anything is added: the header of the result, by what `all + next` means in
 * an expression (jobs/expression), one dataset after another. Rank-local. */
#ifndef HB_ADD_SUM_HEADER_H
#define HB_ADD_SUM_HEADER_H

#include "expression/program/range.h"
#include "io/dataset/dataset.h"

/* The sum of those so far; zeroed but for the first four at first. */
typedef struct hb_sum_header {
    const hb_params *params; /* borrowed, as ranges are */
    const hb_range *ranges;  /* of columns of every dataset (hb_ranges_parse_columns) */
    uint32_t range_count;
    bool wrap;          /* values may leave the plain range */
    hb_header header;   /* owned; of ciphertexts in any units */
    hb_quality quality; /* as computed: the header's is rounded up once */
    uint64_t count;     /* datasets */
    const char *first;  /* path of the first, borrowed */
} hb_sum_header;

/* Adds a dataset with this header; path is for messages, and that of the first is borrowed. HB_EDATA naming the dataset
 * that is of another key, level, packing or shape, whose columns have other names or meanings, whose values cannot be
 * added, with which a value may leave the plain range (but for `wrap`), or with which a sum may not be decrypted any
 * more. HB_EUSAGE for a range of a column that there is not. */
hb_status hb_sum_header_add(hb_sum_header *sum, const hb_header *next, const char *path);
/* Gives the header, of one dataset or more, its bounds, and this many ciphertexts a unit. */
void hb_sum_header_end(hb_sum_header *sum, uint64_t unit);
void hb_sum_header_clear(hb_sum_header *sum); /* Frees the header; a zeroed struct is allowed. */

#endif
