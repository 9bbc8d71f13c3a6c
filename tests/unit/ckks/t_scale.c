/* Scales against values of Python's fractions: exact results cut down to 128 bits, integers nearest to quotients. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ckks/scale.h"
#include "unit/unit.h"

/* Returns whether two scales are the same number: they are normalized. */
static bool same_scale(hb_exact_scale a, hb_exact_scale b)
{
    return a.high == b.high && a.low == b.low && a.exponent == b.exponent;
}

static const struct {
    hb_exact_scale a, b;
    uint64_t number;
    hb_exact_scale product, quotient, root; /* a b, a / b, the root of a times the number */
    double rounded;                         /* a */
} known[] = {
    {{0xe5c8e71b5bc8fbbc, 0xbde5c0994164d839, -5},
     {0x8000000000000000, 0x0000000000000000, -77},
     0x1,
     {0xe5c8e71b5bc8fbbc, 0xbde5c0994164d839, 45},
     {0xe5c8e71b5bc8fbbc, 0xbde5c0994164d839, -55},
     {0xab80267a2566408c, 0x92ee03e07ed22d8f, -66},
     0x1.cb91ce36b791fp+122},
    {{0xffffffffffffffff, 0xffffffffffffffff, -77},
     {0x9fea11ac92edcf45, 0x1a1afe878b33e968, -137},
     0x687c9,
     {0x9fea11ac92edcf45, 0x1a1afe878b33e967, -86},
     {0xcce8e2fca74cae07, 0x5e755e183ae15086, -67},
     {0xe74b616a43f880fb, 0x6d36a8979968bb96, -93},
     0x1.0000000000000p+51},
    {{0x8000000000000000, 0x0000000000000001, -41},
     {0xffffffffffffffff, 0xffffffffffffffff, 18},
     0x21da8978206f5c67,
     {0x8000000000000000, 0x0000000000000000, 105},
     {0x8000000000000000, 0x0000000000000001, -187},
     {0xba303fd9ce8bbe18, 0xdbe9dc0276892078, -54},
     0x1.0000000000000p+86},
    {{0x8000000000000000, 0x0000000000000000, -85},
     {0x8000000000000000, 0x0000000000000000, -85},
     0x2e81d,
     {0x8000000000000000, 0x0000000000000000, -43},
     {0x8000000000000000, 0x0000000000000000, -127},
     {0xda3a3ead870f6f89, 0x7d64241b3cfc3569, -98},
     0x1.0000000000000p+42},
    {{0xf2662099f7108e96, 0xf770c2263266aa3b, -42},
     {0x8000000000000000, 0x0000000000000001, -103},
     0x153d110acff01,
     {0xf2662099f7108e96, 0xf770c2263266aa3c, -18},
     {0xf2662099f7108e96, 0xf770c2263266aa39, -66},
     {0x8f807d661258dc04, 0x4a319dc6275d9f34, -60},
     0x1.e4cc4133ee212p+85},
    {{0x8000000000000000, 0x0000000000000001, 12},
     {0xa7acb39310e6d8e6, 0x568068b9b52a43ab, -50},
     0x2c9227b121dc5,
     {0xa7acb39310e6d8e6, 0x568068b9b52a43ac, 89},
     {0xc36d166a610d069d, 0xf894ed53c36bb82d, -66},
     {0x97105d8800771318, 0x3f37ed4a682ef8f7, -33},
     0x1.0000000000000p+139},
    {{0x8000000000000000, 0x0000000000000001, -95},
     {0x8000000000000000, 0x0000000000000000, -49},
     0x8c8f95ef04a012e9,
     {0x8000000000000000, 0x0000000000000001, -17},
     {0x8000000000000000, 0x0000000000000001, -173},
     {0xbdb1829b31b3b6bf, 0x5b19cc80ecefa739, -80},
     0x1.0000000000000p+32},
    {{0xebad8f129419cf4d, 0x60597bdc5dbe4409, -138},
     {0xcfd5d4132e50bd4e, 0xb52fa53c0bf64ef7, -90},
     0x1,
     {0xbf56315573369d59, 0x0e9ac997e8cc29f9, -100},
     {0x9125c5b558455016, 0x88516b4823242294, -175},
     {0xf5a0ffe7cf2a6f9d, 0xabb6ac119822d1bc, -133},
     0x1.d75b1e252833ap-11},
    {{0xffffffffffffffff, 0xffffffffffffffff, -52},
     {0xa01d4b058652dbd0, 0xe488b6c85ad3ba32, -22},
     0x1,
     {0xa01d4b058652dbd0, 0xe488b6c85ad3ba31, 54},
     {0xcca754e981a2454a, 0x6b736bf890de7599, -157},
     {0xffffffffffffffff, 0xffffffffffffffff, -90},
     0x1.0000000000000p+76},
    {{0xee0a76ab5e0730b3, 0xcc170c31c7eec61b, -65},
     {0x8000000000000000, 0x0000000000000000, -87},
     0x2717c834c1b69,
     {0xee0a76ab5e0730b3, 0xcc170c31c7eec61b, -25},
     {0xee0a76ab5e0730b3, 0xcc170c31c7eec61b, -105},
     {0x886c7517859b6496, 0x4795b63e3ea5c533, -71},
     0x1.dc14ed56bc0e6p+62},
    {{0x8000000000000000, 0x0000000000000001, -1},
     {0x8000000000000000, 0x0000000000000000, -95},
     0x1,
     {0x8000000000000000, 0x0000000000000001, 31},
     {0x8000000000000000, 0x0000000000000001, -33},
     {0x8000000000000000, 0x0000000000000000, -64},
     0x1.0000000000000p+126},
    {{0xffffffffffffffff, 0xffffffffffffffff, -17},
     {0xffffffffffffffff, 0xffffffffffffffff, 13},
     0x3cc217790825c7cd,
     {0xffffffffffffffff, 0xfffffffffffffffe, 124},
     {0x8000000000000000, 0x0000000000000000, -157},
     {0xb06007f187ed7768, 0xe85f28dcdb9687f5, -41},
     0x1.0000000000000p+111},
    {{0xa006d806d3881a50, 0x58056ed0980dc6ff, -24},
     {0xfd5187d60e42d43c, 0x2547f19c6bf84914, -132},
     0xd6a34d3e558d2adb,
     {0x9e59ba9283c4c592, 0xa931cf453ef78636, -28},
     {0xa1b88057ba087bfc, 0x6a0e04909ed01b92, -20},
     {0xb954e3afc9a1c507, 0x869e9e1dbe9e5c5a, -44},
     0x1.400db00da7103p+103},
    {{0xffffffffffffffff, 0xffffffffffffffff, -107},
     {0x8da6126169f0441e, 0xc9bafe62e580c35e, -97},
     0x2634f16f5f7cc5d9,
     {0x8da6126169f0441e, 0xc9bafe62e580c35d, -76},
     {0xe75534e7cee3be48, 0xc36d03a2ae446628, -137},
     {0x8bdd22dac00a4259, 0x67944812cae1d3ae, -86},
     0x1.0000000000000p+21},
};

