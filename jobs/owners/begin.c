#include "begin.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/files/durable.h"
#include "io/joint/message.h"
#include "io/table/table.h"
#include "scheme/params.h"
#include "scheme/quality.h"

static int by_name(const void *a, const void *b)
{
    return strcmp(((const hb_owner_card *)a)->name, ((const hb_owner_card *)b)->name);
}

static hb_status read_cards(hb_joint_begin *begin, const hb_table_names *files)
{
    if (files->count < 2 || files->count > HB_MOST_OWNERS) {
        return HB_FAIL(HB_EUSAGE, "--cards finds %zu cards: joint keys have 2 to %d owners", files->count,
                       HB_MOST_OWNERS);
    }
    begin->cards = calloc(files->count, sizeof *begin->cards);
    if (begin->cards == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for cards");
    }
    for (size_t i = 0; i < files->count; i++) {
        HB_TRY(hb_card_read(files->name[i], &begin->cards[i]));
    }
    qsort(begin->cards, files->count, sizeof *begin->cards, by_name);
    begin->session.cards = begin->cards;
    begin->session.owners = (uint32_t)files->count;
    return HB_OK;
}

static hb_status find_cards(hb_joint_begin *begin, const hb_joint_request *request)
{
    hb_table_names files = {0};
    hb_status st;
    for (size_t i = 0; i < request->card_count; i++) {
        HB_GOTO(hb_table_names_add(&files, request->cards[i], ""));
    }
    st = read_cards(begin, &files);
done:
    hb_table_names_clear(&files);
    return st;
}

static hb_status open_params(hb_joint_begin *begin, const hb_joint_request *request)
{
    hb_params_spec spec = *request->spec;
    const uint32_t owners = begin->session.owners;
    const uint64_t threshold = request->threshold > 0 ? request->threshold : owners;
    if (threshold > owners) {
        return HB_FAIL(HB_EUSAGE, "--threshold %" PRIu64 ": there are %" PRIu32 " owners", threshold, owners);
    }
    begin->session.threshold = (uint32_t)threshold;
    begin->session.results = request->results;
    spec.joint = (hb_joint_spec){.owners = owners, .threshold = (uint32_t)threshold, .results = request->results};
    HB_TRY(hb_params_open(&spec, &begin->params));
    hb_joint_session_for(&begin->session, begin->params);
    return hb_quality_require_fresh(begin->params, true);
}

static int by_element(const void *a, const void *b)
{
    const hb_joint_rotation *x = a, *y = b;
    return (x->element > y->element) - (x->element < y->element);
}

static hb_status take_names(hb_joint_begin *begin, const hb_key_names *names)
{
    const hb_params_spec *spec = &begin->params->spec;
    hb_joint_session *session = &begin->session;
    begin->rotations = calloc(names->count + (size_t)1, sizeof *begin->rotations);
    if (begin->rotations == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a list of keys");
    }
    for (uint32_t i = 0; i < names->count; i++) {
        const hb_key_name name = names->name[i];
        const uint32_t limbs = hb_key_name_limbs(spec, name);
        if (name.sort == HB_KEY_RELINEARIZATION) {
            session->relin_limbs = limbs;
        } else {
            begin->rotations[session->rotation_count++] = (hb_joint_rotation){name.element, limbs};
        }
    }
    qsort(begin->rotations, session->rotation_count, sizeof *begin->rotations, by_element);
    session->rotations = begin->rotations;
    return HB_OK;
}

static hb_status choose_keys(hb_joint_begin *begin, const hb_joint_request *request)
{
    hb_key_names names = {NULL, 0};
    hb_status st = hb_keygen_names(&names, &request->keys, begin->params);
    st = st == HB_OK ? take_names(begin, &names) : st;
    free(names.name);
    return st;
}

/* Keys under which not even an input could be decrypted are not made. */
static hb_status plan_parts(hb_joint_begin *begin)
{
    const hb_params *params = begin->params;
    const hb_quality fresh = hb_quality_fresh(params, true, HB_BINOMIAL);
    return hb_part_plan_make(params, hb_params_fresh_limbs(params), fresh.worst, begin->session.threshold,
                             begin->session.results, 0, &begin->fresh);
}

hb_status hb_joint_begin_open(hb_joint_begin *begin, const hb_joint_request *request)
{
    bool there;
    hb_seed nonce;
    *begin = (hb_joint_begin){.params = NULL};
    HB_TRY(hb_path_with(request->folder, "/" HB_SESSION_FILE, &begin->path));
    if (hb_path_is_there(begin->path, &there) != HB_OK || there) {
        return HB_FAIL(HB_ECREATE, "%s exists: another session has another folder", begin->path);
    }
    HB_TRY(find_cards(begin, request));
    HB_TRY(open_params(begin, request));
    HB_TRY(choose_keys(begin, request));
    hb_seed_random(&nonce);
    memcpy(begin->session.nonce, nonce.bytes, sizeof begin->session.nonce);
    HB_TRY(hb_joint_session_check(&begin->session, begin->params));
    return plan_parts(begin);
}

hb_status hb_joint_begin_write(const hb_joint_begin *begin, const char *folder)
{
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        return HB_FAIL(HB_ECREATE, "cannot create the directory %s: %s", folder, strerror(errno));
    }
    return hb_session_file_write(begin->path, &begin->params->spec, &begin->session);
}

void hb_joint_begin_close(hb_joint_begin *begin)
{
    free(begin->path);
    free(begin->rotations);
    free(begin->cards);
    hb_params_close(begin->params);
    memset(begin, 0, sizeof *begin);
}
