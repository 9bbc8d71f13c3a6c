/* Encrypted keys of groups, and the values that they may have. Keys of reals are believed to be whole numbers. An
 * expression that makes fractions is refused: each of them would count a little in two groups, without a word. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "groups.h"
#include "lang/ir/known.h"
#include "lang/ir/semantics.h"
#include "lang/program/interval_words.h"

hb_status hb_grouper_fail(const hb_grouper *x, const char *what)
{
    return HB_FAIL_AT(HB_EUSAGE, x->l->graph.syntax->text, x->item->at, "%s", what);
}

/* --- whole numbers */

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

/* Refuses a key of reals that is written so that it makes fractions. */
static hb_status check_key(const hb_lowering *l, const hb_item *key)
{
    const hb_syntax *s = l->graph.syntax;
    if (!l->graph.semantics->reals || !makes_fractions(s, key)) {
        return HB_OK;
    }
    return HB_FAIL_AT(HB_EUSAGE, s->text, key->at,
                      "groups need whole numbers, and this makes fractions of them; count ranges of a column, as in "
                      "histogram(x, 10..19, 20..29), or make a column of groups before encryption");
}

/* --- the values of keys */

/* Refuses a key whose values are not known, or more than `most`: each has a comparison of its own. */
static hb_status refuse_range(const hb_grouper *x, uint32_t key, const hb_interval *of, uint64_t most)
{
    const char *text = x->l->graph.syntax->text, *parts = x->bins ? "bins" : "groups";
    char values[HB_INTERVAL_TEXT], name[40] = "the values";
    if (!x->bins) {
        snprintf(name, sizeof name, "the values of key %u", key + 1);
    }
    if (!of->known) {
        return HB_FAIL_AT(HB_EUSAGE, text, x->item->at,
                          "%s are not known; %s need those of up to %llu, declared as in --range p.status=1..12", name,
                          parts, (unsigned long long)most);
    }
    hb_interval_words_counted(values, *of, hb_value_meaning(&x->keys, key));
    return hb_advise(
        HB_FAIL_AT(HB_EUSAGE, text, x->item->at, "%s are %s, and %s need those of up to %llu: too many to tell apart",
                   name, values, parts, (unsigned long long)most),
        HB_ADVICE_FEWER, ", whatever %s there are; count some by conditions, as in count(x.age < 500)", parts);
}

/* The values that a key can have, by its range or its meaning. */
static hb_status range_of(const hb_grouper *x, uint32_t key, hb_interval *out)
{
    const hb_graph *g = &x->l->graph;
    const hb_meaning *meaning = hb_value_meaning(&x->keys, key);
    *out = g->nodes[x->l->pool[x->keys.first + key]].range.interval;
    if (out->real) {
        /* Whole numbers, as is believed of keys. */
        const bool held = out->known && out->low >= -0x1p53 && out->high <= 0x1p53;
        *out = held ? hb_interval_of((int64_t)ceil(out->low), (int64_t)floor(out->high)) : (hb_interval){0};
        out->known = held && out->least <= out->most;
    }
    if (meaning->kind == HB_MEANING_CATEGORY) {
        const hb_interval labels = hb_interval_of(0, (int64_t)meaning->labels->count - 1);
        const hb_interval both = out->known ? hb_interval_meet(*out, labels) : labels;
        *out = both.known ? both : labels;
    }
    if (meaning->kind == HB_MEANING_BOOL && !out->known) {
        *out = hb_interval_of(0, 1);
    }
    if (g->params == NULL) {
        *out = hb_interval_of(0, 2); /* keys are the same of all ranges */
    }
    const bool small = !g->semantics->reals && hb_graph_modulus(g) < HB_MOST_GROUPED_VALUES;
    const uint64_t most = small ? hb_graph_modulus(g) : HB_MOST_GROUPED_VALUES;
    if (!out->known || (uint64_t)out->most - (uint64_t)out->least >= most) {
        return refuse_range(x, key, out, most);
    }
    return HB_OK;
}

/* An encrypted key, with all values that it may have. */
static hb_status set_key(const hb_grouper *x, uint32_t k, hb_group_key *key)
{
    hb_interval range;
    key->node = x->l->pool[x->keys.first + k];
    HB_TRY(range_of(x, k, &range));
    key->count = (uint32_t)(range.most - range.least) + 1;
    key->values = malloc(key->count * sizeof *key->values);
    if (key->values == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the keys of groups");
    }
    for (uint32_t i = 0; i < key->count; i++) {
        key->values[i] = range.least + i;
    }
    return HB_OK;
}

/* The groups that there are in plain tables, whose rows the filter selects. */
static hb_status set_plain_keys(hb_grouper *x, uint32_t count)
{
    uint32_t *nodes = calloc((size_t)count + 1, sizeof *nodes);
    if (nodes == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the keys of groups");
    }
    for (uint32_t k = 0; k < x->keys.columns; k++) {
        if (x->plain_key[k]) {
            nodes[x->key_place[k]] = x->l->pool[x->keys.first + k];
        }
    }
    const hb_status st = hb_plain_groups_find(x->l, nodes, count, x->plain_filter, HB_MOST_GROUPED_VALUES, &x->plain);
    free(nodes);
    HB_TRY(st);
    x->plain_filter = HB_NO_NODE; /* rows that it does not select are in no group */
    return x->plain.count > 0 ? HB_OK : hb_grouper_fail(x, "no row of the plain tables is in a group");
}

hb_status hb_grouper_set_keys(hb_grouper *x)
{
    const hb_graph *g = &x->l->graph;
    const uint32_t count = x->keys.columns;
    uint32_t plain = 0;
    HB_TRY(check_key(x->l, hb_item_operand(x->item, 0)));
    x->plain_key = calloc((size_t)count + 1, sizeof *x->plain_key);
    x->key_place = calloc((size_t)count + 1, sizeof *x->key_place);
    x->groups.keys = calloc((size_t)count + 1, sizeof *x->groups.keys);
    if (x->plain_key == NULL || x->key_place == NULL || x->groups.keys == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the keys of groups");
    }
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t node = x->l->pool[x->keys.first + k];
        x->plain_key[k] = g->nodes[node].shape.plain && !hb_node_is_known(g, node);
        x->key_place[k] = x->plain_key[k] ? plain++ : x->groups.key_count++;
        HB_TRY(x->plain_key[k] ? HB_OK : set_key(x, k, &x->groups.keys[x->key_place[k]]));
    }
    x->plain.count = 1;
    return plain > 0 ? set_plain_keys(x, plain) : HB_OK;
}
