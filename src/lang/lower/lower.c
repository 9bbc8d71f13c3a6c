#include "lower.h"
#include "lang/functions/functions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/seed.h"
#include "lang/ir/semantics.h"
#include "lang/ir/symbolic_polynomial.h"
#include "lang/text/unavailable.h"
#include "lang/value/lang_function.h"

/* The last assignment to that name; NULL if there is none. */
static hb_symbol *find(hb_lowering *l, const char *name, size_t length)
{
    for (uint32_t i = l->symbol_count; i-- > 0;) {
        const hb_item *item = l->symbols[i].item;
        if (item->word_length == length && memcmp(l->graph.syntax->text + item->word, name, length) == 0) {
            return &l->symbols[i];
        }
    }
    return NULL;
}

static hb_symbol *symbol_of(hb_lowering *l, const hb_item *item)
{
    return find(l, l->graph.syntax->text + item->word, item->word_length);
}

hb_symbol *hb_lower_find(hb_lowering *l, const char *name)
{
    return find(l, name, strlen(name));
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
        if (!operand->believed) {
            return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, item->at,
                              "%.40s is bound to an input; choose another name for the result", operand->name);
        }
        HB_TRY(believe(l, &value, operand->values));
    }
    if (hb_value_is_item(&value, HB_ITEM_TEXT)) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, value.item->at,
                          "a text is no value by itself: it stands for one of the column beside it");
    }
    if (value.grouping != NULL && value.columns == 0) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, item->at,
                          "the number of rows is no secret: hebatch info shows it; beside others it is a column, as in "
                          "cols(sum(x), count())");
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

static hb_status name(hb_lowering *l, const hb_item *item, hb_value *out)
{
    hb_symbol *symbol = symbol_of(l, item);
    if (symbol == NULL) {
        return hb_lower_operand(l, item, out);
    }
    symbol->read = true;
    *out = symbol->value;
    return HB_OK;
}

/* A decimal among integers is an integer times a power of ten, as columns of decimals are. */
static hb_status decimal(const hb_lowering *l, const hb_item *item, hb_number *number, hb_means *means)
{
    const hb_syntax *s = l->graph.syntax;
    const size_t length = item->to - item->from;
    uint64_t magnitude = 0;
    bool negative;
    int digits = 0;
    hb_decimal_fault fault = hb_decimal_parse(s->text + item->from, length, 0, &magnitude, &negative, &digits);
    fault = digits <= HB_MOST_SCALE_DIGITS
                ? hb_decimal_parse(s->text + item->from, length, digits, &magnitude, &negative, NULL)
                : fault;
    if (fault != HB_DECIMAL_GOOD || magnitude > INT64_MAX) {
        return HB_FAIL_AT(HB_EUSAGE, s->text, item->at,
                          "the constant has more than 18 digits behind the point, or than 64 bits without it");
    }
    *number = (hb_number){.integer = (int64_t)magnitude, .real = item->real};
    *means = hb_means_all(hb_meaning_decimals(hb_scale_of_digits(digits)));
    return HB_OK;
}

static hb_status literal(const hb_lowering *l, const hb_item *item, hb_value *out)
{
    if (item->imaginary && !l->graph.semantics->reals) {
        return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, item->at,
                          "constants are integers; complex numbers are for values that are reals, under CKKS");
    }
    hb_number number = {.integer = item->number, .real = item->real};
    hb_means means = {0};
    HB_TRY(item->decimal && !l->graph.semantics->reals ? decimal(l, item, &number, &means) : HB_OK);
    const hb_interval all = l->graph.semantics->numbers(l->graph.spec);
    if (!all.real && (number.integer < all.least || number.integer > all.most)) {
        /* check_numbers says what it is for */
        *out = (hb_value){.kind = HB_VALUE_NUMBER, .number = number, .beyond = true, .means = means};
        return HB_OK;
    }
    HB_TRY(hb_lower_number(l, item->imaginary ? (hb_number){.imaginary = item->real} : number, false, out));
    out->means = means;
    return HB_OK;
}

static hb_status divide(hb_lowering *l, const hb_item *item, hb_value *x, hb_value *y, hb_value *out)
{
    if (!l->graph.semantics->reals) {
        return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, item->at, "%s", hb_unavailable_operator("/"));
    }
    return hb_lower_divide(l, x, y, out);
}

static bool is_comparison(const hb_item *item)
{
    return (item->kind >= HB_ITEM_LESS && item->kind <= HB_ITEM_NOT_EQUAL) || item->kind == HB_ITEM_BETWEEN ||
           item->kind == HB_ITEM_IN;
}

