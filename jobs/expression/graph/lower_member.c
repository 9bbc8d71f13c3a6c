/* What values are looked for among: numbers, texts, ranges of both, and entries of lists. */
#include <stdlib.h>
#include <string.h>

#include "expression/text/quoted.h"
#include "lower.h"
#include "semantics.h"

hb_status hb_lower_keep_pair(hb_lowering *l, const hb_value *values, uint32_t *number)
{
    if (l->pair_count == l->pair_capacity) {
        const uint32_t capacity = l->pair_capacity == 0 ? 64 : 2 * l->pair_capacity;
        hb_value(*pairs)[2] = realloc(l->pairs, capacity * sizeof *pairs);
        if (pairs == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for the ranges of an expression");
        }
        l->pairs = pairs;
        l->pair_capacity = capacity;
    }
    l->pairs[l->pair_count][0] = values[0];
    l->pairs[l->pair_count][1] = values[1];
    *number = l->pair_count++;
    return HB_OK;
}

static bool is_end(const hb_value *value)
{
    return value->kind == HB_VALUE_NUMBER || value->kind == HB_VALUE_TEXT;
}

hb_status hb_lower_pair(hb_lowering *l, const hb_item *item, const hb_value *values, hb_value *out)
{
    const bool entry = item->kind == HB_ITEM_ENTRY;
    if (!is_end(&values[1]) || (!is_end(&values[0]) && !(entry && values[0].kind == HB_VALUE_RANGE))) {
        return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, item->at, "%s of constants",
                          entry ? "entries, as 1:10, are" : "ranges, as 1..12, are");
    }
    *out = (hb_value){.kind = entry ? HB_VALUE_ENTRY : HB_VALUE_RANGE};
    return hb_lower_keep_pair(l, values, &out->first);
}

hb_status hb_lower_text(hb_lowering *l, const hb_value *text, const hb_column *column, hb_number *out)
{
    const hb_syntax *s = l->graph.syntax;
    const hb_item *item = text->text;
    *out = (hb_number){.integer = 0};
    if (l->graph.params == NULL) {
        return HB_OK; /* columns are not known, and keys are the same whatever it stands for */
    }
    if (column == NULL) {
        return HB_FAIL_AT(HB_EUSAGE, s->text, item->at,
                          "a text stands for a number of a column, and which one is not known here: compare the column "
                          "itself");
    }
    char *label = hb_quoted_text_of(s->text + item->word, item->word_length);
    if (label == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a text of an expression");
    }
    hb_status st = hb_meaning_number(column, label, strlen(label), &out->integer);
    if (st == HB_EUSAGE) {
        const hb_error cause = *hb_last_error();
        st = HB_FAIL_AT(st, s->text, item->at, "%.240s", cause.text);
    }
    free(label);
    out->real = (double)out->integer;
    return st;
}

static hb_status end_of(hb_lowering *l, const hb_value *value, const hb_column *column, hb_number *out)
{
    *out = value->number;
    return value->kind == HB_VALUE_TEXT ? hb_lower_text(l, value, column, out) : HB_OK;
}

/* By what they are to the scheme. */
static bool in_order(const hb_graph *g, hb_number low, hb_number high)
{
    return g->semantics->reals ? low.real <= high.real : low.integer <= high.integer;
}

hb_status hb_lower_member(hb_lowering *l, const hb_value *value, const hb_column *column, hb_member *out)
{
    const hb_graph *g = &l->graph;
    *out = (hb_member){.entry = value->kind == HB_VALUE_ENTRY};
    if (out->entry) {
        const hb_value *pair = l->pairs[value->first];
        HB_TRY(end_of(l, &pair[1], NULL, &out->value));
        value = &pair[0];
    }
    const bool range = value->kind == HB_VALUE_RANGE;
    const hb_value *low = range ? &l->pairs[value->first][0] : value, *high = range ? low + 1 : value;
    if (!is_end(low)) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->item->at,
                          "it is looked for among constants, as 1, 3, 5..9 or 'text'");
    }
    HB_TRY(end_of(l, low, column, &out->low));
    HB_TRY(end_of(l, high, column, &out->high));
    if (!in_order(g, out->low, out->high)) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->item->at, "a range goes from its least to its most");
    }
    return HB_OK;
}
