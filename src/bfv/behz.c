#include "behz.h"

#include <inttypes.h>
#include <string.h>

#include "base/modarith.h"

/* |w| <= t s N Q (1/2 + k / 2^32)^2 + k (semantics.md 6.2) is below 2^w with k <= 64, as t < 2^plain_bits, Q <
 * 2^q_bits: a bit more than the sum of the bits, less two for the square. Auxiliary primes are found from 2^bits down,
 * 64 of them within a share of 2^-12 of it: B (floor(m_sk / 2) - nB) > 2^(bits nB + bits - 2). */
uint32_t hb_behz_auxiliary_limbs(uint32_t q_bits, uint32_t plain_bits, uint32_t log_n, uint32_t limbs, uint32_t size,
                                 uint32_t bits)
{
    HB_ASSERT(limbs <= HB_MAX_LIMBS && size >= 1 && bits >= 32);
    uint32_t size_bits = 0;
    while ((UINT32_C(1) << size_bits) < size) {
        size_bits++;
    }
    const uint32_t w = plain_bits + size_bits + log_n + q_bits - 1;
    return w + 2 <= 2 * bits ? 1 : (w + 2 - bits + bits - 1) / bits;
}

/* Chooses how many of the auxiliary primes this level needs: m_sk and as many of B as its own Q asks for. */
static hb_status choose_base(hb_behz *behz, const hb_params *params, const hb_level *level)
{
    const uint32_t limbs = level->basis.limbs;
    const uint32_t bits = params->auxiliary_limbs > 0 ? params->ring.moduli[params->auxiliary_ids[0]].bits : 0;
    const uint32_t needed = bits == 0 ? UINT32_MAX
                                      : hb_behz_auxiliary_limbs(hb_natural_bits(&level->basis.product),
                                                                params->ring.moduli[hb_bfv_of(params)->plain_id].bits,
                                                                params->ring.log_n, limbs, HB_BEHZ_MOST_SIZE, bits);
    if (needed >= params->auxiliary_limbs) {
        return HB_FAIL(HB_ECONFIG, "ciphertexts of %" PRIu32 " limbs cannot be multiplied: the auxiliary base is full",
                       limbs);
    }
    behz->limbs = needed + 1;
    behz->ids = params->auxiliary_ids;
    return HB_OK;
}

/* Makes step 1: (S + Q r) / 2^32 with r = -S / Q mod 2^32, centred, and qhat_i / Q = 1 / q_i. */
static hb_status init_lift(hb_behz *behz, const hb_params *params, const hb_basis *q)
{
    hb_base_conversion *c = &behz->lift;
    HB_TRY(hb_base_conversion_alloc(c, q->ids, q->limbs, behz->ids, behz->limbs, false, true));
    const uint64_t word = UINT64_C(1) << 32;
    c->overflow->kind = HB_OVERFLOW_BINARY;
    c->overflow->half = word / 2;
    for (uint32_t i = 0; i < q->limbs; i++) {
        const hb_modulus *m = &params->ring.moduli[q->ids[i]];
        c->scale[i] = hb_mod_mul(hb_mod_reduce(word, m), q->inverse_punctured[i], m);
        /* -1 / q_i mod 2^32, so that the sum of y_i weights_i is r. */
        c->overflow->weights[i] = 0U - hb_odd_inverse((uint32_t)m->value);
    }
    for (uint32_t o = 0; o < behz->limbs; o++) {
        const hb_modulus *p = &params->ring.moduli[behz->ids[o]];
        /* Everything is divided by 2^32 modulo each target: the matrix and the overflow's factor. */
        const uint64_t inverse_word = hb_mod_inverse(hb_mod_reduce(word, p), p);
        c->overflow->factors[o] = hb_mod_mul(hb_natural_mod(&q->product, p), inverse_word, p);
        uint64_t *row = &c->matrix[(size_t)o * q->limbs];
        hb_basis_punctured(q, p, row);
        for (uint32_t i = 0; i < q->limbs; i++) {
            row[i] = hb_mod_mul(row[i], inverse_word, p);
        }
    }
    return HB_OK;
}

