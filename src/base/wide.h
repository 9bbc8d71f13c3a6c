/* Integers wider than a word: ends of ranges, and cells of tables of up to 128 bits. Host only; variable time, so that
 * no secret but decrypted values may pass here. */
#ifndef HB_BASE_WIDE_H
#define HB_BASE_WIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HB_WIDE_WORDS 5

/* An integer in two's complement, least significant word first. Its magnitude is at most 2^317, which means that much
 * or more: sums and products stop there. The caller owns the struct; nothing is allocated. */
typedef struct hb_wide {
    uint64_t word[HB_WIDE_WORDS];
} hb_wide;

#define HB_WIDE_END_BITS 317

/* Words of a cell of 128 bits, the low one first. */
#define HB_WIDE_CELL 2

/* Return the integer that a word holds, that two words hold, and 2^bits, bits <= 317. */
hb_wide hb_wide_of(int64_t value);
hb_wide hb_wide_of_word(uint64_t value);
hb_wide hb_wide_of_cell(const uint64_t cell[HB_WIDE_CELL], bool is_signed);
hb_wide hb_wide_power(uint32_t bits);

/* Return a + b, -a, a b, and floor(a / 2); magnitudes above 2^317 are cut to it (saturation). */
hb_wide hb_wide_add(hb_wide a, hb_wide b);
hb_wide hb_wide_negate(hb_wide a);
hb_wide hb_wide_multiply(hb_wide a, hb_wide b);
hb_wide hb_wide_half(hb_wide a);

/* Return a number below, equal to or above 0 as a < b, a = b or a > b, and as a is. */
int hb_wide_compare(hb_wide a, hb_wide b);
int hb_wide_sign(hb_wide a);
/* Returns whether it means that much or more. */
bool hb_wide_saturated(hb_wide a);
/* Returns the bits of its magnitude; 0 for 0. */
uint32_t hb_wide_bits(hb_wide a);

/* Returns the nearest of -(2^63 - 1) .. 2^63 - 1. */
int64_t hb_wide_clamp(hb_wide a);
/* Writes the low 128 bits; returns whether a signed, or an unsigned, cell of them has just this value. */
bool hb_wide_to_cell(hb_wide a, bool is_signed, uint64_t cell[HB_WIDE_CELL]);
/* Returns the value of a cell of `bits` bits, 1 .. 128, that is congruent to a modulo 2^bits: in [0, 2^bits) if
 * unsigned, in [-2^(bits - 1), 2^(bits - 1)) if signed. */
hb_wide hb_wide_wrap(hb_wide a, uint32_t bits, bool is_signed);
/* Returns a double near it that is no less, or with `upper` false no more; infinite where it is saturated. */
double hb_wide_real(hb_wide a, bool upper);

/* Returns the double nearest to a / b, of two as near the even one. b is above 0, and |a| and b are below 2^315. */
double hb_wide_quotient(hb_wide a, hb_wide b);

/* Writes it in decimal digits. */
#define HB_WIDE_TEXT 104
void hb_wide_text(char text[HB_WIDE_TEXT], hb_wide a);
/* Reads an optional sign and decimal digits from *at on, as far as `end`, and leaves *at behind the last digit; false
 * where there is no digit. A number that is too large is saturated. */
bool hb_wide_parse(const char **at, const char *end, hb_wide *a);

#endif
