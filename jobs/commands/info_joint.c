#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/params_options.h"
#include "cli/parse.h"
#include "cli/report.h"
#include "info.h"
#include "io/files/durable.h"
#include "io/joint/label.h"
#include "io/joint/ledger.h"
#include "io/joint/message.h"
#include "io/joint/state_file.h"
#include "owners/party.h"
#include "owners/rounds.h"
#include "scheme/params.h"

static void print_keys(hb_speaker say, const hb_group *group, const hb_common *common, const hb_joint_session *session,
                       const char *before)
{
    const char *relin = session->relin_limbs != 0 ? "relinearization key and " : "";
    say(group, common, "keys         %s%s%s", before, relin,
        hb_human_things(session->rotation_count, "rotation key").text);
}

static void print_round(hb_speaker say, const hb_group *group, const hb_common *common, const hb_info_session *info)
{
    char id[2 * HB_DIGEST_BYTES + 1];
    hb_hex(id, info->id, HB_DIGEST_BYTES);
    say(group, common, "later round  %" PRIu32 ": %s", info->round, id);
    print_keys(say, group, common, info->session, "");
}

void hb_info_print_session(hb_speaker say, const hb_group *group, const hb_common *common, const hb_info_session *info)
{
    const hb_joint_session *session = info->session;
    const hb_params *params = info->params;
    if (info->round != 0) {
        print_round(say, group, common, info);
        return;
    }
    char brief[HB_PARAMS_BRIEF], counted[HB_PARAMS_COUNTED], id[2 * HB_DIGEST_BYTES + 1];
    if (info->id != NULL) {
        hb_hex(id, info->id, HB_DIGEST_BYTES);
        say(group, common, "session      %s", id);
    }
    hb_params_brief(brief, &params->spec);
    say(group, common, "parameters   %s: N %zu, %" PRIu32 " primes of %" PRIu32 " bits in all, %s", params->name,
        params->spec.n, params->spec.key_limbs, params->chain_bits, brief);
    say(group, common, "security     %s",
        hb_security_claim(params->spec.security, params->spec.n, params->chain_bits).text);
    print_keys(say, group, common, session, "public key, ");
    hb_params_counted(counted, &params->spec);
    say(group, common, "decrypt      %" PRIu32 " of %" PRIu32 " owners, %" PRIu64 " ciphertexts in all%s",
        session->threshold, session->owners, session->results, counted);
    for (uint32_t i = 0; i < session->owners; i++) {
        say(group, common, "owner        %s: %s", session->cards[i].name, hb_fingerprint_of(&session->cards[i]).text);
    }
}

static hb_status info_card(const hb_group *group, const hb_common *common, const char *path)
{
    hb_owner_card card;
    HB_TRY(hb_card_read(path, &card));
    const hb_fingerprint print = hb_fingerprint_of(&card);
    hb_console_result(group, common, "kind         card of %s, for the other owners", card.name);
    hb_console_result(group, common, "fingerprint  %s", print.text);
    return common->json ? hb_report_results(group, "info",
                                            json_pack("{s:o, s:s, s:s, s:s}", "file", hb_report_text(path), "kind",
                                                      "card", "name", card.name, "fingerprint", print.text))
                        : HB_OK;
}

static hb_status info_party(const hb_group *group, const hb_common *common, const char *path)
{
    hb_party_file party;
    HB_TRY(hb_party_file_read(path, &party));
    const bool sealed = party.seal != NULL;
    const hb_fingerprint print = hb_fingerprint_text(party.card);
    char name[HB_OWNER_NAME_BYTES];
    memcpy(name, party.name, sizeof name);
    hb_party_file_clear(&party);
    hb_console_result(group, common, "kind         secret of the owner %s%s", name, sealed ? ", sealed" : "");
    hb_console_result(group, common, "fingerprint  %s", print.text);
    return common->json
               ? hb_report_results(group, "info",
                                   json_pack("{s:o, s:s, s:s, s:s, s:b}", "file", hb_report_text(path), "kind", "party",
                                             "name", name, "fingerprint", print.text, "sealed", (int)sealed))
               : HB_OK;
}

/* The last file that left, or is about to. */
static const char *last_step(const hb_joint_state *state)
{
    const bool trial = state->purpose == HB_JOINT_TRIAL;
    if (hb_joint_state_knows(state->inputs)) {
        return hb_message_words[trial ? HB_MESSAGE_PART : HB_MESSAGE_SECOND];
    }
    if (trial && hb_joint_state_knows(state->second)) {
        return hb_message_words[HB_MESSAGE_PART_COMMIT];
    }
    if (trial && hb_joint_state_knows(state->opened)) {
        return hb_message_words[HB_MESSAGE_OPENED];
    }
    if (hb_joint_state_knows(state->commitments)) {
        return hb_message_words[trial ? HB_MESSAGE_INPUT : HB_MESSAGE_FIRST];
    }
    return hb_message_words[trial ? HB_MESSAGE_INPUT_COMMIT : HB_MESSAGE_COMMIT];
}

