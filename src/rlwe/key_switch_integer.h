/* Key switching over the integers (Kim, Lee, Seo, Song: "Accelerating HE Operations from Key Decomposition Technique",
 * CRYPTO 2023), for the keys and the bits of semantics.md 6.8, 7.
 *
 * Every digit of a ciphertext, an integer polynomial, is multiplied by a part of the key modulo each prime: k (k + 1)
 * transforms at a level of k limbs. But the residues of a part modulo a block of primes are one integer polynomial, and
 * sums of products of integer polynomials are integers of bounded size. So they are computed in a base of a few primes,
 * where each digit is transformed once for all blocks, and are then reduced modulo the primes of the block. The result
 * is exactly SEAL's. The primes of the base suit the FP64 path, also where those of the chain do not. */
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

/* For `digits` data primes ids[0] .. and the special prime ids[digits], and a base of leading ones of the `candidates`
 * auxiliary primes. base->basis.limbs is 0 where no choice of blocks needs less work than the primes of the chain. ids
 * and auxiliary_ids are borrowed. HB_ENOMEM. The caller clears it whatever happens; a zeroed struct is allowed. */
hb_status hb_key_switch_integer_init(hb_key_switch_integer *base, const hb_ring *ring, const uint16_t *ids,
                                     uint32_t digits, const uint16_t *auxiliary_ids, uint32_t candidates);
void hb_key_switch_integer_clear(hb_key_switch_integer *base);

/* Blocks that hold the special prime and the first k data primes. */
uint32_t hb_key_switch_blocks(const hb_key_switch_integer *base, uint32_t k);
/* The limbs of block b of a, whose limbs are data primes 0 .. and, last, the special prime. Fills limb_addresses. */
hb_batch hb_key_switch_block_view(const hb_engine *e, const hb_key_switch_integer *base, uint32_t b, hb_batch a,
                                  hb_limb_address limb_addresses[HB_MAX_LIMBS]);

#endif
