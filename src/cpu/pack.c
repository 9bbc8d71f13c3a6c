/* Rows of residues as little-endian bit streams, and their digests: field j of `bits` bits starts at bit j * bits of
 * the row. Packed memory need not be aligned. */
#include <string.h>

#include "base/digest.h"
#include "cpu_private.h"

/* Packs n fields x below 2^bits; n * bits is a multiple of 64, so that whole words are written. */
static void pack_row(uint8_t *row, const uint64_t *x, size_t n, uint32_t bits)
{
    uint64_t word = 0;
    uint32_t filled = 0;
    for (size_t j = 0; j < n; j++) {
        word |= x[j] << filled;
        filled += bits;
        /* A full word goes out; the field may be in two of them. */
        if (filled >= 64) {
            memcpy(row, &word, sizeof word);
            row += sizeof word;
            filled -= 64;
            word = x[j] >> (bits - filled); /* the bits that did not fit; 0, as x < 2^bits, when all did */
        }
    }
}

static inline uint64_t load_word(const uint8_t *row, size_t k)
{
    uint64_t word;
    memcpy(&word, row + k * sizeof word, sizeof word);
    return word;
}

/* Unpacks n fields, and returns how many of them are not below m: the caller judges that. */
HB_CLONES static size_t unpack_row(uint64_t *x, const uint8_t *row, size_t n, uint32_t bits, uint64_t m)
{
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    const size_t last = n * bits / 64 - 1;
    uint64_t out_of_range = 0;
    HB_INDEPENDENT
    for (size_t j = 0; j < n; j++) {
        /* The last field must not read behind the row: its next word is the last one itself. */
        size_t bit = j * bits, k = bit / 64, next = k < last ? k + 1 : last;
        uint32_t shift = (uint32_t)(bit % 64);
        /* In two shifts, for shift = 0. Where the field ends in word k the other word falls outside the mask. */
        x[j] = ((load_word(row, k) >> shift) | ((load_word(row, next) << 1) << (63 - shift))) & mask;
        /* The top bit is set exactly where x[j] >= m, both being below 2^62; so the loop has no branch. */
        out_of_range += (m - 1 - x[j]) >> 63;
    }
    return (size_t)out_of_range;
}

static hb_status pack(hb_engine *e, hb_packed to, hb_batch a)
{
    for (uint32_t l = 0; l < a.limbs; l++) {
        const hb_modulus *m = hb_cpu_modulus(e, a, l);
        const size_t row = hb_packed_row_bytes(e->ring->n, m);
        for (size_t c = 0; c < a.count; c++) {
            pack_row(to.bytes + (to.first + c * to.stride) * row, hb_cpu_row(e, a, c, l), e->ring->n,
                     hb_residue_bits(m));
        }
        /* Packed rows of a limb stand together, limb behind limb. */
        to.bytes += to.rows * row;
    }
    return HB_OK;
}

/* Limb after limb, as packed rows stand. */
static hb_status unpack(hb_engine *e, hb_batch r, hb_packed from, size_t *out_of_range)
{
    size_t count = 0;
    for (uint32_t l = 0; l < r.limbs; l++) {
        const hb_modulus *m = hb_cpu_modulus(e, r, l);
        const size_t row = hb_packed_row_bytes(e->ring->n, m);
        for (size_t c = 0; c < r.count; c++) {
            count += unpack_row(hb_cpu_row(e, r, c, l), from.bytes + (from.first + c * from.stride) * row, e->ring->n,
                                hb_residue_bits(m), m->value);
        }
        from.bytes += from.rows * row;
    }
    *out_of_range = count;
    return HB_OK;
}

static hb_status digest_rows(hb_engine *e, uint8_t *digests, hb_packed rows, const uint16_t *ids, uint32_t limbs)
{
    for (uint32_t l = 0; l < limbs; l++) {
        const size_t bytes = hb_packed_row_bytes(e->ring->n, &e->ring->moduli[ids[l]]);
        for (size_t i = 0; i < rows.rows; i++) {
            /* Digests are in the order of the rows: limb after limb. */
            hb_digest_row(digests, rows.bytes, bytes);
            digests += HB_DIGEST_BYTES;
            rows.bytes += bytes;
        }
    }
    return HB_OK;
}

const hb_row_ops hb_cpu_row_ops = {
    .pack = pack,
    .unpack = unpack,
    .digest_rows = digest_rows,
};
