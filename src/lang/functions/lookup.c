/* lookup(x, 1:10, 2..5:20) and lookup(x, table): the value that belongs to x; behind them one for all other x. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/seed.h"
#include "functions.h"
#include "lang/types/lang_function.h"
#include "lang/value/plain.h"

/* The most cells of a table to look up in: each row becomes a member. */
enum { MOST_CELLS = 1 << 20 };

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

/* Returns the column of a table that has the name of the looked-up column; else the first one. */
static uint32_t likely_key(const hb_type *x, const hb_type *table)
{
    uint32_t c = table->columns;
    while (c-- > 0) {
        if (x->names != NULL && x->names[0].name[0] != '\0' && strcmp(x->names[0].name, table->names[c].name) == 0) {
            return c;
        }
    }
    return 0;
}

/* Returns the first column beside a key, of numbers if there is one. */
static uint32_t likely_value(const hb_type *table, uint32_t key)
{
    const uint32_t first = key == 0;
    for (uint32_t c = 0; c < table->columns; c++) {
        if (c != key && hb_type_meaning(table, c)->kind <= HB_MEANING_BOOL) {
            return c;
        }
    }
    return first;
}

/* Refuses a table of more columns than a key and a value: none of them is taken without a word. */
static hb_status check_columns(const hb_types *t, const hb_type *x, const hb_type *table)
{
    const hb_operand *whole = table->whole;
    const char *name = whole != NULL ? whole->name : "t", *words[2] = {"1", "2"};
    if (table->columns <= 2) {
        return HB_OK;
    }
    if (table->names != NULL && hb_columns_show_names(table->names, table->columns)) {
        const uint32_t key = likely_key(x, table);
        words[0] = table->names[key].name;
        words[1] = table->names[likely_value(table, key)].name;
    }
    return HB_FAIL_AT(HB_EUSAGE, t->context.syntax->text, t->item->at,
                      "%.40s needs two columns, a key and a value, and has %u: choose them, as in "
                      "lookup(x, (%.40s.%.40s, %.40s.%.40s))",
                      whole != NULL ? name : "the table", table->columns, name, words[0], name, words[1]);
}

/* Returns the place of the argument that is the value of all others; 0: there is none. */
static uint32_t other_of(const hb_item *item, hb_type_kind last)
{
    const bool value = last == HB_TYPE_NUMBER || last == HB_TYPE_COUNT || last == HB_TYPE_TEXT;
    return item->arguments > 2 && value ? item->arguments - 1 : 0;
}

/* Entries have numbers of one scale, and so has the value of all others. */
static hb_status take_entries(hb_types *t, hb_type *operands, uint32_t count, uint64_t *scale)
{
    const hb_type *x = &operands[0];
    for (uint32_t i = 1; i < count && operands[i].kind == HB_TYPE_ENTRY; i++) {
        const uint64_t own = hb_type_scale(hb_types_operand(t, operands[i].item, 1));
        *scale = own > *scale ? own : *scale;
    }
    for (uint32_t i = 1; i < count; i++) {
        if (operands[i].kind != HB_TYPE_ENTRY) {
            return hb_types_refuse(t, "lookup takes entries, as 1:10 and 2..5:20, and one value for all others behind "
                                      "them");
        }
        HB_TRY(hb_types_member(t, &operands[i], x));
        hb_type given = *hb_types_operand(t, operands[i].item, 1);
        if (given.kind == HB_TYPE_COUNT) {
            continue; /* its number is known once rows are */
        }
        HB_TRY(hb_types_scale(t, &given, *scale));
        HB_TRY(hb_number_check_encrypted(&t->context, given.item->at, given.number));
        operands[i].member.value = given.number;
    }
    return HB_OK;
}

/* The value of all others stands for the same as those of the table: a label where they are labels. */
static hb_status take_other(hb_types *t, hb_type *other, const hb_type *table)
{
    const uint32_t columns = table->columns;
    if (columns == 0) {
        return HB_OK;
    }
    hb_type values = {.kind = table->kind, .item = table->item, .columns = 1};
    values.means = hb_means_all(hb_type_meaning(table, columns - 1));
    values.names = table->names != NULL ? &table->names[columns - 1] : NULL;
    return hb_types_pair(t, other, &values);
}

