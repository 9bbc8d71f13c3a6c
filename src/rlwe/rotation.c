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

/* Adds the rotations by one, two and three steps at once where there are keys for all; *done: whether it did. */
static hb_status add_three(hb_evaluator *ev, hb_ciphertexts r, hb_rotation by, const hb_switch_keys *keys, bool *done)
{
    enum { MULTIPLES = 3 };
    const hb_switch_key *three[MULTIPLES];
    *done = true;
    for (int64_t i = 0; i < MULTIPLES && *done; i++) {
        three[i] = find(ev, keys, (hb_rotation){by.generator, (i + 1) * by.step}, r.all.limbs);
        *done = three[i] != NULL && hb_evaluator_galois_sums(ev, three[i], r.form);
    }
    return *done ? hb_evaluator_galois_sum(ev, r, three, MULTIPLES) : HB_OK;
}

hb_status hb_sum_window(hb_evaluator *ev, hb_ciphertexts r, hb_rotation by, uint32_t terms, const hb_switch_keys *keys)
{
    int64_t steps[HB_GALOIS_MOST_STEPS];
    const uint32_t count = hb_galois_window_steps(by.step, terms, steps);
    for (uint32_t i = 0; i < count;) {
        bool both = i + 1 < count; /* this step and the next at once */
        by.step = steps[i];
        if (both) {
            HB_TRY(add_three(ev, r, by, keys, &both));
        }
        if (!both) {
            HB_TRY(rotate_by_key(ev, r, r, by, keys, true));
        }
        i += both ? 2 : 1;
        hb_op_step_done(&ev->progress, "sum of slots", i, count);
    }
    return HB_OK;
}
