#include "syntax.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/quoted.h"
#include "binding.h"
#include "unavailable.h"

void hb_syntax_clear(hb_syntax *syntax)
{
    free(syntax->items);
    *syntax = (hb_syntax){0};
}

uint32_t hb_item_operands(const hb_item *item)
{
    switch (item->kind) {
    case HB_ITEM_NUMBER:
    case HB_ITEM_NAME:
    case HB_ITEM_TEXT:
    case HB_ITEM_REPEAT:
        return 0;
    case HB_ITEM_PICK:
    case HB_ITEM_NEGATE:
    case HB_ITEM_NOT:
    case HB_ITEM_MISSING:
    case HB_ITEM_ASSIGN:
        return 1;
    case HB_ITEM_BETWEEN:
        return 3;
    case HB_ITEM_AND:
    case HB_ITEM_OR:
    case HB_ITEM_IN:
    case HB_ITEM_CALL:
        return item->arguments;
    case HB_ITEM_ADD:
    case HB_ITEM_SUBTRACT:
    case HB_ITEM_MULTIPLY:
    case HB_ITEM_DIVIDE:
    case HB_ITEM_POWER:
    case HB_ITEM_MATRIX:
    case HB_ITEM_LESS:
    case HB_ITEM_GREATER:
    case HB_ITEM_LESS_EQUAL:
    case HB_ITEM_GREATER_EQUAL:
    case HB_ITEM_EQUAL:
    case HB_ITEM_NOT_EQUAL:
    case HB_ITEM_WHERE:
    case HB_ITEM_RANGE:
    case HB_ITEM_ENTRY:
        break;
    }
    return 2;
}

bool hb_item_is(const hb_syntax *syntax, const hb_item *item, const char *name)
{
    return hb_quoted_is(syntax->text + item->word, item->word_length, name);
}

/* Writes a name as the item would need it: a column that is no word stands in quotes, behind its operand. */
static void write_name(char *out, size_t size, const hb_syntax *syntax, const hb_item *item, const char *name)
{
    char quoted[160], from[40];
    const uint32_t word = item->word - (syntax->text[item->word - (item->word > 0)] == '"');
    hb_excerpt(out, size, name, 0, (uint32_t)strlen(name));
    if (item->kind == HB_ITEM_PICK && !hb_name_valid(name) && hb_quoted_text(quoted, sizeof quoted, name)) {
        hb_excerpt(from, sizeof from, syntax->text, item->from, word);
        snprintf(out, size, "%s%s", from, quoted);
    }
}

hb_status hb_fail_unknown(const hb_syntax *syntax, const hb_item *item, const char *what, const char *const *names)
{
    char word[40], shown[200];
    hb_excerpt(word, sizeof word, syntax->text, item->word, item->word + item->word_length);
    const char *near = hb_nearest(word, names);
    if (near == NULL) {
        return HB_FAIL_AT(HB_EUSAGE, syntax->text, item->at, "%s '%s'", what, word);
    }
    write_name(shown, sizeof shown, syntax, item, near);
    return HB_FAIL_AT(HB_EUSAGE, syntax->text, item->at, "%s '%s'; did you mean %s?", what, word, shown);
}

hb_status hb_fail_function(const hb_syntax *syntax, const hb_item *item)
{
    const hb_unavailable *row;
    for (size_t i = 0; (row = hb_unavailable_functions(i)) != NULL; i++) {
        for (const char *const *name = row->names; *name != NULL; name++) {
            if (hb_item_is(syntax, item, *name)) {
                const hb_status st = HB_FAIL_AT(HB_EUSAGE, syntax->text, item->at, "there is no function '%s'", *name);
                return hb_advise(st, row->derived ? HB_ADVICE_DERIVE : HB_ADVICE_INSTEAD, ": %s", row->advice);
            }
        }
    }
    size_t count = 0;
    while (syntax->functions[count] != NULL) {
        count++;
    }
    const char **names = calloc(count + 1, sizeof *names);
    if (names == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the names of functions");
    }
    for (size_t i = 0; i < count; i++) {
        names[i] = syntax->functions[i]->name;
    }
    const hb_status st = hb_fail_unknown(syntax, item, "there is no function", names);
    free(names);
    return st;
}

hb_item_kind hb_comparison_turned(hb_item_kind kind)
{
    static const hb_item_kind turned[][2] = {{HB_ITEM_LESS, HB_ITEM_GREATER},
                                             {HB_ITEM_LESS_EQUAL, HB_ITEM_GREATER_EQUAL}};
    for (size_t i = 0; i < sizeof turned / sizeof *turned; i++) {
        if (kind == turned[i][0] || kind == turned[i][1]) {
            return kind == turned[i][0] ? turned[i][1] : turned[i][0];
        }
    }
    return kind;
}
