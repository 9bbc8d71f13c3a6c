#include "picks.h"

#include <stdlib.h>
#include <string.h>

#include "lang/functions/list.h"
#include "lang/text/walk.h"

/* A set of names is a word. */
#define MOST_NAMES 64

/* A value, as far as picks and weights go by it. */
typedef struct value {
    uint64_t names; /* those whose columns it has */
    bool matrix;    /* of each sample: it has rows and columns of its own, and is no weights */
} value;

typedef struct walk {
    const hb_syntax *syntax;
    char *const *reads;
    uint32_t count;
    hb_picked *of; /* [count] */
    value *stack;
    uint32_t height;
    const hb_item **symbols; /* assignments so far, of each name the last one ... */
    value *assigned;         /* ... of these */
    uint32_t symbol_count;
    uint64_t weights; /* names that stand before an @ */
} walk;

static bool same_pick(const hb_syntax *s, const hb_item *x, const hb_item *y)
{
    return x->number == y->number && x->word_length == y->word_length &&
           memcmp(s->text + x->word, s->text + y->word, x->number > 0 ? 0 : x->word_length) == 0;
}

/* A value of several names may have a column from any of them: it does not go to names that are full. */
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

static bool same_word(const hb_syntax *s, const hb_item *x, const hb_item *y)
{
    return x->word_length == y->word_length && memcmp(s->text + x->word, s->text + y->word, x->word_length) == 0;
}

static value value_of(const walk *w, const hb_item *item)
{
    const hb_syntax *s = w->syntax;
    for (uint32_t i = w->symbol_count; i-- > 0;) {
        if (same_word(s, w->symbols[i], item)) {
            return w->assigned[i];
        }
    }
    uint32_t i = 0;
    while (!hb_item_is(s, item, w->reads[i])) { /* a name that is not assigned before is read */
        i++;
    }
    return (value){.names = (uint64_t)1 << i};
}

/* Notes the columns of a name from now on; a loop assigns the same ones again and again. */
static void assign(walk *w, const hb_item *item, value of)
{
    uint32_t i = 0;
    while (i < w->symbol_count && !same_word(w->syntax, w->symbols[i], item)) {
        i++;
    }
    w->symbols[i] = item;
    w->assigned[i] = of;
    w->symbol_count += i == w->symbol_count;
}

/* Whether the number of columns of one of these names is given. */
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

/* These names have so many columns where nothing else says how many. */
static void give(walk *w, uint64_t names, uint64_t columns)
{
    for (uint32_t i = 0; i < w->count; i++) {
        if ((names >> i & 1) != 0 && w->of[i].given == 0) {
            w->of[i].given = columns;
        }
    }
}

/* Columns that are multiplied are as many as those of their weights. */
static void weigh(walk *w, uint64_t weights, uint64_t names)
{
    w->weights |= weights;
    if (weights != 0) {
        give(w, names, w->of[__builtin_ctzll(weights)].given);
    }
}

/* Returns a side of matrix(x, rows, columns); 0: no constant that can be one. */
static uint64_t side_of(const hb_item *side)
{
    const bool whole = side->kind == HB_ITEM_NUMBER && !side->decimal && side->number > 0;
    return whole && side->number <= INT32_MAX ? (uint64_t)side->number : 0;
}

/* A matrix stands in as many columns as it has entries. */
static void make_matrix(walk *w, const hb_item *item)
{
    value *made = &w->stack[w->height - 1];
    if (item->arguments == 3) {
        give(w, made->names, side_of(hb_item_operand(item, 1)) * side_of(hb_item_operand(item, 2)));
    }
    made->matrix = true;
}

/* Leaves the names of all operands in the place of the first. */
static void merge(walk *w, uint32_t operands)
{
    w->height -= operands - 1;
    value *top = &w->stack[w->height];
    for (uint32_t i = 1; i < operands; i++) {
        top[-1].names |= top[i - 1].names;
        top[-1].matrix |= top[i - 1].matrix;
    }
}

