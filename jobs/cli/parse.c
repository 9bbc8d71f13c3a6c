#include "parse.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the number that `text` starts with; *rest is the text behind it, NULL if there is no number below 2^64. */
static uint64_t leading_number(const char *text, const char **rest)
{
    *rest = NULL;
    if (!isdigit((unsigned char)text[0])) {
        return 0; /* strtoull would take blanks and signs */
    }
    /* No octal: a leading 0 means nothing. */
    bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    if (hexadecimal && !isxdigit((unsigned char)text[2])) {
        return 0;
    }
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, hexadecimal ? 16 : 10);
    if (errno == 0) {
        *rest = end;
    }
    return number;
}

hb_status hb_parse_number(const char *text, uint64_t *value)
{
    const char *rest;
    uint64_t number = leading_number(text, &rest);
    if (rest == NULL || rest[0] != '\0') {
        return HB_FAIL(HB_EUSAGE, "'%s' is not a number (decimal or 0x hexadecimal, below 2^64)", text);
    }
    *value = number;
    return HB_OK;
}

/* Applies the unit behind the number of a size; returns false for an unknown unit, or a size that is too large. */
static bool take_unit(const char *unit, hb_size *size)
{
    static const char letters[] = "KMGT";
    if (unit[0] == '\0') {
        return true;
    }
    if (strcmp(unit, "%") == 0) {
        size->percent = true;
        return size->amount <= 100;
    }
    /* K or KiB, but not KB, which others use for 1000. */
    const char *letter = strchr(letters, toupper((unsigned char)unit[0]));
    if (letter == NULL || (unit[1] != '\0' && strcmp(unit + 1, "iB") != 0)) {
        return false;
    }
    const uint32_t shift = 10 * (uint32_t)(letter - letters + 1);
    const bool fits = size->amount <= UINT64_MAX >> shift;
    size->amount <<= shift;
    return fits;
}

hb_status hb_parse_size(const char *text, hb_size *value)
{
    const char *rest;
    hb_size size = {.amount = leading_number(text, &rest)};
    if (rest == NULL || size.amount == 0 || !take_unit(rest, &size)) {
        return HB_FAIL(HB_EUSAGE, "'%s' is not a size above 0 (bytes, a number with K, M, G or T, or 1%% to 100%%)",
                       text);
    }
    *value = size;
    return HB_OK;
}

/* Returns a plain decimal fraction at *at, which moves past it; NAN if there is none. */
static double leading_fraction(const char **at)
{
    const char *text = *at;
    if (!isdigit((unsigned char)text[0]) || (text[0] == '0' && tolower((unsigned char)text[1]) == 'x')) {
        return NAN; /* strtod would take signs, nan, inf and hexadecimal */
    }
    char *end;
    double value = strtod(text, &end);
    *at = end;
    return value;
}

/* Returns the seconds, NAN for anything malformed: NAN goes through every operation here. */
static double duration_of(const char *text)
{
    double seconds = leading_fraction(&text);
    if (text[0] != ':') {
        seconds *= text[0] == 'm' ? 60 : 1;
        seconds *= text[0] == 'h' ? 60 * 60 : 1;
        text += text[0] == 's' || text[0] == 'm' || text[0] == 'h';
    } else {
        /* MM:SS or HH:MM:SS: each part counts sixty of the next. */
        for (int colons = 0; text[0] == ':' && colons < 2; colons++) {
            text++;
            seconds = 60 * seconds + leading_fraction(&text);
        }
    }
    return text[0] == '\0' ? seconds : NAN;
}

hb_status hb_parse_duration(const char *text, double *value)
{
    double seconds = duration_of(text);
    if (!isfinite(seconds)) {
        return HB_FAIL(HB_EUSAGE, "'%s' is not a duration (90, 90s, 15m, 2h, MM:SS or HH:MM:SS)", text);
    }
    *value = seconds;
    return HB_OK;
}

hb_status hb_parse_list(const char *text, uint64_t *values, size_t most, size_t *count)
{
    size_t found = 0;
    const char *at = text;
    for (;;) {
        const char *rest;
        uint64_t number = leading_number(at, &rest);
        if (rest == NULL || (rest[0] != ',' && rest[0] != '\0')) {
            return HB_FAIL(HB_EUSAGE, "'%s' is not a list of numbers with commas between them", text);
        }
        /* Before the number is stored. */
        if (found == most) {
            return HB_FAIL(HB_EUSAGE, "'%s' has more than %zu numbers", text, most);
        }
        values[found++] = number;
        if (rest[0] == '\0') {
            break;
        }
        at = rest + 1;
    }
    *count = found;
    return HB_OK;
}

hb_status hb_parse_hex(const char *text, uint8_t *data, size_t bytes)
{
    static const char digits[] = "0123456789abcdef";
    size_t length = strlen(text);
    if (length != 2 * bytes || strspn(text, "0123456789abcdefABCDEF") != length) {
        /* The text itself may be a secret: it is not repeated. */
        return HB_FAIL(HB_EUSAGE, "expected %zu hexadecimal digits", 2 * bytes);
    }
    for (size_t i = 0; i < bytes; i++) {
        long high = strchr(digits, tolower((unsigned char)text[2 * i])) - digits;
        long low = strchr(digits, tolower((unsigned char)text[2 * i + 1])) - digits;
        data[i] = (uint8_t)(16 * high + low);
    }
    return HB_OK;
}

size_t hb_parse_choice(const char *text, const char *const *words, size_t count)
{
    size_t i = 0;
    while (i < count && (words[i] == NULL || strcmp(text, words[i]) != 0)) {
        i++;
    }
    return i;
}

void hb_hex(char *text, const uint8_t *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        snprintf(text + 2 * i, 3, "%02x", data[i]);
    }
}
