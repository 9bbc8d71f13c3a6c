/* PublicKey and KSwitchKeys: ciphertexts at the key level in NTT form, one or many. */
#include <inttypes.h>
#include <string.h>

#include "object_private.h"

static hb_seal_ciphertext part_head(const hb_seal_chain *chain, bool seeded)
{
    return (hb_seal_ciphertext){
        .size = 2, .limbs = chain->params->key_limbs, .ntt = true, .scale = 1, .seeded = seeded};
}

hb_status hb_seal_key_part_read(hb_seal_reader *reader, const hb_seal_chain *chain, uint64_t *words)
{
    hb_seal_ciphertext head;
    HB_TRY(hb_seal_ciphertext_begin(reader, chain, &head));
    if (head.size != 2 || head.limbs != chain->params->key_limbs || !head.ntt || head.scale != 1) {
        return HB_FAIL(HB_EDATA, "%s: is no key: those have 2 polynomials with all %" PRIu32 " primes in NTT form",
                       hb_seal_reader_path(reader), chain->params->key_limbs);
    }
    return hb_seal_ciphertext_words(reader, chain, &head, words);
}

hb_status hb_seal_key_part_write(hb_seal_writer *writer, const hb_seal_chain *chain, const uint64_t *words,
                                 const hb_seal_seed *seed)
{
    const hb_seal_ciphertext head = part_head(chain, seed != NULL);
    HB_TRY(hb_seal_write_header(
        writer, hb_seal_ciphertext_bytes(hb_seal_writer_version(writer), chain->params->spec.n, &head)));
    return hb_seal_ciphertext_write(writer, chain, &head, words, seed);
}

hb_status hb_seal_public_load(const char *path, const hb_seal_chain *chain, uint64_t *words)
{
    hb_seal_reader *reader;
    HB_TRY(hb_seal_reader_open(path, &reader));
    const hb_status st = hb_seal_key_part_read(reader, chain, words);
    hb_seal_reader_close(reader);
    return st;
}

hb_status hb_seal_public_save(const char *path, hb_seal_style style, const hb_seal_chain *chain, const uint64_t *words)
{
    const hb_seal_ciphertext head = part_head(chain, false);
    return hb_seal_ciphertext_save(path, style, chain, &head, words);
}

hb_status hb_seal_switch_keys_begin(hb_seal_reader *reader, const hb_seal_chain *chain, uint64_t *slots, uint64_t *end)
{
    const hb_params *params = chain->params;
    const char *path = hb_seal_reader_path(reader);
    uint8_t id[HB_DIGEST_BYTES];
    HB_TRY(hb_seal_object_begin(reader, end));
    HB_TRY(hb_seal_read(reader, id, sizeof id));
    HB_TRY(hb_seal_read_u64(reader, slots));
    if (memcmp(id, chain->id[params->key_limbs], sizeof id) != 0) {
        return HB_FAIL(HB_EDATA,
                       "%s: its parms_id is not that of these parameters: it has another N, t, chain or scheme", path);
    }
    /* Without a special prime the number of parts would be that of no key. */
    if (!hb_params_can_switch(params)) {
        return HB_FAIL(HB_EDATA, "%s: these parameters have no special prime, so no switching keys", path);
    }
    /* Galois elements are odd numbers below 2 N, so there are N slots at most. */
    return *slots <= params->spec.n ? HB_OK
                                    : HB_FAIL(HB_EDATA, "%s: has places for %" PRIu64 " keys, more than N = %zu", path,
                                              *slots, params->spec.n);
}

hb_status hb_seal_switch_keys_next(hb_seal_reader *reader, const hb_seal_chain *chain, uint32_t *parts)
{
    uint64_t count;
    HB_TRY(hb_seal_read_u64(reader, &count));
    if (count != 0 && count != chain->params->data_limbs) {
        return HB_FAIL(HB_EDATA, "%s: a key of %" PRIu64 " parts is not possible: %" PRIu32 " are right",
                       hb_seal_reader_path(reader), count, chain->params->data_limbs);
    }
    *parts = (uint32_t)count;
    return HB_OK;
}

hb_status hb_seal_switch_keys_open(const char *path, hb_seal_style style, const hb_seal_chain *chain, uint64_t slots,
                                   uint64_t keys, bool seeded, hb_seal_writer **out)
{
    const hb_params *params = chain->params;
    const hb_seal_ciphertext head = part_head(chain, seeded);
    const uint64_t part = hb_seal_ciphertext_bytes(style.version, params->spec.n, &head);
    const uint64_t bytes = HB_SEAL_HEADER_BYTES + HB_DIGEST_BYTES + 8 + 8 * slots + keys * params->data_limbs * part;
    hb_seal_writer *writer;
    HB_TRY(hb_seal_writer_open(path, style, 0644, bytes, &writer));
    hb_status st;
    /* Identifier and number of slots; each slot's count and parts are the caller's. */
    HB_GOTO(hb_seal_write(writer, chain->id[params->key_limbs], HB_DIGEST_BYTES));
    HB_GOTO(hb_seal_write_u64(writer, slots));
    *out = writer;
done:
    if (st != HB_OK) {
        hb_seal_writer_close(writer);
    }
    return st;
}
