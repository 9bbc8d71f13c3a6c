#include "rotation.h"

#include <inttypes.h>

const hb_switch_key *hb_rotation_key(const hb_evaluator *ev, const hb_switch_keys *keys, uint32_t element,
                                     uint32_t limbs)
{
    return hb_switch_keys_find_at(keys, hb_key_purpose_of(&ev->params->spec, element).source, element, limbs);
}

static const hb_switch_key *find(const hb_evaluator *ev, const hb_switch_keys *keys, hb_rotation rotation,
                                 uint32_t limbs)
{
    return hb_rotation_key(ev, keys, hb_galois_rotation(ev->params->ring.n, rotation.generator, rotation.step), limbs);
}

/* Rotates by the key of exactly this step, and adds the result to r where `add`. */
static hb_status rotate_by_key(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, hb_rotation rotation,
                               const hb_switch_keys *keys, bool add)
{
    const hb_switch_key *key = find(ev, keys, rotation, a.all.limbs);
    if (key == NULL) {
        return HB_FAIL(HB_EDATA, "there is no key to rotate by %" PRId64, rotation.step);
    }
    return add ? hb_evaluator_galois_add(ev, r, a, key) : hb_evaluator_galois(ev, r, a, key);
}

hb_status hb_rotate_slots(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, hb_rotation rotation,
                          const hb_switch_keys *keys)
{
    if (rotation.step == 0) {
        return hb_evaluator_copy(ev, r, a);
    }
    int64_t steps[HB_GALOIS_MOST_STEPS] = {rotation.step};
    uint32_t count = 1;
    /* A key of its own makes less noise, and takes one switch. */
    if (find(ev, keys, rotation, a.all.limbs) == NULL) {
        count = hb_galois_naf(ev->params->ring.n, rotation.step, steps);
    }
    for (uint32_t i = 0; i < count; i++) {
        rotation.step = steps[i];
        /* Later terms work in place. */
        HB_TRY(rotate_by_key(ev, r, i == 0 ? a : r, rotation, keys, false));
    }
    return HB_OK;
}

hb_status hb_sum_rows(hb_evaluator *ev, hb_ciphertexts r, uint32_t generator, const hb_switch_keys *keys)
{
    int64_t steps[HB_GALOIS_MOST_STEPS];
    const uint32_t count = hb_galois_sum_steps(ev->params->ring.n, steps);
    for (uint32_t i = 0; i < count; i++) {
        /* After the step 2^i every slot is the sum of 2^(i+1) neighbours of its row. */
        HB_TRY(rotate_by_key(ev, r, r, (hb_rotation){generator, steps[i]}, keys, true));
    }
    return HB_OK;
}

hb_status hb_sum_window(hb_evaluator *ev, hb_ciphertexts r, hb_rotation by, uint32_t terms, const hb_switch_keys *keys)
{
    for (; terms > 1; terms /= 2) {
        HB_TRY(rotate_by_key(ev, r, r, by, keys, true));
        by.step *= 2;
    }
    return HB_OK;
}
