#include "wide.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "modarith.h"
#include "status.h"

enum { TOP = HB_WIDE_END_BITS, WORD = 64 };

/* A magnitude and whether it is of a number below 0. */
typedef struct parts {
    uint64_t word[HB_WIDE_WORDS];
    bool negative;
} parts;

hb_wide hb_wide_of(int64_t value)
{
    hb_wide r = {{(uint64_t)value}};
    for (int i = 1; i < HB_WIDE_WORDS; i++) {
        r.word[i] = value < 0 ? UINT64_MAX : 0;
    }
    return r;
}

hb_wide hb_wide_of_word(uint64_t value)
{
    return (hb_wide){{value}};
}

hb_wide hb_wide_of_cell(const uint64_t cell[HB_WIDE_CELL], bool is_signed)
{
    hb_wide r = hb_wide_of(is_signed && (int64_t)cell[1] < 0 ? -1 : 0);
    r.word[0] = cell[0];
    r.word[1] = cell[1];
    return r;
}

hb_wide hb_wide_power(uint32_t bits)
{
    HB_ASSERT(bits <= TOP);
    hb_wide r = {{0}};
    r.word[bits / WORD] = (uint64_t)1 << bits % WORD;
    return r;
}

int hb_wide_sign(hb_wide a)
{
    if ((int64_t)a.word[HB_WIDE_WORDS - 1] < 0) {
        return -1;
    }
    for (int i = 0; i < HB_WIDE_WORDS; i++) {
        if (a.word[i] != 0) {
            return 1;
        }
    }
    return 0;
}

/* Negates in two's complement. The result may not fit: nothing checks. */
static hb_wide plain_negate(hb_wide a)
{
    uint64_t carry = 1;
    for (int i = 0; i < HB_WIDE_WORDS; i++) {
        a.word[i] = ~a.word[i] + carry;
        carry = carry != 0 && a.word[i] == 0;
    }
    return a;
}

hb_wide hb_wide_negate(hb_wide a)
{
    return plain_negate(a); /* magnitudes are far below the sign bit */
}

int hb_wide_compare(hb_wide a, hb_wide b)
{
    const int64_t high_a = (int64_t)a.word[HB_WIDE_WORDS - 1], high_b = (int64_t)b.word[HB_WIDE_WORDS - 1];
    if (high_a != high_b) {
        return high_a < high_b ? -1 : 1;
    }
    for (int i = HB_WIDE_WORDS - 1; i-- > 0;) {
        if (a.word[i] != b.word[i]) {
            return a.word[i] < b.word[i] ? -1 : 1;
        }
    }
    return 0;
}

/* Most numbers fit into one word and its sign. */
static bool is_short(const hb_wide *a)
{
    const uint64_t sign = (int64_t)a->word[0] < 0 ? UINT64_MAX : 0;
    uint64_t other = 0;
    for (int i = 1; i < HB_WIDE_WORDS; i++) {
        other |= a->word[i] ^ sign;
    }
    return other == 0;
}

static hb_wide stop(hb_wide a)
{
    if (is_short(&a)) {
        return a;
    }
    const hb_wide end = hb_wide_power(TOP);
    if (hb_wide_compare(a, end) > 0) {
        return end;
    }
    return hb_wide_compare(a, plain_negate(end)) < 0 ? plain_negate(end) : a;
}

bool hb_wide_saturated(hb_wide a)
{
    return !is_short(&a) && hb_wide_bits(a) > TOP;
}

hb_wide hb_wide_add(hb_wide a, hb_wide b)
{
    hb_u128 sum = 0;
    for (int i = 0; i < HB_WIDE_WORDS; i++) {
        sum = (sum >> WORD) + a.word[i] + b.word[i];
        a.word[i] = (uint64_t)sum;
    }
    return stop(a); /* two magnitudes of 2^317 leave the sign bit alone */
}

static parts parts_of(hb_wide a)
{
    parts r = {.negative = hb_wide_sign(a) < 0};
    const hb_wide magnitude = r.negative ? plain_negate(a) : a;
    memcpy(r.word, magnitude.word, sizeof r.word);
    return r;
}

