#include "pass_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/files/durable.h"
#include "job_private.h"

/* The names of a kind's files, and the label of their identity's digest. */
static const struct {
    const char *name, *digest;
} kinds[] = {[HB_PASS_SUMS] = {HB_SUMS_NAME, "hebatch sums"}, [HB_PASS_TOTALS] = {HB_TOTALS_NAME, "hebatch totals"}};

/* Returns the path of the file; the caller frees it. */
static hb_status path_of(const hb_eval_job *job, hb_pass_file kind, uint32_t pass, char **path)
{
    char name[64];
    const uint32_t residue = hb_spec_residue(&job->base.session.params->spec);
    snprintf(name, sizeof name, ".partial/%s%" PRIu64, kinds[kind].name, residue * UINT64_C(1000000000) + pass);
    return hb_path_with(job->outputs.output[0].path, name, path);
}

/* Computes the identity of the contents. */
static void identify(const hb_eval_job *job, hb_pass_file kind, uint32_t pass, uint8_t identity[HB_DIGEST_BYTES])
{
    hb_digest_state state;
    hb_eval_job_digest_pass(&state, kinds[kind].digest, job, pass);
    hb_digest_end(&state, identity);
}

hb_status hb_pass_file_begin(const hb_eval_job *job, hb_pass_file kind, uint32_t pass, hb_checkpoint_file *file)
{
    uint8_t identity[HB_DIGEST_BYTES];
    identify(job, kind, pass, identity);
    return hb_checkpoint_file_begin(file, identity);
}

hb_status hb_pass_file_write(const hb_eval_job *job, hb_pass_file kind, uint32_t pass, hb_checkpoint_file *file)
{
    char *path;
    HB_TRY(path_of(job, kind, pass, &path));
    const hb_status st = hb_checkpoint_file_write(file, path);
    free(path);
    return st;
}

hb_status hb_pass_file_read(const hb_eval_job *job, hb_pass_file kind, uint32_t pass, hb_checkpoint_file *file)
{
    char *path;
    uint8_t identity[HB_DIGEST_BYTES];
    identify(job, kind, pass, identity);
    HB_TRY(path_of(job, kind, pass, &path));
    const hb_status st = hb_checkpoint_file_read(file, path, identity);
    free(path);
    return st;
}

void hb_pass_file_remove(const hb_eval_job *job, hb_pass_file kind, uint32_t pass)
{
    char *path;
    if (path_of(job, kind, pass, &path) == HB_OK) {
        (void)unlink(path);
        free(path);
    }
}