static hb_status take_arguments(hb_types *t, const hb_item *item, hb_type *operands, hb_result_rule *to)
{
    const bool entries = operands[1].kind == HB_TYPE_ENTRY;
    const uint32_t place = other_of(item, operands[item->arguments - 1].kind);
    const uint32_t count = place > 0 ? place : item->arguments;
    hb_type *other = place > 0 ? &operands[place] : NULL;
    if (entries && other != NULL && other->kind == HB_TYPE_TEXT) {
        return hb_types_refuse(t, "entries give numbers, as 'ICU':10, and so is the value for all others");
    }
    if (entries) {
        to->scale = other != NULL && hb_type_scale(other) > to->scale ? hb_type_scale(other) : to->scale;
        HB_TRY(take_entries(t, operands, count, &to->scale));
    } else if (count > 2) {
        return hb_types_refuse(t, "lookup(x, table) takes one number more, the value for all others: "
                                  "lookup(x, table, 0)");
    }
    if (!entries) {
        HB_TRY(check_columns(t, &operands[0], &operands[1]));
    }
    if (!entries && operands[1].columns == 2) {
        HB_TRY(check_names(t, &operands[0], &operands[1]));
    }
    if (other != NULL && !entries) {
        HB_TRY(take_other(t, other, &operands[1]));
    }
    if (!entries && operands[1].columns > 0) {
        to->result = HB_RESULT_LAST; /* a table: its last column has the values */
        const uint64_t scale = hb_type_scale_at(&operands[1], operands[1].columns - 1);
        if (other != NULL && hb_type_scale(other) > scale) {
            return hb_types_refuse(t,
                                   "the value for all others has more digits behind the point than the values of the "
                                   "table: read the table with --scale");
        }
        to->scale = scale;
    }
    if (other != NULL && (entries || operands[1].columns > 0)) {
        HB_TRY(hb_types_scale(t, other, to->scale));
    }
    if (other != NULL && other->kind == HB_TYPE_NUMBER) {
        HB_TRY(hb_number_check_encrypted(&t->context, other->item->at, other->number));
    }
    return hb_type_scale(&operands[0]) == 1 ? HB_OK : hb_types_refuse(t, "decimals can be compared, but not looked up");
}

static hb_status shape(hb_types *t, const hb_item *item, const hb_type *operands, hb_type *out)
{
    (void)t;
    (void)item;
    *out = (hb_type){.kind = operands[0].kind, .columns = operands[0].columns};
    return HB_OK;
}

/* Members that are made of rows of a table. */
typedef struct table_entries {
    hb_member *members;
    uint64_t *row;  /* [count] of each: its row of the table, from 0 */
    uint64_t count; /* less than the room for both */
} table_entries;

/* Makes the first members those of a table: in a table of one column row z has the value of z, from 0 on; in one of two
 * the first column has z. */
static hb_status table_members(hb_lowering *l, const hb_operand *table, table_entries *of)
{
    const uint64_t columns = table->schema->columns;
    for (uint64_t i = 0; i < table->schema->rows; i++) {
        const hb_number *row = table->cells + i * columns;
        const int64_t key = columns == 2 ? row[0].integer : (int64_t)i;
        const hb_number number = {.integer = key, .real = (double)key};
        hb_value checked;
        HB_TRY(hb_lower_cell(l, row[columns - 1], &checked));
        of->members[i] = (hb_member){.low = number, .high = number, .entry = true, .value = checked.number};
        of->row[i] = i;
    }
    of->count = table->schema->rows;
    return HB_OK;
}

static int compare_keys(const void *a, const void *b)
{
    const hb_member *x = *(const hb_member *const *)a, *y = *(const hb_member *const *)b;
    const int order = (x->low.integer > y->low.integer) - (x->low.integer < y->low.integer);
    return order != 0 ? order : (x > y) - (x < y);
}

