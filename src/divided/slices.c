/* Slices: every member gets all limbs of a share of the coefficients, computes with them, and sends the results back to
 * the members of their limbs. */
#include "pieces.h"

/* An operation under way: n coefficients, member m's slice from start[m] on. */
typedef struct slicing {
    const hb_slices *s;
    size_t n, start[HB_MOST_MEMBERS + 1];
    /* The operands of one piece as `make` gets them, and where their limbs stand, one operand behind the other. */
    hb_batch a[HB_SLICED_OPERANDS];
    hb_limb_address limb_addresses[HB_SLICED_LIMBS];
} slicing;

/* Returns the coefficients of member m's slice. */
static size_t length_of(const slicing *x, uint32_t m)
{
    return x->start[m + 1] - x->start[m];
}

/* Returns the first coefficient of member m's slice of n. Coefficients are cut evenly, in units of HB_SLICE_WORDS: the
 * first members have one more where they do not come out even, and some may have none. */
static size_t start_of(const hb_divided *div, size_t n, size_t m)
{
    const size_t units = n / HB_SLICE_WORDS, k = div->base.map->members;
    HB_ASSERT(n % HB_SLICE_WORDS == 0);
    return (m * (units / k) + (m < units % k ? m : units % k)) * HB_SLICE_WORDS;
}

/* Returns the coefficients of the widest slice of n. */
static size_t widest(const hb_divided *div, size_t n)
{
    return start_of(div, n, 1);
}

/* Returns the limbs of b on the member that has most of them, so that all members lay out alike. */
static size_t most_limbs(const hb_divided *div, hb_batch b)
{
    return b.limbs == 0 ? 0 : hb_limb_map_most(div->base.map, b.ids, b.limbs);
}

/* Returns the limbs of all operands a; `most`: of the member that has most of each. */
static size_t operand_limbs(const hb_divided *div, const hb_slices *s, bool most)
{
    size_t limbs = 0;
    for (uint32_t o = 0; o < s->operands; o++) {
        limbs += most ? most_limbs(div, s->a[o]) : s->a[o].limbs;
    }
    return limbs;
}

/* Returns the part of v that travels: all of it or nothing. */
static hb_batch sent(const hb_slices *s)
{
    return s->set ? s->v : (hb_batch){.limbs = 0};
}

/* The layout of the workspace of a piece:
 *
 *   | leaving | arriving | v | returning | coming |
 *
 * leaving: own limbs of others' slices; arriving: others' limbs of the own slice; v: a slice of v that is only made
 * here; returning: results for others; coming: own limbs that others made. Own limbs of the own slice are in none of
 * them: they are used in the caller's memory. The next piece but one has the same workspace, perhaps for fewer
 * polynomials, and writes the first two while the last two are still read: so they come first. */
typedef struct layout {
    size_t arriving, v, returning, coming, end; /* leaving: 0 */
} layout;

/* Returns the layout for `count` polynomials; each place is as large as any member needs. */
static layout layout_of(const hb_divided *div, const hb_slices *s, size_t n, size_t count)
{
    const size_t slice = widest(div, n);
    layout where;
    where.arriving = count * (operand_limbs(div, s, true) + most_limbs(div, sent(s))) * n;
    where.v = where.arriving + count * (operand_limbs(div, s, false) + sent(s).limbs) * slice;
    where.returning = where.v + count * (s->v.limbs - sent(s).limbs) * slice;
    where.coming = where.returning + count * s->r.limbs * slice;
    where.end = where.coming + count * most_limbs(div, s->r) * n;
    return where;
}

size_t hb_divided_slices_each(const hb_divided *div, const hb_slices *s)
{
    return layout_of(div, s, hb_coefficients(div, s->a[0]), 1).end;
}

double hb_divided_slices_words(const hb_divided *div, const hb_slices *s)
{
    const size_t n = hb_coefficients(div, s->a[0]);
    /* The share of all slices that other members hold. */
    const double others = 1 - 1.0 / div->exchange->members, slice = (double)widest(div, n);
    const double there = (double)(operand_limbs(div, s, false) + sent(s).limbs) * slice * others;
    const double home = (double)(most_limbs(div, s->r) * n) * others;
    return (double)s->a[0].count * (there + home);
}

/* Returns the words of member m's limbs of b, in a slice of n coefficients. */
static size_t words_of(const hb_divided *div, const hb_piece *p, hb_batch b, uint32_t m, size_t n)
{
    return hb_piece_words(p->count, hb_local_limbs_of(div->base.map, m, b.ids, b.limbs).limbs, n);
}

