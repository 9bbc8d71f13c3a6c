/* The front end of products: of ciphertexts, and of digits with keys (rns_ops.h). */
#include "local.h"
#include "permutation.h"
#include "rns_ops.h"
#include "shape.h"

hb_status hb_tensor(hb_engine *e, hb_batch r, hb_batch a, hb_batch b, uint32_t a_size, uint32_t b_size)
{
    hb_require_same_limbs(e, r, a);
    hb_require_same_limbs(e, r, b);
    /* One factor of at most 64 components keeps sums of products below 2^128. */
    HB_ASSERT(a_size >= 1 && b_size >= 1 && (a_size <= HB_MAX_LIMBS || b_size <= HB_MAX_LIMBS));
    const size_t count = r.count / (a_size + b_size - 1);
    HB_ASSERT(r.count == (a_size + b_size - 1) * count && a.count == a_size * count);
    /* The second factor is as many ciphertexts, or one that serves all. */
    HB_ASSERT(b.count == b_size * count || b.count == b_size);
    HB_ASSERT((r.data != a.data && r.data != b.data) || r.count == 0);
    hb_local here;
    if (!hb_local_of(&here, e, r)) {
        return HB_OK;
    }
    return here.engine->ops->products->tensor(here.engine, hb_local_view(&here, r), hb_local_view(&here, a),
                                              hb_local_view(&here, b), a_size, b_size);
}

/* An operand of a sum of `count` ciphertexts: it has two components. */
static void check_summand(const hb_engine *e, hb_batch r, hb_batch a, size_t count)
{
    hb_require_same_limbs(e, r, a);
    HB_ASSERT(a.count == 2 * count && (a.data != r.data || count == 0));
}

static void check_residues(const hb_engine *e, hb_batch r, const uint64_t *residues)
{
    for (uint32_t l = 0; l < r.limbs; l++) {
        HB_ASSERT(residues[l] < e->ring->moduli[r.ids[l]].value);
    }
}

static void check_tensor_sum(const hb_engine *e, hb_batch r, const hb_tensor_sum_operands *x)
{
    const size_t size = x->products > 0 ? 3 : 2, count = r.count / size;
    HB_ASSERT(r.count == size * count && x->products + x->multiples >= 1);
    HB_ASSERT(x->products <= HB_SUM_PRODUCTS && x->multiples <= HB_SUM_MULTIPLES);
    for (uint32_t i = 0; i < x->products; i++) {
        check_summand(e, r, x->a[i], count);
        check_summand(e, r, x->b[i], count);
    }
    for (uint32_t i = 0; i < x->multiples; i++) {
        check_summand(e, r, x->c[i], count);
        check_residues(e, r, x->weights[i]);
    }
    if (x->number != NULL) {
        check_residues(e, r, x->number);
    }
}

/* Operands cut to the limbs that are here. */
typedef struct cut_sum {
    hb_batch a[HB_SUM_PRODUCTS], b[HB_SUM_PRODUCTS], c[HB_SUM_MULTIPLES];
    uint64_t weights[HB_SUM_MULTIPLES][HB_MAX_LIMBS], number[HB_MAX_LIMBS];
} cut_sum;

static void cut_tensor_sum(const hb_local *here, cut_sum *cut, hb_tensor_sum_operands *x)
{
    for (uint32_t i = 0; i < x->products; i++) {
        cut->a[i] = hb_local_view(here, x->a[i]);
        cut->b[i] = hb_local_view(here, x->b[i]);
    }
    for (uint32_t i = 0; i < x->multiples; i++) {
        cut->c[i] = hb_local_view(here, x->c[i]);
        x->weights[i] = hb_local_table(here, x->weights[i], cut->weights[i]);
    }
    x->number = x->number != NULL ? hb_local_table(here, x->number, cut->number) : NULL;
    x->a = cut->a;
    x->b = cut->b;
    x->c = cut->c;
}

