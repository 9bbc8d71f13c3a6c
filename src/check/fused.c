/* Rows of operations that are composed of others where an engine has none of its own: behind all of those, whose damage
 * is theirs. */
#include "check_private.h"
#include "ring/permutation.h"

static hb_status intt_of(hb_check *k, int side, int with)
{
    return hb_intt_of(hb_check_engine(k, side), hb_check_result(k, side), hb_check_view(k, side, with), NULL);
}

static hb_status intt_of_scaled(hb_check *k, int side, int with)
{
    return hb_intt_of(hb_check_engine(k, side), hb_check_result(k, side), hb_check_view(k, side, with), k->factors);
}

/* Takes a copy of B, because the call destroys its operand. */
static hb_status ntt_quotient(hb_check *k, int side, int with)
{
    hb_engine *e = hb_check_engine(k, side);
    const hb_batch x = hb_check_view(k, side, HB_CHECK_SCRATCH);
    HB_TRY(hb_copy(e, x, hb_check_view(k, side, HB_CHECK_B)));
    HB_TRY(hb_ntt_quotient(e, hb_check_result(k, side), hb_check_view(k, side, HB_CHECK_SECOND_OF(with)),
                           hb_check_view(k, side, HB_CHECK_FIRST_OF(with)), x, k->factors, NULL));
    /* The words that it leaves there are undefined. */
    return hb_copy(e, x, hb_check_view(k, side, HB_CHECK_B));
}

/* The same, stored by an automorphism. */
static hb_status ntt_quotient_moved(hb_check *k, int side, int with)
{
    hb_engine *e = hb_check_engine(k, side);
    const hb_batch x = hb_check_view(k, side, HB_CHECK_SCRATCH);
    hb_permutation phi = {0};
    hb_status st;
    HB_TRY(hb_permutation_init_galois(&phi, e, (uint32_t)(2 * e->ring->n - 25)));
    HB_GOTO(hb_copy(e, x, hb_check_view(k, side, HB_CHECK_B)));
    HB_GOTO(hb_ntt_quotient(e, hb_check_result(k, side), hb_check_view(k, side, HB_CHECK_SECOND_OF(with)),
                            hb_check_view(k, side, HB_CHECK_FIRST_OF(with)), x, k->factors, &phi));
    HB_GOTO(hb_copy(e, x, hb_check_view(k, side, HB_CHECK_B)));
    st = hb_finish(e);
done:
    hb_permutation_clear(&phi, e);
    return st;
}

/* Polynomials with an even number keep the first half of their limbs, the others the second one. */
static hb_status ntt_except(hb_check *k, int side, int with)
{
    const hb_batch x = hb_check_view(k, side, with);
    const uint32_t half = x.limbs / 2;
    const hb_limb_range done[] = {{0, half}, {half, x.limbs - half}};
    return hb_ntt_except(hb_check_engine(k, side), x, x.count % 2 == 0 ? 2 : 1, done);
}

/* Decomposes A; a copy of A becomes its transform. */
static hb_status ntt_decompose_known(hb_check *k, int side, int with)
{
    hb_engine *e = hb_check_engine(k, side);
    const hb_batch known = hb_check_view(k, side, HB_CHECK_SCRATCH), a = hb_check_view(k, side, with);
    HB_TRY(hb_copy(e, known, a));
    HB_TRY(hb_ntt(e, known));
    HB_TRY(hb_ntt_decompose_known(e, hb_check_view(k, side, HB_CHECK_DIGITS), hb_batch_limbs(e, a, 0, k->digits),
                                  hb_batch_limbs(e, known, 0, k->digits)));
    return hb_copy(e, known, hb_check_view(k, side, HB_CHECK_B));
}

enum { OWN_APART = 1, ADDED = 2 };
enum { UNKNOWN, KNOWN };

/* Inner products with a key. Own limbs and addends are digits 0; R is scratch. Afterwards all of these are unchanged on
 * both sides. */
