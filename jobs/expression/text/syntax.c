#include "syntax.h"

#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "missing.h"
#include "quoted.h"

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
        return 0;
    case HB_ITEM_PICK:
    case HB_ITEM_NEGATE:
    case HB_ITEM_NOT:
    case HB_ITEM_ASSIGN:
        return 1;
    case HB_ITEM_BETWEEN:
        return 3;
    case HB_ITEM_AND:
    case HB_ITEM_OR:
    case HB_ITEM_IN:
    case HB_ITEM_CALL:
        return item->arguments;
    default:
        return 2;
    }
}

bool hb_item_is(const hb_syntax *syntax, const hb_item *item, const char *name)
{
    return hb_quoted_is(syntax->text + item->word, item->word_length, name);
}

hb_status hb_fail_unknown(const hb_syntax *syntax, const hb_item *item, const char *what, const char *const *names)
{
    char word[40], shown[40];
    hb_excerpt(word, sizeof word, syntax->text, item->word, item->word + item->word_length);
    const char *near = hb_nearest(word, names);
    if (near == NULL) {
        return HB_FAIL_AT(HB_EUSAGE, syntax->text, item->at, "%s '%s'", what, word);
    }
    hb_excerpt(shown, sizeof shown, near, 0, (uint32_t)strlen(near));
    return HB_FAIL_AT(HB_EUSAGE, syntax->text, item->at, "%s '%s'; did you mean %s?", what, word, shown);
}

hb_status hb_fail_function(const hb_syntax *syntax, const hb_item *item)
{
    const hb_missing *missing;
    for (size_t i = 0; (missing = hb_missing_function(i)) != NULL; i++) {
        if (hb_item_is(syntax, item, missing->name)) {
            return HB_FAIL_AT(HB_EUSAGE, syntax->text, item->at, "there is no function '%s': %s", missing->name,
                              missing->advice);
        }
    }
    return hb_fail_unknown(syntax, item, "there is no function", hb_call_names);
}
