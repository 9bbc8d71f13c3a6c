#include "message.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "joint/sealing.h"
#include "joint/sharing.h"
#include "message_private.h"

const char *const hb_message_words[HB_MESSAGE_KINDS] = {
    [HB_MESSAGE_CARD] = "card",
    [HB_MESSAGE_COMMIT] = "commit",
    [HB_MESSAGE_FIRST] = "first",
    [HB_MESSAGE_SECOND] = "second",
    [HB_MESSAGE_INPUT_COMMIT] = "input-commit",
    [HB_MESSAGE_INPUT] = "input",
    [HB_MESSAGE_OPENED] = "opened",
    [HB_MESSAGE_PART_COMMIT] = "part-commit",
    [HB_MESSAGE_PART] = "part",
};

/* The parts of a card, with "relin/h0", "relin/h1" and "b" the most beside the rotations. */
enum { MOST_BESIDES = 3 };

static void add(hb_message_parts *parts, const char *group, const char *name, uint32_t rows, size_t row_bytes)
{
    hb_message_part *part = &parts->part[parts->count++];
    *part = (hb_message_part){.group = group, .rows = rows, .row_bytes = row_bytes};
    snprintf(part->name, sizeof part->name, "%s", name);
}

static void add_digest(hb_message_parts *parts, const char *name)
{
    add(parts, NULL, name, 1, HB_DIGEST_BYTES);
}

/* A component of a switching key for the level of `limbs` limbs. */
static void add_key(hb_message_parts *parts, const char *group, const char *name, const hb_params *params,
                    uint32_t limbs)
{
    const hb_gadget_level *level = &params->gadget.levels[limbs];
    add(parts, group, name, level->digits, hb_packed_bytes(&params->ring, level->switch_ids, level->switch_limbs));
}

/* The bytes of a packed polynomial of a ciphertext. */
static size_t component_bytes(const hb_params *params, uint32_t limbs)
{
    return hb_packed_bytes(&params->ring, params->ids, limbs);
}

/* The bytes of a packed polynomial modulo all primes of keys. */
static size_t polynomial_bytes(const hb_params *params)
{
    return component_bytes(params, params->key_limbs);
}

/* Boxes for all owners but the one whose message it is. */
static void add_shares(hb_message_parts *parts, const hb_message_subject *subject)
{
    const hb_joint_session *session = subject->session;
    const size_t bytes = HB_SEAL_BYTES + (1 + hb_sharing_checks(subject->params)) * polynomial_bytes(subject->params);
    for (uint32_t i = 0; i < session->owners; i++) {
        if (strcmp(session->cards[i].name, subject->from->name) != 0) {
            add(parts, "shares", session->cards[i].name, 1, bytes);
        }
    }
}

/* Whether shares are dealt, and shown blinded. */
static bool has_shares(const hb_message_subject *subject)
{
    return subject->round == 0 && subject->session->threshold < subject->session->owners;
}

static void add_first(hb_message_parts *parts, const hb_message_subject *subject)
{
    const hb_joint_session *session = subject->session;
    const hb_params *params = subject->params;
    if (subject->round == 0) {
        add(parts, NULL, "b", 1, polynomial_bytes(params));
    }
    if (session->relin_limbs != 0) {
        add_key(parts, "relin", "h0", params, session->relin_limbs);
        add_key(parts, "relin", "h1", params, session->relin_limbs);
    }
    for (uint32_t i = 0; i < session->rotation_count; i++) {
        char name[16];
        snprintf(name, sizeof name, "%" PRIu32, session->rotations[i].element);
        add_key(parts, "galois", name, params, session->rotations[i].limbs);
    }
    if (has_shares(subject)) {
        add_shares(parts, subject);
    }
}

static void add_second(hb_message_parts *parts, const hb_message_subject *subject)
{
    const hb_joint_session *session = subject->session;
    const hb_params *params = subject->params;
    if (session->relin_limbs != 0) {
        add_key(parts, "relin", "h2", params, session->relin_limbs);
    }
    add_digest(parts, "inputs");
    if (has_shares(subject)) {
        add(parts, NULL, "blinded", hb_sharing_checks(params) * session->threshold, polynomial_bytes(params));
    }
}

static void add_trial_parts(hb_message_parts *parts, const hb_message_subject *subject)
{
    const hb_joint_session *session = subject->session;
    const hb_trial_shape *trial = subject->trial;
    uint32_t owner = 0;
    while (strcmp(session->cards[owner].name, subject->from->name) != 0) {
        owner++;
    }
    for (uint32_t i = 0; i < trial->result_count; i++) {
        char name[16];
        snprintf(name, sizeof name, "%" PRIu32, i);
        if (hb_trial_has(session, trial->result[i].set, owner)) {
            add(parts, "parts", name, 1, component_bytes(subject->params, trial->result[i].limbs));
        }
    }
}

