#include "bounds.h"

#include <math.h>

double hb_log_sum(double a, double b)
{
    const double high = fmax(a, b), low = fmin(a, b);
    if (isinf(high)) {
        return high; /* of 0 and 0, or of unbounded numbers */
    }
    return high + log2(1 + exp2(low - high));
}

double hb_log_root(double a, double b)
{
    return hb_log_sum(2 * a, 2 * b) / 2;
}

double hb_error_bound(hb_distribution errors)
{
    return errors == HB_GAUSSIAN ? 19 : 21;
}

double hb_error_variance(hb_distribution errors)
{
    return errors == HB_GAUSSIAN ? 3.2 * 3.2 : 10.5;
}

double hb_log_modulus(const hb_params *params, uint32_t limbs)
{
    double sum = 0;
    for (uint32_t i = 0; i < limbs; i++) {
        sum += log2((double)params->spec.primes[i]);
    }
    return sum;
}

static double special_prime(const hb_params *params, uint32_t i)
{
    return (double)params->ring.moduli[hb_params_special_ids(params)[i]].value;
}

double hb_special_product(const hb_params *params, uint32_t primes)
{
    double p = 1;
    for (uint32_t i = 0; i < primes; i++) {
        p *= special_prime(params, i);
    }
    return p;
}

double hb_division_error(uint32_t primes)
{
    return primes > 1 ? 0.5 + 0x1p-26 : 0.5;
}

double hb_digit_bound(const hb_params *params, uint32_t j, uint32_t limbs)
{
    const hb_gadget *gadget = &params->gadget;
    const uint32_t first = hb_gadget_first(gadget, j), w = hb_gadget_limbs(gadget, j, limbs);
    double ratio = gadget->centred ? w / 2.0 : 1;
    for (uint32_t i = 0; i < w || i < params->special_limbs; i++) { /* in turn, to stay in range */
        ratio *= i < w ? (double)params->spec.primes[first + i] : 1;
        ratio /= i < params->special_limbs ? special_prime(params, i) : 1;
    }
    return ratio;
}
