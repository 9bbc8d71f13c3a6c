/* Comparisons of integers, and what is made of them, column by column: polynomials mod t (predicate.h). */
#include <stdlib.h>
#include <string.h>

#include "base/seed.h"
#include "lower.h"
#include "predicate.h"
#include "semantics.h"

static hb_number integer(int64_t number)
{
    return (hb_number){.integer = number, .real = (double)number};
}

/* One predicate of every column of x; negated: 1 - it. */
static hb_status each_column(hb_lowering *l, const hb_value *x, const hb_predicate *predicate, bool negated,
                             hb_value *out)
{
    *out = *x;
    HB_TRY(hb_lower_columns(l, x->columns, out));
    for (uint32_t i = 0; i < x->columns; i++) {
        uint32_t node;
        l->graph.value_column = i;
        HB_TRY(hb_graph_predicate(&l->graph, &l->predicates, l->pool[x->first + i], predicate, &node));
        if (negated) {
            HB_TRY(hb_graph_negate(&l->graph, node, &node));
            HB_TRY(hb_graph_add_constant(&l->graph, node, integer(1), &node));
            l->graph.nodes[node].interval = hb_interval_of(0, 1);
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
    const hb_predicate predicate = {.kind = equal ? HB_PREDICATE_EQUAL : HB_PREDICATE_BELOW, .number = number + next};
    return each_column(l, z, &predicate, negated, out);
}

hb_item_kind hb_comparison_turned(hb_item_kind kind)
{
    switch (kind) {
    case HB_ITEM_LESS:
        return HB_ITEM_GREATER;
    case HB_ITEM_GREATER:
        return HB_ITEM_LESS;
    case HB_ITEM_LESS_EQUAL:
        return HB_ITEM_GREATER_EQUAL;
    case HB_ITEM_GREATER_EQUAL:
        return HB_ITEM_LESS_EQUAL;
    default:
        return kind;
    }
}

hb_status hb_lower_compare_integers(hb_lowering *l, hb_item_kind kind, hb_value *x, hb_value *y, hb_value *out)
{
    hb_value apart;
    if (!hb_value_encrypted(x) && !hb_value_encrypted(y)) {
        return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, l->graph.item->at,
                          "nothing is encrypted on either side of the comparison");
    }
    if (!hb_value_encrypted(x)) {
        hb_value *plain = x;
        x = y;
        y = plain;
        kind = hb_comparison_turned(kind);
    }
    if (y->kind == HB_VALUE_NUMBER) {
        HB_TRY(hb_lower_load(l, x));
        return compare_with(l, kind, x, y->number.integer, out);
    }
    HB_TRY(hb_lower_binary(l, HB_ITEM_SUBTRACT, x, y, &apart));
    return compare_with(l, kind, &apart, 0, out);
}

/* --- tables of values */

/* Sets values[z - least] for z within the member. */
static void fill(int64_t *values, hb_interval domain, const hb_member *member, int64_t value)
{
    int64_t from = member->low.integer, to = member->high.integer;
    from = from > domain.least ? from : domain.least;
    to = to < domain.most ? to : domain.most;
    for (int64_t z = from; z <= to; z++) {
        values[z - domain.least] = value;
    }
}

static hb_status table_of_column(hb_lowering *l, uint32_t a, const hb_member *members, uint32_t count, uint32_t *out)
{
    hb_graph *g = &l->graph;
    const hb_interval domain = g->nodes[a].interval;
    if (g->params == NULL) {
        return hb_graph_predicate(g, &l->predicates, a, &(hb_predicate){.kind = HB_PREDICATE_TABLE}, out);
    }
    if (!domain.known || domain.least <= -INT64_MAX / 2 || domain.most >= INT64_MAX / 2) {
        return hb_graph_fail_unranged(g, a);
    }
    const uint64_t size = (uint64_t)(domain.most - domain.least) + 1;
    if (size > HB_PREDICATE_MOST_VALUES) {
        return hb_graph_predicate(g, &l->predicates, a, &(hb_predicate){.kind = HB_PREDICATE_TABLE}, out);
    }
    int64_t *values = calloc((size_t)size, sizeof *values);
    if (values == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a table of %llu values", (unsigned long long)size);
    }
    for (uint32_t i = count; i-- > 0;) { /* the first one counts */
        fill(values, domain, &members[i], members[i].entry ? members[i].value.integer : 1);
    }
    hb_interval range = hb_interval_of(values[0], values[0]);
    for (uint64_t i = 1; i < size; i++) {
        range = hb_interval_join(range, hb_interval_of(values[i], values[i]));
    }
    const hb_predicate predicate = {.kind = HB_PREDICATE_TABLE, .values = values, .range = range};
    const hb_status st = hb_graph_predicate(g, &l->predicates, a, &predicate, out);
    hb_wipe(values, (size_t)size * sizeof *values);
    free(values);
    return st;
}

hb_status hb_lower_table(hb_lowering *l, hb_value *x, const hb_member *members, uint32_t count, hb_value *out)
{
    HB_TRY(hb_lower_load(l, x));
    *out = *x;
    HB_TRY(hb_lower_columns(l, x->columns, out));
    for (uint32_t i = 0; i < x->columns; i++) {
        uint32_t node;
        l->graph.value_column = i;
        HB_TRY(table_of_column(l, l->pool[x->first + i], members, count, &node));
        l->pool[out->first + i] = node;
    }
    return HB_OK;
}

/* --- onehot and lookup */

static hb_status require(hb_lowering *l, const hb_item *item, hb_value *x)
{
    const hb_graph *g = &l->graph;
    if (g->semantics->reals) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, item->at,
                          "%s is of integers (BFV): reals are right only up to an error", hb_call_names[item->call]);
    }
    if (!hb_value_encrypted(x)) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, item->at, "%s works on encrypted values",
                          hb_call_names[item->call]);
    }
    return hb_lower_load(l, x);
}

