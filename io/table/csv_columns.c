#include "csv_columns.h"

#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/seed.h"
#include "io/base/utf8.h"
#include "table_private.h"

/* Texts of columns that are not said to be categories, as far as anyone would make one of them. */
enum { SOME_TEXTS = 100, MOST_DIGITS = 18 };

/* A text of a set, with its bytes behind it and a zero. */
typedef struct element {
    hb_csv_text text;
    char bytes[];
} element;

static int compare(const void *x, const void *y)
{
    const hb_csv_text *a = x, *b = y;
    const int order = memcmp(a->text, b->text, a->length < b->length ? a->length : b->length);
    return order != 0 ? order : (a->length > b->length) - (a->length < b->length);
}

static bool is_label(const hb_csv_text *text)
{
    char copy[HB_LABEL_MAX + 1];
    if (text->length == 0 || text->length > HB_LABEL_MAX || hb_has_control(text->text, text->length)) {
        return false;
    }
    memcpy(copy, text->text, text->length);
    copy[text->length] = '\0';
    return hb_is_utf8(copy);
}

static hb_status add_text(hb_csv_set *set, const hb_csv_text *text, uint64_t most)
{
    if (set->full || tfind(text, &set->root, compare) != NULL) {
        return HB_OK;
    }
    set->odd = set->odd || !is_label(text);
    if (set->count == most || set->odd) {
        set->full = true;
        return HB_OK;
    }
    element *made = malloc(sizeof *made + text->length + 1);
    if (made == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the labels of a column");
    }
    memcpy(made->bytes, text->text, text->length);
    made->bytes[text->length] = '\0';
    made->text = (hb_csv_text){made->bytes, text->length};
    if (tsearch(made, &set->root, compare) == NULL) {
        free(made);
        return HB_FAIL(HB_ENOMEM, "no memory for the labels of a column");
    }
    set->count++;
    return HB_OK;
}

static void free_element(void *of)
{
    element *text = of;
    hb_wipe(text->bytes, text->text.length);
    free(text);
}

void hb_csv_column_clear(hb_csv_column *column)
{
    tdestroy(column->shown.texts.root, free_element);
    hb_wipe(column, sizeof *column);
}

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

/* Says what keeps a text from being a number of this type, and nothing of what is in it: it is plaintext, and messages
 * end in logs. */
