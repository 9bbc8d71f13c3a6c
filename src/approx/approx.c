#include "approx.h"

#include <math.h>
#include <stdlib.h>

#include <mpfr.h>

#include "function.h"
#include "odd.h"
#include "sign.h"
#include "single.h"

static hb_status check_request(const hb_approximation_request *r)
{
    HB_ASSERT((unsigned)r->function < HB_FUNCTIONS);
    const char *name = hb_function_name(r->function);
    HB_TRY(hb_function_defined(r->function, r->low, r->high));
    if (!(r->low < r->high) || fabs(r->low) > HB_APPROXIMATION_MOST_END || fabs(r->high) > HB_APPROXIMATION_MOST_END) {
        return HB_FAIL(HB_EUSAGE, "%s on %g .. %g: the interval must have two ends of at most %g", name, r->low,
                       r->high, HB_APPROXIMATION_MOST_END);
    }
    if (!(r->bits >= HB_APPROXIMATION_LEAST_BITS && r->bits <= HB_APPROXIMATION_MOST_BITS)) {
        return HB_FAIL(HB_EUSAGE, "%s to %g bits: they must be %d to %d", name, r->bits, HB_APPROXIMATION_LEAST_BITS,
                       HB_APPROXIMATION_MOST_BITS);
    }
    return HB_OK;
}

static hb_status approximate_smooth(hb_approximation *out, const hb_approximation_request *r)
{
    out->stage = calloc(1, sizeof *out->stage);
    out->margin = calloc(1, sizeof *out->margin);
    if (out->stage == NULL || out->margin == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for an approximation");
    }
    out->stages = 1;
    return hb_approximate_single(&out->stage[0], &out->error, r);
}

hb_status hb_approximate(hb_approximation *out, const hb_approximation_request *request)
{
    return hb_approximate_within(out, request, HB_ODD_MOST_DEGREE);
}

hb_status hb_approximate_within(hb_approximation *out, const hb_approximation_request *request, uint32_t most_degree)
{
    *out = (hb_approximation){.low = request->low, .high = request->high, .gap = request->gap};
    hb_status st = check_request(request);
    if (st == HB_OK) {
        st = request->function == HB_SIGN ? hb_approximate_sign(out, request, most_degree)
                                          : approximate_smooth(out, request);
    }
    mpfr_free_cache();
    if (st != HB_OK) {
        hb_approximation_clear(out);
    }
    return st;
}

void hb_approximation_clear(hb_approximation *a)
{
    for (uint32_t i = 0; i < a->stages; i++) {
        free(a->stage[i].coefficients);
    }
    free(a->stage);
    free(a->margin);
    *a = (hb_approximation){0};
}

uint32_t hb_approximation_depth(const hb_approximation *a)
{
    uint32_t depth = 0;
    for (uint32_t i = 0; i < a->stages; i++) {
        depth += hb_chebyshev_levels(&a->stage[i]);
    }
    return depth;
}
