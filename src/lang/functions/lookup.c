/* lookup(x, 1:10, 2..5:20) and lookup(x, table): the value that belongs to x, 0 where none does. */
#include <stdlib.h>
#include <string.h>

#include "base/seed.h"
#include "functions.h"
#include "lang/types/lang_function.h"
#include "lang/value/plain.h"

/* Refuses a table whose value column has the name of the looked-up column: the user then probably meant to search among
 * the values. */
static hb_status check_names(const hb_types *t, const hb_type *x, const hb_type *table)
{
    const hb_column *pair = table->names;
    for (uint32_t i = 0; pair != NULL && x->names != NULL && i < x->columns; i++) {
        const char *name = x->names[i].name;
        if (name[0] != '\0' && strcmp(name, pair[1].name) == 0 && strcmp(name, pair[0].name) != 0) {
            return HB_FAIL_AT(
                HB_EUSAGE, t->context.syntax->text, t->item->at,
                "the first column of the table must have the numbers to look up, and the second their values; "
                "here the second is called '%.40s', as the value to look up; exchange the two, as in "
                "lookup(x.a, (t.2, t.1))",
                hb_columns_show_names(pair, 2) ? name : "2");
        }
    }
    return HB_OK;
}

/* Entries have numbers of one scale. */
static hb_status take_entries(hb_types *t, const hb_item *item, hb_type *operands, hb_result_rule *to)
{
    const hb_type *x = &operands[0];
    for (uint32_t i = 1; i < item->arguments && operands[i].kind == HB_TYPE_ENTRY; i++) {
        const uint64_t own = hb_type_scale(hb_types_operand(t, operands[i].item, 1));
        to->scale = own > to->scale ? own : to->scale;
    }
    for (uint32_t i = 1; i < item->arguments && operands[1].kind == HB_TYPE_ENTRY; i++) {
        HB_TRY(hb_types_member(t, &operands[i], x));
        if (!operands[i].member.entry) {
            return hb_types_refuse(t, "lookup takes entries, as 1:10 and 2..5:20");
        }
        hb_type given = *hb_types_operand(t, operands[i].item, 1);
        if (given.kind == HB_TYPE_COUNT) {
            continue; /* its number is known once rows are */
        }
        HB_TRY(hb_types_scale(t, &given, to->scale));
        HB_TRY(hb_number_check_encrypted(&t->context, given.item->at, given.number));
        operands[i].member.value = given.number;
    }
    if (operands[1].kind != HB_TYPE_ENTRY && operands[1].columns == 2) {
        HB_TRY(check_names(t, x, &operands[1]));
    }
    if (operands[1].kind != HB_TYPE_ENTRY && operands[1].columns > 0) {
        to->result = HB_RESULT_LAST; /* a table: its last column has the values */
    }
    return hb_type_scale(x) == 1 ? HB_OK : hb_types_refuse(t, "decimals can be compared, but not looked up");
}

static hb_status shape(hb_types *t, const hb_item *item, const hb_type *operands, hb_type *out)
{
    (void)t;
    (void)item;
    *out = (hb_type){.kind = operands[0].kind, .columns = operands[0].columns};
    return HB_OK;
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

/* In a table of one column row z has the value of z, from 0 on; in one of two the first column has z. */
static hb_status table_members(hb_lowering *l, const hb_operand *table, const hb_value *x, hb_member *members,
                               uint64_t *count)
{
    const uint64_t columns = table->schema->columns;
    *count = 0;
    for (uint64_t i = 0; i < table->schema->rows; i++) {
        const hb_number *row = table->cells + i * columns;
        hb_value checked;
        int64_t key = columns == 2 ? row[0].integer : (int64_t)i;
        HB_TRY(hb_lower_cell(l, row[columns - 1], &checked));
        if (columns == 1 || key_in(&table->schema->column[0].meaning, hb_value_meaning(x, 0), &key)) {
            const hb_number number = {.integer = key, .real = (double)key};
            members[(*count)++] = (hb_member){.low = number, .high = number, .entry = true, .value = checked.number};
        }
    }
    return HB_OK;
}

/* Keys must have the meaning of the looked-up column; results cannot be categories or dates, as a miss is 0. */
static hb_status check_meanings(const hb_lowering *l, const hb_item *item, const hb_operand *table, const hb_value *x)
{
    const hb_column *columns = table->schema->column, *values = &columns[table->schema->columns - 1];
    const char *wrong = NULL;
    if (values->meaning.kind > HB_MEANING_BOOL) {
        wrong = "lookup gives numbers, and the last column of the table has texts, dates or times; rows without an "
                "entry get 0";
    }
    for (uint32_t i = 0; i < x->columns && values != columns; i++) {
        const hb_meaning *key = &columns->meaning, *own = hb_value_meaning(x, i);
        if (hb_meaning_scale(key) != 1) {
            wrong = "decimals can be compared, but not looked up";
        } else if (key->kind != own->kind && (key->kind > HB_MEANING_BOOL || own->kind > HB_MEANING_BOOL)) {
            wrong = "the first column of the table has another meaning than the value to look up: for a category, "
                    "read it with --category";
        } else if (key->kind == HB_MEANING_TIME && !hb_meaning_same(key, own)) {
            wrong = "the first column of the table has times of another unit, or with a zone where the others have "
                    "none: read both alike, --time-of-day";
        } else if (key->kind == HB_MEANING_CATEGORY && !hb_meaning_same(own, hb_value_meaning(x, 0))) {
            wrong = "categories of other labels are looked up one by one, as x.1";
        }
    }
    return wrong == NULL ? HB_OK : HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, item->at, "%s", wrong);
}

