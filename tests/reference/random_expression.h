/* Random expressions as trees, and their text. Included after <cmocka.h>.
 *
 * Tables of a world (names and kinds below) have `rows` rows; every column is laid out as its ciphertexts are, in
 * `blocks` blocks of n slots. Encrypted tables of one row have it in the first slot of the first one. */
#ifndef HB_TESTS_RANDOM_EXPRESSION_H
#define HB_TESTS_RANDOM_EXPRESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference/slow.h"

#define RX_WIDE 3 /* columns of the wide tables */

typedef enum rx_table { RX_A, RX_B, RX_D, RX_V, RX_VV, RX_W, RX_U, RX_K, RX_O, RX_P, RX_TABLES } rx_table;

/* k holds -1 .. 2, which is declared. a, k, o and vv, w are wide; d and p have other values than 0 in slots that hold
 * no row; w and u have one row, and so do o and p, which are encrypted. */
static const struct {
    const char *name;
    uint32_t columns;
    bool encrypted, one_row, dirty_padding;
} rx_tables[RX_TABLES] = {
    [RX_A] = {"a", RX_WIDE, true, false, false},    [RX_B] = {"b", 1, true, false, false},
    [RX_D] = {"d_2", 1, true, false, true},         [RX_V] = {"v", 1, false, false, false},
    [RX_VV] = {"vv", RX_WIDE, false, false, false}, [RX_W] = {"w", RX_WIDE, false, true, false},
    [RX_U] = {"u", 1, false, true, false},          [RX_K] = {"k", RX_WIDE, true, false, false},
    [RX_O] = {"o", RX_WIDE, true, true, false},     [RX_P] = {"p", 1, true, true, true},
};
static const char *const rx_columns[RX_WIDE] = {"x", "y_1", "odd name"};

typedef struct rx_world {
    size_t n, blocks;
    uint64_t rows, t;
    /* [columns][blocks * n] residues; plain one-row tables: the number in slots that hold a row */
    uint64_t *table[RX_TABLES];
} rx_world;

typedef enum rx_kind {
    RX_TABLE, /* of `table`; column: -1 for all */
    RX_NAME,  /* of a statement before */
    RX_NUMBER,
    RX_ADD,
    RX_SUBTRACT,
    RX_MULTIPLY,
    RX_NEGATE,
    RX_POWER, /* number */
    RX_SQUARE,
    RX_ROTATE, /* number */
    RX_SWAP,
    RX_SUM,
    RX_DOT,
    RX_POLY, /* coefficients */
    RX_ROWSUM,
    RX_MODSWITCH,
    RX_PREDICATE /* `predicate`, of the columns coefficient[0], [1] of k, and numbers coefficient[2] < [3] */
} rx_kind;

enum { RX_LEAST = -1, RX_MOST = 2 }; /* of k */

/* Comparisons stand in the order of this list, of a column with a number and of two columns. */
static const char *const rx_comparisons[] = {"==", "!=", "<", "<=", ">", ">="};
enum {
    RX_COMPARISONS = 6,
    RX_BETWEEN = 2 * RX_COMPARISONS,
    RX_AMONG,
    RX_LOOKUP,
    RX_MAX,
    RX_MIN,
    RX_ABS,
    RX_LOGIC,
    RX_WHERE,
    RX_PREDICATES
};

typedef struct rx_tree {
    rx_kind kind;
    struct rx_tree *x, *y;
    rx_table table;
    int column;
    int statement;
    int64_t number, coefficient[12];
    int count, predicate;
    uint32_t columns; /* of the value */
    bool total;       /* one row in every slot */
    bool wild;        /* the contents of slots without a row are unknown */
    uint32_t depth;   /* products of ciphertexts */
} rx_tree;

#define RX_STATEMENTS 4

typedef struct rx_program {
    rx_tree *statement[RX_STATEMENTS];
    int count;
    char text[1 << 16];
} rx_program;

