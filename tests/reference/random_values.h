/* The values of random expressions, by walking their trees over plain vectors mod t: shares no code with the
 * compiler. */
#ifndef HB_TESTS_RANDOM_VALUES_H
#define HB_TESTS_RANDOM_VALUES_H

#include "reference/random_expression.h"

/* Values: [columns][blocks * n]. */
typedef struct rx_values {
    uint64_t *word;
    uint32_t columns;
} rx_values;

static inline size_t rx_slots(const rx_world *w)
{
    return w->blocks * w->n;
}

static inline rx_values rx_values_of(const rx_world *w, uint32_t columns)
{
    rx_values v = {calloc(columns * rx_slots(w), sizeof *v.word), columns};
    assert_non_null(v.word);
    return v;
}

static inline uint64_t rx_residue(const rx_world *w, int64_t number)
{
    return number < 0 ? w->t - (uint64_t)-number : (uint64_t)number;
}

/* A constant: in slots that hold a row, or, as a factor or with a total, in all. */
static inline rx_values rx_constant(const rx_world *w, int64_t number, bool everywhere)
{
    rx_values v = rx_values_of(w, 1);
    for (size_t i = 0; i < (everywhere ? rx_slots(w) : w->rows); i++) {
        v.word[i] = rx_residue(w, number);
    }
    return v;
}

static inline uint64_t rx_apply(rx_kind kind, uint64_t a, uint64_t b, uint64_t t)
{
    return kind == RX_ADD ? (a + b) % t : kind == RX_SUBTRACT ? (a + t - b) % t : slow_mul(a, b, t);
}

static inline rx_values rx_combine(const rx_world *w, rx_kind kind, rx_values x, rx_values y)
{
    const size_t slots = rx_slots(w);
    rx_values v = rx_values_of(w, x.columns > y.columns ? x.columns : y.columns);
    for (uint32_t c = 0; c < v.columns; c++) {
        for (size_t i = 0; i < slots; i++) {
            v.word[c * slots + i] = rx_apply(kind, x.word[(x.columns > 1 ? c : 0) * slots + i],
                                             y.word[(y.columns > 1 ? c : 0) * slots + i], w->t);
        }
    }
    free(x.word);
    free(y.word);
    return v;
}

static inline void rx_sum(const rx_world *w, rx_values v, bool total)
{
    for (uint32_t c = 0; c < v.columns && !total; c++) {
        uint64_t *column = v.word + c * rx_slots(w), sum = 0;
        for (size_t i = 0; i < w->rows; i++) {
            sum = (sum + column[i]) % w->t;
        }
        for (size_t i = 0; i < rx_slots(w); i++) {
            column[i] = sum;
        }
    }
}

static inline void rx_move(const rx_world *w, rx_values v, const rx_tree *tree)
{
    const size_t n = w->n, half = n / 2;
    uint64_t *old = malloc(n * sizeof *old);
    assert_non_null(old);
    for (size_t block = 0; block < v.columns * w->blocks; block++) {
        uint64_t *slot = v.word + block * n;
        memcpy(old, slot, n * sizeof *old);
        for (size_t i = 0; i < n; i++) {
            const size_t row = i / half, column = i % half;
            const size_t from = (size_t)((int64_t)(column + half) + tree->number) % half;
            slot[i] = tree->kind == RX_SWAP ? old[(1 - row) * half + column] : old[row * half + from];
        }
    }
    free(old);
}

static inline void rx_polynomial(const rx_world *w, rx_values v, const rx_tree *tree)
{
    for (size_t i = 0; i < v.columns * rx_slots(w); i++) {
        const bool row = i % rx_slots(w) < w->rows || tree->total;
        uint64_t x = v.word[i], sum = 0;
        for (int k = tree->count; k-- > 0;) {
            sum = (slow_mul(sum, x, w->t) + (k > 0 || row ? rx_residue(w, tree->coefficient[k]) : 0)) % w->t;
        }
        v.word[i] = tree->kind == RX_POLY ? sum : slow_pow(x, (uint64_t)tree->number, w->t);
    }
}

static inline rx_values rx_evaluate(const rx_world *w, const rx_program *p, const rx_tree *tree);

static inline rx_values rx_table_values(const rx_world *w, const rx_tree *tree)
{
    const size_t slots = rx_slots(w), first = tree->column < 0 ? 0 : (size_t)tree->column;
    rx_values v = rx_values_of(w, tree->columns);
    const uint64_t *from = w->table[tree->table] + first * slots;
    for (size_t i = 0; i < tree->columns * slots; i++) { /* an encrypted row stands in all */
        v.word[i] = from[tree->total && rx_tables[tree->table].encrypted ? i - i % slots : i];
    }
    return v;
}

static inline int64_t rx_compared(int comparison, int64_t x, int64_t y)
{
    switch (comparison) {
    case 0:
        return x == y;
    case 1:
        return x != y;
    case 2:
        return x < y;
    case 3:
        return x <= y;
    case 4:
        return x > y;
    default:
        return x >= y;
    }
}

