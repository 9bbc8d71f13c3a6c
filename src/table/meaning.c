#include "meaning.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "alike.h"
#include "schema.h"
#include "utf8.h"

/* Labels in memory: the list that others see comes first. */
typedef struct owned_labels {
    hb_labels list;
    atomic_uint owners;
    hb_folds folds; /* of labels that fold */
    const char **text;
    uint64_t *sorted; /* [count] places, in the order of their labels */
    char *bytes;      /* of all labels, each with its zero */
} owned_labels;

static void labels_free(owned_labels *labels)
{
    if (labels != NULL) {
        hb_folds_clear(&labels->folds);
        free(labels->text);
        free(labels->sorted);
        free(labels->bytes);
        free(labels);
    }
}

/* Compares a label with a text that does not end in a zero, and may have some within. */
static int compare_text(const char *label, const char *text, size_t length)
{
    const size_t own = strlen(label);
    const int order = memcmp(label, text, own < length ? own : length);
    return order != 0 ? order : (own > length) - (own < length);
}

static int compare_places(const void *x, const void *y, void *context)
{
    const char *const *text = context;
    return strcmp(text[*(const uint64_t *)x], text[*(const uint64_t *)y]);
}

static hb_status check_labels(const char *const *text, uint64_t count, size_t *bytes)
{
    if (count == 0 || count > HB_MOST_LABELS) {
        return HB_FAIL(HB_EDATA, "a category has 1 to %" PRIu64 " labels, not %" PRIu64, HB_MOST_LABELS, count);
    }
    *bytes = 0;
    for (uint64_t i = 0; i < count; i++) {
        const size_t length = strlen(text[i]);
        const char *wrong = length == 0                       ? "is empty"
                            : length > HB_LABEL_MAX           ? "is longer than 255 bytes"
                            : !hb_is_utf8(text[i])            ? "is no UTF-8: iconv turns other encodings into it"
                            : hb_has_control(text[i], length) ? "has control characters"
                                                              : NULL;
        if (wrong != NULL) {
            return HB_FAIL(HB_EDATA, "label %" PRIu64 " of a category %s", i + 1, wrong);
        }
        *bytes += length + 1;
    }
    return HB_OK;
}

static hb_status fill_labels(owned_labels *labels, const char *const *text, uint64_t count)
{
    char *to = labels->bytes;
    for (uint64_t i = 0; i < count; i++) {
        labels->text[i] = to;
        labels->sorted[i] = i;
        to = stpcpy(to, text[i]) + 1;
    }
    qsort_r(labels->sorted, (size_t)count, sizeof *labels->sorted, compare_places, labels->text);
    for (uint64_t i = 1; i < count; i++) {
        if (compare_places(&labels->sorted[i - 1], &labels->sorted[i], labels->text) == 0) {
            return HB_FAIL(HB_EDATA, "two labels of a category are the same, one of them number %" PRIu64,
                           labels->sorted[i] + 1);
        }
    }
    labels->list = (hb_labels){count, labels->text, false};
    labels->owners = 1;
    return HB_OK;
}

static hb_status make_folds(owned_labels *labels)
{
    const uint64_t count = labels->list.count;
    HB_TRY(hb_folds_make(labels->text, NULL, count, &labels->folds));
    for (uint64_t i = 0, place = 0; i < count; i++) {
        (void)hb_folds_find(&labels->folds, labels->text[i], strlen(labels->text[i]), &place);
        if (place != i) {
            return HB_FAIL(HB_EDATA, "labels %" PRIu64 " and %" PRIu64 " of a category are one, folded", place + 1,
                           i + 1);
        }
    }
    labels->list.folds = true;
    return HB_OK;
}

static hb_status make(const char *const *text, uint64_t count, bool folds, const hb_labels **out)
{
    size_t bytes = 0;
    HB_TRY(check_labels(text, count, &bytes));
    owned_labels *labels = calloc(1, sizeof *labels);
    if (labels != NULL) {
        labels->text = calloc((size_t)count, sizeof *labels->text);
        labels->sorted = calloc((size_t)count, sizeof *labels->sorted);
        labels->bytes = malloc(bytes);
    }
    if (labels == NULL || labels->text == NULL || labels->sorted == NULL || labels->bytes == NULL) {
        labels_free(labels);
        return HB_FAIL(HB_ENOMEM, "no memory for %" PRIu64 " labels", count);
    }
    hb_status st = fill_labels(labels, text, count);
    st = st == HB_OK && folds ? make_folds(labels) : st;
    if (st != HB_OK) {
        labels_free(labels);
        return st;
    }
    *out = &labels->list;
    return HB_OK;
}

