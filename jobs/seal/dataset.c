/* hebatch export A.heb DIR, and hebatch import FILE.seal ... A.heb: ciphertexts. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "batch/job/ranks.h"
#include "batch/unit/buffers.h"
#include "batch/unit/unit_rows.h"
#include "cli/stop.h"
#include "data.h"
#include "folder.h"
#include "import_noise.h"
#include "io/files/durable.h"
#include "io/keys/switch_key_file.h"
#include "output/resume.h"
#include "scheme/codec.h"
#include "scheme/evaluator.h"
#include "scheme/params.h"
#include "scheme/quality.h"

/* Polynomials of a ciphertext, at most. */
enum { MOST_POLYNOMIALS = 3 };

/* The buffers of a dataset's ciphertexts on their way to files of Microsoft SEAL and back: rows of a unit, two
 * polynomials of one ciphertext on the engine, and its words. */
typedef struct dataset_stage {
    hb_seal_setup setup; /* to be opened before the rest is made */
    hb_unit_buffers buffers;
    hb_unit_rows rows;
    hb_batch c0, c1; /* one polynomial each */
    uint64_t *words; /* [MOST_POLYNOMIALS][limbs][n] */
} dataset_stage;

/* For units of the header, which is borrowed, with the setup's parameters. HB_ENOMEM. Clear closes the setup as well; a
 * zeroed struct is allowed. */
static hb_status stage_init(dataset_stage *stage, const hb_header *header)
{
    const hb_params *params = stage->setup.params;
    const uint32_t limbs = header->limbs;
    hb_engine *engine = stage->setup.engine;
    HB_TRY(hb_unit_buffers_init(&stage->buffers, engine, header, 1, false, false));
    HB_TRY(hb_unit_rows_init(&stage->rows, 1, engine, params, header));
    HB_TRY(hb_batch_alloc(engine, &stage->c0, 1, limbs, params->ids));
    HB_TRY(hb_batch_alloc(engine, &stage->c1, 1, limbs, params->ids));
    stage->words = malloc(MOST_POLYNOMIALS * limbs * params->spec.n * sizeof *stage->words);
    return stage->words != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a ciphertext");
}

static void stage_clear(dataset_stage *stage)
{
    free(stage->words);
    stage->words = NULL;
    if (stage->setup.engine != NULL) {
        hb_batch_free(stage->setup.engine, &stage->c0);
        hb_batch_free(stage->setup.engine, &stage->c1);
    }
    hb_unit_rows_clear(&stage->rows, 1);
    hb_unit_buffers_clear(&stage->buffers);
    hb_seal_setup_close(&stage->setup);
}

/* Ciphertexts of three polynomials, as SEAL's products are: brought to two with the relinearization key of their pair,
 * to the words that SEAL gives. */
typedef struct relinearizer {
    hb_engine *engine; /* borrowed; NULL: it is not open */
    hb_switch_key key;
    hb_evaluator *evaluator;
    hb_ciphertexts wide, narrow; /* one ciphertext each */
} relinearizer;

/* relin.h5 in the directory that `key` is, or lies in; *path NULL where there is none. */
static hb_status find_key(const char *key, char **path)
{
    struct stat info;
    char *folder = NULL, *name = NULL;
    bool there = false;
    hb_status st;
    HB_GOTO(stat(key, &info) == 0 && S_ISDIR(info.st_mode) ? hb_path_with(key, "", &folder)
                                                           : hb_folder_of(key, &folder));
    HB_GOTO(hb_switch_key_path(folder, hb_key_for_all_levels(HB_RELINEARIZATION), &name));
    st = hb_path_is_there(name, &there);
done:
    free(folder);
    *path = there ? name : NULL;
    if (!there) {
        free(name);
    }
    return st;
}

static hb_status load(relinearizer *products, const hb_params *params, const char *path,
                      const uint8_t key_id[HB_KEY_ID_BYTES])
{
    hb_switch_key_file file;
    HB_TRY(hb_switch_key_file_read(path, &file));
    const hb_key_name wanted = hb_key_for_all_levels(HB_RELINEARIZATION);
    hb_status st = HB_OK;
    if (!hb_key_name_same(file.name, wanted) || !hb_keys_same(file.key_id, &file.spec, key_id, &params->spec)) {
        st = HB_FAIL(HB_EDATA, "%s: is no relinearization key of the pair that --key names", path);
    }
    if (st == HB_OK) {
        st = hb_switch_key_load(&products->key, products->engine, params, HB_RELINEARIZATION, file.b, file.a,
                                file.seeds);
    }
    hb_switch_key_file_clear(&file);
    return st;
}

