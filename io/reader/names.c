/* Names of columns of a dataset, which stand in an attribute of it; in the reader's process. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/h5/h5.h"
#include "source_private.h"

/* Copies names[c] into the schema, which then has names; with names NULL it has none, and each is "". */
static hb_status set_names(hb_schema *schema, const char *path, char *const *names)
{
    for (uint64_t c = 0; c < schema->columns; c++) {
        const char *name = names && names[c] ? names[c] : "";
        /* Longer ones could not be stored in a dataset. */
        if (strlen(name) > HB_COLUMN_NAME_MAX) {
            return HB_FAIL(HB_EDATA, "%s: the name of column %" PRIu64 " has more than %d bytes", path, c + 1,
                           HB_COLUMN_NAME_MAX);
        }
        schema->column[c].name = strdup(name);
        if (!schema->column[c].name) {
            return HB_FAIL(HB_ENOMEM, "%s: no memory for the names of its columns", path);
        }
    }
    schema->named = names != NULL;
    return HB_OK;
}

void hb_h5_texts_free(hb_h5_texts *texts)
{
    for (uint64_t i = 0; i < texts->count; i++) {
        texts->variable ? (void)H5free_memory(texts->text[i]) : free(texts->text[i]);
    }
    free(texts->text);
    *texts = (hb_h5_texts){.count = 0};
}

/* Copies strings of a fixed length out of the attribute. */
static hb_status read_fixed(hid_t attribute, hid_t stored, const char *name, const char *path, hb_h5_texts *texts)
{
    const size_t length = H5Tget_size(stored), count = (size_t)texts->count;
    char *fixed = length > SIZE_MAX / count ? NULL : malloc(count * length);
    hb_status st = fixed != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "%s: no memory for attribute '%s'", path, name);
    HB_GOTO(st);
    HB_GOTO(HB_H5(H5Aread(attribute, stored, fixed), HB_EDATA, "%s: cannot read attribute '%s'", path, name));
    for (size_t i = 0; i < count; i++) {
        /* A string that fills its length has no zero behind it. */
        texts->text[i] = strndup(fixed + i * length, length);
        if (texts->text[i] == NULL) {
            HB_GOTO(HB_FAIL(HB_ENOMEM, "%s: no memory for attribute '%s'", path, name));
        }
    }
done:
    free(fixed);
    return st;
}

hb_status hb_h5_process_read_texts(hid_t dataset, const char *name, const char *path, hb_h5_texts *texts)
{
    enum { MOST = 1 << 20 }; /* more strings than a table has columns */
    htri_t there;
    hid_t attribute = 0, type = 0, space = 0;
    hb_status st = HB_OK;
    *texts = (hb_h5_texts){.count = 0};
    HB_TRY(HB_H5(there = H5Aexists(dataset, name), HB_EDATA, "%s: its attributes cannot be read", path));
    if (there == 0) {
        return HB_OK;
    }
    HB_GOTO(HB_H5(attribute = H5Aopen(dataset, name, H5P_DEFAULT), HB_EDATA, "%s: cannot open attribute '%s'", path,
                  name));
    HB_GOTO(HB_H5(type = H5Aget_type(attribute), HB_EDATA, "%s: attribute '%s' has no type", path, name));
    HB_GOTO(HB_H5(space = H5Aget_space(attribute), HB_EDATA, "%s: attribute '%s' has no shape", path, name));
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    /* An attribute of this name that is something else is no failure: the file is the user's own. */
    if (H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_ndims(space) != 1 || count < 1 || count > MOST) {
        goto done;
    }
    texts->text = calloc((size_t)count, sizeof *texts->text);
    if (texts->text == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "%s: no memory for attribute '%s'", path, name));
    }
    texts->count = (uint64_t)count;
    /* HDF5 allocates strings of variable length, and wants to free them itself. */
    texts->variable = H5Tis_variable_str(type) > 0;
    st = texts->variable
             ? HB_H5(H5Aread(attribute, type, texts->text), HB_EDATA, "%s: cannot read attribute '%s'", path, name)
             : read_fixed(attribute, type, name, path, texts);
done:
    if (st != HB_OK) {
        hb_h5_texts_free(texts);
    }
    hb_h5_close(space);
    hb_h5_close(type);
    hb_h5_close(attribute);
    return st;
}

hb_status hb_h5_process_names(hid_t dataset, const char *path, hb_schema *schema)
{
    hb_h5_texts names;
    HB_TRY(hb_h5_process_read_texts(dataset, "columns", path, &names));
    hb_status st = set_names(schema, path, names.count == schema->columns ? names.text : NULL);
    hb_h5_texts_free(&names);
    return st;
}
