/* Gathering: all limbs of some polynomials, on every member. */
#include "pieces.h"

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
    hb_transfer t = {.pattern = HB_ALL_GATHER};
    uint64_t *at = p->workspace;
    for (uint32_t m = 0; m < div->exchange->members; m++) {
        const hb_local_limbs theirs = hb_local_limbs_of(div->base.map, m, g->a.ids, g->a.limbs);
        const size_t words = hb_piece_words(p->count, theirs.limbs, g->n);
        /* Own limbs are not received; their place in the workspace is for putting them together. */
        if (m == div->base.member) {
            HB_TRY(take_block(div, g, p, &mine, at, &block));
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

hb_status hb_divided_gather(hb_divided *div, hb_batch a, hb_gathered operation, const void *context)
{
    static const hb_piecewise piecewise = {begin, use, NULL};
    gathering g = {a, hb_coefficients(div, a), operation, context};
    return hb_divided_pieces(div, a.count, hb_piece_words(1, a.limbs, g.n), &piecewise, &g);
}

/* A decomposition: every limb of a is a digit modulo every limb of r. */
typedef struct decomposing {
    hb_batch r;
    hb_status (*operation)(hb_engine *e, hb_batch r, hb_batch a);
} decomposing;

static hb_status decompose_piece(hb_divided *div, const void *context, hb_batch all, size_t first)
{
    const decomposing *s = context;
    /* A member without limbs of r has taken part in the exchange, and is done. */
    const hb_local_limbs mine = hb_local_limbs_here(&div->base, s->r.ids, s->r.limbs);
    const hb_batch to = hb_batch_slice(s->r, first * all.limbs, all.count * all.limbs);
    return mine.limbs == 0 ? HB_OK : s->operation(div->base.device, hb_on_device(&mine, to), all);
}

/* Limbs that every member holds need no exchange. */
static hb_status decompose_with(hb_divided *div, hb_batch r, hb_batch a,
                                hb_status (*operation)(hb_engine *e, hb_batch r, hb_batch a))
{
    const decomposing s = {r, operation};
    return hb_is_divided(div, a.ids, a.limbs) ? hb_divided_gather(div, a, decompose_piece, &s)
                                              : decompose_piece(div, &s, a, 0);
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
