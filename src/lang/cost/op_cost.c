#include "op_cost.h"

#include <math.h>

#include "bootstrapping/chain.h"
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

/* Switches of keys that the maps from slots to coefficients take as long as. */
static double to_coefficients(const hb_params *params)
{
    const double maps = params->spec.bootstrapping.stc_levels;
    const double radix = exp2(((double)params->ring.log_n - 1) / maps);
    return maps * (HB_RATE_MAP_STEPS * sqrt(radix) + HB_RATE_MAP_DIAGONALS * radix);
}

/* The limbs at which parts of bootstrapping are: the maps to coefficients, those to slots, and in the mean each half.
 * Integers begin the maps to coefficients where EvalMod ends. */
typedef struct bootstrap_limbs {
    double to_coefficients, to_slots, each_half;
} bootstrap_limbs;

static bootstrap_limbs bootstrap_limbs_of(const hb_params *params, hb_bootstrap_kind kind)
{
    const hb_bootstrapping_levels levels = hb_bootstrapping_levels_of(&params->spec);
    const double top = params->data_limbs, out = levels.out + 1;
    uint32_t operands, results;
    if (hb_bootstrapping_of_integers(&params->spec.bootstrapping)) {
        return (bootstrap_limbs){out, top, (top + out) / 2};
    }
    hb_bootstrap_limbs(params, false, &operands, &results);
    return (bootstrap_limbs){kind == HB_BOOTSTRAP_LOWEST ? out : operands, top, (top + results) / 2};
}

double hb_op_cost_bootstrap(const hb_params *params, hb_bootstrap_kind kind)
{
    const bootstrap_limbs at = bootstrap_limbs_of(params, kind);
    const double halves = kind == HB_BOOTSTRAP_REAL ? 1 : 2;
    return to_coefficients(params) * switch_at(params, at.to_coefficients) +
           HB_RATE_TO_SLOTS * switch_at(params, at.to_slots) +
           halves * HB_RATE_EACH_HALF * switch_at(params, at.each_half);
}

/* --- what ranks that share limbs exchange (divided/engine.h) */

/* Adds `transfers` in which every rank gets all of so many limbs, of so many polynomials: to the rank that has fewest
 * of them. */
static void add_gathered(const hb_params *params, double limbs, double polynomials, double transfers, hb_cost *cost)
{
    if (params->map.members > 1) {
        cost->of[HB_COST_GATHERED] += polynomials * (limbs - floor(limbs / params->map.members));
        cost->of[HB_COST_TRANSFERS] += transfers;
    }
}

/* Adds the two transfers by slices in which so many limbs are needed `there`, for a share of the coefficients, and the
 * own ones of `home` come back, to the rank that has most of them. */
static void add_sliced(const hb_params *params, double there, double home, double polynomials, double times,
                       hb_cost *cost)
{
    const double k = params->map.members, others = 1 - 1 / k;
    if (params->map.members > 1) {
        cost->of[HB_COST_SLICED] += times * polynomials * (there / k + ceil(home / k)) * others;
        cost->of[HB_COST_TRANSFERS] += 2 * times;
    }
}

/* Adds the exchange in which polynomials are divided by so many limbs `dropped`, and so many others stay: in
 * coefficient form one limb goes to all; else it is by gathering or by slices, whichever brings less. */
static void add_division(const hb_params *params, double dropped, double stay, double times, hb_cost *cost)
{
    const double k = params->map.members, gathered = dropped - floor(dropped / k),
                 sliced = (dropped / k + ceil(stay / k)) * (1 - 1 / k);
    if (params->form == HB_COEFFICIENT_FORM || gathered < sliced) {
        add_gathered(params, dropped, 2 * times, times, cost);
    } else {
        add_sliced(params, dropped, stay, 2, times, cost);
    }
}

/* Digits come to all ranks in one; then over the integers the sums of all blocks in slices, and the quotients of both
 * components back; else the special limbs of both. */
