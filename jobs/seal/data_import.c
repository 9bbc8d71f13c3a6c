/* hebatch import FILE.seal ... A.heb. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "batch/ranks.h"
#include "cli/stop.h"
#include "data.h"
#include "output/resume.h"
#include "products.h"
#include "stage.h"

typedef struct data_import {
    const hb_seal_job *job;
    hb_header *header;
    const char *key;
    hb_seal_stage stage;
    hb_seal_products products;
    const char *product; /* the first file of three polynomials; NULL: there is none */
    hb_shard_writer *shard;
    bool begun;
    hb_hold hold; /* of the output */ /* the dataset, and not committed */
    hb_progress progress;
} data_import;

/* What a dataset can hold; limbs: of the others, 0 for the first. */
static hb_status check_head(const data_import *x, const hb_seal_ciphertext *head, uint32_t limbs, const char *path)
{
    const hb_params *params = x->stage.setup.params;
    if (head->size > HB_SEAL_STAGE_SIZE) {
        return HB_FAIL(HB_EDATA, "%s: has %" PRIu32 " polynomials, not 2 or 3: relinearize it where it was made", path,
                       head->size);
    }
    if (head->ntt) {
        return HB_FAIL(HB_EDATA, "%s: is in NTT form; ciphertexts are wanted in coefficient form (transform_from_ntt)",
                       path);
    }
    if (head->limbs > params->data_limbs || params->levels[head->limbs].basis.limbs == 0) {
        return HB_FAIL(HB_EDATA, "%s: is at the level of %" PRIu32 " primes, where no ciphertext can be", path,
                       head->limbs);
    }
    if (limbs != 0 && head->limbs != limbs) {
        return HB_FAIL(HB_EDATA,
                       "%s: is at the level of %" PRIu32 " primes, %s at that of %" PRIu32 ": a dataset has one level",
                       path, head->limbs, x->job->files[0], limbs);
    }
    return HB_OK;
}

static hb_status look_at(data_import *x, const char *path)
{
    hb_seal_reader *reader;
    hb_seal_ciphertext head;
    HB_TRY(hb_seal_reader_open(path, &reader));
    hb_status st;
    HB_GOTO(hb_seal_ciphertext_begin(reader, &x->stage.setup.chain, &head));
    HB_GOTO(check_head(x, &head, x->header->limbs, path));
    x->header->limbs = head.limbs;
    x->product = x->product == NULL && head.size > 2 ? path : x->product;
done:
    hb_seal_reader_close(reader);
    return st;
}

/* Their level, and whether there are products, for which there must be a key. */
static hb_status look_at_all(data_import *x)
{
    bool found;
    for (size_t i = 0; i < x->job->file_count; i++) {
        HB_TRY(hb_stop_check());
        HB_TRY(look_at(x, x->job->files[i]));
    }
    if (x->product == NULL) {
        return HB_OK;
    }
    HB_TRY(hb_seal_products_open(&x->products, &x->stage.setup, x->key, x->header->key_id, x->header->limbs, &found));
    return found ? HB_OK
                 : HB_FAIL(HB_EDATA,
                           "%s: has 3 polynomials, not 2: relinearize it where it was made, or import relin.seal into "
                           "the directory of --key",
                           x->product);
}

/* Of a ciphertext that a public key made with SEAL's errors, brought down to its level. */
static hb_noise fresh_noise(const data_import *x)
{
    const hb_params *params = x->stage.setup.params;
    hb_noise noise = hb_noise_fresh(params, true, HB_BINOMIAL);
    for (uint32_t limbs = params->data_limbs; limbs > x->header->limbs; limbs--) {
        noise = hb_noise_mod_switch(params, limbs, noise, 2);
    }
    return noise;
}

/* The largest noise that leaves the budget, as files store it. */
static hb_status noise_of_budget(data_import *x)
{
    const double most = hb_noise_budget_of(x->stage.setup.params, x->header->limbs, 0);
    if (x->job->budget > most) {
        return HB_FAIL(HB_EUSAGE, "--noise-budget %.0f: ciphertexts of %" PRIu32 " limbs have at most %.0f bits",
                       x->job->budget, x->header->limbs, most);
    }
    const double bits = most - x->job->budget + 1 - 1.0 / 1024; /* below the next whole number */
    hb_header_noise(x->header, (hb_noise){.worst = bits, .expected = bits});
    return HB_OK;
}

static hb_status fill_header(data_import *x)
{
    const hb_seal_job *job = x->job;
    hb_header *header = x->header;
    HB_TRY(look_at_all(x));
    header->components = 2;
    HB_TRY(hb_seal_shape(job, "ct", header));
    if (header->encoding == HB_ENCODE_SLOTS) {
        HB_TRY(hb_params_require_batching(x->stage.setup.params));
    }
    const bool stated =
        job->noise >= 0 || job->budget >= 0 || header->made_by != HB_MADE_FRESH; /* by the user, or in index.json */
    header->made_by = HB_MADE_IMPORTED;
    header->noise_assumed = true; /* whoever says so: who made them is not here */
    if (job->noise >= 0) {
        hb_header_noise(header, (hb_noise){.worst = job->noise, .expected = job->noise});
    } else if (job->budget >= 0) {
        HB_TRY(noise_of_budget(x));
    } else if (!stated) {
        hb_header_noise(header, fresh_noise(x));
    }
    if (x->product != NULL && !stated) {
        return HB_FAIL(HB_EUSAGE,
                       "%s: is a product, whose noise is not that of fresh ciphertexts: --noise-budget says it",
                       x->product);
    }
    if (x->product != NULL) { /* which relinearizing adds to */
        hb_header_noise(header, hb_noise_switch(x->stage.setup.params, header->limbs, header->noise));
    }
    header->stray = true; /* who encrypted may have filled all slots: TenSEAL repeats a vector in them */
    const hb_packing packing = hb_header_packing(header);
    header->unit =
        hb_header_choose_unit(header->ciphertexts, hb_header_ciphertext_bytes(header), hb_packing_across(&packing));
    return HB_OK;
}

