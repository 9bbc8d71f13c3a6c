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
    const bool packed = t->context.block > 1, may = may_be_plain(item, operands);
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

/* Values side by side, with the names that their columns have there, and those that they get. */
typedef struct naming {
    hb_side *sides; /* [count], owned, as are the arrays below, and those names that were not taken from them */
    const char **own;
    char **names;
    uint32_t count, columns;
} naming;

static void naming_clear(naming *n)
{
    for (uint32_t i = 0; n->names != NULL && i < n->columns; i++) {
        free(n->names[i]);
    }
    free(n->sides);
    free(n->own);
    free(n->names);
    *n = (naming){0};
}

/* Makes room for so many sides, and columns of all of them. */
static hb_status naming_init(naming *n, uint32_t sides, uint64_t columns)
{
    *n = (naming){.columns = (uint32_t)columns};
    n->sides = calloc((size_t)sides + 1, sizeof *n->sides);
    n->own = calloc((size_t)columns + 1, sizeof *n->own);
    n->names = calloc((size_t)columns + 1, sizeof *n->names);
    return n->sides != NULL && n->own != NULL && n->names != NULL
               ? HB_OK
               : HB_FAIL(HB_ENOMEM, "no memory for the names of %u columns", n->columns);
}

/* Adds a side; names: of its columns, NULL: none. *at: where its columns begin, and then end. */
static void naming_add(naming *n, hb_side side, const hb_column *names, uint32_t *at)
{
    for (uint32_t c = 0; c < side.columns; c++, ++*at) {
        n->own[*at] = names != NULL ? names[c].name : NULL;
    }
    n->sides[n->count++] = side;
}

/* Gives a column its name. */
static char *naming_take(naming *n, uint64_t at)
{
    char *name = n->names[at];
    n->names[at] = NULL;
    return name;
}

/* Names the columns, and says what they stand for. */
static hb_status put_columns(hb_types *t, const hb_item *item, const hb_type *operands, hb_schema *made)
{
    naming n;
    uint32_t at = 0;
    hb_status st;
    HB_GOTO(naming_init(&n, item->arguments, made->columns));
    for (uint32_t i = 0; i < item->arguments; i++) {
        naming_add(&n, (hb_side){operands[i].item, operands[i].columns, false}, operands[i].names, &at);
    }
    HB_GOTO(hb_name_sides(t->context.syntax, item, n.sides, n.count, n.own, !t->context.keys_only, n.names));
    at = 0;
    for (uint32_t i = 0; i < item->arguments; i++) {
        for (uint32_t c = 0; c < operands[i].columns; c++, at++) {
            made->column[at].name = naming_take(&n, at);
            made->column[at].meaning = hb_meaning_share(hb_type_meaning(&operands[i], c));
        }
    }
done:
    naming_clear(&n);
    return st;
}

static hb_status shape(hb_types *t, const hb_item *item, const hb_type *operands, hb_type *out)
{
    uint64_t columns;
    hb_schema *made = NULL;
    HB_TRY(check_sides(t, item, operands, &columns));
    *out = operands[0];
    if (t->context.block > 1) {
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
    HB_TRY(put_columns(t, item, operands, made));
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
static void put_shown(const hb_value *x, uint64_t first, uint64_t counted, hb_grouping *to, uint64_t *at)
{
    const hb_grouping *own = x->grouping;
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
        ++*at;
    }
}

/* Names what is shown. */
static hb_status name_shown(const hb_lowering *l, const hb_value *arguments, uint32_t count, hb_grouping *to)
{
    naming n;
    uint32_t at = 0;
    hb_status st;
    HB_GOTO(naming_init(&n, count, to->columns));
    for (uint32_t i = 0; i < count; i++) {
        const hb_value *x = &arguments[i];
        const hb_side side = {x->type->item, (uint32_t)shown_of(x), false};
        const uint32_t first = at;
        naming_add(&n, side, x->grouping == NULL ? x->names : NULL, &at);
        for (uint32_t c = first; x->grouping != NULL && c < at; c++) {
            n.own[c] = x->grouping->column[c - first].name;
        }
    }
    HB_GOTO(hb_name_sides(l->graph.syntax, l->graph.position.item, n.sides, n.count, n.own, l->graph.params != NULL,
                          n.names));
    for (uint64_t c = 0; c < to->columns; c++) {
        to->column[c].name = naming_take(&n, c);
    }
done:
    naming_clear(&n);
    return st;
}

/* Names the sums, and says what they stand for. */
static hb_status put_sums(const hb_lowering *l, const hb_value *arguments, uint32_t count, hb_schema *made)
{
    naming n;
    uint32_t at = 0;
    hb_status st;
    HB_GOTO(naming_init(&n, count, made->columns));
    for (uint32_t i = 0; i < count; i++) {
        const hb_value *x = &arguments[i];
        naming_add(&n, (hb_side){x->type->item, x->columns, x->grouping != NULL}, x->names, &at);
    }
    HB_GOTO(hb_name_sides(l->graph.syntax, l->graph.position.item, n.sides, n.count, n.own, l->graph.params != NULL,
                          n.names));
    at = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t c = 0; c < arguments[i].columns; c++, at++) {
            made->column[at].name = naming_take(&n, at);
            made->column[at].meaning = hb_meaning_share(hb_value_meaning(&arguments[i], c));
        }
    }
done:
    naming_clear(&n);
    return st;
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
    HB_TRY(put_sums(l, arguments, count, made));
    counts = 0;
    for (uint32_t i = 0; i < count; i++) {
        const hb_value *x = &arguments[i];
        put_shown(x, at, counts, made->grouping, &shown_at);
        at += x->columns;
        for (uint64_t k = 0; k < counted_of(x); k++) {
            made->grouping->counts[counts++] = x->grouping->counts[k];
        }
    }
    HB_TRY(name_shown(l, arguments, count, made->grouping));
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
