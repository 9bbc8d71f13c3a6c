/* Words of a command line as numbers and bytes. Each returns HB_EUSAGE with the word and what was expected, and leaves
 * *value alone then. */
#ifndef HB_CLI_PARSE_H
#define HB_CLI_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Decimal or 0x hexadecimal, no sign, below 2^64. */
hb_status hb_parse_number(const char *text, uint64_t *value);
/* Bytes, or a share of something that is known later. */
typedef struct hb_size {
    uint64_t amount; /* > 0; up to 100 if it is a percentage */
    bool percent;
} hb_size;

/* Bytes, a number with K, M, G, T or KiB .. TiB (powers of 1024), or 1% .. 100%. */
hb_status hb_parse_size(const char *text, hb_size *value);
/* Seconds, finite and >= 0: 90, 0.5s, 15m, 2h, MM:SS, HH:MM:SS. */
hb_status hb_parse_duration(const char *text, double *value);
/* "43,43,44": at most `most` numbers, at least one. */
hb_status hb_parse_list(const char *text, uint64_t *values, size_t most, size_t *count);
/* Exactly `bytes` bytes as pairs of hexadecimal digits. */
hb_status hb_parse_hex(const char *text, uint8_t *data, size_t bytes);
/* The other way. text: 2 bytes + 1 characters. */
void hb_hex(char *text, const uint8_t *data, size_t bytes);

#endif
