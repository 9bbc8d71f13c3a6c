/* Rows of operations that are composed of others where an engine has none of its own: behind all of those, whose damage
 * is theirs. */
#include "check_private.h"
#include "ring/permutation.h"

static hb_status intt_of(hb_check *k, int side, int with)
{
    return hb_intt_of(hb_check_engine(k, side), hb_check_result(k, side), hb_check_view(k, side, with));
}

/* Of B, which a copy stands for. */
static hb_status ntt_quotient(hb_check *k, int side, int with)
{
    hb_engine *e = hb_check_engine(k, side);
    const hb_batch x = hb_check_view(k, side, HB_CHECK_SCRATCH);
    HB_TRY(hb_copy(e, x, hb_check_view(k, side, HB_CHECK_B)));
    HB_TRY(hb_ntt_quotient(e, hb_check_result(k, side), hb_check_view(k, side, HB_CHECK_SECOND_OF(with)),
                           hb_check_view(k, side, HB_CHECK_FIRST_OF(with)), x, k->factors, NULL));
    /* What it leaves there is undefined. */
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

/* Of A; a copy is its transform. */
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

/* Inner products with a key. What stands apart and what is added are digits 0; R is scratch. Afterwards all of these
 * are what they were on either side. */
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
    /* What it leaves there is undefined. */
    HB_TRY(hb_decompose(e, digits, a));
    return hb_copy(e, known, hb_check_view(k, side, HB_CHECK_B));
}

const hb_check_row hb_check_fused[] = {
    {"inverse NTT elsewhere", intt_of, HB_CHECK_B, HB_CHECK_R, NULL},
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
    {NULL, NULL, 0, 0, NULL},
};
