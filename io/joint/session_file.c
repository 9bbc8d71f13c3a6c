#include "session_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/h5/h5.h"
#include "io/keys/params_h5_private.h"
#include "kind_private.h"
#include "round_keys_private.h"
#include "scheme/params.h"

/* The places of the keys of a card, and the datasets that have them of all owners. */
static const struct {
    const char *name;
    size_t at;
} card_keys[] = {{"sign", offsetof(hb_owner_card, sign)},
                 {"box", offsetof(hb_owner_card, box)},
                 {"nonces", offsetof(hb_owner_card, nonce)}};
enum { CARD_KEYS = sizeof card_keys / sizeof *card_keys };

static hb_h5_shape keys_shape(uint32_t owners)
{
    return hb_h5_matrix(H5T_STD_U8LE, owners, HB_CARD_KEY_BYTES);
}

/* --- writing */

typedef struct making {
    const hb_params_spec *spec;
    const hb_joint_session *session;
} making;

static hb_status put_cards(hid_t file, const hb_joint_session *session)
{
    const char *names[HB_MOST_OWNERS];
    uint8_t keys[HB_MOST_OWNERS][HB_CARD_KEY_BYTES];
    for (uint32_t i = 0; i < session->owners; i++) {
        names[i] = session->cards[i].name;
    }
    HB_TRY(hb_h5_put_texts(file, "names", names, session->owners));
    for (size_t k = 0; k < CARD_KEYS; k++) {
        for (uint32_t i = 0; i < session->owners; i++) {
            memcpy(keys[i], (const uint8_t *)&session->cards[i] + card_keys[k].at, HB_CARD_KEY_BYTES);
        }
        HB_TRY(hb_h5_put_dataset(file, card_keys[k].name, keys_shape(session->owners), keys));
    }
    return HB_OK;
}

static hb_status fill(hid_t file, void *context)
{
    const making *x = context;
    const hb_joint_session *session = x->session;
    uint8_t id[HB_DIGEST_BYTES];
    hb_params_spec literal = *x->spec;
    literal.joint = (hb_joint_spec){.owners = 0}; /* the session says all of that */
    hb_joint_session_id(id, session);
    HB_TRY(hb_joint_kind_put(file, "session"));
    HB_TRY(hb_h5_put_bytes(file, "session", id, sizeof id));
    HB_TRY(hb_h5_put_u64(file, "threshold", session->threshold));
    HB_TRY(hb_h5_put_u64(file, "results", session->results));
    HB_TRY(hb_spec_put(file, &literal));
    HB_TRY(put_cards(file, session));
    return hb_round_keys_put(file, session);
}

hb_status hb_session_file_write(const char *path, const hb_params_spec *spec, const hb_joint_session *session)
{
    enum { DATASETS = 1 + CARD_KEYS + HB_ROUND_DATASETS };
    making x = {spec, session};
    HB_ASSERT(session->owners <= HB_MOST_OWNERS);
    return hb_round_image_write(path, hb_spec_datasets(spec) + DATASETS, fill, &x);
}

/* --- reading */

typedef struct reading {
    const char *path;
    hb_session_file read;
} reading;

/* A name and zeros, no byte of which is anything else: owners that compare files see the same. */
static hb_status take_name(const char *path, const char *text, size_t bytes, char name[HB_OWNER_NAME_BYTES])
{
    for (size_t i = strnlen(text, bytes); i < bytes; i++) {
        if (text[i] != 0) {
            return HB_FAIL(HB_EDATA, "%s: has bytes behind the end of a name", path);
        }
    }
    memcpy(name, text, bytes);
    return HB_OK;
}

