/* Expressions under CKKS: approximate arithmetic on reals. */
#include "semantics.h"

/* Integers that a double holds. */
static hb_interval numbers(const hb_params_spec *spec)
{
    const int64_t most = (int64_t)1 << 53;
    (void)spec;
    return hb_interval_of(-most, most);
}

static int64_t computed(const hb_params_spec *spec, int64_t number)
{
    (void)spec;
    return number;
}

static void widen(hb_params_spec *spec)
{
    (void)spec;
}

static const char *wider(hb_interval values, bool is_signed)
{
    (void)values, (void)is_signed;
    return "take parameters with more bits in q_0 above the scale";
}

static hb_status adapt(hb_params_spec *preset, const hb_params *params)
{
    (void)preset, (void)params;
    return HB_OK;
}

/* No operation is built: every expression is refused. */
const hb_semantics hb_ckks_semantics = {
    .numbers = numbers,
    .computed = computed,
    .widen = widen,
    .level_down = hb_graph_mod_switch,
    .wider = wider,
    .adapt = adapt,
    .kept = "this scale",
    .lowest = "whose first prime must stay above the scale",
    .chain = "two primes or more, the first above the scale",
};