/* Returns the limbs of member m that travel there: of every a, and of v where that is set. */
static size_t leaving_limbs(const hb_divided *div, const slicing *x, uint32_t m)
{
    const hb_batch v = sent(x->s);
    size_t limbs = hb_limb_map_count(div->base.map, v.ids, v.limbs, m);
    for (uint32_t o = 0; o < x->s->operands; o++) {
        limbs += hb_limb_map_count(div->base.map, x->s->a[o].ids, x->s->a[o].limbs, m);
    }
    return limbs;
}

/* Return where the block of this member arrives at member `to`, in bytes of its workspace: behind those of the members
 * before this one, none of its own. There each of them sends its limbs, `before` together, of the slice of `to`; back
 * each sends the limbs of `to`, of its own slice. */
static size_t place_there(const hb_divided *div, const slicing *x, const hb_piece *p, uint32_t to, size_t before)
{
    const size_t own = to < div->base.member ? leaving_limbs(div, x, to) : 0;
    const uint64_t *arriving = p->workspace + layout_of(div, x->s, x->n, p->count).arriving;
    return hb_piece_place(div, arriving + p->count * (before - own) * length_of(x, to));
}

static size_t place_back(const hb_divided *div, const slicing *x, const hb_piece *p, uint32_t to)
{
    const uint32_t me = div->base.member;
    const size_t own = to < me ? length_of(x, to) : 0;
    const uint64_t *coming = p->workspace + layout_of(div, x->s, x->n, p->count).coming;
    return hb_piece_place(div, coming + words_of(div, p, x->s->r, to, x->start[me] - own));
}

/* Copies between own limbs and the blocks of other members' slices of them. */
typedef struct move {
    hb_copies copies;
    bool out;     /* to the blocks, else from them */
    uint64_t *at; /* the next block */
} move;

/* Copies the limbs of b that are here, of member m's slice, to the next block or from it. */
static hb_status move_own(hb_divided *div, const slicing *x, const hb_piece *p, hb_batch b, uint32_t m, move *to)
{
    const hb_local_limbs mine = hb_local_limbs_here(&div->base, b.ids, b.limbs);
    const size_t n = length_of(x, m);
    hb_limb_address own[HB_MAX_LIMBS], block[HB_MAX_LIMBS];
    hb_local_addresses(div, own, &mine, b, p, x->start[m]);
    hb_block_addresses(block, &mine, to->at, n);
    for (uint32_t i = 0; n > 0 && i < mine.limbs; i++) {
        const hb_limb_address here = own[mine.at[i]], there = block[mine.at[i]];
        HB_TRY(hb_copies_add(div, &to->copies, n, mine.ids[i], to->out ? there : here, to->out ? here : there));
    }
    to->at += hb_piece_words(p->count, mine.limbs, n);
    return HB_OK;
}

/* Starts the transfer there: own limbs of every other slice leave, others' limbs of the own slice arrive. */
static hb_status begin(hb_divided *div, void *context, hb_piece *p)
{
    const slicing *x = context;
    const hb_slices *s = x->s;
    const layout where = layout_of(div, x->s, x->n, p->count);
    const size_t n = length_of(x, div->base.member);
    move leave = {.copies = {.count = p->count}, .out = true, .at = p->workspace};
    hb_transfer t = {.pattern = HB_ALL_TO_ALL, .window = div->window};
    uint64_t *arrive = p->workspace + where.arriving;
    size_t before = 0;
    for (uint32_t m = 0; div->window != NULL && m < div->base.member; m++) {
        before += leaving_limbs(div, x, m);
    }
    for (uint32_t m = 0; m < div->exchange->members; m++) {
        /* Own limbs of the own slice stay where they are. */
        if (m == div->base.member) {
            continue;
        }
        t.send[m] = leave.at;
        t.receive[m] = arrive;
        t.to[m] = div->window != NULL ? place_there(div, x, p, m, before) : 0;
        /* A block has the limbs of every a, then those of v, on both sides. */
        for (uint32_t o = 0; o < s->operands; o++) {
            HB_TRY(move_own(div, x, p, s->a[o], m, &leave));
            arrive += words_of(div, p, s->a[o], m, n);
        }
        HB_TRY(move_own(div, x, p, sent(s), m, &leave));
        arrive += words_of(div, p, sent(s), m, n);
        t.send_bytes[m] = (size_t)(leave.at - (const uint64_t *)t.send[m]) * sizeof *leave.at;
        t.receive_bytes[m] = (size_t)(arrive - (const uint64_t *)t.receive[m]) * sizeof *arrive;
    }
    /* Leaving words must stand in their blocks before the transfer begins; both are in the order of the queue. */
    HB_TRY(hb_copies_end(div, &leave.copies));
    return hb_divided_start(div, &t, &p->ticket[0]);
}

