#include "derived_constant.h"

#include "real_text.h"
#include "shell_line.h"

static hb_status read_real(const hb_derivation *d, const char *text, double *number)
{
    const char *at = text, *end = text + strlen(text);
    const hb_real_fault fault = hb_real_parse(&at, end, number);
    return fault == HB_REAL_GOOD && at == end
               ? HB_OK
               : HB_FAIL(HB_EUSAGE, "--derive '%.160s': '%.40s' is no number", d->text, text);
}

/* Reads a number of any fineness, and of 64 bits with a sign or without. */
static hb_status read_number(const hb_derivation *d, const hb_meaning *meaning, const char *text, hb_derived_cell *out)
{
    const size_t length = strlen(text);
    const int digits = hb_scale_digits(hb_meaning_scale(meaning));
    uint64_t magnitude, same;
    bool negative, sign;
    const hb_decimal_fault fault = hb_decimal_round(text, length, digits, HB_DECIMAL_DOWN, &magnitude, &negative);
    if (fault != HB_DECIMAL_GOOD) {
        return HB_FAIL(HB_EUSAGE, "--derive '%.160s': '%.40s' %s", d->text, text,
                       fault == HB_DECIMAL_TOO_LARGE ? "has more than 64 bits" : "is no number");
    }
    out->between = hb_decimal_parse(text, length, digits, &same, &sign, NULL) != HB_DECIMAL_GOOD;
    out->integer = text[0] == '-' ? -(hb_i128)magnitude - out->between : (hb_i128)magnitude;
    return HB_OK;
}

/* Reads a time that is finer than the column's dates or times. False: it is none, or has another kind of zone. */
static bool read_moment(const hb_meaning *meaning, const char *text, size_t length, hb_derived_cell *out)
{
    const int64_t unit = hb_time_unit_seconds(hb_meaning_counts(meaning));
    hb_time time;
    if (hb_time_parse(NULL, text, length, &time) != HB_TIME_GOOD || time.zoned != meaning->zoned) {
        return false;
    }
    const int64_t whole = time.seconds / unit - (time.seconds % unit < 0);
    out->between = time.fraction || time.seconds % unit != 0;
    out->integer = whole;
    return true;
}

hb_status hb_derived_constant_read(const hb_derivation *d, const hb_column *column, const char *text,
                                   hb_derived_cell *out)
{
    const hb_meaning *meaning = &column->meaning;
    const size_t length = strlen(text);
    int64_t number = 0;
    uint64_t place = 0;
    *out = (hb_derived_cell){.missing = false};
    if (hb_derived_is_number(column)) {
        return read_real(d, text, &out->number);
    }
    if (meaning->kind == HB_MEANING_CATEGORY && !hb_labels_find(meaning->labels, text, length, &place)) {
        /* Without the labels, which may be read for this comparison alone, and are secret then. */
        char name[HB_SHELL_COLUMN];
        return HB_FAIL(HB_EUSAGE,
                       "--derive '%.160s': no row has the text '%.64s' in column %.64s; if that is right, say all its "
                       "texts: --category %s=..",
                       d->text, text, column->name, hb_shell_column(name, column->name));
    }
    if (meaning->kind == HB_MEANING_NUMBER) {
        HB_TRY(read_number(d, meaning, text, out));
    } else if (!hb_meaning_is_moment(meaning) || !read_moment(meaning, text, length, out)) {
        if (hb_meaning_number(column, text, length, &number) != HB_OK) {
            const hb_error cause = *hb_last_error();
            return HB_FAIL(HB_EUSAGE, "--derive '%.160s': %.300s", d->text, cause.text);
        }
        out->integer = number;
    }
    out->number = (double)out->integer;
    return HB_OK;
}
