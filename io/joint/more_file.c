#include "more_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/h5/h5.h"
#include "kind_private.h"
#include "round_keys_private.h"

typedef struct making {
    const hb_session_file *of;
    const hb_joint_round *round;
} making;

static hb_status fill(hid_t file, void *context)
{
    const making *x = context;
    HB_TRY(hb_joint_kind_put(file, "more"));
    HB_TRY(hb_h5_put_bytes(file, "session", x->of->id, sizeof x->of->id));
    HB_TRY(hb_h5_put_u64(file, "round", x->round->number));
    HB_TRY(hb_h5_put_bytes(file, "id", x->round->id, sizeof x->round->id));
    return hb_round_keys_put(file, &x->round->session);
}

hb_status hb_more_file_write(const char *path, const hb_session_file *of, const hb_joint_round *round)
{
    making x = {of, round};
    return hb_round_image_write(path, HB_ROUND_DATASETS, fill, &x);
}

typedef struct reading {
    const char *path;
    const hb_session_file *of;
    hb_more_file read;
} reading;

static hb_status check_session(hid_t file, const reading *x)
{
    uint8_t session[HB_DIGEST_BYTES];
    HB_TRY(hb_joint_kind_check(file, x->path, "more"));
    HB_TRY(hb_h5_get_bytes(file, "session", x->path, session, sizeof session));
    return memcmp(session, x->of->id, sizeof session) == 0
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: is a round of another session", x->path);
}

static hb_status look(hid_t file, uint64_t known, void *context)
{
    reading *x = context;
    hb_joint_round *round = &x->read.round;
    uint64_t number;
    hb_more_file_clear(&x->read); /* of an attempt before */
    HB_TRY(check_session(file, x));
    HB_TRY(hb_h5_get_u64(file, "round", x->path, HB_MOST_ROUNDS, &number));
    HB_TRY(hb_h5_get_bytes(file, "id", x->path, round->id, sizeof round->id));
    round->number = (uint32_t)number;
    round->session = x->of->session;
    round->session.relin_limbs = round->session.rotation_count = 0;
    return hb_round_keys_get(file, x->path, known, &round->session, &x->read.rotations, x->of->spec.n);
}

static hb_status check(const char *path, uint32_t number, const hb_session_file *of, const hb_params *params,
                       const hb_joint_round *round)
{
    uint8_t id[HB_DIGEST_BYTES];
    if (round->number != number || number == 0) {
        return HB_FAIL(HB_EDATA, "%s: is round %" PRIu32 " of its session, not %" PRIu32, path, round->number, number);
    }
    if (round->session.relin_limbs == 0 && round->session.rotation_count == 0) {
        return HB_FAIL(HB_EDATA, "%s: is a round for no keys", path);
    }
    if (hb_joint_session_check(&round->session, params) != HB_OK) {
        return HB_FAIL(HB_EDATA, "%s: %.300s", path, hb_last_error()->text);
    }
    hb_joint_round_id(id, of->id, round);
    return memcmp(id, round->id, sizeof id) == 0
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: its id is not that of the round in it: the file is damaged", path);
}

hb_status hb_more_file_read(const char *path, uint32_t number, const hb_session_file *of, const hb_params *params,
                            hb_more_file *file)
{
    reading x = {.path = path, .of = of};
    hb_status st = hb_round_file_look(path, look, &x);
    st = st == HB_OK ? check(path, number, of, params, &x.read.round) : st;
    if (st != HB_OK) {
        hb_more_file_clear(&x.read);
    }
    *file = x.read;
    return st;
}

void hb_more_file_clear(hb_more_file *file)
{
    free(file->rotations);
    memset(file, 0, sizeof *file);
}