/* Finds the key beside `key`, the file or directory that ciphertexts are said to be of: *found false without one.
 * HB_EDATA when it is of another pair or has other parameters. The caller clears *products, also after a failure; a
 * zeroed struct is allowed. */
static hb_status products_open(relinearizer *products, const hb_seal_setup *setup, const char *key,
                               const uint8_t key_id[HB_KEY_ID_BYTES], uint32_t limbs, bool *found)
{
    const hb_evaluator_requirements requirements = {.limbs = limbs, .count = 1, .switching = true};
    char *path;
    *products = (relinearizer){.engine = setup->engine};
    HB_TRY(find_key(key, &path));
    *found = path != NULL;
    if (path == NULL) {
        return HB_OK;
    }
    hb_status st;
    HB_GOTO(load(products, setup->params, path, key_id));
    HB_GOTO(hb_evaluator_open(setup->engine, setup->params, &requirements, &products->evaluator));
    HB_GOTO(hb_ciphertexts_alloc(&products->wide, setup->engine, setup->params, 3, 1, limbs));
    st = hb_ciphertexts_alloc(&products->narrow, setup->engine, setup->params, 2, 1, limbs);
done:
    free(path);
    return st;
}

/* words: host, [3][limbs][n], the form of ciphertexts, canonical. The two polynomials are in products->narrow. */
static hb_status products_relinearize(relinearizer *products, const uint64_t *words)
{
    const hb_batch all = products->wide.all;
    HB_TRY(hb_upload(products->engine, all.data, words, all.count * all.stride * sizeof *words));
    return hb_evaluator_relinearize(products->evaluator, products->narrow, products->wide, &products->key);
}

static void products_clear(relinearizer *products)
{
    hb_evaluator_close(products->evaluator);
    hb_switch_key_clear(&products->key);
    if (products->engine != NULL) {
        hb_batch_free(products->engine, &products->wide.all);
        hb_batch_free(products->engine, &products->narrow.all);
    }
    memset(products, 0, sizeof *products);
}

typedef struct data_export {
    const hb_seal_job *job;
    const hb_header *header; /* of the dataset */
    hb_dataset *dataset;
    dataset_stage stage;
    hb_seal_folder folder;
    hb_progress progress;
} data_export;

static hb_status open_inputs(data_export *x, const char *name)
{
    HB_TRY(hb_dataset_open(name, &x->dataset));
    x->header = hb_dataset_header(x->dataset);
    HB_TRY(hb_dataset_require_whole(x->dataset, name));
    HB_TRY(hb_schema_refuse_masks(&x->header->schema, name, "files for SEAL do not tell masks from other columns"));
    if (x->header->kept > 0 || x->header->encoding == HB_ENCODE_REVERSED) {
        return HB_FAIL(HB_EDATA, "%s: eval made it compact, %s; make it again with eval --compact off", name,
                       x->header->kept > 0
                           ? "with the part of a ciphertext that its totals need, and SEAL takes whole ones"
                           : "in an order that SEAL does not know");
    }
    if (x->header->encoding == HB_ENCODE_SPREAD) {
        return HB_FAIL(HB_EDATA,
                       "%s: its row stands in one ciphertext, to be spread by hebatch: encrypt it with --fill", name);
    }
    HB_TRY(hb_seal_check_rows(name, x->header->schema.rows));
    return hb_seal_setup_open(&x->stage.setup, &x->header->spec);
}

/* Component 1 of ciphertext `at` of a unit: stored, or the expansion of its seed in NTT form. */
static hb_status second_component(data_export *x, const hb_unit_buffer *buffer, hb_unit_rows_view place)
{
    if (!x->header->seeded) {
        return hb_unit_rows_unpack(&x->stage.rows, 1, x->stage.c1, place);
    }
    HB_TRY(hb_sample_uniform(x->stage.setup.engine, x->stage.c1, buffer->rows.seeds + place.at));
    return x->header->form == HB_NTT_FORM ? HB_OK : hb_intt(x->stage.setup.engine, x->stage.c1);
}

