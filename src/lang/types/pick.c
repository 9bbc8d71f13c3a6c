/* Columns that are picked from values, by name or by number, and numbers that are picked by the name of their digits.
 */
#include <stdlib.h>
#include <string.h>

#include "lang/ir/blocks.h"
#include "type_rules.h"
#include "worked_out.h"

/* Datasets of before, and of others, may have a name twice. */
static hb_status check_only(const hb_syntax *s, const hb_item *item, const hb_type *value, uint32_t column)
{
    for (uint32_t i = column + 1; i < value->columns; i++) {
        if (hb_item_is(s, item, value->names[i].name)) {
            return HB_FAIL_AT(HB_EUSAGE, s->text, item->at,
                              "columns %u and %u both have this name; pick one by its number, as in a.%u", column + 1,
                              i + 1, column + 1);
        }
    }
    return HB_OK;
}

/* The column that the item means, below value->columns. */
static hb_status find_column(const hb_types *t, const hb_item *item, const hb_type *value, uint32_t *column)
{
    const hb_syntax *s = t->context.syntax;
    const uint32_t width = value->columns;
    if (item->number > 0) {
        *column = (uint32_t)(item->number - 1);
        if (item->number <= width) {
            return HB_OK;
        }
        return HB_FAIL_AT(HB_EUSAGE, s->text, item->at, "there is no column %lld; it has %u", (long long)item->number,
                          width);
    }
    if (value->names == NULL) {
        return HB_FAIL_AT(HB_EUSAGE, s->text, item->at,
                          "its columns have no names here; pick one of %u by its number from 1, as in a.1", width);
    }
    for (*column = 0; *column < width; ++*column) {
        if (hb_item_is(s, item, value->names[*column].name)) {
            return check_only(s, item, value, *column);
        }
    }
    const char **names = calloc((size_t)width + 1, sizeof *names);
    if (!names) {
        return HB_FAIL(HB_ENOMEM, "no memory for the names of columns");
    }
    const bool shown = hb_columns_show_names(value->names, width);
    for (uint32_t i = 0; i < width && shown; i++) {
        names[i] = value->names[i].name;
    }
    hb_status st = hb_fail_unknown(s, item, "there is no column", names);
    free(names);
    return st;
}

/* Makes *out the digits of a number that stand in columns side by side, and are called as the item says. *found: there
 * is one of that name. */
static hb_status find_digits(const hb_types *t, const hb_item *item, const hb_type *value, hb_type *out, bool *found)
{
    const bool columns = value->kind == HB_TYPE_ROWS && t->context.block <= 1 && item->number == 0;
    *found = false;
    for (uint32_t c = 0; columns && value->names != NULL && c < value->columns && !*found; c++) {
        size_t stem = 0;
        const hb_column *first = &value->names[c];
        const uint64_t digits = hb_columns_digits(first, value->columns - c, &stem);
        if (digits == 0) {
            continue;
        }
        char *name = strndup(first->name, stem);
        if (name == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for the name of a number");
        }
        const int64_t base = (int64_t)first->digit_base;
        *found = hb_item_is(t->context.syntax, item, name);
        free(name);
        *out = (hb_type){.kind = HB_TYPE_DIGITS,
                         .number = {.integer = base, .real = (double)base},
                         .columns = (uint32_t)digits,
                         .means = hb_means_from(value->means, c),
                         .picked = c};
    }
    return HB_OK;
}

hb_status hb_shape_pick(hb_types *t, const hb_item *item, const hb_type *operands, hb_type *out)
{
    const hb_types_context *w = &t->context;
    const hb_type *value = &operands[0];
    uint32_t column = 0;
    bool digits;
    if (hb_type_constant(value)) {
        return hb_types_refuse(t, "a number or a text has no columns");
    }
    if (w->keys_only && w->block > 1) {
        return hb_types_refuse(t, "the rotations of a column of rows within slots are not known without the "
                                  "dataset; hebatch eval says which keys are missing");
    }
    *out = *value;
    if (w->keys_only) {
        out->matrix = (hb_matrix_shape){0};
        return HB_OK; /* its columns do not matter: keys are the same for all */
    }
    if (value->whole != NULL) {
        HB_TRY(hb_types_part(t, item, value->whole));
    }
    HB_TRY(find_digits(t, item, value, out, &digits));
    if (digits) {
        return HB_OK;
    }
    HB_TRY(find_column(t, item, value, &column));
    *out = (hb_type){.kind = value->kind,
                     .columns = 1,
                     .rows = value->rows,
                     .names = value->names == NULL ? NULL : &value->names[column],
                     .means = hb_means_from(value->means, value->columns > 1 ? column : 0),
                     .picked = column};
    return HB_OK;
}
