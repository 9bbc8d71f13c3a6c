#include "garner.h"

#include <stdlib.h>
#include <string.h>

#include "base/modarith.h"

/* Makes row i of the radix table, and C_i from the number behind its last entry. */
static void init_row(hb_garner *garner, uint32_t i)
{
    const hb_modulus *m = hb_basis_modulus(garner->basis, i);
    uint64_t product = 1;
    for (uint32_t j = 0; j < i; j++) {
        garner->radix[(size_t)i * garner->basis->limbs + j] = product;
        product = hb_mod_mul(product, hb_basis_modulus(garner->basis, j)->value, m);
    }
    garner->inverse[i] = hb_mod_inverse(product, m);
}

/* Writes floor((Q + 1) / 2) in mixed radix, by dividing by one modulus after the other. */
static void init_half(hb_garner *garner)
{
    hb_natural half = garner->basis->product;
    hb_natural_mul_add(&half, 1, 1); /* at most Q + 1 <= 2^(61 * HB_MAX_LIMBS): fits */
    hb_natural_div(&half, 2);
    for (uint32_t i = 0; i < garner->basis->limbs; i++) {
        garner->half[i] = hb_natural_div(&half, hb_basis_modulus(garner->basis, i)->value);
    }
}

hb_status hb_garner_init(hb_garner *garner, const hb_basis *basis)
{
    const size_t limbs = basis->limbs; /* 1 .. HB_MAX_LIMBS: no product below overflows */
    memset(garner, 0, sizeof *garner);
    garner->basis = basis;
    garner->inverse = calloc(limbs, sizeof *garner->inverse);
    garner->radix = calloc(limbs * limbs, sizeof *garner->radix); /* entries above the diagonal stay 0 */
    garner->half = calloc(limbs, sizeof *garner->half);
    if (garner->inverse == NULL || garner->radix == NULL || garner->half == NULL) {
        hb_garner_clear(garner);
        return HB_FAIL(HB_ENOMEM, "no memory for the reconstruction constants of %zu moduli", limbs);
    }
    for (uint32_t i = 0; i < limbs; i++) {
        init_row(garner, i);
    }
    init_half(garner);
    return HB_OK;
}

void hb_garner_clear(hb_garner *garner)
{
    if (garner != NULL) {
        free(garner->inverse);
        free(garner->radix);
        free(garner->half);
        memset(garner, 0, sizeof *garner);
    }
}

void hb_garner_compose(const hb_garner *garner, const uint64_t *digits, hb_natural *x)
{
    hb_natural_set(x, 0);
    /* Horner's rule: x = d_0 + q_0 (d_1 + q_1 (d_2 + ...)), below Q, which fits a natural number. */
    for (uint32_t i = garner->basis->limbs; i-- > 0;) {
        hb_natural_mul_add(x, hb_basis_modulus(garner->basis, i)->value, digits[i]);
    }
}
