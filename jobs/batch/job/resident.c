#include "resident.h"

#include <string.h>

#include "cli/run.h"
#include "machine/machine.h"

hb_resident *hb_resident_of(const hb_group *group)
{
    const hb_run *run = hb_run_of(group);
    return run != NULL ? run->resident : NULL;
}

/* The options that decide on device, engine, ranks and exchange. */
static void digest_choice(uint8_t digest[HB_DIGEST_BYTES], const hb_job_options *options)
{
    const hb_device_choice *device = &options->device;
    const hb_limb_choice *limbs = &options->limbs;
    const char *const texts[] = {device->kind, device->plan, device->check, limbs->ranks, limbs->exchange};
    const uint64_t numbers[] = {device->memory.amount, device->memory.percent, device->share,
                                device->queues,        device->files,          (uint64_t)(limbs->timeout * 1e3)};
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch resident");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        hb_digest_add_text(&state, texts[i] != NULL ? texts[i] : "");
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        hb_digest_add_u64(&state, numbers[i]);
    }
    hb_digest_end(&state, digest);
}

void hb_resident_close(hb_resident *resident)
{
    hb_residents_clear(&resident->datasets); /* they are on its engine */
    hb_block_shelf_bound(&resident->matrices, resident->kept.session.params, 0);
    hb_session_close(&resident->kept.session);
    resident->kept = (hb_job_kept){.session = {.params = NULL}};
    resident->used = resident->taken = false;
}

/* Device and limb ranks that were chosen by the predicted time of one job are chosen again for another. */
static bool suits(const hb_resident *resident, const hb_job *job, const uint8_t choice[HB_DIGEST_BYTES])
{
    return hb_session_fits(&job->session, &resident->kept.session) && !resident->kept.device.predicted &&
           resident->kept.session.trials == NULL && memcmp(resident->choice, choice, sizeof resident->choice) == 0;
}

static hb_status offer(hb_resident *resident, hb_job *job)
{
    uint8_t choice[HB_DIGEST_BYTES];
    digest_choice(choice, &job->options);
    /* One rank may see another file than the others, which the job finds out later. */
    uint64_t unsuited = !suits(resident, job, choice);
    HB_TRY(hb_agree(job->group, hb_group_max(job->group, &unsuited, 1)));
    if (unsuited != 0) {
        hb_resident_close(resident);
    }
    memcpy(resident->choice, choice, sizeof choice);
    return HB_OK;
}

static hb_status refuse_secret(hb_job *job)
{
    if (job->session.key_name == NULL || job->session.kind != HB_KEY_SECRET) {
        return HB_OK;
    }
    hb_keyfile_clear(&job->session.file);
    return HB_FAIL(HB_EUSAGE, "%s: is a secret key, which no server gets: take the public key, or leave --server out",
                   job->session.key_name);
}

hb_status hb_resident_offer(hb_job *job)
{
    hb_resident *resident = hb_resident_of(job->group);
    if (resident == NULL) {
        return HB_OK;
    }
    HB_TRY(hb_agree(job->group, refuse_secret(job)));
    job->kept = &resident->kept;
    if (job->options.so_far != NULL && job->options.residue > 0) {
        return HB_OK; /* what the job of the residue before left is of this command */
    }
    resident->used = resident->taken = false;
    HB_TRY(offer(resident, job));
    hb_residents_begin(&resident->datasets);
    return HB_OK;
}

void hb_resident_use(const hb_group *group, bool taken)
{
    hb_resident *resident = hb_resident_of(group);
    if (resident != NULL) {
        resident->used = true;
        resident->taken = resident->taken || taken;
    }
}

/* Memory of a rank that things of earlier jobs may take. */
typedef struct spare {
    uint64_t all;  /* the memory of the rank */
    uint64_t keys; /* for keys that rest */
    uint64_t keep; /* for datasets and matrices, unless the user says otherwise, ... */
    uint64_t most; /* ... and as much as a user may give them: half of what the plan leaves */
} spare;

static spare spare_of(const hb_job *job)
{
    const hb_plan *plan = &job->plan;
    const bool gpu = job->device.gpu;
    const uint64_t all = gpu ? plan->device_limit : hb_machine_memory_each((uint32_t)job->group->node_size),
                   planned = gpu ? plan->device_bytes : plan->host_bytes, left = all > planned ? all - planned : 0,
                   some = gpu ? left / 4 : all / 8;
    return (spare){all, some, some < left / 2 ? some : left / 2, left / 2};
}

/* Returns the bytes that datasets and matrices may take, by the word of the user, if there is one. */
static uint64_t keep_bytes(const hb_resident *resident, const spare *x)
{
    const hb_size *keep = &resident->keep;
    const uint64_t asked = keep->percent ? x->all / 100 * keep->amount : keep->amount;
    return !resident->bounded ? x->keep : asked < x->most ? asked : x->most;
}

/* Matrices come first: they are small, and take long to encode. */
static void bound(hb_resident *resident, const hb_params *params)
{
    hb_block_shelf_bound(&resident->matrices, params, resident->most);
    hb_residents_bound(&resident->datasets, resident->most - resident->matrices.bytes);
}

hb_status hb_resident_limit(hb_job *job)
{
    hb_resident *resident = hb_resident_of(job->group);
    if (resident == NULL) {
        job->session.resting_most = 0;
        return HB_OK;
    }
    const spare own = spare_of(job);
    uint64_t taken[] = {UINT64_MAX - own.keys, UINT64_MAX - keep_bytes(resident, &own)};
    HB_TRY(hb_agree(job->group, hb_group_max(job->group, taken, sizeof taken / sizeof *taken)));
    job->session.resting_most = UINT64_MAX - taken[0];
    resident->most = UINT64_MAX - taken[1];
    bound(resident, job->session.params);
    return HB_OK;
}

bool hb_resident_crowds(const hb_group *group, hb_status failed)
{
    const hb_resident *resident = hb_resident_of(group);
    return failed == HB_ENOMEM && resident != NULL && resident->taken;
}

void hb_resident_end_job(hb_group *group, hb_status st)
{
    hb_resident *resident = hb_resident_of(group);
    if (st != HB_OK && resident != NULL && resident->used) {
        const hb_error reason = *hb_last_error();
        hb_resident_close(resident);
        hb_set_error(&reason);
    }
    if (resident != NULL) {
        hb_residents_settle(&resident->datasets);
        bound(resident, resident->kept.session.params); /* the job has left its matrices */
        resident->used = resident->taken = false;
    }
}