static const char *describe(const char *at, const char *end, hb_cell_type cells)
{
    /* The likeliest reasons first. */
    if (is_fraction(at, end)) {
        if (cells == HB_CELL_REAL || memchr(at, ',', (size_t)(end - at)) != NULL) {
            return is_cut_short(at, end) ? "has an exponent without digits" : "has a comma where a point should be";
        }
        return "has a decimal point or an exponent, and these parameters are for integers";
    }
    bool letter = false, control = false;
    for (; at < end; at++) {
        const unsigned char c = (unsigned char)*at;
        control |= c < 0x20 || c == 0x7f;
        letter |= (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
    }
    if (control) {
        return "has a control character";
    }
    if (letter) {
        return "has letters";
    }
    return cells == HB_CELL_REAL ? "has signs that no number has" : "has signs that no integer has";
}

static void set_wrong(hb_csv_cell *cell, const char *why)
{
    cell->kind = HB_CSV_IS_WRONG;
    cell->why = why;
}

static void set_integer(hb_csv_cell *cell, hb_csv_kind kind, int64_t value)
{
    cell->kind = kind;
    cell->number = (hb_csv_number){
        .magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value, .negative = value < 0, .real = (double)value};
}

/* A text that is no number of the type that is asked for, in a column of which nothing is said. */
static void guess(const hb_csv_context *context, hb_csv_fault fault, hb_csv_cell *cell)
{
    const hb_csv_text *text = &cell->text;
    bool truth, negative;
    int64_t days;
    uint64_t magnitude;
    if (hb_bool_parse(text->text, text->length, &truth)) {
        set_integer(cell, HB_CSV_IS_TRUTH, truth);
        return;
    }
    if (hb_date_parse(text->text, text->length, &days)) {
        set_integer(cell, HB_CSV_IS_DATE, days);
        return;
    }
    set_wrong(cell, fault == HB_CSV_NO_NUMBER ? describe(text->text, text->text + text->length, context->cells) : NULL);
    cell->fault = fault;
    const hb_decimal_fault decimal =
        hb_decimal_parse(text->text, text->length, MOST_DIGITS, &magnitude, &negative, &cell->needed);
    cell->fraction = context->cells != HB_CELL_REAL &&
                     (decimal == HB_DECIMAL_GOOD || (decimal == HB_DECIMAL_TOO_LARGE && fault == HB_CSV_NO_NUMBER));
}

/* A text of a column of which it is said what it means. */
static void understand(const hb_csv_column *column, const hb_meaning *meaning, hb_csv_cell *cell)
{
    static const char *const wrong[] = {[HB_MEANING_BOOL] = "is neither true nor false",
                                        [HB_MEANING_CATEGORY] = "is none of the labels of its category",
                                        [HB_MEANING_DATE] = "is no date, YYYY-MM-DD"};
    const hb_csv_text *text = &cell->text;
    int64_t number;
    if (column->collects) {
        cell->kind = HB_CSV_IS_LABEL;
    } else if (meaning->kind != HB_MEANING_NUMBER) {
        if (hb_meaning_read(meaning, text->text, text->length, &number)) {
            set_integer(cell, HB_CSV_IS_NUMBER, number);
        } else {
            set_wrong(cell, wrong[meaning->kind]);
        }
    } else {
        hb_csv_number *to = &cell->number;
        const hb_decimal_fault fault =
            hb_decimal_parse(text->text, text->length, hb_scale_digits(hb_meaning_scale(meaning)), &to->magnitude,
                             &to->negative, &cell->needed);
        to->real = (double)to->magnitude * (to->negative ? -1 : 1);
        cell->kind = HB_CSV_IS_NUMBER;
        if (fault == HB_DECIMAL_NO_NUMBER) {
            set_wrong(cell, "is no decimal");
        } else if (fault != HB_DECIMAL_GOOD) {
            set_wrong(cell, fault == HB_DECIMAL_TOO_FINE   ? "has more digits behind the point than its scale keeps"
                            : hb_meaning_is_plain(meaning) ? NULL
                                                           : "does not fit in 64 bits, times its scale");
            cell->fault = HB_CSV_TOO_LARGE;
            cell->fraction = fault == HB_DECIMAL_TOO_FINE;
        }
    }
}

/* Labels are looked for first: one may be called NA. */
static bool is_missing(const hb_csv_column *column, const hb_meaning *meaning, const hb_csv_text *text)
{
    uint64_t place;
    return hb_text_is_missing(text->text, text->length) &&
           !(meaning->labels != NULL && hb_labels_find(meaning->labels, text->text, text->length, &place) &&
             !column->collects);
}

void hb_csv_read_cell(hb_csv_context *context, const hb_csv_column *column, const hb_meaning *meaning, const char **at,
                      const char *end, hb_csv_cell *cell)
{
    const char *field = *at;
    *cell = (hb_csv_cell){.kind = HB_CSV_IS_NUMBER};
    const bool number = !column->collects && hb_meaning_is_plain(meaning), plain = number && !column->exact;
    hb_csv_fault fault = HB_CSV_NO_NUMBER;
    /* Decimals have 64 bits. */
    if (plain || (number && context->cells == HB_CELL_WIDE)) {
        const hb_csv_type type = {context->cells, context->delimiter};
        fault = hb_csv_parse_number(at, end, type, &cell->number);
        if (fault == HB_CSV_GOOD) {
            return;
        }
    } else {
        *at = hb_csv_field_end(field, end, context->delimiter);
    }
    if (!hb_csv_field_text(field, *at, context->delimiter, context->room, &cell->text)) {
        set_wrong(cell, "has a quote that is not closed, or quotes inside");
        return;
    }
    if (context->room != NULL && cell->text.text == context->room) {
        context->room += cell->text.length;
    }
    if (fault == HB_CSV_NO_MEMORY) {
        set_wrong(cell, NULL);
        cell->fault = fault;
    } else if (is_missing(column, meaning, &cell->text)) {
        cell->kind = HB_CSV_IS_MISSING;
    } else if (plain) {
        guess(context, fault, cell);
        if (!column->guessed && cell->kind != HB_CSV_IS_WRONG) {
            set_wrong(cell, describe(cell->text.text, cell->text.text + cell->text.length, context->cells));
        }
    } else {
        understand(column, meaning, cell);
    }
}

static void note_number(hb_csv_shown *shown, uint64_t row, const hb_csv_number *number)
{
    shown->is_complex = shown->is_complex || number->is_complex;
    if (number->negative && shown->negative == 0) {
        shown->negative = row + 1;
    }
    if (hb_csv_is_large(number) && shown->large == 0) {
        shown->large = row + 1;
    }
}

hb_status hb_csv_note_cell(hb_csv_column *column, uint64_t row, const hb_csv_cell *cell)
{
    hb_csv_shown *shown = &column->shown;
    shown->first[cell->kind] = shown->count[cell->kind]++ == 0 ? row + 1 : shown->first[cell->kind];
    if (cell->kind == HB_CSV_IS_NUMBER) {
        note_number(shown, row, &cell->number);
        return HB_OK;
    }
    if (cell->kind == HB_CSV_IS_DATE && cell->number.negative && shown->early == 0) {
        shown->early = row + 1;
    }
    if (cell->kind == HB_CSV_IS_WRONG) {
        if (shown->count[HB_CSV_IS_WRONG] == 1) {
            shown->wrong = *cell;
            shown->wrong.text = (hb_csv_text){NULL, 0};
            shown->fractions_only = true;
        }
        shown->fractions_only = shown->fractions_only && cell->fraction;
        shown->needed = cell->needed > shown->needed ? cell->needed : shown->needed;
    }
    if (cell->kind == HB_CSV_IS_MISSING && shown->count[HB_CSV_IS_MISSING] == 1) {
        shown->word = cell->text.length > 0;
    }
    if (cell->kind == HB_CSV_IS_MISSING || (cell->kind == HB_CSV_IS_WRONG && cell->text.text == NULL)) {
        return HB_OK;
    }
    return add_text(&shown->texts, &cell->text, column->collects ? HB_MOST_LABELS : SOME_TEXTS);
}

/* The labels of a set, in the order of their bytes and not of rows: that one would tell who comes first. */
typedef struct listing {
    const char **text;
    uint64_t count;
} listing;

static void list_text(const void *node, VISIT visit, void *context)
{
    listing *list = context;
    if (visit == postorder || visit == leaf) {
        list->text[list->count++] = (*(const element *const *)node)->text.text;
    }
}

static hb_status make_labels(hb_csv_column *column, hb_column *to)
{
    hb_csv_set *set = &column->shown.texts;
    if (column->missing == HB_MISSING_VALUE && column->shown.count[HB_CSV_IS_MISSING] > 0) {
        HB_TRY(add_text(set, &(hb_csv_text){column->replacement, strlen(column->replacement)}, HB_MOST_LABELS));
    }
    if (set->full) {
        return HB_FAIL(HB_EDATA, "column %.64s: %s", to->name,
                       set->odd ? "a label is longer than 255 bytes, no UTF-8, or has control characters"
                                : "more than 65536 labels are no category");
    }
    listing list = {.text = calloc((size_t)set->count + 1, sizeof *list.text)};
    if (list.text == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the labels of a column");
    }
    twalk_r(set->root, list_text, &list);
    const hb_status st =
        set->count == 0 ? HB_FAIL(HB_EDATA, "column %.64s has no labels: say them, --category NAME=LABEL,...", to->name)
                        : hb_labels_make(list.text, list.count, &to->meaning.labels);
    free(list.text);
    return st;
}

/* What is read in the place of a missing cell: what the same text would be as a field. */
static hb_status find_stand_in(const hb_csv_context *context, hb_csv_column *column, hb_column *to)
{
    if (column->missing != HB_MISSING_VALUE || column->shown.count[HB_CSV_IS_MISSING] == 0) {
        return HB_OK;
    }
    hb_csv_cell *cell = &column->stand_in;
    const char *text = column->replacement, *end = text + strlen(text);
    hb_csv_context own = *context;
    own.room = NULL;
    if (strpbrk(text, "\",;\t|") == NULL) {
        hb_csv_read_cell(&own, column, &to->meaning, &text, end, cell);
    } else {
        *cell = (hb_csv_cell){.text = {text, (size_t)(end - text)}};
        understand(column, &to->meaning, cell);
    }
    if (cell->kind != HB_CSV_IS_NUMBER || (cell->number.is_complex && context->cells != HB_CELL_REAL)) {
        char words[HB_MEANING_WORDS];
        hb_meaning_words(&to->meaning, words);
        return HB_FAIL(HB_EUSAGE,
                       "--missing: '%.64s' is no value of column %.64s, which has %s; say another for it, as %s",
                       column->replacement, to->name, words[0] != '\0' ? words : "numbers", "--missing COLUMN=VALUE");
    }
    cell->text = (hb_csv_text){NULL, 0};
    note_number(&column->shown, 0, &cell->number);
    return HB_OK;
}

hb_status hb_csv_decide(const hb_csv_context *context, hb_csv_column *column, hb_column *to, bool *readable)
{
    hb_csv_shown *shown = &column->shown;
    const uint64_t numbers = shown->count[HB_CSV_IS_NUMBER], truths = shown->count[HB_CSV_IS_TRUTH],
                   dates = shown->count[HB_CSV_IS_DATE];
    const bool mixed = (numbers > 0) + (truths > 0) + (dates > 0) > 1;
    *readable = shown->count[HB_CSV_IS_WRONG] == 0 && !mixed &&
                (column->missing != HB_MISSING_REFUSE || shown->count[HB_CSV_IS_MISSING] == 0);
    if (!*readable) {
        return HB_OK;
    }
    if (column->collects) {
        HB_TRY(make_labels(column, to));
        column->collects = false;
    } else if (truths > 0) {
        to->meaning.kind = HB_MEANING_BOOL;
    } else if (dates > 0) {
        to->meaning.kind = HB_MEANING_DATE;
    }
    column->guessed = false;
    HB_TRY(find_stand_in(context, column, to));
    to->is_signed = context->cells != HB_CELL_REAL && (shown->negative != 0 || shown->early != 0);
    to->halves = shown->is_complex ? HB_HALVES_COMPLEX : HB_HALVES_REAL;
    return HB_OK;
}
