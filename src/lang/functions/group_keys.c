/* Keys of groups of reals are believed to be whole numbers. An expression that makes fractions is refused: each of them
 * would count a little in two groups, without a word. */
#include <math.h>
#include <string.h>

#include "groups.h"

/* The item that makes the value of a name where it stands: of its last assignment before; NULL for an operand. */
static const hb_item *value_of_name(const hb_syntax *s, const hb_item *name)
{
    const hb_item *item = name;
    while (item-- > s->items) {
        if (item->kind == HB_ITEM_ASSIGN && item->word_length == name->word_length &&
            memcmp(s->text + item->word, s->text + name->word, name->word_length) == 0) {
            return item - 1;
        }
    }
    return NULL;
}

/* Whether an item makes fractions of whole numbers, by how it is written. */
static bool makes_fractions(const hb_syntax *s, const hb_item *item)
{
    if (item->kind >= HB_ITEM_LESS && item->kind <= HB_ITEM_MISSING) { /* conditions are 0 or 1 */
        return false;
    }
    if (item->kind == HB_ITEM_NAME) {
        const hb_item *value = value_of_name(s, item);
        return value != NULL && makes_fractions(s, value);
    }
    bool found = item->kind == HB_ITEM_DIVIDE || (item->kind == HB_ITEM_NUMBER && item->real != rint(item->real)) ||
                 (item->kind == HB_ITEM_CALL && item->call->reals != NULL);
    for (uint32_t i = 0; !found && i < hb_item_operands(item); i++) {
        found = makes_fractions(s, hb_item_operand(item, i));
    }
    return found;
}

hb_status hb_group_check_key(const hb_lowering *l, const hb_item *key)
{
    const hb_syntax *s = l->graph.syntax;
    if (!l->graph.semantics->reals || !makes_fractions(s, key)) {
        return HB_OK;
    }
    return HB_FAIL_AT(HB_EUSAGE, s->text, key->at,
                      "groups need whole numbers, and this makes fractions of them; count ranges of a column, as in "
                      "histogram(x, 10..19, 20..29), or make a column of groups before encryption");
}
