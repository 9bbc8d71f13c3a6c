#include "key_switch_integer.h"

#include <stdlib.h>
#include <string.h>

#include "base/modarith.h"

enum { MOST_BITS = 49 /* of a prime of the base: an engine can add products of balanced words exactly in FP64 */ };

/* Bits that every sum of `digits` products stays below, in magnitude, for blocks of `each` limbs: digits below the
 * largest prime, twice over where signs flipped by an automorphism are made good (hoist.c), n products a
 * coefficient, and block integers below `each` times their product. A bit more tells signs apart, with half of the base
 * to spare. */
static uint32_t bits_needed(const hb_ring *ring, const uint16_t *ids, uint32_t digits, uint32_t each)
{
    hb_natural sum;
    uint64_t widest = 0;
    hb_natural_set(&sum, each);
    for (uint32_t i = 0; i <= digits; i++) {
        const uint64_t q = ring->moduli[ids[i]].value;
        widest = q > widest ? q : widest;
    }
    for (uint32_t i = 0; i <= each; i++) {
        hb_natural_mul_add(&sum, widest, 0);
    }
    hb_natural_mul_add(&sum, (uint64_t)digits << ring->log_n, 0);
    return hb_natural_bits(&sum) + 3;
}

/* The fewest of the auxiliary primes whose product has that many bits; 0: not all of them together, or they are
 * wide. */
static uint32_t primes_for(const hb_ring *ring, const uint16_t *auxiliary_ids, uint32_t candidates, uint32_t bits)
{
    hb_natural product;
    hb_natural_set(&product, 1);
    for (uint32_t w = 0; w < candidates && ring->moduli[auxiliary_ids[w]].bits <= MOST_BITS; w++) {
        hb_natural_mul_add(&product, ring->moduli[auxiliary_ids[w]].value, 0);
        if (hb_natural_bits(&product) > bits) {
            return w + 1;
        }
    }
    return 0;
}

/* Rates, in transforms of a limb by FP64, as measured on an H200: a limb through memory, of digits once and of sums
 * twice; a product of many; and transforms in integers. They compare two ways of one operation; how long it takes is
 * predicted elsewhere. The price of a limb that travels is not among them, as it depends on the links. */
static const double memory_rate = 0.3, product_rate = 0.08, integer_rate = 1.75;
/* Keys over the integers take more memory: there has to be some gain. */
static const double enough_gain = 0.9;

/* Work on the highest level. */
static double work_of(uint32_t digits, uint32_t limbs, uint32_t outputs, double transform, double product)
{
    return limbs *
           (digits * (transform + memory_rate) + outputs * (transform + 2 * memory_rate) + product * digits * outputs);
}

/* Returns the work of so many limbs that come from other members, a share of which the member has itself. */
static double travel_work(const hb_key_switch_chain *chain, double limbs)
{
    return chain->members > 1 ? chain->travel * limbs * (1 - 1.0 / chain->members) : 0;
}

/* The digits come to everyone in any case; here the special limbs of both components as well. */
static double classic_work(const hb_key_switch_chain *chain)
{
    double work = 0;
    for (uint32_t i = 0; i <= chain->digits; i++) {
        work += work_of(chain->digits, 1, 2, chain->ring->moduli[chain->ids[i]].f64 != 0 ? 1 : integer_rate, 0);
    }
    return work / chain->members + travel_work(chain, 2);
}

/* Work on the member with most of the base's primes: the sums come to slices of the coefficients, and the quotients
 * back. */
static double integer_work(const hb_key_switch_chain *chain, uint32_t limbs, uint32_t blocks)
{
    const uint32_t most = (limbs + chain->members - 1) / chain->members;
    const double sums = 2.0 * blocks * limbs / chain->members, quotients = 2.0 * chain->digits / chain->members;
    return work_of(chain->digits, most, 2 * blocks, 1, product_rate) + travel_work(chain, sums + quotients);
}

hb_key_switch_shape hb_key_switch_shape_of(const hb_key_switch_chain *chain)
{
    hb_key_switch_shape chosen = {.limbs = 0};
    double least = enough_gain * classic_work(chain);
    for (uint32_t each = 1; each <= chain->digits + 1; each++) {
        const uint32_t bits = bits_needed(chain->ring, chain->ids, chain->digits, each);
        const uint32_t limbs = primes_for(chain->ring, chain->auxiliary_ids, chain->candidates, bits);
        const uint32_t blocks = (chain->digits + each) / each;
        const double work = integer_work(chain, limbs, blocks);
        if (limbs > 0 && work < least) {
            least = work;
            chosen = (hb_key_switch_shape){limbs, each, blocks};
        }
    }
    return chosen;
}

