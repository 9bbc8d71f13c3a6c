/* How many columns the names of an expression have, and what they are called. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "expression/text/quoted.h"
#include "expression/text/syntax.h"
#include "trial.h"

/* A set of names is a word. */
#define MOST_NAMES 64

/* Which columns an expression picks of a name that it reads, before anybody knows its table. */
typedef struct picked {
    uint64_t given;        /* how many columns the name is said to have; 0: nothing is said */
    const hb_item **items; /* picks of the name, each column once; owned */
    uint32_t count;
} picked;

typedef struct walk {
    const hb_syntax *syntax;
    char *const *reads;
    uint32_t count;
    picked *of;      /* [count] */
    uint64_t *stack; /* of values: names whose columns they have */
    uint32_t height;
    const hb_item **symbols; /* assignments so far ... */
    uint64_t *assigned;      /* ... of these */
    uint32_t symbol_count;
    uint64_t weights; /* names that stand before an @ */
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
        picked *of = &w->of[i];
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

/* Columns that are multiplied are as many as those of their weights. */
static void weigh(walk *w, uint64_t weights, uint64_t names)
{
    w->weights |= weights;
    for (uint32_t i = 0; weights != 0 && i < w->count; i++) {
        if ((names >> i & 1) != 0 && w->of[i].given == 0) {
            w->of[i].given = w->of[__builtin_ctzll(weights)].given;
        }
    }
}

/* One item; picks are noted, or rowsums checked. */
static hb_status step(walk *w, const hb_item *item, bool check)
{
    uint64_t *top = &w->stack[w->height];
    switch (item->kind) {
    case HB_ITEM_NUMBER:
    case HB_ITEM_TEXT:
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
    case HB_ITEM_NOT:
        return HB_OK;
    case HB_ITEM_BETWEEN:
    case HB_ITEM_AND:
    case HB_ITEM_OR:
    case HB_ITEM_IN:
        w->height -= hb_item_operands(item) - 1;
        return HB_OK;
    case HB_ITEM_CALL:
        if (item->arguments == 0) {
            *top = 0;
            w->height++;
            return HB_OK;
        }
        w->height -= item->arguments - 1;
        top = &w->stack[w->height];
        if (item->call == HB_CALL_DOT) {
            top[-1] |= top[0];
        } else if (item->call == HB_CALL_LOOKUP) {
            weigh(w, top[0], 0); /* a table, if it is a name */
        } else if (item->call == HB_CALL_CONV) {
            weigh(w, top[-1], 0);
            top[-1] = 0;
        } else if (item->call == HB_CALL_ROWSUM) {
            if (check) {
                HB_TRY(check_rowsum(w, top[-1], item));
            }
            top[-1] = 0;
        }
        return HB_OK;
    case HB_ITEM_MATRIX:
        weigh(w, top[-2], top[-1]);
        top[-2] = 0;
        w->height--;
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

/* Notes what is picked of reads[0 .. count); `given` is set. HB_EUSAGE for too many names, and where rowsum adds up
 * columns of which neither `given` nor the picks say how many there are. *weights: hb_columns_find. picks_clear also
 * after a failure. */
static hb_status picks_find(const hb_syntax *syntax, char *const *reads, picked *of, uint32_t count, uint64_t *weights)
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

static void picks_clear(picked *of, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        free(of[i].items);
    }
}

#define MOST_COLUMNS 100000u /* 10^5: no graph has more nodes (expression/graph/graph.h) */

/* "x=4,q=4". */
static hb_status read_counts(picked *of, char *const *reads, uint32_t count, const char *text)
{
    for (const char *at = text; at != NULL;) {
        const size_t length = strcspn(at, "=,");
        uint32_t i = 0;
        while (i < count && !(strlen(reads[i]) == length && memcmp(reads[i], at, length) == 0)) {
            i++;
        }
        if (i == count && at[length] == '=') {
            return HB_FAIL(HB_EUSAGE, "--columns names '%.*s', which the expression does not read",
                           (int)(length < 64 ? length : 64), at);
        }
        char *end = NULL;
        errno = 0;
        const bool digits = at[length] == '=' && at[length + 1] >= '0' && at[length + 1] <= '9';
        const unsigned long long number = digits ? strtoull(at + length + 1, &end, 10) : 0;
        if (number == 0 || errno != 0 || number > MOST_COLUMNS || (*end != ',' && *end != '\0')) {
            return HB_FAIL(HB_EUSAGE,
                           "--columns: expected name=COUNT as in x=4 or x=4,q=4, 1 to %u columns; found '%.80s'",
                           MOST_COLUMNS, text);
        }
        if (of[i].given > 0) {
            return HB_FAIL(HB_EUSAGE, "--columns: '%.80s' says it of %.64s twice", text, reads[i]);
        }
        of[i].given = number;
        at = *end == ',' ? end + 1 : NULL;
    }
    return HB_OK;
}

static bool takes(const picked *of, uint64_t number)
{
    for (uint32_t i = 0; i < of->count; i++) {
        if (of->items[i]->number > 0 && (uint64_t)of->items[i]->number == number) {
            return true;
        }
    }
    return false;
}

/* Columns picked by name get the first places that no number picks. */
static hb_status place(const hb_syntax *s, const char *name, const picked *of, uint64_t *places, uint64_t *columns)
{
    uint64_t last = 0;
    *columns = of->given > 0 ? of->given : 1;
    for (uint32_t j = 0; j < of->count; j++) {
        if (of->items[j]->number > 0) {
            places[j] = (uint64_t)of->items[j]->number;
        } else {
            do {
                last++;
            } while (takes(of, last));
            places[j] = last;
        }
        if (places[j] > (of->given > 0 ? of->given : MOST_COLUMNS)) {
            if (of->given > 0) {
                return HB_FAIL_AT(HB_EUSAGE, s->text, of->items[j]->at,
                                  "--columns says %.64s=%" PRIu64 ", fewer than are picked", name, of->given);
            }
            return HB_FAIL_AT(HB_EUSAGE, s->text, of->items[j]->at, "%.64s can have %u columns at most", name,
                              MOST_COLUMNS);
        }
        *columns = places[j] > *columns ? places[j] : *columns;
    }
    return HB_OK;
}

static hb_status describe(const hb_syntax *s, const char *name, const picked *of, hb_schema *schema)
{
    uint64_t columns;
    hb_status st;
    uint64_t *places = calloc((size_t)of->count + 1, sizeof *places);
    if (places == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the columns of an expression");
    }
    HB_GOTO(place(s, name, of, places, &columns));
    schema->column = calloc((size_t)columns, sizeof *schema->column);
    if (schema->column == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "no memory for %" PRIu64 " columns", columns));
    }
    schema->columns = columns;
    for (uint32_t j = 0; j < of->count; j++) {
        const hb_item *item = of->items[j];
        if (item->number == 0) {
            schema->named = true;
            schema->column[places[j] - 1].name = hb_quoted_name(s->text + item->word, item->word_length);
        }
    }
    for (uint64_t c = 0; c < columns; c++) {
        hb_column *column = &schema->column[c];
        column->name = column->name == NULL ? strdup("") : column->name;
        if (column->name == NULL) {
            HB_GOTO(HB_FAIL(HB_ENOMEM, "no memory for %" PRIu64 " columns", columns));
        }
    }
done:
    free(places);
    return st;
}

