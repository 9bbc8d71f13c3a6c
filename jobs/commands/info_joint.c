#include <inttypes.h>

#include "cli/params_options.h"
#include "cli/parse.h"
#include "cli/report.h"
#include "info.h"
#include "owners/party.h"

static void print_keys(hb_speaker say, const hb_group *group, const hb_common *common, const hb_joint_session *session)
{
    const char *relin = session->relin_limbs != 0 ? "relinearization key and " : "";
    say(group, common, "keys         public key, %s%s", relin,
        hb_human_things(session->rotation_count, "rotation key").text);
}

void hb_info_print_session(hb_speaker say, const hb_group *group, const hb_common *common, const hb_info_session *info)
{
    const hb_joint_session *session = info->session;
    const hb_params *params = info->params;
    char brief[HB_PARAMS_BRIEF], id[2 * HB_DIGEST_BYTES + 1];
    if (info->id != NULL) {
        hb_hex(id, info->id, HB_DIGEST_BYTES);
        say(group, common, "session      %s", id);
    }
    hb_params_brief(brief, &params->spec);
    say(group, common, "parameters   %s: N %zu, %" PRIu32 " primes of %" PRIu32 " bits in all, %s", params->name,
        params->spec.n, params->spec.key_limbs, params->chain_bits, brief);
    say(group, common, "security     %s",
        hb_security_claim(params->spec.security, params->spec.n, params->chain_bits).text);
    print_keys(say, group, common, session);
    say(group, common, "decrypt      %" PRIu32 " of %" PRIu32 " owners, %" PRIu64 " ciphertexts in all",
        session->threshold, session->owners, session->results);
    for (uint32_t i = 0; i < session->owners; i++) {
        say(group, common, "owner        %s: %s", session->cards[i].name, hb_fingerprint_of(&session->cards[i]).text);
    }
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

json_t *hb_info_session_json(const hb_info_session *info)
{
    const hb_joint_session *session = info->session;
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
