/* The parts of a scheme: one table a scheme, which the front ends of this folder call. A new scheme is a new table in
 * the list of scheme.c. */
#ifndef HB_SCHEME_SCHEME_OPS_H
#define HB_SCHEME_SCHEME_OPS_H

#include "bootstrap.h"
#include "cipher.h"
#include "codec.h"
#include "evaluator.h"
#include "matrix.h"
#include "params.h"
#include "polynomial.h"
#include "quality.h"
#include "slots.h"

typedef struct hb_params_ops {
    hb_status (*open)(const hb_params_spec *spec, hb_params **out);
    void (*close)(hb_params *params);
    bool (*same)(const hb_params_spec *a, const hb_params_spec *b);
    void (*digest)(uint8_t digest[HB_DIGEST_BYTES], const hb_params_spec *spec);
    /* Preset i of the scheme; false after the last. Either of name and spec may be NULL. */
    bool (*preset)(size_t i, const char **name, hb_params_spec *spec);
    void (*check_moduli)(const hb_params *params, uint16_t ids[2]);
    bool (*has_products)(const hb_params *params);
    bool (*has_slots)(const hb_params *params);
    hb_status (*require_slots)(const hb_params *params);
} hb_params_ops;

/* Slots are rows of N/2, which powers of a generator rotate (ring/galois.h). */
typedef struct hb_slot_ops {
    uint32_t rows;
    uint32_t (*generator)(const hb_params_spec *spec);
    const char *swap_word;
} hb_slot_ops;

typedef struct hb_codec_ops {
    hb_cell_type cell_type;
    hb_form form;
    double (*scale)(const hb_params_spec *spec, uint32_t limbs);
    double (*level_scale)(const hb_params *params, uint32_t limbs);
    bool (*state_scale)(hb_params_spec *spec, uint32_t limbs, double scale);
    bool (*products_go_down)(const hb_params_spec *spec, uint32_t limbs);
    uint64_t (*capacity)(const hb_params_spec *spec, hb_encoding encoding);
    hb_status (*open)(hb_engine *engine, const hb_params *params, hb_encoding encoding, hb_codec **out);
    void (*close)(hb_codec *codec);
    uint64_t (*bytes)(const hb_params_spec *spec, hb_encoding encoding);
    hb_status (*values_alloc)(hb_batch *values, hb_engine *engine, const hb_params *params, size_t count);
    hb_status (*plaintexts_alloc)(hb_batch *plain, hb_engine *engine, const hb_params *params, uint32_t limbs,
                                  size_t count);
    size_t (*plaintext_words)(const hb_params *params, uint32_t limbs);
    hb_status (*encode)(hb_codec *codec, hb_batch plain, hb_batch values);
    hb_status (*decode)(hb_codec *codec, hb_batch values, hb_batch plain);
    hb_status (*refused)(hb_codec *codec, hb_refusal *refusal);
    hb_cell_range (*cell_range)(const hb_params_spec *spec, bool is_signed);
    void (*from_cells)(const hb_params_spec *spec, hb_cell_words cells, bool is_signed);
    void (*to_cells)(const hb_params_spec *spec, hb_cell_words values, bool is_signed);
    uint64_t (*from_number)(const hb_params_spec *spec, int64_t number);
    void (*bound_text)(char text[HB_CODEC_TEXT], const hb_params_spec *spec);
    const char *bound_name, *bound_advice;
} hb_codec_ops;

typedef struct hb_cipher_ops {
    hb_status (*encrypt)(hb_encryptor *encryptor, hb_batch c0, hb_batch c1, hb_seed *public_seeds, hb_batch plain,
                         const hb_seed *root, uint64_t first);
    uint64_t (*decryptor_bytes)(const hb_params *params, uint32_t limbs, size_t max_count);
    hb_status (*decryptor_open)(hb_engine *engine, const hb_secret_key *secret, uint32_t limbs, size_t max_count,
                                hb_decryptor **out);
    void (*decryptor_close)(hb_decryptor *decryptor);
    hb_status (*decrypt)(hb_decryptor *decryptor, hb_batch plain, hb_batch phase);
    hb_status (*measure)(hb_decryptor *decryptor, uint32_t *bits, hb_batch phase);
    /* NULL both: results are exact. */
    hb_status (*flood_plan)(const hb_params *params, uint32_t limbs, hb_quality quality, uint64_t results,
                            hb_flood *out);
    void (*flood_round)(const hb_flood *flood, uint64_t *values, size_t count);
} hb_cipher_ops;