hb_status hb_tensor_sum(hb_engine *e, hb_batch r, const hb_tensor_sum_operands *x)
{
    hb_require_shape(e, r);
    check_tensor_sum(e, r, x);
    hb_local here;
    if (r.count == 0 || !hb_local_of(&here, e, r)) {
        return HB_OK;
    }
    cut_sum cut;
    hb_tensor_sum_operands own = *x;
    if (here.divided) {
        cut_tensor_sum(&here, &cut, &own);
    }
    return here.engine->ops->products->tensor_sum(here.engine, hb_local_view(&here, r), &own);
}

hb_status hb_decompose(hb_engine *e, hb_batch r, hb_batch a)
{
    hb_require_digits(e, r, a);
    return e->ops->products->decompose(e, r, a);
}

/* Checks the shapes of inner products with a key. */
static void check_key_products(const hb_engine *e, hb_batch r, hb_batch digits, hb_batch key, uint32_t outputs,
                               uint32_t row)
{
    hb_require_same_limbs(e, r, digits);
    hb_require_shape(e, key);
    HB_ASSERT(outputs > 0 && outputs % 2 == 0 && outputs <= row && r.count % outputs == 0);
    /* An empty batch has no digits. */
    const size_t count = r.count / outputs, d = count > 0 ? digits.count / count : 0;
    /* At most HB_MAX_LIMBS digits are summed, so a sum of products of words below 2^61 stays below 2^128. */
    HB_ASSERT(digits.count == d * count && d <= HB_MAX_LIMBS && row * d <= key.count);
    HB_ASSERT((r.data != digits.data && r.data != key.data) || r.count == 0);
    /* Both lists ascend: engines find the key's limbs in one pass. */
    for (uint32_t l = 0, at = 0; l < r.limbs; l++, at++) {
        while (at < key.limbs && key.ids[at] < r.ids[l]) {
            at++;
        }
        HB_ASSERT(at < key.limbs && key.ids[at] == r.ids[l]);
    }
}

hb_status hb_key_products(hb_engine *e, hb_batch r, hb_batch digits, hb_batch key, uint32_t outputs, uint32_t row)
{
    check_key_products(e, r, digits, key, outputs, row);
    hb_local here, of_key;
    if (!hb_local_of(&here, e, r)) {
        return HB_OK;
    }
    /* r's limbs are among the key's, so some of those are here too. */
    (void)hb_local_of(&of_key, e, key);
    return here.engine->ops->products->key_products(here.engine, hb_local_view(&here, r), hb_local_view(&here, digits),
                                                    hb_local_view(&of_key, key), outputs, row);
}

/* Checks one of the operands that have leading limbs of r, [2 * count], and a polynomial for each ciphertext. */
static void check_leading(const hb_engine *e, hb_batch r, hb_batch a)
{
    hb_require_shape(e, a);
    HB_ASSERT(a.limbs <= r.limbs && 2 * a.count == r.count && (a.data != r.data || r.count == 0));
    hb_require_ids(r.ids, a.ids, a.limbs);
}

static void check_gadget_operands(const hb_engine *e, hb_batch r, const hb_gadget_operands *x)
{
    check_key_products(e, r, x->digits, x->key, 2, 2);
    const size_t d = r.count > 0 ? x->digits.count / (r.count / 2) : 0;
    if (x->own.data != NULL) {
        check_leading(e, r, x->own);
        for (size_t j = 0; j < d; j++) {
            HB_ASSERT(x->ranges[j].first <= x->own.limbs && x->ranges[j].limbs <= x->own.limbs - x->ranges[j].first);
        }
    }
    HB_ASSERT((x->plus[0].data != NULL) == (x->plus[1].data != NULL));
    if (x->plus[0].data != NULL) {
        /* One product more in each sum. */
        HB_ASSERT(d < HB_MAX_LIMBS && x->plus[0].limbs == x->plus[1].limbs);
        check_leading(e, r, x->plus[0]);
        check_leading(e, r, x->plus[1]);
        for (uint32_t l = 0; l < x->plus[0].limbs; l++) {
            HB_ASSERT(x->factors[l] < e->ring->moduli[r.ids[l]].value);
        }
    }
}