static void operations_are_exact_and_cut(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_true(same_scale(hb_exact_scale_multiply(known[i].a, known[i].b), known[i].product));
        assert_true(same_scale(hb_exact_scale_divide(known[i].a, known[i].b), known[i].quotient));
        assert_true(
            same_scale(hb_exact_scale_sqrt_product(known[i].a, hb_exact_scale_of(known[i].number)), known[i].root));
        assert_true(hb_exact_scale_double(known[i].a) == known[i].rounded);
        assert_true(fabs(hb_exact_scale_log2(known[i].a) - log2(known[i].rounded)) < 1e-12);
    }
}

static const struct {
    double value;
    hb_exact_scale over, under;
    uint64_t magnitude[4];
    bool negative;
} integers[] = {
    {0x0.0p+0,
     {0x8000000000000000, 0x0000000000000000, -87},
     {0x8000000000000000, 0x0000000000000000, -127},
     {0x0, 0x0, 0x0, 0x0},
     false},
    {-0x0.0p+0,
     {0x8000000000000000, 0x0000000000000000, -87},
     {0x8000000000000000, 0x0000000000000000, -127},
     {0x0, 0x0, 0x0, 0x0},
     false},
    {0x1.8000000000000p+0,
     {0x8000000000000000, 0x0000000000000000, -127},
     {0x8000000000000000, 0x0000000000000000, -127},
     {0x2, 0x0, 0x0, 0x0},
     false},
    {-0x1.8000000000000p+0,
     {0x8000000000000000, 0x0000000000000000, -127},
     {0x8000000000000000, 0x0000000000000000, -127},
     {0x1, 0x0, 0x0, 0x0},
     true},
    {0x1.4000000000000p+1,
     {0x8000000000000000, 0x0000000000000000, -127},
     {0x8000000000000000, 0x0000000000000000, -127},
     {0x3, 0x0, 0x0, 0x0},
     false},
    {-0x1.4000000000000p+1,
     {0x8000000000000000, 0x0000000000000000, -127},
     {0x8000000000000000, 0x0000000000000000, -127},
     {0x2, 0x0, 0x0, 0x0},
     true},
    {0x1.0000000000000p-1,
     {0x8000000000000000, 0x0000000000000000, -127},
     {0x8000000000000000, 0x0000000000000000, -127},
     {0x1, 0x0, 0x0, 0x0},
     false},
    {-0x1.0000000000000p-1,
     {0x8000000000000000, 0x0000000000000000, -127},
     {0x8000000000000000, 0x0000000000000000, -127},
     {0x0, 0x0, 0x0, 0x0},
     false},
    {0x1.fffffffffffffp-2,
     {0x8000000000000000, 0x0000000000000000, -127},
     {0x8000000000000000, 0x0000000000000000, -127},
     {0x0, 0x0, 0x0, 0x0},
     false},
    {-0x1.0000000000001p-1,
     {0x8000000000000000, 0x0000000000000000, -127},
     {0x8000000000000000, 0x0000000000000000, -127},
     {0x1, 0x0, 0x0, 0x0},
     true},
    {0x1.0000000000000p+0,
     {0x8000000000000000, 0x0000000000000000, -128},
     {0x8000000000000000, 0x0000000000000000, -127},
     {0x1, 0x0, 0x0, 0x0},
     false},
    {-0x1.0000000000000p+0,
     {0x8000000000000000, 0x0000000000000000, -129},
     {0x8000000000000000, 0x0000000000000000, -128},
     {0x0, 0x0, 0x0, 0x0},
     false},
    {0x1.0000000000000p+0,
     {0xc000000000000000, 0x0000000000000000, -126},
     {0x8000000000000000, 0x0000000000000000, -126},
     {0x2, 0x0, 0x0, 0x0},
     false},
    {-0x1.0000000000000p+0,
     {0xc000000000000000, 0x0000000000000000, -126},
     {0x8000000000000000, 0x0000000000000000, -126},
     {0x1, 0x0, 0x0, 0x0},
     true},
    {0x1.8000000000000p+1,
     {0x8000000000000000, 0x0000000000000000, -127},
     {0x8000000000000000, 0x0000000000000000, -126},
     {0x2, 0x0, 0x0, 0x0},
     false},
    {0x1.0000000000000p-2,
     {0x8000000000000000, 0x0000000000000000, -127},
     {0x8000000000000000, 0x0000000000000000, -127},
     {0x0, 0x0, 0x0, 0x0},
     false},
    {0x1.56e1fc2f8f359p-997,
     {0x8000000000000000, 0x0000000000000000, -87},
     {0x8000000000000000, 0x0000000000000000, -127},
     {0x0, 0x0, 0x0, 0x0},
     false},
    {-0x0.0000000000001p-1022,
     {0x8000000000000000, 0x0000000000000000, 946},
     {0x8000000000000000, 0x0000000000000000, -127},
     {0x0, 0x0, 0x0, 0x0},
     false},
    {-0x0.0000000000001p-1022,
     {0x8000000000000000, 0x0000000000000000, 947},
     {0x8000000000000000, 0x0000000000000000, -127},
     {0x1, 0x0, 0x0, 0x0},
     true},
    {0x1.0000000000000p+0,
     {0xe000000000000000, 0x0000000000000000, -125},
     {0xe000000000000000, 0x0000000000000000, -124},
     {0x1, 0x0, 0x0, 0x0},
     false},
    {-0x1.0000000000000p+0,
     {0xe000000000000000, 0x0000000000000000, -125},
     {0xe000000000000000, 0x0000000000000000, -124},
     {0x0, 0x0, 0x0, 0x0},
     false},
    {0x1.0000000000000p+0,
     {0xad78ebc5ac620000, 0x0000000000000000, -61},
     {0xc000000000000000, 0x0000000000000000, -126},
     {0xce97ca0f21055555, 0x1, 0x0, 0x0},
     false},
    {-0x1.60af82eeb035dp+9,
     {0x8000000000000000, 0x0000000000000000, -24},
     {0xc2d743b8f9dba1db, 0x2b56955dda2d3b3d, -24},
     {0x1cf, 0x0, 0x0, 0x0},
     true},
    {-0x1.bc502455a9a2dp-8,
     {0xb3af5f1d78573797, 0x4a80754646273141, -103},
     {0x8000000000000000, 0x0000000000000000, -95},
     {0x0, 0x0, 0x0, 0x0},
     false},
    {0x1.84ef5e539092ep+15,
     {0x8000000000000000, 0x0000000000000000, 0},
     {0xe5c7889bc938c68d, 0x1027e5d35c7fe058, -49},
     {0xd8a8989587f327b1, 0x0, 0x0, 0x0},
     false},
    {-0x1.4ca4730b6efddp+43,
     {0xeae8e5e847e5eb8d, 0xab163406b4581e37, -16},
     {0x8000000000000000, 0x0000000000000001, -65},
     {0xb465cdfc08129790, 0x26279e1d, 0x0, 0x0},
     true},
    {-0x1.643bd6230e5b6p+50,
     {0x8000000000000000, 0x0000000000000000, -57},
     {0xe888f59b49f088d4, 0x76832b6246103a2b, -12},
     {0x19, 0x0, 0x0, 0x0},
     true},
    {-0x1.0949924914347p+36,
     {0x8000000000000000, 0x0000000000000001, -51},
     {0xffffffffffffffff, 0xffffffffffffffff, -47},
     {0x84a4c925, 0x0, 0x0, 0x0},
     true},
    {0x1.3bcaa5b1f19bdp+43,
     {0xffffffffffffffff, 0xffffffffffffffff, -18},
     {0x8000000000000000, 0x0000000000000001, -34},
     {0x13bcaa5b1f19bd00, 0x0, 0x0, 0x0},
     false},
    {0x1.47ba2c9621784p+23,
     {0xa6bdc3306bb906c9, 0xefb9f2c6aa61e488, 19},
     {0xa2a67f15a309b1a6, 0xddfc1c08c6530cc3, -133},
     {0x8d0a2e7430d2d4db, 0xeebc19204f941dd1, 0xa7fc2a371835, 0x0},
     false},
    {0x1.bb8a1f91369a0p-18,
     {0xe126d19b3812e299, 0x2e45282aa66e1277, -94},
     {0xbc5ce9ebfc893150, 0x0ab772dcb7ed25da, -83},
     {0x0, 0x0, 0x0, 0x0},
     false},
    {0x1.2e2a074d14563p-1,
     {0x8000000000000000, 0x0000000000000000, -91},
     {0xacf0d6e2771fe0ac, 0x6a5d89bd0920da71, -43},
     {0x0, 0x0, 0x0, 0x0},
     false},
    {-0x1.edc1fe024ed77p+39,
     {0xacddda1b002b4b4c, 0x5fbf2e16e736f4fc, -37},
     {0x8000000000000000, 0x0000000000000001, 0},
     {0xa, 0x0, 0x0, 0x0},
     true},
    {0x1.ad290e3462114p+40,
     {0xc5c9cc1e4b978eaf, 0x18463b8a4d27667d, -9},
     {0x8000000000000000, 0x0000000000000001, -50},
     {0x8d67ddcb1e9e1127, 0x52e4b, 0x0, 0x0},
     false},
    {0x1.379bb745d02dap+13,
     {0x9230bdfd77ac435f, 0x5e93cc5789d3a4b7, -100},
     {0xfa85f1387a1eb92d, 0x9059129e61fbaa7b, -90},
     {0x6, 0x0, 0x0, 0x0},
     false},
    {-0x1.b7807037416a0p-4,
     {0xa9bbbff61ba0895d, 0x61c12c05003e181a, 4},
     {0xd0920611535005d3, 0x2404f2668a17aa7b, 4},
     {0x0, 0x0, 0x0, 0x0},
     false},
    {-0x1.7b67c9fec862bp+7,
     {0xdaa986c7f8f2c944, 0x7ac569924a9f6396, -43},
     {0x945b025fe9eb5755, 0xdadef4e7f60d3626, 12},
     {0x0, 0x0, 0x0, 0x0},
     false},
    {0x1.51f33ba7c9b6ap+25,
     {0xa8d9fd9b05092dfd, 0x6a5daa44404602d0, -62},
     {0xbd0c3aaf24aebf16, 0x49516704edf6a199, -134},
     {0x6f478cbc2e5cb347, 0x25bb15f88, 0x0, 0x0},
     false},
};

