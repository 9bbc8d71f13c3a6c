/* Transforms of batches. */
#include "cpu_private.h"
#include "ring/switch_arith.h"

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

/* Sets row = the transform modulo `id` of a digit, n words below the modulus from_id; they do not overlap. The first
 * pass takes most digits as they are, or reduces them on its way. */
static void ntt_digit(hb_engine *e, uint64_t *row, uint16_t id, const uint64_t *digit, uint16_t from_id)
{
    const hb_modulus *from = &e->ring->moduli[from_id], *m = &e->ring->moduli[id];
    const hb_cpu_ntt *t = &hb_cpu(e)->tables->ntt[id];
    const hb_digit_way way = hb_digit_way_of(from, m);
    hb_cpu_source source = {.words = digit};
    if (t->transform->planes == 1) {
        source.reduce = way != HB_DIGIT_COPY && from->f64 != 0;
    }
    /* In integers, words below 2 m may enter. */
    const bool enter = way == HB_DIGIT_COPY || source.reduce || (way == HB_DIGIT_CORRECT && t->transform->planes == 2);
    if (!enter) {
        hb_cpu_reduce_row(row, digit, e->ring->n, from, m);
        source.words = row;
    }
    t->transform->forward(t, row, &source);
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
            ntt_digit(e, row, r.ids[l], hb_cpu_row(e, a, c / a.limbs, i), a.ids[i]);
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
