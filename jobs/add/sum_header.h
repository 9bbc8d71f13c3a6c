/* The header of a sum of datasets, before anything is added: one dataset after another, by the rules of `all + next` in
 * an expression (src/lang). Rank-local. */
#ifndef HB_ADD_SUM_HEADER_H
#define HB_ADD_SUM_HEADER_H

#include "io/dataset/dataset.h"
#include "lang/program/range.h"

/* The sum of the datasets so far. The caller sets the first four members and zeroes the rest. */
typedef struct hb_sum_header {
    const hb_params *params; /* borrowed, as are the ranges */
    const hb_range *ranges;  /* of columns of every dataset (hb_ranges_parse_columns) */
    uint32_t range_count;
    bool wrap;          /* values may leave the plain range */
    hb_header header;   /* owned; its unit size is set by hb_sum_header_end */
    hb_quality quality; /* bounds as computed: the header's are rounded up once */
    uint64_t count;     /* datasets */
    const char *first;  /* path of the first, borrowed */
} hb_sum_header;

/* Adds a dataset with this header. `path` is for messages; the path of the first dataset is borrowed. HB_EDATA naming
 * the dataset where its key, level, packing, shape, or the names or meanings of its columns differ; where its values
 * cannot be added; where a value of the sum may leave the plain range (unless `wrap`); or where the sum may not be
 * decryptable. HB_EUSAGE for a range of a column that does not exist. */
hb_status hb_sum_header_add(hb_sum_header *sum, const hb_header *next, const char *path);
/* Completes the header, after one dataset or more: its bounds, and `unit` ciphertexts a unit. */
void hb_sum_header_end(hb_sum_header *sum, uint64_t unit);
void hb_sum_header_clear(hb_sum_header *sum); /* Frees the header; a zeroed struct is allowed. */

#endif
