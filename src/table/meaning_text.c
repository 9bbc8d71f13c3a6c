/* Texts of dates, times, truth values and decimals. */
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

/* Whether the text behind a date says nothing but midnight: a blank or T, zeros and colons, a fraction of zeros, Z. */
static bool is_midnight(const char *at, const char *end)
{
    static const char hours[] = " 00:00:00";
    size_t i = 0;
    if (at == end) {
        return true;
    }
    for (; at < end && i + 1 < sizeof hours && (*at == hours[i] || (i == 0 && *at == 'T')); at++) {
        i++;
    }
    if (at < end && *at == '.' && i + 1 == sizeof hours) {
        at++;
        while (at < end && *at == '0') {
            at++;
        }
    }
    at += at < end && *at == 'Z';
    return at == end && (i == strlen(" 00:00") || i + 1 == sizeof hours);
}

static bool find_day(int64_t year, int64_t month, int64_t day, int64_t *days)
{
    if (year < 1 || month < 1 || month > 12 || day < 1) {
        return false;
    }
    const int64_t first = days_of(year, month, 1);
    const int64_t next = month < 12 ? days_of(year, month + 1, 1) : days_of(year + 1, 1, 1);
    *days = first + day - 1;
    return *days < next;
}

bool hb_date_parse(const char *text, size_t length, int64_t *days)
{
    enum { DATE = 10 };
    return length >= DATE && text[4] == '-' && text[7] == '-' && is_midnight(text + DATE, text + length) &&
           find_day(digits_of(text, 4), digits_of(text + 5, 2), digits_of(text + 8, 2), days);
}

bool hb_date_form_is_possible(const char *form)
{
    return strlen(form) == 5 && strchr("./-", form[1]) != NULL && form[1] == form[3] && strchr(form, 'd') != NULL &&
           strchr(form, 'm') != NULL && strchr(form, 'y') != NULL;
}

bool hb_date_parse_as(const char *form, const char *text, size_t length, int64_t *days)
{
    int64_t part[3] = {0}; /* year, month, day */
    const char *at = text, *end = text + length;
    for (int i = 0; i < 5; i++) {
        if (i % 2 == 1) {
            if (at == end || *at++ != form[i]) {
                return false;
            }
            continue;
        }
        const char *first = at;
        while (at < end && *at >= '0' && *at <= '9') {
            at++;
        }
        const long digits = at - first;
        if (form[i] == 'y' ? digits != 4 : digits != 1 && digits != 2) {
            return false;
        }
        part[form[i] == 'y' ? 0 : form[i] == 'm' ? 1 : 2] = digits_of(first, (int)digits);
    }
    return is_midnight(at, end) && find_day(part[0], part[1], part[2], days);
}

/* A number that text begins with, of one or two digits; `exact`: of two. Moves *at past it; -1: there is none. */
static int64_t take_two(const char **at, const char *end, bool exact)
{
    int digits = 0;
    while (digits < 2 && *at + digits < end && (*at)[digits] >= '0' && (*at)[digits] <= '9') {
        digits++;
    }
    const int64_t number = digits == 0 || (exact && digits < 2) ? -1 : digits_of(*at, digits);
    *at += digits;
    return number;
}

/* Reads what may stand behind a time of day, up to the end, with a blank before it or without: nothing, a zone, AM or
 * PM, which change *hour. *offset: minutes of the zone. */
static hb_time_fault read_zone(const char *at, const char *end, int64_t *hour, int64_t *offset, bool *zoned)
{
    at += at < end && *at == ' ';
    const size_t left = (size_t)(end - at);
    *offset = 0;
    *zoned = left > 0;
    if (left == 0 || (left == 1 && *at == 'Z') || (left == 3 && memcmp(at, "UTC", 3) == 0)) {
        return HB_TIME_GOOD;
    }
    if (left == 2 && (memcmp(at, "AM", 2) == 0 || memcmp(at, "PM", 2) == 0)) {
        const bool half = *hour >= 1 && *hour <= 12;
        *zoned = false;
        *hour = *hour % 12 + (*at == 'P' ? 12 : 0);
        return half ? HB_TIME_GOOD : HB_TIME_NO_SUCH;
    }
    const bool sign = *at == '+' || *at == '-', west = *at == '-';
    at += sign;
    const int64_t hours = sign ? take_two(&at, end, true) : -1;
    at += end - at == 3 && *at == ':';
    const int64_t minutes = at < end ? take_two(&at, end, true) : 0;
    *offset = (west ? -1 : 1) * (60 * hours + minutes);
    return hours < 0 || minutes < 0 || at < end ? HB_TIME_NO_TIME
           : hours > 23 || minutes > 59         ? HB_TIME_NO_SUCH
                                                : HB_TIME_GOOD;
}

