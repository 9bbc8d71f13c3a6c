#include "section.h"

#include <string.h>

size_t hb_section_row_bytes(const hb_section_layout *s, uint32_t limb)
{
    return s->rows != NULL ? hb_header_row_bytes(s->rows, limb) : s->n * sizeof(uint64_t);
}

static bool holds(const uint64_t limbs[HB_CHECKPOINT_LIMB_WORDS], uint16_t id)
{
    return (limbs[id / 64] >> id % 64 & 1) != 0;
}

size_t hb_section_words(const hb_section_layout *s, const uint64_t limbs[HB_CHECKPOINT_LIMB_WORDS])
{
    size_t bytes = 0;
    for (uint32_t l = 0; l < s->limbs; l++) {
        bytes += holds(limbs, s->ids[l]) ? hb_section_row_bytes(s, l) : 0;
    }
    return (s->outer * bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t);
}

void hb_section_copy(const hb_section_layout *s, uint64_t *to, const uint64_t to_limbs[HB_CHECKPOINT_LIMB_WORDS],
                     const uint64_t *from, const uint64_t from_limbs[HB_CHECKPOINT_LIMB_WORDS])
{
    uint8_t *put = (uint8_t *)to;
    const uint8_t *take = (const uint8_t *)from;
    for (size_t o = 0; o < s->outer; o++) {
        for (uint32_t l = 0; l < s->limbs; l++) {
            const bool there = holds(from_limbs, s->ids[l]), here = holds(to_limbs, s->ids[l]);
            if (there && here) {
                memcpy(put, take, hb_section_row_bytes(s, l));
            }
            put += here ? hb_section_row_bytes(s, l) : 0;
            take += there ? hb_section_row_bytes(s, l) : 0;
        }
    }
}