typedef struct hb_evaluator_ops {
    hb_status (*open)(hb_engine *engine, const hb_params *params, const hb_evaluator_requirements *requirements,
                      hb_evaluator **out);
    void (*close)(hb_evaluator *evaluator);
    uint64_t (*bytes)(const hb_params *params, const hb_evaluator_requirements *requirements);
    hb_status (*add_plain)(hb_evaluator *ev, hb_ciphertexts r, hb_batch plain, hb_sign sign);
    hb_status (*multiply_plain)(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, hb_batch plain);
    hb_status (*multiply)(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, hb_ciphertexts b);
    hb_status (*add_number)(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, double number);
    hb_status (*multiply_number)(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, double number);
    hb_status (*multiply_i)(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, hb_sign sign);
    /* The residues of a number as hb_evaluator_multiply_number takes it, [limbs]. */
    hb_status (*scaled_number)(const hb_params *params, uint64_t *residues, uint32_t limbs, double number);
    hb_status (*adjust)(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a);
    hb_status (*swap)(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_switch_keys *keys);
    hb_status (*conjugate)(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_switch_keys *keys);
    hb_status (*sum_slots)(hb_evaluator *ev, hb_ciphertexts r, const hb_switch_keys *keys);
    /* NULL all: there are none. */
    hb_status (*polynomial_open)(const hb_params *params, uint32_t limbs, const hb_chebyshev *polynomial,
                                 hb_polynomial **out);
    void (*polynomial_close)(hb_polynomial *polynomial);
    hb_status (*polynomial)(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_polynomial *polynomial,
                            const hb_switch_key *key, hb_workspace work);
} hb_evaluator_ops;

/* NULL all: there is none. */
typedef struct hb_bootstrap_ops {
    hb_status (*key_purposes)(const hb_params *params, size_t period, hb_key_purpose *list, uint32_t room,
                              uint32_t *count);
    void (*limbs)(const hb_params *params, bool lowest, uint32_t *operands, uint32_t *results);
    bool (*from_lowest)(const hb_params *params, uint32_t range_bits); /* NULL: nothing is bootstrapped from there */
    hb_status (*open)(hb_engine *engine, const hb_params *params, const hb_bootstrap_spec *spec, hb_bootstrap **out);
    void (*close)(hb_bootstrap *bootstrap);
    hb_status (*memory)(const hb_params *params, const hb_bootstrap_spec *spec, hb_bootstrap_memory *out);
    hb_status (*apply)(hb_evaluator *ev, hb_bootstrap *bootstrap, hb_bootstrap_kind kind, uint32_t range_bits,
                       hb_ciphertexts r[], hb_ciphertexts a[], const hb_switch_keys *keys);
    hb_status (*apply_stage)(hb_evaluator *ev, hb_bootstrap *bootstrap, hb_bootstrap_stage stage, size_t count,
                             const hb_switch_keys *keys);
} hb_bootstrap_ops;

/* The quality of sums. */
typedef struct hb_quality_sum_ops {
    hb_quality (*add)(const hb_params *params, hb_quality a, hb_quality b);
    hb_quality (*sum)(const hb_params *params, hb_quality a, double terms);
    hb_quality (*add_plain)(const hb_params *params, hb_quality a);
    hb_quality (*add_number)(const hb_params *params, hb_quality a);
    hb_quality (*again)(const hb_params *params, hb_quality a, uint32_t times);
    hb_quality (*merged)(const hb_params *params, hb_quality a);
} hb_quality_sum_ops;

/* The quality of products. */
typedef struct hb_quality_product_ops {
    hb_quality (*multiply_integer)(const hb_params *params, hb_quality a, double magnitude);
    hb_quality (*multiply_number)(const hb_params *params, uint32_t limbs, hb_quality_factor a, double number);
    hb_quality (*multiply_plain)(const hb_params *params, uint32_t limbs, hb_quality_factor a, hb_plain_factor factor,
                                 hb_magnitude plain);
    hb_quality (*multiply)(const hb_params *params, uint32_t limbs, hb_quality_factor a, hb_quality_factor b);
    hb_quality (*square)(const hb_params *params, uint32_t limbs, hb_quality_factor a);
} hb_quality_product_ops;

