#include "part_inputs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch/job/shared_dataset.h"
#include "cli/parse.h"
#include "io/files/durable.h"
#include "io/joint/message.h"
#include "scheme/params.h"

/* --- shared with who makes parts */

hb_status hb_part_dataset_check(const hb_header *dataset, const char *dataset_path)
{
    return hb_spec_owners(&dataset->spec) > 1
               ? HB_OK
               : HB_FAIL(HB_EUSAGE, "%s: is under the key of one owner: hebatch decrypt --key SECRET.h5 opens it",
                         dataset_path);
}

hb_status hb_part_session_check(const hb_session_file *session, const char *session_path, const hb_header *dataset,
                                const char *dataset_path)
{
    HB_TRY(hb_part_dataset_check(dataset, dataset_path));
    return hb_params_same(&session->spec, &dataset->spec) && hb_owners_same(&session->spec, &dataset->spec)
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: is another session than that of the keys of %s", session_path, dataset_path);
}

hb_status hb_part_count_check(const hb_header *dataset, const char *dataset_path)
{
    const uint32_t residues = hb_spec_residues(&dataset->spec);
    const uint64_t promised = dataset->spec.joint.results;
    return dataset->ciphertexts <= promised / residues
               ? HB_OK
               : HB_FAIL(HB_EDATA,
                         "%s: has %" PRIu64 " ciphertexts%s, and %" PRIu64
                         " parts were promised for these keys: decrypt results of fewer cells, or make keys with more "
                         "--results",
                         dataset_path, hb_part_count(dataset), residues > 1 ? ", of all plain moduli together" : "",
                         promised);
}

hb_status hb_part_plan_for(const hb_params *params, const hb_header *dataset, const char *dataset_path,
                           uint32_t receiving, hb_part_plan *plan)
{
    const hb_joint_spec *joint = &dataset->spec.joint;
    if (dataset->noise_assumed) {
        return HB_FAIL(HB_EDATA, "%s: its noise, which parts have to hide, is assumed and not proven", dataset_path);
    }
    const hb_status st = hb_part_plan_make(params, dataset->limbs, hb_predicted_quality(params, dataset).worst,
                                           hb_spec_threshold(&dataset->spec), joint->results, receiving, plan);
    if (st != HB_EDATA) {
        return st;
    }
    const hb_error cause = *hb_last_error();
    return HB_FAIL(HB_EDATA,
                   "%s: %.300s: hebatch params suggest --owners %" PRIu32 " --results %" PRIu64
                   " finds parameters that have room for them",
                   dataset_path, cause.text, joint->owners, joint->results);
}

hb_signed_facts hb_part_signed_facts(const char *from, const uint8_t *session_id, const uint8_t sum[HB_DIGEST_BYTES])
{
    return (hb_signed_facts){.kind = "part", .session = session_id, .from = from, .body = sum};
}

enum { LEAST_SUM_DIGITS = 32 }; /* of 128 bits: nobody finds another dataset with these */

hb_status hb_demanded_sum_check(const char *digits, const char *before, const hb_dataset *dataset, const char *path)
{
    uint8_t sum[HB_DIGEST_BYTES];
    char text[2 * HB_DIGEST_BYTES + 1];
    const size_t count = strlen(digits);
    if (count < LEAST_SUM_DIGITS || count > 2 * HB_DIGEST_BYTES || strspn(digits, "0123456789abcdef") != count) {
        return HB_FAIL(HB_EUSAGE, "%s%.80s: expected the sum as info prints it, %d to %d hexadecimal digits", before,
                       digits, LEAST_SUM_DIGITS, 2 * HB_DIGEST_BYTES);
    }
    hb_dataset_sum(dataset, sum);
    hb_hex(text, sum, sizeof sum);
    return strncmp(text, digits, count) == 0 ? HB_OK : HB_FAIL(HB_EDATA, "sum of %s is %s, not %s", path, text, digits);
}

/* --- parts of all owners */

void hb_part_request_digest(uint8_t digest[HB_DIGEST_BYTES], const hb_part_facts *facts)
{
    const hb_joint_spec *receiving = &facts->receiving;
    const uint64_t numbers[] = {facts->owners, receiving->owners, receiving->threshold, receiving->results,
                                facts->some,   facts->row,        facts->rows,          facts->columns};
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch request");
    hb_digest_add(&state, facts->part_of, sizeof facts->part_of);
    hb_digest_add(&state, facts->receiver, sizeof facts->receiver);
    hb_digest_add(&state, receiving->session, sizeof receiving->session);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        hb_digest_add_u64(&state, numbers[i]);
    }
    for (uint64_t i = 0; facts->some && i < facts->columns; i++) {
        hb_digest_add_u64(&state, facts->column[i]);
    }
    hb_digest_end(&state, digest);
}

/* Whether two parts are for the same request. */
static bool same_request(const hb_part_facts *a, const hb_part_facts *b)
{
    uint8_t of_a[HB_DIGEST_BYTES], of_b[HB_DIGEST_BYTES];
    hb_part_request_digest(of_a, a);
    hb_part_request_digest(of_b, b);
    return memcmp(of_a, of_b, sizeof of_a) == 0 && a->u == b->u && a->w == b->w;
}

