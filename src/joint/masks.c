#include "masks.h"

#include <stdlib.h>
#include <string.h>

#include "sealing.h"

/* Another owner, as masks know him. */
typedef struct pair {
    char first[HB_OWNER_NAME_BYTES], second[HB_OWNER_NAME_BYTES]; /* both names, in order */
    hb_pair_secret secret;
    hb_sign sign;
} pair;

struct hb_masks {
    hb_engine *engine;
    hb_batch work;  /* [max_count][limbs]; locked, as the seeds are */
    hb_seed *seeds; /* [max_count] */
    uint32_t pairs;
    pair pair[HB_MOST_OWNERS];
};

static hb_status make_pairs(hb_masks *masks, const hb_mask_owners *x)
{
    HB_ASSERT(x->count <= HB_MOST_OWNERS && x->self < x->count);
    const hb_owner_card *self = &x->owners[x->self];
    for (uint32_t i = 0; i < x->count; i++) {
        const hb_owner_card *other = &x->owners[i];
        if (i == x->self) {
            continue;
        }
        pair *p = &masks->pair[masks->pairs++];
        memcpy(p->first, i < x->self ? other->name : self->name, sizeof p->first);
        memcpy(p->second, i < x->self ? self->name : other->name, sizeof p->second);
        p->sign = i < x->self ? HB_MINUS : HB_PLUS;
        HB_TRY(hb_pair_secret_make(&p->secret, x->root, other));
    }
    return HB_OK;
}

hb_status hb_masks_open(hb_engine *engine, const hb_params *params, uint32_t limbs, const hb_mask_owners *owners,
                        size_t max_count, hb_masks **out)
{
    hb_status st;
    *out = NULL;
    HB_ASSERT(limbs >= 1 && limbs <= params->data_limbs && max_count > 0);
    hb_masks *masks = calloc(1, sizeof *masks);
    if (masks == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for masks of parts");
    }
    hb_lock(masks, sizeof *masks);
    masks->engine = engine;
    masks->seeds = calloc(max_count, sizeof *masks->seeds);
    HB_GOTO(masks->seeds != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for masks of parts"));
    hb_lock(masks->seeds, max_count * sizeof *masks->seeds);
    HB_GOTO(make_pairs(masks, owners));
    HB_GOTO(hb_batch_alloc_locked(engine, &masks->work, max_count, limbs, params->ids));
    *out = masks;
    return HB_OK;
done:
    hb_masks_close(masks);
    return st;
}

void hb_masks_close(hb_masks *masks)
{
    if (masks == NULL) {
        return;
    }
    hb_batch_wipe(masks->engine, masks->work);
    hb_batch_free(masks->engine, &masks->work);
    free(masks->seeds); /* each use wipes them */
    hb_wipe(masks, sizeof *masks);
    free(masks);
}

uint64_t hb_masks_bytes(const hb_params *params, uint32_t limbs, size_t max_count)
{
    return max_count * hb_params_most_limbs(params, params->ids, limbs) * params->spec.n * sizeof(uint64_t);
}

static void mask_seed(hb_seed *seed, const pair *p, const uint8_t *context)
{
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch mask");
    hb_digest_add(&state, p->secret.bytes, sizeof p->secret.bytes);
    hb_digest_add_text(&state, p->first);
    hb_digest_add_text(&state, p->second);
    hb_digest_add(&state, context, HB_DIGEST_BYTES);
    hb_digest_end(&state, seed->bytes);
    hb_wipe(&state, sizeof state);
}

static hb_status add_pair(hb_masks *masks, const pair *p, hb_batch h, const uint8_t *contexts, size_t stride)
{
    hb_engine *e = masks->engine;
    const hb_batch mask = hb_batch_slice(masks->work, 0, h.count);
    for (size_t c = 0; c < h.count; c++) {
        mask_seed(&masks->seeds[c], p, contexts + c * stride);
    }
    const hb_status st = hb_sample_uniform(e, mask, masks->seeds);
    hb_wipe(masks->seeds, h.count * sizeof *masks->seeds);
    HB_TRY(st);
    return p->sign == HB_PLUS ? hb_add(e, h, h, mask) : hb_sub(e, h, h, mask);
}

hb_status hb_masks_add(hb_masks *masks, hb_batch h, const uint8_t *contexts, size_t stride)
{
    hb_status st = HB_OK;
    HB_ASSERT(h.limbs == masks->work.limbs && h.count <= masks->work.count);
    for (uint32_t i = 0; i < masks->pairs && h.count > 0; i++) {
        HB_GOTO(add_pair(masks, &masks->pair[i], h, contexts, stride));
    }
done:
    if (st != HB_OK) {
        hb_batch_wipe(masks->engine, h); /* unmasked, it tells the secret */
    }
    return st;
}
