#include "lower.h"
#include "lang/functions/functions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/seed.h"
#include "lang/ir/known.h"
#include "lang/ir/semantics.h"
#include "lang/ir/symbolic_polynomial.h"
#include "lang/types/worked_out.h"
#include "lang/value/plain.h"

/* The last assignment to the name of an item; NULL: there is none. */
static hb_symbol *symbol_of(hb_lowering *l, const hb_item *item)
{
    const uint32_t latest = l->latest[item->name];
    return latest > 0 ? &l->symbols[latest - 1] : NULL;
}

hb_symbol *hb_lower_find(hb_lowering *l, const char *name)
{
    const hb_syntax *s = l->graph.syntax;
    uint32_t i = 0;
    while (i < s->count && !(s->items[i].kind == HB_ITEM_ASSIGN && hb_item_is(s, &s->items[i], name))) {
        i++;
    }
    return i < s->count ? symbol_of(l, &s->items[i]) : NULL;
}

/* Narrows the columns of a name to what is believed of it. */
static hb_status believe(hb_lowering *l, const hb_value *value, hb_interval values)
{
    for (uint32_t c = 0; hb_value_encrypted(value) && value->whole == NULL && c < value->columns; c++) {
        HB_TRY(hb_graph_believe(&l->graph, l->pool[value->first + c], values));
    }
    return HB_OK;
}

static hb_status keep_symbol(hb_lowering *l, hb_symbol symbol)
{
    if (l->symbol_count == l->symbol_capacity) {
        const uint32_t capacity = 2 * l->symbol_capacity + 16;
        hb_symbol *symbols = realloc(l->symbols, capacity * sizeof *symbols);
        if (symbols == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for the results of an expression");
        }
        l->symbols = symbols;
        l->symbol_capacity = capacity;
    }
    l->symbols[l->symbol_count++] = symbol;
    l->latest[symbol.item->name] = l->symbol_count;
    return HB_OK;
}

static hb_status assign(hb_lowering *l, const hb_item *item, hb_value value)
{
    const hb_graph *g = &l->graph;
    for (uint32_t i = 0; i < g->operand_count && g->params != NULL; i++) {
        const hb_operand *operand = &g->operands[i];
        if (!hb_item_is(g->syntax, item, operand->name)) {
            continue;
        }
        if (!hb_type_has_gaps(value.type)) {
            HB_TRY(believe(l, &value, operand->values));
        }
    }
    for (uint32_t c = 0;
         hb_value_encrypted(&value) && value.whole == NULL && hb_graph_at_column(&l->graph, c, value.columns); c++) {
        uint32_t *node = &l->pool[value.first + c];
        HB_TRY(hb_graph_as_polynomial(&l->graph, node));
        l->graph.nodes[*node].users++;
        l->graph.nodes[*node].named = true;
    }
    return keep_symbol(l, (hb_symbol){.item = item, .iteration = l->graph.position.iteration, .value = value});
}

static hb_status name(hb_lowering *l, const hb_item *item, hb_value *values, hb_value *out)
{
    hb_symbol *symbol = symbol_of(l, item);
    (void)values;
    if (symbol == NULL) {
        return hb_lower_operand(l, item, out);
    }
    symbol->read = true;
    *out = symbol->value;
    return HB_OK;
}

/* The first number that everybody knows. */
static uint32_t first_known(const hb_graph *g)
{
    uint32_t i = 0;
    while (i < g->count && !hb_node_is_known(g, i)) {
        i++;
    }
    HB_ASSERT(i < g->count);
    return i;
}

/* Makes a number of rows that is no secret a number to compute with: where ranges tell it, and types do not, a node. */
static hb_status take_count(hb_lowering *l, hb_value *value)
{
    hb_graph *g = &l->graph;
    const hb_grouping *grouping = value->grouping;
    const hb_type *type = value->type;
    if (value->columns > 0 || grouping->columns != 1 || grouping->keys.columns > 0) {
        return hb_fail_worked_out(g->syntax->text, g->position.item->at, hb_worked_out_words(grouping));
    }
    const uint64_t rows = hb_grouping_known(grouping, 0, grouping->column[0].part[0]);
    const hb_number number = {.integer = (int64_t)rows, .real = (double)rows}; /* below 2^63: files */
    if (type->kind == HB_TYPE_COUNT) {
        *value = (hb_value){.kind = HB_TYPE_NUMBER, .number = number, .type = type};
        return HB_OK;
    }
    HB_TRY(hb_lower_number(l, number, value));
    *value = (hb_value){.kind = HB_TYPE_TOTALS, .type = type, .means = type->means};
    HB_TRY(hb_lower_columns(l, 1, value));
    return hb_graph_known(g, first_known(g), true, number, &l->pool[value->first]);
}

