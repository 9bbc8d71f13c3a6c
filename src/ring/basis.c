#include "basis.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/modarith.h"

/* Adds one limb, unless it shares a factor with an earlier one; the inverses follow when all limbs are there. */
static hb_status append(hb_basis *basis, uint16_t id)
{
    HB_ASSERT(id < basis->ring->count);
    const hb_modulus *m = &basis->ring->moduli[id];
    /* Coprime in pairs: the inverse exists exactly then. */
    for (uint32_t i = 0; i < basis->limbs; i++) {
        if (hb_mod_inverse(hb_basis_modulus(basis, i)->value, m) == 0) {
            return HB_FAIL(HB_ECONFIG,
                           "moduli %" PRIu32 " and %" PRIu32 " of a basis, %" PRIu64 " and %" PRIu64 ", share a factor",
                           i, basis->limbs, hb_basis_modulus(basis, i)->value, m->value);
        }
    }
    basis->ids[basis->limbs++] = id;
    /* At most 64 moduli of 61 bits: the product fits a natural number. */
    hb_natural_mul_add(&basis->product, m->value, 0);
    return HB_OK;
}

/* Returns qhat_i mod q_i. */
static uint64_t punctured_own(const hb_basis *basis, uint32_t i)
{
    uint64_t product = 1;
    for (uint32_t j = 0; j < basis->limbs; j++) {
        product = j == i ? product : hb_mod_mul(product, hb_basis_modulus(basis, j)->value, hb_basis_modulus(basis, i));
    }
    return product;
}

hb_status hb_basis_init(hb_basis *basis, const hb_ring *ring, const uint16_t *ids, uint32_t limbs)
{
    memset(basis, 0, sizeof *basis);
    if (limbs < 1 || limbs > HB_MAX_LIMBS) {
        return HB_FAIL(HB_ECONFIG, "a basis has 1 to %d moduli, not %" PRIu32, HB_MAX_LIMBS, limbs);
    }
    basis->ring = ring;
    hb_natural_set(&basis->product, 1);
    hb_status st = HB_OK;
    for (uint32_t i = 0; i < limbs; i++) {
        HB_GOTO(append(basis, ids[i]));
    }
    for (uint32_t i = 0; i < limbs; i++) {
        const hb_modulus *m = hb_basis_modulus(basis, i);
        /* It exists, as the moduli are coprime. */
        basis->inverse_punctured[i] = hb_mod_inverse(punctured_own(basis, i), m);
    }
done:
    if (st != HB_OK) {
        memset(basis, 0, sizeof *basis);
    }
    return st;
}

void hb_basis_punctured(const hb_basis *basis, const hb_modulus *m, uint64_t *row)
{
    uint64_t product = 1; /* of the moduli before i, then of those behind it; m >= 2 */
    for (uint32_t i = 0; i < basis->limbs; i++) {
        row[i] = product;
        product = hb_mod_mul(product, hb_basis_modulus(basis, i)->value, m);
    }
    product = 1;
    for (uint32_t i = basis->limbs; i-- > 0;) {
        row[i] = hb_mod_mul(row[i], product, m);
        product = hb_mod_mul(product, hb_basis_modulus(basis, i)->value, m);
    }
}

void hb_basis_decompose(const hb_basis *basis, const hb_natural *x, uint64_t *residues)
{
    for (uint32_t i = 0; i < basis->limbs; i++) {
        residues[i] = hb_natural_mod(x, hb_basis_modulus(basis, i));
    }
}

static hb_status words_alloc(uint64_t **words, size_t count)
{
    *words = calloc(count, sizeof **words);
    return *words != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a base conversion");
}

/* Adds a zeroed overflow to a conversion; hb_base_conversion_clear frees it, also a half made one. */
static hb_status overflow_alloc(hb_base_conversion *c)
{
    c->overflow = calloc(1, sizeof *c->overflow);
    if (c->overflow == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a base conversion");
    }
    HB_TRY(words_alloc(&c->overflow->weights, c->from_limbs));
    return words_alloc(&c->overflow->factors, c->to_limbs);
}

