#include "syntax.h"

#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "quoted.h"

const char *const hb_function_names[] = {"square", "rotate", "swap", "sum", "dot", "poly", "rowsum", "modswitch", NULL};

/* What people write that there is not, and what they can do instead. */
static const struct {
    const char *name, *advice;
} missing[] = {
    {"mean", "use sum, and divide by the number of rows after decrypting"},
    {"avg", "use sum, and divide by the number of rows after decrypting"},
    {"average", "use sum, and divide by the number of rows after decrypting"},
    {"count", "the number of rows is no secret: hebatch info shows it"},
    {"min", "comparisons are not part of BFV; compare after decrypting"},
    {"max", "comparisons are not part of BFV; compare after decrypting"},
    {"median", "comparisons are not part of BFV; compare after decrypting"},
    {"abs", "comparisons are not part of BFV; take it after decrypting"},
    {"sqrt", "roots are not part of BFV; take them after decrypting"},
};

void hb_syntax_clear(hb_syntax *syntax)
{
    free(syntax->items);
    *syntax = (hb_syntax){0};
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
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        if (hb_item_is(syntax, item, missing[i].name)) {
            return HB_FAIL_AT(HB_EUSAGE, syntax->text, item->at, "there is no function '%s': %s", missing[i].name,
                              missing[i].advice);
        }
    }
    return hb_fail_unknown(syntax, item, "there is no function", hb_function_names);
}
