/* Comparisons of integers, and functions that use them, column by column: polynomials mod t (predicate.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/seed.h"
#include "functions.h"
#include "lang/ir/bootstrap.h"
#include "lang/ir/predicate.h"
#include "lang/ir/symbolic_polynomial.h"
#include "lang/program/interval_words.h"
#include "open_columns.h"
#include "scheme/quality.h"
#include "table/utf8.h"

static hb_number integer(int64_t number)
{
    return (hb_number){.integer = number, .real = (double)number};
}

/* For messages; NULL: an intermediate value, which has none. */
static const hb_meaning *meaning_of(const hb_value *x, uint32_t column)
{
    return x->means.all != NULL || x->means.each != NULL ? hb_value_meaning(x, column) : NULL;
}

/* --- columns in coefficients */

/* Returns the value of a predicate at z. */
static int64_t value_at(const hb_predicate *predicate, int64_t z, int64_t least)
{
    return predicate->kind == HB_PREDICATE_TABLE   ? predicate->values[z - least]
           : predicate->kind == HB_PREDICATE_EQUAL ? z == predicate->number
                                                   : z < predicate->number;
}

static uint64_t modulo(int64_t value, uint64_t t)
{
    const int64_t rest = value % (int64_t)t;
    return (uint64_t)(rest < 0 ? rest + (int64_t)t : rest);
}

/* Checks that parameters have tables, and that t tells the values apart. Sets *bits to those of t. */
static hb_status check_lookup(const hb_graph *g, uint32_t a, const hb_meaning *meaning, uint32_t *bits)
{
    const hb_interval domain = g->nodes[a].range.interval;
    const hb_status st = hb_quality_table_bits(g->params, bits);
    if (st != HB_OK) {
        const hb_error cause = *hb_last_error();
        return HB_FAIL_AT(st, g->syntax->text, g->position.item->at,
                          "%.40s holds its values as coefficients, which are compared and looked up by tables while "
                          "they are bootstrapped: %.300s",
                          g->first->name, cause.text);
    }
    if (hb_predicate_values(domain) == 0) {
        return hb_graph_fail_unranged(g, a);
    }
    if (hb_predicate_values(domain) <= UINT64_C(1) << *bits) {
        return HB_OK;
    }
    char text[HB_INTERVAL_TEXT];
    hb_interval_words_counted(text, domain, meaning);
    return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                      "values %s are more than t = %llu tells apart: declare narrower ones with --range", text,
                      1ULL << *bits);
}

/* Values that do not occur have the entry 0. Entries that are all the same are a number that everybody knows. */
static hb_status look_up(hb_graph *g, uint32_t a, const hb_predicate *predicate, uint32_t *out)
{
    const hb_interval domain = g->nodes[a].range.interval;
    uint64_t entries[1 << HB_TABLE_MOST_BITS] = {0};
    hb_bootstrap_table table = {.entries = entries};
    HB_TRY(check_lookup(g, a, predicate->meaning, &table.bits));
    const uint64_t t = UINT64_C(1) << table.bits;
    const int64_t first = value_at(predicate, domain.least, domain.least);
    bool same = true;
    for (int64_t z = domain.least; z <= domain.most; z++) {
        const int64_t value = value_at(predicate, z, domain.least);
        entries[modulo(z, t)] = modulo(value, t);
        same = same && value == first;
    }
    if (same) {
        return hb_graph_known(g, a, g->nodes[a].shape.total, integer(first), out);
    }
    const hb_status st = hb_graph_lookup(g, a, &table, out);
    hb_wipe(entries, sizeof entries);
    HB_TRY(st);
    hb_graph_values_are(g, *out, predicate->kind == HB_PREDICATE_TABLE ? predicate->range : hb_interval_of(0, 1));
    return HB_OK;
}

/* Makes a predicate by products of slots, or by a table of coefficients. */
static hb_status make_predicate(hb_lowering *l, uint32_t a, const hb_predicate *predicate, uint32_t *out)
{
    hb_graph *g = &l->graph;
    const bool table = g->params != NULL && g->encoding == HB_ENCODE_COEFFICIENTS && !g->semantics->reals;
    return table ? look_up(g, a, predicate, out) : hb_graph_predicate(g, &l->predicates, a, predicate, out);
}

/* --- comparisons with a number */

