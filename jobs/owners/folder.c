#include "folder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/files/durable.h"

void hb_joint_file_name(char name[HB_JOINT_FILE_NAME], const hb_message_subject *subject)
{
    const char *kind = hb_message_words[subject->kind], *owner = subject->from->name;
    if (subject->round == 0 && subject->trial == NULL) {
        snprintf(name, HB_JOINT_FILE_NAME, "%s-%s.h5", kind, owner);
    } else {
        snprintf(name, HB_JOINT_FILE_NAME, "%s-%" PRIu32 "-%s-%s.h5", subject->trial != NULL ? "trial" : "more",
                 subject->round, kind, owner);
    }
}

hb_status hb_joint_path(char **path, const char *folder, const hb_message_subject *subject)
{
    char name[HB_JOINT_FILE_NAME + 1] = "/";
    hb_joint_file_name(name + 1, subject);
    return hb_path_with(folder, name, path);
}

static hb_status open_one(hb_joint_all *all, uint32_t i, const char *folder, hb_name_list *missing)
{
    const hb_message_subject *subject = &all->subject[i];
    char *path, name[HB_JOINT_FILE_NAME];
    bool there;
    HB_TRY(hb_joint_path(&path, folder, subject));
    hb_status st = hb_path_is_there(path, &there);
    if (st == HB_OK && there) {
        st = hb_message_open(path, subject, &all->message[i]);
    } else if (st == HB_OK) {
        hb_joint_file_name(name, subject);
        hb_name_list_add(missing, name);
    }
    free(path);
    return st;
}

hb_status hb_joint_open_all(hb_joint_all *all, const hb_message_subject *like, const char *folder,
                            hb_name_list *missing)
{
    *all = (hb_joint_all){.owners = like->session->owners};
    *missing = (hb_name_list){.more = 0};
    for (uint32_t i = 0; i < all->owners; i++) {
        all->subject[i] = *like;
        all->subject[i].from = &like->session->cards[i];
        HB_TRY(open_one(all, i, folder, missing));
        if (all->message[i] != NULL) {
            memcpy(all->bodies + i * HB_DIGEST_BYTES, hb_message_body(all->message[i]), HB_DIGEST_BYTES);
            all->there++;
        }
    }
    return HB_OK;
}

void hb_joint_close_all(hb_joint_all *all)
{
    for (uint32_t i = 0; i < all->owners; i++) {
        hb_message_close(all->message[i]);
    }
    memset(all, 0, sizeof *all);
}

hb_status hb_joint_check_opened(const hb_joint_all *commits, const hb_joint_all *firsts)
{
    for (uint32_t i = 0; i < firsts->owners; i++) {
        const hb_message_subject *subject = &firsts->subject[i];
        uint8_t committed[HB_DIGEST_BYTES], is[HB_DIGEST_BYTES];
        if (firsts->message[i] == NULL) {
            continue;
        }
        HB_TRY(hb_message_get(commits->message[i], 0, 0, committed));
        hb_joint_commitment(is, subject->id, subject->from->name, firsts->bodies + i * HB_DIGEST_BYTES);
        if (memcmp(is, committed, sizeof is) != 0) {
            char name[HB_JOINT_FILE_NAME];
            hb_joint_file_name(name, subject);
            return HB_FAIL(HB_EDATA,
                           "%s: not what %s committed to: one of both files was exchanged; get them from %s again, or "
                           "begin again without %s",
                           name, subject->from->name, subject->from->name, subject->from->name);
        }
    }
    return HB_OK;
}

hb_status hb_joint_check_inputs(const hb_joint_all *firsts, const hb_joint_all *seconds)
{
    uint8_t inputs[HB_DIGEST_BYTES], is[HB_DIGEST_BYTES];
    hb_joint_bodies_digest(inputs, firsts->subject[0].id, firsts->owners, firsts->bodies);
    for (uint32_t i = 0; i < seconds->owners; i++) {
        const hb_message *second = seconds->message[i];
        if (second == NULL) {
            continue;
        }
        HB_TRY(hb_message_get(second, hb_message_find(hb_message_parts_in(second), NULL, "inputs"), 0, is));
        if (memcmp(is, inputs, sizeof is) != 0) {
            char name[HB_JOINT_FILE_NAME];
            hb_joint_file_name(name, &seconds->subject[i]);
            return HB_FAIL(HB_EDATA,
                           "%s was made from other first-*.h5 than are here: one of these was exchanged; bring it "
                           "back, or begin a new session",
                           name);
        }
    }
    return HB_OK;
}

hb_status hb_joint_read_part(const hb_message *message, const char *group, const char *name, uint8_t **packed)
{
    const hb_message_parts *parts = hb_message_parts_in(message);
    const uint32_t part = hb_message_find(parts, group, name);
    const hb_message_part *of = &parts->part[part];
    hb_status st = HB_OK;
    *packed = malloc(of->rows * of->row_bytes);
    if (*packed == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a contribution of %zu bytes", of->rows * of->row_bytes);
    }
    for (uint32_t j = 0; st == HB_OK && j < of->rows; j++) {
        st = hb_message_get(message, part, j, *packed + j * of->row_bytes);
    }
    if (st != HB_OK) {
        free(*packed);
        *packed = NULL;
    }
    return st;
}
