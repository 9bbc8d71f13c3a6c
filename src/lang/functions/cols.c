/* cols(a, b, ...), or (a, b, ...): several values as the columns of one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lang/ir/blocks.h"
#include "lang/types/worked_out.h"
#include "lang/value/lowering.h"
#include "table/grouping.h"

/* --- the type */

static bool has_rows(const hb_type *x)
{
    return x->kind == HB_TYPE_ROWS || x->kind == HB_TYPE_TABLE;
}

/* The first one that says whether all have rows, which a plain row does not: it stands in every row, and beside
 * totals. */
static const hb_type *first_of(const hb_item *item, const hb_type *operands)
{
    uint32_t i = 0;
    while (i + 1 < item->arguments && operands[i].kind == HB_TYPE_ROW) {
        i++;
    }
    return &operands[i];
}

/* Plain columns may stand beside encrypted ones. They may not stand beside values that decryption computes, as those
 * are only stored. */
static hb_status check_side(hb_types *t, const hb_item *item, const hb_type *x, const hb_type *first, bool stored)
{
    const bool plain = hb_type_plain(x) && (item->grouped || !stored);
    if (!hb_type_encrypted(x) && x->worked_out == NULL && !plain) {
        return hb_types_refuse(t, "columns of a result are encrypted values");
    }
    /* Where only keys are asked for, it is unknown which totals are of plain tables. */
    const bool right = item->grouped ? has_rows(x) || plain : has_rows(x) == has_rows(first) || t->context.keys_only;
    return right || x->kind == HB_TYPE_ROW
               ? HB_OK
               : hb_types_refuse(t, "columns of a result all have rows, or all are totals of one row; here are both");
}

/* *table: the first plain one, of those with rows where there are such; NULL: there is none. */
static hb_status check_sides(hb_types *t, const hb_item *item, const hb_type *operands, uint64_t *columns,
                             const hb_type **table)
{
    const hb_type *first = first_of(item, operands);
    bool stored = false;
    *columns = 0;
    *table = NULL;
    for (uint32_t i = 0; i < item->arguments; i++) {
        stored = stored || operands[i].worked_out != NULL;
    }
    for (uint32_t i = 0; i < item->arguments; i++) {
        const hb_type *x = &operands[i];
        HB_TRY(check_side(t, item, x, first, stored));
        if (hb_type_plain(x)) {
            HB_TRY(hb_types_same_rows(t, *table != NULL ? *table : x, x));
            *table = *table != NULL && ((*table)->rows != 1 || x->rows == 1) ? *table : x;
        }
        if (t->context.block > 1 && item->arguments > 1) {
            return hb_types_refuse(t, "columns of rows within slots cannot be put side by side: store them as results "
                                      "of their own");
        }
        *columns += x->columns;
    }
    return *columns <= HB_GRAPH_MAX_NODES
               ? HB_OK
               : hb_types_refuse(t, "too many columns for all these statements; split the expression into several");
}

/* --- names and meanings of columns */

/* A value side by side with others. */
typedef struct beside {
    hb_side side;
    const hb_column *names;         /* [side.columns] of its columns; NULL: ... */
    const hb_grouped_column *shown; /* ... these show it; NULL: they have none */
    hb_means means;
} beside;

