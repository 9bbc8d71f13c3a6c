/* Rotations of slots (evaluator.h; semantics.md 6.10). */
#include <inttypes.h>

#include "evaluator.h"
#include "params.h"
#include "ring/galois.h"
#include "rlwe/evaluator_build.h"

/* Rotates by the key of exactly this step, and adds the result to r where `add`. */
static hb_status rotate_by_key(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, int64_t step,
                               const hb_switch_keys *keys, bool add)
{
    const hb_switch_key *key =
        hb_switch_keys_find(keys, hb_galois_rotation(ev->params->ring.n, HB_BFV_GENERATOR, step));
    if (key == NULL) {
        return HB_FAIL(HB_EDATA, "there is no key to rotate by %" PRId64, step);
    }
    return add ? hb_evaluator_galois_add(ev, r, a, key) : hb_evaluator_galois(ev, r, a, key);
}

hb_status hb_bfv_rotate(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, int64_t step, const hb_switch_keys *keys)
{
    const size_t n = ev->params->ring.n;
    if (step == 0) {
        return hb_evaluator_copy(ev, r, a);
    }
    int64_t steps[HB_GALOIS_MOST_STEPS] = {step};
    uint32_t count = 1;
    /* A key of its own makes less noise, and takes one switch. */
    if (hb_switch_keys_find(keys, hb_galois_rotation(n, HB_BFV_GENERATOR, step)) == NULL) {
        count = hb_galois_naf(n, step, steps);
    }
    for (uint32_t i = 0; i < count; i++) {
        /* Later terms work in place. */
        HB_TRY(rotate_by_key(ev, r, i == 0 ? a : r, steps[i], keys, false));
    }
    return HB_OK;
}

static hb_status swap(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_switch_keys *keys, bool add)
{
    const hb_switch_key *key = hb_switch_keys_find(keys, hb_galois_swap(ev->params->ring.n));
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
    int64_t steps[HB_GALOIS_MOST_STEPS];
    const uint32_t count = hb_galois_sum_steps(ev->params->ring.n, steps);
    for (uint32_t i = 0; i < count; i++) {
        /* After the step 2^i every slot is the sum of 2^(i+1) neighbours of its row. */
        HB_TRY(rotate_by_key(ev, r, r, steps[i], keys, true));
    }
    return swap(ev, r, r, keys, true);
}
