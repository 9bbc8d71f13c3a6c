/* Operations by coefficient on views: the result on each view equals that on whole polynomials there, and no other word
 * is touched. Whole polynomials are compared with big integers elsewhere (t_cpu_convert.c, t_cpu_garner.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reference/aborts.h"
#include "reference/views.h"
#include "ring/garner.h"
#include "unit/unit.h"

/* An operation on views, and on whole polynomials. before: words of r that it keeps. */
typedef struct trial {
    toy t;
    hb_batch a, before, expected;
    hb_base_conversion there, back;
    hb_basis basis;
    hb_garner garner;
} trial;

typedef hb_status (*operation)(trial *x, hb_batch r, hb_batch a);

/* On every slice, from and to every layout. */
static void check(trial *x, operation act)
{
    uint64_t *from = untouched(), *to = untouched(), *image = untouched();
    for (int i = 0; i < SLICES * LAYOUTS * LAYOUTS; i++) {
        const size_t slice = (size_t)i % SLICES;
        const layout of_r = (layout)(i / SLICES % LAYOUTS), of_a = (layout)(i / SLICES / LAYOUTS);
        const hb_batch a = view(from, of_a, slice, x->a.limbs, x->a.ids);
        const hb_batch r = view(to, of_r, slice, x->expected.limbs, x->expected.ids);
        put(&x->t, a, slice, x->a);
        put(&x->t, r, slice, x->before);
        assert_int_equal(act(x, r, a), HB_OK);
        put(&x->t, view(image, of_r, slice, r.limbs, r.ids), slice, x->expected);
        assert_memory_equal(to, image, WORDS * sizeof *to);
        for (size_t w = 0; w < WORDS; w++) {
            from[w] = to[w] = image[w] = TOY_UNTOUCHED;
        }
    }
    free(from);
    free(to);
    free(image);
}

/* In place, in every layout. */
static void check_in_place(trial *x, operation act)
{
    uint64_t *memory = untouched(), *image = untouched();
    for (int i = 0; i < SLICES * LAYOUTS; i++) {
        const size_t slice = (size_t)i % SLICES;
        const hb_batch a = view(memory, (layout)(i / SLICES), slice, x->a.limbs, x->a.ids);
        put(&x->t, a, slice, x->a);
        assert_int_equal(act(x, a, a), HB_OK);
        put(&x->t, view(image, (layout)(i / SLICES), slice, a.limbs, a.ids), slice, x->expected);
        assert_memory_equal(memory, image, WORDS * sizeof *memory);
        for (size_t w = 0; w < WORDS; w++) {
            memory[w] = image[w] = TOY_UNTOUCHED;
        }
    }
    free(memory);
    free(image);
}

static void make_conversion(trial *x, hb_base_conversion *c, hb_batch from, hb_batch to, uint64_t *random)
{
    assert_int_equal(hb_base_conversion_alloc(c, from.ids, from.limbs, to.ids, to.limbs, true, true), HB_OK);
    c->overflow->id = from.ids[0];
    c->overflow->half = toy_modulus(&x->t, from, 0) / 2 + 1;
    for (uint32_t i = 0; i < from.limbs; i++) {
        c->scale[i] = toy_residue(toy_modulus(&x->t, from, i), random);
        c->overflow->weights[i] = toy_residue(toy_modulus(&x->t, from, 0), random);
    }
    for (uint32_t o = 0; o < to.limbs; o++) {
        const uint64_t p = toy_modulus(&x->t, to, o);
        for (uint32_t i = 0; i < from.limbs; i++) {
            c->matrix[o * from.limbs + i] = toy_residue(p, random);
        }
        c->keep[o] = toy_residue(p, random);
        c->overflow->factors[o] = toy_residue(p, random);
    }
}

/* a has limbs 0 .. LIMBS, r has those, or with `others` the ones behind. */
static void open_trial(trial *x, bool integer, bool others)
{
    uint64_t random = 3;
    memset(x, 0, sizeof *x);
    toy_open(&x->t, LOG_N, moduli, MODULI, integer);
    x->a = toy_batch(&x->t, COUNT, LIMBS, x->t.ids, 0);
    x->before = toy_batch(&x->t, COUNT, others ? OTHERS : LIMBS, x->t.ids + (others ? LIMBS : 0), 0);
    toy_fill(&x->t, x->a, &random);
    toy_fill(&x->t, x->before, &random);
    x->expected = toy_copy(&x->t, x->before);
    hb_batch other = x->a;
    other.limbs = OTHERS;
    other.ids = x->t.ids + LIMBS;
    make_conversion(x, &x->there, x->a, other, &random);
    make_conversion(x, &x->back, other, x->a, &random);
    assert_int_equal(hb_basis_init(&x->basis, &x->t.ring, x->t.ids, LIMBS), HB_OK);
    assert_int_equal(hb_garner_init(&x->garner, &x->basis), HB_OK);
}