/* Copies the limbs of digits that stand apart to where the others are. */
static hb_status copy_own(hb_engine *e, hb_batch digits, hb_batch own, const hb_limb_range *ranges)
{
    const size_t d = own.data != NULL && own.count > 0 ? digits.count / own.count : 0;
    for (size_t j = 0; j < d; j++) {
        const hb_batch digit = hb_batch_of_groups(digits, d, j);
        if (ranges[j].limbs > 0) {
            HB_TRY(hb_copy(e, hb_batch_limbs(e, digit, ranges[j].first, ranges[j].limbs),
                           hb_batch_limbs(e, own, ranges[j].first, ranges[j].limbs)));
        }
    }
    return HB_OK;
}

/* Each member has the products of its limbs, by its device: operands are cut to those, perhaps none of what stands
 * apart or is added. */
static hb_status gadget_products_here(hb_engine *e, hb_batch r, const hb_gadget_operands *x)
{
    hb_local here, key, own, plus;
    hb_limb_range ranges[HB_MAX_LIMBS];
    uint64_t factors[HB_MAX_LIMBS];
    hb_gadget_operands cut = *x;
    if (!hb_local_of(&here, e, r)) {
        return HB_OK;
    }
    /* r's limbs are among the key's, so some of those are here too. */
    (void)hb_local_of(&key, e, x->key);
    cut.digits = hb_local_view(&here, x->digits);
    cut.key = hb_local_view(&key, x->key);
    if (x->own.data != NULL) {
        cut.own = hb_local_of(&own, e, x->own) ? hb_local_view(&own, x->own) : (hb_batch){.data = NULL};
        cut.ranges = hb_local_ranges(&here, x->ranges, r.count > 0 ? x->digits.count / (r.count / 2) : 0, ranges);
    }
    if (x->plus[0].data != NULL) {
        const bool any = hb_local_of(&plus, e, x->plus[0]);
        for (uint32_t i = 0; i < 2; i++) {
            cut.plus[i] = any ? hb_local_view(&plus, x->plus[i]) : (hb_batch){.data = NULL};
        }
        cut.scratch = hb_local_view(&plus, x->scratch);
        cut.factors = hb_local_table(&plus, x->factors, factors);
    }
    return hb_gadget_products(here.engine, hb_local_view(&here, r), &cut);
}

hb_status hb_gadget_products(hb_engine *e, hb_batch r, const hb_gadget_operands *x)
{
    check_gadget_operands(e, r, x);
    if (e->device != NULL) {
        return gadget_products_here(e, r, x);
    }
    if (e->ops->products->gadget_products != NULL) {
        return e->ops->products->gadget_products(e, r, x);
    }
    const size_t count = r.count / 2;
    HB_TRY(copy_own(e, x->digits, x->own, x->ranges));
    HB_TRY(hb_key_products(e, r, x->digits, x->key, 2, 2));
    for (uint32_t i = 0; x->plus[0].data != NULL && i < 2; i++) {
        const hb_batch to = hb_batch_limbs(e, hb_batch_slice(r, i * count, count), 0, x->plus[i].limbs);
        HB_TRY(hb_scale(e, x->scratch, x->plus[i], x->factors));
        HB_TRY(hb_add(e, to, to, x->scratch));
    }
    return HB_OK;
}

/* Checks a term; `one` is the part of r for a single output. Returns its digits of a ciphertext. */
static size_t check_rotation_term(const hb_engine *e, hb_batch one, const hb_rotation_term *t)
{
    HB_ASSERT(t->by == NULL || (t->by->element & 1) == 1);
    for (uint32_t i = 0; i < 2; i++) {
        if (t->plus[i].data != NULL) {
            check_leading(e, one, t->plus[i]);
        }
    }
    if (t->digits.data == NULL || one.count == 0) {
        return 0;
    }
    check_key_products(e, one, t->digits, t->key, 2, 2);
    if (t->own.data != NULL) {
        check_leading(e, one, t->own);
    }
    return 2 * t->digits.count / one.count;
}

/* Checks that the own limbs of each digit are within the limbs that stand apart. */
static void check_ranges(const hb_rotation_sum *x, size_t digits)
{
    for (uint32_t t = 0; t < x->count; t++) {
        const hb_batch own = x->terms[t].own;
        HB_ASSERT(own.data == NULL || x->ranges != NULL);
        for (size_t j = 0; own.data != NULL && j < digits; j++) {
            HB_ASSERT(x->ranges[j].first <= own.limbs && x->ranges[j].limbs <= own.limbs - x->ranges[j].first);
        }
    }
}

