/* hebatch export TABLE DIR and hebatch import FILE.seal ... TABLE: plaintexts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cell.h"
#include "base/chunk.h"
#include "batch/cells/cells.h"
#include "cli/stop.h"
#include "data.h"
#include "scheme/codec.h"
#include "scheme/params.h"

typedef struct table_exchange {
    const hb_seal_job *job;
    hb_header *header;
    hb_seal_setup setup;
    hb_codec *codec;
    hb_cells cells;
    hb_batch values, plain; /* one polynomial each */
    uint64_t *words;        /* of either */
} table_exchange;

/* For the spec and schema of the header. */
static hb_status make_ready(table_exchange *x)
{
    const hb_params *params = x->setup.params;
    hb_engine *engine = x->setup.engine;
    const hb_packing packing = hb_header_packing(x->header);
    HB_TRY(hb_packing_check(&packing));
    x->header->ciphertexts = hb_packing_ciphertexts(&packing);
    if (x->header->encoding == HB_ENCODE_SLOTS) {
        HB_TRY(hb_params_require_slots(params));
    }
    HB_TRY(hb_codec_open(engine, params, x->header->encoding, &x->codec));
    HB_TRY(hb_cells_init(&x->cells, x->header, 1, 1));
    HB_TRY(hb_values_alloc(&x->values, engine, params, 1));
    HB_TRY(hb_plaintexts_alloc(&x->plain, engine, params, params->data_limbs, 1));
    x->words = malloc(hb_larger(hb_values_words(&params->spec), hb_plaintext_words(params, params->data_limbs)) *
                      sizeof *x->words);
    return x->words != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a plaintext");
}

static void clear(table_exchange *x)
{
    free(x->words);
    if (x->setup.engine != NULL) {
        hb_batch_free(x->setup.engine, &x->values);
        hb_batch_free(x->setup.engine, &x->plain);
    }
    hb_cells_clear(&x->cells);
    hb_codec_close(x->codec);
    hb_seal_setup_close(&x->setup);
}

static hb_status export_plaintext(table_exchange *x, hb_table *table, const char *folder, uint64_t i)
{
    hb_engine *engine = x->setup.engine;
    const hb_params *params = x->setup.params;
    const size_t bytes = hb_values_words(&params->spec) * sizeof *x->words;
    HB_TRY(hb_stop_check());
    HB_TRY(hb_cells_read(&x->cells, 0, table, i, 1, x->words));
    HB_TRY(hb_cells_to_values(&x->cells, table, i, 1, x->words));
    HB_TRY(hb_upload(engine, x->values.data, x->words, bytes));
    HB_TRY(hb_encode(x->codec, x->plain, x->values));
    HB_TRY(hb_download(engine, x->words, x->plain.data,
                       hb_plaintext_words(params, params->data_limbs) * sizeof *x->words));
    HB_TRY(hb_finish(engine));
    char *path;
    HB_TRY(hb_seal_numbered(folder, "plain", i, x->header->ciphertexts, &path));
    const hb_status st = hb_seal_plaintext_save(path, x->job->style, &x->setup.chain, x->words);
    free(path);
    return st;
}

hb_status hb_seal_table_export(const hb_seal_job *job, const char *name, const hb_params_spec *spec, hb_seal_data *done)
{
    table_exchange x = {.job = job, .header = &done->header};
    hb_seal_folder folder = {.name = NULL};
    hb_table *table = NULL;
    hb_status st;
    HB_GOTO(hb_seal_setup_open(&x.setup, spec));
    HB_GOTO(hb_table_open(name, hb_codec_cell_type(x.setup.params->spec.scheme), &table));
    HB_GOTO(hb_seal_check_rows(name, hb_table_schema(table)->rows));
    done->header.order = job->order;
    hb_header_set_scheme(&done->header, &x.setup.params->spec, job->encoding);
    HB_GOTO(hb_schema_copy(&done->header.schema, hb_table_schema(table)));
    HB_GOTO(make_ready(&x));
    HB_GOTO(hb_cells_match(&x.cells, hb_table_schema(table)));
    HB_GOTO(hb_seal_folder_begin(&folder, job->output, 0777));
    for (uint64_t i = 0; i < done->header.ciphertexts; i++) {
        HB_GOTO(export_plaintext(&x, table, folder.partial, i));
    }
    HB_GOTO(hb_seal_describe(job, folder.partial, &done->header));
    HB_GOTO(hb_seal_folder_commit(&folder));
    done->files = done->header.ciphertexts;
done:
    hb_seal_folder_close(&folder);
    hb_table_close(table);
    clear(&x);
    return st;
}

