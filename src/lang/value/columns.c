/* Several values as the columns of one, and names that are made for columns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lang/ir/blocks.h"
#include "lowering.h"
#include "meaning.h"
#include "table/grouping.h"
#include "table/utf8.h"

hb_status hb_lower_make_columns(hb_lowering *l, uint32_t columns, hb_schema **out)
{
    hb_lowered_columns *made = calloc(1, sizeof *made);
    if (made == NULL || hb_schema_alloc(&made->schema, 1, columns) != HB_OK) {
        free(made);
        return HB_FAIL(HB_ENOMEM, "no memory for the columns of an expression");
    }
    made->next = l->made.columns;
    l->made.columns = made;
    *out = &made->schema;
    return HB_OK;
}

hb_status hb_lower_name(const hb_lowering *l, uint32_t from, uint32_t to, const char *form, char **name)
{
    enum { MOST = 200 };
    char words[MOST + 1];
    size_t length = 0;
    for (uint32_t i = from; i < to && length < MOST; i++) {
        const char c = l->graph.syntax->text[i];
        const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
        if (!blank || (length > 0 && words[length - 1] != ' ')) {
            words[length++] = blank ? ' ' : c;
        }
    }
    words[length] = '\0';
    while (length > 0 && (!hb_is_utf8(words) || words[length - 1] == ' ')) { /* cut within a character */
        words[--length] = '\0';
    }
    return asprintf(name, form, length > 0 ? words : "value") >= 0 ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a name");
}

/* What it is that decryption works out. */
static const char *worked_out(const hb_grouping *grouping)
{
    uint64_t c = 0;
    while (c < grouping->columns && hb_epilogue_is_itself(grouping->column[c].epilogue)) {
        c++;
    }
    return grouping->fetched > 0        ? "rows that are fetched"
           : grouping->keys.columns > 0 ? "tables of groups"
           : c < grouping->columns      ? grouping->column[c].epilogue->name
                                        : "numbers of rows";
}

hb_status hb_lower_take_count(const hb_lowering *l, hb_value *value)
{
    const hb_grouping *grouping = value->grouping;
    if (grouping == NULL || value->columns > 0 || grouping->columns != 1 || grouping->keys.columns > 0) {
        return HB_OK;
    }
    const uint64_t rows = hb_grouping_known(grouping, 0, grouping->column[0].part[0]);
    const hb_number number = {.integer = (int64_t)rows, .real = (double)rows}; /* below 2^63: files */
    const hb_item *item = value->item;
    HB_TRY(hb_lower_number(l, number, false, value));
    value->item = item;
    return HB_OK;
}

hb_status hb_lower_require_plain_totals(const hb_lowering *l, const hb_value *value)
{
    const hb_graph *g = &l->graph;
    if (value->grouping == NULL) {
        return HB_OK;
    }
    return HB_FAIL_AT(
        HB_EUSAGE, g->syntax->text, g->position.item->at,
        "%s are worked out when they are decrypted, from sums and counts: nothing can be computed with them "
        "here",
        worked_out(value->grouping));
}

static hb_status fail_stored(const hb_lowering *l, const hb_item *item, const hb_operand *operand)
{
    const char *part = operand->schema->columns > 0 ? operand->schema->column[0].name : "";
    return HB_FAIL_AT(
        HB_EUSAGE, l->graph.syntax->text, item->at,
        "%.40s: %s are worked out when they are decrypted, from sums and counts: compute with one of these by "
        "its name, as in %.40s.\"%.100s\"",
        operand->name, worked_out(operand->schema->grouping), operand->name, part);
}

hb_status hb_lower_require_no_stored_parts(const hb_lowering *l, const hb_value *value)
{
    const hb_operand *operand = value->whole;
    return operand == NULL || operand->schema->grouping == NULL ? HB_OK
                                                                : fail_stored(l, l->graph.position.item, operand);
}

