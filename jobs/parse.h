/* Words of a command line as numbers. Each returns HB_EUSAGE with the word and what was expected, and leaves *value
 * alone then. */
#ifndef HB_PARSE_H
#define HB_PARSE_H

#include <stddef.h>
#include <stdint.h>

#include "status.h"

/* Decimal or 0x hexadecimal, no sign, below 2^64. */
hb_status hb_parse_number(const char *text, uint64_t *value);
/* Seconds, finite and >= 0: 90, 0.5s, 15m, 2h, MM:SS, HH:MM:SS. */
hb_status hb_parse_duration(const char *text, double *value);
/* "43,43,44": at most `most` numbers, at least one. */
hb_status hb_parse_list(const char *text, uint64_t *values, size_t most, size_t *count);
/* Exactly `bytes` bytes as pairs of hexadecimal digits. */
hb_status hb_parse_hex(const char *text, uint8_t *data, size_t bytes);

#endif
