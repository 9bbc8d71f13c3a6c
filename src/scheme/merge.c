/* Ciphertexts come one after another, and are merged as a binary counter counts: level l holds at most one, of 2^l,
 * that waits for its right neighbour. So memory is that of few ciphertexts.
 *
 * Rotation 2^j is X -> X^(g^(2^j)), and g^(2^j) is 1 modulo 2^(j + 2) and no higher power of two, but for j = 0 where g
 * is 3 modulo 8. So it turns X^(N / 2^(j + 2)) into its negative, and keeps powers that earlier merges put in. g = 3
 * and the swap act on X^(N/4), whose fourth power is -1, as 3 and -1 modulo 8: these two merge four ciphertexts at a
 * time, by three key switches:
 *     sum over h in {1, 3, -1, -3} of s_h(sum over b of s_h^-1(X^(b N/4)) a_b),  s_-3 = s_-1 s_3. */
#include "merge.h"

#include <stdlib.h>

#include "base/bits.h"
#include "power_of_x.h"
#include "rlwe/rotation.h"
#include "slots.h"

enum { FOUR = 4, QUARTERS = 2 * FOUR, MOST_LEVELS = 32 };

struct hb_merger {
    hb_engine *engine;
    const hb_params *params;
    const hb_switch_keys *keys;
    hb_evaluator *evaluator;
    bool by_four;           /* the first merge is of four */
    uint32_t levels, depth; /* of merges of two: all that there are; those with a right neighbour */
    uint64_t sums;          /* ciphertexts at most */
    uint64_t added, nodes;  /* ciphertexts; those of four each, or the same */
    bool finished;
    hb_power quarter[FOUR];              /* X^(i N/4), but for i = 0 */
    hb_power power[MOST_LEVELS];         /* [depth] */
    hb_ciphertexts part, apart;          /* X^e b, and a - X^e b */
    hb_ciphertexts four[FOUR];           /* the sum of each h so far; without four the first is a copy */
    hb_ciphertexts waiting[MOST_LEVELS]; /* [depth + 1] */
};

static bool swaps_rows(const hb_params_spec *spec)
{
    return hb_slots_shape(spec).rows == 2;
}

bool hb_spec_merges(const hb_params_spec *spec)
{
    return swaps_rows(spec) || hb_slots_have_i(spec);
}

uint32_t hb_merged_coefficient(const hb_params_spec *spec, uint32_t place)
{
    const uint32_t half = (uint32_t)(spec->n / 2), bits = hb_bit_length(spec->n) - 1;
    if (swaps_rows(spec)) {
        return hb_bit_reverse(place, bits);
    }
    return hb_bit_reverse(place % half, bits - 1) + (place < half ? 0 : half);
}

/* Merges of two: by the rotations 1, 2, 4 .. N/4, of which four take the first. */
static uint32_t levels_of(const hb_params_spec *spec)
{
    return hb_bit_length(spec->n) - 2 - swaps_rows(spec);
}

static uint32_t depth_of(const hb_params_spec *spec, uint64_t sums)
{
    const uint64_t nodes = swaps_rows(spec) ? hb_divide_up(sums, FOUR) : sums;
    uint32_t depth = 0;
    while ((uint64_t)1 << depth < nodes) {
        depth++;
    }
    HB_ASSERT(sums >= 1 && depth <= levels_of(spec));
    return depth;
}

uint64_t hb_merge_switches(const hb_params_spec *spec, uint64_t sums)
{
    uint64_t nodes = swaps_rows(spec) ? hb_divide_up(sums, FOUR) : sums;
    uint64_t switches = swaps_rows(spec) ? (FOUR - 1) * nodes : 0;
    for (uint32_t l = 0; l < levels_of(spec); l++) {
        nodes = hb_divide_up(nodes, 2);
        switches += nodes;
    }
    return switches;
}

/* --- merging */

/* r += the automorphism of a, which may be r. */
static hb_status add_moved(const hb_merger *m, hb_ciphertexts r, hb_ciphertexts a, uint32_t element)
{
    const hb_switch_key *key = hb_rotation_key(m->evaluator, m->keys, element, r.all.limbs);
    if (key == NULL) {
        return HB_FAIL(HB_EDATA, "there is no key for the automorphism X -> X^%u, which sums of slots take", element);
    }
    return hb_evaluator_galois_add(m->evaluator, r, a, key);
}

static uint32_t element_of(const hb_merger *m, uint32_t level)
{
    return hb_slots_rotation(&m->params->spec, (int64_t)1 << (level + m->by_four));
}

