/* Transforms of batches. */
#include "cpu_private.h"

/* Transforms limb by limb: polynomials use a table one after the other while it is in a cache. */
static hb_status ntt(hb_engine *e, hb_batch x)
{
    for (uint32_t l = 0; l < x.limbs; l++) {
        for (size_t c = 0; c < x.count; c++) {
            hb_cpu_ntt_forward(&hb_cpu(e)->tables->ntt[x.ids[l]], hb_cpu_row(e, x, c, l));
        }
    }
    return HB_OK;
}

/* Transforms limb l of polynomial c of a into r, which may be a, and returns the row. */
static uint64_t *ntt_row_of(hb_engine *e, hb_batch r, hb_batch a, size_t c, uint32_t l)
{
    uint64_t *row = hb_cpu_row(e, r, c, l);
    memmove(row, hb_cpu_row(e, a, c, l), e->ring->n * sizeof *row);
    hb_cpu_ntt_forward(&hb_cpu(e)->tables->ntt[r.ids[l]], row);
    return row;
}

static hb_status ntt_of(hb_engine *e, hb_batch r, hb_batch a)
{
    for (uint32_t l = 0; l < r.limbs; l++) {
        for (size_t c = 0; c < r.count; c++) {
            (void)ntt_row_of(e, r, a, c, l);
        }
    }
    return HB_OK;
}

/* The row is multiplied right after its transform, while it is in a near cache. */
static hb_status ntt_mul(hb_engine *e, hb_batch r, hb_batch a, hb_batch b)
{
    for (uint32_t l = 0; l < r.limbs; l++) {
        for (size_t c = 0; c < r.count; c++) {
            uint64_t *row = ntt_row_of(e, r, a, c, l);
            hb_cpu_mul_row(row, row, hb_cpu_row(e, b, b.count == 1 ? 0 : c, l), e->ring->n, hb_cpu_modulus(e, r, l));
        }
    }
    return HB_OK;
}

/* Each digit is reduced and transformed in its place, or copied where it is known: polynomial c of r is digit c %
 * a.limbs of polynomial c / a.limbs. */
static hb_status ntt_decompose_known(hb_engine *e, hb_batch r, hb_batch a, hb_batch known)
{
    for (uint32_t l = 0; l < r.limbs; l++) {
        for (size_t c = 0; c < r.count; c++) {
            const uint32_t i = (uint32_t)(c % a.limbs);
            uint64_t *row = hb_cpu_row(e, r, c, l);
            if (known.data != NULL && known.ids[i] == r.ids[l]) {
                memcpy(row, hb_cpu_row(e, known, c / a.limbs, i), e->ring->n * sizeof *row);
                continue;
            }
            hb_cpu_reduce_row(row, hb_cpu_row(e, a, c / a.limbs, i), e->ring->n, hb_cpu_modulus(e, a, i),
                              hb_cpu_modulus(e, r, l));
            hb_cpu_ntt_forward(&hb_cpu(e)->tables->ntt[r.ids[l]], row);
        }
    }
    return HB_OK;
}

static hb_status ntt_decompose(hb_engine *e, hb_batch r, hb_batch a)
{
    return ntt_decompose_known(e, r, a, (hb_batch){.data = NULL});
}

/* The factor goes into the last stage. */
static hb_status intt(hb_engine *e, hb_batch x, const uint64_t *factors)
{
    for (uint32_t l = 0; l < x.limbs; l++) {
        const uint64_t factor = factors != NULL ? factors[l] : 1;
        for (size_t c = 0; c < x.count; c++) {
            hb_cpu_ntt_inverse_scaled(&hb_cpu(e)->tables->ntt[x.ids[l]], hb_cpu_row(e, x, c, l), factor);
        }
    }
    return HB_OK;
}

/* A row is copied right before its transform. */
static hb_status intt_of(hb_engine *e, hb_batch r, hb_batch a, const uint64_t *factors)
{
    for (uint32_t l = 0; l < r.limbs; l++) {
        const uint64_t factor = factors != NULL ? factors[l] : 1;
        for (size_t c = 0; c < r.count; c++) {
            uint64_t *row = hb_cpu_row(e, r, c, l);
            memmove(row, hb_cpu_row(e, a, c, l), e->ring->n * sizeof *row);
            hb_cpu_ntt_inverse_scaled(&hb_cpu(e)->tables->ntt[r.ids[l]], row, factor);
        }
    }
    return HB_OK;
}

const hb_ntt_ops hb_cpu_ntt_ops = {
    .ntt = ntt,
    .intt = intt,
    .ntt_of = ntt_of,
    .ntt_mul = ntt_mul,
    .ntt_decompose = ntt_decompose,
    .ntt_decompose_known = ntt_decompose_known,
    .intt_of = intt_of,
    .ntt_quotient = hb_cpu_ntt_quotient,
};
