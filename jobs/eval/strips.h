/* Sections of state files as strips, one for each limb that is in the file. Pure functions. */
#ifndef HB_EVAL_STRIPS_H
#define HB_EVAL_STRIPS_H

#include "io/dataset/dataset.h"
#include "state.h"

/* The strips of a section: `outer` times, in the order of the limbs, those that are in the file. A strip of a limb is n
 * words, or of an output, as many packed bytes as a row has. */
typedef struct hb_strips {
    size_t outer;
    const uint16_t *ids; /* [limbs], borrowed */
    uint32_t limbs;
    const hb_header *rows; /* of the output, borrowed; NULL: words */
    size_t n;
} hb_strips;

/* Returns the bytes of a strip. */
size_t hb_strips_bytes(const hb_strips *s, uint32_t limb);
/* Returns the words of a section in a file that has some limbs. */
size_t hb_strips_words(const hb_strips *s, const uint64_t limbs[HB_EVAL_STATE_LIMB_WORDS]);
/* Copies the strips that both of two sections have; others of `to` stay. */
void hb_strips_copy(const hb_strips *s, uint64_t *to, const uint64_t to_limbs[HB_EVAL_STATE_LIMB_WORDS],
                    const uint64_t *from, const uint64_t from_limbs[HB_EVAL_STATE_LIMB_WORDS]);

#endif