/* number: of the ciphertext in the dataset. */
static hb_status export_ciphertext(data_export *x, const hb_unit_buffer *buffer, uint64_t number,
                                   hb_unit_rows_view place)
{
    hb_engine *engine = x->stage.setup.engine;
    const size_t words = x->header->limbs * x->stage.setup.params->spec.n;
    const hb_seal_ciphertext head = {
        .size = 2, .limbs = x->header->limbs, .ntt = x->header->form == HB_NTT_FORM, .scale = x->header->scale};
    HB_TRY(hb_unit_rows_unpack(&x->stage.rows, 0, x->stage.c0, place));
    HB_TRY(second_component(x, buffer, place));
    HB_TRY(hb_download(engine, x->stage.words, x->stage.c0.data, words * sizeof *x->stage.words));
    HB_TRY(hb_download(engine, x->stage.words + words, x->stage.c1.data, words * sizeof *x->stage.words));
    HB_TRY(hb_finish(engine));
    char *path;
    HB_TRY(hb_seal_numbered(x->folder.partial, "ct", number, x->header->ciphertexts, &path));
    const hb_status st = hb_seal_ciphertext_save(path, x->job->style, &x->stage.setup.chain, &head, x->stage.words);
    free(path);
    return st;
}

static hb_status export_unit(data_export *x, uint64_t u)
{
    hb_unit_buffer *buffer = &x->stage.buffers.buffer[0];
    uint64_t first, count;
    hb_header_unit_range(x->header, u, &first, &count);
    HB_TRY(hb_dataset_read(x->dataset, u, &buffer->rows));
    HB_TRY(hb_unit_rows_check(&x->stage.rows, u, &buffer->rows, x->dataset));
    for (size_t at = 0; at < count; at++) {
        HB_TRY(hb_stop_check());
        HB_TRY(export_ciphertext(x, buffer, first + at, (hb_unit_rows_view){at, 1, (size_t)count}));
    }
    hb_progress_add(&x->progress, count);
    return HB_OK;
}

static hb_status export_all(data_export *x)
{
    const hb_seal_job *job = x->job;
    hb_progress_begin(&x->progress, job->group, job->common, hb_tally_ciphertexts("exported", x->header),
                      x->header->ciphertexts);
    for (uint64_t u = 0; u < hb_header_units(x->header); u++) {
        HB_TRY(export_unit(x, u));
    }
    HB_TRY(hb_seal_describe(job, x->folder.partial, x->header));
    HB_TRY(hb_seal_folder_commit(&x->folder));
    hb_progress_end(&x->progress);
    return HB_OK;
}

static hb_status keep_header(const data_export *x, hb_seal_data *done)
{
    done->header = *x->header;
    done->header.schema = (hb_schema){.rows = 0};
    done->files = x->header->ciphertexts;
    return hb_schema_copy(&done->header.schema, &x->header->schema);
}

hb_status hb_seal_dataset_export(const hb_seal_job *job, const char *dataset, hb_seal_data *done)
{
    data_export x = {.job = job};
    hb_status st;
    HB_GOTO(hb_seal_folder_begin(&x.folder, job->output, 0777));
    HB_GOTO(open_inputs(&x, dataset));
    HB_GOTO(stage_init(&x.stage, x.header));
    HB_GOTO(export_all(&x));
    st = keep_header(&x, done);
done:
    hb_seal_folder_close(&x.folder);
    stage_clear(&x.stage);
    hb_dataset_close(x.dataset);
    return st;
}

typedef struct data_import {
    const hb_seal_job *job;
    hb_header *header;
    const char *key;
    dataset_stage stage;
    relinearizer products;
    const char *product; /* the first file of three polynomials; NULL: there is none */
    hb_shard_writer *shard;
    bool begun;
    hb_hold hold; /* of the output */ /* the dataset, and not committed */
    hb_progress progress;
} data_import;

/* The scale of the first file, which the header's parameters state where it is not that of its level. Integers have
 * none. */
static hb_status state_scale(data_import *x, const hb_seal_ciphertext *head, const char *path)
{
    if (hb_codec_scale(&x->header->spec, head->limbs) == 0 ||
        hb_codec_state_scale(&x->header->spec, head->limbs, head->scale)) {
        return HB_OK;
    }
    return HB_FAIL(HB_EDATA,
                   "%s: its scale is %.17g, and ciphertexts of %" PRIu32
                   " primes have one between 1 and half of these: encode or rescale it where it was made",
                   path, head->scale, head->limbs);
}

static hb_status check_scale(const data_import *x, const hb_seal_ciphertext *head, const char *path)
{
    const double scale = hb_codec_scale(&x->header->spec, head->limbs);
    return scale == 0 || head->scale == scale
               ? HB_OK
               : HB_FAIL(HB_EDATA,
                         "%s: its scale is %.17g (2^%.9g), that of %s %.17g (2^%.9g): a dataset has one scale", path,
                         head->scale, log2(head->scale), x->job->files[0], scale, log2(scale));
}