/* Numbers that are none mod t are there for digits. */
static hb_status check_literals(hb_lowering *l, const hb_item *item, const hb_value *values, uint32_t count)
{
    bool digits = false;
    for (uint32_t i = 0; i < count; i++) {
        digits = digits || values[i].kind == HB_VALUE_DIGITS;
    }
    for (uint32_t i = 0; i < count && !(is_comparison(item) && digits); i++) {
        if (values[i].beyond) {
            hb_value none;
            hb_graph_at_item(&l->graph, values[i].item, l->graph.position.iteration);
            HB_TRY(hb_lower_number(l, values[i].number, false, &none));
        }
    }
    return HB_OK;
}

/* Digits are compared, and nothing else: arithmetic takes numbers. */
static hb_status check_digits(hb_lowering *l, const hb_item *item, const hb_value *values, uint32_t count)
{
    const bool takes = is_comparison(item) || item->kind == HB_ITEM_ASSIGN;
    for (uint32_t i = 0; i < count && !takes; i++) {
        if (values[i].kind == HB_VALUE_DIGITS) {
            return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, item->at,
                              "digits are compared; the number that they are is base*high + low");
        }
    }
    return check_literals(l, item, values, count);
}

/* What decryption works out is only stored, or put beside others; of what was stored before, columns are picked. */
static hb_status check_totals(hb_lowering *l, const hb_item *item, hb_value *values, uint32_t count)
{
    const bool any =
        item->kind == HB_ITEM_ASSIGN || (item->kind == HB_ITEM_CALL && hb_lang_function_of(item)->worked_out);
    for (uint32_t i = 0; i < count; i++) {
        if (!any) {
            HB_TRY(hb_lower_take_count(l, &values[i]));
            HB_TRY(hb_lower_require_plain_totals(l, &values[i]));
        }
        HB_TRY(item->kind == HB_ITEM_PICK ? HB_OK : hb_lower_require_no_stored_parts(l, &values[i]));
    }
    return HB_OK;
}

/* What the text has in the place of a value is looked at where it stands, by the item that takes it. */
static hb_status none(hb_lowering *l, const hb_item *item, hb_value *values, hb_value *out)
{
    (void)l;
    (void)item;
    (void)values;
    *out = (hb_value){.kind = HB_VALUE_NONE};
    return HB_OK;
}

/* A function of its arguments, after what its row asks of the scheme and of the first of them. */
static hb_status call(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    const hb_lang_function *f = hb_lang_function_of(item);
    const hb_graph *g = &l->graph;
    if (f->call.reals != NULL && !g->semantics->reals) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, item->at, "there is no function '%s': %s", f->call.name,
                          f->call.reals);
    }
    if (f->integers && g->semantics->reals) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, item->at,
                          "%s is of integers (BFV): reals are right only up to an error", f->call.name);
    }
    if (item->grouped && f->call.aggregate) { /* groups take what it is of from its operand */
        return none(l, item, arguments, out);
    }
    if (f->plain != NULL && hb_value_plain(&arguments[0])) {
        HB_TRY(hb_lower_load(l, &arguments[0]));
        return f->plain(l, item, arguments, out);
    }
    if (f->encrypted) {
        HB_TRY(hb_lower_require_encrypted(l, f->call.name, &arguments[0]));
    }
    return f->column != NULL ? hb_lower_each_column(l, &arguments[0], (hb_column_operation){.plain = f->column}, out)
                             : f->lower(l, item, arguments, out);
}

static hb_status number(hb_lowering *l, const hb_item *item, hb_value *values, hb_value *out)
{
    (void)values;
    return literal(l, item, out);
}

static hb_status named(hb_lowering *l, const hb_item *item, hb_value *values, hb_value *out)
{
    (void)values;
    return name(l, item, out);
}

static hb_status pick(hb_lowering *l, const hb_item *item, hb_value *values, hb_value *out)
{
    *out = values[0];
    return hb_lower_pick(l, item, out);
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
    return divide(l, item, &values[0], &values[1], out);
}

static hb_status member(hb_lowering *l, const hb_item *item, hb_value *values, hb_value *out)
{
    HB_TRY(hb_lower_check_ends(l, item, values));
    return none(l, item, values, out);
}

static hb_status binary(hb_lowering *l, const hb_item *item, hb_value *values, hb_value *out)
{
    return hb_lower_binary(l, item->kind, &values[0], &values[1], out);
}

/* How the value of an item is made of its values; those of an assignment become a symbol, and no walk comes to
 * loops. */