/* One predicate of every column of x; where it is negated, 1 - it. */
static hb_status each_column(hb_lowering *l, const hb_value *x, const hb_predicate *predicate, hb_value *out)
{
    *out = *x;
    HB_TRY(hb_lower_columns(l, x->columns, out));
    for (uint32_t i = 0; hb_graph_at_column(&l->graph, i, x->columns); i++) {
        uint32_t node;
        hb_predicate own = *predicate;
        own.meaning = meaning_of(x, i);
        HB_TRY(make_predicate(l, l->pool[x->first + i], &own, &node));
        if (predicate->negated) {
            HB_TRY(hb_graph_negate(&l->graph, node, &node));
            HB_TRY(hb_graph_add_constant(&l->graph, node, integer(1), &node));
            hb_graph_values_are(&l->graph, node, hb_interval_of(0, 1));
        }
        l->pool[out->first + i] = node;
    }
    return HB_OK;
}

/* z < number, or z == number, of which others are the opposite. */
static hb_status compare_with(hb_lowering *l, hb_item_kind kind, const hb_value *z, int64_t number, hb_value *out)
{
    const bool equal = kind == HB_ITEM_EQUAL || kind == HB_ITEM_NOT_EQUAL;
    const bool negated = kind == HB_ITEM_NOT_EQUAL || kind == HB_ITEM_GREATER || kind == HB_ITEM_GREATER_EQUAL;
    const bool next = kind == HB_ITEM_LESS_EQUAL || kind == HB_ITEM_GREATER; /* z <= c: z < c + 1 */
    const hb_predicate predicate = {.kind = equal ? HB_PREDICATE_EQUAL : HB_PREDICATE_BELOW,
                                    .number = number + (next && number < INT64_MAX), /* no value is known to be that */
                                    .negated = negated};
    return each_column(l, z, &predicate, out);
}

/* Differences of decimals are decimals, those of others plain numbers. */
static hb_status subtract(hb_lowering *l, hb_value *x, hb_value *y, hb_value *out)
{
    const bool decimals = x->means.all != NULL && x->means.all->kind == HB_MEANING_NUMBER;
    const hb_means means = decimals ? x->means : (hb_means){0};
    HB_TRY(hb_lower_binary(l, HB_ITEM_SUBTRACT, x, y, out));
    out->means = means;
    return HB_OK;
}

hb_status hb_lower_compare_integers(hb_lowering *l, hb_item_kind kind, hb_value *x, hb_value *y, hb_value *out)
{
    hb_value apart;
    if (!hb_value_encrypted(x) && !hb_value_encrypted(y)) {
        return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, l->graph.position.item->at,
                          "nothing is encrypted on either side of the comparison");
    }
    if (!hb_value_encrypted(x)) {
        hb_value *plain = x;
        x = y;
        y = plain;
        kind = hb_comparison_turned(kind);
    }
    if (y->kind == HB_TYPE_NUMBER) {
        HB_TRY(hb_lower_load(l, x));
        return compare_with(l, kind, x, y->number.integer, out);
    }
    HB_TRY(subtract(l, x, y, &apart));
    return compare_with(l, kind, &apart, 0, out);
}

/* --- tables of values */

/* Sets values[z - least], and says so in `has`, for z within the member. */
static void fill(int64_t *values, bool *has, hb_interval domain, const hb_member *member, int64_t value)
{
    int64_t from = member->low.integer, to = member->high.integer;
    from = from > domain.least ? from : domain.least;
    to = to < domain.most ? to : domain.most;
    for (int64_t z = from; z <= to; z++) {
        values[z - domain.least] = value;
        has[z - domain.least] = true;
    }
}

/* Adds to a list a value as its column shows it: a label in quotes. */
static void name_value(char *list, size_t bytes, const hb_meaning *meaning, int64_t value)
{
    enum { SHOWN = 40 };
    char room[HB_MEANING_TEXT];
    const size_t used = strlen(list);
    const char *text = meaning != NULL ? hb_meaning_text(meaning, true, (uint64_t)value, room) : NULL;
    const char *comma = used > 0 ? ", " : "";
    if (text == NULL) {
        snprintf(list + used, bytes - used, "%s%lld", comma, (long long)value);
        return;
    }
    const char *quote = meaning->kind == HB_MEANING_CATEGORY ? "'" : "";
    snprintf(list + used, bytes - used, "%s%s%.*s%s", comma, quote, (int)hb_utf8_shown(text, strlen(text), SHOWN), text,
             quote);
}

