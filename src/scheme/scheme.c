/* The front ends of parameters, slots, codecs and encryption: each calls the entry of the scheme's table. */
#include <stdio.h>
#include <string.h>

#include "scheme_ops.h"

static const hb_scheme_ops *const schemes[] = {[HB_BFV] = &hb_bfv_scheme, [HB_CKKS] = &hb_ckks_scheme};
HB_ROW_PER_SCHEME(schemes);

const hb_scheme_ops *hb_scheme_ops_of(hb_scheme scheme)
{
    HB_ASSERT((size_t)scheme < HB_SCHEMES);
    return schemes[scheme];
}

const char *hb_scheme_name(hb_scheme scheme)
{
    return (size_t)scheme < HB_SCHEMES ? schemes[scheme]->name : NULL;
}

const char *hb_scheme_word(hb_scheme scheme)
{
    return (size_t)scheme < HB_SCHEMES ? schemes[scheme]->word : NULL;
}

/* --- parameters */

hb_status hb_params_open(const hb_params_spec *spec, hb_params **out)
{
    *out = NULL;
    if ((size_t)spec->scheme >= HB_SCHEMES) {
        return HB_FAIL(HB_ECONFIG, "there is no scheme of number %d", (int)spec->scheme);
    }
    return hb_scheme_ops_of(spec->scheme)->params.open(spec, out);
}

void hb_params_close(hb_params *params)
{
    if (params != NULL) {
        hb_scheme_ops_for(params)->params.close(params);
    }
}

bool hb_params_same(const hb_params_spec *a, const hb_params_spec *b)
{
    return a->scheme == b->scheme && hb_scheme_ops_of(a->scheme)->params.same(a, b);
}

bool hb_keys_same(const uint8_t a_id[HB_KEY_ID_BYTES], const hb_params_spec *a, const uint8_t b_id[HB_KEY_ID_BYTES],
                  const hb_params_spec *b)
{
    return memcmp(a_id, b_id, HB_KEY_ID_BYTES) == 0 && hb_params_same(a, b) && hb_owners_same(a, b);
}

void hb_params_digest(uint8_t digest[HB_DIGEST_BYTES], const hb_params_spec *spec)
{
    hb_scheme_ops_of(spec->scheme)->params.digest(digest, spec);
}

/* Preset i of all schemes; false after the last. */
static bool preset_at(size_t i, const char **name, hb_params_spec *spec)
{
    for (size_t s = 0; s < HB_SCHEMES; s++) {
        size_t own = 0;
        while (schemes[s]->params.preset(own, NULL, NULL)) {
            own++;
        }
        if (i < own) {
            return schemes[s]->params.preset(i, name, spec);
        }
        i -= own;
    }
    return false;
}

hb_status hb_params_preset(const char *name, hb_params_spec *spec)
{
    char known[384] = "";
    const char *preset;
    hb_params_spec found;
    for (size_t i = 0; preset_at(i, &preset, &found); i++) {
        if (strcmp(name, preset) == 0) {
            *spec = found;
            return HB_OK;
        }
        const size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i == 0 ? "" : ", ", preset);
    }
    return HB_FAIL(HB_EUSAGE, "there is no parameter set '%.64s'; the named ones are %s", name, known);
}

const char *hb_params_preset_name(size_t i)
{
    const char *name = NULL;
    return preset_at(i, &name, NULL) ? name : NULL;
}

/* Returns whether a set before set i has its ring and chain. */
static bool chain_repeats(size_t i)
{
    hb_params_spec own, other;
    bool repeats = false;
    for (size_t j = 0; preset_at(i, NULL, &own) && j < i && !repeats; j++) {
        repeats = preset_at(j, NULL, &other) && other.scheme == own.scheme && other.n == own.n &&
                  other.key_limbs == own.key_limbs &&
                  memcmp(other.primes, own.primes, own.key_limbs * sizeof *own.primes) == 0;
    }
    return repeats;
}

const char *hb_params_chain_name(size_t i)
{
    for (size_t j = 0; preset_at(j, NULL, NULL); j++) {
        if (!chain_repeats(j) && i-- == 0) {
            return hb_params_preset_name(j);
        }
    }
    return NULL;
}

void hb_params_check_moduli(const hb_params *params, uint16_t ids[2])
{
    hb_scheme_ops_for(params)->params.check_moduli(params, ids);
}

bool hb_params_has_products(const hb_params *params)
{
    return hb_scheme_ops_for(params)->params.has_products(params);
}

