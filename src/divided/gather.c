/* Gathering: all limbs of some polynomials, on every member. */
#include "base/chunk.h"
#include "pieces.h"
#include "ring/mod_up.h"

/* An operation by gathering. The workspace of a piece has the blocks as they arrive, member after member, and in their
 * place the own limbs, where these have to be put together to be sent. */
typedef struct gathering {
    hb_batch a;
    size_t n;
    hb_gathered use;
    const void *context;
} gathering;

/* Finds this member's limbs of the piece as one block: where they stand if they are one already, else copied into the
 * workspace. */
static hb_status take_block(hb_divided *div, const gathering *g, const hb_piece *p, const hb_local_limbs *mine,
                            uint64_t *workspace, const uint64_t **block)
{
    hb_limb_address limb_addresses[HB_MAX_LIMBS];
    bool contiguous = true;
    hb_copies copies = {.count = p->count};
    hb_local_addresses(div, limb_addresses, mine, g->a, p, 0);
    for (uint32_t i = 0; i < mine->limbs; i++) {
        const hb_limb_address from = limb_addresses[mine->at[i]];
        /* One block needs limbs one behind the other in every polynomial, and polynomials likewise. */
        contiguous = contiguous && from.data == limb_addresses[mine->at[0]].data + i * g->n &&
                     (p->count == 1 || from.stride == mine->limbs * g->n);
    }
    *block = contiguous && mine->limbs > 0 ? limb_addresses[mine->at[0]].data : workspace;
    for (uint32_t i = 0; !contiguous && i < mine->limbs; i++) {
        const hb_limb_address to = {workspace + i * g->n, mine->limbs * g->n};
        HB_TRY(hb_copies_add(div, &copies, g->n, mine->ids[i], to, limb_addresses[mine->at[i]]));
    }
    return hb_copies_end(div, &copies);
}

/* Starts the all-gather of a piece. All members compute all sizes from the map, so nothing is told before. */
static hb_status begin(hb_divided *div, void *context, hb_piece *p)
{
    const gathering *g = context;
    const hb_local_limbs mine = hb_local_limbs_here(&div->base, g->a.ids, g->a.limbs);
    const uint64_t *block = NULL;
    hb_transfer t = {.pattern = HB_ALL_GATHER, .window = div->window};
    uint64_t *at = p->workspace;
    size_t own = 0;
    for (uint32_t m = 0; m < div->exchange->members; m++) {
        const hb_local_limbs theirs = hb_local_limbs_of(div->base.map, m, g->a.ids, g->a.limbs);
        const size_t words = hb_piece_words(p->count, theirs.limbs, g->n);
        /* Own limbs are not received; their place in the workspace is for putting them together. */
        if (m == div->base.member) {
            HB_TRY(take_block(div, g, p, &mine, at, &block));
            own = hb_piece_place(div, at);
        } else {
            t.receive[m] = at;
            t.receive_bytes[m] = words * sizeof *at;
        }
        at += words;
    }
    for (uint32_t m = 0; m < div->exchange->members; m++) {
        /* The same block to all. */
        t.send[m] = block;
        t.send_bytes[m] = hb_piece_words(p->count, mine.limbs, g->n) * sizeof *block;
        /* Blocks have the same places on all members. */
        t.to[m] = own;
    }
    return hb_divided_start(div, &t, &p->ticket[0]);
}

/* Gives all limbs of the piece to the operation: others' where they arrived, the own ones where the caller has them. */
static hb_status use(hb_divided *div, void *context, hb_piece *p)
{
    const gathering *g = context;
    hb_limb_address limb_addresses[HB_MAX_LIMBS];
    uint64_t *at = p->workspace;
    /* From here on the queue finds the limbs of the others. */
    HB_TRY(hb_divided_wait(div, p->ticket[0]));
    for (uint32_t m = 0; m < div->exchange->members; m++) {
        const hb_local_limbs s = hb_local_limbs_of(div->base.map, m, g->a.ids, g->a.limbs);
        if (m == div->base.member) {
            hb_local_addresses(div, limb_addresses, &s, g->a, p, 0);
        } else {
            hb_block_addresses(limb_addresses, &s, at, g->n);
        }
        at += hb_piece_words(p->count, s.limbs, g->n);
    }
    return g->use(div, g->context, hb_piece_scattered(div, limb_addresses, p->count, g->n, g->a), p->first);
}

/* Begin and use a gathering of which a piece is some limbs of all polynomials. */
static hb_status begin_part(hb_divided *div, const gathering *g, hb_piece *p)
{
    gathering part = *g;
    hb_piece all = {.count = g->a.count, .workspace = p->workspace};
    HB_TRY(begin(div, &part, &all));
    p->ticket[0] = all.ticket[0];
    return HB_OK;
}

