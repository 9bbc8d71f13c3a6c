/* Operations for which members share something small, or the work of slices (divided_engine.h). */
#include <string.h>

#include "divided_private.h"

/* --- division by the last prime: its limb goes to everyone --------------------------------------------------------- */

typedef struct division {
    hb_batch r, b, a, last;
    const hb_drop_last *constants; /* of the limbs that are here */
    const hb_share *mine;
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
    if (x->b.data != NULL) {
        b = hb_on_device(x->mine, hb_batch_slice(x->b, first, last.count));
    }
    return x->mine->limbs == 0 ? HB_OK : d->device->ops->divide_round(d->device, r, b, a, last, x->constants);
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
    const hb_share mine = hb_share_here(e, r.ids, r.limbs);
    hb_drop_last cut = *constants;
    hb_share_pick(&mine, constants->inverse, d->row[0]);
    cut.inverse = d->row[0];
    division x = {r, b, a, last, &cut, &mine, e->map->owner[constants->last_id]};
    return hb_is_divided(d, last.ids, 1) ? hb_divided_pieces(d, r.count, e->ring->n, &piecewise, &x)
                                         : divide_here(d, &x, last, 0);
}

/* --- mixed-radix digits and their largest: slices ------------------------------------------------------------------ */

typedef struct norm {
    const hb_garner *constants;
    uint64_t *digits; /* host, [count][limbs] */
} norm;

static hb_status make_digits(hb_divided *d, const void *context, hb_batch r, hb_batch v, hb_batch a, size_t first)
{
    const norm *x = context;
    (void)v;
    (void)first;
    return a.places == NULL ? HB_OK : hb_garner_digits(d->device, r, a, x->constants);
}

hb_status hb_divided_garner_digits(hb_engine *e, hb_batch r, hb_batch a, const hb_garner *constants)
{
    hb_divided *d = hb_divided_of(e);
    const norm x = {constants, NULL};
    const hb_slices s = {.a = a, .r = r, .make = make_digits, .context = &x};
    return hb_is_divided(d, a.ids, a.limbs) ? hb_divided_slices(d, &s) : hb_garner_digits(d->device, r, a, constants);
}

/* largest = the larger of both numbers: the last digit that differs decides. No branch on digits. */
static void take_larger(uint64_t *largest, const uint64_t *digits, uint32_t limbs)
{
    uint64_t take = 0; /* all ones where `digits` is larger; digits are below 2^61 */
    for (uint32_t l = 0; l < limbs; l++) {
        const uint64_t above = 0 - ((largest[l] - digits[l]) >> 63), below = 0 - ((digits[l] - largest[l]) >> 63);
        take = above | (take & ~below);
    }
    for (uint32_t l = 0; l < limbs; l++) {
        largest[l] ^= (largest[l] ^ digits[l]) & take;
    }
}

/* Some of the piece's numbers at a time, as many as a message takes. */
static hb_status make_norms(hb_divided *d, const void *context, hb_batch r, hb_batch v, hb_batch a, size_t first)
{
    const norm *x = context;
    const size_t limbs = a.limbs, fit = HB_DIVIDED_WORDS / limbs;
    uint64_t *digits = x->digits + first * limbs;
    (void)r;
    (void)v;
    memset(digits, 0, a.count * limbs * sizeof *digits);
    HB_TRY(hb_divided_settle(d));
    HB_TRY(a.places == NULL ? HB_OK : hb_infinity_norm(d->device, digits, a, x->constants));
    for (size_t done = 0; done < a.count; done += fit) {
        const size_t left = a.count - done, now = left < fit ? left : fit;
        HB_TRY(hb_divided_gather_words(d, digits + done * limbs, now * limbs));
        for (size_t i = 0; i < d->exchange->members * now; i++) {
            take_larger(digits + (done + i % now) * limbs, d->words + i * limbs, a.limbs);
        }
    }
    return HB_OK;
}

hb_status hb_divided_infinity_norm(hb_engine *e, uint64_t *digits, hb_batch a, const hb_garner *constants)
{
    hb_divided *d = hb_divided_of(e);
    const norm x = {constants, digits};
    const hb_slices s = {.a = a, .make = make_norms, .context = &x};
    if (hb_is_divided(d, a.ids, a.limbs)) {
        return hb_divided_slices(d, &s);
    }
    HB_TRY(hb_divided_settle(d));
    return hb_infinity_norm(d->device, digits, a, constants);
}

/* --- some words of every member ------------------------------------------------------------------------------------ */

hb_status hb_divided_count_zeros(hb_engine *e, uint64_t *zeros, hb_batch a)
{
    hb_divided *d = hb_divided_of(e);
    const hb_share mine = hb_share_here(e, a.ids, a.limbs);
    *zeros = 0;
    HB_TRY(hb_divided_settle(d));
    HB_TRY(mine.limbs == 0 ? HB_OK : hb_count_zeros(d->device, zeros, hb_on_device(&mine, a)));
    if (!hb_is_divided(d, a.ids, a.limbs)) {
        return HB_OK;
    }
    HB_TRY(hb_divided_gather_words(d, zeros, 1));
    *zeros = 0;
    for (uint32_t m = 0; m < d->exchange->members; m++) {
        *zeros += d->words[m];
    }
    return HB_OK;
}

/* Digests of the i-th limb of every member go from their place to their place, none where a member has fewer. */
static hb_status gather_digests(hb_divided *d, uint8_t *digests, size_t bytes, const uint16_t *ids, uint32_t limbs,
                                uint32_t i)
{
    hb_transfer t = {.pattern = HB_ALL_GATHER};
    const hb_share mine = hb_share_here(&d->base, ids, limbs);
    uint64_t ticket;
    for (uint32_t m = 0; m < d->exchange->members; m++) {
        const hb_share theirs = hb_share_of(&d->params->map, m, ids, limbs);
        t.send[m] = digests + (i < mine.limbs ? mine.at[i] * bytes : 0);
        t.send_bytes[m] = i < mine.limbs ? bytes : 0;
        t.receive[m] = digests + (i < theirs.limbs ? theirs.at[i] * bytes : 0);
        t.receive_bytes[m] = i < theirs.limbs ? bytes : 0;
    }
    HB_TRY(hb_divided_start(d, &t, &ticket));
    return hb_divided_wait(d, ticket);
}

hb_status hb_divided_digest_rows(hb_engine *e, uint8_t *digests, hb_packed rows, const uint16_t *ids, uint32_t limbs)
{
    hb_divided *d = hb_divided_of(e);
    const hb_share mine = hb_share_here(e, ids, limbs);
    const size_t bytes = rows.rows * HB_DIGEST_BYTES;
    for (uint32_t i = 0; i < mine.limbs; i++) {
        HB_TRY(hb_digest_rows(d->device, digests + mine.at[i] * bytes, rows, &mine.ids[i], 1));
        rows.bytes += rows.rows * hb_packed_row_bytes(e->ring->n, &e->ring->moduli[mine.ids[i]]);
    }
    for (uint32_t i = 0; hb_is_divided(d, ids, limbs) && i < hb_share_most(d, ids, limbs); i++) {
        HB_TRY(gather_digests(d, digests, bytes, ids, limbs, i));
    }
    return HB_OK;
}
