/* Base conversion, and division by the last prime, where limbs are divided (engine.h). */
#include "pieces.h"
#include "ring/mod_down.h"

#include <string.h>

/* Returns the columns of a conversion that take this member's limbs. */
static hb_base_conversion columns_of(hb_divided *div, const hb_base_conversion *c, const hb_local_limbs *from)
{
    hb_base_conversion cut = *c;
    for (uint32_t o = 0; o < c->to_limbs; o++) {
        hb_local_limbs_pick(from, c->matrix + (size_t)o * c->from_limbs, div->matrix + (size_t)o * from->limbs);
    }
    cut.from_limbs = from->limbs;
    cut.from_ids = from->ids;
    cut.matrix = div->matrix;
    if (c->scale != NULL) {
        hb_local_limbs_pick(from, c->scale, div->row[0]);
        cut.scale = div->row[0];
    }
    return cut;
}

/* The operands of the pieces of a base conversion. */
typedef struct conversion {
    hb_batch r; /* divided or not */
    const hb_base_conversion *c, *second;
} conversion;

/* Converts gathered limbs to the targets that are here. */
static hb_status convert_gathered(hb_divided *div, const void *context, hb_batch all, size_t first)
{
    const conversion *x = context;
    const hb_local_limbs mine = hb_local_limbs_here(&div->base, x->r.ids, x->r.limbs);
    hb_limb_address limb_addresses[HB_MAX_LIMBS];
    hb_batch to = hb_on_device(&mine, hb_piece_slice(div, x->r, first, all.count, limb_addresses));
    hb_overflow overflow;
    if (mine.limbs == 0) {
        return HB_OK;
    }
    /* r may name the ring's own n where the piece says 0 for it: both must say it alike. */
    to.n = all.n;
    const hb_base_conversion cut = hb_conversion_rows(div, x->c, &mine, &overflow);
    return hb_base_convert(div->base.device, to, all, &cut);
}

/* Converts a slice of all limbs to all targets. v holds the kept limbs of r. */
static hb_status convert_slice(hb_divided *div, const void *context, hb_batch r, hb_batch v, const hb_batch *a,
                               size_t first)
{
    const conversion *x = context;
    (void)first;
    if (a->limb_addresses == NULL) {
        return HB_OK;
    }
    if (x->c->keep != NULL) {
        HB_TRY(hb_copy(div->base.device, r, v));
    }
    return hb_base_convert(div->base.device, r, *a, x->c);
}

/* Two conversions of a slice: the intermediate result stays in v, on this member. */
static hb_status convert_slice_through(hb_divided *div, const void *context, hb_batch r, hb_batch v, const hb_batch *a,
                                       size_t first)
{
    const conversion *x = context;
    (void)first;
    return a->limb_addresses == NULL ? HB_OK : hb_base_convert_through(div->base.device, r, v, *a, x->c, x->second);
}

/* Kept limbs are limbs of r: their slices travel too. */
static hb_slices slices_of(const conversion *x, const hb_batch *a)
{
    const bool kept = x->c->keep != NULL;
    return (hb_slices){.a = a,
                       .operands = 1,
                       .v = kept ? x->r : (hb_batch){.limbs = 0},
                       .r = x->r,
                       .set = kept,
                       .make = convert_slice,
                       .context = x};
}

/* A conversion by partial sums, to moduli that everyone has. */
typedef struct partial_sums {
    hb_batch r, a;
    const hb_base_conversion *c;
    size_t n;
} partial_sums;

/* Returns a place in the workspace: the own sums at 0, then those of every member. */
static hb_batch sums_of(const hb_divided *div, const partial_sums *x, const hb_piece *p, uint32_t place)
{
    return hb_piece_on(div, p->workspace + place * hb_piece_words(p->count, x->r.limbs, x->n), p->count, x->n, x->r.ids,
                       x->r.limbs);
}

