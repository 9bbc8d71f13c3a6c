#include "bootstrap_maps.h"

#include <stdlib.h>

#include "bootstrap.h"
#include "bootstrapping/chain.h"
#include "bootstrapping/eval_mod.h"

uint32_t hb_bootstrap_baby(uint32_t diagonals)
{
    enum { NARROW = 16, WIDE = 2 * NARROW, MOST_OF_NARROW = 4 * NARROW };
    return diagonals > MOST_OF_NARROW ? WIDE : NARROW;
}

hb_status hb_bootstrap_period(const hb_params *params, size_t period, size_t *out)
{
    const hb_bootstrapping_spec *spec = &params->spec.bootstrapping;
    const uint32_t maps = spec->stc_levels > spec->cts_levels ? spec->stc_levels : spec->cts_levels;
    const size_t slots = params->ring.n / 2, least = (size_t)1 << maps;
    *out = period == 0 ? slots : period;
    return *out >= least && slots % *out == 0
               ? HB_OK
               : HB_FAIL(HB_ECONFIG,
                         "values that repeat every %zu slots are not bootstrapped with parameters %s: take a power of "
                         "two from %zu to %zu",
                         period, params->name, least, slots);
}

uint32_t hb_bootstrap_trace_steps(const hb_params *params, size_t period, int64_t steps[HB_GALOIS_MOST_STEPS])
{
    return hb_galois_window_steps((int64_t)period, params->ring.n / 2 / period, steps);
}

hb_slot_transform hb_bootstrap_transform(const hb_params *params, hb_slot_direction direction, size_t period)
{
    const hb_bootstrapping_spec *spec = &params->spec.bootstrapping;
    const size_t slots = params->ring.n / 2;
    hb_slot_transform t = {slots, period, spec->stc_levels, direction, 1};
    if (direction == HB_COEFFICIENTS_BECOME_SLOTS) {
        /* The transform multiplies by the period, and the trace by how often that is in all slots; parts are taken
         * apart as sums with conjugates, which are twice the parts; and EvalMod begins with values in [-1, 1]. */
        t.maps = spec->cts_levels;
        t.constant = 1 / (2 * (double)slots * (hb_eval_mod_form_of(spec->eval_mod)->bound + 0.5));
    }
    return t;
}

uint32_t hb_bootstrap_map_limbs(const hb_bootstrapping_levels *levels, hb_slot_direction direction, uint32_t i)
{
    return (direction == HB_COEFFICIENTS_BECOME_SLOTS ? levels->top : levels->stc) - i + 1;
}

/* Values of scale `from` come to have scale `to` once they are divided by q. */
static hb_exact_scale between(uint64_t q, hb_exact_scale to, hb_exact_scale from)
{
    return hb_exact_scale_divide(hb_exact_scale_multiply(hb_exact_scale_of(q), to), from);
}

static hb_exact_scale ratio_of(const hb_params *params)
{
    return hb_exact_scale_of_double(hb_eval_mod_form_of(params->spec.bootstrapping.eval_mod)->ratio);
}

bool hb_bootstrap_lowest_size(const hb_params *params, uint32_t range_bits, uint32_t *gain, hb_exact_scale *size)
{
    const hb_exact_scale of_one = hb_exact_scale_divide(
        hb_exact_scale_multiply(hb_ckks_scale(params, 1), ratio_of(params)), hb_exact_scale_of(params->spec.primes[0]));
    const double room = -hb_exact_scale_log2(of_one) - range_bits;
    if (room < 0) {
        return false;
    }
    *gain = (uint32_t)room;
    *size = of_one;
    size->exponent += (int32_t)*gain;
    return true;
}

hb_exact_scale hb_bootstrap_map_scale(const hb_params *params, bool lowest, hb_slot_direction direction, uint32_t i,
                                      uint32_t range_bits)
{
    const hb_bootstrapping_spec *spec = &params->spec.bootstrapping;
    const hb_bootstrapping_levels levels = hb_bootstrap_levels(params, lowest);
    const uint64_t *primes = params->spec.primes, q = primes[hb_bootstrap_map_limbs(&levels, direction, i) - 1];
    const hb_exact_scale first = hb_exact_scale_of(primes[0]);
    if (direction == HB_COEFFICIENTS_BECOME_SLOTS) {
        return i + 1 < spec->cts_levels ? hb_exact_scale_of(q)
                                        : between(q, hb_exact_scale_of(primes[levels.eval_mod]), first);
    }
    if (i + 1 < spec->stc_levels || hb_bootstrapping_of_integers(spec)) { /* noise keeps its scale */
        return hb_exact_scale_of(q);
    }
    if (lowest) {
        uint32_t gain;
        hb_exact_scale size;
        const bool fits = hb_bootstrap_lowest_size(params, range_bits, &gain, &size);
        HB_ASSERT(fits);
        return between(q, hb_ckks_scale(params, levels.coefficients + 1),
                       hb_exact_scale_multiply(hb_ckks_scale(params, levels.stc + 1), size));
    }
    hb_exact_scale scale =
        between(q, hb_exact_scale_divide(first, ratio_of(params)), hb_ckks_scale(params, levels.stc + 1));
    scale.exponent -= (int32_t)range_bits;
    return scale;
}