static void add_switch_exchanges(const hb_params *params, double limbs, double times, hb_cost *cost)
{
    const hb_key_switch_integer *integer = &params->key_switch_integer;
    const double all = limbs + 1, special = hb_spec_special_limbs(&params->spec);
    add_gathered(params, limbs, times, times, cost);
    if (hb_params_switch_by_integers(params)) {
        add_sliced(params, ceil(all / integer->each) * integer->basis.limbs, limbs, 2, times, cost);
    } else {
        add_division(params, special, limbs, times, cost);
    }
}

/* Both factors are lifted to the auxiliary base, one after the other, and the product is scaled through it, by
 * gathering or by slices, whichever brings less. */
static void add_product_exchanges(const hb_params *params, double limbs, hb_cost *cost)
{
    const double beside = limbs + 1, gathered = 7 * limbs + 3 * beside;
    const double sliced = 4 * (limbs + beside) + 3 * (2 * limbs + beside);
    if (sliced / params->map.members <= gathered) {
        add_sliced(params, limbs, beside, 2, 2, cost);
        add_sliced(params, limbs + beside, limbs, 3, 1, cost);
    } else {
        add_gathered(params, limbs, 7, 3, cost);
        add_gathered(params, beside, 3, 1, cost);
    }
}

/* --- rows: each adds the amounts of an operation */

/* Kernels that a GPU starts. */
enum { LAUNCH_WORDS = 1, LAUNCH_PLAIN = 4, LAUNCH_PRODUCT = 12, LAUNCH_SWITCH = 12 };

/* Adds passes over words: `limbs` that are read or written for each limb of work. */
static void add_words(hb_cost *cost, double core, double limbs)
{
    hb_cost_add(cost, 1,
                &(hb_cost){{[HB_COST_CORE] = core, [HB_COST_WORDS] = limbs, [HB_COST_LAUNCHES] = LAUNCH_WORDS}});
}

/* Switches keys so many times, in which exchanges are not counted. Each digit goes to all limbs, where it is multiplied
 * by both polynomials of a key; both products come back, and are divided by the special limbs. */
static void add_switch_computing(const hb_params *params, double limbs, double times, hb_cost *cost)
{
    const double digits = hb_op_cost_digits(params, limbs), special = hb_spec_special_limbs(&params->spec),
                 all = limbs + special;
    const hb_cost one = {{[HB_COST_CORE] = switch_at(params, limbs),
                          [HB_COST_TRANSFORMS] = digits * all + 2 * all,
                          [HB_COST_WORDS] = limbs + 2 * digits * all + 4 * all + 4 * limbs,
                          [HB_COST_CONVERSIONS] = limbs * all + 2 * special * limbs,
                          [HB_COST_ONCE] = 2 * digits * all,
                          [HB_COST_LAUNCHES] = LAUNCH_SWITCH}};
    hb_cost_add(cost, times, &one);
}

static void add_switches(const hb_params *params, double limbs, double times, hb_cost *cost)
{
    add_switch_computing(params, limbs, times, cost);
    add_switch_exchanges(params, limbs, times, cost);
}

/* Graphs alone have it: no instruction does. */
static void nothing(const hb_params *params, const hb_op_cost *x, hb_cost *cost)
{
    (void)params;
    (void)x;
    (void)cost;
}

/* Adds both components of a ciphertext that comes from a file or goes to one. Ranks that share limbs tell one another
 * the digests of their rows, which are some bytes. */
static void add_stored(const hb_params *params, hb_cost *cost, double limbs)
{
    add_gathered(params, 0, 0, 2, cost);
    hb_cost_add(cost, 1,
                &(hb_cost){{[HB_COST_CORE] = HB_RATE_CHECKSUM * limbs,
                            [HB_COST_DIGESTS] = 2 * limbs,
                            [HB_COST_WORDS] = 4 * limbs,
                            [HB_COST_LAUNCHES] = LAUNCH_PLAIN}});
}

static void loaded(const hb_params *params, const hb_op_cost *x, hb_cost *cost)
{
    add_stored(params, cost, x->to_limbs);
}

static void stored(const hb_params *params, const hb_op_cost *x, hb_cost *cost)
{
    const double switches = x->sums > 0 ? (double)hb_merge_switches(&params->spec, x->sums) / (double)x->sums : 0;
    add_stored(params, cost, x->limbs);
    add_switches(params, x->to_limbs, switches, cost);
}

