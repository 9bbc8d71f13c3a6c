#include "indicator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/modarith.h"
#include "known.h"
#include "polynomial.h"
#include "semantics.h"
#include "symbolic_polynomial.h"

/* A product of powers of keys: exponents [keys]. The first of a list is 1, and has no node. */
typedef struct basis {
    uint32_t *node;     /* [count] */
    uint32_t *exponent; /* [count][keys] */
    uint32_t count;
} basis;

struct hb_indicator {
    hb_graph *g;
    const hb_groups *groups;
    basis first, second;
    uint64_t *coefficients; /* [groups][first][second] residues mod t */
};

void hb_groups_clear(hb_groups *groups)
{
    for (uint32_t k = 0; groups->keys != NULL && k < groups->key_count; k++) {
        free(groups->keys[k].values);
    }
    for (uint32_t i = 0; groups->chosen != NULL && i < groups->count; i++) {
        free(groups->chosen[i]);
    }
    free(groups->keys);
    free(groups->chosen);
    *groups = (hb_groups){0};
}

/* --- polynomials mod t */

static uint64_t inverse(uint64_t x, const hb_modulus *t)
{
    uint64_t power = 1;
    for (uint64_t e = t->value - 2; e > 0; e >>= 1) { /* Fermat */
        power = (e & 1) != 0 ? hb_mod_mul(power, x, t) : power;
        x = hb_mod_mul(x, x, t);
    }
    return power;
}

/* Lagrange's polynomials of a key's values: rows [count][count], coefficients from the constant one on. */
static hb_status lagrange(const hb_group_key *key, const hb_modulus *t, uint64_t *rows)
{
    const uint32_t count = key->count;
    uint64_t *all = calloc((size_t)count + 1, sizeof *all); /* the product of x - value over all of them */
    if (all == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for polynomials of groups");
    }
    all[0] = 1;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t value = hb_mod_reduce_signed(key->values[i], t);
        for (uint32_t j = i + 1; j > 0; j--) {
            all[j] = hb_mod_sub(all[j - 1], hb_mod_mul(value, all[j], t), t);
        }
        all[0] = hb_mod_negate(hb_mod_mul(value, all[0], t), t);
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t value = hb_mod_reduce_signed(key->values[i], t);
        uint64_t *row = rows + (size_t)i * count, at = 0, rest = 0;
        for (uint32_t j = count; j-- > 0;) { /* divided by x - value */
            rest = hb_mod_add(all[j + 1], hb_mod_mul(rest, value, t), t);
            row[j] = rest;
            at = hb_mod_add(hb_mod_mul(at, value, t), rest, t);
        }
        const uint64_t scale = inverse(at, t);
        for (uint32_t j = 0; j < count; j++) {
            row[j] = hb_mod_mul(row[j], scale, t);
        }
    }
    free(all);
    return HB_OK;
}

/* Multiplies coefficients of a group by those of its polynomial of one key. */
static void multiply_by(hb_indicator *x, uint32_t group, uint32_t key, const uint64_t *polynomial, const hb_modulus *t)
{
    const uint32_t keys = x->groups->key_count, degree = x->groups->keys[key].count;
    uint64_t *c = x->coefficients + (size_t)group * x->first.count * x->second.count;
    for (uint32_t i = 0; i < x->first.count; i++) {
        for (uint32_t j = 0; j < x->second.count; j++, c++) {
            const uint32_t exponent = x->first.exponent[i * keys + key] + x->second.exponent[j * keys + key];
            *c = exponent < degree ? hb_mod_mul(*c, polynomial[exponent], t) : 0;
        }
    }
}

static hb_status find_key_coefficients(hb_indicator *x, uint32_t key, uint32_t before, const hb_modulus *t)
{
    const uint32_t count = x->groups->keys[key].count;
    uint64_t *rows = malloc((size_t)count * count * sizeof *rows), *polynomial = malloc(count * sizeof *polynomial);
    hb_status st = rows && polynomial ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for polynomials of groups");
    st = st == HB_OK ? lagrange(&x->groups->keys[key], t, rows) : st;
    for (uint32_t group = 0; st == HB_OK && group < x->groups->count; group++) {
        memset(polynomial, 0, count * sizeof *polynomial);
        for (uint32_t i = 0; i < count; i++) {
            for (uint32_t j = 0; j < count && x->groups->chosen[group][before + i]; j++) {
                polynomial[j] = hb_mod_add(polynomial[j], rows[(size_t)i * count + j], t);
            }
        }
        multiply_by(x, group, key, polynomial, t);
    }
    free(rows);
    free(polynomial);
    return st;
}

