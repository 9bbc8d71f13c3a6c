/* A question that computes with aggregates which decryption works out, taken apart: the aggregates are asked for, each
 * over the rows that it has by itself, and the rest is computed with the answers. */
#include <stdlib.h>
#include <string.h>

#include "job.h"
#include "lang/functions/list.h"
#include "lang/text/syntax.h"

#define NO_MEMORY HB_FAIL(HB_ENOMEM, "no memory for a question")

typedef struct taking_apart {
    const hb_question *q;
    const hb_syntax *s;
    const char *said;
    bool *has; /* [items] their values are computed with aggregates */
    FILE *to;
    uint32_t written; /* statements, or results of a table of groups */
    bool changed;
} taking_apart;

static bool is_aggregate(const hb_item *item)
{
    return item->kind == HB_ITEM_CALL && (item->call->aggregate || item->call->groups);
}

/* Writes a part of the question as the user wrote it. */
static void write_said(const taking_apart *t, const hb_item *item)
{
    const uint32_t from = t->q->origin[item->from], to = t->q->origin[item->to];
    fprintf(t->to, "%.*s", (int)(to - from), t->said + from);
}

/* Writes the outermost aggregates of an expression, with `between` in front of those that are not the first. */
static void write_aggregates(taking_apart *t, const hb_item *of, const char *between)
{
    if (is_aggregate(of)) {
        fputs(t->written++ > 0 ? between : "", t->to);
        write_said(t, of);
        return;
    }
    for (uint32_t i = 0; i < hb_item_operands(of); i++) {
        write_aggregates(t, hb_item_operand(of, i), between);
    }
}

/* Finds which values are computed with aggregates: with calls of them, or with names of such values. */
static void find_aggregates(taking_apart *t, bool *named)
{
    for (uint32_t i = 0; i < t->s->count; i++) {
        const hb_item *item = &t->s->items[i];
        bool found = is_aggregate(item) || (item->kind == HB_ITEM_NAME && named[item->name]);
        for (uint32_t k = 0; k < hb_item_operands(item); k++) {
            found = found || t->has[hb_item_operand(item, k) - t->s->items];
        }
        t->has[i] = found;
        if (item->kind == HB_ITEM_ASSIGN) {
            named[item->name] = found;
        }
    }
}

static bool has_aggregates(const taking_apart *t, const hb_item *of)
{
    return t->has[of - t->s->items];
}

/* Writes a table of groups with the aggregates of its results. */
static void write_groups(taking_apart *t, const hb_item *call)
{
    fprintf(t->to, "%s(", call->call->name);
    write_said(t, hb_item_operand(call, 0));
    t->written = 1;
    for (uint32_t i = 1; i < call->arguments; i++) {
        const hb_item *of = hb_item_operand(call, i);
        if (is_aggregate(of) || !has_aggregates(t, of)) {
            fputs(", ", t->to);
            write_said(t, of);
            t->written++;
        } else {
            write_aggregates(t, of, ", ");
            t->changed = true;
        }
    }
    fputc(')', t->to);
}

static void write_statement(taking_apart *t, const hb_item *assign)
{
    const hb_item *value = hb_item_operand(assign, 0);
    const bool groups = value->kind == HB_ITEM_CALL && value->call->groups;
    if (groups) {
        const uint32_t before = t->written;
        fputs(before > 0 ? "; " : "", t->to);
        write_groups(t, value);
        t->written = before + 1;
    } else if (is_aggregate(value) || !has_aggregates(t, value)) {
        fputs(t->written++ > 0 ? "; " : "", t->to);
        write_said(t, assign);
    } else {
        write_aggregates(t, value, "; ");
        t->changed = true;
    }
}

/* Writes all statements. *text is NULL where nothing was taken apart. */
static hb_status write_statements(taking_apart *t, char **text)
{
    size_t size;
    t->to = open_memstream(text, &size);
    for (uint32_t i = 0; t->to != NULL && i < t->s->count; i++) {
        if (t->s->items[i].kind == HB_ITEM_ASSIGN) {
            write_statement(t, &t->s->items[i]);
        }
    }
    const bool whole = t->to != NULL && fclose(t->to) == 0;
    if (!whole || !t->changed || t->written == 0) {
        free(*text);
        *text = NULL;
    }
    return whole ? HB_OK : NO_MEMORY;
}

hb_status hb_asked_take_apart(const hb_question *q, const char *said, char **text)
{
    hb_syntax syntax = {0};
    bool *named = NULL;
    hb_status st = HB_OK;
    *text = NULL;
    taking_apart t = {.q = q, .s = &syntax, .said = said};
    if (q->text == NULL || hb_syntax_parse(&syntax, q->text, hb_lang_functions) != HB_OK || syntax.loops) {
        goto done;
    }
    t.has = calloc((size_t)syntax.count + 1, sizeof *t.has);
    named = calloc((size_t)syntax.names + 1, sizeof *named);
    HB_GOTO(t.has != NULL && named != NULL ? HB_OK : NO_MEMORY);
    find_aggregates(&t, named);
    st = write_statements(&t, text);
done:
    free(t.has);
    free(named);
    hb_syntax_clear(&syntax);
    return st;
}
