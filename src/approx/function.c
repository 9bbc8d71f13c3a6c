#include "function.h"

#include <math.h>
#include <string.h>

/* Where gelu and silu are least, just below and just above, and their values there, rounded down: zeros of the
 * derivative, by Newton's method at 200 bits (the tests find them again). */
#define GELU_LEAST_BELOW (-0x1.80ead197f00b4p-1)
#define GELU_LEAST (-0x1.5c19dd4b1a3fcp-3)
#define SILU_LEAST_BELOW (-0x1.474973c84120cp+0)
#define SILU_LEAST (-0x1.1d25cf210482ep-2)

/* Bounds of an ellipse, each rounded to the safe side: its extent along the real axis, half its height, the largest
 * magnitude in it. */
typedef struct ellipse {
    mpfr_t least, most, height, magnitude;
} ellipse;

typedef struct function {
    const char *name;
    void (*value)(mpfr_t y, const mpfr_t x);
    void (*slope)(mpfr_t slope, double low, double high);
    bool (*ellipse)(mpfr_t bound, const ellipse *e);
    bool above_zero;  /* it is defined on numbers above 0 alone */
    bool from_zero;   /* on those and 0 alone */
    bool beside_zero; /* on all but 0 */
    int direction;    /* it grows, +1, or falls, -1, on each interval where it is defined; 0: it falls, then grows */
    double turn, least;
    double under, over; /* where they differ, values lie between them, and come nearer than the numbers here can */
} function;

static void sigmoid_value(mpfr_t y, const mpfr_t x)
{
    mpfr_neg(y, x, MPFR_RNDN);
    mpfr_exp(y, y, MPFR_RNDN);
    mpfr_add_ui(y, y, 1, MPFR_RNDN);
    mpfr_ui_div(y, 1, y, MPFR_RNDN);
}

static void tanh_value(mpfr_t y, const mpfr_t x)
{
    mpfr_tanh(y, x, MPFR_RNDN);
}

static void exp_value(mpfr_t y, const mpfr_t x)
{
    mpfr_exp(y, x, MPFR_RNDN);
}

static void log_value(mpfr_t y, const mpfr_t x)
{
    mpfr_log(y, x, MPFR_RNDN);
}

static void inv_value(mpfr_t y, const mpfr_t x)
{
    mpfr_ui_div(y, 1, x, MPFR_RNDN);
}

static void sqrt_value(mpfr_t y, const mpfr_t x)
{
    mpfr_sqrt(y, x, MPFR_RNDN);
}

static void rsqrt_value(mpfr_t y, const mpfr_t x)
{
    mpfr_rec_sqrt(y, x, MPFR_RNDN);
}

static void erf_value(mpfr_t y, const mpfr_t x)
{
    mpfr_erf(y, x, MPFR_RNDN);
}

/* x erfc(-x / sqrt 2) / 2: no difference of near numbers. */
static void gelu_value(mpfr_t y, const mpfr_t x)
{
    mpfr_sqrt_ui(y, 2, MPFR_RNDN);
    mpfr_div(y, x, y, MPFR_RNDN);
    mpfr_neg(y, y, MPFR_RNDN);
    mpfr_erfc(y, y, MPFR_RNDN);
    mpfr_mul(y, y, x, MPFR_RNDN);
    mpfr_div_2ui(y, y, 1, MPFR_RNDN);
}

static void silu_value(mpfr_t y, const mpfr_t x)
{
    sigmoid_value(y, x);
    mpfr_mul(y, y, x, MPFR_RNDN);
}

/* |f'| of functions that flatten out: 1/4, 1, 2 / sqrt pi, 1.13, 1.1. */
static void gentle_slope(mpfr_t slope, double low, double high)
{
    (void)low;
    (void)high;
    mpfr_set_d(slope, 1.25, MPFR_RNDU);
}

static void exp_slope(mpfr_t slope, double low, double high)
{
    (void)low;
    mpfr_set_d(slope, high, MPFR_RNDU);
    mpfr_exp(slope, slope, MPFR_RNDU);
}

static void log_slope(mpfr_t slope, double low, double high)
{
    (void)high;
    mpfr_set_d(slope, low, MPFR_RNDD);
    mpfr_ui_div(slope, 1, slope, MPFR_RNDU);
}

static void inv_slope(mpfr_t slope, double low, double high)
{
    mpfr_set_d(slope, low > 0 ? low : -high, MPFR_RNDD);
    mpfr_sqr(slope, slope, MPFR_RNDD);
    mpfr_ui_div(slope, 1, slope, MPFR_RNDU);
}

