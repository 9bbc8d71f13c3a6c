/* Constants of the Chinese remainder theorem, and the check of results that use them. */
#include <inttypes.h>
#include <string.h>

#include "base/modarith.h"
#include "crt.h"

/* 2^(w word_bits) mod m. */
static void powers(hb_natural *row, uint32_t words, uint32_t word_bits, const hb_modulus *m)
{
    row->words = words;
    row->word[0] = 1;
    for (uint32_t w = 1; w < words; w++) {
        row->word[w] = hb_mod_reduce_wide((hb_u128)row->word[w - 1] << word_bits, m);
    }
}

static void row_of(hb_natural *rows, uint32_t i, hb_crt_method method, const hb_crt_base *base, const hb_design_case *c)
{
    switch (method) {
    case HB_CRT_SPLIT_NATIVE:
    case HB_CRT_SPLIT_BARRETT:
        powers(&rows[i], hb_crt_words(c), hb_crt_word_bits(c), &base->ring.moduli[i]);
        break;
    case HB_CRT_GARNER_NATIVE:
    case HB_CRT_GARNER_BARRETT:
        if (i == 0) {
            hb_natural_set(&rows[0], 1);
        } else {
            rows[i] = rows[i - 1];
            hb_natural_mul_add(&rows[i], c->primes[i - 1], 0);
        }
        break;
    default:
        rows[i] = base->basis.product;
        hb_natural_div(&rows[i], c->primes[i]);
    }
}

void hb_crt_constants_init(hb_crt_constants *k, hb_crt_method method, const hb_crt_base *base, const hb_design_case *c)
{
    const bool garner = method == HB_CRT_GARNER_NATIVE || method == HB_CRT_GARNER_BARRETT;
    memset(k, 0, sizeof *k);
    for (uint32_t i = 0; i < c->moduli; i++) {
        row_of(k->rows, i, method, base, c);
        k->factors[i] = garner ? base->garner.inverse[i] : base->basis.inverse_punctured[i];
    }
    k->divisor = base->basis.product;
    if (method == HB_CRT_CLASSIC_DIVIDE) {
        const uint32_t bits = hb_crt_words(c) * hb_crt_word_bits(c);
        k->shift = bits - hb_natural_bits(&k->divisor);
        HB_ASSERT(k->shift < hb_crt_word_bits(c));
        hb_natural_mul_add(&k->divisor, (uint64_t)1 << k->shift, 0);
    }
}

static uint64_t word_at(const void *words, uint32_t word_bits, size_t i)
{
    return word_bits == 32 ? ((const uint32_t *)words)[i] : ((const uint64_t *)words)[i];
}

static hb_natural number_at(const void *numbers, const hb_design_case *c, size_t j)
{
    const uint32_t bits = hb_crt_word_bits(c);
    hb_natural x;
    hb_natural_set(&x, 0);
    for (uint32_t w = hb_crt_words(c); w-- > 0;) {
        if (bits == 64) { /* 2^64 is no word */
            hb_natural_mul_add(&x, (uint64_t)1 << 32, 0);
        }
        hb_natural_mul_add(&x, (uint64_t)1 << 32, word_at(numbers, bits, ((size_t)w << c->log_n) + j));
    }
    return x;
}

hb_status hb_crt_check(const hb_crt_base *base, const hb_design_case *c, const void *residues, const void *numbers,
                       bool below_product)
{
    enum { FIRST = 8, STEP = 61 }; /* prime: no pattern of a kernel's threads */
    const size_t n = (size_t)1 << c->log_n;
    for (size_t j = 0; j < n; j += j < FIRST ? 1 : STEP) {
        const hb_natural x = number_at(numbers, c, j);
        if (below_product && hb_natural_compare(&x, &base->basis.product) >= 0) {
            return HB_FAIL(HB_EINTERNAL, "CRT: coefficient %zu is not below the product of the primes", j);
        }
        for (uint32_t i = 0; i < c->moduli; i++) {
            const uint64_t residue = word_at(residues, hb_crt_word_bits(c), ((size_t)i << c->log_n) + j);
            if (hb_natural_mod(&x, &base->ring.moduli[i]) != residue) {
                return HB_FAIL(HB_EINTERNAL, "CRT: coefficient %zu has another residue modulo prime %" PRIu32, j, i);
            }
        }
    }
    return HB_OK;
}