static hb_status use_part(hb_divided *div, const gathering *g, const hb_piece *p)
{
    gathering part = *g;
    hb_piece all = {.count = g->a.count, .workspace = p->workspace, .ticket = {p->ticket[0]}};
    return use(div, &part, &all);
}

hb_status hb_divided_gather(hb_divided *div, hb_batch a, hb_gathered operation, const void *context)
{
    static const hb_piecewise piecewise = {begin, use, NULL};
    gathering g = {a, hb_coefficients(div, a), operation, context};
    const size_t most = hb_divided_most(div, HB_ALL_GATHER, hb_gathered_words(div, a), a.count);
    return hb_divided_pieces(div, (hb_piece_sizes){a.count, most, hb_piece_words(1, a.limbs, g.n)}, &piecewise, &g);
}

/* A decomposition: every limb of a is a digit modulo every limb of r. */
typedef struct decomposing {
    hb_batch r, a;
    hb_status (*operation)(hb_engine *e, hb_batch r, hb_batch a);
    const hb_piece *piece; /* of one polynomial: the limbs that are decomposed now */
} decomposing;

static hb_status decompose_piece(hb_divided *div, const void *context, hb_batch all, size_t first)
{
    const decomposing *s = context;
    /* A member without limbs of r has taken part in the exchange, and is done. */
    const hb_local_limbs mine = hb_local_limbs_here(&div->base, s->r.ids, s->r.limbs);
    const hb_batch to = hb_batch_slice(s->r, first * all.limbs, all.count * all.limbs);
    return mine.limbs == 0 ? HB_OK : s->operation(div->base.device, hb_on_device(&mine, to), all);
}

static hb_status decompose_limbs(hb_divided *div, const void *context, hb_batch all, size_t first)
{
    const decomposing *s = context;
    (void)first;
    const hb_local_limbs mine = hb_local_limbs_here(&div->base, s->r.ids, s->r.limbs);
    const hb_batch to = hb_batch_slice(s->r, s->piece->first, s->piece->count);
    return mine.limbs == 0 ? HB_OK : s->operation(div->base.device, hb_on_device(&mine, to), all);
}

/* Returns the gathering of some limbs of one polynomial. */
static gathering some_limbs(const hb_divided *div, decomposing *s, const hb_piece *p)
{
    s->piece = p;
    return (gathering){hb_batch_limbs(&div->base, s->a, (uint32_t)p->first, (uint32_t)p->count),
                       hb_coefficients(div, s->a), decompose_limbs, s};
}

static hb_status begin_limbs(hb_divided *div, void *context, hb_piece *p)
{
    const gathering g = some_limbs(div, context, p);
    return begin_part(div, &g, p);
}

static hb_status use_limbs(hb_divided *div, void *context, hb_piece *p)
{
    const gathering g = some_limbs(div, context, p);
    return use_part(div, &g, p);
}

/* Limbs that every member holds need no exchange. One polynomial has no halves but those of its limbs: each of them is
 * a digit. */
static hb_status decompose_with(hb_divided *div, hb_batch r, hb_batch a,
                                hb_status (*operation)(hb_engine *e, hb_batch r, hb_batch a))
{
    static const hb_piecewise piecewise = {begin_limbs, use_limbs, NULL};
    decomposing s = {.r = r, .a = a, .operation = operation};
    if (!hb_is_divided(div, a.ids, a.limbs)) {
        return decompose_piece(div, &s, a, 0);
    }
    if (a.count != 1) {
        return hb_divided_gather(div, a, decompose_piece, &s);
    }
    const size_t most = hb_divided_most(div, HB_ALL_GATHER, hb_gathered_words(div, a), a.limbs);
    return hb_divided_pieces(div, (hb_piece_sizes){a.limbs, most, hb_coefficients(div, a)}, &piecewise, &s);
}

static hb_status decompose(hb_engine *e, hb_batch r, hb_batch a)
{
    return decompose_with(hb_divided_of(e), r, a, hb_decompose);
}

static hb_status ntt_decompose(hb_engine *e, hb_batch r, hb_batch a)
{
    return decompose_with(hb_divided_of(e), r, a, hb_ntt_decompose);
}

const hb_ntt_ops hb_divided_ntt_ops = {
    .ntt_decompose = ntt_decompose,
};

/* The digits of key switching. Pieces are of digits: those of the first half are made while the others travel. */
typedef struct raising {
    hb_batch r;
    const hb_mod_up_operands *x;
    const hb_piece *piece; /* the digits that are made now */
} raising;

