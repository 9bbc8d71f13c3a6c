/* Columns of two values are matched by position: names that contradict this are refused, and others noted. Every
 * operation that matches columns passes here, before anything is lowered. */
#include <stdlib.h>
#include <string.h>

#include "lang_function.h"
#include "type_rules.h"

static int compare(const void *x, const void *y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

/* *same: both have the same names, each as often. */
static hb_status same_names(const hb_column *x, const hb_column *y, uint32_t columns, bool *same)
{
    const char **names = malloc(2 * (size_t)columns * sizeof *names);
    if (!names) {
        return HB_FAIL(HB_ENOMEM, "no memory for the names of columns");
    }
    for (uint32_t i = 0; i < columns; i++) {
        names[i] = x[i].name;
        names[columns + i] = y[i].name;
    }
    qsort(names, columns, sizeof *names, compare);
    qsort(names + columns, columns, sizeof *names, compare);
    *same = true;
    for (uint32_t i = 0; i < columns && *same; i++) {
        *same = strcmp(names[i], names[columns + i]) == 0;
    }
    free(names);
    return HB_OK;
}

static bool is_noted(const hb_types *t, const hb_column *x, const hb_column *y)
{
    for (uint32_t i = 0; i < t->match_count; i++) {
        const hb_match *match = &t->matches[i];
        if ((match->x == x && match->y == y) || (match->x == y && match->y == x)) {
            return true;
        }
    }
    return false;
}

/* How one side is brought into the order of the other; `numbered`: by numbers, for names are not shown. */
static const char *order_advice(const hb_types *t, const hb_type *operands, bool numbered)
{
    if (t->item->kind != HB_ITEM_MATRIX) {
        return numbered ? "pick them by number, as in a.1 + b.2" : "pick them by name, as in a.age + b.age";
    }
    if (t->context.block > 1) { /* which have no columns side by side */
        return "write the columns of the weights into their file in the order of the rows within slots";
    }
    if (hb_type_plain(&operands[0])) {
        return numbered ? "pick the weights by number, as in (W.2, W.1) @ x"
                        : "pick the weights by name, as in (W.age, W.cost) @ x";
    }
    return numbered ? "pick those on the right by number, as in W @ (x.2, x.1)"
                    : "pick those on the right by name, as in W @ (x.age, x.cost)";
}

/* x, y: columns that differ, of operands of the item; shown: messages may have their names. */
static hb_status fail_order(const hb_types *t, const hb_type *operands, const char *x, const char *y, bool shown)
{
    const char *advice = order_advice(t, operands, !shown);
    if (!shown) {
        return HB_FAIL_AT(HB_EUSAGE, t->context.syntax->text, t->item->at,
                          "both sides have the same columns in another order; %s", advice);
    }
    return HB_FAIL_AT(HB_EUSAGE, t->context.syntax->text, t->item->at,
                      "both sides have the same columns in another order, '%.40s' where the other has '%.40s'; %s", x,
                      y, advice);
}

/* Matches columns of two operands of the item. */
static hb_status match(hb_types *t, const hb_type *operands, uint32_t left, uint32_t right)
{
    const hb_column *x = operands[left].names, *y = operands[right].names;
    const uint32_t columns = operands[left].columns;
    if (columns < 2 || columns != operands[right].columns || x == NULL || y == NULL || x == y || is_noted(t, x, y)) {
        return HB_OK;
    }
    uint32_t i = 0;
    bool same = false;
    while (i < columns && strcmp(x[i].name, y[i].name) == 0) {
        i++;
    }
    if (i == columns) {
        return HB_OK;
    }
    HB_TRY(same_names(x, y, columns, &same));
    if (same) {
        return fail_order(t, operands, x[i].name, y[i].name, hb_columns_show_names(x, columns));
    }
    if (t->match_count < HB_MOST_MATCHES) {
        t->matches[t->match_count++] = (hb_match){t->item, x, y, columns};
    }
    return HB_OK;
}

/* Whether the columns of all operands of an item stand side by side. */
static bool is_matched(const hb_item *item)
{
    return (item->kind >= HB_ITEM_ADD && item->kind <= HB_ITEM_BETWEEN && item->kind != HB_ITEM_POWER) ||
           item->kind == HB_ITEM_WHERE || (item->kind == HB_ITEM_CALL && item->call->matches);
}

hb_status hb_types_match_columns(hb_types *t, const hb_item *item, const hb_type *operands)
{
    const uint32_t count = is_matched(item) && !t->context.keys_only ? hb_item_operands(item) : 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = i + 1; j < count; j++) {
            HB_TRY(match(t, operands, i, j));
        }
    }
    return HB_OK;
}
