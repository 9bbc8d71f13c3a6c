#include "shares.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "joint/sealing.h"
#include "joint/share.h"
#include "joint/sharing.h"

/* Memory for the polynomials of one dealer. */
typedef struct dealt {
    const hb_seat *seat;
    uint32_t checks, threshold;
    size_t bytes;    /* of a packed polynomial */
    hb_batch shares; /* [1 + checks][K] */
    hb_batch public; /* [threshold][K], blinded */
    hb_batch sum;    /* [1][K], of shares */
    uint8_t *packed; /* [1 + checks][bytes], secret */
} dealt;

static size_t packed_bytes(const dealt *x)
{
    return (1 + x->checks) * x->bytes;
}

static void dealt_close(dealt *x)
{
    hb_engine *e = x->seat->engine;
    hb_batch *const batches[] = {&x->shares, &x->public, &x->sum};
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++) {
        hb_batch_wipe(e, *batches[i]);
        hb_batch_free(e, batches[i]);
    }
    if (x->packed != NULL) {
        hb_wipe(x->packed, packed_bytes(x));
        free(x->packed);
    }
}

/* The caller closes it, also after a failure. */
static hb_status dealt_open(dealt *x, const hb_seat *seat)
{
    hb_engine *e = seat->engine;
    const hb_params *params = seat->params;
    *x = (dealt){.seat = seat,
                 .checks = hb_sharing_checks(params),
                 .threshold = seat->file->session.threshold,
                 .bytes = hb_packed_bytes(&params->ring, params->ids, params->key_limbs)};
    x->packed = malloc(packed_bytes(x));
    if (x->packed == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for shares of %zu bytes", packed_bytes(x));
    }
    hb_lock(x->packed, packed_bytes(x));
    HB_TRY(hb_batch_alloc_locked(e, &x->shares, 1 + x->checks, params->key_limbs, params->ids));
    HB_TRY(hb_batch_alloc_locked(e, &x->sum, 1, params->key_limbs, params->ids));
    return hb_batch_alloc(e, &x->public, x->threshold, params->key_limbs, params->ids);
}

/* Packs or unpacks all polynomials of a batch, one behind the other. */
static hb_status pack_all(const dealt *x, hb_batch a, uint8_t *packed)
{
    for (size_t i = 0; i < a.count; i++) {
        HB_TRY(hb_share_pack(x->seat->engine, x->seat->params, packed + i * x->bytes, hb_batch_slice(a, i, 1)));
    }
    return HB_OK;
}

static hb_status unpack_all(const dealt *x, hb_batch a, const uint8_t *packed, const char *what)
{
    for (size_t i = 0; i < a.count; i++) {
        HB_TRY(hb_share_unpack(x->seat->engine, hb_batch_slice(a, i, 1), packed + i * x->bytes, what));
    }
    return HB_OK;
}

/* --- dealing */

static hb_status deal_to(const dealt *x, hb_message_writer *writer, uint32_t owner, uint8_t *box)
{
    const hb_seat *seat = x->seat;
    const hb_owner_card *cards = seat->file->session.cards;
    const hb_share_way way = {seat->file->id, &cards[seat->owner], &cards[owner]};
    const uint32_t part = hb_message_find(hb_message_writer_parts(writer), "shares", cards[owner].name);
    HB_TRY(hb_owner_deal(x->shares, &seat->secret, &seat->own, x->threshold, owner + 1));
    HB_TRY(pack_all(x, x->shares, x->packed));
    HB_TRY(hb_share_seal(box, &seat->root, &way, x->packed, packed_bytes(x)));
    return hb_message_put(writer, part, 0, box);
}

