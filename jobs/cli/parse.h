/* Parses words of a command line as numbers and bytes. Functions with a status return HB_EUSAGE with the word and the
 * expected form; the value then stays unchanged. */
#ifndef HB_CLI_PARSE_H
#define HB_CLI_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Parses a number, decimal or 0x hexadecimal, without sign, below 2^64. */
hb_status hb_parse_number(const char *text, uint64_t *value);
/* Bytes, or a share of an amount that is known later. */
typedef struct hb_size {
    uint64_t amount; /* > 0; up to 100 if it is a percentage */
    bool percent;
} hb_size;

/* Parses bytes, a number with K, M, G, T or KiB .. TiB (powers of 1024), or 1% .. 100%. */
hb_status hb_parse_size(const char *text, hb_size *value);
/* Parses seconds, finite and >= 0: 90, 0.5s, 15m, 2h, MM:SS, HH:MM:SS. */
hb_status hb_parse_duration(const char *text, double *value);
/* Parses the gap of comparisons, 2^-B or a decimal, between 0 and 1. NULL, for an option not given, leaves *gap
 * unchanged. */
hb_status hb_parse_gap(const char *text, double *gap);
/* Parses a list such as "43,43,44" into values [most]: at least one number, at most `most`. Numbers before a malformed
 * one may have been written to `values`. */
hb_status hb_parse_list(const char *text, uint64_t *values, size_t most, size_t *count);
/* Parses exactly `bytes` bytes as pairs of hexadecimal digits. The message does not repeat the text, which may be a
 * secret. */
hb_status hb_parse_hex(const char *text, uint8_t *data, size_t bytes);
/* Returns the index of a word in a list [count], whose entries may be NULL; count if it is not in the list. */
size_t hb_parse_choice(const char *text, const char *const *words, size_t count);
/* Writes bytes as hexadecimal digits, with a zero: text [2 bytes + 1]. */
void hb_hex(char *text, const uint8_t *data, size_t bytes);

#endif
