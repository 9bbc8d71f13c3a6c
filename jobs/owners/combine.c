#include "combine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/files/durable.h"
#include "io/keys/keyfile.h"
#include "io/keys/switch_key_file.h"
#include "joint/contribution.h"
#include "rounds.h"
#include "scheme/params.h"

typedef struct combining {
    const hb_joint_folders *folders;
    hb_engine *engine;
    const hb_params *params;
    const hb_session_file *file;
    const hb_joint_rounds *rounds; /* all later ones */
    const hb_joint_round *round;   /* whose keys are made now */
    hb_joint_all commits, firsts, seconds;
    uint8_t key_id[HB_KEY_ID_BYTES];
} combining;

static hb_status require_all(combining *x, hb_joint_all *all, hb_message_kind kind, const char *folder)
{
    hb_name_list missing;
    const hb_message_subject like = {.kind = kind,
                                     .session = &x->round->session,
                                     .round = x->round->number,
                                     .id = x->round->id,
                                     .params = x->params};
    HB_TRY(hb_joint_open_all(all, &like, folder, &missing));
    if (hb_joint_all_there(all)) {
        return HB_OK;
    }
    char out[128] = "";
    const uint32_t k = x->round->number;
    if (k > 0) {
        snprintf(out, sizeof out,
                 "; where this round is given up, remove all its files, more-%" PRIu32 ".h5 and more-%" PRIu32 "-*", k,
                 k);
    }
    return HB_FAIL(HB_ENOINPUT, "%s: waiting for %s: their owners run hebatch keygen --join %s --key PARTY.h5 first%s",
                   folder, missing.text, folder, out);
}

static hb_status open_all(combining *x, const char *folder)
{
    HB_TRY(require_all(x, &x->commits, HB_MESSAGE_COMMIT, folder));
    HB_TRY(require_all(x, &x->firsts, HB_MESSAGE_FIRST, folder));
    HB_TRY(hb_joint_check_opened(&x->commits, &x->firsts));
    if (x->folders->opened != NULL) {
        HB_TRY(x->folders->opened(x->folders->context, x->round, &x->commits, &x->firsts));
    }
    if (!hb_joint_has_second(x->round)) {
        return HB_OK;
    }
    HB_TRY(require_all(x, &x->seconds, HB_MESSAGE_SECOND, folder));
    return hb_joint_check_inputs(&x->firsts, &x->seconds);
}

static hb_status load_public(const combining *x, hb_public_key *key, const hb_seed *seed, uint32_t owner)
{
    uint8_t *b;
    HB_TRY(hb_joint_read_part(x->firsts.message[owner], NULL, "b", &b));
    const hb_status st = hb_public_key_load(key, x->engine, x->params, b, NULL, seed);
    free(b);
    return st;
}

static hb_status sum_public(const combining *x, hb_public_key *sum, const hb_seed *seed)
{
    HB_TRY(load_public(x, sum, seed, 0));
    hb_status st = HB_OK;
    for (uint32_t i = 1; i < x->firsts.owners && st == HB_OK; i++) {
        hb_public_key more;
        st = load_public(x, &more, seed, i);
        if (st == HB_OK) {
            st = hb_joint_add_public(sum, &more);
            st = st == HB_OK ? hb_finish(x->engine) : st;
            hb_public_key_clear(&more);
        }
    }
    if (st != HB_OK) {
        hb_public_key_clear(sum);
    }
    return st;
}

/* Whether the file of a key is there: then it is compared, else written. */
static hb_status look_for(const combining *x, const char *path, bool *there)
{
    HB_TRY(hb_path_is_there(path, there));
    return *there || !x->folders->check
               ? HB_OK
               : HB_FAIL(HB_ENOINPUT, "%s is missing: hebatch keygen --combine %s --out %s makes it", path,
                         x->folders->session, x->folders->keys);
}

static hb_status is_other(const char *path)
{
    return HB_FAIL(HB_EDATA, "%s: is another key than the contributions of all owners add up to", path);
}

/* The file of this checksum was compared. */
static hb_status note(const combining *x, const uint8_t sum[HB_DIGEST_BYTES])
{
    return x->folders->checked != NULL ? hb_checked_keys_add(x->folders->checked, sum) : HB_OK;
}