/* Converts the own limbs only, and starts the all-gather of the sums. A member without limbs sends zeros. */
static hb_status begin_sums(hb_divided *div, void *context, hb_piece *p)
{
    const partial_sums *x = context;
    const hb_local_limbs mine = hb_local_limbs_here(&div->base, x->a.ids, x->a.limbs);
    const hb_batch own = sums_of(div, x, p, 0);
    hb_transfer t = {.pattern = HB_ALL_GATHER, .window = div->window};
    if (mine.limbs == 0) {
        /* This member must take part in the all-gather even so. */
        HB_TRY(hb_clear(div->base.device, own));
    } else {
        const hb_base_conversion cut = columns_of(div, x->c, &mine);
        hb_limb_address limb_addresses[HB_MAX_LIMBS];
        hb_batch from = hb_on_device(&mine, hb_piece_slice(div, x->a, p->first, p->count, limb_addresses));
        from.n = own.n;
        HB_TRY(hb_base_convert(div->base.device, own, from, &cut));
    }
    for (uint32_t m = 0; m < div->exchange->members; m++) {
        t.send[m] = own.data;
        t.receive[m] = sums_of(div, x, p, m + 1).data;
        t.send_bytes[m] = t.receive_bytes[m] = own.count * own.stride * sizeof *own.data;
        t.to[m] = hb_piece_place(div, sums_of(div, x, p, div->base.member + 1).data);
    }
    return hb_divided_start(div, &t, &p->ticket[0]);
}

/* Adds the sums of all members, canonical modulo each target. Addition modulo a prime is exact, so every member gets
 * the same words. */
static hb_status add_sums(hb_divided *div, void *context, hb_piece *p)
{
    const partial_sums *x = context;
    hb_limb_address limb_addresses[HB_MAX_LIMBS];
    const hb_batch to = hb_piece_slice(div, x->r, p->first, p->count, limb_addresses);
    HB_TRY(hb_divided_wait(div, p->ticket[0]));
    /* Own sums first, then the others' in the order of members; the order does not matter to the result. */
    HB_TRY(hb_piece_copy(div, to, sums_of(div, x, p, 0)));
    for (uint32_t m = 0; m < div->exchange->members; m++) {
        if (m != div->base.member) {
            HB_TRY(hb_add(div->base.device, to, to, sums_of(div, x, p, m + 1)));
        }
    }
    return HB_OK;
}

static hb_status sum_partially(hb_divided *div, hb_batch r, hb_batch a, const hb_base_conversion *c)
{
    static const hb_piecewise piecewise = {begin_sums, add_sums, NULL};
    partial_sums x = {r, a, c, hb_coefficients(div, a)};
    return hb_divided_pieces(
        div, (hb_piece_sizes){a.count, a.count, hb_piece_words(div->exchange->members + 1, r.limbs, x.n)}, &piecewise,
        &x);
}

/* Returns the seconds of `transfers` transfers that bring `words` words here in all; without a measurement, the
 * bytes. */
static double time_of(const hb_divided *div, hb_pattern pattern, double transfers, double words)
{
    const hb_exchange_cost *cost = &div->exchange->cost;
    const double bytes = words * sizeof(uint64_t);
    const bool measured = cost->byte[HB_ALL_GATHER] + cost->start[HB_ALL_GATHER] > 0;
    return measured ? transfers * cost->start[pattern] + bytes * cost->byte[pattern] : bytes;
}

/* Returns the number of pieces of `count` polynomials, of `most` at most. */
static double pieces_of(const hb_divided *div, size_t count, size_t most, size_t each)
{
    /* The same number of pieces on every member, since `each` is for the one that needs most. */
    const size_t room = hb_divided_fit(div, each), fit = room < most ? room : most;
    return count > 0 ? (double)((count + fit - 1) / fit) : 0;
}

/* Returns the time of gathering a, that of the member which receives most: others wait for it. */
static double gathering_time(const hb_divided *div, hb_batch a)
{
    const double words = hb_gathered_words(div, a);
    const size_t most = hb_divided_most(div, HB_ALL_GATHER, words, a.count);
    return time_of(div, HB_ALL_GATHER,
                   pieces_of(div, a.count, most, hb_piece_words(1, a.limbs, hb_coefficients(div, a))), words);
}

