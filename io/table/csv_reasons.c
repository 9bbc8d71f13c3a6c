#include "csv_reasons.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/seed.h"
#include "table/meaning.h"

const char hb_csv_another_order[] = "its order is another one";

/* Returns the first character from `at` on that is no digit, or `end`. */
static const char *skip_digits(const char *at, const char *end)
{
    while (at < end && *at >= '0' && *at <= '9') {
        at++;
    }
    return at;
}

/* Tells whether the text is a number such as 1.5, 1e5 or ,5, with a sign or without: the usual reason why a field is no
 * integer. */
static bool is_fraction(const char *at, const char *end)
{
    at += at < end && (*at == '-' || *at == '+');
    const char *whole = skip_digits(at, end), *point = whole;
    if (whole < end && (*whole == '.' || *whole == ',')) {
        point = skip_digits(whole + 1, end);
    }
    const char *exponent = point;
    if (point > at && point < end && (*point == 'e' || *point == 'E')) {
        exponent = point + 1;
        exponent += exponent < end && (*exponent == '-' || *exponent == '+');
        exponent = skip_digits(exponent, end);
    }
    return exponent == end && exponent > at + 1;
}

/* Tells whether the text is a number up to an exponent that has no digits, such as 1e or 1.5e-. */
static bool is_cut_short(const char *at, const char *end)
{
    end -= end - at > 1 && (end[-1] == '-' || end[-1] == '+');
    return end - at > 1 && (end[-1] == 'e' || end[-1] == 'E') && memchr(at, ',', (size_t)(end - at)) == NULL;
}

static const char comma[] = "has a comma where a point should be (--decimal comma reads it)";

/* The reason why a fraction cannot be read. */
static const char *no_fraction(const hb_csv_text *text, hb_cell_type cells)
{
    const char *at = text->text, *end = at + text->length, *sign = memchr(at, ',', text->length);
    if (sign == NULL && cells != HB_CELL_REAL) {
        return "has a decimal point or an exponent, and these parameters are for integers";
    }
    if (is_cut_short(at, end)) {
        return "has an exponent without digits";
    }
    /* 1,234 may be either, and the one is a thousand times the other. */
    const bool thousands = sign != NULL && end - sign == 4 && sign - at >= 1 && sign - at <= 4 && *at != '0';
    return thousands ? "has a comma: between thousands (--decimal point) or in front of decimals (--decimal comma)"
                     : comma;
}

/* Whether a text begins or ends with one of these signs, beside a digit. */
static bool has_beside(const hb_csv_text *text, const char *sign)
{
    const size_t length = strlen(sign);
    const char *end = text->text + text->length;
    return text->length > length &&
           ((memcmp(end - length, sign, length) == 0 && skip_digits(text->text, end) > text->text) ||
            (memcmp(text->text, sign, length) == 0 && end[-1] >= '0' && end[-1] <= '9'));
}

/* Whether a text has this sign between digits of which three stand behind each, as between thousands. */
static bool has_thousands(const hb_csv_text *text, const char *sign)
{
    const size_t length = strlen(sign);
    const char *at = text->text, *end = at + text->length;
    at += at < end && *at == '-';
    const char *stop = skip_digits(at, end);
    bool any = false;
    if (stop == at || stop - at > 3) {
        return false;
    }
    for (at = stop; (size_t)(end - at) >= length && memcmp(at, sign, length) == 0; at = stop, any = true) {
        stop = skip_digits(at + length, end);
        if (stop - at - (ptrdiff_t)length != 3) {
            return false;
        }
    }
    return any && (at == end || *at == '.' || *at == ',');
}