static hb_status find_coefficients(hb_indicator *x)
{
    const size_t count = (size_t)x->groups->count * x->first.count * x->second.count;
    hb_modulus t;
    x->coefficients = malloc(count * sizeof *x->coefficients);
    if (x->coefficients == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for polynomials of groups");
    }
    for (size_t i = 0; i < count; i++) {
        x->coefficients[i] = 1;
    }
    if (x->g->params == NULL) {
        return HB_OK; /* which keys are needed does not depend on numbers */
    }
    HB_TRY(hb_modulus_init(&t, hb_graph_modulus(x->g)));
    for (uint32_t k = 0, before = 0; k < x->groups->key_count; before += x->groups->keys[k++].count) {
        HB_TRY(find_key_coefficients(x, k, before, &t));
    }
    return HB_OK;
}

/* --- powers */

static hb_status basis_alloc(basis *x, uint32_t count, uint32_t keys)
{
    x->count = count;
    x->node = calloc(count, sizeof *x->node);
    x->exponent = calloc((size_t)count * keys, sizeof *x->exponent);
    return x->node && x->exponent ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for powers of groups");
}

/* Powers 0, step, 2 step, ... of a key. */
static void set_powers(basis *x, uint32_t keys, uint32_t key, uint32_t step)
{
    for (uint32_t i = 0; i < x->count; i++) {
        x->exponent[i * keys + key] = i * step;
    }
}

/* All products of powers of keys first .. last - 1. */
static void set_products(basis *x, const hb_groups *groups, uint32_t first, uint32_t last)
{
    for (uint32_t i = 0; i < x->count; i++) {
        uint32_t rest = i;
        for (uint32_t k = first; k < last; k++) {
            x->exponent[i * groups->key_count + k] = rest % groups->keys[k].count;
            rest /= groups->keys[k].count;
        }
    }
}

/* One key's powers are split at the root of their number, those of several keys where both lists are most alike. */
static hb_status set_exponents(hb_indicator *x)
{
    const hb_groups *groups = x->groups;
    const uint32_t keys = groups->key_count;
    if (keys == 1) {
        const uint32_t count = groups->keys[0].count, own = (uint32_t)ceil(sqrt((double)count));
        HB_TRY(basis_alloc(&x->first, own, keys));
        HB_TRY(basis_alloc(&x->second, (count + own - 1) / own, keys));
        set_powers(&x->first, keys, 0, 1);
        set_powers(&x->second, keys, 0, own);
        return HB_OK;
    }
    uint32_t split = 1, left = groups->keys[0].count, right = 1;
    for (uint32_t k = 1; k < keys; k++) {
        right *= groups->keys[k].count;
    }
    for (; split + 1 < keys && left < right; split++) {
        left *= groups->keys[split].count;
        right /= groups->keys[split].count;
    }
    HB_TRY(basis_alloc(&x->first, left, keys));
    HB_TRY(basis_alloc(&x->second, right, keys));
    set_products(&x->first, groups, 0, split);
    set_products(&x->second, groups, split, keys);
    return HB_OK;
}

static hb_status make_nodes(hb_indicator *x, basis *of)
{
    const uint32_t keys = x->groups->key_count;
    for (uint32_t i = 0; i < of->count; i++) {
        of->node[i] = HB_NO_NODE;
        for (uint32_t k = 0; k < keys; k++) {
            const uint32_t exponent = of->exponent[i * keys + k];
            uint32_t power;
            if (exponent == 0) {
                continue;
            }
            HB_TRY(hb_graph_power(x->g, x->groups->keys[k].node, exponent, &power));
            if (of->node[i] != HB_NO_NODE) {
                HB_TRY(hb_graph_multiply(x->g, of->node[i], power, &power));
            }
            of->node[i] = power;
        }
    }
    return HB_OK;
}

static hb_status check(const hb_graph *g, const hb_groups *groups)
{
    uint64_t values = 1;
    for (uint32_t k = 0; k < groups->key_count && values <= HB_MOST_GROUPED_VALUES; k++) {
        values *= groups->keys[k].count;
    }
    if (values > HB_MOST_GROUPED_VALUES) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          "the keys have more than %u values, or pairs of them; declare smaller ranges, --range, or "
                          "group by fewer columns",
                          HB_MOST_GROUPED_VALUES);
    }
    return HB_OK;
}

hb_status hb_indicator_make(hb_graph *g, const hb_groups *groups, hb_indicator **out)
{
    HB_TRY(check(g, groups));
    hb_indicator *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for polynomials of groups");
    }
    made->g = g;
    made->groups = groups;
    hb_status st = HB_OK;
    HB_GOTO(set_exponents(made));
    HB_GOTO(make_nodes(made, &made->first));
    HB_GOTO(make_nodes(made, &made->second));
    HB_GOTO(find_coefficients(made));
    *out = made;
    made = NULL;
done:
    hb_indicator_free(made);
    return st;
}

