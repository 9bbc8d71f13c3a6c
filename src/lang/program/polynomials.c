#include "polynomials.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/seed.h"

static size_t bytes_of(const hb_chebyshev *p)
{
    return ((size_t)p->degree + 1) * sizeof *p->coefficients;
}

static bool same(const hb_polynomial_entry *entry, const hb_chebyshev *p, double error)
{
    return entry->polynomial.degree == p->degree && entry->error == error &&
           memcmp(entry->polynomial.coefficients, p->coefficients, bytes_of(p)) == 0;
}

hb_status hb_polynomials_add(hb_polynomials *list, const hb_chebyshev *polynomial, double error, uint32_t *number)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (same(&list->entry[i], polynomial, error)) {
            *number = i;
            return HB_OK;
        }
    }
    double *coefficients = malloc(bytes_of(polynomial));
    hb_polynomial_entry *longer = realloc(list->entry, (list->count + (size_t)1) * sizeof *longer);
    list->entry = longer != NULL ? longer : list->entry;
    if (coefficients == NULL || longer == NULL) {
        free(coefficients);
        return HB_FAIL(HB_ENOMEM, "no memory for a polynomial of degree %u", polynomial->degree);
    }
    memcpy(coefficients, polynomial->coefficients, bytes_of(polynomial));
    longer[list->count] = (hb_polynomial_entry){.polynomial = {polynomial->degree, coefficients}, .error = error};
    *number = list->count++;
    return HB_OK;
}

void hb_polynomials_clear(hb_polynomials *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        hb_chebyshev *p = &list->entry[i].polynomial;
        hb_wipe(p->coefficients, bytes_of(p));
        free(p->coefficients);
    }
    free(list->entry);
    *list = (hb_polynomials){0};
}
