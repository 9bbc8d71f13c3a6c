/* Rotations of slots (evaluator.h; semantics.md 6.10). */
#include "evaluator.h"
#include "params.h"
#include "rlwe/rotation.h"

hb_status hb_bfv_rotate(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, int64_t step, const hb_switch_keys *keys)
{
    return hb_rotate_slots(ev, r, a, (hb_rotation){HB_BFV_GENERATOR, step}, keys);
}

static hb_status swap(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_switch_keys *keys, bool add)
{
    const hb_switch_key *key = hb_rotation_key(ev, keys, hb_galois_swap(ev->params->ring.n), a.all.limbs);
    if (key == NULL) {
        return HB_FAIL(HB_EDATA, "there is no key to swap the rows");
    }
    return add ? hb_evaluator_galois_add(ev, r, a, key) : hb_evaluator_galois(ev, r, a, key);
}

hb_status hb_bfv_swap(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_switch_keys *keys)
{
    return swap(ev, r, a, keys, false);
}

hb_status hb_bfv_sum_slots(hb_evaluator *ev, hb_ciphertexts r, const hb_switch_keys *keys)
{
    HB_TRY(hb_sum_rows(ev, r, HB_BFV_GENERATOR, keys));
    return swap(ev, r, r, keys, true);
}
