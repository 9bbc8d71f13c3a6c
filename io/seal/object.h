/* The objects in files of Microsoft SEAL (BFV, CKKS): parameters, plaintexts, secret keys, ciphertexts, public keys,
 * switching keys. Polynomials are words in host memory, [polynomial][limb][n]: canonical residues, in coefficient form
 * or in NTT form, which SEAL and hebatch define alike (semantics.md 2.2). Every count is compared with the parameters
 * before anything is read by it. Functions that read return HB_ENOINPUT, HB_EDATA, which names the file and its fault,
 * HB_EIO or HB_ENOMEM; functions that write return HB_ECREATE when the file exists, HB_EIO or HB_ENOMEM. */
#ifndef HB_IO_SEAL_OBJECT_H
#define HB_IO_SEAL_OBJECT_H

#include "file.h"
#include "prng.h"
#include "rlwe/params.h"

#define HB_SEAL_MOST_SIZE 16 /* polynomials of a ciphertext */

/* The parameters that a file must match, with SEAL's identifiers (parms_id) of all levels. */
typedef struct hb_seal_chain {
    const hb_params *params;                       /* borrowed */
    uint8_t id[HB_MAX_LIMBS + 1][HB_DIGEST_BYTES]; /* by number of limbs, 1 .. key_limbs */
} hb_seal_chain;
/* Derives the identifiers; borrows the parameters. */
void hb_seal_chain_init(hb_seal_chain *chain, const hb_params *params);

/* --- parameters: the literal. The caller sets security, insecure and, for CKKS, the scale 2^scale_bits, as SEAL's
 * format has no place for them. hb_params_open checks the literal. HB_EUSAGE for CKKS with scale_bits 0 (not given),
 * and for BFV with any other. Saved parameters must switch keys as SEAL does. */
hb_status hb_seal_parameters_load(const char *path, uint32_t scale_bits, hb_params_spec *spec);
hb_status hb_seal_parameters_save(const char *path, hb_seal_style style, const hb_params_spec *spec);

/* --- the other objects, each the whole of a file */

/* words: [key limbs][n], NTT form. Mode 0600. */
hb_status hb_seal_secret_load(const char *path, const hb_seal_chain *chain, uint64_t *words);
hb_status hb_seal_secret_save(const char *path, hb_seal_style style, const hb_seal_chain *chain, const uint64_t *words);

/* Plaintexts. words: for BFV [n], mod t, coefficient form, which load pads with zeros, and *limbs is 1; for CKKS
 * [limbs][n], NTT form. For CKKS load takes any level, so words has room for all data limbs, and any scale from 1 to
 * the most, which it sets (for BFV 1); save writes the highest level, at its scale. */
#define HB_SEAL_MOST_PLAIN_SCALE 0x1p100
hb_status hb_seal_plaintext_load(const char *path, const hb_seal_chain *chain, uint64_t *words, uint32_t *limbs,
                                 double *scale);
hb_status hb_seal_plaintext_save(const char *path, hb_seal_style style, const hb_seal_chain *chain,
                                 const uint64_t *words);

/* --- ciphertexts: files of their own and, at the key level in NTT form, public keys and parts of switching keys */

/* The head of a ciphertext. */
typedef struct hb_seal_ciphertext {
    uint32_t size, limbs;
    bool ntt;
    double scale; /* of CKKS; 1 for BFV and for keys, where 0 may be given to write */
    bool seeded;  /* to write: a seed replaces the second of two polynomials */
    uint64_t end; /* used by the reader */
} hb_seal_ciphertext;

/* Read the next object: first its head, then its words, [size][limbs][n], with seeds expanded. HB_EDATA. */
hb_status hb_seal_ciphertext_begin(hb_seal_reader *reader, const hb_seal_chain *chain, hb_seal_ciphertext *head);
hb_status hb_seal_ciphertext_words(hb_seal_reader *reader, const hb_seal_chain *chain, const hb_seal_ciphertext *head,
                                   uint64_t *words);
/* Reads a public key or a part of a switching key, by both steps: words [2][key limbs][n], NTT form. HB_EDATA for any
 * other object. */
hb_status hb_seal_key_part_read(hb_seal_reader *reader, const hb_seal_chain *chain, uint64_t *words);

hb_status hb_seal_ciphertext_save(const char *path, hb_seal_style style, const hb_seal_chain *chain,
                                  const hb_seal_ciphertext *head, const uint64_t *words);
hb_status hb_seal_public_load(const char *path, const hb_seal_chain *chain, uint64_t *words);
hb_status hb_seal_public_save(const char *path, hb_seal_style style, const hb_seal_chain *chain, const uint64_t *words);

/* --- switching keys: relinearization keys have a slot for s^2 and would have others for s^3 ..., Galois keys slot
 * (g - 1) / 2 for every element g; empty, or with one part for each data limb */

hb_status hb_seal_switch_keys_begin(hb_seal_reader *reader, const hb_seal_chain *chain, uint64_t *slots, uint64_t *end);
/* Returns in *parts how many parts the next slot has: 0, or the number of data limbs; the caller then calls
 * hb_seal_key_part_read that many times. After the last slot it calls hb_seal_object_end. */
hb_status hb_seal_switch_keys_next(hb_seal_reader *reader, const hb_seal_chain *chain, uint32_t *parts);

/* Opens a new file with that many slots, `keys` of which are not empty. For each slot the caller then writes its number
 * of parts (0 or the number of data limbs) and calls hb_seal_key_part_write as many times; then hb_seal_writer_finish.
 * seeded: every part has a seed that expands to the second polynomial of its words (hb_seal_sample_uniform); else
 * `seed` is NULL for all. */
hb_status hb_seal_switch_keys_open(const char *path, hb_seal_style style, const hb_seal_chain *chain, uint64_t slots,
                                   uint64_t keys, bool seeded, hb_seal_writer **out);
hb_status hb_seal_key_part_write(hb_seal_writer *writer, const hb_seal_chain *chain, const uint64_t *words,
                                 const hb_seal_seed *seed);

#endif
