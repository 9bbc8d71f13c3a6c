/* Files of an owner that he commits to, and opens when the commitments of all are there: contributions to keys, and the
 * steps of a trial. */
#ifndef HB_OWNERS_OPENING_H
#define HB_OWNERS_OPENING_H

#include "folder.h"
#include "io/joint/state_file.h"

static inline const hb_owner_card *hb_seat_card(const hb_seat *seat)
{
    return &seat->round.session.cards[seat->owner];
}

/* The owner's message of a kind in the seat's round; borrows the seat. */
static inline hb_message_subject hb_seat_subject(const hb_seat *seat, hb_message_kind kind)
{
    return (hb_message_subject){.kind = kind,
                                .session = &seat->round.session,
                                .round = seat->round.number,
                                .id = seat->round.id,
                                .params = seat->params,
                                .from = hb_seat_card(seat)};
}

/* An owner's view of a round, or of a trial, and of the state in which he notes what he opened; all is borrowed. */
typedef struct hb_owner_view {
    const hb_seat *seat;         /* in that round */
    const hb_trial_shape *trial; /* NULL: keys are made */
    const char *state_path;
    hb_joint_state *state;
    const char *advice; /* says how to go on where the round cannot */
    hb_seat_progress *progress;
} hb_owner_view;

static inline hb_message_subject hb_view_subject(const hb_owner_view *view, hb_message_kind kind)
{
    hb_message_subject subject = hb_seat_subject(view->seat, kind);
    subject.trial = view->trial;
    return subject;
}

/* Notes that a file was made. */
void hb_view_note_made(const hb_owner_view *view, hb_message_kind kind);
/* Tells whether the owner's own file of a kind is missing; *path, which the caller frees, is its place, or NULL. */
hb_status hb_view_look_for(const hb_owner_view *view, hb_message_kind kind, char **path, bool *missing);
/* Returns in *path the first of the owner's own files that is there, of the kinds from first to last; NULL: none is.
 * The caller frees it. HB_EIO, HB_ENOMEM. */
hb_status hb_view_find_own(const hb_owner_view *view, hb_message_kind first, hb_message_kind last, char **path);
/* Returns HB_EDATA: that file is there, and his state is not, so nobody knows for which files of others it left. */
hb_status hb_view_refuse_lost(const hb_owner_view *view, const char *path);
/* Opens those of all owners (hb_joint_open_all), and notes which are missing. */
hb_status hb_view_open_all(const hb_owner_view *view, hb_joint_all *all, hb_message_kind kind);
/* Returns HB_EDATA unless a file of the owner's is what his root gives, or somebody has exchanged it. */
hb_status hb_view_check_own(const hb_owner_view *view, const char *path, const uint8_t is[HB_DIGEST_BYTES],
                            const uint8_t own[HB_DIGEST_BYTES]);

/* A file that is committed to and opened. */
typedef struct hb_opening {
    hb_message_kind commit, open;
    uint8_t *body, *opened; /* fields of the state: its digest, and that of the commitments for which it was opened */
    /* Makes the file, or with path NULL its digest alone; the same bytes whenever it is made. */
    hb_status (*make)(void *context, const char *path, uint8_t body[HB_DIGEST_BYTES]);
    void *context;
} hb_opening;

/* Commits to the owner's file, and opens it when the commitments of all are there, which are recorded before. Checks
 * that his files are what his root gives, and that each owner's file is what he committed to. Without the commitments
 * of all, *opens is zeroed. The caller closes both, also after a failure. HB_EDATA where a file is not as it has to be,
 * or was opened for other commitments; errors of files. */
hb_status hb_view_open_committed(const hb_owner_view *view, const hb_opening *opening, hb_joint_all *commits,
                                 hb_joint_all *opens);

#endif