/* Reads :SS and a fraction, if they are there, and moves *at past them; -1: something else is. */
static int64_t take_seconds(const char **at, const char *end, bool *fraction)
{
    if (*at == end || **at != ':') {
        return 0;
    }
    ++*at;
    const int64_t second = take_two(at, end, true);
    if (end - *at > 1 && (**at == '.' || **at == ',') && (*at)[1] >= '0' && (*at)[1] <= '9') {
        for (++*at; *at < end && **at >= '0' && **at <= '9'; ++*at) {
            *fraction = *fraction || **at != '0';
        }
    }
    return second;
}

static bool is_in_calendar(int64_t days)
{
    return days >= days_of(1, 1, 1) && days <= days_of(9999, 12, 31);
}

static int64_t floor_of(int64_t number, int64_t by)
{
    return number / by - (number % by < 0);
}

hb_time_fault hb_time_parse(const char *form, const char *text, size_t length, hb_time *out)
{
    const char *at = text, *end = text + length;
    int64_t days, offset;
    *out = (hb_time){.seconds = 0};
    while (at < end && *at != ' ' && *at != 'T') {
        at++;
    }
    const size_t day = (size_t)(at - text);
    const bool is_day =
        form != NULL && form[0] != '\0' ? hb_date_parse_as(form, text, day, &days) : hb_date_parse(text, day, &days);
    if (at == end) {
        return HB_TIME_NO_TIME;
    }
    at++;
    int64_t hour = take_two(&at, end, false);
    const bool colon = hour >= 0 && at < end && *at == ':';
    at += colon;
    const int64_t minute = colon ? take_two(&at, end, true) : -1;
    const int64_t second = minute >= 0 ? take_seconds(&at, end, &out->fraction) : -1;
    if (second < 0) {
        return HB_TIME_NO_TIME;
    }
    const bool end_of_day = hour == 24, leap = second == 60;
    const hb_time_fault fault = read_zone(at, end, &hour, &offset, &out->zoned);
    if (fault != HB_TIME_GOOD || !is_day || hour > 24 || minute > 59 || second > 60) {
        return fault != HB_TIME_GOOD ? fault : HB_TIME_NO_SUCH;
    }
    out->seconds = days * 86400 + hour * 3600 + minute * 60 + second - offset * 60;
    return end_of_day                                       ? HB_TIME_24
           : leap                                           ? HB_TIME_LEAP
           : !is_in_calendar(floor_of(out->seconds, 86400)) ? HB_TIME_OUTSIDE
                                                            : HB_TIME_GOOD;
}

bool hb_date_parts(int64_t days, int parts[3])
{
    if (!is_in_calendar(days)) {
        return false;
    }
    const int64_t z = days + 719468, era = z / 146097, of_era = z % 146097;
    const int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const int64_t day = of_era - (365 * year + year / 4 - year / 100), m = (5 * day + 2) / 153;
    parts[1] = (int)(m < 10 ? m + 3 : m - 9);
    parts[0] = (int)(era * 400 + year) + (parts[1] <= 2);
    parts[2] = (int)(day - (153 * m + 2) / 5) + 1;
    return true;
}

