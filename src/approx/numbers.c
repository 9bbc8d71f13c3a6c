#include "numbers.h"

#include <math.h>
#include <stdlib.h>

#include "function.h"

hb_status hb_numbers_open(mpfr_t **out, uint32_t count)
{
    mpfr_t *numbers = malloc(count * sizeof *numbers);
    if (numbers == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %u numbers of an approximation", count);
    }
    for (uint32_t i = 0; i < count; i++) {
        mpfr_init2(numbers[i], HB_APPROX_PRECISION);
        mpfr_set_zero(numbers[i], 1);
    }
    *out = numbers;
    return HB_OK;
}

void hb_numbers_close(mpfr_t *numbers, uint32_t count)
{
    for (uint32_t i = 0; numbers != NULL && i < count; i++) {
        mpfr_clear(numbers[i]);
    }
    free(numbers);
}

double hb_power_of_two(double exponent)
{
    mpfr_t power;
    mpfr_init2(power, 64);
    mpfr_set_d(power, exponent, MPFR_RNDD);
    mpfr_exp2(power, power, MPFR_RNDD);
    const double out = mpfr_get_d(power, MPFR_RNDD);
    mpfr_clear(power);
    return out;
}

/* pi j / count, rounded to doubles. */
static hb_angle angle_of(uint32_t j, uint32_t count)
{
    mpfr_t angle, sine, cosine;
    mpfr_inits2(96, angle, sine, cosine, (mpfr_ptr)NULL);
    mpfr_const_pi(angle, MPFR_RNDN);
    mpfr_mul_ui(angle, angle, j, MPFR_RNDN);
    mpfr_div_ui(angle, angle, count, MPFR_RNDN);
    mpfr_sin_cos(sine, cosine, angle, MPFR_RNDN);
    const hb_angle out = {mpfr_get_d(cosine, MPFR_RNDN), mpfr_get_d(sine, MPFR_RNDN)};
    mpfr_clears(angle, sine, cosine, (mpfr_ptr)NULL);
    return out;
}

/* Every 64th angle and the first 64 are MPFR's, the others are sums of two of them. */
void hb_angles(hb_angle *out, uint32_t count)
{
    enum { STEP = 64 };
    hb_angle fine[STEP], coarse = {1, 0};
    for (uint32_t j = 0; j < STEP && j <= count / 2; j++) {
        fine[j] = angle_of(j, count);
    }
    for (uint32_t j = 0; j <= count / 2; j++) {
        if (j % STEP == 0) {
            coarse = angle_of(j, count);
        }
        const hb_angle b = fine[j % STEP];
        out[j].cosine = coarse.cosine * b.cosine - coarse.sine * b.sine;
        out[j].sine = coarse.sine * b.cosine + coarse.cosine * b.sine;
        if (2 * j == count) {
            out[j].cosine = 0;
        }
        out[count - j] = (hb_angle){-out[j].cosine, out[j].sine};
    }
    out[0] = (hb_angle){1, 0};
    out[count] = (hb_angle){-1, 0};
}

void hb_interpolate(double *c, uint32_t d, const double *value, const hb_angle *at, uint32_t n)
{
    for (uint32_t k = 0; k <= d; k++) {
        double sum = 0;
        for (uint32_t j = 0, turn = 0; j <= n; j++, turn = (turn + k) % (2 * n)) { /* turn: j k pi / n */
            const double cosine = at[turn <= n ? turn : 2 * n - turn].cosine;
            sum += (j == 0 || j == n ? 0.5 : 1) * value[j] * cosine;
        }
        c[k] = (k == 0 || k == n ? 1.0 : 2.0) / n * sum;
    }
}

hb_angle hb_angle_between(hb_angle a, hb_angle b)
{
    const double x = a.cosine + b.cosine, y = a.sine + b.sine, length = sqrt(x * x + y * y);
    return (hb_angle){x / length, y / length};
}