static hb_status make_parts(hb_message_parts *parts, const hb_message_subject *subject)
{
    const hb_joint_session *session = subject->session;
    const hb_message_kind kind = subject->kind;
    const size_t most = MOST_BESIDES +
                        (kind == HB_MESSAGE_FIRST ? (size_t)session->rotation_count + session->owners : 0) +
                        (kind == HB_MESSAGE_PART ? subject->trial->result_count : 0);
    *parts = (hb_message_parts){.part = calloc(most, sizeof *parts->part)};
    if (parts->part == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the parts of a message");
    }
    switch (kind) {
    case HB_MESSAGE_CARD:
        add_digest(parts, "sign");
        add_digest(parts, "box");
        add_digest(parts, "nonce");
        break;
    case HB_MESSAGE_COMMIT:
    case HB_MESSAGE_INPUT_COMMIT:
    case HB_MESSAGE_PART_COMMIT:
        add_digest(parts, "commitment");
        break;
    case HB_MESSAGE_INPUT:
        add(parts, NULL, "c0", subject->trial->sets, component_bytes(subject->params, subject->trial->limbs));
        add(parts, NULL, "c1", subject->trial->sets, component_bytes(subject->params, subject->trial->limbs));
        break;
    case HB_MESSAGE_OPENED:
        add_digest(parts, "seed");
        add_digest(parts, "inputs");
        break;
    case HB_MESSAGE_PART:
        add_trial_parts(parts, subject);
        break;
    case HB_MESSAGE_FIRST:
        add_first(parts, subject);
        break;
    case HB_MESSAGE_SECOND:
        add_second(parts, subject);
        break;
    case HB_MESSAGE_KINDS:
        break;
    }
    return HB_OK;
}

static bool same_group(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

uint32_t hb_message_find(const hb_message_parts *parts, const char *group, const char *name)
{
    uint32_t i = 0;
    while (i < parts->count && !(same_group(parts->part[i].group, group) && strcmp(parts->part[i].name, name) == 0)) {
        i++;
    }
    HB_ASSERT(i < parts->count);
    return i;
}

hb_status hb_message_rows_init(hb_message_rows *rows, const hb_message_subject *subject)
{
    memset(rows, 0, sizeof *rows);
    HB_TRY(make_parts(&rows->parts, subject));
    const uint32_t count = rows->parts.count;
    rows->offset = calloc(count, sizeof *rows->offset);
    rows->first = calloc(count, sizeof *rows->first);
    for (uint32_t i = 0; rows->first != NULL && i < count; i++) {
        const hb_message_part *part = &rows->parts.part[i];
        rows->first[i] = rows->rows;
        rows->rows += part->rows;
        rows->most_bytes = part->row_bytes > rows->most_bytes ? part->row_bytes : rows->most_bytes;
    }
    rows->digests = calloc(rows->rows, HB_DIGEST_BYTES);
    if (rows->offset == NULL || rows->first == NULL || rows->digests == NULL) {
        hb_message_rows_clear(rows);
        return HB_FAIL(HB_ENOMEM, "no memory for the digests of a message");
    }
    return HB_OK;
}

void hb_message_rows_clear(hb_message_rows *rows)
{
    free(rows->parts.part);
    free(rows->offset);
    free(rows->first);
    free(rows->digests);
    memset(rows, 0, sizeof *rows);
}

uint8_t *hb_message_row_digest(const hb_message_rows *rows, uint32_t part, uint32_t row)
{
    HB_ASSERT(part < rows->parts.count && row < rows->parts.part[part].rows);
    return rows->digests + (rows->first[part] + row) * HB_DIGEST_BYTES;
}

void hb_message_rows_digest(const hb_message_rows *rows, uint8_t body[HB_DIGEST_BYTES])
{
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch body");
    hb_digest_add_u64(&state, rows->parts.count);
    for (uint32_t i = 0; i < rows->parts.count; i++) {
        const hb_message_part *part = &rows->parts.part[i];
        hb_digest_add_u64(&state, part->rows);
        hb_digest_add_u64(&state, part->row_bytes);
        hb_digest_add(&state, hb_message_row_digest(rows, i, 0), (size_t)part->rows * HB_DIGEST_BYTES);
    }
    hb_digest_end(&state, body);
}

hb_h5_shape hb_message_shape(const hb_message_part *part)
{
    return part->rows == 1 ? hb_h5_vector(H5T_STD_U8LE, part->row_bytes)
                           : hb_h5_matrix(H5T_STD_U8LE, part->rows, part->row_bytes);
}

hb_signed_facts hb_message_facts(const hb_message_subject *subject, const uint8_t body[HB_DIGEST_BYTES])
{
    return (hb_signed_facts){hb_message_words[subject->kind], subject->id, subject->from->name, body};
}
