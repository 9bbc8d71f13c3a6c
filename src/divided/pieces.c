/* What the exchanging operations are made of: who has what of a list, views of pieces, pieces in turn, and the calls of
 * the exchange (divided_private.h). */
#include "pieces.h"

#include <string.h>

bool hb_is_divided(const hb_divided *d, const uint16_t *ids, uint32_t limbs)
{
    const hb_limb_map *map = d->base.map;
    const bool owned = map->owner[ids[0]] != HB_EVERY_MEMBER;
    for (uint32_t l = 1; l < limbs; l++) {
        HB_ASSERT((map->owner[ids[l]] != HB_EVERY_MEMBER) == owned);
    }
    return map->members > 1 && owned;
}

/* The ring's own n is 0: whoever compares views finds them equal. */
static size_t n_of(const hb_divided *d, size_t n)
{
    return n == d->base.ring->n ? 0 : n;
}

hb_batch hb_piece_on(const hb_divided *d, uint64_t *memory, size_t count, size_t n, const uint16_t *ids, uint32_t limbs)
{
    return (hb_batch){.data = memory,
                      .ids = ids,
                      .limbs = limbs,
                      .count = count,
                      .stride = limbs * n,
                      .step = n_of(d, n),
                      .n = n_of(d, n)};
}

hb_batch hb_piece_scattered(const hb_divided *d, const hb_limb_place *places, size_t count, size_t n, hb_batch like)
{
    return (hb_batch){.ids = like.ids, .limbs = like.limbs, .count = count, .n = n_of(d, n), .places = places};
}

void hb_place_block(hb_limb_place *places, const hb_own_limbs *s, uint64_t *block, size_t n)
{
    for (uint32_t i = 0; i < s->limbs; i++) {
        places[s->at[i]] = (hb_limb_place){block + i * n, s->limbs * n};
    }
}

hb_batch hb_piece_slice(const hb_divided *d, hb_batch a, size_t first, size_t count, hb_limb_place places[HB_MAX_LIMBS])
{
    HB_ASSERT(first <= a.count && count <= a.count - first);
    if (a.places == NULL) {
        return hb_batch_slice(a, first, count);
    }
    for (uint32_t l = 0; l < hb_limbs_here(&d->base, a.ids, a.limbs); l++) {
        places[l] = (hb_limb_place){a.places[l].data + first * a.places[l].stride, a.places[l].stride};
    }
    a.places = places;
    a.count = count;
    return a;
}

void hb_place_own(const hb_divided *d, hb_limb_place *places, const hb_own_limbs *mine, hb_batch a,
                  const hb_piece *piece, size_t start)
{
    hb_limb_place room[HB_MAX_LIMBS];
    const hb_batch some = mine->limbs > 0 ? hb_piece_slice(d, a, piece->first, piece->count, room) : a;
    for (uint32_t i = 0; i < mine->limbs; i++) {
        places[mine->at[i]] = hb_batch_place(&d->base, some, i);
        places[mine->at[i]].data += start;
    }
}

hb_status hb_piece_copy(hb_divided *d, hb_batch r, hb_batch a)
{
    r.n = n_of(d, hb_coefficients(d, r));
    a.n = n_of(d, hb_coefficients(d, a));
    return r.limbs == 0 ? HB_OK : hb_copy(d->base.device, r, a);
}

hb_status hb_copies_add(hb_divided *d, hb_copies *copies, size_t n, uint16_t id, hb_limb_place to, hb_limb_place from)
{
    if (copies->limbs == HB_MAX_LIMBS || copies->n != n) {
        HB_TRY(hb_copies_end(d, copies));
    }
    copies->n = n;
    copies->ids[copies->limbs] = id;
    copies->to[copies->limbs] = to;
    copies->from[copies->limbs++] = from;
    return HB_OK;
}

hb_status hb_copies_end(hb_divided *d, hb_copies *copies)
{
    const hb_batch all = {.ids = copies->ids, .limbs = copies->limbs};
    const hb_batch to = hb_piece_scattered(d, copies->to, copies->count, copies->n, all);
    const hb_batch from = hb_piece_scattered(d, copies->from, copies->count, copies->n, all);
    copies->limbs = 0;
    return hb_piece_copy(d, to, from);
}

size_t hb_divided_fit(const hb_divided *d, size_t each)
{
    HB_ASSERT(each > 0 && each <= d->half_words);
    return d->half_words / each;
}

/* One piece is on its way there, one is computed with, one is on its way back. */
hb_status hb_divided_pieces(hb_divided *d, size_t count, size_t each, const hb_piecewise *piecewise, void *context)
{
    const size_t fit = hb_divided_fit(d, each), pieces = (count + fit - 1) / fit;
    hb_piece piece[3];
    for (size_t i = 0; i < pieces + 2; i++) {
        if (i < pieces) {
            const size_t first = i * fit, left = count - first;
            piece[i % 3] =
                (hb_piece){.first = first, .count = left < fit ? left : fit, .room = d->work + i % 2 * d->half_words};
            HB_TRY(piecewise->begin(d, context, &piece[i % 3]));
        }
        if (i >= 1 && i - 1 < pieces) {
            HB_TRY(piecewise->use(d, context, &piece[(i - 1) % 3]));
        }
        if (i >= 2 && piecewise->end != NULL) {
            HB_TRY(piecewise->end(d, context, &piece[(i - 2) % 3]));
        }
    }
    return HB_OK;
}

hb_status hb_divided_start(hb_divided *d, const hb_transfer *transfer, uint64_t *ticket)
{
    HB_TRY(hb_turns_take(d->turns, d));
    const hb_status st = hb_exchange_start(d->exchange, d->base.device, transfer, ticket);
    hb_turns_pass(d->turns, d);
    HB_TRY(st);
    d->pending = true;
    d->last = *ticket;
    return HB_OK;
}

hb_status hb_divided_wait(hb_divided *d, uint64_t ticket)
{
    return hb_exchange_wait(d->exchange, d->base.device, ticket);
}

hb_status hb_divided_settle(hb_divided *d)
{
    if (!d->pending) {
        return HB_OK;
    }
    d->pending = false; /* an exchange that failed has nothing under way */
    return hb_exchange_settle(d->exchange, d->last);
}

hb_status hb_divided_gather_words(hb_divided *d, const uint64_t *mine, size_t count)
{
    HB_ASSERT(count <= HB_DIVIDED_WORDS);
    HB_TRY(hb_turns_take(d->turns, d));
    const hb_status st = hb_exchange_gather_words(d->exchange, mine, count, d->words);
    hb_turns_pass(d->turns, d);
    return st;
}
