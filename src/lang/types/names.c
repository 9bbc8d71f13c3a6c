/* The leaves of the tree: numbers, texts and names; the value assigned to a name, or the input bound to it, and
 * suggestions for unknown names. */
#include <stdlib.h>
#include <string.h>

#include "lang/ir/blocks.h"
#include "table/real_text.h"
#include "type_rules.h"

/* --- that nothing is bound to */

/* The operand with a column that is called as the item says; NULL: there is none. */
static const hb_operand *owner_of(const hb_types_context *w, const hb_item *item)
{
    for (uint32_t i = 0; i < w->operand_count; i++) {
        const hb_schema *schema = w->operands[i].schema;
        for (uint64_t c = 0; schema->named && c < hb_schema_shown(schema); c++) {
            if (hb_item_is(w->syntax, item, schema->column[c].name)) {
                return &w->operands[i];
            }
        }
    }
    return NULL;
}

/* Whether some column has a label that is called as the item says. */
static bool is_label(const hb_types_context *w, const hb_item *item)
{
    uint64_t place;
    for (uint32_t i = 0; i < w->operand_count; i++) {
        const hb_schema *schema = w->operands[i].schema;
        for (uint64_t c = 0; c < schema->columns; c++) {
            const hb_labels *labels = schema->column[c].meaning.labels;
            if (labels != NULL && hb_labels_find(labels, w->syntax->text + item->word, item->word_length, &place)) {
                return true;
            }
        }
    }
    return false;
}

/* Refuses an unknown name with a suggestion: a column of an operand, a label without its quotes, or the nearest of the
 * operands and of the names that are assigned before. */
static hb_status unknown(const hb_types *t, const hb_item *item)
{
    const hb_types_context *w = &t->context;
    const hb_operand *owner = owner_of(w, item);
    if (owner != NULL) {
        char word[40];
        hb_excerpt(word, sizeof word, w->syntax->text, item->word, item->word + item->word_length);
        return HB_FAIL_AT(HB_EUSAGE, w->syntax->text, item->at,
                          "nothing is bound to '%s'; it is a column of %.40s: write %.40s.%s", word, owner->name,
                          owner->name, word);
    }
    if (hb_item_is(w->syntax, item, "true") || hb_item_is(w->syntax, item, "TRUE") ||
        hb_item_is(w->syntax, item, "True")) {
        return HB_FAIL_AT(
            HB_EUSAGE, w->syntax->text, item->at,
            "nothing is bound to '%.4s'; leave out a condition that every row meets, as in sum(x); beside "
            "a column of truth values write 'true' in single quotes",
            w->syntax->text + item->word);
    }
    if (is_label(w, item)) {
        char word[40];
        hb_excerpt(word, sizeof word, w->syntax->text, item->word, item->word + item->word_length);
        return HB_FAIL_AT(HB_EUSAGE, w->syntax->text, item->at,
                          "nothing is bound to '%s'; texts stand in single quotes: '%s'", word, word);
    }
    const uint32_t most = w->operand_count + w->syntax->names;
    const char **names = calloc((size_t)most + 1, sizeof *names);
    hb_status st = HB_OK;
    uint32_t count = 0;
    for (uint32_t i = 0; names != NULL && i < most && st == HB_OK; i++) {
        const hb_item *assigned = i < w->operand_count ? NULL : t->names[i - w->operand_count].item;
        if (i < w->operand_count) {
            names[count] = strdup(w->operands[i].name);
        } else if (assigned != NULL) {
            names[count] = strndup(w->syntax->text + assigned->word, assigned->word_length);
        } else {
            continue;
        }
        st = names[count] == NULL ? HB_ENOMEM : st;
        count += names[count] != NULL;
    }
    st = names == NULL || st != HB_OK ? HB_FAIL(HB_ENOMEM, "no memory for names")
                                      : hb_fail_unknown(w->syntax, item, "nothing is bound to", names);
    for (uint32_t i = 0; names != NULL && i < count; i++) {
        free((char *)names[i]);
    }
    free(names);
    return st;
}

/* --- the type of a name */

const hb_operand *hb_types_longer(const hb_types *t)
{
    for (uint32_t i = 0; i < t->context.operand_count; i++) {
        const hb_operand *operand = &t->context.operands[i];
        if (operand->encrypted && !t->weights[i] && operand->schema->rows != 1) {
            return operand;
        }
    }
    return NULL;
}