static hb_wide join(const uint64_t word[HB_WIDE_WORDS], bool negative)
{
    hb_wide r;
    memcpy(r.word, word, sizeof r.word);
    return negative ? plain_negate(r) : r;
}

/* Words up to the highest that is not 0. */
static int words_used(const parts *x)
{
    int words = HB_WIDE_WORDS;
    while (words > 0 && x->word[words - 1] == 0) {
        words--;
    }
    return words;
}

hb_wide hb_wide_multiply(hb_wide a, hb_wide b)
{
    if (is_short(&a) && is_short(&b)) {
        const hb_i128 both = (hb_i128)(int64_t)a.word[0] * (int64_t)b.word[0];
        hb_wide r = hb_wide_of(both < 0 ? -1 : 0);
        r.word[0] = (uint64_t)both;
        r.word[1] = (uint64_t)(both >> WORD);
        return r;
    }
    const parts x = parts_of(a), y = parts_of(b);
    const int x_words = words_used(&x), y_words = words_used(&y);
    uint64_t product[2 * HB_WIDE_WORDS] = {0}, above = 0;
    for (int i = 0; i < x_words; i++) {
        uint64_t carry = 0;
        for (int j = 0; j < y_words; j++) {
            const hb_u128 sum = (hb_u128)x.word[i] * y.word[j] + product[i + j] + carry;
            product[i + j] = (uint64_t)sum;
            carry = (uint64_t)(sum >> WORD);
        }
        product[i + y_words] = carry;
    }
    for (int i = HB_WIDE_WORDS; i < 2 * HB_WIDE_WORDS; i++) {
        above |= product[i];
    }
    if (above != 0 || product[HB_WIDE_WORDS - 1] >> (TOP % WORD) != 0) {
        const hb_wide end = hb_wide_power(TOP);
        return x.negative != y.negative ? plain_negate(end) : end;
    }
    return join(product, x.negative != y.negative);
}

hb_wide hb_wide_half(hb_wide a)
{
    for (int i = 0; i < HB_WIDE_WORDS - 1; i++) {
        a.word[i] = a.word[i] >> 1 | a.word[i + 1] << (WORD - 1);
    }
    a.word[HB_WIDE_WORDS - 1] = (uint64_t)((int64_t)a.word[HB_WIDE_WORDS - 1] >> 1);
    return a;
}

uint32_t hb_wide_bits(hb_wide a)
{
    const parts x = parts_of(a);
    for (int i = HB_WIDE_WORDS; i-- > 0;) {
        if (x.word[i] != 0) {
            return (uint32_t)(WORD * (i + 1) - __builtin_clzll(x.word[i]));
        }
    }
    return 0;
}

int64_t hb_wide_clamp(hb_wide a)
{
    if (is_short(&a)) {
        return (int64_t)a.word[0] == INT64_MIN ? -INT64_MAX : (int64_t)a.word[0];
    }
    return hb_wide_sign(a) < 0 ? -INT64_MAX : INT64_MAX;
}

bool hb_wide_to_cell(hb_wide a, bool is_signed, uint64_t cell[HB_WIDE_CELL])
{
    cell[0] = a.word[0];
    cell[1] = a.word[1];
    return hb_wide_compare(a, hb_wide_of_cell(cell, is_signed)) == 0;
}

hb_wide hb_wide_wrap(hb_wide a, uint32_t bits, bool is_signed)
{
    HB_ASSERT(bits >= 1 && bits <= HB_WIDE_CELL * WORD);
    for (uint32_t i = 0; i < HB_WIDE_WORDS; i++) {
        if (bits <= i * WORD) {
            a.word[i] = 0;
        } else if (bits < (i + 1) * WORD) {
            a.word[i] &= ((uint64_t)1 << bits % WORD) - 1;
        }
    }
    const uint64_t sign = a.word[(bits - 1) / WORD] >> (bits - 1) % WORD;
    return is_signed && sign != 0 ? hb_wide_add(a, plain_negate(hb_wide_power(bits))) : a;
}

