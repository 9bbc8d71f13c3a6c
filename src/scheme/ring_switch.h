/* Ciphertexts of a smaller ring, brought into a larger one (C. Gentry, S. Halevi, C. Peikert, N. P. Smart, Ring
 * Switching in BGV-Style Homomorphic Encryption, SCN 2012, the other way round).
 *
 * Y = X^(N/n) makes Z[Y]/(Y^n + 1) a part of Z[X]/(X^N + 1). A ciphertext over the former under a secret s'(Y), with
 * data primes that the chain of the larger ring begins with, is one over the latter under s'(X^(N/n)), with the same
 * phase: coefficient j of Y is coefficient j N/n of X, and all others are 0. No word is computed. A key from
 * s'(X^(N/n)) to s, of the larger ring, then brings it under s as any other key switch does: it adds that noise, and
 * nothing else. So a client sends n words a limb where N would be. That suits a row in one ciphertext, whose numbers
 * are coefficients (spread.h): behind the switch these are 2^first apart.
 *
 * Security. s' is a uniform ternary secret of a pair of its own, and does not depend on s. Under it are published a
 * public key and ciphertexts modulo its own chain: parameters of the smaller ring, which are held to the table of
 * security like any others. Nothing is switched to s', so that no prime is special, and all that the table allows is
 * for data: hb_ring_switch_spec takes as many primes as the table allows for n, and hb_ring_switch_fits refuses
 * parameters that are declared insecure. The key of the switch is an encryption of s'(X^(N/n)) under s in the larger
 * ring, as keys between two pairs of one person are (switch_key.h): with s it tells s', and without s nothing. */
#ifndef HB_SCHEME_RING_SWITCH_H
#define HB_SCHEME_RING_SWITCH_H

#include "params.h"
#include "rlwe/switch_key.h"

/* Sets *smaller to the parameters of degree n from which ciphertexts come: the primes that the chain begins with, as
 * many as the table allows, whole levels of users. HB_ECONFIG where n is no power of two from 2^10 to below N, where
 * the table allows not even one level, and for keys of several owners and parameters that compute as Microsoft SEAL's
 * CKKS, whose scales depend on the whole chain. */
hb_status hb_ring_switch_spec(const hb_params *params, size_t n, hb_params_spec *smaller);
/* Returns whether ciphertexts of these other parameters can come: those that hb_ring_switch_spec makes, or of fewer
 * levels. The literal need not be checked. */
bool hb_ring_switch_fits(const hb_params *params, const hb_params_spec *smaller);

/* Returns whether n is the degree of a ring that is smaller than that of N: a power of two from 2^10 to below N. */
static inline bool hb_ring_switch_degree(size_t to_n, uint64_t n)
{
    return n >= (uint64_t)1 << HB_MIN_LOG_N && n < to_n && (n & (n - 1)) == 0;
}
/* Returns log2(N / n) of such degrees. */
static inline uint32_t hb_ring_switch_first(size_t to_n, uint64_t n)
{
    return (uint32_t)__builtin_ctzll(to_n / n);
}
/* Returns the purpose of the key: for the highest level of the smaller ring and those below. */
static inline hb_key_purpose hb_ring_switch_purpose(const hb_params_spec *smaller)
{
    return (hb_key_purpose){.limbs = smaller->key_limbs, .source = HB_FROM_SECRET};
}

/* Makes s'(X^(N/n)): to [N] of ternary [n], host, for the caller to wipe. */
void hb_ring_switch_secret(int8_t *to, size_t to_n, const int8_t *ternary, size_t n);
/* Puts polynomials of the smaller ring on an engine of the larger one, in the limbs that are here. words: host,
 * [to.count][to.limbs][n], coefficient form, below the moduli of to's limbs; `to` is contiguous and gets coefficient
 * form. host: room of the engine's host memory (hb_host_alloc), of so many bytes. Waits. */
static inline size_t hb_ring_switch_host_bytes(const hb_engine *engine, hb_batch to)
{
    return to.count * hb_limbs_here(engine, to.ids, to.limbs) * engine->ring->n * sizeof(uint64_t);
}
hb_status hb_ring_switch_embed(hb_engine *engine, hb_batch to, const uint64_t *words, size_t n, void *host);

#endif