hb_status hb_labels_make(const char *const *text, uint64_t count, const hb_labels **out)
{
    return make(text, count, false, out);
}

hb_status hb_labels_make_folded(const char *const *text, uint64_t count, const hb_labels **out)
{
    return make(text, count, true, out);
}

bool hb_labels_find(const hb_labels *list, const char *text, size_t length, uint64_t *place)
{
    const owned_labels *labels = (const owned_labels *)list;
    uint64_t low = 0, high = list->count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        const int order = compare_text(labels->text[labels->sorted[middle]], text, length);
        if (order == 0) {
            *place = labels->sorted[middle];
            return true;
        }
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    return list->folds && hb_folds_find(&labels->folds, text, length, place);
}

bool hb_labels_same_text(const hb_labels *a, uint64_t i, const hb_labels *b, uint64_t j)
{
    return strcmp(a->text[i], b->text[j]) == 0 ||
           ((a->folds || b->folds) && hb_folds_compare(a->text[i], b->text[j]) == 0);
}

hb_meaning hb_meaning_share(const hb_meaning *meaning)
{
    if (meaning->labels != NULL) {
        /* The text never changes: only the number of its owners does. */
        atomic_fetch_add(&((owned_labels *)(uintptr_t)meaning->labels)->owners, 1);
    }
    return *meaning;
}

void hb_meaning_clear(hb_meaning *meaning)
{
    owned_labels *labels = (owned_labels *)(uintptr_t)meaning->labels;
    if (labels != NULL && atomic_fetch_sub(&labels->owners, 1) == 1) {
        labels_free(labels);
    }
    *meaning = (hb_meaning){0};
}

static bool same_labels(const hb_labels *a, const hb_labels *b)
{
    uint64_t i = 0;
    while (i < a->count && i < b->count && hb_labels_same_text(a, i, b, i)) {
        i++;
    }
    return i == a->count && i == b->count;
}

bool hb_meaning_same(const hb_meaning *a, const hb_meaning *b)
{
    if (a->kind == HB_MEANING_CATEGORY && b->kind == HB_MEANING_CATEGORY && a->labels != b->labels) {
        return same_labels(a->labels, b->labels);
    }
    return hb_meaning_code(a) == hb_meaning_code(b) && hb_meaning_scale(a) == hb_meaning_scale(b);
}

uint64_t hb_scale_of_digits(int digits)
{
    static const uint64_t scale[HB_MOST_SCALE_DIGITS + 1] = {1,
                                                             10,
                                                             100,
                                                             1000,
                                                             UINT64_C(10000),
                                                             UINT64_C(100000),
                                                             UINT64_C(1000000),
                                                             UINT64_C(10000000),
                                                             UINT64_C(100000000),
                                                             UINT64_C(1000000000),
                                                             UINT64_C(10000000000),
                                                             UINT64_C(100000000000),
                                                             UINT64_C(1000000000000),
                                                             UINT64_C(10000000000000),
                                                             UINT64_C(100000000000000),
                                                             UINT64_C(1000000000000000),
                                                             UINT64_C(10000000000000000),
                                                             UINT64_C(100000000000000000),
                                                             HB_MOST_SCALE};
    return scale[digits];
}

int hb_scale_digits(uint64_t scale)
{
    int digits = 0;
    while (digits <= HB_MOST_SCALE_DIGITS && hb_scale_of_digits(digits) != scale) {
        digits++;
    }
    return digits <= HB_MOST_SCALE_DIGITS ? digits : -1;
}

bool hb_meaning_is_possible(const hb_meaning *meaning)
{
    const bool scaled = meaning->kind == HB_MEANING_NUMBER ? hb_scale_digits(hb_meaning_scale(meaning)) >= 0
                                                           : hb_meaning_scale(meaning) == 1;
    const bool time = meaning->kind == HB_MEANING_TIME, span = meaning->kind == HB_MEANING_NUMBER;
    const bool counted = meaning->unit == HB_TIME_NONE
                             ? !time
                             : (time || (span && hb_meaning_scale(meaning) == 1)) && meaning->unit <= HB_TIME_HOURS;
    return meaning->kind <= HB_MEANING_TIME && scaled && counted && (time || !meaning->zoned) &&
           (meaning->labels != NULL) == (meaning->kind == HB_MEANING_CATEGORY);
}

