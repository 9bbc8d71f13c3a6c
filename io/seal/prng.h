/* The byte streams into which Microsoft SEAL expands the seeds of its files, and its uniform sampling (semantics.md
 * 4.1). SEAL's seeds have 64 bytes, hebatch's 32. */
#ifndef HB_IO_SEAL_PRNG_H
#define HB_IO_SEAL_PRNG_H

#include <stddef.h>
#include <stdint.h>

#define HB_SEAL_SEED_BYTES 64
#define HB_SEAL_BLOCK_BYTES 4096 /* 2^12 */

/* The generator of a seed. Values are those of SEAL's files. */
typedef enum hb_seal_prng_kind { HB_SEAL_BLAKE2XB = 1, HB_SEAL_SHAKE256 = 2 } hb_seal_prng_kind;

/* A public seed of a file. */
typedef struct hb_seal_seed {
    hb_seal_prng_kind kind;
    uint8_t bytes[HB_SEAL_SEED_BYTES];
} hb_seal_seed;

/* Writes block `counter` of the stream of a seed. */
void hb_seal_prng_block(uint8_t block[HB_SEAL_BLOCK_BYTES], const hb_seal_seed *seed, uint64_t counter);

/* Samples words [limbs][n], residues of limb l uniform in [0, primes[l]), for primes of at most 61 bits, as SEAL does,
 * word for word. */
void hb_seal_sample_uniform(uint64_t *words, size_t n, const uint64_t *primes, uint32_t limbs,
                            const hb_seal_seed *seed);

#endif