static hb_status get_names(hid_t file, const char *path, uint64_t known, hb_session_file *read)
{
    uint64_t count;
    size_t bytes;
    HB_TRY(hb_h5_extent(file, "names", path, known, &count, &bytes));
    if (count < 2 || count > HB_MOST_OWNERS || bytes < 1 || bytes >= HB_OWNER_NAME_BYTES) {
        return HB_FAIL(HB_EDATA, "%s: %" PRIu64 " names of %zu bytes, where 2 to %d of at most %d are needed", path,
                       count, bytes, HB_MOST_OWNERS, HB_OWNER_NAME_BYTES - 1);
    }
    hb_h5_names names = {.characters = H5T_CSET_UTF8, .count = count, .bytes = bytes};
    read->cards = calloc(count, sizeof *read->cards);
    if (read->cards == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for a session", path);
    }
    hb_status st = hb_h5_get_names(file, "names", path, known, &names);
    for (uint64_t i = 0; st == HB_OK && i < count; i++) {
        st = take_name(path, names.text + i * bytes, bytes, read->cards[i].name);
    }
    free(names.text);
    read->session.owners = (uint32_t)count;
    read->session.cards = read->cards;
    return st;
}

static hb_status get_cards(hid_t file, const char *path, uint64_t known, hb_session_file *read)
{
    uint8_t keys[HB_MOST_OWNERS][HB_CARD_KEY_BYTES];
    HB_TRY(get_names(file, path, known, read));
    for (size_t k = 0; k < CARD_KEYS; k++) {
        HB_TRY(hb_h5_get_dataset(file, card_keys[k].name, path, keys_shape(read->session.owners), known, keys));
        for (uint32_t i = 0; i < read->session.owners; i++) {
            memcpy((uint8_t *)&read->cards[i] + card_keys[k].at, keys[i], HB_CARD_KEY_BYTES);
        }
    }
    return HB_OK;
}

static hb_status get_numbers(hid_t file, const char *path, hb_session_file *read)
{
    hb_joint_session *session = &read->session;
    uint64_t threshold;
    HB_TRY(hb_h5_get_u64(file, "threshold", path, HB_MOST_OWNERS, &threshold));
    HB_TRY(hb_h5_get_u64(file, "results", path, UINT64_MAX, &session->results));
    HB_TRY(hb_h5_get_bytes(file, "session", path, read->id, sizeof read->id));
    session->threshold = (uint32_t)threshold;
    return HB_OK;
}

static hb_status look(hid_t file, uint64_t known, void *context)
{
    reading *x = context;
    hb_session_file_clear(&x->read); /* of an attempt before */
    HB_TRY(hb_joint_kind_check(file, x->path, "session"));
    HB_TRY(hb_spec_get(file, x->path, known, &x->read.spec));
    HB_TRY(get_numbers(file, x->path, &x->read));
    HB_TRY(get_cards(file, x->path, known, &x->read));
    return hb_round_keys_get(file, x->path, known, &x->read.session, &x->read.rotations, x->read.spec.n);
}

/* Checks a session as if its owner had just made it; what is refused then is damage here. */
static hb_status check(const char *path, hb_session_file *read)
{
    hb_params *params;
    uint8_t id[HB_DIGEST_BYTES];
    read->spec.joint = (hb_joint_spec){
        .owners = read->session.owners, .threshold = read->session.threshold, .results = read->session.results};
    memcpy(read->spec.joint.session, read->id, HB_DIGEST_BYTES);
    hb_status st = hb_params_open(&read->spec, &params);
    if (st == HB_OK) {
        hb_joint_session_for(&read->session, params);
        read->session.insecure = read->spec.insecure; /* as the file says */
        st = hb_joint_session_check(&read->session, params);
        hb_params_close(params);
    }
    if (st != HB_OK) {
        return st == HB_ENOMEM ? st : HB_FAIL(HB_EDATA, "%s: %.300s", path, hb_last_error()->text);
    }
    hb_joint_session_id(id, &read->session);
    return memcmp(id, read->id, sizeof id) == 0
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: its id is not that of the session in it: the file is damaged", path);
}

hb_status hb_session_file_read(const char *path, hb_session_file *file)
{
    reading x = {.path = path};
    hb_status st = hb_round_file_look(path, look, &x);
    st = st == HB_OK ? check(path, &x.read) : st;
    if (st != HB_OK) {
        hb_session_file_clear(&x.read);
    }
    *file = x.read;
    return st;
}

void hb_session_file_clear(hb_session_file *file)
{
    free(file->cards);
    free(file->rotations);
    memset(file, 0, sizeof *file);
}
