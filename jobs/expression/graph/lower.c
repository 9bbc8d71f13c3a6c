#include "lower.h"

#include <stdlib.h>
#include <string.h>

#include "expression/text/missing.h"
#include "semantics.h"
#include "univariate.h"

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
    if (value.grouping != NULL && value.columns == 0) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, item->at,
                          "the number of rows is no secret: hebatch info shows it; beside others it is a column, as in "
                          "cols(sum(x), count())");
    }
    for (uint32_t c = 0; hb_value_encrypted(&value) && value.whole == NULL && c < value.columns; c++) {
        uint32_t *node = &l->pool[value.first + c];
        l->graph.value_column = c;
        HB_TRY(item->iterations > 0 ? hb_graph_as_polynomial(&l->graph, node) : HB_OK);
        l->graph.nodes[*node].users++;
        l->graph.nodes[*node].named = true;
    }
    l->symbols[l->symbol_count++] = (hb_symbol){.item = item, .value = value};
    return HB_OK;
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

/* Decimals beside integers are texts, which stand for numbers of the columns of decimals that they are used with. */
static hb_status literal(const hb_lowering *l, const hb_item *item, hb_value *out)
{
    if (item->imaginary && !l->graph.semantics->reals) {
        return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, item->at,
                          "constants are integers; complex numbers are for values that are reals, under CKKS");
    }
    if (item->decimal && !l->graph.semantics->reals) {
        *out = (hb_value){.kind = HB_VALUE_TEXT, .text = item};
        return HB_OK;
    }
    const hb_number number = {.integer = item->number, .real = item->real};
    const hb_interval all = l->graph.semantics->numbers(l->graph.spec);
    if (!all.real && (item->number < all.least || item->number > all.most)) {
        *out =
            (hb_value){.kind = HB_VALUE_NUMBER, .number = number, .text = item}; /* check_numbers says what it is for */
        return HB_OK;
    }
    return hb_lower_number(l, item->imaginary ? (hb_number){.imaginary = item->real} : number, false, out);
}

static hb_status divide(hb_lowering *l, const hb_item *item, hb_value *x, hb_value *y, hb_value *out)
{
    if (!l->graph.semantics->reals) {
        return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, item->at, "%s", hb_missing_operator("/"));
    }
    return hb_lower_divide(l, x, y, out);
}

/* Numbers that are none mod t are there for digits. */
static hb_status check_numbers(hb_lowering *l, const hb_item *item, const hb_value *values, uint32_t count)
{
    const bool compares = (item->kind >= HB_ITEM_LESS && item->kind <= HB_ITEM_NOT_EQUAL) ||
                          item->kind == HB_ITEM_BETWEEN || item->kind == HB_ITEM_IN;
    bool digits = false;
    for (uint32_t i = 0; i < count; i++) {
        digits = digits || values[i].kind == HB_VALUE_DIGITS;
    }
    for (uint32_t i = 0; i < count && !(compares && digits); i++) {
        if (values[i].kind == HB_VALUE_NUMBER && values[i].text != NULL) {
            hb_value none;
            l->graph.item = values[i].text;
            HB_TRY(hb_lower_number(l, values[i].number, false, &none));
        }
    }
    return HB_OK;
}

/* Digits are compared, and nothing else: arithmetic takes numbers. */
static hb_status check_digits(hb_lowering *l, const hb_item *item, const hb_value *values, uint32_t count)
{
    const bool compares = (item->kind >= HB_ITEM_LESS && item->kind <= HB_ITEM_NOT_EQUAL) ||
                          item->kind == HB_ITEM_BETWEEN || item->kind == HB_ITEM_IN || item->kind == HB_ITEM_ASSIGN;
    for (uint32_t i = 0; i < count && !compares; i++) {
        if (values[i].kind == HB_VALUE_DIGITS) {
            return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, item->at,
                              "digits are compared; the number that they are is base*high + low");
        }
    }
    return check_numbers(l, item, values, count);
}

