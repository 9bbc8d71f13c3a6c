/* Columns are matched by position; whether that is what their names say. */
#include <stdlib.h>
#include <string.h>

#include "lowering.h"

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

static bool is_noted(const hb_lowering *l, const hb_value *x, const hb_value *y)
{
    for (uint32_t i = 0; i < l->notes.match_count; i++) {
        const hb_match *match = &l->notes.matches[i];
        if ((match->x == x->names && match->y == y->names) || (match->x == y->names && match->y == x->names)) {
            return true;
        }
    }
    return false;
}

hb_status hb_lower_match(hb_lowering *l, const hb_value *x, const hb_value *y)
{
    const uint32_t width = hb_value_width(x);
    if (x->kind == HB_VALUE_NUMBER || y->kind == HB_VALUE_NUMBER || width < 2 || width != hb_value_width(y) ||
        x->names == NULL || y->names == NULL || x->names == y->names || is_noted(l, x, y)) {
        return HB_OK;
    }
    const hb_graph *g = &l->graph;
    uint32_t i = 0;
    bool same = false;
    while (i < width && strcmp(x->names[i].name, y->names[i].name) == 0) {
        i++;
    }
    if (i == width) {
        return HB_OK;
    }
    HB_TRY(same_names(x->names, y->names, width, &same));
    if (same && !hb_columns_show_names(x->names, width)) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          "both sides have the same columns in another order; pick them by number, as in a.1 + b.2");
    }
    if (same) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          "both sides have the same columns in another order, '%.40s' where the other has '%.40s'; "
                          "pick them by name, as in a.age + b.age",
                          x->names[i].name, y->names[i].name);
    }
    if (l->notes.match_count < HB_MOST_MATCHES) {
        l->notes.matches[l->notes.match_count++] = (hb_match){g->position.item, x->names, y->names, width};
    }
    return HB_OK;
}