static void sqrt_slope(mpfr_t slope, double low, double high)
{
    (void)high;
    mpfr_set_d(slope, low, MPFR_RNDD);
    mpfr_sqrt(slope, slope, MPFR_RNDD);
    mpfr_mul_2ui(slope, slope, 1, MPFR_RNDD);
    mpfr_ui_div(slope, 1, slope, MPFR_RNDU);
}

/* x^(-3/2) / 2. */
static void rsqrt_slope(mpfr_t slope, double low, double high)
{
    (void)high;
    mpfr_set_d(slope, low, MPFR_RNDD);
    mpfr_sqrt(slope, slope, MPFR_RNDD);
    mpfr_mul_d(slope, slope, low, MPFR_RNDD);
    mpfr_mul_2ui(slope, slope, 1, MPFR_RNDD);
    mpfr_ui_div(slope, 1, slope, MPFR_RNDU);
}

/* |1 + e^-z|^2 = 1 + 2 e^-x cos y + e^-2x, z = x + iy: at least 1 where |y| <= pi/2, else at least sin^2 y, which
 * falls up to the poles at +-i pi. */
static bool sigmoid_ellipse(mpfr_t bound, const ellipse *e)
{
    const bool inside = mpfr_cmp_d(e->height, 3.1415) <= 0; /* below pi */
    if (mpfr_cmp_d(e->height, 1.5707) <= 0) {               /* below pi/2 */
        mpfr_set_ui(bound, 1, MPFR_RNDU);
    } else if (inside) {
        mpfr_sin(bound, e->height, MPFR_RNDD);
        mpfr_ui_div(bound, 1, bound, MPFR_RNDU);
    }
    return inside;
}

/* |tanh z|^2 = (sinh^2 x + sin^2 y) / (sinh^2 x + cos^2 y): at most 1 where |y| <= pi/4, else at most tan^2 y, up to
 * the poles at +-i pi/2. */
static bool tanh_ellipse(mpfr_t bound, const ellipse *e)
{
    const bool inside = mpfr_cmp_d(e->height, 1.5707) <= 0; /* below pi/2 */
    if (mpfr_cmp_d(e->height, 0.7853) <= 0) {               /* below pi/4 */
        mpfr_set_ui(bound, 1, MPFR_RNDU);
    } else if (inside) {
        mpfr_tan(bound, e->height, MPFR_RNDU);
    }
    return inside;
}

static bool exp_ellipse(mpfr_t bound, const ellipse *e)
{
    mpfr_exp(bound, e->most, MPFR_RNDU);
    return true;
}

/* |log z| <= |log |z|| + pi/2 right of 0; |z| is at least the real part of the leftmost point. */
static bool log_ellipse(mpfr_t bound, const ellipse *e)
{
    if (mpfr_sgn(e->least) <= 0) {
        return false;
    }
    mpfr_t far;
    mpfr_init2(far, mpfr_get_prec(bound));
    mpfr_log(bound, e->least, MPFR_RNDA);
    mpfr_abs(bound, bound, MPFR_RNDU);
    mpfr_log(far, e->magnitude, MPFR_RNDA);
    mpfr_abs(far, far, MPFR_RNDU);
    mpfr_max(bound, bound, far, MPFR_RNDU);
    mpfr_add_d(bound, bound, 1.5708, MPFR_RNDU); /* above pi/2 */
    mpfr_clear(far);
    return true;
}

static bool inv_ellipse(mpfr_t bound, const ellipse *e)
{
    const int right = mpfr_sgn(e->least) > 0, left = mpfr_sgn(e->most) < 0;
    if (right) {
        mpfr_ui_div(bound, 1, e->least, MPFR_RNDU);
    } else if (left) {
        mpfr_si_div(bound, -1, e->most, MPFR_RNDU);
    }
    return right || left;
}

static bool sqrt_ellipse(mpfr_t bound, const ellipse *e)
{
    mpfr_sqrt(bound, e->magnitude, MPFR_RNDU);
    return mpfr_sgn(e->least) >= 0;
}

/* |z| is at least the real part of the leftmost point. */
static bool rsqrt_ellipse(mpfr_t bound, const ellipse *e)
{
    if (mpfr_sgn(e->least) <= 0) {
        return false;
    }
    mpfr_rec_sqrt(bound, e->least, MPFR_RNDU);
    return true;
}

/* erf(x + iy) - erf(x) = 2 / sqrt pi times the integral of i e^-(x + it)^2 over t in [0, y]: at most 2 / sqrt pi |y|
 * e^(y^2). */