static hb_status check_table(hb_lowering *l, const hb_item *item, const hb_operand *table)
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
    return table->schema->columns == 1 ? hb_lower_require_all_rows(l, item, table, "where numbers are looked up")
                                       : HB_OK;
}

/* An entry with its value, at the scale of all of them: a number of rows was not known when types were found. */
static hb_status entry_member(hb_lowering *l, const hb_value *entry, hb_member *out)
{
    const hb_value *given = hb_lower_operand_of(l, entry->type->item, 1);
    hb_value scaled;
    *out = hb_value_member(entry);
    if (given->type->kind != HB_TYPE_COUNT) {
        return HB_OK;
    }
    const uint64_t by = hb_type_scale(l->type) / hb_meaning_scale(hb_value_meaning(given, 0));
    const hb_number factor = {.integer = (int64_t)by, .real = (double)by};
    HB_TRY(hb_lower_numbers(l, HB_ITEM_MULTIPLY, given->number, factor, &scaled));
    HB_TRY(hb_lower_cell(l, scaled.number, &scaled));
    out->value = scaled.number;
    return HB_OK;
}

static hb_status lower(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    const hb_graph *g = &l->graph;
    const hb_value *second = &arguments[1];
    const bool entries = hb_value_is_item(second, HB_ITEM_ENTRY);
    uint64_t count = item->arguments - 1;
    hb_status st = HB_OK;
    if (g->params == NULL) {
        return hb_lower_table(l, &arguments[0], NULL, 0, out);
    }
    const hb_operand *table = second->whole;
    if (!entries) {
        HB_TRY(table == NULL && hb_value_plain(second) ? hb_lower_plain_table(l, second, &table) : HB_OK);
        HB_TRY(check_table(l, item, table));
        HB_TRY(check_meanings(l, item, table, &arguments[0]));
        count = table->schema->rows;
    }
    const uint64_t capacity = count;
    hb_member *members = calloc((size_t)capacity + 1, sizeof *members);
    if (members == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a table of %llu values", (unsigned long long)count);
    }
    if (!entries) {
        HB_GOTO(table_members(l, table, &arguments[0], members, &count));
    }
    for (uint32_t i = 0; entries && i < count; i++) {
        HB_GOTO(entry_member(l, &arguments[1 + i], &members[i]));
    }
    HB_GOTO(hb_lower_table(l, &arguments[0], members, (uint32_t)count, out));
    out->names = NULL;
done:
    hb_wipe(members, ((size_t)capacity + 1) * sizeof *members);
    free(members);
    return st;
}

const hb_lang_function hb_lang_function_lookup = {
    .call = {.name = "lookup",
             .form = "lookup(x, 1:10, 2..5:20, ...) or lookup(x, table)",
             .says = "on integers: the value that the list or the table has for x, or 0",
             .least = 2,
             .most = UINT32_MAX,
             .members = true,
             .table = 2},
    .meaning = {take_entries, HB_RESULT_NUMBER},
    .gaps = HB_GAPS_ROWWISE,
    .shape = shape,
    .integers = true,
    .encrypted = true,
    .lower = lower,
};
