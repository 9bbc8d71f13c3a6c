/* Joins the rows of datasets of one key: copies their ciphertexts, without decrypting or computing. */
#ifndef HB_TABLES_CONCAT_JOB_H
#define HB_TABLES_CONCAT_JOB_H

#include "cli/common.h"
#include "io/dataset/dataset.h"
#include "mpi/group/group.h"

/* Options of the command line; texts are borrowed. */
typedef struct hb_concat_options {
    char **inputs; /* [count], in the order of their rows */
    size_t count;
    const char *output;
    bool force;
} hb_concat_options;

/* Makes the dataset whose rows are those of all inputs, on one rank. Its header holds for all of them: ranges and
 * bounds of noise are the widest, and a column is signed if it is in any input. Sums of units are checked when read.
 * HB_EDATA naming an input with another key or shape, with other columns, whose values would mean something else there,
 * or, except for the last input, whose last row block is not full: slots in the middle would hold no row. HB_ENOINPUT,
 * HB_ECREATE, HB_EIO, HB_ENOMEM; after a failure nothing is left. *header is the result's; the caller clears it, also
 * after a failure. */
hb_status hb_concat(hb_group *group, const hb_common *common, const hb_concat_options *options, hb_header *header);

/* Extends *all, the header of the inputs so far, copied from the first, by the rows of `next`. `path`, `first` are for
 * messages. HB_EDATA as above. */
hb_status hb_concat_header(hb_header *all, const hb_header *next, const char *path, const char *first);

/* Extends *all to the meaning of both columns, where they agree: further labels may follow the existing ones, whose
 * numbers then stay. HB_OK with *alike false where they do not agree. */
hb_status hb_concat_meaning(hb_meaning *all, const hb_meaning *next, bool *alike);
/* Returns bounds that hold for ciphertexts of both kinds. */
hb_quality hb_concat_quality(hb_quality a, hb_quality b);

#endif
