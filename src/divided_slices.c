/* Slices: every member gets all limbs of a share of the coefficients, computes with them, and sends back to each member
 * what is of its limbs. */
#include "divided_private.h"

/* One pass: n coefficients, member m's from start[m] on. */
typedef struct slicing {
    const hb_slices *s;
    size_t n, start[HB_MOST_MEMBERS + 1];
} slicing;

static size_t length_of(const slicing *x, uint32_t m)
{
    return x->start[m + 1] - x->start[m];
}

/* Evenly, in units of HB_SLICE_WORDS: the first members have one more where they do not come out even, some none. */
static void cut(const hb_divided *d, slicing *x)
{
    const size_t units = x->n / HB_SLICE_WORDS, k = d->params->map.members;
    HB_ASSERT(x->n % HB_SLICE_WORDS == 0);
    for (size_t m = 0; m <= k; m++) {
        x->start[m] = (m * (units / k) + (m < units % k ? m : units % k)) * HB_SLICE_WORDS;
    }
}

size_t hb_slice_most(const hb_divided *d, size_t n)
{
    slicing x = {.n = n};
    cut(d, &x);
    return length_of(&x, 0);
}

/* The batch that goes back; limbs 0: none does. */
static hb_batch returned(const hb_slices *s)
{
    return s->returns == HB_RETURNS_NOTHING ? (hb_batch){.limbs = 0} : s->returns == HB_RETURNS_A ? s->a : s->v;
}

static size_t most_limbs(const hb_divided *d, hb_batch b)
{
    return b.limbs == 0 ? 0 : hb_share_most(d, b.ids, b.limbs);
}

/* Where in the room of a piece is what: blocks that leave, blocks that arrive, all limbs of the slice of a and of v,
 * blocks that go back, blocks that come back. The next piece but one has the same room, maybe for fewer polynomials,
 * and uses the first two of these while the last three are still needed: so they come first. */
typedef struct layout {
    size_t arriving, a, v, returning, coming, end; /* leaving: 0 */
} layout;

static layout layout_of(const hb_divided *d, const hb_slices *s, size_t n, size_t count)
{
    const hb_batch back = returned(s), sent = s->set ? s->v : (hb_batch){.limbs = 0};
    const size_t slice = hb_slice_most(d, n);
    layout y;
    y.arriving = count * (most_limbs(d, s->a) + most_limbs(d, sent)) * n;
    y.a = y.arriving + count * (s->a.limbs + sent.limbs) * slice;
    y.v = y.a + count * s->a.limbs * slice;
    y.returning = y.v + count * s->v.limbs * slice;
    y.coming = y.returning + count * back.limbs * slice;
    y.end = y.coming + count * most_limbs(d, back) * n;
    return y;
}

size_t hb_divided_slices_each(const hb_divided *d, const hb_slices *s)
{
    return layout_of(d, s, hb_coefficients(d, s->a), 1).end;
}

/* All limbs of the slice that is here. */
static hb_batch here(const hb_divided *d, const slicing *x, const hb_piece *p, size_t at, hb_batch b)
{
    return hb_piece_on(d, p->room + at, p->count, length_of(x, d->base.member), b.ids, b.limbs);
}

/* The limbs of b that are here, of member m's slice, in a block that leaves. */
static hb_status pack_leaving(hb_divided *d, const slicing *x, const hb_piece *p, hb_batch b, uint32_t m, uint64_t **at)
{
    const hb_share mine = hb_share_here(&d->base, b.ids, b.limbs);
    const size_t n = length_of(x, m);
    const hb_batch from = hb_piece_slice(d, hb_on_device(&mine, hb_batch_slice(b, p->first, p->count)), x->start[m], n);
    const hb_batch to = hb_piece_on(d, *at, p->count, n, mine.ids, mine.limbs);
    *at += hb_piece_words(p->count, mine.limbs, n);
    return n == 0 || m == d->base.member ? HB_OK : hb_piece_copy(d, to, from);
}

/* Member m's limbs of b, of the slice that is here: from the block that arrived, or, its own, from b, to `all`. */
static hb_status unpack_arriving(hb_divided *d, const slicing *x, const hb_piece *p, hb_batch b, hb_batch all,
                                 uint32_t m, uint64_t **at)
{
    const hb_share theirs = hb_share_of(&d->params->map, m, b.ids, b.limbs);
    const uint32_t me = d->base.member;
    const size_t n = length_of(x, me);
    const hb_batch own = hb_on_device(&theirs, hb_batch_slice(b, p->first, p->count));
    const hb_batch from =
        m == me ? hb_piece_slice(d, own, x->start[me], n) : hb_piece_on(d, *at, p->count, n, theirs.ids, theirs.limbs);
    *at += hb_piece_words(p->count, theirs.limbs, n);
    return n == 0 ? HB_OK : hb_piece_copy(d, hb_piece_share(d, all, &theirs), from);
}

