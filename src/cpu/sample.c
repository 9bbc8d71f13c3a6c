/* Random polynomials: keystreams in bulk, then one word a coefficient (base/sample.h). */
#include "cpu_private.h"
#include "ring/flood_arith.h"

/* Returns the number of rejected words. Public draws reject any share of up to one half. Ternary draws reject a share
 * of 2^-64; from that an observer learns only that a word was 0, and nothing else depends on that word. */
HB_CLONES static size_t count_rejected(const uint64_t *words, size_t n, hb_acceptance rule)
{
    size_t rejected = 0;
    for (size_t j = 0; j < n; j++) {
        rejected += !hb_accepts(rule, words[j]);
    }
    return rejected;
}

/* Collects in `positions` the coefficients whose word is rejected, without a branch on the words, and returns how
 * many. */
static size_t list_rejected(uint64_t *positions, const uint64_t *words, size_t n, hb_acceptance rule)
{
    size_t rejected = 0;
    for (size_t j = 0; j < n; j++) {
        /* Written always, counted only where rejected: the list has no branch. */
        positions[rejected] = j;
        rejected += !hb_accepts(rule, words[j]);
    }
    return rejected;
}

/* The words of a row, and which of its coefficients have none yet. */
typedef struct drawing {
    uint64_t *words;
    size_t n;
    hb_draw draw;
    hb_acceptance rule;
    uint64_t *positions, *stream; /* [n]; the listed ones, memory for one more stream */
} drawing;

/* Makes one more attempt for the listed coefficients, shortens the list to the ones that it rejects again, and returns
 * their number. A lone block costs as much as about four in bulk and serves one coefficient in place of eight, so from
 * one in 32 on the whole stream is cheaper. */
static size_t redraw(const drawing *x, size_t rejected, uint32_t attempt)
{
    bool bulk = rejected >= x->n / 32;
    if (bulk) {
        hb_keystream((uint8_t *)x->stream, x->n * sizeof *x->stream, x->draw, attempt);
    }
    size_t left = 0;
    for (size_t i = 0; i < rejected; i++) {
        size_t j = x->positions[i];
        x->words[j] = bulk ? x->stream[j] : hb_keystream_word(x->draw, attempt, j);
        x->positions[left] = j;
        left += !hb_accepts(x->rule, x->words[j]);
    }
    return left;
}

void hb_cpu_draw(hb_cpu_engine *e, uint64_t *words, size_t n, hb_draw draw, hb_acceptance rule)
{
    hb_keystream((uint8_t *)words, n * sizeof *words, draw, 0);
    /* Ternary draws nearly always end here, after a pass that vectorises. */
    if (count_rejected(words, n, rule) == 0) {
        return;
    }
    const drawing x = {words, n, draw, rule, e->scratch[1], e->scratch[2]};
    size_t rejected = list_rejected(x.positions, words, n, rule);
    for (uint32_t attempt = 1; rejected != 0; attempt++) {
        rejected = redraw(&x, rejected, attempt);
    }
}

HB_CLONES static void mask_row(uint64_t *r, size_t n, uint64_t mask)
{
    for (size_t j = 0; j < n; j++) {
        r[j] &= mask;
    }
}

/* Expands a public seed to one limb: uniform residues modulo that limb's modulus. */
static void uniform_row(hb_engine *e, uint64_t *row, uint16_t id, const hb_seed *seed)
{
    const hb_modulus *m = &e->ring->moduli[id];
    const hb_acceptance rule = hb_accept_uniform(m->value, hb_residue_bits(m));
    hb_cpu_draw(hb_cpu(e), row, e->ring->n, (hb_draw){seed, HB_DRAW_UNIFORM, id}, rule);
    mask_row(row, e->ring->n, rule.mask);
}

static hb_status sample_uniform(hb_engine *e, hb_batch r, const hb_seed *seeds)
{
    for (size_t c = 0; c < r.count; c++) {
        for (uint32_t l = 0; l < r.limbs; l++) {
            uniform_row(e, hb_cpu_row(e, r, c, l), r.ids[l], &seeds[c]);
        }
    }
    return HB_OK;
}

static hb_status mul_uniform(hb_engine *e, hb_batch r, const hb_seed *seeds, hb_batch b)
{
    for (size_t c = 0; c < r.count; c++) {
        for (uint32_t l = 0; l < r.limbs; l++) {
            uint64_t *row = hb_cpu_row(e, r, c, l);
            /* The row is still in a near cache when it is multiplied. */
            uniform_row(e, row, r.ids[l], &seeds[c]);
            hb_cpu_mul_row(row, row, hb_cpu_row(e, b, b.count == 1 ? 0 : c, l), e->ring->n, hb_cpu_modulus(e, r, l));
        }
    }
    return HB_OK;
}

/* Turn words into small integers, two's complement, in constant time (base/sample.h). */
HB_CLONES static void ternary_row(uint64_t *x, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        x[j] = (uint64_t)hb_sample_ternary(x[j]);
    }
}

HB_CLONES static void gaussian_row(uint64_t *x, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        x[j] = (uint64_t)hb_sample_gaussian(x[j], hb_gaussian_thresholds);
    }
}

HB_CLONES static void binomial_row(uint64_t *x, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        x[j] = (uint64_t)hb_sample_binomial(x[j]);
    }
}

/* Reduces integers x of magnitude below m, two's complement, modulo m. */
HB_CLONES static void residue_row(uint64_t *r, const uint64_t *x, size_t n, uint64_t m)
{
    HB_INDEPENDENT
    for (size_t j = 0; j < n; j++) {
        r[j] = hb_residue_of_small((int64_t)x[j], m);
    }
}

