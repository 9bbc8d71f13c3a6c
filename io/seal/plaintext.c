/* Plaintext, which is also the stored form of a secret key. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "object_private.h"
#include "scheme/codec.h"
#include "scheme/params.h"

/* Bytes before the array: header, identifier, count, scale. */
enum { HEAD_BYTES = HB_SEAL_HEADER_BYTES + HB_DIGEST_BYTES + 8 + 8 };

/* A form of plaintext: the identifier that it has and the words that it holds. */
typedef struct form {
    uint8_t id[HB_DIGEST_BYTES];
    const uint64_t *moduli; /* [limbs] */
    uint32_t limbs;
    size_t n;
    bool whole;   /* all limbs * n words are there; else 1 to so many */
    double scale; /* to write, or read; 1: none */
} form;

/* The form of a secret key: NTT form, at the key level. */
static form secret_form(const hb_seal_chain *chain)
{
    const hb_params *params = chain->params;
    form f = {
        .moduli = params->spec.primes, .limbs = params->key_limbs, .n = params->spec.n, .whole = true, .scale = 1};
    memcpy(f.id, chain->id[params->key_limbs], sizeof f.id);
    return f;
}

/* The form of a plaintext with `limbs` limbs. Where it has a modulus of its own, it is in coefficient form and belongs
 * to no level: its identifier is zeros. Else it is in NTT form, at a level and its scale. */
static form plain_form(const hb_seal_chain *chain, uint32_t limbs)
{
    const hb_params_spec *spec = &chain->params->spec;
    const uint64_t *modulus = hb_seal_plain_modulus(spec);
    form f = {.moduli = modulus, .limbs = 1, .n = spec->n, .scale = 1};
    if (modulus == NULL) {
        f = (form){
            .moduli = spec->primes, .limbs = limbs, .n = spec->n, .whole = true, .scale = hb_codec_scale(spec, limbs)};
        memcpy(f.id, chain->id[limbs], sizeof f.id);
    }
    return f;
}

/* Compares the fields before the array with the form. */
static hb_status check_head(const hb_seal_reader *reader, const form *f, const uint8_t id[HB_DIGEST_BYTES],
                            uint64_t count, double scale)
{
    const char *path = hb_seal_reader_path(reader);
    const uint64_t most = f->limbs * (uint64_t)f->n;
    if (scale != 1 && f->scale == 1) {
        return HB_FAIL(HB_EDATA, "%s: has a scale, as plaintexts of CKKS do", path);
    }
    /* For a secret key the identifier of the key level, for a plaintext zeros. */
    if (memcmp(id, f->id, HB_DIGEST_BYTES) != 0) {
        return HB_FAIL(HB_EDATA, "%s: %s", path,
                       f->whole ? "is of other parameters (its parms_id), or no secret key"
                                : "is in NTT form or no plaintext of BFV (its parms_id is not zero)");
    }
    if (!(scale >= 1 && scale <= HB_SEAL_MOST_PLAIN_SCALE)) { /* NaN too */
        return HB_FAIL(HB_EDATA, "%s: its scale is %g, not between 1 and 2^%.0f: encode it again at one that is", path,
                       scale, log2(HB_SEAL_MOST_PLAIN_SCALE));
    }
    if (count < 1 || count > most || (f->whole && count != most)) {
        return HB_FAIL(HB_EDATA, "%s: has %" PRIu64 " coefficients; %s%" PRIu64 " are right for its parameters", path,
                       count, f->whole ? "" : "1 to ", most);
    }
    return HB_OK;
}

/* Finds the form of the plaintext with that identifier. */
static hb_status find_form(const hb_seal_reader *reader, const hb_seal_chain *chain, const uint8_t id[HB_DIGEST_BYTES],
                           form *f)
{
    const hb_params_spec *spec = &chain->params->spec;
    uint32_t limbs = hb_seal_plain_modulus(spec) != NULL ? 1 : hb_seal_chain_level(chain, id);
    if (limbs < 1 || limbs > chain->params->data_limbs) {
        return HB_FAIL(HB_EDATA, "%s: is no plaintext of %s, or of other parameters (its parms_id)",
                       hb_seal_reader_path(reader), hb_scheme_name(spec->scheme));
    }
    *f = plain_form(chain, limbs);
    return HB_OK;
}