static void close_trial(trial *x)
{
    hb_garner_clear(&x->garner);
    hb_base_conversion_clear(&x->there);
    hb_base_conversion_clear(&x->back);
    toy_free(x->a);
    toy_free(x->before);
    toy_free(x->expected);
    toy_close(&x->t);
}

static hb_status copy(trial *x, hb_batch r, hb_batch a)
{
    return hb_copy(x->t.engine, r, a);
}

static hb_status clear(trial *x, hb_batch r, hb_batch a)
{
    (void)a;
    return hb_clear(x->t.engine, r);
}

static void test_copy_and_clear(void **state)
{
    (void)state;
    trial x;
    open_trial(&x, false, false);
    memcpy(x.expected.data, x.a.data, COUNT * x.a.stride * sizeof *x.a.data);
    check(&x, copy);
    check_in_place(&x, copy);
    memset(x.expected.data, 0, COUNT * x.expected.stride * sizeof *x.expected.data);
    check(&x, clear);
    close_trial(&x);
}

static hb_status convert(trial *x, hb_batch r, hb_batch a)
{
    return hb_base_convert(x->t.engine, r, a, &x->there);
}

static void test_base_convert(void **state)
{
    (void)state;
    for (int integer = 0; integer < 2; integer++) {
        trial x;
        open_trial(&x, integer, true);
        assert_int_equal(hb_base_convert(x.t.engine, x.expected, x.a, &x.there), HB_OK);
        check(&x, convert);
        close_trial(&x);
    }
}

/* The first conversion keeps the contents of via: 1 everywhere. */
static hb_status convert_through(trial *x, hb_batch r, hb_batch a)
{
    uint64_t *memory = malloc(WORDS * sizeof *memory);
    assert_non_null(memory);
    for (size_t i = 0; i < WORDS; i++) {
        memory[i] = 1;
    }
    hb_batch via = {.data = memory, .ids = x->t.ids + LIMBS, .limbs = OTHERS, .count = COUNT, .n = r.n};
    via.stride = OTHERS * N;
    const hb_status st = hb_base_convert_through(x->t.engine, r, via, a, &x->there, &x->back);
    free(memory);
    return st;
}

/* before: the words that the second conversion keeps. */
static void expect_twice(trial *x, hb_batch before)
{
    hb_batch via = toy_batch(&x->t, COUNT, OTHERS, x->t.ids + LIMBS, 0);
    for (size_t i = 0; i < COUNT * via.stride; i++) {
        via.data[i] = 1;
    }
    memcpy(x->expected.data, before.data, COUNT * before.stride * sizeof *before.data);
    assert_int_equal(hb_base_convert(x->t.engine, via, x->a, &x->there), HB_OK);
    assert_int_equal(hb_base_convert(x->t.engine, x->expected, via, &x->back), HB_OK);
    toy_free(via);
}

static void test_base_convert_through(void **state)
{
    (void)state;
    for (int integer = 0; integer < 2; integer++) {
        trial x;
        open_trial(&x, integer, false);
        expect_twice(&x, x.before);
        check(&x, convert_through);
        expect_twice(&x, x.a);
        check_in_place(&x, convert_through);
        close_trial(&x);
    }
}

static hb_status garner_digits(trial *x, hb_batch r, hb_batch a)
{
    return hb_garner_digits(x->t.engine, r, a, &x->garner);
}

static void test_garner_digits(void **state)
{
    (void)state;
    for (int integer = 0; integer < 2; integer++) {
        trial x;
        open_trial(&x, integer, false);
        assert_int_equal(hb_garner_digits(x.t.engine, x.expected, x.a, &x.garner), HB_OK);
        check(&x, garner_digits);
        check_in_place(&x, garner_digits);
        close_trial(&x);
    }
}

/* The largest of numbers in a mixed radix. */
static void keep_larger(uint64_t *largest, const uint64_t *digits)
{
    uint32_t l = LIMBS - 1;
    while (l > 0 && largest[l] == digits[l]) {
        l--;
    }
    memcpy(largest, digits[l] > largest[l] ? digits : largest, LIMBS * sizeof *largest);
}

