/* Gathering: all limbs of some polynomials, on every member. */
#include "divided_private.h"

/* The room of a piece: blocks as they arrive, member after member; the polynomials with all limbs in order; what is
 * sent, where it does not lie in one block. */
typedef struct gathering {
    hb_batch a;
    size_t n;
    hb_gathered use;
    const void *context;
} gathering;

size_t hb_divided_gather_each(const hb_divided *d, const uint16_t *ids, uint32_t limbs, size_t n)
{
    return (2 * (size_t)limbs + hb_share_most(d, ids, limbs)) * n;
}

static uint64_t *all_of(const gathering *g, const hb_piece *p)
{
    return p->room + hb_piece_words(p->count, g->a.limbs, g->n);
}

/* Its own limbs of the piece in one block. */
static hb_status take_block(hb_divided *d, const gathering *g, const hb_piece *p, const hb_share *mine,
                            uint64_t **block)
{
    const hb_batch from = hb_on_device(mine, hb_batch_slice(g->a, p->first, p->count));
    const size_t step = from.step != 0 ? from.step : d->base.ring->n;
    const bool rows_apart = mine->limbs > 1 && step != g->n;
    const bool polynomials_apart = p->count > 1 && from.stride != mine->limbs * g->n;
    *block = from.data;
    if (!rows_apart && !polynomials_apart) {
        return HB_OK;
    }
    *block = all_of(g, p) + hb_piece_words(p->count, g->a.limbs, g->n);
    return hb_piece_copy(d, hb_piece_on(d, *block, p->count, g->n, mine->ids, mine->limbs), from);
}

static hb_status begin(hb_divided *d, void *context, hb_piece *p)
{
    const gathering *g = context;
    const hb_share mine = hb_share_here(&d->base, g->a.ids, g->a.limbs);
    hb_transfer t = {.pattern = HB_ALL_GATHER};
    uint64_t *block, *at = p->room;
    HB_TRY(take_block(d, g, p, &mine, &block));
    for (uint32_t m = 0; m < d->exchange->members; m++) {
        const hb_share theirs = hb_share_of(&d->params->map, m, g->a.ids, g->a.limbs);
        const size_t words = hb_piece_words(p->count, theirs.limbs, g->n);
        t.send[m] = block;
        t.send_bytes[m] = hb_piece_words(p->count, mine.limbs, g->n) * sizeof *block;
        t.receive[m] = at;
        t.receive_bytes[m] = words * sizeof *at;
        at += words;
    }
    return hb_divided_start(d, &t, &p->ticket[0]);
}

static hb_status use(hb_divided *d, void *context, hb_piece *p)
{
    const gathering *g = context;
    const hb_batch all = hb_piece_on(d, all_of(g, p), p->count, g->n, g->a.ids, g->a.limbs);
    uint64_t *at = p->room;
    HB_TRY(hb_divided_wait(d, p->ticket[0]));
    for (uint32_t m = 0; m < d->exchange->members; m++) {
        const hb_share s = hb_share_of(&d->params->map, m, g->a.ids, g->a.limbs);
        const hb_batch from = m == d->base.member ? hb_on_device(&s, hb_batch_slice(g->a, p->first, p->count))
                                                  : hb_piece_on(d, at, p->count, g->n, s.ids, s.limbs);
        HB_TRY(hb_piece_copy(d, hb_piece_share(d, all, &s), from));
        at += hb_piece_words(p->count, s.limbs, g->n);
    }
    return g->use(d, g->context, all, p->first);
}

hb_status hb_divided_gather(hb_divided *d, hb_batch a, hb_gathered operation, const void *context)
{
    static const hb_piecewise piecewise = {begin, use, NULL};
    gathering g = {a, hb_coefficients(d, a), operation, context};
    return hb_divided_pieces(d, a.count, hb_divided_gather_each(d, a.ids, a.limbs, g.n), &piecewise, &g);
}

/* Every limb of a is a digit modulo every limb of r. */
typedef struct spreading {
    hb_batch r;
    hb_status (*operation)(hb_engine *e, hb_batch r, hb_batch a);
} spreading;

static hb_status spread_piece(hb_divided *d, const void *context, hb_batch all, size_t first)
{
    const spreading *s = context;
    const hb_share mine = hb_share_here(&d->base, s->r.ids, s->r.limbs);
    const hb_batch to = hb_batch_slice(s->r, first * all.limbs, all.count * all.limbs);
    return mine.limbs == 0 ? HB_OK : s->operation(d->device, hb_on_device(&mine, to), all);
}

static hb_status spread(hb_divided *d, hb_batch r, hb_batch a,
                        hb_status (*operation)(hb_engine *e, hb_batch r, hb_batch a))
{
    const spreading s = {r, operation};
    return hb_is_divided(d, a.ids, a.limbs) ? hb_divided_gather(d, a, spread_piece, &s) : spread_piece(d, &s, a, 0);
}

hb_status hb_divided_spread(hb_engine *e, hb_batch r, hb_batch a)
{
    return spread(hb_divided_of(e), r, a, hb_spread);
}

hb_status hb_divided_ntt_spread(hb_engine *e, hb_batch r, hb_batch a)
{
    return spread(hb_divided_of(e), r, a, hb_ntt_spread);
}