/* Limits of the generated expressions. */
typedef struct rx_limits {
    int height;        /* of trees */
    uint32_t depth;    /* products of ciphertexts on a path */
    bool mod_switches; /* modswitch(x) */
} rx_limits;

static inline bool rx_partial(const rx_world *w)
{
    return w->rows % w->n != 0;
}

static inline uint64_t rx_below(uint64_t *state, uint64_t bound)
{
    return slow_random(state) % bound;
}

static inline rx_tree *rx_new(rx_kind kind)
{
    rx_tree *tree = calloc(1, sizeof *tree);
    assert_non_null(tree);
    tree->kind = kind;
    tree->columns = 1;
    tree->column = -1;
    return tree;
}

static inline void rx_free(rx_tree *tree)
{
    if (tree != NULL) {
        rx_free(tree->x);
        rx_free(tree->y);
        free(tree);
    }
}

static inline void rx_program_free(rx_program *p)
{
    for (int i = 0; i < p->count; i++) {
        rx_free(p->statement[i]);
    }
    free(p);
}

/* A nonzero constant: mostly small, sometimes anything mod t. */
static inline int64_t rx_number(const rx_world *w, uint64_t *state)
{
    const bool small = rx_below(state, 4) != 0;
    const int64_t magnitude = (int64_t)(1 + rx_below(state, small ? 9 : w->t - 1));
    return rx_below(state, 3) == 0 ? -magnitude : magnitude;
}

static inline rx_tree *rx_leaf(const rx_world *w, const rx_program *p, uint64_t *state, uint32_t columns)
{
    if (p->count > 0 && rx_below(state, 3) == 0) {
        const int statement = (int)rx_below(state, (uint64_t)p->count);
        const rx_tree *value = p->statement[statement];
        if (value->columns == columns) {
            rx_tree *tree = rx_new(RX_NAME);
            tree->statement = statement;
            tree->columns = columns;
            tree->total = value->total;
            tree->wild = value->wild;
            tree->depth = value->depth;
            return tree;
        }
    }
    rx_tree *tree = rx_new(RX_TABLE);
    tree->columns = columns;
    tree->table = columns == RX_WIDE ? RX_A : (rx_table)rx_below(state, 3);
    if (rx_below(state, 4) == 0) {
        tree->table = columns == RX_WIDE || rx_below(state, 2) == 0 ? RX_O : RX_P;
        tree->total = tree->wild = w->rows != 1;
    }
    if (columns == 1 && rx_tables[tree->table].columns == RX_WIDE) {
        tree->column = (int)rx_below(state, RX_WIDE);
    }
    return tree;
}

static inline rx_tree *rx_predicate(uint64_t *state)
{
    rx_tree *tree = rx_new(RX_PREDICATE);
    tree->predicate = (int)rx_below(state, RX_PREDICATES);
    tree->coefficient[0] = (int64_t)rx_below(state, RX_WIDE);
    tree->coefficient[1] = (tree->coefficient[0] + 1 + (int64_t)rx_below(state, RX_WIDE - 1)) % RX_WIDE;
    tree->coefficient[2] = (int64_t)rx_below(state, 2);
    tree->coefficient[3] = tree->coefficient[2] + 1;
    tree->depth = 3;
    return tree;
}

/* A plain operand of `columns` columns or one. */
static inline rx_tree *rx_plain(const rx_world *w, uint64_t *state, uint32_t columns)
{
    static const rx_table narrow[] = {RX_V, RX_U}, wide[] = {RX_V, RX_VV, RX_W, RX_U};
    rx_tree *tree = rx_new(RX_TABLE);
    tree->table = columns == RX_WIDE ? wide[rx_below(state, 4)] : narrow[rx_below(state, 2)];
    tree->columns = rx_tables[tree->table].columns;
    tree->total = rx_tables[tree->table].one_row || w->rows == 1;
    return tree;
}

static inline rx_tree *rx_encrypted(const rx_world *w, const rx_program *p, uint64_t *state, rx_limits l,
                                    uint32_t columns);