/* Converts the gathered limbs of some digits to the targets that are here. */
static hb_status raise_digits(hb_divided *div, const void *context, hb_batch all, size_t first)
{
    const raising *y = context;
    const hb_mod_up *up = y->x->up + y->piece->first;
    (void)first;
    for (size_t j = 0; j < y->piece->count; j++) {
        hb_limb_address limb_addresses[HB_MAX_LIMBS];
        const hb_batch digit = hb_mod_up_digit(y->r, y->x->digits, (uint32_t)(y->piece->first + j));
        const hb_local_limbs mine = hb_local_limbs_here(&div->base, up[j].ids, up[j].others);
        const hb_base_conversion whole = hb_mod_up_conversion(&up[j], y->x->scaled);
        hb_overflow overflow;
        if (mine.limbs > 0) {
            const hb_base_conversion cut = hb_conversion_rows(div, &whole, &mine, &overflow);
            HB_TRY(hb_base_convert(div->base.device,
                                   hb_on_device(&mine, hb_mod_up_others(&div->base, digit, &up[j], limb_addresses)),
                                   hb_batch_limbs(div->base.device, all, up[j].first - up->first, up[j].limbs), &cut));
        }
    }
    return HB_OK;
}

/* Returns the gathering of a piece's digits, of all polynomials. */
static gathering limbs_of_digits(const hb_divided *div, raising *y, const hb_piece *p)
{
    const hb_mod_up *up = y->x->up + p->first, *last = up + p->count - 1;
    const hb_batch a = hb_batch_limbs(&div->base, y->x->a, up->first, last->first + last->limbs - up->first);
    y->piece = p;
    return (gathering){a, hb_coefficients(div, a), raise_digits, y};
}

static hb_status begin_digits(hb_divided *div, void *context, hb_piece *p)
{
    const gathering g = limbs_of_digits(div, context, p);
    return begin_part(div, &g, p);
}

/* Transforms the digits of a piece: in one launch where they lie together. */
static hb_status transform_digits(hb_divided *div, const raising *y, const hb_piece *p)
{
    hb_limb_range own[HB_MAX_LIMBS];
    const uint32_t digits = y->x->digits;
    const bool together = p->count == digits || y->x->a.count == 1;
    hb_mod_up_own(y->x->up, digits, own);
    for (size_t j = p->first; j < p->first + p->count; j += together ? p->count : 1) {
        const hb_batch some = p->count == digits ? y->r : hb_batch_slice(y->r, j, p->count);
        const hb_batch x = together ? some : hb_mod_up_digit(y->r, digits, (uint32_t)j);
        if (y->x->transformed) {
            HB_TRY(hb_ntt_except(&div->base, x, together ? (uint32_t)p->count : 1, own + j));
        } else {
            HB_TRY(hb_ntt(&div->base, x));
        }
    }
    return HB_OK;
}

static hb_status use_digits(hb_divided *div, void *context, hb_piece *p)
{
    raising *y = context;
    const hb_mod_up_operands *x = y->x;
    const gathering g = limbs_of_digits(div, y, p);
    HB_TRY(use_part(div, &g, p));
    for (size_t j = p->first; x->own.data != NULL && j < p->first + p->count; j++) {
        const hb_batch digit = hb_mod_up_digit(y->r, x->digits, (uint32_t)j);
        HB_TRY(hb_copy(&div->base, hb_batch_limbs(&div->base, digit, x->up[j].first, x->up[j].limbs),
                       hb_batch_limbs(&div->base, x->own, x->up[j].first, x->up[j].limbs)));
    }
    return transform_digits(div, y, p);
}

static hb_status mod_up_digits(hb_engine *e, hb_batch r, const hb_mod_up_operands *x)
{
    static const hb_piecewise piecewise = {begin_digits, use_digits, NULL};
    hb_divided *div = hb_divided_of(e);
    const size_t n = hb_coefficients(div, x->a), half = (x->digits + 1) / 2;
    if (!hb_is_divided(div, x->a.ids, x->a.limbs)) {
        return hb_mod_up_digits(div->base.device, r, x);
    }
    uint32_t limbs = 0;
    for (uint32_t j = 0; j < x->digits; j++) {
        limbs = x->up[j].limbs > limbs ? x->up[j].limbs : limbs;
    }
    const size_t words = hb_piece_words(1, limbs, n);
    for (hb_chunk c = hb_chunks(x->a.count, hb_divided_fit(div, half * words)); hb_chunk_next(&c);) {
        hb_mod_up_operands some = *x;
        some.a = hb_batch_slice(x->a, c.first, c.count);
        some.own = x->own.data != NULL ? hb_batch_slice(x->own, c.first, c.count) : x->own;
        raising y = {.r = hb_batch_slice(r, c.first * x->digits, c.count * x->digits), .x = &some};
        const size_t most = hb_divided_most(div, HB_ALL_GATHER, hb_gathered_words(div, some.a), x->digits);
        HB_TRY(hb_divided_pieces(div, (hb_piece_sizes){x->digits, most, c.count * words}, &piecewise, &y));
    }
    return HB_OK;
}

const hb_product_ops hb_divided_product_ops = {
    .decompose = decompose,
    .mod_up_digits = mod_up_digits,
};
