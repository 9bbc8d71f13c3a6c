/* Sums of products of rows, reduced as seldom as their range allows (switch_arith.h). Each loop is compiled for rows
 * times numbers and for rows times rows, and for every count of terms that are added up between two reductions. */
#include "cpu_private.h"
#include "switch_arith.h"

_Static_assert(HB_F64_LAZY_TERMS == 4, "add_some has a case for each count of terms");

/* As many terms as are added up lazily, from one word of the rows on. */
typedef struct lazy_terms {
    const uint64_t *a[HB_F64_LAZY_TERMS], *b[HB_F64_LAZY_TERMS];
    double weights[HB_F64_LAZY_TERMS];
} lazy_terms;

/* acc += the first `count` terms; acc is a residue or what hb_f64_reduce leaves. */
HB_CLONED_INLINE void add_terms(double *acc, const lazy_terms *t, const uint32_t count, const bool pairs, size_t n,
                                const hb_modulus *modulus)
{
    const hb_modulus m = *modulus;
    HB_INDEPENDENT
    for (size_t j = 0; j < n; j++) {
        double sum = acc[j];
        for (uint32_t i = 0; i < count; i++) {
            const double factor = pairs ? hb_f64_from_word(t->b[i][j]) : t->weights[i];
            sum = hb_f64_add_product(sum, t->a[i][j], factor, &m);
        }
        acc[j] = hb_f64_reduce(sum, m.f64_value, m.f64_inverse);
    }
}

HB_CLONED_INLINE void add_some(double *acc, const lazy_terms *t, uint32_t count, const bool pairs, size_t n,
                               const hb_modulus *m)
{
    switch (count) {
    case 1:
        add_terms(acc, t, 1, pairs, n, m);
        break;
    case 2:
        add_terms(acc, t, 2, pairs, n, m);
        break;
    case 3:
        add_terms(acc, t, 3, pairs, n, m);
        break;
    default:
        add_terms(acc, t, 4, pairs, n, m);
    }
}

HB_CLONES static void add_block(double *acc, const lazy_terms *t, uint32_t count, bool pairs, size_t n,
                                const hb_modulus *m)
{
    if (pairs) {
        add_some(acc, t, count, true, n, m);
    } else {
        add_some(acc, t, count, false, n, m);
    }
}

HB_CLONES static void store_block(uint64_t *r, const double *acc, size_t n, uint64_t m)
{
    HB_INDEPENDENT
    for (size_t j = 0; j < n; j++) {
        r[j] = hb_f64_residue(acc[j], m);
    }
}

/* Up to HB_F64_LAZY_TERMS of the terms, from number i on, at the word `first`. */
static uint32_t take_terms(lazy_terms *t, const hb_cpu_terms *terms, uint32_t i, size_t first)
{
    const uint32_t left = terms->count - i, count = left < HB_F64_LAZY_TERMS ? left : HB_F64_LAZY_TERMS;
    for (uint32_t k = 0; k < count; k++) {
        t->a[k] = terms->a[i + k] + first;
        if (terms->pairs) {
            t->b[k] = terms->b[i + k] + first;
        } else {
            t->weights[k] = hb_f64_from_word(terms->weights[i + k]);
        }
    }
    return count;
}

static void sum_f64(uint64_t *r, const hb_cpu_terms *terms, size_t n, const hb_modulus *m)
{
    double acc[HB_CPU_BLOCK];
    lazy_terms t;
    for (size_t first = 0; first < n; first += HB_CPU_BLOCK) {
        const size_t words = n - first < HB_CPU_BLOCK ? n - first : HB_CPU_BLOCK;
        for (size_t j = 0; j < words; j++) {
            acc[j] = hb_f64_from_word(terms->start);
        }
        for (uint32_t i = 0; i < terms->count; i += HB_F64_LAZY_TERMS) {
            const uint32_t count = take_terms(&t, terms, i, first);
            add_block(acc, &t, count, terms->pairs, words, m);
        }
        store_block(r + first, acc, words, m->value);
    }
}

/* Words of a row at a time: their sums stay in registers. */
#define COLUMNS 4

HB_CLONED_INLINE void sum_columns(uint64_t *r, const hb_cpu_terms *terms, const bool pairs, size_t j,
                                  const size_t columns, const hb_modulus *m)
{
    hb_u128 sum[COLUMNS];
    for (size_t v = 0; v < columns; v++) {
        sum[v] = terms->start;
    }
    for (uint32_t i = 0; i < terms->count; i++) {
        const uint64_t *a = terms->a[i] + j, *b = pairs ? terms->b[i] + j : NULL;
        for (size_t v = 0; v < columns; v++) {
            sum[v] += (hb_u128)a[v] * (pairs ? b[v] : terms->weights[i]);
        }
    }
    for (size_t v = 0; v < columns; v++) {
        r[j + v] = hb_mod_reduce_wide(sum[v], m);
    }
}

HB_CLONED_INLINE void sum_row(uint64_t *r, const hb_cpu_terms *terms, const bool pairs, size_t n,
                              const hb_modulus *modulus)
{
    const hb_modulus m = *modulus;
    size_t j = 0;
    for (; j + COLUMNS <= n; j += COLUMNS) {
        sum_columns(r, terms, pairs, j, COLUMNS, &m);
    }
    for (; j < n; j++) {
        sum_columns(r, terms, pairs, j, 1, &m);
    }
}

HB_CLONES static void sum_integer(uint64_t *r, const hb_cpu_terms *terms, size_t n, const hb_modulus *m)
{
    if (terms->pairs) {
        sum_row(r, terms, true, n, m);
    } else {
        sum_row(r, terms, false, n, m);
    }
}

void hb_cpu_sum(uint64_t *r, const hb_cpu_terms *terms, size_t n, const hb_modulus *m, bool f64)
{
    (f64 ? sum_f64 : sum_integer)(r, terms, n, m);
}
