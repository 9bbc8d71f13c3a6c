/* Secret keys of digests of rows, each in a file of its own beside a dataset. With digests that need no key, any reader
 * of the dataset could test guesses of its rows. Rank-local. */
#ifndef HB_OUTPUT_ROW_KEY_H
#define HB_OUTPUT_ROW_KEY_H

#include <stdbool.h>

#include "base/seed.h"

/* Reads the key, which the caller keeps out of swap and wipes; *whole is false, and nothing is read, where the file has
 * another size. HB_ENOINPUT; HB_EIO; HB_EDATA: the file was cut meanwhile. */
hb_status hb_row_key_read(const char *path, hb_seed *key, bool *whole);

#endif
