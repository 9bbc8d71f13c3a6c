#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "trial_private.h"

hb_status hb_trial_get(hb_key_trial *x, const hb_message *message, const char *group, const char *name, uint32_t row,
                       hb_batch r)
{
    const hb_message_parts *parts = hb_message_parts_in(message);
    const uint32_t part = hb_message_find(parts, group, name);
    uint8_t *packed = hb_trial_room(x, parts->part[part].row_bytes);
    HB_TRY(hb_message_get(message, part, row, packed));
    return hb_share_unpack(x->seat.engine, r, packed, "a file of a trial");
}

/* Adds the parts of a result to its component 0. */
static hb_status add_parts(hb_key_trial *x, uint32_t result)
{
    const hb_joint_session *session = &x->seat.round.session;
    const uint32_t first = hb_trial_first(session, x->values.plan.step[result].set);
    const hb_batch phase = hb_ciphertexts_component(x->values.value[result], 0),
                   part = hb_ciphertexts_component(x->values.value[result], 1); /* which is not needed any more */
    char name[16];
    snprintf(name, sizeof name, "%" PRIu32, result);
    for (uint32_t i = first; i < first + session->threshold; i++) {
        HB_TRY(hb_trial_get(x, x->parts.message[i], "parts", name, 0, part));
        HB_TRY(hb_add(x->seat.engine, phase, phase, part));
    }
    return hb_finish(x->seat.engine);
}

hb_status hb_trial_compare_all(hb_key_trial *x, hb_trial_outcome *outcome)
{
    *outcome = (hb_trial_outcome){.noise = -1};
    outcome->left_out = x->values.plan.left_out;
    for (uint32_t i = 0; i < x->values.plan.shape.result_count; i++) {
        const hb_trial_step *step = &x->values.plan.step[i];
        double noise;
        HB_TRY(add_parts(x, i));
        HB_TRY(hb_trial_compare(&x->values, i, &noise));
        outcome->sums += step->sort == HB_TRIAL_SUM;
        outcome->products += step->sort == HB_TRIAL_PRODUCT;
        outcome->rotations += step->sort == HB_TRIAL_ROTATION;
        if (noise > outcome->noise) {
            outcome->noise = noise;
            outcome->proven = step->plan.worst;
        }
    }
    return HB_OK;
}
