#include "part.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/modarith.h"

enum { WORD_BITS = 64 };

void hb_part_c1_digest(uint8_t digest[HB_DIGEST_BYTES], uint32_t limbs, const uint8_t *rows)
{
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch c1");
    hb_digest_add_u64(&state, limbs);
    hb_digest_add(&state, rows, (size_t)limbs * HB_DIGEST_BYTES);
    hb_digest_end(&state, digest);
}

void hb_part_context(uint8_t context[HB_DIGEST_BYTES], const hb_part_request *request,
                     const uint8_t c1_digest[HB_DIGEST_BYTES])
{
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch part");
    hb_digest_add(&state, request->session_id, HB_DIGEST_BYTES);
    hb_digest_add(&state, c1_digest, HB_DIGEST_BYTES);
    hb_digest_add_u64(&state, request->count);
    for (uint32_t i = 0; i < request->count; i++) {
        const size_t length = strnlen(request->owners[i].name, sizeof request->owners[i].name);
        hb_digest_add_u64(&state, length);
        hb_digest_add(&state, request->owners[i].name, length);
    }
    hb_digest_add_u64(&state, request->u);
    hb_digest_add_u64(&state, request->w);
    hb_digest_add(&state, request->cells, sizeof request->cells);
    hb_digest_add(&state, request->receiver, sizeof request->receiver);
    hb_digest_end(&state, context);
}

void hb_part_seed(hb_seed *seed, const hb_seed *own, const uint8_t context[HB_DIGEST_BYTES])
{
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch flood");
    hb_digest_add(&state, own->bytes, sizeof own->bytes);
    hb_digest_add(&state, context, HB_DIGEST_BYTES);
    hb_digest_end(&state, seed->bytes);
    hb_wipe(&state, sizeof state);
}

/* A factor modulo a prime, with Shoup's quotient. */
typedef struct factor {
    uint64_t value, quotient;
} factor;

struct hb_part_maker {
    hb_engine *engine;
    const hb_params *params;
    hb_part_plan plan;
    uint32_t limbs;
    size_t max_count;
    uint32_t words;     /* of U */
    hb_batch s;         /* view: the level's limbs of the secret */
    hb_batch noise;     /* [max_count][limbs] */
    uint64_t *drawn;    /* [2 + words][n]: A, B, U */
    uint64_t *residues; /* host, [max_count][limbs that are here][n] */
    size_t size;        /* of them, in words */
};

static size_t words_of_limb(const hb_part_maker *maker)
{
    return maker->params->spec.n;
}

static hb_status allocate(hb_part_maker *maker)
{
    hb_engine *e = maker->engine;
    const hb_params *params = maker->params;
    const size_t n = words_of_limb(maker);
    void *memory;
    maker->size = maker->max_count * hb_limbs_here(e, params->ids, maker->limbs) * n;
    maker->drawn = calloc((2 + (size_t)maker->words) * n, sizeof *maker->drawn);
    if (maker->drawn == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the noise of parts");
    }
    HB_TRY(hb_host_alloc(e, maker->size * sizeof *maker->residues, &memory));
    maker->residues = memory;
    return hb_batch_alloc(e, &maker->noise, maker->max_count, maker->limbs, params->ids);
}

hb_status hb_part_maker_open(hb_engine *engine, const hb_secret_key *secret, uint32_t limbs, const hb_part_plan *plan,
                             size_t max_count, hb_part_maker **out)
{
    const hb_params *params = secret->params;
    *out = NULL;
    HB_ASSERT(limbs >= 1 && limbs <= params->key_limbs && max_count > 0);
    HB_ASSERT(plan->u >= 1 && plan->w >= 1 && plan->w <= HB_PART_MOST_WIDTH);
    if (params->levels[limbs].basis.limbs == 0) {
        return HB_FAIL(HB_EDATA, "these parameters have no level of %" PRIu32 " limbs", limbs);
    }
    hb_part_maker *maker = calloc(1, sizeof *maker);
    if (maker == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for parts");
    }
    *maker = (hb_part_maker){.engine = engine,
                             .params = params,
                             .plan = *plan,
                             .limbs = limbs,
                             .max_count = max_count,
                             .words = (plan->u + WORD_BITS - 1) / WORD_BITS,
                             .s = hb_batch_limbs(engine, secret->s, 0, limbs)};
    const hb_status st = allocate(maker);
    if (st != HB_OK) {
        hb_part_maker_close(maker);
        return st;
    }
    *out = maker;
    return HB_OK;
}

