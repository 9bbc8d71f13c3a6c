#include "permutation.h"

#include <stdlib.h>

#include "galois.h"

hb_status hb_permutation_init(hb_permutation *permutation, hb_engine *engine, uint32_t *words)
{
    const size_t n = engine->ring->n, bytes = 2 * n * sizeof *words;
    void *there = NULL;
    for (uint32_t j = 0; j < n; j++) {
        words[n + words[j]] = j;
    }
    HB_TRY(hb_alloc(engine, bytes, &there));
    hb_status st;
    HB_GOTO(hb_upload(engine, there, words, bytes));
    /* The host memory is the caller's again when this returns. */
    HB_GOTO(hb_finish(engine));
    /* Set only now: until here the struct stays zeroed. */
    permutation->map = there;
    permutation->inverse = permutation->map + n;
    return HB_OK;
done:
    hb_free(engine, there);
    return st;
}

hb_status hb_permutation_init_galois(hb_permutation *permutation, hb_engine *engine, uint32_t element)
{
    const size_t n = engine->ring->n;
    uint32_t *words = malloc(2 * n * sizeof *words);
    if (words == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the automorphism X -> X^%u", element);
    }
    hb_galois_map(words, n, element);
    const hb_status st = hb_permutation_init(permutation, engine, words);
    permutation->element = st == HB_OK ? element : 0;
    free(words);
    return st;
}

void hb_permutation_clear(hb_permutation *permutation, hb_engine *engine)
{
    hb_free(engine, permutation->map);
    *permutation = (hb_permutation){0};
}
