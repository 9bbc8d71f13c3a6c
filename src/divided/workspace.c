/* How much memory a queue of the divided engine has for pieces (engine.h). */
#include "base/chunk.h"
#include "divided_private.h"

/* A half of the workspace has room for some polynomials, so that transfers are few and large, but within bounds: the
 * links of GPUs are near their best from some ten megabytes on. On an engine that works on smaller batches, as many of
 * these in both halves. */
#define HALF_POLYNOMIALS 16
#define HALF_LEAST ((size_t)16 << 20)
#define HALF_MOST ((size_t)512 << 20)
#define WORK_BATCHES 8
#define SHARE 16 /* of the memory that there is, a half takes no more than this part: keys and ciphertexts come first */

/* Words of a half in which any operation finds room for one polynomial: all of its limbs, what
 * hb_divided_slices_each comes to at most, and the sums modulo t and gamma of every member, and its own. */
static size_t least_words(const hb_limb_map *map, size_t n)
{
    const size_t k = map->members, limbs = map->most_limbs, most = (limbs + k - 1) / k;
    const size_t slice = (n / HB_SLICE_WORDS + k - 1) / k * HB_SLICE_WORDS;
    const size_t gather = limbs * n, slices = 3 * most * n + 3 * limbs * slice, sums = 2 * (k + 1) * n;
    return hb_larger(gather, hb_larger(slices, sums));
}

size_t hb_divided_half_words(const hb_limb_map *map, size_t n, size_t batch_bytes, uint64_t memory)
{
    const size_t least = least_words(map, n);
    size_t bytes = hb_larger(least * HALF_POLYNOMIALS * sizeof(uint64_t), HALF_LEAST);
    bytes = bytes < HALF_MOST ? bytes : HALF_MOST;
    if (batch_bytes > 0 && batch_bytes * WORK_BATCHES / 2 < bytes) {
        bytes = batch_bytes * WORK_BATCHES / 2;
    }
    if (memory > 0 && memory / SHARE < bytes) {
        bytes = (size_t)(memory / SHARE);
    }
    const size_t words = hb_larger(least, bytes / sizeof(uint64_t));
    return map->members == 1 ? 0 : (words + n - 1) / n * n;
}

uint64_t hb_divided_queue_bytes(const hb_limb_map *map, size_t n, size_t batch_bytes, uint64_t memory)
{
    return hb_divided_half_words(map, n, batch_bytes, memory) * 2 * sizeof(uint64_t);
}
