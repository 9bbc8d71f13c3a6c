/* EncryptionParameters, and the elements that all objects share. */
#include <inttypes.h>
#include <string.h>

#include "bfv/params.h"
#include "ckks/params.h"
#include "object_private.h"
#include "scheme/params.h"

enum { MODULUS_BYTES = HB_SEAL_HEADER_BYTES + 8 };

hb_status hb_seal_array_begin(hb_seal_reader *reader, uint64_t *words, uint64_t *end)
{
    HB_TRY(hb_seal_object_begin(reader, end));
    return hb_seal_read_u64(reader, words);
}

hb_status hb_seal_array_write(hb_seal_writer *writer, const uint64_t *words, size_t count)
{
    HB_TRY(hb_seal_write_header(writer, HB_SEAL_ARRAY_BYTES(count)));
    HB_TRY(hb_seal_write_u64(writer, count));
    return hb_seal_write(writer, words, count * sizeof *words);
}

hb_status hb_seal_double_read(hb_seal_reader *reader, double *value)
{
    return hb_seal_read(reader, value, sizeof *value);
}

hb_status hb_seal_double_write(hb_seal_writer *writer, double value)
{
    return hb_seal_write(writer, &value, sizeof value);
}

hb_status hb_seal_check_range(const hb_seal_reader *reader, const uint64_t *words, uint64_t polynomials, size_t n,
                              const uint64_t *moduli, uint32_t limbs)
{
    for (uint64_t p = 0; p < polynomials * limbs; p++, words += n) {
        const uint64_t modulus = moduli[p % limbs];
        uint64_t outside = 0;
        /* Without a branch, so that the loop vectorises, and a secret key's words decide nothing. */
        for (size_t i = 0; i < n; i++) {
            outside += words[i] >= modulus;
        }
        if (outside > 0) {
            return HB_FAIL(HB_EDATA, "%s: has residues that are not below their modulus %" PRIu64,
                           hb_seal_reader_path(reader), modulus);
        }
    }
    return HB_OK;
}

/* SEAL's own, which in CKKS says less than our digest. */
static void parms_id(uint8_t id[HB_DIGEST_BYTES], const hb_params_spec *spec)
{
    if (spec->scheme == HB_CKKS) {
        hb_ckks_parms_id(id, spec);
    } else {
        hb_params_digest(id, spec);
    }
}

void hb_seal_chain_init(hb_seal_chain *chain, const hb_params *params)
{
    *chain = (hb_seal_chain){.params = params};
    /* The identifier of a level is the digest of the parameters with its primes alone. */
    hb_params_spec spec = params->spec;
    for (spec.key_limbs = 1; spec.key_limbs <= params->key_limbs; spec.key_limbs++) {
        parms_id(chain->id[spec.key_limbs], &spec);
    }
}

static hb_status read_modulus(hb_seal_reader *reader, uint64_t *value)
{
    uint64_t end;
    HB_TRY(hb_seal_object_begin(reader, &end));
    HB_TRY(hb_seal_read_u64(reader, value));
    return hb_seal_object_end(reader, end);
}

/* Sets the scheme, or names that of a file that cannot be read. */
static hb_status scheme_of(const hb_seal_reader *reader, uint8_t scheme, hb_params_spec *spec)
{
    static const char *const names[] = {"no scheme", "BFV", "CKKS", "BGV"};
    *spec = (hb_params_spec){.scheme = scheme == HB_CKKS_SCHEME_TYPE ? HB_CKKS : HB_BFV,
                             .ckks.like_seal = scheme == HB_CKKS_SCHEME_TYPE};
    if (scheme == HB_BFV_SCHEME_TYPE || scheme == HB_CKKS_SCHEME_TYPE) {
        return HB_OK;
    }
    return HB_FAIL(HB_EDATA, "%s: holds parameters of %s; only BFV and CKKS can be read", hb_seal_reader_path(reader),
                   scheme < sizeof names / sizeof names[0] ? names[scheme] : "an unknown scheme");
}

