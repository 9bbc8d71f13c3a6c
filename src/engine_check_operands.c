/* The operands: memory on both engines, words in it, constants. */
#include <stdlib.h>
#include <string.h>

#include "engine_check_private.h"

/* Words around the polynomials: even, as engines may want rows on a 16-byte grid, and no multiple of 64 bytes. */
enum { HEAD = 2, GAP = 6 };

static void describe_polynomials(hb_check *k, hb_check_operand which, size_t count, const uint16_t *ids, uint32_t limbs)
{
    const size_t n = k->ring->n, stride = limbs * n + GAP;
    k->area[which] = (hb_check_area){.ids = ids,
                                     .limbs = limbs,
                                     .count = count,
                                     .n = n,
                                     .stride = stride,
                                     .head = HEAD,
                                     .words = HEAD + count * stride};
}

static void describe(hb_check *k)
{
    const hb_check_shape *s = &k->shape;
    const size_t rows = s->count + 2;
    describe_polynomials(k, HB_CHECK_R, s->count, s->ids, s->limbs);
    describe_polynomials(k, HB_CHECK_A, s->count, s->ids, s->limbs);
    describe_polynomials(k, HB_CHECK_B, s->count, s->ids, s->limbs);
    describe_polynomials(k, HB_CHECK_ONE, 1, s->ids, s->limbs);
    describe_polynomials(k, HB_CHECK_SCRATCH, s->count, s->ids, s->limbs);
    describe_polynomials(k, HB_CHECK_PLAIN, s->count, k->plain_gamma_ids, 1);
    describe_polynomials(k, HB_CHECK_PLAIN_GAMMA, s->count, k->plain_gamma_ids, 2);
    k->area[HB_CHECK_PACKED] = (hb_check_area){.ids = s->ids,
                                               .limbs = s->limbs,
                                               .count = rows,
                                               .by_limbs = true,
                                               .words = rows * hb_packed_bytes(k->ring, s->ids, s->limbs) / 8};
    const size_t digest = HB_DIGEST_BYTES / 8;
    k->area[HB_CHECK_DIGESTS] = (hb_check_area){.ids = s->ids,
                                                .limbs = s->limbs,
                                                .count = rows,
                                                .n = digest,
                                                .by_limbs = true,
                                                .words = rows * s->limbs * digest};
    k->area[HB_CHECK_NORMS] = (hb_check_area){
        .ids = s->ids, .limbs = s->limbs, .count = s->count, .n = 1, .stride = s->limbs, .words = s->count * s->limbs};
    k->area[HB_CHECK_MAP] = (hb_check_area){.n = k->ring->n, .count = 1, .by_limbs = true, .words = k->ring->n / 2};
    k->area[HB_CHECK_OUT_OF_RANGE] = (hb_check_area){.n = 1, .count = 1, .by_limbs = true, .words = 1};
}

/* Any residue mod m; m = 0: any word. */
static uint64_t random_residue(uint64_t m, uint64_t *state)
{
    const uint64_t w = hb_check_random(state);
    return m == 0 ? w : w % m;
}

/* Polynomials are in turn: random words with an extreme one in all limbs at once here and there, which makes
 * extremes of the number that the limbs stand for; nothing but 0 and m - 1, the longest sums; random words. */
static void fill(const hb_check *k, const hb_check_area *a, uint64_t *words, uint64_t *state)
{
    for (size_t i = 0; i < a->words; i++) {
        words[i] = hb_check_random(state);
    }
    for (size_t c = 0; a->ids != NULL && !a->by_limbs && c < a->count; c++) {
        for (size_t j = 0; j < a->n; j++) {
            const uint64_t w = hb_check_random(state);
            const bool extreme = c % 3 == 1 || (c % 3 == 0 && w % 4 == 0);
            for (uint32_t l = 0; l < a->limbs; l++) {
                const uint64_t m = k->ring->moduli[a->ids[l]].value;
                const uint64_t extremes[] = {0, m - 1, 1, m / 2, m / 2 + 1, m - 2, m / 2 - 1, 0};
                const size_t kinds = c % 3 == 1 ? 2 : sizeof extremes / sizeof extremes[0];
                words[a->head + c * a->stride + l * a->n + j] =
                    extreme ? extremes[(w >> 8) % kinds] % m : random_residue(m, state);
            }
        }
    }
}

/* A permutation: n is a power of two and the factor odd. Neighbours come from far apart and there is no symmetry. */
static void fill_map(uint64_t *words, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        const uint32_t from = (uint32_t)((j * (n / 2 + n / 8 + 5) + 3) % n);
        memcpy((char *)words + j * sizeof from, &from, sizeof from);
    }
}

static hb_status place_area(hb_check *k, hb_check_operand which, uint64_t *state)
{
    hb_check_area *a = &k->area[which];
    const size_t bytes = a->words * sizeof *k->pair.host;
    fill(k, a, k->pair.host, state);
    if (which == HB_CHECK_MAP) {
        fill_map(k->pair.host, k->ring->n);
    }
    for (int side = 0; side < HB_SIDES; side++) {
        hb_engine *e = k->pair.engine[side];
        void *memory = NULL;
        HB_TRY(hb_check_named("memory", hb_alloc(e, bytes, &memory)));
        a->memory[side] = memory;
        if ((uintptr_t)memory % 64 != 0) {
            return HB_FAIL(HB_EUNAVAILABLE, "memory: its address is no multiple of 64 bytes");
        }
        HB_TRY(hb_check_named("upload", hb_upload(e, memory, k->pair.host, bytes)));
        HB_TRY(hb_check_named("upload", hb_finish(e)));
    }
    return HB_OK;
}