/* Checks that a dataset can hold the ciphertext; limbs: of the others, 0 for the first. */
static hb_status check_head(const data_import *x, const hb_seal_ciphertext *head, uint32_t limbs, const char *path)
{
    const hb_params *params = x->stage.setup.params;
    if (head->size > MOST_POLYNOMIALS) {
        return HB_FAIL(HB_EDATA, "%s: has %" PRIu32 " polynomials, not 2 or 3: relinearize it where it was made", path,
                       head->size);
    }
    const hb_scheme scheme = params->spec.scheme;
    const bool wanted = hb_codec_form(scheme) == HB_NTT_FORM;
    if (head->ntt != wanted) {
        return HB_FAIL(HB_EDATA, "%s: is in %s form; ciphertexts of %s are wanted in %s form (transform_%s_ntt)", path,
                       head->ntt ? "NTT" : "coefficient", hb_scheme_name(scheme), wanted ? "NTT" : "coefficient",
                       wanted ? "to" : "from");
    }
    if (head->limbs > params->fresh_limbs || params->levels[head->limbs].basis.limbs == 0) {
        return HB_FAIL(HB_EDATA, "%s: is at the level of %" PRIu32 " primes, where no ciphertext can be", path,
                       head->limbs);
    }
    if (limbs != 0 && head->limbs != limbs) {
        return HB_FAIL(HB_EDATA,
                       "%s: is at the level of %" PRIu32 " primes, %s at that of %" PRIu32 ": a dataset has one level",
                       path, head->limbs, x->job->files[0], limbs);
    }
    return limbs != 0 ? check_scale(x, head, path) : HB_OK;
}

static hb_status look_at(data_import *x, const char *path)
{
    hb_seal_reader *reader;
    hb_seal_ciphertext head;
    HB_TRY(hb_seal_reader_open(path, &reader));
    hb_status st;
    HB_GOTO(hb_seal_ciphertext_begin(reader, &x->stage.setup.chain, &head));
    HB_GOTO(check_head(x, &head, x->header->limbs, path));
    st = x->header->limbs == 0 ? state_scale(x, &head, path) : HB_OK;
    HB_GOTO(st);
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
    HB_TRY(products_open(&x->products, &x->stage.setup, x->key, x->header->key_id, x->header->limbs, &found));
    return found ? HB_OK
                 : HB_FAIL(HB_EDATA,
                           "%s: has 3 polynomials, not 2: relinearize it where it was made, or import relin.seal into "
                           "the directory of --key",
                           x->product);
}

static hb_status fill_header(data_import *x)
{
    const hb_seal_job *job = x->job;
    hb_header *header = x->header;
    HB_TRY(look_at_all(x));
    HB_TRY(hb_seal_shape(job, "ct", header));
    if (header->encoding == HB_ENCODE_SLOTS) {
        HB_TRY(hb_params_require_slots(x->stage.setup.params));
    }
    HB_TRY(hb_seal_import_noise(job, x->product, header));
    header->dirty_padding = true; /* who encrypted may have filled all slots: TenSEAL repeats a vector in them */
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

static hb_status import_ciphertext(data_import *x, const char *path, hb_unit_rows_view place)
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
        HB_TRY(products_relinearize(&x->products, x->stage.words));
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
        HB_TRY(import_ciphertext(x, x->job->files[first + at], (hb_unit_rows_view){at, 1, (size_t)count}));
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
    HB_TRY(hb_resume_begin_once(job->output, "import", job->force, &x->hold));
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
    products_clear(&x->products);
    stage_clear(&x->stage);
}

hb_status hb_seal_dataset_import(const hb_seal_job *job, const char *key, hb_seal_data *done)
{
    data_import x = {.job = job, .key = key, .header = &done->header, .hold = HB_HOLD_NONE};
    hb_status st;
    HB_GOTO(hb_dataset_probe(job->output, job->force, false));
    HB_GOTO(hb_seal_identify(key, &done->header.spec, done->header.key_id));
    HB_GOTO(hb_seal_setup_open(&x.stage.setup, &done->header.spec));
    HB_GOTO(fill_header(&x));
    HB_GOTO(stage_init(&x.stage, x.header));
    HB_GOTO(import_all(&x));
    done->files = job->file_count;
done:
    clear(&x);
    return st;
}
