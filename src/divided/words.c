/* Operations in which members share some words of each, or the host waits (engine.h). */
#include <string.h>

#include "divided_private.h"

static hb_status count_zeros(hb_engine *e, uint64_t *zeros, hb_batch a)
{
    hb_divided *div = hb_divided_of(e);
    const hb_local_limbs mine = hb_local_limbs_here(e, a.ids, a.limbs);
    *zeros = 0;
    /* The count is waited for, so transfers come first. */
    HB_TRY(hb_divided_settle(div));
    if (mine.limbs > 0) {
        HB_TRY(hb_count_zeros(div->base.device, zeros, hb_on_device(&mine, a)));
    }
    if (!hb_is_divided(div, a.ids, a.limbs)) {
        return HB_OK;
    }
    /* The sum over all members is the count of all limbs. */
    HB_TRY(hb_divided_gather_words(div, zeros, 1));
    *zeros = 0;
    for (uint32_t m = 0; m < div->exchange->members; m++) {
        *zeros += div->words[m];
    }
    return HB_OK;
}

const hb_ring_ops hb_divided_ring_ops = {
    .count_zeros = count_zeros,
};

/* Gathers the digests of all limbs, from the place of each member's to the same place. */
static hb_status gather_digests(hb_divided *div, uint8_t *digests, size_t bytes, const uint16_t *ids, uint32_t limbs)
{
    hb_transfer t = {.pattern = HB_ALL_GATHER};
    uint8_t *own = NULL, *at = digests;
    size_t own_bytes = 0;
    uint64_t ticket;
    for (uint32_t m = 0; m < div->exchange->members; m++) {
        const size_t theirs = bytes * hb_limb_map_count(div->base.map, ids, limbs, m);
        own = m == div->base.member ? at : own;
        own_bytes = m == div->base.member ? theirs : own_bytes;
        t.receive[m] = at;
        t.receive_bytes[m] = theirs;
        at += theirs;
    }
    for (uint32_t m = 0; m < div->exchange->members; m++) {
        t.send[m] = own;
        t.send_bytes[m] = own_bytes;
    }
    t.receive[div->base.member] = NULL; /* they are there */
    HB_TRY(hb_divided_start(div, &t, &ticket));
    return hb_divided_wait(div, ticket);
}

/* Digests of own limbs are made here; those of others come from their members. */
static hb_status digest_rows(hb_engine *e, uint8_t *digests, hb_packed rows, const uint16_t *ids, uint32_t limbs)
{
    hb_divided *div = hb_divided_of(e);
    const hb_local_limbs mine = hb_local_limbs_here(e, ids, limbs);
    const size_t bytes = rows.rows * HB_DIGEST_BYTES;
    /* Packed rows are here for the own limbs only, one limb behind the other, and so stand their digests. */
    if (mine.limbs > 0) {
        uint8_t *own = digests + hb_digest_place(e, ids, limbs, mine.at[0]) * bytes;
        HB_TRY(hb_digest_rows(div->base.device, own, rows, mine.ids, mine.limbs));
    }
    return hb_is_divided(div, ids, limbs) ? gather_digests(div, digests, bytes, ids, limbs) : HB_OK;
}

/* Each member counts words of its own limbs: who asks gathers the outcome. */
static hb_status unpack(hb_engine *e, hb_batch r, hb_packed from, size_t *out_of_range)
{
    const hb_local_limbs s = hb_local_limbs_here(e, r.ids, r.limbs);
    *out_of_range = 0;
    HB_TRY(hb_divided_settle(hb_divided_of(e)));
    return s.limbs == 0 ? HB_OK : hb_unpack(e->device, hb_on_device(&s, r), from, out_of_range);
}

const hb_row_ops hb_divided_row_ops = {
    .unpack = unpack,
    .digest_rows = digest_rows,
};

hb_status hb_divided_same(hb_engine *queue, const uint8_t digest[HB_DIGEST_BYTES], const char *what)
{
    enum { WORDS = HB_DIGEST_BYTES / sizeof(uint64_t) };
    uint64_t mine[WORDS];
    /* Nothing is divided: this member has all words. */
    if (hb_divided_device(queue) == queue) {
        return HB_OK;
    }
    hb_divided *div = hb_divided_of(queue);
    memcpy(mine, digest, sizeof mine);
    HB_TRY(hb_divided_gather_words(div, mine, WORDS));
    for (uint32_t m = 1; m < div->exchange->members; m++) { /* with one digest, which all have: all find the same */
        if (memcmp(div->words, div->words + m * WORDS, sizeof mine) != 0) {
            return HB_FAIL(HB_EDATA, "%s is not the same on all ranks that share its limbs", what);
        }
    }
    return HB_OK;
}

hb_status hb_divided_any(hb_engine *queue, bool mine, bool *any)
{
    *any = mine;
    if (hb_divided_device(queue) == queue) {
        return HB_OK;
    }
    hb_divided *div = hb_divided_of(queue);
    const uint64_t word = mine;
    HB_TRY(hb_divided_gather_words(div, &word, 1));
    *any = false;
    for (uint32_t m = 0; m < div->exchange->members; m++) {
        *any = *any || div->words[m] != 0;
    }
    return HB_OK;
}
