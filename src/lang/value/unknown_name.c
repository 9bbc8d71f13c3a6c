/* Names that nothing is bound to, and what people may mean by them. */
#include <stdlib.h>
#include <string.h>

#include "lowering.h"

/* The operand with a column that is called as the item says; NULL: there is none. */
static const hb_operand *owner_of(const hb_graph *g, const hb_item *item)
{
    for (uint32_t i = 0; i < g->operand_count; i++) {
        const hb_schema *schema = g->operands[i].schema;
        for (uint64_t c = 0; schema->named && c < schema->columns; c++) {
            if (hb_item_is(g->syntax, item, schema->column[c].name)) {
                return &g->operands[i];
            }
        }
    }
    return NULL;
}

/* Whether some column has a label that is called as the item says. */
static bool is_label(const hb_graph *g, const hb_item *item)
{
    uint64_t place;
    for (uint32_t i = 0; i < g->operand_count; i++) {
        const hb_schema *schema = g->operands[i].schema;
        for (uint64_t c = 0; c < schema->columns; c++) {
            const hb_labels *labels = schema->column[c].meaning.labels;
            if (labels != NULL && hb_labels_find(labels, g->syntax->text + item->word, item->word_length, &place)) {
                return true;
            }
        }
    }
    return false;
}

hb_status hb_lower_unknown_name(const hb_lowering *l, const hb_item *item)
{
    const hb_graph *g = &l->graph;
    const hb_operand *owner = owner_of(g, item);
    if (owner != NULL) {
        char word[40];
        hb_excerpt(word, sizeof word, g->syntax->text, item->word, item->word + item->word_length);
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, item->at,
                          "nothing is bound to '%s'; it is a column of %.40s: write %.40s.%s", word, owner->name,
                          owner->name, word);
    }
    if (is_label(g, item)) {
        char word[40];
        hb_excerpt(word, sizeof word, g->syntax->text, item->word, item->word + item->word_length);
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, item->at,
                          "nothing is bound to '%s'; a label is written in single quotes: '%s'", word, word);
    }
    const uint32_t count = g->operand_count + l->symbol_count;
    const char **names = calloc(count + 1, sizeof *names);
    hb_status st = HB_OK;
    for (uint32_t i = 0; names != NULL && i < count; i++) {
        const hb_item *assigned = i < g->operand_count ? NULL : l->symbols[i - g->operand_count].item;
        names[i] = assigned == NULL ? strdup(g->operands[i].name)
                                    : strndup(g->syntax->text + assigned->word, assigned->word_length);
        st = names[i] == NULL ? HB_ENOMEM : st;
    }
    st = names == NULL || st != HB_OK ? HB_FAIL(HB_ENOMEM, "no memory for names")
                                      : hb_fail_unknown(g->syntax, item, "nothing is bound to", names);
    for (uint32_t i = 0; names != NULL && i < count; i++) {
        free((char *)names[i]);
    }
    free(names);
    return st;
}
