/* Reads messages of other owners: all of one is checked before any of it is given. Rows are digested when they are
 * checked, and again when they are read: the file may change between. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/files/durable.h"
#include "io/keys/params_h5_private.h"
#include "kind_private.h"
#include "message_private.h"
#include "place.h"
#include "scheme/params.h"

struct hb_message {
    const hb_message_subject *subject;
    hb_message_rows rows;
    hb_owner_card card; /* of a card: its name, until its parts are read */
    char *path;
    int fd;
    uint64_t file_bytes;
    uint8_t body[HB_DIGEST_BYTES], signature[HB_SIGNATURE_BYTES];
};

static hb_status check_session(hid_t file, const hb_message *message)
{
    const hb_message_subject *subject = message->subject;
    uint8_t session[HB_DIGEST_BYTES];
    HB_TRY(hb_h5_get_bytes(file, "session", message->path, session, sizeof session));
    return memcmp(session, subject->id, sizeof session) == 0
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: of session %s.., not %s..", message->path, hb_short_of(session).text,
                         hb_short_of(subject->id).text);
}

/* The owner's name; that of a card is not known before. */
static hb_status check_owner(hid_t file, hb_message *message)
{
    const hb_owner_card *from = message->subject->from;
    HB_TRY(hb_h5_get_text(file, "from", message->path, message->card.name, sizeof message->card.name));
    if (hb_owner_name_check(message->card.name) != HB_OK) {
        return HB_FAIL(HB_EDATA, "%s: its owner has no name of 1 to %d characters of a-z, 0-9 and -", message->path,
                       HB_OWNER_NAME_BYTES - 1);
    }
    return message->subject->kind == HB_MESSAGE_CARD || strcmp(message->card.name, from->name) == 0
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: is of %s, not %s", message->path, message->card.name, from->name);
}

static hb_status check_params(hid_t file, const hb_message *message, uint64_t known)
{
    const hb_params *params = message->subject->params;
    hb_params_spec spec;
    if (params == NULL) {
        return HB_OK;
    }
    HB_TRY(hb_spec_get(file, message->path, known, &spec));
    return hb_params_same(&spec, &params->spec)
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: is of other parameters than its session", message->path);
}

/* Finds where the parts are, all of which lie inside the file and have the shapes that are expected. */
static hb_status find_parts(hid_t file, const hb_message *message)
{
    const hb_message_parts *parts = &message->rows.parts;
    hb_status st = HB_OK;
    for (uint32_t i = 0; st == HB_OK && i < parts->count; i++) {
        const hb_message_part *part = &parts->part[i];
        hid_t group = 0;
        if (part->group != NULL) {
            HB_TRY(hb_h5_open_group(file, part->group, message->path, &group));
        }
        st = hb_h5_locate(part->group != NULL ? group : file, part->name, message->path, hb_message_shape(part),
                          message->file_bytes, &message->rows.offset[i]);
        hb_h5_close(group);
    }
    return st;
}

static hb_status look(hid_t file, uint64_t known, void *context)
{
    hb_message *message = context;
    const char *path = message->path, *word = hb_message_words[message->subject->kind];
    HB_TRY(hb_joint_kind_check(file, path, word));
    HB_TRY(check_session(file, message));
    HB_TRY(check_owner(file, message));
    HB_TRY(check_params(file, message, known));
    HB_TRY(hb_h5_get_bytes(file, "body_digest", path, message->body, sizeof message->body));
    HB_TRY(hb_h5_get_bytes(file, "signature", path, message->signature, sizeof message->signature));
    return find_parts(file, message);
}

static hb_status read_row(const hb_message *message, uint32_t part, uint32_t row, uint8_t *data)
{
    const size_t bytes = message->rows.parts.part[part].row_bytes;
    return hb_read_at(message->fd, data, bytes, message->rows.offset[part] + row * bytes, message->path);
}