/* The names for columns of values [count] side by side, made from their own names. */
typedef struct naming {
    const beside *each;
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

/* As hb_name_sides says. */
static hb_status name(const hb_types_context *w, const hb_item *item, const beside *each, uint32_t count, naming *n)
{
    uint32_t at = 0;
    *n = (naming){.each = each, .count = count};
    for (uint32_t i = 0; i < count; i++) {
        n->columns += each[i].side.columns;
    }
    n->sides = calloc((size_t)count + 1, sizeof *n->sides);
    n->own = calloc((size_t)n->columns + 1, sizeof *n->own);
    n->names = calloc((size_t)n->columns + 1, sizeof *n->names);
    if (n->sides == NULL || n->own == NULL || n->names == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the names of %u columns", n->columns);
    }
    for (uint32_t i = 0; i < count; i++) {
        n->sides[i] = each[i].side;
        for (uint32_t c = 0; c < each[i].side.columns; c++, at++) {
            n->own[at] = each[i].names != NULL   ? each[i].names[c].name
                         : each[i].shown != NULL ? each[i].shown[c].name
                                                 : NULL;
        }
    }
    return hb_name_sides(w->syntax, item, n->sides, count, n->own, !w->keys_only, n->names);
}

/* Gives a column its name. */
static char *naming_take(naming *n, uint64_t at)
{
    char *taken = n->names[at];
    n->names[at] = NULL;
    return taken;
}

/* Sets the names and meanings of the columns. */
static hb_status put_columns(const hb_types_context *w, const hb_item *item, const beside *each, hb_schema *made)
{
    naming n;
    uint32_t at = 0;
    hb_status st;
    HB_GOTO(name(w, item, each, item->arguments, &n));
    for (uint32_t i = 0; i < n.count; i++) {
        const hb_side *side = &each[i].side;
        for (uint32_t c = 0; c < side->columns; c++, at++) {
            made->column[at].name = naming_take(&n, at);
            made->column[at].meaning = hb_meaning_share(hb_means_of(each[i].means, side->columns > 1 ? c : 0));
        }
    }
done:
    naming_clear(&n);
    return st;
}

/* All rows where any have them, encrypted where any are. */
static hb_type_kind kind_of(const hb_item *item, const hb_type *operands)
{
    bool rows = false, encrypted = false;
    for (uint32_t i = 0; i < item->arguments; i++) {
        rows = rows || has_rows(&operands[i]);
        encrypted = encrypted || !hb_type_plain(&operands[i]);
    }
    return encrypted ? (rows ? HB_TYPE_ROWS : HB_TYPE_TOTALS) : (rows ? HB_TYPE_TABLE : HB_TYPE_ROW);
}

static hb_status put_types(hb_types *t, const hb_item *item, const hb_type *operands, hb_type *out)
{
    hb_schema *made = NULL;
    beside *each = calloc((size_t)item->arguments + 1, sizeof *each);
    hb_status st = each != NULL ? hb_made_columns_add(&t->columns, out->columns, &made)
                                : HB_FAIL(HB_ENOMEM, "no memory for the names of %u columns", out->columns);
    for (uint32_t i = 0; st == HB_OK && i < item->arguments; i++) {
        const hb_type *x = &operands[i];
        each[i] = (beside){.side = {.item = x->item, .columns = x->columns}, .names = x->names, .means = x->means};
    }
    st = st == HB_OK ? put_columns(&t->context, item, each, made) : st;
    free(each);
    HB_TRY(st);
    out->names = made->column;
    return hb_types_column_meanings(t, made->column, out->columns, &out->means);
}

static hb_status shape(hb_types *t, const hb_item *item, const hb_type *operands, hb_type *out)
{
    uint64_t columns;
    const hb_type *table;
    HB_TRY(check_sides(t, item, operands, &columns, &table));
    *out = operands[0];
    if (t->context.block > 1) {
        return HB_OK;
    }
    *out = (hb_type){.kind = kind_of(item, operands), .columns = (uint32_t)columns};
    if (table != NULL) {
        out->rows = table->rows;
        out->item = hb_type_plain(out) ? table->item : NULL; /* which has the rows, for messages */
    }
    for (uint32_t i = 0; i < item->arguments; i++) {
        const hb_type *x = &operands[i];
        if (x->worked_out != NULL && (out->worked_out == NULL || out->worked_out == hb_numbers_of_rows)) {
            out->worked_out = x->worked_out;
        }
    }
    if (out->worked_out != NULL) { /* whose columns are those of sums */
        out->kind = HB_TYPE_WORKED_OUT;
        out->columns = 0;
        return HB_OK;
    }
    return put_types(t, item, operands, out);
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

/* The number of shown columns of an argument: those of its grouping, or all of its columns. */
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

/* Names the shown columns. */
static hb_status name_shown(const hb_types_context *w, const hb_item *item, const beside *each, hb_grouping *to)
{
    naming n;
    hb_status st;
    HB_GOTO(name(w, item, each, item->arguments, &n));
    for (uint64_t c = 0; c < to->columns; c++) {
        to->column[c].name = naming_take(&n, c);
    }
done:
    naming_clear(&n);
    return st;
}

/* Sets the names and meanings of the sums, and names the shown columns. */
static hb_status put_sums(const hb_lowering *l, const hb_item *item, const hb_value *arguments, hb_schema *made)
{
    beside *each = calloc((size_t)item->arguments + 1, sizeof *each);
    hb_status st = each != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for the names of columns");
    for (uint32_t i = 0; st == HB_OK && i < item->arguments; i++) {
        const hb_value *x = &arguments[i];
        each[i] = (beside){
            .side = {x->type->item, x->columns, .parts = x->grouping != NULL}, .names = x->names, .means = x->means};
    }
    st = st == HB_OK ? put_columns(&hb_lower_types(l)->context, item, each, made) : st;
    for (uint32_t i = 0; st == HB_OK && i < item->arguments; i++) {
        const hb_value *x = &arguments[i];
        each[i] = (beside){.side = {x->type->item, (uint32_t)shown_of(x), .shown = true},
                           .names = x->grouping == NULL ? x->names : NULL,
                           .shown = x->grouping != NULL ? x->grouping->column : NULL};
    }
    st = st == HB_OK ? name_shown(&hb_lower_types(l)->context, item, each, made->grouping) : st;
    free(each);
    return st;
}

/* Describes sums side by side, out of which decryption works out some columns. */
static hb_status describe_sums(hb_lowering *l, const hb_item *item, const hb_value *arguments, hb_value *out)
{
    const uint32_t count = item->arguments;
    hb_schema *made = NULL;
    uint64_t at = 0, shown = 0, shown_at = 0, counts = 0;
    for (uint32_t i = 0; i < count; i++) {
        shown += shown_of(&arguments[i]);
        counts += counted_of(&arguments[i]);
    }
    HB_TRY(hb_made_columns_add(&l->columns, out->columns, &made));
    HB_TRY(hb_grouping_alloc(1, 0, shown, &made->grouping));
    made->grouping->parts = out->columns;
    made->grouping->rows = l->graph.rows;
    if (counts > 0) {
        HB_TRY(hb_grouping_alloc_counts(made->grouping, counts));
    }
    counts = 0;
    for (uint32_t i = 0; i < count; i++) {
        const hb_value *x = &arguments[i];
        put_shown(x, at, counts, made->grouping, &shown_at);
        at += x->columns;
        for (uint64_t k = 0; k < counted_of(x); k++) {
            made->grouping->counts[counts++] = x->grouping->counts[k];
        }
    }
    HB_TRY(put_sums(l, item, arguments, made));
    out->names = made->column;
    out->grouping = made->grouping;
    out->means = hb_made_columns_means(made);
    return HB_OK;
}

/* The first node that is encrypted; HB_NO_NODE: none is. */
static uint32_t encrypted_of(const hb_lowering *l, const hb_value *arguments, uint32_t count)
{
    uint32_t i = 0;
    while (i < count && (!hb_value_encrypted(&arguments[i]) || arguments[i].columns == 0)) {
        i++;
    }
    return i < count ? l->pool[arguments[i].first] : HB_NO_NODE;
}

/* Makes a plain column one beside encrypted ones: a ciphertext that everyone can read, which sums and products take as
 * the plain column that it is (known.h). */
static hb_status put_beside(hb_lowering *l, uint32_t like, bool rows, uint32_t *node)
{
    hb_graph *g = &l->graph;
    uint32_t zero;
    HB_TRY(hb_lower_require_rows(l, *node));
    HB_TRY(hb_graph_known(g, like, !rows, (hb_number){.integer = 0}, &zero));
    return hb_graph_with_plain(g, HB_OP_ADD_PLAIN, zero, *node, rows, node);
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
    /* Plain keys of groups stay plain. */
    const uint32_t like = item->grouped ? HB_NO_NODE : encrypted_of(l, arguments, item->arguments);
    *out = (hb_value){.kind = sums ? HB_TYPE_TOTALS : l->type->kind, .names = l->type->names};
    HB_TRY(hb_lower_columns(l, (uint32_t)columns, out));
    for (uint32_t i = 0; i < item->arguments; i++) {
        const hb_value *x = &arguments[i];
        for (uint32_t c = 0; c < x->columns; c++) {
            uint32_t node = l->pool[x->first + c];
            if (hb_value_plain(x) && like != HB_NO_NODE) {
                HB_TRY(put_beside(l, like, out->kind == HB_TYPE_ROWS, &node));
            }
            l->pool[out->first + at++] = node;
        }
    }
    return sums ? describe_sums(l, item, arguments, out) : HB_OK;
}

const hb_lang_function hb_lang_function_cols = {
    .call = {.name = "cols",
             .form = "cols(a, b, ...)",
             .says = "several values as columns of one result, as `(a, b, ...)` also is: all with rows, or all "
                     "totals. Columns to compute with may be plain, as in `rowsum((x.a, w.n))` and `(w.u, "
                     "sum(w.v))*x`",
             .least = 1,
             .most = UINT32_MAX,
             .parentheses = true},
    .meaning = {hb_take_all, HB_RESULT_OWN},
    .gaps = HB_GAPS_BESIDE,
    .shape = shape,
    .worked_out = true,
    .lower = lower,
};