/* The norm of a slice is that of polynomials that are 0 elsewhere; the largest of a division into slices is that of
 * the whole. */
static void check_norm(trial *x, layout how)
{
    uint64_t *memory = untouched(), whole[COUNT * LIMBS], norms[COUNT * LIMBS], expected[COUNT * LIMBS];
    uint64_t largest[COUNT * LIMBS] = {0};
    assert_int_equal(hb_infinity_norm(x->t.engine, whole, x->a, &x->garner), HB_OK);
    for (size_t slice = 0; slice < SLICES; slice++) {
        const hb_batch v = view(memory, how, slice, LIMBS, x->t.ids);
        put(&x->t, v, slice, x->a);
        memset(x->expected.data, 0, COUNT * x->expected.stride * sizeof *x->expected.data);
        put(&x->t, view(x->expected.data, IN_PLACE, slice, LIMBS, x->t.ids), slice, x->a);
        assert_int_equal(hb_infinity_norm(x->t.engine, expected, x->expected, &x->garner), HB_OK);
        assert_int_equal(hb_infinity_norm(x->t.engine, norms, v, &x->garner), HB_OK);
        assert_memory_equal(norms, expected, sizeof norms);
        for (size_t c = 0; c < COUNT && slice < PARTS; c++) {
            keep_larger(largest + c * LIMBS, norms + c * LIMBS);
        }
    }
    assert_memory_equal(norms, whole, sizeof whole);
    assert_memory_equal(largest, whole, sizeof whole);
    free(memory);
}

static void test_infinity_norm(void **state)
{
    (void)state;
    for (int integer = 0; integer < 2; integer++) {
        trial x;
        open_trial(&x, integer, false);
        toy_free(x.expected);
        x.expected = toy_batch(&x.t, COUNT, LIMBS, x.t.ids, GAP);
        for (size_t c = 0; c < COUNT; c++) { /* the largest is in another slice each time, and may be negative */
            for (size_t j = 0; j < N; j++) {
                const uint64_t large = c == 1 ? moduli[LIMBS - 1] - 6 : 5;
                *toy_at(&x.t, x.a, c, LIMBS - 1, j) = j == slices[c].first + 200 + 7 * c ? large : 0;
            }
        }
        for (layout how = IN_PLACE; how < LAYOUTS; how++) {
            check_norm(&x, how);
        }
        close_trial(&x);
    }
}

/* Some limbs and polynomials of a view: words of the whole. */
static void test_views_of_views(void **state)
{
    (void)state;
    trial x;
    open_trial(&x, false, false);
    uint64_t *memory = untouched();
    for (layout how = IN_PLACE; how < LAYOUTS; how++) {
        const hb_batch v = view(memory, how, 1, LIMBS, x.t.ids);
        const size_t skipped = how == SCATTERED ? 0 : 1; /* scattered batches keep all of their polynomials */
        const hb_batch some = hb_batch_limbs(x.t.engine, hb_batch_slice(v, skipped, COUNT - skipped), 2, 2);
        assert_true(some.limbs == 2 && some.ids == v.ids + 2 && some.count == COUNT - skipped);
        assert_ptr_equal(at(some, 1, 1, 3), at(v, 1 + skipped, 3, 3));
        assert_int_equal(hb_clear(x.t.engine, some), HB_OK);
        for (size_t i = 0; i < COUNT * LIMBS * v.n; i++) {
            const size_t c = i / v.n / LIMBS, l = i / v.n % LIMBS;
            assert_true(*at(v, c, (uint32_t)l, i % v.n) == (c >= skipped && l >= 2 ? 0 : TOY_UNTOUCHED));
        }
        for (size_t w = 0; w < WORDS; w++) {
            memory[w] = TOY_UNTOUCHED;
        }
    }
    free(memory);
    close_trial(&x);
}

/* Views that are no views. */
enum {
    ODD_LIMB_STRIDE,
    SHORT_LIMB_STRIDE,
    LONG_SLICE,
    OFF_GRID,
    SHORT_STRIDE,
    OTHER_SLICE,
    OTHER_LIMBS,
    OTHER_COUNT,
    NOT_BY_COEFFICIENT,
    VIA_IS_A,
    VIA_IS_R,
    SCATTERED_PART,
    SCATTERED_ODD,
    SCATTERED_SHORT,
    SCATTERED_NOWHERE,
    WRONG_CALLS
};

