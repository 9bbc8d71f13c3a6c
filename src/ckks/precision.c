#include "precision.h"

#include <math.h>

#include "base/cell.h"

void hb_ckks_precision(const hb_params_spec *spec, const uint64_t *values, hb_precision *precision)
{
    const size_t slots = spec->n / 2;
    hb_precision found = {.count = slots};
    for (size_t i = 0; i < slots; i++) {
        const double part = hb_real_of(values[slots + i]), error = isfinite(part) ? fabs(part) : INFINITY;
        found.largest = fmax(found.largest, error);
        found.squares += error * error;
    }
    hb_precision_add(precision, &found);
}