static void print_state(const hb_group *group, const hb_common *common, const hb_joint_state *state, const char *key)
{
    static const char *const what[HB_JOINT_PURPOSES] = {"a session", "a later round of a session",
                                                        "a trial of joint keys"};
    static const char *const labels[HB_JOINT_PURPOSES] = {"session     ", "later round ", "trial       "};
    char id[2 * HB_DIGEST_BYTES + 1];
    hb_hex(id, state->id, sizeof state->id);
    hb_console_result(group, common, "kind         steps of the owner %s at %s", state->name, what[state->purpose]);
    hb_console_result(group, common, "%s %s", labels[state->purpose], id);
    hb_console_result(group, common, "last step    %s", last_step(state));
    if (state->purpose == HB_JOINT_SESSION) {
        hb_console_result(group, common, "key id       %s", key != NULL ? key : "not compared yet");
        hb_console_result(group, common, "parts        %s", state->parts ? "a ledger was begun" : "none");
    }
}

static json_t *state_json(const char *path, const hb_joint_state *state, const char *key)
{
    char id[2 * HB_DIGEST_BYTES + 1];
    hb_hex(id, state->id, sizeof state->id);
    json_t *json =
        json_pack("{s:o, s:s, s:s, s:s, s:s, s:s}", "file", hb_report_text(path), "kind", "state", "purpose",
                  hb_joint_purpose_words[state->purpose], "name", state->name, "id", id, "step", last_step(state));
    if (state->purpose == HB_JOINT_SESSION) {
        json_object_set_new(json, "key_id", hb_report_text(key));
        json_object_set_new(json, "parts", json_boolean(state->parts));
    }
    return json;
}

static hb_status info_state(const hb_group *group, const hb_common *common, const char *path)
{
    static const uint8_t none[HB_KEY_ID_BYTES];
    hb_joint_state state;
    char digits[2 * HB_KEY_ID_BYTES + 1];
    HB_TRY(hb_joint_state_read(path, &state));
    hb_hex(digits, state.key_id, sizeof state.key_id);
    const char *key = memcmp(state.key_id, none, sizeof none) != 0 ? digits : NULL;
    print_state(group, common, &state, key);
    const hb_status st = common->json ? hb_report_results(group, "info", state_json(path, &state, key)) : HB_OK;
    hb_joint_state_clear(&state);
    return st;
}

/* A session, with the later rounds that are beside it. */
static json_t *all_json(const hb_info_session *info, const hb_joint_rounds *rounds)
{
    json_t *session = hb_info_session_json(info), *more = json_array();
    for (uint32_t i = 0; i < rounds->count; i++) {
        const hb_info_session later = hb_info_round(info->params, &rounds->file[i].round);
        json_array_append_new(more, hb_info_session_json(&later));
    }
    json_object_set_new(session, "more", more);
    return session;
}

static hb_status info_session(const hb_group *group, const hb_common *common, const char *path)
{
    hb_session_file file = {.cards = NULL};
    hb_joint_rounds rounds = {.file = NULL};
    hb_params *params = NULL;
    char *folder = NULL;
    hb_status st;
    HB_GOTO(hb_session_file_read(path, &file));
    HB_GOTO(hb_params_open(&file.spec, &params));
    HB_GOTO(hb_folder_of(path, &folder));
    HB_GOTO(hb_joint_rounds_open(&rounds, folder, &file, params));
    const hb_info_session info = {params, &file.session, file.id, 0};
    hb_console_result(group, common, "kind         session of joint keys");
    hb_info_print_session(hb_console_speaker(true), group, common, &info);
    for (uint32_t i = 0; i < rounds.count; i++) {
        const hb_info_session later = hb_info_round(params, &rounds.file[i].round);
        hb_info_print_session(hb_console_speaker(true), group, common, &later);
    }
    st = common->json ? hb_report_results(group, "info", all_json(&info, &rounds)) : HB_OK;
done:
    free(folder);
    hb_joint_rounds_close(&rounds);
    hb_params_close(params);
    hb_session_file_clear(&file);
    return st;
}

/* Its id and keys are known where the session is that it belongs to: hebatch info FOLDER shows them. */
static hb_status info_more(const hb_group *group, const hb_common *common, const char *path,
                           const hb_joint_label *label)
{
    char session[2 * HB_DIGEST_BYTES + 1];
    hb_hex(session, label->session, sizeof label->session);
    hb_console_result(group, common, "kind         more keys of a session; hebatch info of its folder has them");
    hb_console_result(group, common, "session      %s", session);
    return common->json ? hb_report_results(group, "info",
                                            json_pack("{s:o, s:s, s:s}", "file", hb_report_text(path), "kind", "more",
                                                      "session", session))
                        : HB_OK;
}

