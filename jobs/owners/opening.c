#include "opening.h"

#include <stdlib.h>
#include <string.h>

#include "io/files/durable.h"

void hb_view_note_made(const hb_owner_view *view, hb_message_kind kind)
{
    const hb_message_subject subject = hb_view_subject(view, kind);
    char name[HB_JOINT_FILE_NAME];
    hb_joint_file_name(name, &subject);
    hb_name_list_add(&view->progress->made, name);
    view->progress->did = true;
}

hb_status hb_view_look_for(const hb_owner_view *view, hb_message_kind kind, char **path, bool *missing)
{
    const hb_message_subject subject = hb_view_subject(view, kind);
    bool there = false;
    *path = NULL;
    HB_TRY(hb_joint_path(path, view->seat->folder, &subject));
    const hb_status st = hb_path_is_there(*path, &there);
    *missing = !there;
    return st;
}

hb_status hb_view_find_own(const hb_owner_view *view, hb_message_kind first, hb_message_kind last, char **path)
{
    *path = NULL;
    for (hb_message_kind kind = first; kind <= last; kind++) {
        bool missing;
        const hb_status st = hb_view_look_for(view, kind, path, &missing);
        if (st == HB_OK && !missing) {
            return HB_OK;
        }
        free(*path);
        *path = NULL;
        HB_TRY(st);
    }
    return HB_OK;
}

hb_status hb_view_refuse_lost(const hb_owner_view *view, const char *path)
{
    return HB_FAIL(HB_EDATA, "%s: is there, and %s is not: what was opened is not known; %s", path, view->state_path,
                   view->advice);
}

hb_status hb_view_open_all(const hb_owner_view *view, hb_joint_all *all, hb_message_kind kind)
{
    const hb_message_subject like = hb_view_subject(view, kind);
    return hb_joint_open_all(all, &like, view->seat->folder, &view->progress->waiting);
}

hb_status hb_view_check_own(const hb_owner_view *view, const char *path, const uint8_t is[HB_DIGEST_BYTES],
                            const uint8_t own[HB_DIGEST_BYTES])
{
    return memcmp(is, own, HB_DIGEST_BYTES) == 0
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: is not what your party file gives: %s", path, view->advice);
}

/* Notes what the file will be, before anything leaves. */
static hb_status know_body(const hb_owner_view *view, const hb_opening *opening)
{
    if (hb_joint_state_knows(opening->body)) {
        return HB_OK;
    }
    HB_TRY(opening->make(opening->context, NULL, opening->body));
    return hb_joint_state_write(view->state_path, view->state, false);
}

static hb_status write_commit(const hb_owner_view *view, const hb_opening *opening, const char *path)
{
    const hb_message_subject subject = hb_view_subject(view, opening->commit);
    uint8_t body[HB_DIGEST_BYTES], commitment[HB_DIGEST_BYTES];
    hb_message_writer *writer;
    hb_joint_commitment(commitment, subject.id, subject.from->name, opening->body);
    HB_TRY(hb_message_writer_open(path, &subject, &writer));
    hb_status st = hb_message_put(writer, 0, 0, commitment);
    st = st == HB_OK ? hb_message_finish(writer, &view->seat->root, body) : st;
    hb_message_writer_close(writer);
    return st;
}

/* The opened file is what was committed to (hb_joint_check_opened): so it is the owner's where the commitment is. */
static hb_status commit(const hb_owner_view *view, const hb_opening *opening, hb_joint_all *commits)
{
    const hb_seat *seat = view->seat;
    uint8_t own[HB_DIGEST_BYTES], is[HB_DIGEST_BYTES];
    char *path = NULL;
    bool missing;
    hb_status st;
    HB_GOTO(hb_view_look_for(view, opening->commit, &path, &missing));
    HB_GOTO(know_body(view, opening));
    if (missing) {
        HB_GOTO(write_commit(view, opening, path));
        hb_view_note_made(view, opening->commit);
    }
    HB_GOTO(hb_view_open_all(view, commits, opening->commit));
    HB_GOTO(hb_message_get(commits->message[seat->owner], 0, 0, is));
    hb_joint_commitment(own, seat->round.id, hb_seat_card(seat)->name, opening->body);
    st = hb_view_check_own(view, path, is, own);
done:
    free(path);
    return st;
}

/* For these commitments alone, which are recorded before. */
static hb_status open(const hb_owner_view *view, const hb_opening *opening, const hb_joint_all *commits,
                      hb_joint_all *opens)
{
    uint8_t digest[HB_DIGEST_BYTES], body[HB_DIGEST_BYTES];
    char *path = NULL;
    bool missing;
    hb_joint_bodies_digest(digest, view->seat->round.id, commits->owners, commits->bodies);
    hb_status st;
    HB_GOTO(hb_view_look_for(view, opening->open, &path, &missing));
    HB_GOTO(hb_joint_state_set(opening->opened, digest, path, "opened for other commitments", view->advice));
    HB_GOTO(hb_joint_state_write(view->state_path, view->state, false));
    if (missing) {
        HB_GOTO(opening->make(opening->context, path, body));
        hb_view_note_made(view, opening->open);
    }
    HB_GOTO(hb_view_open_all(view, opens, opening->open));
    st = hb_joint_check_opened(commits, opens);
done:
    free(path);
    return st;
}

hb_status hb_view_open_committed(const hb_owner_view *view, const hb_opening *opening, hb_joint_all *commits,
                                 hb_joint_all *opens)
{
    memset(opens, 0, sizeof *opens);
    HB_TRY(commit(view, opening, commits));
    return hb_joint_all_there(commits) ? open(view, opening, commits, opens) : HB_OK;
}
