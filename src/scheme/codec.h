/* From the cells of a table to plaintexts and back, in any scheme. */
#ifndef HB_SCHEME_CODEC_H
#define HB_SCHEME_CODEC_H

#include "rlwe/codec.h"

/* The words for encodings in files, reports and messages. */
extern const char *const hb_encoding_words[HB_ENCODINGS];

/* Opens a codec; borrows engine and params. HB_ECONFIG when the parameters do not have the encoding; HB_ENOMEM. */
hb_status hb_codec_open(hb_engine *engine, const hb_params *params, hb_encoding encoding, hb_codec **out);
void hb_codec_close(hb_codec *codec);
/* Returns the most bytes of the engine's memory that it takes. */
uint64_t hb_codec_bytes(const hb_params_spec *spec, hb_encoding encoding);

/* Returns how many values one plaintext holds, in all of its slots or coefficients. */
uint64_t hb_codec_capacity(const hb_params_spec *spec, hb_encoding encoding);
/* Returns the words of the values of one plaintext. Words beyond its capacity, if there are any, belong to no cell:
 * they are 0 for encode, and decode leaves the scheme's contents there. */
static inline size_t hb_values_words(const hb_params_spec *spec)
{
    return spec->n;
}
/* Allocates the values of `count` plaintexts: contiguous, hb_values_words each. Free with hb_batch_free. HB_ENOMEM. */
hb_status hb_values_alloc(hb_batch *values, hb_engine *engine, const hb_params *params, size_t count);
/* Allocates `count` plaintexts for ciphertexts of `limbs` limbs, 1 or more. They serve ciphertexts of fewer limbs as
 * well, by their leading limbs where a scheme's plaintexts have any. Free with hb_batch_free. HB_ENOMEM. */
hb_status hb_plaintexts_alloc(hb_batch *plain, hb_engine *engine, const hb_params *params, uint32_t limbs,
                              size_t count);
/* Returns the words of one such plaintext. */
size_t hb_plaintext_words(const hb_params *params, uint32_t limbs);

/* Turn values, as hb_codec_from_cells makes them, into as many plaintexts, and back, both on the codec's engine. They
 * do not overlap; encode keeps its input, and decode uses its input as workspace. Where a scheme has scales, encode
 * gives plaintexts the scale of the level with their limbs, and decode assumes that they have it. Decode exchanges
 * where limbs are divided. Otherwise neither waits. */
hb_status hb_encode(hb_codec *codec, hb_batch plain, hb_batch values);
hb_status hb_decode(hb_codec *codec, hb_batch values, hb_batch plain);
/* Sets *refusal to the first value encoded since the last call that its plaintext could not hold, and forgets it;
 * values within hb_codec_cell_range are never refused. The plaintext holds no value in its place. Waits. */
hb_status hb_codec_refused(hb_codec *codec, hb_refusal *refusal);

/* Returns the type of cells. */
hb_cell_type hb_codec_cell_type(hb_scheme scheme);
/* Returns the form of ciphertexts in files. */
hb_form hb_codec_form(hb_scheme scheme);
/* Returns the factor of values in ciphertexts of `limbs` limbs, 1 or more, at rest, as the nearest double; 0: the
 * scheme has no scale, or no such level. The literal need not be checked, except that its primes are 2 or more. */
double hb_codec_scale(const hb_params_spec *spec, uint32_t limbs);
/* Returns the same of checked parameters, which know the scales of all their levels. */
double hb_codec_level_scale(const hb_params *params, uint32_t limbs);
/* Turns the parameters into those of ciphertexts of `limbs` limbs with that scale, as SEAL's may have any: the scales
 * of other levels follow from it. Nothing is stated where it is the literal's scale of that level. Keys and ciphertexts
 * are unchanged. 0: removes the statement; integers have this scale. Returns false, and changes nothing, where
 * ciphertexts cannot have the scale: for hebatch's own family any but that of the level; for parameters like SEAL's one
 * below 1 or above half of their primes. */
bool hb_codec_state_scale(hb_params_spec *spec, uint32_t limbs, double scale);
/* Returns whether products of ciphertexts of that level, rescaled, have the scale of the level below; false at the
 * lowest. True where the scheme has no scale. */
bool hb_codec_products_go_down(const hb_params_spec *spec, uint32_t limbs);
/* Returns the range of a column's cells; ends of reals are the bits of doubles, the same for signed columns and
 * others. */
hb_cell_range hb_codec_cell_range(const hb_params_spec *spec, bool is_signed);
/* Turn cells of a column, in that range, into values, in place, and back. */
void hb_codec_from_cells(const hb_params_spec *spec, hb_cell_words cells, bool is_signed);
void hb_codec_to_cells(const hb_params_spec *spec, hb_cell_words values, bool is_signed);
/* Returns the value of a number, one that signed columns of integers hold; of reals, the bits of the double nearest to
 * it. */
uint64_t hb_codec_from_number(const hb_params_spec *spec, int64_t number);

/* Writes the bound of values, "t = 1032193", for messages: values may wrap around "mod" it, and it "can hold" no
 * others. */
#define HB_CODEC_TEXT 48
void hb_codec_bound_text(char text[HB_CODEC_TEXT], const hb_params_spec *spec);
/* Returns the name of that bound without its value: "t". */
const char *hb_codec_bound_name(hb_scheme scheme);
/* Returns the remedy where the bound is too small: the end of a message, after a semicolon. */
const char *hb_codec_bound_advice(hb_scheme scheme);

#endif