/* Adds sign * x to r, for the same x; sign is 1 or all ones, which is -1 in two's complement. */
HB_CLONES static void add_residue_row(uint64_t *r, const uint64_t *x, size_t n, uint64_t sign, uint64_t m)
{
    HB_INDEPENDENT
    for (size_t j = 0; j < n; j++) {
        r[j] = hb_correct(r[j] + hb_residue_of_small((int64_t)(x[j] * sign), m), m);
    }
}

/* Draws the small integers of one polynomial, two's complement, from its stream. */
static void draw_small(hb_cpu_engine *e, uint64_t *x, size_t n, hb_distribution distribution, hb_draw draw)
{
    if (distribution == HB_TERNARY) {
        hb_cpu_draw(e, x, n, draw, hb_accept_ternary());
        ternary_row(x, n);
        return;
    }
    /* These distributions take every word: there is one attempt. */
    hb_keystream((uint8_t *)x, n * sizeof *x, draw, 0);
    if (distribution == HB_GAUSSIAN) {
        gaussian_row(x, n);
    } else {
        binomial_row(x, n);
    }
}

/* Each polynomial is drawn once and reduced for all limbs. */
static hb_status sample_small(hb_engine *e, hb_batch r, hb_distribution distribution, hb_draw draw)
{
    const size_t n = e->ring->n;
    uint64_t *x = hb_cpu(e)->scratch[0];
    for (size_t c = 0; c < r.count; c++) {
        draw_small(hb_cpu(e), x, n, distribution, draw);
        for (uint32_t l = 0; l < r.limbs; l++) {
            residue_row(hb_cpu_row(e, r, c, l), x, n, hb_cpu_modulus(e, r, l)->value);
        }
        /* Polynomial c draws with item + c. */
        draw.item++;
    }
    return HB_OK;
}

static hb_status add_small(hb_engine *e, hb_batch r, hb_distribution distribution, hb_draw draw, hb_sign sign)
{
    const size_t n = e->ring->n;
    uint64_t *x = hb_cpu(e)->scratch[0];
    for (size_t c = 0; c < r.count; c++) {
        draw_small(hb_cpu(e), x, n, distribution, draw);
        for (uint32_t l = 0; l < r.limbs; l++) {
            add_residue_row(hb_cpu_row(e, r, c, l), x, n, sign == HB_MINUS ? UINT64_MAX : 1,
                            hb_cpu_modulus(e, r, l)->value);
        }
        draw.item++;
    }
    return HB_OK;
}

/* Writes A - B + 2^w over A (ring/flood_arith.h). */
HB_CLONES static void difference_row(uint64_t *a, const uint64_t *b, size_t n, uint32_t w)
{
    HB_INDEPENDENT
    for (size_t j = 0; j < n; j++) {
        a[j] = hb_exact_flood_difference(a[j], b[j], w);
    }
}

HB_CLONES static void low_row(uint64_t *x, size_t n, uint32_t bits)
{
    for (size_t j = 0; j < n; j++) {
        x[j] = hb_exact_flood_low(x[j], bits);
    }
}

HB_CLONES static void add_flood_row(uint64_t *r, const uint64_t *x, size_t n, hb_exact_flood_term term, uint64_t m)
{
    HB_INDEPENDENT
    for (size_t j = 0; j < n; j++) {
        r[j] = hb_exact_flood_add(r[j], x[j], term, m);
    }
}

static void flood_stream(uint64_t *x, size_t n, const hb_seed *seed, uint32_t item)
{
    hb_keystream((uint8_t *)x, n * sizeof *x, (hb_draw){seed, HB_DRAW_EXACT_FLOOD, item}, 0);
}

/* Adds noise of one seed to polynomial c. Each stream is drawn once, and added to all limbs. */
static void flood_one(hb_engine *e, hb_batch r, size_t c, hb_exact_flood flood, const hb_seed *seed)
{
    const size_t n = e->ring->n;
    uint64_t *x = hb_cpu(e)->scratch[0], *b = hb_cpu(e)->scratch[1];
    flood_stream(x, n, seed, HB_EXACT_FLOOD_A);
    flood_stream(b, n, seed, HB_EXACT_FLOOD_B);
    difference_row(x, b, n, flood.w);
    for (uint32_t l = 0; l < r.limbs; l++) {
        const hb_modulus *q = hb_cpu_modulus(e, r, l);
        add_flood_row(hb_cpu_row(e, r, c, l), x, n, hb_exact_flood_term_difference(flood, q), q->value);
    }
    for (uint32_t k = 0; k < hb_exact_flood_words(flood); k++) {
        flood_stream(x, n, seed, HB_EXACT_FLOOD_U + k);
        low_row(x, n, hb_exact_flood_bits(flood, k));
        for (uint32_t l = 0; l < r.limbs; l++) {
            const hb_modulus *q = hb_cpu_modulus(e, r, l);
            add_flood_row(hb_cpu_row(e, r, c, l), x, n, hb_exact_flood_term_word(k, q), q->value);
        }
    }
}

static hb_status add_exact_flood(hb_engine *e, hb_batch r, hb_exact_flood flood, const hb_seed *seeds)
{
    for (size_t c = 0; c < r.count; c++) {
        flood_one(e, r, c, flood, &seeds[c]);
    }
    return HB_OK;
}

const hb_sample_ops hb_cpu_sample_ops = {
    .sample_uniform = sample_uniform,
    .mul_uniform = mul_uniform,
    .sample_small = sample_small,
    .add_small = add_small,
    .add_exact_flood = add_exact_flood,
};