/* A value that decryption works out is only stored, or put beside others. Numbers of rows are computed with, as nobody
 * keeps them secret. */
static hb_status check_worked_out(hb_lowering *l, const hb_item *item, hb_value *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!hb_takes_worked_out(item) && values[i].grouping != NULL) {
            HB_TRY(take_count(l, &values[i]));
        }
    }
    return HB_OK;
}

/* A function of its arguments. */
static hb_status call(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    const hb_lang_function *f = hb_lang_function_of(item);
    if (f->plain != NULL && hb_value_plain(&arguments[0])) {
        HB_TRY(hb_lower_load(l, &arguments[0]));
        return f->plain(l, item, arguments, out);
    }
    if (f->encrypted) {
        HB_TRY(hb_lower_load(l, &arguments[0]));
    }
    return f->column != NULL ? hb_lower_each_column(l, &arguments[0], (hb_column_operation){.unary = f->column}, out)
                             : f->lower(l, item, arguments, out);
}

static hb_status pick(hb_lowering *l, const hb_item *item, hb_value *values, hb_value *out)
{
    (void)item;
    *out = values[0];
    return hb_lower_pick(l, out);
}

static hb_status negative(hb_lowering *l, const hb_item *item, hb_value *values, hb_value *out)
{
    (void)item;
    return hb_lower_negate(l, &values[0], out);
}

static hb_status power(hb_lowering *l, const hb_item *item, hb_value *values, hb_value *out)
{
    (void)item;
    return hb_lower_power(l, &values[0], &values[1], out);
}

static hb_status matrix(hb_lowering *l, const hb_item *item, hb_value *values, hb_value *out)
{
    (void)item;
    return hb_lower_matrix(l, &values[0], &values[1], out);
}

static hb_status quotient(hb_lowering *l, const hb_item *item, hb_value *values, hb_value *out)
{
    (void)item;
    return hb_lower_divide(l, &values[0], &values[1], out);
}

/* x where condition: the value is x, and the condition is kept as that operand's value. */
static hb_status selection(hb_lowering *l, const hb_item *item, hb_value *values, hb_value *out)
{
    HB_TRY(hb_lower_load(l, &values[0]));
    if (values[1].kind == HB_TYPE_NUMBER) {
        HB_TRY(hb_lower_constant_condition(l, &values[0], &values[1]));
    } else {
        HB_TRY(hb_lower_require_condition(l, "where", &values[1]));
        HB_TRY(hb_lower_zeroed(l, &values[1]));
    }
    *hb_lower_operand_of(l, item, 1) = values[1];
    *out = values[0];
    return HB_OK;
}

/* Whether all values of column i of a plain value are whole: of reals. */
static hb_status is_whole(hb_lowering *l, hb_value x, uint32_t i, bool *is)
{
    enum { CHUNK = 512 };
    const hb_derived *d = &l->graph.constants.derived;
    hb_plain_value value[CHUNK];
    uint32_t column;
    hb_status st = HB_OK;
    HB_TRY(hb_lower_load(l, &x));
    HB_TRY(hb_plain_column(l, l->pool[x.first + (x.width > 0 ? 0 : i)], x.width > 0 ? i : 0, &column));
    const uint64_t rows = d->column[column].rows;
    *is = !d->column[column].complex;
    for (uint64_t row = 0; st == HB_OK && row < rows && *is; row += CHUNK) {
        const uint64_t count = rows - row < CHUNK ? rows - row : CHUNK;
        st = hb_derived_values(d, column, row, count, value);
        for (uint64_t k = 0; st == HB_OK && k < count && *is; k++) {
            *is = rint(value[k].real) == value[k].real;
        }
    }
    hb_wipe(value, sizeof value);
    return st;
}