/* A sign that numbers are written with in other places than tables; NULL: none. */
static const char *no_plain_sign(const hb_csv_text *text)
{
    static const char blanks[] = "has blanks between thousands: take them out of the table";
    static const char apostrophes[] = "has apostrophes between thousands: take them out of the table";
    static const struct {
        const char *sign, *words;
    } thousands[] = {{" ", blanks},
                     {"\xC2\xA0", blanks},     /* no-break space */
                     {"\xE2\x80\xAF", blanks}, /* narrow no-break space */
                     {"'", apostrophes},
                     {"\xE2\x80\x99", apostrophes}}; /* right single quotation mark */
    static const char minus[] = "\xE2\x88\x92";
    const char *at = text->text, *end = at + text->length;
    for (size_t i = 0; i < sizeof thousands / sizeof *thousands; i++) {
        if (has_thousands(text, thousands[i].sign)) {
            return thousands[i].words;
        }
    }
    if (text->length > strlen(minus) && memcmp(at, minus, strlen(minus)) == 0) {
        return "has a minus sign that is no hyphen: write -";
    }
    const bool behind = text->length > 1 && end[-1] == '-' && skip_digits(at, end) == end - 1;
    const bool brackets = text->length > 2 && *at == '(' && end[-1] == ')' && skip_digits(at + 1, end) > at + 1;
    return behind || brackets ? "is negative as accountants write it: write a minus in front" : NULL;
}

/* Whether a text is a number and, in front or behind, with blanks between or without, a word for money. */
static bool has_money(const hb_csv_text *text)
{
    static const char *const words[] = {"$",   "\xE2\x82\xAC", "\xC2\xA3", "\xC2\xA5", /* euro, pound, yen */
                                        "EUR", "USD",          "GBP",      "CHF",      "JPY", "CNY", "INR", "CAD",
                                        "AUD", "SEK",          "NOK",      "DKK",      "PLN", "CZK", "US$", "Fr."};
    bool has = false;
    for (size_t i = 0; i < sizeof words / sizeof *words && !has; i++) {
        has = has_beside(text, words[i]);
    }
    return has;
}

/* Whether a text is a number with its signs, and behind it, with a blank between or without, a unit: 80 kg, 37.2 C,
 * 5 mg/m2, or 5 y 3 m. It is no unit that has digits as those of 0x10, of AB34, or of a year. */
static bool has_unit(const hb_csv_text *text)
{
    enum { LONGEST = 24, MOST_DIGITS = 2 };
    const char *at = text->text, *end = at + text->length;
    at += at < end && (*at == '-' || *at == '+');
    if (at == end || *at < '0' || *at > '9') {
        return false;
    }
    while (at < end && ((*at >= '0' && *at <= '9') || strchr(".,' ", *at) != NULL)) {
        at++;
    }
    const unsigned char first = at < end ? (unsigned char)*at : 0;
    bool unit = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') || first >= 0x80;
    int digits = 0;
    for (const char *from = at; at < end; at++) {
        const bool digit = *at >= '0' && *at <= '9', alone = at + 1 == end || at[1] < '0' || at[1] > '9';
        const bool power = alone && (*at == '2' || *at == '3'), glued = at[-1] > ' ' && (at[-1] < '0' || at[-1] > '9');
        digits += digit;
        unit = unit && !(digit && glued && !power) && digits <= MOST_DIGITS && at - from < LONGEST;
    }
    return unit;
}

/* Names a sign that stands in a number besides its digits; NULL: the text is something else. `decimal` 0: also signs
 * between thousands, which an option reads. */
