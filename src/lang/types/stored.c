/* Constants beside columns: their stored form in these columns. */
#include <stdlib.h>
#include <string.h>

#include "base/quoted.h"
#include "lang/ir/semantics.h"
#include "type_rules.h"

static hb_status read_text(hb_types *t, const hb_type *text, const hb_type *columns, hb_number *out)
{
    const hb_syntax *s = t->context.syntax;
    const hb_item *item = text->item;
    const hb_meaning *meaning = hb_type_one_meaning(columns);
    char nameless[] = "", *name = columns->names != NULL ? columns->names[0].name : nameless;
    if (meaning == NULL) {
        return HB_FAIL_AT(HB_EUSAGE, s->text, item->at,
                          "the columns beside this text stand for different things: take them one by one, as x.1");
    }
    char *words = hb_unquoted(s->text + item->word, '\'', item->word_length);
    if (words == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a text of an expression");
    }
    const hb_column column = {.name = name, .meaning = *meaning};
    hb_status st = hb_meaning_number(&column, words, strlen(words), &out->integer);
    if (st == HB_EUSAGE) {
        const hb_error cause = *hb_last_error();
        st = HB_FAIL_AT(st, s->text, item->at, "%.240s", cause.text);
    }
    free(words);
    out->real = (double)out->integer;
    return st;
}

/* A number as the columns store it: of a finer one the next that they can store. */
static hb_status round_number(hb_types *t, const hb_type *number, uint64_t scale, hb_stored_rounding rounding,
                              hb_number *out)
{
    const int64_t quotient = (int64_t)(hb_type_scale_at(number, 0) / scale);
    const int64_t toward_zero = number->number.integer / quotient, rest = number->number.integer % quotient;
    if (rest != 0 && rounding == HB_STORED_NONE) {
        return hb_types_refuse(t, "no value of the column is equal to a number with so many digits behind the point");
    }
    const int64_t rounded =
        toward_zero + (rounding == HB_STORED_UP && rest > 0) - (rounding == HB_STORED_DOWN && rest < 0);
    *out = (hb_number){.integer = rounded, .real = (double)rounded};
    return HB_OK;
}

hb_status hb_types_stored(hb_types *t, const hb_type *constant, const hb_type *columns, hb_stored_rounding rounding,
                          hb_number *out)
{
    *out = (hb_number){.integer = 0};
    if (t->context.keys_only) {
        return HB_OK; /* columns are not known, and keys are the same for every meaning */
    }
    if (constant->kind == HB_TYPE_TEXT) {
        return read_text(t, constant, columns, out);
    }
    const hb_meaning *meaning = hb_type_one_meaning(columns);
    if (meaning == NULL) {
        return hb_types_refuse(t, "the columns beside this number stand for different things: take them one by one, as "
                                  "x.1");
    }
    if (meaning->kind > HB_MEANING_BOOL && hb_type_meaning(constant, 0)->kind != meaning->kind) {
        return hb_types_refuse_bare(t, meaning->kind);
    }
    const uint64_t scale = hb_meaning_scale(meaning);
    if (hb_type_scale_at(constant, 0) > scale) {
        return round_number(t, constant, scale, rounding, out);
    }
    hb_type scaled = *constant;
    HB_TRY(hb_types_scale(t, &scaled, scale));
    *out = scaled.number;
    return HB_OK;
}
