/* What keygen says of its work (keygen_job.h). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/console.h"
#include "cli/report.h"
#include "keygen_job.h"
#include "ring/galois.h"

typedef void (*speaker)(const hb_group *, const hb_common *, const char *, ...);

void hb_keygen_print(const hb_keygen_job *job, bool results)
{
    const speaker say = results ? hb_console_result : hb_console_log;
    const hb_params *params = job->session.params;
    say(job->group, job->common, "device       %s", hb_device_name_of(&job->device).text);
    if (job->options.output != NULL) {
        say(job->group, job->common, "pair         %s, %s", job->secret, job->public);
    }
    if (job->adopted) {
        say(job->group, job->common, "pair         %s, left by an unfinished run: gets its name", job->secret);
    }
    if (job->public_missing) {
        say(job->group, job->common, "pair         %s is missing: made again", job->public);
    }
    say(job->group, job->common, "security     %s",
        hb_security_claim(params->spec.security, params->spec.n, params->chain_bits).text);
    for (uint32_t i = 0; i < job->count; i++) {
        const hb_keygen_key *key = &job->keys[i];
        say(job->group, job->common, "key          %s, %s%s", key->path,
            hb_key_text_of(params->ring.n, key->element).text, key->there ? ": is there and stays" : "");
    }
    if (job->count == 0 && job->options.wants.expression != NULL) {
        say(job->group, job->common, "key          none: the expression is computed without");
    }
    if (job->count > 0) {
        say(job->group, job->common, "size         %s a key on disk, %s in the memory of a device",
            hb_human_bytes((double)job->key_bytes).text,
            hb_human_bytes((double)hb_switch_key_prepared_bytes(params)).text);
    }
    say(job->group, job->common, "disk         %s to write, %s free", hb_human_bytes((double)job->output_bytes).text,
        hb_human_bytes((double)job->free_bytes).text);
}

static json_t *key_json(const hb_keygen_job *job, const hb_keygen_key *key)
{
    int swap = 0;
    const bool relin = key->element == HB_RELINEARIZATION;
    const int64_t step = relin ? 0 : hb_galois_step(job->session.params->ring.n, key->element, &swap);
    return json_pack("{s:o, s:s, s:I, s:I, s:b, s:I, s:b}", "file", hb_report_text(key->path), "kind",
                     relin ? "relinearization key" : "Galois key", "element", (json_int_t)key->element, "step",
                     (json_int_t)step, "swap", swap, "bytes", (json_int_t)job->key_bytes, "was_there", (int)key->there);
}

json_t *hb_keygen_json(const hb_keygen_job *job)
{
    char id[2 * HB_KEY_ID_BYTES + 1];
    const bool known = job->options.output == NULL || job->secret_made;
    hb_hex(id, job->session.key_id, HB_KEY_ID_BYTES);
    json_t *keys = json_array();
    for (uint32_t i = 0; i < job->count; i++) {
        if (json_array_append_new(keys, key_json(job, &job->keys[i])) != 0) {
            json_decref(keys);
            keys = NULL;
            break;
        }
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:o}", "key_id", hb_report_text(known ? id : NULL),
                     "secret", hb_report_text(job->options.output != NULL ? job->secret : job->options.secret),
                     "public", hb_report_text(job->options.output != NULL || job->public_missing ? job->public : NULL),
                     "params", hb_report_params(job->session.params), "keys", keys, "device_key_bytes",
                     (json_int_t)hb_switch_key_prepared_bytes(job->session.params), "output_bytes",
                     (json_int_t)job->output_bytes, "free_bytes", (json_int_t)job->free_bytes, "device",
                     hb_device_json(&job->device, job->session.engine));
}
