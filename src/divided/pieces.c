/* Helpers of the exchanging operations: the owners of a list's limbs, views of pieces, pieces in turn, and the calls of
 * the exchange (divided_private.h). */
#include "pieces.h"

#include <string.h>

bool hb_is_divided(const hb_divided *div, const uint16_t *ids, uint32_t limbs)
{
    const hb_limb_map *map = div->base.map;
    /* The answer must not depend on the member, as collective calls depend on it. */
    const bool owned = map->owner[ids[0]] != HB_EVERY_MEMBER;
    for (uint32_t l = 1; l < limbs; l++) {
        HB_ASSERT((map->owner[ids[l]] != HB_EVERY_MEMBER) == owned);
    }
    return map->members > 1 && owned;
}

/* Returns n as a batch has it: 0 for the ring's own, so that views which are the same compare equal. */
static size_t n_of(const hb_divided *div, size_t n)
{
    return n == div->base.ring->n ? 0 : n;
}

hb_batch hb_piece_on(const hb_divided *div, uint64_t *memory, size_t count, size_t n, const uint16_t *ids,
                     uint32_t limbs)
{
    return (hb_batch){.data = memory,
                      .ids = ids,
                      .limbs = limbs,
                      .count = count,
                      .stride = limbs * n,
                      .limb_stride = n_of(div, n),
                      .n = n_of(div, n)};
}

hb_batch hb_piece_scattered(const hb_divided *div, const hb_limb_address *limb_addresses, size_t count, size_t n,
                            hb_batch like)
{
    return (hb_batch){
        .ids = like.ids, .limbs = like.limbs, .count = count, .n = n_of(div, n), .limb_addresses = limb_addresses};
}

void hb_block_addresses(hb_limb_address *limb_addresses, const hb_local_limbs *s, uint64_t *block, size_t n)
{
    for (uint32_t i = 0; i < s->limbs; i++) {
        limb_addresses[s->at[i]] = (hb_limb_address){block + i * n, s->limbs * n};
    }
}

hb_batch hb_piece_slice(const hb_divided *div, hb_batch a, size_t first, size_t count,
                        hb_limb_address limb_addresses[HB_MAX_LIMBS])
{
    HB_ASSERT(first <= a.count && count <= a.count - first);
    if (a.limb_addresses == NULL) {
        return hb_batch_slice(a, first, count);
    }
    /* Only the limbs that are here have addresses. */
    for (uint32_t l = 0; l < hb_limbs_here(&div->base, a.ids, a.limbs); l++) {
        limb_addresses[l] = (hb_limb_address){a.limb_addresses[l].data + first * a.limb_addresses[l].stride,
                                              a.limb_addresses[l].stride};
    }
    a.limb_addresses = limb_addresses;
    a.count = count;
    return a;
}

void hb_local_addresses(const hb_divided *div, hb_limb_address *limb_addresses, const hb_local_limbs *mine, hb_batch a,
                        const hb_piece *piece, size_t start)
{
    hb_limb_address workspace[HB_MAX_LIMBS];
    const hb_batch some = mine->limbs > 0 ? hb_piece_slice(div, a, piece->first, piece->count, workspace) : a;
    for (uint32_t i = 0; i < mine->limbs; i++) {
        limb_addresses[mine->at[i]] = hb_batch_limb_address(&div->base, some, i);
        /* Addresses are by the list's positions, data by this member's limbs. */
        limb_addresses[mine->at[i]].data += start;
    }
}

hb_base_conversion hb_conversion_rows(hb_divided *div, const hb_base_conversion *c, const hb_local_limbs *to,
                                      hb_overflow *overflow)
{
    hb_base_conversion cut = *c;
    for (uint32_t o = 0; o < to->limbs; o++) {
        /* Sources are whole here, so rows stay as long as they are. */
        memcpy(div->matrix + (size_t)o * c->from_limbs, c->matrix + (size_t)to->at[o] * c->from_limbs,
               c->from_limbs * sizeof *c->matrix);
    }
    cut.to_limbs = to->limbs;
    cut.to_ids = to->ids;
    cut.matrix = div->matrix;
    if (c->keep != NULL) {
        hb_local_limbs_pick(to, c->keep, div->row[0]);
        cut.keep = div->row[0];
    }
    /* The overflow is made of all sources, alike on every member; only its factors are of the targets. */
    if (c->overflow != NULL) {
        *overflow = *c->overflow;
        hb_local_limbs_pick(to, c->overflow->factors, div->row[1]);
        overflow->factors = div->row[1];
        cut.overflow = overflow;
    }
    return cut;
}

hb_status hb_piece_copy(hb_divided *div, hb_batch r, hb_batch a)
{
    r.n = n_of(div, hb_coefficients(div, r));
    a.n = n_of(div, hb_coefficients(div, a));
    return r.limbs == 0 ? HB_OK : hb_copy(div->base.device, r, a);
}