/* x op y with the encrypted one on either side. */
static inline rx_tree *rx_binary(const rx_world *w, const rx_program *p, uint64_t *state, rx_limits l, uint32_t columns)
{
    rx_tree *tree = rx_new((rx_kind)(RX_ADD + rx_below(state, 3)));
    const uint64_t other = rx_below(state, 5);
    const bool product = tree->kind == RX_MULTIPLY && other > 2;
    if (product) {
        l.depth--;
    }
    rx_tree *x = rx_encrypted(w, p, state, l, columns), *y;
    if (other == 0) {
        y = rx_new(RX_NUMBER);
        y->number = rx_number(w, state);
        y->columns = 1;
        y->total = true;
    } else if (other <= 2) {
        y = rx_plain(w, state, columns);
    } else {
        y = rx_encrypted(w, p, state, l, columns == RX_WIDE && rx_below(state, 2) == 0 ? RX_WIDE : 1);
    }
    tree->columns = columns;
    tree->total = x->total && y->total;
    const bool mixed = x->total != y->total && other > 2; /* a total stands in every slot */
    const bool spread = x->total && other > 0 && other <= 2;
    tree->wild = x->wild || y->wild || mixed || spread;
    tree->depth = (x->depth > y->depth ? x->depth : y->depth) + product;
    const bool exchanged = rx_below(state, 2) != 0;
    tree->x = exchanged ? y : x;
    tree->y = exchanged ? x : y;
    return tree;
}

static inline rx_tree *rx_dot(const rx_world *w, const rx_program *p, uint64_t *state, rx_limits l, uint32_t columns)
{
    rx_tree *tree = rx_new(RX_DOT);
    l.depth--;
    tree->x = rx_encrypted(w, p, state, l, columns);
    tree->y = rx_below(state, 2) == 0 ? rx_plain(w, state, columns) : rx_encrypted(w, p, state, l, columns);
    tree->columns = columns;
    tree->total = true;
    tree->wild = true;
    tree->depth = 1 + (tree->x->depth > tree->y->depth ? tree->x->depth : tree->y->depth);
    return tree;
}

static inline uint32_t rx_log(uint64_t degree)
{
    uint32_t log = 0;
    while (((uint64_t)1 << log) < degree) {
        log++;
    }
    return log;
}

static inline rx_tree *rx_poly(const rx_world *w, const rx_program *p, uint64_t *state, rx_limits l, uint32_t columns)
{
    rx_tree *tree = rx_new(rx_below(state, 2) == 0 ? RX_POLY : RX_POWER);
    uint64_t degree = 1 + rx_below(state, 10);
    while (rx_log(degree) > l.depth) {
        degree--;
    }
    tree->number = (int64_t)degree;
    tree->count = (int)degree + 1;
    for (int i = 0; i < tree->count; i++) {
        tree->coefficient[i] = i + 1 == tree->count || rx_below(state, 3) != 0 ? rx_number(w, state) : 0;
    }
    l.depth -= rx_log(degree);
    tree->x = rx_encrypted(w, p, state, l, columns);
    tree->depth = tree->x->depth + rx_log(degree);
    return tree;
}

static inline rx_tree *rx_unary(const rx_world *w, const rx_program *p, uint64_t *state, rx_limits l, uint32_t columns)
{
    static const rx_kind kinds[] = {RX_NEGATE, RX_ROTATE, RX_ROTATE, RX_SWAP,
                                    RX_SUM,    RX_ROWSUM, RX_SQUARE, RX_MODSWITCH};
    rx_kind kind = kinds[rx_below(state, sizeof kinds / sizeof *kinds)];
    if ((kind == RX_SQUARE && l.depth == 0) || (kind == RX_MODSWITCH && !l.mod_switches) ||
        (kind == RX_ROWSUM && columns != 1)) {
        kind = RX_NEGATE;
    }
    rx_tree *tree = rx_new(kind);
    l.depth -= kind == RX_SQUARE;
    tree->x = rx_encrypted(w, p, state, l, kind == RX_ROWSUM && rx_below(state, 2) == 0 ? RX_WIDE : columns);
    if ((kind == RX_ROTATE || kind == RX_SWAP) && tree->x->wild && rx_partial(w)) {
        tree->kind = RX_NEGATE;
    }
    tree->number = (int64_t)rx_below(state, w->n - 1) - (int64_t)(w->n / 2 - 1);
    tree->depth = tree->x->depth + (kind == RX_SQUARE);
    return tree;
}

