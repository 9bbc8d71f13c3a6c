/* Writes messages. Where the parts stand in the file is known before they are; the signature, an attribute, is known
 * when all of them are. So an image of the file is made twice, with the same places. */
#include <stdlib.h>
#include <string.h>

#include "io/files/durable.h"
#include "io/files/pending.h"
#include "io/keys/params_h5_private.h"
#include "kind_private.h"
#include "message_private.h"

struct hb_message_writer {
    const hb_message_subject *subject;
    hb_message_rows rows;
    hb_pending pending; /* nothing is pending: for the digest alone */
    uint8_t *there;     /* [rows], whether each was written; owned */
    uint8_t body[HB_DIGEST_BYTES], signature[HB_SIGNATURE_BYTES];
};

static hb_status put_facts(hid_t file, const hb_message_writer *writer)
{
    const hb_message_subject *subject = writer->subject;
    HB_TRY(hb_joint_kind_put(file, hb_message_words[subject->kind]));
    HB_TRY(hb_h5_put_bytes(file, "session", subject->id, HB_DIGEST_BYTES));
    HB_TRY(hb_h5_put_text(file, "from", subject->from->name));
    HB_TRY(hb_h5_put_bytes(file, "body_digest", writer->body, sizeof writer->body));
    HB_TRY(hb_h5_put_bytes(file, "signature", writer->signature, sizeof writer->signature));
    if (subject->params == NULL) {
        return HB_OK;
    }
    hb_params_spec literal = subject->params->spec;
    literal.joint = (hb_joint_spec){.owners = 0}; /* the session says all of that */
    return hb_spec_put(file, &literal);
}

/* Makes parts i .. of one group, which stand together, and finds their places. Returns in *next the part behind. */
static hb_status put_group(hid_t file, const hb_message_writer *writer, uint32_t i, uint32_t *next)
{
    const hb_message_parts *parts = &writer->rows.parts;
    const char *group = parts->part[i].group;
    hid_t at = file;
    if (group != NULL) {
        HB_TRY(hb_h5_create_group(file, group, &at));
    }
    hb_status st = HB_OK;
    for (; st == HB_OK && i < parts->count && parts->part[i].group == group; i++) {
        const hb_message_part *part = &parts->part[i];
        st = hb_h5_put_dataset(at, part->name, hb_message_shape(part), NULL);
        if (st == HB_OK) {
            st = hb_h5_locate(at, part->name, "a message", hb_message_shape(part), UINT64_MAX, &writer->rows.offset[i]);
        }
    }
    *next = i;
    if (group != NULL) {
        hb_h5_close(at);
    }
    return st;
}

static hb_status fill(hid_t file, void *context)
{
    const hb_message_writer *writer = context;
    HB_TRY(put_facts(file, writer));
    for (uint32_t i = 0; i < writer->rows.parts.count;) {
        HB_TRY(put_group(file, writer, i, &i));
    }
    return HB_OK;
}

static hb_status make_image(hb_message_writer *writer, hb_h5_image *image)
{
    enum { GROUPS = 4 }; /* a group takes as much as some datasets */
    const hb_message_subject *subject = writer->subject;
    const uint32_t params = subject->params != NULL ? hb_spec_datasets(&subject->params->spec) : 0;
    return hb_h5_image_make(image, params + writer->rows.parts.count + GROUPS, fill, writer);
}

static hb_status begin(hb_message_writer *writer, const char *path)
{
    hb_h5_image image = {.data = NULL};
    HB_TRY(make_image(writer, &image));
    hb_status st = hb_pending_create(&writer->pending, path, 0644);
    if (st == HB_OK) {
        st = hb_h5_image_write(&image, writer->pending.fd, writer->pending.partial);
    }
    hb_h5_image_clear(&image);
    return st;
}

