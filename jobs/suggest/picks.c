#include "picks.h"

#include <stdlib.h>
#include <string.h>

/* A set of names is a word. */
#define MOST_NAMES 64

typedef struct walk {
    const hb_syntax *syntax;
    char *const *reads;
    uint32_t count;
    hb_picked *of;   /* [count] */
    uint64_t *stack; /* of values: names whose columns they have */
    uint32_t height;
    const hb_item **symbols; /* assignments so far ... */
    uint64_t *assigned;      /* ... of these */
    uint32_t symbol_count;
} walk;

static bool same_pick(const hb_syntax *s, const hb_item *x, const hb_item *y)
{
    return x->number == y->number && x->word_length == y->word_length &&
           memcmp(s->text + x->word, s->text + y->word, x->number > 0 ? 0 : x->word_length) == 0;
}

/* A value of several names may have a column from any of them: it does not go to those that are full. */
static void note_pick(walk *w, uint64_t names, const hb_item *item)
{
    const bool shared = (names & (names - 1)) != 0;
    for (uint32_t i = 0; i < w->count; i++) {
        hb_picked *of = &w->of[i];
        uint32_t j = 0;
        while (j < of->count && !same_pick(w->syntax, of->items[j], item)) {
            j++;
        }
        if ((names >> i & 1) != 0 && j == of->count && !(shared && of->given > 0 && of->count >= of->given)) {
            of->items[of->count++] = item;
        }
    }
}

static uint64_t names_of(const walk *w, const hb_item *item)
{
    const hb_syntax *s = w->syntax;
    for (uint32_t i = w->symbol_count; i-- > 0;) {
        const hb_item *x = w->symbols[i];
        if (x->word_length == item->word_length &&
            memcmp(s->text + x->word, s->text + item->word, x->word_length) == 0) {
            return w->assigned[i];
        }
    }
    uint32_t i = 0;
    while (!hb_item_is(s, item, w->reads[i])) { /* whatever is not assigned before is read */
        i++;
    }
    return (uint64_t)1 << i;
}

/* Does somebody say that one of these names has more than one column, or that it has not? */
static bool counted(const walk *w, uint64_t names)
{
    bool found = names == 0;
    for (uint32_t i = 0; i < w->count; i++) {
        found |= (names >> i & 1) != 0 && (w->of[i].given > 0 || w->of[i].count > 1);
    }
    return found;
}

static hb_status check_rowsum(const walk *w, uint64_t names, const hb_item *item)
{
    if (counted(w, names)) {
        return HB_OK;
    }
    const char *name = w->reads[__builtin_ctzll(names)];
    return HB_FAIL_AT(HB_EUSAGE, w->syntax->text, item->at,
                      "rowsum adds up columns: say how many %.64s has with --columns %.64s=COUNT", name, name);
}

/* One item; picks are noted, or rowsums checked. */
static hb_status step(walk *w, const hb_item *item, bool check)
{
    uint64_t *top = &w->stack[w->height];
    switch (item->kind) {
    case HB_ITEM_NUMBER:
    case HB_ITEM_NAME:
        *top = item->kind == HB_ITEM_NAME ? names_of(w, item) : 0;
        w->height++;
        return HB_OK;
    case HB_ITEM_PICK:
        if (!check) {
            note_pick(w, top[-1], item);
        }
        top[-1] = 0;
        return HB_OK;
    case HB_ITEM_NEGATE:
        return HB_OK;
    case HB_ITEM_CALL:
        w->height -= item->arguments - 1;
        top = &w->stack[w->height];
        if (item->function == HB_FUNCTION_DOT) {
            top[-1] |= top[0];
        } else if (item->function == HB_FUNCTION_ROWSUM) {
            HB_TRY(check ? check_rowsum(w, top[-1], item) : HB_OK);
            top[-1] = 0;
        }
        return HB_OK;
    case HB_ITEM_ASSIGN:
        w->symbols[w->symbol_count] = item;
        w->assigned[w->symbol_count++] = top[-1];
        w->height--;
        return HB_OK;
    default:
        top[-2] |= top[-1];
        w->height--;
        return HB_OK;
    }
}

static hb_status walk_all(walk *w, bool check)
{
    w->height = w->symbol_count = 0;
    for (uint32_t i = 0; i < w->syntax->count; i++) {
        HB_TRY(step(w, &w->syntax->items[i], check));
    }
    return HB_OK;
}

static hb_status find(walk *w)
{
    const size_t items = w->syntax->count;
    uint32_t picks = 0;
    for (size_t i = 0; i < items; i++) {
        picks += w->syntax->items[i].kind == HB_ITEM_PICK;
    }
    w->stack = calloc(items, sizeof *w->stack);
    w->assigned = calloc(items, sizeof *w->assigned);
    w->symbols = calloc(items, sizeof *w->symbols);
    bool enough = w->stack != NULL && w->assigned != NULL && w->symbols != NULL;
    for (uint32_t i = 0; enough && i < w->count; i++) {
        w->of[i].items = calloc((size_t)picks + 1, sizeof *w->of[i].items);
        enough = w->of[i].items != NULL;
    }
    if (!enough) {
        return HB_FAIL(HB_ENOMEM, "no memory for the columns of an expression");
    }
    HB_TRY(walk_all(w, false));
    return walk_all(w, true);
}

hb_status hb_picks_find(const hb_syntax *syntax, char *const *reads, hb_picked *of, uint32_t count)
{
    if (count > MOST_NAMES) {
        return HB_FAIL(HB_EUSAGE, "the expression reads more than %d names", MOST_NAMES);
    }
    walk w = {.syntax = syntax, .reads = reads, .count = count, .of = of};
    const hb_status st = find(&w);
    free(w.stack);
    free(w.assigned);
    free(w.symbols);
    return st;
}

void hb_picks_clear(hb_picked *of, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        free(of[i].items);
    }
}