hb_status hb_lower_require_part(const hb_lowering *l, const hb_item *item, const hb_operand *operand)
{
    const hb_grouping *grouping = operand->schema->grouping;
    if (grouping == NULL) {
        return HB_OK;
    }
    bool shown = item->number > 0; /* of which table the number is, nobody can tell */
    for (uint64_t c = 0; c < grouping->columns && !shown; c++) {
        const hb_grouped_column *column = &grouping->column[c];
        const bool itself = hb_epilogue_is_itself(column->epilogue) && grouping->keys.columns == 0 &&
                            column->part[0] < operand->schema->columns &&
                            strcmp(column->name, operand->schema->column[column->part[0]].name) == 0;
        shown = !itself && hb_item_is(l->graph.syntax, item, column->name);
    }
    for (uint64_t c = 0; c < grouping->keys.columns && !shown; c++) {
        shown = hb_item_is(l->graph.syntax, item, grouping->keys.column[c].name);
    }
    return shown ? fail_stored(l, item, operand) : HB_OK;
}

/* What is known of one argument's place in the result. */
typedef struct part {
    const hb_value *value;
    const hb_item *item; /* that made it */
} part;

static hb_status check_kinds(hb_lowering *l, hb_value *arguments, uint32_t count, uint64_t *columns, bool *grouped)
{
    const hb_graph *g = &l->graph;
    bool plain = true;
    *columns = 0;
    *grouped = false;
    for (uint32_t i = 0; i < count; i++) {
        plain = plain && hb_value_plain(&arguments[i]);
    }
    plain = plain || g->position.item->grouped; /* some keys of groups, or all columns */
    for (uint32_t i = 0; i < count; i++) {
        hb_value *x = &arguments[i];
        if (!hb_value_encrypted(x) && !(plain && hb_value_plain(x))) {
            return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                              "columns of a result are encrypted values");
        }
        HB_TRY(hb_lower_load(l, x));
        if (g->position.item->grouped ? x->kind == HB_VALUE_TOTALS : x->kind != arguments[0].kind) {
            return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                              "columns of a result all have rows, or all are totals of one row; here are both");
        }
        if (hb_graph_packed(g) && count > 1) {
            return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                              "columns of rows within slots cannot be put side by side: store them as results of "
                              "their own");
        }
        if (x->grouping != NULL && x->grouping->keys.columns > 0) {
            return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                              "a table of groups is a result by itself, and so are rows that are fetched");
        }
        *columns += x->columns;
        *grouped |= x->grouping != NULL;
    }
    return HB_OK;
}

/* Names column c of a part: its own name, where it has one, else the words that made it. */
static hb_status name_of(const hb_lowering *l, const part *from, uint32_t c, bool own, char **name)
{
    const hb_value *x = from->value;
    if (own && x->names != NULL && x->names[c].name != NULL && x->names[c].name[0] != '\0') {
        *name = strdup(x->names[c].name);
        return *name != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a name");
    }
    char form[24] = "%s";
    if (x->columns > 1) {
        snprintf(form, sizeof form, "%%s.%u", c + 1);
    }
    return hb_lower_name(l, from->item->from, from->item->to, form, name);
}

static bool is_taken(const hb_column *column, uint64_t count, const char *name)
{
    uint64_t c = 0;
    while (c < count && strcmp(column[c].name, name) != 0) {
        c++;
    }
    return c < count;
}

/* Columns keep their names, unless another one has the same: then all that comes later is called as it was made. Where
 * only the keys are asked for, own names of columns are not known, and names may be the same. */
static hb_status put_column(const hb_lowering *l, const part *from, uint32_t c, hb_schema *to, uint64_t at)
{
    hb_column *column = &to->column[at];
    HB_TRY(name_of(l, from, c, true, &column->name));
    if (is_taken(to->column, at, column->name)) {
        free(column->name);
        column->name = NULL;
        HB_TRY(name_of(l, from, c, false, &column->name));
    }
    if (l->graph.params != NULL && is_taken(to->column, at, column->name)) {
        return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, l->graph.position.item->at,
                          "two columns of the result are called '%.60s'", column->name);
    }
    column->meaning = hb_meaning_share(hb_value_meaning(from->value, c));
    return HB_OK;
}

/* What a part shows: what it says, or its columns as they are. */
static uint64_t shown_of(const hb_value *x)
{
    return x->grouping != NULL ? x->grouping->columns : x->columns;
}

static uint64_t counted_of(const hb_value *x)
{
    return x->grouping != NULL ? x->grouping->counted : 0;
}