/* Makes steps 3 and 4: (t d - S) / Q, in the limbs of B times 1/Bhat_j, which step 5 begins with. */
static hb_status init_floor(hb_behz *behz, const hb_params *params, const hb_basis *q, const hb_basis *b)
{
    hb_base_conversion *c = &behz->floor;
    const uint64_t t = params->spec.bfv.plain;
    HB_TRY(hb_base_conversion_alloc(c, q->ids, q->limbs, behz->ids, behz->limbs, true, false));
    hb_base_conversion_unscale(c);
    for (uint32_t i = 0; i < q->limbs; i++) {
        const hb_modulus *m = &params->ring.moduli[q->ids[i]];
        /* The inverse transform multiplies by these, so that the conversion begins with y_i = t d / qhat_i. */
        behz->factors[i] = hb_mod_mul(hb_mod_reduce(t, m), q->inverse_punctured[i], m);
    }
    for (uint32_t o = 0; o < behz->limbs; o++) {
        const hb_modulus *p = &params->ring.moduli[behz->ids[o]];
        /* m_sk, the first of the base, keeps its residue as it is. */
        const uint64_t factor = o > 0 ? b->inverse_punctured[o - 1] : 1;
        const uint64_t inverse_q = hb_mod_inverse(hb_natural_mod(&q->product, p), p);
        /* The kept term is the product's own residue d, times t / Q. */
        c->keep[o] = hb_mod_mul(hb_mod_mul(hb_mod_reduce(t, p), inverse_q, p), factor, p);
        for (uint32_t i = 0; i < q->limbs; i++) {
            /* S / Q is the sum of the y_i / q_i, and it is taken away. */
            const uint64_t inverse = hb_mod_inverse(hb_mod_reduce(params->ring.moduli[q->ids[i]].value, p), p);
            c->matrix[(size_t)o * q->limbs + i] = hb_mod_negate(hb_mod_mul(inverse, factor, p), p);
        }
    }
    return HB_OK;
}

/* Makes step 5: T - alpha B with alpha = (T - w) / B mod m_sk, centred, and Bhat_j / B = 1 / B_j. */
static hb_status init_back(hb_behz *behz, const hb_params *params, const hb_basis *q, const hb_basis *b)
{
    hb_base_conversion *c = &behz->back;
    const hb_modulus *m_sk = &params->ring.moduli[behz->ids[0]];
    HB_TRY(hb_base_conversion_alloc(c, behz->ids, behz->limbs, q->ids, q->limbs, false, true));
    c->overflow->id = behz->ids[0];
    c->overflow->half = m_sk->value / 2 + 1;
    hb_base_conversion_unscale(c);
    for (uint32_t j = 1; j < behz->limbs; j++) {
        /* alpha modulo m_sk is a sum of the residues: T / B is the sum of 1 / B_j, and w is the limb of m_sk. */
        c->overflow->weights[j] = hb_mod_inverse(hb_mod_reduce(params->ring.moduli[behz->ids[j]].value, m_sk), m_sk);
    }
    const uint64_t inverse_b = hb_mod_inverse(hb_natural_mod(&b->product, m_sk), m_sk);
    c->overflow->weights[0] = hb_mod_negate(inverse_b, m_sk);
    for (uint32_t o = 0; o < q->limbs; o++) {
        const hb_modulus *m = &params->ring.moduli[q->ids[o]];
        /* Each alpha takes B away. */
        c->overflow->factors[o] = hb_mod_negate(hb_natural_mod(&b->product, m), m);
        hb_basis_punctured(b, m, &c->matrix[(size_t)o * behz->limbs + 1]); /* behind the column of m_sk */
    }
    return HB_OK;
}

/* Checks that t s N Q (1/2 + k/2^32)^2 + k < t s N Q is below B (floor(m_sk / 2) - nB), with big integers: the counts
 * of bits above suffice. */
static void check_base(const hb_behz *behz, const hb_params *params, const hb_basis *q, const hb_basis *b)
{
    hb_natural w = q->product, bound = b->product;
    hb_natural_mul_add(&w, params->spec.n * HB_BEHZ_MOST_SIZE / 4 + 1, 0);
    hb_natural_mul_add(&w, params->spec.bfv.plain, q->limbs);
    hb_natural_mul_add(&bound, params->ring.moduli[behz->ids[0]].value / 2 - b->limbs, 0);
    HB_ASSERT(hb_natural_compare(&w, &bound) < 0);
}

hb_status hb_behz_init(hb_behz *behz, const hb_params *params, uint32_t limbs)
{
    memset(behz, 0, sizeof *behz);
    const hb_level *level = &params->levels[limbs];
    HB_ASSERT(level->basis.limbs == limbs);
    HB_TRY(choose_base(behz, params, level));
    hb_basis b;
    /* B without m_sk, which stands first. */
    HB_TRY(hb_basis_init(&b, &params->ring, behz->ids + 1, behz->limbs - 1));
    check_base(behz, params, &level->basis, &b);
    HB_TRY(init_lift(behz, params, &level->basis));
    HB_TRY(init_floor(behz, params, &level->basis, &b));
    return init_back(behz, params, &level->basis, &b);
}

void hb_behz_clear(hb_behz *behz)
{
    hb_base_conversion_clear(&behz->lift);
    hb_base_conversion_clear(&behz->floor);
    hb_base_conversion_clear(&behz->back);
    memset(behz, 0, sizeof *behz);
}