hb_status hb_seat_deal(const hb_seat *seat, hb_message_writer *writer)
{
    dealt x;
    uint8_t *box = NULL;
    hb_status st;
    HB_GOTO(dealt_open(&x, seat));
    box = malloc(packed_bytes(&x) + HB_SEAL_BYTES);
    HB_GOTO(box != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for shares"));
    for (uint32_t i = 0; i < seat->file->session.owners; i++) {
        if (i != seat->owner) {
            HB_GOTO(deal_to(&x, writer, i, box));
        }
    }
done:
    free(box);
    dealt_close(&x);
    return st;
}

hb_status hb_seat_blind(const hb_seat *seat, hb_message_writer *writer, const uint8_t inputs[HB_DIGEST_BYTES])
{
    const uint32_t part = hb_message_find(hb_message_writer_parts(writer), NULL, "blinded");
    dealt x;
    hb_status st;
    HB_GOTO(dealt_open(&x, seat));
    for (uint32_t r = 0; r < x.checks; r++) {
        const hb_share_test test = {r, inputs};
        HB_GOTO(hb_owner_blind(x.public, &seat->secret, &seat->own, &test));
        for (uint32_t k = 0; k < x.threshold; k++) {
            HB_GOTO(pack_all(&x, hb_batch_slice(x.public, k, 1), x.packed));
            HB_GOTO(hb_message_put(writer, part, r * x.threshold + k, x.packed));
        }
    }
done:
    dealt_close(&x);
    return st;
}

/* --- taking */

/* Opens what another owner dealt to this one. */
static hb_status unseal_from(const dealt *x, const hb_message *first, uint32_t dealer)
{
    const hb_seat *seat = x->seat;
    const hb_owner_card *cards = seat->file->session.cards;
    const hb_share_way way = {seat->file->id, &cards[dealer], &cards[seat->owner]};
    char what[64]; /* 22 characters and a name of 32 */
    uint8_t *box;
    HB_TRY(hb_joint_read_part(first, "shares", cards[seat->owner].name, &box));
    hb_status st = hb_share_unseal(x->packed, &seat->root, &way, box, packed_bytes(x));
    free(box);
    snprintf(what, sizeof what, "the share that %s dealt", cards[dealer].name);
    return st == HB_OK ? unpack_all(x, x->shares, x->packed, what) : st;
}

/* Reads the blinded polynomials of one check. */
static hb_status read_blinded(const dealt *x, const hb_message *second, uint32_t check, const char *dealer)
{
    const uint32_t part = hb_message_find(hb_message_parts_in(second), NULL, "blinded");
    char what[64]; /* 26 characters and a name of 32 */
    snprintf(what, sizeof what, "what %s showed of his shares", dealer);
    for (uint32_t k = 0; k < x->threshold; k++) {
        HB_TRY(hb_message_get(second, part, check * x->threshold + k, x->packed));
        HB_TRY(unpack_all(x, hb_batch_slice(x->public, k, 1), x->packed, what));
    }
    return HB_OK;
}

static hb_status compare(const dealt *x, const hb_message *second, uint32_t dealer, const uint8_t *inputs)
{
    const hb_seat *seat = x->seat;
    const char *name = seat->file->session.cards[dealer].name;
    for (uint32_t r = 0; r < x->checks; r++) {
        const hb_share_test test = {r, inputs};
        bool good;
        HB_TRY(read_blinded(x, second, r, name));
        HB_TRY(hb_share_compare(&good, seat->params, x->shares, x->public, seat->owner + 1, &test, seat->engine));
        if (!good) {
            return HB_FAIL(HB_EDATA, "the share that %s dealt is wrong: begin again without %s, or with another card",
                           name, name);
        }
    }
    return HB_OK;
}

static hb_status add_dealer(const dealt *x, const hb_joint_all *firsts, const hb_joint_all *seconds, uint32_t dealer,
                            const uint8_t *inputs)
{
    const hb_seat *seat = x->seat;
    hb_engine *e = seat->engine;
    if (dealer == seat->owner) {
        HB_TRY(hb_owner_deal(x->shares, &seat->secret, &seat->own, x->threshold, seat->owner + 1));
    } else {
        HB_TRY(unseal_from(x, firsts->message[dealer], dealer));
        HB_TRY(compare(x, seconds->message[dealer], dealer, inputs));
    }
    HB_TRY(hb_add(e, x->sum, x->sum, hb_batch_slice(x->shares, 0, 1)));
    return hb_finish(e);
}

hb_status hb_seat_take_share(const hb_seat *seat, const hb_joint_all *firsts, const hb_joint_all *seconds,
                             hb_joint_state *state)
{
    dealt x;
    hb_status st;
    uint8_t *box = NULL;
    HB_GOTO(dealt_open(&x, seat));
    HB_GOTO(hb_clear(seat->engine, x.sum));
    for (uint32_t i = 0; i < firsts->owners; i++) {
        HB_GOTO(add_dealer(&x, firsts, seconds, i, state->inputs));
    }
    HB_GOTO(pack_all(&x, x.sum, x.packed));
    box = malloc(x.bytes + HB_SEAL_BYTES);
    HB_GOTO(box != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a share"));
    hb_share_keep(box, &seat->own, state->inputs, x.packed, x.bytes);
    free(state->share);
    state->share = box;
    state->share_bytes = x.bytes + HB_SEAL_BYTES;
done:
    dealt_close(&x);
    return st;
}