static const char *no_plain_number(const hb_csv_text *text, char decimal)
{
    static const char *const blank[] = {"\xC2\xA0", "\xE2\x80\x87", "\xE2\x80\xAF"}; /* those at which no line breaks */
    char room[HB_CSV_NUMBER_TEXT];
    const bool commas = decimal == 0 && memchr(text->text, ',', text->length) != NULL;
    const char *why = !has_beside(text, "%") ? NULL
                      : commas ? "has a percent sign and a comma (--percent with --decimal comma reads 12,5 % as 0.125)"
                               : "has a percent sign (--percent reads 12.5 % as 0.125)";
    why = why == NULL && has_money(text) ? HB_CSV_MONEY : why;
    for (size_t i = 0; why == NULL && i < sizeof blank / sizeof *blank; i++) {
        why = has_beside(text, blank[i]) ? "has a no-break space: take it out of the table" : NULL;
    }
    why = why == NULL ? no_plain_sign(text) : why;
    why = why == NULL && hb_csv_is_infinite(text) ? "is infinite" : why;
    for (int i = 0; why == NULL && decimal == 0 && i < 2; i++) {
        const hb_csv_text usual = hb_csv_usual_number(i == 0 ? '.' : ',', text, room);
        const char *at = usual.text + (usual.length > 0 && (usual.text[0] == '-' || usual.text[0] == '+'));
        if (usual.length > 0 && at < usual.text + usual.length && *at >= '0' && *at <= '9' &&
            (is_fraction(usual.text, usual.text + usual.length) ||
             skip_digits(at, usual.text + usual.length) == usual.text + usual.length)) {
            why = i == 0 ? "has commas between thousands (--decimal point reads it)"
                         : "has points between thousands (--decimal comma reads it)";
        }
    }
    hb_wipe(room, sizeof room); /* plaintext */
    return why;
}

const char *hb_csv_place_text(char out[HB_CSV_PLACE], hb_csv_place place)
{
    const int length = snprintf(out, HB_CSV_PLACE, "row %" PRIu64, place.row);
    if (place.line > 0) {
        snprintf(out + length, HB_CSV_PLACE - (size_t)length, " (line %" PRIu64 ")", place.line);
    }
    return out;
}

/* 0 where it is negative, as a number is then no larger than its digits say. */
static size_t exponent_of(const char *at, const char *end)
{
    size_t exponent = 0;
    while (at < end && *at != 'e' && *at != 'E') {
        at++;
    }
    for (at += end - at > 1 && at[1] == '+' ? 2 : 1; at < end && *at >= '0' && *at <= '9'; at++) {
        exponent = exponent < HB_CSV_DIGITS_MOST ? 10 * exponent + (size_t)(*at - '0') : exponent;
    }
    return exponent;
}

size_t hb_csv_whole_digits(const hb_csv_text *text)
{
    const char *at = text->text, *end = at + text->length;
    at += at < end && (*at == '-' || *at == '+');
    const size_t digits = (size_t)(skip_digits(at, end) - at) + exponent_of(at, end);
    return digits < HB_CSV_DIGITS_MOST ? digits : HB_CSV_DIGITS_MOST;
}