/* Reads the object, which is the whole of the file. f: its form, or, where that has no limbs, to be found. */
static hb_status read_words(hb_seal_reader *reader, const hb_seal_chain *chain, form *f, uint64_t *words)
{
    uint64_t end, count, array_end, array_count;
    uint8_t id[HB_DIGEST_BYTES];
    double scale;
    HB_TRY(hb_seal_object_begin(reader, &end));
    HB_TRY(hb_seal_read(reader, id, sizeof id));
    HB_TRY(hb_seal_read_u64(reader, &count));
    HB_TRY(hb_seal_double_read(reader, &scale));
    if (f->limbs == 0) {
        HB_TRY(find_form(reader, chain, id, f));
    }
    HB_TRY(check_head(reader, f, id, count, scale));
    f->scale = scale;
    HB_TRY(hb_seal_array_begin(reader, &array_count, &array_end));
    /* SEAL stores the count twice: of the plaintext, and of its array. */
    if (array_count != count) {
        return HB_FAIL(HB_EDATA, "%s: counts its coefficients twice, differently", hb_seal_reader_path(reader));
    }
    /* SEAL leaves zeros at the end out. */
    memset(words, 0, f->limbs * f->n * sizeof *words);
    HB_TRY(hb_seal_read(reader, words, (size_t)count * sizeof *words));
    HB_TRY(hb_seal_object_end(reader, array_end));
    HB_TRY(hb_seal_object_end(reader, end));
    return hb_seal_check_range(reader, words, 1, f->n, f->moduli, f->limbs);
}

static hb_status load(const char *path, const hb_seal_chain *chain, form *f, uint64_t *words)
{
    hb_seal_reader *reader;
    HB_TRY(hb_seal_reader_open(path, &reader));
    const hb_status st = read_words(reader, chain, f, words);
    hb_seal_reader_close(reader);
    return st;
}

static hb_status write_words(hb_seal_writer *writer, const form *f, const uint64_t *words)
{
    const size_t count = f->limbs * f->n;
    HB_TRY(hb_seal_write(writer, f->id, sizeof f->id));
    HB_TRY(hb_seal_write_u64(writer, count));
    HB_TRY(hb_seal_double_write(writer, f->scale));
    HB_TRY(hb_seal_array_write(writer, words, count));
    return hb_seal_writer_finish(writer);
}

static hb_status save(const char *path, hb_seal_style style, mode_t mode, const form *f, const uint64_t *words)
{
    hb_seal_writer *writer;
    HB_TRY(hb_seal_writer_open(path, style, mode, HEAD_BYTES + HB_SEAL_ARRAY_BYTES(f->limbs * f->n), &writer));
    const hb_status st = write_words(writer, f, words);
    hb_seal_writer_close(writer);
    return st;
}

hb_status hb_seal_secret_load(const char *path, const hb_seal_chain *chain, uint64_t *words)
{
    form f = secret_form(chain);
    return load(path, chain, &f, words);
}

hb_status hb_seal_secret_save(const char *path, hb_seal_style style, const hb_seal_chain *chain, const uint64_t *words)
{
    const form f = secret_form(chain);
    return save(path, style, 0600, &f, words);
}

hb_status hb_seal_plaintext_load(const char *path, const hb_seal_chain *chain, uint64_t *words, uint32_t *limbs,
                                 double *scale)
{
    form f = {.limbs = 0};
    HB_TRY(load(path, chain, &f, words));
    *limbs = f.limbs;
    *scale = f.scale;
    return HB_OK;
}

hb_status hb_seal_plaintext_save(const char *path, hb_seal_style style, const hb_seal_chain *chain,
                                 const uint64_t *words)
{
    const form f = plain_form(chain, chain->params->data_limbs);
    return save(path, style, 0644, &f, words);
}
