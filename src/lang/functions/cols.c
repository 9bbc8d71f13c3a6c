/* cols(a, b, ...), or (a, b, ...): several values as the columns of one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lang/ir/blocks.h"
#include "lang/types/worked_out.h"
#include "lang/value/lowering.h"
#include "table/grouping.h"

/* --- the type */

/* Whether all are plain, or some keys of groups may be. */
static bool may_be_plain(const hb_item *item, const hb_type *operands)
{
    bool plain = true;
    for (uint32_t i = 0; i < item->arguments; i++) {
        plain = plain && hb_type_plain(&operands[i]);
    }
    return plain || item->grouped;
}

static hb_status check_sides(hb_types *t, const hb_item *item, const hb_type *operands, uint64_t *columns)
{
    const bool packed = t->world.block > 1, may = may_be_plain(item, operands);
    const hb_type *table = NULL; /* the first plain one */
    *columns = 0;
    for (uint32_t i = 0; i < item->arguments; i++) {
        const hb_type *x = &operands[i];
        const bool plain = may && hb_type_plain(x), rows = x->kind == HB_TYPE_ROWS || x->kind == HB_TYPE_TABLE;
        if (!hb_type_encrypted(x) && x->worked_out == NULL && !plain) {
            return hb_types_refuse(t, "columns of a result are encrypted values");
        }
        const bool first = operands[0].kind == HB_TYPE_ROWS || operands[0].kind == HB_TYPE_TABLE;
        if (item->grouped ? !rows && !plain : rows != first) {
            return hb_types_refuse(t, "columns of a result all have rows, or all are totals of one row; here are both");
        }
        if (hb_type_plain(x)) {
            table = table != NULL ? table : x;
            HB_TRY(hb_types_same_rows(t, table, x));
        }
        if (packed && item->arguments > 1) {
            return hb_types_refuse(t, "columns of rows within slots cannot be put side by side: store them as results "
                                      "of their own");
        }
        *columns += x->columns;
    }
    return *columns <= HB_GRAPH_MAX_NODES
               ? HB_OK
               : hb_types_refuse(t, "too many columns for all these statements; split the expression into several");
}

static hb_status name_column(const hb_syntax *syntax, const hb_type *x, uint32_t c, bool own, char **name)
{
    if (own && x->names != NULL && x->names[c].name != NULL && x->names[c].name[0] != '\0') {
        *name = strdup(x->names[c].name);
        return *name != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a name");
    }
    char form[24] = "%s";
    if (x->columns > 1) {
        snprintf(form, sizeof form, "%%s.%u", c + 1);
    }
    return hb_words_name(syntax, x->item->from, x->item->to, form, name);
}

static bool is_taken(const hb_column *column, uint64_t count, const char *name)
{
    uint64_t c = 0;
    while (c < count && strcmp(column[c].name, name) != 0) {
        c++;
    }
    return c < count;
}

static hb_status put_column(const hb_syntax *syntax, const hb_item *item, const hb_type *x, uint32_t c, bool apart,
                            hb_schema *to, uint64_t at)
{
    hb_column *column = &to->column[at];
    HB_TRY(name_column(syntax, x, c, true, &column->name));
    if (is_taken(to->column, at, column->name)) {
        free(column->name);
        column->name = NULL;
        HB_TRY(name_column(syntax, x, c, false, &column->name));
    }
    if (apart && is_taken(to->column, at, column->name)) {
        return HB_FAIL_AT(HB_EUSAGE, syntax->text, item->at, "two columns of the result are called '%.60s'",
                          column->name);
    }
    column->meaning = hb_meaning_share(hb_type_meaning(x, c));
    return HB_OK;
}

static hb_status shape(hb_types *t, const hb_item *item, const hb_type *operands, hb_type *out)
{
    uint64_t columns, at = 0;
    hb_schema *made = NULL;
    HB_TRY(check_sides(t, item, operands, &columns));
    *out = operands[0];
    if (t->world.block > 1) {
        return HB_OK;
    }
    *out = (hb_type){.kind = operands[0].kind, .columns = (uint32_t)columns, .rows = operands[0].rows};
    for (uint32_t i = 0; i < item->arguments; i++) {
        const hb_type *x = &operands[i];
        out->kind = hb_type_encrypted(x) ? x->kind : out->kind;
        if (x->worked_out != NULL && (out->worked_out == NULL || out->worked_out == hb_numbers_of_rows)) {
            out->worked_out = x->worked_out;
        }
    }
    if (out->worked_out != NULL) { /* whose columns are those of sums */
        out->kind = HB_TYPE_WORKED_OUT;
        out->columns = 0;
        return HB_OK;
    }
    HB_TRY(hb_types_make_columns(t, out->columns, &made));
    for (uint32_t i = 0; i < item->arguments; i++) {
        for (uint32_t c = 0; c < operands[i].columns; c++, at++) {
            HB_TRY(put_column(t->world.syntax, item, &operands[i], c, !t->world.keys_only, made, at));
        }
    }
    out->names = made->column;
    return hb_types_column_meanings(t, made->column, out->columns, &out->means);
}

