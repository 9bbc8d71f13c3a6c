/* hebatch keygen: a key pair in a directory of its own, and the keys for computing beside it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/console.h"
#include "cli/parse.h"
#include "cli/report.h"
#include "commands.h"
#include "keygen.h"
#include "keys/seal_cost.h"
#include "model/model.h"
#include "scheme/params.h"
#include "scheme/slots.h"

/* Tells whether a new pair is made, and with which parameters, or keys are added to one. */
static hb_status choose_pair(const hb_keygen_words *w, hb_params_spec *spec, hb_keygen_options *options)
{
    const bool output = hb_is_given(w->directory), secret = hb_is_given(w->secret);
    options->output = output ? w->directory : NULL;
    options->secret = output ? NULL : w->secret;
    options->spec = output ? spec : NULL;
    if (secret && hb_session_is_stdin(w->secret)) {
        return HB_FAIL(HB_EUSAGE, "--key -: keys are made beside the file of the secret one: give that file");
    }
    if (w->ring > 0) {
        return hb_keygen_ring_spec(w, spec);
    }
    if (output && secret) {
        return HB_FAIL(HB_EUSAGE, "--out makes a new pair, --key (or HEBATCH_KEY) adds to an existing one: give one of "
                                  "them");
    }
    if (!output && !secret) {
        return HB_FAIL(HB_EUSAGE, "--out DIR is missing: where the key files go (or --key, to add to a pair)");
    }
    if (secret && hb_params_is_chosen(&w->params)) {
        return HB_FAIL(HB_EUSAGE, "the parameters are those of --key: leave out the options that choose others");
    }
    return output ? hb_params_choose(&w->params, spec) : HB_OK;
}

static hb_status understand(const hb_keygen_words *w, hb_params_spec *spec, hb_seed *root, hb_keygen_options *options)
{
    *options = (hb_keygen_options){.request = w->request, .device = w->device};
    if (hb_is_given(w->to)) {
        return HB_FAIL(HB_EUSAGE, "--to names the key that --rekey OLD/secret.h5 leads to");
    }
    HB_TRY(choose_pair(w, spec, options));
    if (w->cost != NULL || w->seal) {
        if (options->output == NULL || !w->seal) {
            return HB_FAIL(HB_EUSAGE, "--seal and its --cost are for a new pair: hebatch passphrase seals a key that "
                                      "is there");
        }
        options->seal = true;
        options->cost = HB_SEAL_MODERATE;
        if (w->cost != NULL) {
            HB_TRY(hb_seal_cost_parse(w->cost, &options->cost));
        }
    }
    if (w->test_seed != NULL) {
        HB_TRY(hb_parse_hex(w->test_seed, root->bytes, sizeof root->bytes));
        options->root = root;
    }
    return HB_OK;
}

static void warn(const hb_keygen_job *job)
{
    const hb_params *params = job->session.params;
    if (job->options.root != NULL) {
        hb_console_warn(job->group, "INSECURE TEST SEED: ANYONE WHO SEES THIS COMMAND LINE HAS THE SECRET KEY");
    }
    if (params->spec.insecure) {
        hb_console_warn_insecure(job->group, params->chain_bits);
    }
}

/* Keys are made without the ranges of values, so that nobody knows here whether results fit. */
static void say_modulus(const hb_keygen_job *job)
{
    const hb_params_spec *spec = &job->session.params->spec;
    if (job->options.request.expression != NULL && spec->scheme == HB_BFV && hb_spec_residues(spec) == 1) {
        hb_console_log(job->group, job->common,
                       "t = %" PRIu64 " holds results from 0 to %" PRIu64 ", or from -%" PRIu64 " to %" PRIu64
                       "; others wrap. keygen knows no values: params suggest --range finds a t that holds them",
                       spec->bfv.plain, spec->bfv.plain - 1, spec->bfv.plain / 2, (spec->bfv.plain - 1) / 2);
    }
}

