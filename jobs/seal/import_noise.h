/* The noise of ciphertexts that others made: as it is stated, or that of fresh ciphertexts. */
#ifndef HB_SEAL_IMPORT_NOISE_H
#define HB_SEAL_IMPORT_NOISE_H

#include "data.h"

/* Sets the quality of a header that is complete otherwise, as imported and assumed. The quality is the job's statement,
 * else that of index.json (header->made_by is not HB_MADE_FRESH), else that of fresh ciphertexts. product: the first
 * file of three polynomials, whose relinearization adds noise; NULL: there is none. HB_EUSAGE where nothing is stated
 * about ciphertexts that, by their polynomials or their scale, are not fresh, and for an impossible statement. */
hb_status hb_seal_import_noise(const hb_seal_job *job, const char *product, hb_header *header);

#endif