/* Refuses two rows that give one key two values: one of them would be left out. */
static hb_status check_keys(hb_lowering *l, const hb_item *item, const hb_operand *table, const table_entries *of)
{
    const uint64_t count = of->count;
    const hb_member **sorted = calloc((size_t)count + 1, sizeof *sorted);
    hb_status st = sorted != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a table of values");
    for (uint64_t i = 0; i < count && st == HB_OK; i++) {
        sorted[i] = &of->members[i];
    }
    if (st == HB_OK) {
        qsort(sorted, (size_t)count, sizeof *sorted, compare_keys);
    }
    for (uint64_t i = 1; i < count && st == HB_OK; i++) {
        const hb_member *one = sorted[i - 1], *other = sorted[i];
        if (one->low.integer == other->low.integer && one->value.integer != other->value.integer) {
            l->hopeless = true; /* no other parameters would do */
            st = HB_FAIL_AT(HB_EDATA, l->graph.syntax->text, item->at,
                            "rows %llu and %llu of %.40s have the same key and two values",
                            (unsigned long long)of->row[one - of->members] + 1,
                            (unsigned long long)of->row[other - of->members] + 1, table->name);
        }
    }
    free(sorted);
    return st;
}

/* Makes a key of a table, the place of a label, its place in the column x. False: no row of x has it. */
static bool key_in(const hb_meaning *table, const hb_meaning *x, hb_member *member)
{
    uint64_t place = (uint64_t)member->low.integer;
    const char *label = place < table->labels->count ? table->labels->text[place] : "";
    const bool found = hb_labels_find(x->labels, label, strlen(label), &place);
    member->low = member->high = (hb_number){.integer = (int64_t)place, .real = (double)place};
    return found;
}

/* Makes the keys of a category, places of the table's labels, places of the column x. */
static void keep_found(const hb_meaning *table, const hb_meaning *x, table_entries *of)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < of->count; i++) {
        of->members[kept] = of->members[i];
        of->row[kept] = of->row[i];
        kept += key_in(table, x, &of->members[kept]);
    }
    of->count = kept;
}

/* The same where the table's labels are folded: of x's labels each takes the value of the one that it is in the table,
 * and several may be one. There is room for those of both. */
static hb_status match_folded(const hb_meaning *table, const hb_meaning *x, table_entries *of)
{
    const uint64_t labels = table->labels->count, given = of->count;
    uint64_t kept = 0, place;
    uint64_t *member_of = calloc((size_t)labels + 1, sizeof *member_of); /* 1 + the first one of each label; 0: none */
    if (member_of == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a table of values");
    }
    for (uint64_t i = given; i-- > 0;) {
        if ((uint64_t)of->members[i].low.integer < labels) {
            member_of[of->members[i].low.integer] = i + 1;
        }
    }
    for (uint64_t z = 0; z < x->labels->count; z++) {
        const char *label = x->labels->text[z];
        if (hb_labels_find(table->labels, label, strlen(label), &place) && member_of[place] > 0) {
            hb_member *made = &of->members[given + kept];
            *made = of->members[member_of[place] - 1];
            made->low = made->high = (hb_number){.integer = (int64_t)z, .real = (double)z};
            of->row[given + kept++] = of->row[member_of[place] - 1];
        }
    }
    memmove(of->members, of->members + given, (size_t)kept * sizeof *of->members);
    memmove(of->row, of->row + given, (size_t)kept * sizeof *of->row);
    of->count = kept;
    free(member_of);
    return HB_OK;
}

