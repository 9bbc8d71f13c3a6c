#include "interpolations.h"

#include <stdlib.h>
#include <string.h>

#include "seed.h"

/* So many are kept, then the oldest makes room. */
enum { KEPT = 32 };

typedef struct entry {
    uint64_t prime;
    hb_points points;
    size_t count;
    uint64_t *words; /* [2][count] values, coefficients; NULL: nothing is kept here */
} entry;

struct hb_interpolations {
    entry entries[KEPT];
    uint32_t next; /* where the next one is kept */
};

static void clear(entry *e)
{
    if (e->words != NULL) {
        hb_wipe(e->words, 2 * e->count * sizeof *e->words);
    }
    free(e->words);
    *e = (entry){0};
}

hb_status hb_interpolations_open(hb_interpolations **out)
{
    *out = calloc(1, sizeof **out);
    return *out != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for interpolations");
}

void hb_interpolations_close(hb_interpolations *found)
{
    for (uint32_t i = 0; found != NULL && i < KEPT; i++) {
        clear(&found->entries[i]);
    }
    free(found);
}

static const entry *find(const hb_interpolations *found, const entry *like, const uint64_t *values)
{
    for (uint32_t i = 0; i < KEPT; i++) {
        const entry *e = &found->entries[i];
        if (e->words != NULL && e->prime == like->prime && e->points == like->points && e->count == like->count &&
            memcmp(e->words, values, e->count * sizeof *values) == 0) {
            return e;
        }
    }
    return NULL;
}

hb_status hb_interpolations_find(hb_interpolations *found, const hb_modulus *prime, hb_points points,
                                 const uint64_t *values, size_t count, uint64_t *coefficients)
{
    if (found == NULL) {
        return hb_interpolate_mod(prime, points, values, count, coefficients);
    }
    const size_t bytes = count * sizeof *values;
    entry made = {.prime = prime->value, .points = points, .count = count};
    const entry *there = find(found, &made, values);
    if (there != NULL) {
        memcpy(coefficients, there->words + count, bytes);
        return HB_OK;
    }
    made.words = malloc(2 * bytes);
    if (made.words == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a polynomial through %zu values", count);
    }
    memcpy(made.words, values, bytes);
    const hb_status st = hb_interpolate_mod(prime, points, made.words, count, made.words + count);
    if (st != HB_OK) {
        clear(&made);
        return st;
    }
    memcpy(coefficients, made.words + count, bytes);
    clear(&found->entries[found->next]);
    found->entries[found->next] = made;
    found->next = (found->next + 1) % KEPT;
    return HB_OK;
}
