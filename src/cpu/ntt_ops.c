/* Transforms of batches, and divisions in NTT form (ring/ring_ops.h, hb_ntt_quotient), which end with them: each row is
 * transformed, and the next step finds it in a near cache. */
#include "base/bits.h"
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

/* Computes r = (a - x) factor, or b + (a - x) factor, of canonical words; r may be any of the rows. */
HB_CLONES static void quotient_row_f64(uint64_t *r, const uint64_t *b, const uint64_t *a, const uint64_t *x,
                                       uint64_t factor, size_t n, const hb_modulus *modulus)
{
    const hb_modulus m = *modulus; /* a local: the stores below do not change it */
    if (b == NULL) {
        HB_INDEPENDENT
        for (size_t j = 0; j < n; j++) {
            r[j] = hb_f64_mod_mul(hb_correct(a[j] + m.value - x[j], m.value), factor, &m);
        }
        return;
    }
    HB_INDEPENDENT
    for (size_t j = 0; j < n; j++) {
        r[j] = hb_correct(hb_f64_mod_mul(hb_correct(a[j] + m.value - x[j], m.value), factor, &m) + b[j], m.value);
    }
}

/* x = a - x, as words that are only multiplied yet. */
HB_CLONES static void differences(uint64_t *x, const uint64_t *a, size_t n, uint64_t m)
{
    HB_INDEPENDENT
    for (size_t j = 0; j < n; j++) {
        x[j] = a[j] + m - x[j];
    }
}

/* The same as quotient_row_f64, in integers; destroys x, which r may be. */
static void quotient_row_integer(uint64_t *r, const uint64_t *b, const uint64_t *a, uint64_t *x, uint64_t factor,
                                 size_t n, const hb_modulus *m)
{
    const size_t step = n < HB_CPU_BLOCK ? n : HB_CPU_BLOCK;
    for (size_t j = 0; j < n; j += step) {
        differences(x + j, a + j, step, m->value);
        hb_cpu_scale_row(b == NULL ? r + j : x + j, x + j, factor, step, m);
        if (b != NULL) {
            hb_cpu_add_row(r + j, x + j, b + j, step, m);
        }
    }
}

/* An automorphism X -> X^g of 2^log_n words in NTT form takes whole blocks of MOVED words to one another. Word i
 * belongs to the root with exponent o = 2 brev(i) + 1, and comes from that of g o mod 2N. With i = MOVED B + e the high
 * bits of o are brev(e), the low ones those of B alone: so are the low bits of g o, and its high bits are g brev(e)
 * plus the carry of g times the low ones. */
enum { LOG_MOVED = 3, MOVED = 1 << LOG_MOVED };

/* hb_bit_reverse in few steps: bytes, and then nibbles, pairs and bits of each. */
HB_CLONED_INLINE uint32_t reverse(uint32_t x, uint32_t bits)
{
    x = __builtin_bswap32(x);
    x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
    x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
    x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
    return (uint32_t)((uint64_t)x >> (32 - bits));
}

HB_CLONES static void move_row(uint64_t *restrict r, const uint64_t *restrict x, uint32_t log_n, uint32_t element)
{
    const uint32_t log_moved = log_n < LOG_MOVED ? log_n : LOG_MOVED, moved = 1U << log_moved;
    const uint32_t log_blocks = log_n - log_moved, low = (2U << log_blocks) - 1;
    /* By carry: the place in its block from which each word comes. */
    uint32_t from[MOVED][MOVED];
    for (uint32_t t = 0; t < moved; t++) {
        for (uint32_t e = 0; e < moved; e++) {
            const uint32_t high = (t + element * hb_bit_reverse(e, log_moved)) & (moved - 1);
            from[t][e] = hb_bit_reverse(high, log_moved);
        }
    }
    for (uint32_t block = 0; block < 1U << log_blocks; block++) {
        const uint64_t o = (uint64_t)element * (2 * reverse(block, log_blocks) + 1);
        const uint32_t source = reverse((uint32_t)(o & low) / 2, log_blocks);
        const uint32_t *place = from[(o >> (log_blocks + 1)) & (moved - 1)];
        const uint64_t *words = x + ((size_t)source << log_moved);
        uint64_t *to = r + ((size_t)block << log_moved);
        if (moved == MOVED) { /* a constant, for which loops unroll */
            for (uint32_t e = 0; e < MOVED; e++) {
                to[e] = words[place[e]];
            }
        } else {
            for (uint32_t e = 0; e < moved; e++) {
                to[e] = words[place[e]];
            }
        }
    }
}

static hb_status ntt_quotient(hb_engine *e, hb_batch r, hb_batch b, hb_batch a, hb_batch x, const uint64_t *factors,
                              uint32_t element)
{
    const size_t n = e->ring->n;
    for (uint32_t l = 0; l < r.limbs; l++) {
        const hb_modulus *m = hb_cpu_modulus(e, r, l);
        const uint64_t factor = factors != NULL ? factors[l] : 1;
        for (size_t c = 0; c < r.count; c++) {
            uint64_t *row = hb_cpu_row(e, x, c, l), *to = hb_cpu_row(e, r, c, l);
            const uint64_t *plus = b.data != NULL && c < b.count ? hb_cpu_row(e, b, c, l) : NULL;
            hb_cpu_ntt_forward(&hb_cpu(e)->tables->ntt[r.ids[l]], row);
            const uint64_t *whole = hb_cpu_row(e, a, c, l);
            uint64_t *quotients = element == 1 ? to : row;
            if (m->f64) {
                quotient_row_f64(quotients, plus, whole, row, factor, n, m);
            } else {
                quotient_row_integer(quotients, plus, whole, row, factor, n, m);
            }
            if (element != 1) {
                move_row(to, row, e->ring->log_n, element);
            }
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
    .ntt_quotient = ntt_quotient,
};
