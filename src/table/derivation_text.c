/* Derivations as options write them. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "derivation.h"

static const char blanks[] = " \t";
static const char functions[] = "bin(x, 0..17, 18..64, 65..), bin(x, 10), year(d), quarter(d), month(d), weekday(d), "
                                "hour(t), age(birth, 2026-11-28), days(from, to), age >= 65, x - y, x + y";

#define NO_MEMORY HB_FAIL(HB_ENOMEM, "no memory for --derive")

/* Where names end without quotes; in a difference they end at its sign, too. */
static const char of_others[] = " \t,()=<>!'", of_pairs[] = " \t,()=<>!'+-";

static bool is_sign(char c)
{
    return c == '+' || c == '-';
}

static void skip_blanks(const char **at)
{
    *at += strspn(*at, blanks);
}

static hb_status refuse(const hb_derivation *d, const char *why)
{
    return HB_FAIL(HB_EUSAGE, "--derive '%.120s': %s; it is NAME=FUNCTION, NAME=COMPARISON or NAME=DIFFERENCE, as %s",
                   d->text, why, functions);
}

/* Takes the name of a column from *at on: in double quotes, in which they are doubled, or up to one of `stops`. */
static hb_status take_name(const hb_derivation *d, const char **at, const char *stops, char **name)
{
    skip_blanks(at);
    const char *from = *at;
    const bool quoted = *from == '"';
    size_t length = 0;
    *name = calloc(1, strlen(from) + 1);
    if (*name == NULL) {
        return NO_MEMORY;
    }
    if (quoted) {
        for (from++; *from != '\0' && (*from != '"' || from[1] == '"'); from++) {
            from += *from == '"';
            (*name)[length++] = *from;
        }
        if (*from != '"') {
            return refuse(d, "a quote is not closed");
        }
        from++;
    } else {
        length = strcspn(from, stops);
        memcpy(*name, from, length);
        from += length;
    }
    *at = from;
    skip_blanks(at);
    return length > 0 && length <= HB_COLUMN_NAME_MAX ? HB_OK : refuse(d, "the name of a column is missing");
}

/* Appends a constant as it is: blanks in quotes belong to a label. */
static hb_status add_constant(hb_derivation *d, const char *from, size_t length)
{
    char **more = realloc(d->constant, (size_t)(d->constants + 1) * sizeof *more);
    d->constant = more != NULL ? more : d->constant;
    char *text = more != NULL ? strndup(from, length) : NULL;
    if (text == NULL) {
        return NO_MEMORY;
    }
    d->constant[d->constants++] = text;
    return length > 0 ? HB_OK : refuse(d, "a value is missing");
}

/* Appends a constant without quotes, and without the blanks behind it. */
static hb_status add_plain(hb_derivation *d, const char *from, size_t length)
{
    while (length > 0 && strchr(blanks, from[length - 1]) != NULL) {
        length--;
    }
    return add_constant(d, from, length);
}

static bool begins_constant(const char *at)
{
    return *at != '\0' && strchr("0123456789+-.", *at) != NULL;
}

/* The arguments behind the first one, up to the parenthesis. */
static hb_status take_arguments(hb_derivation *d, const char **at)
{
    while (**at == ',') {
        ++*at;
        skip_blanks(at);
        if ((d->kind == HB_DERIVED_AGE || d->kind == HB_DERIVED_DAYS) && !begins_constant(*at) &&
            d->source[1] == NULL) {
            HB_TRY(take_name(d, at, " \t,()", &d->source[1]));
            continue;
        }
        const size_t length = strcspn(*at, ",()");
        if (d->constants == HB_MOST_DERIVED_BINS) {
            return refuse(d, "there are too many bins");
        }
        HB_TRY(add_plain(d, *at, length));
        *at += length;
    }
    if (**at != ')' && **at != '\0') {
        return refuse(d, "a name with blanks stands in double quotes, as age(\"birth date\", 2024-12-31)");
    }
    return **at == ')' ? HB_OK : refuse(d, "a parenthesis is not closed");
}

static hb_status check_arguments(const hb_derivation *d)
{
    const uint64_t values = d->constants + (d->source[1] != NULL);
    if (d->kind == HB_DERIVED_BIN) {
        return values > 0 ? HB_OK : refuse(d, "bin needs a width, or bins");
    }
    if (d->kind == HB_DERIVED_AGE) {
        return values == 1 ? HB_OK : refuse(d, "age needs a birth date and one other date");
    }
    if (d->kind == HB_DERIVED_DAYS) {
        return values == 1 ? HB_OK : refuse(d, "days needs the column of a first date, and a later date");
    }
    return values == 0 ? HB_OK : refuse(d, "the function takes one column");
}

