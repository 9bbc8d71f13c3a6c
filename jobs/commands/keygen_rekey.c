/* hebatch keygen --rekey: the key that brings datasets of one pair under another. */

#include "cli/console.h"
#include "cli/parse.h"
#include "cli/report.h"
#include "keygen.h"
#include "keys/rekey_keygen.h"

static hb_status understand(const hb_keygen_words *w, hb_seed *root, hb_rekey_keygen_options *options)
{
    const bool others = hb_params_is_chosen(&w->params) || w->seal || w->cost != NULL || w->model != NULL ||
                        w->follow_files || w->ring > 0 || !hb_keygen_request_is_empty(&w->request);
    const char *to = hb_is_given(w->to) ? w->to : NULL, *key = hb_is_given(w->secret) ? w->secret : NULL;
    if (others) {
        return HB_FAIL(HB_EUSAGE, "--rekey makes the key from one pair to another and nothing else: leave out the "
                                  "options of other keys");
    }
    if ((to == NULL) == (key == NULL)) {
        return HB_FAIL(HB_EUSAGE,
                       "--rekey %s: give --key (or HEBATCH_KEY) with secret.h5 of your new pair, or --to "
                       "with public.h5 of another person",
                       w->rekey);
    }
    if (!hb_is_given(w->directory)) {
        return HB_FAIL(HB_EUSAGE, "--out DIR is missing: where the rekeying key goes");
    }
    if (hb_session_is_stdin(w->rekey) || hb_session_is_stdin(to != NULL ? to : key)) {
        return HB_FAIL(HB_EUSAGE, "-: --rekey reads two keys: give their files");
    }
    if (w->test_seed != NULL) {
        HB_TRY(hb_parse_hex(w->test_seed, root->bytes, sizeof root->bytes));
    }
    *options = (hb_rekey_keygen_options){.from = w->rekey,
                                         .key = key,
                                         .to = to,
                                         .directory = w->directory,
                                         .device = w->device,
                                         .root = w->test_seed != NULL ? root : NULL,
                                         .dry_run = w->dry_run};
    return HB_OK;
}

static json_t *job_json(const hb_rekey_keygen *job)
{
    char from[2 * HB_KEY_ID_BYTES + 1], to[2 * HB_KEY_ID_BYTES + 1];
    const hb_params_spec *spec = &job->session.params->spec;
    hb_hex(from, job->facts.from, HB_KEY_ID_BYTES);
    hb_hex(to, job->session.key_id, HB_KEY_ID_BYTES);
    return json_pack("{s:o, s:s, s:s, s:s, s:b, s:I, s:I, s:o, s:o}", "file", hb_report_text(job->path), "kind",
                     hb_key_sort_text(HB_KEY_REKEY), "key_id", to, "from_key_id", from, "another",
                     (int)job->facts.another, "limbs", (json_int_t)hb_key_name_limbs(spec, job->name), "bytes",
                     (json_int_t)job->bytes, "params", hb_report_params(job->session.params), "device",
                     hb_device_json(&job->device, job->session.engine));
}

static void print_made(const hb_rekey_keygen *job, hb_group *group, const hb_common *common)
{
    const hb_params *params = job->session.params;
    char from[2 * HB_KEY_ID_BYTES + 1], to[2 * HB_KEY_ID_BYTES + 1];
    hb_hex(from, job->facts.from, HB_KEY_ID_BYTES);
    hb_hex(to, job->session.key_id, HB_KEY_ID_BYTES);
    if (job->options.root != NULL) {
        hb_console_warn(group, "INSECURE TEST SEED: ANYONE WHO SEES THIS COMMAND LINE HAS THE OLD SECRET KEY");
    }
    if (params->spec.insecure) {
        hb_console_warn_insecure(group, params->chain_bits);
    }
    const hb_speaker say = hb_console_speaker(job->options.dry_run);
    say(group, common, "device       %s", hb_device_name_of(&job->device).text);
    say(group, common, "key          from %s to %s, %s", from, to,
        job->facts.another ? "of another person" : "of the same person");
    say(group, common, "size         %s on disk", hb_human_bytes((double)job->bytes).text);
    if (!job->options.dry_run) {
        hb_console_log(group, common,
                       "this key and the new secret key give the old secret key: only the server that moves the data "
                       "gets it, and deletes it afterwards");
        if (job->facts.another) {
            hb_console_log(group, common, "with it, hebatch rekey takes --key %s, and sanitizes the data",
                           job->options.to);
        }
        hb_console_result(group, common, "%s", job->path);
    }
}

hb_status hb_keygen_rekey(hb_group *group, const hb_common *common, const hb_keygen_words *words)
{
    hb_rekey_keygen_options options;
    hb_rekey_keygen job = {.path = NULL};
    hb_seed root;
    hb_status st;
    HB_GOTO(understand(words, &root, &options));
    HB_GOTO(hb_rekey_keygen_run(&job, group, &options));
    print_made(&job, group, common);
    if (common->json) {
        st = hb_report_results(group, "keygen", job_json(&job));
    }
done:
    hb_wipe(&root, sizeof root);
    hb_rekey_keygen_close(&job);
    return st;
}
