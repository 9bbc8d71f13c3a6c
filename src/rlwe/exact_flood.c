#include "exact_flood.h"

#include <math.h>
#include <stdlib.h>

#include "base/modarith.h"
#include "bounds.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "words of a keystream are read as they lie in memory");

enum { WORD_BITS = 64 };

uint32_t hb_exact_flood_least_shift(double noise_worst, uint64_t t)
{
    return (uint32_t)ceil(hb_log_sum(noise_worst - log2((double)t), 1));
}

/* Returns log2 of h. */
static double log_hellinger(uint32_t w)
{
    return log2(1 + (1 + w * log(2)) / 4) - 2.0 * w;
}

double hb_exact_flood_distance(double log_coefficients, uint32_t w)
{
    return (1 + log_coefficients + log_hellinger(w)) / 2;
}

uint32_t hb_exact_flood_least_width(double log_coefficients, uint32_t bits)
{
    uint32_t w = bits;
    while (hb_exact_flood_distance(log_coefficients, w) > -(double)bits) {
        w++;
    }
    return w;
}

double hb_exact_flood_most(hb_exact_flood flood)
{
    return hb_log_sum((double)flood.u + flood.w, flood.u);
}

/* A factor modulo a prime, with Shoup's quotient. */
typedef struct factor {
    uint64_t value, quotient;
} factor;

struct hb_exact_flooder {
    hb_engine *engine;
    const hb_params *params;
    hb_exact_flood flood;
    uint32_t limbs;
    uint32_t words; /* of U */
    size_t max_count;
    hb_batch noise;     /* [max_count][limbs] */
    uint64_t *drawn;    /* [2 + words][n]: A, B, U */
    uint64_t *residues; /* host, [max_count][limbs that are here][n] */
    size_t size;        /* of them, in words */
};

static size_t drawn_words(const hb_exact_flooder *flooder)
{
    return (2 + (size_t)flooder->words) * flooder->params->spec.n;
}

static hb_status allocate(hb_exact_flooder *flooder)
{
    hb_engine *e = flooder->engine;
    const hb_params *params = flooder->params;
    void *memory;
    flooder->size = flooder->max_count * hb_limbs_here(e, params->ids, flooder->limbs) * params->spec.n;
    flooder->drawn = calloc(drawn_words(flooder), sizeof *flooder->drawn);
    if (flooder->drawn == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for noise");
    }
    hb_lock(flooder->drawn, drawn_words(flooder) * sizeof *flooder->drawn);
    HB_TRY(hb_host_alloc(e, flooder->size * sizeof *flooder->residues, &memory));
    flooder->residues = memory;
    hb_lock(flooder->residues, flooder->size * sizeof *flooder->residues);
    return hb_batch_alloc_locked(e, &flooder->noise, flooder->max_count, flooder->limbs, params->ids);
}

hb_status hb_exact_flooder_open(hb_engine *engine, const hb_params *params, uint32_t limbs, hb_exact_flood flood,
                                size_t max_count, hb_exact_flooder **out)
{
    *out = NULL;
    HB_ASSERT(limbs >= 1 && limbs <= params->key_limbs && max_count > 0);
    HB_ASSERT(flood.u >= 1 && flood.w >= 1 && flood.w <= HB_EXACT_FLOOD_MOST_WIDTH);
    hb_exact_flooder *flooder = calloc(1, sizeof *flooder);
    if (flooder == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for noise");
    }
    *flooder = (hb_exact_flooder){.engine = engine,
                                  .params = params,
                                  .flood = flood,
                                  .limbs = limbs,
                                  .words = (flood.u + WORD_BITS - 1) / WORD_BITS,
                                  .max_count = max_count};
    const hb_status st = allocate(flooder);
    if (st != HB_OK) {
        hb_exact_flooder_close(flooder);
        return st;
    }
    *out = flooder;
    return HB_OK;
}

void hb_exact_flooder_close(hb_exact_flooder *flooder)
{
    if (flooder == NULL) {
        return;
    }
    if (flooder->drawn != NULL) {
        hb_wipe(flooder->drawn, drawn_words(flooder) * sizeof *flooder->drawn);
    }
    if (flooder->residues != NULL) {
        hb_wipe(flooder->residues, flooder->size * sizeof *flooder->residues);
    }
    hb_batch_wipe(flooder->engine, flooder->noise);
    hb_batch_free(flooder->engine, &flooder->noise);
    hb_host_free(flooder->engine, flooder->residues);
    free(flooder->drawn);
    free(flooder);
}

