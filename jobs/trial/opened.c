/* The opened seeds of inputs. A part of s_i c_1 with a c_1 that somebody made up tells s_i, however wide its noise, so
 * that everybody sees that all inputs are honest encryptions before he makes parts; the seed of his own input hides
 * nothing from then on (src/README.md, "Joint keys"). */
#include <stdlib.h>
#include <string.h>

#include "trial_private.h"

/* --- seeds */

static hb_status put_row(hb_message_writer *writer, const char *name, const uint8_t row[HB_DIGEST_BYTES])
{
    return hb_message_put(writer, hb_message_find(hb_message_writer_parts(writer), NULL, name), 0, row);
}

static hb_status get_row(const hb_message *message, const char *name, uint8_t row[HB_DIGEST_BYTES])
{
    return hb_message_get(message, hb_message_find(hb_message_parts_in(message), NULL, name), 0, row);
}

static hb_status make_opened(const hb_key_trial *x, const char *path)
{
    const hb_message_subject subject = hb_view_subject(&x->view, HB_MESSAGE_OPENED);
    uint8_t body[HB_DIGEST_BYTES];
    hb_message_writer *writer;
    hb_status st;
    _Static_assert(sizeof x->seed.bytes == HB_DIGEST_BYTES, "a seed is a row as digests are");
    HB_TRY(hb_message_writer_open(path, &subject, &writer));
    HB_GOTO(put_row(writer, "seed", x->seed.bytes));
    HB_GOTO(put_row(writer, "inputs", x->state.opened));
    st = hb_message_finish(writer, &x->seat.root, body);
done:
    hb_message_writer_close(writer);
    return st;
}

/* Opens the owner's for these inputs alone, which are recorded before. */
static hb_status open_own(hb_key_trial *x)
{
    uint8_t digest[HB_DIGEST_BYTES];
    char *path = NULL;
    bool missing;
    hb_status st;
    hb_joint_bodies_digest(digest, x->seat.round.id, x->inputs.owners, x->inputs.bodies);
    HB_GOTO(hb_view_look_for(&x->view, HB_MESSAGE_OPENED, &path, &missing));
    HB_GOTO(hb_joint_state_set(x->state.opened, digest, path, "opened for other inputs", x->view.advice));
    HB_GOTO(hb_joint_state_write(x->state_path, &x->state, false));
    if (missing) {
        HB_GOTO(make_opened(x, path));
        hb_view_note_made(&x->view, HB_MESSAGE_OPENED);
    }
done:
    free(path);
    return st;
}

/* Each seed was opened for the inputs that are here. */
static hb_status check_bound(const hb_key_trial *x)
{
    for (uint32_t i = 0; i < x->opened.owners; i++) {
        uint8_t inputs[HB_DIGEST_BYTES];
        if (x->opened.message[i] == NULL) {
            continue;
        }
        HB_TRY(get_row(x->opened.message[i], "inputs", inputs));
        if (memcmp(inputs, x->state.opened, sizeof inputs) != 0) {
            char name[HB_JOINT_FILE_NAME];
            hb_joint_file_name(name, &x->opened.subject[i]);
            return HB_FAIL(HB_EDATA, "%s was opened for other inputs than are here: one of both was exchanged; %s",
                           name, x->view.advice);
        }
    }
    return HB_OK;
}

/* --- inputs */

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
    const hb_message *opened = x->opened.message[owner];
    const char *name = x->seat.round.session.cards[owner].name;
    bool same = true;
    hb_seed seed;
    HB_TRY(get_row(opened, "seed", seed.bytes));
    for (uint32_t set = 0; set < x->values.plan.shape.sets; set++) {
        HB_TRY(hb_trial_encrypt(&x->values, &seed, set));
        HB_TRY(compare_input(x, x->inputs.message[owner], "c0", set, 0, &same));
        HB_TRY(compare_input(x, x->inputs.message[owner], "c1", set, 1, &same));
        HB_TRY(add_plain(&x->values, set, owner == 0));
    }
    return same ? HB_OK
                : HB_FAIL(
                      HB_EDATA,
                      "the trial fails: the input of %s is not the encryption that %s opened; you made no part of it: "
                      "begin a new session without %s",
                      name, name, name);
}

/* These seeds alone decide: who opened a wrong one cannot bring another. */
static hb_status take_all(hb_key_trial *x)
{
    uint8_t digest[HB_DIGEST_BYTES];
    hb_joint_bodies_digest(digest, x->seat.round.id, x->opened.owners, x->opened.bodies);
    HB_TRY(hb_joint_state_set(x->state.seeds, digest, "the trial", "begun with other opened seeds", x->view.advice));
    HB_TRY(hb_joint_state_write(x->state_path, &x->state, false));
    for (uint32_t i = 0; i < x->opened.owners; i++) {
        HB_TRY(take_values(x, i));
    }
    return HB_OK;
}

hb_status hb_trial_open_seeds(hb_key_trial *x, bool *good)
{
    *good = false;
    HB_TRY(open_own(x));
    HB_TRY(hb_view_open_all(&x->view, &x->opened, HB_MESSAGE_OPENED));
    HB_TRY(check_bound(x));
    if (!hb_joint_all_there(&x->opened)) {
        return HB_OK;
    }
    HB_TRY(take_all(x));
    *good = true;
    return HB_OK;
}
