/* Fields of digits, as most fields of most tables are, read in line. */
#ifndef HB_IO_TABLE_CSV_DIGITS_H
#define HB_IO_TABLE_CSV_DIGITS_H

#include <string.h>

#include "csv_columns.h"

#define HB_CSV_EACH_BYTE (UINT64_MAX / UINT8_MAX) /* 1 in every byte of a word */

/* Returns 8 bytes as a word, the first one lowest. */
static inline uint64_t hb_csv_word(const char *at)
{
    unsigned char byte[8];
    uint64_t word = 0;
    memcpy(byte, at, sizeof byte);
    for (int i = 0; i < 8; i++) {
        word |= (uint64_t)byte[i] << (8 * i);
    }
    return word;
}

/* Returns the first place of a sign in [at, end), or `end`. Fields are short: a call of memchr takes longer. */
static inline const char *hb_csv_find_sign(const char *at, const char *end, char sign)
{
    for (; end - at >= 8; at += 8) {
        const uint64_t other = hb_csv_word(at) ^ (unsigned char)sign * HB_CSV_EACH_BYTE; /* 0 where it stands */
        const uint64_t found = (other - HB_CSV_EACH_BYTE) & ~other & 0x80 * HB_CSV_EACH_BYTE;
        if (found != 0) {
            return at + __builtin_ctzll(found) / 8;
        }
    }
    while (at < end && *at != sign) {
        at++;
    }
    return at;
}

/* Takes up to 8 digits at `at`, from where at least 8 bytes can be read; returns how many there are. No branch depends
 * on them: processors guess the number of digits of a number wrong as often as not. */
static inline size_t hb_csv_take_eight(const char *at, uint64_t *value)
{
    const uint64_t each = HB_CSV_EACH_BYTE, word = hb_csv_word(at);
    /* 0 to 9 are digits; 6 more than 9 sets the bit of 16, and what has a higher bit is none either. */
    const uint64_t digit = word ^ '0' * each, other = ((digit & 0x7f * each) + 0x76 * each) | digit;
    const uint64_t ends = other & 0x80 * each;
    const size_t count = ends != 0 ? (size_t)__builtin_ctzll(ends) / 8 : 8;
    /* The first digit comes into the lowest byte; zeros stand in front of fewer than 8. Pairs become numbers below 100,
     * these below 10^4, and these the number. */
    uint64_t text = count > 0 ? digit << (64 - 8 * count) : 0;
    text = (text * 10 + (text >> 8)) & 0x00ff00ff00ff00ff;
    text = (text * 100 + (text >> 16)) & 0x0000ffff0000ffff;
    text = (text * 10000 + (text >> 32)) & UINT32_MAX;
    *value = text;
    return count;
}

/* Reads a field of a plain column (hb_csv_column.plain) that has digits, perhaps with a sign, as most have: few enough
 * that they fit in 63 bits, and nothing else. Sets what is read of such a cell. False: it is another one, and nothing
 * has changed. */
static inline bool hb_csv_read_digits(hb_csv_type type, const char **at, const char *end, hb_csv_cell *cell)
{
    enum { MOST_DIGITS = 18 };
    const char *first = *at + (*at < end && **at == '-'), *p = first;
    uint64_t value = 0;
    p += end - first >= 8 ? hb_csv_take_eight(first, &value) : 0;
    if (p == first || p == first + 8) {
        for (; p < end && (unsigned char)(*p - '0') < 10; p++) {
            value = value * 10 + (uint64_t)(*p - '0'); /* of too many digits it is not used */
        }
    }
    const size_t digits = (size_t)(p - first);
    if (digits - 1 >= MOST_DIGITS || (p < end && *p != type.delimiter)) {
        return false;
    }
    cell->kind = HB_CSV_IS_NUMBER;
    cell->spelling = 0;
    cell->number = (hb_csv_number){.magnitude = value,
                                   .wide = type.cells == HB_CELL_WIDE,
                                   .negative = first > *at && value > 0,
                                   .padded = *first == '0' && digits > 1,
                                   .digits = (uint32_t)digits};
    *at = p;
    return true;
}

#endif