/* Keys must have the meaning of the looked-up column; results cannot be categories or dates. */
static hb_status check_meanings(const hb_lowering *l, const hb_item *item, const hb_operand *table, const hb_value *x)
{
    const hb_column *columns = table->schema->column, *values = &columns[table->schema->columns - 1];
    const char *wrong = NULL;
    if (values->meaning.kind > HB_MEANING_BOOL && values->meaning.kind != HB_MEANING_CATEGORY) {
        wrong = "lookup gives numbers or labels, and the last column of the table has dates or times";
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
    if (table->cells == NULL || table->schema->rows > MOST_CELLS / table->schema->columns) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, item->at,
                          "%.40s is no table to look up in: it has more than 2^20 cells", table->name);
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

static hb_status match_keys(hb_lowering *l, const hb_item *item, const hb_operand *table, const hb_value *x,
                            table_entries *of)
{
    const hb_meaning *keys = &table->schema->column[0].meaning, *own = hb_value_meaning(x, 0);
    HB_TRY(check_keys(l, item, table, of));
    if (keys->kind != HB_MEANING_CATEGORY) {
        return HB_OK;
    }
    if (keys->labels->folds) {
        return match_folded(keys, own, of);
    }
    keep_found(keys, own, of);
    return check_keys(l, item, table, of); /* two labels of it may be one of x */
}

/* Makes the members of a table: as many as `capacity` at most. */
static hb_status members_of_table(hb_lowering *l, const hb_item *item, const hb_operand *table, const hb_value *x,
                                  hb_member *members, uint64_t capacity, uint64_t *count)
{
    table_entries of = {members, calloc((size_t)capacity + 1, sizeof *of.row), 0};
    hb_status st = of.row != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a table of values");
    st = st == HB_OK ? table_members(l, table, &of) : st;
    if (st == HB_OK && table->schema->columns == 2) {
        st = match_keys(l, item, table, x, &of);
    }
    free(of.row);
    *count = of.count;
    return st;
}

static hb_status lower(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    const hb_graph *g = &l->graph;
    const hb_value *second = &arguments[1];
    const bool entries = hb_value_is_item(second, HB_ITEM_ENTRY);
    const uint32_t other = other_of(item, arguments[item->arguments - 1].type->kind);
    uint64_t count = (other > 0 ? other : item->arguments) - 1;
    hb_status st = HB_OK;
    if (g->params == NULL) {
        return hb_lower_table(l, &arguments[0], (hb_members){NULL, 0, false}, out);
    }
    const hb_operand *table = second->whole;
    uint64_t capacity = count + 1;
    if (!entries) {
        const hb_meaning *x = hb_value_meaning(&arguments[0], 0);
        HB_TRY(table == NULL && hb_value_plain(second) ? hb_lower_plain_table(l, second, &table) : HB_OK);
        HB_TRY(check_table(l, item, table));
        HB_TRY(check_meanings(l, item, table, &arguments[0]));
        capacity = table->schema->rows + (x->labels != NULL ? x->labels->count : 0) + 1;
    }
    hb_member *members = calloc((size_t)capacity + 1, sizeof *members);
    if (members == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a table of %llu values", (unsigned long long)count);
    }
    if (!entries) {
        HB_GOTO(members_of_table(l, item, table, &arguments[0], members, capacity, &count));
    }
    for (uint32_t i = 0; entries && i < count; i++) {
        HB_GOTO(entry_member(l, &arguments[1 + i], &members[i]));
    }
    if (other > 0) { /* behind all that count first */
        members[count++] = (hb_member){.low = {.integer = INT64_MIN, .real = -INFINITY},
                                       .high = {.integer = INT64_MAX, .real = INFINITY},
                                       .entry = true,
                                       .value = arguments[other].number};
    }
    HB_GOTO(hb_lower_table(l, &arguments[0], (hb_members){members, (uint32_t)count, true}, out));
    out->names = NULL;
done:
    hb_wipe(members, ((size_t)capacity + 1) * sizeof *members);
    free(members);
    return st;
}

const hb_lang_function hb_lang_function_lookup = {
    .call = {.name = "lookup",
             .form = "lookup(x, 1:10, 2..5:20, ...) or lookup(x, table)",
             .says = "on integers: the value that the list or the table has for x; a last argument is the value for "
                     "all other x, as in `lookup(x, table, 0)`",
             .least = 2,
             .most = UINT32_MAX,
             .members = true,
             .table = 2},
    .meaning = {take_arguments, HB_RESULT_NUMBER},
    .gaps = HB_GAPS_ROWWISE,
    .shape = shape,
    .integers = true,
    .encrypted = true,
    .lower = lower,
};
