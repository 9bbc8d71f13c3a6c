/* index.json beside exported ciphertexts or plaintexts: which table they hold, for import and for people. */
#ifndef HB_SEAL_INDEX_H
#define HB_SEAL_INDEX_H

#include "io/dataset/dataset.h"

#define HB_SEAL_INDEX "index.json"

/* Names of columns that are no UTF-8 have '?' for their odd bytes. */
hb_status hb_seal_index_write(const char *path, const hb_header *header);
/* Sets schema (of values: only which columns may have wrapped), order, encoding, ciphertexts and, of evaluated
 * ciphertexts, noise of the header; the rest is the caller's, with spec set before. HB_EDATA when a member is missing
 * or cannot be; the caller clears the header in any case. */
hb_status hb_seal_index_read(const char *path, hb_header *header);

#endif