double hb_wide_real(hb_wide a, bool upper)
{
    enum { DIGITS = 53 }; /* of a double */
    const parts x = parts_of(a);
    if (hb_wide_saturated(a)) {
        return x.negative ? -HUGE_VAL : HUGE_VAL;
    }
    const uint32_t bits = hb_wide_bits(a), shift = bits > DIGITS ? bits - DIGITS : 0, w = shift / WORD,
                   s = shift % WORD;
    uint64_t top = x.word[w] >> s, below = s > 0 ? x.word[w] << (WORD - s) : 0;
    if (s > 0 && w + 1 < HB_WIDE_WORDS) {
        top |= x.word[w + 1] << (WORD - s);
    }
    for (uint32_t i = 0; i < w; i++) {
        below |= x.word[i];
    }
    /* The leading bits are a double of no larger magnitude, and the next one is larger than all that have these. */
    double magnitude = ldexp((double)top, (int)shift);
    if (below != 0 && upper != x.negative) {
        magnitude = nextafter(magnitude, HUGE_VAL);
    }
    return x.negative ? -magnitude : magnitude;
}

static const uint64_t digits_of_word = 1000000000000000000; /* 10^18 */

/* Long division: 63 bits of the quotient, the last one set also where anything is left. */
double hb_wide_quotient(hb_wide a, hb_wide b)
{
    enum { BITS = 63 };
    const bool negative = hb_wide_sign(a) < 0;
    hb_wide rest = negative ? hb_wide_negate(a) : a;
    uint64_t quotient = 0;
    if (hb_wide_sign(rest) == 0) {
        return 0;
    }
    int exponent = (int)hb_wide_bits(rest) - (int)hb_wide_bits(b);
    for (int i = 0; i < exponent; i++) {
        b = hb_wide_add(b, b);
    }
    for (int i = exponent; i < 0; i++) {
        rest = hb_wide_add(rest, rest);
    }
    if (hb_wide_compare(rest, b) < 0) { /* as long, but smaller */
        rest = hb_wide_add(rest, rest);
        exponent--;
    }
    for (int i = 0; i < BITS; i++) {
        const bool bit = hb_wide_compare(rest, b) >= 0;
        quotient = quotient << 1 | bit;
        rest = bit ? hb_wide_add(rest, hb_wide_negate(b)) : rest;
        rest = hb_wide_add(rest, rest);
    }
    const double magnitude = ldexp((double)(quotient | (hb_wide_sign(rest) != 0)), exponent - BITS + 1);
    return negative ? -magnitude : magnitude;
}

void hb_wide_text(char text[HB_WIDE_TEXT], hb_wide a)
{
    parts x = parts_of(a);
    uint64_t piece[HB_WIDE_WORDS + 1]; /* 18 digits each: 2^317 has 96 */
    int pieces = 0;
    do {
        uint64_t rest = 0, left = 0;
        for (int i = HB_WIDE_WORDS; i-- > 0;) {
            const hb_u128 part = (hb_u128)rest << WORD | x.word[i];
            x.word[i] = (uint64_t)(part / digits_of_word);
            rest = (uint64_t)(part % digits_of_word);
            left |= x.word[i];
        }
        piece[pieces++] = rest;
        if (left == 0) {
            break;
        }
    } while (pieces <= HB_WIDE_WORDS);
    int used = snprintf(text, HB_WIDE_TEXT, "%s%llu", x.negative ? "-" : "", (unsigned long long)piece[--pieces]);
    while (pieces-- > 0) {
        used += snprintf(text + used, (size_t)(HB_WIDE_TEXT - used), "%018llu", (unsigned long long)piece[pieces]);
    }
}

bool hb_wide_parse(const char **at, const char *end, hb_wide *a)
{
    const char *p = *at;
    const bool minus = p < end && *p == '-';
    p += p < end && (*p == '-' || *p == '+');
    const char *first = p;
    hb_wide value = {{0}};
    while (p < end && *p >= '0' && *p <= '9') {
        uint64_t piece = 0, scale = 1;
        for (; p < end && *p >= '0' && *p <= '9' && scale < digits_of_word; p++) {
            piece = 10 * piece + (uint64_t)(*p - '0');
            scale *= 10;
        }
        value = hb_wide_add(hb_wide_multiply(value, hb_wide_of_word(scale)), hb_wide_of_word(piece));
    }
    *at = p;
    *a = minus ? plain_negate(value) : value;
    return p > first;
}
