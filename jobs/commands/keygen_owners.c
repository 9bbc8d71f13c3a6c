/* hebatch keygen --party, --session, --more, --join, --combine: joint keys of several owners, step by step. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "batch/unit/work.h"
#include "cli/console.h"
#include "cli/parse.h"
#include "cli/report.h"
#include "info.h"
#include "io/files/durable.h"
#include "io/joint/place.h"
#include "io/joint/session_file.h"
#include "keygen.h"
#include "keys/seal_cost.h"
#include "owners/begin.h"
#include "owners/combine.h"
#include "owners/party.h"
#include "owners/rounds.h"
#include "owners/seat.h"
#include "ranks/session.h"
#include "trial/trial.h"

/* A session of joint keys that is there: its parameters, on the engine of a device. Zeroed: nothing is open. */
typedef struct joint_job {
    const char *folder; /* of the session's files, borrowed */
    hb_session_file file;
    hb_joint_rounds rounds; /* later ones */
    hb_device device;
    hb_session session;
} joint_job;

/* Reads the session of a folder, and its later rounds. The caller closes, also after a failure. */
static hb_status joint_job_open(joint_job *job, const char *folder)
{
    char *path;
    *job = (joint_job){.folder = folder};
    HB_TRY(hb_path_with(folder, "/" HB_SESSION_FILE, &path));
    const hb_status st = hb_session_file_read(path, &job->file);
    free(path);
    HB_TRY(st);
    HB_TRY(hb_session_open_keyless(&job->session, &job->file.spec));
    return hb_joint_rounds_open(&job->rounds, folder, &job->file, job->session.params);
}

static hb_status joint_job_start(joint_job *job, hb_group *group, const hb_device_choice *choice)
{
    const hb_joint_session *session = &job->file.session;
    uint32_t keys = session->rotation_count + 3;
    for (uint32_t i = 0; i < job->rounds.count; i++) {
        keys += job->rounds.file[i].round.session.rotation_count + 3;
    }
    keys *= session->owners; /* made, or added up */
    const hb_work work = hb_work_keygen(job->session.params, keys);
    HB_TRY(hb_device_choose(&job->device, group, choice, &work));
    return hb_session_start(&job->session, group, &job->device, NULL, NULL);
}

static void joint_job_close(joint_job *job)
{
    hb_joint_rounds_close(&job->rounds);
    hb_session_close(&job->session);
    hb_session_file_clear(&job->file);
    memset(job, 0, sizeof *job);
}

static hb_status report(const hb_group *group, const hb_common *common, json_t *results)
{
    if (!common->json) {
        json_decref(results);
        return HB_OK;
    }
    return hb_report_results(group, "keygen", results);
}

static hb_status make_party(hb_group *group, const hb_common *common, const hb_keygen_words *w)
{
    hb_seed root;
    hb_owner_card card;
    hb_party_request request = {
        .folder = w->directory, .name = w->owners.party, .seal = w->seal, .cost = HB_SEAL_MODERATE};
    if (w->cost != NULL && !w->seal) {
        return HB_FAIL(HB_EUSAGE, "--cost is for --seal");
    }
    if (w->cost != NULL) {
        HB_TRY(hb_seal_cost_parse(w->cost, &request.cost));
    }
    if (w->test_seed != NULL) {
        HB_TRY(hb_parse_hex(w->test_seed, root.bytes, sizeof root.bytes));
        hb_console_warn(group, "INSECURE TEST SEED: ANYONE WHO SEES THIS COMMAND LINE HAS THE SECRET KEY");
        request.root = &root;
    }
    if (w->dry_run) {
        HB_TRY(hb_party_try(&request));
        hb_console_result(group, common, "party        %s in %s: " HB_PARTY_FILE " and " HB_CARD_FILE, request.name,
                          request.folder);
        return report(group, common, json_pack("{s:s, s:s}", "step", "party", "name", request.name));
    }
    const hb_status st = hb_party_make(&request, &card);
    hb_wipe(&root, sizeof root);
    HB_TRY(st);
    const hb_fingerprint print = hb_fingerprint_of(&card);
    hb_console_log(group, common, "party        %s/" HB_PARTY_FILE ": keep it private, in one place", request.folder);
    hb_console_log(group, common,
                   "card         %s/" HB_CARD_FILE ": give it to the other owners; they compare the "
                   "fingerprint with you by telephone",
                   request.folder);
    hb_console_result(group, common, "%s", print.text);
    return report(group, common,
                  json_pack("{s:s, s:s, s:s}", "step", "party", "name", card.name, "fingerprint", print.text));
}

