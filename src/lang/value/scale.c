/* Values side by side: brought to one scale, and constants to what the columns beside them stand for. A decimal is held
 * times a power of ten, its scale, so decimals of two scales are added, compared and chosen from only after those of
 * the smaller scale were multiplied by the quotient. */
#include <stdlib.h>
#include <string.h>

#include "lang/ir/semantics.h"
#include "lang/text/quoted.h"
#include "lowering.h"
#include "meaning.h"
#include "plain.h"

hb_status hb_lower_refuse(const hb_lowering *l, const char *what)
{
    return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, l->graph.position.item->at, "%s", what);
}

hb_status hb_lower_refuse_bare(const hb_lowering *l, hb_meaning_kind kind)
{
    return hb_lower_refuse(l, kind == HB_MEANING_DATE
                                  ? "a date stands beside a number: write dates in single quotes, as '2024-03-01'"
                                  : "a category stands beside a number: write labels in single quotes, as 'label'");
}

static hb_number whole(uint64_t number)
{
    return (hb_number){.integer = (int64_t)number, .real = (double)number};
}

/* Multiplies a plain column by a number, in the clear. */
static hb_status multiply_plain(hb_lowering *l, uint32_t node, hb_number by, uint32_t *out)
{
    hb_value column = {.kind = HB_VALUE_TABLE}, number = {.kind = HB_VALUE_NUMBER, .number = by}, product;
    HB_TRY(hb_lower_columns(l, 1, &column));
    l->pool[column.first] = node;
    HB_TRY(hb_lower_plain(l, HB_ITEM_MULTIPLY, &column, &number, &product));
    *out = l->pool[product.first];
    return HB_OK;
}

/* Multiplies each column by what its scale lacks. */
static hb_status scale_columns(hb_lowering *l, hb_value *x, hb_means means)
{
    hb_graph *g = &l->graph;
    HB_TRY(hb_lower_load(l, x));
    hb_value scaled = *x;
    HB_TRY(hb_lower_columns(l, x->columns, &scaled));
    for (uint32_t i = 0; hb_graph_at_column(g, i, x->columns); i++) {
        const hb_number by = whole(hb_meaning_scale(hb_means_of(means, i)) / hb_value_scale_at(x, i));
        uint32_t node = l->pool[x->first + i];
        if (by.integer != 1 && hb_value_plain(x)) {
            HB_TRY(multiply_plain(l, node, by, &node));
        } else if (by.integer != 1) {
            hb_value number;
            HB_TRY(hb_lower_number(l, by, false, &number));
            HB_TRY(hb_graph_scale(g, node, number.number, &node));
        }
        l->pool[scaled.first + i] = node;
    }
    scaled.means = means;
    *x = scaled;
    return HB_OK;
}

hb_status hb_lower_scale_each(hb_lowering *l, hb_value *x, hb_means means)
{
    bool same = true;
    for (uint32_t i = 0; i < hb_value_meant_columns(x); i++) {
        same = same && hb_value_scale_at(x, i) == hb_meaning_scale(hb_means_of(means, i));
    }
    if (same || hb_value_is_item(x, HB_ITEM_TEXT)) {
        return HB_OK;
    }
    if (x->kind == HB_VALUE_NUMBER) {
        const uint64_t quotient = hb_meaning_scale(hb_means_of(means, 0)) / hb_value_scale_at(x, 0);
        HB_TRY(hb_lower_numbers(l, HB_ITEM_MULTIPLY, x->number, whole(quotient), x));
        x->means = means;
        return HB_OK;
    }
    if (x->kind == HB_VALUE_DIGITS) {
        return hb_lower_refuse(l, "digits are of whole numbers, and the other side has decimals");
    }
    if (!hb_value_encrypted(x) && !hb_value_plain(x)) {
        return hb_lower_refuse(l, "numbers with more digits behind the point stand beside this");
    }
    return scale_columns(l, x, means);
}

hb_status hb_lower_scale(hb_lowering *l, hb_value *x, uint64_t scale)
{
    return hb_lower_scale_each(l, x, hb_means_all(hb_meaning_decimals(scale)));
}

/* Whether every column of one side has the scale of the same column of the other. */
static bool same_scales(const hb_value *x, const hb_value *y)
{
    bool same = hb_value_meant_columns(x) == hb_value_meant_columns(y);
    for (uint32_t i = 0; i < hb_value_meant_columns(x) && same; i++) {
        same = hb_value_scale_at(x, i) == hb_value_scale_at(y, i);
    }
    return same;
}

hb_status hb_lower_align(hb_lowering *l, hb_value *x, hb_value *y)
{
    if (same_scales(x, y)) {
        return HB_OK;
    }
    const uint64_t left = hb_value_scale(x), right = hb_value_scale(y), scale = left > right ? left : right;
    HB_TRY(hb_lower_scale(l, x, scale));
    return hb_lower_scale(l, y, scale);
}

/* --- constants */