/* Refuses a table that has no entry for some values of a column. */
static hb_status check_complete(hb_lowering *l, const bool *has, hb_interval domain, const hb_meaning *meaning)
{
    enum { MOST_NAMED = 3, ROOM = 160 };
    const hb_item *item = l->graph.position.item;
    const bool labels = meaning != NULL && meaning->kind == HB_MEANING_CATEGORY;
    const hb_meaning *given = hb_type_meaning(l->type, 0);
    const bool gives_labels = given != NULL && given->kind == HB_MEANING_CATEGORY;
    char named[ROOM] = "", call[ROOM], other[ROOM] = "";
    uint64_t gaps = 0;
    name_value(other, sizeof other, gives_labels ? given : NULL, 0);
    for (int64_t z = domain.least; z <= domain.most; z++) {
        if (!has[z - domain.least] && gaps++ < MOST_NAMED) {
            name_value(named, sizeof named, meaning, z);
        }
    }
    if (gaps == 0) {
        return HB_OK;
    }
    l->hopeless = true; /* no other parameters would do */
    hb_excerpt(call, sizeof call, l->graph.syntax->text, item->from, item->to - 1);
    return HB_FAIL_AT(HB_EDATA, l->graph.syntax->text, item->at,
                      "no entry for %llu %s%s that the column may have (%s%s): add entries, or the %s of all "
                      "others, as in %s, %s)",
                      (unsigned long long)gaps, labels ? "label" : "value", gaps > 1 ? "s" : "", named,
                      gaps > MOST_NAMED ? ", .." : "", gives_labels ? "label" : "number", call, other);
}

/* Makes a table of `size` values from the domain's least one on; `values` and `has` are zeroed. */
static hb_status make_table(hb_lowering *l, uint32_t a, const hb_meaning *meaning, const hb_members *table,
                            int64_t *values, bool *has, uint32_t *out)
{
    hb_graph *g = &l->graph;
    const hb_interval domain = g->nodes[a].range.interval;
    for (uint32_t i = table->count; i-- > 0;) { /* the first one counts */
        const hb_member *member = &table->list[i];
        fill(values, has, domain, member, member->entry ? member->value.integer : 1);
    }
    if (table->complete) {
        HB_TRY(check_complete(l, has, domain, meaning));
    }
    hb_interval range = hb_interval_of(values[0], values[0]);
    for (int64_t z = domain.least; z <= domain.most; z++) {
        const int64_t value = values[z - domain.least];
        range = hb_interval_join(range, hb_interval_of(value, value));
    }
    const hb_predicate predicate = {.kind = HB_PREDICATE_TABLE, .values = values, .range = range, .meaning = meaning};
    return make_predicate(l, a, &predicate, out);
}

static hb_status table_of_column(hb_lowering *l, uint32_t a, const hb_meaning *meaning, const hb_members *table,
                                 uint32_t *out)
{
    hb_graph *g = &l->graph;
    const hb_interval domain = g->nodes[a].range.interval;
    if (g->params == NULL) {
        return hb_graph_predicate(g, &l->predicates, a, &(hb_predicate){.kind = HB_PREDICATE_TABLE}, out);
    }
    if (!domain.known || domain.least <= -INT64_MAX / 2 || domain.most >= INT64_MAX / 2) {
        return hb_graph_fail_unranged(g, a);
    }
    const uint64_t size = (uint64_t)(domain.most - domain.least) + 1;
    if (size > HB_PREDICATE_MOST_VALUES) {
        return hb_graph_predicate(g, &l->predicates, a, &(hb_predicate){.kind = HB_PREDICATE_TABLE, .meaning = meaning},
                                  out);
    }
    int64_t *values = calloc((size_t)size, sizeof *values);
    bool *has = calloc((size_t)size, sizeof *has);
    const hb_status st = values != NULL && has != NULL
                             ? make_table(l, a, meaning, table, values, has, out)
                             : HB_FAIL(HB_ENOMEM, "no memory for a table of %llu values", (unsigned long long)size);
    if (values != NULL) {
        hb_wipe(values, (size_t)size * sizeof *values);
    }
    free(values);
    free(has);
    return st;
}

