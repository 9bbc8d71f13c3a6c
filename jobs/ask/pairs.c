/* Rows of several tables that a question puts beside each other: they pair by their place, and no key is compared. */
#include <stdlib.h>
#include <string.h>

#include "job.h"
#include "lang/functions/list.h"
#include "lang/text/syntax.h"

#define NO_MEMORY HB_FAIL(HB_ENOMEM, "no memory for the tables of a question")

/* The first table whose rows a value has, and another one; `tables`: none. */
typedef struct rows_of {
    uint32_t one, other;
} rows_of;

typedef struct looking {
    const hb_question *q;
    const hb_syntax *s;
    rows_of *item; /* [items] */
    rows_of *name; /* [names of the text] the values that names have so far */
    bool changed;  /* a name has got more rows: loops read it earlier */
} looking;

static void add_rows(const looking *l, rows_of *to, rows_of from)
{
    const uint32_t none = l->q->tables, found[] = {from.one, from.other};
    for (int i = 0; i < 2; i++) {
        if (to->one == none) {
            to->one = found[i];
        } else if (found[i] != none && found[i] != to->one && to->other == none) {
            to->other = found[i];
        }
    }
}

/* A table of one row stands in every row of others. */
static rows_of rows_of_name(const looking *l, const hb_item *item)
{
    const hb_question *q = l->q;
    rows_of rows = l->name[item->name];
    for (uint32_t t = 0; t < q->tables; t++) {
        if (hb_item_is(l->s, item, q->table[t].name) && !item->weights && q->table[t].survey.rows != 1) {
            add_rows(l, &rows, (rows_of){t, q->tables});
        }
    }
    return rows;
}

/* Totals have no rows of their own, nor has a table that is looked up in. */
static rows_of rows_of_item(looking *l, const hb_item *item)
{
    const rows_of none = {l->q->tables, l->q->tables};
    rows_of rows = none;
    for (uint32_t i = 0; i < hb_item_operands(item); i++) {
        const bool searched = item->kind == HB_ITEM_CALL && item->call->table == i + 1;
        add_rows(l, &rows, searched ? none : l->item[hb_item_operand(item, i) - l->s->items]);
    }
    if (item->kind == HB_ITEM_NAME) {
        rows = rows_of_name(l, item);
    }
    if (item->kind == HB_ITEM_ASSIGN) {
        rows_of *name = &l->name[item->name];
        const rows_of before = *name;
        add_rows(l, name, rows);
        l->changed = l->changed || before.one != name->one || before.other != name->other;
    }
    const bool total = item->kind == HB_ITEM_CALL && (item->call->aggregate || item->call->groups) && !item->grouped;
    return total && rows.other == l->q->tables ? none : rows;
}

static hb_status refuse(const hb_question *q, rows_of rows)
{
    const hb_asked_table *one = &q->table[rows.one], *other = &q->table[rows.other];
    return HB_FAIL(HB_EUSAGE,
                   "%.100s and %.100s would pair by the place of their rows, row 1 with row 1, and no key is compared: "
                   "if each row of both belongs together, say --rows-match; by a key: lookup(%s.KEY, %s), where the "
                   "first column of %.100s is the key, and has no value twice",
                   one->path, other->path, one->name, other->name, other->path);
}

static hb_status look(looking *l)
{
    for (l->changed = true; l->changed;) {
        l->changed = false;
        for (uint32_t i = 0; i < l->s->count; i++) {
            l->item[i] = rows_of_item(l, &l->s->items[i]);
            if (l->item[i].other != l->q->tables) {
                return refuse(l->q, l->item[i]);
            }
        }
    }
    return HB_OK;
}

hb_status hb_asked_refuse_pairs(const hb_question *q)
{
    hb_syntax syntax = {0};
    looking l = {.q = q, .s = &syntax};
    hb_status st;
    HB_GOTO(hb_syntax_parse(&syntax, q->text, hb_lang_functions));
    l.item = calloc((size_t)syntax.count + 1, sizeof *l.item);
    l.name = calloc((size_t)syntax.names + 1, sizeof *l.name);
    HB_GOTO(l.item != NULL && l.name != NULL ? HB_OK : NO_MEMORY);
    for (uint32_t i = 0; i < syntax.names; i++) {
        l.name[i] = (rows_of){q->tables, q->tables};
    }
    st = look(&l);
done:
    free(l.item);
    free(l.name);
    hb_syntax_clear(&syntax);
    return st;
}
