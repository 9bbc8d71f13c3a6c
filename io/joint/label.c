#include "label.h"

#include <string.h>

#include "io/h5/h5.h"
#include "kind_private.h"
#include "message.h"

/* The kind of message; that of a card, which has no session, where it is none. */
static hb_message_kind message_kind(const char *kind)
{
    for (int i = HB_MESSAGE_COMMIT; i < HB_MESSAGE_KINDS; i++) {
        if (strcmp(kind, hb_message_words[i]) == 0) {
            return (hb_message_kind)i;
        }
    }
    return HB_MESSAGE_CARD;
}

static hb_status get_label(hid_t file, const char *path, hb_joint_label *label)
{
    _Static_assert(sizeof label->kind == HB_JOINT_KIND, "a label has room for a kind");
    HB_TRY(hb_joint_kind_get(file, path, label->kind));
    const hb_message_kind kind = message_kind(label->kind);
    const bool message = kind != HB_MESSAGE_CARD;
    label->trial = kind >= HB_MESSAGE_INPUT_COMMIT;
    if (!message && strcmp(label->kind, "more") != 0) {
        return HB_OK;
    }
    if (message) {
        HB_TRY(hb_h5_get_text(file, "from", path, label->from, sizeof label->from));
        HB_TRY(hb_owner_name_check(label->from));
    }
    return hb_h5_get_bytes(file, "session", path, label->session, sizeof label->session);
}

hb_status hb_joint_label_read(const char *path, hb_joint_label *label)
{
    hid_t file;
    uint64_t bytes;
    *label = (hb_joint_label){.kind = ""};
    HB_TRY(hb_h5_open_ours(path, &file, &bytes));
    const hb_status st = get_label(file, path, label);
    hb_h5_close(file);
    return st;
}