/* Reads the literal in the order of the file (EncryptionParameters::load_members). */
static hb_status read_parameters(hb_seal_reader *reader, hb_params_spec *spec)
{
    uint64_t end, n, limbs;
    uint8_t scheme;
    HB_TRY(hb_seal_object_begin(reader, &end));
    HB_TRY(hb_seal_read(reader, &scheme, sizeof scheme));
    /* At once, as the next fields mean other things in other schemes. */
    HB_TRY(scheme_of(reader, scheme, spec));
    HB_TRY(hb_seal_read_u64(reader, &n));
    HB_TRY(hb_seal_read_u64(reader, &limbs));
    /* Only the checks that allocation needs; everything else about the parameters is checked when they are opened. */
    if (limbs < 1 || limbs > HB_MAX_LIMBS || n < 1 || n > (uint64_t)1 << HB_RING_MAX_LOG_N) {
        return HB_FAIL(HB_EDATA, "%s: a ring of degree %" PRIu64 " with %" PRIu64 " primes is outside 2^%d and %d",
                       hb_seal_reader_path(reader), n, limbs, HB_RING_MAX_LOG_N, HB_MAX_LIMBS);
    }
    spec->n = (size_t)n;
    spec->key_limbs = (uint32_t)limbs;
    /* The special prime is the last of them, as in our own files. */
    for (uint32_t l = 0; l < spec->key_limbs; l++) {
        HB_TRY(read_modulus(reader, &spec->primes[l]));
    }
    HB_TRY(read_modulus(reader, &spec->bfv.plain));
    if (spec->scheme != HB_BFV && spec->bfv.plain != 0) {
        return HB_FAIL(HB_EDATA, "%s: is of %s, and yet has a plain modulus, %" PRIu64, hb_seal_reader_path(reader),
                       hb_scheme_name(spec->scheme), spec->bfv.plain);
    }
    return hb_seal_object_end(reader, end);
}

const uint64_t *hb_seal_plain_modulus(const hb_params_spec *spec)
{
    return spec->scheme == HB_BFV ? &spec->bfv.plain : NULL;
}

/* Takes the scale, which the file lacks. */
static hb_status take_scale(const char *path, uint32_t scale_bits, hb_params_spec *spec)
{
    const bool wanted = spec->scheme == HB_CKKS;
    spec->ckks.scale_bits = scale_bits;
    if (wanted != (scale_bits != 0)) {
        return HB_FAIL(HB_EUSAGE, "%s: holds parameters of %s, which %s", path, hb_scheme_name(spec->scheme),
                       wanted ? "have a scale that SEAL does not keep with them: say it with --scale-bits B, as "
                                "--scale-bits 40"
                              : "have no scale: leave out --scale-bits");
    }
    return HB_OK;
}

hb_status hb_seal_parameters_load(const char *path, uint32_t scale_bits, hb_params_spec *spec)
{
    hb_seal_reader *reader;
    HB_TRY(hb_seal_reader_open(path, &reader));
    hb_params_spec read;
    hb_status st = read_parameters(reader, &read);
    hb_seal_reader_close(reader);
    st = st == HB_OK ? take_scale(path, scale_bits, &read) : st;
    if (st == HB_OK) {
        *spec = read;
    }
    return st;
}

static hb_status write_modulus(hb_seal_writer *writer, uint64_t value)
{
    HB_TRY(hb_seal_write_header(writer, MODULUS_BYTES));
    return hb_seal_write_u64(writer, value);
}

/* Writes the same fields in the same order. */
static hb_status write_parameters(hb_seal_writer *writer, const hb_params_spec *spec)
{
    const uint8_t scheme = spec->scheme == HB_CKKS ? HB_CKKS_SCHEME_TYPE : HB_BFV_SCHEME_TYPE;
    HB_TRY(hb_seal_write(writer, &scheme, sizeof scheme));
    HB_TRY(hb_seal_write_u64(writer, spec->n));
    HB_TRY(hb_seal_write_u64(writer, spec->key_limbs));
    for (uint32_t l = 0; l < spec->key_limbs; l++) {
        HB_TRY(write_modulus(writer, spec->primes[l]));
    }
    HB_TRY(write_modulus(writer, spec->bfv.plain));
    return hb_seal_writer_finish(writer);
}

hb_status hb_seal_parameters_save(const char *path, hb_seal_style style, const hb_params_spec *spec)
{
    const uint64_t bytes = HB_SEAL_HEADER_BYTES + 1 + 8 + 8 + (spec->key_limbs + 1) * (uint64_t)MODULUS_BYTES;
    hb_seal_writer *writer;
    HB_TRY(hb_seal_writer_open(path, style, 0644, bytes, &writer));
    const hb_status st = write_parameters(writer, spec);
    hb_seal_writer_close(writer);
    return st;
}
