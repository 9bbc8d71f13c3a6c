/* Rows of operations that are composed of others where an engine has none of its own: behind all of those, whose damage
 * is theirs. */
#include "check_private.h"

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
                           hb_check_view(k, side, HB_CHECK_FIRST_OF(with)), x, k->factors));
    /* What it leaves there is undefined. */
    return hb_copy(e, x, hb_check_view(k, side, HB_CHECK_B));
}

/* Polynomials with an even number keep the first half of their limbs, the others the second one. */
static hb_status ntt_except(hb_check *k, int side, int with)
{
    const hb_batch x = hb_check_view(k, side, with);
    const uint32_t half = x.limbs / 2;
    const hb_limb_range done[] = {{0, half}, {half, x.limbs - half}};
    return hb_ntt_except(hb_check_engine(k, side), x, x.count % 2 == 0 ? 2 : 1, done);
}

const hb_check_row hb_check_fused[] = {
    {"inverse NTT elsewhere", intt_of, HB_CHECK_B, HB_CHECK_R, NULL},
    {"NTT but for some limbs", ntt_except, HB_CHECK_R, HB_CHECK_R, NULL},
    {"NTT and quotient", ntt_quotient, HB_CHECK_BOTH(HB_CHECK_A, HB_CHECK_ONE), HB_CHECK_R, NULL},
    {"NTT and quotient in place", ntt_quotient, HB_CHECK_BOTH(HB_CHECK_R, HB_CHECK_A), HB_CHECK_R, NULL},
    {"NTT and quotient in place of the sum", ntt_quotient, HB_CHECK_BOTH(HB_CHECK_A, HB_CHECK_R), HB_CHECK_R, NULL},
    {NULL, NULL, 0, 0, NULL},
};