hb_status hb_lower_onehot(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    hb_graph *g = &l->graph;
    hb_value *x = &arguments[0];
    uint64_t columns = 0;
    hb_member member;
    HB_TRY(require(l, item, x));
    if (x->columns != 1) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, item->at, "onehot is of one column, and here are %u", x->columns);
    }
    for (uint32_t i = 1; i < item->arguments; i++) {
        HB_TRY(hb_lower_member(l, &arguments[i], x->names, &member));
        columns += (uint64_t)(member.high.integer - member.low.integer) + 1;
        if (member.entry || columns > HB_GRAPH_MAX_NODES) {
            return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, item->at,
                              member.entry ? "entries are for lookup"
                                           : "onehot makes one column of each number, and "
                                             "these are too many");
        }
    }
    const hb_value one = *x;
    *out = (hb_value){.kind = x->kind};
    HB_TRY(hb_lower_columns(l, (uint32_t)columns, out));
    uint32_t column = 0;
    for (uint32_t i = 1; i < item->arguments; i++) {
        HB_TRY(hb_lower_member(l, &arguments[i], x->names, &member));
        for (int64_t number = member.low.integer; number <= member.high.integer; number++) {
            const hb_predicate predicate = {.kind = HB_PREDICATE_EQUAL, .number = number};
            g->value_column = column;
            HB_TRY(
                hb_graph_predicate(g, &l->predicates, l->pool[one.first], &predicate, &l->pool[out->first + column]));
            column++;
        }
    }
    return HB_OK;
}

static const hb_meaning *meaning_of(const hb_value *x, uint32_t column)
{
    static const hb_meaning number = {.kind = HB_MEANING_NUMBER};
    return x->names != NULL ? &x->names[column].meaning : &number;
}

/* Makes a key of a table that in the column x: of a category the place that the same label has there. False: no row has
 * it. */
