/* Division by the last prime: its limb goes to everyone (engine.h). */
#include "pieces.h"

typedef struct division {
    hb_batch r, b, a, last;
    const hb_drop_last *constants; /* of the limbs that are here */
    const hb_own_limbs *mine;
    uint32_t root;
} division;

static hb_status begin_division(hb_divided *d, void *context, hb_piece *p)
{
    const division *x = context;
    const size_t n = d->base.ring->n, bytes = p->count * n * sizeof(uint64_t);
    const hb_batch last = hb_batch_slice(x->last, p->first, p->count);
    hb_transfer t = {.pattern = HB_BROADCAST, .root = x->root};
    if (x->root == d->base.member) {
        HB_TRY(hb_copy(d->device, hb_piece_on(d, p->room, p->count, n, last.ids, 1), last));
    }
    for (uint32_t m = 0; m < d->exchange->members; m++) {
        t.send[m] = t.receive[m] = p->room;
        t.send_bytes[m] = x->root == d->base.member ? bytes : 0;
        t.receive_bytes[m] = x->root == m ? bytes : 0;
    }
    return hb_divided_start(d, &t, &p->ticket[0]);
}

static hb_status divide_here(hb_divided *d, const division *x, hb_batch last, size_t first)
{
    const hb_batch r = hb_on_device(x->mine, hb_batch_slice(x->r, first, last.count));
    const hb_batch a = hb_on_device(x->mine, hb_batch_slice(x->a, first, last.count));
    hb_batch b = {.data = NULL};
    if (x->b.data != NULL && x->b.count > first) {
        const size_t left = x->b.count - first;
        b = hb_on_device(x->mine, hb_batch_slice(x->b, first, left < last.count ? left : last.count));
    }
    return x->mine->limbs == 0 ? HB_OK : d->device->ops->rns->divide_round(d->device, r, b, a, last, x->constants);
}

static hb_status use_division(hb_divided *d, void *context, hb_piece *p)
{
    const division *x = context;
    HB_TRY(hb_divided_wait(d, p->ticket[0]));
    return divide_here(d, x, hb_piece_on(d, p->room, p->count, d->base.ring->n, x->last.ids, 1), p->first);
}

hb_status hb_divided_divide_round(hb_engine *e, hb_batch r, hb_batch b, hb_batch a, hb_batch last,
                                  const hb_drop_last *constants)
{
    static const hb_piecewise piecewise = {begin_division, use_division, NULL};
    hb_divided *d = hb_divided_of(e);
    const hb_own_limbs mine = hb_own_limbs_here(e, r.ids, r.limbs);
    hb_drop_last cut = *constants;
    hb_own_limbs_pick(&mine, constants->inverse, d->row[0]);
    cut.inverse = d->row[0];
    division x = {r, b, a, last, &cut, &mine, e->map->owner[constants->last_id]};
    return hb_is_divided(d, last.ids, 1) ? hb_divided_pieces(d, r.count, e->ring->n, &piecewise, &x)
                                         : divide_here(d, &x, last, 0);
}
