/* hebatch export A.heb DIR. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "batch/ranks.h"
#include "cli/stop.h"
#include "data.h"
#include "stage.h"

typedef struct data_export {
    const hb_seal_job *job;
    const hb_header *header; /* of the dataset */
    hb_dataset *dataset;
    hb_seal_stage stage;
    hb_seal_folder folder;
    hb_progress progress;
} data_export;

static hb_status open_inputs(data_export *x, const char *name)
{
    HB_TRY(hb_dataset_open(name, &x->dataset));
    x->header = hb_dataset_header(x->dataset);
    HB_TRY(hb_dataset_require_whole(x->dataset, name));
    HB_TRY(hb_seal_check_rows(name, x->header->schema.rows));
    return hb_seal_setup_open(&x->stage.setup, &x->header->spec);
}

/* Component 1 of ciphertext `at` of a unit: stored, or in NTT form what its seed expands to. */
static hb_status second_component(data_export *x, const hb_unit_buffer *buffer, hb_unit_places place)
{
    if (!x->header->seeded) {
        return hb_unit_rows_unpack(&x->stage.rows, 1, x->stage.c1, place);
    }
    HB_TRY(hb_sample_uniform(x->stage.setup.engine, x->stage.c1, buffer->rows.seeds + place.at));
    return hb_intt(x->stage.setup.engine, x->stage.c1);
}

/* number: of the ciphertext in the dataset. */
static hb_status export_ciphertext(data_export *x, const hb_unit_buffer *buffer, uint64_t number, hb_unit_places place)
{
    hb_engine *engine = x->stage.setup.engine;
    const size_t words = x->header->limbs * x->stage.setup.params->spec.n;
    const hb_seal_ciphertext head = {.size = 2, .limbs = x->header->limbs};
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
        HB_TRY(export_ciphertext(x, buffer, first + at, (hb_unit_places){at, 1, (size_t)count}));
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
    HB_GOTO(hb_seal_stage_init(&x.stage, x.header));
    HB_GOTO(export_all(&x));
    st = keep_header(&x, done);
done:
    hb_seal_folder_close(&x.folder);
    hb_seal_stage_clear(&x.stage);
    hb_dataset_close(x.dataset);
    return st;
}