static hb_status operand_of(hb_types *t, const hb_item *item, const hb_operand *operand, hb_type *out)
{
    const hb_types_context *w = &t->context;
    const hb_schema *schema = operand->schema;
    if (operand->encrypted && !item->weights && t->weights[operand - w->operands]) {
        return HB_FAIL_AT(HB_EUSAGE, w->syntax->text, item->at,
                          "%.40s stands on the left of @, so its rows are weights; to compute other things with it, "
                          "bind the file to another name as well",
                          operand->name);
    }
    if (schema->columns > HB_GRAPH_MAX_NODES) {
        return HB_FAIL_AT(HB_EUSAGE, w->syntax->text, item->at, "%.40s has %llu columns, more than %d", operand->name,
                          (unsigned long long)schema->columns, HB_GRAPH_MAX_NODES);
    }
    const hb_type_kind plain = schema->rows == 1 ? HB_TYPE_ROW : HB_TYPE_TABLE;
    const hb_type_kind encrypted = hb_types_serves_all(t, operand) ? HB_TYPE_TOTALS : HB_TYPE_ROWS;
    *out = (hb_type){.kind = operand->encrypted ? encrypted : plain,
                     .columns = (uint32_t)hb_schema_shown(schema),
                     .rows = schema->rows,
                     .whole = operand,
                     .image = w->block > 1 ? hb_named_image(schema) : (hb_block_image){0},
                     .names = schema->named || hb_schema_has_meanings(schema) ? schema->column : NULL};
    return hb_types_column_meanings(t, schema->column, out->columns, &out->means);
}

static hb_status name(hb_types *t, const hb_item *item, hb_type *out)
{
    const hb_types_context *w = &t->context;
    const hb_typed_name *assigned = &t->names[item->name];
    if (assigned->item != NULL) {
        *out = t->list[assigned->type];
        return HB_OK;
    }
    uint32_t i = 0;
    while (i < w->operand_count && !hb_item_is(w->syntax, item, w->operands[i].name)) {
        i++;
    }
    return i < w->operand_count ? operand_of(t, item, &w->operands[i], out) : unknown(t, item);
}

/* --- any leaf */

/* A decimal among integers is an integer times a power of ten, as columns of decimals are. */
static hb_status decimal(const hb_types *t, const hb_item *item, hb_number *number, hb_means *means)
{
    const hb_syntax *s = t->context.syntax;
    const char *word = s->text + item->word; /* without parentheses around it */
    uint64_t magnitude = 0;
    bool negative;
    int digits = 0;
    hb_decimal_fault fault = hb_decimal_parse(word, item->word_length, 0, &magnitude, &negative, &digits);
    fault = digits <= HB_MOST_SCALE_DIGITS
                ? hb_decimal_parse(word, item->word_length, digits, &magnitude, &negative, NULL)
                : fault;
    if (fault != HB_DECIMAL_GOOD || magnitude > INT64_MAX) {
        return HB_FAIL_AT(HB_EUSAGE, s->text, item->at,
                          "the constant has more than 18 digits behind the point, or than 63 bits without it");
    }
    *number = (hb_number){.integer = (int64_t)magnitude, .real = item->real};
    *means = hb_means_all(hb_meaning_decimals(hb_scale_of_digits(digits)));
    return HB_OK;
}

static hb_status literal(const hb_types *t, const hb_item *item, hb_type *out)
{
    const bool reals = t->context.semantics->reals;
    if (item->imaginary && !reals) {
        return HB_FAIL_AT(HB_EUSAGE, t->context.syntax->text, item->at,
                          "constants are integers; complex numbers are for values that are reals, under CKKS");
    }
    hb_number number = {.integer = item->number, .real = item->real};
    hb_means means = {0};
    if (item->decimal && !reals) {
        HB_TRY(decimal(t, item, &number, &means));
    }
    const char *word = t->context.syntax->text + item->word;
    if (reals && hb_real_rounds_integer(word, word + item->word_length - item->imaginary, item->real)) {
        return HB_FAIL_AT(HB_EUSAGE, t->context.syntax->text, item->at,
                          "no double is this integer, and reals would round it; with an exponent it is a real");
    }
    *out = (hb_type){.kind = HB_TYPE_NUMBER,
                     .number = item->imaginary ? (hb_number){.imaginary = item->real} : number,
                     .means = means};
    return hb_number_check(&t->context, item->at, out->number, false);
}

hb_status hb_shape_leaf(hb_types *t, const hb_item *item, const hb_type *operands, hb_type *out)
{
    (void)operands;
    if (item->kind == HB_ITEM_NUMBER) {
        return literal(t, item, out);
    }
    *out = (hb_type){.kind = HB_TYPE_TEXT};
    return item->kind == HB_ITEM_NAME ? name(t, item, out) : HB_OK;
}

/* --- assignments */

hb_status hb_types_assign(hb_types *t, const hb_item *item, const hb_type *value)
{
    const hb_types_context *w = &t->context;
    for (uint32_t i = 0; i < w->operand_count && !w->keys_only; i++) {
        const hb_operand *operand = &w->operands[i];
        if (hb_item_is(w->syntax, item, operand->name) && !operand->believed) {
            return HB_FAIL_AT(HB_EUSAGE, w->syntax->text, item->at,
                              "%.40s is bound to an input; choose another name for the result", operand->name);
        }
    }
    if (value->kind == HB_TYPE_TEXT) {
        return HB_FAIL_AT(HB_EUSAGE, w->syntax->text, value->item->at,
                          "a text is no value by itself: it stands for one of the column beside it");
    }
    /* The value that the name had before is forgotten: loops assign to it again and again. */
    t->names[item->name] = (hb_typed_name){item, t->items[item - 1 - w->syntax->items].own};
    return HB_OK;
}