/* To dates and times are added whole numbers of their unit alone, which the cells of plain columns show. */
static hb_status check_days(hb_lowering *l, const hb_value *dates, const hb_value *days)
{
    const uint32_t left = hb_value_width(dates), right = hb_value_width(days), columns = left > right ? left : right;
    bool whole = true;
    for (uint32_t i = 0; l->graph.semantics->reals && hb_value_plain(days) && whole && i < columns; i++) {
        if (dates->kind != HB_TYPE_NUMBER && hb_meaning_is_moment(hb_value_meaning(dates, i)) &&
            !hb_meaning_is_moment(hb_value_meaning(days, i))) {
            HB_TRY(is_whole(l, *days, right > 1 ? i : 0, &whole));
        }
    }
    return whole ? HB_OK
                 : HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, l->graph.position.item->at,
                              "days are whole numbers, and so are the units of times; the plain table has others");
}

static hb_status binary(hb_lowering *l, const hb_item *item, hb_value *values, hb_value *out)
{
    HB_TRY(check_days(l, &values[0], &values[1]));
    HB_TRY(check_days(l, &values[1], &values[0]));
    return hb_lower_binary(l, item->kind, &values[0], &values[1], out);
}

/* How the value of an item is made of its values, where its type is none of a constant or of a member; those of an
 * assignment become a symbol, and no walk comes to loops. */
typedef hb_status lowerer(hb_lowering *l, const hb_item *item, hb_value *values, hb_value *out);
static lowerer *const lowerers[] = {
    [HB_ITEM_NAME] = name,
    [HB_ITEM_PICK] = pick,
    [HB_ITEM_NEGATE] = negative,
    [HB_ITEM_ADD] = binary,
    [HB_ITEM_SUBTRACT] = binary,
    [HB_ITEM_MULTIPLY] = binary,
    [HB_ITEM_DIVIDE] = quotient,
    [HB_ITEM_POWER] = power,
    [HB_ITEM_MATRIX] = matrix,
    [HB_ITEM_LESS] = hb_lower_condition,
    [HB_ITEM_GREATER] = hb_lower_condition,
    [HB_ITEM_LESS_EQUAL] = hb_lower_condition,
    [HB_ITEM_GREATER_EQUAL] = hb_lower_condition,
    [HB_ITEM_EQUAL] = hb_lower_condition,
    [HB_ITEM_NOT_EQUAL] = hb_lower_condition,
    [HB_ITEM_AND] = hb_lower_condition,
    [HB_ITEM_OR] = hb_lower_condition,
    [HB_ITEM_NOT] = hb_lower_condition,
    [HB_ITEM_BETWEEN] = hb_lower_condition,
    [HB_ITEM_IN] = hb_lower_condition,
    [HB_ITEM_MISSING] = hb_lower_condition,
    [HB_ITEM_WHERE] = selection,
    [HB_ITEM_CALL] = call,
    [HB_ITEM_REPEAT] = NULL, /* the last kind */
};

/* --- any item */

static hb_number whole(uint64_t number)
{
    return (hb_number){.integer = (int64_t)number, .real = (double)number};
}

/* Multiplies a plain column by a number, in the clear. */
static hb_status multiply_plain(hb_lowering *l, uint32_t node, hb_number by, uint32_t *out)
{
    hb_value column = {.kind = HB_TYPE_TABLE}, number = {.kind = HB_TYPE_NUMBER, .number = by}, product;
    HB_TRY(hb_lower_columns(l, 1, &column));
    l->pool[column.first] = node;
    HB_TRY(hb_lower_plain(l, HB_ITEM_MULTIPLY, &column, &number, &product));
    *out = l->pool[product.first];
    return HB_OK;
}