hb_status hb_message_writer_open(const char *path, const hb_message_subject *subject, hb_message_writer **out)
{
    hb_status st;
    *out = NULL;
    hb_message_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a message");
    }
    writer->subject = subject;
    HB_GOTO(hb_message_rows_init(&writer->rows, subject));
    writer->there = calloc(writer->rows.rows, 1);
    HB_GOTO(writer->there != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a message"));
    HB_GOTO(path != NULL ? begin(writer, path) : HB_OK);
    *out = writer;
    return HB_OK;
done:
    hb_message_writer_close(writer);
    return st;
}

const hb_message_parts *hb_message_writer_parts(const hb_message_writer *writer)
{
    return &writer->rows.parts;
}

hb_status hb_message_put(hb_message_writer *writer, uint32_t part, uint32_t row, const uint8_t *data)
{
    const hb_message_rows *rows = &writer->rows;
    const size_t bytes = rows->parts.part[part].row_bytes;
    hb_digest_row(hb_message_row_digest(rows, part, row), data, bytes);
    writer->there[rows->first[part] + row] = 1;
    return writer->pending.partial == NULL ? HB_OK
                                           : hb_write_at(writer->pending.fd, data, bytes,
                                                         rows->offset[part] + row * bytes, writer->pending.partial);
}

/* Takes into the image the bytes of parts that it covers: they are written with it again. */
static hb_status keep_rows(const hb_message_writer *writer, const hb_h5_image *image)
{
    const hb_message_parts *parts = &writer->rows.parts;
    for (uint32_t i = 0; i < parts->count; i++) {
        const uint64_t offset = writer->rows.offset[i], bytes = parts->part[i].rows * parts->part[i].row_bytes;
        if (offset < image->bytes) {
            const uint64_t covered = image->bytes - offset;
            HB_TRY(hb_read_at(writer->pending.fd, image->data + offset, (size_t)(bytes < covered ? bytes : covered),
                              offset, writer->pending.partial));
        }
    }
    return HB_OK;
}

static hb_status write_again(hb_message_writer *writer)
{
    hb_h5_image image = {.data = NULL};
    hb_status st;
    HB_GOTO(make_image(writer, &image));
    HB_GOTO(keep_rows(writer, &image));
    HB_GOTO(hb_h5_image_write(&image, writer->pending.fd, writer->pending.partial));
    HB_GOTO(hb_sync(writer->pending.fd, writer->pending.partial));
    st = hb_pending_commit(&writer->pending);
done:
    hb_h5_image_clear(&image);
    return st;
}

hb_status hb_message_finish(hb_message_writer *writer, const hb_seed *root, uint8_t body[HB_DIGEST_BYTES])
{
    HB_ASSERT(memchr(writer->there, 0, writer->rows.rows) == NULL);
    hb_message_rows_digest(&writer->rows, writer->body);
    const hb_signed_facts facts = hb_message_facts(writer->subject, writer->body);
    hb_party_sign(writer->signature, root, &facts);
    if (writer->pending.partial != NULL) {
        HB_TRY(write_again(writer));
    }
    memcpy(body, writer->body, HB_DIGEST_BYTES);
    return HB_OK;
}

void hb_message_writer_close(hb_message_writer *writer)
{
    if (writer == NULL) {
        return;
    }
    hb_pending_drop(&writer->pending);
    hb_message_rows_clear(&writer->rows);
    free(writer->there);
    free(writer);
}

hb_status hb_card_write(const char *path, const hb_owner_card *card, const hb_seed *root)
{
    static const uint8_t none[HB_DIGEST_BYTES];
    const hb_message_subject subject = {.kind = HB_MESSAGE_CARD, .id = none, .from = card};
    const uint8_t *const parts[] = {card->sign, card->box, card->nonce};
    uint8_t body[HB_DIGEST_BYTES];
    hb_message_writer *writer;
    hb_status st;
    HB_GOTO(hb_message_writer_open(path, &subject, &writer));
    for (uint32_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        HB_GOTO(hb_message_put(writer, i, 0, parts[i]));
    }
    st = hb_message_finish(writer, root, body);
done:
    hb_message_writer_close(writer);
    return st;
}
