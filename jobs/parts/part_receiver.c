#include "part_receiver.h"

#include <string.h>

#include "cli/misplaced_argument.h"
#include "cli/parse.h"
#include "scheme/params.h"

static hb_status check(const hb_keyfile *file, const char *path, const hb_header *dataset, const char *dataset_path)
{
    char id[2 * HB_KEY_ID_BYTES + 1];
    if (file->kind != HB_KEY_PUBLIC) {
        return HB_FAIL(HB_EUSAGE, "--to %s: is a secret key; parts are made for the public one", path);
    }
    if (!hb_params_same(&file->spec, &dataset->spec)) {
        return HB_FAIL(HB_ECONFIG, "%s has other parameters than %s: parts are for keys of the same ones", path,
                       dataset_path);
    }
    hb_hex(id, file->key_id, HB_KEY_ID_BYTES);
    return memcmp(file->key_id, dataset->key_id, sizeof file->key_id) != 0
               ? HB_OK
               : HB_FAIL(HB_EUSAGE, "--to %s: %s is under this key, %s, already", path, dataset_path, id);
}

hb_status hb_part_receiver_open(hb_part_receiver *receiver, const char *path, const hb_header *dataset,
                                const char *dataset_path)
{
    HB_TRY(hb_misplaced_public_key_directory(path));
    HB_TRY(hb_keyfile_read(path, &receiver->file));
    HB_TRY(check(&receiver->file, path, dataset, dataset_path));
    const hb_joint_spec *joint = &receiver->file.spec.joint;
    receiver->owners = joint->owners > 1 ? *joint : (hb_joint_spec){.owners = 0};
    return HB_OK;
}

hb_status hb_part_receiver_load(hb_part_receiver *receiver, const hb_session *session)
{
    const hb_keyfile *file = &receiver->file;
    return hb_public_key_load(&receiver->key, session->engine, session->params, file->packed_b, file->packed_a,
                              &file->public_seed);
}

void hb_part_receiver_close(hb_part_receiver *receiver)
{
    hb_public_key_clear(&receiver->key);
    hb_keyfile_clear(&receiver->file);
    memset(receiver, 0, sizeof *receiver);
}

void hb_part_receiver_say(const hb_part_receiver *receiver, hb_part_facts *facts)
{
    memcpy(facts->receiver, receiver->file.key_id, sizeof facts->receiver);
    facts->receiving = receiver->owners;
}
