/* hebatch export A.heb DIR. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ranks.h"
#include "seal_data.h"
#include "slots.h"
#include "stop.h"
#include "unit_rows.h"

typedef struct data_export {
    const hb_seal_job *job;
    const hb_header *header; /* of the dataset */
    hb_dataset *dataset;
    hb_seal_setup setup;
    hb_seal_folder folder;
    hb_slots slots;
    hb_unit_rows rows;
    hb_batch c0, c1; /* one polynomial each */
    uint64_t *words; /* [2][limbs][n] */
    hb_progress progress;
} data_export;

static hb_status open_inputs(data_export *x, const char *name)
{
    HB_TRY(hb_dataset_open(name, &x->dataset));
    x->header = hb_dataset_header(x->dataset);
    HB_TRY(hb_dataset_require_whole(x->dataset, name));
    HB_TRY(hb_seal_check_rows(name, x->header->schema.rows));
    return hb_seal_setup_open(&x->setup, &x->header->spec);
}

static hb_status make_ready(data_export *x)
{
    const hb_params *params = x->setup.params;
    const uint32_t limbs = x->header->limbs;
    hb_engine *engine = x->setup.engine;
    HB_TRY(hb_slots_init(&x->slots, engine, x->header, 1, false, false));
    HB_TRY(hb_unit_rows_init(&x->rows, engine, params, x->header));
    HB_TRY(hb_batch_alloc(engine, &x->c0, 1, limbs, params->ids));
    HB_TRY(hb_batch_alloc(engine, &x->c1, 1, limbs, params->ids));
    x->words = malloc(2 * limbs * params->spec.n * sizeof *x->words);
    return x->words != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a ciphertext");
}

/* Component 1 of ciphertext `at` of a unit: stored, or in NTT form what its seed expands to. */
static hb_status second_component(data_export *x, const hb_slot *slot, hb_unit_places place)
{
    if (!x->header->seeded) {
        return hb_unit_rows_unpack(&x->rows, 1, x->c1, place);
    }
    HB_TRY(hb_sample_uniform(x->setup.engine, x->c1, slot->rows.seeds + place.at));
    return hb_intt(x->setup.engine, x->c1);
}

/* number: of the ciphertext in the dataset. */
static hb_status export_ciphertext(data_export *x, const hb_slot *slot, uint64_t number, hb_unit_places place)
{
    hb_engine *engine = x->setup.engine;
    const size_t words = x->header->limbs * x->setup.params->spec.n;
    const hb_seal_ciphertext head = {.size = 2, .limbs = x->header->limbs};
    HB_TRY(hb_unit_rows_unpack(&x->rows, 0, x->c0, place));
    HB_TRY(second_component(x, slot, place));
    HB_TRY(hb_download(engine, x->words, x->c0.data, words * sizeof *x->words));
    HB_TRY(hb_download(engine, x->words + words, x->c1.data, words * sizeof *x->words));
    HB_TRY(hb_finish(engine));
    char *path;
    HB_TRY(hb_seal_numbered(x->folder.partial, "ct", number, x->header->ciphertexts, &path));
    const hb_status st = hb_seal_ciphertext_save(path, x->job->style, &x->setup.chain, &head, x->words);
    free(path);
    return st;
}

static hb_status export_unit(data_export *x, uint64_t u)
{
    hb_slot *slot = &x->slots.slot[0];
    uint64_t first, count;
    hb_header_unit_range(x->header, u, &first, &count);
    HB_TRY(hb_dataset_read(x->dataset, u, &slot->rows));
    HB_TRY(hb_unit_rows_check(&x->rows, u, &slot->rows, x->dataset));
    for (size_t at = 0; at < count; at++) {
        HB_TRY(hb_stop_check());
        HB_TRY(export_ciphertext(x, slot, first + at, (hb_unit_places){at, 1, (size_t)count}));
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
    HB_GOTO(open_inputs(&x, dataset));
    HB_GOTO(make_ready(&x));
    HB_GOTO(hb_seal_folder_begin(&x.folder, job->output, 0777));
    HB_GOTO(export_all(&x));
    st = keep_header(&x, done);
done:
    hb_seal_folder_close(&x.folder);
    free(x.words);
    if (x.setup.engine != NULL) {
        hb_batch_free(x.setup.engine, &x.c0);
        hb_batch_free(x.setup.engine, &x.c1);
    }
    hb_unit_rows_clear(&x.rows);
    hb_slots_clear(&x.slots);
    hb_seal_setup_close(&x.setup);
    hb_dataset_close(x.dataset);
    return st;
}