/* Whether a label needs quotes to stand in a list with commas. */
static bool needs_quotes(const char *label)
{
    return strpbrk(label, ",\"") != NULL || label[0] == ' ' || label[strlen(label) - 1] == ' ';
}

/* Lists labels up to the end of the room, which has a zero behind the last one. */
static void list_labels(const hb_labels *labels, char *room, size_t bytes)
{
    size_t at = 0;
    for (uint64_t i = 0; i < labels->count; i++) {
        const char *quote = needs_quotes(labels->text[i]) ? "\"" : "";
        const size_t length = strlen(labels->text[i]) + 2 + 2 * strlen(quote);
        if (at + length + sizeof ", ..." > bytes) {
            snprintf(room + at, bytes - at, "%s...", i > 0 ? ", " : "");
            return;
        }
        at += (size_t)snprintf(room + at, bytes - at, "%s%s%s%s", i > 0 ? ", " : "", quote, labels->text[i], quote);
    }
}

void hb_meaning_words(const hb_meaning *meaning, char words[HB_MEANING_WORDS])
{
    words[0] = '\0';
    if (meaning->kind == HB_MEANING_BOOL) {
        snprintf(words, HB_MEANING_WORDS, "true or false");
    } else if (meaning->kind == HB_MEANING_DATE) {
        snprintf(words, HB_MEANING_WORDS, "dates");
    } else if (meaning->kind == HB_MEANING_TIME) {
        snprintf(words, HB_MEANING_WORDS, "times in %s%s", hb_time_unit_name(meaning->unit),
                 meaning->zoned ? ", UTC" : "");
    } else if (meaning->kind == HB_MEANING_CATEGORY) {
        const int head = snprintf(words, HB_MEANING_WORDS, "%" PRIu64 " label%s%s: ", meaning->labels->count,
                                  meaning->labels->count == 1 ? "" : "s", meaning->labels->folds ? ", folded" : "");
        list_labels(meaning->labels, words + head, HB_MEANING_WORDS - (size_t)head);
    } else if (hb_meaning_scale(meaning) > 1) {
        const int digits = hb_scale_digits(meaning->scale);
        snprintf(words, HB_MEANING_WORDS, "decimals, %d digit%s", digits, digits == 1 ? "" : "s");
    } else if (meaning->unit != HB_TIME_NONE) {
        snprintf(words, HB_MEANING_WORDS, "%s", hb_time_unit_name(meaning->unit));
    }
}

bool hb_meaning_read(const hb_meaning *meaning, const char *text, size_t length, int64_t *number)
{
    uint64_t magnitude;
    bool value, negative;
    hb_time time;
    switch (meaning->kind) {
    case HB_MEANING_BOOL:
        if (length == 1 && (text[0] == '0' || text[0] == '1')) {
            *number = text[0] - '0';
            return true;
        }
        if (!hb_bool_parse(text, length, &value)) {
            return false;
        }
        *number = value;
        return true;
    case HB_MEANING_CATEGORY:
        if (!hb_labels_find(meaning->labels, text, length, &magnitude)) {
            return false;
        }
        *number = (int64_t)magnitude;
        return true;
    case HB_MEANING_DATE:
        return hb_date_parse(text, length, number);
    case HB_MEANING_TIME:
        return hb_time_parse(NULL, text, length, &time) == HB_TIME_GOOD && time.zoned == meaning->zoned &&
               hb_time_count(&time, meaning->unit, number);
    case HB_MEANING_NUMBER:
        break;
    }
    const int digits = hb_scale_digits(hb_meaning_scale(meaning));
    if (hb_decimal_parse(text, length, digits, &magnitude, &negative, NULL) != HB_DECIMAL_GOOD ||
        magnitude > INT64_MAX) {
        return false;
    }
    *number = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return true;
}