void hb_indicator_free(hb_indicator *x)
{
    if (x == NULL) {
        return;
    }
    free(x->first.node);
    free(x->first.exponent);
    free(x->second.node);
    free(x->second.exponent);
    free(x->coefficients);
    free(x);
}

/* --- sums */

/* x times y, of which HB_NO_NODE is 1. */
static hb_status times(hb_graph *g, uint32_t x, uint32_t y, uint32_t *out)
{
    if (x == HB_NO_NODE || y == HB_NO_NODE) {
        *out = x == HB_NO_NODE ? y : x;
        return HB_OK;
    }
    return hb_graph_multiply(g, x, y, out);
}

/* The number of a combination that a residue is. */
static hb_number number_of(const hb_indicator *x, uint64_t residue)
{
    return (hb_number){.integer = x->g->params == NULL ? 1 : hb_mod_to_signed(residue, hb_graph_modulus(x->g))};
}

/* Terms of a linear combination: nodes, and a constant. */
typedef struct terms {
    uint32_t *nodes;
    hb_number *numbers;
    uint32_t count;
    hb_number constant;
} terms;

/* Adds a node, of which HB_NO_NODE is `one`, times a residue. One of all nodes may be a number. */
static void add_term(const hb_indicator *x, terms *to, uint32_t node, uint64_t residue, hb_i128 one)
{
    hb_modulus t;
    if (residue == 0) {
        return;
    }
    if (node != HB_NO_NODE && !hb_node_is_known(x->g, node)) {
        to->nodes[to->count] = node;
        to->numbers[to->count++] = number_of(x, residue);
    } else if (x->g->params != NULL && hb_modulus_init(&t, hb_graph_modulus(x->g)) == HB_OK) {
        const uint64_t number = node == HB_NO_NODE ? hb_mod_reduce_signed_wide(one, &t)
                                                   : hb_mod_reduce_signed(hb_node_known_number(x->g, node).integer, &t);
        to->constant = number_of(x, hb_mod_mul(number, residue, &t));
    }
}

/* A polynomial that is a constant tells nothing of the keys: all rows are of the group, or none is. */
static hb_status fail_constant(const hb_graph *g)
{
    return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                      "a group of all rows or of none: how many these are is no secret, and everyone could read it (a "
                      "transparent ciphertext, which is refused)");
}

static hb_status combine(hb_graph *g, terms *of, uint32_t *out)
{
    *out = HB_NO_NODE;
    if (of->count >= 3) {
        HB_TRY(g->semantics->combine(g, of->nodes, of->numbers, of->count, false, out));
    }
    const uint32_t count = *out == HB_NO_NODE ? of->count : 0; /* that are added one by one */
    for (uint32_t i = 0; i < count; i++) {
        uint32_t term;
        HB_TRY(hb_graph_scale(g, of->nodes[i], of->numbers[i], &term));
        if (i > 0) {
            HB_TRY(hb_graph_add(g, *out, term, &term));
        }
        *out = term;
    }
    return *out == HB_NO_NODE ? fail_constant(g) : hb_graph_add_constant(g, *out, of->constant, out);
}

/* Products of the operand with the first list, and room for terms. */
typedef struct work {
    const hb_indicated *of;
    uint32_t *own;  /* [first] */
    uint32_t *sums; /* [first][second] */
    terms terms;
} work;

static hb_status work_alloc(work *w, const hb_indicator *x)
{
    const size_t count = (size_t)x->first.count * x->second.count;
    *w = (work){.own = malloc(x->first.count * sizeof *w->own), .sums = malloc(count * sizeof *w->sums)};
    w->terms.nodes = malloc(count * sizeof *w->terms.nodes);
    w->terms.numbers = malloc(count * sizeof *w->terms.numbers);
    return w->own && w->sums && w->terms.nodes && w->terms.numbers
               ? HB_OK
               : HB_FAIL(HB_ENOMEM, "no memory for the sums of groups");
}

static void work_clear(work *w)
{
    free(w->own);
    free(w->sums);
    free(w->terms.nodes);
    free(w->terms.numbers);
}

/* The sum over the rows that are added up: products are made before, which masks share. */
static hb_status sum_rows(hb_graph *g, const hb_indicated *of, uint32_t node, uint32_t *out)
{
    if (of->mask != HB_NO_NODE) {
        HB_TRY(hb_graph_with_plain(g, HB_OP_MULTIPLY_PLAIN, node, of->mask, true, &node));
    }
    return hb_graph_sum(g, node, out);
}

/* Sums of all products, which groups share. */
static hb_status sum_products(hb_indicator *x, work *w)
{
    uint32_t *sum = w->sums, product;
    for (uint32_t i = 0; i < x->first.count; i++) {
        for (uint32_t j = 0; j < x->second.count; j++, sum++) {
            HB_TRY(times(x->g, w->own[i], x->second.node[j], &product));
            *sum = HB_NO_NODE;
            if (product != HB_NO_NODE) {
                HB_TRY(sum_rows(x->g, w->of, product, sum));
            }
        }
    }
    return HB_OK;
}

