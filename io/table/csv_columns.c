#include "csv_columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/seed.h"
#include "csv_reasons.h"
#include "table/utf8.h"
#include "table_private.h"

/* A text without the blanks at its ends, also those in quotes, and those at which no line breaks. */
static hb_csv_text trimmed(hb_csv_text text)
{
    static const char wide[] = "\xC2\xA0";
    const size_t length = strlen(wide);
    for (size_t some = 1; some > 0 && text.length > 0; text.text += some, text.length -= some) {
        some = text.text[0] == ' ' || text.text[0] == '\t'                     ? 1
               : text.length >= length && memcmp(text.text, wide, length) == 0 ? length
                                                                               : 0;
    }
    for (size_t some = 1; some > 0 && text.length > 0; text.length -= some) {
        const char *end = text.text + text.length;
        some = end[-1] == ' ' || end[-1] == '\t'                                  ? 1
               : text.length >= length && memcmp(end - length, wide, length) == 0 ? length
                                                                                  : 0;
    }
    return text;
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

/* Returns how a cell with a date is spelt, also where its time of day is left out. */
static hb_spellings date_cell_spelling(const hb_csv_context *context, const hb_csv_column *column,
                                       const hb_csv_text *text)
{
    const bool drops = column->times == HB_TIMES_DROPPED && hb_csv_day_bytes(text) < text->length;
    return hb_date_spelling(context->dialect.date, text->length) | (drops ? hb_spelt(HB_SPELT_NO_TIME) : 0);
}

/* Returns the bit of a number with other signs than digits, which --decimal explains; 0: it has none. */
static hb_spellings sign_spelling(const hb_csv_context *context, const hb_csv_text *text)
{
    size_t i = text->length > 0 && (text->text[0] == '-' || text->text[0] == '+');
    while (i < text->length && text->text[i] >= '0' && text->text[i] <= '9') {
        i++;
    }
    return context->dialect.decimal != 0 && i < text->length ? hb_spelt(HB_SPELT_SIGNS) : 0;
}

static bool read_date(const hb_csv_context *context, const hb_csv_column *column, const hb_csv_text *text,
                      int64_t *days)
{
    const char *form = context->dialect.date;
    const size_t length = column->times == HB_TIMES_DROPPED ? hb_csv_day_bytes(text) : text->length;
    return form[0] != '\0' ? hb_date_parse_as(form, text->text, length, days) : hb_date_parse(text->text, length, days);
}

static void set_time(const hb_csv_context *context, const hb_time *time, hb_time_unit unit, hb_csv_kind kind,
                     hb_csv_cell *cell)
{
    int64_t number;
    cell->unit = HB_TIME_HOURS;
    while (cell->unit > HB_TIME_SECONDS && !hb_time_count(time, cell->unit, &number)) {
        cell->unit--;
    }
    (void)hb_time_count(time, unit, &number);
    set_integer(cell, kind, number);
    cell->zoned = time->zoned;
    cell->spelling = hb_time_spelling(context->dialect.date, cell->text.text, cell->text.length, unit, time->zoned) |
                     hb_spelt(HB_SPELT_CLOCK);
}

static void set_no_time(hb_csv_cell *cell, const char *why)
{
    cell->day = cell->time = true;
    set_wrong(cell, why);
}

/* Reads a time of day behind a date, in a column of which no more is said than that it may have them. Returns false
 * where there is none. */
static bool guess_time(const hb_csv_context *context, const hb_csv_column *column, hb_csv_cell *cell)
{
    const hb_csv_text *text = &cell->text;
    const bool found = column->times == HB_TIMES_FOUND;
    const hb_time_unit unit = found ? HB_TIME_SECONDS : hb_times_unit(column->times);
    hb_time time;
    int64_t number;
    if (unit == HB_TIME_NONE || (found && read_date(context, column, text, &number))) {
        return false;
    }
    const hb_time_fault fault = hb_time_parse(context->dialect.date, text->text, text->length, &time);
    const char *no_date = fault != HB_TIME_GOOD ? hb_csv_no_date(text, context->dialect.date, cell->order) : NULL;
    if (fault == HB_TIME_NO_TIME || (fault != HB_TIME_GOOD && (no_date == NULL || no_date == hb_csv_another_order))) {
        return false;
    }
    if (fault == HB_TIME_GOOD && hb_time_count(&time, unit, &number)) {
        set_time(context, &time, unit, HB_CSV_IS_TIME, cell);
    } else {
        set_no_time(cell, hb_csv_no_time(fault, &time, unit));
    }
    return true;
}

/* Reads a time in a column of times. */
static void read_time(const hb_csv_context *context, const hb_meaning *meaning, hb_csv_cell *cell)
{
    const hb_csv_text *text = &cell->text;
    const char *form = context->dialect.date;
    hb_time time;
    int64_t number;
    const hb_time_fault fault = hb_time_parse(form, text->text, text->length, &time);
    const char *no_date = fault != HB_TIME_GOOD ? hb_csv_no_date(text, form, cell->order) : NULL;
    if (fault != HB_TIME_GOOD && no_date == NULL) {
        set_wrong(cell, "is no time, YYYY-MM-DDTHH:MM");
    } else if (no_date == hb_csv_another_order) {
        set_no_time(cell, no_date);
    } else if (fault == HB_TIME_NO_TIME) {
        set_no_time(cell, "it has no time of day, where the column has one, or something stands behind it");
    } else if (fault == HB_TIME_GOOD && time.zoned != meaning->zoned) {
        set_no_time(cell, time.zoned ? "it has a zone, where the column has none"
                                     : "it has no zone, where the column has one: write +02:00 or Z behind it");
    } else if (fault != HB_TIME_GOOD || !hb_time_count(&time, meaning->unit, &number)) {
        set_no_time(cell, hb_csv_no_time(fault, &time, meaning->unit));
    } else {
        set_time(context, &time, meaning->unit, HB_CSV_IS_NUMBER, cell);
    }
}

/* A text that is no number of the type that is asked for, in a column of which nothing is said. */
static void guess(const hb_csv_context *context, const hb_csv_column *column, hb_csv_fault fault, hb_csv_cell *cell)
{
    const hb_csv_text *text = &cell->text;
    bool truth, negative;
    int64_t days;
    uint64_t magnitude;
    if (hb_bool_parse(text->text, text->length, &truth)) {
        set_integer(cell, HB_CSV_IS_TRUTH, truth);
        cell->spelling = hb_truth_spelling(text->text, text->length);
        return;
    }
    if (guess_time(context, column, cell)) {
        return;
    }
    if (read_date(context, column, text, &days)) {
        set_integer(cell, HB_CSV_IS_DATE, days);
        cell->spelling = date_cell_spelling(context, column, text);
        if (column->timed) {
            set_no_time(cell, "it has no time of day, which --time-of-day wants in every cell of its column");
        }
        return;
    }
    const char *no_date = hb_csv_no_date(text, context->dialect.date, cell->order);
    cell->day = no_date != NULL;
    set_wrong(cell, cell->day                   ? no_date
                    : fault == HB_CSV_UNHELD    ? hb_table_unheld
                    : fault == HB_CSV_NO_NUMBER ? hb_csv_no_number(text, context->cells, context->dialect.decimal)
                                                : NULL);
    cell->fault = fault;
    char room[HB_CSV_PERCENT_TEXT];
    cell->percent = hb_csv_percent(context->dialect.decimal, text, room);
    const hb_csv_text usual = cell->percent ? (hb_csv_text){room, strlen(room), false}
                                            : hb_csv_usual_number(context->dialect.decimal, text, room);
    const hb_decimal_fault decimal =
        hb_decimal_parse(usual.text, usual.length, HB_MOST_SCALE_DIGITS, &magnitude, &negative, &cell->needed);
    cell->whole = (int)hb_csv_whole_digits(&usual);
    hb_wipe(room, sizeof room); /* plaintext */
    cell->fraction = context->cells != HB_CELL_REAL && (decimal == HB_DECIMAL_GOOD || decimal == HB_DECIMAL_TOO_FINE ||
                                                        (decimal == HB_DECIMAL_TOO_LARGE && fault == HB_CSV_NO_NUMBER));
    cell->spelling |= cell->fraction ? sign_spelling(context, text) : 0;
    cell->grouped = cell->fraction && hb_csv_may_be_grouped(text, context->dialect.decimal);
}

/* A decimal of the scale that is said of its column. */
static void read_decimal(const hb_csv_context *context, const hb_meaning *meaning, hb_csv_cell *cell)
{
    char room[HB_CSV_NUMBER_TEXT];
    const int digits = hb_scale_digits(hb_meaning_scale(meaning));
    const hb_csv_text text = hb_csv_usual_number(context->dialect.decimal, &cell->text, room);
    hb_csv_number *to = &cell->number;
    hb_decimal_fault fault =
        hb_decimal_parse(text.text, text.length, digits, &to->magnitude, &to->negative, &cell->needed);
    if (fault == HB_DECIMAL_TOO_FINE && context->dialect.rounds) {
        fault = hb_decimal_round(text.text, text.length, digits, HB_DECIMAL_NEAREST, &to->magnitude, &to->negative);
        cell->spelling |= hb_spelt(HB_SPELT_ROUNDED);
    }
    cell->spelling |= fault != HB_DECIMAL_NO_NUMBER ? sign_spelling(context, &cell->text) : 0;
    hb_wipe(room, sizeof room); /* plaintext */
    to->real = (double)to->magnitude * (to->negative ? -1 : 1);
    cell->kind = HB_CSV_IS_NUMBER;
    if (fault == HB_DECIMAL_NO_NUMBER) {
        set_wrong(cell, hb_csv_no_decimal(&cell->text, context->dialect.decimal));
    } else if (fault != HB_DECIMAL_GOOD) {
        set_wrong(cell, fault == HB_DECIMAL_TOO_FINE   ? "has more digits behind the point than its scale keeps"
                        : hb_meaning_is_plain(meaning) ? NULL
                                                       : "does not fit in 64 bits, times its scale");
        cell->fault = HB_CSV_TOO_LARGE;
        cell->fraction = fault == HB_DECIMAL_TOO_FINE;
    }
}

/* Reads another spelling of a label. */
static bool read_folded(const hb_csv_column *column, const hb_meaning *meaning, const hb_csv_text *text,
                        int64_t *number)
{
    uint64_t place;
    if (!column->folds || meaning->kind != HB_MEANING_CATEGORY ||
        !hb_labels_find(meaning->labels, text->text, text->length, &place)) {
        return false;
    }
    const char *label = meaning->labels->text[place];
    *number = (int64_t)place;
    return strlen(label) != text->length || memcmp(label, text->text, text->length) != 0;
}

/* Reads a text by the meaning declared for its column. */
void hb_csv_understand(const hb_csv_context *context, const hb_csv_column *column, const hb_meaning *meaning,
                       hb_csv_cell *cell)
{
    static const char *const wrong[] = {[HB_MEANING_BOOL] = "is neither true nor false",
                                        [HB_MEANING_CATEGORY] = "is none of the labels of its category",
                                        [HB_MEANING_DATE] = "is no date, YYYY-MM-DD without a time of day, or as "
                                                            "--date-format says",
                                        [HB_MEANING_TIME] = ""};
    const hb_csv_text *text = &cell->text;
    int64_t number;
    if (column->collects) {
        cell->kind = HB_CSV_IS_LABEL;
    } else if (meaning->kind == HB_MEANING_NUMBER) {
        read_decimal(context, meaning, cell);
    } else if (meaning->kind == HB_MEANING_TIME) {
        read_time(context, meaning, cell);
    } else if (read_folded(column, meaning, text, &number)) {
        set_integer(cell, HB_CSV_IS_NUMBER, number);
        cell->folded = true;
    } else if (meaning->kind == HB_MEANING_DATE ? read_date(context, column, text, &number)
                                                : hb_meaning_read(meaning, text->text, text->length, &number)) {
        set_integer(cell, HB_CSV_IS_NUMBER, number);
        cell->spelling = meaning->kind == HB_MEANING_BOOL   ? hb_truth_spelling(text->text, text->length)
                         : meaning->kind == HB_MEANING_DATE ? date_cell_spelling(context, column, text)
                                                            : 0;
    } else {
        const char *no_date =
            meaning->kind == HB_MEANING_DATE ? hb_csv_no_date(text, context->dialect.date, cell->order) : NULL;
        cell->day = no_date != NULL;
        cell->stranger = meaning->kind == HB_MEANING_CATEGORY;
        set_wrong(cell, cell->day ? no_date : wrong[meaning->kind]);
    }
}

/* A number whose thousands and fraction have other signs between them. */
static hb_csv_fault parse_unusual(const hb_csv_context *context, hb_csv_cell *cell)
{
    char room[HB_CSV_NUMBER_TEXT];
    const hb_csv_text usual = hb_csv_usual_number(context->dialect.decimal, &cell->text, room);
    const char *at = usual.text;
    const hb_csv_type type = {context->cells, '\0'};
    const hb_csv_fault fault =
        usual.length > 0 ? hb_csv_parse_number(&at, usual.text + usual.length, type, &cell->number) : HB_CSV_NO_NUMBER;
    cell->spelling |= fault == HB_CSV_GOOD ? sign_spelling(context, &cell->text) : 0;
    hb_wipe(room, sizeof room); /* plaintext */
    return fault;
}

/* Reads the text of a cell as a number of its column, of which nothing is rounded. */
static bool read_number(const hb_csv_context *context, const hb_csv_column *column, const hb_meaning *meaning,
                        hb_csv_cell *cell)
{
    if (hb_meaning_is_plain(meaning) && (!column->exact || context->cells == HB_CELL_WIDE)) {
        return parse_unusual(context, cell) == HB_CSV_GOOD;
    }
    hb_csv_context own = *context;
    own.dialect.rounds = false;
    read_decimal(&own, meaning, cell);
    return cell->kind == HB_CSV_IS_NUMBER;
}

/* Returns the bits of the texts of --na that are numbers equal to this one, as -999.0 is -999; 0: none is. */
static uint64_t find_said_number(const hb_csv_context *context, const hb_csv_column *column, const hb_meaning *meaning,
                                 const hb_csv_text *text)
{
    const hb_dialect *dialect = &context->dialect;
    const bool real = context->cells == HB_CELL_REAL && !column->exact && hb_meaning_is_plain(meaning);
    hb_csv_cell cell = {.kind = HB_CSV_IS_NUMBER, .text = *text};
    uint64_t found = 0, i = 0;
    const char *said = dialect->missing, *end = said != NULL ? said + dialect->missing_bytes : NULL;
    if (said == NULL || column->collects || meaning->kind != HB_MEANING_NUMBER ||
        !read_number(context, column, meaning, &cell)) {
        return 0;
    }
    for (const hb_csv_number *a = &cell.number; said < end; said += strlen(said) + 1, i++) {
        hb_csv_cell other = {.kind = HB_CSV_IS_NUMBER, .text = {said, strlen(said), false}};
        const hb_csv_number *b = &other.number;
        const bool zero = a->magnitude == 0 && a->high == 0;
        const bool same =
            read_number(context, column, meaning, &other) &&
            (real ? a->real == b->real && a->imaginary == b->imaginary
                  : a->magnitude == b->magnitude && a->high == b->high && (zero || a->negative == b->negative));
        found |= same ? hb_na_bit(i) : 0;
    }
    hb_wipe(&cell, sizeof cell); /* plaintext */
    return found;
}

/* Whether a text without quotes that means missing is a label that was said, or that others have. */
static bool is_label_too(const hb_csv_context *context, const hb_csv_column *column, const hb_meaning *meaning,
                         const hb_csv_text *text)
{
    uint64_t place;
    return meaning->kind == HB_MEANING_CATEGORY && column->labels != HB_CSV_LABELS_FOUND && !text->quoted &&
           text->length > 0 && hb_dialect_is_missing(&context->dialect, text->text, text->length) &&
           !hb_dialect_is_said(&context->dialect, text->text, text->length) &&
           !hb_dialect_is_none(&context->dialect, text->text, text->length) &&
           hb_labels_find(meaning->labels, text->text, text->length, &place);
}

/* Among texts none is one, and so is NA in quotes. Without, NA is missing, also where another cell has it in quotes,
 * as R writes tables; but for a label that was said. Other texts that are said to be missing are so in quotes, too. */
static bool is_missing(const hb_csv_context *context, const hb_csv_column *column, const hb_meaning *meaning,
                       const hb_csv_text *text)
{
    const bool texts = column->collects || meaning->kind == HB_MEANING_CATEGORY;
    if (!hb_dialect_is_missing(&context->dialect, text->text, text->length)) {
        return find_said_number(context, column, meaning, text) != 0;
    }
    if (text->length == 0 || !texts || hb_dialect_is_none(&context->dialect, text->text, text->length)) {
        return text->length == 0 || !texts;
    }
    const char *word = text->text;
    return !hb_dialect_takes(word, text->length) || !(text->quoted || is_label_too(context, column, meaning, text));
}

/* A cell whose text stands for a missing one. */
static void set_missing(const hb_csv_context *context, const hb_csv_column *column, const hb_meaning *meaning,
                        hb_csv_cell *cell)
{
    const hb_csv_text *text = &cell->text;
    cell->kind = HB_CSV_IS_MISSING;
    cell->why = hb_csv_why_missing(&context->dialect, text);
    cell->spelling = 0;
    cell->na =
        hb_na_find(&context->dialect, text->text, text->length) | find_said_number(context, column, meaning, text);
}

/* Whether nobody can tell if a text is a label of a dataset or a missing cell. */
static bool is_ambiguous(const hb_csv_context *context, const hb_csv_column *column, const hb_meaning *meaning,
                         const hb_csv_text *text)
{
    return column->labels == HB_CSV_LABELS_STORED && is_label_too(context, column, meaning, text);
}

/* A cell that is no number, in a column of plain ones, and stands for no missing cell. */
static void refuse_number(hb_csv_context *context, const hb_csv_column *column, hb_csv_fault fault, hb_csv_cell *cell)
{
    guess(context, column, fault, cell);
    if (!column->guessed && cell->kind != HB_CSV_IS_WRONG) {
        const char *why = hb_csv_no_number(&cell->text, context->cells, context->dialect.decimal);
        set_wrong(cell, fault == HB_CSV_UNHELD ? hb_table_unheld : why);
    }
}

/* Reads the text of a cell, a number with a percent sign, as the fraction that it means. */
static void read_percent(hb_csv_context *context, const hb_csv_column *column, const hb_meaning *meaning,
                         hb_csv_cell *cell)
{
    char room[HB_CSV_PERCENT_TEXT];
    if (is_missing(context, column, meaning, &cell->text)) {
        set_missing(context, column, meaning, cell);
    } else if (!hb_csv_percent(context->dialect.decimal, &cell->text, room)) {
        set_wrong(cell, memchr(cell->text.text, '%', cell->text.length) == NULL
                            ? "has no percent sign, which --percent wants in every cell of its column"
                            : "is no number with a percent sign behind it");
    } else {
        hb_csv_context own = *context;
        hb_csv_column plain = *column;
        const char *at = room;
        own.delimiter = plain.decimal = '\0';
        const hb_spellings signs = sign_spelling(context, &(hb_csv_text){room, strcspn(room, "e"), false});
        plain.na = NULL;
        plain.na_bytes = 0;
        own.looks = plain.percent = false;
        hb_csv_read_cell(&own, &plain, meaning, &at, room + strlen(room), cell);
        cell->spelling = (cell->spelling & hb_spelt(HB_SPELT_ROUNDED)) | signs | hb_spelt(HB_SPELT_PERCENT);
        cell->text = (hb_csv_text){NULL, 0, false};
    }
    hb_wipe(room, sizeof room); /* plaintext */
}

/* Decides how a cell of this text, in a field of so many bytes, is read, after it was parsed as a number. */
static void read_text(hb_csv_context *context, const hb_csv_column *column, const hb_meaning *meaning,
                      hb_csv_fault fault, size_t bytes, hb_csv_cell *cell)
{
    const bool label = column->collects || meaning->kind == HB_MEANING_CATEGORY;
    if (fault == HB_CSV_NO_MEMORY) {
        set_wrong(cell, NULL);
        cell->fault = fault;
    } else if (is_ambiguous(context, column, meaning, &cell->text)) {
        set_wrong(cell,
                  "may be the label of this name or a missing cell: in quotes it is the label, and --na makes it a "
                  "missing cell");
    } else if (is_missing(context, column, meaning, &cell->text)) { /* numbers, too, may stand for missing cells */
        set_missing(context, column, meaning, cell);
    } else if (fault == HB_CSV_GOOD) {
        return;
    } else if (!column->collects && !column->exact && hb_meaning_is_plain(meaning)) {
        refuse_number(context, column, fault, cell);
    } else {
        hb_csv_understand(context, column, meaning, cell);
        const bool shorter = label && cell->text.length < bytes;
        cell->trimmed = shorter && !column->folds && !cell->text.quoted;
        cell->folded = cell->folded || (shorter && column->folds);
    }
}

static void read_cell(hb_csv_context *context, const hb_csv_column *column, const hb_meaning *meaning, const char **at,
                      const char *end, hb_csv_cell *cell)
{
    const char *field = *at;
    *cell = (hb_csv_cell){.kind = HB_CSV_IS_NUMBER};
    const bool number = !column->collects && hb_meaning_is_plain(meaning);
    const bool direct = context->dialect.decimal == 0 && !column->percent;
    const bool parsed = number && (!column->exact || context->cells == HB_CELL_WIDE); /* decimals have 64 bits */
    hb_csv_fault fault = HB_CSV_NO_NUMBER;
    if (parsed && direct) {
        const hb_csv_type type = {context->cells, context->delimiter};
        fault = hb_csv_parse_number(at, end, type, &cell->number);
        if (fault == HB_CSV_GOOD && context->dialect.missing == NULL) {
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
    const size_t bytes = cell->text.quoted ? cell->text.length : (size_t)(*at - field);
    cell->text = column->folds ? trimmed(cell->text) : cell->text;
    if (column->percent) {
        read_percent(context, column, meaning, cell);
        return;
    }
    if (parsed && !direct) {
        fault = parse_unusual(context, cell);
    }
    read_text(context, column, meaning, fault, bytes, cell);
}

/* Looks whether the point of the number in a field stands before a fraction, or may stand between thousands. */
static void look_at_point(const char *field, const char *end, hb_csv_cell *cell)
{
    char room[HB_CSV_NUMBER_TEXT];
    hb_csv_text text;
    if (end - field < HB_CSV_NUMBER_TEXT && hb_csv_field_text(field, end, '\0', room, &text)) {
        cell->may_group = hb_csv_may_be_grouped(&text, '\0') && memchr(text.text, 'e', text.length) == NULL &&
                          memchr(text.text, 'E', text.length) == NULL;
        cell->has_point = !cell->may_group && memchr(text.text, '.', text.length) != NULL;
    }
    hb_wipe(room, sizeof room); /* plaintext */
}

void hb_csv_read_cell(hb_csv_context *context, const hb_csv_column *column, const hb_meaning *meaning, const char **at,
                      const char *end, hb_csv_cell *cell)
{
    const char *field = *at;
    context->dialect.decimal = column->decimal;
    context->dialect.missing = column->na;
    context->dialect.missing_bytes = column->na_bytes;
    read_cell(context, column, meaning, at, end, cell);
    /* A number, or one that needs another option: a scale, or that for percent signs. */
    const bool other = cell->kind == HB_CSV_IS_WRONG && (cell->fraction || cell->percent);
    const bool number = cell->kind == HB_CSV_IS_NUMBER && cell->number.digits == 0;
    if (context->dialect.charset != HB_CHARSET_FOUND && hb_csv_is_foreign(field, *at)) {
        cell->spelling |= hb_spelt(HB_SPELT_FOREIGN);
    }
    if (context->looks && column->decimal == 0 && (number || other) && meaning->kind == HB_MEANING_NUMBER) {
        look_at_point(field, *at, cell);
    }
}