hb_status hb_copies_add(hb_divided *div, hb_copies *copies, size_t n, uint16_t id, hb_limb_address to,
                        hb_limb_address from)
{
    /* One launch copies limbs of one length, as many as a batch can name. */
    if (copies->limbs == HB_MAX_LIMBS || copies->n != n) {
        HB_TRY(hb_copies_end(div, copies));
    }
    copies->n = n;
    copies->ids[copies->limbs] = id;
    copies->to[copies->limbs] = to;
    copies->from[copies->limbs++] = from;
    return HB_OK;
}

hb_status hb_copies_end(hb_divided *div, hb_copies *copies)
{
    const hb_batch all = {.ids = copies->ids, .limbs = copies->limbs};
    const hb_batch to = hb_piece_scattered(div, copies->to, copies->count, copies->n, all);
    const hb_batch from = hb_piece_scattered(div, copies->from, copies->count, copies->n, all);
    copies->limbs = 0;
    return hb_piece_copy(div, to, from);
}

size_t hb_divided_fit(const hb_divided *div, size_t each)
{
    HB_ASSERT(each > 0 && each <= div->half_words);
    return div->half_words / each;
}

size_t hb_divided_most(const hb_divided *div, hb_pattern pattern, double words, size_t count)
{
    const bool halves = hb_exchange_halves(&div->exchange->cost, pattern, words * sizeof(uint64_t));
    return halves ? (count + 1) / 2 : count;
}

double hb_gathered_words(const hb_divided *div, hb_batch a)
{
    uint32_t least = a.limbs; /* who has the fewest limbs gets most */
    for (uint32_t m = 0; m < div->exchange->members; m++) {
        const uint32_t count = hb_limb_map_count(div->base.map, a.ids, a.limbs, m);
        least = count < least ? count : least;
    }
    return (double)a.count * (a.limbs - least) * (double)hb_coefficients(div, a);
}

/* One piece is on its way there, one is computed with, one is on its way back: piece i has half i % 2 of the workspace,
 * and the record i % 3, as its predecessor but one ends after it has begun. */
hb_status hb_divided_pieces(hb_divided *div, hb_piece_sizes sizes, const hb_piecewise *piecewise, void *context)
{
    const size_t room = hb_divided_fit(div, sizes.each), fit = room < sizes.most ? room : sizes.most;
    const size_t pieces = (sizes.count + fit - 1) / fit;
    hb_piece piece[3];
    for (size_t i = 0; i < pieces + 2; i++) {
        if (i < pieces) {
            const size_t first = i * fit, left = sizes.count - first;
            piece[i % 3] = (hb_piece){
                .first = first, .count = left < fit ? left : fit, .workspace = div->work + i % 2 * div->half_words};
            /* The next transfer is begun before the last piece is computed with: so both overlap. */
            HB_TRY(piecewise->begin(div, context, &piece[i % 3]));
        }
        if (i >= 1 && i - 1 < pieces) {
            HB_TRY(piecewise->use(div, context, &piece[(i - 1) % 3]));
        }
        if (i >= 2 && piecewise->end != NULL) {
            HB_TRY(piecewise->end(div, context, &piece[(i - 2) % 3]));
        }
    }
    return HB_OK;
}

hb_status hb_divided_start(hb_divided *div, const hb_transfer *transfer, uint64_t *ticket)
{
    /* Members start the transfers of their queues in the same order, as their turns go. */
    HB_TRY(hb_turns_take(div->turns, div));
    /* The turn is passed on whether it failed or not: other queues must come to see the failure, too. */
    const hb_status st = hb_exchange_start(div->exchange, div->base.device, transfer, ticket);
    hb_turns_pass(div->turns, div);
    HB_TRY(st);
    /* Transfers end in order: settling the last one settles all. */
    div->pending = true;
    div->last = *ticket;
    return HB_OK;
}

hb_status hb_divided_wait(hb_divided *div, uint64_t ticket)
{
    return hb_exchange_wait(div->exchange, div->base.device, ticket);
}

hb_status hb_divided_settle(hb_divided *div)
{
    if (!div->pending) {
        return HB_OK;
    }
    div->pending = false; /* an exchange that failed has nothing under way */
    return hb_exchange_settle(div->exchange, div->last);
}

hb_status hb_divided_gather_words(hb_divided *div, const uint64_t *mine, size_t count)
{
    HB_ASSERT(count <= HB_DIVIDED_WORDS);
    HB_TRY(hb_turns_take(div->turns, div));
    const hb_status st = hb_exchange_gather_words(div->exchange, mine, count, div->words);
    hb_turns_pass(div->turns, div);
    return st;
}