static hb_status group_of_sums(hb_indicator *x, work *w, uint32_t group, uint32_t *out)
{
    const uint32_t count = x->first.count * x->second.count;
    const uint64_t *c = x->coefficients + (size_t)group * count;
    w->terms.count = 0;
    w->terms.constant = (hb_number){0};
    for (uint32_t i = 0; i < count; i++) {
        add_term(x, &w->terms, w->sums[i], c[i], w->of->total.integer);
    }
    return combine(x->g, &w->terms, out);
}

/* The sum over rows of the group's polynomial. */
static hb_status sum_of_group(hb_indicator *x, work *w, uint32_t group, uint32_t *out)
{
    const uint64_t *c = x->coefficients + (size_t)group * x->first.count * x->second.count;
    uint32_t all = HB_NO_NODE, part;
    hb_number constant = {0};
    for (uint32_t j = 0; j < x->second.count; j++) {
        w->terms.count = 0;
        w->terms.constant = (hb_number){0};
        for (uint32_t i = 0; i < x->first.count; i++) {
            add_term(x, &w->terms, w->own[i], c[i * x->second.count + j], 1);
        }
        if (x->second.node[j] == HB_NO_NODE) {
            constant = w->terms.constant; /* which slots that hold a row have: it is added last */
            w->terms.constant = (hb_number){0};
        }
        if (w->terms.count > 0) {
            HB_TRY(combine(x->g, &w->terms, &part));
            HB_TRY(times(x->g, part, x->second.node[j], &part));
        } else if (w->terms.constant.integer != 0 && x->second.node[j] != HB_NO_NODE) {
            HB_TRY(hb_graph_scale(x->g, x->second.node[j], w->terms.constant, &part));
        } else {
            continue;
        }
        if (all == HB_NO_NODE) {
            all = part;
        } else {
            HB_TRY(hb_graph_add(x->g, all, part, &all));
        }
    }
    if (all == HB_NO_NODE) {
        return fail_constant(x->g);
    }
    HB_TRY(hb_graph_add_constant(x->g, all, constant, &all));
    return sum_rows(x->g, w->of, all, out);
}

/* Whether each group by itself takes less: in products, of which a number takes a part, and the rotations of a total
 * some, once for all row blocks. */
static bool is_apart(const hb_indicator *x)
{
    const double product = 1, number = 1 / 30.0, rotations = 6 / (double)hb_graph_blocks(x->g);
    const double own = x->first.count, other = x->second.count, groups = x->groups->count;
    return groups * (other * product + own * other * number + rotations) < own * other * (product + rotations);
}

hb_status hb_indicator_sums(hb_indicator *x, const hb_indicated *of, uint32_t *totals)
{
    const int64_t rows = of->rows < INT64_MAX ? (int64_t)of->rows : INT64_MAX;
    const hb_interval range = hb_interval_multiply(hb_interval_with_zero(of->values), hb_interval_of(rows, rows));
    const bool apart = is_apart(x);
    work w;
    hb_status st = HB_OK;
    HB_GOTO(work_alloc(&w, x));
    w.of = of;
    for (uint32_t i = 0; i < x->first.count; i++) {
        HB_GOTO(times(x->g, of->a, x->first.node[i], &w.own[i]));
    }
    if (!apart) {
        HB_GOTO(sum_products(x, &w));
    }
    for (uint32_t group = 0; hb_graph_at_column(x->g, group, x->groups->count); group++) {
        HB_GOTO(apart ? sum_of_group(x, &w, group, &totals[group]) : group_of_sums(x, &w, group, &totals[group]));
        if (of->values.known) { /* mod t: ranges over the integers do not apply to numbers of that size */
            hb_graph_values_are(x->g, totals[group], range);
            x->g->nodes[totals[group]].range.magnitude = hb_interval_magnitude(range);
        }
    }
done:
    work_clear(&w);
    return st;
}

hb_status hb_graph_power_sums(hb_graph *g, uint32_t a, uint32_t key, uint32_t count, uint32_t *totals)
{
    const uint32_t own = (uint32_t)ceil(sqrt((double)count));
    for (uint32_t j = 0; j < count; j++) {
        uint32_t first = HB_NO_NODE, second = HB_NO_NODE, product;
        HB_TRY(j % own > 0 ? hb_graph_power(g, key, j % own, &first) : HB_OK);
        HB_TRY(j >= own ? hb_graph_power(g, key, j / own * own, &second) : HB_OK);
        HB_TRY(times(g, a, first, &product)); /* of which there are few */
        HB_TRY(times(g, product, second, &product));
        HB_TRY(hb_graph_sum(g, product, &totals[j]));
    }
    return HB_OK;
}
