/* hebatch keygen: a key pair of its own directory. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "console.h"
#include "device.h"
#include "durable.h"
#include "keyfile.h"
#include "params_options.h"
#include "parse.h"
#include "report.h"

typedef struct key_paths {
    char *secret, *public;
} key_paths;

static void paths_clear(key_paths *paths)
{
    free(paths->secret);
    free(paths->public);
}

static hb_status refuse_existing(const char *path)
{
    struct stat status;
    if (lstat(path, &status) == 0) {
        return HB_FAIL(HB_ECREATE, "%s exists: a key is never overwritten; choose another --out", path);
    }
    return errno == ENOENT ? HB_OK : HB_FAIL(HB_ECREATE, "cannot create %s: %s", path, strerror(errno));
}

/* The directory, private if it is new, and the names in it, both free. */
static hb_status prepare(const char *directory, key_paths *paths)
{
    if (mkdir(directory, 0700) != 0 && errno != EEXIST) {
        return HB_FAIL(HB_ECREATE, "cannot create the directory %s: %s", directory, strerror(errno));
    }
    HB_TRY(hb_path_with(directory, "/secret.h5", &paths->secret));
    HB_TRY(hb_path_with(directory, "/public.h5", &paths->public));
    HB_TRY(refuse_existing(paths->secret));
    return refuse_existing(paths->public);
}

/* What is opened and made on the way. */
typedef struct keygen_job {
    hb_params *params;
    hb_device device;
    hb_engine *engine;
    key_paths paths;
    hb_keyfile secret_file, public_file;
} keygen_job;

static void job_clear(keygen_job *job)
{
    hb_keyfile_clear(&job->public_file);
    hb_keyfile_clear(&job->secret_file);
    paths_clear(&job->paths);
    hb_engine_close(job->engine);
    hb_params_close(job->params);
}

/* Draws the pair of `root` into the contents of the two key files. */
static hb_status make_pair(keygen_job *job, const hb_seed *root)
{
    const hb_params *params = job->params;
    hb_keyfile *secret_file = &job->secret_file, *public_file = &job->public_file;
    hb_secret_key secret = {0};
    hb_public_key public = {0};
    hb_status st;
    *secret_file = (hb_keyfile){.kind = HB_KEY_SECRET, .spec = params->spec, .ternary = malloc(params->spec.n)};
    *public_file = (hb_keyfile){.kind = HB_KEY_PUBLIC, .spec = params->spec};
    public_file->packed_bytes = hb_packed_bytes(&params->ring, params->ids, params->key_limbs);
    public_file->packed_b = malloc(public_file->packed_bytes);
    if (secret_file->ternary == NULL || public_file->packed_b == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "out of memory for a key of N = %zu", params->spec.n));
    }
    HB_GOTO(hb_secret_draw(job->engine, params, root, secret_file->ternary));
    hb_seed_public(&public_file->public_seed, 1, root, 0);
    HB_GOTO(hb_secret_key_load(&secret, job->engine, params, secret_file->ternary));
    HB_GOTO(hb_public_key_generate(&public, &secret, root, &public_file->public_seed));
    HB_GOTO(hb_public_key_pack(&public, public_file->packed_b));
    hb_key_id(public_file->key_id, params, &public_file->public_seed, public_file->packed_b);
    memcpy(secret_file->key_id, public_file->key_id, HB_KEY_ID_BYTES);
done:
    hb_public_key_clear(&public);
    hb_secret_key_clear(&secret);
    return st;
}

/* Both files or neither. */
static hb_status write_pair(const keygen_job *job)
{
    HB_TRY(hb_keyfile_write(job->paths.secret, &job->secret_file));
    hb_status st = hb_keyfile_write(job->paths.public, &job->public_file);
    if (st != HB_OK) {
        unlink(job->paths.secret);
    }
    return st;
}