/* The bytes of keys for computing that one owner sends. */
static uint64_t sent_bytes(const hb_joint_session *session, const hb_params *params)
{
    const hb_params_spec *spec = &params->spec;
    uint64_t bytes = 0;
    hb_key_purpose purpose = {.limbs = session->relin_limbs, .source = HB_FROM_SQUARE};
    if (session->relin_limbs != 0) { /* two parts in round 1, one in round 2 */
        bytes += 3 * hb_switch_key_file_bytes(spec, hb_key_name_of(spec, &purpose));
    }
    for (uint32_t i = 0; i < session->rotation_count; i++) {
        purpose = hb_key_purpose_of(spec, session->rotations[i].element);
        purpose.limbs = session->rotations[i].limbs;
        bytes += hb_switch_key_file_bytes(spec, hb_key_name_of(spec, &purpose));
    }
    return bytes;
}

static void tell_size(hb_group *group, const hb_common *common, uint64_t bytes, bool dry_run)
{
    hb_console_speaker(dry_run)(group, common, "size         %s from every owner", hb_human_bytes((double)bytes).text);
}

/* Says how many results a trial of the keys takes. */
static void tell_cost(hb_group *group, const hb_common *common, uint32_t takes, uint64_t results, bool dry_run)
{
    const hb_speaker say = hb_console_speaker(dry_run);
    if (takes == 0) {
        say(group, common, "trial        none: these parameters have no room for it in the noise budget");
    } else {
        say(group, common, "trial        would take %" PRIu32 " of the %" PRIu64 " ciphertexts%s", takes, results,
            takes > results ? ": too many" : "");
    }
}

static hb_status report_begun(const hb_group *group, const hb_common *common, const hb_info_session *info,
                              uint32_t takes)
{
    json_t *facts = hb_info_session_json(info);
    json_object_set_new(facts, "trial_results", json_integer((json_int_t)takes));
    return report(group, common, facts);
}

static hb_status begin_session(hb_group *group, const hb_common *common, const hb_keygen_words *w)
{
    hb_params_spec spec;
    hb_joint_begin begin = {.params = NULL};
    uint8_t id[HB_DIGEST_BYTES];
    uint32_t takes;
    hb_status st;
    HB_TRY(hb_params_choose(&w->params, &spec));
    const hb_joint_request request = {.folder = w->owners.session,
                                      .cards = w->owners.cards.text,
                                      .card_count = w->owners.cards.count,
                                      .spec = &spec,
                                      .keys = w->request,
                                      .threshold = w->owners.threshold,
                                      .results = w->owners.results};
    HB_GOTO(hb_joint_begin_open(&begin, &request));
    HB_GOTO(hb_trial_count(begin.params, &begin.session, &(hb_joint_rounds){.count = 0}, NULL, &takes));
    if (begin.params->spec.insecure) {
        hb_console_warn_insecure(group, begin.params->chain_bits);
    }
    hb_joint_session_id(id, &begin.session);
    hb_info_print_session(hb_console_speaker(w->dry_run), group, common,
                          &(hb_info_session){begin.params, &begin.session, w->dry_run ? NULL : id, 0});
    const hb_params *params = begin.params;
    const size_t public = hb_packed_bytes(&params->ring, params->ids, params->key_limbs);
    tell_size(group, common, public + sent_bytes(&begin.session, params), w->dry_run);
    tell_cost(group, common, takes, begin.session.results, w->dry_run);
    if (begin.session.threshold < begin.session.owners) {
        hb_console_warn(group, "--threshold: shares and masks rest on X25519: who records them, and has a quantum "
                               "computer later, reads them; where all owners decrypt there are none");
    }
    if (!w->dry_run) {
        HB_GOTO(hb_joint_begin_write(&begin, request.folder));
        hb_console_log(group, common, "next         every owner: hebatch keygen --join %s --key PARTY.h5",
                       request.folder);
        hb_console_result(group, common, "%s", begin.path);
    }
    st =
        report_begun(group, common, &(hb_info_session){begin.params, &begin.session, w->dry_run ? NULL : id, 0}, takes);
done:
    hb_joint_begin_close(&begin);
    return st;
}