/* One transform; that in other limbs counts as the plaintext is multiplied. */
static void encoded(const hb_params *params, const hb_op_cost *x, hb_cost *cost)
{
    (void)params;
    (void)x;
    hb_cost_add(cost, 1, &(hb_cost){{[HB_COST_CORE] = 1, [HB_COST_TRANSFORMS] = 1, [HB_COST_LAUNCHES] = LAUNCH_PLAIN}});
}

/* Two components of two operands and of the result. */
static void words(const hb_params *params, const hb_op_cost *x, hb_cost *cost)
{
    (void)params;
    add_words(cost, HB_RATE_WORDS * x->limbs, 6 * x->limbs);
}

/* The plaintext goes to all limbs; in coefficient form both components go there and back. */
static void times_plain(const hb_params *params, const hb_op_cost *x, hb_cost *cost)
{
    const double transforms = params->form == HB_NTT_FORM ? 1 : 5;
    hb_cost_add(cost, 1,
                &(hb_cost){{[HB_COST_CORE] = HB_RATE_TIMES_PLAIN * x->limbs,
                            [HB_COST_TRANSFORMS] = transforms * x->limbs,
                            [HB_COST_WORDS] = 6 * x->limbs,
                            [HB_COST_LAUNCHES] = LAUNCH_PLAIN}});
}

static void combined(const hb_params *params, const hb_op_cost *x, hb_cost *cost)
{
    (void)params;
    add_words(cost, HB_RATE_TIMES_NUMBER * x->limbs * x->terms, 2 * x->limbs * (x->terms + 1));
}

/* In NTT form a product takes passes over the words of three components. Otherwise four polynomials are converted to
 * auxiliary limbs, one more than there are, and three come back: time grows with the pairs of limbs. */
static void product(const hb_params *params, const hb_op_cost *x, hb_cost *cost)
{
    if (params->form == HB_NTT_FORM) {
        add_words(cost, HB_RATE_WORDS * 3 * x->limbs, 7 * x->limbs);
        return;
    }
    const double both = 2 * x->limbs + 1;
    add_product_exchanges(params, x->limbs, cost);
    hb_cost_add(cost, 1,
                &(hb_cost){{[HB_COST_CORE] = HB_RATE_PRODUCT * (x->limbs + 1) * (x->limbs + 2),
                            [HB_COST_TRANSFORMS] = 7 * both,
                            [HB_COST_WORDS] = 14 * both + 3 * x->limbs,
                            [HB_COST_CONVERSIONS] = 7 * x->limbs * (x->limbs + 1),
                            [HB_COST_LAUNCHES] = LAUNCH_PRODUCT}});
}

static void switched(const hb_params *params, const hb_op_cost *x, hb_cost *cost)
{
    add_switches(params, x->limbs, 1, cost);
}

/* With three components, it is relinearized on the way; otherwise a limb comes back, and goes to all others. */
static void rescaled(const hb_params *params, const hb_op_cost *x, hb_cost *cost)
{
    if (x->three) {
        add_switches(params, x->limbs, 1, cost);
        return;
    }
    const double own = hb_params_level_limbs(params);
    add_words(cost, HB_RATE_WORDS * x->limbs, 6 * x->limbs);
    add_division(params, own, x->limbs - own, 1, cost);
    cost->of[HB_COST_TRANSFORMS] += params->form == HB_NTT_FORM ? 2 * x->limbs : 0;
}

/* Limbs are left out, or divided by where noise is to shrink with them. */
static void switched_modulus(const hb_params *params, const hb_op_cost *x, hb_cost *cost)
{
    words(params, x, cost);
    if (params->form == HB_COEFFICIENT_FORM) {
        add_division(params, 1, x->limbs - 1, 1, cost);
    }
}

/* For two row blocks as one: a product with i, and a sum; for each row block half a conjugation, and sums with it. */
static void coupled(const hb_params *params, const hb_op_cost *x, hb_cost *cost)
{
    (void)params;
    add_words(cost, 2 * HB_RATE_WORDS * x->limbs, 10 * x->limbs);
}