static void integers_are_nearest(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        hb_natural r;
        bool negative;
        assert_true(hb_exact_scale_nearest(&r, &negative, integers[i].value, integers[i].over, integers[i].under));
        assert_int_equal(negative, integers[i].negative);
        for (uint32_t w = 0; w < 4; w++) {
            assert_int_equal(w < r.words ? r.word[w] : 0, integers[i].magnitude[w]);
        }
        assert_in_range(r.words, 0, 4);
    }
}

/* Long results are those of powers of two times short ones; longer ones are refused. */
static void long_integers(void **state)
{
    (void)state;
    hb_natural r, wanted;
    bool negative;
    const hb_exact_scale one = hb_exact_scale_power_of_two(0),
                         top = hb_exact_scale_power_of_two(HB_EXACT_SCALE_MOST_BITS - 2);
    assert_true(hb_exact_scale_nearest(&r, &negative, -3, top, one));
    hb_natural_set(&wanted, 3);
    for (int i = 0; i < HB_EXACT_SCALE_MOST_BITS - 2; i++) {
        hb_natural_mul_add(&wanted, 2, 0);
    }
    assert_int_equal(hb_natural_compare(&r, &wanted), 0);
    assert_true(negative);
    assert_false(hb_exact_scale_nearest(&r, &negative, 8, top, one));
    assert_false(hb_exact_scale_nearest(&r, &negative, INFINITY, one, one));
    assert_false(hb_exact_scale_nearest(&r, &negative, NAN, one, one));
}

