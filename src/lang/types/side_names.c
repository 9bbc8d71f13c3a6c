/* Names of columns of several values side by side: their own, and where several have the same one, words of the
 * expression that tell them apart. */
#include <stdlib.h>
#include <string.h>

#include "table/utf8.h"
#include "type_rules.h"

/* A column among all of them. */
typedef struct place {
    const char *name;
    uint32_t side, column, at;
} place;

static int compare(const void *x, const void *y)
{
    const place *a = x, *b = y;
    const int order = strcmp(a->name, b->name);
    return order != 0 ? order : (a->at > b->at) - (a->at < b->at);
}

/* Names have a longest length. */
static void cut(char *name)
{
    size_t length = strlen(name);
    while (length > HB_COLUMN_NAME_MAX || (length > 0 && !hb_is_utf8(name))) { /* cut within a character */
        name[--length] = '\0';
    }
}

hb_status hb_aggregate_name(const hb_syntax *syntax, const hb_item *item, const char *of, char **name)
{
    const hb_item *first = hb_item_operand(item, 0);
    char *condition = NULL;
    if (first->kind == HB_ITEM_WHERE) {
        const hb_item *second = hb_item_operand(first, 1);
        HB_TRY(hb_words_name(syntax, second->from, second->to, " where %s", &condition));
    }
    const hb_status st = hb_name_print(name, "%s(%s%s)", item->call->name, of, condition != NULL ? condition : "");
    free(condition);
    HB_TRY(st);
    cut(*name);
    return HB_OK;
}

/* Words that a column of a value is told apart by. own: its name there; "": none. */
static hb_status words_of(const hb_syntax *syntax, const hb_side *side, uint32_t column, const char *own, char **name)
{
    const hb_item *item = side->item;
    const bool named = own[0] != '\0';
    const bool whole = item->kind == HB_ITEM_NAME || item->kind == HB_ITEM_PICK || item->kind == HB_ITEM_CALL;
    char *words;
    if (side->columns == 1) {
        return hb_words_name(syntax, item->from, item->to, "%s", name);
    }
    if (named && !side->parts && item->kind == HB_ITEM_CALL && item->call->aggregate) {
        return hb_aggregate_name(syntax, item, own, name);
    }
    const char *form = whole || !named ? "%s" : "(%s)";
    HB_TRY(hb_words_name(syntax, item->from, item->to, form, &words));
    const hb_status st =
        named ? hb_name_print(name, "%s.%s", words, own) : hb_name_print(name, "%s.%u", words, column + 1);
    free(words);
    HB_TRY(st);
    cut(*name);
    return HB_OK;
}

static bool is_column(const hb_side *side)
{
    return side->item->kind == HB_ITEM_NAME || side->item->kind == HB_ITEM_PICK;
}

/* Whether a side is an aggregate that is called as it is written. The number of rows is called count. */
static bool is_called(const hb_side *side, const char *own)
{
    return side->shown && side->item->kind == HB_ITEM_CALL && side->item->call->aggregate &&
           strcmp(own, side->item->call->name) != 0;
}

/* Among columns of one name a plain column keeps it; the others are computed from columns. A column that stands there
 * twice, as in (x.a, x.a), keeps it in its first place. */
static hb_status name_alike(const hb_syntax *syntax, const hb_side *sides, const place *list, uint32_t count,
                            char **names)
{
    uint32_t columns = 0;
    for (uint32_t i = 0; i < count; i++) {
        columns += is_column(&sides[list[i].side]);
    }
    for (uint32_t i = 0; i < count; i++) {
        const hb_side *side = &sides[list[i].side];
        const bool keeps = list[i].name[0] != '\0' && !is_called(side, list[i].name) &&
                           (count == 1 || (columns == 1 && is_column(side)));
        const hb_status st = keeps ? hb_name_print(&names[list[i].at], "%s", list[i].name)
                                   : words_of(syntax, side, list[i].column, list[i].name, &names[list[i].at]);
        HB_TRY(st);
    }
    bool again = false;
    for (uint32_t i = 1; i < count && columns > 1 && is_column(&sides[list->side]); i++) {
        again = again || strcmp(names[list[i].at], names[list->at]) == 0;
    }
    if (again && list->name[0] != '\0') {
        free(names[list->at]);
        HB_TRY(hb_name_print(&names[list->at], "%s", list->name));
    }
    return HB_OK;
}

/* Names of the list that are the same stand side by side after this. */
static uint32_t alike(const place *list, uint32_t count, uint32_t first)
{
    uint32_t end = first + 1;
    while (end < count && strcmp(list[end].name, list[first].name) == 0) {
        end++;
    }
    return end;
}

hb_status hb_name_sides(const hb_syntax *syntax, const hb_item *item, const hb_side *sides, uint32_t count,
                        const char *const *own, bool apart, char **names)
{
    uint32_t total = 0, at = 0;
    for (uint32_t i = 0; i < count; i++) {
        total += sides[i].columns;
    }
    place *list = calloc((size_t)total + 1, sizeof *list);
    hb_status st = list != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for the names of %u columns", total);
    for (uint32_t i = 0; st == HB_OK && i < count; i++) {
        for (uint32_t c = 0; c < sides[i].columns; c++, at++) {
            list[at] = (place){own[at] != NULL ? own[at] : "", i, c, at};
        }
    }
    for (uint32_t i = 0, end; i < total && st == HB_OK; i = end) {
        if (i == 0) {
            qsort(list, total, sizeof *list, compare);
        }
        end = alike(list, total, i);
        st = name_alike(syntax, sides, list + i, end - i, names);
    }
    for (uint32_t i = 0; i < total && st == HB_OK; i++) {
        list[i].name = names[list[i].at];
    }
    if (st == HB_OK && total > 0) {
        qsort(list, total, sizeof *list, compare);
    }
    for (uint32_t i = 0; i < total && st == HB_OK && apart; i++) {
        st = alike(list, total, i) == i + 1 ? HB_OK
                                            : HB_FAIL_AT(HB_EUSAGE, syntax->text, item->at,
                                                         "two columns of the result are called '%.60s'", list[i].name);
    }
    free(list);
    return st;
}
