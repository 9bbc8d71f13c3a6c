/* Finding the first word that two engines do not agree on, and saying where it is. */
#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "check_private.h"

/* Where a word of an area is, in terms of polynomials; `inside` is false for words around them. */
typedef struct place {
    bool inside;
    uint32_t limb;
    size_t polynomial, word;
} place;

/* Finds a word where limbs stand one behind the other, each with rows of its own length. */
static place locate_by_limbs(const hb_check_area *a, const hb_ring *ring, size_t i)
{
    place at = {.inside = true};
    for (size_t rows = 0;; i -= rows, at.limb++) {
        const size_t row = a->n != 0 ? a->n : hb_packed_row_bytes(ring->n, &ring->moduli[a->ids[at.limb]]) / 8;
        rows = a->count * row;
        if (i < rows) {
            at.polynomial = i / row;
            at.word = i % row;
            return at;
        }
    }
}

static place locate(const hb_check_area *a, const hb_ring *ring, size_t i)
{
    if (a->by_limbs) {
        return locate_by_limbs(a, ring, i);
    }
    if (i < a->head) {
        return (place){.inside = false};
    }
    i -= a->head;
    const place at = {
        .limb = (uint32_t)(i % a->stride / a->n), .polynomial = i / a->stride, .word = i % a->stride % a->n};
    return at.polynomial < a->count && at.limb < a->limbs ? (place){true, at.limb, at.polynomial, at.word}
                                                          : (place){.inside = false};
}

/* Fails with the place and both values. */
static hb_status differ(const hb_check_area *a, const hb_ring *ring, const char *what, size_t i, uint64_t found,
                        uint64_t expected)
{
    const place at = locate(a, ring, i);
    if (!at.inside) {
        return HB_FAIL(HB_EUNAVAILABLE, "%s: the engine wrote outside of the polynomials, word %zu of %zu", what, i,
                       a->words);
    }
    if (a->ids == NULL) {
        return HB_FAIL(HB_EUNAVAILABLE, "%s: the engine says %" PRIu64 ", the CPU %" PRIu64, what, found, expected);
    }
    return HB_FAIL(HB_EUNAVAILABLE,
                   "%s mod %" PRIu64 ", polynomial %zu, word %zu: the engine says %" PRIu64 ", the CPU %" PRIu64, what,
                   ring->moduli[a->ids[at.limb]].value, at.polynomial, at.word, found, expected);
}

hb_status hb_check_named(const char *what, hb_status st)
{
    return st == HB_OK ? HB_OK : HB_FAIL(st, "%s: %s", what, hb_last_error()->text);
}

hb_status hb_check_compare(const hb_check_pair *pair, const char *what, const hb_check_area *area)
{
    const size_t bytes = area->words * sizeof *pair->host;
    const uint64_t *cpu = area->memory[HB_CPU];
    /* The CPU engine's memory is the host's: it is compared where it is. */
    HB_TRY(hb_finish(pair->engine[HB_CPU]));
    HB_TRY(hb_check_named(what, hb_download(pair->engine[HB_CHECKED], pair->host, area->memory[HB_CHECKED], bytes)));
    HB_TRY(hb_check_named(what, hb_finish(pair->engine[HB_CHECKED])));
    /* Nearly always they are equal, which is found quickly. */
    if (memcmp(pair->host, cpu, bytes) == 0) {
        return HB_OK;
    }
    size_t i = 0;
    while (pair->host[i] == cpu[i]) {
        i++;
    }
    return differ(area, pair->engine[HB_CPU]->ring, what, i, pair->host[i], cpu[i]);
}

hb_check_area hb_check_area_of(const hb_batch b[HB_SIDES], size_t n)
{
    return (hb_check_area){.ids = b->ids,
                           .limbs = b->limbs,
                           .count = b->count,
                           .n = n,
                           .stride = b->stride,
                           .words = b->count * b->stride,
                           .memory = {b[0].data, b[1].data}};
}

uint64_t hb_check_random(uint64_t *state)
{
    const uint64_t word = hb_mix(*state);
    *state += UINT64_C(0x9e3779b97f4a7c15); /* as hb_mix does */
    return word;
}
