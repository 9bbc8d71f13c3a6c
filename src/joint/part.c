#include "part.h"

void hb_part_c1_digest(uint8_t digest[HB_DIGEST_BYTES], uint32_t limbs, const uint8_t *rows)
{
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch c1");
    hb_digest_add_u64(&state, limbs);
    hb_digest_add(&state, rows, (size_t)limbs * HB_DIGEST_BYTES);
    hb_digest_end(&state, digest);
}

void hb_part_context(uint8_t context[HB_DIGEST_BYTES], const hb_part_request *request,
                     const uint8_t c1_digest[HB_DIGEST_BYTES])
{
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch part");
    hb_digest_add(&state, request->session_id, HB_DIGEST_BYTES);
    hb_digest_add(&state, c1_digest, HB_DIGEST_BYTES);
    hb_digest_add_u64(&state, request->count);
    for (uint32_t i = 0; i < request->count; i++) {
        hb_digest_add_text(&state, request->owners[i].name);
    }
    hb_digest_add_u64(&state, request->plan.flood.u);
    hb_digest_add_u64(&state, request->plan.flood.w);
    hb_digest_add(&state, request->cells, sizeof request->cells);
    hb_digest_add(&state, request->receiver, sizeof request->receiver);
    hb_digest_end(&state, context);
}

void hb_part_seed(hb_seed *seed, const hb_seed *own, const uint8_t context[HB_DIGEST_BYTES])
{
    hb_seed_derive_for(seed, "hebatch flood", own, context);
}

hb_status hb_part_make(hb_engine *e, const hb_secret_key *secret, hb_exact_flood flood, hb_batch h, hb_batch c1,
                       const hb_seed *seeds)
{
    HB_ASSERT(h.limbs >= 1 && h.limbs <= secret->params->data_limbs && c1.count == h.count);
    if (h.count == 0) {
        return HB_OK;
    }
    hb_status st;
    HB_GOTO(hb_ntt_mul(e, h, c1, hb_batch_limbs(e, secret->s, 0, h.limbs)));
    HB_GOTO(hb_intt(e, h));
    st = hb_add_exact_flood(e, h, flood, seeds);
done:
    if (st != HB_OK) {
        hb_batch_wipe(e, h);
    }
    return st;
}