/* Brings columns to scales that are their own already or larger: decimals are held times a power of ten. */
static hb_status scale(hb_lowering *l, hb_value *x, hb_means means)
{
    hb_graph *g = &l->graph;
    bool same = true;
    for (uint32_t i = 0; i < hb_value_width(x) || (i == 0 && x->kind == HB_TYPE_NUMBER); i++) {
        same = same && hb_meaning_scale(hb_value_meaning(x, i)) == hb_meaning_scale(hb_means_of(means, i));
    }
    if (same) {
        return HB_OK;
    }
    if (x->kind == HB_TYPE_NUMBER) {
        hb_value scaled;
        const uint64_t by = hb_meaning_scale(hb_means_of(means, 0)) / hb_meaning_scale(hb_value_meaning(x, 0));
        HB_TRY(hb_lower_numbers(l, HB_ITEM_MULTIPLY, x->number, whole(by), &scaled));
        x->number = scaled.number;
        x->means = means;
        return HB_OK;
    }
    HB_TRY(hb_lower_load(l, x));
    hb_value scaled = *x;
    HB_TRY(hb_lower_columns(l, x->columns, &scaled));
    for (uint32_t i = 0; hb_graph_at_column(g, i, x->columns); i++) {
        const hb_number by = whole(hb_meaning_scale(hb_means_of(means, i)) / hb_meaning_scale(hb_value_meaning(x, i)));
        uint32_t node = l->pool[x->first + i];
        if (by.integer != 1 && hb_value_plain(x)) {
            HB_TRY(multiply_plain(l, node, by, &node));
        } else if (by.integer != 1) {
            hb_value number;
            HB_TRY(hb_lower_number(l, by, &number));
            HB_TRY(hb_graph_scale(g, node, number.number, &node));
        }
        l->pool[scaled.first + i] = node;
    }
    scaled.means = means;
    *x = scaled;
    return HB_OK;
}

/* A value must have the columns that its type says. A value that decryption works out has those of sums. A value of
 * rows that a condition selects is the one before the selection. */
static hb_status check_type(const hb_lowering *l, const hb_item *item, const hb_value *value)
{
    const hb_type *type = l->type;
    const hb_type_kind kind = type->kind == HB_TYPE_COUNT        ? HB_TYPE_NUMBER
                              : type->kind == HB_TYPE_WORKED_OUT ? HB_TYPE_TOTALS
                                                                 : type->kind;
    const bool same = value->kind == kind && hb_value_width(value) == type->columns;
    return same || value->grouping != NULL || item->kind == HB_ITEM_WHERE
               ? HB_OK
               : HB_FAIL(HB_EINTERNAL,
                         "a fault of the compiler: character %u is of type %u with %u columns, and its "
                         "value of kind %u has %u",
                         item->at, type->kind, type->columns, value->kind, hb_value_width(value));
}

/* Makes the value of an item of those of its operands, which it may change for itself. */
static hb_status make_value(hb_lowering *l, const hb_item *item, hb_value *values, uint32_t count, hb_value *out)
{
    const hb_type *type = l->type;
    if (type->kind == HB_TYPE_NUMBER) {
        hb_symbol *symbol = item->kind == HB_ITEM_NAME ? symbol_of(l, item) : NULL;
        if (symbol != NULL) {
            symbol->read = true;
        }
        *out = (hb_value){.kind = HB_TYPE_NUMBER, .number = type->number, .means = type->means};
        return HB_OK;
    }
    if (type->kind >= HB_TYPE_TEXT) {
        *out = (hb_value){.kind = type->kind};
        return HB_OK;
    }
    for (uint32_t i = 0; i < count; i++) {
        const bool count_of_rows = values[i].kind == HB_TYPE_NUMBER && values[i].type->kind == HB_TYPE_COUNT;
        const bool columns = hb_value_encrypted(&values[i]) || hb_value_plain(&values[i]);
        if ((columns || count_of_rows) && values[i].grouping == NULL) {
            HB_TRY(scale(l, &values[i], values[i].type->taken));
        }
    }
    bool folded;
    HB_TRY(hb_lower_numbers_of(l, item, values, count, &folded, out));
    if (folded) {
        out->means = type->means;
        return HB_OK;
    }
    HB_ASSERT(lowerers[item->kind] != NULL);
    HB_TRY(hb_lower_zero_fills(l, item, values, count));
    HB_TRY(lowerers[item->kind](l, item, values, out));
    if (out->grouping == NULL) {
        out->means = type->means;
    }
    return HB_OK;
}