/* Writes the file of a later round and says its name. */
static hb_status write_round(hb_group *group, const hb_common *common, const joint_job *job,
                             const hb_joint_round *round)
{
    char name[32], *path; /* 9 characters and a number of at most 10 */
    snprintf(name, sizeof name, HB_MORE_FILE, round->number);
    HB_TRY(hb_path_with(job->folder, name, &path));
    const hb_status st = hb_more_file_write(path, &job->file, round);
    if (st == HB_OK) {
        hb_console_log(group, common, "next         every owner: hebatch keygen --join %s --key PARTY.h5", job->folder);
        hb_console_result(group, common, "%s", path);
    }
    free(path);
    return st;
}

/* Begins a later round of a session that is there. */
static hb_status begin_more(hb_group *group, const hb_common *common, const hb_keygen_words *w)
{
    joint_job job = {.folder = NULL};
    hb_more_file next = {.rotations = NULL};
    uint32_t takes;
    hb_status st;
    HB_GOTO(joint_job_open(&job, w->owners.session));
    const hb_params *params = job.session.params;
    HB_GOTO(hb_joint_rounds_next(&next, &job.rounds, &job.file, &w->request, params));
    HB_GOTO(hb_trial_count(params, &job.file.session, &job.rounds, &next.round.session, &takes));
    if (params->spec.insecure) {
        hb_console_warn_insecure(group, params->chain_bits);
    }
    const hb_info_session info = hb_info_round(params, &next.round);
    hb_info_print_session(hb_console_speaker(w->dry_run), group, common, &info);
    tell_size(group, common, sent_bytes(&next.round.session, params), w->dry_run);
    tell_cost(group, common, takes, job.file.session.results, w->dry_run);
    HB_GOTO(w->dry_run ? HB_OK : write_round(group, common, &job, &next.round));
    st = report_begun(group, common, &info, takes);
done:
    hb_more_file_clear(&next);
    joint_job_close(&job);
    return st;
}

/* The names in a list, and last how many more there are. */
static json_t *names_json(const hb_name_list *list)
{
    json_t *names = json_array();
    for (size_t at = 0; at < list->named;) {
        const size_t length = strcspn(list->text + at, ", ");
        json_array_append_new(names, json_stringn(list->text + at, length));
        at += length + strlen(", ");
    }
    if (list->more > 0) {
        json_array_append_new(names, json_sprintf("%" PRIu32 " more", list->more));
    }
    return names;
}

/* The later rounds, of which the owner sees the keys before he joins. */
static void tell_rounds(hb_group *group, const hb_common *common, const joint_job *job)
{
    for (uint32_t i = 0; i < job->rounds.count; i++) {
        const hb_info_session later = hb_info_round(job->session.params, &job->rounds.file[i].round);
        hb_info_print_session(hb_console_speaker(false), group, common, &later);
    }
}

/* Says which files were made and which are waited for. */
static void tell_files(hb_group *group, const hb_common *common, const hb_seat_progress *progress)
{
    if (progress->made.named > 0) {
        hb_console_result(group, common, "made         %s", progress->made.text);
    }
    if (progress->waiting.named > 0) {
        hb_console_result(group, common, "waiting      for %s", progress->waiting.text);
    }
}

/* Whether the step did anything; else others have to do theirs first. */
static bool has_moved(const hb_seat_progress *progress)
{
    return progress->did || progress->done;
}

/* Returns HB_ENOINPUT where others have to do theirs first and nothing was done. */
static hb_status require_progress(const hb_seat *seat, const hb_seat_progress *progress)
{
    return has_moved(progress) ? HB_OK
                               : HB_FAIL(HB_ENOINPUT, "%s: waiting for %s", seat->folder, progress->waiting.text);
}

