/* Batches of ciphertexts as the evaluator sees them. */
#ifndef HB_RLWE_CIPHERTEXTS_H
#define HB_RLWE_CIPHERTEXTS_H

#include "params.h"

/* `count` ciphertexts of `size` components: component i of ciphertext c is polynomial i * count + c. A view. */
typedef struct hb_ciphertexts {
    hb_batch all; /* all.count = size * count; stride = limbs * n */
    uint32_t size;
    hb_form form; /* the parameters' form, unless a function says otherwise */
} hb_ciphertexts;

/* Return the number of ciphertexts; and a view of component i of all, i < a.size. */
size_t hb_ciphertexts_count(hb_ciphertexts a);
hb_batch hb_ciphertexts_component(hb_ciphertexts a, uint32_t i);
/* Own memory for `count` ciphertexts at the level of `limbs` limbs; free with hb_batch_free(&a->all). HB_ENOMEM. */
hb_status hb_ciphertexts_alloc(hb_ciphertexts *a, hb_engine *engine, const hb_params *params, uint32_t size,
                               size_t count, uint32_t limbs);
/* Returns a view of the memory of a as a smaller set, laid out anew. */
hb_ciphertexts hb_ciphertexts_view(hb_ciphertexts a, const hb_engine *engine, const hb_params *params, uint32_t size,
                                   size_t count, uint32_t limbs);

#endif