/* Returns the time of the slices there and back. */
static double slicing_time(const hb_divided *div, const hb_slices *s)
{
    const double words = hb_divided_slices_words(div, s);
    const size_t count = s->a[0].count, most = hb_divided_most(div, HB_ALL_TO_ALL, words / 2, count);
    return time_of(div, HB_ALL_TO_ALL, 2 * pieces_of(div, count, most, hb_divided_slices_each(div, s)), words);
}

/* Returns whether slices are taken. All members have the same costs and sizes, so all choose alike. */
static bool slices_win(const hb_divided *div, const hb_slices *s, double gathering)
{
    return div->division == HB_DIVIDE_BY_SLICES ||
           (div->division == HB_DIVIDE_BY_COST && slicing_time(div, s) <= gathering);
}

/* Chooses the way to convert: by where sources and targets are, and by cost. */
static hb_status base_convert(hb_engine *e, hb_batch r, hb_batch a, const hb_base_conversion *c)
{
    hb_divided *div = hb_divided_of(e);
    const conversion x = {r, c, NULL};
    const hb_slices s = slices_of(&x, &a);
    /* Sources that everyone holds: every member makes its own targets. */
    if (!hb_is_divided(div, a.ids, a.limbs)) {
        return convert_gathered(div, &x, a, 0);
    }
    if (!hb_is_divided(div, r.ids, r.limbs)) {
        /* An overflow needs all sources at once, and kept limbs would be added once for each member. */
        return c->keep == NULL && c->overflow == NULL ? sum_partially(div, r, a, c)
                                                      : hb_divided_gather(div, a, convert_gathered, &x);
    }
    /* Both ways give the same words. */
    return slices_win(div, &s, gathering_time(div, a)) ? hb_divided_slices(div, &s)
                                                       : hb_divided_gather(div, a, convert_gathered, &x);
}

static bool same_limbs(hb_batch a, hb_batch b)
{
    return a.limbs == b.limbs && memcmp(a.ids, b.ids, a.limbs * sizeof *a.ids) == 0;
}

/* Two conversions in a row. By slices, the intermediate result stays on the member that made it, which saves two
 * transfers. */
static hb_status base_convert_through(hb_engine *e, hb_batch r, hb_batch via, hb_batch a,
                                      const hb_base_conversion *first, const hb_base_conversion *second)
{
    hb_divided *div = hb_divided_of(e);
    const bool divided = hb_is_divided(div, a.ids, a.limbs) && hb_is_divided(div, via.ids, via.limbs);
    const conversion x = {r, first, second};
    const hb_slices s = {.a = &a,
                         .operands = 1,
                         .v = via,
                         .r = r,
                         .set = first->keep != NULL,
                         .make = convert_slice_through,
                         .context = &x};
    /* Words that the second conversion keeps would have to travel there as a third operand. */
    if (divided && same_limbs(r, a) && second->keep == NULL &&
        slices_win(div, &s, gathering_time(div, a) + gathering_time(div, via))) {
        return hb_divided_slices(div, &s);
    }
    HB_TRY(base_convert(e, via, a, first));
    return base_convert(e, r, via, second);
}

/* Divides a slice of sums; v is the limb that is dropped. */
static hb_status divide_slice(hb_divided *div, const void *context, hb_batch r, hb_batch v, const hb_batch *a,
                              size_t first)
{
    hb_block_operands x = *(const hb_block_operands *)context;
    (void)first;
    x.sums = a;
    x.dropped = v;
    return a->limb_addresses == NULL ? HB_OK : hb_divide_blocks(div->base.device, r, &x);
}

/* Whoever has all limbs of a coefficient's sums makes all of its residues, that of the dropped prime too, and divides
 * by it: so the dropped limb is never sent, and all blocks travel together. */