/* Checks plaintexts of some words a limb, as many of each or a power of two of neighbours. */
static void check_plain(const hb_engine *e, hb_batch r, hb_batch plain)
{
    const size_t whole = e->ring->n, n = plain.n != 0 ? plain.n : whole;
    const size_t limb_stride = plain.limb_stride != 0 ? plain.limb_stride : whole;
    const uint32_t here = hb_limbs_here(e, plain.ids, plain.limbs);
    HB_ASSERT(plain.limbs == r.limbs && plain.limb_addresses == NULL);
    hb_require_ids(plain.ids, r.ids, r.limbs);
    HB_ASSERT(n >= 2 && n <= whole && (n & (n - 1)) == 0);
    HB_ASSERT(limb_stride >= n && limb_stride % 2 == 0 && plain.stride % 2 == 0);
    HB_ASSERT(here == 0 || plain.stride >= (here - 1) * limb_stride + n);
}

static size_t check_rotation_sum(const hb_engine *e, hb_batch r, uint32_t outputs, const hb_rotation_sum *x)
{
    HB_ASSERT(outputs >= 1 && r.count % (2 * outputs) == 0 && x->count >= 1 && x->count <= HB_ROTATION_TERMS);
    const hb_batch one = hb_batch_slice(r, 0, r.count / outputs);
    size_t digits = 0;
    uint32_t limbs = 0;
    for (uint32_t t = 0; t < x->count; t++) {
        const size_t d = check_rotation_term(e, one, &x->terms[t]);
        HB_ASSERT(d < HB_MAX_LIMBS && (d == 0 || digits == 0 || d == digits));
        digits = d != 0 ? d : digits;
        for (uint32_t i = 0; i < 2; i++) {
            const hb_batch plus = x->terms[t].plus[i];
            HB_ASSERT(plus.data == NULL || limbs == 0 || plus.limbs == limbs);
            limbs = plus.data != NULL ? plus.limbs : limbs;
        }
    }
    check_ranges(x, digits);
    for (uint32_t l = 0; x->factors != NULL && l < limbs; l++) {
        HB_ASSERT(x->factors[l] < e->ring->moduli[r.ids[l]].value);
    }
    HB_ASSERT((x->plain.data == NULL) == (x->which == NULL));
    if (x->plain.data != NULL) {
        check_plain(e, r, x->plain);
    }
    for (uint32_t o = 0; x->which != NULL && o < outputs; o++) {
        for (uint32_t t = 0; t < x->count; t++) {
            const uint32_t at = x->which[(size_t)o * x->row + t];
            HB_ASSERT(at == HB_ROTATION_NONE || at < x->plain.count);
        }
    }
    return digits;
}

/* The lists of limbs that views of the operands are cut to, where limbs are divided. */
typedef struct rotation_limbs {
    hb_local all, own, plus, key[HB_ROTATION_TERMS];
    uint64_t factors[HB_MAX_LIMBS];
    hb_limb_range ranges[HB_MAX_LIMBS];
} rotation_limbs;

/* Cuts the addends to this member's limbs, perhaps none. The polynomials of all terms have the same ones. */
static void cut_plus(hb_engine *e, rotation_limbs *here, hb_rotation_term *terms, hb_rotation_sum *x)
{
    const uint64_t *factors = x->factors;
    for (uint32_t i = 0; i < 2 * x->count; i++) {
        hb_batch *plus = &terms[i / 2].plus[i % 2];
        if (plus->data != NULL) {
            (void)hb_local_of(&here->plus, e, *plus);
            *plus = hb_local_view(&here->plus, *plus);
            x->factors = factors != NULL ? hb_local_table(&here->plus, factors, here->factors) : NULL;
        }
    }
}

/* Cuts the operands of a sum of so many digits to the limbs that are here. All own limbs that stand apart are the same
 * ones, perhaps none of this member's. */