/* Refuses a function of a function, or of a difference, with the two options that do it: the inner one is the text
 * `from` .. `end`. */
static hb_status refuse_nested(const hb_derivation *d, const char *from, const char *end)
{
    while (end > from && strchr(blanks, end[-1]) != NULL) {
        end--;
    }
    const int inner = (int)(end - from), outer = (int)(from - d->text);
    return HB_FAIL(HB_EUSAGE,
                   "--derive '%.120s': functions do not nest: say two options, --derive 'inner=%.*s' --derive "
                   "'%.*sinner%.80s'",
                   d->text, inner < 80 ? inner : 80, from, outer < 80 ? outer : 80, d->text, end);
}

static hb_status take_function(hb_derivation *d, const char *word, const char **at)
{
    static const char *const names[] = {
        [HB_DERIVED_BIN] = "bin",     [HB_DERIVED_YEAR] = "year",       [HB_DERIVED_QUARTER] = "quarter",
        [HB_DERIVED_MONTH] = "month", [HB_DERIVED_WEEKDAY] = "weekday", [HB_DERIVED_HOUR] = "hour",
        [HB_DERIVED_AGE] = "age",     [HB_DERIVED_DAYS] = "days",       [HB_DERIVED_COMPARISON] = NULL};
    size_t i = 0;
    while (names[i] != NULL && strcmp(names[i], word) != 0) {
        i++;
    }
    if (names[i] == NULL) {
        char why[128];
        const char *near = hb_nearest(word, names);
        snprintf(why, sizeof why, "there is no function '%.32s'%s%s%s", word, near != NULL ? "; did you mean " : "",
                 near != NULL ? near : "", near != NULL ? "?" : "");
        return refuse(d, why);
    }
    d->kind = (hb_derived_kind)i;
    ++*at;
    skip_blanks(at);
    const char *argument = *at;
    HB_TRY(take_name(d, at, " \t,()", &d->source[0]));
    if (**at == '(') {
        const char *end = strchr(argument, ')');
        return refuse_nested(d, argument, end != NULL ? end + 1 : argument + strlen(argument));
    }
    if (is_sign(**at)) {
        return refuse_nested(d, argument, argument + strcspn(argument, ",)"));
    }
    HB_TRY(take_arguments(d, at));
    ++*at;
    return check_arguments(d);
}

/* Whether a text is a date or a time; one that does not exist, as 24:00, is none of the labels either. */
static bool is_moment(const char *text, size_t length)
{
    int64_t days;
    hb_time time;
    const hb_time_fault fault = hb_time_parse(NULL, text, length, &time);
    return hb_date_parse(text, length, &days) || (fault != HB_TIME_NO_TIME && fault != HB_TIME_NO_SUCH);
}

/* A label, a date, a time or a truth value in single quotes, in which they are doubled. */
static hb_status take_label(hb_derivation *d, const char **at)
{
    char *label = calloc(1, strlen(*at) + 1);
    const char *from = *at + 1;
    size_t length = 0;
    if (label == NULL) {
        return NO_MEMORY;
    }
    for (; *from != '\0' && (*from != '\'' || from[1] == '\''); from++) {
        from += *from == '\'';
        label[length++] = *from;
    }
    bool truth;
    d->quoted = !is_moment(label, length) && !hb_bool_parse(label, length, &truth);
    const hb_status st = *from == '\'' ? add_constant(d, label, length) : refuse(d, "a quote is not closed");
    free(label);
    *at = from + 1;
    return st;
}

/* Takes the second column of a difference or a sum. */
static hb_status take_pair(hb_derivation *d, const char **at)
{
    d->kind = **at == '-' ? HB_DERIVED_DIFFERENCE : HB_DERIVED_SUM;
    ++*at;
    skip_blanks(at);
    if (isdigit((unsigned char)**at)) {
        return refuse(d, "differences and sums are of two columns");
    }
    HB_TRY(take_name(d, at, of_pairs, &d->source[1]));
    return is_sign(**at) ? refuse(d, "differences and sums are of two columns: make one of two, and one of that")
                         : HB_OK;
}