/* A function of its arguments; none: the number of rows. */
static hb_status call(walk *w, const hb_item *item, bool check)
{
    if (item->arguments == 0) {
        w->stack[w->height++] = (value){0};
        return HB_OK;
    }
    if (item->call->matches) {
        merge(w, item->arguments);
        return HB_OK;
    }
    w->height -= item->arguments - 1;
    value *top = &w->stack[w->height];
    if (item->call->table > 0) {
        weigh(w, top[(int)item->call->table - 2].names, 0); /* if it is a name */
        top[-1] = item->call->table == 1 ? (value){0} : top[-1];
    } else if (item->call->matrix) {
        make_matrix(w, item);
    } else if (item->call->row) {
        if (check) {
            HB_TRY(check_rowsum(w, top[-1].names, item));
        }
        top[-1] = (value){0};
    }
    return HB_OK;
}

/* A product of weights or of a matrix leaves no names. A matrix has columns of its own: its entries are more. */
static void multiply_matrix(walk *w)
{
    value *top = &w->stack[w->height--];
    weigh(w, top[-2].matrix ? 0 : top[-2].names, top[-1].matrix ? 0 : top[-1].names);
    top[-2] = (value){0};
}

/* One item; picks are noted, or rowsums checked. */
static hb_status step(walk *w, const hb_item *item, bool check)
{
    value *top = &w->stack[w->height];
    HB_ASSERT(item->kind != HB_ITEM_REPEAT); /* a walk does not come to it */
    if (item->kind == HB_ITEM_CALL) {
        return call(w, item, check);
    }
    if (hb_item_operands(item) == 0) {
        w->stack[w->height++] = item->kind == HB_ITEM_NAME ? value_of(w, item) : (value){0};
    } else if (item->kind == HB_ITEM_PICK) {
        if (!check) {
            note_pick(w, top[-1].names, item);
        }
        top[-1] = (value){0};
    } else if (item->kind == HB_ITEM_ASSIGN) {
        assign(w, item, top[-1]);
        w->height--;
    } else if (item->kind == HB_ITEM_MATRIX) {
        multiply_matrix(w);
    } else { /* an operator, whose operands have the same columns, or one */
        merge(w, hb_item_operands(item));
    }
    return HB_OK;
}

static hb_status walk_all(walk *w, bool check)
{
    w->height = w->symbol_count = 0;
    hb_walk items = {.syntax = w->syntax};
    for (const hb_item *item; (item = hb_walk_next(&items)) != NULL;) {
        if (item->kind != HB_ITEM_REPEAT) {
            HB_TRY(step(w, item, check));
        }
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

hb_status hb_picks_find(const hb_syntax *syntax, char *const *reads, hb_picked *of, uint32_t count, uint64_t *weights)
{
    if (count > MOST_NAMES) {
        return HB_FAIL(HB_EUSAGE, "the expression reads more than %d names", MOST_NAMES);
    }
    walk w = {.syntax = syntax, .reads = reads, .count = count, .of = of};
    const hb_status st = find(&w);
    *weights = w.weights;
    free(w.stack);
    free(w.assigned);
    free(w.symbols);
    return st;
}

bool hb_picks_label(const char *expression, const char *name)
{
    hb_syntax syntax = {0};
    bool found = false;
    if (hb_syntax_parse(&syntax, expression, hb_lang_functions) == HB_OK) {
        for (uint32_t i = 1; i < syntax.count; i++) {
            const hb_item *right = &syntax.items[i - 1]; /* operands stand before their operation */
            found = found || ((right[1].kind == HB_ITEM_EQUAL || right[1].kind == HB_ITEM_NOT_EQUAL) &&
                              right->kind == HB_ITEM_NAME && hb_item_is(&syntax, right, name));
        }
    }
    hb_syntax_clear(&syntax);
    return found;
}