bool hb_params_has_slots(const hb_params *params)
{
    return hb_scheme_ops_for(params)->params.has_slots(params);
}

hb_status hb_params_require_slots(const hb_params *params)
{
    return hb_scheme_ops_for(params)->params.require_slots(params);
}

/* --- slots */

static uint32_t generator(const hb_params_spec *spec)
{
    return hb_scheme_ops_of(spec->scheme)->slots.generator(spec);
}

hb_slot_shape hb_slots_shape(const hb_params_spec *spec)
{
    return (hb_slot_shape){hb_scheme_ops_of(spec->scheme)->slots.rows, spec->n / 2};
}

uint32_t hb_slots_rotation(const hb_params_spec *spec, int64_t step)
{
    return hb_galois_rotation(spec->n, generator(spec), step);
}

uint32_t hb_slots_swap(const hb_params_spec *spec)
{
    return hb_galois_swap(spec->n);
}

bool hb_slots_have_i(const hb_params_spec *spec)
{
    return generator(spec) % 4 == 1;
}

const char *hb_slots_swap_word(const hb_params_spec *spec)
{
    return hb_scheme_ops_of(spec->scheme)->slots.swap_word;
}

int64_t hb_slots_step(const hb_params_spec *spec, uint32_t element, int *swap)
{
    return hb_galois_step(spec->n, generator(spec), element, swap);
}

uint32_t hb_slots_terms(const hb_params_spec *spec, int64_t step, int64_t steps[HB_GALOIS_MOST_STEPS])
{
    return hb_galois_naf(spec->n, step, steps);
}

uint32_t hb_slots_sum_steps(const hb_params_spec *spec, int64_t steps[HB_GALOIS_MOST_STEPS])
{
    return hb_galois_sum_steps(spec->n, steps);
}

/* --- codec */

const char *const hb_encoding_words[HB_ENCODINGS] = {[HB_ENCODE_SLOTS] = "slots",
                                                     [HB_ENCODE_COEFFICIENTS] = "coefficients",
                                                     [HB_ENCODE_REVERSED] = "reversed coefficients",
                                                     [HB_ENCODE_SPREAD] = "coefficients to be spread"};

hb_status hb_codec_open(hb_engine *engine, const hb_params *params, hb_encoding encoding, hb_codec **out)
{
    return hb_scheme_ops_for(params)->codec.open(engine, params, encoding, out);
}

void hb_codec_close(hb_codec *codec)
{
    if (codec != NULL) {
        hb_scheme_ops_for(codec->params)->codec.close(codec);
    }
}

uint64_t hb_codec_bytes(const hb_params_spec *spec, hb_encoding encoding)
{
    return hb_scheme_ops_of(spec->scheme)->codec.bytes(spec, encoding);
}

uint64_t hb_codec_capacity(const hb_params_spec *spec, hb_encoding encoding)
{
    return hb_scheme_ops_of(spec->scheme)->codec.capacity(spec, encoding);
}

hb_status hb_values_alloc(hb_batch *values, hb_engine *engine, const hb_params *params, size_t count)
{
    return hb_scheme_ops_for(params)->codec.values_alloc(values, engine, params, count);
}

hb_status hb_plaintexts_alloc(hb_batch *plain, hb_engine *engine, const hb_params *params, uint32_t limbs, size_t count)
{
    HB_ASSERT(limbs >= 1);
    return hb_scheme_ops_for(params)->codec.plaintexts_alloc(plain, engine, params, limbs, count);
}

size_t hb_plaintext_words(const hb_params *params, uint32_t limbs)
{
    HB_ASSERT(limbs >= 1);
    return hb_scheme_ops_for(params)->codec.plaintext_words(params, limbs);
}

hb_status hb_encode(hb_codec *codec, hb_batch plain, hb_batch values)
{
    return hb_scheme_ops_for(codec->params)->codec.encode(codec, plain, values);
}

hb_status hb_decode(hb_codec *codec, hb_batch values, hb_batch plain)
{
    return hb_scheme_ops_for(codec->params)->codec.decode(codec, values, plain);
}

hb_status hb_codec_refused(hb_codec *codec, hb_refusal *refusal)
{
    return hb_scheme_ops_for(codec->params)->codec.refused(codec, refusal);
}

hb_cell_type hb_codec_cell_type(hb_scheme scheme)
{
    return hb_scheme_ops_of(scheme)->codec.cell_type;
}

hb_form hb_codec_form(hb_scheme scheme)
{
    return hb_scheme_ops_of(scheme)->codec.form;
}