const char *hb_csv_no_number(const hb_csv_text *text, hb_cell_type cells, char decimal)
{
    char room[HB_CSV_NUMBER_TEXT];
    const hb_csv_text usual = hb_csv_usual_number(decimal, text, room);
    const char *at = text->text, *end = at + text->length;
    const bool fraction = is_fraction(usual.text, usual.text + usual.length);
    const char *why = fraction ? no_fraction(&usual, cells) : NULL;
    hb_wipe(room, sizeof room); /* plaintext */
    /* The likeliest reasons first. */
    why = why == NULL ? no_plain_number(text, decimal) : why;
    if (why == NULL && decimal != 0 && is_fraction(at, end)) {
        why = decimal == ',' ? "has a point where --decimal comma wants a comma"
                             : "has a comma where --decimal point wants a point";
    }
    bool letter = false, control = false;
    for (; why == NULL && at < end; at++) {
        const unsigned char c = (unsigned char)*at;
        control |= c < 0x20 || c == 0x7f;
        letter |= (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
    }
    if (why != NULL) {
        return why;
    }
    if (control) {
        return "has a control character";
    }
    if (letter) {
        return has_unit(text)
                   ? "has a unit behind its number: write the number alone, and the unit in the column's name"
                   : HB_CSV_LETTERS;
    }
    return cells == HB_CELL_REAL ? HB_CSV_ODD_SIGNS "number has" : HB_CSV_ODD_SIGNS "integer has";
}

const char *hb_csv_no_decimal(const hb_csv_text *text, char decimal)
{
    char room[HB_CSV_NUMBER_TEXT];
    const hb_csv_text usual = hb_csv_usual_number(decimal, text, room);
    const char *at = usual.text, *end = at + usual.length;
    const bool number = is_fraction(at, end) && memchr(at, ',', usual.length) == NULL && !is_cut_short(at, end);
    hb_wipe(room, sizeof room); /* plaintext */
    return number ? "is no decimal" : hb_csv_no_number(text, HB_CELL_REAL, decimal);
}

/* Whether three numbers with one sign between them are as long as those of a date; a form says their order. */
static bool is_date(const char *form, const int64_t digits[3])
{
    bool same = true;
    for (int i = 0; i < 3; i++) {
        same = same && (form[2 * i] == 'y' ? digits[i] == 4 : digits[i] == 1 || digits[i] == 2);
    }
    return same;
}

/* Whether a day and a month are these two numbers of a text, in any order. */
static bool has_day_and_month(const char *at, const int64_t digits[2])
{
    int value[2] = {0};
    for (int i = 0; i < 2; i++, at++) {
        for (int64_t d = 0; d < digits[i]; d++) {
            value[i] = digits[i] <= 2 ? 10 * value[i] + (*at - '0') : 0;
            at++;
        }
    }
    const int least = value[0] < value[1] ? value[0] : value[1], most = value[0] < value[1] ? value[1] : value[0];
    return least >= 1 && least <= 12 && most <= 31;
}

/* Whether three numbers are a day whose year has two digits, in front or behind. */
static bool has_short_year(const char *at, const int64_t digits[3])
{
    const bool front = digits[0] == 2 && has_day_and_month(at + 3, digits + 1);
    return front || (digits[2] == 2 && has_day_and_month(at, digits));
}

/* Finds the one order that makes a day of the text, with this sign between numbers; "" where none or several do. */
static void find_order(const hb_csv_text *text, char sign, char order[HB_CSV_ORDER])
{
    static const char *const orders[] = {"y-m-d", "d-m-y", "m-d-y"};
    int64_t days;
    int count = 0;
    order[0] = '\0';
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        char form[HB_CSV_ORDER];
        memcpy(form, orders[i], sizeof form);
        form[1] = form[3] = sign;
        if (hb_date_parse_as(form, text->text, text->length, &days)) {
            memcpy(order, form, sizeof form);
            count++;
        }
    }
    order[0] = count == 1 ? order[0] : '\0'; /* 03.04.2024 may be two days */
}

const char *hb_csv_no_date(const hb_csv_text *text, const char *form, char order[HB_CSV_ORDER])
{
    const char *at = text->text, *end = at + text->length, *wanted = form[0] != '\0' ? form : "y-m-d";
    const char sign = wanted[1];
    char found = '\0';
    int64_t digits[3] = {0};
    order[0] = '\0';
    for (int i = 0; i < 3; i++) {
        const char *from = at;
        at = skip_digits(at, end);
        digits[i] = at - from;
        if (i < 2 && (at == end || strchr("./-", *at) == NULL || (i == 1 && *at != found))) {
            return NULL;
        }
        found = i < 2 ? *at++ : found;
    }
    if (at < end && *at != ' ' && *at != 'T') {
        return NULL;
    }
    if (!is_date("y-m-d", digits) && !is_date("d-m-y", digits)) {
        return has_short_year(text->text, digits) ? HB_CSV_SHORT_YEAR : NULL;
    }
    const hb_csv_text day = {text->text, hb_csv_day_bytes(text), false};
    find_order(&day, found, order);
    if (found != sign || !is_date(wanted, digits)) {
        return hb_csv_another_order;
    }
    int64_t days;
    return day.length < text->length && hb_date_parse_as(wanted, day.text, day.length, &days)
               ? "it has a time of day (--time-of-day drop reads the day alone; seconds, minutes or hours read it)"
           : at < end         ? "there is no such day, or something stands behind it"
           : order[0] == '\0' ? "there is no such day"
                              : hb_csv_another_order;
}

/* Writes a number as it is usual, with a point and nothing between thousands. Returns its length; 0: it is no number
 * that is written so. */