/* V mod the primes of the block from sum_j y_j Ahat_j = V + k A, k the nearest integer to its quotient by A. */
static hb_status init_from_base(hb_key_switch_block *block, const hb_basis *base)
{
    const hb_ring *ring = base->ring;
    const hb_basis *to = &block->basis;
    hb_base_conversion *c = &block->from_base;
    HB_TRY(hb_base_conversion_alloc(c, base->ids, base->limbs, to->ids, to->limbs, false, true));
    c->overflow->kind = HB_OVERFLOW_NEAREST;
    c->overflow->inverses = calloc(base->limbs, sizeof *c->overflow->inverses);
    if (c->overflow->inverses == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the constants of key switching");
    }
    hb_base_conversion_unscale(c);
    for (uint32_t j = 0; j < base->limbs; j++) {
        c->overflow->inverses[j] = 1 / (double)ring->moduli[base->ids[j]].value;
    }
    for (uint32_t o = 0; o < to->limbs; o++) {
        const hb_modulus *q = &ring->moduli[to->ids[o]];
        c->overflow->factors[o] = hb_mod_negate(hb_natural_mod(&base->product, q), q);
        hb_basis_punctured(base, q, &c->matrix[(size_t)o * base->limbs]);
    }
    return HB_OK;
}

static hb_status init_blocks(hb_key_switch_integer *base, uint32_t key_limbs)
{
    const hb_basis *a = &base->basis;
    base->block = calloc(base->blocks, sizeof *base->block);
    if (base->block == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the constants of key switching");
    }
    for (uint32_t b = 0; b < base->blocks; b++) {
        hb_key_switch_block *block = &base->block[b];
        const uint32_t limbs = hb_key_switch_block_limbs(base, b, key_limbs - 1);
        HB_TRY(hb_basis_init(&block->basis, a->ring, base->order + b * base->each, limbs));
        HB_TRY(hb_base_conversion_init(&block->to_base, &block->basis, NULL, a->ids, a->limbs));
        HB_TRY(init_from_base(block, a));
    }
    return HB_OK;
}

hb_status hb_key_switch_integer_init(hb_key_switch_integer *base, const hb_key_switch_chain *chain,
                                     hb_key_switch_shape shape)
{
    memset(base, 0, sizeof *base);
    if (shape.limbs == 0) {
        return HB_OK;
    }
    base->each = shape.each;
    base->blocks = shape.blocks;
    HB_TRY(hb_basis_init(&base->basis, chain->ring, chain->auxiliary_ids, shape.limbs));
    base->order[0] = chain->ids[chain->digits];
    memcpy(base->order + 1, chain->ids, chain->digits * sizeof *chain->ids);
    return init_blocks(base, chain->digits + 1);
}

void hb_key_switch_integer_clear(hb_key_switch_integer *base)
{
    for (uint32_t b = 0; base->block != NULL && b < base->blocks; b++) {
        hb_base_conversion_clear(&base->block[b].to_base);
        hb_base_conversion_clear(&base->block[b].from_base);
    }
    free(base->block);
    memset(base, 0, sizeof *base);
}

uint32_t hb_key_switch_blocks(const hb_key_switch_integer *base, uint32_t k)
{
    return (k + base->each) / base->each;
}

hb_batch hb_key_switch_block_view(const hb_engine *e, const hb_key_switch_integer *base, uint32_t b, hb_batch a,
                                  hb_limb_address limb_addresses[HB_MAX_LIMBS])
{
    const uint32_t first = b * base->each, special = a.limbs - 1;
    hb_batch view = a;
    view.ids = base->order + first;
    view.limbs = hb_key_switch_block_limbs(base, b, special);
    view.limb_addresses = limb_addresses;
    for (uint32_t i = 0, here = 0; i < view.limbs; i++) {
        const uint32_t at = first + i == 0 ? special : first + i - 1;
        if (hb_limb_here(e, a.ids[at])) {
            limb_addresses[here++] = hb_batch_limb_address(e, a, hb_limbs_here(e, a.ids, at));
        }
    }
    return view;
}