static hb_status gadget_products(hb_check *k, int side, int with)
{
    hb_engine *e = hb_check_engine(k, side);
    const hb_batch a = hb_batch_limbs(e, hb_check_view(k, side, HB_CHECK_A), 0, k->digits);
    const hb_batch digits = hb_check_view(k, side, HB_CHECK_DIGITS);
    const uint32_t limbs = k->switch_limbs > 1 ? k->switch_limbs - 1 : 1;
    hb_batch own = hb_check_view(k, side, HB_CHECK_SCRATCH), scratch = hb_check_result(k, side);
    hb_batch first = hb_batch_slice(digits, 0, k->shape.count);
    hb_limb_range ranges[HB_MAX_LIMBS];
    uint64_t factors[HB_MAX_LIMBS];
    first.stride *= k->digits;
    own.ids = scratch.ids = first.ids;
    own.limbs = scratch.limbs = limbs;
    for (uint32_t l = 0; l < HB_MAX_LIMBS; l++) {
        ranges[l] = (hb_limb_range){l % limbs, 1};
        factors[l] = l < limbs ? k->ring->moduli[own.ids[l]].value - 1 - l : 0;
    }
    HB_TRY(hb_decompose(e, digits, a));
    HB_TRY(hb_copy(e, own, hb_batch_limbs(e, first, 0, limbs)));
    hb_gadget_operands x = {.digits = digits, .key = hb_check_view(k, side, HB_CHECK_KEY), .scratch = scratch};
    if ((with & OWN_APART) != 0) {
        x.own = own;
        x.ranges = ranges;
    }
    /* The most digits leave no room for one more product. */
    if ((with & ADDED) != 0 && k->digits < HB_MAX_LIMBS) {
        x.plus[0] = x.plus[1] = own;
        x.factors = factors;
    }
    HB_TRY(hb_gadget_products(e, hb_check_view(k, side, HB_CHECK_SWITCHED), &x));
    HB_TRY(hb_decompose(e, digits, a));
    HB_TRY(hb_copy(e, hb_check_view(k, side, HB_CHECK_SCRATCH), hb_check_view(k, side, HB_CHECK_B)));
    return hb_copy(e, hb_check_result(k, side), hb_check_view(k, side, HB_CHECK_A));
}

enum { PRODUCTS = 1, TWICE = 2, MULTIPLES = 4 };

/* Sums of products of ciphertexts, as many as there may be, and of multiples: of the left and right ones, the first of
 * two of all components that are there. */
static hb_status tensor_sum(hb_check *k, int side, int with)
{
    hb_engine *e = hb_check_engine(k, side);
    const size_t count = k->shape.count;
    const hb_batch left = hb_batch_slice(hb_check_view(k, side, HB_CHECK_LEFT), 0, 2 * count),
                   right = hb_batch_slice(hb_check_view(k, side, HB_CHECK_RIGHT), count, 2 * count);
    hb_batch a[HB_SUM_PRODUCTS], b[HB_SUM_PRODUCTS], c[HB_SUM_MULTIPLES];
    uint64_t weights[2][HB_MAX_LIMBS];
    hb_tensor_sum_operands x = {.a = a, .b = b, .c = c, .twice = (with & TWICE) != 0};
    for (uint32_t l = 0; l < left.limbs; l++) {
        weights[0][l] = k->ring->moduli[left.ids[l]].value - 1;
        weights[1][l] = k->factors[l];
    }
    for (; (with & PRODUCTS) != 0 && x.products < HB_SUM_PRODUCTS; x.products++) {
        a[x.products] = left;
        b[x.products] = x.products % 2 == 0 ? right : left;
    }
    for (; (with & MULTIPLES) != 0 && x.multiples < HB_SUM_MULTIPLES; x.multiples++) {
        c[x.multiples] = x.multiples % 2 == 0 ? left : right;
        x.weights[x.multiples] = weights[x.multiples % 3 == 2];
        x.number = weights[0];
    }
    const size_t size = x.products > 0 ? 3 : 2;
    return hb_tensor_sum(e, hb_batch_slice(hb_check_view(k, side, HB_CHECK_PRODUCTS), 0, size * count), &x);
}

enum { WITH_PLAIN = 1, ADDED_TO = 2, WITH_FACTORS = 4, IN_PAIRS = 8, ALMOST_CONSTANT = 16, TERMS = 3 };