/* Prints the keys to make and their sizes, each by itself unless they are many in a log. */
static void print_keys(const hb_keygen_job *job, bool results)
{
    enum { MANY = 16 };
    const hb_speaker say = hb_console_speaker(results);
    const hb_params_spec *spec = &job->session.params->spec;
    uint64_t bytes = 0;
    bool alike = true;
    for (uint32_t i = 0; i < job->count; i++) {
        const hb_keygen_key *key = &job->keys[i];
        bytes += key->bytes;
        alike = alike && key->bytes == job->keys[0].bytes;
        if (results || job->count <= MANY) {
            say(job->group, job->common, "key          %s, %s%s", key->path, hb_key_text_of(spec, key->name).text,
                key->there ? ": is there and stays" : "");
        }
    }
    if (job->count > MANY) {
        say(job->group, job->common, "keys         %" PRIu32 " in %s, %" PRIu32 " of them to be made by %s", job->count,
            job->directory, job->missing, hb_human_things((uint64_t)job->group->size, "rank").text);
    }
    if (job->count > 0 && alike) {
        say(job->group, job->common, "size         %s a key on disk, %s in the memory of a device",
            hb_human_bytes((double)job->keys[0].bytes).text,
            hb_human_bytes((double)job->device_bytes / job->count).text);
    } else if (job->count > 0) {
        say(job->group, job->common, "size         %s on disk, %s in the memory of a device that has all of them",
            hb_human_bytes((double)bytes).text, hb_human_bytes((double)job->device_bytes).text);
    }
}

/* The plan as results, or as log. */
static void print_plan(const hb_keygen_job *job, bool results)
{
    const hb_speaker say = hb_console_speaker(results);
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
    if (job->count == 0 && job->options.request.expression != NULL) {
        say(job->group, job->common, "key          none: the expression is computed without");
    }
    print_keys(job, results);
    say(job->group, job->common, "disk         %s to write, %s free", hb_human_bytes((double)job->output_bytes).text,
        hb_human_bytes((double)job->free_bytes).text);
}

static json_t *key_json(const hb_keygen_job *job, const hb_keygen_key *key)
{
    int swap = 0;
    const hb_params_spec *spec = &job->session.params->spec;
    const int64_t step = key->name.sort == HB_KEY_GALOIS ? hb_slots_step(spec, key->name.element, &swap) : 0;
    return json_pack("{s:o, s:s, s:I, s:I, s:b, s:I, s:I, s:b}", "file", hb_report_text(key->path), "kind",
                     hb_key_sort_text(key->name.sort), "element", (json_int_t)key->name.element, "step",
                     (json_int_t)step, hb_slots_swap_word(spec), swap, "limbs",
                     (json_int_t)hb_key_name_limbs(spec, key->name), "bytes", (json_int_t)key->bytes, "was_there",
                     (int)key->there);
}

/* The keys to make, or the made ones; NULL when out of memory. ring_key: the key from a smaller ring; NULL: none. */
static json_t *job_json(const hb_keygen_job *job, const char *ring_key)
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
    return json_pack("{s:o*, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:f, s:o}", "ring_key",
                     ring_key != NULL ? hb_report_text(ring_key) : NULL, "key_id", hb_report_text(known ? id : NULL),
                     "secret", hb_report_text(job->options.output != NULL ? job->secret : job->options.secret),
                     "public", hb_report_text(job->options.output != NULL || job->public_missing ? job->public : NULL),
                     "params", hb_report_params(job->session.params), "keys", keys, "device_key_bytes",
                     (json_int_t)hb_switch_key_prepared_bytes(job->session.params), "output_bytes",
                     (json_int_t)job->output_bytes, "free_bytes", (json_int_t)job->free_bytes, "device_bytes",
                     (json_int_t)job->device_bytes, "key_seconds", job->seconds, "device",
                     hb_device_json(&job->device, job->session.engine));
}

static void print_made(const hb_keygen_job *job)
{
    char id[2 * HB_KEY_ID_BYTES + 1];
    hb_hex(id, job->session.key_id, HB_KEY_ID_BYTES);
    if (job->secret_made) {
        hb_console_log(job->group, job->common, "secret key %s: keep it private, nobody can decrypt without it",
                       job->secret);
    }
    if (job->public_made) {
        hb_console_log(job->group, job->common, "public key %s", job->public);
    }
    if (job->count > 0) {
        hb_console_log(job->group, job->common,
                       "keys for computing: %" PRIu32 " made, %" PRIu32 " were there, in %.1f s", job->missing,
                       job->count - job->missing, job->seconds);
    }
    hb_console_result(job->group, job->common, "%s", id);
}