/* The values of an item are those on top of the stack; its result takes their place. */
static hb_status step(hb_lowering *l, const hb_item *item)
{
    const uint32_t taken = hb_item_operands(item);
    hb_value out = {0}, *top = &l->stack[l->height];
    const bool any = item->kind == HB_ITEM_ASSIGN || (item->kind == HB_ITEM_CALL && item->call == HB_CALL_COLS);
    for (uint32_t i = 0; i < taken && !any; i++) {
        HB_TRY(hb_lower_require_plain_totals(l, top - taken + i));
    }
    HB_TRY(check_digits(l, item, top - taken, taken));
    hb_lowered_meaning meaning;
    HB_TRY(hb_lower_prepare_meaning(l, item, top - taken, taken, &meaning));
    switch (item->kind) {
    case HB_ITEM_NUMBER:
        HB_TRY(literal(l, item, &out));
        break;
    case HB_ITEM_NAME:
        HB_TRY(name(l, item, &out));
        break;
    case HB_ITEM_PICK:
        out = top[-1];
        HB_TRY(hb_lower_pick(l, item, &out));
        break;
    case HB_ITEM_NEGATE:
        HB_TRY(hb_lower_negate(l, &top[-1], &out));
        break;
    case HB_ITEM_POWER:
        HB_TRY(hb_lower_power(l, &top[-2], &top[-1], &out));
        break;
    case HB_ITEM_MATRIX:
        HB_TRY(hb_lower_matrix(l, &top[-2], &top[-1], &out));
        break;
    case HB_ITEM_DIVIDE:
        HB_TRY(divide(l, item, &top[-2], &top[-1], &out));
        break;
    case HB_ITEM_TEXT:
        out = (hb_value){.kind = HB_VALUE_TEXT, .text = item};
        break;
    case HB_ITEM_RANGE:
    case HB_ITEM_ENTRY:
        HB_TRY(hb_lower_pair(l, item, top - 2, &out));
        break;
    case HB_ITEM_WHERE:
        HB_TRY(hb_lower_where(l, &top[-2], &top[-1], &out));
        break;
    case HB_ITEM_CALL:
        HB_TRY(hb_lower_call(l, item, top - taken, &out));
        break;
    case HB_ITEM_ASSIGN:
        l->height--;
        return assign(l, item, top[-1]);
    case HB_ITEM_ADD:
    case HB_ITEM_SUBTRACT:
    case HB_ITEM_MULTIPLY:
        HB_TRY(hb_lower_binary(l, item->kind, &top[-2], &top[-1], &out));
        break;
    default:
        HB_TRY(hb_lower_condition(l, item, top - taken, &out));
    }
    HB_TRY(hb_lower_set_meaning(l, &meaning, &out));
    l->height -= taken;
    l->stack[l->height++] = out;
    return HB_OK;
}

/* Says of a failure in which iteration of a loop it was, where that is not the first. */
static hb_status in_iteration(const hb_item *item, hb_status st)
{
    const hb_error cause = *hb_last_error();
    return item->iteration <= 1
               ? st
               : HB_FAIL(st, "%.400s (in iteration %u of %u)", cause.text, item->iteration, item->iterations);
}

/* Goes through all items. */
static hb_status walk(hb_lowering *l)
{
    const hb_syntax *s = l->graph.syntax;
    for (uint32_t i = 0; i < s->count; i++) {
        l->graph.item = &s->items[i];
        const hb_status st = step(l, &s->items[i]);
        if (st != HB_OK) {
            return in_iteration(&s->items[i], st);
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
        for (uint32_t o = 0; o < g->operand_count && item->weights && !item->again; o++) {
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
    /* every item leaves at most one value or one symbol */
    l->stack = malloc(s->count * sizeof *l->stack);
    l->symbols = malloc(s->count * sizeof *l->symbols);
    if (!l->stack || !l->symbols) {
        return HB_FAIL(HB_ENOMEM, "no memory for an expression");
    }
    HB_TRY(find_weights(l));
    HB_TRY(walk(l));
    if (l->predicates.count == 0 || l->measured) {
        return HB_OK;
    }
    HB_TRY(hb_predicates_plan(&l->predicates, &l->graph));
    hb_graph_clear(&l->graph);
    l->graph = empty;
    l->pool_count = l->height = l->symbol_count = l->match_count = l->pair_count = 0;
    return walk(l);
}

void hb_lower_clear(hb_lowering *l)
{
    hb_graph_clear(&l->graph);
    hb_lowering_clear_functions(l);
    free(l->pool);
    free(l->weights);
    free(l->stack);
    free(l->symbols);
    free(l->pairs);
    hb_predicates_clear(&l->predicates);
    while (l->columns != NULL) {
        hb_lowered_columns *next = l->columns->next;
        hb_schema_clear(&l->columns->schema);
        free(l->columns);
        l->columns = next;
    }
    *l = (hb_lowering){0};
}