static inline int64_t rx_predicate_of(const rx_tree *tree, int64_t x, int64_t y)
{
    const int64_t m = tree->coefficient[2], n = tree->coefficient[3];
    const int p = tree->predicate;
    switch (p) {
    case RX_BETWEEN:
        return m <= x && x <= n;
    case RX_AMONG:
        return x == m - 1 || x >= n;
    case RX_LOOKUP:
        return x == m ? 5 : x < m ? -7 : 0;
    case RX_MAX:
        return x > y ? x : y;
    case RX_MIN:
        return x < y ? x : y;
    case RX_ABS:
        return x < 0 ? -x : x;
    case RX_LOGIC:
        return (x < n && x != y) || n <= y;
    case RX_WHERE:
        return x > y ? y : m;
    default:
        return p < RX_COMPARISONS ? rx_compared(p, x, m) : rx_compared(p - RX_COMPARISONS, x, y);
    }
}

static inline int64_t rx_signed(const rx_world *w, uint64_t residue)
{
    return residue > w->t / 2 ? (int64_t)residue - (int64_t)w->t : (int64_t)residue;
}

static inline rx_values rx_predicates(const rx_world *w, const rx_tree *tree)
{
    const size_t slots = rx_slots(w);
    const uint64_t *x = w->table[RX_K] + (size_t)tree->coefficient[0] * slots;
    const uint64_t *y = w->table[RX_K] + (size_t)tree->coefficient[1] * slots;
    rx_values v = rx_values_of(w, 1);
    for (size_t i = 0; i < w->rows; i++) {
        v.word[i] = rx_residue(w, rx_predicate_of(tree, rx_signed(w, x[i]), rx_signed(w, y[i])));
    }
    return v;
}

static inline rx_values rx_add_columns(const rx_world *w, rx_values x)
{
    rx_values v = rx_values_of(w, 1);
    for (size_t i = 0; i < x.columns * rx_slots(w); i++) {
        v.word[i % rx_slots(w)] = (v.word[i % rx_slots(w)] + x.word[i]) % w->t;
    }
    free(x.word);
    return v;
}

/* The value of a tree; the caller frees word. */
static inline rx_values rx_evaluate(const rx_world *w, const rx_program *p, const rx_tree *tree)
{
    const rx_tree *x = tree->x, *y = tree->y;
    if (tree->kind == RX_TABLE) {
        return rx_table_values(w, tree);
    }
    if (tree->kind == RX_PREDICATE) {
        return rx_predicates(w, tree);
    }
    if (tree->kind == RX_NAME) {
        return rx_evaluate(w, p, p->statement[tree->statement]);
    }
    if (y != NULL) {
        const rx_kind kind = tree->kind == RX_DOT ? RX_MULTIPLY : tree->kind;
        const bool scale = kind == RX_MULTIPLY;
        rx_values a = x->kind == RX_NUMBER ? rx_constant(w, x->number, scale || y->total) : rx_evaluate(w, p, x);
        rx_values b = y->kind == RX_NUMBER ? rx_constant(w, y->number, scale || x->total) : rx_evaluate(w, p, y);
        rx_values v = rx_combine(w, kind, a, b);
        rx_sum(w, v, tree->kind != RX_DOT || (x->total && y->total));
        return v;
    }
    rx_values v = rx_evaluate(w, p, x);
    switch (tree->kind) {
    case RX_NEGATE:
        for (size_t i = 0; i < v.columns * rx_slots(w); i++) {
            v.word[i] = (w->t - v.word[i]) % w->t;
        }
        break;
    case RX_SQUARE:
        for (size_t i = 0; i < v.columns * rx_slots(w); i++) {
            v.word[i] = slow_mul(v.word[i], v.word[i], w->t);
        }
        break;
    case RX_POWER:
    case RX_POLY:
        rx_polynomial(w, v, tree);
        break;
    case RX_ROTATE:
    case RX_SWAP:
        if (!x->total) {
            rx_move(w, v, tree);
        }
        break;
    case RX_SUM:
        rx_sum(w, v, x->total);
        break;
    case RX_ROWSUM:
        return rx_add_columns(w, v);
    default: /* RX_MODSWITCH: the same values */
        break;
    }
    return v;
}

/* Tables of random residues. Free with rx_world_free. */
static inline void rx_world_fill(rx_world *w, uint64_t *state)
{
    w->blocks = w->rows == 0 ? 1 : (size_t)((w->rows - 1) / w->n + 1);
    const size_t slots = rx_slots(w);
    for (int i = 0; i < RX_TABLES; i++) {
        w->table[i] = calloc(rx_tables[i].columns * slots, sizeof *w->table[i]);
        assert_non_null(w->table[i]);
        for (size_t j = 0; j < rx_tables[i].columns * slots; j++) {
            const bool alone = rx_tables[i].one_row && rx_tables[i].encrypted;
            const bool row = j % slots < (alone ? 1 : w->rows);
            const uint64_t any = rx_below(state, rx_below(state, 2) == 0 ? w->t : 10);
            const int64_t few = RX_LEAST + (int64_t)(any % (RX_MOST - RX_LEAST + 1));
            const uint64_t residue = i == RX_K ? rx_residue(w, few) : any;
            w->table[i][j] = row || rx_tables[i].dirty_padding ? residue : 0;
            if (rx_tables[i].one_row && row && !alone) {
                w->table[i][j] = j % slots == 0 ? 1 + residue % (w->t - 1) : w->table[i][j - 1];
            }
        }
    }
}

static inline void rx_world_free(rx_world *w)
{
    for (int i = 0; i < RX_TABLES; i++) {
        free(w->table[i]);
    }
}

#endif
