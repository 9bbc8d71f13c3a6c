/* The elements of SEAL's objects. Functions that read and write return statuses as object.h says. */
#ifndef HB_IO_SEAL_OBJECT_PRIVATE_H
#define HB_IO_SEAL_OBJECT_PRIVATE_H

#include "object.h"

/* Bytes of an array of `words` words with its header. */
#define HB_SEAL_ARRAY_BYTES(words) (HB_SEAL_HEADER_BYTES + 8 + 8 * (uint64_t)(words))

/* Returns the limbs of the level that the identifier names; 0 if it names none of these parameters. */
uint32_t hb_seal_chain_level(const hb_seal_chain *chain, const uint8_t id[HB_DIGEST_BYTES]);
/* Returns the modulus of plaintexts; NULL where they have the moduli of their level (parameters.c). */
const uint64_t *hb_seal_plain_modulus(const hb_params_spec *spec);
/* Reads the header of an array and its count, in *words; the caller checks the count, reads the words, and calls
 * hb_seal_object_end. */
hb_status hb_seal_array_begin(hb_seal_reader *reader, uint64_t *words, uint64_t *end);
hb_status hb_seal_array_write(hb_seal_writer *writer, const uint64_t *words, size_t count);
hb_status hb_seal_double_read(hb_seal_reader *reader, double *value);
hb_status hb_seal_double_write(hb_seal_writer *writer, double value);
/* Returns HB_EDATA unless every word of limb l of [polynomials][limbs][n] is below moduli[l]. */
hb_status hb_seal_check_range(const hb_seal_reader *reader, const uint64_t *words, uint64_t polynomials, size_t n,
                              const uint64_t *moduli, uint32_t limbs);
/* Returns the bytes of a ciphertext as it is written, with its header. */
uint64_t hb_seal_ciphertext_bytes(hb_seal_version version, size_t n, const hb_seal_ciphertext *head);
/* Writes a ciphertext without its own header. seed: where head->seeded, the seed that expands to the second polynomial;
 * else NULL. */
hb_status hb_seal_ciphertext_write(hb_seal_writer *writer, const hb_seal_chain *chain, const hb_seal_ciphertext *head,
                                   const uint64_t *words, const hb_seal_seed *seed);

#endif