/* A text that is no time of a column, which has an example of one in the message. */
static hb_status refuse_time(const hb_column *column, const char *text, int shown)
{
    const hb_meaning *meaning = &column->meaning;
    const char *unit = hb_time_unit_name(meaning->unit), *name = column->name;
    hb_time time;
    int64_t number;
    char room[HB_MEANING_TEXT];
    const hb_time_fault fault = hb_time_parse(NULL, text, (size_t)shown, &time);
    (void)hb_moment_text(meaning, 1709283600 / hb_time_unit_seconds(meaning->unit), room); /* 2024-03-01T09:00 */
    if (fault == HB_TIME_GOOD && time.zoned != meaning->zoned) {
        return HB_FAIL(HB_EUSAGE, "'%.*s' has %s zone, and the times of %.64s have %s: write it as '%s'", shown, text,
                       time.zoned ? "a" : "no", name, time.zoned ? "none" : "one", room);
    }
    if (fault == HB_TIME_GOOD && !hb_time_count(&time, meaning->unit, &number)) {
        return HB_FAIL(HB_EUSAGE, "'%.*s' is no whole number of %s, in which %.64s has its times", shown, text, unit,
                       name);
    }
    const bool date = fault == HB_TIME_NO_TIME && hb_date_parse(text, (size_t)shown, &number);
    return HB_FAIL(HB_EUSAGE, "'%.*s' is %s: %.64s has times in %s, as '%s'", shown, text,
                   date                       ? "a date"
                   : fault == HB_TIME_24      ? "no time, as 24:00 is 00:00 of the next day"
                   : fault == HB_TIME_LEAP    ? "a leap second, which is not counted"
                   : fault == HB_TIME_OUTSIDE ? "outside the years 1 to 9999"
                                              : "no time",
                   name, unit, room);
}

hb_status hb_meaning_number(const hb_column *column, const char *text, size_t length, int64_t *number)
{
    const hb_meaning *meaning = &column->meaning;
    if (hb_meaning_read(meaning, text, length, number)) {
        return HB_OK;
    }
    char words[HB_MEANING_WORDS];
    const int shown = length < 64 ? (int)length : 64;
    hb_meaning_words(meaning, words);
    switch (meaning->kind) {
    case HB_MEANING_CATEGORY:
        return HB_FAIL(HB_EUSAGE, "'%.*s' is no label of %.64s, which has %s", shown, text, column->name, words);
    case HB_MEANING_DATE:
        return HB_FAIL(HB_EUSAGE, "'%.*s' is no date: %.64s has dates, YYYY-MM-DD", shown, text, column->name);
    case HB_MEANING_TIME:
        return refuse_time(column, text, shown);
    case HB_MEANING_BOOL:
        return HB_FAIL(HB_EUSAGE, "'%.*s' is neither true nor false, which %.64s is", shown, text, column->name);
    case HB_MEANING_NUMBER:
        break;
    }
    return HB_FAIL(HB_EUSAGE, "'%.*s' is no number of %d digits behind the point, as those of %.64s", shown, text,
                   hb_scale_digits(hb_meaning_scale(meaning)), column->name);
}

/* A decimal without the zeros at its end, but for a whole number. */
static void decimal_text(uint64_t scale, bool negative, uint64_t magnitude, char room[HB_MEANING_TEXT])
{
    int digits = hb_scale_digits(scale);
    uint64_t whole = magnitude / scale, part = magnitude % scale;
    for (; digits > 0 && part % 10 == 0; digits--) {
        part /= 10;
    }
    const int head =
        snprintf(room, HB_MEANING_TEXT, "%s%" PRIu64, negative && magnitude > 0 ? "-" : "", whole); /* at most 21 */
    if (digits == 0) {
        return;
    }
    room[head] = '.';
    room[head + digits + 1] = '\0'; /* whole and part have at most 20 digits together */
    for (int i = digits; i > 0; i--, part /= 10) {
        room[head + i] = (char)('0' + part % 10);
    }
}

const char *hb_meaning_text(const hb_meaning *meaning, bool is_signed, uint64_t word, char room[HB_MEANING_TEXT])
{
    const bool negative = is_signed && word >> 63 != 0;
    switch (meaning->kind) {
    case HB_MEANING_BOOL:
        return word == 0 ? "false" : word == 1 ? "true" : NULL;
    case HB_MEANING_CATEGORY:
        return !negative && word < meaning->labels->count ? meaning->labels->text[word] : NULL;
    case HB_MEANING_DATE:
    case HB_MEANING_TIME:
        return (negative || word <= INT64_MAX) && hb_moment_text(meaning, (int64_t)word, room) ? room : NULL;
    case HB_MEANING_NUMBER:
        break;
    }
    decimal_text(hb_meaning_scale(meaning), negative, negative ? 0 - word : word, room);
    return room;
}
