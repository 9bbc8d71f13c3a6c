/* Rows of operations by coefficient, on views: some coefficients of the operands, limbs that stand close together or
 * apart. And operations that only divided limbs need: base conversions in a row, and division where the last limb is
 * elsewhere. */
#include "check_private.h"

/* Returns the same coefficients of any operand: those from the first border of slices on. From HB_CHECK_APART it takes
 * every other limb. */
static hb_batch slices(const hb_check *k, int side, int which)
{
    hb_batch a = hb_check_view(k, side, which);
    if (which == HB_CHECK_DENSE) {
        return a;
    }
    const size_t n = k->ring->n, left = k->area[HB_CHECK_DENSE].n;
    a.data += n - left;
    a.n = left;
    if (which == HB_CHECK_APART) {
        a.data += n;
        a.limb_stride = 2 * n;
        a.ids = k->shape.ids;
        a.limbs = k->shape.limbs;
    }
    return a;
}

static hb_status copy(hb_check *k, int side, int with)
{
    return hb_copy(hb_check_engine(k, side), hb_check_view(k, side, HB_CHECK_FIRST_OF(with)),
                   hb_check_view(k, side, HB_CHECK_SECOND_OF(with)));
}

static hb_status copy_slices(hb_check *k, int side, int with)
{
    return hb_copy(hb_check_engine(k, side), slices(k, side, HB_CHECK_FIRST_OF(with)),
                   slices(k, side, HB_CHECK_SECOND_OF(with)));
}

static hb_status clear(hb_check *k, int side, int with)
{
    return hb_clear(hb_check_engine(k, side), hb_check_view(k, side, with));
}

static hb_status clear_slices(hb_check *k, int side, int with)
{
    return hb_clear(hb_check_engine(k, side), slices(k, side, with));
}

/* The operands and the kind of a conversion: rows have its number as `with`. */
typedef struct conversion_case {
    int to, from, conversion;
} conversion_case;

enum { TO_DENSE, TO_APART, KEPT_APART, FROM_PLAIN, TO_PLAIN };
static const conversion_case conversions[] = {
    [TO_DENSE] = {HB_CHECK_DENSE, HB_CHECK_A, HB_CHECK_BINARY},
    [TO_APART] = {HB_CHECK_APART, HB_CHECK_DENSE, HB_CHECK_SCALED},
    [KEPT_APART] = {HB_CHECK_APART, HB_CHECK_B, HB_CHECK_MODULAR},
    [FROM_PLAIN] = {HB_CHECK_R, HB_CHECK_PLAIN_GAMMA, HB_CHECK_GAMMA_OVERFLOW},
    [TO_PLAIN] = {HB_CHECK_PLAIN_GAMMA, HB_CHECK_APART, HB_CHECK_TO_PLAIN_GAMMA},
};

static hb_status convert_slices(hb_check *k, int side, int with)
{
    const conversion_case *c = &conversions[with];
    return hb_base_convert(hb_check_engine(k, side), slices(k, side, c->to), slices(k, side, c->from),
                           &k->conversion[c->conversion]);
}

/* Converts A to B to C. `via` holds B: its kept limbs on entry, undefined words on return. */
typedef hb_status (*two_conversions)(hb_engine *e, hb_batch r, hb_batch via, hb_batch a,
                                     const hb_base_conversion *first, const hb_base_conversion *second);

/* The composition that the fused operation equals. */
static hb_status one_by_one(hb_engine *e, hb_batch r, hb_batch via, hb_batch a, const hb_base_conversion *first,
                            const hb_base_conversion *second)
{
    HB_TRY(hb_base_convert(e, via, a, first));
    return hb_base_convert(e, r, via, second);
}

/* Does both conversions. with: the second conversion, and the operand to begin with. */
static hb_status through_with(hb_check *k, int side, int with, hb_batch (*view)(const hb_check *, int, int),
                              two_conversions convert)
{
    hb_engine *e = hb_check_engine(k, side);
    const hb_base_conversion *second = &k->conversion[HB_CHECK_FIRST_OF(with)];
    const int to = second->to_ids == k->plain_gamma_ids ? HB_CHECK_PLAIN_GAMMA : HB_CHECK_R;
    const hb_batch via = view(k, side, HB_CHECK_SCRATCH), b = view(k, side, HB_CHECK_B);
    HB_TRY(hb_copy(e, via, b));
    HB_TRY(convert(e, view(k, side, to), via, view(k, side, HB_CHECK_SECOND_OF(with)), &k->conversion[HB_CHECK_MODULAR],
                   second));
    return hb_copy(e, via, b);
}

static hb_status through(hb_check *k, int side, int with)
{
    return through_with(k, side, with, hb_check_view, hb_base_convert_through);
}

static hb_status twice(hb_check *k, int side, int with)
{
    return through_with(k, side, with, hb_check_view, one_by_one);
}