bool hb_ckks_bootstraps_lowest(const hb_params *params, uint32_t range_bits)
{
    const hb_bootstrapping_spec *spec = &params->spec.bootstrapping;
    uint32_t gain;
    hb_exact_scale size;
    return hb_params_can_bootstrap(params) && !hb_bootstrapping_of_integers(spec) &&
           spec->stc_levels == spec->cts_levels && hb_bootstrapping_levels_of(&params->spec).out > spec->stc_levels &&
           hb_bootstrap_lowest_size(params, range_bits, &gain, &size);
}

hb_status hb_bootstrap_require_lowest(const hb_params *params, uint32_t range_bits)
{
    return hb_ckks_bootstraps_lowest(params, range_bits)
               ? HB_OK
               : HB_FAIL(HB_EDATA, "values up to 2^%u are not bootstrapped from the lowest level with parameters %s",
                         range_bits, params->name);
}

/* Notes the limbs at which each step is taken, the most of them: limbs[slots]. */
static hb_status note_steps(const hb_params *params, hb_slot_transform t, uint32_t *limbs, int64_t *steps)
{
    const hb_bootstrapping_levels levels = hb_bootstrapping_levels_of(&params->spec);
    for (uint32_t i = 0; i < t.maps; i++) {
        hb_slot_factor factor;
        uint32_t count = 0;
        HB_TRY(hb_slot_factor_init(&factor, &t, i, false));
        const uint32_t baby = hb_bootstrap_baby(factor.diagonals.count);
        const hb_status st = hb_linear_steps(&count, steps, t.slots, baby, &factor.diagonals);
        hb_slot_factor_clear(&factor);
        HB_TRY(st);
        const uint32_t here = hb_bootstrap_map_limbs(&levels, t.direction, i);
        for (uint32_t k = 0; k < count; k++) {
            limbs[steps[k]] = here > limbs[steps[k]] ? here : limbs[steps[k]];
        }
    }
    return HB_OK;
}

/* A list of purposes that may have less room than it takes. */
typedef struct purposes {
    hb_key_purpose *list;
    uint32_t room, count;
} purposes;

static void add(purposes *p, hb_key_source source, uint32_t element, uint32_t limbs)
{
    if (p->count < p->room) {
        p->list[p->count] = (hb_key_purpose){.source = source, .element = element, .limbs = limbs};
    }
    p->count++;
}

hb_status hb_ckks_bootstrap_key_purposes(const hb_params *params, size_t period, hb_key_purpose *list, uint32_t room,
                                         uint32_t *count)
{
    const size_t slots = params->ring.n / 2;
    *count = 0;
    if (!hb_params_can_bootstrap(params)) {
        return HB_FAIL(HB_ECONFIG, "parameters %s have no levels for bootstrapping", params->name);
    }
    HB_TRY(hb_bootstrap_period(params, period, &period));
    uint32_t *limbs = calloc(slots, sizeof *limbs);
    int64_t *steps = calloc(2 * slots, sizeof *steps), trace[HB_GALOIS_MOST_STEPS];
    hb_status st = HB_OK;
    if (limbs == NULL || steps == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "no memory for the rotations of bootstrapping"));
    }
    const hb_bootstrapping_levels levels = hb_bootstrapping_levels_of(&params->spec);
    for (int direction = 0; direction < 2; direction++) {
        HB_GOTO(note_steps(params, hb_bootstrap_transform(params, (hb_slot_direction)direction, period), limbs, steps));
    }
    const uint32_t traces = hb_bootstrap_trace_steps(params, period, trace);
    for (uint32_t i = 0; i < traces; i++) {
        limbs[trace[i]] = levels.top + 1;
    }
    const uint32_t eval_mod = levels.eval_mod + 1;
    purposes p = {list, room, 0};
    add(&p, HB_FROM_SQUARE, HB_RELINEARIZATION, eval_mod);
    add(&p, HB_TO_AUTOMORPHISM, hb_galois_swap(params->ring.n), eval_mod);
    add(&p, HB_TO_SPARSE, 0, 1);
    add(&p, HB_FROM_SPARSE, 0, levels.top + 1);
    for (size_t step = 1; step < slots; step++) {
        if (limbs[step] > 0) {
            const uint32_t generator = hb_ckks_generator(&params->spec);
            add(&p, HB_TO_AUTOMORPHISM, hb_galois_rotation(params->ring.n, generator, (int64_t)step), limbs[step]);
        }
    }
    *count = p.count;
done:
    free(limbs);
    free(steps);
    return st;
}
