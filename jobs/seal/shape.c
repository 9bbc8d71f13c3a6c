/* Which table a row of files holds. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "io/base/durable.h"

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
    char *name = NULL;
    if (asprintf(&name, "%s-%0*" PRIu64 ".seal", prefix, digits, i) < 0) {
        return HB_FAIL(HB_ENOMEM, "no memory for the name of a file");
    }
    const hb_status st = hb_seal_path(folder, name, path);
    free(name);
    return st;
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
        schema->column[c] = (hb_column){.name = strdup(""), .is_signed = job->is_signed};
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

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* A folder that was exported has these files and no others: one that is missing, or one more, would shift the rows of
 * all that follow. Both lists are in order. */
static hb_status check_names(const hb_seal_job *job, const char *prefix, const char *index, uint64_t count)
{
    for (uint64_t i = 0; i < count || i < job->file_count; i++) {
        char *wanted;
        HB_TRY(hb_seal_numbered(job->folder, prefix, i, count, &wanted));
        const int order = i >= job->file_count ? -1
                          : i >= count         ? 1
                                               : strverscmp(base_name(wanted), base_name(job->files[i]));
        const hb_status st =
            order == 0  ? HB_OK
            : order < 0 ? HB_FAIL(HB_EDATA, "%s: is missing, of the %" PRIu64 " files of %s", wanted, count, index)
                        : HB_FAIL(HB_EDATA, "%s: is none of the %" PRIu64 " files of %s", job->files[i], count, index);
        free(wanted);
        HB_TRY(st);
    }
    return HB_OK;
}

hb_status hb_seal_check_rows(const char *name, uint64_t rows)
{
    return rows > 0 ? HB_OK : HB_FAIL(HB_EDATA, "%s: has no rows: there is nothing to export", name);
}

hb_status hb_seal_shape(const hb_seal_job *job, const char *prefix, hb_header *header)
{
    char *index;
    HB_TRY(find_index(job, &index));
    hb_status st;
    HB_GOTO(index != NULL ? hb_seal_index_read(index, header) : shape_of_job(job, header));
    const hb_packing packing = hb_header_packing(header);
    HB_GOTO(hb_packing_check(&packing));
    header->ciphertexts = hb_packing_ciphertexts(&packing);
    if (index != NULL && job->folder != NULL) {
        HB_GOTO(check_names(job, prefix, index, header->ciphertexts));
    }
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