/* The keys of a model are those of its statements. */
static hb_status read_model(hb_keygen_words *w, hb_model *model)
{
    if (w->model == NULL) {
        return w->follow_files ? HB_FAIL(HB_EUSAGE, "--follow-files is for the tables of --model NET.json") : HB_OK;
    }
    if (w->request.expression != NULL || w->request.block > 0) {
        return HB_FAIL(HB_EUSAGE, w->request.expression != NULL
                                      ? "--model stands in the place of --for: give one of them"
                                      : "--block: for rows within slots, eval names the keys of a model");
    }
    HB_TRY(hb_model_read(model, w->model, w->follow_files));
    w->request.expression = model->text;
    return HB_OK;
}

static hb_status keygen(hb_group *group, const hb_common *common, hb_keygen_words *w)
{
    hb_params_spec spec;
    hb_model model = {0};
    hb_keygen_options options;
    hb_keygen_job job = {0};
    hb_seed root;
    char *ring_key = NULL;
    bool joint;
    hb_status st;
    HB_GOTO(hb_agree(group, read_model(w, &model)));
    HB_GOTO(hb_keygen_is_joint(w, &joint));
    if (joint || hb_is_given(w->rekey)) {
        HB_GOTO(joint ? hb_keygen_joint(group, common, w) : hb_keygen_rekey(group, common, w));
        goto done;
    }
    HB_GOTO(hb_agree(group, understand(w, &spec, &root, &options)));
    HB_GOTO(hb_keygen_job_open(&job, group, common, &options));
    warn(&job);
    say_modulus(&job);
    print_plan(&job, w->dry_run);
    if (!w->dry_run) {
        HB_GOTO(hb_keygen_job_run(&job));
        print_made(&job);
    }
    if (w->ring > 0 && !w->dry_run) {
        HB_GOTO(hb_keygen_ring_key(group, w, options.root, &ring_key));
        hb_console_log(group, common,
                       "key %s: brings rows of %s into the ring of %s; for the server alone, as with the secret key of "
                       "the larger ring it gives that of the smaller one",
                       ring_key, w->directory, w->secret);
    }
    if (common->json) {
        HB_GOTO(hb_report_results(group, "keygen", job_json(&job, ring_key)));
    }
done:
    free(ring_key);
    hb_wipe(&root, sizeof root);
    hb_keygen_job_close(&job);
    hb_model_clear(&model);
    return st;
}

static hb_status refuse_operand(const char *word)
{
    const char *name;
    for (size_t i = 0; (name = hb_params_preset_name(i)) != NULL; i++) {
        if (strcmp(word, name) == 0) {
            return HB_FAIL(HB_EUSAGE, "unexpected argument '%s'; did you mean --params %s?", word, word);
        }
    }
    return HB_FAIL(HB_EUSAGE, "unexpected argument '%s'; --help shows the usage", word);
}

/* Options of keygen alone. */
enum { OWN_OPTIONS = 24 };