/* first, counted: its columns and its counts among those of the result. */
static hb_status put_shown(const hb_lowering *l, const part *from, uint64_t first, uint64_t counted, hb_grouping *to,
                           uint64_t *at)
{
    const hb_grouping *own = from->value->grouping;
    for (uint64_t c = 0; c < shown_of(from->value); c++) {
        hb_grouped_column *column = &to->column[*at];
        *column = own != NULL ? own->column[c] : (hb_grouped_column){.epilogue = &hb_epilogue_itself, .part = {c}};
        column->name = NULL;
        for (uint32_t i = 0; i < column->epilogue->parts; i++) {
            if (column->part[i] == HB_GROUPED_ROWS) {
                continue;
            }
            const bool known =
                own != NULL && column->part[i] >= own->parts; /* a count: they stand behind all columns */
            column->part[i] += known ? to->parts + counted - own->parts : first;
        }
        if (own != NULL) {
            column->name = strdup(own->column[c].name);
        } else {
            HB_TRY(name_of(l, from, (uint32_t)c, true, &column->name));
        }
        for (uint64_t before = 0; column->name != NULL && before < *at; before++) {
            if (strcmp(to->column[before].name, column->name) == 0) {
                free(column->name);
                column->name = NULL;
                HB_TRY(hb_lower_name(l, from->item->from, from->item->to, "%s", &column->name));
                break;
            }
        }
        if (column->name == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for a name");
        }
        ++*at;
    }
    return HB_OK;
}

static hb_status put_together(hb_lowering *l, const part *parts, uint32_t count, bool grouped, hb_value *out)
{
    hb_schema *made = NULL;
    uint64_t at = 0, shown = 0, shown_at = 0, counts = 0;
    for (uint32_t i = 0; i < count; i++) {
        shown += shown_of(parts[i].value);
        counts += counted_of(parts[i].value);
    }
    HB_TRY(hb_lower_make_columns(l, out->columns, &made));
    if (grouped) {
        HB_TRY(hb_grouping_alloc(1, 0, shown, &made->grouping));
        made->grouping->parts = out->columns;
        made->grouping->rows = l->graph.rows;
        HB_TRY(counts > 0 ? hb_grouping_alloc_counts(made->grouping, counts) : HB_OK);
    }
    counts = 0;
    for (uint32_t i = 0; i < count; i++) {
        const hb_value *x = parts[i].value;
        const uint64_t first = at;
        for (uint32_t c = 0; c < x->columns; c++, at++) {
            HB_TRY(put_column(l, &parts[i], c, made, at));
            l->pool[out->first + at] = l->pool[x->first + c];
        }
        HB_TRY(grouped ? put_shown(l, &parts[i], first, counts, made->grouping, &shown_at) : HB_OK);
        for (uint64_t k = 0; k < counted_of(x); k++) {
            made->grouping->counts[counts++] = x->grouping->counts[k];
        }
    }
    out->names = made->column;
    out->grouping = made->grouping;
    return hb_lower_column_meanings(l, made->column, out->columns, &out->means);
}

hb_status hb_lower_cols(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    uint64_t columns;
    bool grouped;
    HB_TRY(check_kinds(l, arguments, item->arguments, &columns, &grouped));
    if (hb_graph_packed(&l->graph)) {
        *out = arguments[0];
        return HB_OK;
    }
    *out = (hb_value){.kind = arguments[0].kind};
    for (uint32_t i = 0; i < item->arguments; i++) {
        out->kind = hb_value_encrypted(&arguments[i]) ? arguments[i].kind : out->kind;
    }
    HB_TRY(hb_lower_columns(l, (uint32_t)columns, out));
    part *parts = calloc(item->arguments, sizeof *parts);
    const hb_item **items = calloc(item->arguments, sizeof *items);
    if (parts == NULL || items == NULL) {
        free(parts);
        free(items);
        return HB_FAIL(HB_ENOMEM, "no memory for the columns of an expression");
    }
    hb_item_find_operands(item, items);
    for (uint32_t i = 0; i < item->arguments; i++) {
        parts[i] = (part){.value = &arguments[i], .item = items[i]};
    }
    const hb_status st = put_together(l, parts, item->arguments, grouped, out);
    free(parts);
    free(items);
    return st;
}
