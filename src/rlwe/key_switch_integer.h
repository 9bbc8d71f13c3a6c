/* Key switching over the integers (Kim, Lee, Seo, Song: "Accelerating HE Operations from Key Decomposition Technique",
 * CRYPTO 2023), for the keys and the bits of semantics.md 6.8, 7.
 *
 * Every digit of a ciphertext, an integer polynomial, is multiplied by a part of the key modulo each prime: k (k + 1)
 * transforms at a level of k limbs. But the residues of a part modulo a block of primes are one integer polynomial, and
 * sums of products of integer polynomials are integers of bounded size. So they are computed in a base of a few primes,
 * where each digit is transformed once for all blocks, and are then reduced modulo the primes of the block. The result
 * is exactly SEAL's. The primes of the base suit the FP64 path, also where those of the chain do not.
 *
 * Where limbs are divided over members each holds its primes of the base: of all digits, of the key and of the sums.
 * The digits' words come to everyone in one exchange; the sums go to slices of the coefficients in one, and the
 * quotients of their division back in another (hb_divide_blocks). Blocks are chosen for the member with most primes. */
#ifndef HB_RLWE_KEY_SWITCH_INTEGER_H
#define HB_RLWE_KEY_SWITCH_INTEGER_H

#include "ring/basis.h"
#include "ring/batch.h"

/* Primes of the key level whose residues make one integer. */
typedef struct hb_key_switch_block {
    hb_basis basis;
    hb_base_conversion to_base;   /* a representative in [0, limbs * the product of the block) */
    hb_base_conversion from_base; /* centred sums, times inverse_punctured of the base, to residues */
} hb_key_switch_block;

typedef struct hb_key_switch_integer {
    hb_basis basis; /* limbs: 0 where the parameters are better served modulo each prime */
    uint32_t each;  /* limbs of a block, but for the last one */
    uint32_t blocks;
    uint16_t order[HB_MAX_LIMBS]; /* [key limbs], cut into blocks: the special prime, then the data primes */
    hb_key_switch_block *block;   /* [blocks] */
} hb_key_switch_integer;

/* The chain, the primes that a base may have, and the members that share both. */
typedef struct hb_key_switch_chain {
    const hb_ring *ring;
    const uint16_t *ids; /* of `digits` data primes, then of the special one; borrowed */
    uint32_t digits;
    const uint16_t *auxiliary_ids; /* [candidates], of which a base takes the leading ones; borrowed */
    uint32_t candidates;
    uint32_t members; /* that share the limbs of both; 1: nothing is divided */
    double travel;    /* transforms of a limb that computing loses while one comes from another member */
} hb_key_switch_chain;

/* The shape of key switching over the integers; zeroed: keys are switched modulo each prime of the chain. */
typedef struct hb_key_switch_shape {
    uint32_t limbs;  /* primes of the base */
    uint32_t each;   /* primes of the chain in a block; the last block may have fewer */
    uint32_t blocks; /* at the highest level */
} hb_key_switch_shape;

/* Returns the shape with which the member that has most work has least of it; a zeroed one where it has less with each
 * prime by itself. */
hb_key_switch_shape hb_key_switch_shape_of(const hb_key_switch_chain *chain);
/* Makes the base of such a shape; base->basis.limbs is 0 where shape.limbs is. HB_ENOMEM. The caller clears it
 * whatever happens; a zeroed struct is allowed. */
hb_status hb_key_switch_integer_init(hb_key_switch_integer *base, const hb_key_switch_chain *chain,
                                     hb_key_switch_shape shape);
void hb_key_switch_integer_clear(hb_key_switch_integer *base);

/* Blocks that hold the special prime and the first k data primes. */
uint32_t hb_key_switch_blocks(const hb_key_switch_integer *base, uint32_t k);
/* Returns how many of the special prime and the first k data primes are of block b: the last one may have fewer. */
static inline uint32_t hb_key_switch_block_limbs(const hb_key_switch_integer *base, uint32_t b, uint32_t k)
{
    const uint32_t left = k + 1 - b * base->each;
    return left < base->each ? left : base->each;
}
/* The limbs of block b of a, whose limbs are data primes 0 .. and, last, the special prime. Fills limb_addresses. */
hb_batch hb_key_switch_block_view(const hb_engine *e, const hb_key_switch_integer *base, uint32_t b, hb_batch a,
                                  hb_limb_address limb_addresses[HB_MAX_LIMBS]);

#endif