bool hb_moment_text(const hb_meaning *meaning, int64_t number, char room[HB_MEANING_TEXT])
{
    const int64_t unit = hb_time_unit_seconds(hb_meaning_counts(meaning)), in_day = 86400 / unit;
    const int64_t days = floor_of(number, in_day);
    const int64_t rest = (number % in_day + in_day) % in_day * unit; /* days * in_day may pass 64 bits */
    int parts[3];
    if (!hb_date_parts(days, parts)) {
        return false;
    }
    snprintf(room, HB_MEANING_TEXT, "%04d-%02d-%02d", parts[0], parts[1], parts[2]);
    if (meaning->kind == HB_MEANING_TIME) {
        char second[8] = "";
        const size_t used = strlen(room);
        snprintf(second, sizeof second, ":%02d", (int)(rest % 60));
        snprintf(room + used, HB_MEANING_TEXT - used, "T%02d:%02d%s%s", (int)(rest / 3600), (int)(rest / 60 % 60),
                 meaning->unit == HB_TIME_SECONDS ? second : "", meaning->zoned ? "Z" : "");
    }
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

/* A decimal as it is written. */
typedef struct spelling {
    const char *from, *to; /* its digits, with one point or none among them */
    uint64_t count;        /* of digits */
    int64_t exponent;      /* of the last one */
    bool minus;
} spelling;

/* A decimal as it is read: digits without zeros at its end, times 10^exponent. */
typedef struct decimal {
    uint64_t digits;
    bool fits; /* they fit in 64 bits */
    int64_t exponent;
} decimal;

enum { MOST_EXPONENT = 1 << 20 }; /* beyond, a number is too large or too fine for any digits */

static bool times_ten(uint64_t *value, uint64_t plus)
{
    return !__builtin_mul_overflow(*value, 10, value) && !__builtin_add_overflow(*value, plus, value);
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

/* Finds the digits of a text; false where it is no decimal. */
static bool spell(const char *text, size_t length, spelling *s)
{
    const char *at = text, *end = text + length;
    bool point = false;
    *s = (spelling){.minus = at < end && *at == '-'};
    at += at < end && (*at == '-' || *at == '+');
    s->from = at;
    for (; at < end && ((*at >= '0' && *at <= '9') || (*at == '.' && !point)); at++) {
        if (*at == '.') {
            point = true;
        } else {
            s->count++;
            s->exponent -= point;
        }
    }
    s->to = at;
    return s->count > 0 && (at == end || ((*at == 'e' || *at == 'E') && read_exponent(at + 1, end, &s->exponent)));
}

/* Reads the first `count` digits; *next is the one behind them, or 0. Zeros wait for a digit behind them: those at the
 * end of a number are no digits that a scale would have to keep. */
static decimal read_digits(const spelling *s, uint64_t count, uint64_t *next)
{
    decimal d = {.fits = true, .exponent = s->exponent + (int64_t)(s->count - count)};
    int64_t zeros = 0; /* that were read and may yet be followed by another digit */
    const char *at = s->from;
    for (; at < s->to && count > 0; at++) {
        const uint64_t digit = (uint64_t)(*at - '0');
        if (*at == '.') {
            continue;
        }
        count--;
        zeros++;
        for (; digit != 0 && zeros > 0 && d.fits; zeros--) {
            d.fits = times_ten(&d.digits, zeros == 1 ? digit : 0);
        }
        zeros = digit != 0 ? 0 : zeros;
    }
    d.exponent += zeros;
    at += at < s->to && *at == '.';
    *next = at < s->to ? (uint64_t)(*at - '0') : 0;
    return d;
}

/* Brings digits to so many behind the point, of which they have as many or fewer; `up` is added to the last one. */
static hb_decimal_fault store(decimal d, bool minus, int digits, bool up, uint64_t *magnitude, bool *negative)
{
    for (int64_t left = d.digits == 0 && d.fits ? 0 : d.exponent + digits; left > 0 && d.fits; left--) {
        d.fits = times_ten(&d.digits, 0);
    }
    if (!d.fits || __builtin_add_overflow(d.digits, (uint64_t)up, &d.digits) ||
        (minus && d.digits > (uint64_t)1 << 63)) {
        return HB_DECIMAL_TOO_LARGE;
    }
    *magnitude = d.digits;
    *negative = minus && d.digits > 0;
    return HB_DECIMAL_GOOD;
}

hb_decimal_fault hb_decimal_parse(const char *text, size_t length, int digits, uint64_t *magnitude, bool *negative,
                                  int *needed)
{
    spelling s;
    uint64_t next;
    if (!spell(text, length, &s)) {
        return HB_DECIMAL_NO_NUMBER;
    }
    const decimal d = read_digits(&s, s.count, &next);
    const bool zero = d.digits == 0 && d.fits;
    if (needed != NULL) {
        *needed = zero || d.exponent >= 0 ? 0 : d.exponent > -99 ? (int)-d.exponent : 99;
    }
    return !zero && d.exponent < -digits ? HB_DECIMAL_TOO_FINE : store(d, s.minus, digits, false, magnitude, negative);
}

hb_decimal_fault hb_decimal_round(const char *text, size_t length, int digits, hb_decimal_rounding rounding,
                                  uint64_t *magnitude, bool *negative)
{
    spelling s;
    uint64_t next;
    if (!spell(text, length, &s)) {
        return HB_DECIMAL_NO_NUMBER;
    }
    /* The first dropped digit decides the rounding. */
    const int64_t fine = -digits - s.exponent, kept = (int64_t)s.count - (fine > 0 ? fine : 0);
    const decimal d = read_digits(&s, kept > 0 ? (uint64_t)kept : 0, &next);
    const bool up = rounding == HB_DECIMAL_NEAREST && fine > 0 && kept >= 0 && next >= 5;
    return store(d, s.minus, digits, up, magnitude, negative);
}