/* Rows of to_limbs residues; from and to may be any moduli. */
static hb_status make_conversion(hb_base_conversion *c, const hb_ring *ring, const uint16_t *from, uint32_t from_limbs,
                                 const uint16_t *to, uint32_t to_limbs, uint64_t *state)
{
    const size_t entries = (size_t)to_limbs * from_limbs;
    *c = (hb_base_conversion){.from_limbs = from_limbs,
                              .to_limbs = to_limbs,
                              .from_ids = from,
                              .to_ids = to,
                              .matrix = malloc(entries * sizeof *c->matrix)};
    if (c->matrix == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a base conversion");
    }
    for (size_t i = 0; i < entries; i++) {
        const uint64_t m = ring->moduli[to[i / from_limbs]].value;
        c->matrix[i] = i % 3 == 0 ? m - 1 : random_residue(m, state);
    }
    return HB_OK;
}

static hb_status make_constants(hb_check *k, uint64_t *state)
{
    const hb_check_shape *s = &k->shape;
    const uint64_t t = k->ring->moduli[s->plain_id].value, gamma = k->ring->moduli[s->gamma_id].value;
    for (size_t c = 0; c < s->count; c++) {
        for (size_t i = 0; i < HB_SEED_BYTES; i++) {
            k->seeds[c].bytes[i] = (uint8_t)hb_check_random(state);
        }
    }
    for (uint32_t l = 0; l < s->limbs; l++) {
        const uint64_t m = k->ring->moduli[s->ids[l]].value;
        k->factors[l] = l == 0 ? m - 1 : random_residue(m, state);
    }
    const uint16_t last = s->ids[s->limbs - 1];
    k->scale_plain = (hb_scale_plain){s->plain_id, random_residue(t, state), (t + 1) / 2, k->factors};
    k->gamma_correction = (hb_gamma_correction){
        s->plain_id, s->gamma_id, {random_residue(t, state), random_residue(gamma, state)}, random_residue(t, state)};
    k->drop_last = (hb_drop_last){last, k->ring->moduli[last].value / 2, k->factors};
    k->drop_gamma = (hb_drop_last){s->gamma_id, gamma / 2, &k->gamma_correction.inverse_gamma};
    HB_TRY(make_conversion(&k->to_plain_gamma, k->ring, s->ids, s->limbs, k->plain_gamma_ids, 2, state));
    HB_TRY(make_conversion(&k->from_plain_gamma, k->ring, k->plain_gamma_ids, 2, s->ids, s->limbs, state));
    HB_TRY(hb_basis_init(&k->basis, k->ring, s->ids, s->limbs));
    return hb_garner_init(&k->garner, &k->basis);
}

hb_status hb_check_init(hb_check *k, hb_engine *engine, hb_engine *cpu, const hb_check_shape *shape)
{
    k->pair = (hb_check_pair){.engine = {engine, cpu}};
    k->shape = *shape;
    k->ring = cpu->ring;
    k->plain_gamma_ids[0] = shape->plain_id;
    k->plain_gamma_ids[1] = shape->gamma_id;
    describe(k);
    size_t most = 0;
    for (int i = 0; i < HB_CHECK_OPERANDS; i++) {
        most = k->area[i].words > most ? k->area[i].words : most;
    }
    k->pair.host = malloc(most * sizeof *k->pair.host);
    k->seeds = calloc(shape->count, sizeof *k->seeds);
    k->factors = calloc(shape->limbs, sizeof *k->factors);
    k->norms = calloc(shape->count * shape->limbs, sizeof *k->norms);
    if (k->pair.host == NULL || k->seeds == NULL || k->factors == NULL || k->norms == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory to check the engine with");
    }
    uint64_t state = shape->seed;
    for (int i = 0; i < HB_CHECK_OPERANDS; i++) {
        HB_TRY(place_area(k, (hb_check_operand)i, &state));
    }
    return make_constants(k, &state);
}

void hb_check_clear(hb_check *k)
{
    for (int i = 0; i < HB_CHECK_OPERANDS; i++) {
        for (int side = 0; side < HB_SIDES; side++) {
            hb_free(k->pair.engine[side], k->area[i].memory[side]);
        }
    }
    hb_garner_clear(&k->garner);
    hb_base_conversion_clear(&k->to_plain_gamma);
    hb_base_conversion_clear(&k->from_plain_gamma);
    free(k->norms);
    free(k->factors);
    free(k->seeds);
    free(k->pair.host);
}

hb_engine *hb_check_engine(const hb_check *k, int side)
{
    return k->pair.engine[side];
}

hb_batch hb_check_result(const hb_check *k, int side)
{
    return hb_check_view(k, side, HB_CHECK_R);
}

hb_batch hb_check_view(const hb_check *k, int side, int which)
{
    const hb_check_area *a = &k->area[which];
    return (hb_batch){a->memory[side] + a->head, a->ids, a->limbs, a->count, a->stride};
}