typedef hb_status lowerer(hb_lowering *l, const hb_item *item, hb_value *values, hb_value *out);
static lowerer *const lowerers[] = {
    [HB_ITEM_NUMBER] = number,
    [HB_ITEM_NAME] = named,
    [HB_ITEM_TEXT] = none,
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
    [HB_ITEM_WHERE] = hb_lower_where,
    [HB_ITEM_RANGE] = member,
    [HB_ITEM_ENTRY] = member,
    [HB_ITEM_CALL] = call,
    [HB_ITEM_REPEAT] = NULL, /* the last kind */
};

/* Makes the value of an item of those of its operands, which it may change for itself. */
static hb_status step(hb_lowering *l, const hb_item *item)
{
    const uint32_t taken = hb_item_operands(item);
    hb_value out = {0}, *values = l->arguments;
    for (uint32_t i = taken, back = 1; i-- > 0;) {
        const hb_item *operand = item - back;
        values[i] = l->values[operand - l->graph.syntax->items];
        back += operand->size;
    }
    HB_TRY(check_totals(l, item, values, taken));
    HB_TRY(check_digits(l, item, values, taken));
    hb_lowered_meaning meaning;
    HB_TRY(hb_lower_prepare_meaning(l, item, values, taken, &meaning));
    if (item->kind == HB_ITEM_ASSIGN) {
        return assign(l, item, values[0]);
    }
    HB_ASSERT(lowerers[item->kind] != NULL);
    HB_TRY(lowerers[item->kind](l, item, values, &out));
    HB_TRY(hb_lower_set_meaning(l, &meaning, &out));
    out.item = item;
    l->values[item - l->graph.syntax->items] = out;
    return HB_OK;
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

/* Says of a failure in which iteration of a loop it was, where that is not the first. */
static hb_status in_iteration(hb_iteration iteration, hb_status st)
{
    const hb_error cause = *hb_last_error();
    return iteration.number <= 1
               ? st
               : HB_FAIL(st, "%.400s (in iteration %u of %u)", cause.text, iteration.number, iteration.of);
}

/* Goes through all items, loops as often as they are repeated. */
static hb_status walk_all(hb_lowering *l)
{
    hb_walk walk = {.syntax = l->graph.syntax};
    hb_lower_set_rows(l);
    for (const hb_item *item; (item = hb_walk_next(&walk)) != NULL;) {
        hb_graph_at_item(&l->graph, item, walk.iteration);
        const hb_status st = step(l, item);
        if (st != HB_OK) {
            return in_iteration(walk.iteration, st);
        }
    }
    return HB_OK;
}

/* Finds the datasets on the left of @. Where only keys are asked for, a name there is one that has one row. */
static hb_status find_weights(hb_lowering *l)
{
    const hb_graph *g = &l->graph;
    l->weights = calloc((size_t)g->operand_count + 1, sizeof *l->weights);
    if (l->weights == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for an expression");
    }
    for (uint32_t i = 0; i < g->syntax->count; i++) {
        const hb_item *item = &g->syntax->items[i];
        for (uint32_t o = 0; o < g->operand_count && item->weights; o++) {
            const hb_operand *operand = &g->operands[o];
            l->weights[o] |= operand->encrypted && hb_item_is(g->syntax, item, operand->name) &&
                             (g->params != NULL || operand->schema->rows == 1);
        }
    }
    return HB_OK;
}

hb_status hb_lower(hb_lowering *l)
{
    const hb_syntax *s = l->graph.syntax;
    const hb_graph empty = l->graph;
    l->values = calloc(s->count, sizeof *l->values);
    l->arguments = calloc(s->count, sizeof *l->arguments);
    if (l->values == NULL || l->arguments == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for an expression");
    }
    HB_TRY(find_weights(l));
    HB_TRY(walk_all(l));
    if (l->predicates.count == 0 || l->measured) {
        return HB_OK;
    }
    HB_TRY(hb_predicates_plan(&l->predicates, &l->graph));
    hb_graph_clear(&l->graph);
    l->graph = empty;
    l->pool_count = l->symbol_count = l->truths.count = 0;
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
    hb_lowering_clear_approximations(l);
    free(l->pool);
    free(l->weights);
    free(l->values);
    free(l->arguments);
    free(l->symbols);
    hb_predicates_clear(&l->predicates);
    while (l->made.columns != NULL) {
        hb_lowered_columns *next = l->made.columns->next;
        hb_schema_clear(&l->made.columns->schema);
        free(l->made.columns);
        l->made.columns = next;
    }
    while (l->made.means != NULL) {
        hb_lowered_means *next = l->made.means->next;
        free(l->made.means);
        l->made.means = next;
    }
    while (l->made.tables != NULL) {
        hb_lowered_table *next = l->made.tables->next;
        clear_table(l->made.tables);
        l->made.tables = next;
    }
    *l = (hb_lowering){0};
}