/* What all columns stand for; NULL: they stand for several things. */
static const hb_meaning *one_meaning(const hb_value *columns)
{
    const hb_meaning *first = hb_value_meaning(columns, 0);
    uint32_t i = 1;
    while (i < hb_value_meant_columns(columns) && hb_meaning_same(hb_value_meaning(columns, i), first)) {
        i++;
    }
    return i < hb_value_meant_columns(columns) ? NULL : first;
}

static hb_status read_text(hb_lowering *l, const hb_value *text, const hb_value *columns, hb_number *out)
{
    const hb_syntax *s = l->graph.syntax;
    const hb_item *item = text->item;
    const hb_meaning *meaning = one_meaning(columns);
    char nameless[] = "", *name = columns->names != NULL ? columns->names[0].name : nameless;
    if (meaning == NULL) {
        return HB_FAIL_AT(HB_EUSAGE, s->text, item->at,
                          "the columns beside this text stand for different things: take them one by one, as x.1");
    }
    char *words = hb_quoted_text_of(s->text + item->word, item->word_length);
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
static hb_status round_number(const hb_lowering *l, const hb_value *number, uint64_t scale, hb_stored_rounding rounding,
                              hb_number *out)
{
    const int64_t quotient = (int64_t)(hb_value_scale_at(number, 0) / scale);
    const int64_t toward_zero = number->number.integer / quotient, rest = number->number.integer % quotient;
    if (rest != 0 && rounding == HB_STORED_NONE) {
        return hb_lower_refuse(l, "no value of the column is equal to a number with so many digits behind the point");
    }
    const int64_t rounded =
        toward_zero + (rounding == HB_STORED_UP && rest > 0) - (rounding == HB_STORED_DOWN && rest < 0);
    *out = (hb_number){.integer = rounded, .real = (double)rounded};
    return HB_OK;
}

hb_status hb_lower_stored(hb_lowering *l, const hb_value *constant, const hb_value *columns,
                          hb_stored_rounding rounding, hb_number *out)
{
    *out = (hb_number){.integer = 0};
    if (l->graph.params == NULL) {
        return HB_OK; /* columns are not known, and keys are the same whatever it stands for */
    }
    if (hb_value_is_item(constant, HB_ITEM_TEXT)) {
        return read_text(l, constant, columns, out);
    }
    const hb_meaning *meaning = one_meaning(columns);
    if (meaning == NULL) {
        return hb_lower_refuse(l, "the columns beside this number stand for different things: take them one by one, as "
                                  "x.1");
    }
    if (meaning->kind > HB_MEANING_BOOL && hb_value_meaning(constant, 0)->kind != meaning->kind) {
        return hb_lower_refuse_bare(l, meaning->kind);
    }
    const uint64_t scale = hb_meaning_scale(meaning);
    if (hb_value_scale_at(constant, 0) > scale) {
        return round_number(l, constant, scale, rounding, out);
    }
    hb_value scaled = *constant;
    HB_TRY(hb_lower_scale(l, &scaled, scale));
    *out = scaled.number;
    return HB_OK;
}

hb_status hb_lower_resolve(hb_lowering *l, hb_value *text, const hb_value *columns)
{
    if (!hb_value_is_item(text, HB_ITEM_TEXT) || hb_value_constant(columns)) {
        return HB_OK;
    }
    hb_number stored;
    HB_TRY(hb_lower_stored(l, text, columns, HB_STORED_NONE, &stored));
    const hb_meaning *meaning = l->graph.params != NULL ? one_meaning(columns) : hb_meaning_decimals(1);
    *text = (hb_value){
        .kind = HB_VALUE_NUMBER, .item = text->item, .number = stored, .means = hb_means_all(meaning)};
    return HB_OK;
}

static hb_stored_rounding rounding_of(hb_item_kind kind, bool number_first)
{
    const hb_item_kind turned = number_first ? hb_comparison_turned(kind) : kind;
    if (turned == HB_ITEM_LESS || turned == HB_ITEM_GREATER_EQUAL) {
        return HB_STORED_UP; /* x < 1.5 is x < 2 of whole numbers, x >= 1.5 is x >= 2 */
    }
    return turned == HB_ITEM_GREATER || turned == HB_ITEM_LESS_EQUAL ? HB_STORED_DOWN : HB_STORED_NONE;
}

hb_status hb_lower_align_sides(hb_lowering *l, hb_item_kind kind, hb_value *x, hb_value *y)
{
    const bool first = x->kind == HB_VALUE_NUMBER;
    hb_value *number = first ? x : y, *columns = first ? y : x;
    if (number->kind != HB_VALUE_NUMBER || hb_value_constant(columns) || one_meaning(columns) == NULL ||
        hb_value_scale_at(number, 0) <= hb_value_scale(columns)) {
        return hb_lower_align(l, x, y);
    }
    hb_number stored;
    HB_TRY(hb_lower_stored(l, number, columns, rounding_of(kind, first), &stored));
    *number = (hb_value){.kind = HB_VALUE_NUMBER, .number = stored, .means = hb_means_all(one_meaning(columns))};
    return HB_OK;
}