static bool takes_complex(const hb_item *item)
{
    return item->kind == HB_ITEM_CALL &&
           (item->call == HB_CALL_RE || item->call == HB_CALL_IM || item->call == HB_CALL_ABS2);
}

/* Whether columns of reads[which] are complex: parts of them are taken, or of results, which may be made of them. */
static bool is_complex(const hb_syntax *s, char *const *reads, uint32_t count, uint32_t which)
{
    for (uint32_t i = 0; i < s->count; i++) {
        const hb_item *call = &s->items[i];
        for (uint32_t j = 0; takes_complex(call) && j < i; j++) {
            const hb_item *item = &s->items[j];
            if (item->kind != HB_ITEM_NAME || item->word < call->from || item->word >= call->to) {
                continue;
            }
            uint32_t of = 0;
            while (of < count && !hb_item_is(s, item, reads[of])) {
                of++;
            }
            if (of == which || of == count) {
                return true;
            }
        }
    }
    return false;
}

hb_status hb_columns_find(const char *expression, char *const *reads, uint32_t count, const char *counts,
                          hb_schema *schemas, uint64_t *weights)
{
    hb_syntax syntax = {0};
    hb_status st;
    picked *of = calloc((size_t)count + 1, sizeof *of);
    if (of == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the columns of an expression");
    }
    HB_GOTO(hb_syntax_parse(&syntax, expression));
    HB_GOTO(read_counts(of, reads, count, counts));
    for (uint32_t i = 0; i < count; i++) {
        if (schemas[i].columns > 0 && of[i].given > 0) {
            HB_GOTO(HB_FAIL(HB_EUSAGE, "--columns says it of %.64s, which has a table", reads[i]));
        }
        of[i].given = schemas[i].columns > 0 ? schemas[i].columns : of[i].given;
    }
    HB_GOTO(picks_find(&syntax, reads, of, count, weights));
    for (uint32_t i = 0; i < count; i++) {
        if (schemas[i].columns == 0) {
            HB_GOTO(describe(&syntax, reads[i], &of[i], &schemas[i]));
            for (uint64_t c = 0; c < schemas[i].columns && is_complex(&syntax, reads, count, i); c++) {
                schemas[i].column[c].halves = HB_HALVES_COMPLEX;
            }
        }
    }
done:
    picks_clear(of, count);
    free(of);
    hb_syntax_clear(&syntax);
    return st;
}