static bool erf_ellipse(mpfr_t bound, const ellipse *e)
{
    mpfr_sqr(bound, e->height, MPFR_RNDU);
    mpfr_exp(bound, bound, MPFR_RNDU);
    mpfr_mul(bound, bound, e->height, MPFR_RNDU);
    mpfr_mul_d(bound, bound, 1.1284, MPFR_RNDU); /* above 2 / sqrt pi */
    mpfr_add_ui(bound, bound, 1, MPFR_RNDU);
    return true;
}

/* |z| / 2 (1 + |erf(z / sqrt 2)|), by the bound of erf. */
static bool gelu_ellipse(mpfr_t bound, const ellipse *e)
{
    mpfr_sqr(bound, e->height, MPFR_RNDU);
    mpfr_div_2ui(bound, bound, 1, MPFR_RNDU);
    mpfr_exp(bound, bound, MPFR_RNDU);
    mpfr_mul(bound, bound, e->height, MPFR_RNDU);
    mpfr_mul_d(bound, bound, 0.7979, MPFR_RNDU); /* above sqrt(2 / pi) */
    mpfr_add_ui(bound, bound, 2, MPFR_RNDU);
    mpfr_mul(bound, bound, e->magnitude, MPFR_RNDU);
    mpfr_div_2ui(bound, bound, 1, MPFR_RNDU);
    return true;
}

static bool silu_ellipse(mpfr_t bound, const ellipse *e)
{
    const bool inside = sigmoid_ellipse(bound, e);
    mpfr_mul(bound, bound, e->magnitude, MPFR_RNDU);
    return inside;
}

static const function functions[HB_FUNCTIONS] = {
    [HB_SIGMOID] = {"sigmoid", sigmoid_value, gentle_slope, sigmoid_ellipse, .direction = 1, .over = 1},
    [HB_TANH] = {"tanh", tanh_value, gentle_slope, tanh_ellipse, .direction = 1, .under = -1, .over = 1},
    [HB_EXP] = {"exp", exp_value, exp_slope, exp_ellipse, .direction = 1},
    [HB_LOG] = {"log", log_value, log_slope, log_ellipse, .above_zero = true, .direction = 1},
    [HB_INV] = {"inv", inv_value, inv_slope, inv_ellipse, .beside_zero = true, .direction = -1},
    [HB_SQRT] = {"sqrt", sqrt_value, sqrt_slope, sqrt_ellipse, .from_zero = true, .direction = 1},
    [HB_RSQRT] = {"rsqrt", rsqrt_value, rsqrt_slope, rsqrt_ellipse, .above_zero = true, .direction = -1},
    [HB_ERF] = {"erf", erf_value, gentle_slope, erf_ellipse, .direction = 1, .under = -1, .over = 1},
    [HB_GELU] = {"gelu", gelu_value, gentle_slope, gelu_ellipse, .turn = GELU_LEAST_BELOW, .least = GELU_LEAST},
    [HB_SILU] = {"silu", silu_value, gentle_slope, silu_ellipse, .turn = SILU_LEAST_BELOW, .least = SILU_LEAST},
    [HB_SIGN] = {"sign", NULL, NULL, NULL, .direction = 1},
};

const char *hb_function_name(hb_function f)
{
    return functions[f].name;
}

hb_function hb_function_find(const char *name)
{
    hb_function f = 0;
    while (f < HB_FUNCTIONS && strcmp(functions[f].name, name) != 0) {
        f++;
    }
    return f;
}

void hb_function_value(hb_function f, mpfr_t y, const mpfr_t x)
{
    functions[f].value(y, x);
}

void hb_function_slope(hb_function f, mpfr_t slope, double low, double high)
{
    functions[f].slope(slope, low, high);
}

hb_status hb_function_defined(hb_function f, double low, double high)
{
    if (!isfinite(low) || !isfinite(high) || low > high) {
        return HB_FAIL(HB_EUSAGE, "%s: %g .. %g is no interval", functions[f].name, low, high);
    }
    if (functions[f].above_zero && low <= 0) {
        return HB_FAIL(HB_EDATA, "%s of values that may be 0 or less: their range is %g .. %g", functions[f].name, low,
                       high);
    }
    if (functions[f].from_zero && low < 0) {
        return HB_FAIL(HB_EDATA, "%s of values that may be below 0: their range is %g .. %g", functions[f].name, low,
                       high);
    }
    if (functions[f].beside_zero && low <= 0 && high >= 0) {
        return HB_FAIL(HB_EDATA, "%s of values that may be 0: their range is %g .. %g", functions[f].name, low, high);
    }
    return HB_OK;
}