/* The report is also of a step that waits: who runs the command by --json reads there for which files. */
static hb_status take_step(hb_group *group, const hb_common *common, hb_seat *seat, const char *state)
{
    hb_seat_progress progress;
    char id[2 * HB_DIGEST_BYTES + 1];
    HB_TRY(hb_seat_step(seat, state, &progress));
    hb_hex(id, seat->file->id, HB_DIGEST_BYTES);
    if (has_moved(&progress)) {
        tell_files(group, common, &progress);
    }
    if (progress.again) {
        hb_console_result(group, common,
                          "made again   the state of this session, which was lost; decrypt --part needs the ledger of "
                          "parts, or --new-ledger where nobody has a part");
    }
    if (progress.done) {
        hb_console_result(group, common, "done         hebatch keygen --combine %s --out KEYS makes the keys",
                          seat->folder);
    }
    HB_TRY(report(group, common,
                  json_pack("{s:s, s:s, s:o, s:o, s:b, s:b}", "step", "join", "session", id, "made",
                            names_json(&progress.made), "waiting", names_json(&progress.waiting), "again",
                            (int)progress.again, "done", (int)progress.done)));
    return require_progress(seat, &progress);
}

static void tell_trial(hb_group *group, const hb_common *common, const hb_trial_outcome *outcome)
{
    hb_console_result(group, common, "trial passed %s, %s%s; noise at most 2^%.0f of 2^%.0f proven",
                      hb_human_things(outcome->sums, "sum").text, outcome->products > 0 ? "product, " : "",
                      hb_human_things(outcome->rotations, "rotation").text, outcome->noise, outcome->proven);
    if (outcome->left_out.named > 0) {
        hb_console_warn(group, "the noise budget of these parameters has no room to try %s", outcome->left_out.text);
    }
}

static hb_status try_keys(hb_group *group, const hb_common *common, hb_trial_request request)
{
    hb_seat_progress progress;
    hb_trial_outcome outcome = {.sums = 0};
    HB_TRY(hb_trial_take_step(&request, &progress, &outcome));
    if (has_moved(&progress)) {
        tell_files(group, common, &progress);
    }
    json_t *facts =
        json_pack("{s:s, s:o, s:o, s:o, s:b}", "step", "trial", "keys", hb_report_text(request.keys), "made",
                  names_json(&progress.made), "waiting", names_json(&progress.waiting), "passed", (int)progress.done);
    if (progress.done) {
        tell_trial(group, common, &outcome);
        json_object_update_new(facts,
                               json_pack("{s:i, s:i, s:i, s:f, s:f, s:s}", "sums", (int)outcome.sums, "products",
                                         (int)outcome.products, "rotations", (int)outcome.rotations, "noise",
                                         outcome.noise, "proven", outcome.proven, "left_out", outcome.left_out.text));
    }
    HB_TRY(report(group, common, facts));
    return require_progress(request.seat, &progress);
}

static hb_status tell_keys(hb_group *group, const hb_common *common, const char *keys,
                           const uint8_t key_id[HB_KEY_ID_BYTES])
{
    char id[2 * HB_KEY_ID_BYTES + 1];
    hb_hex(id, key_id, HB_KEY_ID_BYTES);
    hb_console_result(group, common, "%s", id);
    return report(group, common, json_pack("{s:o, s:s}", "keys", hb_report_text(keys), "key_id", id));
}

static hb_status check_keys(hb_group *group, const hb_common *common, const hb_seat *seat, const char *state,
                            const char *keys)
{
    uint8_t id[HB_KEY_ID_BYTES];
    HB_TRY(hb_seat_check(seat, state, keys, id));
    hb_console_log(group, common,
                   "keys         %s are those that the contributions of all %" PRIu32 " owners add up to", keys,
                   seat->file->session.owners);
    return tell_keys(group, common, keys, id);
}

/* An owner says himself that he takes part in what is insecure, whatever who began the session said. */
static hb_status require_secure(const joint_job *job, const hb_keygen_words *w)
{
    return !job->session.params->spec.insecure || w->params.insecure
               ? HB_OK
               : HB_FAIL(HB_ECONFIG, "%s: its parameters are insecure: a session for tests; --insecure takes part",
                         w->owners.join);
}

static void warn_insecure(hb_group *group, const joint_job *job)
{
    if (job->session.params->spec.insecure) {
        hb_console_warn_insecure(group, job->session.params->chain_bits);
    }
}

/* brief: the owner has seen it already. */
static void tell_session(hb_group *group, const hb_common *common, const joint_job *job, bool brief)
{
    if (!brief) {
        hb_info_print_session(hb_console_speaker(false), group, common,
                              &(hb_info_session){job->session.params, &job->file.session, job->file.id, 0});
    }
    tell_rounds(group, common, job);
}