static hb_batch wrongly_scattered(hb_batch a, uint64_t *memory, int which)
{
    static hb_limb_address limb_addresses[LIMBS];
    memcpy(limb_addresses, scattered(memory, a.n, LIMBS), sizeof limb_addresses);
    limb_addresses[1].stride += which == SCATTERED_ODD ? 1 : 0;
    limb_addresses[1].stride = which == SCATTERED_SHORT ? a.n - 2 : limb_addresses[1].stride;
    limb_addresses[1].data = which == SCATTERED_NOWHERE ? NULL : limb_addresses[1].data;
    a.limb_addresses = limb_addresses;
    return a;
}

static void call_wrongly(void *with, int which)
{
    trial *x = with;
    hb_engine *e = x->t.engine;
    uint64_t *memory = untouched(), *other = untouched();
    hb_batch a = view(memory, DENSE, 1, LIMBS, x->t.ids), r = view(other, DENSE, 1, LIMBS, x->t.ids), via = a;
    memset(memory, 0, WORDS * sizeof *memory);
    memset(other, 0, WORDS * sizeof *other);
    via.ids = x->t.ids + LIMBS;
    via.limbs = OTHERS;
    a.limb_stride += which == ODD_LIMB_STRIDE ? 1 : 0;
    a.limb_stride = which == SHORT_LIMB_STRIDE ? a.n - 2 : a.limb_stride;
    a.n = which == OFF_GRID ? a.n - 128 : which == OTHER_SLICE ? 256 : a.n;
    a.stride = which == SHORT_STRIDE ? LIMBS * a.n : a.stride;
    r.n = which == OTHER_SLICE ? r.n : a.n;
    r.limbs -= which == OTHER_LIMBS ? 1 : 0;
    r.count -= which == OTHER_COUNT ? 1 : 0;
    if (which == LONG_SLICE) {
        a.n = a.limb_stride = a.stride = 2 * N;
        a.limbs = 1;
        r = a;
    }
    hb_status ignored = HB_OK;
    switch (which) {
    case NOT_BY_COEFFICIENT:
        ignored = hb_negate(e, r, a);
        break;
    case SCATTERED_PART:
        a.limb_addresses = scattered(memory, a.n, LIMBS);
        a = hb_batch_slice(a, 1, 2);
        break;
    case SCATTERED_ODD:
    case SCATTERED_SHORT:
    case SCATTERED_NOWHERE:
        ignored = hb_copy(e, r, wrongly_scattered(a, memory, which));
        break;
    case VIA_IS_A:
        ignored = hb_base_convert_through(e, r, via, a, &x->there, &x->back);
        break;
    case VIA_IS_R:
        ignored = hb_base_convert_through(e, a, via, r, &x->there, &x->back);
        break;
    default:
        ignored = hb_copy(e, r, a);
    }
    (void)ignored;
}

static void test_wrong_views(void **state)
{
    (void)state;
    trial x;
    open_trial(&x, false, false);
    for (int which = 0; which < WRONG_CALLS; which++) {
        assert_aborts(call_wrongly, &x, which);
    }
    close_trial(&x);
}

/* Digits of scattered limbs are those of limbs in order. */
static void test_decompose(void **state)
{
    (void)state;
    trial x;
    open_trial(&x, false, false);
    uint64_t *memory = untouched();
    hb_batch a = view(memory, SCATTERED, SLICES - 1, LIMBS, x.t.ids);
    hb_batch digits[2];
    put(&x.t, a, SLICES - 1, x.a);
    a.n = 0;
    for (int i = 0; i < 2; i++) {
        digits[i] = toy_batch(&x.t, (size_t)COUNT * LIMBS, LIMBS, x.t.ids, 0);
        assert_int_equal(hb_decompose(x.t.engine, digits[i], i == 0 ? x.a : a), HB_OK);
    }
    assert_memory_equal(digits[0].data, digits[1].data, COUNT * LIMBS * digits[0].stride * sizeof *memory);
    toy_free(digits[0]);
    toy_free(digits[1]);
    free(memory);
    close_trial(&x);
}

HB_UNIT(slices)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copy_and_clear),
        cmocka_unit_test(test_base_convert),
        cmocka_unit_test(test_base_convert_through),
        cmocka_unit_test(test_garner_digits),
        cmocka_unit_test(test_infinity_norm),
        cmocka_unit_test(test_views_of_views),
        cmocka_unit_test(test_decompose),
        cmocka_unit_test(test_wrong_views),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