/* Sums of three terms: one with all optional parts, one without digits, one without an automorphism. Addends and own
 * limbs are digits; plaintexts are parts of a key, or the first words of these. With an even number of ciphertexts
 * there are two sums of half as many. Afterwards all operands are unchanged on both sides. */
static hb_status rotation_sums(hb_check *k, int side, int with)
{
    static const uint32_t which[2][TERMS] = {{0, 1, HB_ROTATION_NONE}, {1, HB_ROTATION_NONE, 0}};
    static const uint32_t only[1][TERMS] = {{1, 0, 1}};
    hb_engine *e = hb_check_engine(k, side);
    const uint32_t outputs = k->shape.count % 2 == 0 ? 2 : 1, d = k->digits < HB_MAX_LIMBS ? k->digits : k->digits - 1;
    const size_t count = k->shape.count / outputs;
    const hb_batch all = hb_check_view(k, side, HB_CHECK_DIGITS), digits = hb_batch_slice(all, 0, count * d);
    const hb_batch key = hb_check_view(k, side, HB_CHECK_KEY);
    hb_batch plus = hb_batch_slice(hb_check_view(k, side, HB_CHECK_SCRATCH), 0, count);
    uint64_t factors[HB_MAX_LIMBS];
    hb_limb_range ranges[HB_MAX_LIMBS] = {{0}};
    hb_permutation phi = {0}, minus = {0};
    hb_status st;
    plus.ids = all.ids;
    plus.limbs = k->switch_limbs > 1 ? k->switch_limbs - 1 : 1;
    for (uint32_t l = 0; l < plus.limbs; l++) {
        factors[l] = k->ring->moduli[plus.ids[l]].value - 1 - l;
        ranges[l] = (hb_limb_range){l, 1};
    }
    HB_TRY(hb_copy(e, plus, hb_batch_limbs(e, hb_batch_slice(all, all.count - count, count), 0, plus.limbs)));
    HB_TRY(hb_permutation_init_galois(&phi, e, (uint32_t)(2 * e->ring->n - 25)));
    HB_GOTO(hb_permutation_init_galois(&minus, e, (uint32_t)(2 * e->ring->n - 1)));
    const hb_rotation_term terms[TERMS] = {
        {.by = &phi, .digits = digits, .key = key, .own = plus, .plus[0] = plus},
        {.by = &minus, .plus = {plus, plus}},
        {.digits = digits, .key = key, .own = plus, .plus[1] = plus},
    };
    hb_rotation_sum x = {.terms = terms, .count = TERMS, .ranges = ranges, .add = (with & ADDED_TO) != 0};
    if ((with & WITH_FACTORS) != 0) {
        x.factors = factors;
    }
    if ((with & WITH_PLAIN) != 0) {
        x.plain = hb_check_view(k, side, HB_CHECK_OWN_KEY);
        x.plain.n = (with & IN_PAIRS) != 0 ? e->ring->n / 2 : (with & ALMOST_CONSTANT) != 0 ? 2 : 0;
        x.which = outputs == 2 ? which[0] : only[0];
        x.row = TERMS;
    }
    HB_GOTO(hb_rotation_sums(e, hb_check_view(k, side, HB_CHECK_SWITCHED), outputs, &x));
    HB_GOTO(hb_decompose(e, all, hb_batch_limbs(e, hb_check_view(k, side, HB_CHECK_A), 0, k->digits)));
    HB_GOTO(hb_copy(e, hb_check_view(k, side, HB_CHECK_SCRATCH), hb_check_view(k, side, HB_CHECK_B)));
    st = hb_finish(e);
done:
    hb_permutation_clear(&phi, e);
    hb_permutation_clear(&minus, e);
    return st;
}

