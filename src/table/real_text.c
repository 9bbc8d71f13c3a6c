#include "real_text.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/seed.h"

/* 10^0 .. 10^22: the powers of ten that a double holds exactly. */
enum { EXACT_POWER = 22 };
static const double powers[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                               1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

#define EXACT_DIGITS ((uint64_t)1 << 53)    /* integers up to this are doubles */
#define MOST_EXPONENT (INT64_MAX / 4)       /* more says nothing more, and sums of some such do not overflow */
#define DIGITS_MOST ((UINT64_MAX - 9) / 10) /* one digit more than such a number still fits */

/* A decimal as it is written: digits 10^exponent, where all digits fit. */
typedef struct decimal {
    uint64_t digits;
    int64_t exponent;
    bool negative, cut; /* cut: there are more digits than fit */
} decimal;

static bool is_digit(const char *at, const char *end)
{
    return at < end && *at >= '0' && *at <= '9';
}

/* Takes digits at `at`, of which each moves the exponent by `each`; returns their end. */
static const char *take_digits(const char *at, const char *end, int64_t each, decimal *d)
{
    for (; is_digit(at, end); at++) {
        d->cut = d->cut || d->digits > DIGITS_MOST;
        d->digits = d->cut ? d->digits : 10 * d->digits + (uint64_t)(*at - '0');
        d->exponent += each;
    }
    return at;
}

/* Takes an exponent, if there is a whole one at `at`; returns its end. An "e" alone is no part of the number. */
static const char *take_exponent(const char *at, const char *end, decimal *d)
{
    if (at == end || (*at != 'e' && *at != 'E')) {
        return at;
    }
    const char *digit = at + 1;
    const bool minus = digit < end && *digit == '-';
    digit += digit < end && (*digit == '-' || *digit == '+');
    if (!is_digit(digit, end)) {
        return at;
    }
    int64_t exponent = 0;
    for (; is_digit(digit, end); digit++) {
        exponent = exponent < MOST_EXPONENT / 10 ? 10 * exponent + (*digit - '0') : exponent;
    }
    d->exponent += minus ? -exponent : exponent;
    return digit;
}

/* Takes a decimal; returns its end, or NULL where there is none. */
static const char *take_decimal(const char *at, const char *end, decimal *d)
{
    *d = (decimal){.negative = at < end && *at == '-'};
    at += at < end && (*at == '-' || *at == '+');
    const char *whole = take_digits(at, end, 0, d), *stop = whole;
    if (whole < end && *whole == '.') {
        stop = take_digits(whole + 1, end, -1, d);
    }
    if (whole == at && stop <= whole + 1) {
        return NULL;
    }
    return take_exponent(stop, end, d);
}

/* Few digits and a small power of ten: both are exact doubles, so one rounding gives the nearest (Clinger, How to Read
 * Floating Point Numbers Accurately, PLDI 1990). */
static bool read_fast(const decimal *d, double *value)
{
    if (d->cut || d->digits > EXACT_DIGITS || d->exponent < -EXACT_POWER || d->exponent > EXACT_POWER) {
        return false;
    }
    const double digits = (double)d->digits;
    const double magnitude = d->exponent < 0 ? digits / powers[-d->exponent] : digits * powers[d->exponent];
    *value = d->negative ? -magnitude : magnitude;
    return true;
}

/* The C library reads the text, which is known to be a decimal, exactly. It asks for a zero behind it. */
static hb_real_fault read_slowly(const char *at, size_t length, double *value)
{
    enum { SHORT = 64 };
    char room[SHORT], *text = length < SHORT ? room : malloc(length + 1);
    const locale_t c = newlocale(LC_ALL_MASK, "C", NULL);
    hb_real_fault fault = HB_REAL_NO_MEMORY;
    if (text != NULL && c != NULL) {
        memcpy(text, at, length);
        text[length] = '\0';
        const double read = strtod_l(text, NULL, c);
        fault = isfinite(read) ? HB_REAL_GOOD : HB_REAL_TOO_LARGE;
        *value = isfinite(read) ? read : *value;
        hb_wipe(text, length); /* plaintext */
    }
    if (c != NULL) {
        freelocale(c);
    }
    if (text != room) {
        free(text);
    }
    return fault;
}

hb_real_fault hb_real_parse(const char **at, const char *end, double *value)
{
    decimal d;
    const char *stop = take_decimal(*at, end, &d);
    if (stop == NULL) {
        return HB_REAL_NO_NUMBER;
    }
    const hb_real_fault fault = read_fast(&d, value) ? HB_REAL_GOOD : read_slowly(*at, (size_t)(stop - *at), value);
    *at = fault == HB_REAL_NO_MEMORY ? *at : stop;
    return fault;
}

/* The digits of an integer, without a sign and the zeros in front; *end moves to their end. NULL: it is none. */
static const char *whole_digits(const char *at, const char **end)
{
    at += at < *end && (*at == '-' || *at == '+');
    for (; at < *end && *at == '0'; at++) {
    }
    const char *stop = at, *zero;
    for (; is_digit(stop, *end); stop++) {
    }
    for (zero = stop + (stop < *end && *stop == '.'); zero < *end && *zero == '0'; zero++) {
    }
    const bool whole = zero == *end;
    *end = stop;
    return whole ? at : NULL;
}

bool hb_real_rounds_integer(const char *at, const char *end, double value)
{
    char exact[DBL_MAX_10_EXP + 3]; /* the digits of any double that is an integer */
    const char *digits = fabs(value) >= (double)EXACT_DIGITS ? whole_digits(at, &end) : NULL;
    if (digits == NULL) {
        return false;
    }
    const int length = snprintf(exact, sizeof exact, "%.0f", fabs(value));
    const bool rounds = length != end - digits || memcmp(exact, digits, (size_t)length) != 0;
    hb_wipe(exact, sizeof exact); /* plaintext */
    return rounds;
}

/* The calling thread writes and reads numbers with a point until it is given its own locale back. */
static locale_t begin_points(locale_t *c)
{
    *c = newlocale(LC_ALL_MASK, "C", NULL);
    return *c != NULL ? uselocale(*c) : NULL;
}

static void end_points(locale_t c, locale_t before)
{
    if (c != NULL) {
        (void)uselocale(before);
        freelocale(c);
    }
}

double hb_real_narrow(double value, int bits)
{
    int exponent;
    if (bits >= DBL_MANT_DIG || !isfinite(value)) {
        return value;
    }
    const double part = frexp(value, &exponent);
    return ldexp(nearbyint(ldexp(part, bits)), exponent - bits);
}

void hb_real_text_of(char text[HB_REAL_TEXT], double value, int bits)
{
    locale_t c;
    const locale_t before = begin_points(&c);
    /* Every decimal of 15 digits is another double, but below the normal ones, so fewer digits than 15 are found as
     * zeros at the end, which %g leaves out. */
    int digits = bits < DBL_MANT_DIG || fabs(value) < DBL_MIN ? 1 : DBL_DIG;
    /* With sanitizers gcc asks whether `text` may be NULL, and gcc 11 supposes more digits. */
    char made[HB_REAL_TEXT + 8];
    do {
        snprintf(made, sizeof made, "%.*g", digits, value);
    } while (digits++ < DBL_DECIMAL_DIG && isfinite(value) && hb_real_narrow(strtod(made, NULL), bits) != value);
    memcpy(text, made, strlen(made) + 1);
    end_points(c, before);
}

void hb_real_text(char text[HB_REAL_TEXT], double value)
{
    hb_real_text_of(text, value, DBL_MANT_DIG);
}

void hb_real_bound_text(char text[HB_REAL_TEXT], double value, bool most)
{
    enum { WHOLE = 12, CUT = 6 };
    locale_t c;
    const locale_t before = begin_points(&c);
    char made[HB_REAL_TEXT];
    snprintf(made, sizeof made, "%.*g", WHOLE, value);
    if (isfinite(value) && strtod(made, NULL) != value) {
        snprintf(made, sizeof made, "%.*g", CUT, value);
        const double nearest = strtod(made, NULL);
        if (most ? nearest < value : nearest > value) {
            /* It is inside the range: the next one outwards is a unit of the last digit away. */
            snprintf(made, sizeof made, "%.*e", CUT - 1, value);
            const double unit = pow(10, (double)strtol(strchr(made, 'e') + 1, NULL, 10) - (CUT - 1));
            snprintf(made, sizeof made, "%.*g", CUT, most ? nearest + unit : nearest - unit);
        }
    }
    memcpy(text, made, strlen(made) + 1);
    end_points(c, before);
}