static size_t usual_number(char decimal, const hb_csv_text *text, char out[HB_CSV_NUMBER_TEXT])
{
    const char thousands = decimal == ',' ? '.' : ',';
    size_t to = 0, digits = 0;
    bool grouped = false, whole = true;
    if (text->length >= HB_CSV_NUMBER_TEXT) {
        return 0;
    }
    for (size_t i = 0; i < text->length; i++) {
        const char c = text->text[i];
        const bool sign = whole && (c == thousands || c == decimal);
        const bool exponent = whole && (c == 'e' || c == 'E');
        if (((sign || exponent) && grouped && digits != 3) ||
            (c == thousands && (!whole || digits == 0 || digits > 3))) {
            return 0; /* thousands have three digits, and stand before the fraction */
        }
        if (c == thousands && !grouped && out[to - digits] == '0') {
            return 0; /* 0.123 is a fraction, whatever the sign is said to be */
        }
        grouped = grouped || (whole && c == thousands);
        digits = sign ? 0 : digits + (c >= '0' && c <= '9');
        whole = whole && c != decimal && c != 'e' && c != 'E';
        if (c != thousands) {
            out[to++] = c == decimal ? '.' : c;
        }
    }
    return whole && grouped && digits != 3 ? 0 : to;
}

hb_csv_text hb_csv_usual_number(char decimal, const hb_csv_text *text, char room[HB_CSV_NUMBER_TEXT])
{
    return decimal == 0 ? *text : (hb_csv_text){room, usual_number(decimal, text, room), text->quoted};
}

const char *hb_csv_charset_advice(const char *text, size_t length)
{
    bool windows = false;
    for (size_t i = 0; i < length; i++) {
        windows = windows || ((unsigned char)text[i] >= 0x80 && (unsigned char)text[i] < 0xa0);
    }
    return windows ? "this is likely Windows-1252: --charset windows-1252 reads it"
                   : "this is likely Latin-1: --charset latin-1 reads it";
}

/* A date of another order than is read, `form`; others of the column may be of that. */
static void describe_order(const hb_csv_column *column, const char *form, char *out, size_t bytes)
{
    const hb_csv_shown *shown = &column->shown;
    const char *other = shown->wrong.order;
    const bool others = shown->count[column->guessed ? HB_CSV_IS_DATE : HB_CSV_IS_NUMBER] > 0;
    char helps[64] = "; --date-format says which it is, as d.m.y";
    if (others) {
        snprintf(helps, sizeof helps, ", as that of others is: write all alike");
    } else if (other[0] != '\0') {
        snprintf(helps, sizeof helps, ": --date-format %s reads it", other);
    } else if (form[0] != '\0') {
        helps[0] = '\0';
    }
    snprintf(out, bytes, "the field is no date: its order is not %s%s", form[0] != '\0' ? form : "YYYY-MM-DD", helps);
}

void hb_csv_describe_wrong(const hb_csv_column *column, hb_cell_type cells, const char *form, char *out, size_t bytes)
{
    const hb_csv_shown *shown = &column->shown;
    const bool real = cells == HB_CELL_REAL;
    const char *type = real ? "a number" : "an integer";
    const hb_csv_cell *wrong = &shown->wrong;
    if (shown->count[HB_CSV_IS_WRONG] == 0) {
        snprintf(out, bytes, "the field is not %s, where others are", type);
    } else if (wrong->why == hb_csv_another_order) {
        describe_order(column, form, out, bytes);
    } else if (wrong->day) {
        snprintf(out, bytes, "the field is no %s: %s", wrong->time ? "time" : "date", wrong->why);
    } else if (wrong->why != NULL && (!column->guessed || column->collects || wrong->fault == HB_CSV_UNHELD)) {
        snprintf(out, bytes, "the field %s", wrong->why);
    } else if (wrong->why != NULL) {
        snprintf(out, bytes, "the field is not %s: it %s", type, wrong->why);
    } else {
        snprintf(out, bytes, "the %s",
                 real                    ? "number is too large for a double"
                 : cells == HB_CELL_WIDE ? "integer does not fit in 128 bits"
                                         : "integer does not fit in 64 bits");
    }
}
