/* The layout of a checkpoint's section, by limbs; each member's file has that member's limbs. Pure functions. */
#ifndef HB_EVAL_CHECKPOINT_SECTION_H
#define HB_EVAL_CHECKPOINT_SECTION_H

#include "checkpoint.h"
#include "io/dataset/dataset.h"

/* A section has `outer` polynomials one after another, and for each a row for every limb in the file, in the order of
 * `ids`. A row has n words; for an output, the packed bytes of a dataset's row. */
typedef struct hb_section_layout {
    size_t outer;
    const uint16_t *ids; /* [limbs], borrowed */
    uint32_t limbs;
    const hb_header *rows; /* of the output, borrowed; NULL: rows of n words */
    size_t n;
} hb_section_layout;

/* Returns the bytes of a limb's row. */
size_t hb_section_row_bytes(const hb_section_layout *s, uint32_t limb);
/* Returns the words of a section in a file with the limbs of this bit set. */
size_t hb_section_words(const hb_section_layout *s, const uint64_t limbs[HB_CHECKPOINT_LIMB_WORDS]);
/* Copies the rows of limbs that both sections have; other rows of `to` stay. */
void hb_section_copy(const hb_section_layout *s, uint64_t *to, const uint64_t to_limbs[HB_CHECKPOINT_LIMB_WORDS],
                     const uint64_t *from, const uint64_t from_limbs[HB_CHECKPOINT_LIMB_WORDS]);

#endif