static hb_status compare_public(const combining *x, const char *path, const hb_keyfile *key)
{
    hb_keyfile is = {.packed_b = NULL};
    HB_TRY(hb_keyfile_read(path, &is));
    const bool same = is.kind == key->kind && hb_keys_same(is.key_id, &is.spec, key->key_id, &key->spec) &&
                      is.packed_a == NULL && memcmp(&is.public_seed, &key->public_seed, sizeof is.public_seed) == 0 &&
                      is.packed_bytes == key->packed_bytes && memcmp(is.packed_b, key->packed_b, is.packed_bytes) == 0;
    const hb_status st = same ? note(x, is.sum) : is_other(path);
    hb_keyfile_clear(&is);
    return st;
}

static hb_status put_public(const combining *x, const hb_keyfile *key)
{
    char *path;
    bool there;
    HB_TRY(hb_path_with(x->folders->keys, "/" HB_KEYFILE_PUBLIC, &path));
    hb_status st = look_for(x, path, &there);
    if (st == HB_OK) {
        st = there ? compare_public(x, path, key) : hb_keyfile_write(path, key);
    }
    free(path);
    return st;
}

static hb_status make_public(combining *x)
{
    hb_keyfile key = {.kind = HB_KEY_PUBLIC, .spec = x->file->spec};
    hb_public_key sum = {0};
    hb_status st;
    key.packed_bytes = hb_packed_bytes(&x->params->ring, x->params->ids, x->params->key_limbs);
    key.packed_b = malloc(key.packed_bytes);
    HB_GOTO(key.packed_b != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a key"));
    hb_joint_public_seed(&key.public_seed, x->file->id);
    HB_GOTO(sum_public(x, &sum, &key.public_seed));
    HB_GOTO(hb_public_key_pack(&sum, key.packed_b, NULL));
    hb_key_id(x->key_id, x->params, &key.public_seed, key.packed_b, NULL);
    memcpy(key.key_id, x->key_id, sizeof key.key_id);
    st = put_public(x, &key);
done:
    hb_public_key_clear(&sum);
    hb_keyfile_clear(&key);
    return st;
}

/* The key that is summed: which part of which messages is its component 0, and its component 1. */
typedef struct summed {
    const hb_joint_all *all;
    const char *group, *name;
    const char *a_name; /* a part of the messages too; NULL: of `one` */
    hb_key_purpose purpose;
    hb_packed_key one; /* of every owner */
} summed;

/* Loads one owner's summand. */
static hb_status load_switch(hb_switch_key *key, hb_engine *engine, const hb_params *params, const summed *of,
                             uint32_t owner)
{
    const hb_message *message = of->all->message[owner];
    hb_packed_key packed = of->one;
    uint8_t *b = NULL, *a = NULL;
    hb_status st;
    HB_GOTO(hb_joint_read_part(message, of->group, of->name, &b));
    HB_GOTO(of->a_name != NULL ? hb_joint_read_part(message, of->group, of->a_name, &a) : HB_OK);
    packed.b = b;
    packed.a = of->a_name != NULL ? a : packed.a;
    st = hb_switch_key_load_for(key, engine, params, &of->purpose, &packed);
done:
    free(b);
    free(a);
    return st;
}

static hb_status sum_switch(hb_switch_key *sum, hb_engine *engine, const hb_params *params, const summed *of)
{
    HB_TRY(load_switch(sum, engine, params, of, 0));
    hb_status st = HB_OK;
    for (uint32_t i = 1; i < of->all->owners && st == HB_OK; i++) {
        hb_switch_key more = {0};
        st = load_switch(&more, engine, params, of, i);
        st = st == HB_OK ? hb_joint_add_switch(sum, &more) : st;
        st = st == HB_OK ? hb_finish(engine) : st;
        hb_switch_key_clear(&more);
    }
    if (st != HB_OK) {
        hb_switch_key_clear(sum);
    }
    return st;
}

hb_status hb_joint_sum_relin(hb_switch_key *sum, hb_engine *engine, const hb_params *params, uint32_t limbs,
                             const hb_joint_all *firsts)
{
    const summed of = {.all = firsts,
                       .group = "relin",
                       .name = "h0",
                       .a_name = "h1",
                       .purpose = {.limbs = limbs, .source = HB_FROM_SECRET},
                       .one = {.limbs = limbs}};
    memset(sum, 0, sizeof *sum);
    return sum_switch(sum, engine, params, &of);
}

static bool same_switch(const hb_switch_key_file *a, const hb_switch_key_file *b)
{
    const size_t bytes = a->parts * a->part_bytes;
    if (!hb_keys_same(a->key_id, &a->spec, b->key_id, &b->spec) || !hb_key_name_same(a->name, b->name) ||
        a->parts != b->parts || a->part_bytes != b->part_bytes || (a->seeds == NULL) != (b->seeds == NULL) ||
        memcmp(a->b, b->b, bytes) != 0) {
        return false;
    }
    return a->seeds != NULL ? memcmp(a->seeds, b->seeds, a->parts * sizeof *a->seeds) == 0
                            : memcmp(a->a, b->a, bytes) == 0;
}

static hb_status compare_switch(const combining *x, const char *path, const hb_switch_key_file *key)
{
    hb_switch_key_file is = {.parts = 0};
    HB_TRY(hb_switch_key_file_read(path, &is));
    const bool same = same_switch(&is, key);
    const hb_status st = same ? note(x, is.sum) : is_other(path);
    hb_switch_key_file_clear(&is);
    return st;
}

static hb_status put_switch(const combining *x, const hb_switch_key_file *key)
{
    char *path;
    bool there;
    HB_TRY(hb_switch_key_path(x->folders->keys, key->name, &path));
    hb_status st = look_for(x, path, &there);
    if (st == HB_OK) {
        st = there ? compare_switch(x, path, key) : hb_switch_key_file_write(path, key);
    }
    free(path);
    return st;
}

/* Makes the sum; the file has component 1 already. */
static hb_status make_switch(const combining *x, hb_switch_key_file *file, const summed *of)
{
    hb_switch_key sum = {0};
    hb_status st;
    memcpy(file->key_id, x->key_id, sizeof file->key_id);
    HB_GOTO(sum_switch(&sum, x->engine, x->params, of));
    HB_GOTO(hb_switch_key_pack(&sum, file->b, NULL));
    HB_GOTO(put_switch(x, file));
    st = x->folders->each != NULL ? x->folders->each(x->folders->context, &sum) : HB_OK;
done:
    hb_switch_key_clear(&sum);
    return st;
}

/* The name of a key for the level of `limbs` limbs. */
static hb_key_name name_of(const combining *x, const hb_key_purpose *purpose)
{
    return hb_key_name_of(&x->params->spec, purpose);
}

static hb_status make_rotation(const combining *x, hb_joint_rotation rotation)
{
    char name[16];
    hb_switch_key_file file = {.parts = 0};
    summed of = {.all = &x->firsts, .group = "galois", .name = name};
    hb_status st;
    snprintf(name, sizeof name, "%" PRIu32, rotation.element);
    of.purpose = hb_key_purpose_of(&x->params->spec, rotation.element);
    of.purpose.limbs = rotation.limbs;
    HB_GOTO(hb_switch_key_file_init(&file, &x->file->spec, name_of(x, &of.purpose), true));
    hb_joint_switch_seeds(file.seeds, file.parts, x->round->id, rotation.element);
    of.one = (hb_packed_key){.limbs = rotation.limbs, .seeds = file.seeds};
    st = make_switch(x, &file, &of);
done:
    hb_switch_key_file_clear(&file);
    return st;
}

/* Component 1 is the sum of h1, which has no seed. */
static hb_status make_relin(const combining *x)
{
    const uint32_t limbs = x->round->session.relin_limbs;
    hb_switch_key_file file = {.parts = 0};
    hb_switch_key first = {0};
    summed of = {.all = &x->seconds, .group = "relin", .name = "h2"};
    hb_status st;
    of.purpose = (hb_key_purpose){.limbs = limbs, .source = HB_FROM_SQUARE};
    HB_GOTO(hb_switch_key_file_init(&file, &x->file->spec, name_of(x, &of.purpose), false));
    HB_GOTO(hb_joint_sum_relin(&first, x->engine, x->params, limbs, &x->firsts));
    HB_GOTO(hb_switch_key_pack(&first, file.b, file.a));
    of.one = (hb_packed_key){.limbs = limbs, .a = file.a};
    st = make_switch(x, &file, &of);
done:
    hb_switch_key_clear(&first);
    hb_switch_key_file_clear(&file);
    return st;
}

/* Whether a round makes a key of this name. */
static bool makes(const combining *x, const hb_joint_session *session, hb_key_name name)
{
    hb_key_purpose purpose = {.limbs = session->relin_limbs, .source = HB_FROM_SQUARE};
    bool made = session->relin_limbs != 0 && hb_key_name_same(name, name_of(x, &purpose));
    for (uint32_t i = 0; i < session->rotation_count && !made; i++) {
        purpose = hb_key_purpose_of(&x->params->spec, session->rotations[i].element);
        purpose.limbs = session->rotations[i].limbs;
        made = hb_key_name_same(name, name_of(x, &purpose));
    }
    return made;
}

/* Refuses a folder with keys that do not belong to the session: eval would take them. */
static hb_status check_others(const combining *x)
{
    hb_key_names names;
    HB_TRY(hb_switch_key_list(x->folders->keys, &names));
    hb_status st = HB_OK;
    for (uint32_t i = 0; i < names.count && st == HB_OK; i++) {
        const hb_key_name name = names.name[i];
        bool known = makes(x, &x->file->session, name);
        for (uint32_t k = 0; k < x->rounds->count && !known; k++) {
            known = makes(x, &x->rounds->file[k].round.session, name);
        }
        if (!known) {
            st = HB_FAIL(HB_EDATA, "%s: has a key for element %" PRIu32 ", which is none of the session",
                         x->folders->keys, name.element);
        }
    }
    free(names.name);
    return st;
}

static hb_status make_all(combining *x)
{
    const hb_joint_session *session = &x->round->session;
    if (x->round->number == 0) { /* first: its id goes into all others */
        HB_TRY(make_public(x));
    }
    if (session->relin_limbs != 0) {
        HB_TRY(make_relin(x));
    }
    for (uint32_t i = 0; i < session->rotation_count; i++) {
        HB_TRY(make_rotation(x, session->rotations[i]));
    }
    return HB_OK;
}

static hb_status make_round(combining *x, const char *folder, const hb_joint_round *round)
{
    x->round = round;
    hb_status st = open_all(x, folder);
    st = st == HB_OK ? make_all(x) : st;
    hb_joint_close_all(&x->commits);
    hb_joint_close_all(&x->firsts);
    hb_joint_close_all(&x->seconds);
    return st;
}

static hb_status make_rounds(combining *x, const char *folder)
{
    hb_joint_round first = {.number = 0, .session = x->file->session};
    memcpy(first.id, x->file->id, sizeof first.id);
    HB_TRY(check_others(x));
    HB_TRY(make_round(x, folder, &first));
    for (uint32_t i = 0; i < x->rounds->count; i++) {
        HB_TRY(make_round(x, folder, &x->rounds->file[i].round));
    }
    return HB_OK;
}

hb_status hb_joint_combine(const hb_joint_folders *folders, hb_engine *engine, const hb_params *params,
                           const hb_session_file *file, uint8_t key_id[HB_KEY_ID_BYTES])
{
    hb_joint_rounds rounds = {.file = NULL};
    combining *x = calloc(1, sizeof *x);
    if (x == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory to combine keys");
    }
    *x = (combining){.folders = folders, .engine = engine, .params = params, .file = file, .rounds = &rounds};
    hb_status st = hb_joint_rounds_open(&rounds, folders->session, file, params);
    st = st == HB_OK ? make_rounds(x, folders->session) : st;
    memcpy(key_id, x->key_id, sizeof x->key_id);
    hb_joint_rounds_close(&rounds);
    free(x);
    return st;
}