static void cut_rotation_sum(hb_engine *e, rotation_limbs *here, size_t digits, hb_rotation_term *terms,
                             hb_rotation_sum *x)
{
    for (uint32_t t = 0; t < x->count; t++) {
        hb_rotation_term *to = &terms[t];
        *to = x->terms[t];
        if (to->digits.data != NULL) {
            /* r's limbs are among the key's, so some of those are here too. */
            (void)hb_local_of(&here->key[t], e, to->key);
            to->digits = hb_local_view(&here->all, to->digits);
            to->key = hb_local_view(&here->key[t], to->key);
        }
        if (to->own.data != NULL) {
            to->own =
                hb_local_of(&here->own, e, to->own) ? hb_local_view(&here->own, to->own) : (hb_batch){.data = NULL};
        }
    }
    x->ranges = x->ranges != NULL ? hb_local_ranges(&here->all, x->ranges, digits, here->ranges) : NULL;
    cut_plus(e, here, terms, x);
    x->terms = terms;
    x->plain = hb_local_view(&here->all, x->plain);
}

hb_status hb_rotation_sums(hb_engine *e, hb_batch r, uint32_t outputs, const hb_rotation_sum *x)
{
    hb_require_shape(e, r);
    const size_t digits = check_rotation_sum(e, r, outputs, x);
    rotation_limbs here;
    if (r.count == 0 || !hb_local_of(&here.all, e, r)) {
        return HB_OK;
    }
    hb_rotation_term terms[HB_ROTATION_TERMS];
    hb_rotation_sum own = *x;
    if (here.all.divided) {
        cut_rotation_sum(e, &here, digits, terms, &own);
    }
    return here.all.engine->ops->products->rotation_sums(here.all.engine, hb_local_view(&here.all, r), outputs, &own);
}

size_t hb_combination_polynomials(const hb_ring *ring, uint32_t outputs, uint32_t inputs)
{
    return ((size_t)outputs * inputs - 1) / ring->n + 1;
}

/* Every operand has the limbs of the weights, and the same polynomials. */
static void check_combination(const hb_engine *e, const hb_combination *x)
{
    HB_ASSERT(x->outputs >= 1 && x->inputs >= 1);
    HB_ASSERT(x->weights.count >= hb_combination_polynomials(e->ring, x->outputs, x->inputs));
    for (uint32_t i = 0; i < x->inputs; i++) {
        hb_require_same_limbs(e, x->weights, x->a[i]);
        HB_ASSERT(x->a[i].count == x->r[0].count && x->a[i].stride == x->a[0].stride);
    }
    for (uint32_t o = 0; o < x->outputs; o++) {
        hb_require_same_limbs(e, x->weights, x->r[o]);
        HB_ASSERT(x->r[o].count == x->r[0].count && x->r[o].stride == x->r[0].stride);
        hb_require_apart(e, x->r[o], x->weights);
    }
}

hb_status hb_combine(hb_engine *e, const hb_combination *x)
{
    check_combination(e, x);
    hb_local here;
    if (x->r[0].count == 0 || !hb_local_of(&here, e, x->weights)) {
        return HB_OK;
    }
    /* Engines take the limbs from the weights alone. */
    hb_combination own = *x;
    own.weights = hb_local_view(&here, x->weights);
    return here.engine->ops->products->combine(here.engine, &own);
}

hb_status hb_digit_products(hb_engine *e, hb_batch r, const hb_digit_operands *x)
{
    hb_require_digits(e, x->digits, x->a);
    check_key_products(e, r, x->digits, x->key, x->outputs, x->row);
    HB_ASSERT(r.count == x->outputs * x->a.count && ((r.data != x->a.data && r.data != x->known.data) || r.count == 0));
    if (x->known.data != NULL) {
        hb_require_same_limbs(e, x->known, x->a);
    }
    if (e->device == NULL && e->ops->products->digit_products != NULL) {
        return e->ops->products->digit_products(e, r, x);
    }
    HB_TRY(x->known.data != NULL ? hb_ntt_decompose_known(e, x->digits, x->a, x->known)
                                 : hb_ntt_decompose(e, x->digits, x->a));
    return hb_key_products(e, r, x->digits, x->key, x->outputs, x->row);
}