/* The header of a part is that of its dataset, with its facts: so it has the same digest as one that is made here. */
static hb_status check_header(const hb_header *part, const hb_header *dataset, const char *path)
{
    uint8_t theirs[HB_DIGEST_BYTES], ours[HB_DIGEST_BYTES];
    hb_header made = *dataset; /* a view */
    made.version = 0;
    made.kept = 0;
    made.part = part->part;
    hb_header_digest(ours, &made);
    hb_header_digest(theirs, part);
    return memcmp(ours, theirs, sizeof ours) == 0
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: says other things of the dataset than the dataset", path);
}

/* Reads the session that stands in the folder of a part; the caller clears it, which is zeroed after a failure. */
static hb_status read_session(const char *path, const hb_header *dataset, const char *dataset_path,
                              hb_session_file *session)
{
    char *file;
    HB_TRY(hb_path_with(path, "/" HB_PART_SESSION_NAME, &file));
    hb_status st = hb_session_file_read(file, session);
    if (st == HB_OK) {
        st = hb_part_session_check(session, file, dataset, dataset_path);
        if (st != HB_OK) {
            hb_session_file_clear(session);
        }
    }
    free(file);
    return st;
}

/* Whether owner i of the session decrypts. */
static bool is_asked(uint64_t owners, uint32_t i)
{
    return owners == 0 || (owners >> i & 1) != 0;
}

static hb_status check_signature(const hb_dataset *part, const hb_session_file *session, const char *path)
{
    const hb_joint_session *of = &session->session;
    const char *from = hb_dataset_header(part)->part->from;
    const uint64_t owners = hb_dataset_header(part)->part->owners;
    uint8_t sum[HB_DIGEST_BYTES];
    hb_dataset_sum(part, sum);
    const hb_signed_facts facts = hb_part_signed_facts(from, session->id, sum);
    for (uint32_t i = 0; i < of->owners; i++) {
        if (!hb_card_signed(&of->cards[i], hb_dataset_signature(part), &facts)) {
            continue;
        }
        return is_asked(owners, i)
                   ? HB_OK
                   : HB_FAIL(HB_EDATA, "%s: is for a decryption by owners that %s is none of", path, from);
    }
    return HB_FAIL(HB_EDATA, "%s: is not signed by %s's card", path, from);
}

/* Checks part i against those before it. */
static hb_status check_beside(const hb_part_inputs *inputs, uint32_t i, const char *path)
{
    const hb_part_facts *facts = hb_dataset_header(inputs->part[i])->part;
    for (uint32_t k = 0; k < i; k++) {
        const hb_part_facts *other = hb_dataset_header(inputs->part[k])->part;
        if (strcmp(other->from, facts->from) == 0) {
            return HB_FAIL(HB_EDATA, "two parts of %s", facts->from);
        }
        if (other->owners != facts->owners) {
            return HB_FAIL(HB_EDATA, "%s: is for a decryption by other owners than the part of %s", path, other->from);
        }
        if (!same_request(other, facts)) {
            return HB_FAIL(HB_EDATA, "%s: is for other cells, or another receiver, than the part of %s", path,
                           other->from);
        }
    }
    return HB_OK;
}

/* Checks part i, behind those before it. */
static hb_status check_part(const hb_part_inputs *inputs, uint32_t i, const char *path, const hb_dataset *dataset,
                            const char *dataset_path)
{
    const hb_header *header = hb_dataset_header(inputs->part[i]), *of = hb_dataset_header(dataset);
    const hb_part_facts *facts = header->part;
    uint8_t sum[HB_DIGEST_BYTES];
    hb_session_file session;
    hb_dataset_sum(dataset, sum);
    HB_TRY(hb_dataset_require_whole(inputs->part[i], path));
    if (memcmp(facts->part_of, sum, sizeof sum) != 0) {
        return HB_FAIL(HB_EDATA, "%s: is a part of another dataset than %s", path, dataset_path);
    }
    HB_TRY(check_header(header, of, path));
    HB_TRY(read_session(path, of, dataset_path, &session));
    const hb_status st = check_signature(inputs->part[i], &session, path);
    hb_session_file_clear(&session);
    HB_TRY(st);
    if (facts->u != inputs->plan.flood.u || facts->w != inputs->plan.flood.w) {
        return HB_FAIL(HB_EDATA, "%s: has noise of other widths than parts of %s have", path, dataset_path);
    }
    return check_beside(inputs, i, path);
}

/* Names the owners of whom there is no part. */
static hb_status check_all_there(const hb_part_inputs *inputs, const char *path, const hb_header *dataset,
                                 const char *dataset_path)
{
    char text[256] = "";
    hb_session_file session;
    if (inputs->count == hb_spec_threshold(&dataset->spec)) {
        return HB_OK;
    }
    HB_TRY(read_session(path, dataset, dataset_path, &session));
    for (uint32_t i = 0; i < session.session.owners; i++) {
        const char *name = session.session.cards[i].name;
        bool there = !is_asked(hb_part_inputs_facts(inputs)->owners, i);
        for (uint32_t k = 0; k < inputs->count; k++) {
            there |= strcmp(hb_dataset_header(inputs->part[k])->part->from, name) == 0;
        }
        const size_t used = strlen(text);
        if (!there) {
            snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? ", " : "", name);
        }
    }
    hb_session_file_clear(&session);
    return HB_FAIL(HB_ENOINPUT,
                   "no part of %s: each of them makes one with hebatch decrypt --part, for the same request", text);
}