/* Products of the digits of A, and with: whether its transform is at hand. */
static hb_status digit_products(hb_check *k, int side, int with)
{
    hb_engine *e = hb_check_engine(k, side);
    const hb_batch digits = hb_check_view(k, side, HB_CHECK_DIGITS), known = hb_check_view(k, side, HB_CHECK_SCRATCH);
    const hb_batch a = hb_batch_limbs(e, hb_check_view(k, side, HB_CHECK_A), 0, k->digits);
    hb_digit_operands x = {
        .a = a, .digits = digits, .key = hb_check_view(k, side, HB_CHECK_KEY), .outputs = 2, .row = 2};
    if (with == KNOWN) {
        x.known = hb_batch_limbs(e, known, 0, k->digits);
        HB_TRY(hb_ntt_of(e, x.known, a));
    }
    HB_TRY(hb_digit_products(e, hb_check_view(k, side, HB_CHECK_SWITCHED), &x));
    /* The words that it leaves there are undefined. */
    HB_TRY(hb_decompose(e, digits, a));
    return hb_copy(e, known, hb_check_view(k, side, HB_CHECK_B));
}

const hb_check_row hb_check_fused[] = {
    {"inverse NTT elsewhere", intt_of, HB_CHECK_B, HB_CHECK_R, NULL},
    {"inverse NTT elsewhere, scaled", intt_of_scaled, HB_CHECK_B, HB_CHECK_R, NULL},
    {"NTT but for some limbs", ntt_except, HB_CHECK_R, HB_CHECK_R, NULL},
    {"NTT and quotient", ntt_quotient, HB_CHECK_BOTH(HB_CHECK_A, HB_CHECK_ONE), HB_CHECK_R, NULL},
    {"NTT and quotient in place", ntt_quotient, HB_CHECK_BOTH(HB_CHECK_R, HB_CHECK_A), HB_CHECK_R, NULL},
    {"NTT and quotient in place of the sum", ntt_quotient, HB_CHECK_BOTH(HB_CHECK_A, HB_CHECK_R), HB_CHECK_R, NULL},
    {"NTT and quotient by an automorphism", ntt_quotient_moved, HB_CHECK_BOTH(HB_CHECK_A, HB_CHECK_ONE), HB_CHECK_R,
     NULL},
    {"NTT of digits, some of them known", ntt_decompose_known, HB_CHECK_A, HB_CHECK_DIGITS, NULL},
    {"products of digits with a key", gadget_products, 0, HB_CHECK_SWITCHED, NULL},
    {"products of digits whose limbs stand apart", gadget_products, OWN_APART, HB_CHECK_SWITCHED, NULL},
    {"products of digits with a sum", gadget_products, ADDED, HB_CHECK_SWITCHED, NULL},
    {"products of digits whose limbs stand apart, with a sum", gadget_products, OWN_APART | ADDED, HB_CHECK_SWITCHED,
     NULL},
    {"products of digits as they are made", digit_products, UNKNOWN, HB_CHECK_SWITCHED, NULL},
    {"products of digits as they are made, some of them known", digit_products, KNOWN, HB_CHECK_SWITCHED, NULL},
    {"sum of products of ciphertexts", tensor_sum, PRODUCTS, HB_CHECK_PRODUCTS, NULL},
    {"sum of multiples of ciphertexts", tensor_sum, MULTIPLES, HB_CHECK_PRODUCTS, NULL},
    {"sum of products and multiples of ciphertexts", tensor_sum, PRODUCTS | TWICE | MULTIPLES, HB_CHECK_PRODUCTS, NULL},
    {"sums of rotated products", rotation_sums, 0, HB_CHECK_SWITCHED, NULL},
    {"sums of rotated products with factors", rotation_sums, WITH_FACTORS, HB_CHECK_SWITCHED, NULL},
    {"sums of rotated products with plaintexts", rotation_sums, WITH_PLAIN | WITH_FACTORS, HB_CHECK_SWITCHED, NULL},
    {"sums of rotated products with plaintexts, added", rotation_sums, WITH_PLAIN | WITH_FACTORS | ADDED_TO,
     HB_CHECK_SWITCHED, NULL},
    {"sums of rotated products with plaintexts of pairs", rotation_sums, WITH_PLAIN | WITH_FACTORS | IN_PAIRS,
     HB_CHECK_SWITCHED, NULL},
    {"sums of rotated products with plaintexts of halves", rotation_sums, WITH_PLAIN | ADDED_TO | ALMOST_CONSTANT,
     HB_CHECK_SWITCHED, NULL},
    {NULL, NULL, 0, 0, NULL},
};
