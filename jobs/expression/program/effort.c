#include "effort.h"

#include <math.h>

#include "bootstrap.h"
#include "scheme/bootstrap.h"

/* How many transforms an operation takes as long as, for each limb; measured on one core at N = 8192 and 32768. */
static const double checksum = 2, linear = 1.5, times_number = 0.05, times_diagonal = 0.3, times_plain = 12;
/* The same for each pair of a limb, or a special one, and a digit, one more of each than there are. */
static const double product = 5, hoisted = 0.6, switching = 2.5;
/* How many switches of keys parts of bootstrapping take as long as: the maps from slots to coefficients at the lowest
 * levels, those back and the raising of the modulus at the highest, and between these each half, or the only one.
 * Measured on an H200 with boot-16, in batches, where a product with its switch and rescaling takes 290 us at 29 limbs:
 * 0.75 ms, 4.7 ms, and 3.6 ms each. */
static const double to_coefficients = 24, to_slots = 20, each_half = 18;

double hb_effort_digits(const hb_params *params, double limbs)
{
    const uint32_t alpha = hb_spec_digit_limbs(&params->spec);
    return ceil(limbs / alpha);
}

/* Pairs of a limb, or a special one, and a digit, one more of each than there are. */
static double pairs_of(const hb_params *params, double limbs)
{
    return (hb_effort_digits(params, limbs) + 1) * (limbs + hb_spec_special_limbs(&params->spec) + 1);
}

static double switch_at(const hb_params *params, double limbs)
{
    return switching * pairs_of(params, limbs);
}

double hb_effort_bootstrap(const hb_params *params, hb_bootstrap_kind kind)
{
    uint32_t operands, results;
    hb_bootstrap_limbs(params, &operands, &results);
    const double top = params->data_limbs, halves = kind == HB_BOOTSTRAP_REAL ? 1 : 2;
    return to_coefficients * switch_at(params, operands) + to_slots * switch_at(params, top) +
           halves * each_half * switch_at(params, (top + results) / 2);
}

static double bootstrap(const hb_params *params, const hb_effort *x)
{
    const hb_bootstrap_kind kind = hb_bootstrap_kind_of(x->number);
    const double times = hb_bootstrap_is_twice(x->number) ? 2 : 1;
    return times * hb_effort_bootstrap(params, kind) / hb_bootstrap_as_one(kind);
}

/* Its products are spread over the levels that it takes. */
static double polynomial(const hb_params *params, const hb_effort *x)
{
    const double limbs = (x->limbs + x->to_limbs) / 2;
    return x->products * switch_at(params, limbs) + x->degree * linear * limbs;
}

/* Rotations of baby steps share their digits. */
static double matrix(const hb_params *params, const hb_effort *x)
{
    return switch_at(params, x->limbs) * (hoisted * x->outline.babies + x->outline.giants + x->outline.copies) +
           switch_at(params, x->to_limbs) * log2(x->outline.parts) +
           times_diagonal * x->outline.diagonals * (x->limbs + hb_spec_special_limbs(&params->spec));
}

double hb_effort_layer(const hb_params *params, double columns, uint64_t block)
{
    const double limbs = params->fresh_limbs, square = switch_at(params, limbs) + linear * 3 * limbs;
    hb_effort all = {.op = HB_OP_MATRIX, .limbs = limbs, .to_limbs = limbs, .outline = {.parts = 1, .copies = 1}};
    /* Twice as many diagonals as slots of a row, in steps of both kinds. */
    all.outline.diagonals = (uint32_t)(2 * block);
    all.outline.babies = all.outline.giants = (uint32_t)sqrt(2 * (double)block);
    return checksum * limbs + square + (block > 0 ? matrix(params, &all) : times_number * limbs * columns);
}

/* Key switching grows with the limbs and with the digits, so do products that convert between bases; everything else
 * with the limbs. */
double hb_effort_transforms(const hb_params *params, const hb_effort *x)
{
    switch (x->op) {
    case HB_OP_LOAD:
        return checksum * x->to_limbs;
    case HB_OP_LOAD_PLAIN:
        /* Encoding: one transform. */
        return 1;
    case HB_OP_STORE:
        return checksum * x->limbs;
    case HB_OP_MULTIPLY_PLAIN:
    case HB_OP_MASK:
    case HB_OP_MASK_SCALED:
    case HB_OP_MASK_ROW:
        return times_plain * x->limbs;
    case HB_OP_MULTIPLY:
        /* Words alone, where ciphertexts are in NTT form. */
        return params->form == HB_NTT_FORM ? linear * 3 * x->limbs : product * (x->limbs + 1) * (x->limbs + 2);
    case HB_OP_COMBINE:
        return times_number * x->limbs * x->terms;
    case HB_OP_POLYNOMIAL:
        return polynomial(params, x);
    case HB_OP_BOOTSTRAP:
        return bootstrap(params, x);
    case HB_OP_RELINEARIZE:
    case HB_OP_ROTATE:
    case HB_OP_SWAP:
    case HB_OP_CONJUGATE:
        return switch_at(params, x->limbs);
    case HB_OP_FILL_ROWS:
    case HB_OP_SUM_SLOTS:
        return switch_at(params, x->limbs) * (params->ring.log_n - (x->block > 0 ? log2((double)x->block) : 0));
    case HB_OP_ROW_SUM:
    case HB_OP_ROW_SPREAD:
        return switch_at(params, x->limbs) * log2((double)x->number);
    case HB_OP_MATRIX:
        return matrix(params, x);
    case HB_OP_RESCALE:
        return x->three ? switch_at(params, x->limbs) : linear * x->limbs;
    default:
        return linear * x->limbs;
    }
}