static void uncoupled(const hb_params *params, const hb_op_cost *x, hb_cost *cost)
{
    add_switches(params, x->limbs, 0.5, cost);
    add_words(cost, 1.5 * HB_RATE_WORDS * x->limbs, 8 * x->limbs);
}

/* Rotations that bring one slot into all, or all into one: one for each bit of the number of slots. */
static void over_slots(const hb_params *params, const hb_op_cost *x, hb_cost *cost)
{
    add_switches(params, x->limbs, params->ring.log_n - (x->block > 0 ? log2((double)x->block) : 0), cost);
}

static void over_columns(const hb_params *params, const hb_op_cost *x, hb_cost *cost)
{
    add_switches(params, x->limbs, log2((double)x->number), cost);
}

/* For each switch a sum and a difference, which read the same words, and a product with a power of X. */
static void spread(const hb_params *params, const hb_op_cost *x, hb_cost *cost)
{
    const double switches = x->spread > 0 ? x->spread : 1;
    add_switches(params, x->limbs, switches, cost);
    hb_cost_add(cost, switches,
                &(hb_cost){{[HB_COST_CORE] = 2 * HB_RATE_WORDS * x->limbs,
                            [HB_COST_WORDS] = 17 * x->limbs,
                            [HB_COST_LAUNCHES] = 3 * LAUNCH_WORDS}});
}

/* Rotations of baby steps share their digits, and all rotations the division by the special limbs. */
static void matrix(const hb_params *params, const hb_op_cost *x, hb_cost *cost)
{
    const hb_block_outline *o = &x->outline;
    const double all = x->limbs + hb_spec_special_limbs(&params->spec), shared = 0.35;
    add_switch_computing(params, x->limbs, shared * (o->babies + o->giants) + o->copies, cost);
    add_switch_exchanges(params, x->limbs, 1 + o->giants + o->copies, cost);
    add_switches(params, x->to_limbs, log2(o->parts), cost);
    /* A core goes by the rates instead. */
    cost->of[HB_COST_CORE] +=
        switch_at(params, x->limbs) * ((HB_HOISTED_SWITCH - shared) * o->babies + (1 - shared) * o->giants);
    hb_cost_add(cost, 1,
                &(hb_cost){{[HB_COST_CORE] = HB_RATE_TIMES_DIAGONAL * o->diagonals * all,
                            [HB_COST_WORDS] = o->diagonals * all,
                            [HB_COST_ONCE] = 0.3 * o->diagonals * all,
                            [HB_COST_LAUNCHES] = o->giants}});
}

/* Digits of a second operand are made, too. */
static void matrix_pair(const hb_params *params, const hb_op_cost *x, hb_cost *cost)
{
    matrix(params, x, cost);
    add_switch_computing(params, x->limbs, 1 - HB_HOISTED_SWITCH, cost);
    add_gathered(params, x->limbs, 1, 1, cost);
}

/* Its products are spread over the levels that it takes. */
static void polynomial(const hb_params *params, const hb_op_cost *x, hb_cost *cost)
{
    const double limbs = (x->limbs + x->to_limbs) / 2;
    add_switches(params, limbs, x->products, cost);
    add_division(params, hb_params_level_limbs(params), limbs, x->products, cost);
    hb_cost_add(
        cost, x->degree,
        &(hb_cost){
            {[HB_COST_CORE] = HB_RATE_WORDS * limbs, [HB_COST_WORDS] = 4 * limbs, [HB_COST_LAUNCHES] = LAUNCH_WORDS}});
}

/* Adds so many bootstraps, in which values have so many halves. */
static void add_bootstraps(const hb_params *params, hb_bootstrap_kind kind, double times, double halves, hb_cost *cost)
{
    const bootstrap_limbs at = bootstrap_limbs_of(params, kind);
    add_switch_computing(params, at.to_coefficients, times * to_coefficients(params), cost);
    add_switch_exchanges(params, at.to_coefficients, times * HB_EXCHANGES_TO_COEFFICIENTS, cost);
    add_switch_computing(params, at.to_slots, times * HB_RATE_TO_SLOTS, cost);
    add_switch_exchanges(params, at.to_slots, times * HB_EXCHANGES_TO_SLOTS, cost);
    add_switch_computing(params, at.each_half, times * halves * HB_RATE_EACH_HALF, cost);
    add_switch_exchanges(params, at.each_half, times * halves * HB_EXCHANGES_EACH_HALF, cost);
}