static bool key_in(const hb_meaning *table, const hb_meaning *x, int64_t *key)
{
    uint64_t place = (uint64_t)*key;
    if (table->kind == HB_MEANING_CATEGORY) {
        const char *label = place < table->labels->count ? table->labels->text[place] : "";
        if (!hb_labels_find(x->labels, label, strlen(label), &place)) {
            return false;
        }
    }
    *key = (int64_t)place;
    return true;
}

/* Of a table of one column row z has the value of z, from 0 on; of two the first one has z. */
static hb_status table_members(hb_lowering *l, const hb_operand *table, const hb_value *x, hb_member *members,
                               uint64_t *count)
{
    const uint64_t columns = table->schema->columns;
    *count = 0;
    for (uint64_t i = 0; i < table->schema->rows; i++) {
        const hb_number *row = table->cells + i * columns;
        hb_value checked;
        int64_t key = columns == 2 ? row[0].integer : (int64_t)i;
        HB_TRY(hb_lower_number(l, row[columns - 1], false, &checked));
        if (columns == 1 || key_in(&table->schema->column[0].meaning, meaning_of(x, 0), &key)) {
            members[(*count)++] =
                (hb_member){.low = integer(key), .high = integer(key), .entry = true, .value = checked.number};
        }
    }
    return HB_OK;
}

/* Keys of a table are what the values are that are looked up, and 0, which stands where there is no key, is none of a
 * category or a date. */
static hb_status check_meanings(const hb_lowering *l, const hb_item *item, const hb_operand *table, const hb_value *x)
{
    const hb_column *columns = table->schema->column, *values = &columns[table->schema->columns - 1];
    const char *wrong = NULL;
    if (values->meaning.kind > HB_MEANING_BOOL) {
        wrong = "what a table says of values are numbers, as 0 stands where it says nothing";
    }
    for (uint32_t i = 0; i < x->columns && values != columns; i++) {
        const hb_meaning *key = &columns->meaning, *own = meaning_of(x, i);
        if (hb_meaning_scale(key) != 1) {
            wrong = "decimals are compared, and not looked up";
        } else if (key->kind != own->kind && (key->kind > HB_MEANING_BOOL || own->kind > HB_MEANING_BOOL)) {
            wrong = "the first column of the table means something else than what is looked up: of a category read "
                    "it with --category, too";
        } else if (key->kind == HB_MEANING_CATEGORY && !hb_meaning_same(own, meaning_of(x, 0))) {
            wrong = "categories of other labels are looked up one by one, as x.1";
        }
    }
    return wrong == NULL ? HB_OK : HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, item->at, "%s", wrong);
}

static hb_status check_table(const hb_lowering *l, const hb_item *item, const hb_operand *table)
{
    const hb_graph *g = &l->graph;
    if (table == NULL || table->encrypted) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, item->at,
                          "lookup(x, table) takes a plain table, or entries: lookup(x, 1:10, 2..5:20)");
    }
    if (table->schema->columns > 2 || table->cells == NULL) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, item->at,
                          "%.40s is no table to look up in: it has values of 0, 1, 2 ..., row by row, or two columns, "
                          "numbers and their values, and up to 2^20 cells",
                          table->name);
    }
    return HB_OK;
}

