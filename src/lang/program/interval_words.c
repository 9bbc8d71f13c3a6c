#include "interval_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { END = 96 };

/* The integer that an end is, of reals the nearest one; false: none of 64 bits. */
static bool whole_of(hb_interval a, bool upper, int64_t *whole)
{
    if (a.real) {
        const double end = upper ? a.high : a.low;
        *whole = fabs(end) <= 0x1p53 ? (int64_t)rint(end) : 0;
        return fabs(end) <= 0x1p53;
    }
    const hb_wide end = upper ? a.wide_most : a.wide_least;
    *whole = upper ? a.most : a.least;
    return hb_wide_bits(end) < 63;
}

/* A decimal beyond 64 bits: its digits, with a point among them. False: there are too many to read. */
static bool wide_words(char out[END], hb_wide end, const hb_meaning *meaning)
{
    const int behind = hb_scale_digits(hb_meaning_scale(meaning));
    char digits[HB_WIDE_TEXT];
    if (hb_wide_bits(end) > 128) {
        return false;
    }
    hb_wide_text(digits, end);
    const int length = (int)strlen(digits), whole = length - behind; /* more than 18 digits: `behind` is less */
    int last = length;
    while (last > whole && digits[last - 1] == '0') {
        last--;
    }
    snprintf(out, END, "%.*s%s%.*s", whole, digits, last > whole ? "." : "", last - whole, digits + whole);
    return true;
}

/* One end in words; quoted: as expressions have texts. False: it has none. */
static bool end_words(char out[END], hb_interval a, bool upper, const hb_meaning *meaning, bool quoted)
{
    const bool number = meaning->kind == HB_MEANING_NUMBER;
    char room[HB_MEANING_TEXT];
    int64_t whole;
    if (number && (a.real || hb_meaning_scale(meaning) == 1)) { /* reals have no scale */
        return false;
    }
    if (whole_of(a, upper, &whole)) {
        const char *text = hb_meaning_text(meaning, true, (uint64_t)whole, room);
        const char *quote = quoted && !number ? "'" : "";
        snprintf(out, END, "%s%.80s%s", quote, text != NULL ? text : "", quote);
        return text != NULL;
    }
    return number && wide_words(out, upper ? a.wide_most : a.wide_least, meaning);
}

void hb_interval_words(char out[HB_INTERVAL_TEXT], hb_interval a, const hb_meaning *meaning)
{
    char least[END], most[END];
    if (meaning == NULL || !end_words(least, a, false, meaning, true) || !end_words(most, a, true, meaning, true)) {
        hb_interval_text(out, a);
        char *between = strstr(out, " .. ");
        if (between != NULL && strncmp(out, between + 4, (size_t)(between - out)) == 0 &&
            between[4 + (between - out)] == '\0') {
            *between = '\0';
        }
        return;
    }
    const bool one = strcmp(least, most) == 0;
    snprintf(out, HB_INTERVAL_TEXT, "%s%s%s", least, one ? "" : " .. ", one ? "" : most);
}

void hb_interval_words_counted(char out[HB_INTERVAL_TEXT], hb_interval a, const hb_meaning *meaning)
{
    const int digits = meaning != NULL && !a.real ? hb_scale_digits(hb_meaning_scale(meaning)) : 0;
    hb_interval_words(out, a, meaning);
    const size_t used = strlen(out);
    if (digits > 0) {
        snprintf(out + used, HB_INTERVAL_TEXT - used, " with %d digit%s behind the point", digits,
                 digits == 1 ? "" : "s");
    }
}

void hb_interval_meant_option(char out[HB_INTERVAL_OPTION], hb_interval a, const hb_meaning *meaning)
{
    char least[END], most[END];
    const bool worded = meaning->kind == HB_MEANING_NUMBER || hb_meaning_is_moment(meaning);
    if (!worded || !end_words(least, a, false, meaning, false) || !end_words(most, a, true, meaning, false)) {
        hb_interval_option(out, a);
        return;
    }
    snprintf(out, HB_INTERVAL_OPTION, "%s..%s", least, most);
}