void hb_part_maker_close(hb_part_maker *maker)
{
    if (maker == NULL) {
        return;
    }
    if (maker->drawn != NULL) {
        hb_wipe(maker->drawn, (2 + (size_t)maker->words) * words_of_limb(maker) * sizeof *maker->drawn);
    }
    if (maker->residues != NULL) {
        hb_wipe(maker->residues, maker->size * sizeof *maker->residues);
    }
    hb_batch_wipe(maker->engine, maker->noise);
    hb_batch_free(maker->engine, &maker->noise);
    hb_host_free(maker->engine, maker->residues);
    free(maker->drawn);
    free(maker);
}

uint64_t hb_part_maker_bytes(const hb_params *params, uint32_t limbs, size_t max_count)
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
static void draw(hb_part_maker *maker, const hb_seed *seed)
{
    const size_t n = words_of_limb(maker);
    const uint32_t w = maker->plan.w, u = maker->plan.u;
    uint64_t *a = maker->drawn, *b = a + n, *last = a + (1 + (size_t)maker->words) * n;
    for (uint32_t item = 0; item < 2 + maker->words; item++) {
        hb_keystream((uint8_t *)(a + item * n), n * sizeof *a, (hb_draw){seed, HB_DRAW_PART, item}, 0);
    }
    keep_bits(a, n, w);
    keep_bits(b, n, w);
    keep_bits(last, n, u - (maker->words - 1) * WORD_BITS);
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
static void reduce(const hb_part_maker *maker, uint64_t *residues, const hb_modulus *q)
{
    const size_t n = words_of_limb(maker);
    const uint32_t u = maker->plan.u, w = maker->plan.w;
    const uint64_t middle = hb_mod_add(hb_mod_pow(2, (uint64_t)u + w, q), hb_mod_pow(2, u - 1, q), q);
    for (size_t i = 0; i < n; i++) {
        residues[i] = hb_mod_negate(middle, q);
    }
    add_words(residues, maker->drawn, n, power_of_two(u, q), q);
    for (uint32_t k = 0; k < maker->words; k++) {
        add_words(residues, maker->drawn + (2 + k) * n, n, power_of_two((uint64_t)k * WORD_BITS, q), q);
    }
}

/* Brings the noise of `count` parts to the engine, in coefficient form. */
static hb_status make_noise(hb_part_maker *maker, hb_batch noise, const hb_seed *seeds)
{
    const hb_params *params = maker->params;
    uint64_t *row = maker->residues;
    for (size_t c = 0; c < noise.count; c++) {
        draw(maker, &seeds[c]);
        for (uint32_t l = 0; l < maker->limbs; l++) {
            if (hb_limb_here(maker->engine, params->ids[l])) {
                reduce(maker, row, &params->ring.moduli[params->ids[l]]);
                row += words_of_limb(maker);
            }
        }
    }
    return hb_upload(maker->engine, noise.data, maker->residues, (size_t)(row - maker->residues) * sizeof *row);
}

hb_status hb_part_make(hb_part_maker *maker, hb_batch h, hb_batch c1, const hb_seed *seeds)
{
    hb_engine *e = maker->engine;
    HB_ASSERT(h.limbs == maker->limbs && c1.count == h.count && h.count <= maker->max_count);
    if (h.count == 0) {
        return HB_OK;
    }
    hb_status st;
    const hb_batch noise = hb_batch_slice(maker->noise, 0, h.count);
    HB_GOTO(hb_ntt_mul(e, h, c1, maker->s));
    HB_GOTO(hb_intt(e, h));
    HB_GOTO(make_noise(maker, noise, seeds));
    HB_GOTO(hb_add(e, h, h, noise));
    HB_GOTO(hb_finish(e)); /* the residues are the next batch's from here on */
done:
    if (st != HB_OK) {
        hb_batch_wipe(e, h);
    }
    return st;
}