static void own_options(hb_option rows[OWN_OPTIONS], hb_keygen_words *w)
{
    const hb_option own[] = {
        {"out", 'o', HB_OPTION_TEXT, &w->directory, "DIR",
         "directory for secret.h5 (0600) and public.h5; nothing is overwritten"},
        {"key", 'k', HB_OPTION_TEXT, &w->secret, "FILE",
         "instead: secret.h5 of a pair that gets more keys; those that are there stay"},
        {"rekey", 0, HB_OPTION_TEXT, &w->rekey, "FILE",
         "make the key that brings data of this secret.h5 under that of --key, or --to"},
        {"to", 0, HB_OPTION_TEXT, &w->to, "FILE", "with --rekey: public.h5 of another person, in the place of --key"},
        {"ring", 0, HB_OPTION_ABOVE_0, &w->ring, "N",
         "with --key and --out: a pair of degree N, for encrypt --spread; its key beside --key"},
        {"relin", 0, HB_OPTION_FLAG, &w->request.relin, NULL, "make the key for products of ciphertexts, relin.h5"},
        {"rotations", 0, HB_OPTION_TEXT, &w->request.rotations, "STEP,..",
         "make keys for rotations of rows, as 1,-4,8..56/8, sum or all (of any step)"},
        {"swap", 0, HB_OPTION_FLAG, &w->request.swap, NULL, "make the key that swaps the two rows"},
        {"conj", 0, HB_OPTION_FLAG, &w->request.conj, NULL, "make the key that conjugates complex values (ckks)"},
        {"bootstrap", 0, HB_OPTION_FLAG, &w->request.bootstrap, NULL, "make the keys of bootstrapping (boot-*, int-*)"},
        {"block", 0, HB_OPTION_ABOVE_0, &w->request.block, "SLOTS",
         "with --for: slots of a row of its datasets (encrypt --pack rows)"},
        {"one-row", 0, HB_OPTION_TEXT, &w->request.one_row, "NAME,..",
         "with --for: names of datasets of one row beside others of more, as w,c; encrypted W of W @ x"},
        {"fill", 0, HB_OPTION_TEXT, &w->request.filled, "NAME,..",
         "with --for: names of datasets of one row that encrypt --fill made"},
        {"spread", 0, HB_OPTION_TEXT, &w->request.spread, "NAME=COLUMNS",
         "with --for: datasets of one row that encrypt --spread made, as q=128,r=3"},
        {"from-ring", 0, HB_OPTION_TEXT, &w->request.rings, "NAME=N",
         "with --spread: those that are encrypted in a smaller ring of degree N (--ring), as q=4096"},
        {"masked", 0, HB_OPTION_TEXT, &w->request.masked, "NAME,..",
         "with --for: names of datasets with columns that have masks (encrypt --missing mask)"},
        {"plain-table", 0, HB_OPTION_TEXT, &w->request.plain, "A=FILE,..",
         "with --for: names of plain tables, not of datasets; no file is read"},
        {"for", 0, HB_OPTION_TEXT, &w->request.expression, "EXPRESSION",
         "make the keys that eval needs for it, of boot-* and int-* those of bootstrapping too"},
        {"model", 0, HB_OPTION_TEXT, &w->model, "NET.json",
         "instead of --for: the keys that eval needs for this model"},
        {"follow-files", 0, HB_OPTION_FLAG, &w->follow_files, NULL,
         "with --model: also read tables outside its folder"},
        {"seal", 0, HB_OPTION_FLAG, &w->seal, NULL,
         "with --out: seal the secret key by a passphrase, from where --passphrase says or asked for"},
        {"cost", 0, HB_OPTION_TEXT, &w->cost, "COST",
         "with --seal: memory of a try: interactive (64 MiB), moderate (default, 256 MiB), sensitive (1 GiB)"},
        {"dry-run", 'n', HB_OPTION_FLAG, &w->dry_run, NULL, "print what would be made, and its sizes, and do nothing"},
        {"insecure-test-seed", 0, HB_OPTION_SEED, &w->test_seed, "HEX",
         "tests only: the same 64 hexadecimal digits give the same keys"}};
    _Static_assert(sizeof own / sizeof *own == OWN_OPTIONS, "every row is there");
    memcpy(rows, own, sizeof own);
}

static hb_status run(hb_group *group, int argc, char **argv)
{
    enum {
        PARAMS = OWN_OPTIONS,
        DEVICE = PARAMS + HB_PARAMS_OPTIONS,
        JOINT = DEVICE + HB_DEVICE_OPTIONS,
        ROWS = JOINT + HB_OWNERS_OPTIONS
    };
    hb_keygen_words w = {0};
    hb_parsed parsed;
    hb_option rows[ROWS];
    own_options(rows, &w);
    hb_params_options(rows + PARAMS, &w.params);
    hb_device_options(rows + DEVICE, HB_DEVICE_OPTIONS, &w.device);
    hb_owners_options(rows + JOINT, &w.owners);
    const hb_usage usage = {&hb_command_keygen, rows, ROWS, 0, 1, 0};
    HB_TRY(hb_options_parse(&usage, group, argc, argv, &parsed));
    if (!parsed.help && parsed.operand_count > 0) {
        return refuse_operand(parsed.operands[0]);
    }
    return parsed.help ? HB_OK : keygen(group, &parsed.common, &w);
}

const hb_command hb_command_keygen = {.name = "keygen",
                                      .arguments = "--params NAME --out DIR | --key FILE [OPTIONS]",
                                      .summary = "make a key pair, or keys for computing; prints the key id",
                                      .notes = "Keys of several owners, who decrypt together: hebatch help owners",
                                      .ranks = true,
                                      .run = run};