/* left = both, as if right were X^e further; right stays. */
static hb_status merge(const hb_merger *m, uint32_t level, hb_ciphertexts left, hb_ciphertexts right)
{
    HB_TRY(hb_power_times(m->engine, &m->power[level], m->part, right));
    HB_TRY(hb_sub(m->engine, m->apart.all, left.all, m->part.all));
    HB_TRY(hb_add(m->engine, left.all, left.all, m->part.all));
    return add_moved(m, left, m->apart, element_of(m, level));
}

/* Takes the ciphertext of 2^level nodes in, and leaves memory for another one there. */
static hb_status push(hb_merger *m, uint32_t level, hb_ciphertexts *node)
{
    const uint64_t nodes = (uint64_t)1 << level;
    for (; (m->nodes >> level & 1) != 0; level++) {
        HB_TRY(merge(m, level, m->waiting[level], *node));
        const hb_ciphertexts free = *node;
        *node = m->waiting[level];
        m->waiting[level] = free;
    }
    const hb_ciphertexts free = m->waiting[level];
    m->waiting[level] = *node;
    *node = free;
    m->nodes += nodes;
    return HB_OK;
}

/* Adds a_b to the four sums, or to memory that holds anything. */
static hb_status add_to_four(hb_merger *m, uint32_t b, hb_ciphertexts a, bool first)
{
    static const uint32_t h[FOUR] = {1, 3, QUARTERS - 1, QUARTERS - 3}; /* each its own inverse modulo 8 */
    for (uint32_t i = 0; i < FOUR; i++) {
        const uint32_t exponent = b * h[i] % QUARTERS;
        const hb_batch to = m->four[i].all;
        hb_batch x = a.all;
        if (exponent % FOUR != 0) {
            HB_TRY(hb_power_times(m->engine, &m->quarter[exponent % FOUR], m->part, a));
            x = m->part.all;
        }
        if (first) {
            HB_TRY(hb_copy(m->engine, to, x));
        } else if (exponent < FOUR) {
            HB_TRY(hb_add(m->engine, to, to, x));
        } else {
            HB_TRY(hb_sub(m->engine, to, to, x));
        }
    }
    return HB_OK;
}

static hb_status close_four(hb_merger *m)
{
    const uint32_t three = hb_slots_rotation(&m->params->spec, 1), swap = hb_slots_swap(&m->params->spec);
    HB_TRY(add_moved(m, m->four[0], m->four[1], three));
    HB_TRY(add_moved(m, m->four[2], m->four[3], three));
    HB_TRY(add_moved(m, m->four[0], m->four[2], swap));
    return push(m, 0, &m->four[0]);
}

/* Merges of two that make a block of so many sums. */
static uint32_t level_of(const hb_merger *m, uint64_t sums)
{
    return hb_bit_length(m->by_four ? sums / FOUR : sums) - 1;
}

hb_status hb_merger_add(hb_merger *m, hb_ciphertexts a, uint64_t sums)
{
    HB_ASSERT(a.size == 2 && a.all.count == 2 && a.all.limbs == m->part.all.limbs);
    HB_ASSERT(m->added + sums <= m->sums && !m->finished); /* `waiting` has no room for more */
    const uint32_t i = (uint32_t)(m->added % FOUR);
    m->added += sums;
    if (!m->by_four || sums > 1) {
        HB_TRY(hb_copy(m->engine, m->four[0].all, a.all));
        return push(m, level_of(m, sums), &m->four[0]);
    }
    HB_TRY(add_to_four(m, i % 2 * 2 + i / 2, a, i == 0));
    return i == FOUR - 1 ? close_four(m) : HB_OK;
}

/* Brings what waits below `to` up to there: *all, which has the level `from` or is NULL, is then all of it, or NULL. */
static hb_status bring_up(hb_merger *m, uint32_t from, uint32_t to, const hb_ciphertexts **all)
{
    for (uint32_t level = from; level < to; level++) {
        const hb_ciphertexts *left = (m->nodes >> level & 1) != 0 ? &m->waiting[level] : NULL;
        if (left != NULL && *all != NULL) {
            HB_TRY(merge(m, level, *left, **all));
        } else if (left != NULL || *all != NULL) { /* without a right neighbour */
            const hb_ciphertexts alone = left != NULL ? *left : **all;
            HB_TRY(add_moved(m, alone, alone, element_of(m, level)));
        }
        *all = left != NULL ? left : *all;
    }
    return HB_OK;
}

/* Closes the last four, where they are fewer. */
static hb_status close_last(hb_merger *m)
{
    return m->by_four && m->added % FOUR != 0 ? close_four(m) : HB_OK;
}

hb_status hb_merger_take(hb_merger *m, uint64_t sums, hb_ciphertexts *out)
{
    const uint32_t level = level_of(m, sums);
    const hb_ciphertexts *all = NULL;
    HB_ASSERT(m->added > 0 && m->added <= sums && !m->finished && level <= m->levels);
    HB_TRY(close_last(m));
    HB_TRY(bring_up(m, 0, level, &all));
    *out = all != NULL ? *all : m->waiting[level];
    m->added = m->nodes = 0;
    return HB_OK;
}