static hb_status read_words(data_import *x, hb_seal_reader *reader, const char *path, uint32_t *size)
{
    hb_seal_ciphertext head;
    HB_TRY(hb_seal_ciphertext_begin(reader, &x->stage.setup.chain, &head));
    HB_TRY(check_head(x, &head, x->header->limbs, path));
    HB_TRY(hb_seal_ciphertext_words(reader, &x->stage.setup.chain, &head, x->stage.words));
    const size_t polynomial = head.limbs * x->stage.setup.params->spec.n;
    uint64_t any = 0;
    *size = head.size;
    for (size_t i = polynomial; i < head.size * polynomial; i++) {
        any |= x->stage.words[i];
    }
    return any != 0
               ? HB_OK
               : HB_FAIL(HB_EDATA,
                         "%s: is transparent: all but its first polynomial is zero, so that anyone can read it", path);
}

static hb_status import_ciphertext(data_import *x, const char *path, hb_unit_places place)
{
    hb_engine *engine = x->stage.setup.engine;
    const size_t polynomial = x->header->limbs * x->stage.setup.params->spec.n;
    hb_seal_reader *reader;
    uint32_t size;
    HB_TRY(hb_seal_reader_open(path, &reader));
    const hb_status st = read_words(x, reader, path, &size);
    hb_seal_reader_close(reader);
    HB_TRY(st);
    if (size > 2) {
        HB_TRY(hb_seal_products_relinearize(&x->products, x->stage.words));
        HB_TRY(hb_unit_rows_pack(&x->stage.rows, 0, hb_ciphertexts_component(x->products.narrow, 0), place));
        HB_TRY(hb_unit_rows_pack(&x->stage.rows, 1, hb_ciphertexts_component(x->products.narrow, 1), place));
        return hb_finish(engine);
    }
    HB_TRY(hb_upload(engine, x->stage.c0.data, x->stage.words, polynomial * sizeof *x->stage.words));
    HB_TRY(hb_upload(engine, x->stage.c1.data, x->stage.words + polynomial, polynomial * sizeof *x->stage.words));
    HB_TRY(hb_unit_rows_pack(&x->stage.rows, 0, x->stage.c0, place));
    HB_TRY(hb_unit_rows_pack(&x->stage.rows, 1, x->stage.c1, place));
    return hb_finish(engine);
}

static hb_status import_unit(data_import *x, uint64_t u)
{
    hb_unit_buffer *buffer = &x->stage.buffers.buffer[0];
    uint64_t first, count;
    hb_header_unit_range(x->header, u, &first, &count);
    for (size_t at = 0; at < count; at++) {
        HB_TRY(hb_stop_check());
        HB_TRY(import_ciphertext(x, x->job->files[first + at], (hb_unit_places){at, 1, (size_t)count}));
    }
    buffer->rows.count = count;
    HB_TRY(hb_unit_rows_download(&x->stage.rows, &buffer->rows));
    HB_TRY(hb_unit_rows_sum(&x->stage.rows, u, &buffer->rows, buffer->sum));
    HB_TRY(hb_shard_write(x->shard, u, &buffer->rows, buffer->sum));
    hb_progress_add(&x->progress, count);
    return HB_OK;
}

static hb_status import_all(data_import *x)
{
    const hb_seal_job *job = x->job;
    const uint64_t units = hb_header_units(x->header);
    hb_progress_begin(&x->progress, job->group, job->common, hb_tally_ciphertexts("imported", x->header),
                      x->header->ciphertexts);
    HB_TRY(hb_resume_begin_once(job->output, job->force, &x->hold));
    x->begun = true;
    HB_TRY(hb_shard_create(job->output, x->header, 0, 0, units, &x->shard));
    for (uint64_t u = 0; u < units; u++) {
        HB_TRY(import_unit(x, u));
    }
    HB_TRY(hb_shard_sync(x->shard));
    HB_TRY(hb_shard_finish(x->shard));
    HB_TRY(hb_dataset_commit(job->output, x->header, 1, job->force));
    x->begun = false;
    hb_progress_end(&x->progress);
    return HB_OK;
}

static void clear(data_import *x)
{
    hb_shard_writer_close(x->shard);
    if (x->begun) {
        hb_dataset_abandon(x->job->output);
    }
    hb_dataset_release(&x->hold);
    hb_seal_products_clear(&x->products);
    hb_seal_stage_clear(&x->stage);
}

hb_status hb_seal_dataset_import(const hb_seal_job *job, const char *key, hb_seal_data *done)
{
    data_import x = {.job = job, .key = key, .header = &done->header, .hold = HB_HOLD_NONE};
    hb_status st;
    HB_GOTO(hb_dataset_probe(job->output, job->force, false));
    HB_GOTO(hb_seal_identify(key, &done->header.spec, done->header.key_id));
    HB_GOTO(hb_seal_setup_open(&x.stage.setup, &done->header.spec));
    HB_GOTO(fill_header(&x));
    HB_GOTO(hb_seal_stage_init(&x.stage, x.header));
    HB_GOTO(import_all(&x));
    done->files = job->file_count;
done:
    clear(&x);
    return st;
}
