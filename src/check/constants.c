/* Constants of the operations: residues as random as the operands, and borders that are met. */
#include <stdlib.h>
#include <string.h>

#include "check_private.h"
#include "ring/convert_arith.h"

/* Every third entry is m - 1: the longest sums. */
static uint64_t entry(const hb_ring *ring, uint16_t id, size_t i, uint64_t *state)
{
    const uint64_t m = ring->moduli[id].value, residue = hb_check_residue(m, state);
    return i % 3 == 0 ? m - 1 : residue;
}

static void fill_conversion(hb_base_conversion *c, const hb_ring *ring, uint64_t *state)
{
    for (uint32_t i = 0; i < c->from_limbs; i++) {
        c->scale[i] = hb_check_residue(ring->moduli[c->from_ids[i]].value, state);
    }
    for (uint32_t o = 0; o < c->to_limbs; o++) {
        for (uint32_t i = 0; i < c->from_limbs; i++) {
            c->matrix[(size_t)o * c->from_limbs + i] = entry(ring, c->to_ids[o], i, state);
        }
        if (c->keep != NULL) {
            c->keep[o] = entry(ring, c->to_ids[o], o, state);
        }
        if (c->overflow != NULL) {
            c->overflow->factors[o] = entry(ring, c->to_ids[o], o + 1, state);
        }
    }
}

static void fill_binary(hb_overflow *v, uint32_t limbs, uint64_t *state)
{
    v->kind = HB_OVERFLOW_BINARY;
    v->half = HB_OVERFLOW_WORD / 2;
    for (uint32_t i = 0; i < limbs; i++) {
        v->weights[i] = hb_check_random(state) % HB_OVERFLOW_WORD;
    }
}

static void fill_modular(hb_overflow *v, const hb_ring *ring, uint16_t id, uint32_t limbs, uint64_t *state)
{
    v->id = id;
    v->half = ring->moduli[id].value / 2 + 1;
    for (uint32_t i = 0; i < limbs; i++) {
        v->weights[i] = hb_check_residue(ring->moduli[id].value, state);
    }
}

/* Any weights and any border: fixed-point sums of words that are no fractions. */
static void fill_rounded(hb_overflow *v, uint32_t limbs, uint64_t *state)
{
    v->kind = HB_OVERFLOW_ROUNDED;
    v->half = hb_check_random(state);
    for (uint32_t i = 0; i < limbs; i++) {
        v->weights[i] = hb_check_random(state);
    }
}

/* The overflow is word i itself. Words m - 1 and m - 2, or m / 2 and m / 2 + 1, are among those of the operands. */
static void meet_border(hb_base_conversion *c, const hb_ring *ring, uint32_t i)
{
    const uint64_t low = (ring->moduli[c->from_ids[i]].value - 1) % HB_OVERFLOW_WORD;
    hb_overflow *v = c->overflow;
    memset(v->weights, 0, c->from_limbs * sizeof *v->weights);
    v->weights[i] = 1;
    c->scale[i] = 1;
    if (v->kind == HB_OVERFLOW_BINARY) {
        v->half = low != 0 ? low : HB_OVERFLOW_WORD;
    }
}

