/* The two extendable-output functions behind prng.h. They are written here because libsodium has no SHAKE and no access
 * to the parameter block of BLAKE2b, and OpenSSL, which has SHAKE256, would be a dependency for some ten lines. */
#ifndef HB_IO_SEAL_PRNG_PRIVATE_H
#define HB_IO_SEAL_PRNG_PRIVATE_H

#include "prng.h"

/* Computes BLAKE2Xb (Aumasson, Neves, Wilcox-O'Hearn, Winnerlein: BLAKE2X, 2016) of an 8-byte message under a 64-byte
 * key, 4096 bytes long. */
void hb_seal_blake2xb(uint8_t block[HB_SEAL_BLOCK_BYTES], const uint8_t key[HB_SEAL_SEED_BYTES], uint64_t message);
/* Computes SHAKE256 (FIPS 202) of the seed and 8 bytes, 4096 bytes long. */
void hb_seal_shake256(uint8_t block[HB_SEAL_BLOCK_BYTES], const uint8_t seed[HB_SEAL_SEED_BYTES], uint64_t message);

#endif
