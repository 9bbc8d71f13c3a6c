/* Which table a row of files holds. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "durable.h"
#include "seal_data.h"

hb_status hb_seal_layout(hb_seal_job *job, const char *pack, const char *encoding)
{
    const bool rows = pack != NULL && strcmp(pack, "rows") == 0;
    const bool coefficients = encoding != NULL && strcmp(encoding, "coefficients") == 0;
    if (pack != NULL && !rows && strcmp(pack, "columns") != 0) {
        return HB_FAIL(HB_EUSAGE, "--pack %s: it is columns or rows", pack);
    }
    if (encoding != NULL && !coefficients && strcmp(encoding, "slots") != 0) {
        return HB_FAIL(HB_EUSAGE, "--encoding %s: it is slots or coefficients", encoding);
    }
    job->order = rows ? HB_PACK_ROWS : HB_PACK_COLUMNS;
    job->encoding = coefficients ? HB_ENCODE_COEFFICIENTS : HB_ENCODE_SLOTS;
    return HB_OK;
}

hb_status hb_seal_numbered(const char *folder, const char *prefix, uint64_t i, uint64_t count, char **path)
{
    int digits = 6;
    for (uint64_t rest = (count - 1) / 1000000; rest > 0; rest /= 10) { /* 10^6: what six digits can tell apart */
        digits++;
    }
    char name[64];
    snprintf(name, sizeof name, "%s-%0*" PRIu64 ".seal", prefix, digits, i);
    return hb_seal_path(folder, name, path);
}

hb_status hb_seal_describe(const hb_seal_job *job, const char *folder, const hb_header *header)
{
    char *parameters = NULL, *index = NULL;
    hb_status st;
    HB_GOTO(hb_seal_path(folder, HB_SEAL_PARAMETERS, &parameters));
    HB_GOTO(hb_seal_path(folder, HB_SEAL_INDEX, &index));
    HB_GOTO(hb_seal_parameters_save(parameters, job->style, &header->spec));
    st = hb_seal_index_write(index, header);
done:
    free(parameters);
    free(index);
    return st;
}

/* Columns of 64-bit integers without names, as many values as the files have room for. */
static hb_status shape_of_job(const hb_seal_job *job, hb_header *header)
{
    hb_schema *schema = &header->schema;
    schema->columns = job->columns != UINT64_MAX ? job->columns : 1;
    if (schema->columns < 1 || schema->columns > SIZE_MAX / sizeof *schema->column) {
        return HB_FAIL(HB_EUSAGE, "a table of %" PRIu64 " columns is not possible", schema->columns);
    }
    schema->rows = job->rows != UINT64_MAX ? job->rows : job->file_count / schema->columns * header->spec.n;
    schema->rank = 2;
    schema->width = sizeof(uint64_t);
    schema->column = calloc((size_t)schema->columns, sizeof *schema->column);
    for (uint64_t c = 0; schema->column != NULL && c < schema->columns; c++) {
        schema->column[c] = (hb_column){strdup(""), job->is_signed};
        if (schema->column[c].name == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for %" PRIu64 " columns", schema->columns);
        }
    }
    header->order = job->order;
    header->encoding = job->encoding;
    return schema->column != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for %" PRIu64 " columns", schema->columns);
}

static hb_status find_index(const hb_seal_job *job, char **index)
{
    *index = NULL;
    if (job->shaped) {
        return HB_OK;
    }
    char *folder;
    HB_TRY(hb_folder_of(job->files[0], &folder));
    const hb_status st = hb_seal_find(folder, HB_SEAL_INDEX, index);
    free(folder);
    return st;
}

hb_status hb_seal_shape(const hb_seal_job *job, hb_header *header)
{
    char *index;
    HB_TRY(find_index(job, &index));
    hb_status st;
    HB_GOTO(index != NULL ? hb_seal_index_read(index, header) : shape_of_job(job, header));
    const hb_packing packing = hb_header_packing(header);
    HB_GOTO(hb_packing_check(&packing));
    header->ciphertexts = hb_packing_ciphertexts(&packing);
    if (header->ciphertexts != job->file_count) {
        st = HB_FAIL(HB_EDATA, "%" PRIu64 " rows and %" PRIu64 " columns%s%s fill %" PRIu64 " files; %zu are given%s",
                     packing.rows, packing.columns, index != NULL ? " as in " : "", index != NULL ? index : "",
                     header->ciphertexts, job->file_count,
                     index != NULL ? ": --rows and --columns say what these hold" : "");
    }
done:
    free(index);
    return st;
}
