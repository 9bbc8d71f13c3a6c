/* Masks of parts of decryptions (part.h) where T of n owners decrypt. Every two of the owners that decrypt have a mask,
 * which one adds and the other takes away: the sum of all parts is as it was, and any fewer of them are uniform.
 *
 * Without masks such parts are insecure, however wide their noise is. Corrupted owners know their own shares, so that
 * of an honest owner is, to them, a known fraction of s and a known number: times the denominator, a part of it tells
 * the error of the phase modulo this denominator, which is linear in s. Masked parts of the honest owners show their
 * sum alone, in which that error stands once.
 *
 * A mask is the uniform polynomial that the seed H("hebatch mask"; the pair's secret (sealing.h), of both owners, in
 * ascending order, the length of the name and the name; context) expands to, context that of the part
 * (hb_part_context): who has the context of another request has other masks. */
#ifndef HB_JOINT_MASKS_H
#define HB_JOINT_MASKS_H

#include "part.h"

typedef struct hb_masks hb_masks;

/* Who decrypts, and which of them makes parts. */
typedef struct hb_mask_owners {
    const hb_owner_card *owners; /* [count], in ascending order of names */
    uint32_t count, self;        /* the place of who makes parts among them */
    const hb_seed *root;         /* his; secret */
} hb_mask_owners;

/* Opens the masks of one owner, for parts of `limbs` limbs, up to max_count at a time; borrows nothing of `owners`.
 * HB_EDATA where the card of another has no key that secrets can be made with; HB_ENOMEM. Closing wipes its memory;
 * NULL is allowed. */
hb_status hb_masks_open(hb_engine *engine, const hb_params *params, uint32_t limbs, const hb_mask_owners *owners,
                        size_t max_count, hb_masks **out);
void hb_masks_close(hb_masks *masks);
/* Returns the bytes of the engine's memory that they take; on the member with most limbs, where they are divided. */
uint64_t hb_masks_bytes(const hb_params *params, uint32_t limbs, size_t max_count);
/* Adds the masks of contexts to parts h, [count][limbs], coefficient form: that of part c is HB_DIGEST_BYTES bytes at
 * contexts + c * stride, host. They are those with owners behind him, less those with owners before him. Errors of the
 * engine, after which h is wiped. Neither waits nor exchanges; contexts are read before it returns. */
hb_status hb_masks_add(hb_masks *masks, hb_batch h, const uint8_t *contexts, size_t stride);

#endif
