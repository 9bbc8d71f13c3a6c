/* Ciphertext, which is also the stored form of a public key and of each part of a switching key. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "object_private.h"
#include "scheme/codec.h"
#include "scheme/params.h"

/* Whether ciphertexts have a correction factor, which is 1 for BFV. */
static bool has_correction(hb_seal_version version)
{
    return version.major >= 4;
}

/* The fields before the array, as the file has them: nothing is checked yet. */
typedef struct fields {
    uint8_t id[HB_DIGEST_BYTES], ntt;
    uint64_t size, n, limbs, correction;
    double scale;
} fields;

/* In the order of the file (Ciphertext::load_members). */
static hb_status read_fields(hb_seal_reader *reader, fields *f)
{
    HB_TRY(hb_seal_read(reader, f->id, sizeof f->id));
    HB_TRY(hb_seal_read(reader, &f->ntt, sizeof f->ntt));
    HB_TRY(hb_seal_read_u64(reader, &f->size));
    HB_TRY(hb_seal_read_u64(reader, &f->n));
    HB_TRY(hb_seal_read_u64(reader, &f->limbs));
    HB_TRY(hb_seal_double_read(reader, &f->scale));
    f->correction = 1;
    return has_correction(hb_seal_reader_version(reader)) ? hb_seal_read_u64(reader, &f->correction) : HB_OK;
}

uint32_t hb_seal_chain_level(const hb_seal_chain *chain, const uint8_t id[HB_DIGEST_BYTES])
{
    for (uint32_t limbs = 1; limbs <= chain->params->key_limbs; limbs++) {
        if (memcmp(chain->id[limbs], id, HB_DIGEST_BYTES) == 0) {
            return limbs;
        }
    }
    return 0;
}

/* Compares the head with the parameters and fills *head of it. */
static hb_status check_fields(const hb_seal_reader *reader, const hb_seal_chain *chain, const fields *f,
                              hb_seal_ciphertext *head)
{
    const char *path = hb_seal_reader_path(reader);
    const uint32_t limbs = hb_seal_chain_level(chain, f->id);
    const bool scaled = hb_codec_scale(&chain->params->spec, 1) > 0;
    /* First, as the identifier of a ciphertext of another scheme would only be called unknown. */
    if ((f->scale != 1 && !scaled) || f->correction != 1) {
        return HB_FAIL(HB_EDATA, "%s: has a %s, as ciphertexts of %s do; these parameters are of %s", path,
                       f->correction == 1 ? "scale" : "correction factor", f->correction == 1 ? "CKKS" : "BGV",
                       hb_scheme_name(chain->params->spec.scheme));
    }
    if (!(f->scale > 0 && isfinite(f->scale))) {
        return HB_FAIL(HB_EDATA, "%s: its scale is no positive number", path);
    }
    if (limbs == 0) {
        return HB_FAIL(HB_EDATA, "%s: its parms_id is none of these parameters': it has another N, t, chain or scheme",
                       path);
    }
    /* From here on sizes follow from the parameters and not from the file. */
    if (f->n != chain->params->spec.n || f->limbs != limbs) {
        return HB_FAIL(HB_EDATA,
                       "%s: says N = %" PRIu64 " and %" PRIu64 " primes, but its parms_id N = %zu and %" PRIu32, path,
                       f->n, f->limbs, chain->params->spec.n, limbs);
    }
    if (f->size < 2 || f->size > HB_SEAL_MOST_SIZE) {
        return HB_FAIL(HB_EDATA, "%s: a ciphertext has 2 to %d polynomials, not %" PRIu64, path, HB_SEAL_MOST_SIZE,
                       f->size);
    }
    head->size = (uint32_t)f->size;
    head->limbs = limbs;
    head->ntt = f->ntt != 0;
    head->scale = f->scale;
    head->seeded = false; /* its words are read whole */
    return HB_OK;
}

hb_status hb_seal_ciphertext_begin(hb_seal_reader *reader, const hb_seal_chain *chain, hb_seal_ciphertext *head)
{
    fields f;
    HB_TRY(hb_seal_object_begin(reader, &head->end));
    HB_TRY(read_fields(reader, &f));
    return check_fields(reader, chain, &f, head);
}

/* Bytes of a UniformRandomGeneratorInfo: header, generator and seed. */
#define SEED_BYTES (HB_SEAL_HEADER_BYTES + 1 + HB_SEAL_SEED_BYTES)

/* Writes the generator and its seed, as an object of its own. */
static hb_status write_seed(hb_seal_writer *writer, const hb_seal_seed *seed)
{
    const uint8_t kind = (uint8_t)seed->kind;
    HB_TRY(hb_seal_write_header(writer, SEED_BYTES));
    HB_TRY(hb_seal_write(writer, &kind, sizeof kind));
    return hb_seal_write(writer, seed->bytes, sizeof seed->bytes);
}