static hb_status through_slices(hb_check *k, int side, int with)
{
    return through_with(k, side, with, slices, hb_base_convert_through);
}

static hb_status twice_slices(hb_check *k, int side, int with)
{
    return through_with(k, side, with, slices, one_by_one);
}

static hb_status garner_slices(hb_check *k, int side, int with)
{
    return hb_garner_digits(hb_check_engine(k, side), slices(k, side, HB_CHECK_FIRST_OF(with)),
                            slices(k, side, HB_CHECK_SECOND_OF(with)), &k->garner);
}

static hb_status norm_of_slices(hb_check *k, int side, int with)
{
    return hb_check_norm(k, side, slices(k, side, with));
}

/* Divides B by gamma, whose limb is that of other polynomials, into R. with: whether A is added. It calls the engine's
 * own entry, as the front end asks for no such thing. */
static hb_status divide_apart(hb_check *k, int side, int with)
{
    hb_engine *e = hb_check_engine(k, side);
    const hb_batch r = hb_check_result(k, side), b = hb_check_view(k, side, HB_CHECK_B);
    const hb_batch last = hb_batch_limbs(e, hb_check_view(k, side, HB_CHECK_PLAIN_GAMMA), 1, 1);
    const hb_drop_last constants = {k->drop_gamma.last_id, k->drop_gamma.half, k->factors};
    return e->ops->rns->divide_round(e, r, with != 0 ? hb_check_view(k, side, HB_CHECK_A) : (hb_batch){.data = NULL}, b,
                                     last, &constants);
}

const hb_check_row hb_check_slices[] = {
    {"copy", copy, HB_CHECK_BOTH(HB_CHECK_R, HB_CHECK_A), HB_CHECK_R, NULL},
    {"copy of slices", copy_slices, HB_CHECK_BOTH(HB_CHECK_DENSE, HB_CHECK_B), HB_CHECK_DENSE, NULL},
    {"copy to limbs apart", copy_slices, HB_CHECK_BOTH(HB_CHECK_APART, HB_CHECK_DENSE), HB_CHECK_APART, NULL},
    {"copy from limbs apart", copy_slices, HB_CHECK_BOTH(HB_CHECK_R, HB_CHECK_APART), HB_CHECK_R, NULL},
    {"base conversion of slices", convert_slices, TO_DENSE, HB_CHECK_DENSE, NULL},
    {"base conversion to limbs apart", convert_slices, TO_APART, HB_CHECK_APART, NULL},
    {"base conversion that keeps limbs apart", convert_slices, KEPT_APART, HB_CHECK_APART, NULL},
    {"base conversion of slices from t and gamma", convert_slices, FROM_PLAIN, HB_CHECK_R, NULL},
    {"base conversion of limbs apart to t and gamma", convert_slices, TO_PLAIN, HB_CHECK_PLAIN_GAMMA, NULL},
    {"two base conversions", through, HB_CHECK_BOTH(HB_CHECK_BINARY, HB_CHECK_A), HB_CHECK_R, twice},
    {"two base conversions that keep", through, HB_CHECK_BOTH(HB_CHECK_MODULAR, HB_CHECK_A), HB_CHECK_R, twice},
    {"two base conversions in place", through, HB_CHECK_BOTH(HB_CHECK_SCALED, HB_CHECK_R), HB_CHECK_R, twice},
    {"two base conversions to t and gamma", through, HB_CHECK_BOTH(HB_CHECK_TO_PLAIN_GAMMA, HB_CHECK_A),
     HB_CHECK_PLAIN_GAMMA, twice},
    {"two base conversions of slices", through_slices, HB_CHECK_BOTH(HB_CHECK_MODULAR, HB_CHECK_APART), HB_CHECK_R,
     twice_slices},
    {"division by a prime apart", divide_apart, 0, HB_CHECK_R, NULL},
    {"division by a prime apart and sum", divide_apart, 1, HB_CHECK_R, NULL},
    {"mixed-radix digits of slices", garner_slices, HB_CHECK_BOTH(HB_CHECK_DENSE, HB_CHECK_A), HB_CHECK_DENSE, NULL},
    {"infinity norm of slices", norm_of_slices, HB_CHECK_DENSE, HB_CHECK_NORMS, NULL},
    {"mixed-radix digits of limbs apart", garner_slices, HB_CHECK_BOTH(HB_CHECK_APART, HB_CHECK_APART), HB_CHECK_APART,
     NULL},
    {"infinity norm of limbs apart", norm_of_slices, HB_CHECK_APART, HB_CHECK_NORMS, NULL},
    {"zeros in slices", clear_slices, HB_CHECK_APART, HB_CHECK_APART, NULL},
    {"zeros", clear, HB_CHECK_R, HB_CHECK_R, NULL},
    {NULL, NULL, 0, 0, NULL},
};
