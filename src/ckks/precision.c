#include "precision.h"

#include <math.h>
#include <string.h>

void hb_ckks_precision(const hb_params_spec *spec, const uint64_t *values, hb_precision *precision)
{
    const size_t slots = spec->n / 2;
    hb_precision found = {.count = slots};
    for (size_t i = 0; i < slots; i++) {
        double error;
        memcpy(&error, &values[slots + i], sizeof error);
        error = isfinite(error) ? fabs(error) : INFINITY;
        found.largest = fmax(found.largest, error);
        found.squares += error * error;
    }
    hb_precision_add(precision, &found);
}