bool hb_function_ellipse(hb_function f, mpfr_t bound, double low, double high, double rho)
{
    const mpfr_prec_t precision = mpfr_get_prec(bound);
    ellipse e;
    mpfr_t centre, root, length;
    mpfr_inits2(precision, e.least, e.most, e.height, e.magnitude, root, length, (mpfr_ptr)NULL);
    mpfr_init2(centre, 4096); /* exact: exponents of doubles are 2100 apart at most */
    mpfr_set_d(centre, low, MPFR_RNDN);
    mpfr_add_d(centre, centre, high, MPFR_RNDN);
    mpfr_div_2ui(centre, centre, 1, MPFR_RNDN);
    mpfr_set_d(length, high, MPFR_RNDU);
    mpfr_sub_d(length, length, low, MPFR_RNDU);
    mpfr_div_2ui(length, length, 2, MPFR_RNDU);
    /* Half axes (high - low) / 4 times rho + 1/rho and rho - 1/rho. */
    mpfr_set_d(root, rho, MPFR_RNDN);
    mpfr_ui_div(root, 1, root, MPFR_RNDU);
    mpfr_add_d(e.most, root, rho, MPFR_RNDU);
    mpfr_mul(e.most, e.most, length, MPFR_RNDU);
    mpfr_set_d(e.height, rho, MPFR_RNDN);
    mpfr_ui_div(root, 1, e.height, MPFR_RNDD);
    mpfr_sub(e.height, e.height, root, MPFR_RNDU);
    mpfr_mul(e.height, e.height, length, MPFR_RNDU);
    mpfr_abs(e.magnitude, centre, MPFR_RNDU);
    mpfr_add(e.magnitude, e.magnitude, e.most, MPFR_RNDU);
    mpfr_sub(e.least, centre, e.most, MPFR_RNDD);
    mpfr_add(e.most, centre, e.most, MPFR_RNDU);
    const bool known = functions[f].ellipse(bound, &e);
    mpfr_clears(e.least, e.most, e.height, e.magnitude, root, length, centre, (mpfr_ptr)NULL);
    return known;
}

/* The double next to f(x), below or above, or f(x). */
static double outward(hb_function f, double x, mpfr_rnd_t direction)
{
    if (f == HB_SIGN) {
        return x > 0 ? 1 : x < 0 ? -1 : 0;
    }
    mpfr_t at, y, off;
    mpfr_inits2(HB_APPROX_PRECISION, at, y, off, (mpfr_ptr)NULL);
    mpfr_set_d(at, x, MPFR_RNDN);
    mpfr_clear_inexflag();
    functions[f].value(y, at);
    if (mpfr_inexflag_p() != 0) {
        /* The omitted rest is below 2^-120 of the value, for gelu too, unless the value is smaller than any double. */
        mpfr_abs(off, y, MPFR_RNDU);
        mpfr_div_2ui(off, off, 120, MPFR_RNDU);
        if (direction == MPFR_RNDD) {
            mpfr_sub(y, y, off, MPFR_RNDD);
        } else {
            mpfr_add(y, y, off, MPFR_RNDU);
        }
    }
    const double under = functions[f].under, over = functions[f].over;
    double rounded = mpfr_get_d(y, direction);
    if (under != over) {
        rounded = fmax(under, fmin(rounded, over));
    }
    mpfr_clears(at, y, off, (mpfr_ptr)NULL);
    mpfr_free_cache();
    return rounded;
}

hb_status hb_function_range(hb_function f, double low, double high, double *least, double *most)
{
    HB_TRY(hb_function_defined(f, low, high));
    const int direction = functions[f].direction;
    const double at_low = outward(f, low, direction < 0 ? MPFR_RNDU : MPFR_RNDD);
    const double at_high = outward(f, high, direction < 0 ? MPFR_RNDD : MPFR_RNDU);
    if (direction != 0) {
        *least = direction > 0 ? at_low : at_high;
        *most = direction > 0 ? at_high : at_low;
        return HB_OK;
    }
    /* Left of the turn it falls, right of the next double it grows. */
    const double turn = functions[f].turn;
    const double low_up = outward(f, low, MPFR_RNDU), high_down = outward(f, high, MPFR_RNDD);
    const bool turns = low <= turn && high > turn;
    *least = turns ? functions[f].least : low > turn ? at_low : high_down;
    *most = low_up > at_high ? low_up : at_high;
    return HB_OK;
}