/* The quality after key switches, and after changes of the level. */
typedef struct hb_quality_level_ops {
    hb_quality (*key_switch)(const hb_params *params, uint32_t limbs, hb_quality a, hb_switch_use use);
    hb_quality (*sum_slots)(const hb_params *params, uint32_t limbs, hb_quality a);
    /* NULL: as sums and rotations one after another. */
    hb_quality (*sum_window)(const hb_params *params, uint32_t limbs, hb_quality a, uint32_t terms);
    hb_quality (*mod_switch)(const hb_params *params, uint32_t limbs, hb_quality a, uint32_t size);
    hb_quality (*relinearize_rescale)(const hb_params *params, uint32_t limbs, hb_quality a);
    hb_quality (*adjust)(const hb_params *params, uint32_t limbs, hb_quality_factor a, uint32_t to);
    hb_status (*bootstrap)(const hb_params *params, hb_bootstrap_kind kind, uint32_t range_bits, bool twice,
                           hb_quality_factor a, hb_quality *out); /* NULL: the scheme has none */
    /* NULL both: the scheme has no noise that is bootstrapped. */
    hb_status (*refresh_bits)(const hb_params *params, hb_certainty certainty, hb_quality a, uint32_t *k);
    hb_status (*refresh)(const hb_params *params, hb_certainty certainty, uint32_t k, hb_quality a, hb_quality *out);
    /* NULL both: it has no tables. */
    hb_status (*table_bits)(const hb_params *params, uint32_t *bits);
    hb_status (*table)(const hb_params *params, hb_certainty certainty, hb_quality a, hb_quality *out);
} hb_quality_level_ops;

typedef struct hb_quality_ops {
    const char *name, *word;
    double margin;
    hb_quality (*fresh)(const hb_params *params, bool public_key, hb_distribution errors);
    hb_quality_sum_ops sum;
    hb_quality_product_ops product;
    hb_quality_level_ops level;
    hb_quality (*transformed)(const hb_params *params, uint32_t limbs, hb_quality a, hb_magnitude values);
    hb_quality (*decoded)(const hb_params *params, uint32_t limbs, hb_quality a, hb_magnitude values);
    /* NULL: the scheme has none. */
    hb_status (*polynomial)(const hb_params *params, uint32_t limbs, hb_quality_factor a,
                            const hb_chebyshev *polynomial, double error, hb_quality *out);
    double (*room)(const hb_params *params, uint32_t limbs, hb_quality a);
    double (*bits)(const hb_params *params, uint32_t limbs, double log2_error);
    /* NULL: values tell nothing. */
    void (*of_values)(const hb_params_spec *spec, const uint64_t *values, hb_filled_slots filled,
                      hb_precision *precision);
    hb_status (*require_fresh)(const hb_params *params, bool public_key);
} hb_quality_ops;

/* Products of matrices and vectors in blocks of slots (matrix.h); zeroed: there are none. */
typedef struct hb_matrix_ops {
    bool (*there)(const hb_params_spec *spec);
    hb_status (*outline)(const hb_params_spec *spec, const hb_block_matrix *matrix, const hb_block_sums *rows,
                         hb_block_outline *out);
    hb_status (*outline_values)(const hb_params_spec *spec, const hb_block_matrix *matrix, const hb_block_sums *rows,
                                hb_block_outline *outline);
    hb_status (*steps)(const hb_params_spec *spec, hb_block_pair *of, hb_block_outline *outline, int64_t **steps,
                       uint32_t *map_count, uint32_t *count);
    void (*memory)(const hb_params *params, const hb_block_outline *outline, uint32_t limbs, uint64_t *bytes,
                   size_t *words);
    hb_status (*open)(hb_engine *engine, const hb_params *params, hb_block_map_wanted *wanted, uint32_t count);
    void (*close)(hb_block_map *map);
    void (*use)(hb_block_map *map, const hb_params *params);
    hb_status (*apply)(hb_evaluator *ev, hb_ciphertexts r, const hb_ciphertexts *a, const hb_block_map *map,
                       const hb_switch_keys *keys, hb_workspace work);
    hb_quality (*quality)(const hb_params *params, const hb_block_matrix *matrix, const hb_block_outline *outline,
                          uint32_t limbs, hb_quality_factor a);
} hb_matrix_ops;

typedef struct hb_scheme_ops {
    const char *name, *word;
    hb_params_ops params;
    hb_slot_ops slots;
    hb_codec_ops codec;
    hb_cipher_ops cipher;
    hb_evaluator_ops evaluator;
    hb_bootstrap_ops bootstrap;
    hb_quality_ops quality;
    hb_matrix_ops matrix;
} hb_scheme_ops;

/* Return the table of a scheme, and of that of parameters. */
const hb_scheme_ops *hb_scheme_ops_of(hb_scheme scheme);
static inline const hb_scheme_ops *hb_scheme_ops_for(const hb_params *params)
{
    return hb_scheme_ops_of(params->spec.scheme);
}

extern const hb_scheme_ops hb_bfv_scheme;  /* bfv_scheme.c */
extern const hb_scheme_ops hb_ckks_scheme; /* ckks_scheme.c */

#endif