/* Digests all rows, and takes the keys of a card out of its own. */
static hb_status digest_rows(hb_message *message)
{
    const hb_message_rows *rows = &message->rows;
    uint8_t *const keys[] = {message->card.sign, message->card.box, message->card.nonce};
    const bool card = message->subject->kind == HB_MESSAGE_CARD;
    uint8_t *data = malloc(rows->most_bytes);
    hb_status st = data != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "%s: no memory to read it", message->path);
    for (uint32_t i = 0; st == HB_OK && i < rows->parts.count; i++) {
        for (uint32_t j = 0; st == HB_OK && j < rows->parts.part[i].rows; j++) {
            st = read_row(message, i, j, data);
            if (st == HB_OK) {
                hb_digest_row(hb_message_row_digest(rows, i, j), data, rows->parts.part[i].row_bytes);
            }
        }
        if (st == HB_OK && card) {
            memcpy(keys[i], data, HB_CARD_KEY_BYTES);
        }
    }
    free(data);
    return st;
}

static hb_status check_signature(const hb_message *message)
{
    const hb_message_subject *subject = message->subject;
    const hb_owner_card *by = subject->kind == HB_MESSAGE_CARD ? &message->card : subject->from;
    uint8_t body[HB_DIGEST_BYTES];
    hb_message_rows_digest(&message->rows, body);
    if (memcmp(body, message->body, sizeof body) != 0) {
        return HB_FAIL(HB_EDATA, "%s: does not match its digest: the file is damaged", message->path);
    }
    const hb_message_subject signed_by = {.kind = subject->kind, .id = subject->id, .from = by};
    const hb_signed_facts facts = hb_message_facts(&signed_by, body);
    return hb_card_signed(by, message->signature, &facts)
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: not signed by %s's card", message->path, by->name);
}

static hb_status read_all(hb_message *message)
{
    mode_t mode;
    HB_TRY(hb_message_rows_init(&message->rows, message->subject));
    HB_TRY(hb_open_file(message->path, false, &message->fd, &message->file_bytes, &mode));
    HB_TRY(hb_h5_look_into(message->fd, message->path, message->file_bytes, look, message));
    HB_TRY(digest_rows(message));
    return check_signature(message);
}

hb_status hb_message_open(const char *path, const hb_message_subject *subject, hb_message **out)
{
    *out = NULL;
    hb_message *message = calloc(1, sizeof *message);
    if (message == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to read it", path);
    }
    *message = (hb_message){.subject = subject, .path = strdup(path), .fd = -1};
    const hb_status st =
        message->path != NULL ? read_all(message) : HB_FAIL(HB_ENOMEM, "%s: no memory to read it", path);
    if (st != HB_OK) {
        hb_message_close(message);
        return st;
    }
    *out = message;
    return HB_OK;
}

const hb_message_parts *hb_message_parts_in(const hb_message *message)
{
    return &message->rows.parts;
}

const uint8_t *hb_message_body(const hb_message *message)
{
    return message->body;
}

hb_status hb_message_get(const hb_message *message, uint32_t part, uint32_t row, uint8_t *data)
{
    const size_t bytes = message->rows.parts.part[part].row_bytes;
    uint8_t digest[HB_DIGEST_BYTES];
    HB_TRY(read_row(message, part, row, data));
    hb_digest_row(digest, data, bytes);
    return memcmp(digest, hb_message_row_digest(&message->rows, part, row), sizeof digest) == 0
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: has changed since it was checked", message->path);
}

void hb_message_close(hb_message *message)
{
    if (message == NULL) {
        return;
    }
    if (message->fd >= 0) {
        (void)close(message->fd);
    }
    hb_message_rows_clear(&message->rows);
    free(message->path);
    free(message);
}

hb_status hb_card_read(const char *path, hb_owner_card *card)
{
    static const uint8_t none[HB_DIGEST_BYTES];
    const hb_message_subject subject = {.kind = HB_MESSAGE_CARD, .id = none};
    hb_message *message;
    HB_TRY(hb_message_open(path, &subject, &message));
    *card = message->card;
    hb_message_close(message);
    return HB_OK;
}