/* The residues of a part have one request. The signature is of all residues, but does not say that their owner asked
 * the same of each; tables of other cells would not fit together. With the first, before anything is combined. */
static hb_status check_residues(const hb_part_inputs *inputs, uint32_t i, const char *path)
{
    const hb_header *header = hb_dataset_header(inputs->part[i]);
    uint8_t first[HB_DIGEST_BYTES], own[HB_DIGEST_BYTES];
    hb_part_request_digest(first, header->part);
    for (uint32_t r = 1; r < hb_spec_residues(&header->spec) && hb_spec_residue(&header->spec) == 0; r++) {
        hb_dataset *other;
        HB_TRY(hb_dataset_open_part(path, r, (hb_dataset_ranks){.count = 0}, &other));
        hb_part_request_digest(own, hb_dataset_header(other)->part);
        hb_dataset_close(other);
        if (memcmp(own, first, sizeof own) != 0) {
            return HB_FAIL(HB_EDATA,
                           "%s: is for other cells, or another receiver, under plain modulus %" PRIu32
                           " (from 0) than under the first",
                           path, r);
        }
    }
    return HB_OK;
}

/* The residues of a job are of the same parts. */
static hb_status check_same(const hb_part_inputs *inputs, const hb_job *job)
{
    uint8_t digest[HB_DIGEST_BYTES];
    hb_part_inputs_digest(inputs, digest);
    return hb_job_same_residues(job, digest, "a part");
}

static int by_owner(const void *a, const void *b)
{
    return strcmp(hb_dataset_header(*(hb_dataset *const *)a)->part->from,
                  hb_dataset_header(*(hb_dataset *const *)b)->part->from);
}

hb_status hb_part_inputs_open(hb_part_inputs *inputs, char *const *paths, size_t count, const hb_job *job,
                              const hb_dataset *dataset, const char *dataset_path)
{
    const hb_header *header = hb_dataset_header(dataset);
    HB_TRY(hb_part_dataset_check(header, dataset_path));
    if (count < 1 || count > HB_MOST_OWNERS) {
        return HB_FAIL(HB_EDATA, "%zu parts of %s, whose keys have %" PRIu32 " owners", count, dataset_path,
                       header->spec.joint.owners);
    }
    for (size_t i = 0; i < count; i++) {
        HB_TRY(hb_dataset_open_part(paths[i], job->options.residue, hb_shared_dataset_ranks(job->group),
                                    &inputs->part[i]));
        inputs->count++;
        if (i == 0) { /* all are for the same receiver, or none is used */
            const uint32_t receiving = hb_part_receiving(hb_part_inputs_facts(inputs));
            HB_TRY(hb_part_plan_for(job->session.params, header, dataset_path, receiving, &inputs->plan));
        }
        HB_TRY(check_part(inputs, (uint32_t)i, paths[i], dataset, dataset_path));
        HB_TRY(check_residues(inputs, (uint32_t)i, paths[i]));
    }
    HB_TRY(check_all_there(inputs, paths[0], header, dataset_path));
    qsort(inputs->part, inputs->count, sizeof *inputs->part, by_owner); /* their order on the command line is none */
    return check_same(inputs, job);
}

void hb_part_inputs_close(hb_part_inputs *inputs)
{
    for (uint32_t i = 0; i < inputs->count; i++) {
        hb_dataset_close(inputs->part[i]);
    }
    memset(inputs, 0, sizeof *inputs);
}

const hb_part_facts *hb_part_inputs_facts(const hb_part_inputs *inputs)
{
    HB_ASSERT(inputs->count > 0);
    return hb_dataset_header(inputs->part[0])->part;
}

void hb_part_inputs_digest(const hb_part_inputs *inputs, uint8_t digest[HB_DIGEST_BYTES])
{
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch parts");
    hb_digest_add_u64(&state, inputs->count);
    for (uint32_t i = 0; i < inputs->count; i++) {
        uint8_t sum[HB_DIGEST_BYTES];
        hb_dataset_sum(inputs->part[i], sum);
        hb_digest_add(&state, sum, sizeof sum);
    }
    hb_digest_end(&state, digest);
}

hb_status hb_part_inputs_compare(hb_part_inputs *inputs, const hb_job *job)
{
    uint8_t digest[HB_DIGEST_BYTES];
    hb_part_inputs_digest(inputs, digest);
    HB_TRY(hb_group_same(job->group, digest, "a part"));
    for (uint32_t i = 0; i < inputs->count; i++) {
        HB_TRY(hb_dataset_tell(inputs->part[i], hb_shared_dataset_ranks(job->group)));
    }
    return HB_OK;
}
