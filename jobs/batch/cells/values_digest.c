#include "values_digest.h"

/* The host's byte order: ranks that share limbs have it in common, as all that they exchange is in it. */
void hb_values_digest(uint8_t digest[HB_DIGEST_BYTES], const hb_seed *root, const uint64_t *values, size_t count)
{
    hb_seed key;
    hb_seed_derive(&key, root, "digest of values");
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch values");
    hb_digest_add(&state, key.bytes, sizeof key.bytes); /* nothing can be appended to a BLAKE2b: a prefix is a key */
    hb_digest_add(&state, values, count * sizeof *values);
    hb_digest_end(&state, digest);
    hb_wipe(&state, sizeof state);
    hb_wipe(&key, sizeof key);
}
