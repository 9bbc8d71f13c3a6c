/* Texts of dates, truth values and decimals. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "meaning.h"

/* Days since 1970-01-01 of a day of the Gregorian calendar. Years begin in March, so that the day that some have more
 * is the last one: 400 years have 146097 days, and 719468 are those from 0000-03-01 to 1970-01-01. */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
    const int64_t y = month > 2 ? year : year - 1;
    const int64_t era = y / 400, of_era = y % 400, m = (month + 9) % 12;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + (153 * m + 2) / 5 + day - 1 - 719468;
}

/* Digits of a text as a number; -1 where one of them is none. */
static int64_t digits_of(const char *text, int count)
{
    int64_t number = 0;
    for (int i = 0; i < count; i++) {
        if (text[i] < '0' || text[i] > '9') {
            return -1;
        }
        number = 10 * number + (text[i] - '0');
    }
    return number;
}

bool hb_date_parse(const char *text, size_t length, int64_t *days)
{
    if (length != 10 || text[4] != '-' || text[7] != '-') {
        return false;
    }
    const int64_t year = digits_of(text, 4), month = digits_of(text + 5, 2), day = digits_of(text + 8, 2);
    if (year < 1 || month < 1 || month > 12 || day < 1) {
        return false;
    }
    const int64_t first = days_of(year, month, 1);
    const int64_t next = month < 12 ? days_of(year, month + 1, 1) : days_of(year + 1, 1, 1);
    *days = first + day - 1;
    return *days < next;
}

bool hb_date_text(int64_t days, char room[HB_MEANING_TEXT])
{
    if (days < days_of(1, 1, 1) || days > days_of(9999, 12, 31)) {
        return false;
    }
    const int64_t z = days + 719468, era = z / 146097, of_era = z % 146097;
    const int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const int64_t day = of_era - (365 * year + year / 4 - year / 100), m = (5 * day + 2) / 153;
    const int64_t month = m < 10 ? m + 3 : m - 9;
    snprintf(room, HB_MEANING_TEXT, "%04d-%02d-%02d", (int)(era * 400 + year + (month <= 2)), (int)month,
             (int)(day - (153 * m + 2) / 5 + 1));
    return true;
}

bool hb_bool_parse(const char *text, size_t length, bool *value)
{
    static const char *const words[] = {"false", "true", "no", "yes"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i]) == length && strncasecmp(text, words[i], length) == 0) {
            *value = i % 2 == 1;
            return true;
        }
    }
    return false;
}

/* A decimal as it is read: digits without zeros at its end, times 10^exponent. */
typedef struct decimal {
    uint64_t digits;
    bool fits; /* they fit in 64 bits */
    int64_t exponent;
    int64_t zeros; /* that were read and may yet be followed by another digit */
} decimal;

enum { MOST_EXPONENT = 1 << 20 }; /* beyond, a number is too large or too fine whatever its digits */

static bool times_ten(uint64_t *value, uint64_t plus)
{
    return !__builtin_mul_overflow(*value, 10, value) && !__builtin_add_overflow(*value, plus, value);
}

/* Zeros wait for a digit behind them: those at the end of a number are no digits that a scale would have to keep. */
static void add_digit(decimal *d, uint64_t digit, bool behind_point)
{
    d->exponent -= behind_point;
    d->zeros++;
    for (; digit != 0 && d->zeros > 0 && d->fits; d->zeros--) {
        d->fits = times_ten(&d->digits, d->zeros == 1 ? digit : 0);
    }
    d->zeros = digit != 0 ? 0 : d->zeros;
}

/* Reads [+-]digits up to the end as an exponent, which more digits than it takes only make larger. */
static bool read_exponent(const char *at, const char *end, int64_t *exponent)
{
    const bool minus = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    int64_t value = 0;
    bool any = false;
    for (; at < end && *at >= '0' && *at <= '9'; at++, any = true) {
        value = value < MOST_EXPONENT ? 10 * value + (*at - '0') : value;
    }
    *exponent += minus ? -value : value;
    return any && at == end;
}

static bool read_decimal(const char *at, const char *end, decimal *d)
{
    bool any = false, point = false;
    for (; at < end && ((*at >= '0' && *at <= '9') || (*at == '.' && !point)); at++) {
        if (*at == '.') {
            point = true;
        } else {
            any = true;
            add_digit(d, (uint64_t)(*at - '0'), point);
        }
    }
    d->exponent += d->zeros;
    return any && (at == end || ((*at == 'e' || *at == 'E') && read_exponent(at + 1, end, &d->exponent)));
}

hb_decimal_fault hb_decimal_parse(const char *text, size_t length, int digits, uint64_t *magnitude, bool *negative,
                                  int *needed)
{
    const char *at = text, *end = text + length;
    const bool minus = at < end && *at == '-';
    decimal d = {.fits = true};
    at += at < end && (*at == '-' || *at == '+');
    if (!read_decimal(at, end, &d)) {
        return HB_DECIMAL_NO_NUMBER;
    }
    const bool zero = d.digits == 0 && d.fits;
    if (needed != NULL) {
        *needed = zero || d.exponent >= 0 ? 0 : d.exponent > -99 ? (int)-d.exponent : 99;
    }
    if (!zero && d.exponent < -digits) {
        return HB_DECIMAL_TOO_FINE;
    }
    for (int64_t left = zero ? 0 : d.exponent + digits; left > 0 && d.fits; left--) {
        d.fits = times_ten(&d.digits, 0);
    }
    if (!d.fits || (minus && d.digits > (uint64_t)1 << 63)) {
        return HB_DECIMAL_TOO_LARGE;
    }
    *magnitude = d.digits;
    *negative = minus && d.digits > 0;
    return HB_DECIMAL_GOOD;
}