static void small_things(void **state)
{
    (void)state;
    char text[HB_EXACT_SCALE_TEXT];
    hb_exact_scale_text(text, hb_exact_scale_power_of_two(40));
    assert_string_equal(text, "0x80000000000000000000000000000000 * 2^-87");
    assert_true(same_scale(hb_exact_scale_of((uint64_t)1 << 40), hb_exact_scale_power_of_two(40)));
    assert_false(same_scale(hb_exact_scale_of(3), hb_exact_scale_of(6)));
    /* Half way between two doubles goes to the even one, and anything above half up. */
    const hb_exact_scale tie = {0x8000000000000400, 0, -127}, odd = {0x8000000000000c00, 0, -127},
                         above = {0x8000000000000400, 1, -127}, full = {UINT64_MAX, UINT64_MAX, -127};
    assert_true(hb_exact_scale_double(tie) == 1);
    assert_true(hb_exact_scale_double(odd) == 1 + 0x1p-51);
    assert_true(hb_exact_scale_double(above) == 1 + 0x1p-52);
    assert_true(hb_exact_scale_double(full) == 2);
    assert_true(hb_exact_scale_distance_from_one(full) == 1 &&
                hb_exact_scale_distance_from_one(hb_exact_scale_of(3)) == 2);
    const hb_exact_scale more = {UINT64_C(1) << 63, 1, -127}, less = {UINT64_MAX, UINT64_MAX, -128};
    assert_true(hb_exact_scale_distance_from_one(more) == 0x1p-127 &&
                hb_exact_scale_distance_from_one(less) == 0x1p-128);
    assert_true(hb_exact_scale_distance_from_integer(more) == 0x1p-127 &&
                hb_exact_scale_distance_from_integer(less) < 0x1p-52);
    assert_true(hb_exact_scale_distance_from_integer(hb_exact_scale_power_of_two(-3)) == 0.125);
    assert_true(hb_exact_scale_distance_from_integer(hb_exact_scale_of(5)) == 0);
}

HB_UNIT(scale)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_are_exact_and_cut),
        cmocka_unit_test(integers_are_nearest),
        cmocka_unit_test(long_integers),
        cmocka_unit_test(small_things),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