static inline rx_tree *rx_encrypted(const rx_world *w, const rx_program *p, uint64_t *state, rx_limits l,
                                    uint32_t columns)
{
    if (columns == 1 && l.depth > 1 && rx_below(state, 6) == 0) {
        return rx_predicate(state);
    }
    if (l.height <= 0) {
        return rx_leaf(w, p, state, columns);
    }
    l.height--;
    const uint64_t choice = rx_below(state, 12);
    rx_tree *tree;
    if (choice < 5 && l.depth > 0) {
        tree = rx_binary(w, p, state, l, columns);
    } else if (choice < 6 && l.depth > 0) {
        return rx_dot(w, p, state, l, columns);
    } else if (choice < 7 && l.depth > 0) {
        tree = rx_poly(w, p, state, l, columns);
    } else if (choice < 11) {
        tree = rx_unary(w, p, state, l, columns);
    } else {
        return rx_leaf(w, p, state, columns);
    }
    tree->columns = columns;
    if (tree->kind < RX_ADD || tree->kind > RX_MULTIPLY) {
        tree->total = tree->x->total || tree->kind == RX_SUM;
        tree->wild = tree->x->wild || tree->kind == RX_SUM || tree->kind == RX_POLY;
    }
    return tree;
}

/* Text: as few parentheses as the language needs, and sometimes more. Levels: 0 conditions,
 * 1 sums, 2 products, 3 signs, 4 powers, 5 atoms. */
static inline int rx_level(const rx_tree *tree)
{
    switch (tree->kind) {
    case RX_ADD:
    case RX_SUBTRACT:
        return 1;
    case RX_MULTIPLY:
        return 2;
    case RX_NEGATE:
        return 3;
    case RX_NUMBER:
        return tree->number < 0 ? 3 : 5;
    case RX_POWER:
        return 4;
    case RX_PREDICATE:
        return 0;
    default:
        return 5;
    }
}

static inline char *rx_print(char *at, const rx_tree *tree, int level, uint64_t *state);

static inline char *rx_print_call(char *at, const char *name, const rx_tree *tree, uint64_t *state)
{
    at = rx_print(at + sprintf(at, "%s(", name), tree->x, 0, state);
    if (tree->kind == RX_ROTATE) {
        at += sprintf(at, ", %lld", (long long)tree->number);
    }
    for (int i = 0; tree->kind == RX_POLY && i < tree->count; i++) {
        at += sprintf(at, ",%lld", (long long)tree->coefficient[i]);
    }
    if (tree->kind == RX_DOT) {
        at = rx_print(at + sprintf(at, ", "), tree->y, 0, state);
    }
    return at + sprintf(at, ")");
}

static inline char *rx_print_table(char *at, const rx_tree *tree, uint64_t *state)
{
    at += sprintf(at, "%s", rx_tables[tree->table].name);
    if (tree->column < 0) {
        return at;
    }
    const char *name = rx_columns[tree->column];
    const char *quote = strchr(name, ' ') != NULL ? "\"" : "";
    return at + (rx_below(state, 2) == 0 ? sprintf(at, ".%d", tree->column + 1)
                                         : sprintf(at, ".%s%s%s", quote, name, quote));
}