double hb_codec_scale(const hb_params_spec *spec, uint32_t limbs)
{
    return hb_scheme_ops_of(spec->scheme)->codec.scale(spec, limbs);
}

double hb_codec_level_scale(const hb_params *params, uint32_t limbs)
{
    return hb_scheme_ops_for(params)->codec.level_scale(params, limbs);
}

bool hb_codec_state_scale(hb_params_spec *spec, uint32_t limbs, double scale)
{
    return hb_scheme_ops_of(spec->scheme)->codec.state_scale(spec, limbs, scale);
}

bool hb_codec_products_go_down(const hb_params_spec *spec, uint32_t limbs)
{
    return hb_scheme_ops_of(spec->scheme)->codec.products_go_down(spec, limbs);
}

hb_cell_range hb_codec_cell_range(const hb_params_spec *spec, bool is_signed)
{
    return hb_scheme_ops_of(spec->scheme)->codec.cell_range(spec, is_signed);
}

void hb_codec_from_cells(const hb_params_spec *spec, hb_cell_words cells, bool is_signed)
{
    hb_scheme_ops_of(spec->scheme)->codec.from_cells(spec, cells, is_signed);
}

void hb_codec_to_cells(const hb_params_spec *spec, hb_cell_words values, bool is_signed)
{
    hb_scheme_ops_of(spec->scheme)->codec.to_cells(spec, values, is_signed);
}

uint64_t hb_codec_from_number(const hb_params_spec *spec, int64_t number)
{
    return hb_scheme_ops_of(spec->scheme)->codec.from_number(spec, number);
}

void hb_codec_bound_text(char text[HB_CODEC_TEXT], const hb_params_spec *spec)
{
    hb_scheme_ops_of(spec->scheme)->codec.bound_text(text, spec);
}

const char *hb_codec_bound_name(hb_scheme scheme)
{
    return hb_scheme_ops_of(scheme)->codec.bound_name;
}

const char *hb_codec_bound_advice(hb_scheme scheme)
{
    return hb_scheme_ops_of(scheme)->codec.bound_advice;
}

/* --- encryption and decryption */

hb_status hb_encrypt(hb_encryptor *encryptor, hb_batch c0, hb_batch c1, hb_seed *public_seeds, hb_batch plain,
                     const hb_seed *root, uint64_t first)
{
    return hb_scheme_ops_for(hb_encryptor_params(encryptor))
        ->cipher.encrypt(encryptor, c0, c1, public_seeds, plain, root, first);
}

uint64_t hb_decryptor_bytes(const hb_params *params, uint32_t limbs, size_t max_count)
{
    return hb_scheme_ops_for(params)->cipher.decryptor_bytes(params, limbs, max_count);
}

hb_status hb_decryptor_open(hb_engine *engine, const hb_secret_key *secret, uint32_t limbs, size_t max_count,
                            hb_decryptor **out)
{
    return hb_scheme_ops_for(secret->params)->cipher.decryptor_open(engine, secret, limbs, max_count, out);
}

void hb_decryptor_close(hb_decryptor *decryptor)
{
    if (decryptor != NULL) {
        hb_scheme_ops_for(decryptor->params)->cipher.decryptor_close(decryptor);
    }
}

hb_status hb_decrypt(hb_decryptor *decryptor, hb_batch plain, hb_batch phase)
{
    return hb_scheme_ops_for(decryptor->params)->cipher.decrypt(decryptor, plain, phase);
}

hb_status hb_decryptor_measure(hb_decryptor *decryptor, uint32_t *bits, hb_batch phase)
{
    return hb_scheme_ops_for(decryptor->params)->cipher.measure(decryptor, bits, phase);
}

hb_status hb_flood_plan(const hb_params *params, uint32_t limbs, hb_quality quality, uint64_t results, hb_flood *out)
{
    const hb_scheme_ops *ops = hb_scheme_ops_for(params);
    if (ops->cipher.flood_plan == NULL) {
        return HB_FAIL(HB_EUSAGE, "results of %s are exact: they hold no error that would have to be hidden",
                       ops->name);
    }
    return ops->cipher.flood_plan(params, limbs, quality, results, out);
}

void hb_flood_round(const hb_params_spec *spec, const hb_flood *flood, uint64_t *values, size_t count)
{
    const hb_cipher_ops *ops = &hb_scheme_ops_of(spec->scheme)->cipher;
    HB_ASSERT(ops->flood_round != NULL);
    ops->flood_round(flood, values, count);
}