static hb_status step(hb_lowering *l, const hb_item *item)
{
    const uint32_t count = hb_item_operands(item);
    hb_value out = {0}, *values = l->arguments;
    for (uint32_t i = count, back = 1; i-- > 0;) {
        const hb_item *operand = item - back;
        values[i] = l->values[operand - l->graph.syntax->items];
        back += operand->size;
    }
    HB_TRY(check_worked_out(l, item, values, count));
    if ((l->type->kind == HB_TYPE_GROUPED && count > 0) || l->type->kind == HB_TYPE_ENTRY) {
        *hb_lower_operand_of(l, item, count - 1) = values[count - 1]; /* taken later: a number of rows as a number */
    }
    if (item->kind == HB_ITEM_ASSIGN) {
        return assign(l, item, values[0]);
    }
    HB_TRY(make_value(l, item, values, count, &out));
    out.type = l->type;
    l->values[item - l->graph.syntax->items] = out;
    return check_type(l, item, &out);
}

void hb_lower_settled_text(char out[HB_SETTLED_TEXT], const hb_lowering *l, uint32_t i)
{
    const hb_settled *settled = &l->notes.settled[i];
    char condition[64];
    out[0] = '\0';
    if (i < l->notes.settled_count) {
        hb_excerpt(condition, sizeof condition, l->graph.syntax->text, settled->item->from, settled->item->to);
        snprintf(out, HB_SETTLED_TEXT, "'%s' is %s true", condition, settled->truth ? "always" : "never");
    }
}

/* Goes through all items, loops as often as they are repeated. */
static hb_status walk_all(hb_lowering *l)
{
    const hb_types *types = hb_lower_types(l);
    hb_steps_way way = {.walk.syntax = l->graph.syntax};
    hb_lower_set_rows(l);
    for (const hb_item *item; (item = hb_steps_next(&types->steps, &way)) != NULL;) {
        l->type = &types->list[way.type];
        hb_graph_at_item(&l->graph, item, way.walk.iteration);
        const hb_status st = step(l, item);
        if (st != HB_OK) {
            return hb_fail_in_iteration(way.walk.iteration, st);
        }
    }
    return HB_OK;
}

hb_status hb_lower_check(hb_lowering *l)
{
    const hb_graph *g = &l->graph;
    const hb_types_context context = {.syntax = g->syntax,
                                      .operands = g->operands,
                                      .operand_count = g->operand_count,
                                      .spec = g->spec,
                                      .semantics = g->semantics,
                                      .block = g->block,
                                      .keys_only = g->params == NULL};
    return hb_checked_make(&context, &l->checked);
}

hb_status hb_lower(hb_lowering *l)
{
    const hb_syntax *s = l->graph.syntax;
    const hb_graph empty = l->graph;
    l->values = calloc(s->count, sizeof *l->values);
    l->arguments = calloc(s->count, sizeof *l->arguments);
    l->latest = calloc((size_t)s->names + 1, sizeof *l->latest);
    if (l->values == NULL || l->arguments == NULL || l->latest == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for an expression");
    }
    HB_TRY(walk_all(l));
    if (l->predicates.count == 0 || l->measured) {
        return HB_OK;
    }
    HB_TRY(hb_predicates_plan(&l->predicates, &l->graph));
    hb_graph_clear(&l->graph);
    l->graph = empty;
    l->pool_count = l->symbol_count = l->truths.count = 0;
    memset(l->latest, 0, s->names * sizeof *l->latest);
    l->notes = (hb_lowered_notes){0};
    return walk_all(l);
}

static void clear_table(hb_lowered_table *table)
{
    if (table->cells != NULL) { /* numbers of a table that may be private */
        hb_wipe(table->cells, (size_t)(table->schema.rows * table->schema.columns) * sizeof *table->cells);
    }
    free(table->cells);
    hb_schema_clear(&table->schema);
    free(table);
}

void hb_lower_clear(hb_lowering *l)
{
    hb_graph_clear(&l->graph);
    hb_checked_leave(l->checked);
    hb_made_columns_clear(&l->columns);
    hb_lowering_clear_approximations(l);
    free(l->pool);
    free(l->values);
    free(l->arguments);
    free(l->symbols);
    free(l->latest);
    hb_predicates_clear(&l->predicates);
    while (l->tables != NULL) {
        hb_lowered_table *next = l->tables->next;
        clear_table(l->tables);
        l->tables = next;
    }
    *l = (hb_lowering){0};
}