static inline char *rx_print_predicate(char *at, const rx_tree *tree)
{
    const int x = (int)tree->coefficient[0] + 1, y = (int)tree->coefficient[1] + 1;
    const int m = (int)tree->coefficient[2], n = (int)tree->coefficient[3], p = tree->predicate;
    switch (p) {
    case RX_BETWEEN:
        return at + sprintf(at, "k.%d between %d and %d", x, m, n);
    case RX_AMONG:
        return at + sprintf(at, "k.%d in (%d, %d..17)", x, m - 1, n);
    case RX_LOOKUP:
        return at + sprintf(at, "lookup(k.%d, %d:5, -1..%d:-7, 0)", x, m, m);
    case RX_MAX:
    case RX_MIN:
        return at + sprintf(at, "%s(k.%d, k.%d)", p == RX_MAX ? "max" : "min", x, y);
    case RX_ABS:
        return at + sprintf(at, "abs(k.%d)", x);
    case RX_LOGIC:
        return at + sprintf(at, "k.%d < %d and not k.%d == k.%d or %d <= k.%d", x, n, x, y, n, y);
    case RX_WHERE:
        return at + sprintf(at, "where(k.%d > k.%d, k.%d, %d)", x, y, y, m);
    default:
        return p < RX_COMPARISONS ? at + sprintf(at, "k.%d %s %d", x, rx_comparisons[p], m)
                                  : at + sprintf(at, "k.%d %s k.%d", x, rx_comparisons[p - RX_COMPARISONS], y);
    }
}

static inline char *rx_print(char *at, const rx_tree *tree, int level, uint64_t *state)
{
    static const char *const names[] = {
        [RX_SQUARE] = "square", [RX_ROTATE] = "rotate", [RX_SWAP] = "swap",     [RX_SUM] = "sum",
        [RX_DOT] = "dot",       [RX_POLY] = "poly",     [RX_ROWSUM] = "rowsum", [RX_MODSWITCH] = "modswitch"};
    const int own = rx_level(tree);
    const bool parentheses = own < level || rx_below(state, 16) == 0;
    if (parentheses) {
        *at++ = '(';
    }
    switch (tree->kind) {
    case RX_TABLE:
        at = rx_print_table(at, tree, state);
        break;
    case RX_PREDICATE:
        at = rx_print_predicate(at, tree);
        break;
    case RX_NAME:
        at += sprintf(at, "s%d", tree->statement);
        break;
    case RX_NUMBER:
        at += sprintf(at, "%lld", (long long)tree->number);
        break;
    case RX_ADD:
    case RX_SUBTRACT:
    case RX_MULTIPLY:
        at = rx_print(at, tree->x, own, state);
        at += sprintf(at, "%s", tree->kind == RX_ADD ? " + " : tree->kind == RX_SUBTRACT ? "-" : "*");
        at = rx_print(at, tree->y, own + 1, state);
        break;
    case RX_NEGATE:
        at = rx_print(at + sprintf(at, "-"), tree->x, 3, state);
        break;
    case RX_POWER:
        at = rx_print(at, tree->x, 5, state);
        at += sprintf(at, "^%lld", (long long)tree->number);
        break;
    default:
        at = rx_print_call(at, names[tree->kind], tree, state);
    }
    if (parentheses) {
        *at++ = ')';
    }
    *at = '\0';
    return at;
}

/* Statements s0, s1, ...; all are results. Free with rx_program_free. */
static inline rx_program *rx_generate(const rx_world *w, uint64_t *state, rx_limits l)
{
    rx_program *p = calloc(1, sizeof *p);
    assert_non_null(p);
    const int count = 1 + (int)rx_below(state, RX_STATEMENTS);
    char *at = p->text;
    while (p->count < count) {
        rx_limits here = l;
        here.depth = p->count == 0 ? l.depth : l.depth / 2; /* names bring their own */
        rx_tree *tree = rx_encrypted(w, p, state, here, rx_below(state, 3) == 0 ? RX_WIDE : 1);
        at += sprintf(at, "s%d =%s", p->count, rx_below(state, 2) == 0 ? " " : "");
        at = rx_print(at, tree, 0, state);
        at += sprintf(at, "%s", rx_below(state, 2) == 0 ? "; " : " # next\n");
        p->statement[p->count++] = tree;
        assert_true(at - p->text < (int)sizeof p->text / 2);
    }
    return p;
}

#endif
