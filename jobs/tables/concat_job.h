/* Puts datasets of one key behind one another: their ciphertexts are copied, nothing is decrypted or computed. */
#ifndef HB_TABLES_CONCAT_JOB_H
#define HB_TABLES_CONCAT_JOB_H

#include "cli/common.h"
#include "io/dataset/dataset.h"
#include "mpi/group/group.h"

/* What the command line says; texts are borrowed. */
typedef struct hb_concat_options {
    char **inputs; /* [count], in the order of their rows */
    size_t count;
    const char *output;
    bool force;
} hb_concat_options;

/* Makes the dataset whose rows are those of all inputs, on one rank. Its header is what holds of all of them: ranges
 * and bounds of noise are the widest, and columns have a sign where one has. Sums of units are checked when read.
 * HB_EDATA naming the input that is of another key or shape, whose columns are others, or whose values would mean
 * something else there, and one but the last that does not fill its last row block: slots in the middle would hold no
 * row. HB_ENOINPUT, HB_ECREATE, HB_EIO, HB_ENOMEM; after a failure nothing is left. *header is the result's; the caller
 * clears it, also after a failure. */
hb_status hb_concat(hb_group *group, const hb_common *common, const hb_concat_options *options, hb_header *header);

/* Makes *all the header of the rows of both: `all` is that of the inputs so far, copied from the first. `path`, `first`
 * are for messages. HB_EDATA as above. */
hb_status hb_concat_header(hb_header *all, const hb_header *next, const char *path, const char *first);

/* Makes *all what numbers of both mean, where they mean the same: labels may follow those that are there, as places
 * then do not change. HB_OK with *alike false where they do not. */
hb_status hb_concat_meaning(hb_meaning *all, const hb_meaning *next, bool *alike);
/* Returns the bounds that ciphertexts of both kinds have. */
hb_quality hb_concat_quality(hb_quality a, hb_quality b);

#endif
