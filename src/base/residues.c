#include "residues.h"

#include <inttypes.h>

#include "modarith.h"

hb_status hb_residues_init(hb_residues *of, const uint64_t *moduli, uint32_t count)
{
    HB_ASSERT(count >= 1 && count <= HB_MOST_RESIDUES);
    *of = (hb_residues){.count = count, .product = hb_wide_of(1)};
    for (uint32_t i = 0; i < count; i++) {
        HB_TRY(hb_modulus_init(&of->modulus[i], moduli[i]));
        of->product = hb_wide_multiply(of->product, hb_wide_of_word(moduli[i]));
        for (uint32_t j = 0; j < i; j++) {
            of->inverse[i][j] = hb_mod_inverse(moduli[j] % moduli[i], &of->modulus[i]);
            if (of->inverse[i][j] == 0) {
                return HB_FAIL(HB_ECONFIG, "the plain moduli %" PRIu64 " and %" PRIu64 " have a common factor",
                               moduli[j], moduli[i]);
            }
        }
    }
    if (hb_wide_bits(of->product) > HB_RESIDUES_MOST_BITS) {
        return HB_FAIL(HB_ECONFIG, "the product of the plain moduli has %" PRIu32 " bits; %d at most",
                       hb_wide_bits(of->product), HB_RESIDUES_MOST_BITS);
    }
    return HB_OK;
}

/* Horner's rule over the digits of the mixed radix: x = d_0 + t_0 (d_1 + t_1 (d_2 + ...)). Magnitudes stay below T. */
static hb_wide from_digits(const hb_residues *of, const uint64_t *digit)
{
    hb_wide x = {{digit[of->count - 1]}};
    for (uint32_t i = of->count - 1; i-- > 0;) {
        uint64_t carry = digit[i];
        for (uint32_t w = 0; w < HB_WIDE_WORDS; w++) {
            const hb_u128 sum = (hb_u128)x.word[w] * of->modulus[i].value + carry;
            x.word[w] = (uint64_t)sum;
            carry = (uint64_t)(sum >> 64);
        }
    }
    return x;
}

hb_wide hb_residues_join(const hb_residues *of, const uint64_t *residue, bool is_signed)
{
    uint64_t digit[HB_MOST_RESIDUES];
    for (uint32_t i = 0; i < of->count; i++) {
        const hb_modulus *m = &of->modulus[i];
        uint64_t rest = residue[i];
        /* Takes the digits before away, one after another: (((r - d_0) / t_0 - d_1) / t_1 ...) mod t_i. */
        for (uint32_t j = 0; j < i; j++) {
            rest = hb_mod_sub(rest, hb_mod_reduce(digit[j], m), m);
            rest = hb_mod_reduce_wide((hb_u128)rest * of->inverse[i][j], m);
        }
        digit[i] = rest;
    }
    const hb_wide x = from_digits(of, digit);
    if (is_signed && hb_wide_compare(x, hb_wide_half(of->product)) > 0) {
        return hb_wide_add(x, hb_wide_negate(of->product));
    }
    return x;
}

hb_wide hb_residues_least(const hb_residues *of, bool is_signed)
{
    if (!is_signed) {
        return hb_wide_of(0);
    }
    return hb_wide_negate(hb_wide_half(hb_wide_add(of->product, hb_wide_of(-1))));
}

hb_wide hb_residues_most(const hb_residues *of, bool is_signed)
{
    return is_signed ? hb_wide_half(of->product) : hb_wide_add(of->product, hb_wide_of(-1));
}

void hb_residues_of_cells(uint64_t *residue, const uint64_t *cells, size_t count, bool is_signed, const hb_modulus *m)
{
    for (size_t i = 0; i < count; i++, cells += HB_WIDE_CELL) {
        const bool negative = is_signed && (int64_t)cells[1] < 0;
        hb_u128 magnitude = (hb_u128)cells[1] << 64 | cells[0];
        magnitude = negative ? 0 - magnitude : magnitude; /* 2^127 is its own */
        const uint64_t high = hb_mod_reduce((uint64_t)(magnitude >> 64), m);
        const uint64_t rest = hb_mod_reduce_wide((hb_u128)high << 64 | (uint64_t)magnitude, m);
        residue[i] = negative ? hb_mod_negate(rest, m) : rest;
    }
}