/* --- the value */

/* Loads the columns of all arguments; *sums: some are worked out of them. */
static hb_status load(hb_lowering *l, hb_value *arguments, uint32_t count, uint64_t *columns, bool *sums)
{
    *columns = 0;
    *sums = false;
    for (uint32_t i = 0; i < count; i++) {
        hb_value *x = &arguments[i];
        HB_TRY(hb_lower_load(l, x));
        if (x->grouping != NULL && x->grouping->keys.columns > 0) {
            return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, l->graph.position.item->at,
                              "a table of groups is a result by itself, and so are rows that are fetched");
        }
        *columns += x->columns;
        *sums |= x->grouping != NULL;
    }
    return HB_OK;
}

/* What is known of an argument, for the names of its columns. */
static hb_type named(const hb_value *x)
{
    return (hb_type){
        .kind = HB_TYPE_TOTALS, .item = x->type->item, .columns = x->columns, .names = x->names, .means = x->means};
}

/* What an argument shows: what it says, or its columns as they are. */
static uint64_t shown_of(const hb_value *x)
{
    return x->grouping != NULL ? x->grouping->columns : x->columns;
}

static uint64_t counted_of(const hb_value *x)
{
    return x->grouping != NULL ? x->grouping->counted : 0;
}

/* first, counted: its columns and its counts among those of the result. */
static hb_status put_shown(const hb_lowering *l, const hb_value *x, uint64_t first, uint64_t counted, hb_grouping *to,
                           uint64_t *at)
{
    const hb_grouping *own = x->grouping;
    const hb_type from = named(x);
    for (uint64_t c = 0; c < shown_of(x); c++) {
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
            HB_TRY(name_column(l->graph.syntax, &from, (uint32_t)c, true, &column->name));
        }
        for (uint64_t before = 0; column->name != NULL && before < *at; before++) {
            if (strcmp(to->column[before].name, column->name) == 0) {
                free(column->name);
                column->name = NULL;
                HB_TRY(hb_words_name(l->graph.syntax, from.item->from, from.item->to, "%s", &column->name));
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

/* Describes sums side by side, out of which decryption works out some columns. */
static hb_status describe_sums(hb_lowering *l, const hb_value *arguments, uint32_t count, hb_value *out)
{
    hb_schema *made = NULL;
    uint64_t at = 0, shown = 0, shown_at = 0, counts = 0;
    for (uint32_t i = 0; i < count; i++) {
        shown += shown_of(&arguments[i]);
        counts += counted_of(&arguments[i]);
    }
    HB_TRY(hb_types_make_columns(&l->types, out->columns, &made));
    HB_TRY(hb_grouping_alloc(1, 0, shown, &made->grouping));
    made->grouping->parts = out->columns;
    made->grouping->rows = l->graph.rows;
    if (counts > 0) {
        HB_TRY(hb_grouping_alloc_counts(made->grouping, counts));
    }
    counts = 0;
    for (uint32_t i = 0; i < count; i++) {
        const hb_value *x = &arguments[i];
        const hb_type from = named(x);
        const uint64_t first = at;
        for (uint32_t c = 0; c < x->columns; c++, at++) {
            HB_TRY(put_column(l->graph.syntax, l->graph.position.item, &from, c, l->graph.params != NULL, made, at));
        }
        HB_TRY(put_shown(l, x, first, counts, made->grouping, &shown_at));
        for (uint64_t k = 0; k < counted_of(x); k++) {
            made->grouping->counts[counts++] = x->grouping->counts[k];
        }
    }
    out->names = made->column;
    out->grouping = made->grouping;
    out->means = hb_made_columns_means(made);
    return HB_OK;
}

static hb_status lower(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    uint64_t columns, at = 0;
    bool sums;
    HB_TRY(load(l, arguments, item->arguments, &columns, &sums));
    if (hb_graph_packed(&l->graph)) {
        *out = arguments[0];
        return HB_OK;
    }
    *out = (hb_value){.kind = arguments[0].kind, .names = l->type->names};
    HB_TRY(hb_lower_columns(l, (uint32_t)columns, out));
    for (uint32_t i = 0; i < item->arguments; i++) {
        const hb_value *x = &arguments[i];
        out->kind = hb_value_encrypted(x) ? x->kind : out->kind;
        for (uint32_t c = 0; c < x->columns; c++) {
            l->pool[out->first + at++] = l->pool[x->first + c];
        }
    }
    return sums ? describe_sums(l, arguments, item->arguments, out) : HB_OK;
}

const hb_lang_function hb_lang_function_cols = {
    .call = {.name = "cols", .form = "cols(a, b, ...)", .least = 1, .most = UINT32_MAX, .parentheses = true},
    .meaning = {hb_take_all, HB_RESULT_OWN},
    .shape = shape,
    .worked_out = true,
    .lower = lower,
};