static hb_status divide_blocks(hb_engine *e, hb_batch r, const hb_block_operands *x)
{
    hb_divided *div = hb_divided_of(e);
    const hb_slices s = {
        .a = x->sums, .operands = x->blocks, .v = x->dropped, .r = r, .make = divide_slice, .context = x};
    return hb_is_divided(div, r.ids, r.limbs) ? hb_divided_slices(div, &s) : hb_divide_blocks(div->base.device, r, x);
}

/* A division by the last prime, whose limb goes to everyone. */
typedef struct division {
    hb_batch r, b, a, last;
    const hb_drop_last *constants; /* of the limbs that are here */
    const hb_local_limbs *mine;
    uint32_t root;
} division;

/* Starts the broadcast of the last limb of a piece; its owner copies it into the workspace first, where all have it. */
static hb_status begin_division(hb_divided *div, void *context, hb_piece *p)
{
    const division *x = context;
    const size_t n = div->base.ring->n, bytes = p->count * n * sizeof(uint64_t);
    const hb_batch last = hb_batch_slice(x->last, p->first, p->count);
    hb_transfer t = {.pattern = HB_BROADCAST, .root = x->root, .window = div->window};
    if (x->root == div->base.member) {
        HB_TRY(hb_copy(div->base.device, hb_piece_on(div, p->workspace, p->count, n, last.ids, 1), last));
    }
    for (uint32_t m = 0; m < div->exchange->members; m++) {
        t.send[m] = t.receive[m] = p->workspace;
        t.send_bytes[m] = x->root == div->base.member ? bytes : 0;
        t.receive_bytes[m] = x->root == m ? bytes : 0;
        t.to[m] = hb_piece_place(div, p->workspace);
    }
    return hb_divided_start(div, &t, &p->ticket[0]);
}

/* Divides the limbs that are here by the device. b may have fewer polynomials than r: then the piece has only some of
 * them. */
static hb_status divide_here(hb_divided *div, const division *x, hb_batch last, size_t first)
{
    const hb_batch r = hb_on_device(x->mine, hb_batch_slice(x->r, first, last.count));
    const hb_batch a = hb_on_device(x->mine, hb_batch_slice(x->a, first, last.count));
    hb_batch b = {.data = NULL};
    if (x->b.data != NULL && x->b.count > first) {
        const size_t left = x->b.count - first;
        b = hb_on_device(x->mine, hb_batch_slice(x->b, first, left < last.count ? left : last.count));
    }
    return x->mine->limbs == 0
               ? HB_OK
               : div->base.device->ops->rns->divide_round(div->base.device, r, b, a, last, x->constants);
}

static hb_status use_division(hb_divided *div, void *context, hb_piece *p)
{
    const division *x = context;
    HB_TRY(hb_divided_wait(div, p->ticket[0]));
    return divide_here(div, x, hb_piece_on(div, p->workspace, p->count, div->base.ring->n, x->last.ids, 1), p->first);
}

static hb_status divide_round(hb_engine *e, hb_batch r, hb_batch b, hb_batch a, hb_batch last,
                              const hb_drop_last *constants)
{
    static const hb_piecewise piecewise = {begin_division, use_division, NULL};
    hb_divided *div = hb_divided_of(e);
    const hb_local_limbs mine = hb_local_limbs_here(e, r.ids, r.limbs);
    /* Constants are for all limbs; the device divides the limbs that are here. */
    hb_drop_last cut = *constants;
    hb_local_limbs_pick(&mine, constants->inverse, div->row[0]);
    cut.inverse = div->row[0];
    division x = {r, b, a, last, &cut, &mine, e->map->owner[constants->last_id]};
    return hb_is_divided(div, last.ids, 1)
               ? hb_divided_pieces(div, (hb_piece_sizes){r.count, r.count, e->ring->n}, &piecewise, &x)
               : divide_here(div, &x, last, 0);
}

const hb_rns_ops hb_divided_rns_ops = {
    .base_convert = base_convert,
    .base_convert_through = base_convert_through,
    .divide_blocks = divide_blocks,
    .divide_round = divide_round,
};