/* Who has no session can check nothing in it: it is said what it claims to be. */
static hb_status info_message(const hb_group *group, const hb_common *common, const char *path,
                              const hb_joint_label *label)
{
    char session[2 * HB_DIGEST_BYTES + 1];
    hb_hex(session, label->session, sizeof label->session);
    hb_console_result(group, common, "kind         '%s' of %s, as it says; keygen --join%s checks it", label->kind,
                      label->from, label->trial ? " --trial" : "");
    hb_console_result(group, common, "session      %s", session);
    return common->json ? hb_report_results(group, "info",
                                            json_pack("{s:o, s:s, s:s, s:s}", "file", hb_report_text(path), "kind",
                                                      label->kind, "from", label->from, "session", session))
                        : HB_OK;
}

hb_status hb_info_ledger(const hb_group *group, const hb_common *common, const char *path)
{
    char session[2 * HB_DIGEST_BYTES + 1];
    uint8_t id[HB_DIGEST_BYTES];
    uint64_t count;
    HB_TRY(hb_ledger_read_count(path, id, &count));
    hb_hex(session, id, sizeof id);
    hb_console_result(group, common, "file         %s", path);
    hb_console_result(group, common, "kind         ledger of the parts that an owner of joint keys made");
    hb_console_result(group, common, "session      %s", session);
    hb_console_result(group, common,
                      "recorded     %" PRIu64 " results; the plan of hebatch decrypt --part says how many are left",
                      count);
    return common->json ? hb_report_results(group, "info",
                                            json_pack("{s:o, s:s, s:s, s:I}", "file", hb_report_text(path), "kind",
                                                      "ledger", "session", session, "recorded", (json_int_t)count))
                        : HB_OK;
}

static hb_status info_file(const hb_group *group, const hb_common *common, const char *path)
{
    hb_joint_label label;
    HB_TRY(hb_joint_label_read(path, &label));
    hb_console_result(group, common, "file         %s", path);
    if (label.from[0] != '\0') {
        return info_message(group, common, path, &label);
    }
    return strcmp(label.kind, "card") == 0      ? info_card(group, common, path)
           : strcmp(label.kind, "party") == 0   ? info_party(group, common, path)
           : strcmp(label.kind, "session") == 0 ? info_session(group, common, path)
           : strcmp(label.kind, "more") == 0    ? info_more(group, common, path, &label)
                                                : info_state(group, common, path);
}

hb_status hb_info_joint(const hb_group *group, const hb_common *common, const char *path)
{
    char *session;
    if (!hb_path_is_folder(path)) {
        return info_file(group, common, path);
    }
    HB_TRY(hb_path_with(path, "/" HB_SESSION_FILE, &session));
    const hb_status st = info_file(group, common, session);
    free(session);
    return st;
}

static json_t *owners_json(const hb_joint_session *session)
{
    json_t *owners = json_array();
    for (uint32_t i = 0; i < session->owners; i++) {
        json_array_append_new(owners, json_pack("{s:s, s:s}", "name", session->cards[i].name, "fingerprint",
                                                hb_fingerprint_of(&session->cards[i]).text));
    }
    return owners;
}

static json_t *round_json(const hb_info_session *info)
{
    const hb_joint_session *session = info->session;
    char id[2 * HB_DIGEST_BYTES + 1];
    hb_hex(id, info->id, HB_DIGEST_BYTES);
    json_t *elements = json_array();
    for (uint32_t i = 0; i < session->rotation_count; i++) {
        json_array_append_new(elements, json_integer((json_int_t)session->rotations[i].element));
    }
    return json_pack("{s:s, s:i, s:s, s:b, s:o}", "kind", "more", "round", (int)info->round, "id", id, "relin",
                     session->relin_limbs != 0, "elements", elements);
}

json_t *hb_info_session_json(const hb_info_session *info)
{
    const hb_joint_session *session = info->session;
    if (info->round != 0) {
        return round_json(info);
    }
    char id[2 * HB_DIGEST_BYTES + 1];
    if (info->id != NULL) {
        hb_hex(id, info->id, HB_DIGEST_BYTES);
    }
    return json_pack("{s:s, s:o, s:o, s:i, s:I, s:b, s:i, s:o}", "kind", "session", "session",
                     hb_report_text(info->id != NULL ? id : NULL), "params", hb_report_params(info->params),
                     "threshold", (int)session->threshold, "results", (json_int_t)session->results, "relin",
                     session->relin_limbs != 0, "rotations", (int)session->rotation_count, "owners",
                     owners_json(session));
}