/* Sends the results to the members of their limbs. */
static hb_status send_back(hb_divided *div, const slicing *x, hb_piece *p)
{
    const layout where = layout_of(div, x->s, x->n, p->count);
    const hb_batch r = x->s->r;
    const uint32_t me = div->base.member;
    hb_transfer t = {.pattern = HB_ALL_TO_ALL, .window = div->window};
    uint64_t *leave = p->workspace + where.returning, *come = p->workspace + where.coming;
    for (uint32_t m = 0; m < div->exchange->members; m++) {
        if (m == me) {
            continue;
        }
        const size_t words = words_of(div, p, r, m, length_of(x, me)),
                     coming = words_of(div, p, r, me, length_of(x, m));
        t.send[m] = leave;
        t.send_bytes[m] = words * sizeof *leave;
        t.receive[m] = come;
        t.receive_bytes[m] = coming * sizeof *come;
        t.to[m] = place_back(div, x, p, m);
        /* Both sides compute both sizes from the map: this member's slice of their limbs goes, their slices of its
         * limbs come. */
        leave += words;
        come += coming;
    }
    return hb_divided_start(div, &t, &p->ticket[1]);
}

/* Sets the addresses of one operand of `make`: limbs of others are in their blocks, which *at passes; the own ones in
 * b. */
static void place_share(const hb_divided *div, const slicing *x, const hb_piece *p, hb_batch b, uint32_t m,
                        uint64_t **at, hb_limb_address *limb_addresses)
{
    const uint32_t me = div->base.member;
    const size_t n = length_of(x, me);
    const hb_local_limbs s = hb_local_limbs_of(div->base.map, m, b.ids, b.limbs);
    if (m == me) {
        hb_local_addresses(div, limb_addresses, &s, b, p, x->start[me]);
        return;
    }
    hb_block_addresses(limb_addresses, &s, *at, n);
    *at += hb_piece_words(p->count, s.limbs, n);
}

/* Computes with the own slice, and sends back. */
static hb_status use(hb_divided *div, void *context, hb_piece *p)
{
    slicing *x = context;
    const hb_slices *s = x->s;
    const layout where = layout_of(div, x->s, x->n, p->count);
    const size_t n = length_of(x, div->base.member);
    hb_limb_address v[HB_MAX_LIMBS], r[HB_MAX_LIMBS];
    uint64_t *arrived = p->workspace + where.arriving, *made = p->workspace + where.v,
             *leave = p->workspace + where.returning;
    HB_TRY(hb_divided_wait(div, p->ticket[0]));
    for (uint32_t m = 0; m < div->exchange->members; m++) {
        hb_limb_address *a = x->limb_addresses;
        for (uint32_t o = 0; o < s->operands; a += s->a[o++].limbs) {
            place_share(div, x, p, s->a[o], m, &arrived, a);
            x->a[o] = hb_piece_scattered(div, n > 0 ? a : NULL, p->count, n, s->a[o]);
        }
        /* v arrives behind every a where it travels; else it is made in a place of its own. */
        place_share(div, x, p, s->v, m, s->set ? &arrived : &made, v);
        place_share(div, x, p, s->r, m, &leave, r);
    }
    /* An empty slice has no addresses, and no work. */
    HB_TRY(s->make(div, s->context, hb_piece_scattered(div, n > 0 ? r : NULL, p->count, n, s->r),
                   hb_piece_scattered(div, n > 0 ? v : NULL, p->count, n, s->v), x->a, p->first));
    return s->r.limbs == 0 ? HB_OK : send_back(div, x, p);
}

/* Puts the own limbs that others made into r, slice by slice. */
static hb_status end(hb_divided *div, void *context, hb_piece *p)
{
    const slicing *x = context;
    move come = {.copies = {.count = p->count}, .at = p->workspace + layout_of(div, x->s, x->n, p->count).coming};
    HB_TRY(hb_divided_wait(div, p->ticket[1]));
    for (uint32_t m = 0; m < div->exchange->members; m++) {
        if (m != div->base.member) {
            HB_TRY(move_own(div, x, p, x->s->r, m, &come));
        }
    }
    return hb_copies_end(div, &come.copies);
}

hb_status hb_divided_slices(hb_divided *div, const hb_slices *s)
{
    static const hb_piecewise there = {begin, use, NULL}, there_and_back = {begin, use, end};
    slicing x;
    HB_ASSERT(s->operands <= HB_SLICED_OPERANDS && operand_limbs(div, s, false) <= HB_SLICED_LIMBS);
    x.s = s;
    x.n = hb_coefficients(div, s->a[0]);
    for (uint32_t m = 0; m <= div->base.map->members; m++) {
        x.start[m] = start_of(div, x.n, m);
    }
    const size_t count = s->a[0].count;
    const size_t most = hb_divided_most(div, HB_ALL_TO_ALL, hb_divided_slices_words(div, s) / 2, count);
    return hb_divided_pieces(div, (hb_piece_sizes){count, most, hb_divided_slices_each(div, s)},
                             s->r.limbs == 0 ? &there : &there_and_back, &x);
}