/* Reads the generator and its seed. 3.4 and 3.5 had another generator, and no object for it. */
static hb_status read_seed(hb_seal_reader *reader, hb_seal_seed *seed)
{
    const hb_seal_version version = hb_seal_reader_version(reader);
    uint64_t end;
    uint8_t kind;
    if (version.major == 3 && version.minor < 6) {
        return HB_FAIL(HB_EDATA, "%s: is seeded as SEAL 3.4 and 3.5 did; save it with a later one or without a seed",
                       hb_seal_reader_path(reader));
    }
    /* The generator's own object, behind the array. */
    HB_TRY(hb_seal_object_begin(reader, &end));
    HB_TRY(hb_seal_read(reader, &kind, sizeof kind));
    HB_TRY(hb_seal_read(reader, seed->bytes, sizeof seed->bytes));
    HB_TRY(hb_seal_object_end(reader, end));
    if (kind != HB_SEAL_BLAKE2XB && kind != HB_SEAL_SHAKE256) {
        return HB_FAIL(HB_EDATA, "%s: its seed is for an unknown generator (%d)", hb_seal_reader_path(reader), kind);
    }
    seed->kind = (hb_seal_prng_kind)kind;
    return HB_OK;
}

hb_status hb_seal_ciphertext_words(hb_seal_reader *reader, const hb_seal_chain *chain, const hb_seal_ciphertext *head,
                                   uint64_t *words)
{
    const hb_params_spec *spec = &chain->params->spec;
    const size_t polynomial = head->limbs * spec->n;
    uint64_t count, end;
    HB_TRY(hb_seal_array_begin(reader, &count, &end));
    /* A seeded ciphertext says so only by having half of its words. */
    const bool seeded = count == polynomial && head->size == 2;
    if (!seeded && count != head->size * (uint64_t)polynomial) {
        return HB_FAIL(HB_EDATA, "%s: holds %" PRIu64 " words, but %" PRIu32 " polynomials of %zu",
                       hb_seal_reader_path(reader), count, head->size, polynomial);
    }
    /* The count is one of two that the parameters allow, so it fits the caller's memory. */
    HB_TRY(hb_seal_read(reader, words, (size_t)count * sizeof *words));
    HB_TRY(hb_seal_object_end(reader, end));
    /* Words that a seed expands to are in range by themselves. */
    HB_TRY(hb_seal_check_range(reader, words, seeded ? 1 : head->size, spec->n, spec->primes, head->limbs));
    if (seeded) {
        hb_seal_seed seed;
        HB_TRY(read_seed(reader, &seed));
        hb_seal_sample_uniform(words + polynomial, spec->n, spec->primes, head->limbs, &seed);
    }
    return hb_seal_object_end(reader, head->end);
}

uint64_t hb_seal_ciphertext_bytes(hb_seal_version version, size_t n, const hb_seal_ciphertext *head)
{
    /* Header, identifier, form, three counts, scale, correction factor; the array. */
    const uint64_t before =
        HB_SEAL_HEADER_BYTES + HB_DIGEST_BYTES + 1 + 3 * 8 + 8 + (has_correction(version) ? 8 : 0);
    const uint64_t polynomial = (uint64_t)head->limbs * n;
    return before +
           (head->seeded ? HB_SEAL_ARRAY_BYTES(polynomial) + SEED_BYTES : HB_SEAL_ARRAY_BYTES(head->size * polynomial));
}

hb_status hb_seal_ciphertext_write(hb_seal_writer *writer, const hb_seal_chain *chain, const hb_seal_ciphertext *head,
                                   const uint64_t *words, const hb_seal_seed *seed)
{
    const size_t n = chain->params->spec.n;
    const uint8_t ntt = head->ntt;
    HB_ASSERT(head->seeded == (seed != NULL) && (seed == NULL || head->size == 2));
    HB_TRY(hb_seal_write(writer, chain->id[head->limbs], HB_DIGEST_BYTES));
    HB_TRY(hb_seal_write(writer, &ntt, sizeof ntt));
    HB_TRY(hb_seal_write_u64(writer, head->size));
    HB_TRY(hb_seal_write_u64(writer, n));
    HB_TRY(hb_seal_write_u64(writer, head->limbs));
    HB_TRY(hb_seal_double_write(writer, head->scale == 0 ? 1 : head->scale));
    if (has_correction(hb_seal_writer_version(writer))) {
        HB_TRY(hb_seal_write_u64(writer, 1));
    }
    HB_TRY(hb_seal_array_write(writer, words, (size_t)(seed != NULL ? 1 : head->size) * head->limbs * n));
    return seed != NULL ? write_seed(writer, seed) : HB_OK;
}

hb_status hb_seal_ciphertext_save(const char *path, hb_seal_style style, const hb_seal_chain *chain,
                                  const hb_seal_ciphertext *head, const uint64_t *words)
{
    hb_seal_writer *writer;
    HB_TRY(hb_seal_writer_open(path, style, 0644, hb_seal_ciphertext_bytes(style.version, chain->params->spec.n, head),
                               &writer));
    hb_status st;
    HB_GOTO(hb_seal_ciphertext_write(writer, chain, head, words, NULL));
    st = hb_seal_writer_finish(writer);
done:
    hb_seal_writer_close(writer);
    return st;
}