hb_status hb_lower_lookup(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    const hb_graph *g = &l->graph;
    const hb_value *second = &arguments[1];
    const bool entries = second->kind == HB_VALUE_ENTRY;
    uint64_t count = item->arguments - 1;
    hb_status st = HB_OK;
    HB_TRY(require(l, item, &arguments[0]));
    if (g->params == NULL) {
        return hb_lower_table(l, &arguments[0], NULL, 0, out);
    }
    if (!entries) {
        HB_TRY(check_table(l, item, second->whole));
        HB_TRY(check_meanings(l, item, second->whole, &arguments[0]));
        count = second->whole->schema->rows;
    }
    const uint64_t capacity = count;
    hb_member *members = calloc((size_t)capacity + 1, sizeof *members);
    if (members == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a table of %llu values", (unsigned long long)count);
    }
    if (!entries) {
        HB_GOTO(table_members(l, second->whole, &arguments[0], members, &count));
    }
    for (uint32_t i = 0; entries && i < count; i++) {
        HB_GOTO(hb_lower_member(l, &arguments[1 + i], arguments[0].names, &members[i]));
        if (!members[i].entry) {
            HB_GOTO(HB_FAIL_AT(HB_EUSAGE, g->syntax->text, item->at, "lookup takes entries, as 1:10 and 2..5:20"));
        }
    }
    HB_GOTO(hb_lower_table(l, &arguments[0], members, (uint32_t)count, out));
    out->names = NULL;
done:
    hb_wipe(members, ((size_t)capacity + 1) * sizeof *members);
    free(members);
    return st;
}

/* --- the larger, the smaller, and the distance from 0 */

static hb_interval values_of(const hb_lowering *l, const hb_value *x, uint32_t column)
{
    if (x->kind == HB_VALUE_NUMBER) {
        return hb_interval_of(x->number.integer, x->number.integer);
    }
    return l->graph.nodes[l->pool[x->first + (x->columns > 1 ? column : 0)]].interval;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* max(x, y) = y + (x - y)[x - y > 0], min(x, y) = y + (x - y)[x - y < 0]. */
hb_status hb_lower_extreme_integer(hb_lowering *l, hb_value *x, hb_value *y, bool largest, hb_value *out)
{
    hb_value apart, chosen, part, x_again = *x, y_again = *y;
    HB_TRY(hb_lower_binary(l, HB_ITEM_SUBTRACT, x, y, &apart));
    if (!hb_value_encrypted(&apart)) {
        return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, l->graph.item->at, "two constants are compared");
    }
    HB_TRY(compare_with(l, largest ? HB_ITEM_GREATER : HB_ITEM_LESS, &apart, 0, &chosen));
    HB_TRY(hb_lower_binary(l, HB_ITEM_MULTIPLY, &apart, &chosen, &part));
    HB_TRY(hb_lower_binary(l, HB_ITEM_ADD, &part, &y_again, out));
    HB_TRY(x_again.kind == HB_VALUE_NUMBER ? HB_OK : hb_lower_load(l, &x_again));
    HB_TRY(y_again.kind == HB_VALUE_NUMBER ? HB_OK : hb_lower_load(l, &y_again));
    for (uint32_t i = 0; i < out->columns; i++) {
        const hb_interval a = values_of(l, &x_again, i), b = values_of(l, &y_again, i);
        if (a.known && b.known) {
            l->graph.nodes[l->pool[out->first + i]].interval =
                largest ? hb_interval_of(larger(a.least, b.least), larger(a.most, b.most))
                        : hb_interval_of(smaller(a.least, b.least), smaller(a.most, b.most));
        }
    }
    return HB_OK;
}

/* x - 2 x [x < 0]. */
hb_status hb_lower_absolute(hb_lowering *l, hb_value *x, hb_value *out)
{
    hb_value below, part, twice, two = {.kind = HB_VALUE_NUMBER, .number = integer(2)};
    HB_TRY(compare_with(l, HB_ITEM_LESS, x, 0, &below));
    HB_TRY(hb_lower_binary(l, HB_ITEM_MULTIPLY, x, &below, &part));
    HB_TRY(hb_lower_binary(l, HB_ITEM_MULTIPLY, &two, &part, &twice));
    HB_TRY(hb_lower_binary(l, HB_ITEM_SUBTRACT, x, &twice, out));
    for (uint32_t i = 0; i < out->columns; i++) {
        const hb_interval a = values_of(l, x, i);
        if (a.known) {
            l->graph.nodes[l->pool[out->first + i]].interval = hb_interval_of(0, larger(-a.least, a.most));
        }
    }
    return HB_OK;
}