uint64_t hb_exact_flooder_bytes(const hb_params *params, uint32_t limbs, size_t max_count)
{
    return max_count * hb_params_most_limbs(params, params->ids, limbs) * params->spec.n * sizeof(uint64_t);
}

/* Keeps the low bits of n words, 1 to 64 of each. */
static void keep_bits(uint64_t *words, size_t n, uint32_t bits)
{
    const uint64_t mask = UINT64_MAX >> (WORD_BITS - bits);
    for (size_t i = 0; i < n; i++) {
        words[i] &= mask;
    }
}

/* Draws the words of F: A - B + 2^w in place of A, then B, which is not needed any more, then U. */
static void draw(hb_exact_flooder *flooder, const hb_seed *seed)
{
    const size_t n = flooder->params->spec.n;
    const uint32_t w = flooder->flood.w, u = flooder->flood.u;
    uint64_t *a = flooder->drawn, *b = a + n, *last = a + (1 + (size_t)flooder->words) * n;
    for (uint32_t item = 0; item < 2 + flooder->words; item++) {
        hb_keystream((uint8_t *)(a + item * n), n * sizeof *a, (hb_draw){seed, HB_DRAW_EXACT_FLOOD, item}, 0);
    }
    keep_bits(a, n, w);
    keep_bits(b, n, w);
    keep_bits(last, n, u - (flooder->words - 1) * WORD_BITS);
    for (size_t i = 0; i < n; i++) {
        a[i] += ((uint64_t)1 << w) - b[i];
    }
}

static factor power_of_two(uint64_t exponent, const hb_modulus *q)
{
    const uint64_t value = hb_mod_pow(2, exponent, q);
    return (factor){value, hb_shoup_quotient(value, q->value)};
}

/* Adds words * by to n residues, in constant time. */
static void add_words(uint64_t *residues, const uint64_t *words, size_t n, factor by, const hb_modulus *q)
{
    for (size_t i = 0; i < n; i++) {
        residues[i] = hb_mod_add(residues[i], hb_mul_shoup(words[i], by.value, by.quotient, q->value), q);
    }
}

/* F = 2^u (A - B + 2^w) + U - (2^(u + w) + 2^(u - 1)) modulo q. */
static void reduce(const hb_exact_flooder *flooder, uint64_t *residues, const hb_modulus *q)
{
    const size_t n = flooder->params->spec.n;
    const uint32_t u = flooder->flood.u, w = flooder->flood.w;
    const uint64_t middle = hb_mod_add(hb_mod_pow(2, (uint64_t)u + w, q), hb_mod_pow(2, u - 1, q), q);
    for (size_t i = 0; i < n; i++) {
        residues[i] = hb_mod_negate(middle, q);
    }
    add_words(residues, flooder->drawn, n, power_of_two(u, q), q);
    for (uint32_t k = 0; k < flooder->words; k++) {
        add_words(residues, flooder->drawn + (2 + k) * n, n, power_of_two((uint64_t)k * WORD_BITS, q), q);
    }
}

hb_status hb_exact_flooder_add(hb_exact_flooder *flooder, hb_batch c, const hb_seed *seeds)
{
    hb_engine *e = flooder->engine;
    const hb_params *params = flooder->params;
    HB_ASSERT(c.limbs == flooder->limbs && c.count <= flooder->max_count);
    if (c.count == 0) {
        return HB_OK;
    }
    const hb_batch noise = hb_batch_slice(flooder->noise, 0, c.count);
    uint64_t *row = flooder->residues;
    for (size_t i = 0; i < c.count; i++) {
        draw(flooder, &seeds[i]);
        for (uint32_t l = 0; l < flooder->limbs; l++) {
            if (hb_limb_here(e, params->ids[l])) {
                reduce(flooder, row, &params->ring.moduli[params->ids[l]]);
                row += params->spec.n;
            }
        }
    }
    HB_TRY(hb_upload(e, noise.data, flooder->residues, (size_t)(row - flooder->residues) * sizeof *row));
    HB_TRY(hb_add(e, c, c, noise));
    return hb_finish(e); /* the residues are the next batch's from here on */
}
