#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
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

/* Compares the rows of an input with the encryption in values.one. */
static hb_status compare_input(hb_key_trial *x, const hb_message *input, const char *name, uint32_t set,
                               uint32_t component, bool *same)
{
    const hb_message_parts *parts = hb_message_parts_in(input);
    const uint32_t part = hb_message_find(parts, NULL, name);
    const size_t bytes = parts->part[part].row_bytes;
    uint8_t *row = malloc(bytes);
    if (row == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for an input");
    }
    hb_status st = hb_message_get(input, part, set, row);
    if (st == HB_OK) {
        st = hb_share_pack(x->seat.engine, x->seat.params, hb_trial_room(x, bytes),
                           hb_ciphertexts_component(x->values.one, component));
    }
    *same = *same && st == HB_OK && memcmp(row, x->packed, bytes) == 0;
    free(row);
    return st;
}

/* Adds the values in `plain` to the sum for a set; first: they are the first ones. */
static hb_status add_plain(hb_trial_values *x, uint32_t set, bool first)
{
    const hb_batch sum = x->plain_sum[set];
    return first ? hb_copy(x->engine, sum, x->plain) : hb_add(x->engine, sum, sum, x->plain);
}

/* Takes the values that an owner opened, whose encryption his input has to be, word by word. */
static hb_status take_values(hb_key_trial *x, uint32_t owner)
{
    const hb_message *opened = x->parts.message[owner];
    const char *name = x->seat.round.session.cards[owner].name;
    bool same = true;
    hb_seed seed;
    HB_TRY(hb_message_get(opened, hb_message_find(hb_message_parts_in(opened), NULL, "seed"), 0, seed.bytes));
    for (uint32_t set = 0; set < x->values.plan.shape.sets; set++) {
        HB_TRY(hb_trial_encrypt(&x->values, &seed, set));
        HB_TRY(compare_input(x, x->inputs.message[owner], "c0", set, 0, &same));
        HB_TRY(compare_input(x, x->inputs.message[owner], "c1", set, 1, &same));
        HB_TRY(add_plain(&x->values, set, owner == 0));
    }
    return same
               ? HB_OK
               : HB_FAIL(HB_EDATA, "the trial fails: the input of %s is not the encryption that %s opened", name, name);
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
    for (uint32_t i = 0; i < x->parts.owners; i++) {
        HB_TRY(take_values(x, i));
    }
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
