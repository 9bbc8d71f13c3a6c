#include "picked_columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/quoted.h"
#include "lang/functions/list.h"
#include "lang/text/binding.h"
#include "lang/text/syntax.h"

hb_status hb_columns_word(const char *name, char room[HB_COLUMN_WORD], const char **word)
{
    const bool plain = hb_name_valid(name);
    if (!plain && !hb_quoted_text(room, HB_COLUMN_WORD, name)) {
        return HB_FAIL(HB_EUSAGE, "a column's name is longer than %d bytes", HB_LABEL_MAX);
    }
    *word = plain ? name : room;
    return HB_OK;
}

hb_status hb_columns_add_name(char **list, const char *name)
{
    char room[HB_COLUMN_WORD], *longer = NULL;
    const char *word = NULL;
    HB_TRY(hb_columns_word(name, room, &word));
    if (hb_columns_have_word(*list, word)) {
        return HB_OK;
    }
    if (asprintf(&longer, "%s%s%s", *list != NULL ? *list : "", *list != NULL ? "," : "", word) < 0) {
        return HB_FAIL(HB_ENOMEM, "no memory for the columns of an expression");
    }
    free(*list);
    *list = longer;
    return HB_OK;
}

/* The columns picked from one name; *whole: it stands for its table. */
static hb_status pick_names(const hb_syntax *s, const char *name, char **list, bool *whole)
{
    for (uint32_t i = 0; i < s->count && !*whole; i++) {
        const hb_item *item = &s->items[i], *pick = i + 1 < s->count ? item + 1 : NULL;
        if (item->kind != HB_ITEM_NAME || !hb_item_is(s, item, name)) {
            continue;
        }
        *whole = pick == NULL || pick->kind != HB_ITEM_PICK || pick->number > 0;
        if (!*whole) {
            char *column = hb_unquoted(s->text + pick->word, '"', pick->word_length);
            const hb_status st = column != NULL ? hb_columns_add_name(list, column)
                                                : HB_FAIL(HB_ENOMEM, "no memory for the columns of an expression");
            free(column);
            HB_TRY(st);
        }
    }
    return HB_OK;
}

hb_status hb_picked_columns_find(const char *expression, char *const *reads, uint32_t count, const hb_range *ranges,
                                 uint32_t range_count, char **lists)
{
    hb_syntax syntax = {0};
    hb_status st;
    HB_GOTO(hb_syntax_parse(&syntax, expression, hb_lang_functions));
    for (uint32_t i = 0; i < count; i++) {
        bool whole = false;
        HB_GOTO(pick_names(&syntax, reads[i], &lists[i], &whole));
        for (uint32_t r = 0; r < range_count && !whole; r++) {
            if (strcmp(ranges[r].name, reads[i]) == 0) {
                whole = ranges[r].number > 0;
                HB_GOTO(ranges[r].column != NULL ? hb_columns_add_name(&lists[i], ranges[r].column) : HB_OK);
            }
        }
        whole = whole || lists[i] == NULL;
        if (whole) {
            free(lists[i]);
            lists[i] = NULL;
        }
    }
done:
    hb_syntax_clear(&syntax);
    return st;
}