static hb_status take_comparison(hb_derivation *d, const char **at)
{
    static const struct {
        const char *sign;
        unsigned comparison;
    } signs[] = {{"==", HB_DERIVED_EQUAL},
                 {"!=", HB_DERIVED_LESS | HB_DERIVED_GREATER},
                 {"<=", HB_DERIVED_LESS | HB_DERIVED_EQUAL},
                 {">=", HB_DERIVED_GREATER | HB_DERIVED_EQUAL},
                 {"<", HB_DERIVED_LESS},
                 {">", HB_DERIVED_GREATER}};
    for (size_t i = 0; i < sizeof signs / sizeof *signs && d->comparison == 0; i++) {
        const size_t length = strlen(signs[i].sign);
        if (strncmp(*at, signs[i].sign, length) == 0) {
            d->comparison = signs[i].comparison;
            *at += length;
        }
    }
    if (d->comparison == 0) {
        return refuse(d, "there is no function, no comparison and no difference of columns");
    }
    d->kind = HB_DERIVED_COMPARISON;
    skip_blanks(at);
    const size_t length = strlen(*at);
    if (**at == '\'') {
        return take_label(d, at);
    }
    if (!begins_constant(*at) && strcmp(*at, "true") != 0 && strcmp(*at, "false") != 0) {
        return take_name(d, at, of_others, &d->source[1]);
    }
    HB_TRY(add_plain(d, *at, length));
    *at += length;
    return HB_OK;
}

/* Whether there is no parenthesis and no comparison outside of quotes: a sign stands between columns then, else it may
 * belong to a name. */
static bool is_pair(const char *at)
{
    bool quoted = false;
    for (; *at != '\0' && (quoted || strchr("()=<>!'", *at) == NULL); at++) {
        quoted = quoted != (*at == '"');
    }
    return *at == '\0';
}

/* A comparison; one of a difference is refused, with the two options that do it. */
static hb_status take_operator(hb_derivation *d, const char *from, const char **at)
{
    if (!is_sign(**at)) {
        return take_comparison(d, at);
    }
    return is_pair(from) ? take_pair(d, at) : refuse_nested(d, from, from + strcspn(from, "()=<>!"));
}

static hb_status parse(hb_derivation *d)
{
    const char *at = d->text;
    char *word = NULL;
    HB_TRY(take_name(d, &at, of_others, &d->name));
    if (*at != '=' || at[1] == '=') {
        return refuse(d, "the = behind the name of the column is missing");
    }
    at++;
    skip_blanks(&at);
    const char *from = at;
    hb_status st = take_name(d, &at, is_pair(at) ? of_pairs : of_others, &word);
    if (st == HB_OK && *at == '(') {
        st = take_function(d, word, &at);
        free(word);
    } else {
        d->source[0] = word;
        st = st == HB_OK ? take_operator(d, from, &at) : st;
    }
    HB_TRY(st);
    skip_blanks(&at);
    return *at == '\0' ? HB_OK
                       : refuse(d, d->kind >= HB_DERIVED_COMPARISON ? "unexpected text after the comparison"
                                                                    : "unexpected text after the parenthesis");
}

hb_status hb_derivations_parse(const char *const *texts, size_t count, hb_derivations *out)
{
    *out = (hb_derivations){calloc(count + 1, sizeof *out->item), 0};
    if (out->item == NULL) {
        return NO_MEMORY;
    }
    while (out->count < count) {
        hb_derivation *d = &out->item[out->count];
        d->text = strdup(texts[out->count++]);
        if (d->text == NULL) {
            return NO_MEMORY;
        }
        HB_TRY(parse(d));
        for (const hb_derivation *other = out->item; other < d; other++) {
            if (strcmp(other->name, d->name) == 0) {
                return refuse(d, "the column is given twice");
            }
        }
    }
    return HB_OK;
}

void hb_derivations_clear(hb_derivations *derivations)
{
    for (size_t i = 0; i < derivations->count; i++) {
        hb_derivation *d = &derivations->item[i];
        for (uint64_t c = 0; c < d->constants; c++) {
            free(d->constant[c]);
        }
        free(d->constant);
        free(d->text);
        free(d->name);
        free(d->source[0]);
        free(d->source[1]);
    }
    free(derivations->item);
    *derivations = (hb_derivations){.count = 0};
}
