/* Words that are to be the same in programs of any language: SplitMix64 in counter mode. */
#ifndef HB_TESTS_STREAMS_H
#define HB_TESTS_STREAMS_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/digest.h"
#include "ring/engine.h"

/* Word i of a stream: SplitMix64's output function of key + (i + 1) 0x9e3779b97f4a7c15. */
static inline uint64_t stream_word(uint64_t key, uint64_t i)
{
    uint64_t x = key + (i + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* The key of a stream from small integers: k = 0; for each of them k = word 0 of stream k xor it. */
static inline uint64_t stream_key(const uint64_t *parts, size_t count)
{
    uint64_t k = 0;
    for (size_t i = 0; i < count; i++) {
        k = stream_word(k ^ parts[i], 0);
    }
    return k;
}

/* A polynomial modulo m: word j of the stream mod m. */
static inline void stream_uniform(uint64_t *row, size_t n, uint64_t m, const uint64_t *parts, size_t count)
{
    const uint64_t key = stream_key(parts, count);
    for (size_t j = 0; j < n; j++) {
        row[j] = stream_word(key, j) % m;
    }
}

/* Seven primes of data and two special ones, = 1 mod 2^17; of 50 bits and 41. */
static const uint64_t stream_primes[] = {1125899887312897, 2199021813761,    2199020634113,
                                         2199018405889,    2199028891649,    2199030071297,
                                         2199016308737,    1125899903827969, 1125899902124033};
enum { STREAM_PRIMES = sizeof stream_primes / sizeof *stream_primes, STREAM_LOG_N = 10 };

/* BLAKE2b-256, in hex, of the words of a batch, which is contiguous, in memory of the host. */
static inline const char *words_digest(const uint64_t *words, size_t count, char hex[2 * HB_DIGEST_BYTES + 1])
{
    uint8_t digest[HB_DIGEST_BYTES];
    hb_digest_state state;
    hb_digest_begin(&state, "");
    hb_digest_add(&state, words, count * sizeof *words);
    hb_digest_end(&state, digest);
    for (size_t i = 0; i < HB_DIGEST_BYTES; i++) {
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    }
    return hex;
}

#endif
