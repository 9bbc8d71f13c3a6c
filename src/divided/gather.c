/* Gathering: all limbs of some polynomials, on every member. */
#include "pieces.h"

/* The room of a piece: blocks as they arrive, member after member, and in their place the own limbs, where they have to
 * be put together to be sent. */
typedef struct gathering {
    hb_batch a;
    size_t n;
    hb_gathered use;
    const void *context;
} gathering;

/* Its own limbs of the piece in one block: where they stand, or else in the room. */
static hb_status take_block(hb_divided *d, const gathering *g, const hb_piece *p, const hb_own_limbs *mine,
                            uint64_t *room, const uint64_t **block)
{
    hb_limb_place places[HB_MAX_LIMBS];
    bool contiguous = true;
    hb_copies copies = {.count = p->count};
    hb_place_own(d, places, mine, g->a, p, 0);
    for (uint32_t i = 0; i < mine->limbs; i++) {
        const hb_limb_place from = places[mine->at[i]];
        contiguous = contiguous && from.data == places[mine->at[0]].data + i * g->n &&
                     (p->count == 1 || from.stride == mine->limbs * g->n);
    }
    *block = contiguous && mine->limbs > 0 ? places[mine->at[0]].data : room;
    for (uint32_t i = 0; !contiguous && i < mine->limbs; i++) {
        const hb_limb_place to = {room + i * g->n, mine->limbs * g->n};
        HB_TRY(hb_copies_add(d, &copies, g->n, mine->ids[i], to, places[mine->at[i]]));
    }
    return hb_copies_end(d, &copies);
}

static hb_status begin(hb_divided *d, void *context, hb_piece *p)
{
    const gathering *g = context;
    const hb_own_limbs mine = hb_own_limbs_here(&d->base, g->a.ids, g->a.limbs);
    const uint64_t *block = NULL;
    hb_transfer t = {.pattern = HB_ALL_GATHER};
    uint64_t *at = p->room;
    for (uint32_t m = 0; m < d->exchange->members; m++) {
        const hb_own_limbs theirs = hb_own_limbs_of(d->base.map, m, g->a.ids, g->a.limbs);
        const size_t words = hb_piece_words(p->count, theirs.limbs, g->n);
        if (m == d->base.member) {
            HB_TRY(take_block(d, g, p, &mine, at, &block));
        } else {
            t.receive[m] = at;
            t.receive_bytes[m] = words * sizeof *at;
        }
        at += words;
    }
    for (uint32_t m = 0; m < d->exchange->members; m++) {
        t.send[m] = block;
        t.send_bytes[m] = hb_piece_words(p->count, mine.limbs, g->n) * sizeof *block;
    }
    return hb_divided_start(d, &t, &p->ticket[0]);
}

static hb_status use(hb_divided *d, void *context, hb_piece *p)
{
    const gathering *g = context;
    hb_limb_place places[HB_MAX_LIMBS];
    uint64_t *at = p->room;
    HB_TRY(hb_divided_wait(d, p->ticket[0]));
    for (uint32_t m = 0; m < d->exchange->members; m++) {
        const hb_own_limbs s = hb_own_limbs_of(d->base.map, m, g->a.ids, g->a.limbs);
        if (m == d->base.member) {
            hb_place_own(d, places, &s, g->a, p, 0);
        } else {
            hb_place_block(places, &s, at, g->n);
        }
        at += hb_piece_words(p->count, s.limbs, g->n);
    }
    return g->use(d, g->context, hb_piece_scattered(d, places, p->count, g->n, g->a), p->first);
}

hb_status hb_divided_gather(hb_divided *d, hb_batch a, hb_gathered operation, const void *context)
{
    static const hb_piecewise piecewise = {begin, use, NULL};
    gathering g = {a, hb_coefficients(d, a), operation, context};
    return hb_divided_pieces(d, a.count, hb_piece_words(1, a.limbs, g.n), &piecewise, &g);
}

/* Every limb of a is a digit modulo every limb of r. */
typedef struct decomposing {
    hb_batch r;
    hb_status (*operation)(hb_engine *e, hb_batch r, hb_batch a);
} decomposing;

static hb_status decompose_piece(hb_divided *d, const void *context, hb_batch all, size_t first)
{
    const decomposing *s = context;
    const hb_own_limbs mine = hb_own_limbs_here(&d->base, s->r.ids, s->r.limbs);
    const hb_batch to = hb_batch_slice(s->r, first * all.limbs, all.count * all.limbs);
    return mine.limbs == 0 ? HB_OK : s->operation(d->base.device, hb_on_device(&mine, to), all);
}

static hb_status decompose_with(hb_divided *d, hb_batch r, hb_batch a,
                                hb_status (*operation)(hb_engine *e, hb_batch r, hb_batch a))
{
    const decomposing s = {r, operation};
    return hb_is_divided(d, a.ids, a.limbs) ? hb_divided_gather(d, a, decompose_piece, &s)
                                            : decompose_piece(d, &s, a, 0);
}

static hb_status decompose(hb_engine *e, hb_batch r, hb_batch a)
{
    return decompose_with(hb_divided_of(e), r, a, hb_decompose);
}

const hb_product_ops hb_divided_product_ops = {
    .decompose = decompose,
};

static hb_status ntt_decompose(hb_engine *e, hb_batch r, hb_batch a)
{
    return decompose_with(hb_divided_of(e), r, a, hb_ntt_decompose);
}

const hb_ntt_ops hb_divided_ntt_ops = {
    .ntt_decompose = ntt_decompose,
};
