/* Columns of two values are matched by position. Names of which both sides have some, but not all at the same places,
 * contradict this and are refused, unless the expression lists both; sides without a common name are noted. Every
 * operation that matches columns passes here, before anything is lowered. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lang_function.h"
#include "type_rules.h"

static int compare(const void *x, const void *y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

/* *count: of how many columns of x the names stand on the other side too, each as often as there; *shared: one of them.
 * Columns without a name have none in common. */
static hb_status find_shared(const hb_column *x, const hb_column *y, uint32_t columns, uint32_t *count,
                             const char **shared)
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
    *count = 0;
    for (uint32_t i = 0, j = 0; i < columns && j < columns;) {
        const int order = strcmp(names[i], names[columns + j]);
        if (order == 0 && names[i][0] != '\0') {
            *shared = names[i];
            ++*count;
        }
        i += order <= 0;
        j += order >= 0;
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

/* x, y: names that differ at one place, of operands of the item; shared: a name that both sides have, where others
 * stand on one side alone, or NULL; shown: messages may have their names. */
static hb_status fail_match(const hb_types *t, const hb_type *operands, const char *x, const char *y,
                            const char *shared, bool shown)
{
    const char *advice = order_advice(t, operands, !shown);
    char pair[112] = "", common[64] = "";
    if (shown) {
        snprintf(pair, sizeof pair, ", '%.40s' where the other has '%.40s'", x, y);
        snprintf(common, sizeof common, ", as '%.40s'", shared != NULL ? shared : "");
    }
    if (shared == NULL) {
        return HB_FAIL_AT(HB_EUSAGE, t->context.syntax->text, t->item->at,
                          "both sides have the same columns in another order%s; %s", pair, advice);
    }
    return HB_FAIL_AT(HB_EUSAGE, t->context.syntax->text, t->item->at,
                      "some columns are on both sides%s, and others on one side alone%s; columns pair by position, so "
                      "%s",
                      common, pair, advice);
}

/* Whether the expression lists the columns of a value itself, in parentheses: their places are no accident. */
static bool is_listed(const hb_type *type)
{
    return type->item != NULL && type->item->kind == HB_ITEM_CALL && type->item->call->parentheses;
}

/* Matches columns of two operands of the item. */
static hb_status match(hb_types *t, const hb_type *operands, uint32_t left, uint32_t right)
{
    const hb_column *x = operands[left].names, *y = operands[right].names;
    const uint32_t columns = operands[left].columns;
    if (columns < 2 || columns != operands[right].columns || x == NULL || y == NULL || x == y || is_noted(t, x, y)) {
        return HB_OK;
    }
    uint32_t i = 0, common = 0;
    const char *shared = NULL;
    while (i < columns && strcmp(x[i].name, y[i].name) == 0) {
        i++;
    }
    if (i == columns) {
        return HB_OK;
    }
    if (is_listed(&operands[left]) && is_listed(&operands[right])) {
        return HB_OK;
    }
    HB_TRY(find_shared(x, y, columns, &common, &shared));
    if (common > 0) {
        return fail_match(t, operands, x[i].name, y[i].name, common < columns ? shared : NULL,
                          hb_columns_show_names(x, columns) && hb_columns_show_names(y, columns));
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