static hb_status begin(hb_divided *d, void *context, hb_piece *p)
{
    const slicing *x = context;
    const hb_slices *s = x->s;
    const layout y = layout_of(d, x->s, x->n, p->count);
    const uint32_t v_limbs = s->set ? s->v.limbs : 0;
    hb_transfer t = {.pattern = HB_ALL_TO_ALL};
    uint64_t *leave = p->room, *arrive = p->room + y.arriving;
    for (uint32_t m = 0; m < d->exchange->members; m++) {
        const hb_share a = hb_share_of(&d->params->map, m, s->a.ids, s->a.limbs);
        const hb_share v = hb_share_of(&d->params->map, m, s->v.ids, v_limbs);
        t.send[m] = leave;
        HB_TRY(pack_leaving(d, x, p, s->a, m, &leave));
        if (s->set) {
            HB_TRY(pack_leaving(d, x, p, s->v, m, &leave));
        }
        t.send_bytes[m] = (size_t)(leave - (const uint64_t *)t.send[m]) * sizeof *leave;
        t.receive[m] = arrive;
        t.receive_bytes[m] = hb_piece_words(p->count, a.limbs + v.limbs, length_of(x, d->base.member)) * sizeof *arrive;
        arrive += t.receive_bytes[m] / sizeof *arrive;
    }
    return hb_divided_start(d, &t, &p->ticket[0]);
}

/* What was made goes to the members of its limbs. */
static hb_status send_back(hb_divided *d, const slicing *x, hb_piece *p, hb_batch all)
{
    const layout y = layout_of(d, x->s, x->n, p->count);
    const hb_batch back = returned(x->s);
    const hb_share mine = hb_share_here(&d->base, back.ids, back.limbs);
    const size_t n = length_of(x, d->base.member);
    hb_transfer t = {.pattern = HB_ALL_TO_ALL};
    uint64_t *leave = p->room + y.returning, *come = p->room + y.coming;
    for (uint32_t m = 0; m < d->exchange->members; m++) {
        const hb_share theirs = hb_share_of(&d->params->map, m, back.ids, back.limbs);
        const size_t words = hb_piece_words(p->count, theirs.limbs, n);
        const size_t coming = hb_piece_words(p->count, mine.limbs, length_of(x, m));
        if (n > 0 && m != d->base.member) {
            HB_TRY(hb_piece_copy(d, hb_piece_on(d, leave, p->count, n, theirs.ids, theirs.limbs),
                                 hb_piece_share(d, all, &theirs)));
        }
        t.send[m] = leave;
        t.send_bytes[m] = words * sizeof *leave;
        t.receive[m] = come;
        t.receive_bytes[m] = coming * sizeof *come;
        leave += words;
        come += coming;
    }
    return hb_divided_start(d, &t, &p->ticket[1]);
}

static hb_status use(hb_divided *d, void *context, hb_piece *p)
{
    const slicing *x = context;
    const hb_slices *s = x->s;
    const layout y = layout_of(d, x->s, x->n, p->count);
    hb_batch a = here(d, x, p, y.a, s->a), v = here(d, x, p, y.v, s->v);
    uint64_t *arrived = p->room + y.arriving;
    HB_TRY(hb_divided_wait(d, p->ticket[0]));
    for (uint32_t m = 0; m < d->exchange->members; m++) {
        HB_TRY(unpack_arriving(d, x, p, s->a, a, m, &arrived));
        if (s->set) {
            HB_TRY(unpack_arriving(d, x, p, s->v, v, m, &arrived));
        }
    }
    if (length_of(x, d->base.member) == 0) {
        a.data = v.data = NULL;
    }
    HB_TRY(s->make(d, s->context, a, v, p->first));
    return s->returns == HB_RETURNS_NOTHING ? HB_OK : send_back(d, x, p, s->returns == HB_RETURNS_A ? a : v);
}

static hb_status end(hb_divided *d, void *context, hb_piece *p)
{
    const slicing *x = context;
    const layout y = layout_of(d, x->s, x->n, p->count);
    const hb_batch r = hb_batch_slice(x->s->r, p->first, p->count);
    const hb_batch all = here(d, x, p, x->s->returns == HB_RETURNS_A ? y.a : y.v, returned(x->s));
    const hb_share mine = hb_share_here(&d->base, r.ids, r.limbs);
    uint64_t *at = p->room + y.coming;
    HB_TRY(hb_divided_wait(d, p->ticket[1]));
    for (uint32_t m = 0; m < d->exchange->members; m++) {
        const size_t n = length_of(x, m);
        const hb_batch from =
            m == d->base.member ? hb_piece_share(d, all, &mine) : hb_piece_on(d, at, p->count, n, mine.ids, mine.limbs);
        if (n > 0) {
            HB_TRY(hb_piece_copy(d, hb_piece_slice(d, hb_on_device(&mine, r), x->start[m], n), from));
        }
        at += hb_piece_words(p->count, mine.limbs, n);
    }
    return HB_OK;
}

hb_status hb_divided_slices(hb_divided *d, const hb_slices *s)
{
    static const hb_piecewise there = {begin, use, NULL}, there_and_back = {begin, use, end};
    slicing x = {.s = s, .n = hb_coefficients(d, s->a)};
    cut(d, &x);
    return hb_divided_pieces(d, s->a.count, hb_divided_slices_each(d, s),
                             s->returns == HB_RETURNS_NOTHING ? &there : &there_and_back, &x);
}