/* Keys are tried and compared by who has joined, once they are combined. */
static hb_status require_keys(const hb_keygen_words *w, const char *state, bool known)
{
    const char *keys = w->owners.trial != NULL ? w->owners.trial : w->owners.check;
    char *public;
    bool there;
    if (keys == NULL) {
        return HB_OK;
    }
    if (!known) {
        return HB_FAIL(HB_ENOINPUT, "%s is not there: first join the session: hebatch keygen --join %s --key %s", state,
                       w->owners.join, w->secret);
    }
    HB_TRY(hb_path_with(keys, "/public.h5", &public));
    hb_status st = hb_path_is_there(public, &there);
    if (st == HB_OK && !there) {
        st = HB_FAIL(HB_ENOINPUT, "%s is missing: hebatch keygen --combine %s --out %s makes it", public,
                     w->owners.join, keys);
    }
    free(public);
    return st;
}

static hb_status join(hb_group *group, const hb_common *common, const hb_keygen_words *w)
{
    joint_job job = {.folder = NULL};
    hb_party_file party = {.name = ""};
    hb_seat seat = {.engine = NULL};
    char *state = NULL;
    bool known;
    hb_status st;
    HB_GOTO(joint_job_open(&job, w->owners.join));
    HB_GOTO(hb_joint_place(&state, w->secret, job.file.id, HB_STATE_ENDING));
    HB_GOTO(hb_path_is_there(state, &known));
    HB_GOTO(known ? HB_OK : require_secure(&job, w));
    warn_insecure(group, &job);
    HB_GOTO(require_keys(w, state, known));
    HB_GOTO(hb_party_open(w->secret, &party));
    HB_GOTO(joint_job_start(&job, group, &w->device));
    HB_GOTO(hb_seat_open(&seat, job.session.engine, job.session.params, &job.file, job.folder, &party));
    tell_session(group, common, &job, known); /* nobody who is refused until here joins it */
    if (w->owners.trial != NULL) {
        st = try_keys(group, common, (hb_trial_request){&seat, &job.rounds, &party, state, w->owners.trial});
    } else if (w->owners.check != NULL) {
        st = check_keys(group, common, &seat, state, w->owners.check);
    } else {
        st = take_step(group, common, &seat, state);
    }
done:
    hb_seat_close(&seat);
    free(state);
    hb_party_file_clear(&party);
    joint_job_close(&job);
    return st;
}

static hb_status combine(hb_group *group, const hb_common *common, const hb_keygen_words *w)
{
    const hb_joint_folders folders = {.session = w->owners.combine, .keys = w->directory};
    joint_job job = {.folder = NULL};
    uint8_t id[HB_KEY_ID_BYTES];
    hb_status st;
    HB_GOTO(joint_job_open(&job, folders.session));
    warn_insecure(group, &job);
    HB_GOTO(joint_job_start(&job, group, &w->device));
    if (mkdir(folders.keys, 0777) != 0 && errno != EEXIST) {
        HB_GOTO(HB_FAIL(HB_ECREATE, "cannot create the directory %s: %s", folders.keys, strerror(errno)));
    }
    HB_GOTO(hb_joint_combine(&folders, job.session.engine, job.session.params, &job.file, id));
    tell_session(group, common, &job, false);
    hb_console_log(group, common,
                   "keys         in %s; every owner compares them: hebatch keygen --join %s --key "
                   "PARTY.h5 --check %s",
                   folders.keys, folders.session, folders.keys);
    st = tell_keys(group, common, folders.keys, id);
done:
    joint_job_close(&job);
    return st;
}

hb_status hb_keygen_joint(hb_group *group, const hb_common *common, const hb_keygen_words *words)
{
    const hb_owners_words *w = &words->owners;
    if (group->size > 1) {
        return HB_FAIL(HB_EUSAGE, "the steps of joint keys run on one rank; this group has %d", group->size);
    }
    return w->party != NULL     ? make_party(group, common, words)
           : w->session == NULL ? (w->join != NULL ? join(group, common, words) : combine(group, common, words))
           : w->more            ? begin_more(group, common, words)
                                : begin_session(group, common, words);
}