hb_status hb_base_conversion_alloc(hb_base_conversion *c, const uint16_t *from_ids, uint32_t from_limbs,
                                   const uint16_t *to_ids, uint32_t to_limbs, bool keep, bool overflow)
{
    /* Everything else is NULL, so that clearing works from any point on. */
    *c = (hb_base_conversion){.from_limbs = from_limbs, .to_limbs = to_limbs, .from_ids = from_ids, .to_ids = to_ids};
    hb_status st;
    HB_GOTO(words_alloc(&c->matrix, (size_t)to_limbs * from_limbs));
    HB_GOTO(words_alloc(&c->scale, from_limbs));
    if (keep) {
        HB_GOTO(words_alloc(&c->keep, to_limbs));
    }
    st = overflow ? overflow_alloc(c) : HB_OK;
done:
    if (st != HB_OK) {
        hb_base_conversion_clear(c);
    }
    return st;
}

hb_status hb_base_conversion_init(hb_base_conversion *conversion, const hb_basis *from, const uint64_t *factors,
                                  const uint16_t *to_ids, uint32_t to_limbs)
{
    memset(conversion, 0, sizeof *conversion);
    if (to_limbs < 1 || to_limbs > HB_RING_MAX_MODULI) {
        return HB_FAIL(HB_ECONFIG, "a base conversion has 1 to %d target moduli, not %" PRIu32, HB_RING_MAX_MODULI,
                       to_limbs);
    }
    HB_TRY(hb_base_conversion_alloc(conversion, from->ids, from->limbs, to_ids, to_limbs, false, false));
    for (uint32_t i = 0; i < from->limbs; i++) {
        const hb_modulus *q = hb_basis_modulus(from, i);
        /* The factor of a source goes with its 1 / qhat: one multiplication a word. */
        conversion->scale[i] = hb_mod_mul(factors != NULL ? factors[i] : 1, from->inverse_punctured[i], q);
    }
    for (uint32_t o = 0; o < to_limbs; o++) {
        HB_ASSERT(to_ids[o] < from->ring->count);
        hb_basis_punctured(from, &from->ring->moduli[to_ids[o]], &conversion->matrix[(size_t)o * from->limbs]);
    }
    return HB_OK;
}

/* Sets the weights and half of the fixed-point sum (HB_OVERFLOW_ROUNDED). Odd primes above 2^32 keep weights below
 * 2^64. */
static void set_rounding(hb_overflow *overflow, const hb_basis *from)
{
    overflow->half = 0;
    for (uint32_t i = 0; i < from->limbs; i++) {
        const uint64_t q = hb_basis_modulus(from, i)->value;
        HB_ASSERT(q % 2 == 1 && q >> 32 != 0);
        overflow->weights[i] = (uint64_t)(((hb_u128)1 << 96) / q);
        /* The centring of each source, in the same units as its fraction. */
        overflow->half += (uint64_t)(((hb_u128)(q / 2) << 32) / q);
    }
}

hb_status hb_base_conversion_init_centred(hb_base_conversion *conversion, const hb_basis *from, hb_overflow_kind kind,
                                          const uint16_t *to_ids, uint32_t to_limbs)
{
    HB_ASSERT(kind == HB_OVERFLOW_CENTRED || kind == HB_OVERFLOW_ROUNDED);
    HB_TRY(hb_base_conversion_init(conversion, from, NULL, to_ids, to_limbs));
    const hb_status st = overflow_alloc(conversion);
    if (st != HB_OK) {
        hb_base_conversion_clear(conversion);
        return st;
    }
    hb_overflow *overflow = conversion->overflow;
    overflow->kind = kind;
    overflow->centres = kind == HB_OVERFLOW_CENTRED;
    if (kind == HB_OVERFLOW_ROUNDED) {
        set_rounding(overflow, from);
    }
    for (uint32_t o = 0; o < to_limbs; o++) {
        const hb_modulus *p = &from->ring->moduli[to_ids[o]];
        /* Each unit of overflow takes Q away. */
        overflow->factors[o] = hb_mod_negate(hb_natural_mod(&from->product, p), p);
    }
    return HB_OK;
}

void hb_base_conversion_unscale(hb_base_conversion *conversion)
{
    free(conversion->scale);
    conversion->scale = NULL;
}

void hb_base_conversion_clear(hb_base_conversion *conversion)
{
    if (conversion == NULL) {
        return;
    }
    if (conversion->overflow != NULL) {
        free(conversion->overflow->weights);
        free(conversion->overflow->factors);
        free(conversion->overflow->inverses);
    }
    free(conversion->overflow);
    free(conversion->keep);
    free(conversion->scale);
    free(conversion->matrix);
    memset(conversion, 0, sizeof *conversion);
}
