#include "decryption.h"

#include <math.h>
#include <string.h>

#include "batch/job/shared_dataset.h"

hb_status hb_decryption_open(hb_decryption *decryption, hb_job *job, const char *path)
{
    const hb_dataset_ranks ranks = hb_shared_dataset_ranks(job->group);
    HB_TRY(hb_dataset_open_among(path, job->options.residue, ranks, &decryption->dataset));
    job->header = hb_dataset_header(decryption->dataset);
    return HB_OK;
}

void hb_decryption_close(hb_decryption *decryption)
{
    for (uint32_t i = 0; i < HB_MOST_WORKERS; i++) {
        hb_unit_decryptor_clear(&decryption->decryptor[i]);
    }
    hb_dataset_close(decryption->dataset);
    memset(decryption, 0, sizeof *decryption);
}

hb_status hb_decryption_open_key(hb_job *job, const char *key_path, const char *dataset_path)
{
    hb_session *session = &job->session;
    if (hb_spec_owners(&job->header->spec) > 1) {
        return HB_FAIL(HB_EUSAGE, "%s: keys of several owners have no secret key: decrypt --part", dataset_path);
    }
    HB_TRY(hb_session_open_residue(session, key_path, job->options.residue));
    if (session->kind != HB_KEY_SECRET) {
        return HB_FAIL(HB_EDATA, "%s is a public key: decrypting needs the secret one", hb_session_key_name(key_path));
    }
    HB_TRY(hb_session_check_key(session, job->header->key_id, &job->header->spec, hb_session_key_name(key_path),
                                dataset_path));
    return hb_session_state_scale(session, job->header->limbs, job->header->scale);
}

hb_status hb_decryption_compare(hb_decryption *decryption, const hb_job *job)
{
    uint8_t sum[HB_DIGEST_BYTES];
    hb_dataset_sum(decryption->dataset, sum);
    HB_TRY(hb_group_same(job->group, sum, "the dataset"));
    return hb_dataset_tell(decryption->dataset, hb_shared_dataset_ranks(job->group));
}

hb_status hb_decryption_prepare(hb_decryption *decryption, const hb_job *job)
{
    const hb_workers *workers = &job->plan.workers;
    for (uint32_t i = 0; i < workers->count; i++) {
        HB_TRY(hb_unit_decryptor_init(&decryption->decryptor[i], &job->session, job->session.queue[i], job->header,
                                      workers->batch));
    }
    return HB_OK;
}

/* Adds up the measured precision of all ranks: sums of squares as parts of the largest one, which all ranks know, so
 * that integers add up to the same in any order. */
static hb_status add_precision(hb_group *group, hb_precision *precision)
{
    const double parts = 0x1p20;
    uint64_t largest = hb_real_word(precision->largest); /* no double below 0 is larger as a word */
    HB_TRY(hb_group_max(group, &largest, 1));
    const double all = hb_real_of(largest);
    const bool counts = all > 0 && isfinite(all);
    uint64_t sums[2] = {precision->count, counts ? (uint64_t)(precision->squares / (all * all) * parts) : 0};
    HB_TRY(hb_group_sum(group, sums, 2));
    *precision =
        (hb_precision){.count = sums[0], .largest = all, .squares = counts ? (double)sums[1] / parts * all * all : all};
    return HB_OK;
}

/* Reports include earlier residues. */
static void measure_all(hb_decryption *decryption, const hb_job *job, hb_predicted predicted)
{
    hb_residues_so_far *so_far = job->options.so_far;
    decryption->measured_of_all = decryption->measured;
    decryption->predicted_of_all = predicted;
    if (so_far == NULL) {
        return;
    }
    if (so_far->decrypted) {
        hb_quality_measured_add(&decryption->measured_of_all, &so_far->measured);
        if (so_far->predicted.worst < decryption->predicted_of_all.worst) {
            decryption->predicted_of_all = so_far->predicted;
        }
    }
    so_far->measured = decryption->measured_of_all;
    so_far->predicted = decryption->predicted_of_all;
    so_far->decrypted = true;
}

hb_status hb_decryption_measure(hb_decryption *decryption, const hb_job *job, hb_predicted predicted)
{
    hb_group *group = job->group;
    hb_quality_measured mine = hb_quality_measured_none;
    /* Members of a group have met the same ciphertexts, so only one of them counts. */
    for (uint32_t i = 0; i < job->plan.workers.count && hb_session_is_group_lead(&job->session); i++) {
        /* A rank without units has made no decryptors. */
        if (decryption->decryptor[i].batch > 0) {
            hb_quality_measured_add(&mine, &decryption->decryptor[i].measured);
        }
    }
    /* The group has no minimum: the least of all ranks follows from the largest distance to UINT32_MAX. */
    uint64_t sums[2] = {mine.count, mine.sum}, lack = UINT32_MAX - mine.least;
    hb_status st = hb_group_sum(group, sums, 2);
    st = st == HB_OK ? hb_group_max(group, &lack, 1) : st;
    st = st == HB_OK ? add_precision(group, &mine.precision) : st;
    HB_TRY(hb_agree(group, st));
    decryption->measured = (hb_quality_measured){
        .count = sums[0], .sum = sums[1], .least = (uint32_t)(UINT32_MAX - lack), .precision = mine.precision};
    measure_all(decryption, job, predicted);
    return HB_OK;
}
