/* The files of a session in its folder. */
#ifndef HB_OWNERS_FOLDER_H
#define HB_OWNERS_FOLDER_H

#include "seat.h"

/* All messages of a kind. Zeroed: none. */
typedef struct hb_joint_all {
    hb_message_subject subject[HB_MOST_OWNERS];
    hb_message *message[HB_MOST_OWNERS];
    uint8_t bodies[HB_MOST_OWNERS * HB_DIGEST_BYTES];
    uint32_t owners, there;
} hb_joint_all;

static inline bool hb_joint_all_there(const hb_joint_all *all)
{
    return all->owners > 0 && all->there == all->owners;
}

/* Writes the name of a message's file: "KIND-NAME.h5", of a later round "more-K-KIND-NAME.h5", of a trial
 * "trial-K-KIND-NAME.h5". */
enum { HB_JOINT_FILE_NAME = 80 }; /* a word of 5 characters, a number of 10, a kind of 12, a name of 32, 7 besides */
void hb_joint_file_name(char name[HB_JOINT_FILE_NAME], const hb_message_subject *subject);
/* Returns in *path that name in a folder; the caller frees it. HB_ENOMEM. */
hb_status hb_joint_path(char **path, const char *folder, const hb_message_subject *subject);
/* Opens the messages of `like`'s kind, round and trial that are there, of all owners, and checks each; like->from is
 * not looked at. missing: those that are not there. All is borrowed. The caller closes them, also after a failure. */
hb_status hb_joint_open_all(hb_joint_all *all, const hb_message_subject *like, const char *folder,
                            hb_name_list *missing);
void hb_joint_close_all(hb_joint_all *all);
/* Returns HB_EDATA unless each owner's round 1 is what he committed to. */
hb_status hb_joint_check_opened(const hb_joint_all *commits, const hb_joint_all *firsts);
/* Returns HB_EDATA, naming the owner, unless round 2 of each that is there was made from these contributions to round
 * 1, which are all there. */
hb_status hb_joint_check_inputs(const hb_joint_all *firsts, const hb_joint_all *seconds);
/* Reads all rows of a part of a message, packed; the caller frees *packed. HB_ENOMEM, and as hb_message_get. */
hb_status hb_joint_read_part(const hb_message *message, const char *group, const char *name, uint8_t **packed);

#endif