/* Decoded values are the integers over the scale of the level: makes them the integers over that of the file. HB_EDATA
 * where integers are so large that they may have wrapped around when they were decoded (ckks/codec.h). */
static hb_status take_scale(const table_exchange *x, const char *path, uint32_t limbs, double scale)
{
    const hb_params_spec *spec = &x->setup.params->spec;
    const double level = hb_codec_scale(spec, limbs), most = 0x1p120 / scale;
    const size_t words = hb_values_words(spec);
    for (size_t i = 0; level > 0 && i < words; i++) {
        const double value = hb_real_of(x->words[i]) * (level / scale);
        if (!(fabs(value) < most)) {
            return HB_FAIL(HB_EDATA,
                           "%s: holds %g at a scale of 2^%.9g, too large to be read: encode it at a lower one", path,
                           value, log2(scale));
        }
        x->words[i] = hb_real_word(value);
    }
    return HB_OK;
}

static hb_status import_plaintext(table_exchange *x, hb_table_writer *writer, uint64_t i)
{
    hb_engine *engine = x->setup.engine;
    const hb_params *params = x->setup.params;
    const size_t bytes = hb_values_words(&params->spec) * sizeof *x->words;
    const char *path = x->job->files[i];
    uint32_t limbs;
    double scale;
    HB_TRY(hb_stop_check());
    HB_TRY(hb_seal_plaintext_load(path, &x->setup.chain, x->words, &limbs, &scale));
    const hb_batch plain = hb_batch_limbs(engine, x->plain, 0, limbs);
    HB_TRY(hb_upload(engine, plain.data, x->words, hb_plaintext_words(params, limbs) * sizeof *x->words));
    HB_TRY(hb_decode(x->codec, x->values, plain));
    HB_TRY(hb_download(engine, x->words, x->values.data, bytes));
    HB_TRY(hb_finish(engine));
    HB_TRY(take_scale(x, path, limbs, scale));
    hb_cells_from_values(&x->cells, i, 1, x->words);
    return hb_cells_write(&x->cells, 0, writer, i, 1, x->words);
}

hb_status hb_seal_table_import(const hb_seal_job *job, const hb_params_spec *spec, hb_seal_data *done)
{
    table_exchange x = {.job = job, .header = &done->header};
    hb_table_writer *writer = NULL;
    hb_schema plain = {0};
    hb_status st;
    HB_GOTO(hb_seal_setup_open(&x.setup, spec));
    done->header.spec = x.setup.params->spec;
    HB_GOTO(hb_seal_shape(job, "plain", &done->header));
    HB_GOTO(make_ready(&x));
    HB_GOTO(hb_schema_unpair(&plain, &done->header.schema));
    HB_GOTO(hb_table_create(job->output, &plain, job->force, &writer));
    HB_GOTO(hb_cells_match(&x.cells, hb_table_writer_schema(writer)));
    HB_GOTO(hb_table_reserve(writer));
    for (uint64_t i = 0; i < job->file_count; i++) {
        HB_GOTO(import_plaintext(&x, writer, i));
    }
    HB_GOTO(hb_table_sync(writer));
    HB_GOTO(hb_table_commit(writer));
    done->files = job->file_count;
done:
    hb_table_writer_close(writer);
    hb_schema_clear(&plain);
    clear(&x);
    return st;
}
