#include "op_cost.h"

#include "lang/program/bootstrap.h"
#include "rates.h"
#include "scheme/bootstrap.h"
#include "scheme/merge.h"

/* Key switching grows with the limbs and with the digits. */
static double switch_at(const hb_params *params, double limbs)
{
    const double digits = hb_op_cost_digits(params, limbs), all = limbs + hb_spec_special_limbs(&params->spec);
    return HB_RATE_SWITCH * (digits + 1) * (all + 1);
}

double hb_op_cost_bootstrap(const hb_params *params, hb_bootstrap_kind kind)
{
    uint32_t operands, results;
    hb_bootstrap_limbs(params, &operands, &results);
    const double top = params->data_limbs, halves = kind == HB_BOOTSTRAP_REAL ? 1 : 2;
    return HB_RATE_TO_COEFFICIENTS * switch_at(params, operands) + HB_RATE_TO_SLOTS * switch_at(params, top) +
           halves * HB_RATE_EACH_HALF * switch_at(params, (top + results) / 2);
}

/* --- rows */

/* Graphs alone have it: no instruction does. */
static double nothing(const hb_params *params, const hb_op_cost *x)
{
    (void)params;
    (void)x;
    return 0;
}

static double loaded(const hb_params *params, const hb_op_cost *x)
{
    (void)params;
    return HB_RATE_CHECKSUM * x->to_limbs;
}

static double stored(const hb_params *params, const hb_op_cost *x)
{
    const double switches = x->sums > 0 ? (double)hb_merge_switches(&params->spec, x->sums) / (double)x->sums : 0;
    const double merged = switches * switch_at(params, x->to_limbs);
    return HB_RATE_CHECKSUM * x->limbs + merged;
}

/* One transform; that in other limbs counts as the plaintext is multiplied. */
static double encoded(const hb_params *params, const hb_op_cost *x)
{
    (void)params;
    (void)x;
    return 1;
}

static double words(const hb_params *params, const hb_op_cost *x)
{
    (void)params;
    return HB_RATE_WORDS * x->limbs;
}

static double times_plain(const hb_params *params, const hb_op_cost *x)
{
    (void)params;
    return HB_RATE_TIMES_PLAIN * x->limbs;
}

static double combined(const hb_params *params, const hb_op_cost *x)
{
    (void)params;
    return HB_RATE_TIMES_NUMBER * x->limbs * x->terms;
}

/* In NTT form a product takes passes over the words of three components. Otherwise it converts between bases, and its
 * time grows with the pairs of their limbs. */
static double product(const hb_params *params, const hb_op_cost *x)
{
    return params->form == HB_NTT_FORM ? HB_RATE_WORDS * 3 * x->limbs
                                       : HB_RATE_PRODUCT * (x->limbs + 1) * (x->limbs + 2);
}

static double switched(const hb_params *params, const hb_op_cost *x)
{
    return switch_at(params, x->limbs);
}

/* With three components, it is relinearized on the way. */
static double rescaled(const hb_params *params, const hb_op_cost *x)
{
    return x->three ? switched(params, x) : words(params, x);
}

/* Rotations that bring one slot into all, or all into one: one for each bit of the number of slots. */
static double over_slots(const hb_params *params, const hb_op_cost *x)
{
    return switch_at(params, x->limbs) * (params->ring.log_n - (x->block > 0 ? log2((double)x->block) : 0));
}

static double over_columns(const hb_params *params, const hb_op_cost *x)
{
    return switch_at(params, x->limbs) * log2((double)x->number);
}

/* Rotations of baby steps share their digits. */
static double matrix(const hb_params *params, const hb_op_cost *x)
{
    return switch_at(params, x->limbs) *
               (HB_HOISTED_SWITCH * x->outline.babies + x->outline.giants + x->outline.copies) +
           switch_at(params, x->to_limbs) * log2(x->outline.parts) +
           HB_RATE_TIMES_DIAGONAL * x->outline.diagonals * (x->limbs + hb_spec_special_limbs(&params->spec));
}

/* Its products are spread over the levels that it takes. */
static double polynomial(const hb_params *params, const hb_op_cost *x)
{
    const double limbs = (x->limbs + x->to_limbs) / 2;
    return x->products * switch_at(params, limbs) + x->degree * HB_RATE_WORDS * limbs;
}

static double bootstrapped(const hb_params *params, const hb_op_cost *x)
{
    const hb_bootstrap_kind kind = hb_bootstrap_kind_of(x->number);
    const double times = hb_bootstrap_is_twice(x->number) ? 2 : 1;
    return times * hb_op_cost_bootstrap(params, kind) / hb_bootstrap_as_one(kind);
}

/* Every operation, and the name of its row. */
/* clang-format off */
#define ROWS(X) \
    X(LOAD, loaded) X(LOAD_PLAIN, encoded) X(KNOWN, nothing) X(STORE, stored) X(ADD, words) X(SUBTRACT, words) \
    X(NEGATE, words) X(ADD_PLAIN, words) X(SUBTRACT_PLAIN, words) X(MULTIPLY_PLAIN, times_plain) \
    X(ADD_CONSTANT, words) X(ADD_NUMBER, words) X(MULTIPLY_INTEGER, words) X(MULTIPLY_NUMBER, words) \
    X(COMBINE, combined) X(ADD_ROW, words) X(MATRIX, matrix) X(ROW_SUM, over_columns) X(ROW_SPREAD, over_columns) \
    X(MULTIPLY, product) X(POLYNOMIAL, polynomial) X(BOOTSTRAP, bootstrapped) X(RELINEARIZE, switched) \
    X(RESCALE, rescaled) X(MOD_SWITCH, words) X(ADJUST, words) X(ROTATE, switched) X(SWAP, switched) \
    X(CONJUGATE, switched) X(TIMES_I, words) X(BROADCAST, words) X(MASK, times_plain) X(MASK_SCALED, times_plain) \
    X(ACCUMULATE, words) X(MASK_ROW, times_plain) X(FILL_ROWS, over_slots) X(SUM_SLOTS, over_slots)
/* clang-format on */

#define ONE(op, row) +1
_Static_assert(0 ROWS(ONE) == HB_OPCODES, "an operation without a row would cost nothing");
#define POINTER(op, row) [HB_OP_##op] = (row),

double hb_op_cost_transforms(const hb_params *params, const hb_op_cost *x)
{
    static double (*const rows[HB_OPCODES])(const hb_params *, const hb_op_cost *) = {ROWS(POINTER)};
    return rows[x->op](params, x);
}