hb_status hb_lower_table(hb_lowering *l, hb_value *x, hb_members members, hb_value *out)
{
    HB_TRY(hb_lower_load(l, x));
    *out = *x;
    HB_TRY(hb_lower_columns(l, x->columns, out));
    for (uint32_t i = 0; hb_graph_at_column(&l->graph, i, x->columns); i++) {
        uint32_t node;
        HB_TRY(table_of_column(l, l->pool[x->first + i], meaning_of(x, i), &members, &node));
        l->pool[out->first + i] = node;
    }
    return HB_OK;
}

/* --- the larger, the smaller, and the distance from 0 */

/* The ranges of the larger, or the smaller, of two. */
static void narrow_extreme(hb_lowering *l, const hb_value *x, const hb_value *y, bool largest, const hb_value *out)
{
    for (uint32_t i = 0; i < out->columns; i++) {
        const hb_interval a = hb_open_columns_values(l, x, i), b = hb_open_columns_values(l, y, i);
        if (a.known && b.known && l->graph.nodes[l->pool[out->first + i]].op != HB_OP_KNOWN) {
            const bool least = (hb_wide_compare(a.wide_least, b.wide_least) > 0) == largest,
                       most = (hb_wide_compare(a.wide_most, b.wide_most) > 0) == largest;
            l->graph.nodes[l->pool[out->first + i]].range.interval =
                hb_interval_of_wide(least ? a.wide_least : b.wide_least, most ? a.wide_most : b.wide_most);
        }
    }
}

/* max(x, y) = y + (x - y)[x - y > 0], min(x, y) = y + (x - y)[x - y < 0]. */
hb_status hb_lower_extreme_integer(hb_lowering *l, hb_value *x, hb_value *y, bool largest, hb_value *out)
{
    hb_value apart, chosen, part;
    HB_TRY(subtract(l, x, y, &apart));
    HB_TRY(compare_with(l, largest ? HB_ITEM_GREATER : HB_ITEM_LESS, &apart, 0, &chosen));
    HB_TRY(hb_lower_binary(l, HB_ITEM_MULTIPLY, &apart, &chosen, &part));
    HB_TRY(hb_lower_binary(l, HB_ITEM_ADD, &part, y, out));
    narrow_extreme(l, x, y, largest, out);
    return HB_OK;
}

/* x - 2 x [x < 0]. */
static hb_status magnitude(hb_lowering *l, hb_value *x, hb_value *out)
{
    hb_value below, part, twice, two = {.kind = HB_TYPE_NUMBER, .number = integer(2)};
    HB_TRY(compare_with(l, HB_ITEM_LESS, x, 0, &below));
    HB_TRY(hb_lower_binary(l, HB_ITEM_MULTIPLY, x, &below, &part));
    HB_TRY(hb_lower_binary(l, HB_ITEM_MULTIPLY, &two, &part, &twice));
    HB_TRY(hb_lower_binary(l, HB_ITEM_SUBTRACT, x, &twice, out));
    for (uint32_t i = 0; i < out->columns; i++) {
        const hb_interval a = hb_open_columns_values(l, x, i);
        if (a.known) {
            const hb_wide low = hb_wide_negate(a.wide_least), high = a.wide_most;
            hb_graph_values_are(&l->graph, l->pool[out->first + i],
                                hb_interval_of_wide(hb_wide_of(0), hb_wide_compare(low, high) > 0 ? low : high));
        }
    }
    return HB_OK;
}

/* x or -x where ranges tell that its sign is the same everywhere. */
hb_status hb_lower_absolute(hb_lowering *l, hb_value *x, hb_value *out)
{
    hb_value open, made;
    *out = *x;
    HB_TRY(hb_open_columns_begin(l, x->columns, out));
    for (uint32_t i = 0; hb_graph_at_column(&l->graph, i, x->columns); i++) {
        uint32_t node = l->pool[x->first + i];
        const bool above = hb_open_columns_side(l, node, 1) > 0, below = hb_open_columns_side(l, node, -1) < 0;
        if (below && !above) {
            HB_TRY(hb_graph_negate(&l->graph, node, &node));
        }
        l->pool[out->first + i] = above || below ? node : HB_NO_NODE;
    }
    const uint32_t left = hb_open_columns_count(l, out);
    if (left == 0) {
        return HB_OK;
    }
    HB_TRY(hb_open_columns_part(l, x, out, &open));
    HB_TRY(magnitude(l, &open, &made));
    hb_open_columns_fill(l, &made, out);
    return HB_OK;
}