hb_status hb_merger_finish(hb_merger *m, const hb_ciphertexts *rest, uint64_t sums, hb_ciphertexts *out)
{
    const hb_ciphertexts *all = rest;
    HB_ASSERT((m->added > 0 || rest != NULL) && !m->finished);
    m->finished = true;
    HB_TRY(close_last(m));
    HB_TRY(bring_up(m, rest != NULL ? level_of(m, sums) : 0, m->levels, &all));
    *out = all != NULL ? *all : m->waiting[m->levels];
    return HB_OK;
}

/* --- opening */

static hb_status make_powers(hb_merger *m)
{
    const uint32_t n = (uint32_t)m->params->spec.n;
    for (uint32_t i = 1; m->by_four && i < FOUR; i++) {
        HB_TRY(hb_power_init(&m->quarter[i], m->engine, m->params, i * (n / FOUR), m->part.all.limbs));
    }
    for (uint32_t l = 0; l < m->depth; l++) {
        HB_TRY(hb_power_init(&m->power[l], m->engine, m->params, n >> (l + 2 + m->by_four), m->part.all.limbs));
    }
    return HB_OK;
}

static hb_status open_merger(hb_merger *m, uint32_t limbs)
{
    const hb_evaluator_requirements wanted = {.limbs = limbs, .count = 1, .switching = true};
    HB_TRY(hb_evaluator_open(m->engine, m->params, &wanted, &m->evaluator));
    HB_TRY(hb_ciphertexts_alloc(&m->part, m->engine, m->params, 2, 1, limbs));
    HB_TRY(hb_ciphertexts_alloc(&m->apart, m->engine, m->params, 2, 1, limbs));
    for (uint32_t i = 0; i < (m->by_four ? FOUR : 1); i++) {
        HB_TRY(hb_ciphertexts_alloc(&m->four[i], m->engine, m->params, 2, 1, limbs));
    }
    for (uint32_t l = 0; l <= m->depth; l++) {
        HB_TRY(hb_ciphertexts_alloc(&m->waiting[l], m->engine, m->params, 2, 1, limbs));
    }
    return make_powers(m);
}

hb_status hb_merger_open(hb_engine *engine, const hb_params *params, uint32_t limbs, uint64_t sums,
                         const hb_switch_keys *keys, hb_merger **out)
{
    hb_merger *m = calloc(1, sizeof *m);
    *out = NULL;
    if (m == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for sums of slots");
    }
    HB_ASSERT(hb_spec_merges(&params->spec) && sums <= params->spec.n / 2);
    m->engine = engine;
    m->params = params;
    m->keys = keys;
    m->sums = sums;
    m->by_four = swaps_rows(&params->spec);
    m->levels = levels_of(&params->spec);
    m->depth = depth_of(&params->spec, sums);
    const hb_status st = open_merger(m, limbs);
    if (st != HB_OK) {
        hb_merger_close(m);
        return st;
    }
    *out = m;
    return HB_OK;
}

void hb_merger_close(hb_merger *m)
{
    if (m == NULL) {
        return;
    }
    hb_evaluator_close(m->evaluator);
    hb_batch_free(m->engine, &m->part.all);
    hb_batch_free(m->engine, &m->apart.all);
    for (uint32_t i = 0; i < FOUR; i++) {
        hb_batch_free(m->engine, &m->four[i].all);
        hb_power_clear(&m->quarter[i], m->engine);
    }
    for (uint32_t l = 0; l < MOST_LEVELS; l++) {
        hb_batch_free(m->engine, &m->waiting[l].all);
        hb_power_clear(&m->power[l], m->engine);
    }
    free(m);
}

uint64_t hb_merger_bytes(const hb_params *params, uint32_t limbs, uint64_t sums)
{
    const hb_params_spec *spec = &params->spec;
    const hb_evaluator_requirements wanted = {.limbs = limbs, .count = 1, .switching = true};
    const uint64_t depth = depth_of(spec, sums), polynomial = (uint64_t)limbs * spec->n * sizeof(uint64_t);
    const uint64_t four = swaps_rows(spec) ? FOUR : 1; /* as opened: memory for them, and powers but for the first */
    const uint64_t ciphertexts = 3 + depth + four, powers = four - 1 + depth;
    const bool ntt = params->form == HB_NTT_FORM;
    const uint64_t kept = ntt ? levels_of(spec) * hb_evaluator_automorphism_bytes(params) : 0;
    return hb_evaluator_bytes(params, &wanted) + kept + 2 * ciphertexts * polynomial +
           powers * hb_power_bytes(params, limbs);
}
