#include "begin.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/files/durable.h"
#include "io/joint/message.h"
#include "io/table/table.h"
#include "joint/part_plan.h"
#include "rounds.h"
#include "scheme/params.h"
#include "scheme/quality.h"

static int by_name(const void *a, const void *b)
{
    return strcmp(((const hb_owner_card *)a)->name, ((const hb_owner_card *)b)->name);
}

static hb_status read_cards(hb_joint_begin *begin, const hb_table_names *files)
{
    if (files->count == 1) { /* which may not be one at all, as where two names stand with a comma between them */
        hb_owner_card card;
        bool there;
        HB_TRY(hb_path_is_there(files->name[0], &there));
        if (there) {
            HB_TRY(hb_card_read(files->name[0], &card));
        }
        return HB_FAIL(
            HB_EUSAGE,
            "--cards finds one file, %s%s: joint keys have 2 to %d owners; give --cards once for each card, or "
            "a pattern of all, as 'cards/*.h5'",
            files->name[0], there ? "" : ", which is not there", HB_MOST_OWNERS);
    }
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

/* Plans parts of ciphertexts as they were encrypted, under the plain modulus of these parameters. */
static hb_status plan_fresh(const hb_params *params, const hb_joint_session *session)
{
    const hb_quality fresh = hb_quality_fresh(params, true, HB_BINOMIAL);
    hb_part_plan plan;
    HB_TRY(hb_quality_require_fresh(params, true));
    const hb_status st = hb_part_plan_make(params, hb_params_fresh_limbs(params), fresh.worst, session->threshold,
                                           session->results, 0, &plan);
    if (st != HB_EDATA) {
        return st;
    }
    const hb_error cause = *hb_last_error();
    return HB_FAIL(HB_EDATA,
                   "%.300s: hebatch params suggest --owners %" PRIu32 " --results %" PRIu64
                   " finds parameters that have room for them",
                   cause.text, session->owners, session->results);
}

/* Keys under which not even an input could be decrypted are not made. None of several plain moduli may be too long. */
static hb_status plan_parts(const hb_joint_begin *begin)
{
    const hb_params_spec *spec = &begin->params->spec;
    const uint32_t residues = hb_spec_residues(spec);
    if (begin->session.results < residues) {
        return HB_FAIL(HB_EUSAGE,
                       "--results %" PRIu64 ": a result has a ciphertext or more for each of %" PRIu32 " plain moduli",
                       begin->session.results, residues);
    }
    for (uint32_t r = 0; r < residues; r++) {
        const hb_params_spec of = hb_spec_of_residue(spec, r);
        hb_params *params;
        HB_TRY(hb_params_open(&of, &params));
        const hb_status st = plan_fresh(params, &begin->session);
        hb_params_close(params);
        HB_TRY(st);
    }
    return HB_OK;
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
    HB_TRY(hb_joint_choose_keys(&begin->session, &begin->rotations, &request->keys, begin->params));
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