static hb_status make_conversions(hb_check *k, uint64_t *state)
{
    const hb_check_shape *s = &k->shape;
    const uint16_t *both = k->plain_gamma_ids, last = s->ids[s->limbs - 1];
    hb_base_conversion *c = k->conversion;
    const struct {
        const uint16_t *from, *to;
        bool keep, overflow;
    } kinds[HB_CHECK_CONVERSIONS] = {
        [HB_CHECK_TO_PLAIN_GAMMA] = {s->ids, both, false, false},
        [HB_CHECK_FROM_PLAIN_GAMMA] = {both, s->ids, false, false},
        [HB_CHECK_SCALED] = {s->ids, s->ids, false, false},
        [HB_CHECK_BINARY] = {s->ids, s->ids, false, true},
        [HB_CHECK_BINARY_BORDER] = {s->ids, both, false, true},
        [HB_CHECK_MODULAR] = {s->ids, s->ids, true, true},
        [HB_CHECK_GAMMA_OVERFLOW] = {both, s->ids, true, true},
        [HB_CHECK_CENTRED] = {s->ids, s->ids, false, true},
        [HB_CHECK_ROUNDED] = {s->ids, s->ids, true, true},
    };
    for (int i = 0; i < HB_CHECK_CONVERSIONS; i++) {
        HB_TRY(hb_base_conversion_alloc(&c[i], kinds[i].from, kinds[i].from == both ? 2 : s->limbs, kinds[i].to,
                                        kinds[i].to == both ? 2 : s->limbs, kinds[i].keep, kinds[i].overflow));
        fill_conversion(&c[i], k->ring, state);
    }
    for (int i = HB_CHECK_TO_PLAIN_GAMMA; i <= HB_CHECK_FROM_PLAIN_GAMMA; i++) { /* these take words as they are */
        hb_base_conversion_unscale(&c[i]);
    }
    fill_binary(c[HB_CHECK_BINARY].overflow, s->limbs, state);
    fill_binary(c[HB_CHECK_BINARY_BORDER].overflow, s->limbs, state);
    fill_modular(c[HB_CHECK_MODULAR].overflow, k->ring, last, s->limbs, state);
    fill_modular(c[HB_CHECK_GAMMA_OVERFLOW].overflow, k->ring, s->gamma_id, 2, state);
    hb_base_conversion_unscale(&c[HB_CHECK_CENTRED]);
    c[HB_CHECK_CENTRED].overflow->kind = HB_OVERFLOW_CENTRED;
    fill_rounded(c[HB_CHECK_ROUNDED].overflow, s->limbs, state);
    meet_border(&c[HB_CHECK_BINARY_BORDER], k->ring, 0);
    meet_border(&c[HB_CHECK_MODULAR], k->ring, s->limbs - 1);
    return HB_OK;
}

hb_status hb_check_make_constants(hb_check *k, uint64_t *state)
{
    const hb_check_shape *s = &k->shape;
    const uint64_t t = k->ring->moduli[s->plain_id].value, gamma = k->ring->moduli[s->gamma_id].value;
    k->seeds = calloc(s->count, sizeof *k->seeds);
    k->factors = calloc(s->limbs, sizeof *k->factors);
    k->norms = calloc(s->count * s->limbs, sizeof *k->norms);
    if (k->seeds == NULL || k->factors == NULL || k->norms == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory to check the engine with");
    }
    for (size_t c = 0; c < s->count; c++) {
        for (size_t i = 0; i < HB_SEED_BYTES; i++) {
            k->seeds[c].bytes[i] = (uint8_t)hb_check_random(state);
        }
    }
    for (uint32_t l = 0; l < s->limbs; l++) {
        k->factors[l] = entry(k->ring, s->ids[l], l, state);
    }
    const uint16_t last = s->ids[s->limbs - 1];
    k->scale_plain = (hb_scale_plain){s->plain_id, hb_check_residue(t, state), (t + 1) / 2, k->factors};
    k->plain_lift = (hb_plain_lift){s->plain_id, (t + 1) / 2, true};
    k->gamma_correction = (hb_gamma_correction){s->plain_id,
                                                s->gamma_id,
                                                {hb_check_residue(t, state), hb_check_residue(gamma, state)},
                                                hb_check_residue(t, state)};
    k->drop_last = (hb_drop_last){last, k->ring->moduli[last].value / 2, k->factors};
    k->drop_gamma = (hb_drop_last){s->gamma_id, gamma / 2, &k->gamma_correction.inverse_gamma};
    HB_TRY(make_conversions(k, state));
    HB_TRY(hb_basis_init(&k->basis, k->ring, s->ids, s->limbs));
    return hb_garner_init(&k->garner, &k->basis);
}

void hb_check_clear_constants(hb_check *k)
{
    hb_garner_clear(&k->garner);
    for (int i = 0; i < HB_CHECK_CONVERSIONS; i++) {
        hb_base_conversion_clear(&k->conversion[i]);
    }
    free(k->norms);
    free(k->factors);
    free(k->seeds);
}