static void bootstrapped(const hb_params *params, const hb_op_cost *x, hb_cost *cost)
{
    const hb_bootstrap_kind kind = hb_bootstrap_kind_of(x->number);
    const double halves = kind == HB_BOOTSTRAP_REAL ? 1 : 2;
    add_bootstraps(params, kind, (hb_bootstrap_is_twice(x->number) ? 2.0 : 1.0) / hb_bootstrap_as_one(kind), halves,
                   cost);
}

/* Noise is in all coefficients. */
static void refreshed(const hb_params *params, const hb_op_cost *x, hb_cost *cost)
{
    (void)x;
    add_bootstraps(params, HB_BOOTSTRAP_NOISE, 1, 2, cost);
}

/* As a pass, but that EvalMod of both halves is two polynomials and the table, which is t long. */
static void looked_up(const hb_params *params, const hb_op_cost *x, hb_cost *cost)
{
    const double longest = 256, t = (double)params->spec.bfv.plain;
    (void)x;
    add_bootstraps(params, HB_BOOTSTRAP_TABLE, 1, 3 + 3 * fmin(t / longest, 1), cost);
}

/* Every operation, and the name of its row. */
/* clang-format off */
#define ROWS(X) \
    X(LOAD, loaded) X(LOAD_PLAIN, encoded) X(KNOWN, nothing) X(STORE, stored) X(ADD, words) X(SUBTRACT, words) \
    X(NEGATE, words) X(ADD_PLAIN, words) X(SUBTRACT_PLAIN, words) X(MULTIPLY_PLAIN, times_plain) \
    X(ADD_CONSTANT, words) X(ADD_NUMBER, words) X(MULTIPLY_INTEGER, words) X(MULTIPLY_NUMBER, words) \
    X(COMBINE, combined) X(ADD_ROW, words) X(MATRIX, matrix) X(MATRIX_PAIR, matrix_pair) X(ROW_SUM, over_columns) \
    X(ROW_SPREAD, over_columns) X(COUPLE, coupled) X(UNCOUPLE, uncoupled) X(MULTIPLY, product) \
    X(POLYNOMIAL, polynomial) X(BOOTSTRAP, bootstrapped) X(REFRESH, refreshed) X(LOOKUP, looked_up) \
    X(RELINEARIZE, switched) X(RESCALE, rescaled) X(MOD_SWITCH, switched_modulus) X(EXTEND, words) \
    X(ADJUST, words) X(ROTATE, switched) X(SWAP, switched) X(CONJUGATE, switched) X(TIMES_I, words) \
    X(BROADCAST, words) X(MASK, times_plain) X(MASK_SCALED, times_plain) X(ACCUMULATE, words) \
    X(MASK_ROW, times_plain) X(FILL_ROWS, over_slots) X(SPREAD, spread) \
    X(SUM_SLOTS, over_slots)
/* clang-format on */

#define ONE(op, row) +1
_Static_assert(0 ROWS(ONE) == HB_OPCODES, "an operation without a row would cost nothing");
#define POINTER(op, row) [HB_OP_##op] = (row),

void hb_op_cost_add(const hb_params *params, const hb_op_cost *x, hb_cost *cost)
{
    static void (*const rows[HB_OPCODES])(const hb_params *, const hb_op_cost *, hb_cost *) = {ROWS(POINTER)};
    hb_cost own = {{0}};
    rows[x->op](params, x, &own);
    for (int k = 0; k < HB_COST_KINDS && x->coupled; k++) {
        const bool once = k == HB_COST_ONCE || k == HB_COST_LAUNCHES || k == HB_COST_TRANSFERS; /* for a whole batch */
        own.of[k] *= once ? 1 : 0.5;
    }
    hb_cost_add(cost, 1, &own);
}