static hb_status print_pair(const hb_group *group, const hb_common *common, const keygen_job *job)
{
    const key_paths *paths = &job->paths;
    char id[2 * HB_KEY_ID_BYTES + 1];
    hb_hex(id, job->public_file.key_id, HB_KEY_ID_BYTES);
    hb_console_log(group, common, "secret key %s: keep it private, nobody can decrypt without it", paths->secret);
    hb_console_log(group, common, "public key %s", paths->public);
    hb_console_result(group, common, "%s", id);
    if (!common->json) {
        return HB_OK;
    }
    return hb_report_results(group, "keygen",
                             json_pack("{s:s, s:o, s:o, s:o, s:o}", "key_id", id, "secret",
                                       hb_report_text(paths->secret), "public", hb_report_text(paths->public), "params",
                                       hb_report_params(job->params), "device",
                                       hb_device_json(&job->device, job->engine)));
}

/* What the words of the command line say. */
typedef struct words {
    const char *directory, *test_seed;
    hb_params_choice params;
    hb_device_choice device;
} words;

static hb_status keygen(hb_group *group, const hb_common *common, const words *w)
{
    hb_params_spec spec;
    keygen_job job = {0};
    hb_seed root = {{0}};
    hb_status st;
    HB_GOTO(hb_params_choose(&w->params, &spec));
    HB_GOTO(hb_params_open(&spec, &job.params));
    HB_GOTO(hb_device_choose(&job.device, group, &w->device));
    if (w->test_seed == NULL) {
        hb_seed_random(&root);
    } else {
        HB_GOTO(hb_parse_hex(w->test_seed, root.bytes, sizeof root.bytes));
        hb_console_warn(group, "INSECURE TEST SEED: ANYONE WHO SEES THIS COMMAND LINE HAS THE SECRET KEY");
    }
    if (job.params->spec.insecure) {
        hb_console_warn(group, "INSECURE PARAMETERS: %" PRIu32 " BITS, ABOVE THE HE-STANDARD TABLE",
                        job.params->chain_bits);
    }
    HB_GOTO(hb_device_open(&job.device, job.params, &job.engine));
    HB_GOTO(prepare(w->directory, &job.paths));
    HB_GOTO(make_pair(&job, &root));
    HB_GOTO(write_pair(&job));
    HB_GOTO(print_pair(group, common, &job));
done:
    hb_wipe(&root, sizeof root);
    job_clear(&job);
    return st;
}

static hb_status run(hb_group *group, int argc, char **argv)
{
    enum { OWN = 2, ROWS = OWN + HB_PARAMS_OPTIONS + HB_DEVICE_OPTIONS };
    words w = {0};
    hb_parsed parsed;
    hb_option rows[ROWS] = {{"out", 'o', HB_OPTION_TEXT, &w.directory, "DIR",
                             "directory for secret.h5 (mode 0600) and public.h5; made with\nmode 0700 if missing, "
                             "neither file is overwritten"},
                            {"insecure-test-seed", 0, HB_OPTION_TEXT, &w.test_seed, "HEX",
                             "tests only: the same 64 hexadecimal digits give the same keys"}};
    hb_params_options(rows + OWN, &w.params);
    hb_device_options(rows + OWN + HB_PARAMS_OPTIONS, HB_DEVICE_OPTIONS, &w.device);
    HB_TRY(hb_options_parse(&hb_command_keygen, group, rows, ROWS, 0, 0, argc, argv, &parsed));
    if (parsed.help) {
        return HB_OK;
    }
    if (w.directory == NULL || w.directory[0] == '\0') {
        return HB_FAIL(HB_EUSAGE, "--out DIR is missing: where the key files go");
    }
    return keygen(group, &parsed.common, &w);
}

const hb_command hb_command_keygen = {.name = "keygen",
                                      .arguments = "--params NAME --out DIR [OPTIONS]",
                                      .summary = "make a key pair; prints its key id",
                                      .ranks = false,
                                      .run = run};
